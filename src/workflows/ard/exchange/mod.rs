//! The JSON that the two agents send each other (ARD-17), and the rules it has to keep. Knows no model and no graph.

mod clarification;
mod draft;
mod history;
mod kind;
mod name;
mod request;
mod review;
mod sent;

pub use clarification::{Answer, Clarification, NoAnswer, Question};
pub use draft::{Component, Draft, DraftProblem};
pub use history::{Condensed, Recall, Recalled, Summary, SummaryRequest, VERBATIM_ROUNDS, recall, tokens};
pub use kind::ComponentKind;
pub use name::{is_pascal_case, mentions};
pub use request::{Coverage, DraftRequest, ReviewRequest};
pub use review::{
    Category, Challenge, MAX_OPTIONS, MIN_OPTIONS, Proposal, Review, ReviewProblem, ReviewStatus, Severity,
};
