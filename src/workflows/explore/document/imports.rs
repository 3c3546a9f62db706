//! Step `enrich` of a document: adds imports and environment variables to each section (EXP-50).

use std::collections::{BTreeMap, HashMap};

use super::section::ScopeSection;
use crate::workflows::explore::rules::FindingIndex;

/// Maximum number of other sections that a section is shown to need.
const NEEDS: usize = 12;
/// Maximum number of imported modules of a section.
const IMPORTS: usize = 24;
/// Maximum number of environment variables of a section.
const VARIABLES: usize = 40;

/// Fills `needs`, `imports` and `variables` of the sections.
pub fn enrich(index: &FindingIndex, mut sections: Vec<ScopeSection>) -> Vec<ScopeSection> {
    let needs = needs(index, &sections);
    for (section, needs) in sections.iter_mut().zip(needs) {
        section.needs = needs;
        let mut imports: BTreeMap<&str, &str> = BTreeMap::new();
        for (module, place) in section.files.iter().flat_map(|path| index.imports_of(path)) {
            imports.entry(module).or_insert(place);
        }
        section.imports =
            imports.into_iter().take(IMPORTS).map(|(module, place)| format!("{module} {place}")).collect();
        let mut variables: Vec<&str> =
            section.files.iter().flat_map(|path| index.variables_of(path)).collect();
        // Of several places of a variable the one with a help comes first.
        variables.sort_by_key(|line| (name_of(line), !line.contains(": ")));
        variables.dedup_by_key(|line| name_of(line));
        section.variables = variables.into_iter().take(VARIABLES).map(str::to_owned).collect();
    }
    sections
}

/// Returns the first word of a line about a variable, which is its name.
fn name_of(line: &str) -> String {
    line.split(' ').next().unwrap_or_default().to_owned()
}

/// Returns, for each section, lines about the other sections that its files import, the most imported
/// first: title and one place.
fn needs(index: &FindingIndex, sections: &[ScopeSection]) -> Vec<Vec<String>> {
    let owners = owners(sections);
    let mut found: Vec<BTreeMap<usize, (usize, String)>> = vec![BTreeMap::new(); sections.len()];
    for (from, to, shown) in index.edges_shown() {
        if let (Some(from), Some(to)) = (owners.get(from), owner_of(&owners, sections, to))
            && *from != to
        {
            found[*from].entry(to).or_insert_with(|| (0, shown)).0 += 1;
        }
    }
    let shown = |needs: BTreeMap<usize, (usize, String)>| {
        let mut order: Vec<_> = needs.into_iter().collect();
        order.sort_by(|(a, (many, _)), (b, (few, _))| few.cmp(many).then(a.cmp(b)));
        let line = |(to, (_, shown)): (usize, (usize, String))| format!("{} ({shown})", sections[to].title);
        order.into_iter().take(NEEDS).map(line).collect()
    };
    found.into_iter().map(shown).collect()
}

/// Returns the position of the section of each file.
pub(super) fn owners(sections: &[ScopeSection]) -> HashMap<&str, usize> {
    let files = sections.iter().enumerate();
    files.flat_map(|(at, section)| section.files.iter().map(move |path| (path.as_str(), at))).collect()
}

/// Returns the position of the section with a file, or with files of a folder (a Go package). `None` if
/// no section has it.
pub(super) fn owner_of(
    owners: &HashMap<&str, usize>,
    sections: &[ScopeSection],
    path: &str,
) -> Option<usize> {
    owners.get(path).copied().or_else(|| {
        sections.iter().position(|section| section.path == path && !path.is_empty()).or_else(|| {
            let is_inside = |file: &String| file.rsplit_once('/').is_some_and(|(folder, _)| folder == path);
            sections.iter().position(|section| !path.is_empty() && section.files.iter().any(is_inside))
        })
    })
}
