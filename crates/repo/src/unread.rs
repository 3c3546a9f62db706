//! The unread part of a tree: counts and reasons, as sentences for the documents about it (DOC-12, 32).

use std::collections::BTreeMap;

use super::files::Files;
use super::left_out::LeftOut;
use super::outline::Language;
use super::parallel::parallel_map;
use super::read::ReadProblem;
use super::show::is_plain;
use super::walk::{Walk, WalkedFile};

/// Maximum number of paths that one sentence names.
const NAMED: usize = 5;

/// The reason why a file of a tree is not read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnreadReason {
    Refused,
    Odd,
    Encoding,
    Binary,
    Huge,
}

impl UnreadReason {
    fn sentence(self, number: usize) -> String {
        let one = number == 1;
        let (files, are) = if one { ("file", "is") } else { ("files", "are") };
        match self {
            Self::Refused => format!("{number} {files} cannot be read"),
            Self::Odd if one => format!("1 {files} has a name that is no plain text"),
            Self::Odd => format!("{number} {files} have names that are no plain text"),
            Self::Encoding => format!("{number} source {files} {are} not UTF-8"),
            Self::Binary => format!("{number} source {files} {are} binary"),
            Self::Huge => format!("{number} source {files} {are} too large to be read"),
        }
    }
}

/// Returns sentences about the files of a walked tree that cannot be read, one for each reason, and about
/// folders that the walk did not enter. Empty if all was read. Hidden entries and those that a `.gitignore`
/// excludes are not counted.
///
/// ```
/// use stategraph_repo::{Files, MemoryFiles, WalkLimits, unread};
///
/// let files = MemoryFiles::new([("a.rs", "fn a() {}"), ("b.rs", "\0"), ("c\nd.rs", "")]);
/// let said = unread(&files, &files.walk(WalkLimits::default()));
/// assert_eq!(said, ["1 file has a name that is no plain text: \"c\\nd.rs\"", "1 source file is binary: b.rs"]);
/// ```
pub fn unread(files: &dyn Files, walk: &Walk) -> Vec<String> {
    let all = parallel_map(walk.files.len(), |index| looked_at(files, &walk.files[index]));
    let mut by_reason: BTreeMap<UnreadReason, Vec<String>> = BTreeMap::new();
    all.into_iter().flatten().for_each(|(why, place)| by_reason.entry(why).or_default().push(place));
    let mut said: Vec<String> = by_reason.iter().map(|(why, places)| sentence(*why, places)).collect();
    said.extend(not_entered(&walk.left_out));
    said
}

/// Returns the reason why a file is not read, and its path for the sentence; `None` if it is read, or gone
/// since the walk.
fn looked_at(files: &dyn Files, file: &WalkedFile) -> Option<(UnreadReason, String)> {
    if !is_plain(file.path.relative()) {
        return Some((UnreadReason::Odd, file.path.to_string()));
    }
    let is_source = Language::of_path(file.path.relative()).is_some();
    let problem = if is_source {
        files.read_text(&file.path).err()?.problem
    } else {
        files.open(&file.path).err()?.problem
    };
    let path = file.path.to_string();
    Some(match problem {
        // It is gone since the walk.
        ReadProblem::Missing => return None,
        ReadProblem::NotUtf8 { .. } => (UnreadReason::Encoding, path),
        ReadProblem::Binary { .. } => (UnreadReason::Binary, path),
        ReadProblem::Huge { .. } => (UnreadReason::Huge, path),
        ReadProblem::Unreadable { reason } => (UnreadReason::Refused, format!("{path} ({reason})")),
        ReadProblem::Directory | ReadProblem::NotADirectory | ReadProblem::Special => {
            (UnreadReason::Refused, format!("{path} ({problem})"))
        }
    })
}

fn sentence(why: UnreadReason, places: &[String]) -> String {
    let named = places.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = places.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}: {named}{rest}", why.sentence(places.len()))
}

/// Returns sentences about the entries that the walk did not enter or list, one for each reason.
fn not_entered(left_out: &LeftOut) -> Vec<String> {
    let counted = |number: usize, one: &str, many: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        number => Some(format!("{number} {many}")),
    };
    let places = |count: Option<String>| {
        let named: Vec<&str> = left_out.problems.iter().take(NAMED).map(String::as_str).collect();
        count.map(|count| format!("{count}: {}", named.join("; ")))
    };
    let said = [
        places(counted(left_out.unreadable, "place cannot be looked at", "places cannot be looked at")),
        counted(
            left_out.noise_folders,
            "folder of dependencies or build output is not entered",
            "folders of dependencies or build output are not entered",
        ),
        counted(left_out.links, "link is not followed", "links are not followed"),
        counted(left_out.special, "pipe, socket or device", "pipes, sockets or devices"),
        counted(left_out.too_deep, "folder is too deep", "folders are too deep"),
        counted(
            left_out.beyond_limit,
            "file is beyond the limit of their number",
            "files are beyond the limit of their number",
        ),
    ];
    said.into_iter().flatten().collect()
}
