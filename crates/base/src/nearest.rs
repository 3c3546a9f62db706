//! Suggests the known name that the user probably meant, among the few names of a provider list or of one file.

/// Minimum length of a name, in characters, to count as the beginning of a longer name.
const MIN_PREFIX: usize = 3;

/// Returns the known name that is nearest to the typed one, for a "did you mean" hint, or `None` if none is
/// near enough. The distance is the number of letters omitted, inserted, replaced or swapped; letter case is
/// ignored. At most one more than a third of the typed letters may differ. A name that continues the typed
/// one, or is its beginning, has the distance 1. Of equally near names, the first by alphabet is returned.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    let tolerated = length.max(MIN_PREFIX) / 3 + 1;
    let slips = |name: &str| {
        let name = name.to_lowercase();
        let other = name.chars().count();
        let is_prefix =
            length.min(other) >= MIN_PREFIX && (typed.starts_with(&name) || name.starts_with(&typed));
        match length.abs_diff(other) {
            _ if typed == name => Some(0),
            _ if is_prefix => Some(1),
            // The difference in length is a lower bound of the distance, so there is no need to compare.
            more if more > tolerated => None,
            _ => Some(strsim::osa_distance(&typed, &name)).filter(|slips| *slips <= tolerated),
        }
    };
    let (_, name) = known.into_iter().filter_map(|name| Some((slips(name)?, name))).min()?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_name_with_the_fewest_slips_is_meant() {
        let known = ["openai", "anthropic", "gemini"];
        assert_eq!(nearest("opnai", known).as_deref(), Some("openai"));
        assert_eq!(nearest("Gem", known).as_deref(), Some("gemini"));
        assert_eq!(nearest("mistral", known), None);
    }
}
