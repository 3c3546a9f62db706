//! Reads reStructuredText documents as sections, limited to headings, paragraphs, lists and code blocks.

use super::documents::{BlockKind, DocumentBlock, ExampleCode, Section};
use crate::text::without_strong;

/// Splits a reStructuredText document into sections. Tables, comments and directives other than code are
/// left out.
pub(super) fn sections(text: &str) -> Vec<Section> {
    read_sections(text, false)
}

/// Splits a reStructuredText document into sections like [`sections`], with its notes and warnings.
pub(super) fn sections_with_notes(text: &str) -> Vec<Section> {
    read_sections(text, true)
}

fn read_sections(text: &str, with_notes: bool) -> Vec<Section> {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = RstReader { found: vec![Section::default()], marks: Vec::new(), with_notes };
    let mut at = 0;
    while at < lines.len() {
        at = reader.read(&lines, at);
    }
    reader.found
}

/// Reader of a reStructuredText document: its lines, and the sections found so far.
struct RstReader {
    found: Vec<Section>,
    /// Heading styles met so far, outermost first: the underline character, and true with an overline.
    /// Their order gives the level.
    marks: Vec<(char, bool)>,
    /// True if notes and warnings are read.
    with_notes: bool,
}

impl RstReader {
    /// Reads the block (heading, code, paragraph or list item) that begins at the line `at` and adds it to
    /// the sections. Returns the index of the line after it.
    fn read(&mut self, lines: &[&str], at: usize) -> usize {
        let line = lines[at];
        if line.trim().is_empty() {
            return at + 1;
        }
        if let Some(next) = self.read_heading(lines, at) {
            return next;
        }
        if is_code_directive(line) {
            return self.read_code(lines, at);
        }
        if line.starts_with(">>> ") {
            return self.read_session(lines, at);
        }
        // A simple table: its lines are not indented.
        if line.starts_with("==") && line.trim_end().contains(' ') {
            return end_of_table(lines, at);
        }
        if let Some(kind) = note_kind(line).filter(|_| self.with_notes) {
            return self.read_note(lines, at, kind);
        }
        if line.starts_with("..")
            || line.starts_with(['|', '+', '='])
            || line.starts_with(char::is_whitespace)
        {
            return end_of_block(lines, at);
        }
        self.read_paragraph(lines, at)
    }

