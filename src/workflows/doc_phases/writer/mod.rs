//! The documents (DOC-108 to DOC-120), made from memory alone: not one read of the repository.
//!
//! Reading order: `facts` (what memory has), `pages` (what each document says) and `diagrams`, both made of `page` (a document without
//! markup); `markdown`, `rst` and `asciidoc` (the markup); `folder` (the files).

mod asciidoc;
mod diagrams;
mod facts;
mod folder;
mod markdown;
mod page;
mod pages;
mod rst;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::facts::{Facts, flow_diagram};
use self::folder::{DocumentFolder, RenderedFiles};
use self::page::DocumentPage;
use super::memory::{EntryType, Memory, WrittenBy};
use crate::repo::{self, PathError, RootError};

/// The markup of the documents (DOC-120).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Markdown, as GitHub reads it.
    #[default]
    Md,
    /// reStructuredText.
    Rst,
    /// AsciiDoc.
    Adoc,
}

impl Format {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Md, Self::Rst, Self::Adoc];

    /// Its name, which is the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Md => "md",
            Self::Rst => "rst",
            Self::Adoc => "adoc",
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentOptions {
    /// In which markup.
    pub format: Format,
    /// What found out the facts of entries that do not say so themselves.
    pub written_by: WrittenBy,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenDocuments {
    /// All documents, in order, relative to their folder.
    pub documents: Vec<Document>,
    /// Documents of earlier runs that nothing stands behind any more, or in another format; they were removed.
    pub removed: Vec<String>,
    /// What could not be written because memory lacks it (DOC-119).
    pub missing: Vec<MissingDocument>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its path, relative to the folder of all.
    pub path: String,
    /// What became of the file.
    pub change: Change,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// There was none.
    New,
    /// It says something else now.
    Changed,
    /// It was left as it is.
    Unchanged,
}

/// An entry without which a document cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[error("{document} was not written: memory has no {entry_type} entry")]
pub struct MissingDocument {
    /// The document.
    pub document: String,
    /// What it is made of.
    pub entry_type: EntryType,
}

/// The documents could not be put in their place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteDocumentsError {
    /// The folder of the documents cannot be made.
    #[error("cannot make the folder {}: {reason}", path.display())]
    Folder {
        /// Where.
        path: PathBuf,
        /// As the operating system says it.
        reason: String,
    },
    /// It is no folder.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A link in it leads elsewhere.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] repo::WriteError),
}

impl WriteDocumentsError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "check who owns the folder above it",
            Self::Root(error) => error.hint(),
            Self::Path(error) => error.hint(),
            Self::Write(error) => error.hint(),
        }
    }
}

/// Writes all documents into the folder `into`, which is made if it is not there. What has not changed is not written again (DOC-91).
pub fn write_documents(
    memory: &Memory,
    into: &Path,
    documents: &DocumentOptions,
) -> Result<WrittenDocuments, WriteDocumentsError> {
    let facts = Facts::of(memory, documents);
    let (files, missing) = render(&facts, documents.format);
    let (documents, removed) = DocumentFolder::open(into)?.write_all(&files)?;
    Ok(WrittenDocuments { documents, removed, missing })
}

/// The text of every file, by path, and what is missing. Equal memories give equal bytes.
fn render(facts: &Facts, format: Format) -> (RenderedFiles, Vec<MissingDocument>) {
    let extension = format.name();
    let mut missing = Vec::new();
    let mut pages = vec![pages::readme(facts)];
    match pages::architecture(facts) {
        Some(page) => pages.push(page),
        None => missing.push(MissingDocument {
            document: format!("{}.{extension}", pages::ARCHITECTURE),
            entry_type: EntryType::Architecture,
        }),
    }
    pages.extend(pages::data_models(facts));
    pages.extend(facts.components.iter().map(|component| pages::component(facts, component)));
    let rendered = |page: &DocumentPage| match format {
        Format::Md => markdown::render(page),
        Format::Rst => rst::render(page),
        Format::Adoc => asciidoc::render(page),
    };
    let mut files: RenderedFiles =
        pages.iter().map(|page| (format!("{}.{extension}", page.path), rendered(page))).collect();
    files.extend(diagrams::architecture(facts).map(|diagram| (pages::DIAGRAM.to_owned(), diagram)));
    files.extend(
        facts
            .flows
            .iter()
            .map(|flow| (flow_diagram(&flow.entry.flow_id), diagrams::flow(&flow.entry, facts))),
    );
    (files, missing)
}
