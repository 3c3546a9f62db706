//! Context files for coding agents.

mod content;
