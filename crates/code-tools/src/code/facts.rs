//! The tool `facts`: returns facts of one kind that were collected from the files of a code base, each with
//! its source.

use std::borrow::Cow;
use std::fmt::Write as _;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::{ANSWER_CHARS, CodeTools};
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};
use stategraph_facts::{Fact, FactKind};

/// Default number of facts in an answer.
const FACTS: usize = 30;
/// Maximum number of facts in an answer.
const FACTS_MAX: usize = 100;
/// Maximum number of characters of a fact's value in an answer; the rest is cut.
const VALUE_CHARS: usize = 400;

/// The tool `facts`, which lists facts about a code base.
pub struct FindFacts(CodeTools);

/// Arguments of `facts`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindFactsArguments {
    /// The kind of the facts.
    pub kind: FactKindName,
    /// Only facts about this path, what lies below it, or a definition of this name; about all if left out.
    #[serde(default)]
    pub subject: Option<String>,
    /// Only facts with all of these words, in upper or lower case; all if left out.
    #[serde(default)]
    pub text: Option<String>,
    /// Most facts of the answer, at most 100.
    #[serde(default = "default_limit")]
    pub limit: usize,
}

/// A kind of facts, parsed from its name in a call; an unknown name is an error that lists all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactKindName(pub FactKind);

impl<'de> Deserialize<'de> for FactKindName {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let name = String::deserialize(source)?;
        let known = FactKind::ALL.into_iter().find(|kind| kind.name() == name.trim().to_lowercase());
        let names = || FactKind::ALL.map(FactKind::name).join(", ");
        known.map(Self).ok_or_else(|| {
            serde::de::Error::custom(format!("no such kind of facts; the kinds are {}", names()))
        })
    }
}

impl JsonSchema for FactKindName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FactKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": FactKind::ALL.map(FactKind::name) })
    }
}

fn default_limit() -> usize {
    FACTS
}

impl FindFacts {
    /// Makes the tool. The facts are collected at its first call.
    pub fn new(tools: CodeTools) -> Self {
        Self(tools)
    }
}

impl Tool for FindFacts {
    type Arguments = FindFactsArguments;

    fn name(&self) -> &'static str {
        "facts"
    }

    fn description(&self) -> &'static str {
        "States what the code base says of itself: projects, targets, dependencies, commands to build, run and test, settings, routes, \
         purposes of folders and types, which file needs which. Every line ends in its source as path:start-end."
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    async fn run(&self, arguments: FindFactsArguments) -> ToolOutput {
        let tools = self.0.clone();
        blocking(move || find(&tools, &arguments)).await
    }
}

/// Answers a call of the tool with the matching facts, one per line, up to the limit, and a last line with
/// the total.
fn find(tools: &CodeTools, arguments: &FindFactsArguments) -> ToolOutput {
    let lines =
        tools.facts().of_kind(arguments.kind.0).filter(|fact| is_about(fact, arguments.subject.as_deref()));
    let lines = lines.map(line).filter(|line| has_words(line, arguments.text.as_deref()));
    let lines: Vec<String> = lines.collect();
    let limit = arguments.limit.clamp(1, FACTS_MAX);
    let mut text = String::new();
    let mut shown = 0;
    for line in lines.iter().take(limit) {
        if text.len() + line.len() > ANSWER_CHARS {
            break;
        }
        text.push_str(line);
        text.push('\n');
        shown += 1;
    }
    let kind = arguments.kind.0.name();
    let _ = match (lines.len(), lines.len() - shown) {
        (0, _) => write!(text, "no file states such facts of the kind `{kind}`"),
        (total, 0) => write!(text, "({total} facts)"),
        (total, more) => write!(text, "({total} facts, {more} not shown; hint: name a subject or words)"),
    };
    ToolOutput::ok(text)
}

/// Formats a fact for a model as one line that ends in its first source: `purpose of src/a.rs: …
/// src/a.rs:1-3`.
fn line(fact: &Fact) -> String {
    let (what, value) = fact.cells();
    let value: String =
        value.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(VALUE_CHARS).collect();
    let source = &fact.sources[0];
    format!("{what} of {}: {value}  {}:{}-{}", fact.subject, source.path, source.start, source.end)
}

/// Returns true if the fact's subject is this path, lies below it, or is a definition of this name;
/// `Store.open` is found as `open`, too. No subject, an empty one and `.` match every fact.
fn is_about(fact: &Fact, subject: Option<&str>) -> bool {
    let Some(wanted) = subject.map(|wanted| wanted.trim().trim_start_matches("./").trim_end_matches('/'))
    else {
        return true;
    };
    if matches!(wanted, "" | ".") {
        return true;
    }
    let path = fact.subject.path();
    let is_below = path.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    is_below
        || fact.subject.name().is_some_and(|name| name == wanted || name.ends_with(&format!(".{wanted}")))
}

/// Returns true if the line contains all words of `text`, ignoring case. No text matches every line.
fn has_words(line: &str, text: Option<&str>) -> bool {
    let line = line.to_lowercase();
    text.unwrap_or_default().split_whitespace().all(|word| line.contains(&word.to_lowercase()))
}
