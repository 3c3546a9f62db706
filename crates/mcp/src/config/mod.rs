//! A configuration file of servers in the form that other programs use: `mcpServers` (Claude, Cursor and
//! others) or `servers` (VS Code). Reads the file and checks its form; starts nothing and reads no
//! variable. See `entry` for one server, `expand` for `${VARIABLE}`.

mod entry;
mod expand;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::error::McpConfigError;
use crate::limit::{CONFIG_BYTES, SERVERS};
use crate::name::portable;
use stategraph_base::regular::read_text;
use stategraph_trust::{Capability, TrustRequest};

pub use entry::{McpServer, ServerTransport, ToolRules};
pub(crate) use expand::{expand, variables};

/// Top-level keys under which a file may list its servers.
const TOP_KEYS: [&str; 2] = ["mcpServers", "servers"];

/// The MCP servers that one configuration file lists, with warnings about the rest of it. Nothing is
/// started, and the user's trust in the file is not checked: see [`trust_request`](Self::trust_request).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpConfig {
    path: PathBuf,
    servers: BTreeMap<String, McpServer>,
    warnings: Vec<String>,
}

impl McpConfig {
    /// Returns a configuration without servers. `path` appears in messages only.
    pub fn none(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Reads and parses a configuration file of MCP servers.
    pub fn load(path: &Path) -> Result<Self, McpConfigError> {
        let text = read_text(path, CONFIG_BYTES)
            .map_err(|source| McpConfigError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// Reads a configuration file of MCP servers. For a missing or invalid file, returns a configuration
    /// without servers and with a warning that states the reason (SEC-131).
    pub fn load_or_empty(path: &Path) -> Self {
        Self::load(path).unwrap_or_else(|error| {
            let warning = format!(
                "no tools of servers: {}; hint: {}",
                stategraph_core::with_causes(&error),
                error.hint()
            );
            Self { path: path.to_owned(), servers: BTreeMap::new(), warnings: vec![warning] }
        })
    }

    /// Parses the text of a configuration file of MCP servers. `path` appears in messages and in the trust
    /// request. An unusable entry becomes a warning, not an error.
    pub fn parse(text: &str, path: &Path) -> Result<Self, McpConfigError> {
        let bad = |reason: String| McpConfigError::BadForm { path: path.to_owned(), reason };
        // Files of some editors begin with a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        let value: Value = serde_json::from_str(text)
            .map_err(|source| McpConfigError::NotJson { path: path.to_owned(), source })?;
        let Value::Object(mut file) = value else {
            return Err(bad("it is no object".to_owned()));
        };
        let mut listed = Map::new();
        let mut has_list = false;
        for key in TOP_KEYS {
            match file.remove(key) {
                None => {}
                Some(Value::Object(servers)) => {
                    has_list = true;
                    listed.extend(servers);
                }
                Some(_) => return Err(bad(format!("`{key}` is no object"))),
            }
        }
        if !has_list {
            return Err(bad("it has neither `mcpServers` nor `servers`".to_owned()));
        }
        if listed.len() > SERVERS {
            return Err(bad(format!("it has {} servers, more than {SERVERS}", listed.len())));
        }
        let mut config = Self { path: path.to_owned(), ..Self::default() };
        // Values that VS Code asks the user for; an entry that uses one names `${input:…}`, which is no variable.
        file.remove("inputs");
        config.warn_of_unknown("the file", file.keys());
        for (name, entry) in listed {
            config.add(&name, entry, text);
        }
        Ok(config)
    }

    /// Adds the server of one entry; `text` is the whole file, used to find its position. A disabled entry
    /// is skipped silently; an unusable one is skipped with a warning, so that the others stay usable.
    fn add(&mut self, name: &str, entry: Value, text: &str) {
        let shown = name.escape_debug().to_string();
        if entry.get("disabled") == Some(&Value::Bool(true)) {
            return;
        }
        let mut unknown = Vec::new();
        let server = match McpServer::read(name, entry, &mut unknown) {
            Ok(server) => server.at(place(text, name)),
            Err(reason) => {
                self.warnings
                    .push(format!("{}: the server `{shown}` is left out: {reason}", self.path.display()));
                return;
            }
        };
        self.warn_of_unknown(&format!("the server `{shown}`"), unknown.iter());
        let short = portable(name);
        if let Some(first) = self.servers.get(&short) {
            let first = first.name.escape_debug();
            let warning = format!(
                "the server `{shown}` is left out: its tools would have the names of those of `{first}`"
            );
            self.warnings.push(format!("{}: {warning}", self.path.display()));
            return;
        }
        self.servers.insert(short, server);
    }

    /// Adds a warning for each of these unknown keys of the configuration, which have no effect.
    fn warn_of_unknown<'a>(&mut self, of: &str, keys: impl Iterator<Item = &'a String>) {
        for key in keys {
            let key = key.escape_debug();
            self.warnings
                .push(format!("{}: {of} has the key `{key}`, which has no effect", self.path.display()));
        }
    }

    /// Returns the path of the configuration file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the configured servers by the portable form of their names, which is the one that tool names
    /// contain.
    pub fn servers(&self) -> &BTreeMap<String, McpServer> {
        &self.servers
    }

    /// Returns the warnings about entries that were skipped and keys without effect.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns all capabilities that the user must allow before a server of the file is started or called,
    /// each with its position in the file.
    pub fn trust_request(&self) -> TrustRequest {
        let mut request = TrustRequest::of(&self.path);
        for server in self.servers.values() {
            let (line, column) = server.place;
            for capability in server.capabilities() {
                request.want(line, column, capability);
            }
        }
        request
    }

    /// Returns true if one of these servers, given by portable names, needs the capability.
    pub fn is_of(&self, capability: &Capability, servers: &[String]) -> bool {
        let used = servers.iter().filter_map(|name| self.servers.get(name));
        used.flat_map(McpServer::capabilities).any(|own| own == *capability)
    }
}

/// Returns the line and column, from 1, of a server's key in the file, for messages. Takes the first
/// occurrence of the quoted name before a colon; `(1, 1)` if there is none.
fn place(text: &str, name: &str) -> (u64, u64) {
    let key = Value::from(name).to_string();
    let at = text.match_indices(&key).find(|(at, _)| text[at + key.len()..].trim_start().starts_with(':'));
    let Some((at, _)) = at else { return (1, 1) };
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line as u64, column as u64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
mod tests {
    use super::*;

    fn parse(text: &str) -> McpConfig {
        McpConfig::parse(text, Path::new("mcp.json")).unwrap()
    }

    #[test]
    fn both_forms_in_use_are_read_and_unknown_keys_are_warned_of() {
        let claude = parse(
            r#"{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"], "autoStart": true}}}"#,
        );
        let code = parse(
            r#"{"inputs": [], "servers": {"web": {"type": "http", "url": "https://tools.example/mcp"}}}"#,
        );
        assert!(
            matches!(&claude.servers()["git"].transport, ServerTransport::Program { command, .. } if command == "uvx")
        );
        assert_eq!(
            claude.warnings(),
            ["mcp.json: the server `git` has the key `autoStart`, which has no effect"]
        );
        assert!(matches!(&code.servers()["web"].transport, ServerTransport::Http { .. }));
        assert!(code.warnings().is_empty());
    }

    #[test]
    fn a_bad_entry_is_left_out_with_its_reason_and_the_others_stay() {
        let config = parse(
            r#"{"mcpServers": {"old": {"type": "sse", "url": "https://x.example"}, "none": {}, "good": {"url": "http://127.0.0.1:1/mcp"}}}"#,
        );
        assert_eq!(config.servers().keys().collect::<Vec<_>>(), ["good"]);
        assert!(
            config.warnings()[0].contains("`old` is left out: the transport `sse` is not supported"),
            "{:?}",
            config.warnings()
        );
        assert!(config.warnings()[1].contains("`none` is left out: it has neither `command` nor `url`"));
    }

    #[test]
    fn a_missing_file_and_a_bad_file_have_no_servers() {
        // SEC-131, SEC-194
        let folder = tempfile::tempdir().unwrap();
        let missing = McpConfig::load_or_empty(&folder.path().join("mcp.json"));
        assert!(missing.servers().is_empty() && missing.warnings()[0].contains("cannot read"));
        for bad in ["", "[]", "{}", r#"{"mcpServers": 3}"#, r#"{"mcpServers": {}"#] {
            let path = folder.path().join("bad.json");
            std::fs::write(&path, bad).unwrap();
            let config = McpConfig::load_or_empty(&path);
            assert!(config.servers().is_empty() && config.warnings().len() == 1, "{bad}");
        }
    }

    #[test]
    fn a_request_names_the_command_the_variables_and_the_place() {
        let config = parse(
            "{\"mcpServers\": {\n  \"git\": {\"command\": \"uvx\", \"args\": [\"a b\"], \"env\": {\"T\": \"${TEAM_KEY}\"}}}}",
        );
        let request = config.trust_request();
        let shown: Vec<String> = request.wants().iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 2);
        assert!(shown[0].starts_with("mcp.json:2:3: start `uvx 'a b'`"), "{shown:?}");
        assert!(
            shown[1].contains("read the environment variable TEAM_KEY for the server `git`"),
            "{shown:?}"
        );
    }
}
