//! Documentation as plain text: the comments that count, without their markers. Works on texts, not on trees.

/// The rule of a language for comments that are documentation of the definition after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocStyle {
    /// Comments whose lines or blocks begin with one of these markers, such as `///`.
    Marked(&'static [&'static str]),
    /// Any comment.
    Any,
    /// No comment: the string at the beginning of the body.
    Docstring,
}

impl DocStyle {
    /// Returns the text of a run of adjacent comments without markers; `None` if it is not documentation by
    /// this rule.
    pub(super) fn text(self, run: &str) -> Option<String> {
        let kept = match self {
            Self::Docstring => return None,
            Self::Any => run,
            Self::Marked(markers) => last_marked_part(run, markers)?,
        };
        let text = unmark(kept);
        (!text.is_empty()).then_some(text)
    }
}

/// Returns the last part of a run of comments whose lines begin with a marker; `None` if there is none. A
/// licence above it is left out. A plain comment directly below it is left out too.
fn last_marked_part<'a>(run: &'a str, markers: &[&str]) -> Option<&'a str> {
    let begins = |line: &str| markers.iter().any(|marker| line.starts_with(marker));
    let mut part: Option<(usize, usize)> = None;
    let (mut at, mut in_block, mut is_open, mut is_below) = (0, false, false, false);
    for line in run.split_inclusive('\n') {
        let bare = line.trim();
        let end = at + line.len();
        match () {
            () if in_block && !is_open => {}
            () if in_block => part = part.map(|(start, _)| (start, end)),
            () if begins(bare) => {
                let start = part.filter(|_| is_open).map_or(at, |(start, _)| start);
                part = Some((start, end));
                (is_open, is_below) = (true, true);
            }
            // An empty line inside of a marked part is kept.
            () if bare.is_empty() => is_below = false,
            () => {
                part = part.filter(|_| is_below);
                is_open = false;
            }
        }
        in_block = (in_block || bare.starts_with("/*")) && !bare.contains("*/");
        at = end;
    }
    part.map(|(start, end)| &run[start..end])
}

fn unmark(run: &str) -> String {
    let lines: Vec<&str> = run
        .lines()
        .map(|line| bare(line.trim()))
        .filter(|line| !is_rule(line) && !is_for_tool(line))
        .collect();
    let text = lines.join("\n");
    text.trim_matches(['\n', ' ']).to_owned()
}

/// Returns a trimmed comment line without its marker (`//`, `#`, `*` and the like) and one space after it.
fn bare(line: &str) -> &str {
    const OPENERS: &[&str] = &["/**", "/*!", "///", "//!", "/*", "//", "*/", "*", "#"];
    let opened = OPENERS.iter().find_map(|opener| line.strip_prefix(opener)).unwrap_or(line);
    let closed = opened.strip_suffix("*/").unwrap_or(opened);
    closed.strip_prefix(' ').unwrap_or(closed).trim_end()
}

/// Returns true for a comment line that instructs a linter, formatter or compiler: `nolint:errcheck`,
/// `shellcheck disable=SC2001`.
fn is_for_tool(line: &str) -> bool {
    const MARKS: &[&str] = &[
        "nolint",
        "NOLINT",
        "shellcheck disable",
        "shellcheck source",
        "eslint-",
        "noqa",
        "pylint:",
        "prettier-ignore",
        "rubocop:",
        "biome-ignore",
        "clang-format o",
        "@ts-",
        "go:generate",
        "go:build",
        "type: ignore",
        "phpcs:",
    ];
    // A type of RBS inline: `#: (String) -> void`, `#| (Symbol) -> void`.
    let is_type = (line.starts_with(": ") || line.starts_with("| ")) && line.contains("-> ");
    is_type || MARKS.iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Returns true if the documentation has a tag that marks its subject as internal, such as `@private` or
/// `:nodoc:`.
pub(super) fn hides(docs: &str) -> bool {
    const TAGS: &[&str] = &["@private", "@internal", "@hidden", "@api private", ":nodoc:", ":meta private:"];
    docs.lines().any(|line| TAGS.iter().any(|tag| line.trim_start().starts_with(tag)))
}

/// Returns true for a line of only ruling characters, such as `------`; at least 3.
fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| "-=*#/~_+".contains(c))
}

/// Returns the content of a docstring without the common indentation of its lines after the first, as Python
/// does.
pub(super) fn dedent(text: &str) -> String {
    let margin = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len());
    let margin = margin.min().unwrap_or(0);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim();
    let rest = lines.map(|line| line.get(margin..).unwrap_or_default().trim_end());
    let all: Vec<&str> = std::iter::once(first).chain(rest).collect();
    all.join("\n").trim().to_owned()
}

/// Returns the first paragraph of a documentation on one line (CTX-132). A heading with a line of `===` under
/// it is skipped. Code between fences and Python sessions (`>>>`) are skipped too.
pub(super) fn first_paragraph(text: &str) -> String {
    let mut in_fence = false;
    let mut is_text = |line: &str| -> bool {
        let opens_or_ends = line.starts_with("```");
        in_fence ^= opens_or_ends && line.matches("```").count() == 1;
        !in_fence && !opens_or_ends && !line.starts_with(">>> ")
    };
    let lines: Vec<&str> =
        text.lines().map(str::trim).map(|line| if is_text(line) { line } else { "" }).collect();
    let mut paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    let Some(first) = paragraphs.next() else { return String::new() };
    let is_heading =
        first.iter().filter(|line| !is_rule(line)).count() == 1 && first.iter().any(|line| is_rule(line));
    let chosen = if is_heading { paragraphs.next().unwrap_or(first) } else { first };
    let kept: Vec<&str> = chosen.iter().filter(|line| !is_rule(line)).copied().collect();
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_comments_are_documentation_where_a_language_marks_them() {
        // CTX-132
        let rust = DocStyle::Marked(&["///", "/**"]);
        assert_eq!(rust.text("// licence\n\n/// One.\n///\n/// Two.\n").as_deref(), Some("One.\n\nTwo."));
        assert_eq!(rust.text("// why\n"), None);
        assert_eq!(rust.text("/// One.\n// why\n// so\n").as_deref(), Some("One."));
        assert_eq!(rust.text("/// Of the file.\n\n// why\n"), None);
        let java = DocStyle::Marked(&["/**"]);
        assert_eq!(java.text("/* licence */\n/**\n * One\n * two.\n */").as_deref(), Some("One\ntwo."));
        assert_eq!(DocStyle::Any.text("# -----\n# One.").as_deref(), Some("One."));
        assert_eq!(first_paragraph("One\ntwo.\n\nThree."), "One two.");
        assert_eq!(first_paragraph("a.b\n~~~\n\nThree."), "Three.");
        assert_eq!(first_paragraph("a.b\n~~~"), "a.b");
        assert_eq!(first_paragraph("```\nlet a = b();\n```\nOpens it.\n```\nc\n```"), "Opens it.");
        assert_eq!(first_paragraph("Adds:\n>>> 1 + 1\n\nMore."), "Adds:");
        assert_eq!(dedent("One.\n\n    Two:\n      three\n    "), "One.\n\nTwo:\n  three");
    }
}
