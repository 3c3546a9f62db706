//! The whole body of a short function on one line. It leaves nothing out, so it needs none of the marks that rules need.

use super::blocks::{BlockReader, PART};
use super::excerpts::is_end;
use super::heads::BlockHead;
use super::statements::{CodeStatement, block, depth_of, is_border};
use crate::repo::Language;

/// Minimum number of bytes for each statement of a short function, on average.
const BYTES_OF_STATEMENT: usize = 25;
/// Maximum length of a statement, in bytes.
const STATEMENT: usize = 150;

/// A function from its signature to its end: its lines, as read and without comments, and the statements made of them.
pub(super) struct BodyLines<'t> {
    pub(super) language: Language,
    pub(super) raw: &'t [&'t str],
    /// Without comments and indentation.
    pub(super) code: &'t [&'t str],
    pub(super) statements: &'t [CodeStatement],
    /// Maximum length of the text of its body, in bytes.
    pub(super) most: usize,
}

/// Returns the body of a short function: statements with `; ` between them, and blocks of several statements in braces. `None` for a
/// body of more than `most` bytes, for one that only sets its own fields, and for one with a line that is not understood, must not be
/// quoted, or is in none of the statements.
pub(super) fn body(lines: &BodyLines<'_>, is_other: &dyn Fn(usize) -> bool) -> Option<String> {
    let BodyLines { language, statements, most, .. } = *lines;
    let is_read = (2..=most / BYTES_OF_STATEMENT).contains(&statements.len())
        && statements.iter().all(|it| is_understood(it) && !is_other(it.at))
        && !statements.iter().all(|it| sets_field(&it.text))
        && has_all(lines);
    if !is_read {
        return None;
    }
    let writer = BodyWriter { blocks: BlockReader { language, statements } };
    let outer: Vec<usize> = (0..statements.len()).filter(|at| statements[*at].parent.is_none()).collect();
    writer.list(&outer).filter(|text| text.len() <= most)
}

/// Returns true if the statements have every line of the body: none stands on the line of the signature, none behind a point from which
/// the blocks are not known, and no preprocessor leaves one out.
fn has_all(lines: &BodyLines<'_>) -> bool {
    let BodyLines { language, statements, .. } = *lines;
    let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return false };
    let before = lines.code[..first.at].join(" ");
    let has_braces = !matches!(language, Language::Python | Language::Ruby | Language::Bash);
    let is_signature = !has_braces || depth_of(&before, &['{'], &['}']) == 1 && !before.contains(';');
    let has_preprocessor = matches!(language, Language::C | Language::Cpp | Language::CSharp)
        && lines.raw.iter().any(|line| line.trim_start().starts_with('#'));
    is_signature && !has_preprocessor && lines.code[last.end..].iter().all(|line| is_border(line))
}

/// Returns true for a statement that can be shown whole.
fn is_understood(statement: &CodeStatement) -> bool {
    let text = statement.text.as_str();
    let is_known = match &statement.head {
        BlockHead::Closure | BlockHead::Unknown => false,
        BlockHead::Statement => {
            !text.ends_with(['{', ':'])
                // The end of a statement around a block.
                && !text.starts_with(['.', ')', ']', '}', ','])
                && depth_of(text, &['(', '[', '{'], &[')', ']', '}']) == 0
        }
        BlockHead::Case(head) => !head.inline.ends_with('{'),
        _ => true,
    };
    is_known && text.len() <= STATEMENT && !text.contains('…')
}

/// Returns true for a statement that gives a field the argument of the same name: `self.size = size`.
pub(super) fn sets_field(text: &str) -> bool {
    let Some((target, value)) = text.trim_end_matches(';').split_once(" = ") else { return false };
    let field = target.rsplit(['.', '>', '@', '_']).next().unwrap_or(target);
    !field.is_empty() && value.trim_start_matches(['$', '_']) == field
}

