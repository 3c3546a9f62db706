//! Rules for contributors: ranks them by their use for changes of the code.

use crate::facts::Fact;

/// Lower-case words that mark a rule as one about code, not about the behaviour of people.
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

/// Lower-case words of rules about reports and conversations. Such rules are left out, because they
/// change no code.
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

/// Lower-case words of sentences that would make a reader run a command or send data away. Such rules
/// are left out.
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

/// Ranks a rule for contributors: 2 for a rule about code, 1 for another one, 0 for a rule to leave out
/// (about conversations, with a command, an address or a credential).
pub(crate) fn usefulness(text: &str) -> usize {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(TALK_WORDS) || has(RUNNING_WORDS) { 0 } else { 1 + usize::from(has(CODE_WORDS)) }
}

/// Returns true if the fact comes from a file with instructions to agents, such as `CLAUDE.md`. Such
/// instructions are not passed on.
pub(crate) fn is_for_agents(fact: &Fact) -> bool {
    const NAMES: &[&str] =
        &["agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules"];
    let name = fact.sources.first().and_then(|source| source.path.rsplit('/').next()).unwrap_or_default();
    NAMES.contains(&name.to_lowercase().as_str())
}
