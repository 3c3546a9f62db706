//! The nodes of a documentation run, one file each, named as in `graphs/doc-phases.yaml`. All phases use the loop of rounds in
//! [`explore`]. It journals model answers and tool results, so a resumed run pays for none of them again.

mod begin;
mod caps;
mod component;
mod components;
mod conversation;
mod explore;
mod phases;
mod prefill;
mod round;
mod track;
mod update;
mod write;

pub(super) use begin::begin;
pub(super) use component::component;
pub(super) use components::{gather, plan};
pub(super) use phases::{architecture, cross_cutting, generation};
pub(super) use write::write;
