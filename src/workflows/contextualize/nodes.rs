//! The nodes of the three graphs, one file each. Every answer of a model is journaled, so that a resumed run pays for none of them again.

mod agent;
mod analyse;
mod answer_forms;
mod ask;
mod budget;
mod claims;
mod discover;
mod explore;
mod fit;
mod material;
mod open;
mod passages;
mod refine;
mod save;
mod scan;
mod synthesise;
mod write;

pub(super) use agent::{answer_as_agent, describe_as_agent};
pub(super) use analyse::analyse;
pub(super) use claims::one_line;
pub(super) use discover::discover;
pub(super) use explore::explore;
pub(super) use fit::sections;
pub(super) use open::{open_generation, open_refinement, open_scope};
pub(super) use refine::refine;
pub(super) use save::{save_generation, save_refinement, save_scope};
pub(super) use scan::{metadata, scan};
pub(super) use synthesise::synthesise;
pub(super) use write::write;
