//! Sets of things of one kind, and the places that name nearly every member of a set: one more member may need a change there. The members
//! are the variants of an enum, the implementations of an interface, the files of a folder, the entries of a table, options, fields.
//!
//! Reading order: this file (the sets with their places), `seeds` (the sets), `names` (members as other places write them), `places`.

mod names;
mod places;
mod seeds;

use self::names::NameIndex;
use crate::facts::SourceLines;
use crate::workflows::survey::Survey;

/// The kind of the members of a set.
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
    Key,
    Field,
}

/// A set of things of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SiblingSet {
    pub(crate) kind: MemberKind,
    /// The name of the enum, the interface, the table; the folder with a pattern.
    pub(crate) title: String,
    /// The lines that define the set; line 0 for files.
    pub(crate) source: SourceLines,
    /// Names as written, each once, in the order of the text.
    pub(crate) members: Vec<String>,
    /// Texts that stand for members, with their positions: the value of a constant.
    pub(crate) aliases: Vec<(usize, String)>,
    /// The places that name nearly all members, the most telling first.
    pub(crate) places: Vec<NamingPlace>,
}

/// A place that names nearly all members of a set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamingPlace {
    /// A file; for files that are named by members their pattern.
    pub(crate) path: String,
    /// The lines from the first to the last named member; 0 for files.
    pub(crate) lines: (usize, usize),
    /// The definition around them.
    pub(crate) within: Option<String>,
    /// A name there, where it is not that of the member itself.
    pub(crate) sample: Option<String>,
    /// Number of the named members.
    pub(crate) named: usize,
}

/// Fewest members of a set.
const MEMBERS: usize = 4;
/// Largest number of members of a set: larger ones are data.
const MOST_MEMBERS: usize = 300;
/// Number of places from which on the members are used everywhere.
const EVERYWHERE: usize = 14;

/// Largest set of which a place names all members.
const SMALL: usize = 5;

/// Returns the least number of members that a place names.
fn needed(members: usize) -> usize {
    if members <= SMALL { members } else { (members * 3).div_ceil(4) }
}

/// Returns the sets with at least one place beside their definition, the most telling first.
pub(crate) fn sets(survey: &Survey) -> Vec<SiblingSet> {
    let mut sets = seeds::seeds(survey);
    let mut index = NameIndex::of(&sets);
    places::find(survey, &mut index, &mut sets);
    sets.retain(|set| !set.places.is_empty() && set.places.len() < EVERYWHERE);
    sets.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.source.cmp(&b.source)));
    let mut kept: Vec<SiblingSet> = Vec::new();
    for set in sets {
        if !kept.iter().any(|known| tells(known, &set)) {
            kept.push(set);
        }
    }
    kept
}

/// Returns true if a set tells the places of another one: it has all of them, or the definition of one is a place of the other.
fn tells(known: &SiblingSet, set: &SiblingSet) -> bool {
    let overlaps = |path: &str, lines: (usize, usize), source: &SourceLines| {
        path == source.path && lines.0 <= source.end && source.start <= lines.1
    };
    let is_repeated = set
        .places
        .iter()
        .all(|place| known.places.iter().any(|other| other.path == place.path && other.lines == place.lines));
    is_repeated
        || known.places.iter().any(|place| overlaps(&place.path, place.lines, &set.source))
        || set.places.iter().any(|place| overlaps(&place.path, place.lines, &known.source))
}

/// Returns the weight of a set: places in other files are found least by a reader of the definition.
#[allow(clippy::cast_precision_loss, reason = "sets are small")]
pub(crate) fn weight(set: &SiblingSet) -> f64 {
    let of_kind = match set.kind {
        MemberKind::Variant | MemberKind::Implementation | MemberKind::Subcommand => 1.3,
        MemberKind::Option | MemberKind::Key => 1.2,
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
    of_kind * of_places * (set.members.len() as f64).ln()
}

#[cfg(test)]
mod tests;
