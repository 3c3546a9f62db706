//! Questions that an idea leaves open, ranked. A question states no guess as a fact but an assumption
//! that holds until it is answered.

mod contradictions;
mod gaps;

use std::collections::BTreeSet;

use super::classes::upper_first;
use super::{IdeaAnalysis, IdeaLanguage, OpenQuestion, Statement};

const VAGUE: &[&str] = &[
    "fast",
    "quick",
    "quickly",
    "easy",
    "easily",
    "simple",
    "intuitive",
    "user-friendly",
    "modern",
    "robust",
    "scalable",
    "flexible",
    "efficient",
    "reliable",
    "secure",
    "seamless",
    "powerful",
    "smart",
    "nice",
    "appropriate",
    "reasonable",
    "responsive",
    "real-time",
    "realtime",
    "many",
    "regularly",
    "soon",
    "lots",
];
/// Fixed terms with a vague word that are not vague ("smart card").
const TERMS: &[&str] = &[
    "quick fix",
    "quick reply",
    "quick start",
    "smart phone",
    "smart home",
    "smart card",
    "smart meter",
    "many-to-many",
    "fast forward",
    "secure boot",
    "simple majority",
    "real-time clock",
];
/// Minimum number of requirements of an idea that is not asked the general questions.
const ENOUGH_REQUIREMENTS: usize = 2;
const OPEN_ENDS: &[&str] =
    &["etc", "and so on", "and more", "and similar", "among others", "and the like", "..."];

/// Sets the questions of an analysis, the most important first. An idea in another language gets
/// general questions only.
pub(super) fn ask(analysis: &mut IdeaAnalysis) {
    let mut questions = Vec::new();
    if analysis.language == IdeaLanguage::Other {
        questions.push(about_all(
            "The rules read English only. What does the system do, in English, or with a model (`--architect-model`)?",
        ));
        questions.extend(general());
        analysis.questions = questions;
        return;
    }
    if analysis.requirements.len() < ENOUGH_REQUIREMENTS {
        questions.extend(general());
    }
    questions.extend(contradictions::find(analysis));
    questions.extend(unread(analysis));
    questions.extend(vague(analysis));
    questions.extend(retention(analysis));
    questions.extend(sign_in(analysis));
    questions.extend(sharing(analysis));
    questions.extend(failures(analysis));
    questions.extend(gaps::find(analysis));
    questions.sort_by_key(|question| (std::cmp::Reverse(question.rank), question.statement));
    analysis.questions = questions;
}

/// Makes a question of rank 4 about the whole idea, without an assumption.
fn about_all(text: &str) -> OpenQuestion {
    OpenQuestion {
        text: text.to_owned(),
        assumption: String::new(),
        statement: None,
        contradicts: None,
        rank: 4,
    }
}

/// Returns general questions for an idea that says too little for a design.
fn general() -> Vec<OpenQuestion> {
    [
        "Who uses the system, and for what?",
        "What goes in, and where does it come from?",
        "What comes out, and who gets it?",
        "What must the system not do?",
        "How much is there: users, items, requests a day?",
    ]
    .map(about_all)
    .to_vec()
}

/// Makes a question about a statement, given by its number.
fn question(statement: usize, rank: u8, text: String, assumption: &str) -> OpenQuestion {
    let (assumption, statement) = (assumption.to_owned(), Some(statement));
    OpenQuestion { text, assumption, statement, contradicts: None, rank }
}

/// Asks about each statement from which no rule made a finding, except greetings.
fn unread(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let of = |number: &usize| analysis.statement(*number);
    let ask = |statement: &Statement| {
        let text = &statement.text;
        if is_instruction(text) {
            let text = format!(
                "“{text}” speaks to the agents and not about the system. What does it ask the system to do?"
            );
            return question(statement.number, 3, text, "Nothing; it was not followed.");
        }
        if text.ends_with('?') {
            return question(statement.number, 3, format!("The idea asks “{text}” What is the answer?"), "");
        }
        question(
            statement.number,
            2,
            format!("What does “{text}” ask the system to do?"),
            "It is background and asks for nothing.",
        )
    };
    analysis.unread.iter().filter_map(of).filter(|it| !is_greeting(&it.text)).map(ask).collect()
}

/// Returns true for a text that gives orders to the agents of the debate ("ignore previous
/// instructions"). It is no requirement.
pub(super) fn is_instruction(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(&["ignore", "disregard", "forget"])
        && has(&[
            "previous instruction",
            "all instruction",
            "above instruction",
            "your instruction",
            "prior instruction",
            "all rules",
            "your rules",
            "the rules above",
        ])
        || has(&[
            "mark this as verified",
            "answer verified",
            "return verified",
            "\"status\"",
            "system prompt",
            "you are the reviewer",
            "you are the architect",
            "as the reviewer",
        ])
}

/// Returns true for a short text that begins with a greeting or thanks.
pub(super) fn is_greeting(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = text.split_whitespace().count();
    (words <= 4 || lower.starts_with("thank") && words <= 8)
        && ["hi", "hello", "hey", "thanks", "thank", "thx", "cheers", "regards", "best", "dear", "kind"]
            .iter()
            .any(|word| lower.split(|c: char| !c.is_alphabetic()).next() == Some(word))
}

