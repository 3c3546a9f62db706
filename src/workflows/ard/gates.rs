//! Gates: exact checks of any draft, of models and of rules. A finding is a challenge like the reviewer's. No check
//! judges by meaning, so that no good draft is refused.

use super::analysis::{IdeaAnalysis, stems};
use super::exchange::{Category, Component, DesignDraft};

/// Number of words in a row that show that a purpose was copied from a prompt.
const COPIED_WORDS: usize = 6;
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
}

impl GateFinding {
    /// Returns the finding as a challenge.
    pub fn challenge(&self) -> (Category, String) {
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
        }
    }
}

/// Finds the faults of a draft. `earlier` holds the drafts before it, in order; `prompts` the texts that the architect was
/// sent, without the idea.
pub fn check(
    draft: &DesignDraft,
    earlier: &[DesignDraft],
    analysis: &IdeaAnalysis,
    prompts: &str,
) -> Vec<GateFinding> {
    let mut found: Vec<GateFinding> = repetition(draft, earlier).into_iter().collect();
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
    found
}

/// Returns the comparable part of a draft: everything but the rationale.
fn content(draft: &DesignDraft) -> Vec<(String, &'static str, String)> {
    let words = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let part = |it: &Component| (it.name.clone(), it.kind.as_str(), words(&it.purpose));
    draft.components.iter().map(part).collect()
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
    let is_short = name.chars().count() < 3 && name.is_ascii() && !["UI", "DB"].contains(&name.as_str());
    let is_marked =
        ["TBD", "TODO", "FIXME", "<", "lorem ipsum", "…"].iter().any(|mark| purpose.trim().starts_with(mark));
    let repeats = words.len() > 2 && words.iter().all(|word| word.eq_ignore_ascii_case(words[0]));
    PLACEHOLDERS.contains(&name.as_str())
        || is_short
        || is_marked
        || repeats
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
    let required = analysis
        .requirements
        .iter()
        .flat_map(|it| stems(&it.text))
        .collect::<std::collections::BTreeSet<_>>();
    let is_built = |text: &str| {
        let words = stems(text);
        (1..=3).contains(&words.len()) && words.is_subset(&name) && !words.is_subset(&required)
    };
    let exclusion = analysis.exclusions.iter().find(|it| is_built(&it.text))?;
    Some((exclusion.text.clone(), exclusion.statement))
}
