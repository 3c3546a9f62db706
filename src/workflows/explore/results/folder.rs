//! Result folder of a repository. A result file that the user edited is copied before it is replaced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stategraph_base::regular::read_text;

use super::ResultFile;
use crate::engine::{NodeError, NodeResult};
use crate::repo::{self, ContentHash};
use crate::workflows::explore::input::ExploreSettings;
use crate::workflows::explore::state::ExploreRun;
use crate::workflows::folder_name::folder_name;
use crate::workflows::output::{DocumentName, ExistingFile, OutputError};

/// Name of the log of events.
pub const EVENTS_FILE: &str = "events.jsonl";
/// Name of the file with the digests of the written files, by which edited files are recognized.
const DIGESTS_FILE: &str = ".digests.json";
/// Maximum size of the file of digests, in bytes.
const DIGESTS_MAX: usize = 64 * 1024;

/// Name of the results in messages.
const RESULTS: DocumentName = DocumentName { noun: "the exploration", example: "notepad.md" };

/// Folder with the results for one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFolder {
    /// Absolute path.
    path: PathBuf,
    /// Path as the user named it.
    shown: PathBuf,
}

impl ResultFolder {
    /// Returns the result folder of a run. Fails if it leads out of the working folder and the user did
    /// not name it.
    pub fn of(run: &ExploreRun, working: &Path) -> NodeResult<Self> {
        Self::resolve(&run.settings, &run.name, working).map_err(output_error)
    }

    /// Returns the result folder for a repository with this name; fails like [`of`](Self::of).
    pub fn resolve(settings: &ExploreSettings, name: &str, working: &Path) -> Result<Self, OutputError> {
        let shown = settings.output_dir.join(folder_name(name));
        let path = RESULTS.resolve(working, &shown, settings.output_scope)?;
        Ok(Self { path, shown })
    }

    /// Returns its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the log of events.
    pub fn events(&self) -> PathBuf {
        self.path.join(EVENTS_FILE)
    }

    /// Checks that results can be written, before anything is paid for.
    pub fn probe(&self) -> NodeResult<()> {
        RESULTS.probe(&self.path.join("agents.json")).map_err(output_error)
    }

    /// Writes the files, removes those of an earlier run that have no text now, and stores the digests.
    /// Returns the paths, including that of the event log, below the folder as the user named it.
    pub fn write(&self, files: &[ResultFile]) -> NodeResult<Vec<PathBuf>> {
        let digests_path = self.path.join(DIGESTS_FILE);
        let known: BTreeMap<String, String> = read_text(&digests_path, DIGESTS_MAX)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let (mut digests, mut written) = (BTreeMap::new(), Vec::new());
        for ResultFile { name, text } in files {
            let path = self.path.join(name);
            let is_own = |text: &str| known.get(*name).is_some_and(|digest| *digest == digest_of(text));
            let Some(text) = text else {
                remove_own(&path, is_own);
                continue;
            };
            RESULTS.write(&path, text, ExistingFile::Kept, is_own).map_err(output_error)?;
            digests.insert((*name).to_owned(), digest_of(text));
            written.push(self.shown.join(name));
        }
        let text = serde_json::to_string_pretty(&digests)?;
        repo::replace(&digests_path, text.as_bytes())?;
        written.push(self.shown.join(EVENTS_FILE));
        Ok(written)
    }
}

/// Removes a file of an earlier run unless it was edited. A failure is only logged, because the file
/// does no harm.
fn remove_own(path: &Path, is_own: impl Fn(&str) -> bool) {
    let text = read_text(path, 64 << 20);
    if text.is_ok_and(|text| is_own(&text))
        && let Err(error) = std::fs::remove_file(path)
    {
        tracing::warn!("{} of an earlier run is left: {error}", path.display());
    }
}

/// Returns the hash of a text, by which an edited file is recognized.
fn digest_of(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn output_error(error: OutputError) -> NodeError {
    let hint = format!("{}, then resume: no model is asked again", error.remedy());
    NodeError::from(error).permanent().with_hint(hint)
}
