//! Middleware that is ready-made. From the outside in, a stack is best: [`Trimming`], [`Budget`], [`ToolBudget`],
//! [`CallsPerRound`], [`Approval`], [`CutOutputs`], [`Journal`], [`Announce`], [`Throttle`], [`Taped`]: what decides stands outside the
//! journal and decides the same after a resume; what waits, costs or tells stands inside and is not done again.

mod announce;
mod approval;
mod approval_answer;
mod budget;
mod calls_per_round;
mod cut_outputs;
mod journal;
mod taped;
mod throttle;
mod tool_budget;
mod trim;
mod trimming;

pub use announce::Announce;
pub use approval::{Approval, ApprovalQuestion};
pub use approval_answer::ApprovalAnswer;
pub use budget::{Budget, OverBudget};
pub use calls_per_round::CallsPerRound;
pub use cut_outputs::CutOutputs;
pub use journal::Journal;
pub use taped::{Taped, off_the_tape};
pub use throttle::Throttle;
pub use tool_budget::{Allowance, ToolBudget};
pub use trim::trim;
pub use trimming::Trimming;
