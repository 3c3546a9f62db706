//! Cuts a code base into components: the modules, packages and folders that its languages make of the files. Works on paths and
//! sizes alone; opens nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::repo::Language;

/// A future component: a group of source files with its id, paths and size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlannedComponent {
    pub(super) id: String,
    /// Folders and files, the main one first.
    pub(super) paths: Vec<String>,
    pub(super) bytes: u64,
}

/// A folder with a manifest of its own, such as a crate; or the repository itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Package {
    /// Empty for the repository itself.
    pub(super) folder: String,
    pub(super) name: String,
}

/// Maximum of components.
const PARTS: usize = 40;
/// Size in bytes below which a file is no component of its own; it goes with the root of its package.
const SMALL: u64 = 4 * 1024;
/// Number of files above which a package of a workspace is split into its modules.
const LARGE: usize = 40;

/// Folders of a package that are not part of the program: tests, examples, documentation.
const SIDE: &[&str] = &[
    "__tests__",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "ci",
    "demo",
    "demos",
    "doc",
    "docs",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "fuzz",
    "samples",
    "spec",
    "test",
    "testdata",
    "testing",
    "tests",
    "third_party",
    "website",
];

/// Files that build or configure, in any language.
const HELPERS: &[&str] = &[
    "build.rs",
    "conftest.py",
    "gruntfile.js",
    "gulpfile.js",
    "noxfile.py",
    "setup.py",
    "tasks.py",
    "webpack.config.js",
];

/// Names, without extension, of the files that are the root of a module.
const ROOTS: &[&str] = &["lib", "main", "mod", "__init__", "__main__", "index"];

/// Returns true for languages in which a file is a module. In the others a folder is one.
fn files_are_modules(language: Language) -> bool {
    use Language::{Bash, C, Cpp, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript};
    matches!(language, Rust | Python | JavaScript | TypeScript | Tsx | C | Cpp | Ruby | Php | Bash)
}

/// Splits the source files of the packages into components, by modules, folders and sizes; at most [`PARTS`],
/// sorted by id. `files` has the size of each file. Returns one component for the whole repository if it
/// cannot be split.
pub(super) fn parts(
    repository: &str,
    packages: &[Package],
    files: &BTreeMap<String, u64>,
) -> Vec<PlannedComponent> {
    let mut packages = packages.to_vec();
    packages.sort_by(|a, b| a.folder.cmp(&b.folder));
    packages.dedup_by(|a, b| a.folder == b.folder);
    if !packages.iter().any(|package| package.folder.is_empty()) {
        packages.insert(0, Package { folder: String::new(), name: repository.to_owned() });
    }
    let mut all: Vec<Vec<PlannedComponent>> = Vec::new();
    let several = packages.len() > 1;
    for package in &packages {
        let own = own_files(package, &packages, files);
        if own.is_empty() {
            continue;
        }
        let mut cut = Cutter { package, files: &own }.cut();
        let whole = several && !package.folder.is_empty() && own.len() <= LARGE;
        if whole || cut.len() < 2 {
            cut = vec![PlannedComponent {
                id: id_of(&package.name),
                paths: vec![if package.folder.is_empty() {
                    shared(&own.keys().collect::<Vec<_>>())
                } else {
                    package.folder.clone()
                }],
                bytes: own.values().sum(),
            }];
        }
        if several && !whole {
            cut.iter_mut().filter(|part| part.id == "src").for_each(|part| part.id = id_of(&package.name));
        }
        all.push(cut);
    }
    limited(unique(&packages, all))
}

/// Returns the source files of a package with their sizes, without tests, examples and packages inside it.
fn own_files(
    package: &Package,
    packages: &[Package],
    files: &BTreeMap<String, u64>,
) -> BTreeMap<String, u64> {
    let inner: Vec<&Package> = packages
        .iter()
        .filter(|other| other.folder != package.folder && below(&other.folder, &package.folder).is_some())
        .collect();
    let own = files.iter().filter(|(path, _)| {
        let Some(rest) = below(path, &package.folder) else { return false };
        Language::of_path(path).is_some()
            && !is_side(rest)
            && !is_compiled(path, files)
            && !inner.iter().any(|other| below(path, &other.folder).is_some())
    });
    own.map(|(path, bytes)| (path.clone(), *bytes)).collect()
}

