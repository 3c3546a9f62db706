//! The capabilities that a found file must not use before the user allows them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use stategraph_base::{is_deceptive, quote_for_shell};
use stategraph_repo::ContentHash;

/// A capability that a found file asks for. It displays as a verb phrase, such as "read the environment variable `TEAM_KEY`".
///
/// The digest of a request is made from the serialised fields, so a field holds everything that the user allows, and nothing that may
/// change without being allowed again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Capability {
    /// Sends the requests to a provider of models to an address.
    SendTo {
        /// Name of the provider.
        provider: String,
        /// The address.
        url: String,
        /// Environment variable of the key that is sent along; `None` without a key.
        key: Option<String>,
    },
    /// Sends the key and headers of a provider without encryption to another machine.
    SendUnencrypted {
        /// Name of the provider.
        provider: String,
    },
    /// Reads an environment variable.
    ReadVariable {
        /// Name of the variable.
        name: String,
        /// Use of its value, for the message: "the key of `team`".
        purpose: String,
    },
    /// Sends a header with every request to a provider of models.
    SetHeader {
        /// Name of the provider.
        provider: String,
        /// Name of the header.
        header: String,
        /// Hash of its value, which is not shown because it may be a secret.
        value: ContentHash,
    },
    /// Starts a program as a server of tools.
    StartProgram {
        /// Name of the server.
        server: String,
        /// The program and its arguments.
        command: Vec<String>,
        /// Its working folder; `None` is that of the run.
        folder: Option<String>,
        /// Hashes of the environment variables that it gets, by name. The values are not shown because they may be secrets.
        variables: BTreeMap<String, ContentHash>,
    },
    /// Sends the calls of tools to a server.
    CallServer {
        /// Name of the server.
        server: String,
        /// Its address.
        url: String,
        /// Hashes of the headers of every request, by name.
        headers: BTreeMap<String, ContentHash>,
    },
    /// Writes a file outside the working folder.
    WriteOutside {
        /// The file, with links resolved.
        #[serde(serialize_with = "lossy")]
        path: PathBuf,
    },
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SendTo { provider, url, key: None } => {
                write!(f, "send the requests to `{}` to {}", visible(provider), visible(url))
            }
            Self::SendTo { provider, url, key: Some(variable) } => write!(
                f,
                "send the requests to `{}`, with the key in {}, to {}",
                visible(provider),
                visible(variable),
                visible(url)
            ),
            Self::SendUnencrypted { provider } => {
                write!(f, "send the key and headers of `{}` without encryption", visible(provider))
            }
            Self::ReadVariable { name, purpose } => {
                write!(f, "read the environment variable {} for {}", visible(name), visible(purpose))
            }
            Self::SetHeader { provider, header, .. } => {
                write!(f, "set the header `{}` of requests to `{}`", visible(header), visible(provider))
            }
            Self::StartProgram { server, command, folder, variables } => {
                let words: Vec<_> = command.iter().map(|word| quote_for_shell(word.as_ref())).collect();
                write!(f, "start `{}`", visible_command(&words.join(" ")))?;
                if let Some(folder) = folder {
                    write!(f, " in {}", visible(folder))?;
                }
                write!(f, " as the server `{}`{}", visible(server), with_names("variable", variables))
            }
            Self::CallServer { server, url, headers } => write!(
                f,
                "send the calls of tools of the server `{}` to {}{}",
                visible(server),
                visible(url),
                with_names("header", headers)
            ),
            Self::WriteOutside { path } => {
                write!(f, "write {}, which is outside the working folder", visible(&path.to_string_lossy()))
            }
        }
    }
}

/// Returns the keys of a map as a phrase: `, with the variables A, B`; empty for an empty map. `kind` is the
/// singular noun.
fn with_names(kind: &str, entries: &BTreeMap<String, ContentHash>) -> String {
    let listed: Vec<String> = entries.keys().map(|name| visible(name).to_string()).collect();
    match listed.as_slice() {
        [] => String::new(),
        [name] => format!(", with the {kind} {name}"),
        several => format!(", with the {kind}s {}", several.join(", ")),
    }
}

/// Serialises a path; bytes that are not UTF-8 become U+FFFD.
fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// Escapes control characters and characters that hide text in a command line. Quotes stay, so that the shown
/// command can be typed.
fn visible_command(line: &str) -> String {
    let is_bad = |c: char| c.is_control() || is_deceptive(c);
    line.chars().map(|c| if is_bad(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

/// Escapes control characters and quotes of a text for the terminal, because it may come from a stranger.
fn visible(text: &str) -> std::str::EscapeDebug<'_> {
    text.escape_debug()
}
