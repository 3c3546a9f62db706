//! The debate's parts that need neither engine nor model.

mod draft;
mod history;
mod idea;
mod review;
mod settings;
