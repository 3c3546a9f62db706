//! The workflow `contextualize`.

mod search;
