//! Renders documents as AsciiDoc. Escapes with character references because a backslash has another meaning in each context.

use std::borrow::Cow;

use super::page::{
    Block, DocumentPage, NAMELESS, Span, Target, Text, code_line, heading_text, keep_outer_spaces,
    normalize_lines, one_line,
};

/// Renders a document as the text of an AsciiDoc file.
pub(super) fn render(page: &DocumentPage) -> String {
    let mut parts = vec![format!("= {}", escape_name(&page.title))];
    parts.extend(page.blocks.iter().map(|block| self::block(page, block)));
    format!("{}\n", parts.join("\n\n"))
}

fn escape_name(text: &str) -> String {
    let text = escape(text);
    if text.is_empty() { NAMELESS.to_owned() } else { text }
}

fn block(page: &DocumentPage, block: &Block) -> String {
    match block {
        Block::Heading(level, text) => {
            format!("{} {}", "=".repeat(usize::from(*level)), escape_name(&heading_text(text)))
        }
        Block::Paragraph(text) => render_text(page, text),
        Block::Note(text) => format!("NOTE: {}", render_text(page, text)),
        Block::Quote(text) => format!("____\n{}\n____", render_text(page, text)),
        Block::List(items) => {
            items.iter().map(|item| format!("* {}", render_text(page, item))).collect::<Vec<_>>().join("\n")
        }
        Block::Tree(items) => {
            let item = |(item, inner): &(Text, Vec<Text>)| {
                let inner = inner.iter().map(|item| format!("\n** {}", render_text(page, item)));
                format!("* {}{}", render_text(page, item), inner.collect::<String>())
            };
            items.iter().map(item).collect::<Vec<_>>().join("\n")
        }
        Block::Steps(items) => {
            items.iter().map(|item| format!(". {}", render_text(page, item))).collect::<Vec<_>>().join("\n")
        }
        Block::Table { head, rows } => table(page, head, rows),
        Block::Code { language, text } => code_block(language, text),
    }
}

fn table(page: &DocumentPage, head: &[Cow<'static, str>], rows: &[Vec<Text>]) -> String {
    let columns = vec!["1"; head.len()].join(",");
    let mut all = vec![format!("[cols=\"{columns}\",options=\"header\"]"), "|===".to_owned()];
    all.extend(head.iter().map(|title| format!("|{}", escape(title))));
    for cells in rows {
        all.push(String::new());
        all.extend(cells.iter().map(|cell| format!("|{}", render_text(page, cell))));
    }
    all.push("|===".to_owned());
    all.join("\n")
}

/// Renders a code block of a language. Lines that look like directives (`include::`) are escaped, because the
/// preprocessor reads them even there.
fn code_block(language: &str, text: &str) -> String {
    let lines: Vec<String> = normalize_lines(text).into_iter().map(defuse_directive).collect();
    let longest = lines.iter().filter(|line| line.chars().all(|c| c == '-')).map(String::len).max();
    let fence = "-".repeat(longest.unwrap_or_default().max(3) + 1);
    format!("[source,{language},subs=\"specialcharacters\"]\n{fence}\n{}\n{fence}", lines.join("\n"))
}

fn defuse_directive(line: String) -> String {
    let directive = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"];
    let is_directive = directive.iter().any(|word| line.starts_with(word)) && line.ends_with(']');
    if is_directive { format!("\\{line}") } else { line }
}

fn render_text(page: &DocumentPage, text: &Text) -> String {
    let mut line = String::new();
    for span in text {
        let label = |label: &str| {
            if one_line(label).is_empty() { NAMELESS.to_owned() } else { escape_inside(&one_line(label)) }
        };
        match span {
            Span::Plain(said) => {
                let safe = if line.trim().is_empty() { escape(said) } else { escape_inside(&one_line(said)) };
                line += &keep_outer_spaces(said, &safe);
            }
            Span::Code(said) if code_line(said).is_empty() => {}
            Span::Code(said) => line.extend(["``", &escape_all(&code_line(said)), "``"]),
            Span::Strong(said) => line.extend(["**", &label(said), "**"]),
            Span::Link { label: said, to } => {
                let by = if matches!(to, Target::Page(_)) { "xref:" } else { "link:" };
                line.extend([by, &page.address(to, "adoc"), "[", &label(said), "]"]);
            }
        }
    }
    line.trim().to_owned()
}

/// Escapes text at the beginning of a line as character references, so that neither its first character nor
/// its first word starts a list, heading or block.
fn escape(text: &str) -> String {
    let text = one_line(text);
    let mut safe = String::with_capacity(text.len());
    let first_word = text.find(' ').unwrap_or(text.len());
    let opens =
        |at: usize, c: char| (at == 0 && c.is_ascii_punctuation()) || (at + 1 == first_word && c == '.');
    match text.char_indices().find(|(at, c)| opens(*at, *c)) {
        Some((at, c)) => {
            safe.push_str(&escape_inside(&text[..at]));
            push_reference(c, &mut safe);
            safe + &escape_inside(&text[at + 1..])
        }
        _ => escape_inside(&text),
    }
}

/// Escapes punctuation in the middle of a line as character references. Commas, slashes, question marks and
/// single dots and hyphens stay, so that the source is readable.
fn escape_inside(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 4);
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        let alone = match c {
            ',' | '?' | '/' => true,
            '.' => before != '.' && next != '.',
            '-' => before != '-' && next != '-',
            _ => false,
        };
        if c.is_ascii_punctuation() && !alone {
            push_reference(c, &mut safe);
        } else {
            safe.push(c);
        }
        before = c;
    }
    safe
}

/// Escapes all ASCII punctuation except commas and slashes, for code spans.
fn escape_all(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        let plain = matches!(c, ',' | '/') || !c.is_ascii_punctuation();
        if plain {
            safe.push(c);
        } else {
            push_reference(c, &mut safe);
        }
    }
    safe
}

fn push_reference(c: char, safe: &mut String) {
    safe.extend(["&#", &u32::from(c).to_string(), ";"]);
}
