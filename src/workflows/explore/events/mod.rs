//! The events of an exploration: one stream with numbers, a log file, queues for readers.

mod event;
mod log;
mod reader;

pub use event::{ExplorationEvent, NumberedEvent};
pub use log::{EventLog, EventLogError, LINE_MAX, OpenLog, read_log};
pub use reader::{EventReader, WAITING_TOKENS};
