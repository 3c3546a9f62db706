//! One task for each item, at once; their results come in the order of the items, and one node makes the sum.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Book {
    chapters: Vec<String>,
    #[state(append)]
    words: Vec<usize>,
    total: usize,
}

async fn count(_: &Book, cx: &Cx) -> NodeResult<BookUpdate> {
    let chapter: &String = cx.item()?;
    Ok(Book::update().words(chapter.split_whitespace().count()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("book")
        .node("count", count)
        .node("sum", async |book: &Book| Book::update().total(book.words.iter().sum::<usize>()))
        .fan_out_or(START, |book: &Book| book.chapters.clone(), "count", "sum")
        .edge("count", "sum")
        .edge("sum", END)
        .compile()?;
    let chapters = ["Call me Ishmael", "It was the best of times"].map(str::to_owned).to_vec();
    let done = graph.run(Book { chapters, ..Book::default() }).max_concurrency(8).await?;
    println!("{:?} words, {} in all", done.state.words, done.state.total);
    Ok(())
}
