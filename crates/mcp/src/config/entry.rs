//! One server entry of a configuration file: how to reach the server, the rules for its tools, and the
//! capabilities that the user must allow.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::expand::variables;
use crate::limit::{CALL_LIMIT, LIMIT_SECONDS_MAX, START_LIMIT, TOTAL_LIMIT};
use stategraph_agent::selects;
use stategraph_base::quote_for_shell;
use stategraph_repo::ContentHash;
use stategraph_trust::Capability;

/// An MCP server as configured: an entry of a configuration file. Its texts may still contain
/// `${VARIABLE}`.
#[derive(Clone, Debug, PartialEq)]
pub struct McpServer {
    /// Name in the file.
    pub name: String,
    /// Connection to the server: a program to start, or an address.
    pub transport: ServerTransport,
    /// Rules that select the tools to offer.
    pub tools: ToolRules,
    /// Maximum silence during a call.
    pub limit: Duration,
    /// Maximum duration of the start, including the first list of tools.
    pub start_limit: Duration,
    /// Line and column in the file, from 1.
    pub(super) place: (u64, u64),
}

/// Connection to an MCP server: a program to start, or an address.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerTransport {
    /// A program that is started, and spoken with over its standard input and output.
    Program {
        /// The program: a name below PATH, or a path.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Environment variables that it gets.
        env: BTreeMap<String, String>,
        /// Its working folder; `None` is that of the run.
        folder: Option<String>,
    },
    /// A server that runs already, over streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
}

/// The user's rules for the tools of an MCP server. Each pattern is a tool name or a prefix that ends with
/// `*`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRules {
    /// The tools that are offered; `None` offers all.
    pub allow: Option<Vec<String>>,
    /// Tools that are not offered, even if allowed.
    pub deny: Vec<String>,
    /// Tools that need the approval of a person before each call.
    pub approve: Vec<String>,
}

impl ToolRules {
    /// Returns true if the rules allow to offer the tool: it matches `allow` (or there is none) and not
    /// `deny`.
    pub fn offers(&self, tool: &str) -> bool {
        let is_in = |patterns: &[String]| patterns.iter().any(|pattern| selects(pattern, tool));
        self.allow.as_deref().is_none_or(is_in) && !is_in(&self.deny)
    }

    /// Returns true if a person is asked before each call of the tool.
    pub fn asks_about(&self, tool: &str) -> bool {
        self.approve.iter().any(|pattern| selects(pattern, tool))
    }
}

impl McpServer {
    /// Parses the JSON entry of the MCP server `name` in a configuration file. Unknown keys, which have no
    /// effect, are added to `unknown`. The error is the reason why the entry cannot be used.
    pub(super) fn read(name: &str, entry: Value, unknown: &mut Vec<String>) -> Result<Self, String> {
        let Value::Object(mut entry) = entry else { return Err("it is no object".to_owned()) };
        let kind = take_text(&mut entry, "type")?;
        let command = take_text(&mut entry, "command")?;
        let url = take_text(&mut entry, "url")?;
        let transport = match (kind.as_deref(), command, url) {
            (Some("sse"), ..) => {
                return Err(
                    "the transport `sse` is not supported; most of its servers also have `http`".to_owned()
                );
            }
            (Some("stdio") | None, Some(command), None) => ServerTransport::Program {
                command,
                args: take_texts(&mut entry, "args")?,
                env: take_pairs(&mut entry, "env")?,
                folder: take_text(&mut entry, "cwd")?,
            },
            (Some("http" | "streamable-http" | "streamableHttp") | None, None, Some(url)) => {
                ServerTransport::Http { url, headers: take_pairs(&mut entry, "headers")? }
            }
            (_, Some(_), Some(_)) => return Err("it has both `command` and `url`".to_owned()),
            (_, None, None) => return Err("it has neither `command` nor `url`".to_owned()),
            (Some(kind), ..) => {
                return Err(format!(
                    "its `type` is `{}`; use `stdio` with `command`, or `http` with `url`",
                    kind.escape_debug()
                ));
            }
        };
        let tools = match entry.remove("tools") {
            Some(rules) => ToolRules::read(rules, unknown)?,
            None => ToolRules::default(),
        };
        let limit = take_seconds(&mut entry, "limit")?.unwrap_or(CALL_LIMIT);
        let start_limit = take_seconds(&mut entry, "start_limit")?.unwrap_or(START_LIMIT);
        entry.remove("disabled");
        unknown.extend(entry.keys().cloned());
        Ok(Self { name: name.to_owned(), transport, tools, limit, start_limit, place: (1, 1) })
    }

    /// Returns the server with its line and column in the file set.
    pub(super) fn at(self, place: (u64, u64)) -> Self {
        Self { place, ..self }
    }

    /// Returns the maximum duration of a whole tool call, during which progress messages may extend
    /// `limit`.
    pub fn total_limit(&self) -> Duration {
        self.limit.max(TOTAL_LIMIT)
    }

