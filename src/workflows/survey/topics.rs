//! Sections of the documentation: selects those about the code, and shortens their texts to prose
//! without examples.

use std::collections::BTreeSet;

use super::phrases::without_begun;

/// Minimum number of words of a line that counts as a paragraph.
const PARAGRAPH_WORDS: usize = 5;

/// Lower-case parts of headings; a section with one of them explains how the code works or is used.
const INNER: &[&str] = &[
    "architecture",
    "design",
    "internals",
    "how it works",
    "does it work",
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

/// Returns true if the title of a section has one of the words in `INNER`, so that the section is about
/// the code.
pub(crate) fn is_about_code(title: &str) -> bool {
    let lower = title.to_lowercase();
    INNER.iter().any(|word| lower.contains(word))
}

/// Returns true for sections to skip: tables of contents, and sections of limitations, because other
/// parts of the text quote their sentences.
pub(crate) fn is_told_elsewhere(title: &str) -> bool {
    let lower = title.to_lowercase();
    lower.contains("limitation")
        || matches!(lower.as_str(), "menu" | "contents" | "table of contents" | "index")
}

/// Joins the lines of a section to one line of prose, without repeated lines and without sentences that
/// lead to an omitted example. Returns `None` if nothing remains, or if more than half of the lines end
/// in `:` or `;`, or in no punctuation (labels).
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

/// Returns true for a line of at least `PARAGRAPH_WORDS` words that begins with a capital and ends with
/// `.`, `!`, `?` or `:`.
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
