//! LangGraph's `Send`: one task for each item.
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Book {
    chapters: Vec<String>,
    #[state(append)]
    words: Vec<usize>,
    total: usize,
}

async fn count(_: &Book, cx: &Cx) -> NodeResult<BookUpdate> {
    Ok(Book::update().words(cx.item::<String>()?.split_whitespace().count()))
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let graph = StateGraph::new("book")
        .node("count", count)
        .node("sum", async |book: &Book| Book::update().total(book.words.iter().sum::<usize>()))
        .fan_out_or(START, |book: &Book| book.chapters.clone(), "count", "sum")
        .sequence(["count", "sum", END])
        .compile()?;
    let chapters = ["Call me Ishmael", "It was the best of times"].map(str::to_owned).to_vec();
    let done = graph.run(Book { chapters, ..Book::default() }).await?.state;
    Ok(format!("{:?} {}", done.words, done.total))
}
