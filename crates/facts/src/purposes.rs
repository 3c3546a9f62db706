//! Purposes of the repository, its projects, folders, modules and types, in the words of their sources.

use std::sync::Arc;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use stategraph_repo::{FileOutline, Language, ProjectMetadata, SymbolInfo, Visibility};

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};
use crate::projects::{folder_of, line_of};
use crate::text::purpose;

/// Files that speak for their folder.
const FOLDER_FILES: &[&str] = &["mod.rs", "__init__.py", "package-info.java"];

/// Returns the stated purposes.
pub(crate) fn facts(project: &ProjectMetadata, outlines: &[Arc<FileOutline>], texts: &Texts) -> Vec<Fact> {
    let mut found = Vec::new();
    for manifest in &project.manifests {
        let (Some(text), Some(described)) = (texts.read(&manifest.path), &manifest.description) else {
            continue;
        };
        let first = described.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        let Some(line) = text.lines().position(|line| line.contains(first)) else { continue };
        let is_root = !manifest.path.contains('/');
        let folder = folder_of(&manifest.path).to_owned();
        let subject = if is_root { FactSubject::Repository } else { FactSubject::Project(folder) };
        add(&mut found, subject, described, SourceLines::line(&manifest.path, line + 1));
    }
    for path in texts.paths() {
        let (folder, name) = (folder_of(path), path.rsplit('/').next().unwrap_or(path));
        if name.to_lowercase().starts_with("readme.") || name.eq_ignore_ascii_case("readme") {
            let Some((paragraph, start, end)) = texts.read(path).and_then(|text| first_paragraph(&text))
            else {
                continue;
            };
            let subject = if folder.is_empty() {
                FactSubject::Repository
            } else {
                FactSubject::Folder(folder.to_owned())
            };
            add(&mut found, subject, &paragraph, SourceLines { path: path.clone(), start, end });
        }
    }
    for outline in outlines {
        of_file(outline, texts, &mut found);
    }
    found
}

/// A paragraph with its place.
pub(crate) struct Paragraph {
    pub(crate) text: String,
    pub(crate) source: SourceLines,
}

/// Returns the first paragraph of the README of a folder.
pub(crate) fn readme_paragraph(folder: &str, texts: &Texts) -> Option<Paragraph> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let path = texts.below(&prefix).find(|path| {
        let rest = path[prefix.len()..].to_lowercase();
        rest == "readme" || rest.starts_with("readme.") && !rest.contains('/')
    })?;
    let (text, start, end) = first_paragraph(&texts.read(path)?)?;
    Some(Paragraph { text, source: SourceLines { path: path.clone(), start, end } })
}

fn add(found: &mut Vec<Fact>, subject: FactSubject, text: &str, source: SourceLines) {
    found.extend(
        purpose(text).map(|text| Fact::new(subject, FactValue::Purpose { text }, source, FactOrigin::Quoted)),
    );
}

fn of_file(outline: &FileOutline, texts: &Texts, found: &mut Vec<Fact>) {
    let documented = outline.symbols.iter().filter(|symbol| is_documented_type(symbol)).collect::<Vec<_>>();
    if outline.docstring.is_none() && documented.is_empty() {
        return;
    }
    let Some(text) = texts.read(&outline.path) else { return };
    if let Some(docs) = &outline.docstring {
        let start = docs.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        let line = line_of_words(&text, &start);
        let name = outline.path.rsplit('/').next().unwrap_or_default();
        let folder = folder_of(&outline.path);
        let subject = match name {
            // The documentation of a crate's root is that of the crate.
            "lib.rs" | "main.rs" if folder == "src" || folder.ends_with("/src") => {
                FactSubject::Project(folder_of(folder).to_owned())
            }
            // A comment above `package` is that of the whole folder.
            _ if (FOLDER_FILES.contains(&name) || outline.language == Language::Go) && !folder.is_empty() => {
                FactSubject::Folder(folder.to_owned())
            }
            _ => FactSubject::File(outline.path.clone()),
        };
        if let Some(line) = line {
            add(found, subject, docs, SourceLines::line(&outline.path, line));
        }
    }
    for symbol in documented {
        let Some((start, end)) = symbol.doc_lines(&text) else { continue };
        let docs = symbol.docstring.as_deref().unwrap_or_default();
        let subject = FactSubject::Symbol { path: outline.path.clone(), name: symbol.name.clone() };
        add(found, subject, docs, SourceLines { path: outline.path.clone(), start, end });
    }
}

