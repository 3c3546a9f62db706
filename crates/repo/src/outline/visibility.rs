//! The visibility of a definition: the rule of each language. Works on words, not on trees.

use super::symbol::{SymbolKind, Visibility};

/// A language's rule.
pub(super) type VisibilityRule = fn(&DefinitionFacts) -> Visibility;

/// The facts about a definition that a rule gets.
pub(super) struct DefinitionFacts<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The text before its name.
    pub(super) head: &'a str,
    /// The last `private:` or the like before it.
    pub(super) access: Option<Visibility>,
    /// Kind and visibility of the enclosing definition.
    pub(super) parent: Option<(SymbolKind, Visibility)>,
}

impl DefinitionFacts<'_> {
    fn says(&self, word: &str) -> bool {
        self.head.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word)
    }

    fn is_in(&self, kinds: &[SymbolKind]) -> bool {
        self.parent.is_some_and(|(kind, _)| kinds.contains(&kind))
    }

    fn in_type(&self) -> bool {
        self.parent.is_some_and(|(kind, _)| kind.is_type())
    }

    /// Returns the visibility by a keyword before the name.
    fn by_keyword(&self) -> Option<Visibility> {
        let words = [
            ("public", Visibility::Public),
            ("protected", Visibility::Protected),
            ("internal", Visibility::Internal),
            ("private", Visibility::Private),
        ];
        words.iter().find(|(word, _)| self.says(word)).map(|(_, visibility)| *visibility)
    }
}

/// Rust: `pub`, `pub(…)`. Members of traits and enums, and of implementations of traits, are as visible as these.
pub(super) fn rust(seen: &DefinitionFacts) -> Visibility {
    let head = seen.head.trim_start();
    match seen.parent {
        Some((SymbolKind::Trait | SymbolKind::Enum | SymbolKind::Variant, visibility)) => visibility,
        Some((SymbolKind::Impl, Visibility::Public)) => Visibility::Public,
        // Whose trait and whose type this is, another file may say.
        _ if head.starts_with("impl") && head.contains(" for ") => Visibility::Public,
        _ if head.starts_with("pub(") || head.starts_with("pub (") => Visibility::Internal,
        _ if head.starts_with("pub") => Visibility::Public,
        _ => Visibility::Private,
    }
}

/// Python: a leading underscore means private; `__init__` and the like are public.
pub(super) fn python(seen: &DefinitionFacts) -> Visibility {
    let special = seen.name.starts_with("__") && seen.name.ends_with("__");
    if seen.name.starts_with('_') && !special { Visibility::Private } else { Visibility::Public }
}

/// JavaScript and TypeScript: `export`; members of a class are public without a keyword.
pub(super) fn script(seen: &DefinitionFacts) -> Visibility {
    match () {
        () if seen.name.starts_with('#') => Visibility::Private,
        () if seen.in_type() => seen.by_keyword().unwrap_or(Visibility::Public),
        () if seen.says("export") || seen.says("exports") => Visibility::Public,
        () => Visibility::Internal,
    }
}

/// Go: public with a capital first letter, else internal to the package.
pub(super) fn go(seen: &DefinitionFacts) -> Visibility {
    let first = seen.name.chars().next();
    if first.is_some_and(char::is_uppercase) { Visibility::Public } else { Visibility::Internal }
}

/// Words; the package unless in an interface.
pub(super) fn java(seen: &DefinitionFacts) -> Visibility {
    let is_variant = seen.is_in(&[SymbolKind::Enum]) && seen.head.trim().is_empty();
    let open = is_variant || seen.is_in(&[SymbolKind::Interface]);
    seen.by_keyword().unwrap_or(if open { Visibility::Public } else { Visibility::Internal })
}

/// C: `static` limits a name to its file.
pub(super) fn c(seen: &DefinitionFacts) -> Visibility {
    if !seen.in_type() && seen.says("static") { Visibility::Internal } else { Visibility::Public }
}

/// C++: the last `public:` and the like; by default private in a class, public in a struct.
pub(super) fn cpp(seen: &DefinitionFacts) -> Visibility {
    match seen.parent {
        Some((SymbolKind::Class, _)) => seen.access.unwrap_or(Visibility::Private),
        Some((kind, _)) if kind.is_type() => seen.access.unwrap_or(Visibility::Public),
        _ => c(seen),
    }
}

/// Words; private in a type, internal outside, public in interfaces and enums.
pub(super) fn csharp(seen: &DefinitionFacts) -> Visibility {
    let open = seen.is_in(&[SymbolKind::Interface, SymbolKind::Enum]) || seen.head.starts_with("namespace");
    let by_default = match () {
        () if open => Visibility::Public,
        () if seen.in_type() => Visibility::Private,
        () => Visibility::Internal,
    };
    seen.by_keyword().unwrap_or(by_default)
}

/// Words; public.
pub(super) fn php(seen: &DefinitionFacts) -> Visibility {
    seen.by_keyword().unwrap_or(Visibility::Public)
}

/// Ruby: the last `private` and the like; public by default.
pub(super) fn ruby(seen: &DefinitionFacts) -> Visibility {
    seen.access.unwrap_or(Visibility::Public)
}

/// Bash: everything is public.
pub(super) fn bash(_: &DefinitionFacts) -> Visibility {
    Visibility::Public
}
