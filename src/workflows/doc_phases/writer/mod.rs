//! The documents (DOC-108 to DOC-120), made from memory alone; the writer never reads the repository.
//!
//! Reading order: `facts` (the content of memory), `stated` (purposes in the words of the repository), `pages` (the content of each document) and `diagrams`, both built from `page` (a
//! document without markup); `markdown`, `rst` and `asciidoc` (the markup); `folder` (the files).

mod asciidoc;
mod diagrams;
mod facts;
mod folder;
mod markdown;
mod page;
mod pages;
mod rst;
mod stated;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::facts::{PageFacts, flow_diagram};
use self::folder::{DocumentFolder, RenderedFiles};
use self::page::DocumentPage;
use super::memory::{EntryType, Memory, WrittenBy};
use crate::repo::{self, PathError, RootError};

/// Markup of the documents that a run writes (DOC-120).
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
    /// All values, in the order of their definition.
    pub const ALL: &[Self] = &[Self::Md, Self::Rst, Self::Adoc];

    /// Returns the name of the format, which is also the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Md => "md",
            Self::Rst => "rst",
            Self::Adoc => "adoc",
        }
    }
}

/// Options of writing the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentOptions {
    /// Markup of the documents.
    pub format: Format,
    /// Origin of the facts in entries that do not state it.
    pub written_by: WrittenBy,
}

/// Result of writing the documents: all documents, the removed ones, and those that could not be written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenDocuments {
    /// All documents, in order, relative to their folder.
    pub documents: Vec<Document>,
    /// Removed documents of earlier runs: their entries are gone, or they are in another format.
    pub removed: Vec<String>,
    /// Documents that could not be written because memory lacks an entry (DOC-119).
    pub missing: Vec<MissingDocument>,
}

/// A document or diagram in the folder, with the effect of this run on its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Path relative to the folder of the documents.
    pub path: String,
    /// Change of the file.
    pub change: Change,
}

/// Effect of writing a document on its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The file is new.
    New,
    /// The content changed.
    Changed,
    /// The file was not written because its content is the same.
    Unchanged,
}

/// A document that cannot be written for lack of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[error("{document} was not written: memory has no {entry_type} entry")]
pub struct MissingDocument {
    /// Name of the document.
    pub document: String,
    /// Type of the missing entry.
    pub entry_type: EntryType,
}

/// Error of writing the documents.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteDocumentsError {
    /// The folder cannot be created.
    #[error("cannot make the folder {}: {reason}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Error text of the operating system.
        reason: String,
    },
    /// The path is not a folder.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A path leads out of the folder.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] repo::WriteError),
}

impl WriteDocumentsError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "check who owns the folder above it",
            Self::Root(error) => error.hint(),
            Self::Path(error) => error.hint(),
            Self::Write(error) => error.hint(),
        }
    }
}

/// Makes all documents from the agent's memory and writes them into the folder `into`, which is created if it
/// is missing. Unchanged documents are not written again (DOC-91); obsolete ones are removed.
pub fn write_documents(
    memory: &Memory,
    into: &Path,
    documents: &DocumentOptions,
) -> Result<WrittenDocuments, WriteDocumentsError> {
    let facts = PageFacts::of(memory, documents);
    let (files, missing) = render(&facts, documents.format);
    let (documents, removed) = DocumentFolder::open(into)?.write_all(&files)?;
    Ok(WrittenDocuments { documents, removed, missing })
}

/// Renders all documents and diagrams in a format. Also returns the documents that need an entry which the
/// agent's memory lacks. Equal memories give equal bytes.
fn render(facts: &PageFacts, format: Format) -> (RenderedFiles, Vec<MissingDocument>) {
    let extension = format.name();
    let mut missing = Vec::new();
    let mut pages: Vec<DocumentPage> = Vec::new();
    match pages::architecture(facts) {
        Some(page) => pages.push(page),
        None => missing.push(MissingDocument {
            document: format!("{}.{extension}", pages::ARCHITECTURE),
            entry_type: EntryType::Architecture,
        }),
    }
    let optional = [
        pages::usage,
        pages::building,
        pages::configuration,
        pages::interface,
        pages::contributing,
        pages::data_models,
        pages::notes,
    ];
    pages.extend(optional.iter().filter_map(|page| page(facts)));
    pages.push(pages::readme(facts, &pages));
    pages.extend(facts.components.iter().map(|component| pages::component(facts, component)));
    let rendered = |page: &DocumentPage| match format {
        Format::Md => markdown::render(page),
        Format::Rst => rst::render(page),
        Format::Adoc => asciidoc::render(page),
    };
    let mut files: RenderedFiles =
        pages.iter().map(|page| (format!("{}.{extension}", page.path), rendered(page))).collect();
    files.extend(diagrams::architecture(facts).map(|diagram| (pages::DIAGRAM.to_owned(), diagram.text)));
    files.extend(
        facts
            .flows
            .iter()
            .map(|flow| (flow_diagram(&flow.entry.flow_id), diagrams::flow(&flow.entry, facts))),
    );
    (files, missing)
}
