//! Gates: exact checks of a draft, written by a model or by rules, that need no judgement of meaning. A
//! finding becomes a challenge like those of the reviewer. The checks are narrow, so that no good draft
//! is refused.

mod lists;
mod measures;
mod numbers;
mod traces;

use std::collections::BTreeSet;

use serde_json::Value;

use super::analysis::{IdeaAnalysis, naming_stems, stems};
use super::exchange::{Category, Challenge, Clarification, Component, DesignDraft, Review};

/// Number of consecutive words, shared with a prompt and not with the idea, that show that a purpose
/// was copied.
const COPIED_WORDS: usize = 6;
/// Length of a run of letters and digits, in characters, from which on it is noise and no word.
const NOISE_CHARS: usize = 40;
/// Component names that mean nothing.
const PLACEHOLDERS: &[&str] = &[
    "Foo",
    "Bar",
    "Baz",
    "Example",
    "Name",
    "Component",
    "ComponentA",
    "ComponentB",
    "Component1",
    "Component2",
    "TBD",
    "Todo",
    "Test",
    "MyComponent",
    "Placeholder",
    "Untitled",
    "String",
    "Sample",
];

/// Fault of a draft that a gate found. `check` returns it, and [`GateFinding::challenge`] words it for
/// the architect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateFinding {
    /// The revision equals the draft directly before it, although that was challenged.
    Unchanged,
    /// The revision equals an older draft, or several earlier ones.
    Circle {
        /// Number of the round of the equal draft, from 1.
        round: usize,
    },
    /// A name or purpose says nothing, such as `Foo` or "TBD".
    Placeholder {
        /// Name of the component.
        name: String,
    },
    /// A purpose repeats words of the prompt that are not in the idea.
    CopiedPrompt {
        /// Name of the component.
        name: String,
        /// The copied words.
        words: String,
    },
    /// A component builds a thing that the idea excludes.
    BuiltExclusion {
        /// Name of the component.
        name: String,
        /// The author's words.
        exclusion: String,
        /// Number of the statement.
        statement: usize,
    },
    /// A purpose or requirement has a number that the idea does not give.
    InventedNumber {
        /// Name of the component, or the requirement.
        place: String,
        /// The number with its unit.
        number: String,
    },
    /// The idea states a number, and no text of the draft has it, although a requirement refers to its
    /// statement.
    LostNumber {
        /// The number with its unit.
        number: String,
        /// Number of the statement.
        statement: usize,
    },
    /// The draft has some items of a list in the idea and leaves out others.
    BrokenList {
        /// The items that are left out.
        missing: Vec<String>,
        /// Number of the statement.
        statement: usize,
    },
    /// A statement with a requirement is covered by no component and no requirement, although the draft
    /// has traces.
    NotCovered {
        /// Number of the statement.
        statement: usize,
        /// The requirement.
        text: String,
    },
    /// The draft refers to the number of a statement that does not exist.
    UnknownStatement {
        /// The number.
        number: u32,
        /// Number of statements.
        count: usize,
    },
    /// A relation names neither a component nor an external system.
    UnknownName {
        /// The name.
        name: String,
    },
    /// The draft shares no telling word with the idea.
    OffTopic,
    /// An answer says that a challenge is fixed, but the components that it names did not change.
    IgnoredChallenge {
        /// Id of the challenge.
        challenge: u32,
        /// Names of the unchanged components.
        components: Vec<String>,
    },
}

/// Data that the gates read: the draft, its predecessors, and the idea.
#[derive(Debug, Clone, Copy)]
pub struct GateInput<'a> {
    /// The draft to check.
    pub draft: &'a DesignDraft,
    /// The drafts before it, in order.
    pub earlier: &'a [DesignDraft],
    /// Review that the draft answers; `None` on the first pass, or if answers are not checked.
    pub latest: Option<&'a Review>,
    /// Decisions of the user.
    pub clarifications: &'a [Clarification],
    /// Analysis of the idea.
    pub analysis: &'a IdeaAnalysis,
    /// Prompts of the architect without the idea; empty for a draft by rules.
    pub prompts: &'a str,
}

