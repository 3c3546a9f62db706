//! The kinds of nodes that graph files define themselves: their keys and their reading. Runs none of them; the caller
//! of [`Definition::build_inline`](super::Definition::build_inline) provides the nodes.

mod agent;
mod http;
mod interrupt;
mod model;
mod node_kind;
mod parts;
mod read;
mod subgraph;
mod target;
mod tool;

pub use agent::{AgentBudget, AgentKind};
pub use http::{HttpKind, Method, RequestBody};
pub use interrupt::InterruptKind;
pub use model::ModelKind;
pub(crate) use node_kind::{KINDS, TOOL_BODIES};
pub use node_kind::{Kind, MapKind, Pause};
pub(crate) use read::read_kind;
pub use subgraph::SubgraphKind;
pub use target::Target;
pub use tool::ToolKind;
