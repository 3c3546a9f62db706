//! Facts about the purposes of the repository, its projects, folders, types and main functions, in the
//! words of their sources. Reading order: this file (subjects and their order), `sentence` (recognizes a
//! purpose), `markup`, `openings`, `placeholders` and `remarks` (used by it), `documents` (first paragraphs
//! of READMEs) with `headings`, `introductions` (paragraphs below a heading), `files` (purposes in one
//! source file), `comments` (paragraphs of comments), `heads` (comments at the top of files), `lists` (folders that a
//! document describes).

mod comments;
mod documents;
mod files;
mod headings;
mod heads;
mod introductions;
mod lists;
pub(crate) mod markup;
mod openings;
mod placeholders;
mod remarks;
mod sentence;

use std::collections::BTreeSet;

use stategraph_repo::ProjectMetadata;

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::projects::{self, folder_of};
use crate::role::role_of;
use sentence::purpose_of;

pub(crate) use documents::{Paragraph, readme_paragraph, repository_readme};
pub(crate) use files::{WrittenPurpose, of_file};
pub(crate) use lists::facts as of_lists;
pub(crate) use remarks::tells_history;

/// Returns the facts on the purposes that documents and manifests state: sentences that say what the
/// product, a project or a folder is for. Those of the repository come first, the best at the top.
pub(crate) fn of_documents(project: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let mut found = Vec::new();
    of_projects(project, texts, &mut found);
    for path in texts.paths().filter(|path| documents::is_readme(path)) {
        let folder = folder_of(path);
        if folder.is_empty() || is_hidden(folder) {
            continue;
        }
        let paragraph = documents::read(path, texts);
        if let Some(paragraph) = paragraph.filter(|it| is_about_folder(folder, &it.text, &found)) {
            add(&mut found, FactSubject::Folder(folder.to_owned()), &paragraph.text, paragraph.source);
        }
    }
    // Before it had files for it, Java described packages in HTML.
    for path in texts.paths().filter(|path| path.ends_with("/package.html")) {
        let is_code = role_of(path) == PathRole::Runtime;
        if let Some(paragraph) = is_code.then(|| documents::package_page(path, texts)).flatten() {
            let subject = FactSubject::Folder(folder_of(path).to_owned());
            add(&mut found, subject, &paragraph.text, paragraph.source);
        }
    }
    found
}

/// Returns true if a README describes its folder. The README of a web site or of a package may only repeat
/// the purpose of the product, which is in `found`.
fn is_about_folder(folder: &str, text: &str, found: &[Fact]) -> bool {
    const WORDS: &[&str] =
        &["doc", "site", "page", "guide", "manual", "book", "tutorial", "folder", "directory"];
    let lower = text.to_lowercase();
    let is_site = matches!(folder, "docs" | "doc" | "documentation" | "website" | "site");
    if is_site && !WORDS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    // "Shop is a …" of the product says the same as its own README.
    let subject = |text: &str| text.split_once(" is ").map(|(subject, _)| subject.to_lowercase());
    let own = subject(text).filter(|own| own.split_whitespace().count() <= 3);
    let is_product = |fact: &&Fact| fact.subject == FactSubject::Repository;
    !found.iter().filter(is_product).any(|fact| match &fact.value {
        FactValue::Purpose { text: product } => product == text || own.is_some() && subject(product) == own,
        _ => false,
    })
}

/// Makes facts of the purposes that `of_file` found in source files.
pub(crate) fn of_code<'a>(
    project: &ProjectMetadata,
    files: impl Iterator<Item = (&'a str, Vec<WrittenPurpose>)>,
    texts: &Texts,
) -> Vec<Fact> {
    let entries = entries(project, texts);
    let mut found = Vec::new();
    for (path, written) in files {
        let is_entry = entries.contains(path);
        for purpose in written.into_iter().filter(|it| is_entry || !it.needs_entry) {
            let WrittenPurpose { name, text, start, end, .. } = purpose;
            let subject = match name {
                Some(name) => FactSubject::Symbol { path: path.to_owned(), name },
                None => represented(path, &text, texts).unwrap_or_else(|| FactSubject::File(path.to_owned())),
            };
            let source = SourceLines { path: path.to_owned(), start, end };
            found.push(Fact::new(subject, FactValue::Purpose { text }, source, FactOrigin::Quoted));
        }
    }
    found
}

/// Returns true if a folder of the path begins with a dot.
fn is_hidden(folder: &str) -> bool {
    folder.split('/').any(|part| part.starts_with('.'))
}

/// Adds facts with the purposes of the repository and its projects, from the descriptions in manifests and
/// from the README of the root. "X is a …" in the README comes first.
fn of_projects(project: &ProjectMetadata, texts: &Texts, found: &mut Vec<Fact>) {
    let mut described = projects::list_descriptions(project, texts);
    // A private package beside another manifest is there for tools.
    described.sort_by_key(|it| (!it.folder.is_empty(), it.is_private, it.ecosystem));
    let readme = repository_readme(texts);
    let is_definition = |paragraph: &Paragraph| sentence::is_definition(&paragraph.text);
    let add_readme = |found: &mut Vec<Fact>, paragraph: &Paragraph| {
        let source = paragraph.source.clone();
        if paragraph.is_introduction {
            let told = sentence::introduction_of(&paragraph.text);
            found.extend(told.map(|text| purpose_fact(FactSubject::Repository, text, source)));
        } else {
            add(found, FactSubject::Repository, &paragraph.text, source);
        }
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
        let said = sentence::description_of(&it.text);
        found.extend(said.map(|text| purpose_fact(subject, text, it.source)));
    }
    readme.iter().for_each(|paragraph| add_readme(found, paragraph));
}

/// Adds a purpose fact about the subject if the text states a purpose.
fn add(found: &mut Vec<Fact>, subject: FactSubject, text: &str, source: SourceLines) {
    found.extend(purpose_of(text).map(|text| purpose_fact(subject, text, source)));
}

/// Makes the fact that states the purpose `text` of a subject.
fn purpose_fact(subject: FactSubject, text: String, source: SourceLines) -> Fact {
    Fact::new(subject, FactValue::Purpose { text }, source, FactOrigin::Quoted)
}

/// Returns the paths of entry files: those with the public interface of a library or the start of a
/// program.
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

/// Returns true for the path of a C or C++ header that is not internal.
fn is_public_header(path: &str) -> bool {
    let is_header = [".h", ".hpp", ".hh", ".hxx"].iter().any(|end| path.ends_with(end));
    let is_inner = ["internal", "detail", "private", "impl"].iter().any(|word| path.contains(word));
    is_header && !is_inner
}

/// Returns the folder or project that the comment at the top of a file describes by the rules of its
/// language, such as its folder for `mod.rs`; `None` if the comment describes the file itself.
fn represented(path: &str, text: &str, texts: &Texts) -> Option<FactSubject> {
    let (folder, name) = (folder_of(path), path.rsplit('/').next().unwrap_or(path));
    match name {
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
    }
}

/// Returns true for the `src` folder of a crate.
fn is_crate_source(folder: &str) -> bool {
    folder == "src" || folder.ends_with("/src")
}

/// Returns true if the text of a comment is about a Go package ("Package x …"), not about one of its files.
fn is_go_package(text: &str) -> bool {
    // "Package shop keys.go defines …" speaks of the file.
    let is_of_file = text.split_whitespace().take(4).any(|word| word.ends_with(".go"));
    !is_of_file
        && ["Package ", "package ", "Command ", "Binary ", "Program "]
            .iter()
            .any(|start| text.starts_with(start))
}
