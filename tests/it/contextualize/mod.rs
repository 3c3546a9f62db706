//! The workflow `contextualize`.

mod context_file;
