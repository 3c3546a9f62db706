//! The kinds of nodes that graph files define themselves: their keys and their reading. Runs none of them; the caller
//! of [`Definition::build_inline`](super::Definition::build_inline) provides the nodes.

mod agent;
mod http;
mod interrupt;
mod model;
mod node_kind;
mod parts;
mod pause;
mod read;
mod store;
mod subgraph;
mod target;
mod tool;
mod write;

pub use agent::{AgentBudget, AgentKind};
pub use http::{HttpKind, Method, RequestBody};
pub use interrupt::{InterruptKind, InterruptQuestion};
pub use model::ModelKind;
pub(crate) use node_kind::{KINDS, TOOL_BODIES};
pub use node_kind::{Kind, MapKind};
pub(crate) use parts::{read_integer, read_word};
pub use pause::PauseTime;
pub(crate) use read::read_kind;
pub use store::{ItemAddress, PutAction, SearchAction, StoreKind};
pub use subgraph::{SubgraphKeep, SubgraphKind};
pub use target::Target;
pub use tool::ToolKind;
pub use write::ChannelWrite;
pub(crate) use write::read_writes;
