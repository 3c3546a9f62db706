//! Texts in drawings: shortens names to a width, wraps them into lines, and describes times and counts of a
//! run.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use stategraph_core::{NodeVisits, RunPath, VisitStatus};

/// Replaces control characters by spaces, so that a text stays on one line.
pub(super) fn replace_controls(name: &str) -> String {
    name.replace(char::is_control, " ")
}

/// Cuts a text to at most `width` columns. A cut text ends with the number of omitted characters:
/// `a_long_na...+12` (ENG-21).
pub(super) fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        // Room for `...+` and the digits.
        used += c.width().unwrap_or(0);
        if used + 8 > width {
            break;
        }
        kept.push(c);
    }
    let rest = text.chars().count() - kept.chars().count();
    format!("{kept}...+{rest}")
}

/// Wraps a text into at most `most` lines of at most `columns` columns each. If the text does not fit, the
/// last line is cut and ends with the number of omitted characters (ENG-21).
pub(super) fn wrap(text: &str, columns: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if lines.len() + 1 == most {
            lines.push(shorten(rest, columns));
            break;
        }
        let end = find_line_end(rest, columns);
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines
}

/// Returns the byte offset at which the first line of a text ends. It breaks after the last space that fits
/// in `columns`, else after the last of `_-/.:,` that fits, else in the middle of a word.
fn find_line_end(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let (mut after_space, mut after_mark) = (None, None);
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns && at > 0 {
            return after_space.or(after_mark).unwrap_or(at);
        }
        match c {
            ' ' => after_space = Some(at + 1),
            '_' | '-' | '/' | '.' | ':' | ',' => after_mark = Some(at + 1),
            _ => {}
        }
    }
    text.len()
}

/// Formats a duration in milliseconds: `340 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`.
pub(super) fn format_duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{seconds}.{} s", ms % 1000 / 100),
        60_000..3_600_000 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Describes in words the visits of a run at a node, with total and last duration and the status: `3 runs,
/// 12.4 s, last 2.1 s, waits for an answer`.
pub(super) fn describe_visit(visit: &NodeVisits) -> String {
    let mut words = match visit.count {
        0 => Vec::new(),
        1 => vec!["1 run".to_owned(), format_duration(visit.total_ms)],
        many => vec![
            format!("{many} runs"),
            format_duration(visit.total_ms),
            format!("last {}", format_duration(visit.last_ms)),
        ],
    };
    words.extend(describe_standing(visit.standing).map(str::to_owned));
    words.join(", ")
}

/// Returns the words for the status of a node; `None` for a node that is done, which needs none.
pub(super) fn describe_standing(standing: VisitStatus) -> Option<&'static str> {
    match standing {
        VisitStatus::Done => None,
        VisitStatus::Caught => Some("failed, handled"),
        VisitStatus::Next => Some("next"),
        VisitStatus::Waits => Some("waits for an answer"),
        VisitStatus::Failed => Some("failed"),
    }
}

/// Describes a run in one line: thread and checkpoint, status, number of steps and total time.
pub(super) fn describe_run(run: &RunPath) -> String {
    let standing = match run.standing {
        VisitStatus::Done | VisitStatus::Caught => "done",
        VisitStatus::Next => "under way",
        VisitStatus::Waits => "waits for an answer",
        VisitStatus::Failed => "failed",
    };
    let steps = if run.steps == 1 { "1 step".to_owned() } else { format!("{} steps", run.steps) };
    format!("{}@{}: {standing}, {steps}, {}", run.thread, run.checkpoint, format_duration(run.total_ms))
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[track_caller]
    fn check(text: &str, lines: &[&str]) {
        assert_eq!(wrap(text, 12, 3), lines);
    }

    #[test]
    fn a_text_is_wrapped_at_spaces_else_at_marks_else_anywhere() {
        check("", &[]);
        check("short", &["short"]);
        check("as wide as it", &["as wide as", "it"]);
        check("ask_the_user_again", &["ask_the_", "user_again"]);
        check("if a/b_c_defghij", &["if", "a/b_c_", "defghij"]);
        check("abcdefghijklmnop", &["abcdefghijkl", "mnop"]);
        check("日本語の名前です", &["日本語の名前", "です"]);
    }

    // ENG-21
    #[test]
    fn a_text_of_hostile_length_is_bounded_and_says_how_much_is_missing() {
        check(&"x".repeat(1_000), &["xxxxxxxxxxxx", "xxxxxxxxxxxx", "xxxx...+972"]);
    }
}
