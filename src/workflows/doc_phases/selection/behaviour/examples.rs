//! The first example in the documentation of a definition: a block between fences, a session of Python, indented code, `<pre>`.

use crate::facts::visible;
use crate::repo::Language;
use stategraph_base::has_secret;

/// Maximum size of an example: lines, and bytes.
const SIZE: (usize, usize) = (30, 1_500);

/// Returns the code of the first example in a documentation text that fits into [`SIZE`]: a fenced block, a
/// Python session or indented code. Without the hidden lines (`# `) of Rust. `None` if there is none.
pub(super) fn first_example(language: Language, documentation: &str) -> Option<String> {
    let lines: Vec<&str> = documentation.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let (block, next) = block_at(language, &lines, at);
        at = next.max(at + 1);
        if let Some(code) = block.and_then(|block| whole(language, block)) {
            return Some(code);
        }
    }
    None
}

/// Returns a comment without its comment marks. Unlike the documentation in an outline, it keeps the
/// indentation of lines and the marks in example code.
pub(super) fn bare_comment(comment: &str) -> String {
    let is_block = comment.trim_start().starts_with("/*");
    let has_stars =
        comment.lines().skip(1).all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
    let bare = |line: &str| {
        let trimmed = line.trim_start();
        let marks: &[&str] = match (is_block, has_stars) {
            (true, true) => &["/**", "/*!", "/*", "*/", "*"],
            (true, false) => &["/**", "/*!", "/*", "*/"],
            (false, _) => &["///", "//!", "//", "#"],
        };
        let Some(rest) = marks.iter().find_map(|mark| trimmed.strip_prefix(mark)) else {
            return line.to_owned();
        };
        rest.strip_prefix(' ').unwrap_or(rest).trim_end_matches("*/").to_owned()
    };
    comment.lines().map(bare).collect::<Vec<_>>().join("\n")
}

/// Returns the lines of the example that begins at line `at`, if one does, and the index of the line behind
/// it.
fn block_at<'a, 'b>(language: Language, lines: &'b [&'a str], at: usize) -> (Option<&'b [&'a str]>, usize) {
    let line = lines[at].trim();
    let until = |ends: &dyn Fn(&str) -> bool| {
        lines[at + 1..].iter().position(|line| ends(line.trim())).map_or(lines.len(), |end| at + 1 + end)
    };
    for fence in ["```", "~~~"] {
        if let Some(tag) = line.strip_prefix(fence) {
            let end = until(&|line| line.starts_with(fence));
            let is_code = !["text", "plain", "ignore", "compile_fail", "should_panic", "console", "math"]
                .iter()
                .any(|word| tag.contains(word));
            return (is_code.then(|| &lines[at + 1..end]), end + 1);
        }
    }
    if line.starts_with(">>>") {
        let end = until(&str::is_empty);
        return (Some(&lines[at..end]), end);
    }
    if line.starts_with("<pre>") {
        let end = until(&|line| line.contains("</pre>"));
        return (Some(&lines[at + 1..end]), end + 1);
    }
    // A line that ends in `::` announces indented code of Python; in Go every indented line behind an empty one is code.
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_announced = language == Language::Python
        && line.ends_with("::")
        && (!line.starts_with("..") || line.starts_with(".. code"));
    let is_go = language == Language::Go
        && indent(lines[at]) == 0
        && !line.is_empty()
        && lines.get(at + 1).is_some_and(|next| next.trim().is_empty());
    if is_announced || is_go {
        let outer = indent(lines[at]);
        let is_inside = |line: &&str| line.trim().is_empty() || indent(line) > outer;
        let count = lines[at + 1..].iter().take_while(|line| is_inside(line)).count();
        let end = at + 1 + count;
        let is_code = lines[at + 1..end].iter().any(|line| !line.trim().is_empty());
        return (is_code.then(|| &lines[at + 1..end]), if is_code { end } else { at + 1 });
    }
    (None, at + 1)
}

/// Returns a block as code without its common indentation. `None` if it is empty, too long, has hidden
/// characters or may hold a secret.
fn whole(language: Language, block: &[&str]) -> Option<String> {
    let is_shown = |line: &&&str| {
        language != Language::Rust || line.trim() != "#" && !line.trim_start().starts_with("# ")
    };
    let shown: Vec<&str> = block.iter().filter(is_shown).map(|line| line.trim_end()).collect();
    let first = shown.iter().position(|line| !line.is_empty())?;
    let last = shown.iter().rposition(|line| !line.is_empty())?;
    let kept = &shown[first..=last];
    let margin =
        kept.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len()).min()?;
    let code = kept.iter().map(|line| line.get(margin..).unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let fits = kept.len() <= SIZE.0 && code.len() <= SIZE.1;
    (fits && visible(&code) == code && !has_secret(&code)).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lose_their_marks_and_their_code_keeps_its_own() {
        assert_eq!(bare_comment("/** A.\n *\n * ```\n *   // b\n * ```\n */"), "A.\n\n```\n  // b\n```\n");
        assert_eq!(bare_comment("/**\n\tA.\n\t```\n\t// b\n\t```\n\t*/"), "\n\tA.\n\t```\n\t// b\n\t```\n");
        assert_eq!(bare_comment("/// A\n///     // b"), "A\n    // b");
    }

    #[test]
    fn the_first_example_is_read_in_the_form_of_each_language() {
        let of = |language, text| first_example(language, text);
        let rust = "Opens.\n\n```text\nno\n```\n\n```\n# use a::b;\nopen();\n```\n";
        assert_eq!(of(Language::Rust, rust).as_deref(), Some("open();"));
        assert_eq!(
            of(Language::Python, "Opens.\n\n>>> open()\n1\n\nMore.").as_deref(),
            Some(">>> open()\n1")
        );
        let sphinx = "Opens::\n\n    open()\n      x\n\nMore.";
        assert_eq!(of(Language::Python, sphinx).as_deref(), Some("open()\n  x"));
        assert_eq!(of(Language::Go, "Open opens:\n\n\tOpen()\n\nMore.").as_deref(), Some("Open()"));
        assert_eq!(of(Language::Go, "Open opens.\n\nMore."), None);
        assert_eq!(of(Language::TypeScript, "@example\n```\nopen();\n").as_deref(), Some("open();"));
        assert_eq!(of(Language::Rust, &format!("```\n{}```", "x();\n".repeat(40))), None);
    }
}
