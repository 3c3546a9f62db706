//! Names of folders of results: one for each repository.

use crate::repo::Slug;

/// Longest name that is used as it is, in bytes.
const NAME_MAX: usize = 80;

/// Returns the name of a repository's folder: the name itself where every file system takes it, else an unequivocal replacement.
pub(crate) fn folder_name(repository: &str) -> String {
    // The slug of the lower-case name rules out names that Windows keeps for devices, hidden names and endings with a dot.
    let lower = repository.to_ascii_lowercase();
    let is_safe = repository.len() <= NAME_MAX && Slug::of(&lower).as_str() == lower;
    if is_safe { repository.to_owned() } else { Slug::of(repository).as_str().to_owned() }
}
