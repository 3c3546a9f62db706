//! The findings of a check: counts for the remarks in the file, and the wrong parts themselves for the user.

use stategraph_base::cut;

use super::clean::one_line;

/// Most wrong parts of one kind that are named.
const NAMED: usize = 8;
/// Longest name of a wrong part, in characters.
const CHARS: usize = 100;

/// Count of the wrong parts of one kind in a model's text, with the first 8 of them.
#[derive(Default)]
pub(super) struct WrongParts {
    count: usize,
    named: Vec<String>,
}

impl WrongParts {
    /// Counts a wrong part and keeps its text, if it is new and there is room.
    pub(super) fn add(&mut self, part: &str) {
        self.count += 1;
        let part = one_line(part);
        if self.named.len() < NAMED && !part.is_empty() && !self.named.contains(&part) {
            self.named.push(cut(&part, CHARS).kept.to_owned());
        }
    }

    /// Returns the remark for the front matter of the file; `None` if nothing was wrong. It names no part,
    /// because agents obey the file.
    fn remark(&self, kind: &str, rest: &str) -> Option<String> {
        let (s, are) = if self.count == 1 { ("", "is") } else { ("s", "are") };
        (self.count > 0).then(|| format!("{} {kind}{s} of the model {are} {rest}", self.count))
    }

    /// Returns the line that lists the kept parts for the user; `None` without any.
    fn line(&self, label: &str) -> Option<String> {
        let more = self.count.saturating_sub(self.named.len());
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        (!self.named.is_empty()).then(|| format!("{label}: {}{more}", self.named.join(" · ")))
    }
}

/// The wrong parts that the check of a model's text found, by kind.
#[derive(Default)]
pub(super) struct ClaimFindings {
    pub(super) places: WrongParts,
    pub(super) commands: WrongParts,
    /// Names in code marks that no file of the repository has.
    pub(super) names: WrongParts,
    /// Parts that a viewer of the text would load or run.
    pub(super) active: WrongParts,
    /// Lines that speak to agents. They are counted only.
    pub(super) orders: usize,
    /// Lines with a secret, which was replaced.
    pub(super) secrets: usize,
}

impl ClaimFindings {
    /// Returns the remarks for the front matter of the file: counts, without the parts.
    pub(super) fn remarks(&self) -> Vec<String> {
        let lines = |count: usize, rest: &str| {
            let (s, are) = if count == 1 { ("", "is") } else { ("s", "are") };
            (count > 0).then(|| format!("{count} line{s} of the model {are} {rest}"))
        };
        let all = [
            self.places.remark("place", "not in the repository; the text marks them or leaves them out"),
            self.commands
                .remark("command", "in no manifest, script, CI file or guide and left out of the text"),
            self.names.remark("name", "in no file of the repository; the text does not mark them as code"),
            self.active.remark("part", "left out, because a viewer would load or run it"),
            lines(self.orders, "left out, because of words to agents"),
            lines(self.secrets, "shown without a secret"),
        ];
        all.into_iter().flatten().collect()
    }

    /// Returns the lines for the user, which list the wrong parts.
    pub(super) fn lines(&self) -> Vec<String> {
        let all = [
            self.places.line("places that do not exist"),
            self.commands.line("commands left out"),
            self.names.line("names that do not exist"),
            self.active.line("active parts left out"),
        ];
        all.into_iter().flatten().collect()
    }
}
