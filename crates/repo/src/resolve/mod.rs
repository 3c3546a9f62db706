//! Imports as files of the repository (CTX-139): what a language's own rules make of a name, as far as the tree alone tells. What
//! comes from elsewhere (a registry, a standard library) is no file here and resolves to nothing.

mod libraries;
mod rust;
mod script;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(crate) use libraries::RUST_LIBRARY;
use libraries::{C_LIBRARY, NODE_LIBRARY, PYTHON_LIBRARY, RUBY_LIBRARY};
pub(crate) use rust::CargoNames;
use rust::Crate;
use script::ScriptNames;

use super::files::Files;
use super::manifest::{Manifest, manifest};
use super::outline::{FileOutline, Import, Language};
use super::walk::Walk;

/// Returns true for a module of the language's own library, as imports name it: `os` of Python, `net/http` of Go.
pub fn is_of_standard_library(language: Language, module: &str) -> bool {
    let first = module.split(['/', '.', ':']).next().unwrap_or(module);
    match language {
        Language::Python => PYTHON_LIBRARY.contains(&first),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            module.starts_with("node:") || NODE_LIBRARY.contains(&first)
        }
        Language::C | Language::Cpp => C_LIBRARY.contains(&module),
        Language::Ruby => RUBY_LIBRARY.contains(&first),
        Language::Rust => RUST_LIBRARY.contains(&first),
        Language::Go => !module.split('/').next().unwrap_or(module).contains('.'),
        Language::Java => ["java", "javax"].contains(&first),
        Language::CSharp => first == "System",
        Language::Php | Language::Bash => false,
    }
}

/// The paths of a tree with the module names that its manifests define. It resolves imports to files of the
/// tree.
pub struct ImportMap {
    paths: BTreeSet<String>,
    /// Folder and module name of each `go.mod`; the longest folder first.
    go_modules: Vec<(String, String)>,
    /// The Cargo packages; the longest folder first.
    crates: Vec<Crate>,
    cargo: Vec<CargoNames>,
    scripts: ScriptNames,
    /// Paths by file name, for the languages whose files are found by the end of the path.
    by_name: HashMap<String, Vec<String>>,
    /// The `lib` folders of gems, which are on Ruby's load path.
    ruby_folders: Vec<String>,
}

/// Maximum number of files that one import resolves to, such as a Go package or `import a.b.*`.
const FILES: usize = 50;
/// Maximum number of JavaScript configuration files that are read.
const CONFIGURATIONS: usize = 5_000;
/// Endings of files that an import may name by only the end of their path.
const BY_END: &[&str] = &[
    "h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tpp", "c", "cc", "cpp", "cxx", "java", "cs", "php",
    "def",
];

#[allow(clippy::case_sensitive_file_extension_comparisons, reason = "`A.GO` is no Go file")]
impl ImportMap {
    /// Makes the map of a walked tree. Reads the manifests and configurations that define module names.
    pub fn new(files: &dyn Files, walk: &Walk) -> Self {
        let mut manifests = Vec::new();
        let mut paths = BTreeSet::new();
        let mut texts = BTreeMap::new();
        let mut cargo = BTreeMap::new();
        for file in &walk.files {
            let path = file.path.to_string();
            let name = split(&path).1;
            let is_manifest = matches!(name, "go.mod" | "Cargo.toml");
            if (is_manifest || script::is_configuration(name))
                && let Ok(text) = files.read_text(&file.path)
            {
                if is_manifest {
                    manifests.extend(manifest(&path, &text));
                }
                if name == "Cargo.toml" {
                    cargo.insert(split(&path).0.to_owned(), text);
                } else if !is_manifest && texts.len() < CONFIGURATIONS {
                    texts.insert(path.clone(), text);
                }
            }
            paths.insert(path);
        }
        let cargo = CargoNames::of_manifests(&cargo);
        Self { cargo, scripts: ScriptNames::new(&texts), ..Self::of_paths(paths, &manifests) }
    }

