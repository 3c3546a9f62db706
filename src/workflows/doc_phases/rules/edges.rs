//! Imports: of files as far as they are known, of components by the places of their files.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::parts::owner;
use super::plan::ListedFiles;
use super::project::folder_of;
use super::sight::SeenFile;
use crate::repo::{FileOutline, Import, ImportMap, Language, Manifest, SymbolKind};

/// Imports of one component: of each of its files, and of other components by the owners of the imported
/// files.
pub(super) struct ComponentEdges {
    files: BTreeMap<String, Vec<String>>,
    components: BTreeSet<String>,
}

impl ComponentEdges {
    pub(super) fn new(
        tree: &ListedFiles,
        manifests: &[Manifest],
        boundaries: &BTreeMap<String, Vec<String>>,
        sights: &[SeenFile],
    ) -> Self {
        let map = ImportMap::of_paths(tree.files.keys().cloned().collect(), manifests);
        let (mut files, mut components) = (BTreeMap::new(), BTreeSet::new());
        for sight in sights {
            let outline = &sight.outline;
            let mut own = outline.as_ref().clone();
            own.imports = outline
                .imports
                .iter()
                .filter_map(|one| Some(without_local(outline, one)?.into_owned()))
                .collect();
            files.insert(outline.path.clone(), map.imports(&own));
            let tests = sight.test_lines();
            let is_of_test = |import: &&Import| tests.iter().any(|lines| lines.contains(&import.line));
            for import in outline.imports.iter().filter(|import| !is_of_test(import)) {
                let Some(import) = without_local(outline, import) else { continue };
                let import = import.as_ref();
                let found = map.import(outline, import);
                // What a listing did not show is told by the place that it must be in.
                let named = found.iter().filter_map(|path| owner(path, boundaries)).map(str::to_owned);
                let before = components.len();
                components.extend(named);
                if found.is_empty() && components.len() == before {
                    components.extend(guessed(outline, import, manifests, boundaries));
                }
            }
        }
        Self { files, components }
    }

    /// Returns the ids of the components that the files import from, which may include their own.
    pub(super) fn components(&self) -> impl Iterator<Item = String> {
        self.components.iter().cloned()
    }

    /// Returns the files of the repository that a file imports; empty for a file that was not seen.
    pub(super) fn imports(&self, path: &str) -> Vec<String> {
        self.files.get(path).cloned().unwrap_or_default()
    }

    /// Returns the files of the component that import a file.
    pub(super) fn imported_by(&self, path: &str) -> Vec<String> {
        let importing = self.files.iter().filter(|(_, imports)| imports.iter().any(|import| import == path));
        importing.map(|(path, _)| path.clone()).collect()
    }
}

/// Returns a Rust import without the targets in modules defined in the file itself (`sd::Options` if it has
/// `mod sd { … }`). `None` if no target is left. Unchanged in other languages.
fn without_local<'i>(outline: &FileOutline, import: &'i Import) -> Option<Cow<'i, Import>> {
    let is_local = |target: &String| {
        let first = target.split("::").next().unwrap_or(target);
        outline.symbols.iter().any(|symbol| {
            symbol.kind == SymbolKind::Module && symbol.name == first && symbol.line_end > symbol.line
        })
    };
    if outline.language != Language::Rust || !import.targets.iter().any(is_local) {
        return Some(Cow::Borrowed(import));
    }
    let targets: Vec<String> = import.targets.iter().filter(|target| !is_local(target)).cloned().collect();
    (!targets.is_empty()).then(|| Cow::Owned(Import { targets, ..import.clone() }))
}

/// Returns the components of an import whose files no listing showed, by the path that its language derives
/// from the name. Components that own the whole repository are left out.
fn guessed(
    outline: &FileOutline,
    import: &Import,
    manifests: &[Manifest],
    boundaries: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let paths = import.targets.iter().filter_map(|target| match outline.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx if target.starts_with('.') => {
            joined(folder_of(&outline.path), target)
        }
        Language::Go => manifests.iter().find_map(|found| {
            let rest = target.strip_prefix(found.name.as_deref()?)?.strip_prefix('/')?;
            joined(folder_of(&found.path), rest)
        }),
        Language::Java => {
            let package = target.rsplit_once('.')?.0.replace('.', "/");
            let places = boundaries.values().flatten();
            places
                .filter(|place| package.ends_with(tail(place)) && tail(place).contains('/'))
                .max_by_key(|place| place.len())
                .cloned()
        }
        _ => None,
    });
    // An owner of everything proves nothing.
    let named = paths.filter_map(|path| owner(&path, boundaries).map(str::to_owned));
    named.filter(|id| !boundaries[id].iter().any(|place| place == ".")).collect()
}

/// Returns the part of a path after the last `/java/`, which is the package of a Java file; the whole path
/// without it.
fn tail(place: &str) -> &str {
    place.rsplit_once("/java/").map_or(place, |(_, tail)| tail)
}

/// Returns the path `folder/path` with `.` and `..` resolved; `None` if it leads out of the repository.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}
