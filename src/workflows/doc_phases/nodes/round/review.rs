//! The material of the last phase: contradictions, public types without words and dangling names, computed by rules, and the texts of the
//! entries. Reads memory alone.

use std::collections::BTreeSet;

use super::digest::{BoundedText, short};
use crate::facts::FactSubject;
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataModel, EntryType, FileRole, Memory,
    Note, RuntimeFlow, WrittenBy,
};

/// Maximum length of the findings and of the texts, in characters.
const FINDING_CHARS: usize = 5_000;
const TEXT_CHARS: usize = 16_000;

/// Maximum number of components that are compared with one another.
const PAIRED: usize = 200;

/// Maximum number of findings of one kind.
const FINDINGS: usize = 15;

/// Returns the text of the agent's memory that the model reviews in phase D: possible defects that rules
/// found, then the descriptions in all entries.
pub(super) fn review(memory: &Memory) -> String {
    let mut found = BoundedText::new(FINDING_CHARS);
    let groups = [
        ("contradiction", contradictions(memory)),
        ("no words for public type", uncovered_types(memory)),
        ("dangling name", dangling_names(memory)),
    ];
    for (what, all) in &groups {
        all.iter().take(FINDINGS).for_each(|one| found.line(&format!("{what}: {one}")));
        if all.len() > FINDINGS {
            found.line(&format!("and {} more of: {what}", all.len() - FINDINGS));
        }
    }
    let found = found.finish("query_memory shows the entries");
    let found = if found.is_empty() { "Rules found nothing wrong.".to_owned() } else { found };
    format!("{found}\n\nTexts of the entries:\n{}", texts(memory))
}

/// Returns a sentence for each contradiction: a dependent without the matching dependency, two components
/// with one responsibility, or a file whose entry by a model shares no word with its own documentation.
fn contradictions(memory: &Memory) -> Vec<String> {
    let components = memory.entries::<ComponentSummary>();
    let mut found = Vec::new();
    // Bounded, because a model may give thousands of components one text.
    for one in components.iter().take(PAIRED) {
        for other in components.iter().take(PAIRED).filter(|other| other.component_id != one.component_id) {
            let (id, user) = (&one.component_id, &other.component_id);
            // Dependents are only known of components whose users were looked for.
            if one.dependents.contains(user) && !other.dependencies.contains(id) {
                found.push(format!(
                    "component `{id}` names `{user}` as a user, which names no dependency on it"
                ));
            }
            if one.responsibility == other.responsibility && id < user {
                found.push(format!("components `{id}` and `{user}` have the same responsibility"));
            }
        }
    }
    let facts = memory.facts();
    for file in memory.entries::<FileRole>() {
        let said = facts.purpose(&FactSubject::File(file.file_path.clone()));
        let is_of_model = memory
            .get(EntryType::File, &file.file_path)
            .is_some_and(|record| matches!(record.written_by(), Some(WrittenBy::Model(_))));
        let differs = |(text, _): &(&str, _)| is_of_model && shares_no_word(text, &file.responsibility);
        if let Some((text, place)) = said.filter(differs) {
            found.push(format!(
                "file `{}`: its documentation says {:?} [{place}], its entry {:?}",
                file.file_path,
                short(text),
                short(&file.responsibility)
            ));
        }
    }
    found
}

/// Returns true if both texts have words of more than three characters and none in common. Words are compared
/// by their first five characters, without case; such texts may speak of different things.
fn shares_no_word(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
        words.map(|word| word.to_lowercase().chars().take(5).collect()).collect()
    };
    let (one, other) = (words(one), words(other));
    !one.is_empty() && !other.is_empty() && one.is_disjoint(&other)
}

/// Returns the public types of components that have no description in any entry.
fn uncovered_types(memory: &Memory) -> Vec<String> {
    let mut described: BTreeSet<String> = BTreeSet::new();
    for file in memory.entries::<FileRole>() {
        let with_purpose = file.key_classes.into_iter().filter(|class| !class.purpose.is_empty());
        described.extend(with_purpose.map(|class| class.name));
    }
    let is_type = |kind: &str| !matches!(kind, "function" | "method" | "variable" | "macro" | "");
    let mut found = Vec::new();
    for component in memory.entries::<ComponentSummary>() {
        for public in component.public_interfaces.iter().filter(|public| is_type(&public.kind)) {
            if public.description.is_empty() && !described.contains(&public.name) {
                found.push(format!("`{}` of component `{}`", public.name, component.component_id));
            }
        }
    }
    found
}

/// Returns the ids of components and data models that an entry refers to and the agent's memory does not
/// have, each with the entry (`` `x` in component `core` ``).
fn dangling_names(memory: &Memory) -> Vec<String> {
    let components = memory.index().components_discovered;
    let models: BTreeSet<String> =
        memory.entries::<DataModel>().into_iter().flat_map(|it| [it.model_id, it.model_name]).collect();
    let mut found = Vec::new();
    let mut check = |owner: String, ids: &[String], known: &BTreeSet<String>| {
        let unknown = ids.iter().filter(|id| !id.is_empty() && !known.contains(*id));
        found.extend(unknown.map(|id| format!("`{id}` in {owner}")));
    };
    for it in memory.entries::<ComponentSummary>() {
        let owner = || format!("component `{}`", it.component_id);
        check(owner(), &it.dependencies, &components);
        check(owner(), &it.dependents, &components);
    }
    for it in memory.entries::<RuntimeFlow>() {
        let owner = || format!("flow `{}`", it.flow_id);
        check(owner(), &it.components_involved, &components);
        check(owner(), &it.data_models_used, &models);
    }
    for it in memory.entries::<CrossCuttingConcern>() {
        check(format!("cross_cutting `{}`", it.concern_id), &it.components_affected, &components);
    }
    for it in memory.entries::<ArchitectureOverview>() {
        check("architecture".to_owned(), &it.major_components, &components);
    }
    found
}

/// Returns the descriptions of all entries, one line each: the overview first, the files last.
fn texts(memory: &Memory) -> String {
    let mut text = BoundedText::new(TEXT_CHARS);
    for it in memory.entries::<ArchitectureOverview>() {
        text.line(&format!("architecture: {} Style: {}", it.purpose, it.architectural_style));
    }
    for it in memory.entries::<ComponentSummary>() {
        let uses = if it.dependencies.is_empty() {
            String::new()
        } else {
            format!(" Uses {}.", it.dependencies.join(", "))
        };
        text.line(&format!("component `{}`: {}{uses}", it.component_id, it.responsibility));
    }
    for it in memory.entries::<CrossCuttingConcern>() {
        text.line(&format!("cross_cutting `{}`: {}", it.concern_id, it.description));
    }
    for it in memory.entries::<RuntimeFlow>() {
        let steps: Vec<String> =
            it.steps.iter().map(|step| format!("{}: {}", step.component, step.action)).collect();
        text.line(&format!("flow `{}`: {} ({})", it.flow_id, it.description, steps.join(" → ")));
    }
    for it in memory.entries::<Note>() {
        text.line(&format!("note `{}` ({}, {}): {}", it.note_id, it.kind, it.place, it.text));
    }
    for it in memory.entries::<FileRole>() {
        text.line(&format!("file `{}`: {}", it.file_path, it.responsibility));
        for class in it.key_classes.iter().filter(|class| !class.purpose.is_empty()) {
            text.line(&format!("  {}: {}", class.name, class.purpose));
        }
    }
    text.finish("query_memory shows them")
}