/// Returns true for a script or declaration file that was compiled from a TypeScript file in the repository,
/// beside it or at the same path below `src`.
fn is_compiled(path: &str, files: &BTreeMap<String, u64>) -> bool {
    const MADE: &[&str] = &[".d.ts", ".d.cts", ".d.mts", ".js", ".cjs", ".mjs"];
    let Some(stem) = MADE.iter().find_map(|end| path.strip_suffix(end)) else { return false };
    let below_src = |at: usize| format!("{}src/{}", &stem[..at], &stem[at..]);
    let starts = std::iter::once(0).chain(stem.match_indices('/').map(|(at, _)| at + 1));
    let ends = ["ts", "tsx", "mts", "cts"];
    let has = |stem: &str| ends.iter().any(|end| files.contains_key(&format!("{stem}.{end}")));
    has(stem) || starts.map(below_src).any(|made_of| has(&made_of))
}

/// Returns true if a path, relative to its package, is not part of the program: tests, examples,
/// documentation, build files.
pub(super) fn is_side(path: &str) -> bool {
    let mut names: Vec<&str> = path.split('/').collect();
    let name = names.pop().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name);
    let folders = names.first().is_some_and(|name| SIDE.contains(name))
        || names.contains(&"__tests__")
        || path.contains("src/test/")
        || names.iter().any(|name| matches!(*name, "tests" | "testdata"));
    let tests = stem.ends_with("_test")
        || stem.starts_with("test_")
        || name.contains(".test.")
        || name.contains(".spec.");
    let helper =
        names.is_empty() && (HELPERS.contains(&name.to_lowercase().as_str()) || name.contains(".config."));
    let top_test = names.is_empty() && matches!(stem, "test" | "spec");
    folders || tests || top_test || helper || name.ends_with(".min.js") || stem == "tests"
}

/// Returns the part of a path after a folder: `b.rs` of `a/b.rs` below `a`. `None` if it is not in the
/// folder. An empty folder or `.` contains every path.
pub(super) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() || folder == "." {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Returns true if a path is one of `places`, or below one of them.
pub(super) fn within(path: &str, places: &[String]) -> bool {
    places.iter().any(|place| place == path || below(path, place).is_some())
}

/// Returns the id of the component that a file belongs to: the one with the longest path around the file.
/// `None` if no component contains it.
pub(super) fn owner<'b>(path: &str, boundaries: &'b BTreeMap<String, Vec<String>>) -> Option<&'b str> {
    let around = |places: &Vec<String>| {
        let fits = places.iter().filter(|place| *place == path || below(path, place).is_some());
        fits.map(|place| if place == "." { 0 } else { place.len() }).max()
    };
    let best = boundaries
        .iter()
        .filter_map(|(id, places)| Some((around(places)?, id)))
        .max_by_key(|(length, _)| *length);
    best.map(|(_, id)| id.as_str())
}

/// Returns the source files at these places with their sizes: module roots first, outermost first, then the
/// others by size. Tests are included only if there is nothing else.
pub(super) fn sources(files: &BTreeMap<String, u64>, places: &[String]) -> Vec<(String, u64)> {
    let rest = |path: &str| {
        places.iter().filter_map(|place| below(path, place)).min_by_key(|rest| rest.len()).map(str::to_owned)
    };
    let mut all: Vec<(String, u64)> = files
        .iter()
        .filter(|(path, _)| within(path, places) || places.iter().any(|place| place == "."))
        .filter(|(path, _)| Language::of_path(path).is_some())
        .map(|(path, bytes)| (path.clone(), *bytes))
        .collect();
    let is_test = |path: &str| {
        is_side(&rest(path).unwrap_or_default()) || is_side(&format!("x/{path}")) || is_compiled(path, files)
    };
    if all.iter().any(|(path, _)| !is_test(path)) {
        all.retain(|(path, _)| !is_test(path));
    }
    all.sort_by_key(|(path, bytes)| {
        (
            !is_root(path),
            path.matches('/').count() * usize::from(is_root(path)),
            std::cmp::Reverse(*bytes),
            path.clone(),
        )
    });
    all
}

struct Cutter<'p> {
    package: &'p Package,
    files: &'p BTreeMap<String, u64>,
}