    /// Reads a heading (a line with an underline and possibly an overline) and begins a section. Returns
    /// the index of the line after it; `None` if there is no heading at `at`.
    fn read_heading(&mut self, lines: &[&str], at: usize) -> Option<usize> {
        let (over, title, under) = match rule(lines[at]) {
            Some(mark) => (Some(mark), at + 1, at + 2),
            None => (None, at, at + 1),
        };
        let mark = rule(lines.get(under)?)?;
        let words = lines.get(title)?.trim();
        if words.is_empty() || over.is_some_and(|over| over != mark) {
            return None;
        }
        let key = (mark, over.is_some());
        let level = self.marks.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.marks.push(key);
            self.marks.len() - 1
        });
        self.marks.truncate(level + 1);
        self.found.push(Section {
            heading: plain(words),
            level: level + 1,
            line: title + 1,
            ..Section::default()
        });
        Some(under + 1)
    }

    /// Reads an indented code block and adds it to the current section. Returns the index of the line after
    /// it.
    fn read_code(&mut self, lines: &[&str], at: usize) -> usize {
        let end = end_of_block(lines, at);
        let body: Vec<&str> = lines[at + 1..end]
            .iter()
            .copied()
            .skip_while(|line| line.trim().is_empty() || line.trim_start().starts_with(':'))
            .collect();
        let indent = body
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start().len())
            .min();
        let bare = |line: &&str| line.get(indent.unwrap_or_default()..).unwrap_or_default().to_owned();
        let text = body.iter().map(bare).collect::<Vec<_>>().join("\n").trim_end().to_owned();
        let directive = Some(lines[at].trim()).filter(|line| is_code_directive(line));
        let language = directive.and_then(|line| line.split_once("::")).map_or("", |(_, words)| words.trim());
        let last = lines[..end].iter().rposition(|line| !line.trim().is_empty()).map_or(end, |last| last + 1);
        if let Some(section) = self.found.last_mut().filter(|_| !text.is_empty()) {
            let language = language.to_owned();
            section.codes.push(ExampleCode { text, language, start: at + 1, end: last });
        }
        end
    }

    /// Reads the lines of a session of Python (`>>> a`) up to an empty line. Returns the index of the line after it.
    fn read_session(&mut self, lines: &[&str], at: usize) -> usize {
        let end = lines[at..]
            .iter()
            .position(|line| line.trim().is_empty())
            .map_or(lines.len(), |length| at + length);
        if let Some(section) = self.found.last_mut() {
            let (text, language) = (lines[at..end].join("\n"), "python".to_owned());
            section.codes.push(ExampleCode { text, language, start: at + 1, end });
        }
        end
    }

    /// Reads the first paragraph of a note. Returns the index of the line after the note.
    fn read_note(&mut self, lines: &[&str], at: usize, kind: &str) -> usize {
        let end = end_of_block(lines, at);
        let first = lines[at].split_once("::").map_or("", |(_, rest)| rest.trim());
        let rest = lines[at + 1..end].iter().map(|line| line.trim());
        let words: Vec<&str> = match first {
            "" => rest
                .skip_while(|line| line.is_empty() || line.starts_with(':'))
                .take_while(|line| !line.is_empty())
                .collect(),
            first => std::iter::once(first).chain(rest.take_while(|line| !line.is_empty())).collect(),
        };
        let text = plain(words.join(" ").trim_end_matches("::"));
        if let Some(section) = self.found.last_mut().filter(|_| !text.is_empty()) {
            section.blocks.push(DocumentBlock {
                kind: BlockKind::Note,
                number: 0,
                text: format!("{kind}: {text}"),
                is_link: false,
                is_inner: false,
                start: at + 1,
                end,
            });
        }
        end
    }

    /// Reads a paragraph or list item, and the code block after it if it ends in `::`. Returns the index of
    /// the line after it.
    fn read_paragraph(&mut self, lines: &[&str], at: usize) -> usize {
        let mut end = at + 1;
        while end < lines.len() && !lines[end].trim().is_empty() && !is_item(lines[end]) {
            end += 1;
        }
        let words = lines[at..end].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        let is_announcement = words.ends_with("::");
        // `::` is the colon of a sentence and the mark of the code behind it; behind a space it is the mark alone.
        let words = match words.strip_suffix("::") {
            Some(said) if said.is_empty() || said.ends_with(' ') => said.trim_end(),
            Some(_) => &words[..words.len() - 1],
            None => words.as_str(),
        };
        let kind = match () {
            () if is_step(lines[at]) => BlockKind::Step,
            () if is_item(lines[at]) => BlockKind::Item,
            () => BlockKind::Paragraph,
        };
        // The list has the number of a step.
        let number = words.split_once(". ").filter(|_| kind == BlockKind::Step);
        let (number, words) = number.map_or((0, words), |(number, rest)| (number.parse().unwrap_or(0), rest));
        let text = plain(words.trim_start_matches(['*', '-', '+', ' ']));
        if let Some(section) = self.found.last_mut() {
            section.blocks.push(DocumentBlock {
                kind,
                number,
                text,
                is_link: false,
                is_inner: false,
                start: at + 1,
                end,
            });
        }
        if is_announcement { self.read_code(lines, end.saturating_sub(1)) } else { end }
    }
}

/// Returns the index of the line after a simple table, which ends with its second or third rule of `=`.
fn end_of_table(lines: &[&str], at: usize) -> usize {
    let is_rule = |line: &str| line.starts_with("==") && line.chars().all(|c| c == '=' || c == ' ');
    let mut rules = 0;
    for (index, line) in lines.iter().enumerate().skip(at) {
        rules += usize::from(is_rule(line));
        let ends = lines.get(index + 1).is_none_or(|next| next.trim().is_empty());
        if is_rule(line) && (rules == 3 || rules == 2 && ends) {
            return index + 1;
        }
    }
    lines.len()
}

/// Returns true for a line that begins a list item, with or without a number.
fn is_item(line: &str) -> bool {
    ["* ", "- ", "+ "].iter().any(|mark| line.starts_with(mark)) || is_step(line)
}

/// Returns true for an item of a numbered list, such as `2. Run it.`
fn is_step(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    (1..=2).contains(&(line.len() - digits.len())) && digits.starts_with(". ")
}

/// Returns true for a directive such as `.. code-block::` that introduces code.
fn is_code_directive(line: &str) -> bool {
    [".. code-block::", ".. code::", ".. sourcecode::"].iter().any(|start| line.starts_with(start))
}

/// Returns the kind of a note that begins with this line, in words: `Note` for `.. note::`.
fn note_kind(line: &str) -> Option<&'static str> {
    const KINDS: [(&str, &str); 7] = [
        ("note", "Note"),
        ("warning", "Warning"),
        ("caution", "Caution"),
        ("important", "Important"),
        ("tip", "Tip"),
        ("hint", "Hint"),
        ("attention", "Attention"),
    ];
    let word = line.strip_prefix(".. ")?.split_once("::")?.0;
    KINDS.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
}

