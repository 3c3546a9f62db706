//! A code base as those workflows see it that describe one by rules: its facts by subject, its central files, its definitions by weight,
//! and their texts as quotations. Asks no model.
//!
//! Reading order: `view` (the code base), `central`, `functions`, `bodies`, `definitions` and `repeated` (files, calls, decisions, and their weights), `orders` and `quoted` (texts of strangers), `phrases`,
//! `siblings` (sets of one kind and the places of their members), then sentences by kind: `documentation`, `contracts`, `signatures`, `commands`, `targets`, `tools`, `settings`,
//! `guidance`, `concerns`, `topics`.

pub(crate) mod bodies;
pub(crate) mod central;
pub(crate) mod commands;
pub(crate) mod concerns;
mod contracts;
pub(crate) mod definitions;
pub(crate) mod documentation;
pub(crate) mod functions;
pub(crate) mod guidance;
pub(crate) mod orders;
pub(crate) mod phrases;
pub(crate) mod quoted;
mod repeated;
pub(crate) mod settings;
pub(crate) mod siblings;
pub(crate) mod signatures;
pub(crate) mod targets;
pub(crate) mod tools;
pub(crate) mod topics;
mod view;

pub(crate) use view::Survey;
