//! Facts about rules for contributors: sentences of their documents that command or forbid something, and
//! files that declare themselves as generated.

use std::collections::BTreeSet;

use super::documents::{for_contributors, sections, sentences};
use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::role::{generated_line, role_of};
use crate::text::{has_secret, visible};

/// Maximum number of rules.
const MOST: usize = 40;
/// Maximum number of rules from one document.
const OF_ONE: usize = 20;
/// Maximum number of rules about generated files.
const GENERATED: usize = 10;
/// Maximum number of files that are searched for a mark of generation.
const FILES: usize = 400;
/// Maximum length of a rule, in characters.
const CHARS: usize = 300;

/// Returns the rules for contributors in their documents, in the README, and in the heads of generated
/// files.
pub(super) fn facts(texts: &Texts) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for path in for_contributors(texts) {
        let Some(text) = texts.read(&path) else { continue };
        let mut count = 0;
        for section in sections(&text) {
            if is_elsewhere(&section.heading) {
                continue;
            }
            // An item inside another one needs its words.
            for block in section.blocks.iter().filter(|block| !block.is_inner) {
                for sentence in sentences(&block.text) {
                    // "You must never push code" is said to the agent.
                    if is_for_agents(&path) && sentence.starts_with("You ") {
                        continue;
                    }
                    let Some(rule) = rule(sentence) else { continue };
                    if count < OF_ONE && found.len() < MOST - GENERATED && seen.insert(rule.to_lowercase()) {
                        count += 1;
                        let source = SourceLines { path: path.clone(), start: block.start, end: block.end };
                        found.push(fact(FactSubject::Repository, rule, source, FactOrigin::Quoted));
                    }
                }
            }
        }
    }
    found.extend(of_readme(texts, &mut seen));
    found.extend(find_generated_files(texts));
    found
}

/// Returns true for a document that instructs AI agents, such as `AGENTS.md`.
fn is_for_agents(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    ["agents", "claude", "copilot", "gemini"].iter().any(|start| name.starts_with(start))
}

/// Returns the rules in the README's sections about contributing. `seen` holds known rules in lower case
/// and is updated.
fn of_readme(texts: &Texts, seen: &mut BTreeSet<String>) -> Vec<Fact> {
    let is_readme = |path: &&String| path.eq_ignore_ascii_case("readme.md");
    let mut found = Vec::new();
    for path in texts.paths().filter(is_readme).take(1) {
        let Some(text) = texts.read(path) else { continue };
        let all = sections(&text);
        let is_about = |heading: &str| {
            let lower = heading.to_lowercase();
            ["contribut", "development", "developing", "hacking", "pull request"]
                .iter()
                .any(|word| lower.contains(word))
        };
        let blocks = all.iter().filter(|it| is_about(&it.heading)).flat_map(|it| &it.blocks);
        for block in blocks.filter(|block| !block.is_inner) {
            for sentence in sentences(&block.text) {
                let Some(rule) = rule(sentence).or_else(|| request(sentence)) else { continue };
                let lower = rule.to_lowercase();
                let leads = ["contributing", "guideline", "code of conduct", "if not,", "documentation"]
                    .iter()
                    .any(|word| lower.contains(word));
                if leads {
                    continue;
                }
                if found.len() < OF_ONE && seen.insert(lower) {
                    let source = SourceLines { path: path.clone(), start: block.start, end: block.end };
                    found.push(fact(FactSubject::Repository, rule, source, FactOrigin::Quoted));
                }
            }
        }
    }
    found
}

/// Returns the sentence if it politely asks contributors for something: "If you have a fix, please create a
/// pull request."
fn request(sentence: &str) -> Option<String> {
    const THINGS: &[&str] = &[
        "pull request",
        " issue",
        " test",
        "commit",
        "branch",
        "patch",
        "fork",
        "changelog",
        "format",
        "lint",
    ];
    const ELSEWHERE: &[&str] = &[
        "see", "read", "refer", "check", "visit", "feel", "consider", "join", "ask", "contact", "star",
        "donate", "note", "have", "look", "take", "be", "review", "consult", "reach", "let", "don't", "do",
    ];
    let plain = visible(sentence);
    let plain = plain.trim();
    let lower = plain.to_lowercase();
    let (before, clause) = lower.split_once("please ")?;
    let verb = clause.split_whitespace().next().unwrap_or_default();
    let words = plain.split_whitespace().count();
    let is_start = before.is_empty() || before.ends_with(", ");
    let is_alone = !super::context::needs_context(plain) && !super::context::speaks_to_agents(&lower);
    let is_whole =
        is_alone && (8..=50).contains(&words) && plain.chars().count() <= CHARS && plain.ends_with('.');
    let is_request = is_start && is_whole && !ELSEWHERE.contains(&verb);
    (is_request && THINGS.iter().any(|thing| clause.contains(thing)) && !has_secret(plain))
        .then(|| plain.to_owned())
}

