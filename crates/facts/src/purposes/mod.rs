//! Purposes of the repository, its projects, folders, modules, types and main functions, in the words of their sources. Reading order: this
//! file (subjects and their order), `sentence` (what a purpose is), `markup` and `openings` (its parts), `documents` (first paragraphs of READMEs), `comments` (paragraphs of
//! comments), `heads` (comments at the top of files), `lists` (folders that a document describes).

mod comments;
mod documents;
mod heads;
mod lists;
mod markup;
mod openings;
mod sentence;

use std::collections::BTreeSet;
use std::sync::Arc;

use stategraph_repo::{FileOutline, Language, ProjectMetadata, SymbolInfo, SymbolKind, Visibility};

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::projects::{self, folder_of};
use crate::role::{generated_line, role_of};
use sentence::purpose_of;

pub(crate) use documents::{Paragraph, readme_paragraph};

/// Most functions of a file with a purpose.
const FUNCTIONS: usize = 30;

/// Returns the stated purposes. Those of the repository come first, the best one at their top.
pub(crate) fn facts(project: &ProjectMetadata, outlines: &[Arc<FileOutline>], texts: &Texts) -> Vec<Fact> {
    let mut found = Vec::new();
    of_projects(project, texts, &mut found);
    for path in texts.paths().filter(|path| documents::is_readme(path)) {
        let folder = folder_of(path);
        if folder.is_empty() || is_hidden(folder) {
            continue;
        }
        if let Some(paragraph) = documents::read(path, texts) {
            add(&mut found, FactSubject::Folder(folder.to_owned()), &paragraph.text, paragraph.source);
        }
    }
    let entries = entries(project, texts);
    let mut parts = Vec::new();
    for outline in outlines.iter().filter(|outline| is_told(outline)) {
        let Some(text) = texts.read(&outline.path) else { continue };
        let is_entry = entries.contains(outline.path.as_str());
        parts.extend(of_file(outline, &text, is_entry));
    }
    for fact in &mut parts {
        widen(fact, texts);
    }
    found.extend(parts);
    found.extend(lists::facts(texts));
    found
}

fn is_hidden(folder: &str) -> bool {
    folder.split('/').any(|part| part.starts_with('.'))
}

/// Adds the descriptions of manifests and the README of the root.
fn of_projects(project: &ProjectMetadata, texts: &Texts, found: &mut Vec<Fact>) {
    let mut described = projects::described(project, texts);
    // A private package beside another manifest is there for tools.
    described.sort_by_key(|it| (!it.folder.is_empty(), it.is_private, it.ecosystem));
    let readme = readme_paragraph("", texts);
    let is_definition = |paragraph: &Paragraph| sentence::is_definition(&paragraph.text);
    let add_readme = |found: &mut Vec<Fact>, paragraph: &Paragraph| {
        add(found, FactSubject::Repository, &paragraph.text, paragraph.source.clone());
    };
    // "X is a …" reads best of all.
    if let Some(paragraph) = readme.as_ref().filter(|paragraph| is_definition(paragraph)) {
        add_readme(found, paragraph);
    }
    let is_alone = described.iter().filter(|it| it.folder.is_empty()).count() < 2;
    for it in described {
        // Of a package for tools it says what the tools are for.
        if it.is_private && it.folder.is_empty() && !is_alone {
            continue;
        }
        let subject =
            if it.folder.is_empty() { FactSubject::Repository } else { FactSubject::Project(it.folder) };
        add(found, subject, &it.text, it.source);
    }
    readme.iter().for_each(|paragraph| add_readme(found, paragraph));
}

fn add(found: &mut Vec<Fact>, subject: FactSubject, text: &str, source: SourceLines) {
    found.extend(
        purpose_of(text)
            .map(|text| Fact::new(subject, FactValue::Purpose { text }, source, FactOrigin::Quoted)),
    );
}

