//! What several themes share.

pub(crate) mod cases;
#[cfg(feature = "llm")]
pub(crate) mod fake_server;
#[cfg(feature = "definition")]
pub(crate) mod grammar;
pub(crate) mod watched;
