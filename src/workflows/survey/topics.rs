//! Sections of the documentation: which of them tell about the code, and their texts without examples.

use std::collections::BTreeSet;

use super::phrases::without_begun;

/// Fewest words of a paragraph.
const PARAGRAPH_WORDS: usize = 5;

/// Words of headings that tell how the code works or is used.
const INNER: &[&str] = &[
    "architecture",
    "design",
    "internals",
    "how it works",
    "overview",
    "concept",
    "configuration",
    "environment",
    "usage",
    "development",
    "structure",
    "protocol",
    "api",
    "database",
    "migration",
    "extend",
    "debug",
    "test",
    "performance",
    "security",
    "error",
];

/// Returns true for the title of a section that tells how the code works or is used.
pub(crate) fn is_about_code(title: &str) -> bool {
    let lower = title.to_lowercase();
    INNER.iter().any(|word| lower.contains(word))
}

/// Returns true for the title of a list of headings, or of a section whose sentences stand elsewhere in the text.
pub(crate) fn is_told_elsewhere(title: &str) -> bool {
    let lower = title.to_lowercase();
    lower.contains("limitation")
        || matches!(lower.as_str(), "menu" | "contents" | "table of contents" | "index")
}

/// Returns the text of a section on one line, without the sentences that lead to its examples. `None` for a text that mostly leads to
/// examples, or labels them.
pub(crate) fn topic_prose(lines: &[String]) -> Option<String> {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let leads = |line: &&&str| line.ends_with([':', ';']);
    let is_label = |line: &&&str| !line.ends_with(['.', '!', '?', ':', ';', ',', ')', '…']);
    if lines.iter().filter(leads).count() * 2 > lines.len() {
        return None;
    }
    if lines.len() > 1 && lines.iter().filter(is_label).count() * 2 > lines.len() {
        return None;
    }
    let mut text = String::new();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        // A paragraph or another label behind a colon is not the list or the example that the colon announces.
        let is_other = |next: &&str| is_paragraph(next) || next.ends_with(':');
        let announces = line.ends_with(':') && lines.get(at + 1).is_some_and(|next| !is_other(next));
        let shown = if announces { line } else { without_begun(line) };
        if shown.is_empty() || !told.insert(shown) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(if text.ends_with(['.', '!', '?', ':', ';', ',', '…']) { " " } else { "; " });
        }
        text.push_str(shown);
    }
    Some(text).filter(|text| !text.is_empty())
}

/// Returns true for a text of whole sentences.
fn is_paragraph(line: &str) -> bool {
    line.starts_with(char::is_uppercase)
        && line.ends_with(['.', '!', '?', ':'])
        && line.split_whitespace().count() >= PARAGRAPH_WORDS
}

#[cfg(test)]
mod tests {
    use super::topic_prose;

    #[test]
    fn sentences_that_lead_to_examples_are_left_out() {
        let prose =
            |lines: &[&str]| topic_prose(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            prose(&[
                "Spins alone. Use `auto` like so:",
                "The speed is determined by the `:interval` of the format."
            ])
            .as_deref(),
            Some("Spins alone. The speed is determined by the `:interval` of the format.")
        );
        assert_eq!(
            prose(&["It reads line by line. This means:", "Low memory usage", "Early results."]).as_deref(),
            Some("It reads line by line. This means: Low memory usage; Early results.")
        );
        assert_eq!(
            prose(&["Sort the output:", "Keys are `a`.", "Keys are `a`."]).as_deref(),
            Some("Sort the output: Keys are `a`.")
        );
        assert_eq!(prose(&["Returning the exit code", "Pumping the output", "Logs all of it."]), None);
    }
}
