use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Flat {
    #[serde(flatten)]
    rest: std::collections::BTreeMap<String, u8>,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Skipped {
    #[serde(skip)]
    handle: u8,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Half {
    #[serde(default, skip_serializing)]
    half: u8,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct TwoNames {
    #[serde(rename(serialize = "a", deserialize = "b"))]
    name: u8,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
#[serde(tag = "kind")]
struct Tagged {
    name: u8,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
#[serde(into = "Flat")]
struct Other {
    name: u8,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
#[state(append)]
struct Misplaced {
    name: u8,
}

impl From<Other> for Flat {
    fn from(_: Other) -> Self {
        Self::default()
    }
}

fn main() {}
