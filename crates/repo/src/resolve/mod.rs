//! Imports as files of the repository (CTX-139): what a language's own rules make of a name, as far as the tree alone tells. What
//! comes from elsewhere (a registry, a standard library) is no file here and resolves to nothing.

mod libraries;
mod rust;

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use libraries::PYTHON_LIBRARY;
use rust::Crate;

use super::files::Files;
use super::manifest::{Manifest, manifest};
use super::outline::{FileOutline, Import, Language};
use super::walk::Walk;

/// The paths of a tree, and what its manifests say of module names.
pub struct ImportMap {
    paths: BTreeSet<String>,
    /// The paths by file name, in order; filled when first needed.
    by_name: OnceLock<HashMap<String, Vec<String>>>,
    /// Folder and module name of every `go.mod`; innermost first.
    go_modules: Vec<(String, String)>,
    /// Innermost first.
    crates: Vec<Crate>,
}

/// Most files that one import names: a Go package, `import a.b.*`.
const FILES: usize = 50;

#[allow(clippy::case_sensitive_file_extension_comparisons, reason = "`A.GO` is no Go file")]
impl ImportMap {
    /// Makes the map of a walked tree. Reads its `go.mod` and `Cargo.toml` files.
    pub fn new(files: &dyn Files, walk: &Walk) -> Self {
        let mut manifests = Vec::new();
        let mut paths = BTreeSet::new();
        for file in &walk.files {
            let path = file.path.to_string();
            if matches!(split(&path).1, "go.mod" | "Cargo.toml") {
                manifests.extend(files.read_text(&file.path).ok().and_then(|text| manifest(&path, &text)));
            }
            paths.insert(path);
        }
        Self::of_paths(paths, &manifests)
    }

    /// Makes the map of known paths and manifests. Reads nothing.
    pub fn of_paths(paths: BTreeSet<String>, manifests: &[Manifest]) -> Self {
        let (mut go_modules, mut crates) = (Vec::new(), Vec::new());
        for found in manifests {
            let (folder, name) = split(&found.path);
            match (&found.name, name) {
                (Some(module), "go.mod") => go_modules.push((folder.to_owned(), module.clone())),
                (Some(name), "Cargo.toml") => crates.push(Crate::new(folder, name, &found.entry_points)),
                _ => {}
            }
        }
        go_modules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        crates.sort_by_key(|found: &Crate| std::cmp::Reverse(found.folder.len()));
        Self { paths, by_name: OnceLock::new(), go_modules, crates }
    }

    /// Returns the files that the imports of `file` name, in order, without duplicates and without the file itself. Rust's `mod x;` names
    /// the file of `x`.
    pub fn imports(&self, file: &FileOutline) -> Vec<String> {
        let mut all: BTreeSet<String> =
            file.imports.iter().flat_map(|import| self.import(file, import)).collect();
        if file.language == Language::Rust {
            all.extend(self.modules(file));
        }
        all.into_iter().filter(|path| *path != file.path).collect()
    }