/// Makes the fact for a rule that contributors must follow.
fn fact(subject: FactSubject, text: String, source: SourceLines, origin: FactOrigin) -> Fact {
    Fact::new(subject, FactValue::Rule { text }, source, origin)
}

/// Returns true for a heading about conduct, security reports, help for users, law and the like, whose
/// sentences are no rules for the code.
fn is_elsewhere(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    // "Help wanted" and "How to help" are for contributors.
    if matches!(bare, "help" | "support" | "getting support" | "help and support" | "help & support") {
        return true;
    }
    [
        "conduct",
        "license",
        "licence",
        "security",
        "vulnerab",
        "sponsor",
        "copyright",
        "enforcement",
        "certificate of origin",
        "attribution",
        "looking for help",
        "getting help",
        "get help",
        "need help",
        "asking for help",
        "ask for help",
        "question",
        "legal",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Words that make a clause a rule wherever they occur in it.
const WORDS: &[&str] = &[
    "must",
    "must not",
    "mustn't",
    "should never",
    "should always",
    "should not",
    "shouldn't",
    "is required to",
    "are required to",
    "is forbidden",
    "is not allowed",
    "are not allowed",
    "is prohibited",
    "is mandatory",
    "are mandatory",
    "is not permitted",
    "are expected to",
    "is expected to",
    "will not be accepted",
    "will be rejected",
    "should be submitted",
    "should be covered",
    "should be accompanied",
    "should be formatted",
    "should be documented",
    "should contain",
    "should also contain",
    "should include",
    "should also include",
    "should follow",
];

/// Words that make a clause a rule at its beginning.
const STARTS: &[&str] = &[
    "never",
    "always",
    "do not",
    "don't",
    "make sure",
    "ensure",
    "avoid",
    "please do not",
    "please don't",
    "please make sure",
    "please ensure",
    "please always",
    "please never",
    "be sure to",
];

/// Beginnings of sentences that refer to another sentence.
const DANGLING: &[&str] = &[
    "this ",
    "never a ",
    "never an ",
    "missing ",
    "you must also ",
    "should ",
    "must ",
    "it ",
    "they ",
    "these ",
    "those ",
    "that ",
    "there ",
    "therefore",
    "again",
    "so ",
    "so,",
    "in particular",
    "however",
    "but ",
    "and ",
    "also",
    "because",
    "even ",
    "then ",
    "things that",
    "again,",
    "make sure these",
    "make sure this",
    "make sure it",
    "make sure they",
    "make sure that these",
    "ensure these",
    "ensure this",
    "ensure it",
    "do not do this",
    "don't do this",
    "as such",
    "of course",
    "note that",
];

/// Beginnings of sentences that look like rules but ask, encourage or report.
const OTHERS: &[&str] = &[
    "if you don't know",
    "don't worry",
    "don't hesitate",
    "do not hesitate",
    "don't be afraid",
    "do not be afraid",
    "you don't have to",
    "you do not have to",
    "we don't",
    "we do not",
    "i ",
    "i'm",
    "it's not required",
    "it is not required",
    "feel free",
    "please feel",
    "thank",
    "why ",
    "what ",
    "how ",
    "when do",
    "where ",
    "who ",
    "don't panic",
    "no need",
    "you don't need",
    "you do not need",
    "there is no need",
    "not required",
    "contributors don't",
    "as always",
    "we must",
    "we always",
    "we never",
    "they ",
    "users must",
    "by participating",
];

/// Returns the sentence, without marks at its start, if it is a rule for contributors; `None` otherwise.
fn rule(sentence: &str) -> Option<String> {
    let plain = visible(sentence);
    let plain = plain.trim().trim_start_matches(|c: char| {
        matches!(c, '-' | '*' | '•' | '❌' | '✅' | '⚠') || c.is_whitespace() || c == '[' || c == ']'
    });
    let lower = plain.to_lowercase();
    let words = plain.split_whitespace().count();
    // After "If …," counts what follows the comma.
    let is_condition = ["if ", "when ", "before ", "after ", "for ", "unless ", "where ", "once "]
        .iter()
        .any(|start| lower.starts_with(start));
    let clause =
        if is_condition { lower.split_once(", ").map_or("", |(_, clause)| clause) } else { lower.as_str() };
    let has_word = WORDS.iter().any(|word| has_words(clause, word)) || starts_with_command(clause);
    let is_dangling = DANGLING.iter().any(|start| lower.starts_with(start))
        || lower.contains("you don't have to")
        || lower.contains("you do not have to")
        || lower.ends_with(" it.") && words < 9
        || lower.starts_with("be sure to join")
        || ["be shy", "hesitate to ", "feel free to "].iter().any(|words| lower.contains(words))
        // "`name` - description" describes.
        || plain.starts_with('`') && ["` - ", "` marks ", "` – ", "` — ", "`: ", "` is "].iter().any(|mark| plain.contains(mark));
    let is_dangling =
        is_dangling || super::context::needs_context(plain) || super::context::speaks_to_agents(&lower);
    // What must be there before the first build is no rule.
    let is_setup =
        lower.contains("you have") && ["installed", "account"].iter().any(|word| lower.contains(word));
    let is_setup = is_setup || lower.contains(" is unused");
    let is_other = is_setup || OTHERS.iter().any(|start| lower.starts_with(start)) || lower.ends_with('?');
    let is_whole = (4..=60).contains(&words)
        && plain.chars().count() <= CHARS
        && !plain.ends_with([':', ',', '…'])
        && !plain.ends_with("...");
    let starts_well =
        plain.starts_with(|c: char| c.is_uppercase() || matches!(c, '`' | '"' | '\'' | '@' | '.'));
    let is_balanced =
        plain.matches('`').count() % 2 == 0 && plain.matches('(').count() == plain.matches(')').count();
    // The title of an article has capitals.
    let long = || plain.split_whitespace().skip(1).filter(|word| word.len() > 3);
    let is_title = long().count() >= 3
        && long().filter(|word| word.starts_with(char::is_uppercase)).count() * 2 > long().count();
    (has_word
        && !is_title
        && !is_other
        && !is_dangling
        && is_whole
        && starts_well
        && is_balanced
        && !has_secret(plain))
    .then(|| plain.to_owned())
}

/// Returns true if the text contains these words as whole words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '`')
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '-')
    })
}

