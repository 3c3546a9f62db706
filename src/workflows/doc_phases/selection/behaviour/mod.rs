//! The behaviour of definitions: the rest of their documentation, the values of their tables and fields, the failures of their functions, and
//! their variants by condition. Reads the text of one file at a time; nothing is executed or inferred.
//!
//! Reading order: this file (the data, and the walk over the definitions), `words` (documentation), `mask` (code without strings and comments),
//! `failures`, `tables`, `exports` (public definitions that a crate keeps to itself).

mod exports;
mod failures;
mod mask;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub(super) use self::exports::CrateExports;
use self::mask::MaskedText;
use crate::facts::SourceLines;
use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind};

/// Maximum of definitions of one file.
const DEFINITIONS: usize = 400;
/// Maximum length of a signature, in characters.
const SIGNATURE: usize = 240;

/// Behaviour of one definition, as its lines tell it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefinitionBehaviour {
    /// Paragraphs and items of the documentation behind its first sentence; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documentation: Vec<String>,
    /// Entries of a literal table, in the order of the text; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<LiteralEntry>,
    /// Number of entries beyond the bound.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_entries: usize,
    /// Literal values of the fields of a new value, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, LiteralEntry>,
    /// Places where a function raises an error or ends the program; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<WrittenFailure>,
    /// True for a public definition in a private module that nothing re-exports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_internal: bool,
    /// Definitions of a name with several: overloads of a type, and those that a condition of the build chooses from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<DefinitionVariant>,
}

/// An entry of a literal table, or the value of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiteralEntry {
    /// The key, or the item of a list, as written.
    pub key: String,
    /// The value as written; `None` for an item of a list, and for a value that is too long to quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Line of the entry, from 1.
    pub line: usize,
}

/// A statement that raises an error or ends the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenFailure {
    /// Line of the statement, from 1.
    pub line: usize,
    /// The statement as written, on one line.
    pub statement: String,
    /// The head of the innermost branch around it as written, such as `if x:` or `except KeyError:`; `None` if it is in no branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// One of several definitions of a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefinitionVariant {
    /// The condition as written: the content of `#[cfg(…)]`; empty for an overload.
    pub condition: String,
    /// Signature of this definition.
    pub signature: String,
    /// Lines of this definition.
    pub lines: SourceLines,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl DefinitionBehaviour {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Returns the behaviour of the definitions of a file, by qualified name. Definitions of tests are left out. `internal` are the public names
/// that other packages cannot use.
pub(super) fn of_file(
    outline: &FileOutline,
    text: &str,
    internal: BTreeSet<String>,
) -> BTreeMap<String, DefinitionBehaviour> {
    let masked = MaskedText::of(outline.language, text);
    let mut file = FileReader { outline, text, masked, found: BTreeMap::new() };
    file.read_all(None, &outline.symbols);
    let mut found = file.found;
    for name in internal {
        found.entry(name).or_default().is_internal = true;
    }
    for behaviour in found.values_mut() {
        if behaviour.variants.len() < 2 {
            behaviour.variants.clear();
        } else if behaviour.variants.iter().any(|variant| !variant.condition.is_empty()) {
            // The documentation of one variant says nothing of the others.
            behaviour.documentation.clear();
        }
    }
    found.retain(|_, behaviour| !behaviour.is_empty());
    found
}

/// The definitions of one file while they are read.
struct FileReader<'a> {
    outline: &'a FileOutline,
    text: &'a str,
    masked: MaskedText,
    found: BTreeMap<String, DefinitionBehaviour>,
}

