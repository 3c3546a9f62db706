//! Index of members by the words of their names, so that `TagsSelect`, `tags_select` and
//! `CMD_TAGS_SELECT` are recognized as one member.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::SiblingSet;
use crate::workflows::survey::definitions::words_of;

/// Maximum number of words of a name that is looked up.
const WORDS: usize = 10;
/// Maximum length of a name that is looked up, in bytes.
const BYTES: usize = 60;
/// Minimum length of a member without its separators, in bytes.
const LEAST: usize = 2;
/// Maximum number of looked-up names that are cached; the cache is emptied when it is full.
const NAMES: usize = 200_000;
/// Maximum number of members that one name may mean.
const MEANINGS: usize = 48;

/// Member that a name may mean, with the digest of the other words of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameMeaning {
    /// Index of the set, and of the member in it.
    pub(super) set: usize,
    pub(super) member: usize,
    /// Digest of the words before and behind the member: of `CMD_` in `CMD_TAGS_SELECT`. Names of one
    /// place share it.
    pub(super) affix: u64,
}

/// Index of the members of all sets by their joined lower-case words, without the words that all
/// members of a set share. `places` looks up every name of a file in it.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    members: HashMap<String, Vec<(usize, usize)>>,
    /// For each set, the digest of the words with which all its members begin and end.
    shared: Vec<u64>,
    /// Cache of looked-up names.
    known: HashMap<String, Vec<NameMeaning>>,
}

impl NameIndex {
    /// Builds the index. Set numbers in it are positions in `sets`.
    pub(super) fn of(sets: &[SiblingSet]) -> Self {
        let mut index = Self::default();
        for (at, set) in sets.iter().enumerate() {
            let all: Vec<Vec<String>> = set.members.iter().map(|name| words_of(name)).collect();
            let (before, behind) = shared_words(&all);
            let own = all.first().map_or_else(Default::default, |first| {
                (first[..before].concat(), first[first.len() - behind..].concat())
            });
            index.shared.push(affix(&own.0, &own.1));
            for (member, words) in all.iter().enumerate() {
                let key = words[before..words.len() - behind].concat();
                index.add(key, (at, member));
            }
            for (member, alias) in &set.aliases {
                index.add(words_of(alias).concat(), (at, *member));
            }
        }
        index
    }

    /// Adds a member under its joined words, up to `MEANINGS` members.
    fn add(&mut self, key: String, member: (usize, usize)) {
        let members = self.members.entry(key).or_default();
        if !members.contains(&member) && members.len() < MEANINGS {
            members.push(member);
        }
    }

    /// Returns the members that a name may mean, with the words around each; empty for a name of more
    /// than `BYTES` bytes. Caches the result.
    pub(super) fn meanings(&mut self, name: &str) -> &[NameMeaning] {
        if name.len() > BYTES {
            return &[];
        }
        if !self.known.contains_key(name) {
            if self.known.len() >= NAMES {
                self.known.clear();
            }
            let found = self.look_up(name);
            self.known.insert(name.to_owned(), found);
        }
        self.known.get(name).map_or(&[], Vec::as_slice)
    }

    /// Finds all members whose words occur consecutively in a name.
    fn look_up(&self, name: &str) -> Vec<NameMeaning> {
        let words = words_of(name);
        let mut found = Vec::new();
        if words.len() > WORDS {
            return found;
        }
        for from in 0..words.len() {
            let mut key = String::new();
            for to in from..words.len() {
                key.push_str(&words[to]);
                let Some(members) = self.members.get(&key).filter(|_| key.len() >= LEAST) else { continue };
                let affix = affix(&words[..from].concat(), &words[to + 1..].concat());
                let meanings =
                    members.iter().map(|(set, member)| NameMeaning { set: *set, member: *member, affix });
                found.extend(meanings.take(MEANINGS - found.len()));
            }
        }
        found
    }

    /// Returns true if the words with this digest are those that all members of the set share, so that
    /// the name is the member's own one.
    pub(super) fn is_own(&self, set: usize, affix: u64) -> bool {
        self.shared.get(set) == Some(&affix)
    }

    /// Returns true if a name is a member without the words that all members of the set share: `quit`
    /// for `actionQuit`.
    pub(super) fn is_short(&self, set: usize, around: u64) -> bool {
        !self.is_own(set, around) && around == affix("", "")
    }
}

/// Returns the digest of the words before and behind a member. A digest is kept because a table of all
/// words would grow with the code base.
fn affix(before: &str, behind: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (before, behind).hash(&mut hasher);
    hasher.finish()
}

/// Returns the number of words with which all names begin, and the number with which all end. At least
/// one word of each name is left.
fn shared_words(all: &[Vec<String>]) -> (usize, usize) {
    let Some(first) = all.first() else { return (0, 0) };
    let shortest = all.iter().map(Vec::len).min().unwrap_or(0);
    let before = (0..shortest.saturating_sub(1))
        .take_while(|at| all.iter().all(|words| words[*at] == first[*at]))
        .count();
    let behind = (1..(shortest - before).max(1))
        .take_while(|at| all.iter().all(|words| words[words.len() - at] == first[first.len() - at]))
        .count();
    (before, behind)
}

/// Returns the names on a line with their byte offsets: runs of letters, digits and `_`, with `-`
/// inside.
pub(super) fn names(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + line[rest..].find(|c: char| c.is_alphanumeric() || c == '_')?;
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let end = line[start..].find(|c: char| !is_name(c)).map_or(line.len(), |end| start + end);
        rest = end;
        Some((start, line[start..end].trim_end_matches('-')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_its_words() {
        assert_eq!(words_of("CMD_TAGS-selectAll2"), ["cmd", "tags", "select", "all2"]);
        assert_eq!(words_of("HTTPServer"), ["httpserver"]);
        let found: Vec<&str> = names("x --no-ignore, `a_b`: c").map(|(_, name)| name).collect();
        assert_eq!(found, ["x", "no-ignore", "a_b", "c"]);
    }
}
