//! Rules for contributors: which of them concern the code.

use crate::facts::Fact;

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
pub(crate) fn usefulness(text: &str) -> usize {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(TALK_WORDS) || has(RUNNING_WORDS) { 0 } else { 1 + usize::from(has(CODE_WORDS)) }
}

/// Returns true for a file with instructions to agents. Its instructions are not passed on.
pub(crate) fn is_for_agents(fact: &Fact) -> bool {
    const NAMES: &[&str] =
        &["agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules"];
    let name = fact.sources.first().and_then(|source| source.path.rsplit('/').next()).unwrap_or_default();
    NAMES.contains(&name.to_lowercase().as_str())
}
