//! Sets of similar members with the places that a new member must be added to.

use serde::{Deserialize, Serialize};

use crate::facts::{Facts, PathRole, SourceLines};
use crate::repo::CodeBase;
use crate::workflows::survey::Survey;
use crate::workflows::survey::quoted::is_refused;
use crate::workflows::survey::siblings::{MemberKind, NamingPlace, SiblingSet, sets};

/// Maximum number of files that are searched for members.
const OUTLINED: usize = 160;
/// Maximum number of sets, and of members and places of a set.
const SETS: usize = 12;
const MEMBERS: usize = 4;
const PLACES: usize = 8;

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

/// Returns the sets of a code base that have places outside of their definition, the heaviest first.
pub(super) fn of_product(code: &CodeBase, facts: &Facts) -> Vec<MemberSet> {
    let survey = Survey::of(code, facts, OUTLINED);
    sets(&survey).iter().filter_map(member_set).take(SETS).collect()
}

fn member_set(set: &SiblingSet) -> Option<MemberSet> {
    let texts = || std::iter::once(&set.title).chain(&set.members);
    if texts().any(|text| is_refused(text) || text.len() > 120) {
        return None;
    }
    let mut named: Vec<&NamingPlace> = set.places.iter().collect();
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
    Some(MemberSet {
        words: set.kind.words().trim_end().to_owned(),
        title: set.title.clone(),
        source: (!is_file && set.source.start > 0).then(|| set.source.clone()),
        members: set.members.iter().take(MEMBERS).cloned().collect(),
        more: set.members.len().saturating_sub(MEMBERS),
        places,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::repo::MemoryFiles;

    #[test]
    fn a_set_has_the_places_that_name_its_members() {
        let text = "pub enum Tea { Green, Black, White, Mint }\n\npub fn name(tea: Tea) -> &'static str {\n    match tea {\n        Tea::Green => \"green\",\n        Tea::Black => \"black\",\n        Tea::White => \"white\",\n        Tea::Mint => \"mint\",\n    }\n}\n";
        let code = CodeBase::new(Arc::new(MemoryFiles::new([
            ("src/lib.rs", text),
            ("Cargo.toml", "[package]\nname = \"tea\"\nversion = \"1.0.0\"\n"),
        ])));
        let facts = Facts::collect(&code);
        let found = of_product(&code, &facts);
        assert_eq!((found[0].words.as_str(), found[0].title.as_str()), ("variant of", "Tea"));
        assert_eq!((found[0].members.len(), found[0].places[0].within.as_deref()), (4, Some("name")));
    }
}
