//! Collects facts about a code base from its files, each with its source lines: projects, commands,
//! settings, routes, dependencies and so on. Knows no model and no graph.
//!
//! Reading order: `fact` and `show` (the data, and its words), `role`, `web_apps` and `text` (the role of a
//! path, and texts of strangers made safe), `calls` (queries on the sites of a file), `collect` and `redact` (all
//! facts of a code base, without secrets), `cache` (parsed parts of files on disk), then one module a kind:
//! `projects`, `tools`, `commands`, `pipelines`, `purposes`, `guides`, `settings`, `routes`, `subcommands`,
//! `concerns`, `relations`, `traces`, `call_order`, `edges`.

#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "ecosystems are strict about the case of file names"
)]

mod fact;
mod show;

mod role;
mod text;
mod web_apps;

mod cache;
mod call_order;
mod calls;

mod collect;
mod redact;

mod commands;
mod concerns;
mod dispatch;
mod edges;
mod guides;
mod pipelines;
mod projects;
mod purposes;
mod relations;
mod routes;
mod settings;
mod subcommands;
mod tools;
mod traces;

pub use cache::FactsCache;
pub use collect::Facts;
pub use guides::{QuotedBlock, QuotedSection, SectionUse};
pub use pipelines::{PipelineJob, PipelineSummary};
pub use role::generated_line;
pub use stategraph_repo::ParseCoverage;
pub use text::{purpose, visible, without_html_comments, without_strong};

pub use fact::{
    CommandPurpose, ConcernKind, Fact, FactKind, FactOrigin, FactSubject, FactValue, PathRole, ProjectShape,
    RelationKind, SettingForm, SourceLines, TargetKind, ToolPurpose, TraceStep,
};