    /// Returns the command line, quoted for a shell, or the address. Variables are not replaced.
    pub fn command_line(&self) -> String {
        match &self.transport {
            ServerTransport::Program { command, args, .. } => {
                let words = std::iter::once(command).chain(args);
                let words: Vec<_> = words.map(|word| quote_for_shell(word.as_ref()).into_owned()).collect();
                words.join(" ")
            }
            ServerTransport::Http { url, .. } => url.clone(),
        }
    }

    /// Returns the capabilities that the user must allow before the server is used: to start the program or
    /// call the address, and to read each environment variable that the entry names. Values appear only as
    /// hashes.
    pub fn capabilities(&self) -> Vec<Capability> {
        let hashes = |pairs: &BTreeMap<String, String>| -> BTreeMap<String, ContentHash> {
            pairs.iter().map(|(name, value)| (name.clone(), ContentHash::of(value.as_bytes()))).collect()
        };
        let mut texts: Vec<&String> = Vec::new();
        let main = match &self.transport {
            ServerTransport::Program { command, args, env, folder } => {
                texts.push(command);
                texts.extend(args.iter().chain(env.values()).chain(folder));
                Capability::StartProgram {
                    server: self.name.clone(),
                    command: std::iter::once(command).chain(args).cloned().collect(),
                    folder: folder.clone(),
                    variables: hashes(env),
                }
            }
            ServerTransport::Http { url, headers } => {
                texts.push(url);
                texts.extend(headers.values());
                Capability::CallServer {
                    server: self.name.clone(),
                    url: url.clone(),
                    headers: hashes(headers),
                }
            }
        };
        let mut names: Vec<String> = texts.into_iter().flat_map(|text| variables(text)).collect();
        names.sort();
        names.dedup();
        let purpose = format!("the server `{}`", self.name);
        let reads = names.into_iter().map(|name| Capability::ReadVariable { name, purpose: purpose.clone() });
        std::iter::once(main).chain(reads).collect()
    }
}

impl ToolRules {
    /// Parses the value of `tools` in a server entry: the user's rules for its tools. Unknown keys are
    /// added to `unknown` as `tools.key`.
    fn read(rules: Value, unknown: &mut Vec<String>) -> Result<Self, String> {
        let Value::Object(mut rules) = rules else { return Err("`tools` is no object".to_owned()) };
        let allow = rules.contains_key("allow");
        let allow = allow.then(|| take_texts(&mut rules, "allow")).transpose()?;
        let deny = take_texts(&mut rules, "deny")?;
        let approve = take_texts(&mut rules, "approve")?;
        unknown.extend(rules.keys().map(|key| format!("tools.{key}")));
        Ok(Self { allow, deny, approve })
    }
}

/// Removes the string under `key` from the entry and returns it; `None` if it is missing or null. Fails for
/// an empty string, one with a NUL, or another type.
fn take_text(entry: &mut Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match entry.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Err(format!("`{key}` is empty")),
        // A system call would end the text there.
        Some(Value::String(text)) if text.contains('\0') => Err(format!("`{key}` has a NUL")),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is no text")),
    }
}

/// Removes the list of strings under `key` from the entry and returns it; empty if it is missing.
fn take_texts(entry: &mut Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` is no list of texts");
    match entry.remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => values
            .into_iter()
            .map(|value| {
                value.as_str().filter(|text| !text.contains('\0')).map(str::to_owned).ok_or_else(wrong)
            })
            .collect(),
        Some(_) => Err(wrong()),
    }
}

/// Removes the object under `key` from the entry and returns its names and values; empty if it is missing.
/// Numbers and truth values become strings.
fn take_pairs(entry: &mut Map<String, Value>, key: &str) -> Result<BTreeMap<String, String>, String> {
    let wrong = || format!("`{key}` is no object of texts");
    let Some(pairs) = entry.remove(key) else { return Ok(BTreeMap::new()) };
    let Value::Object(pairs) = pairs else { return Err(wrong()) };
    let pair = |(name, value): (String, Value)| {
        // `setenv` ends the process on such names.
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("`{key}` has a bad name"));
        }
        let value = match value {
            Value::String(text) if !text.contains('\0') => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return Err(wrong()),
        };
        Ok((name, value))
    };
    pairs.into_iter().map(pair).collect()
}

/// Removes the number of seconds under `key` from the entry and returns it as a duration; `None` if it is
/// missing. Fails outside 1 to `LIMIT_SECONDS_MAX`.
fn take_seconds(entry: &mut Map<String, Value>, key: &str) -> Result<Option<Duration>, String> {
    let Some(value) = entry.remove(key) else { return Ok(None) };
    let seconds = value.as_u64().filter(|seconds| (1..=LIMIT_SECONDS_MAX).contains(seconds));
    seconds
        .map(|seconds| Some(Duration::from_secs(seconds)))
        .ok_or_else(|| format!("`{key}` is no number of seconds from 1 to {LIMIT_SECONDS_MAX}"))
}