/// Files with the public functions of a library or the beginning of a program.
fn entries<'a>(project: &'a ProjectMetadata, texts: &'a Texts) -> BTreeSet<&'a str> {
    let named = project.entry_points.iter().map(String::as_str);
    let usual = texts.paths().map(String::as_str).filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        matches!(name, "lib.rs" | "__init__.py" | "index.ts" | "index.js") || is_public_header(path)
    });
    let go: Vec<&str> = project
        .manifests
        .iter()
        .filter(|it| it.path.ends_with("go.mod"))
        .map(|it| folder_of(&it.path))
        .collect();
    let root = texts
        .paths()
        .map(String::as_str)
        .filter(move |path| path.ends_with(".go") && go.contains(&folder_of(path)));
    named.chain(usual).chain(root).filter(|path| role_of(path) == PathRole::Runtime).collect()
}

fn is_public_header(path: &str) -> bool {
    let is_header = [".h", ".hpp", ".hh", ".hxx"].iter().any(|end| path.ends_with(end));
    let is_inner = ["internal", "detail", "private", "impl"].iter().any(|word| path.contains(word));
    is_header && !is_inner
}

/// Returns true if a file of this outline can have a purpose.
fn is_told(outline: &FileOutline) -> bool {
    !matches!(role_of(&outline.path), PathRole::Vendored | PathRole::Generated)
}

/// Returns the purposes in one file: its own and those of its types and main functions. Depends on the file alone.
fn of_file(outline: &FileOutline, text: &str, is_entry: bool) -> Vec<Fact> {
    let mut found = Vec::new();
    if generated_line(text).is_some() {
        return found;
    }
    let lines: Vec<&str> = text.lines().collect();
    if let Some(head) = heads::head(outline.language, &outline.path, &lines) {
        let source = SourceLines { path: outline.path.clone(), start: head.start, end: head.end };
        add(&mut found, FactSubject::File(outline.path.clone()), &head.text, source);
    }
    if role_of(&outline.path) == PathRole::Test {
        return found;
    }
    let mut functions = 0;
    for symbol in &outline.symbols {
        let is_function = symbol.kind == SymbolKind::Function
            && (symbol.name == "main" || is_entry)
            && !heads_a_group(outline.language, symbol, &lines);
        functions += usize::from(is_function && symbol.docstring.is_some());
        if is_type(symbol) || is_function && is_public(symbol) && functions <= FUNCTIONS {
            of_symbol(outline, symbol, &symbol.name, text, &lines, &mut found);
        }
        if matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
            of_inner(outline, symbol, &symbol.name, text, &lines, &mut found, 0);
        }
    }
    found
}

/// Adds the types inside modules and namespaces.
fn of_inner(
    outline: &FileOutline,
    around: &SymbolInfo,
    name: &str,
    text: &str,
    lines: &[&str],
    found: &mut Vec<Fact>,
    depth: usize,
) {
    const DEPTH: usize = 4;
    // Tests are often a module inside a file.
    if depth > DEPTH || matches!(around.name.as_str(), "test" | "tests") {
        return;
    }
    if around.kind == SymbolKind::Module {
        of_symbol(outline, around, name, text, lines, found);
    }
    for symbol in &around.children {
        let name = format!("{name}.{}", symbol.name);
        if is_type(symbol) {
            of_symbol(outline, symbol, &name, text, lines, found);
        }
        if matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
            of_inner(outline, symbol, &name, text, lines, found, depth + 1);
        }
    }
}

