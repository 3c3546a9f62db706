//! The files of the engine import each other without circles, so that each can be read after those that it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of `src` by module name, without `lib.rs` and the stores in `src/store`, which only use the others.
fn sources() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let rust = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    rust.map(|path| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    })
    .collect()
}

/// The code of a file without comments.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The identifiers of a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The names that `lib.rs` re-exports, with the files that define them.
fn re_exports(lib: &str) -> BTreeMap<String, String> {
    let uses = code(lib);
    let mut exports = BTreeMap::new();
    for statement in uses.split(';').filter_map(|statement| statement.trim().strip_prefix("pub use ")) {
        let mut words = identifiers(statement);
        let file = words.next().unwrap().to_owned();
        exports.extend(words.map(|name| (name.to_owned(), file.clone())));
    }
    exports
}

/// The files that each file imports.
fn imports(files: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let exports = re_exports(&files["lib"]);
    let resolve = |name: &str| {
        if files.contains_key(name) { Some(name.to_owned()) } else { exports.get(name).cloned() }
    };
    let of_file = |(name, text): (&String, &String)| {
        let code = code(text);
        let paths = code.split("super::").skip(1).chain(code.split("crate::").skip(1));
        let found = paths.flat_map(|path| match path.strip_prefix('{') {
            Some(group) => identifiers(group.split('}').next().unwrap()).filter_map(resolve).collect(),
            None => identifiers(path).next().and_then(resolve).into_iter().collect::<Vec<_>>(),
        });
        (name.clone(), found.filter(|import| import != name).collect())
    };
    files.iter().filter(|(name, _)| *name != "lib").map(of_file).collect()
}

/// Follows the imports of a file. Returns the path of the first circle that it finds.
fn circle<'a>(
    file: &'a str,
    imports: &'a BTreeMap<String, BTreeSet<String>>,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<&'a str>> {
    if let Some(start) = path.iter().position(|earlier| *earlier == file) {
        return Some(path[start..].iter().copied().chain([file]).collect());
    }
    if !done.insert(file) {
        return None;
    }
    path.push(file);
    let found = imports[file].iter().find_map(|import| circle(import, imports, path, done));
    path.pop();
    found
}

#[test]
fn the_files_of_the_engine_import_each_other_without_circles() {
    let imports = imports(&sources());
    assert!(imports["run_loop"].contains("plan"), "imports are found");
    assert!(imports["attempt"].contains("panicked"), "imports are found");
    let mut done = BTreeSet::new();
    for file in imports.keys() {
        let found = circle(file, &imports, &mut Vec::new(), &mut done);
        assert!(found.is_none(), "a circle of imports: {}", found.unwrap_or_default().join(" → "));
    }
}

#[test]
fn a_circle_is_found_with_its_path() {
    let files = [
        ("lib", "pub use b::{Thing, Other};"),
        ("a", "use super::Thing; // super::c"),
        ("b", "use super::c::Third;"),
        ("c", "use crate::{a, d};"),
        ("d", ""),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let imports = imports(&files.into_iter().collect());
    let found = circle("a", &imports, &mut Vec::new(), &mut BTreeSet::new());
    assert_eq!(found.unwrap(), ["a", "b", "c", "a"]);
}