    /// Makes the map from paths and manifests that are known already. Reads no file, so renamed crates and
    /// JavaScript configurations are not known.
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
        let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
        let mut ruby_folders = BTreeSet::new();
        for path in &paths {
            let (folder, name) = split(path);
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            if BY_END.contains(&ending) {
                by_name.entry(name.to_owned()).or_default().push(path.clone());
            }
            if ending == "gemspec" {
                ruby_folders.extend(join(folder, "lib"));
            }
        }
        Self {
            paths,
            go_modules,
            crates,
            cargo: Vec::new(),
            scripts: ScriptNames::default(),
            by_name,
            ruby_folders: ruby_folders.into_iter().collect(),
        }
    }

    /// Returns the names that each `Cargo.toml` gives to its library and its dependencies.
    pub(crate) fn cargo_names(&self) -> &[CargoNames] {
        &self.cargo
    }

    /// Returns the paths of the files that the imports of `file` name, sorted, without duplicates and without
    /// the file itself. Rust's `mod x;` counts as an import of the file of `x`.
    pub fn imports(&self, file: &FileOutline) -> Vec<String> {
        let mut all: BTreeSet<String> =
            file.imports.iter().flat_map(|import| self.import(file, import)).collect();
        if file.language == Language::Rust {
            all.extend(self.modules(file));
        }
        all.into_iter().filter(|path| *path != file.path).collect()
    }

    /// Returns the paths of the files that one import of `file` names; empty for libraries outside the tree.
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

    /// Returns the files that one imported module name means in the file `from`, by the rules of the
    /// language.
    fn target(&self, language: Language, from: &str, target: &str) -> Vec<String> {
        let folder = split(from).0;
        match language {
            Language::Rust => self.rust(from, target),
            Language::Python => self.python(folder, target),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.script(from, target),
            Language::Go => self.go(target),
            Language::Java => self.resolve_dotted(target, '.', "java"),
            Language::CSharp => self.resolve_dotted(&format!("{target}.*"), '.', "cs"),
            Language::Php if target.starts_with("./") => self.first([join(folder, target)]),
            Language::Php => self.resolve_dotted(target, '\\', "php"),
            Language::C | Language::Cpp => self.include(folder, target),
            Language::Ruby if target.starts_with("./") => {
                self.first(["", ".rb"].map(|end| join(folder, &format!("{target}{end}"))))
            }
            Language::Ruby => self.ruby(folder, target),
            Language::Bash => self.first([join(folder, target), join("", target)]),
        }
    }

    /// Returns the first candidate that is a path of the tree, as a list of at most one.
    fn first(&self, candidates: impl IntoIterator<Item = Option<String>>) -> Vec<String> {
        candidates.into_iter().flatten().find(|path| self.paths.contains(path)).into_iter().collect()
    }

    /// Returns the shortest path of the tree that ends with the whole names of `end`: `a/list.h` for
    /// `list.h`.
    fn suffix(&self, end: &str) -> Option<String> {
        let ends = |path: &&String| {
            path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let named = self.by_name.get(split(end).1).into_iter().flatten();
        named.filter(ends).min_by_key(|path| path.len()).cloned()
    }

    /// Resolves a Python import, relative by dots or absolute, to the file of its longest beginning that is a
    /// module. Absolute names are looked up in `folder` and those above it that are no packages, innermost
    /// first, and in `src`.
    fn python(&self, folder: &str, target: &str) -> Vec<String> {
        let dots = target.chars().take_while(|c| *c == '.').count();
        let names: Vec<&str> = target[dots..].split('.').filter(|name| !name.is_empty()).collect();
        let mut bases: Vec<String> = ancestors(folder);
        if dots > 0 {
            bases = bases.into_iter().skip(dots - 1).take(1).collect();
        } else {
            bases.retain(|folder| !self.paths.contains(&format!("{folder}/__init__.py")));
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

    /// Returns the file of the module that `target` names in the JavaScript or TypeScript file `from`; `None`
    /// if it is not in the tree.
    pub(crate) fn script_module(&self, from: &str, target: &str) -> Option<String> {
        self.script(from, target).into_iter().next()
    }

    /// Returns the file of a Python module that `from` imports; `None` if it is not in the tree. Each leading
    /// dot is an element of `path`. Absolute modules begin in the folder around the outermost package of
    /// `from`, in the root, or in `src`.
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

    /// Resolves an import of JavaScript or TypeScript: a relative path, a name from the configuration, or a
    /// package of the workspace. At most one file.
    fn script(&self, from: &str, target: &str) -> Vec<String> {
        if target.starts_with('.') {
            return join(split(from).0, target).map(|base| self.script_file(&base)).unwrap_or_default();
        }
        let candidates = self.scripts.candidates(from, target);
        candidates
            .iter()
            .map(|base| self.script_file(base))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// Returns the file that a module path without or with extension means: itself, with an extension, the
    /// TypeScript source of a `.js` file, or an index file. Code comes before declarations.
    fn script_file(&self, base: &str) -> Vec<String> {
        const ENDS: &[&str] = &[
            "", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".json", ".mts", ".cts", ".vue",
            ".svelte",
        ];
        let plain = ENDS.iter().map(|end| format!("{base}{end}"));
        let compiled = base.strip_suffix("js").or(base.strip_suffix("jsx"));
        let typed = compiled.into_iter().flat_map(|stem| ["ts", "tsx"].map(|end| format!("{stem}{end}")));
        let index = ENDS[1..].iter().filter_map(|end| join(base, &format!("index{end}")));
        self.first(plain.chain(typed).chain(index).map(Some))
    }

    /// Resolves a `require` of Ruby: `lib`, `spec` and `test` of the folders above, or else the `lib` folder
    /// of the only gem that has the file.
    fn ruby(&self, folder: &str, target: &str) -> Vec<String> {
        let bare = target.trim_end_matches(".rb");
        if RUBY_LIBRARY.binary_search(&bare).is_ok() {
            return Vec::new();
        }
        let file = format!("{bare}.rb");
        let around = ancestors(folder);
        let near = around.iter().flat_map(|at| {
            ["lib", "spec", "test"].map(|inside| join(at, inside).and_then(|at| join(&at, &file)))
        });
        let found = self.first(near);
        if !found.is_empty() {
            return found;
        }
        let gems: Vec<String> = self
            .ruby_folders
            .iter()
            .filter_map(|at| join(at, &file))
            .filter(|path| self.paths.contains(path))
            .collect();
        if gems.len() == 1 { gems } else { Vec::new() }
    }

    /// Returns the folder of the Go package that an import path names; `None` if it is in no module of the
    /// tree.
    pub(crate) fn go_package(&self, target: &str) -> Option<String> {
        let of_module = |(folder, module): &(String, String)| {
            let rest = target.strip_prefix(module.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| join(folder, rest.trim_start_matches('/')))?
        };
        self.go_modules.iter().find_map(of_module)
    }

    /// Returns the files of the Go package that an import path names, without tests.
    fn go(&self, target: &str) -> Vec<String> {
        let Some(package) = self.go_package(target) else { return Vec::new() };
        let files = self
            .paths
            .iter()
            .filter(|path| split(path).0 == package && path.ends_with(".go") && !path.ends_with("_test.go"));
        files.take(FILES).cloned().collect()
    }

    /// Resolves a dotted name: `a.b.C` is the file `…/a/b/C.ext`, or a member of the file `…/a/b.ext`;
    /// `a.b.*` is all files of the folder `…/a/b`. Folders of the project layout (`src/main/java`) may
    /// precede. For PHP and C# the first names may be missing from the path.
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

    /// Resolves an include of C: `"x.h"` beside the file, or else the shortest path with this end; `<x.h>`
    /// only in a folder called `include`.
    fn include(&self, folder: &str, target: &str) -> Vec<String> {
        let name = target.trim_matches(['"', '<', '>']);
        if target.starts_with('"') {
            let beside = self.first([join(folder, name)]);
            return if beside.is_empty() { self.suffix(name).into_iter().collect() } else { beside };
        }
        if C_LIBRARY.binary_search(&name).is_ok() {
            return Vec::new();
        }
        self.suffix(&format!("include/{name}")).into_iter().collect()
    }
}

/// Splits a path into folder and file name; the folder is empty at the root.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns `folder` and all folders above it, innermost first; the last one is the root, an empty text.
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

/// Joins a folder and a relative path, and resolves `.` and `..`. `None` if the result is outside of the
/// repository.
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
