//! Difference between two states of a debate: components, other fields of the draft, challenges,
//! progress. Pure.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::exchange::{Component, DesignDraft, Review};
use super::state::Debate;
use crate::workflows::difference::{PathChange, StateDifference, compare, mark_words, visible, words_json};

/// Fields of a draft that are not compared by path: components are compared by name, and the rationale
/// repeats the answers.
const OWN_SECTIONS: [&str; 2] = ["components", "answers"];

/// Maximum number of changes that a prompt shows.
const MAX_CHANGES: usize = 200;

/// Component that both drafts have under the same name, with different content.
struct ChangedComponent<'a> {
    old: &'a Component,
    new: &'a Component,
    /// Changes of the fields other than the purpose.
    changes: Vec<PathChange>,
}

/// Challenge with the id by which documents name it, such as `R2.1` (round 2, challenge 1).
#[derive(Serialize)]
struct NamedChallenge<'a> {
    id: String,
    category: &'static str,
    description: &'a str,
}

/// Compares two states of a debate. The result has lines for the terminal and fields for JSON.
pub(super) fn compare_debates(old: &Debate, new: &Debate) -> StateDifference {
    let mut lines = Vec::new();
    let mut fields = Map::new();
    let nothing = DesignDraft::default();
    let drafts =
        (old.current_draft.as_ref().unwrap_or(&nothing), new.current_draft.as_ref().unwrap_or(&nothing));
    fields.insert("components".to_owned(), compare_components(drafts.0, drafts.1, &mut lines));
    let rest = compare(&without_sections(drafts.0), &without_sections(drafts.1));
    section("draft", rest.iter().map(PathChange::line), &mut lines);
    fields.insert("draft".to_owned(), json!(rest));
    fields.insert("challenges".to_owned(), compare_reviews(old, new, &mut lines));
    let progress = compare(&progress(old), &progress(new));
    section("debate", progress.iter().map(PathChange::line), &mut lines);
    fields.insert("debate".to_owned(), json!(progress));
    StateDifference { lines, fields }
}

/// Returns the differences between two drafts as lines for a prompt, without the answers to challenges;
/// at most [`MAX_CHANGES`] lines and one about the rest.
pub(super) fn draft_changes(old: &DesignDraft, new: &DesignDraft) -> Vec<String> {
    let mut lines = Vec::new();
    compare_components(old, new, &mut lines);
    let without_answers = |draft: &DesignDraft| without_sections(&draft.clone().without_answers());
    let rest = compare(&without_answers(old), &without_answers(new));
    section("draft", rest.iter().map(prompt_line), &mut lines);
    let more = lines.len().saturating_sub(MAX_CHANGES);
    lines.truncate(MAX_CHANGES);
    lines.extend((more > 0).then(|| format!("… and {more} more lines")));
    lines
}

/// Formats a change for a prompt: with both texts in full, because a reviewer judges new text, and with
/// items numbered as in reviews.
fn prompt_line(change: &PathChange) -> String {
    let place = number_item(&change.path);
    match (&change.from, &change.to) {
        (Some(Value::String(from)), Some(Value::String(to))) => {
            format!("~ {place}: was “{}”, is “{}”", visible(from), visible(to))
        }
        _ => PathChange { path: place, ..change.clone() }.line(),
    }
}

/// Converts the path of a list item to the words of reviews: `requirements[4].text` becomes
/// `requirement 5.text`. Other paths stay.
fn number_item(path: &str) -> String {
    const LISTS: &[(&str, &str)] = &[
        ("requirements[", "requirement"),
        ("decisions[", "decision"),
        ("assumptions[", "assumption"),
        ("questions[", "question"),
        ("relations[", "relation"),
        ("quality[", "quality goal"),
        ("flows[", "flow"),
        ("states[", "life cycle"),
    ];
    let item = LISTS.iter().find_map(|(list, item)| {
        let (number, rest) = path.strip_prefix(list)?.split_once(']')?;
        Some(format!("{item} {}{rest}", number.parse::<usize>().ok()? + 1))
    });
    item.unwrap_or_else(|| path.to_owned())
}

/// Appends a heading and its indented lines to `lines`, unless `body` is empty.
fn section(heading: &str, body: impl IntoIterator<Item = String>, lines: &mut Vec<String>) {
    let mut body = body.into_iter().peekable();
    if body.peek().is_some() {
        lines.push(format!("{heading}:"));
        lines.extend(body.map(|line| format!("  {line}")));
    }
}

