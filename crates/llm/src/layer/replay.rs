//! Answers from a recording instead of a model, a tool or a clock (ENG-24). A request that was not recorded is an error that shows the
//! first difference.

use std::collections::VecDeque;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::FutureExt;
use futures_util::future;
use serde_json::{Map, Value};

use super::super::error::{ModelError, ModelErrorKind};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, TokenDemand, TokenSink};
use super::tape::{TapeEffect, TapeLine, TapeMark};
use stategraph_base::regular::{Links, open};

/// A recording that is replayed. Clones share the state of which calls and inputs have been used.
#[derive(Clone, Debug)]
pub struct Replay {
    order: ReplayOrder,
    lines: Arc<Mutex<Vec<Slot>>>,
    rest: Arc<Mutex<UnusedInputs>>,
}

/// The recorded inputs other than model calls that have not been used yet.
#[derive(Debug, Default)]
struct UnusedInputs {
    times: VecDeque<u64>,
    ids: VecDeque<String>,
    effects: Vec<TapeEffect>,
}

/// The rule by which a recorded call is selected for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayOrder {
    /// The next unused call, which must equal the request.
    Recorded,
    /// The first unused call that equals the request: for graphs with parallel requests, and for resumed
    /// runs, which skip calls.
    Any,
}

/// A recorded model call, with its use.
#[derive(Debug)]
struct Slot {
    line: TapeLine,
    played: TapeUse,
}

/// The use of a recorded call in this replay.
#[derive(Clone, Copy, Debug, PartialEq)]
enum TapeUse {
    /// Not used yet.
    Not,
    /// Used once; it is not returned again.
    Already,
}

impl Replay {
    /// Reads the whole recording at `path`. Blank lines are skipped; any other line that does not parse is an
    /// error.
    pub fn open(path: &Path, order: ReplayOrder) -> Result<Self, ModelErrorKind> {
        let failed = |reason: String| ModelErrorKind::Recording { path: path.display().to_string(), reason };
        let mut text = String::new();
        let read = open(path, Links::Followed).and_then(|mut file| file.read_to_string(&mut text));
        read.map_err(|error| failed(error.to_string()))?;
        let (mut lines, mut rest) = (Vec::new(), UnusedInputs::default());
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let broken = |error| failed(format!("line {}: {error}", number + 1));
            let value: Value = serde_json::from_str(line).map_err(broken)?;
            if value.get("model").is_some() {
                let line = serde_json::from_value(value).map_err(broken)?;
                lines.push(Slot { line, played: TapeUse::Not });
                continue;
            }
            match serde_json::from_value(value).map_err(broken)? {
                TapeMark::Time(time) => rest.times.push_back(time),
                TapeMark::Id(id) => rest.ids.push_back(id),
                TapeMark::Effect(effect) => rest.effects.push(effect),
            }
        }
        Ok(Self { order, lines: Arc::new(Mutex::new(lines)), rest: Arc::new(Mutex::new(rest)) })
    }

    /// Returns the next recorded time. The last one is returned again and again; `None` only for a recording
    /// without times.
    pub(super) fn time(&self) -> Option<u64> {
        let times = &mut self.rest().times;
        if times.len() > 1 { times.pop_front() } else { times.front().copied() }
    }

    /// Returns the next recorded id; `None` when all are used.
    pub(super) fn id(&self) -> Option<String> {
        self.rest().ids.pop_front()
    }

    /// Takes the first unused result with this name and input. The order of the recording is ignored, because
    /// tools run concurrently. Without a match, the error shows the first difference to the next result of
    /// the name.
    pub(super) fn effect(&self, name: &str, input: &Value) -> Result<TapeEffect, ModelErrorKind> {
        let effects = &mut self.rest().effects;
        if let Some(at) = effects.iter().position(|effect| effect.name == name && effect.input == *input) {
            return Ok(effects.remove(at));
        }
        let difference = match effects.iter().find(|effect| effect.name == name) {
            Some(next) => {
                let mut path = format!("`{name}`");
                let (recorded, asked) = first_difference(&next.input, input, &mut path);
                format!("{path}: recorded {recorded}, asked {asked}")
            }
            None => {
                format!("no result of `{name}` is left, and it is asked for {}", excerpt(&input.to_string()))
            }
        };
        Err(ModelErrorKind::Replay { difference })
    }

    fn rest(&self) -> MutexGuard<'_, UnusedInputs> {
        self.rest.lock().expect("no holder of this lock panics")
    }

    /// Returns a model of this name that answers from the recording.
    pub fn model(&self, name: ModelName) -> Replayed {
        Replayed { name, replay: self.clone() }
    }

    /// Takes the recorded call for a request, as the order selects it. The error of a mismatch shows the
    /// first difference to the next unused call.
    fn next(&self, model: &ModelName, request: &ChatRequest) -> Result<TapeLine, ModelErrorKind> {
        let mut lines = self.lines.lock().expect("no holder of this lock panics");
        let count = lines.len();
        let fits = |slot: &Slot| slot.line.model == *model && slot.line.request == *request;
        let mut open = lines.iter_mut().enumerate().filter(|(_, slot)| slot.played == TapeUse::Not);
        let Some((number, next)) = open.next() else {
            let difference = format!("all {count} recorded calls are used, and another is asked for");
            return Err(ModelErrorKind::Replay { difference });
        };
        let first_difference = difference(&next.line, model, request);
        let found = match self.order {
            _ if fits(next) => Some(next),
            ReplayOrder::Any => open.map(|(_, slot)| slot).find(|slot| fits(slot)),
            ReplayOrder::Recorded => None,
        };
        let Some(slot) = found else {
            let difference = format!("call {} differs at {first_difference}", number + 1);
            return Err(ModelErrorKind::Replay { difference });
        };
        slot.played = TapeUse::Already;
        Ok(slot.line.clone())
    }
}

