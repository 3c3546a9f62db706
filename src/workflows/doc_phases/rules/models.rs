//! Data types with their fields, and how they are tied to one another: what declarations say, nothing that code does.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::stem;
use super::sight::{SeenFile, implementation, is_public, is_type};
use super::words::{cut, first_sentence};
use crate::repo::{Language, SymbolInfo, SymbolKind};
use crate::workflows::doc_phases::memory::{DataField, DataModel, OmittedCounts, Relationship};

/// Maximum of fields of a data model that are stored.
const FIELDS: usize = 40;
/// Maximum length of a field's type, in characters.
const TYPE: usize = 160;

/// Returns the data models of a component: its types with fields or variants, public ones first, then the
/// most mentioned. `mentions` has the frequency of each name.
pub(super) fn models(
    component: &str,
    sights: &[SeenFile],
    mentions: &BTreeMap<String, usize>,
) -> Vec<DataModel> {
    let names: BTreeSet<&str> = sights
        .iter()
        .flat_map(SeenFile::symbols)
        .filter(|symbol| is_type(symbol))
        .map(|symbol| symbol.name.as_str())
        .collect();
    let mut found: Vec<(&SeenFile, &SymbolInfo)> = Vec::new();
    for sight in sights {
        found.extend(
            sight
                .symbols()
                .into_iter()
                .filter(|symbol| holds_data(symbol) && !has_constants_only(sight.language(), symbol))
                .map(|symbol| (sight, symbol)),
        );
    }
    let uses = |symbol: &SymbolInfo| mentions.get(&symbol.name).copied().unwrap_or_default();
    found.sort_by_key(|(sight, symbol)| {
        (
            !is_public(symbol),
            std::cmp::Reverse(uses(symbol)),
            symbol.name.clone(),
            sight.outline.path.clone(),
            symbol.line,
        )
    });
    let implemented = implemented(sights);
    let mut ids = BTreeSet::new();
    let model = |(sight, symbol): (&SeenFile, &SymbolInfo)| {
        let plain = format!("{component}.{}", symbol.name);
        let of_file = format!("{component}.{}.{}", stem(&sight.outline.path), symbol.name);
        let of_line = format!("{of_file}.{}", symbol.line);
        let mut id = [plain, of_file, of_line].into_iter().find(|id| ids.insert(id.clone()))?;
        id.retain(|c| !c.is_control());
        let mut more = OmittedCounts::new();
        Some(DataModel {
            model_id: id.chars().take(200).collect(),
            model_name: symbol.name.chars().take(200).collect(),
            model_type: symbol.kind.to_string(),
            file_path: sight.outline.path.clone(),
            fields: cut(fields(sight.language(), symbol), FIELDS, "fields", &mut more),
            relationships: ties(sight.language(), symbol, &names, &implemented),
            used_by_components: vec![component.to_owned()],
            confidence: if sight.is_whole { 0.95 } else { 0.7 },
            more,
        })
    };
    found.into_iter().filter_map(model).collect()
}

fn holds_data(symbol: &SymbolInfo) -> bool {
    let has =
        symbol.children.iter().any(|child| matches!(child.kind, SymbolKind::Field | SymbolKind::Variant));
    is_type(symbol) && has && symbol.kind != SymbolKind::Trait
}

/// Returns true for a type whose fields hold no data of an instance: any Ruby class, and a Python class with
/// constants only (no typed field, no decorator, no base but a built-in one).
fn has_constants_only(language: Language, symbol: &SymbolInfo) -> bool {
    const BUILT_IN: [&str; 9] = ["", "object", "str", "dict", "list", "int", "float", "tuple", "set"];
    let bases = symbol
        .signature
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'))
        .map_or("", |(bases, _)| bases);
    let is_typed =
        |child: &SymbolInfo| child.signature.split('=').next().is_some_and(|head| head.contains(':'));
    language == Language::Ruby
        || language == Language::Python
            && symbol.decorators.is_empty()
            && bases.split(',').all(|base| BUILT_IN.contains(&base.trim()))
            && !symbol.children.iter().any(|child| child.kind == SymbolKind::Field && is_typed(child))
}

fn fields(language: Language, symbol: &SymbolInfo) -> Vec<DataField> {
    let own =
        symbol.children.iter().filter(|child| matches!(child.kind, SymbolKind::Field | SymbolKind::Variant));
    let mut fields: Vec<DataField> = own
        .map(|child| DataField {
            name: child.name.clone(),
            kind: field_type(language, child).chars().take(TYPE).collect(),
            description: child.docstring.as_deref().and_then(first_sentence).unwrap_or_default(),
        })
        .collect();
    fields.dedup_by(|a, b| a.name == b.name);
    fields
}

