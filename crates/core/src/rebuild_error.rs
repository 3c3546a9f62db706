//! The reasons why a chain of checkpoints gives no state.

/// The reason why a chain of checkpoints gives no state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RebuildError {
    #[error("the chain of checkpoints does not begin with a snapshot")]
    NoSnapshot,
    #[error("checkpoint {seq}: {source}")]
    Json { seq: u64, source: serde_json::Error },
    #[error("{reason}")]
    Unsound { reason: String },
    #[error("checkpoint {seq} writes `{channel}` twice")]
    Conflict { seq: u64, channel: String },
    #[error("checkpoint {seq}: a reducer panicked: {message}")]
    Panic { seq: u64, message: String },
}