fn of_symbol(
    outline: &FileOutline,
    symbol: &SymbolInfo,
    name: &str,
    text: &str,
    lines: &[&str],
    found: &mut Vec<Fact>,
) {
    if symbol.docstring.is_none() {
        return;
    }
    let Some((start, end)) = symbol.doc_lines(text) else { return };
    let Some(range) = lines.get(start - 1..end.min(lines.len())) else { return };
    let style = if outline.language == Language::Python {
        comments::Style::Docstring
    } else {
        comments::Style::Comment
    };
    let Some(paragraph) = comments::first_told(range, style) else { return };
    if !is_documentation(outline.language, range, &paragraph.text, &symbol.name) {
        return;
    }
    let subject = FactSubject::Symbol { path: outline.path.clone(), name: name.to_owned() };
    let source = SourceLines {
        path: outline.path.clone(),
        start: start + paragraph.start,
        end: start + paragraph.end,
    };
    add(found, subject, &paragraph.text, source);
}

/// In languages without marked documentation any comment may stand above a definition: a remark is none.
fn is_documentation(language: Language, lines: &[&str], text: &str, name: &str) -> bool {
    let is_marked = lines
        .iter()
        .any(|line| ["/**", "/*!", "///", "//!"].iter().any(|mark| line.trim_start().starts_with(mark)));
    let is_free = matches!(
        language,
        Language::C
            | Language::Cpp
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Php
    );
    let is_sentence = text.split_whitespace().count() >= 4 && text.starts_with(|c: char| !c.is_lowercase());
    !is_free || is_marked || is_sentence || text.starts_with(name)
}

/// Returns true if the comment above a declaration of C is that of several: the next one follows without an empty line.
fn heads_a_group(language: Language, symbol: &SymbolInfo, lines: &[&str]) -> bool {
    let is_c = matches!(language, Language::C | Language::Cpp);
    let next = lines.get(symbol.line_end).map_or("", |line| line.trim());
    is_c && symbol.name != "main"
        && !next.is_empty()
        && !next.starts_with("/*")
        && !next.starts_with("//")
        && !next.starts_with('#')
}

fn is_type(symbol: &SymbolInfo) -> bool {
    use stategraph_repo::SymbolKind::{Impl, Module, Namespace};
    symbol.kind.is_type()
        && !matches!(symbol.kind, Impl | Module | Namespace)
        && is_public(symbol)
        && symbol.docstring.is_some()
}

fn is_public(symbol: &SymbolInfo) -> bool {
    symbol.visibility == Visibility::Public || symbol.name == "main"
}

/// Gives the purpose of a file to what the file stands for: its folder or its project.
fn widen(fact: &mut Fact, texts: &Texts) {
    let FactSubject::File(path) = &fact.subject else { return };
    let (folder, name) = (folder_of(path), path.rsplit('/').next().unwrap_or(path));
    let FactValue::Purpose { text } = &fact.value else { return };
    let subject = match name {
        // The documentation of a crate's root is that of the crate.
        "lib.rs" if is_crate_source(folder) => Some(FactSubject::Project(folder_of(folder).to_owned())),
        "main.rs" if is_crate_source(folder) && !texts.exists(&format!("{folder}/lib.rs")) => {
            Some(FactSubject::Project(folder_of(folder).to_owned()))
        }
        "mod.rs" | "__init__.py" | "package-info.java" | "index.ts" | "index.js" if !folder.is_empty() => {
            Some(FactSubject::Folder(folder.to_owned()))
        }
        // By Go's rules the comment above `package` is that of the folder, if it speaks of it.
        _ if name.ends_with(".go") && (is_go_package(text) || name == "doc.go") => {
            Some(if folder.is_empty() {
                FactSubject::Project(String::new())
            } else {
                FactSubject::Folder(folder.to_owned())
            })
        }
        _ => None,
    };
    if let Some(subject) = subject {
        *fact = Fact {
            role: fact.role,
            ..Fact::new(subject, fact.value.clone(), fact.sources[0].clone(), fact.origin)
        };
    }
}

fn is_crate_source(folder: &str) -> bool {
    folder == "src" || folder.ends_with("/src")
}

fn is_go_package(text: &str) -> bool {
    ["Package ", "Command ", "Binary ", "Program "].iter().any(|start| text.starts_with(start))
}
