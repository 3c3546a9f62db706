//! Which known name somebody meant who mistyped it. Knows names only; every layer may use it.

/// The known name that is fewest slips away (letters left out, put in, exchanged or swapped), if that is at most a third of
/// what was typed and one more; the first by the alphabet where several are as near.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let tolerated = typed.chars().count().max(3) / 3 + 1;
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(&typed, &name.to_lowercase()), name))
        .filter(|(slips, _)| *slips <= tolerated)
        .min()
        .map(|(_, name)| name.to_owned())
}
