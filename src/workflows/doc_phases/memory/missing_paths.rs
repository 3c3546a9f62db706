//! Looks up the paths that an entry names.

use std::path::Path;

use super::schema::{EntryProblem, quote};
use super::types::Entry;
use crate::repo::Files;

/// Returns a problem for each path in an entry that is refused or does not exist in the repository, at most
/// 10. Models name files that they never saw.
pub(super) fn missing_paths(files: &dyn Files, entry: &Entry) -> Vec<EntryProblem> {
    let looked_at = |(field, path): (&'static str, &str), folders: bool| {
        let fix = "list_files shows what there is; give the path from the root of the repository";
        match files.path(Path::new(path)) {
            Err(error) => {
                Some(EntryProblem::new(field, format!("names a path that is refused: {error}"), error.hint()))
            }
            Ok(found) if files.file_exists(&found) || (folders && files.list(&found).is_ok()) => None,
            Ok(_) => {
                let what = if folders { "no file or folder" } else { "no file" };
                Some(EntryProblem::new(
                    field,
                    format!("names `{}`, which is {what} of the repository", quote(path)),
                    fix,
                ))
            }
        }
    };
    let named = entry.files().into_iter().filter_map(|named| looked_at(named, false));
    let placed = entry.files_or_folders().into_iter().filter_map(|named| looked_at(named, true));
    named.chain(placed).take(10).collect()
}
