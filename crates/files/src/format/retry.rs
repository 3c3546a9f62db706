//! The keys `retry`, `timeout`, `idle_timeout` and `heartbeat_timeout` of a node or of `defaults`: attempts and limits
//! of time (LangGraph F32, F35). Waits for nothing.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::super::kind::read_word;
use super::super::located::Located;
use super::super::object::Object;
use super::super::read::Reader;
use super::super::source::Span;
use super::super::wait::{DurationText, read_wait};
use stategraph_core::{NodeError, NodePolicy, NodeTimeout, RetryPolicy};
use stategraph_yaml::{YamlNode, YamlValue};

/// Maximum number of attempts of a retry policy.
pub const ATTEMPTS_MAX: u32 = 1_000;

/// Maximum number of retry policies of a node.
const POLICIES_MAX: usize = 10;

/// Retry policy: number of attempts, and the waits between them.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Retry", deny_unknown_fields)]
pub(crate) struct RetryFile {
    /// Attempts in all, the first included.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) attempts: Located<u32>,
    /// The wait before the second attempt. Default: `500ms`.
    pub(crate) first_wait: Option<Located<DurationText>>,
    /// Factor of the wait after each attempt; default: 2.
    #[schemars(range(min = 1))]
    pub(crate) factor: Option<Located<f64>>,
    /// The longest wait. Default: `128s`.
    pub(crate) longest_wait: Option<Located<DurationText>>,
    /// The failures after which another attempt is made. Default: all that may be temporary.
    #[schemars(length(min = 1))]
    pub(crate) retry_on: Option<Vec<FailureClass>>,
}

/// A class of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(crate) enum FailureClass {
    /// A server was busy, a connection broke.
    Temporary,
    /// An attempt exceeded `timeout`, `idle_timeout` or `heartbeat_timeout`.
    Timeout,
    /// Every other failure that is not final.
    Other,
}

const CLASSES: [(&str, FailureClass); 3] = [
    ("temporary", FailureClass::Temporary),
    ("timeout", FailureClass::Timeout),
    ("other", FailureClass::Other),
];

impl FailureClass {
    /// Returns the function that is true for the errors of this class.
    fn filter(self) -> fn(&NodeError) -> bool {
        match self {
            Self::Temporary => NodeError::is_temporary,
            Self::Timeout => is_timeout,
            Self::Other => |error| !error.is_temporary() && !is_timeout(error),
        }
    }
}

fn is_timeout(error: &NodeError) -> bool {
    error.downcast_ref::<NodeTimeout>().is_some()
}

/// The retry policies of a node. The first that accepts a failure applies.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Retries(pub(crate) Vec<RetryFile>);

impl JsonSchema for Retries {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Retries".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let retry = generator.subschema_for::<RetryFile>();
        json_schema!({ "anyOf": [retry, { "type": "array", "items": retry, "minItems": 1, "maxItems": POLICIES_MAX }] })
    }
}

/// The retries and time limits that a node, or `defaults` for all nodes, sets in the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PolicyKeys {
    pub(crate) retry: Option<Retries>,
    pub(crate) timeout: Option<Located<DurationText>>,
    pub(crate) idle_timeout: Option<Located<DurationText>>,
    pub(crate) heartbeat_timeout: Option<Located<DurationText>>,
    /// Span of the key `heartbeat_timeout`.
    pub(crate) heartbeat_key: Span,
}

