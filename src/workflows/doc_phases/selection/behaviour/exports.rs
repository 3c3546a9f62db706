//! Public definitions of a crate that no other crate can name: their module is private, and nothing re-exports them. Only Rust has both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind, Visibility};

/// Names that each Rust crate of a code base re-exports with `pub use`. Tells public items that other crates
/// can use from those in private modules.
pub(in super::super) struct CrateExports<'a> {
    files: BTreeMap<&'a str, &'a FileOutline>,
    /// Re-exports by the folder of the crate; `None` if a file of the crate cannot be read.
    crates: BTreeMap<&'a str, Option<Exports>>,
}

/// Names in the `pub use` statements of one crate.
#[derive(Default)]
struct Exports {
    /// All names.
    named: BTreeSet<String>,
    /// Names at the end of a path, and all names of a statement with `*` or `self`: a module among them is public with all that it has.
    ends: BTreeSet<String>,
}

impl<'a> CrateExports<'a> {
    /// Reads the `pub use` statements of all Rust files. `text` returns the text of a path; it is needed
    /// because outlines have limits and omit the text of macros.
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

    /// Returns the outermost public items of a file that no other crate can name, because a module around the
    /// file is private and nothing re-exports them. Empty in programs, and if a module around the file is
    /// re-exported.
    pub(in super::super) fn internal_names(&self, file: &FileOutline) -> BTreeSet<String> {
        let around = self.modules_around(file).filter(|around| around.is_private && !around.is_of_program);
        let modules = around.map(|around| around.names);
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

    /// Returns true if no other package can name the definitions of a file by its path: a module around it is
    /// private, or it belongs to a program.
    pub(in super::super) fn is_hidden(&self, file: &FileOutline) -> bool {
        self.modules_around(file).is_some_and(|around| around.is_private || around.is_of_program)
    }

    /// Returns the modules from a Rust file up to the root of its crate. `None` if the file is not below a
    /// `lib.rs` or `main.rs`, or if one of the modules is not declared.
    fn modules_around(&self, file: &FileOutline) -> Option<ModulesAround> {
        let mut path = file.path.clone();
        let mut around = ModulesAround::default();
        for _ in 0..16 {
            let (folder, name) = path.rsplit_once('/')?;
            let stem = name.strip_suffix(".rs")?;
            if matches!(stem, "lib" | "main") {
                around.is_of_program = stem == "main";
                return Some(around);
            }
            // `a/b/mod.rs` is the module `b` of `a`, and so is `a/b.rs`.
            let (outer, module) = if stem == "mod" { folder.rsplit_once('/')? } else { (folder, stem) };
            let parents = [
                format!("{outer}/lib.rs"),
                format!("{outer}/main.rs"),
                format!("{outer}/mod.rs"),
                format!("{outer}.rs"),
            ];
            let is_declared = |one: &&SymbolInfo| one.kind == SymbolKind::Module && one.name == module;
            let declared = |path: &String| {
                let parent = self.files.get(path.as_str())?;
                let all: Vec<&SymbolInfo> = parent.symbols.iter().filter(is_declared).collect();
                (!all.is_empty()).then_some((parent, all))
            };
            let (parent, declared) = parents.iter().find_map(declared)?;
            // Conditions of the build may declare it several times.
            around.is_private |= declared.iter().all(|one| one.visibility != Visibility::Public);
            around.names.insert(module.to_owned());
            path.clone_from(&parent.path);
        }
        None
    }
}

/// Modules that contain a Rust file, from its own up to the root of its crate.
#[derive(Default)]
struct ModulesAround {
    names: BTreeSet<String>,
    /// True if one of them is private.
    is_private: bool,
    /// True if the root is that of a program.
    is_of_program: bool,
}

impl Exports {
    /// Adds the names in the `pub use` statements of a file's text. Statements in comments count too, which
    /// only makes fewer items internal.
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

/// Returns the part of a statement that follows `pub use `, or `$vis use ` in a macro; `None` without one.
fn exported(statement: &str) -> Option<&str> {
    let is_export = |at: &usize| {
        let before = statement[..*at].trim_end();
        let word = before.trim_end_matches(is_part).len();
        before.len() < *at && (&before[word..] == "pub" || before[..word].ends_with('$'))
    };
    let at = statement.match_indices("use ").map(|(at, _)| at).find(is_export)?;
    Some(&statement[at + 4..])
}

/// Returns true for a macro, because `#[macro_export]` makes it public at the root of the crate, whatever its
/// module.
fn is_macro(symbol: &SymbolInfo) -> bool {
    symbol.kind == SymbolKind::Macro
}

/// Returns the folder of the crate: the path up to the first `src/`, empty without one.
fn crate_folder(path: &str) -> &str {
    path.split_once("src/").map_or("", |(folder, _)| folder)
}
