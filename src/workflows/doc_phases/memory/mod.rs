//! What the agent found out about a code base, on disk (DOC-74 to DOC-100): entries of a few types, each with a schema that it is
//! held against when it is stored, and queries that are always bounded. Knows no model and no phase; never reads the clock.
//!
//! Reading order: [`types`](EntryType) (the catalogue; one place for a new type), `schema` (what is wrong with an entry), `record` (an
//! entry as its file), `author` (whose entry stands), `index`, `folder` (the files, and what is wrong with them), `lock`; `store` is
//! the memory itself; `query`, `ranking` and `meaning` find entries again; `tree` tells what changed since, `gone` takes out what is no more.

mod author;
mod error;
mod folder;
mod index;
mod lock;
mod query;
mod ranking;
mod record;
mod removals;
mod schema;
mod semantic;
mod store;
mod timestamp;
mod tree;
mod types;

pub use author::{EntryAuthor, WrittenBy};
pub use error::MemoryError;
pub use index::{INDEX_VERSION, MemoryIndex};
pub use query::{Estimate, MAX_ENTRIES, Query, QueryError, QueryRequest, QueryResult, RankedBy, SortBy};
pub use record::EntryRecord;
pub use removals::Removals;
pub use schema::{EntryProblem, Rejection};
pub use store::{ENTRY_BYTES, Memory, StoreOutcome};
pub use timestamp::Timestamp;
pub use tree::{AffectedComponents, RepositoryTree};
pub use types::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataField, DataModel, Entry, EntryType,
    FileRole, FlowStep, KeyClass, KeyFunction, MemoryEntry, More, OVERVIEW, PublicInterface, Relationship,
    RuntimeFlow,
};