/// Returns the type in the declaration of a field; of an enum variant its content. Empty if it states none.
fn field_type(language: Language, field: &SymbolInfo) -> String {
    let text = field.signature.trim().trim_end_matches([';', ',']);
    // In Go the name stands first, also where the type has a part of the name: `context context.Context`.
    let found = if language == Language::Go {
        words_at(text, &field.name).next()
    } else {
        word_at(text, &field.name)
    };
    let Some(at) = found else { return String::new() };
    let (before, mut after) = (&text[..at], text[at + field.name.len()..].trim_start());
    // In Go one type may follow several names: `Up, Down key.Binding`.
    while let Some(rest) = after.strip_prefix(',').filter(|_| language == Language::Go) {
        after = rest.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
    }
    let after = after.trim_start_matches(['?', '!']).trim_start();
    if field.kind == SymbolKind::Variant {
        let inner: Vec<&str> = field.children.iter().map(|child| child.signature.as_str()).collect();
        return match (after.trim_start_matches('=').trim(), &inner[..]) {
            ("", [_, ..]) => format!("{{ {} }}", inner.join(", ")),
            (after, _) => after.to_owned(),
        };
    }
    let declared = match after.strip_prefix(':') {
        Some(after) => after,
        None if language == Language::Go => after.split('`').next().unwrap_or(after),
        None => before,
    };
    let declared = declared.split(" = ").next().unwrap_or(declared);
    let words = declared.split_whitespace().filter(|word| !is_modifier(word));
    words.collect::<Vec<_>>().join(" ")
}

fn is_modifier(word: &str) -> bool {
    const MODIFIERS: &[&str] = &[
        "const",
        "declare",
        "export",
        "final",
        "internal",
        "let",
        "private",
        "protected",
        "public",
        "readonly",
        "static",
        "transient",
        "var",
        "volatile",
    ];
    MODIFIERS.contains(&word)
}

/// Returns the byte positions of `name` as a whole word.
fn words_at(text: &str, name: &str) -> impl Iterator<Item = usize> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_alone = move |at: &usize| {
        !is_part(text[..*at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next())
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_alone)
}

/// Returns the byte position of the declared name as a whole word: the last one before `:` or `=`, because in
/// C the type, which may have the same name, comes first.
fn word_at(text: &str, name: &str) -> Option<usize> {
    let mut all = words_at(text, name);
    let first = all.next();
    let last = all.last().filter(|at| !text[..*at].contains([':', '=', '(', '{']));
    last.or(first)
}

/// Returns the traits that each type implements, by the name of the type, from Rust's `impl Trait for Type`.
fn implemented(sights: &[SeenFile]) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for symbol in sights.iter().flat_map(SeenFile::symbols).filter(|symbol| symbol.kind == SymbolKind::Impl) {
        if let Some((what, of)) = implementation(&symbol.signature) {
            found.entry(of.to_owned()).or_default().insert(what.to_owned());
        }
    }
    found
}

/// Returns the relationships of a type to other types of the component: `has` and `has many` from its fields,
/// `extends` and `implements` from its declaration. `names` are the types of the component.
fn ties(
    language: Language,
    symbol: &SymbolInfo,
    names: &BTreeSet<&str>,
    implemented: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<Relationship> {
    let mut found: BTreeMap<String, &str> = BTreeMap::new();
    let known = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| names.contains(word) && *word != symbol.name).map(str::to_owned).collect()
    };
    let data =
        symbol.children.iter().filter(|child| matches!(child.kind, SymbolKind::Field | SymbolKind::Variant));
    for child in data {
        let kind = field_type(language, child);
        let many = ["Vec<", "[", "List", "Map", "Set<", "set[", "Array<", "dict", "Deque"]
            .iter()
            .any(|word| kind.contains(word));
        for name in known(&kind) {
            found.entry(name).or_insert(if many { "has many" } else { "has" });
        }
    }
    if matches!(symbol.kind, SymbolKind::Class | SymbolKind::Interface | SymbolKind::Struct)
        && language != Language::Rust
    {
        let heritage = word_at(&symbol.signature, &symbol.name)
            .map_or("", |at| &symbol.signature[at + symbol.name.len()..]);
        found.extend(known(heritage).into_iter().map(|name| (name, "extends")));
    }
    for name in
        implemented.get(&symbol.name).into_iter().flatten().filter(|name| names.contains(name.as_str()))
    {
        found.insert(name.clone(), "implements");
    }
    found
        .into_iter()
        .map(|(target_model, kind)| Relationship { target_model, relation_type: kind.to_owned() })
        .collect()
}
