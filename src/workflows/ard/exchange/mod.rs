//! The JSON types that the two agents exchange (ARD-17), and their validation. Knows no model and no graph.

mod clarification;
mod draft;
mod history;
mod kind;
mod name;
mod request;
mod review;
mod sent_schema;

pub use clarification::{
    Clarification, ClarificationAnswer, ClarificationAnswerError, ClarificationQuestion,
};
pub use draft::{Component, DesignDraft, DraftProblem};
pub use history::{
    CondensedHistory, HistoryPlan, PromptHistory, Summary, SummaryRequest, VERBATIM_ROUNDS, estimate_tokens,
    plan_history,
};
pub use kind::ComponentKind;
pub use name::{is_pascal_case, mentions};
pub use request::{Coverage, DraftRequest, ReviewRequest};
pub use review::{
    Category, Challenge, MAX_OPTIONS, MIN_OPTIONS, Proposal, Review, ReviewProblem, ReviewStatus, Severity,
};
