//! Which known name somebody meant who mistyped it. Knows names only; every layer may use it.

/// The known name that is fewest slips away (letters left out, put in, exchanged or swapped), if that is at most a third of
/// what was typed and one more; a name that only goes on, or stops early, counts as one slip. The first by the alphabet where
/// several are as near. Of very many long names that are all much alike only the first are looked at.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let tolerated = typed.chars().count().max(3) / 3 + 1;
    let typed = typed.to_lowercase();
    let mut left = WORK;
    known
        .into_iter()
        .filter_map(|name| Some((slips(&typed, &name.to_lowercase(), tolerated, &mut left)?, name)))
        .min()
        .map(|(_, name)| name.to_owned())
}

/// Pairs of letters that are compared for one suggestion at most: 2,000 names of 20 letters.
const WORK: usize = 800_000;

/// The slips between two names in lower case; none if they are more than tolerated, or nothing is left of the work allowed.
fn slips(typed: &str, name: &str, tolerated: usize, left: &mut usize) -> Option<usize> {
    const TELLING: usize = 3;
    let goes_on = |short: &str, long: &str| short.chars().count() >= TELLING && long.starts_with(short);
    if typed == name {
        return Some(0);
    }
    if goes_on(typed, name) || goes_on(name, typed) {
        return Some(1);
    }
    if fewest_slips(typed, name) > tolerated {
        return None;
    }
    *left = left.checked_sub(typed.len() * name.len())?;
    Some(strsim::osa_distance(typed, name)).filter(|slips| *slips <= tolerated)
}

/// A bound from below, in time that is linear: each slip puts at most one letter in and takes at most one out.
fn fewest_slips(typed: &str, name: &str) -> usize {
    const KINDS: usize = 64;
    let mut surplus = [0_i32; KINDS];
    let kind = |c: char| c as usize % KINDS;
    typed.chars().for_each(|c| surplus[kind(c)] += 1);
    name.chars().for_each(|c| surplus[kind(c)] -= 1);
    let sum = |sign: i32| surplus.iter().map(|more| (more * sign).max(0)).sum::<i32>().unsigned_abs();
    sum(1).max(sum(-1)) as usize
}
