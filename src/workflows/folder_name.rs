//! Names of result folders, one for each repository.

use crate::repo::Slug;

/// Maximum length of a repository name that is used unchanged, in bytes.
const NAME_MAX: usize = 80;

/// Returns the name of the result folder for a repository: its own name if every file system accepts
/// that, else a slug that no other repository gets.
pub(crate) fn folder_name(repository: &str) -> String {
    // The slug of the lower-case name rules out names that Windows keeps for devices, hidden names and endings with a dot.
    let lower = repository.to_ascii_lowercase();
    let is_safe = repository.len() <= NAME_MAX && Slug::of(&lower).as_str() == lower;
    if is_safe { repository.to_owned() } else { Slug::of(repository).as_str().to_owned() }
}
