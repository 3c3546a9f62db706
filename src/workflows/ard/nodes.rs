//! The nodes of a debate, a file each, named as in `graphs/ard.yaml`. They ask through [`ask`], so that no answer is asked for
//! twice, whatever happens to the process. What they decide is in `choices.rs`.

mod architect;
mod ask;
mod clarify;
mod recall;
mod reviewer;
mod write_spec;

pub(super) use architect::architect;
pub(super) use clarify::clarify;
pub(super) use reviewer::reviewer;
pub(super) use write_spec::write_spec;
