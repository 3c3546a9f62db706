//! Names that a file exports of other files: `pub use`, `export … from`, and the imports of `__init__.py`. They are the public interface of a
//! library whose entry defines little.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::behaviour::{CrateExports, without_comments};
use super::use_names::{StatementName, python_names, rust_names, script_names};
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
/// Maximum of statements and definitions that are looked at: files that export one another have endless ways.
const STEPS: usize = 50_000;
/// Number of symbols of a file that count as one step.
const SYMBOLS: usize = 64;
/// Maximum length of a statement, in bytes.
const STATEMENT: usize = 8_000;

/// Name that a file exports from another file or package, such as `pub use shelf::Shelf`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReExport {
    /// The name, as users import it; `serde::*` for all names of a module that cannot be listed.
    pub name: String,
    /// Kind of its definition, such as `struct`; empty if it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// First paragraph of the documentation of its definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// Its definition; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLines>,
    /// Line of the statement that exports it.
    pub line: usize,
    /// True if the statement names a package that is not in the code base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_external: bool,
}

/// Returns the names that files of the product export from other files, by file; at most [`FILES`] files.
/// Files that other crates cannot reach are left out.
pub(super) fn re_exports(
    code: &CodeBase,
    walk: &Walk,
    outlines: &[Arc<FileOutline>],
    crates: &CrateExports<'_>,
) -> BTreeMap<String, Vec<ReExport>> {
    let exporting = |outline: &&Arc<FileOutline>| {
        PathRole::of(&outline.path) == PathRole::Runtime
            && outline.imports.iter().any(|one| exports(outline, one))
            && !(outline.language == Language::Rust && crates.is_hidden(outline))
    };
    let files: Vec<&Arc<FileOutline>> = outlines.iter().filter(exporting).take(FILES).collect();
    if files.is_empty() {
        return BTreeMap::new();
    }
    let resolver = ExportResolver {
        map: ImportMap::new(&**code.files(), walk),
        outlines: outlines.iter().map(|outline| (outline.path.as_str(), outline.as_ref())).collect(),
        statements: whole_statements(code, outlines),
        steps: Cell::new(0),
    };
    let of_file = |outline: &&Arc<FileOutline>| {
        let names = resolver.names(outline, listed_names(code, outline).as_ref());
        (!names.is_empty()).then(|| (outline.path.clone(), names))
    };
    files.iter().filter_map(of_file).collect()
}

/// Returns the names in the `__all__` of a Python file; `None` without it, or if the list is computed.
fn listed_names(code: &CodeBase, outline: &FileOutline) -> Option<BTreeSet<String>> {
    if outline.language != Language::Python {
        return None;
    }
    let (_, text) = code.text(&outline.path).ok()?;
    let text = without_comments(Language::Python, &text);
    let mut all = text.match_indices("__all__").filter(|(at, _)| *at == 0 || text[..*at].ends_with('\n'));
    // Several statements compute the list.
    let (Some((at, word)), None) = (all.next(), all.next()) else { return None };
    // `__all__: list[str] = […]`
    let (_, value) = text[at + word.len()..].split_once('=')?;
    let value = value.trim_start();
    let (inside, rest) = value.strip_prefix(['[', '('])?.split_once([']', ')'])?;
    let rest = rest.split('\n').next().unwrap_or_default().trim();
    let is_name = |name: &&str| !name.is_empty();
    let names = inside.split(',').map(str::trim).filter(is_name);
    let literal = |name: &str| {
        ['"', '\''].iter().find_map(|mark| name.strip_prefix(*mark)?.strip_suffix(*mark)).map(str::to_owned)
    };
    rest.is_empty().then(|| names.map(literal).collect::<Option<_>>())?
}

/// Returns true if an import statement also exports its names (`pub use`, `export … from`, an import of
/// `__init__.py`), and is in no function, class or private module.
fn exports(outline: &FileOutline, import: &Import) -> bool {
    let is_export = match outline.language {
        Language::Rust => import.text.starts_with("pub use "),
        Language::JavaScript | Language::TypeScript | Language::Tsx => import.text.starts_with("export "),
        Language::Python => outline.path.ends_with("__init__.py") && import.text.starts_with("from "),
        _ => false,
    };
    let is_around = |symbol: &SymbolInfo| {
        let is_closed = symbol.kind.is_callable()
            || symbol.kind == SymbolKind::Class
            || symbol.kind == SymbolKind::Module && symbol.visibility != Visibility::Public;
        is_closed && symbol.line < import.line && import.line <= symbol.line_end
    };
    is_export && !outline.walk().any(|(_, symbol)| is_around(symbol))
}

