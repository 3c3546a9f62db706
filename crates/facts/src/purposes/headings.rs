//! Recognizes headings of documents below which no purpose is stated: instructions, warnings and news.

/// Beginnings of headings below which a document instructs and no longer states its purpose.
const LATER: &[&str] = &[
    "install",
    "getting started",
    "quick start",
    "quickstart",
    "usage",
    "example",
    "license",
    "contribut",
    "build",
    "requirement",
    "prerequisite",
    "support",
    "sponsor",
    "changelog",
    "credits",
    "author",
    "testing",
    "development",
    "documentation",
    "resources",
    "links",
    "community",
    "security",
    "setup",
    "running",
    "run ",
    "todo",
    "supported",
    "roadmap",
    "faq",
];

/// Returns true for a heading, such as "Installation", below which a document gives instructions instead of
/// a description.
pub(super) fn is_later(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    LATER.iter().any(|start| bare.starts_with(start))
}

/// Returns true for a heading above a warning: "⚠️ Warning".
pub(super) fn warns(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    ["warning", "disclaimer", "notice", "important", "deprecat", "note"].iter().any(|it| bare.starts_with(it))
}

/// Beginnings, in lower case, of headings above news about the project.
const NEWS: &[&str] = &[
    "news",
    "what's new",
    "what’s new",
    "changes",
    "change log",
    "changelog",
    "release notes",
    "release history",
    "announcement",
    "migrating ",
    "migration from ",
    "migration to ",
    "migration guide",
    "upgrading",
    "upgrade guide",
    "upgrade notes",
    "upgrade to ",
    "upgrade from ",
    "deprecat",
    "sponsor",
    "backers",
];

/// Words of headings that only name releases or the state of the project.
const RELEASES: &[&str] = &[
    "release",
    "releases",
    "version",
    "versions",
    "versioning",
    "status",
    "current",
    "latest",
    "stable",
    "supported",
    "project",
    "development",
    "maintenance",
    "the",
    "of",
    "and",
];

/// Returns true for a heading above news about releases, versions, migrations, the state of the project or
/// its sponsors.
pub(super) fn is_news(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let mut words = bare.split_whitespace();
    let is_number = |word: &str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let names_release = words.clone().all(|word| RELEASES.contains(&word) || is_number(word));
    let is_of_version =
        matches!(words.next(), Some("version" | "release")) && words.next().is_some_and(is_number);
    let has_subject = bare.split_whitespace().any(|word| {
        matches!(word, "release" | "releases" | "version" | "versions" | "versioning" | "status")
    });
    NEWS.iter().any(|start| bare.starts_with(start))
        || bare.contains("breaking change")
        || names_release && has_subject
        || is_of_version
}

/// Returns true for a heading below which a document may say first what its subject is, although it goes on
/// with instructions.
pub(super) fn begins_use(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    ["getting started", "quick start", "quickstart", "usage"].iter().any(|start| bare.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::is_news;

    #[test]
    fn headings_about_releases_and_sponsors_are_news() {
        for (heading, expected) in [
            ("Release versions", true),
            ("Version 3 breaking changes", true),
            ("Version 2.0", true),
            ("What's new in 2.0?", true),
            ("Upgrading from 1.x", true),
            ("Project status", true),
            ("📢 News", true),
            ("Sponsors", true),
            ("Version control of shops", false),
            ("The project", false),
            ("Migrations", false),
            ("Order status codes", false),
        ] {
            assert_eq!(is_news(heading), expected, "{heading}");
        }
    }
}
