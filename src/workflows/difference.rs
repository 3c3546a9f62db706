//! Differences between JSON values by path, and between texts by word. Shared by the workflows and the
//! command line.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices};
use stategraph_base::cut;

/// Maximum length of a value in a line for the user, in characters. The JSON form is never cut.
const MAX_SHOWN: usize = 400;

/// Difference between two states of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct StateDifference {
    /// Lines for the user; empty if the states are equal.
    pub lines: Vec<String>,
    /// The same as fields of a JSON object.
    pub fields: Map<String, Value>,
}

/// Change of one value between two JSON values: its path, the value before and the value after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathChange {
    /// Path of the value, such as `items[2].name`. The index is that of the new list; of the old list for a removed item.
    pub path: String,
    /// Value before; `None` if it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// Value after; `None` if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
}

impl StateDifference {
    /// Compares two states, as JSON, by path. Fails if one of them is no JSON.
    pub fn by_path(old: &RawValue, new: &RawValue) -> serde_json::Result<Self> {
        let changes = compare(&serde_json::from_str(old.get())?, &serde_json::from_str(new.get())?);
        let lines = changes.iter().map(PathChange::line).collect();
        Ok(Self { lines, fields: Map::from_iter([("changes".to_owned(), json!(changes))]) })
    }
}

impl PathChange {
    /// Formats the change as a line: `+ path: value` for an added value, `-` for a removed one, `~` for
    /// a changed one.
    pub fn line(&self) -> String {
        let Self { path, from, to } = self;
        match (from, to) {
            (Some(Value::String(from)), Some(Value::String(to))) => {
                format!("~ {path}: {}", cut(&mark_words(from, to), MAX_SHOWN).in_line())
            }
            (Some(from), Some(to)) => format!("~ {path}: {} -> {}", show(from), show(to)),
            (None, Some(to)) => format!("+ {path}: {}", show(to)),
            (Some(from), None) => format!("- {path}: {}", show(from)),
            (None, None) => path.clone(),
        }
    }
}

/// Compares two JSON values and returns the changes in the order of the paths; empty if they are equal.
pub(crate) fn compare(old: &Value, new: &Value) -> Vec<PathChange> {
    let mut changes = Vec::new();
    compare_at("", old, new, &mut changes);
    changes
}

/// Appends the changes between two values at `path`, recursively.
fn compare_at(path: &str, old: &Value, new: &Value, changes: &mut Vec<PathChange>) {
    let change = |path: String, from: Option<&Value>, to: Option<&Value>| PathChange {
        path,
        from: from.cloned(),
        to: to.cloned(),
    };
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, from) in old {
                match new.get(name) {
                    Some(to) => compare_at(&field(path, name), from, to, changes),
                    None => changes.push(change(field(path, name), Some(from), None)),
                }
            }
            let added = new.iter().filter(|(name, _)| !old.contains_key(*name));
            changes.extend(added.map(|(name, to)| change(field(path, name), None, Some(to))));
        }
        (Value::Array(old), Value::Array(new)) => compare_lists(path, old, new, changes),
        _ if old == new => {}
        _ => changes.push(change(path.to_owned(), Some(old), Some(new))),
    }
}

/// Compares two lists by their longest common subsequence, so that an item inserted at the front is one
/// change.
fn compare_lists(path: &str, old: &[Value], new: &[Value], changes: &mut Vec<PathChange>) {
    let texts = |list: &[Value]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    for op in capture_diff_slices(Algorithm::Myers, &texts(old), &texts(new)) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (pairs, removed, added) = pair(old, op.old_range(), new, op.new_range());
        for (from, to) in pairs {
            compare_at(&format!("{path}[{to}]"), &old[from], &new[to], changes);
        }
        changes.extend(removed.into_iter().map(|at| PathChange {
            path: format!("{path}[{at}]"),
            from: Some(old[at].clone()),
            to: None,
        }));
        changes.extend(added.into_iter().map(|at| PathChange {
            path: format!("{path}[{at}]"),
            from: None,
            to: Some(new[at].clone()),
        }));
    }
}

/// Pairs of positions (old, new) of items that correspond, then the positions of removed and of added
/// items.
type ItemPairs = (Vec<(usize, usize)>, Vec<usize>, Vec<usize>);

/// Maximum product of the lengths of two runs whose items are compared with each other.
const COMPARED: usize = 2_500;
/// Minimum similarity of an item and its partner: from 0 (nothing in common) to 1 (equal).
const SIMILAR: f32 = 0.5;

