//! The roles of files: by their documentation, else by their definitions.

use super::edges::ComponentEdges;
use super::interfaces::signature;
use super::parts::{is_root, is_side};
use super::sight::{SeenFile, is_public, is_type};
use super::words::{cut, first_sentence, some_of};
use crate::repo::{Language, SymbolInfo, SymbolKind};
use crate::workflows::doc_phases::memory::{FileRole, KeyClass, KeyFunction, OmittedCounts};

/// Maximum of names of each kind that are stored of a file.
const NAMES: usize = 15;

/// Returns a file entry for each of these files of a component, in their order. `edges` has their imports.
pub(super) fn roles(component: &str, sights: &[SeenFile], edges: &ComponentEdges) -> Vec<FileRole> {
    sights.iter().map(|sight| role(component, sight, edges)).collect()
}

fn role(component: &str, sight: &SeenFile, edges: &ComponentEdges) -> FileRole {
    let symbols = sight.symbols();
    let path = &sight.outline.path;
    let public = symbols.iter().filter(|symbol| is_public(symbol) && symbol.kind != SymbolKind::Impl);
    let mut exports: Vec<String> = public.map(|symbol| symbol.name.clone()).collect();
    exports.dedup();
    let mut more = OmittedCounts::new();
    FileRole {
        file_id: path.clone(),
        file_path: path.clone(),
        responsibility: responsibility(sight, &symbols),
        layer: layer(sight).to_owned(),
        component: component.to_owned(),
        key_exports: cut(exports, NAMES, "key_exports", &mut more),
        key_functions: functions(&symbols, &mut more),
        key_classes: classes(&symbols, &mut more),
        imports_from: edges.imports(path),
        imported_by: edges.imported_by(path),
        last_read_hash: None,
        confidence: if sight.is_whole { 0.9 } else { 0.6 },
        more,
    }
}

fn responsibility(sight: &SeenFile, symbols: &[&SymbolInfo]) -> String {
    if let Some(said) = sight.outline.docstring.as_deref().and_then(first_sentence) {
        return said;
    }
    let types = symbols.iter().filter(|symbol| is_type(symbol));
    let functions = symbols.iter().filter(|symbol| symbol.kind.is_callable());
    let mut names: Vec<String> = types.chain(functions).map(|symbol| format!("`{}`", symbol.name)).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let values = symbols.iter().filter(|symbol| symbol.kind.is_value() && is_public(symbol));
    let values: Vec<String> = values.map(|symbol| format!("`{}`", symbol.name)).collect();
    if names.is_empty() && sight.outline.language == Language::Bash {
        return "A shell script without functions.".to_owned();
    }
    match (names.is_empty(), values.is_empty()) {
        (false, _) => format!("Defines {}.", some_of(&names, 8)),
        (true, false) => format!("Defines {}.", some_of(&values, 8)),
        (true, true) => "Holds no type and no function of its own.".to_owned(),
    }
}

/// Returns the layer of a file: `tests and examples`, `entry point`, `module root` or `implementation`. A
/// file named `main` is an entry point only if it defines `main`.
fn layer(sight: &SeenFile) -> &'static str {
    let path = sight.outline.path.as_str();
    let stem = super::parts::stem(path);
    let begins = || {
        let has_main = |symbol: &SymbolInfo| symbol.kind.is_callable() && symbol.name == "main";
        stem == "__main__" || stem == "main" && sight.outline.walk().any(|(_, symbol)| has_main(symbol))
    };
    match () {
        () if is_side(path) || is_side(&format!("x/{path}")) => "tests and examples",
        () if begins() || path.contains("/bin/") => "entry point",
        () if is_root(path)
            && !matches!(stem, "main" | "__main__")
            && !(stem == "index" && sight.language() == Language::Rust) =>
        {
            "module root"
        }
        () => "implementation",
    }
}

fn functions(symbols: &[&SymbolInfo], more: &mut OmittedCounts) -> Vec<KeyFunction> {
    let mut all: Vec<&&SymbolInfo> = symbols.iter().filter(|symbol| symbol.kind.is_callable()).collect();
    all.sort_by_key(|symbol| !is_public(symbol));
    cut(all, NAMES, "key_functions", more)
        .into_iter()
        .map(|symbol| KeyFunction {
            name: symbol.name.clone(),
            signature: signature(symbol),
            purpose: purpose(symbol),
        })
        .collect()
}

/// Returns the types of a file with their methods, public ones first, at most [`NAMES`]. The numbers of
/// omitted ones go to `more`.
fn classes(symbols: &[&SymbolInfo], more: &mut OmittedCounts) -> Vec<KeyClass> {
    let mut all: Vec<&&SymbolInfo> = symbols.iter().filter(|symbol| is_type(symbol)).collect();
    all.sort_by_key(|symbol| !is_public(symbol));
    let methods = |of: &SymbolInfo| {
        let beside = symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Impl && symbol.implementing_type() == of.name);
        let inside = of.children.iter().chain(beside.flat_map(|symbol| &symbol.children));
        let callable = inside.filter(|child| child.kind.is_callable());
        let mut names: Vec<String> = callable.map(|child| child.name.clone()).collect();
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    };
    let kept = cut(all, NAMES, "key_classes", more);
    let class = |symbol: &&SymbolInfo| KeyClass {
        name: symbol.name.clone(),
        purpose: purpose(symbol),
        methods: cut(methods(symbol), NAMES, &format!("{}.methods", symbol.name), more),
    };
    kept.into_iter().map(class).collect()
}

fn purpose(symbol: &SymbolInfo) -> String {
    symbol.docstring.as_deref().and_then(first_sentence).unwrap_or_default()
}
