//! The workflow `ard-review`: a reviewer judges a specification that a person wrote. The rules find exact faults ([`checks`]); a
//! model, if one is configured, reads the rest. The node is with the others of `ard`, in `nodes/judge.rs`.

mod checks;
mod entry;
mod report;
mod state;

pub(super) use checks::check;
pub(super) use report::render;

pub use entry::{ArdReview, registry};
pub use state::SpecReview;
pub(super) use state::{JudgeRequest, SpecReviewUpdate};
