//! Statements that no listing of files shows: limits, rules for contributors, generated code.

use super::super::draft::{ContextSection, LineDraft};
use super::super::survey::Survey;
use super::{falling, first_place};
use crate::facts::{Fact, FactKind, FactValue};

/// Words of rules that concern the code and not the behaviour of people.
const CODE_WORDS: &[&str] = &[
    "test",
    "code",
    "commit",
    "branch",
    "format",
    "lint",
    "type",
    "function",
    "file",
    "generated",
    "version",
    "api",
    "build",
    "run",
    "document",
    "change",
    "compat",
    "depend",
    "style",
    "name",
    "import",
    "error",
    "release",
    "support",
    "public",
    "edit",
    "migrat",
];

/// Rules about reports and conversations; they change no code.
const TALK_WORDS: &[&str] = &[
    "nitpick",
    "search the",
    "searched",
    "duplicate",
    "be kind",
    "be respectful",
    "issue tracker",
    "screenshots",
    "star the",
    "sponsor",
    "security report",
    "create a pr",
    "file an issue",
];

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let limits = survey.of_product(FactKind::Limit).filter_map(|fact| stated(fact).map(|text| (fact, text)));
    add_texts(survey, draft, limits.collect(), (70.0, "stated limits"));
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for fact in survey.of_product(FactKind::Rule) {
        let Some(text) = stated(fact) else { continue };
        match usefulness(text) {
            2 if is_for_agents(fact) => second.push((fact, text)),
            2 => first.push((fact, text)),
            1 if !is_for_agents(fact) => second.push((fact, text)),
            _ => {}
        }
    }
    add_texts(survey, draft, first, (75.0, "rules"));
    add_texts(survey, draft, second, (30.0, "rules"));
}

fn stated(fact: &Fact) -> Option<&str> {
    match &fact.value {
        FactValue::Rule { text } | FactValue::Limit { text } => Some(text),
        _ => None,
    }
}

/// Words of sentences that would make a reader run something or send something away.
const RUNNING_WORDS: &[&str] = &[
    "curl ",
    "wget ",
    "| sh",
    "| bash",
    "base64",
    "eval ",
    "rm -rf",
    "ssh ",
    "http://",
    "https://",
    "credential",
    "api key",
];

/// Returns 2 for a rule about code, 1 for another one, 0 for a rule that is left out: about conversations, or with a command.
fn usefulness(text: &str) -> usize {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(TALK_WORDS) || has(RUNNING_WORDS) { 0 } else { 1 + usize::from(has(CODE_WORDS)) }
}

/// Returns true for a file with instructions to agents. Its instructions are not passed on.
fn is_for_agents(fact: &Fact) -> bool {
    const NAMES: &[&str] =
        &["agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules"];
    let name = fact.sources.first().and_then(|source| source.path.rsplit('/').next()).unwrap_or_default();
    NAMES.contains(&name.to_lowercase().as_str())
}

fn add_texts(
    survey: &Survey,
    draft: &mut LineDraft,
    texts: Vec<(&Fact, &str)>,
    (first, noun): (f64, &'static str),
) {
    let mut at = 0;
    for (fact, text) in texts {
        let Some(said) = survey.quoter.prose(text) else { continue };
        draft.add(
            ContextSection::Unseen,
            falling(first, at, 4.0),
            noun,
            format!("- {said} {}", first_place(&fact.sources)),
        );
        at += 1;
    }
}
