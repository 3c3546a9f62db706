//! Renders documents as GitHub Flavored Markdown.

use std::borrow::Cow;

use super::page::{
    Block, DocumentPage, NAMELESS, Span, Target, Text, code_line, keep_outer_spaces, normalize_lines,
};
use crate::workflows::markdown::{behind, inline};

/// Renders a document as the text of a Markdown file.
pub(super) fn render(page: &DocumentPage) -> String {
    let mut parts = vec![format!("# {}", escape_name(&page.title))];
    parts.extend(page.blocks.iter().map(|block| self::block(page, block)));
    format!("{}\n", parts.join("\n\n"))
}

fn escape_name(title: &str) -> String {
    let title = inline(title);
    if title.is_empty() { NAMELESS.to_owned() } else { title }
}

/// Position of a text, in a line or in a table cell. It decides how code spans escape bars.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextPosition {
    Line,
    Cell,
}

fn block(page: &DocumentPage, block: &Block) -> String {
    let line = |text: &Text| render_text(page, text, TextPosition::Line);
    match block {
        Block::Heading(level, text) => {
            let said = line(text);
            let said = if said.is_empty() { NAMELESS.to_owned() } else { said };
            format!("{} {said}", "#".repeat(usize::from(*level)))
        }
        Block::Paragraph(text) => line(text),
        Block::Note(text) => format!("> **Note:** {}", line(text)),
        Block::Quote(text) => format!("> {}", line(text)),
        Block::List(items) => {
            items.iter().map(|item| format!("- {}", line(item))).collect::<Vec<_>>().join("\n")
        }
        Block::Tree(items) => {
            let item = |(item, inner): &(Text, Vec<Text>)| {
                let inner = inner.iter().map(|item| format!("\n  - {}", line(item)));
                format!("- {}{}", line(item), inner.collect::<String>())
            };
            items.iter().map(item).collect::<Vec<_>>().join("\n")
        }
        Block::Steps(items) => {
            let steps = (1..).zip(items).map(|(number, item)| format!("{number}. {}", line(item)));
            steps.collect::<Vec<_>>().join("\n")
        }
        Block::Table { head, rows } => table(page, head, rows),
        Block::Code { language, text } => code_block(language, text),
    }
}

fn table(page: &DocumentPage, head: &[Cow<'static, str>], rows: &[Vec<Text>]) -> String {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut all = vec![
        row(head.iter().map(|title| inline(title)).collect()),
        row(head.iter().map(|_| ":---".to_owned()).collect()),
    ];
    all.extend(
        rows.iter()
            .map(|cells| row(cells.iter().map(|cell| render_text(page, cell, TextPosition::Cell)).collect())),
    );
    all.join("\n")
}

fn code_block(language: &str, text: &str) -> String {
    let lines = normalize_lines(text).join("\n");
    let fence = "`".repeat(longest_run(&lines).max(2) + 1);
    format!("{fence}{language}\n{lines}\n{fence}")
}

fn render_text(page: &DocumentPage, text: &Text, position: TextPosition) -> String {
    let mut line = String::new();
    for span in text {
        match span {
            Span::Plain(said) if line.is_empty() => line += &keep_outer_spaces(said, &inline(said)),
            Span::Plain(said) => line += &keep_outer_spaces(said, &behind(said)),
            Span::Code(said) => line += &code(said, position),
            Span::Strong(said) => line.extend(["**", &escape_name(said), "**"]),
            Span::Link { label, to } => {
                let shown = escape_name(label);
                // Escaped paths are hard to read in the text of the file.
                let is_path = matches!(to, Target::Source(_)) && shown.contains('\\');
                let shown = if is_path { code(label, position) } else { shown };
                line.extend(["[", &shown, "](", &page.address(to, "md"), ")"]);
            }
        }
    }
    line.trim().to_owned()
}

/// Renders a code span. In a table cell only bars can be escaped, so a text with bars and backslashes becomes
/// plain text.
fn code(text: &str, position: TextPosition) -> String {
    let text = code_line(text);
    let barred = position == TextPosition::Cell && text.contains('|');
    if text.is_empty() || (barred && text.contains('\\')) {
        return inline(&text);
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = if barred { text.replace('|', "\\|") } else { text };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns the length of the longest run of backticks in a text.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
