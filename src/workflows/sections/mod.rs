//! The workflow `sections`: the README of an integration package, section by section. A generator writes, a critic and validators judge,
//! and the best version of each section becomes part of the document. It also checks and improves the README of any project.
//!
//! Reading order: `input` and `arguments` (the wishes of the user), `state`, `choices` (the conditional edges), the nodes, `offline` (the
//! generator and the critic by rules), `tools` (tools of the generator), `services` (dependencies of the nodes), `fetch` (pages behind
//! links), `preview` (the document as a local page), `progress` (progress lines and the report), `entry` (from the command line to compiled
//! graphs). The documents themselves are the subject of the crate `stategraph-readme`.

mod arguments;
pub mod choices;
mod entry;
pub mod fetch;
pub mod input;
mod nodes;
pub mod offline;
mod preview;
mod progress;
pub mod services;
pub mod state;
mod tools;

pub use entry::{
    SECTION_GRAPH, SECTIONS_GRAPH, Sections, section_graph, section_registry, sections_graph,
    sections_registry,
};
