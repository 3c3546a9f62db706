//! Renders documents as reStructuredText. Every paragraph and item is one line, so only its beginning can be mistaken for
//! structure. Tables are list tables, whose cells need no alignment.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use super::page::{
    Block, DocumentPage, NAMELESS, Span, Text, code_line, heading_text, keep_outer_spaces, normalize_lines,
    one_line,
};

/// Underlines of headings, by level.
const UNDERLINES: [char; 4] = ['=', '-', '~', '^'];

/// Renders a document as the text of a reStructuredText file.
pub(super) fn render(page: &DocumentPage) -> String {
    let mut parts = vec![heading(&page.title, 1)];
    parts.extend(page.blocks.iter().map(|block| self::block(page, block)));
    format!("{}\n", parts.join("\n\n"))
}

fn block(page: &DocumentPage, block: &Block) -> String {
    match block {
        Block::Heading(level, text) => heading(&heading_text(text), usize::from(*level)),
        Block::Paragraph(text) => render_text(page, text),
        Block::Note(text) => format!(".. note::\n\n   {}", render_text(page, text)),
        Block::Quote(text) => format!("   {}", render_text(page, text)),
        Block::List(items) => {
            items.iter().map(|item| format!("- {}", render_text(page, item))).collect::<Vec<_>>().join("\n")
        }
        Block::Tree(items) => {
            let item = |(item, inner): &(Text, Vec<Text>)| {
                let outer = format!("- {}", render_text(page, item));
                let inner: Vec<String> =
                    inner.iter().map(|item| format!("  - {}", render_text(page, item))).collect();
                // Nested lists stand between empty lines.
                if inner.is_empty() { outer } else { format!("{outer}\n\n{}\n", inner.join("\n")) }
            };
            items.iter().map(item).collect::<Vec<_>>().join("\n").trim_end().to_owned()
        }
        Block::Steps(items) => {
            let steps =
                (1..).zip(items).map(|(number, item)| format!("{number}. {}", render_text(page, item)));
            steps.collect::<Vec<_>>().join("\n")
        }
        Block::Table { head, rows } => table(page, head, rows),
        Block::Code { text, .. } => {
            let indented = |line: String| if line.is_empty() { line } else { format!("    {line}") };
            format!(
                "::\n\n{}",
                normalize_lines(text).into_iter().map(indented).collect::<Vec<_>>().join("\n")
            )
        }
    }
}

fn heading(text: &str, level: usize) -> String {
    let title = escape(text);
    let title = if title.is_empty() { NAMELESS.to_owned() } else { title };
    let underline = UNDERLINES[level.clamp(1, UNDERLINES.len()) - 1].to_string();
    // At least as long as the title by the count of any renderer.
    let width: usize = title.chars().map(|c| c.width().unwrap_or(1).max(1)).sum();
    format!("{title}\n{}", underline.repeat(width.max(4)))
}

fn table(page: &DocumentPage, head: &[Cow<'static, str>], rows: &[Vec<Text>]) -> String {
    let row = |cells: Vec<String>| {
        let line = |(at, cell): (usize, String)| {
            format!("   {} - {cell}", if at == 0 { "*" } else { " " }).trim_end().to_owned()
        };
        cells.into_iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    };
    let mut all = vec![".. list-table::\n   :header-rows: 1\n".to_owned()];
    all.push(row(head.iter().map(|title| escape(title)).collect()));
    all.extend(rows.iter().map(|cells| row(cells.iter().map(|cell| render_text(page, cell)).collect())));
    all.join("\n")
}

/// Renders inline text on one line. Markup is recognised only next to white space or punctuation; elsewhere
/// an escaped space, which is invisible, separates it.
fn render_text(page: &DocumentPage, text: &Text) -> String {
    let mut line = String::new();
    let mut after_markup = false;
    for span in text {
        let (said, is_markup) = render_span(page, span, line.trim().is_empty());
        let touches = !line.is_empty() && !line.ends_with(' ') && !said.starts_with(' ') && !said.is_empty();
        if touches && (after_markup || is_markup) {
            line.push_str("\\ ");
        }
        line.push_str(&said);
        after_markup = if said.is_empty() { after_markup } else { is_markup };
    }
    line.trim_end_matches(' ').trim_start().to_owned()
}

/// Renders a piece of inline text; `first` is true at the beginning of a line. Returns the text, and true if
/// it is markup.
fn render_span(page: &DocumentPage, span: &Span, first: bool) -> (String, bool) {
    let escape_name = |text: &str| {
        if one_line(text).is_empty() { NAMELESS.to_owned() } else { escape_inside(&one_line(text)) }
    };
    match span {
        Span::Plain(text) => {
            let said = if first { escape(text) } else { escape_inside(&one_line(text)) };
            (keep_outer_spaces(text, &said), false)
        }
        Span::Code(text) => code(&code_line(text), first),
        Span::Strong(text) => (format!("**{}**", escape_name(text)), true),
        Span::Link { label, to } => {
            (format!("`{} <{}>`__", escape_name(label), page.address(to, "rst")), true)
        }
    }
}

/// Renders a code span; `first` is true at the beginning of a line. A text that a span cannot express is
/// escaped as plain text. Returns the text, and true if it is markup.
fn code(text: &str, first: bool) -> (String, bool) {
    if text.is_empty() || text.contains('`') || text.ends_with('\\') {
        return (if first { escape(text) } else { escape_inside(text) }, false);
    }
    (format!("``{text}``"), true)
}

/// Escapes text at the beginning of a line, so that neither its first character nor its first word starts a
/// list, heading or directive.
fn escape(text: &str) -> String {
    let text = one_line(text);
    let (first, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    // `1.`, `a)` and similar words start a list.
    let (name, dot) = match first.strip_suffix(['.', ')']) {
        Some(name) if !name.is_empty() => (name, &first[name.len()..]),
        _ => (first, ""),
    };
    let dot = if dot.is_empty() { String::new() } else { format!("\\{dot}") };
    let safe = format!("{}{dot}{}", escape_inside(name), escape_inside(rest));
    if safe.chars().all(|c| c == '\\') && !safe.is_empty() {
        // A line of punctuation alone is a transition.
        return format!("\\ {safe}");
    }
    match safe.chars().next() {
        Some(c) if c.is_ascii_punctuation() && c != '\\' => format!("\\{safe}"),
        _ => safe,
    }
}

/// Escapes the signs in the middle of a line that would begin markup.
fn escape_inside(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let doubled = c == ':' && (before == ':' || rest.peek() == Some(&':'));
        if matches!(c, '\\' | '*' | '`' | '|' | '_' | '<' | '>') || doubled {
            safe.push('\\');
        }
        safe.push(c);
        before = c;
    }
    safe
}
