//! Sections of a document written from the facts of a package: no model, nothing invented.