impl Cutter<'_> {
    fn cut(&self) -> Vec<PlannedComponent> {
        let mut base = self.package.folder.clone();
        let mut parts: BTreeMap<String, PlannedComponent> = BTreeMap::new();
        let mut rest: Vec<(String, u64)> = Vec::new();
        loop {
            let (folders, files) = self.children(&base);
            let heavy = heavy(&folders, &files);
            rest.extend(files.iter().filter(|_| heavy.is_some()).cloned());
            let Some(heavy) = heavy else {
                self.modules(folders, files, &mut parts, &mut rest);
                break;
            };
            for (folder, bytes) in folders.iter().filter(|(folder, _)| **folder != heavy) {
                self.folder(folder, *bytes, &mut parts);
            }
            base = heavy;
        }
        let mut parts: Vec<PlannedComponent> = parts.into_values().collect();
        if !rest.is_empty() {
            rest.sort_by_key(|(path, _)| (!is_root(path), path.matches('/').count(), path.clone()));
            let bytes = rest.iter().map(|(_, bytes)| bytes).sum();
            let paths = rest.into_iter().map(|(path, _)| path).collect();
            parts.insert(0, PlannedComponent { id: id_of(&self.package.name), paths, bytes });
        }
        parts
    }

    /// Returns the direct subfolders of a folder with their total sizes, and its own files with their sizes.
    fn children(&self, base: &str) -> (BTreeMap<String, u64>, Vec<(String, u64)>) {
        let (mut folders, mut files) = (BTreeMap::new(), Vec::new());
        for (path, bytes) in self.files {
            let Some(rest) = below(path, base) else { continue };
            match rest.split_once('/') {
                Some((name, _)) => *folders.entry(join(base, name)).or_insert(0) += bytes,
                None => files.push((path.clone(), *bytes)),
            }
        }
        (folders, files)
    }

    /// Adds a component for each folder and, in languages where a file is a module, for each file of at least
    /// [`SMALL`] bytes. A file beside a folder of its name joins that; other files go to `rest`.
    fn modules(
        &self,
        folders: BTreeMap<String, u64>,
        files: Vec<(String, u64)>,
        parts: &mut BTreeMap<String, PlannedComponent>,
        rest: &mut Vec<(String, u64)>,
    ) {
        for (folder, bytes) in folders {
            self.folder(&folder, bytes, parts);
        }
        let mut by_stem: BTreeMap<String, Vec<(String, u64)>> = BTreeMap::new();
        for (path, bytes) in files {
            by_stem.entry(stem(&path).to_owned()).or_default().push((path, bytes));
        }
        for (stem, files) in by_stem {
            let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
            let paths: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
            let modular = paths.iter().filter_map(Language::of_path).all(files_are_modules);
            // `store.rs` beside `store/`.
            if let Some(folder) = parts.get_mut(&stem).filter(|_| modular) {
                folder.paths.extend(paths);
                folder.bytes += bytes;
            } else if modular && bytes >= SMALL && !ROOTS.contains(&stem.as_str()) {
                parts.insert(stem.clone(), PlannedComponent { id: id_of(&stem), paths, bytes });
            } else {
                rest.extend(files);
            }
        }
    }

    /// Adds a component for a folder, or for each of its subfolders if it has no files of its own, such as
    /// Go's `internal`.
    fn folder(&self, folder: &str, bytes: u64, parts: &mut BTreeMap<String, PlannedComponent>) {
        let (inner, files) = self.children(folder);
        if files.is_empty() && inner.len() > 1 {
            for (path, bytes) in inner {
                self.put(&path, bytes, parts);
            }
            return;
        }
        self.put(folder, bytes, parts);
    }

    fn put(&self, folder: &str, bytes: u64, parts: &mut BTreeMap<String, PlannedComponent>) {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let outer = below(folder, &self.package.folder).unwrap_or(folder);
        let key = if parts.contains_key(name) { outer.replace('/', "-") } else { name.to_owned() };
        let part = PlannedComponent { id: id_of(&key), paths: vec![folder.to_owned()], bytes };
        parts.insert(key, part);
    }
}

