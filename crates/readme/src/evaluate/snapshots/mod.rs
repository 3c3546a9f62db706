//! Saves the iterations of a run as files, to trace how a section got its text (SEC-140, 141):
//! `<base>/<package>/<date>_<time>/NNN_<stage>_iterN.md` with a `.json` beside each, `final.md`, `audit.md`
//! and `summary.json`. Times are inputs, so a replayed run writes the same bytes.

mod audit;
mod compare;
mod error;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use stategraph_base::regular::{self, Links};
use stategraph_repo::{Slug, WriteProblem, create, replace};

pub use compare::{SnapshotComparison, compare_snapshots};
pub use error::SnapshotError;

use super::result::IssueCounts;
use crate::validate::Issue;

/// Maximum size in bytes of a metadata file that is read. Ours have about 400.
const METADATA_BYTES: usize = 64 * 1024;
/// Maximum size in bytes of a snapshot's `.md` file that is read for a comparison.
const DOCUMENT_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of runs of a package that start in the same second.
const MOST_RUNS: usize = 100;
/// Name of the file that says to which run a folder belongs.
const RUN_FILE: &str = "run.json";

/// The metadata of a snapshot: a copy of a section, or of the document, after one iteration of a run. The
/// text is in the `.md` file beside it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IterationSnapshot {
    /// Number in the run. It is computed from the position of the section and the iteration, not from the
    /// order of completion, so that sections that run in parallel get the same file names each time.
    pub number: u32,
    /// Stage, such as `generate_overview`.
    pub stage: String,
    /// Iteration, from 1.
    pub iteration: u32,
    /// Time of the snapshot, such as `2024-01-15T10:30:00Z`.
    pub time: String,
    /// Characters of the content. [`SnapshotFolder::save`] sets this field and the next two.
    pub characters: usize,
    /// Lines of the content.
    pub lines: usize,
    /// Words of the content.
    pub words: usize,
    /// Verdict of the validators; `None` if they did not run.
    pub valid: Option<bool>,
    /// Issues of the validators and of the critic.
    pub issue_count: usize,
    /// Outcome in one line, such as `rejected by the critic`.
    pub result: String,
}

impl IterationSnapshot {
    /// Returns the name of its files without extension: `004_generate_overview_iter2`.
    pub fn file_stem(&self) -> String {
        format!("{:03}_{}_iter{}", self.number, Slug::of(&self.stage), self.iteration)
    }
}

/// The content of `summary.json`, which [`SnapshotFolder::finish`] writes: the run and all of its
/// snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SnapshotSummary {
    /// Run.
    pub run_id: String,
    /// Name of the package.
    pub package: String,
    /// Start of the run.
    pub started: String,
    /// End of the run.
    pub finished: String,
    /// Characters of the final document.
    pub final_characters: usize,
    /// Issues of the final document.
    pub final_issues: IssueCounts,
    /// Snapshots, by number.
    pub snapshots: Vec<IterationSnapshot>,
}

/// The content of `run.json`, which marks a folder as that of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunFile {
    run_id: String,
    package: String,
    started: String,
}

/// The folder with the snapshots of one run of one package. It keeps no state in memory but its path and
/// run, so a resumed run opens it again and continues in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFolder {
    path: PathBuf,
    run: RunFile,
}

