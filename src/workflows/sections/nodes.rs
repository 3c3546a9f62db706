//! The nodes of both graphs, one file each, named as in the graph files. Every answer of a model is
//! journaled, so that a resumed run does not pay for it again.

mod ask;
mod batch;
mod check;
mod check_by_model;
mod check_urls;
mod combine;
mod criticise;
mod decide;
mod fix;
mod generate;
mod generator;
mod measure;
mod open;
mod plan;
mod review;
mod save;
mod snapshot;
mod style;

pub(super) use batch::{batch, package, summarise};
pub(super) use check::{check_document, check_section};
pub(super) use check_by_model::check_by_model;
pub(super) use check_urls::check_urls;
pub(super) use combine::combine;
pub(super) use criticise::{criticise_document, criticise_section};
pub(super) use decide::decide;
pub(super) use fix::fix;
pub(super) use generate::generate;
pub(super) use measure::measure;
pub(super) use open::open;
pub(super) use plan::plan;
pub(super) use review::review;
pub(super) use save::save;