impl GateFinding {
    /// Returns the finding as a challenge to the architect. Its id is 0 until the review numbers it.
    pub fn challenge(&self) -> Challenge {
        let (category, description) = self.describe();
        let components = match self {
            Self::Placeholder { name }
            | Self::CopiedPrompt { name, .. }
            | Self::BuiltExclusion { name, .. } => {
                vec![name.clone()]
            }
            Self::IgnoredChallenge { components, .. } => components.clone(),
            _ => Vec::new(),
        };
        Challenge { components, ..Challenge::new(0, category, description) }
    }

    /// Returns the category and the text of the challenge.
    fn describe(&self) -> (Category, String) {
        match self {
            Self::Unchanged => (
                Category::Consistency,
                "The revision equals the draft before it, although that was challenged. Change what the challenges name."
                    .to_owned(),
            ),
            Self::Circle { round } => (
                Category::Consistency,
                format!("The draft equals the one of round {round}: the debate goes in a circle."),
            ),
            Self::Placeholder { name } => (
                Category::Completeness,
                format!("{name} is a placeholder: give it a name and a purpose that say what it does."),
            ),
            Self::CopiedPrompt { name, words } => {
                (Category::Completeness, format!("The purpose of {name} is text of the prompt (“{words}”): say what it does."))
            }
            Self::BuiltExclusion { name, exclusion, statement } => (
                Category::Consistency,
                format!("Statement {statement} rules out “{exclusion}”, but {name} builds it. Remove it."),
            ),
            Self::InventedNumber { place, number } => (
                Category::Consistency,
                format!("The number “{number}” of {place} is in no statement: use the author's number, or state it as an assumption, decision or quality goal."),
            ),
            Self::LostNumber { number, statement } => (
                Category::Completeness,
                format!("No requirement of statement {statement} has its number “{number}”."),
            ),
            Self::BrokenList { missing, statement } => (
                Category::Completeness,
                format!("The draft leaves out a part of the list of statement {statement}: {}.", missing.join(", ")),
            ),
            Self::NotCovered { statement, text } => {
                (Category::Completeness, format!("No component covers statement {statement}: “{text}”"))
            }
            Self::UnknownStatement { number, count } => {
                (Category::Consistency, format!("The draft covers statement {number}, but the idea has {count}."))
            }
            Self::UnknownName { name } => (
                Category::Consistency,
                format!("A relation names {name}, which is neither a component nor an external system."),
            ),
            Self::OffTopic => (
                Category::Completeness,
                "The draft has no word of the idea: design what the statements ask for.".to_owned(),
            ),
            Self::IgnoredChallenge { challenge, components } => (
                Category::Consistency,
                format!("Challenge {challenge} is said to be fixed, but {} did not change.", components.join(" and ")),
            ),
        }
    }
}

/// Runs all gates on a draft. Returns all findings; empty for a draft without faults.
pub fn check(input: &GateInput<'_>) -> Vec<GateFinding> {
    let GateInput { draft, earlier, .. } = *input;
    let mut found: Vec<GateFinding> = repetition(draft, earlier).into_iter().collect();
    found.extend(check_components(input));
    found.extend(traces::off_topic(input));
    found.extend(traces::untraced(input));
    found.extend(traces::unknown_names(draft));
    found.extend(check_against_idea(input));
    if !found.iter().any(|it| matches!(it, GateFinding::Unchanged | GateFinding::Circle { .. })) {
        found.extend(traces::ignored(input));
    }
    found
}

/// Finds items of lists and numbers of the idea that the draft has lost.
pub fn check_against_idea(input: &GateInput<'_>) -> Vec<GateFinding> {
    let mut found = lists::broken(input);
    found.extend(numbers::lost(input));
    found
}

/// Checks the components one by one: placeholders, copied prompts, excluded things and invented
/// numbers.
pub fn check_components(input: &GateInput<'_>) -> Vec<GateFinding> {
    let GateInput { draft, analysis, prompts, .. } = *input;
    let mut found = Vec::new();
    for component in &draft.components {
        let name = component.name.clone();
        if is_placeholder(component) {
            found.push(GateFinding::Placeholder { name });
        } else if let Some(words) = copied_words(&component.purpose, prompts, analysis) {
            found.push(GateFinding::CopiedPrompt { name, words });
        } else if let Some((exclusion, statement)) = built_exclusion(component, analysis) {
            found.push(GateFinding::BuiltExclusion { name, exclusion, statement });
        }
    }
    found.extend(numbers::invented(input));
    found
}

