//! The behaviour of definitions: the rest of their documentation, the values of their tables and fields, the failures of their functions, and
//! their variants by condition. Reads the text of one file at a time; nothing is executed or inferred.
//!
//! Reading order: this file (the data, and the walk over the definitions), `words` and `examples` (documentation), `mask` (code without strings and comments),
//! `heads`, `open_heads`, `branches`, `failures`, `passed_on`, `literals`, `tables`, `defaults`, `exports` (public definitions that a crate keeps to itself).

mod branches;
mod defaults;
mod examples;
mod exports;
mod failures;
mod heads;
mod literals;
mod mask;
mod open_heads;
mod passed_on;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use self::branches::{FileBranches, FurtherCall};
pub(super) use self::exports::CrateExports;
pub use self::heads::BranchLabel;
use self::mask::MaskedText;
use super::group_comments::{is_group_comment, without_code};
use crate::facts::SourceLines;
use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind, Visibility};

/// Maximum of definitions of one file that are read.
const DEFINITIONS: usize = 400;
/// Maximum length of a signature, in characters.
const SIGNATURE: usize = 240;

/// Behaviour of one definition as its source text states it: documentation, table entries, default values,
/// failures and rules. Nothing is inferred; the documents quote it with its lines.
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
    /// Calls whose errors a public function hands to its caller, each with its line; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_on: Vec<LiteralEntry>,
    /// True if there are failures or calls of `passed_on` beyond the bounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_more_failures: bool,
    /// The first example in the documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<DocumentedExample>,
    /// True for a public definition in a private module that nothing re-exports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_internal: bool,
    /// Definitions of a name with several: overloads of a type, and those that a condition of the build chooses from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<DefinitionVariant>,
}

/// Entry of a literal table, value of a field, or name of a call, as written, with its line.
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

/// First example in the documentation of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentedExample {
    /// The code as written, without the lines that readers are not shown.
    pub code: String,
    /// First and last line of the documentation around it, from 1.
    pub lines: (usize, usize),
}

/// Statement of a function that raises an error or ends the program, with the branch around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenFailure {
    /// Line of the statement, from 1.
    pub line: usize,
    /// The statement as written, on one line.
    pub statement: String,
    /// The head of the innermost branch around it as written, such as `if x:` or `except KeyError:`; `None` if it is in no branch, or in one
    /// that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The named function inside the function that has the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
}

/// One of several definitions of a name: an overload, or one for a build condition (`#[cfg(…)]`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefinitionVariant {
    /// The condition as written: the content of `#[cfg(…)]`; empty for an overload.
    pub condition: String,
    /// Kind of this definition, such as `struct`; empty in selections of earlier versions.
    #[serde(default)]
    pub kind: String,
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

/// Returns the behaviour of the definitions of a file, by qualified name (`Shelf.add`), without tests and
/// definitions that have none. `internal` are public names that other packages cannot use; they are marked as
/// such.
pub(super) fn of_file(
    outline: &FileOutline,
    text: &str,
    internal: BTreeSet<String>,
) -> BTreeMap<String, DefinitionBehaviour> {
    let mut file = FileReader::of(outline, text);
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

/// Reader of one file: collects the behaviour of its definitions, at most [`DEFINITIONS`].
struct FileReader<'a> {
    outline: &'a FileOutline,
    text: &'a str,
    masked: MaskedText,
    /// Types of the file.
    types: BTreeSet<&'a str>,
    /// Names that were read.
    names: BTreeSet<String>,
    /// Number of definitions that were read.
    read: usize,
    /// Fields to which two constructors give different values.
    differing: BTreeSet<(String, String)>,
    found: BTreeMap<String, DefinitionBehaviour>,
}

impl<'a> FileReader<'a> {
    fn of(outline: &'a FileOutline, text: &'a str) -> Self {
        let types = outline.symbols.iter().filter(|one| one.kind.is_type() && one.kind != SymbolKind::Impl);
        Self {
            outline,
            text,
            masked: MaskedText::of(outline.language, text),
            types: types.map(|one| one.name.as_str()).collect(),
            names: BTreeSet::new(),
            read: 0,
            differing: BTreeSet::new(),
            found: BTreeMap::new(),
        }
    }

    fn read_all(&mut self, around: Option<&str>, symbols: &[SymbolInfo]) {
        let is_told = |symbol: &SymbolInfo| !symbol.is_test() && !is_overload_stub(symbol);
        for (at, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| is_told(symbol)) {
            if self.read >= DEFINITIONS {
                return;
            }
            match symbol.kind {
                SymbolKind::Module | SymbolKind::Namespace => self.read_all(around, &symbol.children),
                SymbolKind::Impl => self.read_all(Some(symbol.implementing_type()), &symbol.children),
                kind => {
                    let before = at.checked_sub(1).map(|before| &symbols[before]);
                    let is_of_group =
                        is_group_comment(self.outline.language, before, symbol, symbols.get(at + 1));
                    self.read(around.or_else(|| symbol.receiver()), symbol, is_of_group);
                    if kind.is_type() {
                        self.read_all(Some(&symbol.name), &symbol.children);
                    }
                }
            }
        }
        if around.is_none() {
            self.read_variants(symbols);
        }
    }

