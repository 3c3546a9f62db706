//! The serde attributes of a state hold for its update as well: checkpoints have one name and one form for a channel. What cannot
//! hold is in `macros/tests/compile_fail`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stategraph_core::{END, HistoryQuery, START, State, StateGraph};

use super::kit::{memory, thread};

/// A number as text with a mark before it.
mod marked {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's `with` passes a reference")]
    pub(super) fn serialize<S: Serializer>(number: &Distance, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("m{}", number.0))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Distance, D::Error> {
        let text = String::deserialize(from)?;
        let digits = text.strip_prefix('m').ok_or_else(|| D::Error::custom("it has no mark"))?;
        digits.parse().map(Distance).map_err(D::Error::custom)
    }

    /// Has no serde of its own.
    #[derive(Clone, Copy, Default, Debug, PartialEq, PartialOrd)]
    pub(super) struct Distance(pub(super) u32);

    impl std::ops::AddAssign for Distance {
        fn add_assign(&mut self, other: Self) {
            self.0 += other.0;
        }
    }
}

use marked::Distance;

fn further(distance: &mut Distance, steps: u32) {
    distance.0 += steps;
}

fn joined<S: serde::Serializer>(list: &[String], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&list.join(","))
}

fn split<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(String::deserialize(from)?.split(',').map(str::to_owned).collect())
}

fn ten() -> u32 {
    10
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Journey {
    #[serde(rename = "von", alias = "from", alias = "origin")]
    start: String,
    first_stop: String,
    #[state(append)]
    #[serde(alias = "stops")]
    all_stops: Vec<String>,
    #[serde(default = "ten")]
    limit: u32,
    #[serde(with = "marked")]
    far: Distance,
    #[state(add)]
    #[serde(with = "marked")]
    sum: Distance,
    #[state(max)]
    #[serde(serialize_with = "marked::serialize", deserialize_with = "marked::deserialize")]
    most: Distance,
    #[state(reduce = further, delta = u32)]
    #[serde(with = "marked")]
    walked: Distance,
    #[state(append)]
    #[serde(serialize_with = "joined", deserialize_with = "split")]
    words: Vec<String>,
    #[state(untracked)]
    #[serde(skip)]
    handle: Distance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    r#type: String,
}

fn changes() -> JourneyUpdate {
    let first = Journey::update().start("a").first_stop("b").all_stops("c").limit(3).far(Distance(4));
    let sums = first.sum(Distance(5)).sum(Distance(6)).most(Distance(7)).walked(8).walked(9);
    sums.words("x")
        .overwrite_words(["y".to_owned(), "z".to_owned()])
        .handle(Distance(1))
        .note("n".to_owned())
        .r#type("t")
}

#[test]
fn an_update_has_the_names_and_forms_of_the_state() {
    let written = serde_json::to_value(changes()).unwrap();
    let expected = json!({
        "von": "a", "firstStop": "b", "allStops": { "+": "c" }, "limit": 3, "far": "m4",
        "sum": { "++": ["m5", "m6"] }, "most": { "+": "m7" }, "walked": { "++": [8, 9] },
        "words": { "=": "y,z" }, "note": "n", "type": "t",
    });
    assert_eq!(written, expected);
    let mut state = Journey { handle: Distance(1), ..Journey::default() };
    state.fold(serde_json::from_value(written).unwrap());
    let mut live = Journey::default();
    live.fold(changes());
    assert_eq!(state, live);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&serde_json::to_value(&live).unwrap()), keys(&expected));
    let stored = Journey::CHANNELS.iter().filter(|channel| channel.name != "handle");
    assert_eq!(stored.map(|channel| channel.name).collect::<Vec<_>>(), keys(&expected));
}

#[test]
fn an_update_is_read_under_the_older_names_of_its_channels() {
    let old = json!({ "origin": "a", "stops": { "+": "c" } });
    let mut state = Journey::default();
    state.fold(serde_json::from_value(old).unwrap());
    assert_eq!((state.start.as_str(), state.all_stops.as_slice()), ("a", ["c".to_owned()].as_slice()));
    assert!(serde_json::from_value::<JourneyUpdate>(json!({ "first_stop": "b" })).is_err());
}

#[tokio::test]
async fn a_state_with_forms_of_its_own_is_loaded_as_it_was() {
    let graph = StateGraph::<Journey>::new("journey")
        .node("walk", async |_: &Journey| changes())
        .node("rest", async |_: &Journey| Journey::update().sum(Distance(1)).words("w"))
        .edge(START, "walk")
        .edge("walk", "rest")
        .edge("rest", END);
    let graph = graph.compile().unwrap().with_store(memory());
    let input = Journey { words: vec!["v".to_owned()], ..Journey::default() };
    let end = graph.run(input).thread(thread("t")).await.unwrap().state;
    let loaded = graph.state(&thread("t"), None).await.unwrap().state;
    assert_eq!((loaded.sum, loaded.words.join(" ").as_str()), (Distance(12), "y z w"));
    assert_eq!(Journey { handle: Distance(1), ..loaded }, end);
    assert_eq!(graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap().len(), 3);
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
#[state(version = 2)]
struct Second {
    map: BTreeMap<String, u8>,
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct First {
    map: BTreeMap<String, u8>,
}

#[test]
fn the_version_of_a_state_is_part_of_its_fingerprint() {
    assert_ne!(First::fingerprint(), Second::fingerprint());
    assert_eq!((First::VERSION, Second::VERSION), (0, 2));
    assert!(First::READ_BACK.is_empty() && !Journey::READ_BACK.is_empty());
}
