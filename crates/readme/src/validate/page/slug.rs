//! Anchors of headings, computed by the rules of GitHub.

use std::collections::{BTreeMap, BTreeSet};

use super::PageHeading;

/// Returns the anchor of a heading: in lower case, with letters, digits, `_` and `-` only, and each space
/// as `-`.
pub(crate) fn slugify(title: &str) -> String {
    let kept = title.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        // Selectors of emoji forms are marks, which GitHub keeps; a link with and without them is meant alike.
        '\u{fe0e}' | '\u{fe0f}' | '\u{200d}' => None,
        c if c.is_alphanumeric() || is_mark(c) => Some(c),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns true for a combining mark, which belongs to a letter in many scripts but is no letter itself.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{e31}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

/// The set of anchors of a text, that is, the names to which links of the form `#name` can lead.
pub(crate) struct Anchors {
    names: BTreeSet<String>,
}

impl Anchors {
    /// Collects the anchors of the headings (a repeated one gets `-1`, `-2` and so on) and the HTML ids.
    pub(crate) fn collect(headings: &[PageHeading], html_ids: &BTreeSet<String>) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut names: BTreeSet<String> = html_ids.iter().map(|id| normalize(id)).collect();
        for heading in headings {
            let slug = slugify(&heading.title);
            // Renderers differ about blanks at the ends, which remain where an image or an emoji stands.
            let trimmed = heading.title.trim();
            if trimmed.len() < heading.title.len() {
                names.insert(slugify(trimmed));
            }
            if let Some(count) = counts.get_mut(&slug) {
                names.insert(format!("{slug}-{count}"));
                *count += 1;
            } else {
                names.insert(slug.clone());
                counts.insert(slug, 1);
            }
        }
        Self { names }
    }

    /// Returns true if the fragment of a link (without `#`) is one of the anchors, or leads to the top of
    /// the page. Case does not count.
    pub(crate) fn contains(&self, fragment: &str) -> bool {
        let fragment = normalize(&percent_decode(fragment));
        let bare = fragment.strip_prefix("user-content-").unwrap_or(&fragment);
        bare.is_empty() || bare == "top" || self.names.contains(bare)
    }
}

/// Returns an anchor in lower case and without emoji selectors, for comparing anchors: browsers on GitHub
/// find them in any case.
fn normalize(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}'))
        .flat_map(char::to_lowercase)
        .collect()
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &behind[2..];
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(title: &str) -> PageHeading {
        PageHeading { level: 2, title: title.to_owned(), at: 0, is_html: false, is_nested: false }
    }

    #[test]
    fn anchors_follow_github() {
        for (title, slug) in [
            ("Getting Started", "getting-started"),
            ("A & B", "a--b"),
            ("`foo_bar()` – v1.2", "foo_bar--v12"),
            ("🚀 Features", "-features"),
            ("Über uns", "über-uns"),
            ("你好", "你好"),
            ("What's new?", "whats-new"),
        ] {
            assert_eq!(slugify(title), slug, "{title}");
        }
    }

    #[test]
    fn repeated_headings_are_numbered_and_fragments_are_decoded() {
        let headings = [heading("Usage"), heading("Usage"), heading("⚙️ Über")];
        let anchors = Anchors::collect(&headings, &["Custom".to_owned()].into());
        for fragment in [
            "usage",
            "usage-1",
            "Usage",
            "custom",
            "-%C3%BCber",
            "%EF%B8%8F-%C3%BCber",
            "top",
            "",
            "user-content-usage",
        ] {
            assert!(anchors.contains(fragment), "{fragment}");
        }
        for fragment in ["usage-2", "usag", "%"] {
            assert!(!anchors.contains(fragment), "{fragment}");
        }
    }
}
