//! The approvals of the user: one file per approval in the user's state folder, named by the digest of the
//! request that it allows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::capability::Capability;
use super::error::TrustError;
use super::request::{TrustRequest, absolute};
use stategraph_base::owner_only;
use stategraph_repo::replace_private;

/// Name of this program's folder below the user's folders for state and for configuration.
const PROGRAM: &str = "stategraph";

/// Maximum length of an approval file that is read, in bytes.
const APPROVAL_MAX: u64 = 1 << 20;

/// The files that the user trusts: those that the user allowed, and those in the user's configuration folder.
#[derive(Debug, Clone, Default)]
pub struct TrustStore {
    /// Folder of the approvals; `None` if the user has no state folder.
    approvals: Option<PathBuf>,
    /// Folder whose files need no approval; `None` if the user has none.
    configuration: Option<PathBuf>,
    /// True if every file is trusted in this process (`--trust`).
    trusts_all: bool,
}

/// The content of an approval file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrustApproval {
    /// Absolute path of the approved file; bytes that are not UTF-8 become U+FFFD.
    pub file: String,
    /// The capabilities that were allowed, as they were shown.
    pub wants: Vec<String>,
}

impl TrustStore {
    /// Returns a store without approvals, which trusts no file.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Returns the store of a user; `var` returns environment variables. Approvals are in `stategraph/trust`
    /// below `XDG_STATE_HOME` (`~/.local/state` unless set), the trusted folder is `stategraph` below
    /// `XDG_CONFIG_HOME` (`~/.config` unless set). Reads no file.
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

    /// Makes the store trust every file, for the option `--trust`. Stores no approval.
    #[must_use]
    pub fn trusting_all(self) -> Self {
        Self { trusts_all: true, ..self }
    }

    /// Returns `Ok` if the user trusts the file with everything it asks for, otherwise an error that lists
    /// it. The caller must not use any capability of the request before that.
    pub fn check(&self, request: &TrustRequest) -> Result<(), TrustError> {
        self.check_part(request, |_| true)
    }

    /// Checks a request of which the caller uses only the capabilities that `is_used` selects. If it selects
    /// none, the result is `Ok`; otherwise the whole request must be trusted.
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

    /// Stores the approval of a request, so that later checks of the same file and capabilities succeed.
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

    /// Returns all approvals, sorted by file. Files that are no approvals are left out.
    pub fn approvals(&self) -> Result<Vec<TrustApproval>, TrustError> {
        let mut approvals: Vec<TrustApproval> =
            self.read_approvals()?.into_iter().map(|(_, approval)| approval).collect();
        approvals.sort();
        Ok(approvals)
    }

    /// Removes the approvals of a file and returns their number. The file itself need not exist.
    pub fn revoke(&self, file: &Path) -> Result<usize, TrustError> {
        let file = name_of(file);
        let of_file: Vec<_> =
            self.read_approvals()?.into_iter().filter(|(_, approval)| approval.file == file).collect();
        for (path, _) in &of_file {
            fs::remove_file(path).map_err(|source| TrustError::Folder { path: path.clone(), source })?;
        }
        Ok(of_file.len())
    }

    /// Returns true if there is an approval of exactly this request.
    fn is_allowed(&self, request: &TrustRequest) -> bool {
        let path = self.approvals.as_ref().map(|folder| folder.join(request.digest().to_string()));
        path.is_some_and(|path| path.is_file())
    }

    /// Returns true for a file in the user's configuration folder, for a link in it, as managers of dotfiles
    /// make them, and for a link to a file in it.
    fn is_of_user(&self, file: &Path) -> bool {
        let Some(folder) = self.configuration.as_ref().and_then(|folder| folder.canonicalize().ok()) else {
            return false;
        };
        let above = std::path::absolute(file).ok().and_then(|file| file.parent()?.canonicalize().ok());
        above.is_some_and(|above| above.starts_with(&folder))
            || file.canonicalize().is_ok_and(|file| file.starts_with(&folder))
    }

    /// Reads the approval files, with their paths. A file that cannot be parsed is left out; its name still
    /// allows its request, which is safe because only the user can write to the folder.
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

/// Returns the name under which approvals list a file: its absolute path.
fn name_of(file: &Path) -> String {
    absolute(file).to_string_lossy().into_owned()
}
