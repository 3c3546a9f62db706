//! Ready-made middleware. The recommended order of a stack, from the outside in: [`Trimming`], [`Budget`],
//! [`ToolBudget`], [`CallsPerRound`], [`Approval`], [`CutOutputs`], [`Journal`], [`Announce`], [`Throttle`],
//! [`Taped`]. Layers that decide are outside the journal, and decide the same after a resume. Layers that
//! wait, cost or report are inside, and are skipped when the journal has the result.

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
