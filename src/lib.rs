//! A typed, durable graph runtime for LLM workflows, and documentation workflows that run on it.

// The derives write `::stategraph::…` inside this crate too.
extern crate self as stategraph;

#[cfg(feature = "agent")]
pub mod agent;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "definition")]
pub mod definition;
pub mod engine;
#[cfg(feature = "llm")]
pub mod llm;
mod nearest;
pub mod prelude;
#[cfg(feature = "repo")]
pub mod repo;
pub mod store;
#[cfg(feature = "workflows")]
pub mod workflows;

#[doc(hidden)]
pub mod __private {
    //! What the derives need from their user's dependencies.
    pub use serde;
}

/// The examples of the README run as documentation tests.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;
