//! Phase C by rules: one search a concern, and the users of each component now that all are known (DOC-104, 129).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::component::places;
use super::concerns::{CONCERNS, Concern};
use super::parts::{is_side, owner, shared};
use super::plan::{MatchedLines, Plan};
use super::words::{confidence, cut, enumerate, is_comment, share};
use crate::repo::Language;
use crate::workflows::doc_phases::memory::{
    ComponentSummary, CrossCuttingConcern, Entry, EntryType, OmittedCounts,
};
use crate::workflows::doc_phases::phase::{Completion, MatchedLine, RoundDecision, RoundQuestion};

/// Maximum of files in the entry of a concern.
const FILES: usize = 30;
/// Maximum of type names in the entry of a concern.
const NAMES: usize = 20;
/// Minimum of matching lines for a concern.
const LINES: usize = 2;

/// Decides the next round of phase C by rules: one search for each concern, then the calls that store the
/// concerns and the components whose users changed, then the completion.
pub(super) fn next(round: &RoundQuestion) -> RoundDecision {
    let mut plan = Plan::new(round);
    let boundaries = plan
        .entries(EntryType::Architecture)
        .and_then(|(found, _)| places(found.first()?))
        .unwrap_or_default();
    let components = plan.entries(EntryType::Component).map_or(&[][..], |(found, _)| found);
    // Where to search is known by the places of the components.
    if plan.waits() {
        return plan.calls();
    }
    // Without the tests and examples beside the program.
    let program = shared(&boundaries.values().flatten().collect::<Vec<_>>());
    let mut looked = Vec::new();
    for concern in CONCERNS {
        // Tests stand beside the program as often as in it.
        let below = if concern.id == "testing" { "" } else { &program };
        looked.extend(plan.grep(&concern.pattern(), below).map(|hits| (concern, hits)));
    }
    if plan.waits() {
        return plan.calls();
    }
    let concerns: Vec<CrossCuttingConcern> =
        looked.into_iter().filter_map(|(concern, hits)| found(concern, hits, &boundaries)).collect();
    let completion = completion(&concerns);
    concerns.into_iter().for_each(|concern| plan.store(&Entry::from(concern)));
    let components: Vec<ComponentSummary> = components.iter().filter_map(summary).collect();
    for component in with_dependents(components) {
        plan.store(&Entry::from(component));
    }
    plan.end(completion)
}

fn completion(concerns: &[CrossCuttingConcern]) -> Completion {
    let names: Vec<&str> = concerns.iter().map(|concern| concern.concern_name.as_str()).collect();
    let said =
        if names.is_empty() { "no cross-cutting concern shows".to_owned() } else { enumerate(&names, 20) };
    Completion { findings_summary: format!("By rules: {said}."), confidence: 0.8, ready_for_next_phase: None }
}

/// Converts a queried component entry to its type, without the times that the agent's memory adds; `None` if
/// it does not fit.
fn summary(value: &serde_json::Value) -> Option<ComponentSummary> {
    let mut fields = value.as_object()?.clone();
    fields.remove("created_at");
    fields.remove("updated_at");
    serde_json::from_value(fields.into()).ok()
}

/// Computes the users (`dependents`) of each component from the dependencies of all. Returns the components
/// whose users changed, by id.
fn with_dependents(components: Vec<ComponentSummary>) -> Vec<ComponentSummary> {
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for component in &components {
        for used in component.dependencies.iter().filter(|used| **used != component.component_id) {
            users.entry(used.clone()).or_default().insert(component.component_id.clone());
        }
    }
    let mut changed = Vec::new();
    for mut component in components {
        let right: Vec<String> =
            users.remove(&component.component_id).unwrap_or_default().into_iter().collect();
        if component.dependents != right {
            component.dependents = right;
            changed.push(component);
        }
    }
    changed.sort_by(|a, b| a.component_id.cmp(&b.component_id));
    changed
}