/// Returns true for the opening of a block whose value is assigned or returned; `let … else` is a condition.
fn is_value(text: &str) -> bool {
    let before =
        ["if ", "match ", "switch ", "switch("].iter().filter_map(|word| text.find(word)).min().unwrap_or(0);
    let before = text[..before].trim_end();
    before.ends_with(['=', '(']) && !before.ends_with("==") || before == "return"
}

/// Writes the blocks of one body.
struct BodyWriter<'s> {
    blocks: BlockReader<'s>,
}

impl BodyWriter<'_> {
    /// Returns statements on one line.
    fn list(&self, statements: &[usize]) -> Option<String> {
        let mut parts = Vec::new();
        for at in statements {
            parts.push(self.one(*at)?);
        }
        parts.retain(|part| !part.is_empty());
        Some(parts.join("; "))
    }

    /// Returns a statement with its block: an empty text for a case that goes on with the next one.
    fn one(&self, at: usize) -> Option<String> {
        let statement = &self.blocks.statements[at];
        let opening = statement.text.trim_end_matches(['{', ':', ' ']).to_owned();
        let (head, inline) = match &statement.head {
            BlockHead::Statement => return Some(statement.text.trim_end_matches(';').to_owned()),
            // `let a = if b {`, `let a = match b {`
            BlockHead::Condition(_) | BlockHead::Switch(_) if is_value(&statement.text) => (opening, ""),
            BlockHead::Condition(head) => (head.with_keyword(&head.text), head.inline.as_str()),
            BlockHead::Else(inline) => ("else".to_owned(), inline.as_str()),
            BlockHead::Case(head) if self.blocks.falls_through(at, head) => return Some(String::new()),
            BlockHead::Case(head) => {
                let pattern = self.blocks.pattern(at, PART);
                let inside = self.inside(at, &head.inline)?;
                return (!pattern.contains('…')).then(|| format!("{pattern} {inside}"));
            }
            BlockHead::While(head) | BlockHead::Handler(head) | BlockHead::Switch(head) => (head.clone(), ""),
            BlockHead::Plain => (opening, ""),
            BlockHead::Closure | BlockHead::Unknown => return None,
        };
        Some(format!("{head}: {}", self.inside(at, inline)?))
    }

    /// Returns true for a block of one statement behind which a reader could not tell whether the next one is inside of it.
    fn needs_braces(&self, at: usize, only: usize) -> bool {
        let statements = self.blocks.statements;
        let goes_on = match self.blocks.next_sibling(at).map(|next| &statements[next].head) {
            None | Some(BlockHead::Else(_) | BlockHead::Handler(_) | BlockHead::Case(_)) => false,
            Some(BlockHead::Condition(head)) => !head.is_chained,
            Some(_) => true,
        };
        goes_on && !is_end(&statements[only].text)
    }

    /// Returns the block of a statement: in braces if it has several, or if it could go on.
    fn inside(&self, at: usize, inline: &str) -> Option<String> {
        let inner = block(self.blocks.statements, at);
        match (inline.trim_end_matches(';'), inner.as_slice()) {
            ("", []) => Some("{}".to_owned()),
            ("", [only]) if !self.needs_braces(at, *only) => self.list(&inner),
            ("", _) => Some(format!("{{ {} }}", self.list(&inner)?)),
            (inline, []) => Some(inline.trim_end_matches(',').to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::repo::Language;
    use crate::workflows::survey::bodies::{WholeBody, read_decisions};

    /// Returns the text of the only rule of a function that is shown whole; an empty one for others.
    fn whole(language: Language, text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let mut rules = read_decisions(language, &lines, 1, WholeBody::SHORT, &|_| false).rules;
        if rules.len() == 1 { rules.remove(0).text } else { String::new() }
    }

    #[test]
    fn a_short_function_is_shown_whole_in_every_language() {
        for (language, text, expected) in [
            (
                Language::Python,
                "def get(self, key):\n    with self.lock:\n        link = self.find(key)\n    if link.expires < self.timer():\n        self.remove(link)\n        raise KeyError(key)\n    return link.value",
                "with self.lock: { link = self.find(key) }; if link.expires < self.timer(): { self.remove(link); raise KeyError(key) }; return link.value",
            ),
            (
                Language::Rust,
                "fn next(&mut self) -> Option<u8> {\n    while self.rest.len() > self.most {\n        self.rest.pop();\n    }\n    match self.mode {\n        Mode::Fast => self.rest.pop(),\n        Mode::Slow => None,\n    }\n}",
                "while self.rest.len() > self.most: { self.rest.pop() }; match self.mode: { Mode::Fast => self.rest.pop(); Mode::Slow => None }",
            ),
            (
                Language::Go,
                "func open(name string) (*File, error) {\n\tfile, err := find(name)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn file, nil\n}",
                "file, err := find(name); if err != nil: return nil, err; return file, nil",
            ),
            (
                Language::JavaScript,
                "function read(path) {\n  try {\n    return load(path);\n  } catch (error) {\n    throw new ReadError(path);\n  }\n}",
                "try: return load(path); catch (error): throw new ReadError(path)",
            ),
        ] {
            assert_eq!(whole(language, text), expected, "{text}");
        }
    }

    #[test]
    fn a_body_keeps_what_a_block_gives_and_is_not_shown_without_some_of_its_lines() {
        let value = "fn size(&self) -> u8 {\n    let most = if self.big() {\n        56\n    } else {\n        78\n    };\n    let kind = match self.kind {\n        Kind::A => 1,\n        Kind::B => 2,\n    };\n    most + kind\n}";
        assert_eq!(
            whole(Language::Rust, value),
            "let most = if self.big(): 56; else: { 78 }; let kind = match self.kind: { Kind::A => 1; Kind::B => 2 }; most + kind"
        );
        for (language, text, lost) in [
            // A line that only some builds have.
            (
                Language::C,
                "int f(int a)\n{\n\tif (a > 12)\n\t\treturn 34;\n#ifdef X\n\ta = reset(a);\n#endif\n\treturn a;\n}",
                "reset",
            ),
            // A statement on the line of the signature.
            (
                Language::Java,
                "int f(int a) { int b = start(a);\n  if (b > 12) {\n    log(b);\n    return 34;\n  }\n  return b;\n}",
                "start",
            ),
            // Lines that are not indented by their blocks.
            (
                Language::Go,
                "func f(a int) int {\n\tif a > 12 {\n\t\treturn 34\n\t}\n\tfor {\nrun(a)\n\t}\n\treturn last(a)\n}",
                "last",
            ),
        ] {
            let shown = whole(language, text);
            assert!(shown.contains(lost) || !shown.contains("; "), "{shown}");
        }
    }

    #[test]
    fn a_body_is_shown_whole_or_not_at_all() {
        // Setting the fields is what a constructor is for.
        let constructor = "def __init__(self, size, name):\n    self.size = size\n    self._name = name";
        assert_eq!(whole(Language::Python, constructor), "");
        let secret =
            "def f(a):\n    if a > 12:\n        return 34\n    b = g(\"AKIAZ3MEXAMPLE7QX5TB\")\n    return b";
        assert!(!whole(Language::Python, secret).contains("b = g("));
        let closure = "function f(a) {\n  if (a > 12) {\n    return 34;\n  }\n  a.each((b) => {\n    b.run();\n  });\n}";
        // Closures need the braces of the code.
        let expected = "if (a > 12) { return 34; } a.each((b) => { b.run(); });";
        assert_eq!(whole(Language::JavaScript, closure), expected);
        let long =
            format!("def f(a):\n    if a > 12:\n        return 34\n{}", "    a.work_on_it()\n".repeat(20));
        assert_eq!(whole(Language::Python, &long), "if a > 12: return 34");
    }
}
