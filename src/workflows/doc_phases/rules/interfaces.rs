//! What others use of a component: its public types and functions, those first that are named most.

use std::collections::{BTreeMap, BTreeSet};

use super::sight::{SeenFile, implementation, is_public, is_type};
use super::words::first_sentence;
use crate::repo::{Language, SymbolInfo, SymbolKind, Visibility};
use crate::workflows::doc_phases::memory::PublicInterface;
use crate::workflows::doc_phases::selection::is_overload_stub;

/// Maximum length of a signature, in characters.
const SIGNATURE: usize = 240;

/// Returns the frequency of each word in the texts of the files that were read, and in the signatures of
/// those that were outlined.
pub(super) fn mentions(sights: &[SeenFile]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut add = |text: &str| {
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 1) {
            *found.entry(word.to_owned()).or_insert(0) += 1;
        }
    };
    for sight in sights {
        match sight.text {
            Some(text) => add(text),
            None => sight.outline.walk().for_each(|(_, symbol)| add(&symbol.signature)),
        }
    }
    found
}

/// Kind of a method of Python that is read like a field.
const PROPERTY: &str = "property";

/// Returns the public types, functions and values of a component, the most mentioned first, then the methods
/// of its types. If nothing is public in languages without a mark for it, the definitions that other files can use.
pub(super) fn interfaces(sights: &[SeenFile]) -> Vec<PublicInterface> {
    let mentions = mentions(sights);
    let mut all: Vec<(&SymbolInfo, &str)> = Vec::new();
    for sight in sights {
        let symbols = sight.symbols().into_iter().filter(|symbol| counts(symbol));
        // In these languages a definition without the mark is none for others.
        let marks_public = matches!(
            sight.outline.language,
            Language::Go
                | Language::JavaScript
                | Language::TypeScript
                | Language::Tsx
                | Language::Rust
                | Language::CSharp
                | Language::Java
        );
        let symbols =
            symbols.filter(|symbol| !marks_public || is_public(symbol) && !has_hidden_receiver(symbol));
        // A variable of a shell is no declaration.
        let is_shell = sight.outline.language == Language::Bash;
        let symbols = symbols.filter(|symbol| !is_shell || symbol.kind != SymbolKind::Variable);
        all.extend(symbols.map(|symbol| (symbol, sight.outline.path.as_str())));
    }
    let has_public = all.iter().any(|(symbol, _)| is_public(symbol));
    let is_hidden =
        |symbol: &SymbolInfo| matches!(symbol.visibility, Visibility::Private | Visibility::Protected);
    all.retain(|(symbol, _)| if has_public { is_public(symbol) } else { !is_hidden(symbol) });
    let named = |symbol: &SymbolInfo| mentions.get(&symbol.name).copied().unwrap_or_default();
    all.sort_by(|(a, a_path), (b, b_path)| {
        let rank = |symbol: &SymbolInfo| {
            (is_deprecated(symbol), symbol.kind.is_value(), std::cmp::Reverse(named(symbol)))
        };
        rank(a).cmp(&rank(b)).then_with(|| a.name.cmp(&b.name)).then_with(|| a_path.cmp(b_path))
    });
    // Types of one name need not stand beside each other: their number of mentions is equal, their visibility is not.
    let mut seen = BTreeSet::new();
    all.retain(|(symbol, _)| seen.insert((qualified_name(symbol), symbol.kind)));
    let types: Vec<&str> =
        all.iter().filter(|(symbol, _)| is_type(symbol)).map(|(symbol, _)| symbol.name.as_str()).collect();
    let methods = types.iter().flat_map(|name| methods(sights, name));
    all.iter().map(|(symbol, _)| interface(symbol)).chain(methods).collect()
}