/// Returns the entry of a concern, made of the lines that its search found. `None` if fewer than [`LINES`]
/// lines of code remain without comments and tests.
fn found(
    concern: &Concern,
    hits: MatchedLines,
    boundaries: &BTreeMap<String, Vec<String>>,
) -> Option<CrossCuttingConcern> {
    let code: Vec<&MatchedLine> = hits
        .shown
        .iter()
        .filter(|line| Language::of_path(&line.path).is_some() && super::plan::is_plain(&line.path))
        .filter(|line| concern.id == "testing" || !is_side(&line.path))
        .filter(|line| !is_comment(&line.text))
        .collect();
    let signs = counted(concern, &code);
    if signs.is_empty() || code.len() < LINES {
        return None;
    }
    let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
    code.iter().for_each(|line| *by_file.entry(&line.path).or_insert(0) += 1);
    let mut files: Vec<(&str, usize)> = by_file.into_iter().collect();
    files.sort_by_key(|(path, lines)| (std::cmp::Reverse(*lines), *path));
    let mut more = OmittedCounts::new();
    let involved = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let components: BTreeSet<&str> = files.iter().filter_map(|(path, _)| owner(path, boundaries)).collect();
    Some(CrossCuttingConcern {
        concern_id: concern.id.to_owned(),
        concern_name: concern.name.to_owned(),
        concern_type: concern.kind.to_owned(),
        description: description(&signs, hits, &files),
        implementation_pattern: enumerate(&signs.iter().map(|(sign, _)| *sign).collect::<Vec<_>>(), 6),
        files_involved: cut(involved, FILES, "files_involved", &mut more),
        components_affected: components.into_iter().map(str::to_owned).collect(),
        key_abstractions: cut(names(concern, &code), NAMES, "key_abstractions", &mut more),
        confidence: confidence(0.5 + 0.4 * share(hits.shown.len(), hits.lines)),
        more,
    })
}

/// Returns the names of the signs that match lines, each with their number, the most frequent first.
fn counted(concern: &Concern, code: &[&MatchedLine]) -> Vec<(&'static str, usize)> {
    let mut signs: Vec<(&'static str, usize)> = Vec::new();
    for (sign, pattern) in concern.signs {
        let Some(matcher) = MATCHERS.get(pattern).and_then(Option::as_ref) else { continue };
        let lines =
            code.iter().filter(|line| matcher.is_match(line.text.as_bytes()).unwrap_or_default()).count();
        if lines > 0 {
            signs.push((sign, lines));
        }
    }
    signs.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    signs
}

/// Compiled patterns of all signs, because the rules decide anew in each round.
static MATCHERS: LazyLock<BTreeMap<&str, Option<RegexMatcher>>> = LazyLock::new(|| {
    let patterns = CONCERNS.iter().flat_map(|concern| concern.signs).map(|(_, pattern)| *pattern);
    patterns
        .map(|pattern| (pattern, RegexMatcherBuilder::new().build(&format!("(?-u){pattern}")).ok()))
        .collect()
});

fn description(signs: &[(&str, usize)], hits: MatchedLines, files: &[(&str, usize)]) -> String {
    let said: Vec<&str> = signs.iter().map(|(sign, _)| *sign).collect();
    let most: Vec<String> = files.iter().take(3).map(|(path, _)| format!("`{path}`")).collect();
    let (said, most) = (enumerate(&said, 7), enumerate(&most, 3));
    if hits.lines > hits.shown.len() {
        return format!(
            "The first {} of {} lines show {said}, most of them in {most}. Files and components that show it later are not named here.",
            hits.shown.len(),
            hits.lines
        );
    }
    format!("{said}, most of them in {most}.")
}

/// Returns the names of the types that the lines define, if they end like error or configuration types
/// (`ParseError`, `Settings`), sorted.
fn names(concern: &Concern, code: &[&MatchedLine]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for line in code {
        let mut words =
            line.text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            if concern.names.contains(&word)
                && let Some(name) = words.next()
            {
                found.insert(name.to_owned());
                break;
            }
        }
    }
    let ends = ["Error", "ErrorKind", "Exception", "Config", "Settings", "Options"];
    found.into_iter().filter(|name| ends.iter().any(|end| name.ends_with(end))).collect()
}
