//! The files and lines that a question is about: keywords, ranking, references. Asks no model.
