//! Graph files: what is accepted, what is refused and how that reads, and that nothing makes the reader panic or hang.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod arbitrary;
mod examples;
mod expressions;
mod failing;
mod golden;
mod inline;
mod inside;
mod kinds;
mod limits;
mod manual;
mod mapping;
mod reading;
mod requests;
mod talking;
mod tools;

use serde::{Deserialize, Serialize};
use stategraph_core::{Choice, State};
use stategraph_files::{Registry, RegistryError};

/// Makes the root of the repository the working folder, from which the files of these tests name others.
pub(crate) fn at_the_root() {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("it is there");
}

/// The state of the files in `tests/golden/definitions`.
#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Debate {
    #[state(append)]
    log: Vec<String>,
    rounds: u32,
}

#[derive(Choice, Clone, Copy)]
enum Verdict {
    Verified,
    Exhausted,
    Revise,
}

/// What the files in `tests/golden/definitions` can name.
pub(crate) fn registry() -> Registry<Debate> {
    build_registry().expect("the names differ")
}

fn build_registry() -> Result<Registry<Debate>, RegistryError> {
    let verdict = |debate: &Debate| match debate.rounds {
        0 => Verdict::Revise,
        1..5 => Verdict::Verified,
        _ => Verdict::Exhausted,
    };
    Registry::new("debate")
        .node("demo.draft", "writes", async |_: &Debate| Debate::update().log("draft"))?
        .node("demo.review", "reviews", async |debate: &Debate| {
            Debate::update().log("review").rounds(debate.rounds + 1)
        })?
        .node("demo.write", "writes it down", async |_: &Debate| Debate::update().log("write"))?
        .choice("demo.verdict", "whether it is good", verdict)?
        .list("demo.words", "what is in the log", |debate: &Debate| debate.log.clone())?
        .choice("demo.done", "whether a round was made", |debate: &Debate| debate.rounds > 0)
}
