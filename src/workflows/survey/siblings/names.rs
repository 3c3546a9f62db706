//! Names as their words, so that `TagsSelect`, `tags_select` and `CMD_TAGS_SELECT` name one member.

use std::collections::HashMap;

use super::SiblingSet;

/// Most words of a name, and the longest name in bytes.
const WORDS: usize = 10;
const BYTES: usize = 60;
/// Fewest characters of a member without its separators.
const LEAST: usize = 2;
/// Most different names that are kept, and most members that one name may mean.
const NAMES: usize = 200_000;
const MEANINGS: usize = 48;

/// A member that a name means, with the words before and behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameMeaning {
    pub(super) set: usize,
    pub(super) member: usize,
    /// Number of the words before and behind the member.
    pub(super) affix: usize,
}

/// The members of all sets by their words.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    members: HashMap<String, Vec<(usize, usize)>>,
    affixes: HashMap<(String, String), usize>,
    /// The words with which all members of a set begin and end, by set.
    shared: Vec<usize>,
    known: HashMap<String, Vec<NameMeaning>>,
}

impl NameIndex {
    pub(super) fn of(sets: &[SiblingSet]) -> Self {
        let mut index = Self::default();
        for (at, set) in sets.iter().enumerate() {
            let all: Vec<Vec<String>> = set.members.iter().map(|name| words(name)).collect();
            let (before, behind) = shared_words(&all);
            let own = all.first().map_or_else(Default::default, |first| {
                (first[..before].concat(), first[first.len() - behind..].concat())
            });
            let own = index.affix(own);
            index.shared.push(own);
            for (member, words) in all.iter().enumerate() {
                let key = words[before..words.len() - behind].concat();
                index.add(key, (at, member));
            }
            for (member, alias) in &set.aliases {
                index.add(words(alias).concat(), (at, *member));
            }
        }
        index
    }

    fn add(&mut self, key: String, member: (usize, usize)) {
        let members = self.members.entry(key).or_default();
        if !members.contains(&member) && members.len() < MEANINGS {
            members.push(member);
        }
    }

    /// Returns the members that a name may mean.
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

    fn look_up(&mut self, name: &str) -> Vec<NameMeaning> {
        let words = words(name);
        let mut found = Vec::new();
        if words.len() > WORDS {
            return found;
        }
        for from in 0..words.len() {
            let mut key = String::new();
            for to in from..words.len() {
                key.push_str(&words[to]);
                let Some(members) = self.members.get(&key).filter(|_| key.len() >= LEAST) else { continue };
                let members = members.clone();
                let affix = self.affix((words[..from].concat(), words[to + 1..].concat()));
                for (set, member) in members {
                    if found.len() < MEANINGS {
                        found.push(NameMeaning { set, member, affix });
                    }
                }
            }
        }
        found
    }

    fn affix(&mut self, around: (String, String)) -> usize {
        let next = self.affixes.len();
        *self.affixes.entry(around).or_insert(next)
    }

    /// Returns true if a name with these words around the member is that of the member.
    pub(super) fn is_own(&self, set: usize, affix: usize) -> bool {
        self.shared.get(set) == Some(&affix)
    }

    /// Returns true for a name that lacks the words that all members share.
    pub(super) fn is_short(&self, set: usize, affix: usize) -> bool {
        !self.is_own(set, affix) && self.affixes.get(&(String::new(), String::new())) == Some(&affix)
    }
}

/// Returns the numbers of words with which all members begin and end; at least one word of each member is left.
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

/// Returns the words of a name in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let is_part = c.is_alphanumeric();
        let starts = !before.is_alphanumeric() || c.is_uppercase() && !before.is_uppercase();
        if is_part && starts {
            found.push(String::new());
        }
        if let Some(word) = found.last_mut().filter(|_| is_part) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    found
}

/// Returns the names on a line with their positions: words of letters, digits, `_`, and `-` inside of one.
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
        assert_eq!(words("CMD_TAGS-selectAll2"), ["cmd", "tags", "select", "all2"]);
        assert_eq!(words("HTTPServer"), ["httpserver"]);
        let found: Vec<&str> = names("x --no-ignore, `a_b`: c").map(|(_, name)| name).collect();
        assert_eq!(found, ["x", "no-ignore", "a_b", "c"]);
    }
}
