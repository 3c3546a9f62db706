//! Document about a repository. The standard track reads the structure from the facts (plan, explore,
//! enrich), the agent track adds the findings of agents, `merge` puts each finding into the sections
//! that it is about, and `reduce` and `render` make one Markdown file.
//!
//! Reading order: `plan` (the scopes), `section` (the data of a scope), `structure` (explore),
//! `imports` (enrich), `relevance` (merge), `overview` (reduce), `render`. All are pure; the nodes that
//! call them are in `nodes/document.rs`.

mod imports;
mod overview;
mod plan;
mod relevance;
mod render;
mod section;
mod structure;

pub use imports::enrich;
pub use overview::{DocumentOverview, ScopeEdge, reduce};
pub use plan::{DocumentPlan, DocumentScope, UncoveredFiles, plan};
pub use relevance::{MergedSections, merge};
pub use render::{DocumentParts, render};
pub use section::{ScopeSection, SectionNote};
pub use structure::explore;
