//! The findings about a code base, on disk (DOC-74 to DOC-100): entries of a few types, each validated against a schema when it is
//! stored, and bounded queries. Knows no model and no phase; never reads the clock.
//!
//! Reading order: [`types`](EntryType) (the catalogue; one place for a new type), `schema` (defects of an entry), `record` (an
//! entry as its file), `author` (precedence of authors), `index`, `folder` (the files and their defects), `lock`; `store` is the
//! memory itself; `query`, `ranking` and `semantic` find entries; `tree` detects changes of the repository, `removals` strips
//! removed files and components from entries. The facts of the repository are stored beside the entries and never queried.

mod author;
mod error;
mod folder;
mod index;
mod lock;
mod missing_paths;
mod query;
mod ranking;
mod record;
mod removals;
mod schema;
mod semantic;
mod store;
mod tree;
mod types;

pub use crate::workflows::timestamp::Timestamp;
pub use author::{EntryAuthor, WrittenBy};
pub use error::MemoryError;
pub use index::{INDEX_VERSION, MemoryIndex};
pub use query::{Estimate, MAX_ENTRIES, Query, QueryError, QueryRequest, QueryResult, RankedBy, SortBy};
pub use record::EntryRecord;
pub use removals::Removals;
pub use schema::{EntryProblem, Rejection, strip_invalid};
pub use store::{ENTRY_BYTES, Memory, StoreOutcome};
pub use tree::{AffectedComponents, RepositoryTree};
pub use types::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataField, DataModel, Entry, EntryType,
    FileRole, KeyClass, KeyFunction, MemoryEntry, Note, NoteKind, OVERVIEW, OmittedCounts, PublicInterface,
    Relationship, RuntimeFlow, RuntimeStep, parse_place,
};