impl FileReader<'_> {
    fn read_all(&mut self, around: Option<&str>, symbols: &[SymbolInfo]) {
        for symbol in symbols.iter().filter(|symbol| !is_test(symbol)) {
            if self.found.len() >= DEFINITIONS {
                return;
            }
            let owner = around.or_else(|| symbol.receiver()).map(str::to_owned);
            if matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
                self.read_all(around, &symbol.children);
                continue;
            }
            if symbol.kind == SymbolKind::Impl {
                let of = symbol.name.split(['<', ' ']).next().map(str::to_owned);
                self.read_all(of.as_deref(), &symbol.children);
                continue;
            }
            self.read(owner.as_deref(), symbol);
            if symbol.kind.is_type() {
                self.read_all(Some(&symbol.name), &symbol.children);
            }
        }
        if around.is_none() {
            self.read_variants(symbols);
        }
    }

    fn read(&mut self, owner: Option<&str>, symbol: &SymbolInfo) {
        let name = owner.map_or_else(|| symbol.name.clone(), |owner| format!("{owner}.{}", symbol.name));
        let said = symbol.documentation(self.outline.language, self.text);
        let documentation = said.map(|said| words::behind_first_sentence(&said)).unwrap_or_default();
        let mut behaviour = DefinitionBehaviour { documentation, ..DefinitionBehaviour::default() };
        if symbol.kind.is_callable() {
            behaviour.failures = failures::of_function(self.outline.language, symbol, &self.masked);
            self.read_defaults(owner, symbol);
            if matches!(self.outline.language, Language::JavaScript | Language::TypeScript | Language::Tsx) {
                behaviour.entries = tables::completed_options(symbol, &self.masked);
            }
        } else if symbol.kind.is_value() && symbol.line_end > symbol.line && !symbol.name.starts_with("__") {
            (behaviour.entries, behaviour.more_entries) = tables::entries(symbol, &self.masked);
        }
        let known = self.found.entry(name).or_default();
        if owner.is_some() && symbol.kind.is_callable() {
            let lines =
                SourceLines { path: self.outline.path.clone(), start: symbol.line, end: symbol.line_end };
            let signature = symbol.signature.chars().take(SIGNATURE).collect();
            known.variants.push(DefinitionVariant { condition: String::new(), signature, lines });
        }
        // Of several definitions of one name the first is documented.
        if known.documentation.is_empty() {
            known.documentation = behaviour.documentation;
        }
        known.failures.extend(behaviour.failures);
        if known.entries.is_empty() {
            (known.entries, known.more_entries) = (behaviour.entries, behaviour.more_entries);
        }
    }

    /// Reads the literals that a constructor gives to the fields of a new value.
    fn read_defaults(&mut self, owner: Option<&str>, function: &SymbolInfo) {
        let is_type =
            |name: &str| self.outline.symbols.iter().any(|one| one.kind.is_type() && one.name == name);
        let Some((of, values)) =
            tables::defaults(self.outline.language, owner, function, &self.masked, &is_type)
        else {
            return;
        };
        if values.is_empty() || !is_type(&of) {
            return;
        }
        let known = self.found.entry(of).or_default();
        // `default` decides; other constructors fill in only where there is none.
        if known.defaults.is_empty() || function.name.eq_ignore_ascii_case("default") {
            known.defaults = values;
        }
    }

    /// Reads names with several definitions, each under a condition of the build.
    fn read_variants(&mut self, symbols: &[SymbolInfo]) {
        let mut groups: BTreeMap<&str, Vec<&SymbolInfo>> = BTreeMap::new();
        let own = symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Impl && !is_test(symbol));
        own.for_each(|symbol| groups.entry(&symbol.name).or_default().push(symbol));
        for (name, group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
            let variants: Vec<DefinitionVariant> =
                group.iter().filter_map(|symbol| variant(&self.outline.path, symbol)).collect();
            if variants.len() == group.len() {
                self.found.entry(name.to_owned()).or_default().variants = variants;
            }
        }
    }
}

fn variant(path: &str, symbol: &SymbolInfo) -> Option<DefinitionVariant> {
    let conditions = symbol.decorators.iter().filter_map(|one| {
        let inside =
            one.trim().strip_prefix("#[cfg(")?.trim_end().strip_suffix("]")?.trim_end().strip_suffix(')')?;
        Some(inside.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    let condition = conditions.collect::<Vec<_>>().join(", ");
    let lines = SourceLines { path: path.to_owned(), start: symbol.line, end: symbol.line_end };
    let signature = symbol.signature.chars().take(SIGNATURE).collect();
    (!condition.is_empty()).then_some(DefinitionVariant { condition, signature, lines })
}

/// Returns true for a definition that is there for tests alone.
pub(super) fn is_test(symbol: &SymbolInfo) -> bool {
    let says_test = |said: &String| {
        said.contains("cfg(test)") || said.contains("cfg(all(test") || said.trim_end().ends_with("test]")
    };
    symbol.decorators.iter().any(says_test) || symbol.kind.is_callable() && symbol.name.starts_with("test_")
}

/// Returns true for languages whose blocks are made by indentation.
fn is_indented(language: Language) -> bool {
    language == Language::Python
}
