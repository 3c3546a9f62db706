//! Public definitions of a crate that no other crate can name: their module is private, and nothing re-exports them. Only Rust has both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind, Visibility};

/// The re-exports of the crates of a code base.
pub(in super::super) struct CrateExports<'a> {
    files: BTreeMap<&'a str, &'a FileOutline>,
    /// Names in `pub use`, by the folder of the crate.
    named: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Names in `pub use` of everything in a module, by the folder of the crate.
    globs: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> CrateExports<'a> {
    pub(in super::super) fn of(all: &'a [Arc<FileOutline>]) -> Self {
        let rust = || all.iter().map(Arc::as_ref).filter(|file| file.language == Language::Rust);
        let mut found = Self {
            files: rust().map(|file| (file.path.as_str(), file)).collect(),
            named: BTreeMap::new(),
            globs: BTreeMap::new(),
        };
        for file in rust() {
            let folder = crate_folder(&file.path);
            let exports = file.imports.iter().map(|import| import.text.trim_start());
            for text in exports.filter(|text| text.starts_with("pub use")) {
                let words = || {
                    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
                };
                found.named.entry(folder).or_default().extend(words());
                if text.contains('*') {
                    found.globs.entry(folder).or_default().extend(words());
                }
            }
        }
        found
    }

    /// Returns the outermost public names of a file that its crate keeps to itself. Empty for a crate without a library, and where a glob
    /// re-exports a module around it.
    pub(in super::super) fn internal_names(&self, file: &FileOutline) -> BTreeSet<String> {
        let modules = if file.language == Language::Rust { self.private_modules(file) } else { None };
        let Some(modules) = modules else { return BTreeSet::new() };
        let folder = crate_folder(&file.path);
        let has = |names: &BTreeMap<&str, BTreeSet<&str>>, name: &str| {
            names.get(folder).is_some_and(|names| names.contains(name))
        };
        if modules.iter().any(|module| has(&self.globs, module)) {
            return BTreeSet::new();
        }
        let is_public =
            |symbol: &&SymbolInfo| symbol.visibility == Visibility::Public && symbol.kind != SymbolKind::Impl;
        let own = file.symbols.iter().filter(is_public).filter(|symbol| !is_macro(symbol));
        own.map(|symbol| symbol.name.clone()).filter(|name| !has(&self.named, name)).collect()
    }

    /// Returns the modules around a file if one of them is private, with its own; `None` if all are public, or one is not declared.
    fn private_modules(&self, file: &FileOutline) -> Option<BTreeSet<String>> {
        let mut path = file.path.clone();
        let (mut names, mut is_private) = (BTreeSet::new(), false);
        for _ in 0..16 {
            let (folder, name) = path.rsplit_once('/')?;
            let stem = name.strip_suffix(".rs")?;
            match stem {
                "lib" => return is_private.then_some(names),
                "main" => return None,
                _ => {}
            }
            // `a/b/mod.rs` is the module `b` of `a`, and so is `a/b.rs`.
            let (around, module) = if stem == "mod" { folder.rsplit_once('/')? } else { (folder, stem) };
            let parents = [format!("{around}/lib.rs"), format!("{around}/mod.rs"), format!("{around}.rs")];
            let parent = parents.iter().find_map(|path| self.files.get(path.as_str()))?;
            let is_declared = |one: &&SymbolInfo| one.kind == SymbolKind::Module && one.name == module;
            let declared = parent.symbols.iter().find(is_declared)?;
            is_private |= declared.visibility != Visibility::Public;
            names.insert(module.to_owned());
            path.clone_from(&parent.path);
        }
        None
    }
}

/// `#[macro_export]` puts a macro at the root, wherever it stands.
fn is_macro(symbol: &SymbolInfo) -> bool {
    symbol.kind == SymbolKind::Macro
}

/// Returns the folder around `src`.
fn crate_folder(path: &str) -> &str {
    path.split_once("src/").map_or("", |(folder, _)| folder)
}
