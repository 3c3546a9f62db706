//! Sets of similar members with the places that a new member must be added to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::reexports::ReExport;
use crate::facts::{PathRole, SourceLines};
use crate::repo::Language;
use crate::workflows::survey::Survey;
use crate::workflows::survey::mentions::{ExampleMember, Mention, examples};
use crate::workflows::survey::quoted::is_refused;
use crate::workflows::survey::siblings::{MemberKind, NamingPlace, SiblingSet, sets};

/// Maximum number of sets, and of members and places of a set.
const SETS: usize = 12;
/// Maximum number of sets of fields.
const FIELD_SETS: usize = 3;
/// Maximum number of files whose exported names are a set.
const EXPORTED: usize = 3;
const MEMBERS: usize = 4;
const PLACES: usize = 8;
/// Maximum number of files that name the example of a set, and of bytes of a quoted line.
const MENTIONS: usize = 14;
const LINE: usize = 120;
/// Minimum number of names that a file exports of others, to be a set.
const EXPORTS: usize = 4;

/// A set of similar members, such as the variants of an enum, and the code beside its definition that names nearly all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberSet {
    /// Relation of a member to the title, such as `variant of`; empty if the title tells it.
    pub words: String,
    /// Name of the enum, interface or table, or the pattern of the files: `src/run/*.rs`.
    pub title: String,
    /// Lines of the definition; `None` for files and folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLines>,
    /// The first members.
    pub members: Vec<String>,
    /// Number of further members.
    #[serde(default)]
    pub more: usize,
    /// Places that name nearly all members, each with the definition around it.
    pub places: Vec<MemberPlace>,
    /// A typical member with the files that name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<MemberExample>,
}

/// A member of a set with the lines that name it, as an example for the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberExample {
    /// The member.
    pub name: String,
    /// Lines that name it, in any spelling: up to three of a file of code, one of another. Line 0 for a file that only its path names.
    pub lines: Vec<MemberLine>,
    /// Number of further files that name it.
    #[serde(default)]
    pub more: usize,
}

/// A line that names a member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberLine {
    /// The line.
    pub place: SourceLines,
    /// Its text; empty for a file that only its path names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Number of further lines of the file that name the member.
    #[serde(default)]
    pub more: usize,
}

/// A place that names nearly all members of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberPlace {
    /// Its lines; line 0 for a pattern of files that are named after the members.
    pub lines: SourceLines,
    /// Qualified name of the definition around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// Returns the sets of a code base that have places outside of their definition, the heaviest first, then the names that the files
/// in `exports` export of others, if an example tells what one of them needs.
pub(super) fn of_product(survey: &Survey, exports: &BTreeMap<String, Vec<ReExport>>) -> Vec<MemberSet> {
    let sets = sets(survey);
    // Types of one name share the names of fields, and places cannot tell them apart.
    let is_alone = |set: &&SiblingSet| {
        set.kind != MemberKind::Field || sets.iter().filter(|other| other.title == set.title).count() == 1
    };
    let mut fields = 0;
    let is_wanted = |set: &&SiblingSet| {
        fields += usize::from(set.kind == MemberKind::Field);
        set.kind != MemberKind::Field || fields <= FIELD_SETS
    };
    let mut found: Vec<(MemberSet, Vec<String>)> = sets
        .iter()
        .filter(is_alone)
        .filter(is_wanted)
        .filter_map(|set| Some((member_set(set)?, stems(set))))
        .take(SETS)
        .collect();
    let with_places = found.len();
    found.extend(exports.iter().filter_map(|(path, names)| exported(path, names)).take(EXPORTED));
    let names: Vec<Vec<String>> = found.iter().map(|(_, names)| names.clone()).collect();
    for ((set, _), example) in found.iter_mut().zip(examples(survey, &names)) {
        set.example = example.and_then(member_example);
    }
    let is_told =
        |(at, (set, _)): &(usize, (MemberSet, Vec<String>))| *at < with_places || set.example.is_some();
    found.into_iter().enumerate().filter(is_told).map(|(_, (set, _))| set).take(SETS).collect()
}

/// Returns the names of the members as code has them: of files without their ending. Empty for fields and texts, whose names other
/// things have too.
fn stems(set: &SiblingSet) -> Vec<String> {
    if matches!(set.kind, MemberKind::Field | MemberKind::Key | MemberKind::Case) {
        return Vec::new();
    }
    let stem = |name: &String| match set.kind {
        MemberKind::File => name.split('.').next().unwrap_or(name).to_owned(),
        _ => name.rsplit(['.', ':']).next().unwrap_or(name).to_owned(),
    };
    set.members.iter().map(stem).collect()
}

