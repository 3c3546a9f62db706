//! The engine of stategraph: typed, durable graphs of async nodes. It has no knowledge of models, paths, terminals or durable stores.
//!
//! A [`StateGraph`] builds a graph on a [`State`]: a struct whose fields are channels. Nodes are async functions that borrow the state and
//! return an update. A run goes in supersteps: all planned tasks run, their updates are folded into the state in a fixed order, the next
//! tasks are planned, and a [`Checkpoint`] is committed. With a [`CheckpointStore`] a run can be resumed after a crash, wait for a person's
//! answer, and be forked at any checkpoint.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use stategraph_core::{END, START, State, StateGraph};
//!
//! #[derive(State, Clone, Default, Serialize, Deserialize)]
//! struct Count {
//!     n: u32,
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let graph = StateGraph::<Count>::new("count")
//!     .node("add", async |count: &Count| Count::update().n(count.n + 1))
//!     .edge(START, "add")
//!     .branch("add", |count: &Count| count.n < 3, [(true, "add"), (false, END)])
//!     .compile()?;
//! assert_eq!(graph.run(Count::default()).await?.state.n, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # The items in groups
//!
//! Most programs need the first four groups. The examples in this documentation share the graph above as `counter()`.
//!
//! | group | items |
//! |---|---|
//! | build | [`StateGraph`], [`State`], [`Update`], [`Choice`], [`START`], [`END`], [`NodePolicy`], [`RetryPolicy`], [`CachePolicy`], [`Breakpoints`]; mistakes: [`Defects`], [`Defect`], [`DefectKind`] |
//! | nodes | [`IntoNode`], [`Node`], [`Cx`], [`Frozen`], [`SharedCx`], [`Command`], [`Dispatch`], [`NodeError`], [`NodeResult`], [`FailedNode`], [`MessageStream`] |
//! | run | [`CompiledGraph`], [`RunRequest`], [`RunStream`], [`Outcome`], [`Status`], [`Question`], [`RunError`], [`Stop`], [`Durability`] |
//! | observe | [`Event`], [`EventKind`], [`EventKinds`], [`Hooks`], [`Topology`], [`RunPath`] |
//! | threads | [`ThreadId`], [`CheckpointId`], [`QuestionId`], [`Snapshot`], [`HistoryQuery`], [`HistoryEntry`], [`WriteAs`], [`Retention`], [`ThreadFit`] |
//! | graphs in graphs | [`Subgraph`], [`Persistence`], [`Namespace`] |
//! | long-term memory | [`LongTermStore`], [`ItemPath`], [`PutItem`], [`ItemQuery`], [`Filter`], [`store::MemoryItems`] |
//! | programs that know no state type | [`Host`], [`HostRequest`], [`SharedHost`] |
//! | stores | [`store`], [`CheckpointStore`], [`ThreadWriter`], [`StoreError`], [`Checkpoint`], [`Record`] |
//! | for the derives, graph files and drawings | [`Channel`], [`ChannelSet`], [`Fold`], [`Draft`], [`ErasedNode`], [`NodeForm`], [`InnerGraph`] |
//!
//! # Reading order of the modules
//!
//! The modules are private; their items are re-exported here. Built by users: `state`, `node`, `command`, `dispatch`, `context`, `shared_cx`, `choice`,
//! `policy`, `builder`, `declare`. Checked at compile time of the graph: `draft`, `defect`, `check`. Run: `graph`, `request`, `run_stream`, `start`,
//! `run_loop`, `superstep`, `task_pool`, `attempt`. Decided: `plan`, `fold`. Stored: `checkpoint`, `run_log`, `rebuild`, `journal`; outside
//! threads `long_term`. Observed: `event`, `event_queue`, `outcome`, `topology`.

// Lets the derives name this crate as `::stategraph_core` inside it too.
extern crate self as stategraph_core;

mod id;

mod builder;
mod choice;
mod command;
mod context;
mod declare;
mod dispatch;
mod graph;
mod node;
mod node_error;
mod policy;
mod pulse;
mod reduce;
mod state;
mod subgraph;

mod check;
mod defect;
mod draft;

mod announce;
mod answering;
#[cfg(feature = "answers")]
mod answers;
mod attempt;
mod bad_route;
mod breakpoints;
mod cache;
mod clock;
mod closure;
mod fold;
mod handler;
mod hooks;
mod inner_graph;
mod inner_run;
mod panicked;
mod part;
mod plan;
mod refuse;
mod request;
mod run_config;
mod run_loop;
mod run_state;
mod save;
mod share;
mod shared_cx;
mod start;
mod stop;
mod superstep;
mod task_pool;
mod thread_update;

mod checkpoint;
mod commit;
mod contract;
mod ended_inside;
mod inner_log;
mod inner_view;
mod journal;
mod json_text;
mod json_walk;
mod migrate;
mod migration_step;
mod nesting;
mod read_back;
mod rebuild;
mod rebuild_error;
mod run_log;
mod snapshot_spacing;
mod spending;
mod store_error;
mod stored;
mod task_log;

