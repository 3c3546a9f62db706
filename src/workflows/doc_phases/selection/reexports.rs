//! Names that a file exports of other files: `pub use`, `export … from`, and the imports of `__init__.py`. They are the public interface of a
//! library whose entry defines little.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facts::{PathRole, SourceLines};
use crate::repo::{
    CodeBase, FileOutline, Import, ImportMap, Language, SymbolInfo, SymbolKind, Visibility, Walk,
};

/// Maximum of names that one file exports.
const NAMES: usize = 200;
/// Maximum of files with such names.
const FILES: usize = 200;
/// Maximum of files that hand on one name.
const DEPTH: usize = 4;
/// Maximum length of a name, in bytes.
const NAME: usize = 100;
/// Maximum of statements that are followed: files that export one another have endless ways.
const STEPS: usize = 5_000;
/// Maximum length of a statement, in bytes.
const STATEMENT: usize = 8_000;

/// A name that a file exports of another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReExport {
    /// The name, as users import it.
    pub name: String,
    /// Kind of its definition, such as `struct`; empty if it is not in the code base.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// First paragraph of the documentation of its definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// Its definition; `None` if it is not in the code base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLines>,
    /// Line of the statement that exports it.
    pub line: usize,
    /// True if the statement names a package that is not in the code base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_external: bool,
}

/// Returns the names that the files of the product export of other files, by file.
pub(super) fn re_exports(
    code: &CodeBase,
    walk: &Walk,
    outlines: &[Arc<FileOutline>],
) -> BTreeMap<String, Vec<ReExport>> {
    let exporting = |outline: &&Arc<FileOutline>| {
        PathRole::of(&outline.path) == PathRole::Runtime
            && outline.imports.iter().any(|one| exports(outline, one))
    };
    let files: Vec<&Arc<FileOutline>> = outlines.iter().filter(exporting).take(FILES).collect();
    if files.is_empty() {
        return BTreeMap::new();
    }
    let resolver = ExportResolver {
        map: ImportMap::new(&**code.files(), walk),
        outlines: outlines.iter().map(|outline| (outline.path.as_str(), outline.as_ref())).collect(),
        steps: Cell::new(0),
    };
    let of_file = |outline: &&Arc<FileOutline>| {
        let names = resolver.names(outline, listed_names(code, outline).as_ref());
        (!names.is_empty()).then(|| (outline.path.clone(), names))
    };
    files.iter().filter_map(of_file).collect()
}

/// Returns the names in `__all__`; `None` without it.
fn listed_names(code: &CodeBase, outline: &FileOutline) -> Option<BTreeSet<String>> {
    if outline.language != Language::Python {
        return None;
    }
    let (_, text) = code.text(&outline.path).ok()?;
    let start =
        text.find("\n__all__").map(|at| at + 1).or_else(|| text.starts_with("__all__").then_some(0))?;
    let list = text[start..].split_once(['[', '('])?.1.split([']', ')']).next()?;
    Some(list.split(',').map(|name| name.trim().trim_matches(['"', '\'']).to_owned()).collect())
}

/// Returns true for a statement that exports what it names.
fn exports(outline: &FileOutline, import: &Import) -> bool {
    if import.text.len() > STATEMENT {
        return false;
    }
    match outline.language {
        Language::Rust => import.text.starts_with("pub use "),
        Language::JavaScript | Language::TypeScript | Language::Tsx => import.text.starts_with("export "),
        Language::Python => outline.path.ends_with("__init__.py") && import.text.starts_with("from "),
        _ => false,
    }
}

/// The files of a code base, to find the definitions behind exports.
struct ExportResolver<'a> {
    map: ImportMap,
    outlines: BTreeMap<&'a str, &'a FileOutline>,
    /// Statements that were followed.
    steps: Cell<usize>,
}

impl<'a> ExportResolver<'a> {
    /// Returns the names that a file exports of others. `listed` are those that it allows.
    fn names(&self, outline: &FileOutline, listed: Option<&BTreeSet<String>>) -> Vec<ReExport> {
        let mut found: Vec<ReExport> = Vec::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for import in outline.imports.iter().filter(|import| exports(outline, import)) {
            let mut external = None;
            for (name, symbol) in self.names_of(outline, import, DEPTH) {
                let is_hidden = name.starts_with('_') || listed.is_some_and(|listed| !listed.contains(&name));
                if is_hidden || found.len() >= NAMES || name.len() > NAME || !seen.insert(name.clone()) {
                    continue;
                }
                let is_external = symbol.is_none()
                    && *external.get_or_insert_with(|| self.is_of_other_package(outline, import));
                let (at, symbol) = symbol.unzip();
                let documentation = symbol.and_then(|symbol| symbol.docstring.clone());
                let kind = symbol.map(|symbol| symbol.kind.to_string()).unwrap_or_default();
                found.push(ReExport { name, kind, documentation, at, line: import.line, is_external });
            }
        }
        found
    }