/// Returns the complete text of export statements that the outlines shorten or that have comments, by file
/// and line. Empty if a statement does not end within [`STATEMENT`] bytes.
fn whole_statements<'a>(
    code: &CodeBase,
    outlines: &'a [Arc<FileOutline>],
) -> BTreeMap<(&'a str, usize), String> {
    let mut found = BTreeMap::new();
    for outline in outlines {
        let is_partial = |import: &&Import| {
            ["\u{2026}", "//", "/*", "#"].iter().any(|mark| import.text.contains(mark))
                && exports(outline, import)
        };
        let partial: Vec<&Import> = outline.imports.iter().filter(is_partial).take(NAMES).collect();
        if partial.is_empty() {
            continue;
        }
        let Ok((_, text)) = code.text(&outline.path) else { continue };
        let text = without_comments(outline.language, &text);
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        for import in partial {
            let line = starts.get(import.line.saturating_sub(1)).and_then(|at| text.get(*at..));
            let statement = line.and_then(|rest| {
                let word = import.text.split(' ').next().unwrap_or_default();
                let rest = &rest[rest.find(word)?..];
                let rest = &rest[..rest.floor_char_boundary(STATEMENT)];
                Some(rest[..end_of_statement(outline.language, rest)?].to_owned())
            });
            found.insert((outline.path.as_str(), import.line), statement.unwrap_or_default());
        }
    }
    found
}

/// Returns the byte position behind the statement at the beginning of a text; `None` if its end is missing.
fn end_of_statement(language: Language, text: &str) -> Option<usize> {
    match language {
        Language::Rust => text.find(';'),
        Language::Python => {
            let line = text.find('\n').unwrap_or(text.len());
            if text[..line].contains('(') { text.find(')') } else { Some(line) }
        }
        _ => {
            let line = text.find('\n').unwrap_or(text.len());
            if text[..line].contains('{') { text.find('}').map(|at| at + 1) } else { Some(line) }
        }
    }
}

/// Outlines and imports of a code base, in which the definitions of exported names are looked up.
struct ExportResolver<'a> {
    map: ImportMap,
    outlines: BTreeMap<&'a str, &'a FileOutline>,
    /// Statements that the outlines do not have whole.
    statements: BTreeMap<(&'a str, usize), String>,
    /// Statements and definitions that were looked at.
    steps: Cell<usize>,
}

impl<'a> ExportResolver<'a> {
    /// Returns the names that a file exports from others, with their definitions, each once. Names that begin
    /// with `_`, or that are not in `listed` (if given), are left out.
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

    /// Returns true if the statement imports from a package that is not in the code base.
    fn is_of_other_package(&self, outline: &FileOutline, import: &Import) -> bool {
        let is_relative = |target: &String| {
            target.starts_with('.') || ["crate", "self", "super"].iter().any(|word| target.starts_with(word))
        };
        !import.targets.iter().any(is_relative) && self.map.import(outline, import).is_empty()
    }

