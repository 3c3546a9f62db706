//! Public definitions of a crate that no other crate can name: their module is private, and nothing re-exports them. Only Rust has both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind, Visibility};

/// The re-exports of the crates of a code base.
pub(in super::super) struct CrateExports<'a> {
    files: BTreeMap<&'a str, &'a FileOutline>,
    /// Re-exports by the folder of the crate; `None` if a file of the crate cannot be read.
    crates: BTreeMap<&'a str, Option<Exports>>,
}

/// The names in the `pub use` of a crate.
#[derive(Default)]
struct Exports {
    /// All names.
    named: BTreeSet<String>,
    /// Names at the end of a path, and all names of a statement with `*` or `self`: a module among them is public with all that it has.
    ends: BTreeSet<String>,
}

impl<'a> CrateExports<'a> {
    /// Reads the re-exports from the texts of the files, because outlines have bounds and leave out what stands in macros.
    pub(in super::super) fn of(all: &'a [Arc<FileOutline>], text: impl Fn(&str) -> Option<String>) -> Self {
        let rust = || all.iter().map(Arc::as_ref).filter(|file| file.language == Language::Rust);
        let mut crates: BTreeMap<&str, Option<Exports>> = BTreeMap::new();
        for file in rust() {
            let of_crate = crates.entry(crate_folder(&file.path)).or_insert_with(|| Some(Exports::default()));
            match (text(&file.path), of_crate.as_mut()) {
                (Some(text), Some(exports)) => exports.read(&text),
                _ => *of_crate = None,
            }
        }
        Self { files: rust().map(|file| (file.path.as_str(), file)).collect(), crates }
    }

    /// Returns the outermost public names of a file that its crate keeps to itself. Empty for a crate without a library, and if a module around
    /// it is re-exported.
    pub(in super::super) fn internal_names(&self, file: &FileOutline) -> BTreeSet<String> {
        let modules = if file.language == Language::Rust { self.private_modules(file) } else { None };
        let exports = self.crates.get(crate_folder(&file.path)).and_then(Option::as_ref);
        let (Some(modules), Some(exports)) = (modules, exports) else { return BTreeSet::new() };
        if modules.iter().any(|module| exports.ends.contains(module)) {
            return BTreeSet::new();
        }
        let is_public = |symbol: &&SymbolInfo| {
            let is_named = !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Module);
            symbol.visibility == Visibility::Public && is_named
        };
        let own = file.symbols.iter().filter(is_public).filter(|symbol| !is_macro(symbol));
        own.map(|symbol| symbol.name.clone()).filter(|name| !exports.named.contains(name)).collect()
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
            let mut declared = parent.symbols.iter().filter(is_declared).peekable();
            declared.peek()?;
            // Conditions of the build may declare it several times.
            is_private |= declared.all(|one| one.visibility != Visibility::Public);
            names.insert(module.to_owned());
            path.clone_from(&parent.path);
        }
        None
    }
}

impl Exports {
    /// Adds the names in the `pub use` of a text. Those in comments count too; they only leave statements out.
    fn read(&mut self, text: &str) {
        for statement in text.split(';').filter_map(exported) {
            let mut words: Vec<(&str, bool)> = Vec::new();
            let mut rest = statement;
            while let Some(start) = rest.find(is_part) {
                let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
                words.push((&rest[start..end], !rest[end..].trim_start().starts_with("::")));
                rest = &rest[end..];
            }
            let has_all = statement.contains('*') || words.contains(&("self", true));
            self.ends.extend(
                words.iter().filter(|(_, is_end)| has_all || *is_end).map(|(word, _)| (*word).to_owned()),
            );
            self.named.extend(words.iter().map(|(word, _)| (*word).to_owned()));
        }
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns what follows `pub use` in a text up to a semicolon. A macro may have its visibility as a variable.
fn exported(statement: &str) -> Option<&str> {
    let is_export = |at: &usize| {
        let before = statement[..*at].trim_end();
        let word = before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
        before.len() < *at && (&before[word..] == "pub" || before[..word].ends_with('$'))
    };
    let at = statement.match_indices("use ").map(|(at, _)| at).find(is_export)?;
    Some(&statement[at + 4..])
}

/// `#[macro_export]` puts a macro at the root, wherever it stands.
fn is_macro(symbol: &SymbolInfo) -> bool {
    symbol.kind == SymbolKind::Macro
}

/// Returns the folder around `src`.
fn crate_folder(path: &str) -> &str {
    path.split_once("src/").map_or("", |(folder, _)| folder)
}
