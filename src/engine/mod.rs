//! The engine: graphs, typed state, supersteps, checkpoints, events. Knows no model, path, terminal or concrete store.
//!
//! Read in this order: what a user writes (`state`, `node`, `command`, `context`, `choice`, `policy`, `graph`), what is checked
//! (`draft`, `defect`, `check`), what runs (`request`, `begin`, `drive`, `parallel`, `attempt`), what decides (`plan`, `fold`), what
//! stays (`checkpoint`, `recorder`, `rebuild`, `journal`), what is seen (`event`, `outcome`, `topology`, `render`).

mod id;

mod choice;
mod command;
mod context;
mod graph;
mod node;
mod node_error;
mod policy;
mod reduce;
mod state;

mod check;
mod defect;
mod draft;

mod attempt;
mod begin;
mod clock;
mod drive;
mod fold;
mod parallel;
mod plan;
mod request;
mod stop;

mod checkpoint;
mod journal;
mod rebuild;
mod recorder;
mod store_error;

mod error;
mod event;
mod host;
mod outcome;
mod render;
mod run_path;
mod threads;
mod topology;

pub use stategraph_macros::{Choice, State};

pub use crate::nearest::nearest;
pub use check::check;
pub use checkpoint::{
    Ack, Checkpoint, CheckpointStore, FORMAT, Flush, HistoryEntry, HistoryQuery, JoinProgress, Lineage,
    PlannedTask, Pruned, Rebuild, Record, Retention, Source, TaskEntry, TaskRecord, ThreadSummary,
    ThreadWriter, Write, open_questions,
};
pub use choice::Choice;
pub use clock::Clock;
pub use command::{Command, IntoCommand, UndeclaredGoto};
pub use context::Cx;
pub use defect::{Defect, DefectKind, Defects};
pub use draft::{Draft, DraftEdge, DraftNode, END, START, Site};
pub use error::{NodeFailure, RunError};
pub use event::{Event, EventKind, EventKinds};
pub use graph::{CompiledGraph, ErasedChoice, StateGraph};
pub use host::{Host, HostRequest, HostStart, SharedHost};
pub use id::{CheckpointId, Digest, IdError, Namespace, QuestionId, Seq, THREAD_ID_MAX, TaskId, ThreadId};
pub use journal::{AnswerMismatch, QuestionWithoutStore};
pub use node::{
    ContextFn, ErasedNode, Frozen, IntoNode, Node, OfContext, OfFrozen, OfNode, OfState, StateFn,
};
pub use node_error::{NodeError, NodePanic, NodeResult, NodeTimeout, Retryable};
pub use outcome::{Outcome, Question, Status};
pub use policy::{NodePolicy, RetryPolicy};
pub use recorder::Durability;
pub use reduce::{Append, Fold, add, max, merge, min, present};
pub use render::{ASCII_WIDTH, Drawing, picture};
pub use request::{MAX_CONCURRENCY, RunRequest, RunStream, STEP_LIMIT};
pub use run_path::{RunPath, Standing, Visit};
pub use state::{CHANNELS_MAX, Channel, ChannelSet, Kept, Presence, State, Update};
pub use stop::{Stop, StopWish};
pub use store_error::StoreError;
pub use threads::{OpenQuestion, Snapshot, TaskError};
pub use topology::{EdgeKind, Topology, TopologyEdge, TopologyNode};
