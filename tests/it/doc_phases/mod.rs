//! The phased documentation agent.

mod budget;
mod crash;
mod entry;
mod kit;
mod rounds;
mod run;
mod sessions;
mod tools;
mod updates;
