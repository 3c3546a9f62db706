//! Sets of members of one kind (variants of an enum, implementations, files of a folder), each with the
//! places that a new member must be added to.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{falling, lines_of};
use crate::facts::{PathRole, SourceLines};
use crate::workflows::survey::siblings::{MemberKind, NamingPlace, SiblingSet, sets, weight};

/// Most sets that are considered, and most files and places of a file on a line.
const SETS: usize = 30;
const FILES: usize = 6;
const PLACES: usize = 4;
/// Most members that a line names.
const NAMED: usize = 4;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    for (at, set) in sets(survey).iter().take(SETS).enumerate() {
        if let Some(text) = set_line(survey, set) {
            let rank = falling(170.0, at, 4.0) * (weight(set) / 8.0).clamp(0.3, 1.0);
            draft.add_many(ContextSection::Additions, rank, ("sets of one kind", 2), text);
        }
    }
}

/// Returns the line about a set: its title, some members, and the files and lines that name them all or most
/// of them. `None` if the title or the members must not be quoted.
fn set_line(survey: &Survey, set: &SiblingSet) -> Option<String> {
    let title = survey.quoter.code(&set.title)?;
    let kind = set.kind.words();
    let mut text = format!("- One more {kind}{title}");
    let is_of_file = matches!(set.kind, MemberKind::Option | MemberKind::Subcommand | MemberKind::Key);
    if is_of_file {
        text.extend([format!(" {}", lines_of(set.source.start, set.source.end))]);
    } else if set.source.start > 0 {
        text.extend([format!(" {}", place(&set.source))]);
    }
    let members = survey.quoter.code(&shown_members(set))?;
    // Private subtypes, and those whose base does not resolve, are not among the members.
    let least = if set.kind == MemberKind::Implementation { "at least " } else { "" };
    text.extend([format!(" ({least}{}: {members})", set.members.len())]);
    let mut files: BTreeMap<(usize, &str), Vec<&NamingPlace>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for place in &set.places {
        if !order.contains(&place.path.as_str()) {
            order.push(&place.path);
        }
    }
    for place in &set.places {
        let position = order.iter().position(|path| *path == place.path).unwrap_or(0);
        // The definition is read first, and tests and documents come last.
        let is_late = !matches!(PathRole::of(&place.path), PathRole::Runtime | PathRole::Build);
        let position = position + if is_late { 1_000 } else { 0 };
        files.entry((position, &place.path)).or_default().push(place);
    }
    let count = files.len();
    let mut told: Vec<String> = Vec::new();
    for ((_, path), mut places) in files.into_iter().take(FILES) {
        places.sort_by_key(|place| place.lines);
        // Lines without a file are those of the definition, named just before.
        let is_own = told.is_empty() && path == set.source.path;
        told.push(file_places(survey, set, (path, is_own), &places));
    }
    let more = if count > FILES { "; and other files" } else { "" };
    if !told.is_empty() {
        text.extend([format!(": named in {}{more}", told.join("; "))]);
    }
    if !set.loops.is_empty() {
        let loops: Vec<String> = set.loops.iter().map(place).collect();
        text.extend([format!("; all are gone through in {}", loops.join(", "))]);
    }
    Some(text)
}

/// Returns up to 4 members of a set as text; of more the first 3 and `…`.
fn shown_members(set: &SiblingSet) -> String {
    let mut shown: Vec<&str> = set.members.iter().take(NAMED).map(String::as_str).collect();
    if set.members.len() > NAMED {
        shown.truncate(NAMED - 1);
        shown.push("…");
    }
    shown.join(", ")
}

/// Returns the places of one file that name the members of a set. `is_own` omits the path, because the
/// definition in that file was named just before.
fn file_places(
    survey: &Survey,
    set: &SiblingSet,
    (path, is_own): (&str, bool),
    places: &[&NamingPlace],
) -> String {
    let count = |place: &NamingPlace| {
        if place.named == set.members.len() {
            String::new()
        } else {
            format!(" (at least {} of them)", place.named)
        }
    };
    if let Some(pattern) = places.iter().find(|place| place.lines.0 == 0) {
        let sample = pattern.sample.as_deref().map(|sample| format!(" like {}", path_span(sample)));
        return format!("files {}{}{}", path_span(path), sample.unwrap_or_default(), count(pattern));
    }
    let mut parts: Vec<String> = Vec::new();
    for place in places.iter().take(PLACES) {
        let mut part = String::new();
        if let Some(within) = place.within.as_deref().and_then(|name| survey.quoter.code(name)) {
            part.extend([format!("{within} ")]);
        }
        part.push_str(&lines_of(place.lines.0, place.lines.1));
        if let Some(sample) = place.sample.as_deref().and_then(|name| survey.quoter.code(name)) {
            part.extend([format!(" as {sample}")]);
        }
        part.push_str(&count(place));
        parts.push(part);
    }
    let more = if places.len() > PLACES { ", …" } else { "" };
    if is_own {
        return format!("{}{more}", parts.join(", "));
    }
    if let [only] = places
        && only.within.is_none()
        && only.sample.is_none()
    {
        let lines = SourceLines { path: path.to_owned(), start: only.lines.0, end: only.lines.1 };
        return format!("{}{}", self::place(&lines), count(only));
    }
    format!("{} {}{more}", path_span(path), parts.join(", "))
}
