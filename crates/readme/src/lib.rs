//! README documents and integration packages. Knows no model, no graph and no network.
//!
//! - [`document`]: Markdown as a tree of sections; combining sections, cleaning the answers of models.
//! - [`package`]: an integration package, read once: manifest, data streams, fields, sample events, knowledge base, template.
//! - [`validate`]: the validators and their issues.
//! - [`fix`]: repairs of a document that need no author.
//! - [`rules`]: sections written from the facts of a package.
//! - [`evaluate`]: quality metrics of a document, and results of runs.

pub mod document;
pub mod evaluate;
pub mod fix;
pub mod package;
pub mod rules;
pub mod validate;
