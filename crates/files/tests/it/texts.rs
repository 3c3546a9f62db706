//! Files that are refused, and the exact text that a user reads about each. `UPDATE=1` rewrites the texts.

use std::fs;
use std::path::{Path, PathBuf};

use stategraph_files::Diagnostics;

/// The graph files of a folder of `tests/golden`.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let entries = fs::read_dir(&folder).expect("the golden folder is in the repository");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "yaml" || kind == "json"));
    files.sort();
    files
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

/// Each file is refused with the text beside it; `UPDATE=1` rewrites the texts.
pub(crate) fn check_texts(files: Vec<PathBuf>, read: impl Fn(&Path) -> Result<(), Diagnostics>) {
    let mut wrong = Vec::new();
    for path in files {
        let Err(found) = read(&path) else { panic!("{} was accepted", name(&path)) };
        let printed = format!("{found}\n");
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&golden, &printed).expect("writable");
        } else if fs::read_to_string(&golden).unwrap_or_default() != printed {
            wrong.push(format!("{}:\n{printed}", name(&path)));
        }
    }
    assert!(wrong.is_empty(), "these texts changed; UPDATE=1 rewrites them\n{}", wrong.join("\n"));
}

/// Each of these defects has its place, in the order of the file, and says what to do.
pub(crate) fn check_places(path: &Path, diagnostics: &Diagnostics) {
    for found in diagnostics.list() {
        assert!(found.hint.is_some(), "{}: no hint: {found:?}", name(path));
        assert!(found.location.line >= 1 && found.location.column >= 1, "{}: {found:?}", name(path));
        assert_eq!(found.file, name(path));
        assert!(!found.message.ends_with('.'), "{}: {found:?}", name(path));
    }
    let places: Vec<usize> = diagnostics.list().iter().map(|found| found.location.span.start).collect();
    assert!(places.is_sorted(), "{}: {places:?}", name(path));
}
