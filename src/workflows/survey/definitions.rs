//! The definitions of a file that are worth a line, with their weights.

use std::collections::HashSet;

use super::central::{CentralFile, root};
use super::view::{Survey, is_header};
use crate::repo::{FileOutline, SymbolInfo, SymbolKind, Visibility};

/// A definition that the map may show.
pub(crate) struct MapDefinition<'o> {
    pub(crate) symbol: &'o SymbolInfo,
    /// The type around it.
    pub(crate) owner: Option<String>,
    /// Greater is more important.
    pub(crate) score: f64,
}

/// Names that many types have: other files name them for other reasons.
const COMMON: &[&str] = &[
    "new",
    "get",
    "set",
    "init",
    "constructor",
    "__init__",
    "toString",
    "default",
    "fmt",
    "String",
    "run",
    "main",
    "add",
    "close",
    "name",
    "value",
    "len",
    "size",
    "type",
    "json",
    "text",
    "read",
    "write",
    "data",
    "key",
    "url",
    "id",
    "json",
    "equals",
    "hashCode",
    "update",
    "create",
    "delete",
    "list",
    "error",
    "clone",
    "from",
    "into",
    "next",
    "start",
    "stop",
    "handle",
    "call",
    "copy",
    "format",
    "parse",
    "load",
    "save",
    "open",
    "remove",
    "clear",
    "find",
    "index",
    "show",
    "store",
    "destroy",
    "edit",
    "build",
    "execute",
    "apply",
];

/// Returns the definitions of a file, in order; those without weight are left out.
pub(crate) fn definitions<'o>(
    survey: &Survey,
    file: &CentralFile,
    outline: &'o FileOutline,
) -> Vec<MapDefinition<'o>> {
    let mut found = Vec::new();
    collect(&outline.symbols, None, file, &mut found);
    let is_prototype = |symbol: &SymbolInfo| {
        is_header(&file.path) && symbol.kind.is_callable() && survey.implemented.contains(&symbol.name)
    };
    found.retain(|definition| definition.score > 0.0 && !is_prototype(definition.symbol));
    lower_repeated(&mut found);
    found
}

/// Lowers the weight of overloads and of alternatives under conditions: the first one stands for all.
fn lower_repeated(definitions: &mut [MapDefinition]) {
    let mut known: HashSet<(Option<String>, &str)> = HashSet::new();
    for definition in definitions {
        if !known.insert((definition.owner.clone(), definition.symbol.name.as_str())) {
            definition.score /= 3.0;
        }
    }
}

fn collect<'o>(
    symbols: &'o [SymbolInfo],
    owner: Option<&str>,
    file: &CentralFile,
    found: &mut Vec<MapDefinition<'o>>,
) {
    for symbol in symbols.iter().filter(|symbol| !is_test(symbol)) {
        let owner = symbol.receiver().or(owner).map(str::to_owned);
        match symbol.kind {
            SymbolKind::Module | SymbolKind::Namespace => {
                collect(&symbol.children, owner.as_deref(), file, found);
            }
            // Implementations of traits are found by the trait.
            SymbolKind::Impl if symbol.signature.contains(" for ") => {}
            SymbolKind::Impl => {
                let name = symbol.name.split(['<', ' ']).next().unwrap_or(&symbol.name);
                collect(&symbol.children, Some(name), file, found);
            }
            SymbolKind::Field | SymbolKind::Variant => {}
            kind => {
                let score = score(file, symbol, owner.as_deref());
                found.push(MapDefinition { symbol, owner, score });
                if kind.is_type() {
                    collect(&symbol.children, Some(&symbol.name), file, found);
                }
            }
        }
    }
}

/// Returns the weight of a definition: named elsewhere, documented, long, a type. Zero leaves it out.
fn score(file: &CentralFile, symbol: &SymbolInfo, owner: Option<&str>) -> f64 {
    let is_member = owner.is_some();
    let is_documented = symbol.docstring.is_some();
    let is_entry = matches!(symbol.name.as_str(), "main" | "init") && symbol.kind == SymbolKind::Function;
    if is_entry || symbol.kind.is_value() && (is_member || !is_documented && !is_told_value(symbol)) {
        return 0.0;
    }
    let named = root(file.named_in.get(&symbol.name).copied().unwrap_or_default());
    let lines = symbol.line_end.saturating_sub(symbol.line) + 1;
    #[allow(clippy::cast_precision_loss, reason = "files have few lines")]
    let length = (lines as f64).ln() / 2.5;
    let is_trivial = symbol.signature.ends_with("= delete") || symbol.signature.ends_with("= default");
    if is_trivial || is_constructor(symbol, owner) {
        return 0.1 + length / 10.0;
    }
    let kind = match symbol.kind {
        kind if kind.is_type() => 1.2,
        SymbolKind::Function | SymbolKind::Macro => 0.7,
        SymbolKind::Method => 0.3,
        _ => 0.1,
    };
    named * distinction(symbol, is_member)
        + length
        + kind
        + if is_documented { 0.6 } else { 0.0 }
        + if symbol.visibility == Visibility::Public { 0.4 } else { 0.0 }
}

/// Returns true for a constructor without documentation: the documentation of its type is enough.
fn is_constructor(symbol: &SymbolInfo, owner: Option<&str>) -> bool {
    let name = symbol.name.as_str();
    let is_named =
        matches!(name, "constructor" | "__construct" | "__init__" | "initialize") || owner == Some(name);
    is_named && symbol.docstring.is_none() && symbol.kind.is_callable()
}

/// Returns the share of the places with a name that mean this definition, about: a common word is used for other things.
fn distinction(symbol: &SymbolInfo, is_member: bool) -> f64 {
    let name = symbol.name.as_str();
    let is_word = name.chars().all(|c| c.is_ascii_lowercase());
    match () {
        () if COMMON.contains(&name) => 0.1,
        () if is_word && is_member => 0.3,
        () if is_word || name.len() < 5 => 0.6,
        () if is_member => 0.7,
        () => 1.0,
    }
}

/// Returns true for a value that a reader may look for: a constant, or one with a short value.
fn is_told_value(symbol: &SymbolInfo) -> bool {
    is_constant(&symbol.name) || symbol.signature.contains('=') && symbol.signature.chars().count() <= 60
}

fn is_constant(name: &str) -> bool {
    name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

fn is_test(symbol: &SymbolInfo) -> bool {
    symbol.decorators.iter().any(|mark| mark.contains("cfg(test)") || mark.ends_with("test]"))
}