/// Returns a draft as JSON for comparison: without title, overview and answers to challenges, in lower
/// case and with single spaces.
fn content(draft: &DesignDraft) -> Value {
    let (design_rationale, title, overview) = (String::new(), String::new(), String::new());
    let draft = DesignDraft { design_rationale, title, overview, answers: Vec::new(), ..draft.clone() };
    let mut content = serde_json::to_value(draft).expect("a draft is plain data");
    for_each_text(&mut content, &mut |text| {
        *text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    });
    content
}

/// Calls `change` with each string of a JSON value, at any depth.
fn for_each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_text(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| for_each_text(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns `Unchanged` if the draft equals only the last of the earlier drafts, `Circle` if it equals
/// another one, else `None`.
fn repetition(draft: &DesignDraft, earlier: &[DesignDraft]) -> Option<GateFinding> {
    let now = content(draft);
    let same: Vec<usize> = (0..earlier.len()).filter(|&at| content(&earlier[at]) == now).collect();
    match same.as_slice() {
        [] => None,
        [only] if only + 1 == earlier.len() => Some(GateFinding::Unchanged),
        [first, ..] => Some(GateFinding::Circle { round: first + 1 }),
    }
}

/// Returns true if name or purpose of a component is a placeholder, too short, noise, a template, or
/// the same word again.
fn is_placeholder(component: &Component) -> bool {
    let Component { name, purpose, .. } = component;
    let words: Vec<&str> = purpose.split_whitespace().collect();
    // Longer names are cut: noise of a small model that did not come to an end.
    let is_cut = name.chars().count() >= NOISE_CHARS;
    let is_short = name.chars().count() < 3 && name.is_ascii() && !["UI", "DB"].contains(&name.as_str());
    let is_marked =
        ["TBD", "TODO", "FIXME", "<", "lorem ipsum", "…"].iter().any(|mark| purpose.trim().starts_with(mark));
    let repeats = words.len() > 2 && words.iter().all(|word| word.eq_ignore_ascii_case(words[0]));
    // One word tells nothing, whatever it is; small models put the name of a type there.
    let is_word = words.len() < 2;
    let is_template = ["{{", "}}", "{%"].iter().any(|mark| purpose.contains(mark));
    let is_noise = purpose.split(|c: char| !c.is_alphanumeric()).any(|run| run.chars().count() > NOISE_CHARS);
    PLACEHOLDERS.contains(&name.as_str())
        || is_short
        || is_cut
        || is_marked
        || repeats
        || is_word
        || is_template
        || is_noise
        || purpose.trim().trim_end_matches('.').eq_ignore_ascii_case(name)
}

/// Returns the words of a text in lower case, without punctuation.
fn plain_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns the first six consecutive words that a purpose shares with the prompts and not with the
/// idea.
fn copied_words(purpose: &str, prompts: &str, analysis: &IdeaAnalysis) -> Option<String> {
    let purpose = plain_words(purpose);
    let prompt = format!(" {} ", plain_words(prompts).join(" "));
    let idea: Vec<String> = analysis.statements.iter().map(|it| plain_words(&it.text).join(" ")).collect();
    let idea = format!(" {} ", idea.join(" "));
    purpose.windows(COPIED_WORDS).map(|words| words.join(" ")).find(|words| {
        let words = format!(" {words} ");
        prompt.contains(&words) && !idea.contains(&words)
    })
}

/// Returns the first exclusion of one to three words that the component's name contains and no
/// requirement needs, with the number of its statement.
fn built_exclusion(component: &Component, analysis: &IdeaAnalysis) -> Option<(String, usize)> {
    let name = stems(&component.name);
    let is_built = |text: &str| {
        let words = stems(text);
        let required = || {
            analysis.requirements.iter().flat_map(|it| naming_stems(&it.text, text)).collect::<BTreeSet<_>>()
        };
        (1..=3).contains(&words.len()) && words.is_subset(&name) && !words.is_subset(&required())
    };
    let exclusion = analysis.exclusions.iter().find(|it| is_built(&it.text))?;
    Some((exclusion.text.clone(), exclusion.statement))
}
