//! Sets of similar things, and the places in other code that name nearly every member of a set: a new
//! member may need a change there. Members are the variants of an enum, the implementations of an
//! interface, the files of a folder, the entries of a table, the texts that a `switch` compares with, options, fields.
//!
//! Reading order: this file (the sets with their places), `seeds` and `cases` (find the sets), `names` (recognizes
//! members in other spellings), `uses` (tells names from other words), `places` (finds the places).

mod cases;
mod names;
mod places;
mod seeds;
mod uses;

use self::names::NameIndex;
pub(super) use self::places::is_read;
use crate::facts::SourceLines;
use crate::workflows::survey::Survey;

/// Kind of the members of a set; it decides the weight of the set and the rules by which names match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MemberKind {
    Variant,
    Implementation,
    File,
    Folder,
    Entry,
    Constant,
    Option,
    Subcommand,
    Case,
    Key,
    Field,
}

impl MemberKind {
    /// Returns the words between `One more` and the title of a set; empty if the title says it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Variant => "variant of ",
            Self::Implementation => "subtype of ",
            Self::File | Self::Folder => "",
            Self::Entry => "entry of ",
            // Variables may stand among the constants.
            Self::Constant => "value beside ",
            Self::Option => "option in ",
            Self::Subcommand => "subcommand in ",
            Self::Case => "text that is compared in ",
            Self::Key => "setting in ",
            Self::Field => "field of ",
        }
    }
}

/// Set of similar things of a code base, such as the variants of an enum. `seeds` makes it without
/// places, and `places::find` adds them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SiblingSet {
    pub(crate) kind: MemberKind,
    /// Name of the enum, interface or table that has the members, or the pattern of their files:
    /// `src/run/*.rs`.
    pub(crate) title: String,
    /// Lines that define the set; line 0 for files and folders.
    pub(crate) source: SourceLines,
    /// Names of the members as written, without repetitions, in the order of the text.
    pub(crate) members: Vec<String>,
    /// Other texts for members, each with the index of its member: the word that is the value of a
    /// constant.
    pub(crate) aliases: Vec<(usize, String)>,
    /// Places that name nearly all members, apart from the definition.
    pub(crate) places: Vec<NamingPlace>,
    /// Lines that go through all members of an enum: `Colour.values()`.
    pub(crate) loops: Vec<SourceLines>,
}

/// Place that names nearly all members of a set, such as a `match` over an enum.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamingPlace {
    /// File of the place; the pattern of the files (`src/run/*.rs`) if files are named after the
    /// members.
    pub(crate) path: String,
    /// Lines from the first to the last named member; `(0, 0)` for a pattern of files.
    pub(crate) lines: (usize, usize),
    /// Qualified name of the definition around these lines; `None` for lines outside of definitions.
    pub(crate) within: Option<String>,
    /// One name from the place, if the place writes members with other words around them (`CMD_TAGS`
    /// for `Tags`).
    pub(crate) sample: Option<String>,
    /// Number of different members that the place names.
    pub(crate) named: usize,
}

/// Minimum number of members of a set.
const MEMBERS: usize = 4;
/// Maximum number of members of a set; larger ones are data.
const MOST_MEMBERS: usize = 300;
/// Number of places from which on a set is dropped, because its members are used everywhere.
const EVERYWHERE: usize = 14;

/// Maximum size of a set of which a place must name all members.
const SMALL: usize = 5;

/// Returns the number of members that a place must name at least: all of a small set, three quarters of
/// a larger one.
fn needed(members: usize) -> usize {
    if members <= SMALL { members } else { (members * 3).div_ceil(4) }
}

/// Finds the sets of a code base that have between one and `EVERYWHERE` places beside their definition,
/// sorted by weight. A set that repeats a heavier one is left out.
pub(crate) fn sets(survey: &Survey) -> Vec<SiblingSet> {
    let mut sets = seeds::seeds(survey);
    let mut index = NameIndex::of(&sets);
    places::find(survey, &mut index, &mut sets);
    sets.retain(|set| (!set.places.is_empty() || !set.loops.is_empty()) && set.places.len() < EVERYWHERE);
    sets.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.source.cmp(&b.source)));
    let mut kept: Vec<SiblingSet> = Vec::new();
    for set in sets {
        if !kept.iter().any(|known| tells(known, &set)) {
            kept.push(set);
        }
    }
    kept
}

/// Returns true if `known` makes `set` redundant: `known` has all its places, or the definition of one
/// of the two sets is a place of the other.
fn tells(known: &SiblingSet, set: &SiblingSet) -> bool {
    let overlaps = |path: &str, lines: (usize, usize), source: &SourceLines| {
        path == source.path && lines.0 <= source.end && source.start <= lines.1
    };
    let is_repeated = set
        .places
        .iter()
        .all(|place| known.places.iter().any(|other| other.path == place.path && other.lines == place.lines));
    is_repeated && set.loops.is_empty()
        || known.places.iter().any(|place| overlaps(&place.path, place.lines, &set.source))
        || set.places.iter().any(|place| overlaps(&place.path, place.lines, &known.source))
}

/// Returns the weight of a set: more with the number of members and of places (at most six count).
/// Places in the file of the definition count less, because a reader of the definition finds them.
#[allow(clippy::cast_precision_loss, reason = "sets are small")]
pub(crate) fn weight(set: &SiblingSet) -> f64 {
    let of_kind = match set.kind {
        MemberKind::Variant | MemberKind::Implementation | MemberKind::Subcommand => 1.3,
        MemberKind::Option | MemberKind::Key | MemberKind::Case => 1.2,
        MemberKind::Entry | MemberKind::Constant => 1.0,
        MemberKind::File | MemberKind::Folder => 0.7,
        MemberKind::Field => 0.6,
    };
    let of_places: f64 = set
        .places
        .iter()
        .take(6)
        .map(|place| if place.path == set.source.path { 0.6 } else { 1.0 } * place.named as f64)
        .sum::<f64>()
        / set.members.len() as f64;
    of_kind * (of_places + 0.8 * set.loops.len() as f64) * (set.members.len() as f64).ln()
}

#[cfg(test)]
mod tests;
