//! The architect–reviewer debate: a rough idea is argued into a specification (`spec.md`).
//!
//! Read on in this order: [`input`] (what the user gives, checked once), [`exchange`] (the JSON that the two agents
//! send each other), [`offline`] (the rules that draft and review without a model), [`spec`] (the document).

pub mod choices;
pub mod exchange;
pub mod input;
mod nodes;
pub mod offline;
pub mod services;
pub mod spec;
pub mod state;
