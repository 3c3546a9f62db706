//! Suggests the known name that a mistyped one most likely means. Pure; every layer may use it.

/// Returns the known name with the smallest edit distance to `typed`; `None` when all are too far.
///
/// The distance counts letters that are inserted, deleted, replaced or swapped, without regard to case; at most a third of the typed
/// letters plus one may differ. A name that is a prefix of the other counts as one edit. Of equally near names the alphabetically first
/// wins. Only the first of very many long and similar names are compared, so that the time is bounded.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let tolerated = typed.chars().count().max(3) / 3 + 1;
    let typed = typed.to_lowercase();
    let mut left = MAX_COMPARED_PAIRS;
    known
        .into_iter()
        .filter_map(|name| Some((edit_distance(&typed, &name.to_lowercase(), tolerated, &mut left)?, name)))
        .min()
        .map(|(_, name)| name.to_owned())
}

/// Upper bound of compared letter pairs for one suggestion: 2,000 names of 20 letters.
const MAX_COMPARED_PAIRS: usize = 800_000;

/// Returns the edit distance of two names in lower case; 1 when one is a prefix, of three letters or more, of
/// the other. Returns `None` when it exceeds `tolerated`. Subtracts the number of compared letter pairs from
/// `left`, and returns `None` when `left` does not suffice.
fn edit_distance(typed: &str, name: &str, tolerated: usize, left: &mut usize) -> Option<usize> {
    const TELLING: usize = 3;
    let goes_on = |short: &str, long: &str| short.chars().count() >= TELLING && long.starts_with(short);
    if typed == name {
        return Some(0);
    }
    if goes_on(typed, name) || goes_on(name, typed) {
        return Some(1);
    }
    if distance_lower_bound(typed, name) > tolerated {
        return None;
    }
    *left = left.checked_sub(typed.len() * name.len())?;
    Some(strsim::osa_distance(typed, name)).filter(|slips| *slips <= tolerated)
}

/// Returns a lower bound of the edit distance in linear time: each edit adds at most one letter and removes at most one.
fn distance_lower_bound(typed: &str, name: &str) -> usize {
    const KINDS: usize = 64;
    let mut surplus = [0_i32; KINDS];
    let kind = |c: char| c as usize % KINDS;
    typed.chars().for_each(|c| surplus[kind(c)] += 1);
    name.chars().for_each(|c| surplus[kind(c)] -= 1);
    let sum = |sign: i32| surplus.iter().map(|more| (more * sign).max(0)).sum::<i32>().unsigned_abs();
    sum(1).max(sum(-1)) as usize
}
