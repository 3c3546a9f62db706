//! Takes out of a model's text what does not belong into a context file: wrappers, front matter of its own, comments, hidden characters,
//! secrets, lines with words to agents. Pure.

use stategraph_base::{has_secret, redact_secrets};

use crate::workflows::foreign_text::is_hidden;
use crate::workflows::survey::orders::gives_orders;

/// Longest text of a model that is read, in characters; about 40,000 tokens.
const CHARS: usize = 160_000;
/// Longest remark before the first heading that is taken for a greeting, in bytes.
const GREETING: usize = 400;

/// The text of a model after `clean`, with counts of the removed and changed lines.
pub(super) struct CleanText {
    pub(super) text: String,
    /// Number of lines with words to agents, which were left out.
    pub(super) orders: usize,
    /// Number of lines with a secret, which was replaced.
    pub(super) secrets: usize,
}

/// Removes from a model's text everything that does not belong into a context file: see the module. Adds the
/// heading `# title` if the text does not begin with one; a text of which nothing is left stays empty.
pub(super) fn clean(text: &str, title: Option<&str>) -> CleanText {
    let text = stategraph_base::cut(text, CHARS).kept;
    let text: String = text.replace("\r\n", "\n").chars().filter(|c| *c == '\n' || !is_hidden(*c)).collect();
    let text = without_thoughts(&text);
    let text = without_comments(without_front_matter(unwrap_fence(text.trim()).trim_start()));
    let text = without_greeting(&text);
    let before = text.lines().count();
    let lines: Vec<&str> = text.lines().filter(|line| !gives_orders(line)).map(str::trim_end).collect();
    let (orders, text) = (before - lines.len(), lines.join("\n"));
    let redacted = redact_secrets(&text);
    let secrets = redacted.lines().zip(text.lines()).filter(|(after, before)| after != before).count();
    let text = redacted;
    let text = text.trim();
    let has_title = text.starts_with("# ");
    let title =
        title.filter(|_| !has_title && !text.is_empty()).map(|title| format!("# {}\n\n", one_line(title)));
    let whole = format!("{}{text}\n", title.unwrap_or_default());
    CleanText { text: if text.is_empty() { String::new() } else { whole }, orders, secrets }
}

/// Returns a text on one line, without hidden characters, at most 300 characters. Empty if it has a secret or
/// words to agents.
pub(in crate::workflows::contextualize) fn one_line(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !is_hidden(*c)).collect();
    let line = text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if has_secret(&line) || gives_orders(&line) {
        String::new()
    } else {
        stategraph_base::cut(&line, 300).kept.to_owned()
    }
}

/// Removes a block `<think>…</think>` at the beginning, in which some models think.
fn without_thoughts(text: &str) -> String {
    let trimmed = text.trim_start();
    match trimmed.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        Some((_, answer)) => answer.to_owned(),
        None => text.to_owned(),
    }
}

/// Returns the content of the code fence that wraps the whole document (language `markdown` or `md`, or
/// none); without one, the text itself.
fn unwrap_fence(text: &str) -> &str {
    let is_opening = |line: &str| {
        let rest = line.trim_start_matches('`');
        line.len() - rest.len() >= 3 && matches!(rest.trim().to_lowercase().as_str(), "markdown" | "md")
    };
    let bare = text.lines().next().is_some_and(|line| line.trim() == "```");
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_wrapper = is_opening(line.trim()) || (at == 0 && bare && text.trim_end().ends_with("\n```"));
        if is_wrapper {
            let ticks = line.trim().chars().take_while(|c| *c == '`').count();
            let inner = &text[at + line.len()..];
            let fence = format!("\n{}", "`".repeat(ticks));
            return inner.rfind(&fence).map_or(inner, |end| &inner[..=end]);
        }
        // A fence after a heading is part of the document.
        if line.starts_with('#') || at > GREETING {
            break;
        }
        at += line.len();
    }
    text
}

/// Removes front matter that the model wrote at the beginning.
fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    let Some(end) = rest.find("\n---\n").or_else(|| rest.strip_suffix("\n---").map(str::len)) else {
        return text;
    };
    let is_key =
        |line: &str| line.contains(':') || line.starts_with([' ', '-', '#']) || line.trim().is_empty();
    if rest[..end].lines().all(is_key) { rest[end..].trim_start_matches("\n---").trim_start() } else { text }
}

/// Removes comments of HTML: readers of the rendered text do not see them, agents do.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// Removes a short remark before the first heading, such as "Here is the document:".
fn without_greeting(text: &str) -> String {
    let text = text.trim();
    let heading = if text.starts_with('#') { Some(0) } else { text.find("\n#").map(|at| at + 1) };
    match heading {
        Some(at) if at <= GREETING && text[at..].trim_start_matches('#').starts_with(' ') => {
            text[at..].to_owned()
        }
        _ => text.to_owned(),
    }
}
