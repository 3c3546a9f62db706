//! The nodes, choices and lists that the graph files of these tests can name.

use serde::{Deserialize, Serialize};
use stategraph_core::{Choice, State};
use stategraph_files::{Registry, RegistryError};

/// The state of the files in `tests/golden`.
#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Debate {
    #[state(append)]
    pub(crate) log: Vec<String>,
    pub(crate) rounds: u32,
}

#[derive(Choice, Clone, Copy)]
enum Verdict {
    Verified,
    Exhausted,
    Revise,
}

/// Returns the registry of the files in `tests/golden`.
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
