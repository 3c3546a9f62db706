//! Design patterns that declarations prove: a builder that builds, a visitor that visits. A name alone proves nothing.

use std::collections::BTreeSet;

use super::sight::{SeenFile, implementation};
use crate::repo::{SymbolInfo, SymbolKind};

/// Returns the design patterns that declarations prove, as `Builder: ShelfBuilder`, sorted. A name alone
/// proves nothing.
pub(super) fn patterns(sights: &[SeenFile]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for symbol in sights.iter().flat_map(SeenFile::symbols) {
        let methods = || {
            symbol.children.iter().filter(|child| child.kind.is_callable()).map(|child| child.name.as_str())
        };
        // `impl Iterator for &Shelf` is one of `Shelf`; a parameter of one letter names no type.
        let name =
            if symbol.kind == SymbolKind::Impl { symbol.implementing_type() } else { symbol.name.as_str() };
        if name.chars().count() < 2 {
            continue;
        }
        let builds = |method: &str| matches!(method, "build" | "finish" | "Build");
        if name.ends_with("Builder") && methods().any(builds) {
            found.insert(format!("Builder: {name}"));
        }
        if symbol.kind != SymbolKind::Impl
            && name.ends_with("Visitor")
            && methods().any(|method| method.to_lowercase().starts_with("visit"))
        {
            found.insert(format!("Visitor: {name}"));
        }
        if let Some(pattern) = implements(symbol) {
            found.insert(format!("{pattern}: {name}"));
        }
        if symbol.decorators.iter().any(|said| said.contains("abstractmethod"))
            || symbol.signature.contains("(ABC)")
        {
            found.insert(format!("Abstract base class: {name}"));
        }
    }
    found.into_iter().collect()
}

/// Returns the pattern that an `impl` of a well-known trait proves, such as `Iterator`; `None` for any other
/// definition.
fn implements(symbol: &SymbolInfo) -> Option<&'static str> {
    if symbol.kind != SymbolKind::Impl {
        return None;
    }
    let (name, _) = implementation(&symbol.signature)?;
    Some(match name {
        "Iterator" => "Iterator",
        "Drop" => "Guard (released when dropped)",
        "Deref" => "Smart pointer",
        "Future" => "Hand-written future",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_that_of_the_type_without_its_references() {
        let text = "struct Shelf;\nimpl<'a> Iterator for &'a mut store::Shelf<'a> {\n    fn next(&mut self) {}\n}\n#[tokio::test(flavor = \"x\")]\nasync fn f() {}\n";
        let sights = [SeenFile::read("a.rs", text, 6).expect("Rust")];
        assert_eq!(patterns(&sights), ["Iterator: Shelf"]);
        assert_eq!(sights[0].test_lines(), [6..=6]);
    }
}
