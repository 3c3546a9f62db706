//! The workflow `explore`: one kind of agent, used recursively, explores a repository. Each agent explores a part, writes findings on a
//! notepad that all share, and delegates folders to children.
//!
//! Reading order: `agents` (ids, scopes, records), `notepad` (the shared notes), `state` (the result), `rules` (the answers of an agent
//! without a model).

pub mod agents;
pub mod notepad;
pub mod rules;
pub mod state;
