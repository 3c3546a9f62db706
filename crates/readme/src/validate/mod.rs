//! Validators of documents. Each is a static check with issues that carry lines; some have a prompt for a check by a model, which the
//! caller asks.

mod issue;

pub use issue::{
    CheckState, Issue, IssueSeverity, IssueSource, Validation, ValidationScope, ValidationStage,
};
