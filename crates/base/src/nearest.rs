//! Suggests the known name that was probably meant, among the few names of a provider list or of one file.

/// Shortest beginning that is taken for a name which goes on, in characters.
const TELLING: usize = 3;

/// Returns the known name with the fewest slips (letters left out, put in, exchanged or swapped), if these are at most a third of what was
/// typed and one more; a name that only goes on, or stops early, counts as one slip. The first by the alphabet where several are as near.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    let tolerated = length.max(TELLING) / 3 + 1;
    let slips = |name: &str| {
        let name = name.to_lowercase();
        let other = name.chars().count();
        let goes_on = length.min(other) >= TELLING && (typed.starts_with(&name) || name.starts_with(&typed));
        match length.abs_diff(other) {
            _ if typed == name => Some(0),
            _ if goes_on => Some(1),
            // Slower to compare, and too far in any case.
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
