//! What several themes share.

#[cfg(feature = "llm")]
pub(crate) mod fake_server;
