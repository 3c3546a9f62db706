//! Checks an entry that a model writes: every name and place must exist. An unknown one costs its field, not the entry.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::known::{LookupRequest, RepositoryNames, code_spans, identifiers, places};
use crate::workflows::doc_phases::memory::{EntryType, parse_place};

/// Kind of names that the texts of an entry field contain; decides how they are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    /// Files, perhaps with words behind a colon.
    Files,
    /// Component ids.
    Components,
    /// Identifiers of the code.
    Identifiers,
    /// Prose, whose code spans and places are checked.
    Prose,
}

/// Fields of all entries with the kind of their texts. Other fields are ids, kinds and declarations.
const FIELDS: &[(&str, TextKind)] = &[
    ("key_files", TextKind::Files),
    ("explored_files", TextKind::Files),
    ("verified_by_files", TextKind::Files),
    ("files_involved", TextKind::Files),
    ("imported_by", TextKind::Files),
    ("entry_points", TextKind::Files),
    ("dependencies", TextKind::Components),
    ("dependents", TextKind::Components),
    ("used_by_components", TextKind::Components),
    ("components_involved", TextKind::Components),
    ("components_affected", TextKind::Components),
    ("component", TextKind::Components),
    ("next", TextKind::Components),
    ("name", TextKind::Identifiers),
    ("methods", TextKind::Identifiers),
    ("key_exports", TextKind::Identifiers),
    ("target_model", TextKind::Identifiers),
    ("data_models_used", TextKind::Identifiers),
    ("purpose", TextKind::Prose),
    ("responsibility", TextKind::Prose),
    ("description", TextKind::Prose),
    ("architectural_style", TextKind::Prose),
    ("key_abstractions", TextKind::Prose),
    ("design_patterns_used", TextKind::Prose),
    ("implementation_pattern", TextKind::Prose),
    ("trigger", TextKind::Prose),
    ("action", TextKind::Prose),
    ("text", TextKind::Prose),
];

/// Field with the paths of each component.
const BOUNDARIES: &str = "component_boundaries";

/// Fields without which an item of a list says nothing.
const ESSENTIAL: [&str; 4] = ["name", "target_model", "component", "action"];

fn names_in(field: &str) -> Option<TextKind> {
    FIELDS.iter().find(|(name, _)| *name == field).map(|(_, names)| *names)
}

/// Adds the identifiers and paths in an entry that must be looked up in the repository to `wanted`: those
/// that `known` does not have already.
pub(super) fn collect(entry: &Map<String, Value>, known: &RepositoryNames<'_>, wanted: &mut LookupRequest) {
    if let Some(lines) = entry.get("place").and_then(Value::as_str).and_then(parse_place) {
        wanted.files.insert(lines.path);
    }
    for paths in entry.get(BOUNDARIES).and_then(Value::as_object).into_iter().flat_map(Map::values) {
        wanted.paths.extend(texts(paths).into_iter().map(str::to_owned));
    }
    for (field, value) in entry {
        let Some(names) = names_in(field) else {
            each_object(value, &mut |inner| collect(inner, known, wanted));
            continue;
        };
        each_object(value, &mut |inner| collect(inner, known, wanted));
        for text in texts(value) {
            match names {
                TextKind::Files => drop(wanted.files.insert(file_of(text).to_owned())),
                TextKind::Components => {}
                TextKind::Identifiers => want(identifiers(text), known, wanted),
                TextKind::Prose => {
                    code_spans(text).for_each(|span| want(identifiers(span), known, wanted));
                    wanted.files.extend(places(text).map(|lines| lines.path));
                }
            }
        }
    }
}

fn want(parts: Vec<&str>, known: &RepositoryNames<'_>, wanted: &mut LookupRequest) {
    let unknown = parts.into_iter().filter(|part| !known.has_name(part));
    wanted.names.extend(unknown.map(str::to_owned));
}

fn each_object(value: &Value, look: &mut impl FnMut(&Map<String, Value>)) {
    if let Value::Array(items) = value {
        items.iter().filter_map(Value::as_object).for_each(look);
    }
}

/// Returns the value if it is a string, or the strings of a list; none for other values.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns the path at the start of a text such as `src/main.rs: the program`, without `./`.
fn file_of(text: &str) -> &str {
    text.split(": ").next().unwrap_or(text).trim_start_matches("./")
}

