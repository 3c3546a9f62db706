//! The agents of an exploration: ids, scopes, the records of those that ended.

mod id;
mod record;
mod scope;
mod view;

pub use id::{AgentId, InvalidAgentId};
pub use record::{AgentEnd, AgentRecord};
pub use scope::AgentScope;
pub(super) use scope::is_below;
pub use view::AgentView;
