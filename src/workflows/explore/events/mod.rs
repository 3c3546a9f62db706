//! Events of an exploration: one numbered stream, a log file, and queues for readers.

mod event;
mod log;
mod reader;

pub use event::{ExplorationEvent, NumberedEvent};
pub use log::{EventLog, EventLogError, LINE_MAX, OpenLog, read_log};
pub use reader::{EventReader, WAITING_TOKENS};
