//! Digests of tools as they were at first use, kept between runs ("pins"). A server may later change the
//! description of a tool to steer the model; such a tool is switched off until the user accepts it. One
//! file per server, in the user's state folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use stategraph_base::owner_only;
use stategraph_base::regular::read_text;
use stategraph_repo::{ContentHash, replace_private};

/// Folder of the pin files, below the user's state folder.
const FOLDER: &str = "stategraph/mcp";

/// Maximum size of a pin file, in bytes.
const PINS_MAX: usize = 1024 * 1024;

/// Store on disk of the digests of MCP servers' tools at their first use, to detect later changes. Without
/// a folder, it keeps nothing and reports every tool as known.
#[derive(Clone, Debug, Default)]
pub struct PinStore {
    folder: Option<PathBuf>,
}

/// Content of a pin file: the digests of one MCP server's tools at their first use.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PinFile {
    /// Absolute path of the configuration file that lists the server.
    file: String,
    /// Name of the server.
    server: String,
    /// Digest of each tool, by the server's own name of it.
    tools: BTreeMap<String, String>,
}

/// Result of comparing a tool that a server lists with its pin, the digest recorded at its first use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PinState {
    /// As pinned.
    Known,
    /// The server did not have it when its tools were pinned.
    New,
    /// The server described it in another way.
    Changed,
}

impl PinStore {
    /// Returns a pin store that keeps nothing on disk.
    pub fn off() -> Self {
        Self::default()
    }

    /// Returns the pin store in the user's state folder: `XDG_STATE_HOME`, else `~/.local/state`. `var`
    /// returns the value of an environment variable. Without such a folder, the store keeps nothing.
    pub fn of_user(var: impl Fn(&str) -> Option<String>) -> Self {
        let folder = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let state = folder("XDG_STATE_HOME").or_else(|| home.map(|home| home.join(".local/state")));
        Self { folder: state.map(|state| state.join(FOLDER)) }
    }

    /// Compares the digests of a server's tools with the pinned ones and returns the state of each tool, by
    /// its name. At the first call for a server, writes the pin file and reports all tools as known.
    pub(crate) fn compare(
        &self,
        file: &Path,
        server: &str,
        tools: &BTreeMap<String, String>,
    ) -> BTreeMap<String, PinState> {
        let Some(path) = self.path(file, server) else { return all_known(tools) };
        let stored =
            read_text(&path, PINS_MAX).ok().and_then(|text| serde_json::from_str::<PinFile>(&text).ok());
        let Some(PinFile { tools: pinned, .. }) = stored else {
            self.write(&path, file, server, tools);
            return all_known(tools);
        };
        let state = |(name, digest): (&String, &String)| {
            let state = match pinned.get(name) {
                Some(known) if known == digest => PinState::Known,
                Some(_) => PinState::Changed,
                None => PinState::New,
            };
            (name.clone(), state)
        };
        tools.iter().map(state).collect()
    }

    /// Removes the pins of all servers of a configuration file, so that their current tools are accepted
    /// and pinned at the next use. Returns the number of servers whose pins were removed.
    pub fn forget(&self, file: &Path) -> usize {
        let Some(entries) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else {
            return 0;
        };
        let file = absolute(file);
        let is_of_file = |path: &PathBuf| {
            let text = read_text(path, PINS_MAX).unwrap_or_default();
            serde_json::from_str::<PinFile>(&text).is_ok_and(|pins| pins.file == file)
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_of_file);
        paths.filter(|path| fs::remove_file(path).is_ok()).count()
    }

    /// Writes the pin file of a server (the digests of its tools). A failure is only logged.
    fn write(&self, path: &Path, file: &Path, server: &str, tools: &BTreeMap<String, String>) {
        let pins = PinFile { file: absolute(file), server: server.to_owned(), tools: tools.clone() };
        let text = serde_json::to_vec_pretty(&pins).expect("texts are JSON");
        let folder = self.folder.as_deref().expect("a path was made from it");
        let written = owner_only::create_dir_all(folder)
            .map_err(|error| error.to_string())
            .and_then(|()| replace_private(path, &text).map_err(|error| error.to_string()));
        if let Err(error) = written {
            // A run must not fail for that: within it, the journal pins the tools anyway.
            tracing::warn!(
                "the tools of the server `{server}` cannot be pinned in {}: {error}",
                path.display()
            );
        }
    }

    /// Returns the path of the pin file of a server; `None` if the store keeps nothing.
    fn path(&self, file: &Path, server: &str) -> Option<PathBuf> {
        // No path holds a NUL, so the two parts cannot run into each other.
        let name = ContentHash::of(format!("{}\0{server}", absolute(file)).as_bytes());
        self.folder.as_ref().map(|folder| folder.join(name.to_string()))
    }
}

/// Returns the state "known" for every tool.
fn all_known(tools: &BTreeMap<String, String>) -> BTreeMap<String, PinState> {
    tools.keys().map(|name| (name.clone(), PinState::Known)).collect()
}

/// Returns the absolute path of a file as text, with links resolved if the file exists.
fn absolute(file: &Path) -> String {
    let path = file.canonicalize().or_else(|_| std::path::absolute(file)).unwrap_or_else(|_| file.to_owned());
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
mod tests {
    use super::*;

    fn tools(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned())).collect()
    }

    #[test]
    fn a_changed_tool_and_a_new_one_are_told_from_those_of_the_first_use_until_they_are_accepted() {
        let state = tempfile::tempdir().unwrap();
        let home = state.path().to_string_lossy().into_owned();
        let pins = PinStore::of_user(|name| (name == "XDG_STATE_HOME").then(|| home.clone()));
        let file = state.path().join("mcp.json");
        let first = tools(&[("read", "1"), ("list", "2")]);
        let second = tools(&[("read", "9"), ("list", "2"), ("drop", "3")]);
        let states = |tools| pins.compare(&file, "git", tools).into_values().collect::<Vec<_>>();
        assert_eq!(states(&first), [PinState::Known, PinState::Known]);
        assert_eq!(states(&second), [PinState::New, PinState::Known, PinState::Changed]);
        assert_eq!(pins.forget(Path::new("/other/mcp.json")), 0);
        assert_eq!(pins.forget(&file), 1);
        assert_eq!(states(&second), [PinState::Known; 3]);
        assert_eq!(states(&first), [PinState::Known, PinState::Changed]);
    }
}