/// Returns the set of the names that a file exports of other files of the repository; `None` for few names.
fn exported(path: &str, names: &[ReExport]) -> Option<(MemberSet, Vec<String>)> {
    let own = names.iter().filter(|one| !one.is_external && !one.name.ends_with('*'));
    let own: Vec<String> = own.map(|one| one.name.clone()).filter(|name| !is_refused(name)).collect();
    if own.len() < EXPORTS || PathRole::of(path) != PathRole::Runtime {
        return None;
    }
    let set = MemberSet {
        words: "name that is exported by".to_owned(),
        title: path.to_owned(),
        members: own.iter().take(MEMBERS).cloned().collect(),
        more: own.len().saturating_sub(MEMBERS),
        ..MemberSet::default()
    };
    Some((set, own))
}

/// Returns an example with lines that are safe to quote: code first, then tests and documents.
fn member_example(example: ExampleMember) -> Option<MemberExample> {
    if is_refused(&example.name) {
        return None;
    }
    let mut mentions = example.mentions;
    mentions.sort_by_key(|it| !matches!(PathRole::of(&it.path), PathRole::Runtime | PathRole::Build));
    let more = mentions.len().saturating_sub(MENTIONS);
    let lines = mentions.into_iter().take(MENTIONS).flat_map(member_lines).collect();
    Some(MemberExample { name: example.name, lines, more })
}

/// Returns the lines of a file that name an example; of tests and documents only the first.
fn member_lines(mention: Mention) -> Vec<MemberLine> {
    let is_code = matches!(PathRole::of(&mention.path), PathRole::Runtime | PathRole::Build)
        && Language::of_path(&mention.path).is_some();
    let shown = if is_code { mention.lines.len() } else { 1 };
    let more = mention.lines.len().saturating_sub(shown) + mention.more;
    let line = |(at, (number, text)): (usize, (usize, String))| {
        let is_shown = text.len() <= LINE && !is_refused(&text);
        let place = SourceLines { path: mention.path.clone(), start: number, end: number };
        let is_last = at + 1 == shown;
        MemberLine {
            place,
            text: if is_shown { text } else { String::new() },
            more: if is_last { more } else { 0 },
        }
    };
    if mention.lines.is_empty() {
        let place = SourceLines { path: mention.path, start: 0, end: 0 };
        return vec![MemberLine { place, text: String::new(), more: 0 }];
    }
    mention.lines.into_iter().take(shown).enumerate().map(line).collect()
}

fn member_set(set: &SiblingSet) -> Option<MemberSet> {
    let texts = || std::iter::once(&set.title).chain(&set.members);
    if texts().any(|text| is_refused(text) || text.len() > 120) {
        return None;
    }
    // Files that are named after implementations have their definitions.
    let is_definition = |place: &&NamingPlace| {
        set.kind == MemberKind::Implementation
            && place.lines == (0, 0)
            && PathRole::of(&place.path) == PathRole::Runtime
    };
    let mut named: Vec<&NamingPlace> = set.places.iter().filter(|place| !is_definition(place)).collect();
    // Code comes before tests and documents.
    let is_late = |path: &str| !matches!(PathRole::of(path), PathRole::Runtime | PathRole::Build);
    named.sort_by_key(|place| (is_late(&place.path), place.path != set.source.path));
    let place = |place: &NamingPlace| MemberPlace {
        lines: SourceLines { path: place.path.clone(), start: place.lines.0, end: place.lines.1 },
        within: place.within.clone().filter(|name| !is_refused(name)),
    };
    let loops = set.loops.iter().map(|lines| MemberPlace { lines: lines.clone(), within: None });
    let places: Vec<MemberPlace> = named.into_iter().map(place).chain(loops).take(PLACES).collect();
    let is_file = matches!(set.kind, MemberKind::File | MemberKind::Folder);
    if places.is_empty() {
        return None;
    }
    Some(MemberSet {
        words: set.kind.words().trim_end().to_owned(),
        title: set.title.clone(),
        source: (!is_file && set.source.start > 0).then(|| set.source.clone()),
        members: set.members.iter().take(MEMBERS).cloned().collect(),
        more: set.members.len().saturating_sub(MEMBERS),
        places,
        example: None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::facts::Facts;
    use crate::repo::{CodeBase, MemoryFiles};

    #[test]
    fn a_set_has_the_places_that_name_its_members() {
        let text = "pub enum Tea { Green, Black, White, Mint }\n\npub fn name(tea: Tea) -> &'static str {\n    match tea {\n        Tea::Green => \"green\",\n        Tea::Black => \"black\",\n        Tea::White => \"white\",\n        Tea::Mint => \"mint\",\n    }\n}\n";
        let code = CodeBase::new(Arc::new(MemoryFiles::new([
            ("src/lib.rs", text),
            ("Cargo.toml", "[package]\nname = \"tea\"\nversion = \"1.0.0\"\n"),
        ])));
        let facts = Facts::collect(&code);
        let found = of_product(&Survey::of(&code, &facts, 10), &BTreeMap::new());
        assert_eq!((found[0].words.as_str(), found[0].title.as_str()), ("variant of", "Tea"));
        assert_eq!((found[0].members.len(), found[0].places[0].within.as_deref()), (4, Some("name")));
    }
}
