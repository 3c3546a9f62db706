//! Finds the session that `--resume` continues (DOC-13, DOC-55). Reads the folder of sessions and changes nothing.

use std::fs;
use std::path::Path;

use super::{SESSION_VERSION, SESSIONS_FOLDER, SessionState, SessionStatus};
use crate::repo::{PathError, Root, show};

/// Maximum size of a session file, in bytes.
const MAX_SESSION_BYTES: u64 = 64 * 1024 * 1024;

/// Result of the search for a resumable session.
#[derive(Debug, Clone, PartialEq)]
pub enum Resumable {
    /// The newest unfinished session.
    Session(Box<SessionState>),
    /// There is no unfinished session.
    NothingToResume,
}

/// Finds the newest unfinished session of the repository at `root`, by the start of the run. Also returns a
/// notice for each session file that was skipped.
pub fn find_resumable(root: &Root) -> Result<(Resumable, Vec<String>), PathError> {
    let folder = root.path(SESSIONS_FOLDER)?;
    let mut names: Vec<_> = match fs::read_dir(folder.absolute()) {
        Ok(entries) => entries.flatten().map(|entry| entry.file_name()).collect(),
        Err(_) => Vec::new(),
    };
    names.sort();
    let (mut skipped, mut found): (Vec<String>, Vec<SessionState>) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "json"))
    {
        let path = folder.absolute().join(name);
        match read_session(&path) {
            Ok(session) if session.status == SessionStatus::Finished => {}
            Ok(session) if session.run.repository != root.absolute() => {
                skipped.push(format!(
                    "{} is of another place: {}",
                    show(name),
                    session.run.repository.display()
                ));
            }
            Ok(session) => found.push(session),
            Err(reason) => skipped.push(format!("the session file {} is skipped: {reason}", show(name))),
        }
    }
    let newest = found
        .into_iter()
        .max_by(|a, b| (a.run.started, &a.run.session_id).cmp(&(b.run.started, &b.run.session_id)));
    Ok((newest.map_or(Resumable::NothingToResume, |session| Resumable::Session(Box::new(session))), skipped))
}

/// Version field of a session file, which is parsed first because files of all versions have it.
#[derive(serde::Deserialize)]
struct VersionHeader {
    version: u32,
}

fn read_session(path: &Path) -> Result<SessionState, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_SESSION_BYTES {
        return Err(format!("it has {size} bytes"));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let VersionHeader { version } =
        serde_json::from_str(&text).map_err(|error| format!("it is no session: {error}"))?;
    if version != SESSION_VERSION {
        return Err(format!("it is of version {version}, and this program writes version {SESSION_VERSION}"));
    }
    serde_json::from_str(&text).map_err(|error| format!("it is no session: {error}"))
}
