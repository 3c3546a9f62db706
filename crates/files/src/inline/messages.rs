//! The reducer of conversations on JSON: appends messages, replaces them by id, removes them (LangGraph's
//! `add_messages`). The form of a message is that of `stategraph_llm`. Pure; calls no model.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::message_schema::message_schema;
use super::value_type::ValueType;
use stategraph_core::nearest;

/// Type that a written message must fit. The id may be absent; folding the message then gives it one.
static MESSAGE: LazyLock<ValueType> =
    LazyLock::new(|| ValueType::parse(message_schema()).expect("the schema of a message compiles"));

/// Parses a value written to a conversation into a list of changes, the form that checkpoints store. A text
/// is a message of the user; `{ remove: ID }` and `{ remove_all: true }` remove messages; a list holds
/// several changes.
pub(super) fn parse_changes(written: Value) -> Result<Vec<Value>, String> {
    match written {
        Value::Array(list) => list.into_iter().map(parse_change).collect(),
        one => Ok(vec![parse_change(one)?]),
    }
}

/// Parses one change of a conversation: a text, a message or a removal. Fails for any other value.
fn parse_change(written: Value) -> Result<Value, String> {
    if let Value::String(text) = written {
        return Ok(json!({ "role": "user", "content": text }));
    }
    if parse_removal(&written).is_none() {
        MESSAGE.check(&written).map_err(|reason| {
            format!("it is no message ({reason}), nor a text, {{ remove: ID }} or {{ remove_all: true }}")
        })?;
    }
    Ok(written)
}

/// The messages that a change of a conversation removes: one by its id, or all.
enum Removal<'a> {
    One(&'a str),
    All,
}

fn parse_removal(change: &Value) -> Option<Removal<'_>> {
    let map = change.as_object().filter(|map| map.len() == 1)?;
    if map.get("remove_all") == Some(&Value::Bool(true)) {
        return Some(Removal::All);
    }
    map.get("remove")?.as_str().map(Removal::One)
}

/// Fails if one of `changes` removes a message that is neither in the conversation nor added by an earlier
/// one of them.
pub(super) fn check_removals(conversation: &Value, changes: &[Value]) -> Result<(), String> {
    if !changes.iter().any(|change| matches!(parse_removal(change), Some(Removal::One(_)))) {
        return Ok(());
    }
    let mut conversation = conversation.clone();
    for change in changes {
        if let Some(Removal::One(id)) = parse_removal(change) {
            let known: Vec<&str> = conversation
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|known| known["id"].as_str())
                .collect();
            if !known.contains(&id) {
                let near = nearest(id, known.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
                return Err(format!("there is no message `{id}` to remove{}", near.unwrap_or_default()));
            }
        }
        fold(&mut conversation, change.clone())?;
    }
    Ok(())
}

/// Folds one change into a conversation. Removing an absent message does nothing, because a sibling task may have
/// removed it in the same superstep. A node that removes a message which it does not see fails earlier, in
/// [`check_removals`].
pub(super) fn fold(value: &mut Value, change: Value) -> Result<(), String> {
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    let list = value.as_array_mut().expect("it was just made one");
    match parse_removal(&change) {
        Some(Removal::All) => list.clear(),
        Some(Removal::One(id)) => list.retain(|known| known["id"] != *id),
        None => {
            MESSAGE.check(&change)?;
            upsert(list, change);
        }
    }
    Ok(())
}

/// Gives each message of a conversation without an id one. Of several messages with one id only the last is
/// kept, at the place of the first. Returns other values unchanged.
pub(super) fn assign_ids(value: Value) -> Value {
    let Value::Array(messages) = value else { return value };
    let mut list = Vec::with_capacity(messages.len());
    messages.into_iter().for_each(|message| upsert(&mut list, message));
    Value::Array(list)
}

/// Replaces the message with the same id, or appends it. A message without an id gets the next free one.
fn upsert(list: &mut Vec<Value>, mut message: Value) {
    let known = message.get("id").and_then(Value::as_str).map(str::to_owned);
    let id = known.unwrap_or_else(|| next_id(list));
    if let Some(fields) = message.as_object_mut() {
        // The id comes first in the JSON, where readers expect it.
        fields.shift_insert(0, "id".to_owned(), id.as_str().into());
    }
    match list.iter_mut().find(|known| known["id"] == *id) {
        Some(known) => *known = message,
        None => list.push(message),
    }
}

/// Returns the id of a new message: `m` and the number after the largest one in use, such as `m3`. It depends
/// on the list alone, so every run assigns the same ids.
fn next_id(list: &[Value]) -> String {
    let number = |message: &Value| message["id"].as_str()?.strip_prefix('m')?.parse::<u64>().ok();
    let largest = list.iter().filter_map(number).filter(|number| *number < u64::MAX).max().unwrap_or(0);
    format!("m{}", largest + 1)
}
