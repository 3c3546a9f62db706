//! Errors of servers and of their configuration, each with a hint for the user. The caller cuts and cleans
//! texts of servers before they become part of an error.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// Failure to find, start or query an MCP server or one of its tools.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum McpError {
    /// The file has no server that a tool name or pattern refers to.
    #[error("{file} has no server for the tool `{name}`")]
    UnknownServer {
        /// The name or pattern, as written.
        name: String,
        /// The file of servers.
        file: String,
        /// The nearest name that exists.
        meant: Option<String>,
    },
    /// The server offers no tool of this name: it has none, or the tool is switched off.
    #[error("the server `{server}` offers no tool `{tool}`")]
    UnknownTool {
        /// The server.
        server: String,
        /// The name or pattern, as written.
        tool: String,
        /// The reason why a tool of this name is off, or the tools that exist.
        reason: String,
    },
    /// A variable that the entry names is not set.
    #[error("the server `{server}` needs the environment variable {variable}, which is not set")]
    MissingVariable {
        /// The server.
        server: String,
        /// The variable.
        variable: String,
    },
    /// The entry of the server cannot be used.
    #[error("the server `{server}` cannot be used: {reason}")]
    BadEntry {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
    },
    /// The program could not be started.
    #[error("cannot start `{command}`, the program of the server `{server}`")]
    Spawn {
        /// The server.
        server: String,
        /// The command line.
        command: String,
        /// The reason of the system.
        source: io::Error,
    },
    /// The server did not complete the handshake.
    #[error("the server `{server}` did not start: {reason}{stderr}")]
    Handshake {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
        /// The last lines of its standard error, with an introduction; empty if there are none.
        stderr: String,
    },
    /// The server did not complete its start in time.
    #[error("the server `{server}` did not start within {limit:?}{stderr}")]
    StartTimedOut {
        /// The server.
        server: String,
        /// The limit.
        limit: Duration,
        /// The last lines of its standard error, with an introduction; empty if there are none.
        stderr: String,
    },
    /// The server speaks no version of the protocol that we know.
    #[error("the server `{server}` answers with the unknown protocol version `{version}`")]
    Version {
        /// The server.
        server: String,
        /// The version.
        version: String,
    },
    /// The list of tools breaks a limit.
    #[error("the server `{server}` lists its tools wrongly: {reason}")]
    BadList {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
    },
    /// The server ended too often.
    #[error("the server `{server}` ended {starts} times and is not started again")]
    GaveUp {
        /// The server.
        server: String,
        /// The number of starts.
        starts: u32,
    },
}

impl McpError {
    /// Returns the hint for this error: the next step that the user can take.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownServer { meant: Some(meant), .. } => format!("did you mean `{meant}`?"),
            Self::UnknownServer { .. } => "name a file that has it, or add it to `mcp.json`".to_owned(),
            Self::UnknownTool { reason, .. } => reason.clone(),
            Self::MissingVariable { variable, .. } => {
                format!("set it, or write `${{{variable}:-default}}`")
            }
            Self::BadEntry { .. } => "change its entry in the file of servers".to_owned(),
            Self::Spawn { .. } => {
                "install it, or write its path; it gets only PATH, HOME, LANG, TMPDIR and what `env` names"
                    .to_owned()
            }
            Self::Handshake { .. } => "run the command by hand to see more of what it says".to_owned(),
            Self::StartTimedOut { .. } => {
                "raise `start_limit` in its entry, in seconds, if it installs itself first".to_owned()
            }
            Self::Version { .. } => "use another version of the server".to_owned(),
            Self::BadList { .. } => {
                "use another server; its list is not one that a model could read".to_owned()
            }
            Self::GaveUp { .. } => {
                "run again when the server works; `graph mcp tools` tries it alone".to_owned()
            }
        }
    }
}

/// Failure to read or parse a configuration file of MCP servers.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum McpConfigError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason of the system.
        source: io::Error,
    },
    /// The file is no JSON.
    #[error("{} is not JSON", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// The place and the reason.
        source: serde_json::Error,
    },
    /// The file has another form.
    #[error("{}: {reason}", path.display())]
    BadForm {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl McpConfigError {
    /// Returns the hint for this error: the next step that the user can take.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "check that it is a file of at most 1 MiB that you may read",
            Self::NotJson { .. } => "JSON has neither comments nor a comma before a closing bracket",
            Self::BadForm { .. } => {
                r#"such as {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}"#
            }
        }
    }
}
