//! The engine: graphs, typed state, supersteps, checkpoints, events. Knows no model, path, terminal or concrete store.

mod checkpoint;
mod id;
mod store_error;

pub use checkpoint::{
    Ack, Checkpoint, CheckpointStore, FORMAT, Flush, HistoryEntry, HistoryQuery, JoinProgress, Lineage,
    PlannedTask, Pruned, Rebuild, Record, Retention, Source, TaskEntry, TaskRecord, ThreadSummary,
    ThreadWriter, Write, open_questions,
};
pub use id::{CheckpointId, Digest, IdError, Namespace, QuestionId, Seq, TaskId, THREAD_ID_MAX, ThreadId};
pub use store_error::StoreError;
