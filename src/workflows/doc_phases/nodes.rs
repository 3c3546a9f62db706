//! The nodes of a documentation run, a file each, named as in `graphs/doc-phases.yaml`. The phases all go through [`explore`], the one
//! loop of rounds; what it asks and runs is journaled, so that nothing is paid twice, whatever happens to the process.

mod begin;
mod component;
mod components;
mod conversation;
mod explore;
mod phases;
mod round;
mod track;
mod update;
mod write;

pub(super) use begin::begin;
pub(super) use component::component;
pub(super) use components::{gather, plan};
pub(super) use phases::{architecture, cross_cutting, generation};
pub(super) use write::write;
