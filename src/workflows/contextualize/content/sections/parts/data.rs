//! Folders of the product without code: what they hold, and the code that names them.

use std::collections::BTreeMap;

use super::super::super::draft::{ContextSection, LineDraft};
use super::super::super::quoted::{path_span, place};
use super::super::super::survey::Survey;
use super::super::falling;
use super::is_source;
use crate::facts::{PathRole, SourceLines};

/// Fewest files of a folder, and most folders.
const FILES: usize = 3;
const FOLDERS: usize = 6;
/// Most files of code that are searched for the name of a folder.
const SEARCHED: usize = 200;

/// The paths of a folder's files by file extension.
type FilesByEnd<'s> = BTreeMap<&'s str, Vec<&'s str>>;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut found: BTreeMap<&str, FilesByEnd> = BTreeMap::new();
    for path in &survey.files {
        let Some((folder, name)) = path.rsplit_once('/') else { continue };
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        found.entry(folder).or_default().entry(end).or_default().push(path);
    }
    let is_data = |files: &FilesByEnd| {
        let mut all = files.values().flatten();
        all.all(|path| !is_source(path) && PathRole::of(path) == PathRole::Runtime)
    };
    let folders = found.into_iter().filter(|(folder, files)| !folder.starts_with('.') && is_data(files));
    let mut folders: Vec<(&str, &str, Vec<&str>)> = folders
        .filter_map(|(folder, files)| {
            let (end, most) = files.into_iter().max_by_key(|(_, files)| files.len())?;
            (most.len() >= FILES && !end.is_empty()).then_some((folder, end, most))
        })
        .collect();
    folders.sort_by_key(|(folder, _, files)| (std::cmp::Reverse(files.len()), *folder));
    for (at, (folder, end, files)) in folders.into_iter().take(FOLDERS).enumerate() {
        let sample = files.first().map(|path| path_span(path)).unwrap_or_default();
        let named = place_of_name(survey, folder).map(|place| format!("; named in {place}"));
        let pattern = path_span(&format!("*.{end}"));
        let text = format!(
            "- {}: {pattern}, such as {sample}{}",
            path_span(&format!("{folder}/")),
            named.unwrap_or_default()
        );
        draft.add(ContextSection::Parts, falling(50.0, at, 3.0), "folders of data", text);
    }
}

/// Returns the first place in the 200 most central files where the path of a folder stands in a string
/// literal or a longer path; `None` if there is none.
fn place_of_name(survey: &Survey, folder: &str) -> Option<String> {
    let is_named = |line: &str| {
        line.match_indices(folder).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + folder.len()..]);
            before.ends_with(['"', '\'', '`', '/']) && after.starts_with(['"', '\'', '`', '/'])
        })
    };
    survey.central.iter().take(SEARCHED).find_map(|file| {
        let (_, text) = survey.code.text(&file.path).ok()?;
        let line = text.lines().position(is_named)? + 1;
        Some(place(&SourceLines { path: file.path.clone(), start: line, end: line }))
    })
}
