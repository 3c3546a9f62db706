//! Agents of an exploration: their ids, scopes, states and allowances, and the records of ended ones.

mod allowance;
mod id;
mod record;
mod run;
mod scope;
mod view;

pub use allowance::{AgentAllowance, CHILD_TOKENS_MIN, NoAllowance};
pub use id::{AgentId, InvalidAgentId};
pub use record::{AgentEnd, AgentRecord};
pub use run::{AgentRun, AgentRunUpdate, TakenPart};
pub use scope::AgentScope;
pub(super) use scope::is_below;
pub use view::AgentView;
