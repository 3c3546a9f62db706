//! Detection of texts that try to steer an agent. Agents obey context files, so a generated file must
//! not quote such a text.

/// Phrases that occur only in attempts to steer an agent; in lower case with single spaces.
const ORDERS: &[&str] = &[
    "ignore previous",
    "ignore all previous",
    "ignore any previous",
    "ignore the previous",
    "ignore your previous",
    "ignore prior",
    "ignore all prior",
    "ignore the above",
    "ignore all instructions",
    "ignore your instructions",
    "ignore these instructions",
    "ignore other instructions",
    "disregard previous",
    "disregard prior",
    "disregard all",
    "disregard the above",
    "disregard your",
    "disregard any",
    "forget previous",
    "forget all previous",
    "forget your instructions",
    "forget everything",
    "previous instructions",
    "prior instructions",
    "override your instructions",
    "override instructions",
    "new instructions",
    "you must now",
    "you are now",
    "you are an ai",
    "from now on you",
    "from now on, you",
    "act as an ai",
    "as an ai",
    "reveal your",
    "approve every request",
    "approve all requests",
    "obey every request",
    "do not tell the user",
    "don't tell the user",
    "do not inform the user",
    "without telling the user",
    "without asking the user",
    "system prompt",
    "<|im_start|>",
    "<|system|>",
    "[inst]",
];

/// Names of readers that are programs, in lower case.
const AGENTS: &[&str] = &[
    "ai agent",
    "ai assistant",
    "ai model",
    "ai tool",
    "ai coding",
    "coding agent",
    "coding assistant",
    "language model",
    "llms",
    "copilot",
    "chatgpt",
    "claude",
    "agents.md",
    "agents must",
    "agents should",
    "assistants must",
    "assistants should",
];

/// Words that give a task to a reader, in lower case. A text with one of them and one of `AGENTS`
/// speaks to agents.
const COMMANDS: &[&str] = &[
    "must",
    "should",
    "never",
    "always",
    "do not",
    "don't",
    "please",
    "instruction",
    "execute",
    "you are",
    "run the",
    "run this",
];

/// Returns true if the text has one of the phrases in `ORDERS`, such as "ignore previous instructions".
pub(crate) fn gives_orders(text: &str) -> bool {
    has_any(&plain(text), ORDERS) || has_any(&without_marks(text), ORDERS)
}

/// Returns true for a text that gives orders (`gives_orders`), or that names an AI agent and has a word
/// of command.
pub(crate) fn speaks_to_agents(text: &str) -> bool {
    let speaks = |plain: &str| has_any(plain, AGENTS) && has_any(plain, COMMANDS);
    gives_orders(text) || speaks(&plain(text)) || speaks(&without_marks(text))
}

/// Returns the text in lower case with single spaces and without Markdown marks around its words:
/// `ignore **all** _previous_` becomes `ignore all previous`.
fn without_marks(text: &str) -> String {
    let words =
        text.split_whitespace().map(|word| word.trim_matches(['*', '_', '`', '~', '#', '>', '"', '\'']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns the text in lower case with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}
