//! Memory and facts as short texts for a request, so that a model need not ask for them. Each text has a bound and counts the lines
//! beyond it. Reads memory alone.

use std::fmt::Write as _;

use crate::facts::{FactKind, FactSubject};
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataModel, FileRole, Memory, Note,
    RuntimeFlow,
};
use crate::workflows::doc_phases::phase::ComponentTask;
use crate::workflows::doc_phases::selection::SelectedFacts;

/// Maximum length of each text, in characters.
const REPOSITORY_CHARS: usize = 5_000;
const ARCHITECTURE_CHARS: usize = 4_000;
const COMPONENT_CHARS: usize = 7_000;

/// Maximum number of paths of a repository that are listed.
const PATHS: usize = 120;

/// Maximum length of a declaration or a purpose, in characters.
const LINE_CHARS: usize = 160;

/// Builder of a text with a maximum size in bytes. After the first line that does not fit, lines are only
/// counted.
pub(super) struct BoundedText {
    text: String,
    most: usize,
    left_out: usize,
}

impl BoundedText {
    pub(super) fn new(most: usize) -> Self {
        Self { text: String::new(), most, left_out: 0 }
    }

    /// Appends a line. If it or an earlier line does not fit, only counts it. Writes `</` as `< /`, so that a
    /// quoted text cannot close the element around it.
    pub(super) fn line(&mut self, line: &str) {
        // The texts of a repository must not end the element that quotes them.
        let line = &line.replace("</", "< /");
        if self.left_out > 0 || self.text.len() + line.len() > self.most {
            self.left_out += 1;
            return;
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Returns the text. If lines were left out, its last line has their number and `hint`, which names the
    /// tool that shows them.
    pub(super) fn finish(mut self, hint: &str) -> String {
        if self.left_out > 0 {
            write!(self.text, "({} more lines; {hint})", self.left_out).expect("a string takes all");
        }
        self.text.trim_end().to_owned()
    }
}

/// Returns the facts of the whole repository for the prompt of phase A: projects, programs, stated purposes,
/// and the first [`PATHS`] file paths.
pub(super) fn repository(memory: &Memory) -> String {
    let mut text = BoundedText::new(REPOSITORY_CHARS);
    let facts = memory.facts();
    for kind in [FactKind::Project, FactKind::Target] {
        for fact in facts.of_product(kind).take(20) {
            let (word, value) = fact.cells();
            text.line(&format!("{word}: {}", short(&value)));
        }
    }
    for fact in facts.of_product(FactKind::Purpose).filter(|fact| !is_small(&fact.subject)).take(30) {
        let place = fact.sources.first().map(ToString::to_string).unwrap_or_default();
        text.line(&format!("{}: {} [{place}]", fact.subject, short(&fact.cells().1)));
    }
    let paths = memory.seen_paths();
    for path in paths.iter().take(PATHS) {
        text.line(path);
    }
    if paths.len() > PATHS {
        text.line(&format!("and {} more files", paths.len() - PATHS));
    }
    text.finish("list_files shows all files")
}

fn is_small(subject: &FactSubject) -> bool {
    matches!(subject, FactSubject::Symbol { .. })
}

/// Returns the architecture overview in the agent's memory as text, with a line for each component; `None` if
/// there is none.
pub(super) fn architecture(memory: &Memory) -> Option<String> {
    let overview = memory.entries::<ArchitectureOverview>().pop()?;
    let mut text = BoundedText::new(ARCHITECTURE_CHARS);
    text.line(&format!("{}: {}", overview.system_name, overview.purpose));
    let fields = [
        ("stack", overview.tech_stack.join(", ")),
        ("entry points", overview.entry_points.join(", ")),
        ("style", overview.architectural_style.clone()),
        ("key abstractions", overview.key_abstractions.join(", ")),
    ];
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        text.line(&format!("{name}: {}", cut(value, 3 * LINE_CHARS)));
    }
    let facts = memory.facts();
    for (id, paths) in &overview.component_boundaries {
        let purpose = paths.iter().find_map(|path| stated(&facts, path)).unwrap_or_default();
        text.line(&format!("- {id} ({}): {}", cut(&paths.join(", "), LINE_CHARS), short(&purpose)));
    }
    Some(text.finish("query_memory shows all components"))
}

/// Returns the purpose of a folder or a file that the repository itself states, if any.
fn stated(facts: &SelectedFacts, path: &str) -> Option<String> {
    let subjects = [FactSubject::Folder(path.to_owned()), FactSubject::File(path.to_owned())];
    subjects.iter().find_map(|subject| facts.purpose(subject)).map(|(text, _)| text.to_owned())
}

/// Returns the entries of a component as text for the prompt of phase B: responsibility, dependencies, notes,
/// files with their declarations, data models and flows.
pub(super) fn component(memory: &Memory, task: &ComponentTask) -> String {
    let mut text = BoundedText::new(COMPONENT_CHARS);
    let id = task.id.as_str();
    let own = memory.entries::<ComponentSummary>().into_iter().find(|it| it.component_id == id);
    if let Some(own) = &own {
        text.line(&format!("responsibility so far: {}", short(&own.responsibility)));
        for (name, list) in [("uses", &own.dependencies), ("used by", &own.dependents)] {
            if !list.is_empty() {
                text.line(&format!("{name}: {}", list.join(", ")));
            }
        }
    }
    for note in memory.entries::<Note>().iter().filter(|note| note.component == id) {
        text.line(&format!("note ({}, {}): {}", note.kind, note.place, note.text));
    }
    let facts = memory.facts();
    for file in memory.entries::<FileRole>().iter().filter(|file| file.component == id) {
        add_file(&mut text, &facts, file);
    }
    for model in memory.entries::<DataModel>().iter().filter(|it| it.used_by_components.contains(&task.id)) {
        let fields: Vec<&str> = model.fields.iter().map(|field| field.name.as_str()).collect();
        text.line(&format!("data_model {}: {}", model.model_id, cut(&fields.join(", "), LINE_CHARS)));
    }
    for flow in memory.entries::<RuntimeFlow>().iter().filter(|it| it.components_involved.contains(&task.id))
    {
        text.line(&format!("flow {}: {}", flow.flow_id, short(&flow.description)));
    }
    text.finish("get_symbols outlines a file")
}

fn add_file(text: &mut BoundedText, facts: &SelectedFacts, file: &FileRole) {
    let path = &file.file_path;
    text.line(&format!("{path}: {}", short(&file.responsibility)));
    let lines = |name: &str| facts.definition(path, name).map(|at| format!("  {}-{}", at.start, at.end));
    for class in &file.key_classes {
        let at = lines(&class.name).unwrap_or_default();
        text.line(&format!("  {}{at}: {}", class.name, cut(&class.methods.join(", "), LINE_CHARS)));
    }
    for function in &file.key_functions {
        let at = lines(&function.name).unwrap_or_default();
        let said = if function.signature.is_empty() { &function.name } else { &function.signature };
        text.line(&format!("  {}{at}", short(said)));
    }
}

/// Returns the first line of a text, cut at [`LINE_CHARS`] with `…`.
pub(super) fn short(text: &str) -> String {
    cut(text.lines().next().unwrap_or_default(), LINE_CHARS)
}

fn cut(text: &str, most: usize) -> String {
    let kept = crate::repo::cut(text, most).kept;
    if kept.len() < text.len() { format!("{kept}…") } else { kept.to_owned() }
}

/// Returns one line for each cross-cutting concern in the agent's memory: id, affected components and
/// description.
pub(super) fn concerns(memory: &Memory) -> Vec<String> {
    let line = |it: CrossCuttingConcern| {
        format!("{} ({}): {}", it.concern_id, it.components_affected.join(", "), short(&it.description))
    };
    memory.entries::<CrossCuttingConcern>().into_iter().map(line).collect()
}