/// Removes from an entry the fields and list items that name something that is not in the repository. Returns
/// a message for each unknown name, with its field.
pub(super) fn strip_unknown(
    kind: EntryType,
    entry: &mut Map<String, Value>,
    known: &RepositoryNames<'_>,
) -> BTreeSet<String> {
    let mut unknown = BTreeSet::new();
    if kind == EntryType::Note {
        let place = entry.get("place").and_then(Value::as_str).unwrap_or_default();
        let problem = match parse_place(place) {
            Some(lines) => known.place_problem(&lines),
            None => Some("write it as `path:start-end`".to_owned()),
        };
        if let Some(problem) = problem {
            unknown.insert(format!("place {place:?}: {problem}"));
            entry.shift_remove("place");
        }
    }
    if let Some(Value::Object(bounds)) = entry.get_mut(BOUNDARIES) {
        strip_boundaries(bounds, known, &mut unknown);
    }
    strip_object("", entry, known, &mut unknown);
    unknown
}

/// Removes the paths that do not exist from the paths of each component, and components without any path.
/// Adds a message for each removed path to `unknown`.
fn strip_boundaries(
    bounds: &mut Map<String, Value>,
    known: &RepositoryNames<'_>,
    unknown: &mut BTreeSet<String>,
) {
    for (id, paths) in bounds.iter_mut() {
        let Value::Array(paths) = paths else { continue };
        paths.retain(|path| {
            let Some(path) = path.as_str() else { return true };
            let is_known = known.has_path(path);
            if !is_known {
                unknown.insert(format!("{} in {BOUNDARIES}.{id}", quote(path)));
            }
            is_known
        });
    }
    bounds.retain(|_, paths| paths.as_array().is_none_or(|paths| !paths.is_empty()));
}

/// Removes the fields of an object that name something unknown; `around` is the path of the object, empty for
/// the entry. Returns true if an inner object lost a field without which it says nothing.
fn strip_object(
    around: &str,
    entry: &mut Map<String, Value>,
    known: &RepositoryNames<'_>,
    unknown: &mut BTreeSet<String>,
) -> bool {
    let fields: Vec<String> = entry.keys().cloned().collect();
    let mut lacks_essential = false;
    for field in fields {
        let Some(value) = entry.get_mut(&field) else { continue };
        let shown = if around.is_empty() { field.clone() } else { format!("{around}.{field}") };
        let keeps = match (value, names_in(&field)) {
            (Value::Array(items), names) => {
                items.retain_mut(|item| strip_item(&shown, item, names, known, unknown));
                true
            }
            (Value::String(text), Some(names)) => is_known(&shown, text, names, known, unknown),
            _ => true,
        };
        if !keeps {
            entry.shift_remove(&field);
            lacks_essential |= !around.is_empty() && ESSENTIAL.contains(&field.as_str());
        }
    }
    lacks_essential
}

/// Removes unknown names from a list item. Returns false if the item itself must be removed.
fn strip_item(
    field: &str,
    item: &mut Value,
    names: Option<TextKind>,
    known: &RepositoryNames<'_>,
    unknown: &mut BTreeSet<String>,
) -> bool {
    match (item, names) {
        (Value::Object(inner), _) => !strip_object(field, inner, known, unknown),
        (Value::String(text), Some(names)) => is_known(field, text, names, known, unknown),
        _ => true,
    }
}

/// Returns true if everything that a text names exists. Adds a message for each missing name to `unknown`.
fn is_known(
    field: &str,
    text: &str,
    names: TextKind,
    known: &RepositoryNames<'_>,
    unknown: &mut BTreeSet<String>,
) -> bool {
    let missing: Vec<String> = match names {
        TextKind::Files => {
            Some(file_of(text)).filter(|path| !known.has_file(path)).into_iter().map(quote).collect()
        }
        TextKind::Components => {
            let is_unknown = !text.is_empty() && !known.has_component(text);
            is_unknown.then(|| quote(text)).into_iter().collect()
        }
        TextKind::Identifiers => {
            let parts = identifiers(text);
            let is_unknown = !parts.iter().all(|part| known.has_name(part));
            is_unknown.then(|| quote(text)).into_iter().collect()
        }
        TextKind::Prose => {
            let spans =
                code_spans(text).filter(|span| !identifiers(span).iter().all(|part| known.has_name(part)));
            let wrong = places(text).filter_map(|lines| known.place_problem(&lines));
            spans.map(quote).chain(wrong).collect()
        }
    };
    unknown.extend(missing.iter().map(|what| format!("{what} in {field}")));
    missing.is_empty()
}

fn quote(text: &str) -> String {
    format!("`{}`", crate::repo::cut(text, 80).kept)
}