/// Pairs each old item with the most similar new one, keeping the order of both lists, so that an
/// inserted item does not make all later items look changed. Very long runs are paired by position.
fn pair_by_similarity(old: &[Value], from: Range<usize>, new: &[Value], to: Range<usize>) -> ItemPairs {
    if from.len() == 1 && to.len() == 1 || from.len() * to.len() > COMPARED {
        let paired = from.len().min(to.len());
        let pairs = from.clone().zip(to.clone()).collect();
        return (pairs, from.skip(paired).collect(), to.skip(paired).collect());
    }
    let texts = |list: &[Value]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (olds, news) = (texts(&old[from.clone()]), texts(&new[to.clone()]));
    let (mut pairs, mut removed, mut added) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for (at, text) in olds.iter().enumerate() {
        let alike = |other: &String| TextDiff::from_words(text, other).ratio();
        let scored = news[next..].iter().map(alike).enumerate();
        let best = scored.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        match best.filter(|(_, ratio)| *ratio >= SIMILAR) {
            Some((offset, _)) => {
                added.extend((next..next + offset).map(|it| to.start + it));
                pairs.push((from.start + at, to.start + next + offset));
                next += offset + 1;
            }
            None => removed.push(from.start + at),
        }
    }
    added.extend((next..news.len()).map(|it| to.start + it));
    (pairs, removed, added)
}

/// Pairs the items of two runs that replace each other: by their field `name` if all items have one,
/// else by similarity.
fn pair(old: &[Value], from: Range<usize>, new: &[Value], to: Range<usize>) -> ItemPairs {
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
    let is_named = old[from.clone()].iter().chain(&new[to.clone()]).all(|item| name(item).is_some());
    if !is_named {
        return pair_by_similarity(old, from, new, to);
    }
    let mut added: Vec<usize> = to.collect();
    let (mut pairs, mut removed) = (Vec::new(), Vec::new());
    for at in from {
        match added.iter().position(|other| name(&new[*other]) == name(&old[at])) {
            Some(index) => pairs.push((at, added.remove(index))),
            None => removed.push(at),
        }
    }
    (pairs, removed, added)
}

/// Appends the name of a field to a path: `a.b`, or `a["b c"]` for unusual names.
fn field(path: &str, name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    match (path.is_empty(), is_plain) {
        (true, true) => name.to_owned(),
        (false, true) => format!("{path}.{name}"),
        (_, false) => format!("{path}[{}]", Value::from(name)),
    }
}

/// Marks the words of two texts that differ, as `git diff --word-diff` does: `[-removed-]{+added+}`.
pub(crate) fn mark_words(old: &str, new: &str) -> String {
    let mut marked = String::new();
    for (tag, text) in words(old, new) {
        let text = visible(&text);
        let (open, close) = match tag {
            ChangeTag::Equal => ("", ""),
            ChangeTag::Delete => ("[-", "-]"),
            ChangeTag::Insert => ("{+", "+}"),
        };
        marked.extend([open, &text, close]);
    }
    marked
}

/// Returns the word difference as JSON: a list of objects with `op` (`equal`, `delete`, `insert`) and `text`.
pub(crate) fn words_json(old: &str, new: &str) -> Value {
    let name = |tag| match tag {
        ChangeTag::Equal => "equal",
        ChangeTag::Delete => "delete",
        ChangeTag::Insert => "insert",
    };
    words(old, new).into_iter().map(|(tag, text)| json!({ "op": name(tag), "text": text })).collect()
}

/// Returns the runs of equal, removed and added words. White space between two changed words belongs to
/// the change.
fn words(old: &str, new: &str) -> Vec<(ChangeTag, String)> {
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    let (mut removed, mut added, mut space) = (String::new(), String::new(), String::new());
    let flush = |removed: &mut String, added: &mut String, runs: &mut Vec<(ChangeTag, String)>| {
        for (tag, text) in [(ChangeTag::Delete, removed), (ChangeTag::Insert, added)] {
            if !text.is_empty() {
                runs.push((tag, std::mem::take(text)));
            }
        }
    };
    let equal = |text: &str, runs: &mut Vec<(ChangeTag, String)>| match runs.last_mut() {
        Some((ChangeTag::Equal, last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => runs.push((ChangeTag::Equal, text.to_owned())),
    };
    for change in TextDiff::from_words(old, new).iter_all_changes() {
        let text = change.value();
        let is_changing = !(removed.is_empty() && added.is_empty());
        match change.tag() {
            ChangeTag::Equal if is_changing && text.trim().is_empty() => space.push_str(text),
            ChangeTag::Equal => {
                flush(&mut removed, &mut added, &mut runs);
                equal(&std::mem::take(&mut space), &mut runs);
                equal(text, &mut runs);
            }
            tag => {
                removed.push_str(&space);
                added.push_str(&space);
                space.clear();
                if tag == ChangeTag::Delete { removed.push_str(text) } else { added.push_str(text) }
            }
        }
    }
    flush(&mut removed, &mut added, &mut runs);
    equal(&space, &mut runs);
    runs
}

/// Formats a value on one line: a string without quotes, any other value as JSON; cut at `MAX_SHOWN`
/// characters.
fn show(value: &Value) -> String {
    match value {
        Value::String(text) => cut(&visible(text), MAX_SHOWN).in_line(),
        value => cut(&visible(&value.to_string()), MAX_SHOWN).in_line(),
    }
}

/// Replaces line breaks by spaces and other control characters by U+FFFD, because states hold text from outside.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| match c {
        '\n' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    Cow::Owned(text.chars().map(shown).collect())
}
