//! Replaces outermost sections of a document. All other bytes of the document stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ModificationScope;
use crate::document::{DocumentSection, ReadmeDocument, parse};

/// Heading that is put behind a replacement, to test that the next section would still be recognized.
const NEXT: &str = "## Next section\n";

/// A section for which [`replace_sections`] refused the new text, so that it keeps the old one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSection {
    /// Title.
    pub title: String,
    /// Reason, in one line.
    pub reason: String,
}

/// The result of [`replace_sections`]: the new document, and which sections were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModifiedDocument {
    /// Text.
    pub text: String,
    /// Titles of the replaced sections, as they were before, in the order of the document.
    pub replaced: Vec<String>,
    /// Sections whose replacement was refused.
    pub kept: Vec<KeptSection>,
}

/// Returns the indices (in `document.sections`) of the outermost sections that a scope includes. The title
/// of a sub-section includes the outermost section around it (SEC-146); a repeated title includes all of
/// its sections, an unknown one none. A global or ambiguous scope includes all sections.
pub fn sections_to_regenerate(document: &ReadmeDocument, scope: &ModificationScope) -> BTreeSet<usize> {
    let all = document.sections.iter().enumerate();
    let ModificationScope::Specific(titles) = scope else { return all.map(|(place, _)| place).collect() };
    let sections = document.flatten();
    let mut lines = BTreeSet::new();
    for title in titles {
        let same = sections.iter().filter(|section| section.title.to_lowercase() == title.to_lowercase());
        lines.extend(same.map(|section| section.line));
        lines.extend(document.find(title).map(|section| section.line));
    }
    let is_meant = |section: &DocumentSection| section.flatten().iter().any(|it| lines.contains(&it.line));
    all.filter(|(_, section)| is_meant(section)).map(|(place, _)| place).collect()
}

/// Returns the document with outermost sections replaced; `replacements` has the new Markdown by index in
/// `document.sections`. A replacement is refused, and the old section kept, if it would change the sections
/// around it: an open fence or comment, further sections, or another level (SEC-146). The blank lines
/// behind a section and the line ends of the document stay.
pub fn replace_sections(
    document: &ReadmeDocument,
    replacements: &BTreeMap<usize, String>,
) -> ModifiedDocument {
    let line_end = if document.text().contains("\r\n") { "\r\n" } else { "\n" };
    let mut pieces = BTreeMap::new();
    let mut refused: BTreeMap<usize, String> = BTreeMap::new();
    for (place, section) in document.sections.iter().enumerate() {
        let Some(replacement) = replacements.get(&place) else { continue };
        // One form of line ends before the check, because the check must see what is written.
        let lines = replacement.trim_end().replace("\r\n", "\n").replace('\r', "\n");
        match check(section, &lines) {
            Ok(()) => {
                let old = section.text();
                pieces.insert(place, lines.replace('\n', line_end) + &old[old.trim_end().len()..]);
            }
            Err(reason) => _ = refused.insert(place, reason),
        }
    }
    if !is_intact(document, &pieces) {
        // Pieces that are sound alone disturb others, such as one that opens a protected block which a later section closes.
        let mut accepted = BTreeMap::new();
        for (place, piece) in std::mem::take(&mut pieces) {
            accepted.insert(place, piece);
            if !is_intact(document, &accepted) {
                accepted.remove(&place);
                refused.insert(place, "the new text changes where other sections begin".to_owned());
            }
        }
        pieces = accepted;
    }
    let title = |place: &usize| document.sections[*place].title.clone();
    ModifiedDocument {
        text: assemble(document, &pieces),
        replaced: pieces.keys().map(title).collect(),
        kept: refused
            .into_iter()
            .map(|(place, reason)| KeptSection { title: title(&place), reason })
            .collect(),
    }
}

fn assemble(document: &ReadmeDocument, pieces: &BTreeMap<usize, String>) -> String {
    let mut text = document.preamble.clone();
    for (place, section) in document.sections.iter().enumerate() {
        match pieces.get(&place) {
            Some(piece) => text += piece,
            None => text += &section.text(),
        }
    }
    text
}

/// Returns true if the document with these replacements (by index), parsed again, still has all sections in
/// their places with the expected texts.
fn is_intact(document: &ReadmeDocument, pieces: &BTreeMap<usize, String>) -> bool {
    let after = parse(&assemble(document, pieces));
    let is_same =
        |(place, (old, new)): (usize, (&DocumentSection, &DocumentSection))| match pieces.get(&place) {
            Some(piece) => new.text() == *piece,
            None => new.text() == old.text(),
        };
    after.preamble == document.preamble
        && after.sections.len() == document.sections.len()
        && document.sections.iter().zip(&after.sections).enumerate().all(is_same)
}

/// Returns an error, with the reason for the user, unless the replacement is exactly one section of the
/// same level, with an ATX heading (`## …`) and no block left open.
fn check(section: &DocumentSection, replacement: &str) -> Result<(), String> {
    let tested = parse(&format!("{replacement}\n\n{NEXT}"));
    let [new, next] = tested.sections.as_slice() else {
        return Err(match tested.sections.len() {
            0 | 1 => "the new text has no heading, or leaves a code block or a comment open".to_owned(),
            more => format!("the new text has {} sections in place of one", more - 1),
        });
    };
    if next.text() != NEXT {
        return Err("the new text leaves a code block or a comment open".to_owned());
    }
    // A setext heading would take in a line above it.
    if !tested.preamble.trim().is_empty() || !new.heading.trim_start().starts_with('#') {
        return Err("the new text does not begin with a heading of the form `## Title`".to_owned());
    }
    if new.level != section.level {
        return Err(format!("the new heading has level {} in place of {}", new.level, section.level));
    }
    Ok(())
}