/// Returns the public methods of the type `of`, in the order of the text, named `Type::method` or
/// `Type.method`.
fn methods(sights: &[SeenFile], of: &str) -> Vec<PublicInterface> {
    let mut found = Vec::new();
    for sight in sights {
        let symbols = sight.symbols();
        let around = symbols.iter().filter(|symbol| match symbol.kind {
            SymbolKind::Impl => {
                symbol.implementing_type() == of && implementation(&symbol.signature).is_none()
            }
            _ => is_type(symbol) && symbol.name == of,
        });
        let separator = match Language::of_path(&sight.outline.path) {
            Some(Language::Rust | Language::Cpp | Language::Php) => "::",
            _ => ".",
        };
        let is_shown = |method: &&SymbolInfo| {
            let is_special = method.name.starts_with("__") && method.name != "__init__";
            method.kind.is_callable()
                && is_public(method)
                && !method.is_test()
                && !is_special
                && !is_deprecated(method)
                && !is_overload_stub(method)
        };
        let own = around.flat_map(|symbol| &symbol.children).filter(is_shown);
        found.extend(own.map(|method| {
            let told = describe(method);
            let kind = if told.kind == PROPERTY { PROPERTY } else { "method" };
            let name = format!("{of}{separator}{}", method.name);
            PublicInterface { name, kind: kind.to_owned(), ..told }
        }));
    }
    found
}

/// Returns true for a method of a Go type that other packages cannot name.
fn has_hidden_receiver(symbol: &SymbolInfo) -> bool {
    symbol.receiver().is_some_and(|of| of.starts_with(char::is_lowercase))
}

/// Returns the name of a definition; for a Go method with its receiver (`Shelf.Add`).
fn qualified_name(symbol: &SymbolInfo) -> String {
    match symbol.receiver() {
        Some(of) => format!("{of}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

fn counts(symbol: &SymbolInfo) -> bool {
    // `__all__` and type parameters such as `T` are no interface.
    let is_named =
        !symbol.name.starts_with("__") && symbol.name.chars().count() > 1 && symbol.name != "TYPE_CHECKING";
    (is_type(symbol) || symbol.kind.is_callable() || (symbol.kind == SymbolKind::Variable && is_named))
        && symbol.name != "main"
        && !is_overload_stub(symbol)
}

fn is_deprecated(symbol: &SymbolInfo) -> bool {
    symbol.decorators.iter().any(|said| said.to_lowercase().contains("deprecated"))
}

fn interface(symbol: &SymbolInfo) -> PublicInterface {
    PublicInterface { name: qualified_name(symbol), ..describe(symbol) }
}

fn describe(symbol: &SymbolInfo) -> PublicInterface {
    // A property of Python is not called.
    let is_property = symbol.decorators.iter().any(|said| said.trim() == "@property");
    PublicInterface {
        name: symbol.name.clone(),
        kind: if is_property { PROPERTY.to_owned() } else { symbol.kind.to_string() },
        signature: signature(symbol),
        description: symbol.docstring.as_deref().and_then(first_sentence).unwrap_or_default(),
    }
}

/// Returns the signature of a definition, cut at [`SIGNATURE`] characters with `…`.
pub(super) fn signature(symbol: &SymbolInfo) -> String {
    let shown: String = symbol.signature.chars().take(SIGNATURE).collect();
    if shown.len() < symbol.signature.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_several_kinds_has_one_row_for_each_kind() {
        let text = "#[cfg(a)]\npub struct Sleep;\n#[cfg(b)]\npub type Sleep = u8;\n#[cfg(c)]\npub struct Sleep;\n#[cfg(d)]\npub type Sleep = u16;\n";
        let sights = [SeenFile::read("a.rs", text, 8).expect("Rust")];
        let found = interfaces(&sights);
        let rows: Vec<(&str, &str)> =
            found.iter().map(|one| (one.name.as_str(), one.kind.as_str())).collect();
        assert_eq!(rows, [("Sleep", "struct"), ("Sleep", "type")]);
    }

    #[test]
    fn a_property_is_no_method() {
        let text = "class Key:\n    @property\n    def kind(self): ...\n\n    def load(self): ...\n";
        let sights = [SeenFile::read("a.py", text, 8).expect("Python")];
        let kinds = interfaces(&sights).into_iter().map(|one| (one.name, one.kind));
        let expected = [("Key", "class"), ("Key.kind", "property"), ("Key.load", "method")];
        assert_eq!(
            kinds.collect::<Vec<_>>(),
            expected.map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        );
    }
}
