//! Merges the fields of a model into a stored entry: rules fill the facts, the model the meaning (DOC-98). Pure.

use serde_json::{Map, Value};

/// Fields that rules read from the code. A stored value that is not empty stays.
const FACTS: [&str; 9] = [
    "root_path",
    "file_path",
    "model_name",
    "model_type",
    "signature",
    "type",
    "methods",
    "imports_from",
    "imported_by",
];

/// Lists of facts: new items are added, stored ones stay.
const UNIONS: [&str; 10] = [
    "key_files",
    "explored_files",
    "dependencies",
    "dependents",
    "verified_by_files",
    "tech_stack",
    "entry_points",
    "key_exports",
    "used_by_components",
    "components_affected",
];

/// Fields that hold the words and decisions of a model, in entries and in the items of their lists.
const WORDS: [&str; 14] = [
    "component_boundaries",
    "major_components",
    "responsibility",
    "purpose",
    "description",
    "layer",
    "architectural_style",
    "key_abstractions",
    "design_patterns_used",
    "implementation_pattern",
    "public_interfaces",
    "key_functions",
    "key_classes",
    "fields",
];

/// Returns `facts`, a fresh entry of the rules, with the descriptions of an earlier version of the entry. Of
/// a list of named items, only items that `facts` still has are described.
pub(in super::super) fn merge_words(
    facts: Map<String, Value>,
    earlier: &Map<String, Value>,
) -> Map<String, Value> {
    let mut words = Map::new();
    for (field, value) in earlier.iter().filter(|(field, _)| WORDS.contains(&field.as_str())) {
        let kept = match (facts.get(field), value) {
            (Some(Value::Array(there)), Value::Array(items))
                if items.iter().all(|item| name(item).is_some()) =>
            {
                let is_there = |item: &&Value| there.iter().any(|known| name(known) == name(item));
                Value::Array(items.iter().filter(is_there).map(words_of_item).collect())
            }
            (_, value) => value.clone(),
        };
        words.insert(field.clone(), kept);
    }
    merge(facts, words)
}

fn words_of_item(item: &Value) -> Value {
    let fields = item.as_object().into_iter().flatten();
    let kept = fields.filter(|(field, _)| *field == "name" || WORDS.contains(&field.as_str()));
    Value::Object(kept.map(|(field, value)| (field.clone(), value.clone())).collect())
}

/// Returns the fields `stored` with the fields `added` merged in. Empty values change nothing, facts that
/// rules read from the code stay, lists of named items are merged by name, and other fields are replaced.
pub(super) fn merge(mut stored: Map<String, Value>, added: Map<String, Value>) -> Map<String, Value> {
    for (field, value) in added.into_iter().filter(|(_, value)| !is_empty(value)) {
        match stored.get_mut(&field) {
            Some(before) if !is_empty(before) => merge_field(&field, before, value),
            _ => drop(stored.insert(field, value)),
        }
    }
    stored
}

fn merge_field(field: &str, before: &mut Value, value: Value) {
    if FACTS.contains(&field) {
        return;
    }
    match (before, value) {
        (Value::Array(before), Value::Array(added)) if added.iter().all(|item| name(item).is_some()) => {
            added.into_iter().for_each(|item| merge_item(before, item));
        }
        (Value::Array(before), Value::Array(added)) if UNIONS.contains(&field) => {
            for item in added {
                if !before.contains(&item) {
                    before.push(item);
                }
            }
        }
        (before, value) => *before = value,
    }
}

/// Merges an item into the first item of `before` with the same name, or appends it.
fn merge_item(before: &mut Vec<Value>, item: Value) {
    let same = before.iter_mut().find(|old| name(old) == name(&item));
    match (same, item) {
        (Some(Value::Object(old)), Value::Object(item)) => *old = merge(std::mem::take(old), item),
        (_, item) => before.push(item),
    }
}

fn name(item: &Value) -> Option<&str> {
    item.get("name")?.as_str()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(stored: Value, added: Value) -> Value {
        let fields = |value: Value| value.as_object().expect("an object").clone();
        Value::Object(merge(fields(stored), fields(added)))
    }

    #[test]
    fn words_are_added_and_facts_stay() {
        let stored = json!({
            "file_path": "a.rs", "responsibility": "", "imports_from": ["b.rs"],
            "key_functions": [{ "name": "open", "signature": "fn open()", "purpose": "" }],
        });
        let added = json!({
            "file_path": "other.rs", "responsibility": "Opens doors.", "imports_from": ["c.rs"],
            "key_functions": [
                { "name": "open", "signature": "fn wrong()", "purpose": "Opens one." },
                { "name": "shut", "purpose": "Shuts one." },
            ],
        });
        let expected = json!({
            "file_path": "a.rs", "responsibility": "Opens doors.", "imports_from": ["b.rs"],
            "key_functions": [
                { "name": "open", "signature": "fn open()", "purpose": "Opens one." },
                { "name": "shut", "purpose": "Shuts one." },
            ],
        });
        assert_eq!(merged(stored, added), expected);
    }

    #[test]
    fn an_empty_value_erases_nothing() {
        let stored = json!({ "responsibility": "Opens doors.", "key_files": ["a.rs"] });
        let added = json!({ "responsibility": " ", "key_files": [], "layer": null });
        assert_eq!(merged(stored, added), json!({ "responsibility": "Opens doors.", "key_files": ["a.rs"] }));
    }

    #[test]
    fn a_list_of_words_is_replaced() {
        let both = merged(json!({ "key_abstractions": ["a"] }), json!({ "key_abstractions": ["b"] }));
        assert_eq!(both, json!({ "key_abstractions": ["b"] }));
    }
}
