//! Which known name somebody meant who mistyped it. Knows names only; every layer may use it.

/// The known name that is fewest slips away (letters left out, put in, exchanged or swapped), if that is at most a third of
/// what was typed and one more; a name that only goes on, or stops early, counts as one slip. The first by the alphabet where
/// several are as near.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let tolerated = typed.chars().count().max(3) / 3 + 1;
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .map(|name| (slips(&typed, &name.to_lowercase()), name))
        .filter(|(slips, _)| *slips <= tolerated)
        .min()
        .map(|(_, name)| name.to_owned())
}

fn slips(typed: &str, name: &str) -> usize {
    const TELLING: usize = 3;
    let goes_on = |short: &str, long: &str| short.chars().count() >= TELLING && long.starts_with(short);
    match strsim::osa_distance(typed, name) {
        0 => 0,
        _ if goes_on(typed, name) || goes_on(name, typed) => 1,
        slips => slips,
    }
}
