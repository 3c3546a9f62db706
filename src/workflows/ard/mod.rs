//! The workflow `ard`: an architect and a reviewer debate a rough idea until it is a specification (`spec.md`).
//!
//! Reading order: [`input`] (idea and settings, validated once), [`state`], [`choices`] (pure decisions), the nodes,
//! [`services`] (models and prompts), [`exchange`] (the JSON types that the agents answer with), [`analysis`] (the statements of the
//! idea, read without a model), [`gates`] (exact checks of any draft), [`offline`] (rules that draft and review without a
//! model), [`spec`] (the document), `spec_review` (the second workflow, `ard-review`, which judges a written specification), `progress` (lines for the terminal), `arguments`
//! and `entry` (from the command line to a compiled graph). The order of the nodes is in `graphs/ard.yaml`.

pub mod analysis;
mod arguments;
pub mod choices;
mod diff;
mod entry;
pub mod exchange;
pub mod gates;
pub mod input;
mod nodes;
pub mod offline;
mod progress;
mod reopen;
pub mod services;
pub mod spec;
mod spec_review;
pub mod state;

pub use entry::{Ard, registry};
pub use spec_review::{ArdReview, SpecReview, registry as review_registry};
