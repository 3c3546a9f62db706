//! Kinds of definitions by their names and texts: constructors, conversions, constants, common names. The weights in `definitions` depend on
//! them.

use super::central::{CentralFile, root};
use super::definitions::{length, words_of};
use crate::repo::{SymbolInfo, SymbolKind, Visibility};

/// Names that many types define, so that an occurrence in another file rarely means a certain
/// definition.
pub(crate) const COMMON: &[&str] = &[
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

/// Methods that nearly every type has. They tell little about it.
pub(crate) const STANDARD: &[&str] = &[
    "toString",
    "equals",
    "hashCode",
    "compareTo",
    "ToString",
    "Equals",
    "GetHashCode",
    "__repr__",
    "__str__",
    "__eq__",
    "__hash__",
    "__ne__",
    "to_s",
    "inspect",
    "hash",
    "eql?",
    "==",
    "fmt",
    "eq",
    "cmp",
    "partial_cmp",
    "String",
    "__toString",
];

/// Words in names of functions that decide something; they raise the weight.
pub(super) const DECIDING: &[&str] = &[
    "check",
    "should",
    "can",
    "is",
    "choose",
    "select",
    "resolve",
    "parse",
    "validate",
    "handle",
    "retry",
    "find",
    "guess",
    "determine",
    "match",
    "filter",
    "decide",
    "detect",
    "accept",
    "allow",
    "reject",
    "dispatch",
    "route",
    "load",
    "delete",
    "remove",
    "compute",
    "update",
    "apply",
    "exit",
    "error",
    "fail",
    "process",
    "convert",
    "translate",
    "expand",
    "merge",
];

/// Returns true for a name that begins with a word such as `to`, `set`, `print` or `copy`, so that the
/// function only converts, sets a field, or prints.
pub(super) fn is_conversion(name: &str) -> bool {
    const FIRST: &[&str] = &[
        "set",
        "to",
        "from",
        "as",
        "print",
        "dump",
        "serialize",
        "deserialize",
        "restore",
        "format",
        "repr",
        "usage",
        "help",
        "log",
        "cleanup",
        "free",
        "copy",
    ];
    words_of(name).first().is_some_and(|word| FIRST.contains(&word.as_str()))
}

/// Returns the weight of a type, a macro or a value, by the files that name it, its documentation and
/// its length. Zero leaves it out. `is_table` admits a value that is neither documented nor a constant.
pub(super) fn score(file: &CentralFile, symbol: &SymbolInfo, is_table: bool, is_member: bool) -> f64 {
    let is_documented = symbol.docstring.is_some();
    let is_told = is_table || is_documented || is_told_value(symbol);
    // Constants of a type that Rust declares in an `impl`.
    let is_constant_of_type = symbol.kind == SymbolKind::Variable && is_told_value(symbol);
    if symbol.kind.is_value() && (is_member && !is_constant_of_type && !is_table || !is_told)
        || is_guard(symbol)
    {
        return 0.0;
    }
    let named = root(file.named_in.get(&symbol.name).copied().unwrap_or_default());
    #[allow(clippy::cast_precision_loss, reason = "files have few lines")]
    let length = (length(symbol) as f64).ln() / 2.5;
    let kind = match symbol.kind {
        kind if kind.is_type() => 1.2,
        SymbolKind::Macro => 0.3,
        _ => 0.1,
    };
    named * distinction(symbol, is_member)
        + length
        + kind
        + if is_documented { 0.6 } else { 0.0 }
        + if symbol.visibility == Visibility::Public { 0.4 } else { 0.0 }
}

/// Returns true for a `#define` without a value, such as the include guard of a C header.
pub(super) fn is_guard(symbol: &SymbolInfo) -> bool {
    symbol.signature.starts_with("#define") && symbol.signature.split_whitespace().nth(2).is_none()
}

/// Returns true for a constructor, by its name. It has less weight, because its type is listed already.
pub(super) fn is_constructor(symbol: &SymbolInfo, owner: Option<&str>) -> bool {
    let name = symbol.name.as_str();
    let is_named =
        matches!(name, "constructor" | "__construct" | "__init__" | "initialize") || owner == Some(name);
    is_named && symbol.kind.is_callable()
}

/// Returns an estimate, from 0.1 to 1, of the share of occurrences of a name that mean this definition.
/// Common and short words mean other things more often.
pub(super) fn distinction(symbol: &SymbolInfo, is_member: bool) -> f64 {
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

/// Returns true for a value that readers may look for: a constant in capitals, or one whose definition
/// has at most 80 characters.
pub(super) fn is_told_value(symbol: &SymbolInfo) -> bool {
    is_constant(&symbol.name) || symbol.signature.contains('=') && symbol.signature.chars().count() <= 80
}

/// Returns true for a name of at least three characters in capitals, digits and `_`.
pub(super) fn is_constant(name: &str) -> bool {
    name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}
