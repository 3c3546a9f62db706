//! A typed, durable graph runtime for LLM workflows, and documentation workflows that run on it.
//!
//! A graph has a typed [state](engine::State). Nodes are async functions that borrow it and return an update; edges, joins and
//! branches say what runs next. A run goes in supersteps, each of which is one atomic [checkpoint](engine::Checkpoint) when the
//! graph has a [store].
//!
//! ```
//! use stategraph::prelude::*;
//!
//! #[derive(State, Clone, Default, Serialize, Deserialize)]
//! struct Counter {
//!     n: u32,
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(async {
//! let graph = StateGraph::new("counter")
//!     .node("add", async |counter: &Counter| Counter::update().n(counter.n + 1))
//!     .edge(START, "add")
//!     .branch("add", |counter: &Counter| counter.n < 3, [(true, "add"), (false, END)])
//!     .compile()?;
//! assert_eq!(graph.run(Counter::default()).await?.state.n, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).expect("the graph has no defects, and runs");
//! ```
//!
//! [`prelude`] has the names that nearly every program uses, [`engine`] the rest of the engine in groups. Pages of the repository:
//! `docs/langgraph.md` (for users of LangGraph), `docs/service.md` (a graph behind HTTP), `docs/migrations.md` (a state that changes its
//! type). The folder `examples` has a program for each feature.
//!
//! | to | see |
//! |---|---|
//! | build a graph | [`StateGraph`](engine::StateGraph), [`IntoNode`](engine::IntoNode), [`Command`](engine::Command) |
//! | declare how writes become values | [`State`](engine::State) |
//! | retry, limit the time of a node | [`NodePolicy`](engine::NodePolicy) |
//! | do something once, ask a question, emit events | [`Cx`](engine::Cx) |
//! | run, resume, fork, stream | [`CompiledGraph`](engine::CompiledGraph), [`RunRequest`](engine::RunRequest) |
//! | look at threads and write to them | [`CompiledGraph::state`](engine::CompiledGraph::state), [`history`](engine::CompiledGraph::history), [`update`](engine::CompiledGraph::update) |
//! | keep threads | [`store`]; another store: [`CheckpointStore`](engine::CheckpointStore) |
//! | declare graphs in files | `definition` (feature `definition`) |
//! | draw a graph, or a run in it | [`Drawing`](engine::Drawing); PNG: `raster` (feature `png`) |
//! | ask models | `llm` (feature `llm`) |
//! | run an agent with tools | `agent` (feature `agent`): `agent_graph`, `ToolNode`, `MessagesState`, `function_tool` |
//! | facts about a code base, each with its source | `facts` (feature `workflows`) |
//! | open spans in nodes, export them | `trace` (feature `workflows`; the export with `cli`) |
//! | use tools of other programs, and offer tools to them | `mcp` (feature `mcp`) |
//! | run the workflows | `workflows` (feature `workflows`) |

/// Graphs, state, supersteps, checkpoints, events; and the drawings of graphs.
pub mod engine {
    pub use stategraph_core::*;
    pub use stategraph_draw::{ASCII_WIDTH, Draw, Drawing, picture};
}

/// Checkpoint stores: in memory, or in a folder (feature `sled`).
pub mod store {
    pub use stategraph_core::store::*;
    #[cfg(feature = "sled")]
    pub use stategraph_sled::*;
}

/// Tools, the tool loop as a graph, and its middleware; with the messages and models that they use, so that one import is enough for an
/// agent.
#[cfg(feature = "agent")]
pub mod agent {
    pub use stategraph_agent::*;
    #[cfg(feature = "kinds")]
    pub use stategraph_code_tools as tools;
    pub use stategraph_llm::{
        ChatModel, ChatRequest, Message, MessageChange, Messages, NoTokens, Providers, Scripted,
        ScriptedAnswer, SharedModel, ToolCall,
    };
}

pub mod prelude;

#[cfg(feature = "png")]
pub use stategraph_draw::raster;
#[cfg(feature = "workflows")]
pub use stategraph_facts as facts;
#[cfg(feature = "definition")]
pub use stategraph_files as definition;
#[cfg(feature = "kinds")]
pub use stategraph_kinds as kinds;
#[cfg(feature = "llm")]
pub use stategraph_llm as llm;
#[cfg(feature = "mcp")]
pub use stategraph_mcp as mcp;
#[cfg(feature = "workflows")]
pub use stategraph_readme as readme;
#[cfg(feature = "kinds")]
pub use stategraph_repo as repo;
#[cfg(feature = "workflows")]
pub use stategraph_trace as trace;
#[cfg(feature = "workflows")]
pub use stategraph_trust as trust;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "workflows")]
pub mod workflows;

/// Makes the examples of the README run as documentation tests. Never used.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct FacadeReadme;

/// Makes the examples of the page about the Model Context Protocol run as documentation tests. Never used.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../docs/mcp.md")]
struct McpPage;

/// Makes the examples of the page about drawings run as documentation tests. Never used.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../docs/drawing.md")]
struct DrawingPage;

/// Makes the examples of the page about README sections run as documentation tests. Never used.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../docs/sections.md")]
struct SectionsPage;

/// Makes the examples of the page about traces run as documentation tests. Never used.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../docs/tracing.md")]
struct TracingPage;