/// Returns the character of a line that consists of one repeated punctuation mark, as under a heading.
fn rule(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}

/// Returns the index of the next line after `at` that is not indented, where an indented block ends.
fn end_of_block(lines: &[&str], at: usize) -> usize {
    let rest = lines[at + 1..]
        .iter()
        .position(|line| !line.trim().is_empty() && !line.starts_with(char::is_whitespace));
    rest.map_or(lines.len(), |rest| at + 1 + rest)
}

/// Returns a reStructuredText without markup: role names and link targets are removed, literals and roles
/// are put in backticks.
fn plain(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let before = &rest[..at];
        let fence = if rest[at..].starts_with("``") { 2 } else { 1 };
        let inside = &rest[at + fence..];
        let Some(end) = inside.find(&"`"[..].repeat(fence)) else { break };
        let words = &inside[..end];
        rest = inside[end + fence..].trim_start_matches('_');
        let bare = without_role(before);
        found.push_str(bare);
        let is_role = bare.len() < before.len();
        let shown = words.split(" <").next().unwrap_or(words);
        let shown = if is_role { shown.trim_start_matches('~') } else { shown };
        if fence == 2 || is_role { found.extend(["`", shown, "`"]) } else { found.push_str(shown) }
    }
    found.push_str(rest);
    without_references(&without_footnotes(&without_strong(&found)))
}

/// Removes the sign of a reference behind a word: `see GitHub_.` → `see GitHub.`
fn without_references(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        plain.push_str(if at > 0 { "`" } else { "" });
        let is_code = at % 2 == 1;
        for (place, c) in part.char_indices() {
            let before = part[..place].chars().next_back().is_some_and(char::is_alphanumeric);
            let after = part[place + c.len_utf8()..].chars().next();
            let ends =
                after.is_none_or(|c| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | ')' | '!'));
            if is_code || c != '_' || !before || !ends {
                plain.push(c);
            }
        }
    }
    plain
}

/// Removes footnote references such as `[1]_` and `[#note]_`.
fn without_footnotes(text: &str) -> String {
    let is_footnote = |word: &str| {
        let inside =
            word.strip_prefix('[').and_then(|rest| rest.trim_end_matches(['.', ',']).strip_suffix("]_"));
        inside.is_some_and(|it| it.starts_with(|c: char| c == '#' || c.is_ascii_digit()))
    };
    if !text.contains("]_") {
        return text.to_owned();
    }
    text.split(' ').filter(|word| !is_footnote(word)).collect::<Vec<_>>().join(" ")
}

/// Removes a role name at the end of a text: `see :py:func:` → `see `.
fn without_role(text: &str) -> &str {
    let Some(inner) = text.strip_suffix(':') else { return text };
    match inner.rfind(':') {
        Some(start)
            if !inner[start + 1..].is_empty()
                && inner[start + 1..].chars().all(|c| c.is_ascii_alphabetic() || matches!(c, ':' | '-')) =>
        {
            &inner[..start]
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_paragraphs_items_and_code_are_read() {
        let text = "=====\nTitle\n=====\n\nUse :class:`~a.Spec` and ``b``, see `here <x>`_.\n\nUsage\n-----\n\nCall it::\n\n    spec.path()\n\n* one\n  more\n* two\n\n.. note::\n\n   hidden\n\nInner\n.....\n\n.. code-block:: python\n   :linenos:\n\n   x = 1\n     y\n";
        let all = sections(text);
        let shown: Vec<String> = all
            .iter()
            .map(|section| {
                let blocks: Vec<&str> = section.blocks.iter().map(|block| block.text.as_str()).collect();
                let example = section.example().map(|example| example.text.as_str()).unwrap_or_default();
                format!(
                    "{} {} {}: {} | {example}",
                    section.level,
                    section.heading,
                    section.line,
                    blocks.join("; ")
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "0  0:  | ",
                "1 Title 2: Use `a.Spec` and `b`, see here. | ",
                "2 Usage 7: Call it:; one more; two | spec.path()",
                "3 Inner 22:  | x = 1\n  y",
            ]
        );
    }

    #[test]
    fn no_text_stops_the_reader() {
        for text in
            ["", "=", "===\n", "`", "``a", ":x:`", "..", ".. code::", "a\n===\n", "====\na\n----\n", "a::"]
        {
            assert!(!sections(text).is_empty(), "{text}");
        }
    }
}