/// Returns the folder that holds nearly all bytes, such as `src` or `src/main/java/org/example`, so that the
/// split begins inside it. `None` if there is none, or if the files beside it make the outer folder a module.
fn heavy(folders: &BTreeMap<String, u64>, files: &[(String, u64)]) -> Option<String> {
    let all: u64 = folders.values().chain(files.iter().map(|(_, bytes)| bytes)).sum();
    let (folder, bytes) = folders.iter().max_by_key(|(_, bytes)| **bytes)?;
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let conventional = matches!(name, "src" | "lib" | "main" | "java" | "python" | "source");
    let beside: Vec<&str> =
        files.iter().map(|(path, _)| path.as_str()).filter(|path| !is_helper(path)).collect();
    // A folder with a root or with several files is a module, and its folders are parts of it.
    let is_module = beside.len() > 2 || !conventional && beside.iter().any(|path| is_root(path));
    let enough = if conventional { all / 2 } else { all / 10 * 8 };
    (*bytes >= enough && !is_module).then(|| folder.clone())
}

fn is_helper(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    HELPERS.contains(&name.as_str()) || name.contains(".config.")
}

pub(super) fn is_root(path: &str) -> bool {
    ROOTS.contains(&stem(path))
}

/// Returns the name of a file without its extensions: `a` of `src/a.test.js`.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns the innermost folder that contains all of these files and folders; `.` if it is the repository.
pub(super) fn shared<P: AsRef<str>>(places: &[P]) -> String {
    let folder = |place: &str| match Language::of_path(place) {
        Some(_) => place.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
        None => place.to_owned(),
    };
    let mut places = places.iter().map(AsRef::as_ref);
    let mut around = places.next().map(folder).unwrap_or_default();
    for place in places {
        while !(around.is_empty() || around == "." || place == around || below(place, &around).is_some()) {
            around = around.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
        }
    }
    if around.is_empty() { ".".into() } else { around }
}

/// Converts a name to a component id: lower case, at most 80 characters, without the `@` of npm scopes, other
/// signs replaced by `-`. An empty name gives `repository`.
fn id_of(name: &str) -> String {
    let name = name.trim_start_matches('@').trim_matches('/');
    let plain: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' })
        .collect();
    // In lower case, as the names of pages are.
    if plain.is_empty() {
        "repository".into()
    } else {
        plain.chars().take(80).collect::<String>().to_lowercase()
    }
}

/// Gives each component a unique id. Packages keep theirs; others get the name of their package or path as a
/// prefix, or a number.
fn unique(packages: &[Package], all: Vec<Vec<PlannedComponent>>) -> Vec<PlannedComponent> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for part in all.iter().flatten() {
        *seen.entry(part.id.clone()).or_insert(0) += 1;
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut parts = Vec::new();
    for mut part in all.into_iter().flatten() {
        let is_package =
            packages.iter().any(|one| !one.folder.is_empty() && part.paths == [one.folder.clone()]);
        if seen[&part.id] > 1 && !is_package {
            let around = packages.iter().filter(|package| below(&part.paths[0], &package.folder).is_some());
            let package = around.max_by_key(|package| package.folder.len());
            let prefix = package.map_or(String::new(), |package| id_of(&package.name));
            if prefix != part.id {
                part.id = format!("{prefix}-{}", part.id);
            } else if let [only] = &part.paths[..]
                && only != "."
            {
                part.id = id_of(&only.replace('/', "-"));
            }
        }
        let plain = part.id.clone();
        let mut number = 1;
        while !taken.insert(part.id.clone()) {
            number += 1;
            part.id = format!("{plain}-{number}");
        }
        parts.push(part);
    }
    parts
}

/// Returns the components sorted by id. If there are more than [`PARTS`], the smallest are merged into one
/// named `others`.
fn limited(mut parts: Vec<PlannedComponent>) -> Vec<PlannedComponent> {
    if parts.len() > PARTS {
        let mut by_size: Vec<usize> = (0..parts.len()).collect();
        by_size.sort_by_key(|index| (std::cmp::Reverse(parts[*index].bytes), *index));
        let kept: BTreeSet<usize> = by_size.into_iter().take(PARTS - 1).collect();
        let (mut large, mut others) =
            (Vec::new(), PlannedComponent { id: "others".into(), paths: Vec::new(), bytes: 0 });
        for (index, part) in parts.into_iter().enumerate() {
            if kept.contains(&index) {
                large.push(part);
            } else {
                others.paths.extend(part.paths);
                others.bytes += part.bytes;
            }
        }
        while large.iter().any(|part| part.id == others.id) {
            others.id.insert_str(0, "the-");
        }
        large.push(others);
        parts = large;
    }
    parts.sort_by(|a, b| a.id.cmp(&b.id));
    parts
}
