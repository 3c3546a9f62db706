//! Prepares the lines of a function: removes comments and the documentation inside it.

use crate::repo::Language;

/// Maximum length of a line that is read, in bytes; longer ones are data.
const LINE: usize = 300;

/// Placeholder for a line that is longer than `LINE`.
pub(super) const LONG_LINE: &str = "…";

/// Returns each line trimmed and without the comment at its end. Lines inside comments, multi-line
/// strings and here-documents become empty, so that indexes stay; lines that are too long become
/// `LONG_LINE`.
pub(super) fn code_lines<'t>(language: Language, lines: &[&'t str]) -> Vec<&'t str> {
    let (mut in_comment, mut in_text) = (false, None::<&str>);
    let mut found = Vec::with_capacity(lines.len());
    let mut here: Option<&str> = None;
    for line in lines {
        let bare = line.trim();
        if let Some(end) = here {
            here = (bare.trim_end_matches([';', ')', ',']) != end).then_some(end);
            found.push("");
            continue;
        }
        let was_inside = in_comment || in_text.is_some();
        if let Some(mark) = in_text {
            if bare.contains(mark) {
                in_text = None;
            }
        } else if in_comment {
            in_comment = !bare.contains("*/");
        } else if language == Language::Python {
            let mark = ["\"\"\"", "'''"].into_iter().find(|mark| bare.matches(mark).count() % 2 == 1);
            in_text = mark;
        } else if bare.starts_with("/*") && has_inner_comments(language) {
            in_comment = !bare.contains("*/");
        }
        let is_code = !was_inside && in_text.is_none() && !is_comment(language, bare);
        found.push(match () {
            () if !is_code => "",
            () if bare.len() > LINE => LONG_LINE,
            () => match here_document(language, bare) {
                Some((before, end)) => {
                    here = Some(end);
                    before
                }
                None => without_comment(language, bare),
            },
        });
    }
    found
}

/// Splits a line that begins a here-document (`<<~EOS`) into the code before the sign and the word that
/// ends the document (`EOS`). `None` for other lines.
fn here_document(language: Language, line: &str) -> Option<(&str, &str)> {
    let sign = match language {
        Language::Ruby | Language::Bash => "<<",
        Language::Php => "<<<",
        _ => return None,
    };
    let (before, after) = line.split_once(sign)?;
    let after = after.trim_start_matches(['~', '-']).trim_start_matches(['"', '\'']);
    let end = after.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(after.len());
    (end > 1).then(|| (before.trim_end_matches(['(', ',', ' ']), &after[..end]))
}

/// Returns true for a language with `/* … */` comments.
pub(super) fn has_inner_comments(language: Language) -> bool {
    !has_hash_comments(language)
}

fn has_hash_comments(language: Language) -> bool {
    matches!(language, Language::Python | Language::Ruby | Language::Bash)
}

/// Returns true if a trimmed line is a comment, a directive or an attribute in this language.
pub(super) fn is_comment(language: Language, line: &str) -> bool {
    if has_hash_comments(language) {
        return line.starts_with('#') || line.starts_with("\"\"\"") || line.starts_with("'''");
    }
    // `#` begins a directive of C and an attribute of Rust.
    line.starts_with("//")
        || line.starts_with("/*")
        || line.starts_with("* ")
        || line.starts_with("*/")
        || line == "*"
        || line.starts_with('#')
}

/// Returns the line without a comment at its end; a comment sign inside a string does not count.
fn without_comment(language: Language, line: &str) -> &str {
    let mark = if has_hash_comments(language) { " #" } else { " //" };
    let Some(at) = line.find(mark) else { return line };
    let is_inside = ['"', '\'', '`'].iter().any(|quote| line[..at].matches(*quote).count() % 2 == 1);
    if is_inside { line } else { line[..at].trim_end() }
}
