//! Shared analysis of a code base for the workflows that describe it by rules, without a model: its
//! facts by subject, its central files, its definitions ranked by weight, and safe quotations of its
//! texts.
//!
//! Reading order: `view` (the code base), `central`, `functions`, `bodies`, `build_conditions`, `definitions`,
//! `definition_kinds` and `repeated` (files, calls, code, and their weights), `orders` and `quoted` (texts from the
//! repository), `phrases`, `siblings` (sets of similar definitions, such as all subclasses of a class,
//! and the lines that name each member), `mentions` (all lines that name one member), then one module per subject of the output: `documentation`,
//! `contracts`, `signatures`, `members`, `field_docs`, `commands`, `single_test`, `targets`, `tools`, `settings`, `guidance`, `concerns`,
//! `topics`.

pub(crate) mod bodies;
pub(crate) mod build_conditions;
pub(crate) mod central;
pub(crate) mod commands;
pub(crate) mod concerns;
mod contracts;
pub(crate) mod definition_kinds;
pub(crate) mod definitions;
pub(crate) mod documentation;
pub(crate) mod field_docs;
pub(crate) mod functions;
pub(crate) mod guidance;
pub(crate) mod members;
pub(crate) mod mentions;
pub(crate) mod orders;
pub(crate) mod phrases;
pub(crate) mod quoted;
mod repeated;
pub(crate) mod settings;
pub(crate) mod siblings;
pub(crate) mod signatures;
pub(crate) mod single_test;
pub(crate) mod targets;
pub(crate) mod tools;
pub(crate) mod topics;
mod view;

pub(crate) use view::Survey;
