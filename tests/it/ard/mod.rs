//! The debate's parts that need neither engine nor model.

mod draft;
mod history;
mod idea;
mod offline;
mod prompts;
mod review;
mod settings;
mod spec;
mod write;
