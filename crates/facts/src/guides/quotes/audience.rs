//! Audiences of quoted documents: each wants other sections.

use super::SectionUse;
use crate::guides::topics::is_elsewhere;

/// Audience of a quoted document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    Users,
    Contributors,
    /// Only the sections about development of a document for users.
    ContributorsOfReadme,
}

impl Audience {
    /// Returns true for a section below these headings.
    pub(super) fn wants(self, headings: &[&str], usage: SectionUse) -> bool {
        const LEGAL: [&str; 9] = [
            "conduct",
            "licen",
            "legal",
            "sponsor",
            "financial",
            "contributors",
            "credits",
            "security",
            "donat",
        ];
        const DEVELOPMENT: [&str; 8] = [
            "develop",
            "contribut",
            "hacking",
            "building",
            "build from",
            "testing",
            "running test",
            "running the test",
        ];
        let names: Vec<String> = headings.iter().map(|name| name.to_lowercase()).collect();
        let has = |words: &[&str]| names.iter().any(|name| words.iter().any(|word| name.contains(word)));
        match self {
            Self::Users => usage == SectionUse::Install || !headings.iter().any(|name| is_elsewhere(name)),
            Self::Contributors => !has(&LEGAL),
            Self::ContributorsOfReadme => !has(&LEGAL) && has(&DEVELOPMENT),
        }
    }
}
