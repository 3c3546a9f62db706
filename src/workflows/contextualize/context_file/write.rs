//! Writes context files atomically. A file that a person wrote or edited is kept beside the new one.

use std::io;
use std::path::{Path, PathBuf};

use super::{CONTEXT_FILE_MAX, ContextFile, ContextPaths, SEAL};
use crate::repo::{self, WriteProblem};
use crate::workflows::contextualize::input::ContextSettings;
use crate::workflows::output::{DocumentName, ExistingFile, OutputError};
use crate::workflows::timestamp::Timestamp;
use stategraph_base::regular::{Links, read_text, read_up_to};

/// The document in messages.
const CONTEXT_FILE: DocumentName = DocumentName { noun: "the context file", example: "context.md" };

/// File that keeps the output folder in version control while it has no other (CTX-122).
const MARKER: &str = ".gitkeep";

/// Number of answers with one topic in one second that get a name.
const SAME_SECOND_MAX: u32 = 1_000;

/// Resolves the path of a file against the working folder: the path that the user typed, else `default`, which must stay in the folder
/// unless the settings allow another (CTX-8).
pub fn resolve_output(
    settings: &ContextSettings,
    folder: &Path,
    default: &Path,
) -> Result<PathBuf, OutputError> {
    let path = settings.output.as_deref().unwrap_or(default);
    CONTEXT_FILE.resolve(folder, path, settings.output_scope)
}

/// Checks that a resolved path can be written now, before tokens are spent on the file. Creates no folder.
pub fn probe_output(path: &Path) -> Result<(), OutputError> {
    CONTEXT_FILE.probe(path)
}

/// Writes a context file to a resolved path and creates its folders. An existing file is replaced atomically. It is copied first unless
/// this program wrote it about the same repository and it was not edited since. Returns the path of the copy.
pub fn write_context(path: &Path, file: &ContextFile) -> Result<Option<PathBuf>, OutputError> {
    let is_own = |found: &str| {
        let repository = |file: &ContextFile| file.front_matter.source_repo().map(str::to_owned).ok();
        SEAL.is_sealed(found)
            && ContextFile::parse(found.as_bytes()).is_ok_and(|found| repository(&found) == repository(file))
    };
    CONTEXT_FILE.write(path, &file.render(), ExistingFile::Kept, is_own)
}

/// Reads an existing `AGENTS.md`, so that the text that people wrote can be kept; `None` if there is no such
/// file.
pub fn read_agents_md(path: &Path) -> Result<Option<String>, OutputError> {
    match read_text(path, CONTEXT_FILE_MAX) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let problem =
                WriteProblem::Failed { reason: format!("the file that is there cannot be read: {error}") };
            Err(CONTEXT_FILE.error(path, problem.into()))
        }
    }
}

/// Writes an `AGENTS.md` to a resolved path. An existing file is replaced atomically and without a copy,
/// because `text` contains all that people wrote into it.
pub fn write_agents_md(path: &Path, text: &str) -> Result<(), OutputError> {
    CONTEXT_FILE.write(path, text, ExistingFile::Overwritten, |_| true).map(drop)
}

/// Writes an answer to a new file with a default name, and returns its path relative to the working folder. A second run about the same
/// topic in the same second gets a number behind its name (CTX-114); a run that wrote the same text before gets the same path.
pub fn write_scope(
    settings: &ContextSettings,
    folder: &Path,
    paths: &ContextPaths,
    topic: &str,
    started: Timestamp,
    file: &ContextFile,
) -> Result<PathBuf, OutputError> {
    let text = file.render();
    let first = paths.scope(topic, started);
    for number in 1..=SAME_SECOND_MAX {
        let path = add_number(&first, number);
        let target = CONTEXT_FILE.resolve(folder, &path, settings.output_scope)?;
        match repo::create(&target, text.as_bytes()) {
            Ok(()) => return Ok(path),
            Err(error) if error.problem == WriteProblem::Taken => {
                let found = read_up_to(&target, text.len(), Links::Refused);
                if found.is_ok_and(|found| found == text.as_bytes()) {
                    return Ok(path);
                }
            }
            Err(error) => return Err(CONTEXT_FILE.error(&path, error.problem.into())),
        }
    }
    Err(CONTEXT_FILE.error(&first, WriteProblem::Taken.into()))
}

/// Creates the output folder with an empty file `.gitkeep`, so that version control keeps the folder without
/// its content (CTX-122). Does nothing if the folder exists.
pub fn mark_output_dir(
    settings: &ContextSettings,
    folder: &Path,
    paths: &ContextPaths,
) -> Result<(), OutputError> {
    let output_dir = CONTEXT_FILE.resolve(folder, paths.output_dir(), settings.output_scope)?;
    if output_dir.exists() {
        return Ok(());
    }
    let marker = output_dir.join(MARKER);
    match repo::create(&marker, b"") {
        Err(error) if error.problem != WriteProblem::Taken => {
            Err(CONTEXT_FILE.error(&marker, error.problem.into()))
        }
        _ => Ok(()),
    }
}

/// Returns the path of the n-th file with one name: `scope-x.md` for 1, `scope-x-2.md` for 2.
fn add_number(path: &Path, number: u32) -> PathBuf {
    match (number, path.file_stem()) {
        (2.., Some(stem)) => path.with_file_name(format!("{}-{number}.md", stem.to_string_lossy())),
        _ => path.to_owned(),
    }
}
