//! What the agent found out about a code base, on disk (DOC-74 to DOC-100): entries of a few types, each with a schema that it is
//! held against when it is stored, and queries that are always bounded. Knows no model and no phase; never reads the clock.
//!
//! Reading order: [`types`](EntryType) (the catalogue; one place for a new type), `schema` (what is wrong with an entry), `record` (an
//! entry as its file), `author` (whose entry stands), `index`, `folder` (the files, and what is wrong with them), `lock`; `store` is
//! the memory itself; `query`, `ranking` and `meaning` find entries again; `tree` tells what changed since, `gone` takes out what is no more.

mod author;
mod error;
mod folder;
mod gone;
mod index;
mod lock;
mod meaning;
mod query;
mod ranking;
mod record;
mod schema;
mod store;
mod timestamp;
mod tree;
mod types;

pub use author::{Author, WrittenBy};
pub use error::MemoryError;
pub use gone::Gone;
pub use index::{INDEX_VERSION, Index};
pub use query::{Estimate, Found, MAX_ENTRIES, Query, QueryError, QueryRequest, RankedBy, SortBy};
pub use record::Record;
pub use schema::{Problem, Rejection};
pub use store::{ENTRY_BYTES, Memory, Stored};
pub use timestamp::Timestamp;
pub use tree::{Affected, Tree};
pub use types::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataField, DataModel, Entry, EntryType,
    FileRole, FlowStep, KeyClass, KeyFunction, MemoryEntry, More, OVERVIEW, PublicInterface, Relationship,
    RuntimeFlow,
};
