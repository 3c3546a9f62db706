//! References to a name in a code base: whole identifiers, sorted, each marked as definition, use, string or comment (CTX-54, 65, 138).
//! Compares names, not meanings: two things with one name are one here.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::Files;
use super::limit::{LINE_CHARS, REFERENCES};
use super::outline::{Language, Mention, NameRoles, continues};
use super::parallel::parallel;
use super::walk::{Walk, WalkedFile};

/// A line of a file that mentions a name (CTX-65).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reference {
    /// Path of the file, relative to the root.
    pub path: String,
    /// Line number, from 1.
    pub line: usize,
    /// The line, trimmed and cut.
    pub context: String,
    /// The role of the name; of several mentions on one line the first of definition, use, string, comment.
    pub mention: Mention,
}

/// The lines of a code base that mention a name. Displays as `path:line: text`, with a mark for definitions,
/// strings and comments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct References {
    /// The first [`REFERENCES`] lines, by path and line.
    pub shown: Vec<Reference>,
    /// Number of all lines with the name.
    pub total: usize,
    /// Number of files with the name.
    pub files: usize,
}

/// Returns the lines that mention `name` as a whole identifier, in the walked files below `scope`. Of
/// `Class.method` the last part is searched. Only files in a supported language are read.
pub fn references(files: &dyn Files, walk: &Walk, name: &str, scope: &Path) -> References {
    let name = name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name).trim();
    if name.is_empty() {
        return References::default();
    }
    let mut within: Vec<&WalkedFile> =
        walk.files.iter().filter(|file| file.path.relative().starts_with(scope)).collect();
    within.sort_by_key(|file| file.path.to_string());
    let parts =
        parallel(within.len(), References::default, |found, index| found.look(files, within[index], name));
    let mut all = References::default();
    for part in parts {
        all.total += part.total;
        all.files += part.files;
        all.shown.extend(part.shown);
    }
    all.shown.sort();
    all.shown.truncate(REFERENCES);
    all
}

impl References {
    /// Adds the lines of one file that mention `name`. It keeps at most [`REFERENCES`] lines, which is
    /// enough, because each thread takes the files in order.
    fn look(&mut self, files: &dyn Files, file: &WalkedFile, name: &str) {
        let is_script = file.path.relative().extension().is_none();
        if Language::of_path(file.path.relative()).is_none() && !is_script {
            return;
        }
        let Ok(text) = files.read_text(&file.path) else { return };
        let Some(language) = Language::of(file.path.relative(), &text) else { return };
        let hits = identifiers(language, &text, name);
        if hits.is_empty() {
            return;
        }
        self.files += 1;
        let places = (self.shown.len() < REFERENCES).then(|| NameRoles::of(language, &text));
        let (mut line, mut counted) = (1, 0);
        let mut last: Option<usize> = None;
        for at in hits {
            line += text[counted..at].matches('\n').count();
            counted = at;
            let mention = places.as_ref().map(|places| places.mention(at, at + name.len()));
            if last == Some(line) {
                if let (Some(mention), Some(shown)) =
                    (mention, self.shown.last_mut().filter(|shown| shown.line == line))
                {
                    shown.mention = shown.mention.min(mention);
                }
                continue;
            }
            last = Some(line);
            self.total += 1;
            if let Some(mention) = mention.filter(|_| self.shown.len() < REFERENCES) {
                self.shown.push(Reference {
                    path: file.path.to_string(),
                    line,
                    context: context(&text, at),
                    mention,
                });
            }
        }
    }
}

/// Returns the byte offsets at which `name` is a whole identifier of the text.
fn identifiers(language: Language, text: &str, name: &str) -> Vec<usize> {
    let goes_on = |c: Option<char>| c.is_some_and(|c| continues(language, c));
    let alone = |at: &usize| {
        let before = text[..*at].chars().next_back().filter(|c| !matches!(c, '?' | '!'));
        !goes_on(before) && !goes_on(text[at + name.len()..].chars().next())
    };
    text.match_indices(name).map(|(at, _)| at).filter(alone).collect()
}

/// Returns the line around the byte offset `at`, trimmed and cut to [`LINE_CHARS`] characters around it.
fn context(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let skipped = if at - start > LINE_CHARS {
        text[start..at].char_indices().rev().nth(LINE_CHARS / 3).map_or(0, |(at, _)| at)
    } else {
        0
    };
    line[skipped..].trim().chars().take(LINE_CHARS).collect()
}

impl fmt::Display for References {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.shown {
            let mark = match found.mention {
                Mention::Definition => " [definition]",
                Mention::Use => "",
                Mention::String => " [string]",
                Mention::Comment => " [comment]",
            };
            writeln!(f, "{}:{}:{mark} {}", found.path, found.line, found.context)?;
        }
        match (self.total, self.total - self.shown.len()) {
            (0, _) => f.write_str("no references"),
            (total, 0) => write!(f, "({total} lines in {} files)", self.files),
            (total, more) => write!(f, "({total} lines in {} files, {more} not shown)", self.files),
        }
    }
}
