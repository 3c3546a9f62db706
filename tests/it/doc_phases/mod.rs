//! The phased documentation agent.

mod budget;
mod by_hand;
mod crash;
mod entry;
mod hostile_facts;
mod kit;
mod meaning;
mod memory;
mod memory_bad_input;
mod memory_changes;
mod memory_kit;
mod memory_queries;
mod notes;
mod pages;
mod review;
mod rounds;
mod rules;
mod run;
mod servers;
mod sessions;
mod tools;
mod updates;
mod writer;
mod writer_hostile;
