//! The approvals of the user: one file an approval in the user's state folder, named by the digest of the request that it allows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::capability::Capability;
use super::error::TrustError;
use super::request::{TrustRequest, absolute};
use stategraph_base::owner_only;
use stategraph_repo::replace_private;

/// The folder of this program below the user's folders for state and for configuration.
const PROGRAM: &str = "stategraph";

/// Longest file of an approval that is read, in bytes.
const APPROVAL_MAX: u64 = 1 << 20;

/// The files that the user trusts: those that were allowed, and those in the user's configuration folder.
#[derive(Debug, Clone, Default)]
pub struct TrustStore {
    /// Folder of the approvals; `None` where the user has no state folder.
    approvals: Option<PathBuf>,
    /// Folder whose files need no approval; `None` where the user has none.
    configuration: Option<PathBuf>,
    /// Trust without approval, for this call alone.
    trusts_all: bool,
}

/// An approval as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrustApproval {
    /// Absolute path of the file; bytes that are no text are replaced.
    pub file: String,
    /// The capabilities that were allowed, as they were shown.
    pub wants: Vec<String>,
}

impl TrustStore {
    /// A store without approvals, which trusts no file.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The store of the user whose environment variables `var` returns: approvals are in `stategraph/trust` below `XDG_STATE_HOME`
    /// (`~/.local/state` unless set), the trusted folder is `stategraph` below `XDG_CONFIG_HOME` (`~/.config` unless set). Reads no file.
    pub fn of_user(var: impl Fn(&str) -> Option<String>) -> Self {
        // The specification of these variables ignores relative paths. Here such a path would even be in a stranger's folder.
        let folder = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let below_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let state = folder("XDG_STATE_HOME").or_else(|| below_home(".local/state"));
        let configuration = folder("XDG_CONFIG_HOME").or_else(|| below_home(".config"));
        Self {
            approvals: state.map(|folder| folder.join(PROGRAM).join("trust")),
            configuration: configuration.map(|folder| folder.join(PROGRAM)),
            trusts_all: false,
        }
    }

    /// Trusts every file, as the user said with `--trust`. Keeps no approval.
    #[must_use]
    pub fn trusting_all(self) -> Self {
        Self { trusts_all: true, ..self }
    }

    /// Checks that the user trusts the file with everything that it asks for. The caller must not use any capability of the request
    /// before this returns `Ok`.
    pub fn check(&self, request: &TrustRequest) -> Result<(), TrustError> {
        self.check_part(request, |_| true)
    }

    /// Checks a request of which the caller uses only the capabilities that `is_used` selects. If it selects none, no trust is needed.
    pub fn check_part(
        &self,
        request: &TrustRequest,
        is_used: impl Fn(&Capability) -> bool,
    ) -> Result<(), TrustError> {
        let is_needed = request.wants().iter().any(|want| is_used(&want.capability));
        if !is_needed || self.trusts_all || self.is_of_user(request.file()) || self.is_allowed(request) {
            return Ok(());
        }
        Err(TrustError::Untrusted { file: request.file().to_owned(), wants: request.wants().to_vec() })
    }

    /// Keeps the approval of a request.
    pub fn allow(&self, request: &TrustRequest) -> Result<(), TrustError> {
        let folder = self.approvals.as_deref().ok_or(TrustError::NoStateFolder)?;
        let unwritable = |error| TrustError::Folder { path: folder.to_owned(), source: error };
        owner_only::create_dir_all(folder).map_err(unwritable)?;
        let wants: BTreeSet<String> =
            request.wants().iter().map(|want| want.capability.to_string()).collect();
        let approval = TrustApproval { file: name_of(request.file()), wants: wants.into_iter().collect() };
        let text = serde_json::to_vec_pretty(&approval).expect("texts are JSON");
        Ok(replace_private(folder.join(request.digest().to_string()), &text)?)
    }

    /// Returns all approvals, ordered by file.
    pub fn approvals(&self) -> Result<Vec<TrustApproval>, TrustError> {
        let mut approvals: Vec<TrustApproval> =
            self.read_approvals()?.into_iter().map(|(_, approval)| approval).collect();
        approvals.sort();
        Ok(approvals)
    }

    /// Removes the approvals of a file, and returns how many there were. The file itself need not exist any more.
    pub fn revoke(&self, file: &Path) -> Result<usize, TrustError> {
        let file = name_of(file);
        let of_file: Vec<_> =
            self.read_approvals()?.into_iter().filter(|(_, approval)| approval.file == file).collect();
        for (path, _) in &of_file {
            fs::remove_file(path).map_err(|source| TrustError::Folder { path: path.clone(), source })?;
        }
        Ok(of_file.len())
    }

    fn is_allowed(&self, request: &TrustRequest) -> bool {
        let path = self.approvals.as_ref().map(|folder| folder.join(request.digest().to_string()));
        path.is_some_and(|path| path.is_file())
    }

    /// Returns true for a file in the user's configuration folder, and for a link there, as managers of dotfiles make them.
    fn is_of_user(&self, file: &Path) -> bool {
        let Some(folder) = self.configuration.as_ref().and_then(|folder| folder.canonicalize().ok()) else {
            return false;
        };
        let above = std::path::absolute(file).ok().and_then(|file| file.parent()?.canonicalize().ok());
        above.is_some_and(|above| above.starts_with(&folder))
            || file.canonicalize().is_ok_and(|file| file.starts_with(&folder))
    }

    /// Reads the approvals with their paths. A file that cannot be parsed is left out of the list. Its name alone still allows a request;
    /// that is safe because only the user can write to the folder.
    fn read_approvals(&self) -> Result<Vec<(PathBuf, TrustApproval)>, TrustError> {
        let folder = self.approvals.as_deref().ok_or(TrustError::NoStateFolder)?;
        let unreadable = |source| TrustError::Folder { path: folder.to_owned(), source };
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(unreadable)?,
        };
        let mut approvals = Vec::new();
        for entry in entries {
            let path = entry.map_err(unreadable)?.path();
            let is_short =
                fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= APPROVAL_MAX);
            let approval = fs::read(&path).ok().filter(|_| is_short);
            approvals.extend(approval.and_then(|text| Some((path, serde_json::from_slice(&text).ok()?))));
        }
        Ok(approvals)
    }
}

/// Returns the name that approvals of a file are listed under.
fn name_of(file: &Path) -> String {
    absolute(file).to_string_lossy().into_owned()
}
