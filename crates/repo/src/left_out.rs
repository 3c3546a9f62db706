//! Counts of the entries that a listing or a walk omitted, so that its result is not taken for complete (ENG-21).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::limit::PROBLEMS_NAMED;
use super::noise::Noise;

/// The counts of entries that a listing or a walk omitted. Displays as one line. Entries that a `.gitignore`
/// excludes are not counted, because the repository asks for that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Hidden entries.
    pub hidden: usize,
    /// Dependency and build folders.
    pub noise_folders: usize,
    /// Entries with names that the caller ignores (CTX-16).
    pub ignored: usize,
    /// Links, which are not followed.
    pub links: usize,
    /// Pipes, sockets and devices.
    pub special: usize,
    /// Folders below the depth limit, which were not entered.
    pub too_deep: usize,
    /// Entries beyond the maximum number.
    pub beyond_limit: usize,
    /// Files and folders that could not be read.
    pub unreadable: usize,
    /// The first [`PROBLEMS_NAMED`] errors of unreadable entries, in order.
    pub problems: Vec<String>,
}

impl LeftOut {
    /// Returns true if the listing or walk omitted nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn count_noise(&mut self, noise: Noise) {
        match noise {
            Noise::Hidden => self.hidden += 1,
            Noise::Folder => self.noise_folders += 1,
            Noise::Named => self.ignored += 1,
        }
    }

    pub(super) fn count_problem(&mut self, problem: String) {
        self.unreadable += 1;
        if self.problems.len() < PROBLEMS_NAMED {
            self.problems.push(problem);
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.hidden, "hidden"),
            (self.noise_folders, "dependency or build folders"),
            (self.ignored, "ignored by name"),
            (self.links, "links"),
            (self.special, "pipes, sockets or devices"),
            (self.too_deep, "folders too deep"),
            (self.beyond_limit, "beyond the limit"),
            (self.unreadable, "unreadable"),
        ];
        let said: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if said.is_empty() {
            return f.write_str("nothing left out");
        }
        write!(f, "left out: {}", said.join(", "))
    }
}
