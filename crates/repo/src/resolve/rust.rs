//! Rust's paths and modules as files, and the names of crates.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{ImportMap, is_below, join, split};
use crate::outline::{FileOutline, SymbolInfo, SymbolKind};

/// A Cargo package of the tree.
pub(super) struct Crate {
    pub(super) folder: String,
    /// Its name in code, with `_` for `-`.
    name: String,
    /// The folders that can hold its crate roots: `src`, and those of the roots that its manifest declares.
    roots: Vec<String>,
}

/// The names of its own library and of its dependencies in code, as one `Cargo.toml` defines them.
pub(crate) struct CargoNames {
    pub(crate) folder: String,
    /// The name of its library in code, if the manifest sets one.
    pub(crate) library: Option<String>,
    /// Renamed dependencies: name in code, name of the package.
    pub(crate) renamed: BTreeMap<String, String>,
}

impl CargoNames {
    /// Reads the texts of `Cargo.toml` files, given by folder. A dependency that is inherited from the
    /// workspace has the name that the workspace gives to it.
    pub(super) fn of_manifests(texts: &BTreeMap<String, String>) -> Vec<Self> {
        let tables: Vec<(&String, Table)> =
            texts.iter().filter_map(|(folder, text)| Some((folder, text.parse::<Table>().ok()?))).collect();
        let shared = tables.iter().filter_map(|(folder, root)| {
            let shared = root.get("workspace")?.get("dependencies")?.as_table()?;
            Some((folder.as_str(), renames(shared)))
        });
        let shared: Vec<(&str, BTreeMap<String, String>)> = shared.collect();
        let names = tables.iter().map(|(folder, root)| {
            let mut renamed = BTreeMap::new();
            let targets = root.get("target").and_then(Value::as_table);
            let around = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
            for table in std::iter::once(root).chain(around) {
                for key in ["dependencies", "dev-dependencies", "build-dependencies"] {
                    let Some(table) = table.get(key).and_then(Value::as_table) else { continue };
                    renamed.extend(renames(table));
                    let inherited = table.iter().filter(|(_, it)| it.get("workspace").is_some());
                    for (name, _) in inherited {
                        let code = name.replace('-', "_");
                        let from = shared.iter().filter(|(root, _)| is_below(folder, root) || folder == root);
                        renamed.extend(
                            from.filter_map(|(_, all)| Some((code.clone(), all.get(&code)?.clone()))),
                        );
                    }
                }
            }
            let library = root.get("lib").and_then(|lib| lib.get("name")?.as_str().map(str::to_owned));
            Self { folder: (*folder).clone(), library, renamed }
        });
        names.collect()
    }
}

/// Returns the dependencies in a table that `package = "…"` renames: name in code, name of the package.
fn renames(table: &Table) -> BTreeMap<String, String> {
    let renamed = table.iter().filter_map(|(name, value)| {
        Some((name.replace('-', "_"), value.get("package")?.as_str()?.replace('-', "_")))
    });
    renamed.collect()
}

/// Folders in which each file is the root of a crate of its own.
const TARGETS: &[&str] = &["src/bin", "tests", "examples", "benches"];

/// Names of files that are the module of their folder, so that their child modules are beside them.
const FOLDER_MODULES: &[&str] = &["mod.rs", "lib.rs", "main.rs"];

impl Crate {
    pub(super) fn new(folder: &str, name: &str, declared: &[String]) -> Self {
        let declared = declared.iter().filter_map(|root| join(folder, split(root).0));
        let roots = join(folder, "src").into_iter().chain(declared).collect();
        Self { folder: folder.to_owned(), name: name.replace('-', "_"), roots }
    }
}

impl ImportMap {
    /// Resolves a path of Rust, such as `crate::a::b::C`, `super::x` or `other_crate::a`. Returns the file of
    /// its longest beginning that is a module; empty for crates outside the tree.
    pub(super) fn rust(&self, from: &str, target: &str) -> Vec<String> {
        let mut names: Vec<&str> = target.split("::").collect();
        let Some(own) = self.crates.iter().find(|known| is_below(from, &known.folder)) else {
            return Vec::new();
        };
        let module = module_of(own, from);
        let mut base = match names.first() {
            Some(&"crate") => self.base_of(own, from),
            Some(&"self") => module,
            Some(&"super") => split(&module).0.to_owned(),
            Some(name) => match self.crates.iter().find(|known| known.name == *name) {
                Some(other) => self.library(other),
                // Since 2018 a path may also begin with a module beside it.
                None => return self.module(&module, &names).into_iter().collect(),
            },
            None => return Vec::new(),
        };
        names.remove(0);
        while names.first() == Some(&"super") {
            base = split(&base).0.to_owned();
            names.remove(0);
        }
        let itself = [
            format!("{base}.rs"),
            format!("{base}/mod.rs"),
            format!("{base}/lib.rs"),
            format!("{base}/main.rs"),
        ];
        let found = self.module(&base, &names);
        found.map_or_else(|| self.first(itself.map(Some)), |path| vec![path])
    }

