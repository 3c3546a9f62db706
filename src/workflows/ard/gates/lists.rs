//! Finds enumerations of the idea that a draft names only in part.

use std::collections::BTreeSet;

use super::{GateFinding, GateInput};
use crate::workflows::ard::analysis::stems;

/// Maximum number of words of an item in a list.
const ITEM_WORDS: usize = 3;
/// Words that do not distinguish one item from another.
const SMALL: &[&str] =
    &["a", "an", "the", "or", "and", "of", "in", "to", "as", "for", "with", "by", "on", "at", "be", "it"];

/// Verbs before a participle, as in "is made".
const AUXILIARIES: &[&str] = &["is", "are", "be", "been", "being", "was", "were", "gets", "get"];
/// Participles that do not end in "ed".
const PARTICIPLES: &[&str] = &[
    "made", "kept", "sent", "written", "shown", "read", "told", "given", "built", "found", "held", "drawn",
    "put", "set", "cut", "paid", "sold", "bought", "taken", "seen", "known", "done",
];

/// Finds lists of three or more items of which a draft names at least two and at least half, but not
/// all. A draft that names fewer items probably uses other words for the list.
pub(super) fn broken(input: &GateInput<'_>) -> Vec<GateFinding> {
    let text = stems(&serde_json::to_string(input.draft).expect("a draft is plain data"));
    let is_excluded = |number: usize| input.analysis.exclusions.iter().any(|it| it.statement == number);
    let mut found = Vec::new();
    for statement in input.analysis.statements.iter().filter(|it| !it.is_excluded && !is_excluded(it.number))
    {
        for items in enumerations(&statement.text) {
            let (named, missing): (Vec<_>, Vec<_>) = items.iter().partition(|item| is_named(item, &text));
            if named.len() >= 2 && named.len() >= missing.len() && !missing.is_empty() {
                let missing = missing.iter().map(|item| item.words().join(" ")).collect();
                found.push(GateFinding::BrokenList { missing, statement: statement.number });
            }
        }
    }
    found
}

/// Item of a list in a sentence. The first and the last item run into the sentence, so that only some
/// of their words belong to the list.
enum Item<'a> {
    First(&'a str),
    Inner(Vec<&'a str>),
    Last(Vec<&'a str>),
}

impl<'a> Item<'a> {
    /// Returns the words that a finding shows for the item.
    fn words(&self) -> Vec<&'a str> {
        match self {
            Self::First(word) => vec![word],
            Self::Inner(words) => words.clone(),
            Self::Last(words) => words.first().copied().into_iter().collect(),
        }
    }
}

/// Returns true if the stems of a text contain a telling word of the item.
fn is_named(item: &Item<'_>, text: &BTreeSet<String>) -> bool {
    let holds = |word: &&str| {
        let words = stems(word);
        words.iter().any(|word| !SMALL.contains(&word.as_str()) && text.contains(word))
    };
    match item {
        Item::First(word) => holds(word),
        Item::Inner(words) | Item::Last(words) => words.iter().any(holds),
    }
}

/// Returns the lists "A, B and C" of a sentence whose items are short. Lists of actions are left out.
fn enumerations(sentence: &str) -> Vec<Vec<Item<'_>>> {
    let mut lists = Vec::new();
    for part in sentence.split(['.', ';', ':', '(', ')', '?', '!']) {
        let mut pieces: Vec<&str> = part.split(',').map(str::trim).collect();
        if pieces.len() < 2 {
            continue;
        }
        let last = pieces.pop().expect("two pieces");
        let joined = [" and ", " or "].iter().find_map(|joint| last.split_once(joint));
        let (before, end) = match (last.strip_prefix("and ").or_else(|| last.strip_prefix("or ")), joined) {
            (Some(end), _) => (None, end),
            (None, Some((before, end))) => (Some(before.trim()), end),
            (None, None) => continue,
        };
        pieces.extend(before);
        let is_short = |piece: &&str| (1..=ITEM_WORDS).contains(&piece.split_whitespace().count());
        // The list begins after the last piece that is too long for an item.
        let start = pieces.iter().rposition(|piece| !is_short(piece)).unwrap_or(0);
        let [first, inner @ ..] = &pieces[start..] else { continue };
        let Some(first) = first.split_whitespace().next_back() else { continue };
        if inner.is_empty() || end.is_empty() || is_of_actions(pieces[start], inner, end) {
            continue;
        }
        let mut items = vec![Item::First(first)];
        items.extend(inner.iter().map(|piece| Item::Inner(piece.split_whitespace().collect())));
        items.push(Item::Last(end.split_whitespace().take(ITEM_WORDS).collect()));
        lists.push(items);
    }
    lists
}

/// Returns true for a list of participles such as "is made, signed and kept", which a draft may express
/// in other words.
fn is_of_actions(first: &str, inner: &[&str], end: &str) -> bool {
    let mut words = first.split_whitespace().rev();
    let is_action = |word: &str| word.ends_with("ed") || PARTICIPLES.contains(&word);
    let begins = |piece: &str| piece.split_whitespace().next().is_some_and(is_action);
    words.next().is_some_and(is_action)
        && words.next().is_some_and(|word| AUXILIARIES.contains(&word))
        && inner.iter().all(|piece| begins(piece))
        && begins(end)
}
