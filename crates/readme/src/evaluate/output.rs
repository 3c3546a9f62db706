//! Writes and reads the files of an evaluation in the output folder (SEC-133), and checks that this folder
//! is outside of the packages (SEC-139). Loads no package.

use std::io;
use std::path::{Component, Path, PathBuf};

use stategraph_base::regular::{self, Links};
use stategraph_repo::{Slug, WriteError, replace};
use thiserror::Error;

use super::result::BatchSummary;

/// Maximum size in bytes of a `results.json` that is read; more than a thousand packages need less.
const RESULTS_BYTES: usize = 256 * 1024 * 1024;

/// A failure to write or read the result files of an evaluation.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The output folder is inside a package.
    #[error(
        "the output folder `{output}` is inside the package `{package}`, which an evaluation never changes"
    )]
    InsidePackage {
        /// Output folder, as given.
        output: PathBuf,
        /// Folder of the package.
        package: PathBuf,
    },
    /// A folder cannot be resolved.
    #[error("`{path}` cannot be resolved: {source}")]
    Unresolved {
        /// Path, as given.
        path: PathBuf,
        /// Reason of the system.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file of results cannot be read.
    #[error("cannot read the results `{path}`: {source}")]
    Read {
        /// Path.
        path: PathBuf,
        /// Reason of the system, or of the parser.
        source: io::Error,
    },
    /// A file of results is too large.
    #[error("the results `{path}` have more than {RESULTS_BYTES} bytes")]
    TooLarge {
        /// Path.
        path: PathBuf,
    },
    /// A result is no JSON.
    #[error("the result of `{package}` cannot be written as JSON: {source}")]
    Json {
        /// Name of the package, or of the batch.
        package: String,
        /// Reason of the serializer.
        source: serde_json::Error,
    },
}

impl ResultsError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::InsidePackage { .. } => "name an output folder outside of the packages",
            Self::Unresolved { .. } => "name a folder that exists, or one directly below it",
            Self::Write(_) => "check the permissions of the output folder and the space on its disk",
            Self::Read { .. } | Self::TooLarge { .. } => "name the `results.json` of an evaluation",
            Self::Json { .. } => "report this as a fault of the program",
        }
    }
}

/// Returns an error if the folder `output` is one of the package folders or lies inside one, links
/// resolved. `output` need not exist yet.
pub fn check_output_folder<'a>(
    output: &Path,
    packages: impl IntoIterator<Item = &'a Path>,
) -> Result<(), ResultsError> {
    let resolved = resolve(output)?;
    for package in packages {
        if resolved.starts_with(resolve(package)?) {
            return Err(ResultsError::InsidePackage {
                output: output.to_owned(),
                package: package.to_owned(),
            });
        }
    }
    Ok(())
}

/// Returns the absolute path with its links resolved: the existing part is resolved, the rest is appended
/// as it is. Fails for a dangling link, and for `..` behind a folder that does not exist.
fn resolve(path: &Path) -> Result<PathBuf, ResultsError> {
    let unresolved = |source| ResultsError::Unresolved { path: path.to_owned(), source };
    let absolute = std::path::absolute(path).map_err(unresolved)?;
    for existing in absolute.ancestors() {
        // A dangling link is no folder that is still to be made: a write would follow it to an unchecked place.
        let is_link = existing.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        match existing.canonicalize() {
            Ok(real) => {
                let rest = absolute.strip_prefix(existing).expect("an ancestor is a prefix");
                if rest.components().any(|part| part == Component::ParentDir) {
                    return Err(unresolved(io::Error::other("`..` after a folder that does not exist")));
                }
                return Ok(real.join(rest));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_link => {}
            Err(error) => return Err(unresolved(error)),
        }
    }
    Err(unresolved(io::ErrorKind::NotFound.into()))
}

/// Writes the results of a batch to `folder`: `results.json` with the whole summary and, for each package,
/// `packages/<name>.json` with its result and `packages/<name>.md` with its generated document. Returns the
/// path of `results.json`. Fails if `folder` is inside one of the folders `packages`.
pub fn write_results<'a>(
    folder: &Path,
    summary: &BatchSummary,
    packages: impl IntoIterator<Item = &'a Path>,
) -> Result<PathBuf, ResultsError> {
    check_output_folder(folder, packages)?;
    for entry in &summary.entries {
        // A slug, because the name comes from the command line and may be a path.
        let name = Slug::of(&entry.package);
        let below = folder.join("packages");
        replace(below.join(format!("{name}.json")), to_json(&entry.package, entry)?.as_bytes())?;
        if let Some(document) = &entry.generated {
            replace(below.join(format!("{name}.md")), document.as_bytes())?;
        }
    }
    // Last, so that a folder with this file has all others.
    let path = folder.join("results.json");
    replace(&path, to_json(&summary.run_id, summary)?.as_bytes())?;
    Ok(path)
}

/// Reads the `results.json` that [`write_results`] wrote for an earlier evaluation.
pub fn read_results(path: &Path) -> Result<BatchSummary, ResultsError> {
    let unreadable = |source| ResultsError::Read { path: path.to_owned(), source };
    let bytes = regular::read_up_to(path, RESULTS_BYTES, Links::Followed).map_err(unreadable)?;
    if bytes.len() > RESULTS_BYTES {
        return Err(ResultsError::TooLarge { path: path.to_owned() });
    }
    serde_json::from_slice(&bytes).map_err(|error| unreadable(error.into()))
}

fn to_json(package: &str, value: &impl serde::Serialize) -> Result<String, ResultsError> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Ok(text + "\n"),
        Err(source) => Err(ResultsError::Json { package: package.to_owned(), source }),
    }
}