    /// Returns true for a statement that names a package which is not in the code base.
    fn is_of_other_package(&self, outline: &FileOutline, import: &Import) -> bool {
        let is_relative = |target: &String| {
            target.starts_with('.') || ["crate", "self", "super"].iter().any(|word| target.starts_with(word))
        };
        !import.targets.iter().any(is_relative) && self.map.import(outline, import).is_empty()
    }

    /// Returns the names of one statement, each with its definition.
    fn names_of(
        &self,
        outline: &FileOutline,
        import: &Import,
        depth: usize,
    ) -> Vec<(String, Option<(SourceLines, &'a SymbolInfo)>)> {
        let mut found = Vec::new();
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > STEPS {
            return found;
        }
        for (name, shown, target) in written_names(outline.language, import) {
            let one = Import { line: import.line, text: String::new(), targets: vec![target] };
            let files = self.map.import(outline, &one);
            let known: Vec<&'a FileOutline> =
                files.iter().filter_map(|path| self.outlines.get(path.as_str()).copied()).collect();
            let Some(name) = name else {
                known.iter().for_each(|file| self.add_all(file, depth, &mut found));
                continue;
            };
            let definition = known.iter().find_map(|file| self.definition(file, &name, depth));
            // Python imports names of other packages for its own use.
            if definition.is_some() || outline.language != Language::Python {
                found.push((shown, definition));
            }
            if found.len() >= NAMES {
                break;
            }
        }
        found
    }

    /// Adds all public names of a file, and those that it exports of others.
    fn add_all(
        &self,
        file: &'a FileOutline,
        depth: usize,
        found: &mut Vec<(String, Option<(SourceLines, &'a SymbolInfo)>)>,
    ) {
        let is_named = |symbol: &&SymbolInfo| {
            symbol.visibility == Visibility::Public && symbol.kind != SymbolKind::Impl && !symbol.is_test()
        };
        for symbol in file.symbols.iter().filter(is_named).take(NAMES) {
            found.push((symbol.name.clone(), Some((place(file, symbol), symbol))));
        }
        for import in file.imports.iter().filter(|import| depth > 0 && exports(file, import)) {
            if found.len() >= NAMES {
                return;
            }
            found.extend(self.names_of(file, import, depth - 1));
        }
    }

    /// Returns the definition of a name in a file, or behind one of its exports.
    fn definition(
        &self,
        file: &'a FileOutline,
        name: &str,
        depth: usize,
    ) -> Option<(SourceLines, &'a SymbolInfo)> {
        let is_meant = |symbol: &&SymbolInfo| match name {
            "default" => symbol.signature.starts_with("export default "),
            name => symbol.name == name && symbol.kind != SymbolKind::Impl,
        };
        let own = file.symbols.iter().find(is_meant);
        if let Some(symbol) = own {
            return Some((place(file, symbol), symbol));
        }
        // A name of a statement is looked up before the statements with all names, of which there are few.
        let mut statements = file.imports.iter().filter(|import| depth > 0 && exports(file, import));
        statements.find_map(|import| {
            let mut names = self.names_of(file, import, depth.checked_sub(2)?).into_iter();
            names.find(|(known, _)| known == name).and_then(|(_, definition)| definition)
        })
    }
}

fn place(file: &FileOutline, symbol: &SymbolInfo) -> SourceLines {
    SourceLines { path: file.path.clone(), start: symbol.line, end: symbol.line_end }
}

/// Returns the names of a statement: as defined, `None` for all; as exported; with the module that has them.
fn written_names(language: Language, import: &Import) -> Vec<(Option<String>, String, String)> {
    let aliases = aliases(&import.text);
    let shown = |name: &str| aliases.get(name).map_or(name, String::as_str).to_owned();
    if matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx) {
        let Some(target) = import.targets.first() else { return Vec::new() };
        let Some((_, list)) = import.text.split_once('{') else {
            // `export * as shop` makes one name of all.
            let whole = aliases.get("*").map(|name| (Some(String::from("*")), name.clone(), target.clone()));
            return vec![whole.unwrap_or_else(|| (None, String::new(), target.clone()))];
        };
        let names = list.split('}').next().unwrap_or_default().split(',').filter_map(|name| {
            let name = name.trim();
            let name = name.strip_prefix("type ").unwrap_or(name).split(" as ").next()?.trim();
            (!name.is_empty()).then(|| (Some(name.to_owned()), shown(name), target.clone()))
        });
        return names.collect();
    }
    let has_all = import.text.contains('*');
    let one = |target: &String| {
        let name = target.rsplit(['.', ':']).next().unwrap_or(target);
        // The targets of Rust have lost their `::*`; a module is written in small letters.
        let is_all = has_all
            && (name == "*" || import.text.contains(&format!("{name}::*")) || language == Language::Python);
        let shown_name = shown(name);
        (Some(name.to_owned()).filter(|_| !is_all), shown_name, target.clone())
    };
    import.targets.iter().map(one).collect()
}

/// Returns the names behind `as`, by the names before it.
fn aliases(text: &str) -> BTreeMap<String, String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '*');
    let words: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
    let triples = words.windows(3).filter(|triple| triple[1] == "as");
    triples.map(|triple| (triple[0].to_owned(), triple[2].to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{MemoryFiles, WalkLimits};

    fn shown(files: &[(&str, &str)]) -> Vec<String> {
        let code = CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied())));
        let walk = code.files().walk(WalkLimits::default());
        let found = re_exports(&code, &walk, &code.outlines(&walk));
        let show = |(path, names): (String, Vec<ReExport>)| {
            names.into_iter().map(move |one| {
                let at = one.at.map(|at| at.to_string()).unwrap_or_default();
                format!("{path}:{} {} {at}", one.line, one.name)
            })
        };
        found.into_iter().flat_map(show).collect()
    }

    #[test]
    fn names_of_other_files_are_exported_in_three_languages() {
        let rust = [
            ("Cargo.toml", "[package]\nname = \"pads\"\nversion = \"0.1.0\"\n"),
            (
                "src/lib.rs",
                "mod pad;\nmod all;\npub use pad::{Pad, Size as PadSize};\npub use all::*;\nuse pad::Own;\n",
            ),
            ("src/pad.rs", "pub struct Pad;\npub struct Size;\npub struct Own;\n"),
            ("src/all.rs", "pub fn trim() {}\nfn hidden() {}\n"),
        ];
        let expected = [
            "src/lib.rs:3 Pad src/pad.rs:1",
            "src/lib.rs:3 PadSize src/pad.rs:2",
            "src/lib.rs:4 trim src/all.rs:1",
        ];
        assert_eq!(shown(&rust), expected);
        let script = [
            (
                "src/index.ts",
                "export * from \"./pad.ts\";\nexport { trim as cut } from './trim.ts';\nexport { default as Box } from './box.ts';\n",
            ),
            ("src/pad.ts", "export class Pad {}\nclass Own {}\nexport * from './trim.ts';\n"),
            ("src/trim.ts", "export function trim() {}\n"),
            ("src/box.ts", "export default class Crate {}\n"),
        ];
        let found = shown(&script);
        for line in [
            "src/index.ts:1 Pad src/pad.ts:1",
            "src/index.ts:1 trim src/trim.ts:1",
            "src/index.ts:2 cut src/trim.ts:1",
            "src/index.ts:3 Box src/box.ts:1",
        ] {
            assert!(found.iter().any(|known| known == line), "{found:?}");
        }
        let python = [
            (
                "pads/__init__.py",
                "import os\nfrom typing import Any\nfrom .pad import Pad as Pad\nfrom .pad import _own, Other\n__all__ = ['Pad']\n",
            ),
            ("pads/pad.py", "class Pad: pass\nclass Other: pass\ndef _own(): pass\n"),
        ];
        assert_eq!(shown(&python), ["pads/__init__.py:3 Pad pads/pad.py:1"]);
    }

    #[test]
    fn files_that_export_one_another_end() {
        let files = [
            ("a.ts", "export * from './b.ts';\nexport { x } from './b.ts';\n"),
            ("b.ts", "export * from './a.ts';\nexport { x } from './a.ts';\n"),
        ];
        assert!(shown(&files).len() < 10);
    }
}
