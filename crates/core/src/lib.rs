//! The engine: graphs, typed state, supersteps, checkpoints, events. Knows no model, path, terminal or concrete store.
//!
//! Read in this order: what a user writes (`state`, `node`, `command`, `dispatch`, `context`, `choice`, `policy`, `builder`, `declare`), what is checked
//! (`draft`, `defect`, `check`), what runs (`graph`, `request`, `begin`, `drive`, `parallel`, `crew`, `attempt`), what decides (`plan`, `fold`), what
//! stays (`checkpoint`, `recorder`, `rebuild`, `journal`; outside threads `long_term`), what is seen (`event`, `outcome`, `topology`, `render`).

// The derives write `::stategraph_core::…` inside this crate too.
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

#[cfg(feature = "answers")]
mod answers;
mod attempt;
mod begin;
mod breakpoints;
mod cache;
mod clock;
mod closure;
mod crew;
mod drive;
mod fold;
mod handler;
mod hooks;
mod inner;
mod panicked;
mod parallel;
mod part;
mod plan;
mod queue;
mod refuse;
mod request;
mod save;
mod share;
mod stop;

mod checkpoint;
mod commit;
mod contract;
mod inner_log;
mod inside;
mod journal;
mod json_text;
mod json_walk;
mod migrate;
mod nesting;
mod outside;
mod read_back;
mod rebuild;
mod recorder;
mod store_error;
mod written;

/// The lock of `queue.rs`: a test compiles that file with the lock of a model checker.
mod sync {
    pub(super) use std::sync::{Mutex, MutexGuard};
}

mod item_query;
mod long_term;
mod message_stream;
mod nearest;
mod rank;
pub mod store;

mod error;
mod event;
mod fit;
mod host;
mod outcome;
mod run_path;
mod threads;
mod topology;

pub use stategraph_macros::{Choice, State};

#[cfg(feature = "answers")]
pub use answers::BadAnswerSchema;
pub use breakpoints::{Breakpoint, Breakpoints};
pub use builder::StateGraph;
pub use cache::CachePolicy;
pub use check::check;
pub use checkpoint::{
    Asked, Checkpoint, Edges, FORMAT, InnerQuestion, JoinProgress, PlannedTask, Rare, Record, Remembered,
    Source, TaskEntry, TaskRecord, Write, open_questions,
};
pub use choice::Choice;
pub use clock::Clock;
pub use closure::{ClosurePanic, UserClosure};
pub use command::{BadRoute, Command, IntoCommand};
pub use commit::{Commit, Json, Origin, PlannedRef, WriteRef};
pub use context::{Cx, NoLongTermStore};
pub use contract::{
    Ack, CheckpointStore, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Retention,
    ThreadSummary, ThreadWriter, Whole, rooted,
};
pub use defect::{Defect, DefectKind, Defects};
pub use dispatch::{Dispatch, WrongItem};
pub use draft::{Draft, DraftEdge, DraftNode, END, START, Site, Timing};
pub use error::{Authoring, NodeFailure, RunError, with_causes};
pub use event::{Event, EventKind, EventKinds, RunFailure};
pub use fit::{Misfit, ThreadFit};
pub use graph::{CompiledGraph, ErasedChoice};
pub use handler::{FailedNode, HandlerFailed, HandlerPanic};
pub use hooks::{Hooks, Interrupt, RunInfo};
pub use host::{Host, HostRequest, HostStart, SharedHost};
pub use id::{CheckpointId, Digest, IdError, Namespace, QuestionId, Seq, THREAD_ID_MAX, TaskId, ThreadId};
pub use inner::Persistence;
pub use inner_log::{inner_calls, inner_log};
pub use inside::{InnerCheckpoint, InnerGraph, InnerSnapshot, InnerStep, Place};
pub use item_query::{Filter, FoundItem, Is, ItemQuery, PathQuery};
pub use journal::{AnswerMismatch, QuestionWithoutStore, RepeatedKey};
pub use long_term::{
    ITEM_NAME_MAX, Item, ItemNameError, ItemPath, KeptFor, LongTermStore, PutItem, checked_key,
};
pub use message_stream::MessageStream;
pub use nearest::nearest;
pub use nesting::NESTING_MAX;
pub use node::{
    ContextFn, ErasedNode, Frozen, IntoNode, Node, OfContext, OfFrozen, OfNode, OfState, StateFn,
};
pub use node_error::{NodeError, NodePanic, NodeResult, NodeTimeout, Retryable};
pub use outcome::{Outcome, Question, Status};
pub use outside::{NodeUpdate, WriteAs};
pub use panicked::panic_message;
pub use part::Part;
pub use policy::{IdleLimit, NodePolicy, RetryPolicy};
pub use pulse::Signs;
pub use rank::rank;
pub use read_back::{Doubted, JsonSafe, NeverNull, SafeProbe};
pub use recorder::Durability;
pub use reduce::{Append, Fold, add, max, merge, min, present};
pub use request::{MAX_CONCURRENCY, RunRequest, RunStream, STEP_LIMIT};
pub use run_path::{RunPath, Standing, Visit};
pub use state::{CHANNELS_MAX, Channel, ChannelSet, Kept, Presence, State, Update};
pub use stop::{Stop, StopWish};
pub use store_error::StoreError;
pub use subgraph::{OfGraph, OfSubgraph, Subgraph};
pub use threads::{OpenQuestion, Snapshot, TaskError};
pub use topology::{EdgeKind, Topology, TopologyEdge, TopologyNode};

#[doc(hidden)]
pub mod __private {
    //! What the derives need from their user's dependencies.
    pub use serde;
}

/// The example of the README runs as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
