//! The debate: its parts one by one, then the whole of it through its graph.

mod draft;
mod drafts;
mod history;
mod idea;
mod ideas;
mod offline;
mod prompts;
mod review;
mod settings;
mod spec;
mod write;

mod kit;

mod agents;
mod clarify;
mod crash;
mod debate;
mod debates;
mod decision;
mod entry;
mod exclusions;
mod faithful;
mod gates;
mod golden;
mod layout;
mod options;
mod recall;
mod resume;