/// Asks for a measure of each vague word ("fast"), once for each word, and for the rest of each list
/// with an open end ("etc").
pub(super) fn vague(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for statement in &analysis.statements {
        let lower = statement.text.to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric() && c != '-') {
            if VAGUE.contains(&word)
                && !lower.contains(&format!("how {word}"))
                && !TERMS.iter().any(|term| term.starts_with(word) && lower.contains(term))
                && seen.insert(word.to_owned())
            {
                let text = format!(
                    "What does “{word}” mean in S{}, as a number or a check that passes or fails?",
                    statement.number
                );
                found.push(question(statement.number, 2, text, "It is a wish and no criterion."));
            }
        }
        if let Some(end) = OPEN_ENDS.iter().find(|end| ends_openly(&lower, end)) {
            let text =
                format!("The list in S{} ends with “{end}”. What else belongs to it?", statement.number);
            found.push(question(statement.number, 3, text, "Nothing else."));
        }
    }
    found
}

/// Returns true if `end` ("etc") occurs in a text as words of its own and not inside a word
/// ("stretches").
fn ends_openly(text: &str, end: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    text.match_indices(end).any(|(at, _)| {
        !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + end.len()..].chars().next())
    })
}

/// Asks how long stored things are kept, unless the idea says it. At most one question.
fn retention(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let tells = analysis.statements.iter().any(|it| {
        let lower = it.text.to_lowercase();
        ["forever", "expire", "retention", "retain", "deleted after", "delete after", "purge", " for good"]
            .iter()
            .any(|word| lower.contains(word))
            || (["keep", "kept", "store", "archive"].iter().any(|word| lower.contains(word))
                && [" day", " week", " month", " year"].iter().any(|word| lower.contains(word)))
    });
    let kept: Vec<_> = analysis
        .requirements
        .iter()
        .filter(|it| {
            ["store", "save", "keep", "record", "log", "archive", "upload", "collect", "track"]
                .contains(&it.verb.as_str())
        })
        .collect();
    let Some(first) = kept.first().filter(|_| !tells) else { return Vec::new() };
    let mut things: Vec<&str> = Vec::new();
    for requirement in &kept {
        if !requirement.topic.is_empty() && !things.contains(&requirement.topic.as_str()) {
            things.push(&requirement.topic);
        }
    }
    if things.is_empty() {
        return Vec::new();
    }
    let things = things.join(", ");
    vec![question(
        first.statement,
        3,
        format!("How long is this kept, and who may delete it: {things}?"),
        "It is kept until somebody deletes it.",
    )]
}

/// Asks how people sign in if there are two groups of them or actions that need rights, unless the idea
/// says it. At most one question.
fn sign_in(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let whole = analysis.statements.iter().map(|it| it.text.to_lowercase()).collect::<Vec<_>>().join(" ");
    let tells = [
        "log in",
        "login",
        "sign in",
        "sign up",
        "account",
        "password",
        "sso",
        "oauth",
        "anonymous",
        "authenticat",
        "register",
    ]
    .iter()
    .any(|word| whole.contains(word));
    let has_rights = analysis
        .requirements
        .iter()
        .any(|it| ["approve", "reject", "delete", "configure", "pay"].contains(&it.verb.as_str()));
    let Some(first) = analysis.actors.first().filter(|_| !tells) else {
        return Vec::new();
    };
    let mut names: Vec<String> = Vec::new();
    for actor in &analysis.actors {
        let name = actor.text.to_lowercase();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() < 2 && !has_rights {
        return Vec::new();
    }
    vec![question(
        first.statement,
        3,
        format!("{}: how do they sign in, and who gives them their rights?", upper_first(&names.join(", "))),
        "Each has an account that an administrator made.",
    )]
}

/// Asks for the receivers of shared things, for at most two requirements that do not name them.
fn sharing(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    let shared = analysis.requirements.iter().filter(|it| {
        it.verb == "share"
            && ![" with ", " by ", " among ", " between "].iter().any(|word| it.text.contains(word))
    });
    shared
        .take(2)
        .map(|it| {
            let subject =
                if it.topic.is_empty() { "is this".to_owned() } else { format!("are {}", it.topic) };
            question(
                it.statement,
                3,
                format!("With whom {subject} shared, and can that be taken back?"),
                "With people whom the owner names.",
            )
        })
        .collect()
}

/// Asks what happens if an action that depends on other systems fails, unless the idea mentions
/// failures. At most one question, about three requirements.
fn failures(analysis: &IdeaAnalysis) -> Vec<OpenQuestion> {
    const OUTSIDE: &[&str] = &[
        "import",
        "fetch",
        "extract",
        "parse",
        "send",
        "receive",
        "sync",
        "download",
        "crawl",
        "scrape",
        "pay",
        "read",
        "convert",
        "transcribe",
        "forward",
        "connect",
        "call",
    ];
    let tells = analysis.statements.iter().any(|it| {
        let lower = it.text.to_lowercase();
        ["fail", "error", "retry", "retried", "invalid", "unavailable", "is down"]
            .iter()
            .any(|word| lower.contains(word))
    });
    let outside: Vec<_> = analysis
        .requirements
        .iter()
        .filter(|it| it.text.contains("he system ") && OUTSIDE.contains(&it.verb.as_str()))
        .take(3)
        .collect();
    let Some(first) = outside.first().filter(|_| !tells) else { return Vec::new() };
    let ids = outside.iter().map(|it| format!("R{}", it.number)).collect::<Vec<_>>().join(", ");
    let text = format!("What happens when one of these fails, and who is told: {ids}?");
    vec![question(first.statement, 2, text, "It is tried again later, and the failure is logged.")]
}
