//! The JSON types that the two agents exchange (ARD-17), and their validation. Knows no model and no graph.

mod clarification;
mod design;
mod draft;
mod history;
mod kind;
mod limits;
mod minutes;
mod name;
mod request;
mod review;
mod sent_schema;

pub use clarification::{
    Clarification, ClarificationAnswer, ClarificationAnswerError, ClarificationQuestion,
};
pub use design::{
    AuthorQuestion, ChallengeAnswer, DataRecord, DesignDecision, DesignRequirement, Disposition,
    ExternalSystem, Flow, FlowStep, Interface, QualityGoal, Relation, StateMachine, Transition,
};
pub use draft::{Component, DesignDraft, DraftProblem};
pub use history::{
    CondensedHistory, HistoryPlan, PromptHistory, Summary, SummaryRequest, VERBATIM_ROUNDS, estimate_tokens,
    plan_history,
};
pub use kind::ComponentKind;
pub use limits::SchemaLimits;
pub use minutes::{MinutesEntry, MinutesRound, changed_parts, minutes, split_answers};
pub use name::{is_pascal_case, mentions};
pub use request::{
    ComponentRequest, Coverage, DraftRequest, PromptMaterial, PromptStatement, PurposeAnswer, ReviewRequest,
};
pub use review::{
    Aspect, Category, Challenge, MAX_OPTIONS, MIN_OPTIONS, Proposal, Review, ReviewProblem, ReviewStatus,
    Severity,
};
