//! The one integration binary: a module per theme. Test names are sentences; requirement numbers stand in comments.

mod agent;
mod ard;
mod definitions;
#[cfg(feature = "llm")]
mod llm;
mod repo;
mod store;
mod support;
mod tidy;