    fn read(&mut self, owner: Option<&str>, symbol: &SymbolInfo, has_comment_of_group: bool) {
        self.read += 1;
        let language = self.outline.language;
        let name = owner.map_or_else(|| symbol.name.clone(), |owner| format!("{owner}.{}", symbol.name));
        if symbol.kind.is_callable() {
            self.read_defaults(owner, symbol);
        }
        let is_first = self.names.insert(name.clone());
        let known = self.found.entry(name).or_default();
        if symbol.kind.is_callable() {
            let (mut failures, is_cut) = failures::of_function(language, symbol, &self.masked);
            known.has_more_failures |= is_cut;
            // Another definition of the name may stand under another condition of the build.
            let condition = condition(symbol);
            if !condition.is_empty() {
                let unconditional = failures.iter_mut().filter(|failure| failure.branch.is_none());
                unconditional.for_each(|failure| failure.branch = Some(format!("#[cfg({condition})]")));
            }
            known.failures.extend(failures);
            let may_fail = language != Language::Rust || passed_on::returns_result(&symbol.signature);
            if may_fail && (symbol.visibility == Visibility::Public || symbol.name == "main") {
                let (calls, is_cut) = passed_on::of_function(language, symbol, &self.masked);
                known.passed_on.extend(calls);
                known.has_more_failures |= is_cut;
            }
            known.has_more_failures |= known.failures.len() > failures::FAILURES;
            known.failures.truncate(failures::FAILURES);
            if owner.is_some() {
                known.variants.push(self::variant(&self.outline.path, symbol, String::new()));
            }
        }
        // Of several definitions of one name the first is documented: the place is its.
        if !is_first {
            return;
        }
        let said = symbol.documentation(language, self.text).filter(|_| !has_comment_of_group);
        let said = said.and_then(|said| without_code(language, symbol.kind, said));
        let bytes = symbol.doc_bytes();
        // The documentation has no indentation, unless it is a string.
        let comment = match language {
            Language::Python => said.clone(),
            _ => self.text.get(bytes.clone()).filter(|_| said.is_some()).map(examples::bare_comment),
        };
        if let Some(code) = comment.and_then(|comment| examples::first_example(language, &comment)) {
            let lines = (self.masked.line_of(bytes.start), self.masked.line_of(bytes.end.saturating_sub(1)));
            known.example = Some(DocumentedExample { code, lines });
        }
        known.documentation = said.map(|said| words::behind_first_sentence(&said)).unwrap_or_default();
        if symbol.kind.is_callable() {
            if matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx) {
                known.entries = tables::completed_options(language, symbol, &self.masked);
            }
        } else if symbol.kind.is_value() && symbol.line_end > symbol.line && !symbol.name.starts_with("__") {
            (known.entries, known.more_entries) = tables::entries(language, symbol, &self.masked);
        }
    }

    /// Adds the constant values that a constructor gives to the fields of its type. A field that gets
    /// different values in two constructors is left out; other fields of later constructors are ignored,
    /// except those of `default`.
    fn read_defaults(&mut self, owner: Option<&str>, function: &SymbolInfo) {
        let language = self.outline.language;
        let made = defaults::defaults(language, owner, function, &self.masked, &self.types);
        let Some((of, values)) = made.filter(|(_, values)| !values.is_empty()) else { return };
        let known = &mut self.found.entry(of.clone()).or_default().defaults;
        let is_first = known.is_empty();
        let is_default = function.name.eq_ignore_ascii_case("default");
        for (field, entry) in &values {
            if known.get(field).is_some_and(|other| other.value != entry.value) {
                self.differing.insert((of.clone(), field.clone()));
            }
        }
        // `default` decides; other constructors fill in only where there is none.
        if is_first || is_default {
            *known = values;
        }
        known.retain(|field, _| !self.differing.contains(&(of.clone(), field.clone())));
    }

    /// Adds the variants of names with several definitions that all have a build condition (`#[cfg(…)]`).
    fn read_variants(&mut self, symbols: &[SymbolInfo]) {
        let mut groups: BTreeMap<&str, Vec<&SymbolInfo>> = BTreeMap::new();
        let own = symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Impl && !symbol.is_test());
        own.for_each(|symbol| groups.entry(&symbol.name).or_default().push(symbol));
        for (name, group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
            let conditions: Vec<String> = group.iter().map(|symbol| condition(symbol)).collect();
            if conditions.iter().all(|condition| !condition.is_empty()) {
                let told = group.iter().zip(conditions);
                let variants = told.map(|(symbol, condition)| variant(&self.outline.path, symbol, condition));
                self.found.entry(name.to_owned()).or_default().variants = variants.collect();
            }
        }
    }
}

/// Returns true for a Python function decorated with `@overload`, a signature for type checkers without code.
pub(in crate::workflows::doc_phases) fn is_overload_stub(symbol: &SymbolInfo) -> bool {
    symbol.decorators.iter().any(|said| {
        let name = said.trim_start_matches('@');
        name == "overload" || name.ends_with(".overload")
    })
}

/// Returns the contents of the `#[cfg(…)]` attributes of a definition, joined by commas; empty without one.
fn condition(symbol: &SymbolInfo) -> String {
    let conditions = symbol.decorators.iter().filter_map(|one| {
        let inside =
            one.trim().strip_prefix("#[cfg(")?.trim_end().strip_suffix("]")?.trim_end().strip_suffix(')')?;
        Some(inside.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    conditions.collect::<Vec<_>>().join(", ")
}

fn variant(path: &str, symbol: &SymbolInfo, condition: String) -> DefinitionVariant {
    DefinitionVariant {
        condition,
        kind: symbol.kind.to_string(),
        signature: symbol.signature.chars().take(SIGNATURE).collect(),
        lines: SourceLines { path: path.to_owned(), start: symbol.line, end: symbol.line_end },
    }
}

/// Returns a text with its comments replaced by spaces, of the same length.
pub(super) fn without_comments(language: Language, text: &str) -> String {
    MaskedText::of(language, text).code
}

/// Returns true for a language whose blocks are made by indentation: Python.
fn is_indented(language: Language) -> bool {
    language == Language::Python
}