    /// Returns the names that one statement exports, each with its definition if found. `depth` limits how
    /// many files are followed.
    fn names_of(
        &self,
        outline: &FileOutline,
        import: &Import,
        depth: usize,
    ) -> Vec<(String, Option<(SourceLines, &'a SymbolInfo)>)> {
        let mut found = Vec::new();
        if self.is_exhausted(1) {
            return found;
        }
        for StatementName { name, shown, target } in self.written_names(outline, import) {
            let one = Import { line: import.line, text: String::new(), targets: vec![target.clone()] };
            let files = self.map.import(outline, &one);
            let known: Vec<&'a FileOutline> =
                files.iter().filter_map(|path| self.outlines.get(path.as_str()).copied()).collect();
            let Some(name) = name else {
                let before = found.len();
                known.iter().for_each(|file| self.add_all_of(file, &target, depth, &mut found));
                // Of a module that is not in the code base only the statement is known.
                if found.len() == before && !shown.is_empty() {
                    found.push((shown, None));
                }
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

    /// Adds to the number of lookup steps. Returns true if it exceeds [`STEPS`], so that the search must
    /// stop.
    fn is_exhausted(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_add(steps));
        self.steps.get() > STEPS
    }

    /// Returns the names as written in a statement; none for a statement that is too long.
    fn written_names(&self, outline: &FileOutline, import: &Import) -> Vec<StatementName> {
        let whole = self.statements.get(&(outline.path.as_str(), import.line));
        let text = whole.unwrap_or(&import.text);
        if text.len() > STATEMENT {
            return Vec::new();
        }
        match outline.language {
            Language::Rust => rust_names(text),
            Language::Python => python_names(text),
            _ => import.targets.first().map(|target| script_names(text, target)).unwrap_or_default(),
        }
    }

    /// Adds to `found` the names that `target::*` exports: the members of an inline module, or the variants
    /// of an enum, called so in the file; else all names of the file.
    fn add_all_of(
        &self,
        file: &'a FileOutline,
        target: &str,
        depth: usize,
        found: &mut Vec<(String, Option<(SourceLines, &'a SymbolInfo)>)>,
    ) {
        let last = target.rsplit("::").next().unwrap_or(target);
        let is_inner = |symbol: &&SymbolInfo| {
            symbol.name == last && symbol.kind != SymbolKind::Impl && !symbol.children.is_empty()
        };
        let inner = file.symbols.iter().find(is_inner).filter(|_| file.language == Language::Rust);
        let Some(inner) = inner else { return self.add_all(file, depth, found) };
        let is_module = inner.kind == SymbolKind::Module;
        let children = inner.children.iter().filter(|symbol| {
            symbol.visibility == Visibility::Public && (is_module || symbol.kind == SymbolKind::Variant)
        });
        found.extend(
            children.take(NAMES).map(|symbol| (symbol.name.clone(), Some((place(file, symbol), symbol)))),
        );
    }

    /// Adds to `found` all public names that a file defines, and those that it exports from others.
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

    /// Returns the definition of a name in a file, or in the files from which it exports the name.
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
        if self.is_exhausted(1 + file.symbols.len() / SYMBOLS) {
            return None;
        }
        let own = file.symbols.iter().find(is_meant);
        if let Some(symbol) = own {
            return Some((place(file, symbol), symbol));
        }
        // Each statement takes two of the depth, because its names are looked up in turn.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{MemoryFiles, WalkLimits};

    fn shown(files: &[(&str, &str)]) -> Vec<String> {
        let code = CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied())));
        let walk = code.files().walk(WalkLimits::default());
        let outlines = code.outlines(&walk);
        let crates = CrateExports::of(&outlines, |path| code.text(path).ok().map(|(_, text)| text));
        let found = re_exports(&code, &walk, &outlines, &crates);
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
    fn only_statements_that_other_packages_see_export() {
        let rust = [
            ("Cargo.toml", "[package]\nname = \"pads\"\nversion = \"0.1.0\"\n"),
            (
                "src/lib.rs",
                "mod imp;\npub mod open;\nmod own {\n    pub use crate::imp::A;\n}\nfn f() {\n    pub use crate::imp::A;\n}\n",
            ),
            ("src/imp.rs", "pub struct A;\npub use crate::open::B;\n"),
            ("src/open.rs", "pub struct B;\npub use crate::imp::A;\n"),
        ];
        assert_eq!(shown(&rust), ["src/open.rs:2 A src/imp.rs:1"]);
        let python = [
            ("pads/__init__.py", "def __getattr__(name):\n    from .pad import Pad\n    return Pad\n"),
            ("pads/pad.py", "class Pad: pass\n"),
        ];
        assert_eq!(shown(&python), [] as [&str; 0]);
        let typed = [
            (
                "pads/__init__.py",
                "from .pad import Pad, Other\n__all__: list[str] = [\n    # 'Other',\n    'Pad',  # first\n]\n",
            ),
            ("pads/pad.py", "class Pad: pass\nclass Other: pass\n"),
        ];
        assert_eq!(shown(&typed), ["pads/__init__.py:1 Pad pads/pad.py:1"]);
    }

    #[test]
    fn all_names_of_a_module_are_listed_or_the_statement_stands_for_them() {
        let rust = [
            ("Cargo.toml", "[package]\nname = \"pads\"\nversion = \"0.1.0\"\n"),
            (
                "src/lib.rs",
                "mod pad;\npub use pad::{Pad as Box, shelf::*, Color::*};\npub use serde::*;\npub use serde::{de, ser::*};\n",
            ),
            ("src/pad.rs", "pub mod shelf;\npub struct Pad;\npub enum Color { Red }\n"),
            ("src/pad/shelf.rs", "pub fn put() {}\n"),
        ];
        let expected = [
            "src/lib.rs:2 Box src/pad.rs:2",
            "src/lib.rs:2 put src/pad/shelf.rs:1",
            "src/lib.rs:2 Red src/pad.rs:3",
            "src/lib.rs:3 serde::* ",
            "src/lib.rs:4 de ",
            "src/lib.rs:4 ser::* ",
        ];
        assert_eq!(shown(&rust), expected.map(|line| line.replace(" ser::*", " serde::ser::*")));
        let script = [("src/index.ts", "export * from 'left';\n"), ("src/pad.ts", "export class Pad {}\n")];
        assert_eq!(shown(&script), ["src/index.ts:1 * from left "]);
    }

    #[test]
    fn a_long_statement_and_one_with_comments_are_read_whole() {
        let names: Vec<String> = (0..90).map(|at| format!("Name{at}")).collect();
        let lib = format!("mod pad;\npub use pad::{{\n    {}, // all\n}};\n", names.join(",\n    "));
        let pad: String =
            names.iter().map(|name| format!("pub struct {name};\n")).collect::<Vec<_>>().concat();
        let files = [
            ("Cargo.toml", "[package]\nname = \"pads\"\nversion = \"0.1.0\"\n"),
            ("src/lib.rs", lib.as_str()),
            ("src/pad.rs", pad.as_str()),
        ];
        let found = shown(&files);
        assert_eq!((found.len(), found[89].as_str()), (90, "src/lib.rs:2 Name89 src/pad.rs:90"));
        let script = [
            (
                "src/index.ts",
                "export {\n  // first\n  Pad,\n  Other /* second */ as Box,\n} from './pad.ts';\n",
            ),
            ("src/pad.ts", "export class Pad {}\nexport class Other {}\n"),
        ];
        assert_eq!(shown(&script), ["src/index.ts:1 Pad src/pad.ts:1", "src/index.ts:1 Box src/pad.ts:2"]);
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