    /// Returns the files of the modules that `file` declares without a body: `mod x;`.
    pub(super) fn modules(&self, file: &FileOutline) -> Vec<String> {
        let own = self.crates.iter().find(|known| is_below(&file.path, &known.folder));
        let base = match own {
            Some(own) => module_of(own, &file.path),
            None => plain_module(&file.path),
        };
        let mut found = Vec::new();
        for symbol in &file.symbols {
            self.collect_declared(&base, &file.path, symbol, &mut found);
        }
        found
    }

    /// Adds the file of the module `symbol`, and of the modules inside it, to `found`. `base` is the folder
    /// of its module files, `from` the declaring file.
    fn collect_declared(&self, base: &str, from: &str, symbol: &SymbolInfo, found: &mut Vec<String>) {
        if symbol.kind != SymbolKind::Module {
            return;
        }
        let Some(inside) = join(base, &symbol.name) else { return };
        let elsewhere = |path: &str| self.first([join(split(from).0, path)]);
        let always = symbol.decorators.iter().find_map(|said| path_attribute(said));
        let sometimes = symbol.decorators.iter().flat_map(|said| conditional_paths(said));
        if let Some(path) = always {
            found.extend(elsewhere(path));
        } else {
            found.extend(sometimes.flat_map(elsewhere));
            found.extend(self.first([format!("{inside}.rs"), format!("{inside}/mod.rs")].map(Some)));
        }
        for child in &symbol.children {
            self.collect_declared(&inside, from, child, found);
        }
    }

    /// Returns the folder that `crate` means in the file `from`: that of the root of its crate.
    fn base_of(&self, own: &Crate, from: &str) -> String {
        for target in TARGETS {
            let Some(targets) = join(&own.folder, target) else { continue };
            let Some(below) = from.strip_prefix(&targets).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let inner = below.split_once('/').map(|(name, _)| format!("{targets}/{name}"));
            return inner.filter(|inner| self.paths.contains(&format!("{inner}/main.rs"))).unwrap_or(targets);
        }
        let around = own.roots.iter().filter(|root| is_below(from, root));
        around.max_by_key(|root| root.len()).or(own.roots.first()).cloned().unwrap_or_default()
    }

    /// Returns the folder of the library root of a package.
    fn library(&self, other: &Crate) -> String {
        let has_library = |root: &&String| self.paths.contains(&format!("{root}/lib.rs"));
        other.roots.iter().find(has_library).or(other.roots.first()).cloned().unwrap_or_default()
    }

    fn module(&self, base: &str, names: &[&str]) -> Option<String> {
        (1..=names.len()).rev().find_map(|count| {
            let path = join(base, &names[..count].join("/"))?;
            self.first([format!("{path}.rs"), format!("{path}/mod.rs")].map(Some)).pop()
        })
    }
}

/// Returns the folder in which the child modules of the file `from` are.
fn module_of(own: &Crate, from: &str) -> String {
    let (folder, _) = split(from);
    let is_target = folder == own.folder
        || TARGETS.iter().any(|target| join(&own.folder, target).as_deref() == Some(folder));
    if is_target { folder.to_owned() } else { plain_module(from) }
}

fn plain_module(from: &str) -> String {
    let (folder, name) = split(from);
    if FOLDER_MODULES.contains(&name) { folder.to_owned() } else { from.trim_end_matches(".rs").to_owned() }
}

/// Returns the paths in `#[cfg_attr(unix, path = "x.rs")]`: `x.rs`. The build target decides later which one
/// counts.
fn conditional_paths(attribute: &str) -> Vec<&str> {
    let Some(inside) = attribute.strip_prefix("#[cfg_attr") else { return Vec::new() };
    let path = |(at, word): (usize, &str)| {
        let is_word = !inside[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"'));
        let value =
            inside[at + word.len()..].trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        value.split('"').next().filter(|_| is_word)
    };
    inside.match_indices("path").filter_map(path).collect()
}

/// Returns the path in `#[path = "x.rs"]`: `x.rs`. `None` for other attributes.
fn path_attribute(attribute: &str) -> Option<&str> {
    let value = attribute.strip_prefix("#[path")?.trim_start().strip_prefix('=')?;
    value.trim().trim_end_matches(']').trim().strip_prefix('"')?.strip_suffix('"')
}
