//! The phased documentation agent.

mod kit;
mod run;
