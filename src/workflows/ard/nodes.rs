//! The nodes of a debate, one file each, named as in `graphs/ard.yaml`. They journal every answer of a model (see `ask.rs`), so that
//! none is requested twice after a crash. Their decisions are in `choices.rs`.

mod architect;
mod ask;
mod by_component;
mod clarify;
mod history;
mod judge;
mod material;
mod reviewer;
mod write_spec;

pub(super) use architect::architect;
pub(super) use clarify::clarify;
pub(super) use judge::judge;
pub(super) use reviewer::reviewer;
pub(super) use write_spec::write_spec;
