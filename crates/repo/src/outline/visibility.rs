//! The visibility of a definition: the rule of each language. Works on words, not on trees.

use super::symbol::{SymbolKind, Visibility};

/// The rule of a language: returns the visibility of a definition.
pub(super) type VisibilityRule = fn(&DefinitionFacts) -> Visibility;

/// The facts about a definition from which its visibility follows.
pub(super) struct DefinitionFacts<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The text of the definition before its name, with its keywords.
    pub(super) head: &'a str,
    /// The visibility that the last `private:` or the like before it sets.
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

    /// Returns the visibility that a keyword before the name states; `None` without one.
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

/// Returns the visibility in Rust: `pub` is public, `pub(…)` internal, else private. Members of traits, enums
/// and trait implementations are as visible as these.
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

/// Returns the visibility in Python: a leading underscore means private; `__init__` and the like are public.
pub(super) fn python(seen: &DefinitionFacts) -> Visibility {
    let special = seen.name.starts_with("__") && seen.name.ends_with("__");
    if seen.name.starts_with('_') && !special { Visibility::Private } else { Visibility::Public }
}

/// Returns the visibility in JavaScript and TypeScript: exported names and class members are public, `#name`
/// is private, all others internal. Keywords such as `private` count in classes.
pub(super) fn script(seen: &DefinitionFacts) -> Visibility {
    match () {
        () if seen.name.starts_with('#') => Visibility::Private,
        () if seen.in_type() => seen.by_keyword().unwrap_or(Visibility::Public),
        () if seen.says("export") || seen.says("exports") => Visibility::Public,
        () => Visibility::Internal,
    }
}

/// Returns the visibility in Go: public with a capital first letter, else internal to the package.
pub(super) fn go(seen: &DefinitionFacts) -> Visibility {
    let first = seen.name.chars().next();
    if first.is_some_and(char::is_uppercase) { Visibility::Public } else { Visibility::Internal }
}

/// Returns the visibility in Java by keyword; without one public in interfaces and for enum values, else
/// internal to the package.
pub(super) fn java(seen: &DefinitionFacts) -> Visibility {
    let is_variant = seen.is_in(&[SymbolKind::Enum]) && seen.head.trim().is_empty();
    let open = is_variant || seen.is_in(&[SymbolKind::Interface]);
    seen.by_keyword().unwrap_or(if open { Visibility::Public } else { Visibility::Internal })
}

/// Returns the visibility in C: `static` outside of types makes a name internal to its file; else public.
pub(super) fn c(seen: &DefinitionFacts) -> Visibility {
    if !seen.in_type() && seen.says("static") { Visibility::Internal } else { Visibility::Public }
}

/// Returns the visibility in C++: the last `public:` or the like counts; without one private in a class,
/// public in a struct. Outside of types as in C.
pub(super) fn cpp(seen: &DefinitionFacts) -> Visibility {
    match seen.parent {
        Some((SymbolKind::Class, _)) => seen.access.unwrap_or(Visibility::Private),
        Some((kind, _)) if kind.is_type() => seen.access.unwrap_or(Visibility::Public),
        _ => c(seen),
    }
}

/// Returns the visibility in C# by keyword; without one public in interfaces and enums, private in other
/// types, else internal.
pub(super) fn csharp(seen: &DefinitionFacts) -> Visibility {
    let open = seen.is_in(&[SymbolKind::Interface, SymbolKind::Enum]) || seen.head.starts_with("namespace");
    let by_default = match () {
        () if open => Visibility::Public,
        () if seen.in_type() => Visibility::Private,
        () => Visibility::Internal,
    };
    seen.by_keyword().unwrap_or(by_default)
}

/// Returns the visibility in PHP by keyword; public without one.
pub(super) fn php(seen: &DefinitionFacts) -> Visibility {
    seen.by_keyword().unwrap_or(Visibility::Public)
}

/// Returns the visibility in Ruby: the last `private` or the like counts; public without one.
pub(super) fn ruby(seen: &DefinitionFacts) -> Visibility {
    seen.access.unwrap_or(Visibility::Public)
}

/// Returns public: Bash hides no names.
pub(super) fn bash(_: &DefinitionFacts) -> Visibility {
    Visibility::Public
}