impl SnapshotFolder {
    /// Opens the folder of a run below `base`, and creates it if it does not exist. If another run of the
    /// package started in the same second, the folder gets `_2` (and so on) at the end of its name.
    /// `started` has the form `2024-01-15T10:30:00Z`.
    pub fn open(base: &Path, package: &str, run_id: &str, started: &str) -> Result<Self, SnapshotError> {
        let stamp = compact_time(started).ok_or_else(|| SnapshotError::Time(started.to_owned()))?;
        let run =
            RunFile { run_id: run_id.to_owned(), package: package.to_owned(), started: started.to_owned() };
        let of_package = base.join(Slug::of(package).as_str());
        for number in 1..=MOST_RUNS {
            let path = match number {
                1 => of_package.join(&stamp),
                _ => of_package.join(format!("{stamp}_{number}")),
            };
            let file = path.join(RUN_FILE);
            let is_own = || read_json::<RunFile>(&file).is_ok_and(|owner| owner.run_id == run_id);
            if file.exists() {
                if is_own() {
                    return Ok(Self { path, run });
                }
                continue;
            }
            match create(&file, to_json(&run).as_bytes()) {
                Ok(()) => return Ok(Self { path, run }),
                // Another process took the folder since the look above.
                Err(error) if error.problem == WriteProblem::Taken && is_own() => {
                    return Ok(Self { path, run });
                }
                Err(error) if error.problem == WriteProblem::Taken => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(SnapshotError::Crowded { folder: of_package, started: started.to_owned() })
    }

    /// Returns the path of the folder into which the snapshots are written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a snapshot (`content` and metadata), and returns the metadata with the lengths of the content
    /// filled in. A second write with the same number, stage and iteration replaces the first.
    pub fn save(
        &self,
        snapshot: IterationSnapshot,
        content: &str,
    ) -> Result<IterationSnapshot, SnapshotError> {
        let snapshot = IterationSnapshot {
            characters: content.chars().count(),
            lines: content.lines().count(),
            words: content.split_whitespace().count(),
            ..snapshot
        };
        let stem = snapshot.file_stem();
        // The content first, so that metadata never stands without it.
        replace(self.path.join(format!("{stem}.md")), content.as_bytes())?;
        replace(self.path.join(format!("{stem}.json")), to_json(&snapshot).as_bytes())?;
        Ok(snapshot)
    }

    /// Writes `final.md` with the final document, `audit.md` and `summary.json`, and returns the summary.
    /// `issues` are those of the final document; `finished` is the end of the run.
    pub fn finish(
        &self,
        finished: &str,
        document: &str,
        issues: &[Issue],
    ) -> Result<SnapshotSummary, SnapshotError> {
        let summary = SnapshotSummary {
            run_id: self.run.run_id.clone(),
            package: self.run.package.clone(),
            started: self.run.started.clone(),
            finished: finished.to_owned(),
            final_characters: document.chars().count(),
            final_issues: IssueCounts::of(issues),
            snapshots: self.list()?,
        };
        replace(self.path.join("final.md"), document.as_bytes())?;
        replace(self.path.join("audit.md"), audit::report(&summary, issues).as_bytes())?;
        replace(self.path.join("summary.json"), to_json(&summary).as_bytes())?;
        Ok(summary)
    }

    /// Reads the metadata of all snapshots in the folder, ordered by number. They are read from the files,
    /// because a resumed run wrote only some of them itself.
    fn list(&self) -> Result<Vec<IterationSnapshot>, SnapshotError> {
        let unreadable = |source| SnapshotError::Read { path: self.path.clone(), source };
        let mut stems = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            stems.extend(
                name.to_str()
                    .and_then(|name| name.strip_suffix(".json"))
                    .filter(|it| is_stem(it))
                    .map(str::to_owned),
            );
        }
        let read = |stem: &String| read_json(&self.path.join(format!("{stem}.json")));
        let mut snapshots: Vec<IterationSnapshot> = stems.iter().map(read).collect::<Result<_, _>>()?;
        // By number, because names stop sorting so at a thousand.
        snapshots.sort_by_key(|snapshot| (snapshot.number, snapshot.file_stem()));
        Ok(snapshots)
    }
}

/// Reads a snapshot, given the path of its `.md` file: its metadata and its content.
pub fn read_snapshot(path: &Path) -> Result<(IterationSnapshot, String), SnapshotError> {
    Ok((read_json(&path.with_extension("json"))?, read_text(path, DOCUMENT_BYTES)?))
}

/// Returns true if a file name without extension is that of a snapshot, as opposed to `run` or `summary`.
fn is_stem(name: &str) -> bool {
    let (number, rest) = name.split_once('_').unwrap_or_default();
    number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit()) && rest.contains("_iter")
}

/// Returns a time without punctuation: `2024-01-15T10:30:00Z` → `20240115_103000`; a fraction of the second
/// is cut off. Returns `None` for a time of another form.
fn compact_time(time: &str) -> Option<String> {
    let (date, rest) = time.split_once('T')?;
    let (second, _) = rest.strip_suffix('Z')?.split_once('.').unwrap_or((rest.strip_suffix('Z')?, ""));
    let digits = |text: &str, separator: char, lengths: [usize; 3]| {
        let parts: Vec<&str> = text.split(separator).collect();
        let fits = parts.len() == 3
            && parts
                .iter()
                .zip(lengths)
                .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()));
        fits.then(|| parts.concat())
    };
    Some(format!("{}_{}", digits(date, '-', [4, 2, 2])?, digits(second, ':', [2, 2, 2])?))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, SnapshotError> {
    let text = read_text(path, METADATA_BYTES)?;
    serde_json::from_str(&text).map_err(|source| SnapshotError::Json { path: path.to_owned(), source })
}

fn read_text(path: &Path, limit: usize) -> Result<String, SnapshotError> {
    let unreadable = |source| SnapshotError::Read { path: path.to_owned(), source };
    let bytes = regular::read_up_to(path, limit, Links::Followed).map_err(unreadable)?;
    if bytes.len() > limit {
        return Err(SnapshotError::TooLarge { path: path.to_owned(), limit });
    }
    String::from_utf8(bytes).map_err(|error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error)))
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("a struct of texts and numbers is JSON") + "\n"
}
