//! Findings about single files: their stated purposes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::facts::{FactKind, FactSubject, FactValue, PathRole, TargetKind};
use crate::workflows::explore::rules::finding::{FILES, RuleFinding};
use crate::workflows::explore::rules::index::FolderPurpose;
use crate::workflows::survey::Survey;
use crate::workflows::survey::phrases::first_sentence;
use crate::workflows::survey::quoted::{path_span, place};
use crate::workflows::survey::targets::adds_nothing;

/// Appends the purposes of source files that no other finding states.
pub(super) fn collect(
    survey: &Survey<'_>,
    purposes: &BTreeMap<String, FolderPurpose>,
    found: &mut Vec<RuleFinding>,
) {
    let told = told_elsewhere(survey, purposes);
    let scores: HashMap<&str, f64> =
        survey.central.iter().map(|file| (file.path.as_str(), file.score)).collect();
    for path in survey.files.iter().filter(|path| !told.contains(path.as_str())) {
        if PathRole::of(path) != PathRole::Runtime {
            continue;
        }
        let Some((text, source)) = survey.purpose_of(&FactSubject::File(path.clone())) else { continue };
        let Some(said) = survey.quoter.prose(first_sentence(text)) else { continue };
        let repeats = purposes.get("").is_some_and(|all| adds_nothing(&all.said, &said));
        if !repeats {
            let weight = scores.get(path.as_str()).copied().unwrap_or_default();
            let content = format!("{}: {said} {}", path_span(path), place(source));
            found.push(RuleFinding::new(FILES, path, weight, content));
        }
    }
}

/// Returns the files whose purpose another finding states: entry files of programs and libraries, and
/// files that state the purpose of their folder.
fn told_elsewhere<'a>(
    survey: &Survey<'a>,
    purposes: &'a BTreeMap<String, FolderPurpose>,
) -> BTreeSet<&'a str> {
    let targets = survey.of_product(FactKind::Target).filter_map(|fact| match &fact.value {
        FactValue::Target { target: TargetKind::Program | TargetKind::Library, entry, .. } => {
            Some(entry.as_str())
        }
        _ => None,
    });
    targets.chain(purposes.values().map(|stated| stated.source.path.as_str())).collect()
}
