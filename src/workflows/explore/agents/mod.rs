//! The agents of an exploration: ids, scopes, states, allowances, the records of those that ended.

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
