//! The debug log of a session (DOC-122). A resumed run replays its journal, so entries that are already in the log are skipped.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use super::files::SessionError;
use crate::repo::RepoPath;
use stategraph_base::owner_only;

/// Start of an entry's last line; the key follows.
const END: &str = "--- end of ";

/// Debug log of a session: a text file of entries, each with a unique key. A resumed run skips entries that
/// it has.
pub(super) struct DebugLog {
    path: PathBuf,
    /// Keys of the entries in the file; `None` before the file is read.
    known: Option<BTreeSet<String>>,
}

impl DebugLog {
    /// Returns the log in the file `path`. Reads nothing yet.
    pub(super) fn new(path: &RepoPath) -> Self {
        Self { path: path.absolute().to_owned(), known: None }
    }

    /// Appends an entry to the file unless it has one with this key. Creates the file if it is missing.
    pub(super) fn add(&mut self, key: &str, text: &str) -> Result<(), SessionError> {
        let failed = |path: &PathBuf, error: std::io::Error| SessionError::Log {
            path: path.clone(),
            reason: error.to_string(),
        };
        if self.known.is_none() {
            self.known = Some(self.load_keys().map_err(|error| failed(&self.path, error))?);
        }
        let known = self.known.as_mut().expect("it was read a line above");
        if known.contains(key) {
            return Ok(());
        }
        // One write because a kill then leaves either the whole entry or a fragment without an end, which `load_keys` cuts
        // off. The text is indented so that none of its lines looks like an end.
        let text = text.lines().flat_map(|line| ["  ", line, "\n"]).collect::<String>();
        let entry = format!("--- {key}\n{text}{END}{key}\n\n");
        let mut file = owner_only::options()
            .append(true)
            .create(true)
            .open(&self.path)
            .map_err(|error| failed(&self.path, error))?;
        file.write_all(entry.as_bytes()).map_err(|error| failed(&self.path, error))?;
        known.insert(key.to_owned());
        Ok(())
    }

    /// Returns the keys of the entries in the file. Truncates the file after its last complete entry, because
    /// a killed run may leave a part of one.
    fn load_keys(&self) -> std::io::Result<BTreeSet<String>> {
        if let Some(folder) = self.path.parent() {
            owner_only::create_dir_all(folder)?;
        }
        let text = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(error),
        };
        let (mut known, mut whole, mut at) = (BTreeSet::new(), 0, 0);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            at += line.len();
            if let Some(key) = line.strip_prefix(END.as_bytes()).and_then(|key| key.strip_suffix(b"\n")) {
                known.insert(String::from_utf8_lossy(key).into_owned());
                whole = at;
            }
        }
        if whole < text.len() {
            let rest = text[whole..].iter().any(|byte| !byte.is_ascii_whitespace());
            if rest {
                OpenOptions::new().write(true).open(&self.path)?.set_len(whole as u64)?;
            }
        }
        Ok(known)
    }
}
