//! Tools of other programs for agents and graphs, and ours for other programs, over the Model Context Protocol. Knows no workflow.
//!
//! Reading order: `limit` (all bounds), `error`, `name` (names of tools), `config` (files of servers), `clean` (texts of strangers),
//! `connection` (one running server), `listing` (its tools), `pins` (changes between runs), `call` (one call), `servers` (all servers as
//! one source of tools), `tool` (a tool of agents); [`server`] is the other direction.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use stategraph_llm::SystemEnv;
//! use stategraph_mcp::{McpConfig, McpServers};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let config = McpConfig::load(Path::new("mcp.json"))?;
//! let servers = McpServers::new(config, Arc::new(SystemEnv), ".");
//! let toolbox = servers.toolbox(&["mcp__git__git_log".to_owned(), "mcp__files__*".to_owned()]).await?;
//! assert_eq!(toolbox.specs()[0].name, "mcp__git__git_log");
//! # Ok::<(), stategraph_core::NodeError>(())
//! # }).unwrap();
//! ```

pub mod limit;
pub mod server;

mod call;
mod clean;
mod config;
mod connection;
mod error;
mod listing;
mod name;
mod pins;
mod servers;
mod tool;

pub use config::{McpConfig, McpServer, ServerTransport, ToolRules};
pub use error::{McpConfigError, McpError};
pub use pins::PinStore;
pub use servers::McpServers;