/// Returns true if a clause, possibly after a short label, begins with a command: "Never …", "Style: always
/// …".
fn starts_with_command(clause: &str) -> bool {
    let labelled = clause
        .split_once(": ")
        .filter(|(label, _)| label.split(' ').count() <= 3)
        .map_or("", |(_, rest)| rest);
    [clause, labelled].iter().any(|text| {
        STARTS.iter().any(|start| text.strip_prefix(start).is_some_and(|rest| rest.starts_with([' ', ','])))
    })
}

/// Returns a rule for each file that says in its first lines that it is generated and must not be edited,
/// at most 10.
fn find_generated_files(texts: &Texts) -> Vec<Fact> {
    const ENDS: &[&str] = &[
        ".go", ".rs", ".py", ".ts", ".js", ".java", ".cs", ".c", ".h", ".cc", ".cpp", ".rb", ".php", ".md",
        ".toml", ".yml", ".yaml", ".sh", ".sql",
    ];
    let is_named = |path: &str| {
        let lower = path.to_lowercase();
        [
            "generated",
            "gen.",
            "_gen",
            ".pb.",
            "_pb2",
            "schema",
            "bindings",
            "tables",
            "autogen",
            ".g.",
            "stringer",
            "_string.",
            "mock",
        ]
        .iter()
        .any(|part| lower.contains(part))
    };
    let files = texts.paths().filter(|path| {
        let role = role_of(path);
        is_named(path)
            && ENDS.iter().any(|end| path.ends_with(end))
            && !matches!(role, PathRole::Vendored | PathRole::Test | PathRole::Example)
    });
    let mut found = Vec::new();
    for path in files.take(FILES) {
        if found.len() >= GENERATED {
            break;
        }
        let Some(text) = texts.read(path) else { continue };
        let Some(at) = generated_line(&text) else { continue };
        // A mark inside a configuration is that of the files that are made with it.
        let is_configuration = path.ends_with(".yml") || path.ends_with(".yaml");
        if is_configuration
            && text.lines().take(at).any(|line| !line.is_empty() && !line.starts_with(['#', '-']))
        {
            continue;
        }
        let Some(line) = text.lines().nth(at - 1) else { continue };
        let words = line
            .trim()
            .trim_start_matches(['/', '#', '*', ' ', '-', '<', '!', ';'])
            .trim_end_matches(['*', '/', '>', '-', ' '])
            .trim();
        let forbids =
            words.to_lowercase().contains("do not edit") || words.to_lowercase().contains("do not modify");
        if forbids && words.chars().count() <= CHARS && !has_secret(words) {
            let source = SourceLines::line(path, at);
            let subject = FactSubject::File(path.clone());
            let mut made = fact(subject, visible(words), source, FactOrigin::Quoted);
            made.role = PathRole::Generated;
            found.push(made);
        }
    }
    found
}

#[cfg(test)]
mod tests;
