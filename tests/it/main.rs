//! The one integration binary: a module per theme. Test names are sentences; requirement numbers stand in comments.

mod engine;
mod store;
#[cfg(feature = "llm")]
mod llm;
mod ard;
mod support;