fn is_documented_type(symbol: &SymbolInfo) -> bool {
    use stategraph_repo::SymbolKind::{Impl, Module, Namespace};
    let is_type = symbol.kind.is_type() && !matches!(symbol.kind, Impl | Module | Namespace);
    is_type && symbol.visibility == Visibility::Public && symbol.docstring.is_some()
}

/// Returns the first line that has these words near each other at its beginning.
fn line_of_words(text: &str, words: &str) -> Option<usize> {
    let exact = text.lines().position(|line| {
        let bare: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
        bare.contains(words)
    });
    let first = words.split(' ').next().unwrap_or_default();
    exact.map(|index| index + 1).or_else(|| line_of(text, first))
}

/// Beginnings of paragraphs that lead elsewhere instead of saying what something is.
const POINTERS: &[&str] = &[
    "see ",
    "note",
    "available ",
    "this readme",
    "this document",
    "looking for",
    "if you",
    "click",
    "download",
    "join ",
    "for more",
    "warning",
    "⚠",
];

/// Returns the first paragraph of a Markdown text that says something, with its first and last line. Badges, images, HTML, headings and lists
/// of links are no paragraphs.
pub(crate) fn first_paragraph(text: &str) -> Option<(String, usize, usize)> {
    let mut open: Option<(String, usize)> = None;
    let (mut image, mut quote) = (0_usize, 0_usize);
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quote += 1,
            Event::End(TagEnd::BlockQuote(_)) => quote = quote.saturating_sub(1),
            Event::Start(Tag::Paragraph) if quote == 0 => open = Some((String::new(), range.start)),
            Event::Start(Tag::Image { .. }) => image += 1,
            Event::End(TagEnd::Image) => image = image.saturating_sub(1),
            Event::Text(words) if image == 0 => {
                open.iter_mut().for_each(|(paragraph, _)| paragraph.push_str(&words));
            }
            Event::Code(words) => {
                open.iter_mut().for_each(|(paragraph, _)| paragraph.extend(["`", &words, "`"]));
            }
            Event::SoftBreak | Event::HardBreak => {
                open.iter_mut().for_each(|(paragraph, _)| paragraph.push(' '));
            }
            Event::End(TagEnd::Paragraph) => {
                let Some((paragraph, start)) = open.take() else { continue };
                let lower = paragraph.to_lowercase();
                let is_pointer = POINTERS.iter().any(|start| lower.starts_with(start));
                let is_sentence = paragraph.split_whitespace().count() >= 4 && !is_pointer;
                if is_sentence && purpose(&paragraph).is_some() {
                    let line = |at: usize| text[..at].matches('\n').count() + 1;
                    let end = range.start + text[range.clone()].trim_end().len();
                    return Some((paragraph, line(start), line(end)));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::first_paragraph;

    #[test]
    fn badges_headings_and_images_are_no_paragraph() {
        let text = "# Name\n\n[![ci](https://x/y.svg)](https://x)\n![logo](a.png)\n\n<p>html</p>\n\nA small tool\nfor `trees` of files.\n\nMore.\n";
        assert_eq!(first_paragraph(text), Some(("A small tool for `trees` of files.".into(), 8, 9)));
        let pointing = "See the presentation [here](x).\n\nA clinic for small pets.\n";
        assert_eq!(first_paragraph(pointing), Some(("A clinic for small pets.".into(), 3, 3)));
        assert_eq!(first_paragraph("# Only\n\n- a list\n"), None);
        assert_eq!(first_paragraph(""), None);
    }
}