/// A model that returns recorded answers.
pub struct Replayed {
    name: ModelName,
    replay: Replay,
}

impl ChatModel for Replayed {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        let result = match self.replay.next(&self.name, request) {
            Ok(line) => {
                if sink.token_demand() == TokenDemand::Tokens {
                    line.tokens.iter().for_each(|piece| sink.token(piece));
                }
                line.outcome.into_result(&self.name)
            }
            Err(kind) => Err(ModelError::new(&self.name, kind)),
        };
        future::ready(result).boxed()
    }
}

/// Describes the first difference between a request and a recorded one.
fn difference(recorded: &TapeLine, model: &ModelName, request: &ChatRequest) -> String {
    if recorded.model != *model {
        return format!("the model: recorded `{}`, asked `{model}`", recorded.model);
    }
    let as_value = |request: &ChatRequest| {
        serde_json::to_value(request).expect("a request has string keys and serialises")
    };
    let mut path = String::from("request");
    let (recorded, asked) = first_difference(&as_value(&recorded.request), &as_value(request), &mut path);
    format!("{path}: recorded {recorded}, asked {asked}")
}

/// Descends to the first place where two JSON values differ, appends the way to `path`, and returns an
/// excerpt of each value there.
fn first_difference(recorded: &Value, asked: &Value, path: &mut String) -> (String, String) {
    let nothing = Value::Null;
    match (recorded, asked) {
        (Value::Object(a), Value::Object(b)) => {
            if let Some(key) = first_key(a, b) {
                path.push('.');
                path.push_str(key);
                return first_difference(
                    a.get(key).unwrap_or(&nothing),
                    b.get(key).unwrap_or(&nothing),
                    path,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            let length = a.len().max(b.len());
            if let Some(n) = (0..length).find(|n| a.get(*n) != b.get(*n)) {
                path.extend(["[", &n.to_string(), "]"]);
                return first_difference(a.get(n).unwrap_or(&nothing), b.get(n).unwrap_or(&nothing), path);
            }
        }
        (Value::String(a), Value::String(b)) => return around_the_difference(a, b),
        _ => {}
    }
    (excerpt(&recorded.to_string()), excerpt(&asked.to_string()))
}

/// Returns the first key whose values differ, or that only one object has.
fn first_key<'a>(a: &'a Map<String, Value>, b: &'a Map<String, Value>) -> Option<&'a str> {
    a.keys().chain(b.keys()).find(|key| a.get(*key) != b.get(*key)).map(String::as_str)
}

/// Returns excerpts of both texts around the first different character.
fn around_the_difference(a: &str, b: &str) -> (String, String) {
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let from = same.saturating_sub(20);
    let cut = |text: &str| {
        let lead = if from > 0 { "…" } else { "" };
        excerpt(&format!("{lead}{}", text.chars().skip(from).collect::<String>()))
    };
    (cut(a), cut(b))
}

/// Returns the first 80 characters of a text, quoted.
fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("{short:?}")
}
