//! Gates: exact checks of any draft, of models and of rules. A finding is a challenge like the reviewer's. No check
//! judges by meaning, so that no good draft is refused.

mod lists;
mod measures;
mod numbers;
mod traces;

use std::collections::BTreeSet;

use serde_json::Value;

use super::analysis::{IdeaAnalysis, naming_stems, stems};
use super::exchange::{Category, Challenge, Clarification, Component, DesignDraft, Review};

/// Number of words in a row that show that a purpose was copied from a prompt.
const COPIED_WORDS: usize = 6;
/// Length of a run of letters and digits that is no word and no name of any language.
const NOISE_CHARS: usize = 40;
/// Names that stand for no component.
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

/// A fault of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateFinding {
    /// The revision equals the draft that was challenged.
    Unchanged,
    /// The revision equals an older draft, or is unchanged for the second time.
    Circle {
        /// Number of the round of the equal draft, from 1.
        round: usize,
    },
    /// A name or purpose says nothing.
    Placeholder {
        /// Name of the component.
        name: String,
    },
    /// A purpose is text of the prompt.
    CopiedPrompt {
        /// Name of the component.
        name: String,
        /// The copied words.
        words: String,
    },
    /// A component builds what the idea rules out.
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
    /// The requirements of a statement leave out its number.
    LostNumber {
        /// The number with its unit.
        number: String,
        /// Number of the statement.
        statement: usize,
    },
    /// A list of the idea is named in part.
    BrokenList {
        /// The items that are left out.
        missing: Vec<String>,
        /// Number of the statement.
        statement: usize,
    },
    /// No component and no requirement of a traced draft covers a statement.
    NotCovered {
        /// Number of the statement.
        statement: usize,
        /// The requirement.
        text: String,
    },
    /// A trace names a statement that does not exist.
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
    /// No part of the draft has a word of the idea.
    OffTopic,
    /// An answer says that a challenge is fixed, and what the challenge names did not change.
    IgnoredChallenge {
        /// Id of the challenge.
        challenge: u32,
        /// Names of the unchanged components.
        components: Vec<String>,
    },
}

/// The material of the gates.
#[derive(Debug, Clone, Copy)]
pub struct GateInput<'a> {
    /// The draft to check.
    pub draft: &'a DesignDraft,
    /// The drafts before it, in order.
    pub earlier: &'a [DesignDraft],
    /// The review that the draft answers; `None` on the first pass.
    pub latest: Option<&'a Review>,
    /// Decisions of the user.
    pub clarifications: &'a [Clarification],
    /// The idea.
    pub analysis: &'a IdeaAnalysis,
    /// The texts that the architect was sent, without the idea.
    pub prompts: &'a str,
}

impl GateFinding {
    /// Returns the finding as a challenge without a number.
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

/// Finds the faults of a draft.
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

/// Finds what a draft has lost of the idea: items of lists, and numbers of statements that have requirements.
pub fn check_against_idea(input: &GateInput<'_>) -> Vec<GateFinding> {
    let mut found = lists::broken(input);
    found.extend(numbers::lost(input));
    found
}

/// Finds the faults of components by themselves: placeholders, copies, excluded things and invented numbers.
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

/// Returns the comparable part of a draft: everything but the answers to challenges, title and overview, without case and
/// white space.
fn content(draft: &DesignDraft) -> Value {
    let (design_rationale, title, overview) = (String::new(), String::new(), String::new());
    let draft = DesignDraft { design_rationale, title, overview, answers: Vec::new(), ..draft.clone() };
    let mut content = serde_json::to_value(draft).expect("a draft is plain data");
    for_each_text(&mut content, &mut |text| {
        *text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    });
    content
}

/// Calls `change` with all texts of a value.
fn for_each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_text(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| for_each_text(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn repetition(draft: &DesignDraft, earlier: &[DesignDraft]) -> Option<GateFinding> {
    let now = content(draft);
    let same: Vec<usize> = (0..earlier.len()).filter(|&at| content(&earlier[at]) == now).collect();
    match same.as_slice() {
        [] => None,
        [only] if only + 1 == earlier.len() => Some(GateFinding::Unchanged),
        [first, ..] => Some(GateFinding::Circle { round: first + 1 }),
    }
}

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

fn plain_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns six words in a row that a purpose shares with the prompt and not with the idea.
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

/// Returns an exclusion of one to three words that the component's name contains as a whole.
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
