//! Reads the documentation comments of a Rust crate as a document, and recognizes examples that are whole
//! programs.

/// Maximum length of the name in a link to a definition, in characters.
const NAME: usize = 200;

/// Returns the `//!` lines at the top of a crate as Markdown; every line keeps its number. Links to
/// definitions such as ``[`Name`]`` become plain code. Later `//!` lines, which document inner modules, are
/// left out.
pub(super) fn crate_documentation(text: &str) -> String {
    let bare = |line: &str| {
        let said = line.trim_start().strip_prefix("//!").unwrap_or_default();
        // Links to definitions by their name alone are code.
        let said = said.strip_prefix(' ').unwrap_or(said);
        said.replace("[`", "\u{1}").replace("`]", "\u{2}")
    };
    let lines: Vec<String> = text.lines().take(first_item(text)).map(bare).collect();
    let joined = lines.join("\n");
    // `[`X`](target)` stays a link.
    let mut shown = String::with_capacity(joined.len());
    let mut rest = joined.as_str();
    while let Some(at) = rest.find(['\u{1}', '\u{2}']) {
        shown.push_str(&rest[..at]);
        let is_start = rest[at..].starts_with('\u{1}');
        let after = &rest[at + 1..];
        // A name is short; a longer search would take quadratic time on hostile text.
        let closing = || after.char_indices().take(NAME).find(|(_, c)| *c == '\u{2}');
        let end = if is_start { closing().map(|(end, _)| &after[end + 1..]) } else { Some(after) };
        let is_link = end.is_some_and(|end| end.starts_with(['(', '[']));
        shown.push_str(match (is_start, is_link) {
            (true, true) => "[`",
            (false, true) => "`]",
            _ => "`",
        });
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// Returns the number of lines before the first item of a file: comments, `#![…]` attributes and empty
/// lines.
fn first_item(text: &str) -> usize {
    let (mut in_comment, mut depth) = (false, 0_usize);
    let mut is_before = |line: &str| {
        let line = line.trim();
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
            return true;
        }
        if depth == 0 && !line.starts_with("#![") {
            return line.is_empty() || line.starts_with("//");
        }
        let (opened, closed) = (line.matches('[').count(), line.matches(']').count());
        depth = (depth + opened).saturating_sub(closed);
        true
    };
    text.lines().take_while(|line| is_before(line)).count()
}

/// Returns a code example of crate documentation without the lines that begin with `# `, which rustdoc
/// hides.
pub(super) fn shown_lines(code: &str) -> String {
    let is_shown = |line: &&str| line.trim() != "#" && !line.trim_start().starts_with("# ");
    code.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}

/// Returns true if an example is a whole program: it has a `main` function or imports, and at least two
/// other lines.
pub(super) fn is_program(code: &str) -> bool {
    const STARTS: [&str; 9] = [
        "fn main(",
        "async fn main(",
        "func main(",
        "public static void main(",
        "int main(",
        "void main(",
        "if __name__ ==",
        "import ",
        "from ",
    ];
    let lines = || code.lines().map(str::trim_start);
    let starts =
        |line: &str| STARTS.iter().any(|start| line.starts_with(start)) || line.contains("= require(");
    lines().any(starts) && lines().filter(|line| !line.is_empty() && !starts(line)).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::crate_documentation;

    #[test]
    fn the_documentation_of_a_module_inside_is_not_that_of_the_crate() {
        let text = "// Licence.\n/* More\n * of it. */\n\n#![warn(\n    clippy::all,\n    missing_docs\n)]\n//! # One\n\n#![no_std]\n//! Words.\n\npub mod inner {\n    //! # Two\n}\n";
        let said = crate_documentation(text);
        assert_eq!(said.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(), ["# One", "Words."]);
        assert_eq!(said.lines().position(|line| line == "# One"), Some(8));
    }
}
