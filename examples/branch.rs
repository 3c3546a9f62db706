//! A decision as an enum: each label has an arm, or the graph does not compile. Here it is drawn as well.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Draft {
    text: String,
    #[state(add)]
    rounds: u32,
}

#[derive(Choice, Clone, Copy)]
enum Verdict {
    Good,
    TooShort,
    GivenUp,
}

fn judge(draft: &Draft) -> Verdict {
    match (draft.text.len(), draft.rounds) {
        (12.., _) => Verdict::Good,
        (_, 0..=9) => Verdict::TooShort,
        _ => Verdict::GivenUp,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("draft")
        .node("write", async |draft: &Draft| {
            Draft::update().text(format!("{}more ", draft.text)).rounds(1_u32)
        })
        .node("publish", async |draft: &Draft| println!("published: {}", draft.text))
        .edge(START, "write")
        .branch(
            "write",
            judge,
            [(Verdict::Good, "publish"), (Verdict::TooShort, "write"), (Verdict::GivenUp, END)],
        )
        .edge("publish", END)
        .compile()?;
    println!("{}", graph.topology().mermaid());
    let done = graph.run(Draft::default()).await?;
    println!("after {} rounds", done.state.rounds);
    Ok(())
}