/// Compares the components by name. Appends lines, and returns the JSON with `added`, `removed` and
/// `changed`.
fn compare_components(old: &DesignDraft, new: &DesignDraft, lines: &mut Vec<String>) -> Value {
    let find = |draft: &'_ DesignDraft, name: &str| draft.components.iter().any(|it| it.name == name);
    let added: Vec<_> = new.components.iter().filter(|it| !find(old, &it.name)).collect();
    let removed: Vec<_> = old.components.iter().filter(|it| !find(new, &it.name)).collect();
    let changed = old.components.iter().filter_map(|old| {
        let new = new.components.iter().find(|it| it.name == old.name).filter(|new| *new != old)?;
        Some(ChangedComponent::new(old, new))
    });
    let changed: Vec<_> = changed.collect();
    let line = |mark: &str, it: &&Component| {
        let (name, purpose) = (visible(&it.name), visible(&it.purpose));
        format!("{mark} {name} ({}): {purpose}", it.kind.as_str())
    };
    let body = removed.iter().map(|it| line("-", it)).chain(added.iter().map(|it| line("+", it)));
    section("components", body.chain(changed.iter().flat_map(ChangedComponent::lines)), lines);
    json!({
        "added": added,
        "removed": removed,
        "changed": changed.iter().map(ChangedComponent::json).collect::<Vec<_>>(),
    })
}

impl<'a> ChangedComponent<'a> {
    fn new(old: &'a Component, new: &'a Component) -> Self {
        let mut changes = compare(&json!(old), &json!(new));
        changes.retain(|change| change.path != "purpose");
        Self { old, new, changes }
    }

    fn lines(&self) -> Vec<String> {
        let Self { old, new, changes } = self;
        let purpose = if old.purpose == new.purpose {
            "the purpose is the same".to_owned()
        } else {
            mark_words(&old.purpose, &new.purpose)
        };
        let first = format!("~ {}: {purpose}", visible(&new.name));
        [first].into_iter().chain(changes.iter().map(|it| format!("    {}", it.line()))).collect()
    }

    fn json(&self) -> Value {
        let Self { old, new, changes } = self;
        let mut fields = json!({ "name": new.name, "changes": changes });
        if old.purpose != new.purpose {
            let words = words_json(&old.purpose, &new.purpose);
            fields["purpose"] = json!({ "from": old.purpose, "to": new.purpose, "words": words });
        }
        fields
    }
}

/// Compares the reviews behind those that both debates share at the beginning; one state may also be a
/// fork of the other. Appends lines, and returns the JSON with `raised` and `withdrawn`.
fn compare_reviews(old: &Debate, new: &Debate, lines: &mut Vec<String>) -> Value {
    let (old, new) = (&old.challenge_history, &new.challenge_history);
    let shared = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (withdrawn, raised) = (name_challenges(old, shared), name_challenges(new, shared));
    let line = |mark: &str, it: &NamedChallenge<'_>| {
        format!("{mark} {} {}: {}", it.id, it.category, visible(it.description))
    };
    let body = withdrawn.iter().map(|it| line("-", it)).chain(raised.iter().map(|it| line("+", it)));
    section("challenges", body, lines);
    json!({ "raised": raised, "withdrawn": withdrawn })
}

/// Returns the challenges of all reviews but the first `skipped` ones, with their ids.
fn name_challenges(reviews: &[Review], skipped: usize) -> Vec<NamedChallenge<'_>> {
    let rounds = (1..).zip(reviews).skip(skipped);
    let named = rounds.flat_map(|(round, review): (usize, _)| {
        review.challenges.iter().map(move |it| NamedChallenge {
            id: format!("R{round}.{}", it.id),
            category: it.category.as_str(),
            description: &it.description,
        })
    });
    named.collect()
}

/// Returns a draft as JSON without the fields in `OWN_SECTIONS`.
fn without_sections(draft: &DesignDraft) -> Value {
    let mut draft = json!(draft);
    if let Some(fields) = draft.as_object_mut() {
        OWN_SECTIONS.iter().for_each(|name| drop(fields.shift_remove(*name)));
    }
    draft
}

/// Returns, as JSON, the facts of a debate beside draft and reviews: rounds, status, ending, settings,
/// decisions of the user, fallback.
fn progress(debate: &Debate) -> Value {
    json!({
        "rounds": debate.challenge_history.len(),
        "status": debate.status,
        "ending": debate.ending,
        "settings": debate.settings,
        "clarifications": debate.clarifications,
        "fallback": debate.fallback,
    })
}