mod item;
mod item_query;
mod long_term;
mod message_stream;
mod nearest;
mod rank;
pub mod store;

mod error;
mod event;
mod event_queue;
mod exclusive;
mod fit;
mod host;
mod outcome;
mod run_path;
mod run_stream;
mod threads;
mod topology;
mod update_buffer;

pub use stategraph_macros::{Choice, State};

#[cfg(feature = "answers")]
pub use answers::BadAnswerSchema;
pub use bad_route::BadRoute;
pub use breakpoints::{Breakpoint, Breakpoints};
pub use builder::StateGraph;
pub use cache::CachePolicy;
pub use check::check;
pub use checkpoint::{
    AskedQuestion, Checkpoint, Edges, FORMAT, InnerQuestion, JoinProgress, PlannedTask, RareParts, Record,
    Source, SubgraphState, TaskEntry, TaskRecord, Write, open_questions,
};
pub use choice::Choice;
pub use clock::Clock;
pub use closure::{ClosurePanic, UserClosure};
pub use command::{Command, IntoCommand};
pub use commit::{Commit, Json, Origin, PlannedRef, WriteRef};
pub use context::{Cx, NoLongTermStore};
pub use contract::{
    Ack, CheckpointStore, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Retention,
    ThreadSummary, ThreadWriter, WholeState, to_root,
};
pub use defect::{Defect, DefectKind, Defects};
pub use dispatch::{Dispatch, WrongItem};
pub use draft::{Draft, DraftEdge, DraftNode, END, START, Site, Timing};
pub use error::{Authoring, FailedItem, NodeFailure, RunError, with_causes};
pub use event::{Event, EventKind, EventKinds, RunFailure};
pub use event_queue::QUEUED_EVENTS;
pub use fit::{Misfit, ThreadFit};
pub use graph::{CompiledGraph, ErasedChoice};
pub use handler::{FailedNode, HandlerFailed, HandlerPanic};
pub use hooks::{Hooks, Interrupt, RunInfo};
pub use host::{Host, HostRequest, HostStart, SharedHost};
pub use id::{CheckpointId, Digest, IdError, Namespace, QuestionId, Seq, THREAD_ID_MAX, TaskId, ThreadId};
pub use inner_graph::{InnerGraph, InnerPlace, InnerSnapshot, Persistence};
pub use inner_log::{inner_calls, inner_log};
pub use inner_run::{InnerCall, InnerEnd};
pub use inner_view::{InnerCheckpoint, InnerStep};
pub use item::{Expiry, ITEM_NAME_MAX, Item, ItemNameError, ItemPath, PutItem, check_key};
pub use item_query::{Comparison, Filter, FoundItem, ItemQuery, PathQuery};
pub use journal::{AnswerMismatch, QuestionWithoutStore, RepeatedKey};
pub use long_term::LongTermStore;
pub use message_stream::MessageStream;
pub use nearest::nearest;
pub use nesting::NESTING_MAX;
pub use node::{
    ContextFn, ContextShape, ErasedNode, Frozen, IntoNode, Node, NodeForm, OfContext, OfFrozen, OfNode,
    OfShared, OfState, StateFn, StateShape,
};
pub use node_error::{NodeError, NodePanic, NodeResult, NodeTimeout, Retryable};
pub use outcome::{OpenQuestion, Outcome, Question, Status};
pub use panicked::panic_message;
pub use part::Part;
pub use policy::{IdleLimit, NodePolicy, RetryPolicy};
pub use pulse::ActivityKind;
pub use rank::rank;
pub use read_back::{JsonSafe, NeverNull, ProbeFallback, SafeProbe};
pub use reduce::{Append, Fold, add, max, merge, min, present};
pub use request::RunRequest;
pub use run_config::{MAX_CONCURRENCY, STEP_LIMIT};
pub use run_path::{NodeVisits, RunPath, VisitStatus};
pub use run_stream::RunStream;
pub use shared_cx::{AttemptEnded, SharedCx};
pub use spending::merge_spent;
pub use state::{CHANNELS_MAX, Channel, ChannelLifetime, ChannelSet, Presence, State, Update};
pub use stop::{Stop, StopWish};
pub use store_error::StoreError;
pub use subgraph::{OfGraph, OfSubgraph, Subgraph};
pub use task_log::Durability;
pub use thread_update::{NodeUpdate, WriteAs};
pub use threads::{Snapshot, TaskError};
pub use topology::{EdgeKind, Topology, TopologyEdge, TopologyNode};

#[doc(hidden)]
pub mod __private {
    //! Dependencies that the code of the derives uses.
    pub use serde;
}

/// An empty struct that has the README as its documentation, so that the example in it runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