impl PolicyKeys {
    pub(super) fn take(reader: &mut Reader, object: &mut Object) -> Self {
        let heartbeat_key = object.key_span("heartbeat_timeout");
        let retry = object.take("retry").and_then(|tree| Retries::read(reader, tree));
        let mut wait = |reader: &mut Reader, key: &'static str| {
            object.take(key).and_then(|tree| read_wait(reader, &format!("`{key}`"), tree))
        };
        let timeout = wait(reader, "timeout");
        let idle_timeout = wait(reader, "idle_timeout");
        let heartbeat_timeout = wait(reader, "heartbeat_timeout");
        if idle_timeout.is_some() && heartbeat_timeout.is_some() {
            let message = "`idle_timeout` and `heartbeat_timeout` are two rules for the same wait".to_owned();
            reader.report(&heartbeat_key, message, "remove one of them");
        }
        Self { retry, timeout, idle_timeout, heartbeat_timeout, heartbeat_key }
    }

    /// Returns these keys; those that are not set are taken from `defaults`. `idle_timeout` and
    /// `heartbeat_timeout` exclude each other, so setting one ignores both defaults.
    pub(crate) fn or(&self, defaults: Option<&Self>) -> Self {
        let Some(defaults) = defaults else { return self.clone() };
        let is_idle_set = self.idle_timeout.is_some() || self.heartbeat_timeout.is_some();
        let (idle_timeout, heartbeat_timeout) = if is_idle_set {
            (self.idle_timeout.clone(), self.heartbeat_timeout.clone())
        } else {
            (defaults.idle_timeout.clone(), defaults.heartbeat_timeout.clone())
        };
        Self {
            retry: self.retry.clone().or_else(|| defaults.retry.clone()),
            timeout: self.timeout.clone().or_else(|| defaults.timeout.clone()),
            idle_timeout,
            heartbeat_timeout,
            heartbeat_key: self.heartbeat_key.clone(),
        }
    }

    /// Returns `policy` with the time limits that these keys set.
    pub(crate) fn limit(&self, policy: NodePolicy) -> NodePolicy {
        let set = |policy: NodePolicy,
                   wait: &Option<Located<DurationText>>,
                   set: fn(NodePolicy, Duration) -> NodePolicy| {
            match wait {
                Some(wait) => set(policy, wait.value.0),
                None => policy,
            }
        };
        let policy = set(policy, &self.timeout, NodePolicy::timeout);
        let policy = set(policy, &self.idle_timeout, NodePolicy::idle_timeout);
        set(policy, &self.heartbeat_timeout, NodePolicy::heartbeat_timeout)
    }
}

impl Retries {
    fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        if !matches!(tree.value, YamlValue::List(_)) {
            return RetryFile::read(reader, tree).map(|retry| Self(vec![retry]));
        }
        let span = tree.span.start..tree.span.start + 1;
        let list = reader.read_list("`retry`", "policies", tree)?;
        if list.is_empty() || list.len() > POLICIES_MAX {
            let message = format!("`retry` has {} policies, expected 1 to {POLICIES_MAX}", list.len());
            reader.report(&span, message, "such as { attempts: 3, retry_on: [timeout] }");
            return None;
        }
        let count = list.len();
        let read: Vec<_> = list.into_iter().filter_map(|tree| RetryFile::read(reader, tree)).collect();
        (read.len() == count).then_some(Self(read))
    }

    /// Returns the policies for the engine, in the order of the file: one for each class in `retry_on`, or
    /// one for all failures without `retry_on`.
    pub(crate) fn policies(&self) -> impl Iterator<Item = RetryPolicy> {
        self.0.iter().flat_map(RetryFile::policies)
    }
}

impl RetryFile {
    fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        let mut object = reader.read_object("`retry`", tree)?;
        let attempts = object.require("attempts").and_then(|tree| {
            let number = reader.read_number("`attempts`", tree)?;
            reader.check_integer("`attempts`", &number, ATTEMPTS_MAX)
        });
        let first_wait = object.take("first_wait").and_then(|tree| read_wait(reader, "`first_wait`", tree));
        let factor = object.take("factor").and_then(|tree| reader.read_number("`factor`", tree));
        let longest_wait =
            object.take("longest_wait").and_then(|tree| read_wait(reader, "`longest_wait`", tree));
        let retry_on = object.take("retry_on").and_then(|tree| read_classes(reader, tree));
        object.finish(reader);
        Some(Self { attempts: attempts?, first_wait, factor, longest_wait, retry_on })
    }

    fn policies(&self) -> Vec<RetryPolicy> {
        let mut retry = RetryPolicy::attempts(self.attempts.value);
        let set = |field: &mut _, wait: &Option<Located<DurationText>>| {
            if let Some(wait) = wait {
                *field = wait.value.0;
            }
        };
        set(&mut retry.first_wait, &self.first_wait);
        set(&mut retry.longest_wait, &self.longest_wait);
        if let Some(factor) = &self.factor {
            retry.factor = factor.value;
        }
        match &self.retry_on {
            None => vec![retry],
            Some(classes) => classes.iter().map(|class| retry.clone().only_if(class.filter())).collect(),
        }
    }
}

fn read_classes(reader: &mut Reader, tree: YamlNode) -> Option<Vec<FailureClass>> {
    let span = tree.span.start..tree.span.start + 1;
    let list = reader.read_list("`retry_on`", "failures", tree)?;
    if list.is_empty() {
        let message = "`retry_on` names no failure".to_owned();
        reader.report(&span, message, "such as [temporary, timeout], or leave it out");
        return None;
    }
    let count = list.len();
    let read = list.into_iter().filter_map(|tree| read_word(reader, "`retry_on`", "failure", tree, &CLASSES));
    let classes: Vec<_> = read.collect();
    (classes.len() == count).then_some(classes)
}
