//! Replacement of outermost sections. All other bytes of the document stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ModificationScope;
use crate::document::{DocumentSection, ReadmeDocument, parse};

/// Heading that a replacement is tested with.
const NEXT: &str = "## Next section\n";

/// Section that keeps its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSection {
    /// Title.
    pub title: String,
    /// Reason, in one line.
    pub reason: String,
}

/// Document with new sections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModifiedDocument {
    /// Text.
    pub text: String,
    /// Titles of the replaced sections, as they were before, in the order of the document.
    pub replaced: Vec<String>,
    /// Sections whose replacement was refused.
    pub kept: Vec<KeptSection>,
}

/// Returns the places of the outermost sections that a scope means, in order. A sub-section means the outermost section around it
/// (SEC-146). A title that the document does not have means nothing; an ambiguous scope means all sections.
pub fn sections_to_regenerate(document: &ReadmeDocument, scope: &ModificationScope) -> BTreeSet<usize> {
    let all = document.sections.iter().enumerate();
    let ModificationScope::Specific(titles) = scope else { return all.map(|(place, _)| place).collect() };
    let lines: BTreeSet<usize> =
        titles.iter().filter_map(|title| document.find(title)).map(|section| section.line).collect();
    let is_meant = |section: &DocumentSection| section.flatten().iter().any(|it| lines.contains(&it.line));
    all.filter(|(_, section)| is_meant(section)).map(|(place, _)| place).collect()
}

/// Replaces outermost sections by their place. A section without a replacement keeps its bytes, and so does one whose replacement would
/// change the sections behind it: with an open fence or comment, further sections, or another level (SEC-146). The blank lines behind a
/// section and the line ends of the document stay.
pub fn replace_sections(
    document: &ReadmeDocument,
    replacements: &BTreeMap<usize, String>,
) -> ModifiedDocument {
    let is_crlf = document.text().contains("\r\n");
    let mut modified =
        ModifiedDocument { text: document.preamble.clone(), replaced: Vec::new(), kept: Vec::new() };
    for (place, section) in document.sections.iter().enumerate() {
        let old = section.text();
        let Some(replacement) = replacements.get(&place) else {
            modified.text += &old;
            continue;
        };
        match check(section, replacement) {
            Ok(()) => {
                let lines = replacement.trim_end().replace("\r\n", "\n");
                modified.text += &if is_crlf { lines.replace('\n', "\r\n") } else { lines };
                modified.text += line_ends_behind(&old);
                modified.replaced.push(section.title.clone());
            }
            Err(reason) => {
                modified.text += &old;
                modified.kept.push(KeptSection { title: section.title.clone(), reason });
            }
        }
    }
    modified
}

/// Returns the white space at the end of a section, from the end of its last line.
fn line_ends_behind(text: &str) -> &str {
    &text[text.trim_end().len()..]
}

/// Checks that a replacement is one section of the same level and ends where it seems to.
fn check(section: &DocumentSection, replacement: &str) -> Result<(), String> {
    let tested = parse(&format!("{}\n\n{NEXT}", replacement.trim_end()));
    let [new, next] = tested.sections.as_slice() else {
        return Err(match tested.sections.len() {
            0 | 1 => "the new text has no heading, or leaves a code block or a comment open".to_owned(),
            more => format!("the new text has {} sections in place of one", more - 1),
        });
    };
    if next.text() != NEXT {
        return Err("the new text leaves a code block or a comment open".to_owned());
    }
    if !tested.preamble.trim().is_empty() {
        return Err("the new text does not begin with its heading".to_owned());
    }
    if new.level != section.level {
        return Err(format!("the new heading has level {} in place of {}", new.level, section.level));
    }
    Ok(())
}
