//! The phased documentation agent.

mod memory;
mod memory_bad_input;
mod memory_changes;
mod memory_kit;
mod memory_queries;
mod writer;
mod writer_hostile;