    /// Returns the files that one import of `file` names.
    pub fn import(&self, file: &FileOutline, import: &Import) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for target in &import.targets {
            for path in self.target(file.language, &file.path, target) {
                if !found.contains(&path) && found.len() < FILES {
                    found.push(path);
                }
            }
        }
        found
    }

    fn target(&self, language: Language, from: &str, target: &str) -> Vec<String> {
        let folder = split(from).0;
        match language {
            Language::Rust => self.rust(from, target),
            Language::Python => self.python(folder, target),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.script(folder, target),
            Language::Go => self.go(target),
            Language::Java => self.resolve_dotted(target, '.', "java"),
            Language::CSharp => self.resolve_dotted(&format!("{target}.*"), '.', "cs"),
            Language::Php if target.starts_with("./") => self.first([join(folder, target)]),
            Language::Php => self.resolve_dotted(target, '\\', "php"),
            Language::C | Language::Cpp => self.include(folder, target),
            Language::Ruby if target.starts_with("./") => {
                self.first(["", ".rb"].map(|end| join(folder, &format!("{target}{end}"))))
            }
            Language::Ruby => {
                self.suffix(&format!("{}.rb", target.trim_end_matches(".rb"))).into_iter().collect()
            }
            Language::Bash => self.first([join(folder, target), join("", target)]),
        }
    }

    /// Returns the first existing candidate.
    fn first(&self, candidates: impl IntoIterator<Item = Option<String>>) -> Vec<String> {
        candidates.into_iter().flatten().find(|path| self.paths.contains(path)).into_iter().collect()
    }

    /// Returns the shortest path with this end, at a whole name.
    fn suffix(&self, end: &str) -> Option<String> {
        let ends = |path: &&String| {
            path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
            for path in &self.paths {
                by_name.entry(split(path).1.to_owned()).or_default().push(path.clone());
            }
            by_name
        });
        by_name.get(split(end).1)?.iter().filter(ends).min_by_key(|path| path.len()).cloned()
    }

    /// Resolves a Python import: relative by dots; absolute from the importing folder outwards, and below `src`.
    fn python(&self, folder: &str, target: &str) -> Vec<String> {
        let dots = target.chars().take_while(|c| *c == '.').count();
        let names: Vec<&str> = target[dots..].split('.').filter(|name| !name.is_empty()).collect();
        let mut bases: Vec<String> = ancestors(folder);
        if dots > 0 {
            bases = bases.into_iter().skip(dots - 1).take(1).collect();
        } else {
            bases.push("src".into());
        }
        for count in (0..=names.len()).rev() {
            for base in &bases {
                let module = join(base, &names[..count].join("/")).unwrap_or_default();
                let package = join(&module, "__init__.py");
                let files = [Some(format!("{module}.py")), Some(format!("{module}.pyi")), package];
                let found = if count == 0 && dots == 0 { Vec::new() } else { self.first(files) };
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// Returns the file of a module that a file of JavaScript or TypeScript imports.
    pub(crate) fn script_module(&self, from: &str, target: &str) -> Option<String> {
        self.script(split(from).0, target).into_iter().next()
    }

    /// Returns the file of a Python module; `None` if it is none of this tree. Relative modules begin with one part for each dot.
    /// Absolute ones begin in the folder around the outermost package of `from`, in the root, or in `src`.
    pub(crate) fn python_module(&self, from: &str, path: &[String]) -> Option<String> {
        let dots = path.iter().take_while(|part| *part == ".").count();
        let names = &path[dots..];
        let module = |base: &str| {
            let module = join(base, &names.join("/")).unwrap_or_default();
            let package = join(&module, "__init__.py");
            let stub = join(&module, "__init__.pyi");
            let files = [Some(format!("{module}.py")), Some(format!("{module}.pyi")), package, stub];
            self.first(files).pop()
        };
        if dots > 0 {
            return module(ancestors(split(from).0).get(dots - 1)?);
        }
        let first = names.first()?;
        if PYTHON_LIBRARY.binary_search(&first.as_str()).is_ok() {
            return None;
        }
        let is_package = |folder: &&String| self.paths.contains(&format!("{folder}/__init__.py"));
        let around = ancestors(split(from).0).into_iter().find(|folder| !is_package(&folder));
        around.into_iter().chain([String::new(), "src".to_owned()]).find_map(|base| module(&base))
    }

    /// Resolves an import of JavaScript or TypeScript. Relative paths only: with or without extension, index files, and TypeScript sources
    /// of `.js` outputs. Files with code come before declarations.
    fn script(&self, folder: &str, target: &str) -> Vec<String> {
        const ENDS: &[&str] = &[
            "", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".json", ".mts", ".cts", ".vue",
            ".svelte",
        ];
        if !target.starts_with('.') {
            return Vec::new();
        }
        let Some(base) = join(folder, target) else { return Vec::new() };
        let plain = ENDS.iter().map(|end| format!("{base}{end}"));
        let compiled = base.strip_suffix("js").or(base.strip_suffix("jsx"));
        let typed = compiled.into_iter().flat_map(|stem| ["ts", "tsx"].map(|end| format!("{stem}{end}")));
        let index = ENDS[1..].iter().filter_map(|end| join(&base, &format!("index{end}")));
        self.first(plain.chain(typed).chain(index).map(Some))
    }

    /// Returns the folder of a Go package in one of the tree's modules.
    pub(crate) fn go_package(&self, target: &str) -> Option<String> {
        let of_module = |(folder, module): &(String, String)| {
            let rest = target.strip_prefix(module.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| join(folder, rest.trim_start_matches('/')))?
        };
        self.go_modules.iter().find_map(of_module)
    }

    /// Returns all files of a Go package in one of the tree's modules.
    fn go(&self, target: &str) -> Vec<String> {
        let Some(package) = self.go_package(target) else { return Vec::new() };
        let files = self
            .paths
            .iter()
            .filter(|path| split(path).0 == package && path.ends_with(".go") && !path.ends_with("_test.go"));
        files.take(FILES).cloned().collect()
    }

    /// Resolves a dotted name: `a.b.C` is the file `…/a/b/C.ext`, or a member of it; `a.b.*` all files of the folder. Folders before the
    /// first existing one belong to the project layout (`src/main/java`); names in front may be its namespace.
    fn resolve_dotted(&self, target: &str, separator: char, extension: &str) -> Vec<String> {
        let names: Vec<&str> = target.split(separator).collect();
        let (all, names) = match names.split_last() {
            Some((&"*", names)) => (true, names),
            _ => (false, &names[..]),
        };
        if all {
            let folder = names.join("/");
            let inside = |path: &&String| {
                let at = split(path).0;
                path.ends_with(&format!(".{extension}"))
                    && (at == folder || at.ends_with(&format!("/{folder}")))
            };
            let found: Vec<String> = self.paths.iter().filter(inside).take(FILES).cloned().collect();
            let outer = names.len() > 1 && extension == "cs";
            return if found.is_empty() && outer {
                self.resolve_dotted(&format!("{}.*", names[1..].join(".")), '.', extension)
            } else {
                found
            };
        }
        let whole = |names: &[&str]| self.suffix(&format!("{}.{extension}", names.join("/")));
        let shorter = (2..names.len()).rev().find_map(|count| whole(&names[..count]));
        let inner = || {
            (1..names.len().saturating_sub(1))
                .find_map(|skip| whole(&names[skip..]).filter(|_| extension == "php"))
        };
        whole(names).or(shorter).or_else(inner).into_iter().collect()
    }

    /// Resolves an include: `"x.h"` beside the file, then at any path with that end; `<x.h>` only in an include folder.
    fn include(&self, folder: &str, target: &str) -> Vec<String> {
        let name = target.trim_matches(['"', '<', '>']);
        if target.starts_with('"') {
            let beside = self.first([join(folder, name)]);
            return if beside.is_empty() { self.suffix(name).into_iter().collect() } else { beside };
        }
        self.suffix(&format!("include/{name}")).into_iter().collect()
    }
}

/// Splits a path into folder and name.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns a folder and all folders above it, innermost first; the root is empty.
fn ancestors(folder: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut at = folder;
    while !at.is_empty() {
        all.push(at.to_owned());
        at = split(at).0;
    }
    all.push(String::new());
    all
}

/// Joins two paths by names and resolves `..`; `None` if the path leads out of the repository.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}
