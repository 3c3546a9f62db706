//! `derive(State)`: reducers, typed updates, their JSON, the schema's fingerprint. ENG-2, parity F9-F15.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use stategraph_core::{ChannelLifetime, State, Update};

fn keep_longest(value: &mut String, word: String) {
    if word.len() > value.len() {
        *value = word;
    }
}

fn tally(value: &mut BTreeMap<String, u32>, word: String) {
    *value.entry(word).or_default() += 1;
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Every {
    plain: String,
    maybe: Option<u32>,
    #[state(last)]
    spoken: bool,
    #[state(append)]
    list: Vec<String>,
    #[state(append)]
    queue: VecDeque<u8>,
    #[state(append)]
    text: String,
    #[state(add)]
    sum: i64,
    #[state(max)]
    top: f64,
    #[state(min)]
    low: Option<u8>,
    #[state(merge)]
    map: BTreeMap<String, u32>,
    #[state(merge)]
    set: BTreeSet<u8>,
    #[state(reduce = keep_longest)]
    word: String,
    #[state(reduce = tally, delta = String)]
    counts: BTreeMap<String, u32>,
    #[state(untracked)]
    #[serde(skip)]
    handle: u64,
    #[state(ephemeral)]
    once: Option<String>,
    r#type: String,
}

// ENG-2
#[test]
fn every_rule_folds_as_its_table_says() {
    let mut state = Every { low: Some(9), ..Every::default() };
    state.fold(Every::update().plain("a").maybe(1).spoken(true).list("x").list("y").queue(1).text("ab"));
    state.fold(Every::update().plain("b").list("z").queue(2).text("c").sum(5).sum(-2).top(1.5).low(3));
    state.fold(Every::update().top(0.5).low(7).map([("k".to_owned(), 1)]).set([3]).set([1]).word("word"));
    state.fold(Every::update().map([("k".to_owned(), 2), ("l".to_owned(), 3)]).word("to"));
    state.fold(Every::update().counts("x").counts("y").counts("x").handle(7).r#type("t"));
    assert_eq!((state.plain.as_str(), state.maybe, state.spoken), ("b", Some(1), true));
    assert_eq!((state.list.join(""), state.queue, state.text.as_str()), ("xyz".into(), [1, 2].into(), "abc"));
    assert_eq!((state.sum, state.top, state.low), (3, 1.5, Some(3)));
    assert_eq!(state.map, BTreeMap::from([("k".to_owned(), 2), ("l".to_owned(), 3)]));
    assert_eq!((state.set, state.word.as_str()), (BTreeSet::from([1, 3]), "word"));
    assert_eq!(state.counts, BTreeMap::from([("x".to_owned(), 2), ("y".to_owned(), 1)]));
    assert_eq!((state.handle, state.r#type.as_str()), (7, "t"));
}

#[test]
fn a_value_that_does_not_compare_is_no_maximum() {
    let mut state = Every { top: 1.0, ..Every::default() };
    state.fold(Every::update().top(f64::NAN));
    assert!((state.top - 1.0).abs() < f64::EPSILON);
}

// F11, clause 7
#[test]
fn an_overwrite_replaces_and_makes_other_deltas_void() {
    let mut state = Every { list: vec!["old".into()], sum: 3, ..Every::default() };
    state.fold(Every::update().list("lost").overwrite_list(["new".to_owned()]).list("ignored"));
    state.fold(Every::update().overwrite_sum(10));
    assert_eq!((state.list, state.sum), (vec!["new".to_owned()], 10));
}

#[test]
fn an_overwrite_of_a_channel_that_was_never_written_is_no_wrapper() {
    let mut state = Every::default();
    state.fold(Every::update().overwrite_counts([("k".to_owned(), 4)]));
    assert_eq!(state.counts, BTreeMap::from([("k".to_owned(), 4)]));
}

fn json(update: &EveryUpdate) -> String {
    serde_json::to_string(update).unwrap()
}

#[test]
fn an_update_is_the_same_after_json() {
    let updates = [
        Every::update(),
        Every::update().plain("").maybe(None).spoken(false),
        Every::update().list("a"),
        Every::update().extend_list(["a".to_owned(), "b".to_owned()]),
        Every::update().overwrite_list(Vec::new()).overwrite_low(None),
        Every::update().sum(1).sum(2).top(0.1).low(Some(3)).counts("x").set([1]).once("e".to_owned()),
    ];
    for update in updates {
        let text = json(&update);
        let back: EveryUpdate = serde_json::from_str(&text).unwrap();
        assert_eq!(json(&back), text);
        assert_eq!(back.written_channels(), update.written_channels(), "{text}");
        assert_eq!(back.exclusive_channels(), update.exclusive_channels(), "{text}");
        let (mut live, mut stored) = (Every::default(), Every::default());
        live.fold(update);
        stored.fold(back);
        assert_eq!(live, stored, "{text}");
    }
}

#[test]
fn json_tells_deltas_from_overwrites_and_nothing_from_null() {
    assert_eq!(json(&Every::update().list("a")), r#"{"list":{"+":"a"}}"#);
    assert_eq!(json(&Every::update().list("a").list("b")), r#"{"list":{"++":["a","b"]}}"#);
    assert_eq!(json(&Every::update().overwrite_sum(1)), r#"{"sum":{"=":1}}"#);
    assert_eq!(json(&Every::update().maybe(None)), r#"{"maybe":null}"#);
    let null: EveryUpdate = serde_json::from_str(r#"{"maybe":null}"#).unwrap();
    let mut state = Every { maybe: Some(1), ..Every::default() };
    state.fold(null);
    assert_eq!(state.maybe, None);
}

// D10, F18: LangGraph drops unknown keys and stores any type
#[test]
fn an_update_with_an_unknown_key_or_another_type_is_refused() {
    for wrong in
        [r#"{"plian":"x"}"#, r#"{"plain":1}"#, r#"{"list":["a"]}"#, r#"{"plain":null}"#, r#""plain""#]
    {
        assert!(serde_json::from_str::<EveryUpdate>(wrong).is_err(), "{wrong}");
    }
}

// F15
#[test]
fn an_untracked_channel_is_in_no_json() {
    assert_eq!(json(&Every::update().handle(7)), "{}");
    let state = serde_json::to_string(&Every { handle: 7, ..Every::default() }).unwrap();
    assert!(!state.contains("handle"), "{state}");
}

#[test]
fn ephemeral_channels_are_reset_and_others_kept_when_a_step_begins() {
    let mut state = Every { once: Some("x".into()), handle: 1, plain: "p".into(), ..Every::default() };
    state.begin_step();
    assert_eq!((state.once, state.handle, state.plain.as_str()), (None, 1, "p"));
}

#[test]
fn channels_are_named_as_in_json() {
    let names: Vec<&str> = Every::CHANNELS.iter().map(|channel| channel.name).collect();
    assert_eq!(names[names.len() - 3..], ["handle", "once", "type"]);
    let kept: Vec<ChannelLifetime> = Every::CHANNELS.iter().map(|channel| channel.lifetime).collect();
    assert_eq!(
        kept[kept.len() - 3..],
        [ChannelLifetime::InRun, ChannelLifetime::OneStep, ChannelLifetime::Always]
    );
    assert_eq!((Every::CHANNELS[3].rule, Every::CHANNELS[3].kind), ("append", "Vec<String>"));
}

mod before {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Serialize, Deserialize)]
    pub(crate) struct Same {
        n: u32,
        #[state(append)]
        list: Vec<u8>,
    }
    #[derive(State, Clone, Default, Serialize, Deserialize)]
    pub(crate) struct OtherRule {
        #[state(add)]
        n: u32,
        #[state(append)]
        list: Vec<u8>,
    }
    #[derive(State, Clone, Default, Serialize, Deserialize)]
    pub(crate) struct OtherType {
        n: u64,
        #[state(append)]
        list: Vec<u8>,
    }
}

mod after {
    use super::{Deserialize, Serialize, State};
    #[derive(State, Clone, Default, Serialize, Deserialize)]
    pub(crate) struct Renamed {
        n: u32,
        #[state(append)]
        list: Vec<u8>,
    }
}

#[test]
fn the_fingerprint_is_of_names_types_and_rules() {
    assert_eq!(before::Same::fingerprint(), after::Renamed::fingerprint());
    assert_ne!(before::Same::fingerprint(), before::OtherRule::fingerprint());
    assert_ne!(before::Same::fingerprint(), before::OtherType::fingerprint());
    assert_eq!(before::Same::fingerprint().to_string().len(), 16);
}
