//! Phase B by rules: the files of one component, outlined as far as the budget goes, and what follows from them (DOC-103, 129).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::edges::ComponentEdges;
use super::flows::{READS, flows, starts};
use super::interfaces::{interfaces, mentions};
use super::models::models;
use super::parts::{below, is_root, is_side, shared, sources, stem};
use super::patterns::patterns;
use super::plan::{ListedFiles, PAGES, Plan};
use super::project::{MANIFESTS, folder_of};
use super::roles::roles;
use super::sight::{ComponentCounts, SeenFile};
use super::words::{confidence, cut, first_sentence, share, some_of};
use crate::repo::{FileOutline, Language, Manifest, manifest};
use crate::workflows::doc_phases::memory::{
    ComponentSummary, Entry, EntryType, OmittedCounts, PublicInterface, RuntimeFlow,
};
use crate::workflows::doc_phases::phase::{
    Completion, ComponentTask, Operation, RoundDecision, RoundQuestion,
};

/// Maximum of key files in the entry of a component.
const KEY_FILES: usize = 10;
/// Maximum of public interfaces in the entry of a component.
const INTERFACES: usize = 120;
/// Maximum of definitions that a responsibility names if no documentation states one.
const DEFINED: usize = 8;
/// Maximum of design patterns in the entry of a component.
const PATTERNS: usize = 8;
/// Maximum of data models of a component that are stored; files share the room that they leave.
const MODELS: usize = 12;
/// Number of file reads that are kept for manifests.
const MANIFEST_READS: usize = 2;

/// Decides the next round of phase B by rules, for one component: the tool calls that are still needed, then
/// those that store its entries, then the completion.
pub(super) fn next(round: &RoundQuestion) -> RoundDecision {
    let Some(task) = &round.component else {
        return RoundDecision::Complete(nothing("no component was named"));
    };
    let mut plan = Plan::new(round);
    let boundaries = boundaries(&mut plan, task);
    let before = plan.component(&task.id);
    let everything = plan.pages("", PAGES);
    plan.list("", Some(MANIFESTS));
    let known = ListedFiles::of(round);
    task.paths.iter().for_each(|path| look(&mut plan, &known, path));
    if plan.waits() {
        return plan.calls();
    }
    let tree = ListedFiles::of(round);
    let own = sources(&tree.files, &task.paths);
    if !everything {
        anchors(&mut plan, &own);
    }
    let manifests = manifests(&mut plan, &tree, task, &own);
    let starts = starts(&entry_points(&mut plan), &task.paths);
    let looks = looks(&mut plan, &own, if starts.is_empty() { 0 } else { READS });
    if plan.waits() {
        return plan.calls();
    }
    let flows = flows(&mut plan, &ListedFiles::of(round), &manifests, &boundaries, &starts);
    if plan.waits() {
        return plan.calls();
    }
    let sights: Vec<SeenFile> = looks.into_iter().filter_map(FileAnswer::sight).collect();
    let tree = ListedFiles::of(round);
    let edges = ComponentEdges::new(&tree, &manifests, &boundaries, &sights);
    let is_only = boundaries.len() < 2;
    let seen = Explored { task, own, sights, edges, flows, before, is_only };
    seen.store(plan)
}

fn nothing(why: &str) -> Completion {
    Completion {
        findings_summary: format!("By rules: {why}."),
        confidence: 0.1,
        ready_for_next_phase: Some(true),
    }
}

/// Returns the paths of all components, by id, from the overview in the agent's memory; of this component
/// alone if that is missing.
fn boundaries(plan: &mut Plan, task: &ComponentTask) -> BTreeMap<String, Vec<String>> {
    let mut all = plan
        .entries(EntryType::Architecture)
        .and_then(|(entries, _)| places(entries.first()?))
        .unwrap_or_default();
    all.entry(task.id.clone()).or_insert_with(|| task.paths.clone());
    all
}

/// Returns the entry points in the overview in the agent's memory, as `path: program`; empty if it is
/// missing.
fn entry_points(plan: &mut Plan) -> Vec<String> {
    let found = plan.entries(EntryType::Architecture).and_then(|(entries, _)| entries.first());
    found
        .and_then(|entry| serde_json::from_value(entry.get("entry_points")?.clone()).ok())
        .unwrap_or_default()
}

/// Returns the paths of the components, by id, in the JSON of an overview entry; `None` if it has none.
pub(super) fn places(overview: &Value) -> Option<BTreeMap<String, Vec<String>>> {
    serde_json::from_value(overview.get("component_boundaries")?.clone()).ok()
}

/// Requests listings for one path of the component: of a file the listing of its folder, of a folder that of
/// its source files.
fn look(plan: &mut Plan, known: &ListedFiles, path: &str) {
    let is_file = Language::of_path(path).is_some();
    if !is_file {
        return plan.survey(path);
    }
    if plan.list(folder_of(path), None).is_some() && !known.has(path) {
        plan.survey(folder_of(path));
    }
}

/// Requests listings of the files where modules begin (`mod.rs`, `__init__.py`, `index.js`) in the
/// component's languages, so that imports can be resolved in a tree too large for complete listings.
fn anchors(plan: &mut Plan, own: &[(String, u64)]) {
    let has = |wanted: &[Language]| {
        own.iter().filter_map(|(path, _)| Language::of_path(path)).any(|found| wanted.contains(&found))
    };
    if has(&[Language::Rust]) {
        plan.list("", Some("**/{mod,lib}.rs"));
    }
    if has(&[Language::Python]) {
        plan.list("", Some("**/__init__.py"));
    }
    if has(&[Language::JavaScript, Language::TypeScript, Language::Tsx]) {
        plan.list("", Some("**/index.{js,ts,tsx,mjs}"));
    }
}

/// Returns the Cargo or Go manifests of the repository, which name crates and modules. Only the first
/// [`MANIFEST_READS`] around the component are read; of the others only the folder is known.
fn manifests(
    plan: &mut Plan,
    tree: &ListedFiles,
    task: &ComponentTask,
    own: &[(String, u64)],
) -> Vec<Manifest> {
    let languages: BTreeSet<Language> = own.iter().filter_map(|(path, _)| Language::of_path(path)).collect();
    let file = match () {
        () if languages.contains(&Language::Rust) => "Cargo.toml",
        () if languages.contains(&Language::Go) => "go.mod",
        () => return Vec::new(),
    };
    let place = own.first().map_or(task.paths.first().map_or("", String::as_str), |(path, _)| path);
    let mut found = Vec::new();
    for path in tree.files.keys().filter(|path| super::project::name_of(path) == file && !is_side(path)) {
        let folder = folder_of(path);
        let around = folder.is_empty() || below(place, folder).is_some();
        let read = if around && found.len() < MANIFEST_READS {
            plan.read(path).map(|(text, _)| text.to_owned())
        } else {
            None
        };
        // A package that is not read is called as its folder is.
        let text = read.unwrap_or_else(|| match file {
            "Cargo.toml" => format!("[package]\nname = \"{}\"\n", super::project::name_of(folder)),
            _ => String::new(),
        });
        found.extend(manifest(path, &text));
    }
    found
}

/// Answer of a tool about one file: its outline, or its path, text and number of lines. The text is parsed
/// only when all answers are there.
enum FileAnswer<'r> {
    Outline(&'r FileOutline),
    Text(String, &'r str, usize),
}

impl<'r> FileAnswer<'r> {
    fn sight(self) -> Option<SeenFile<'r>> {
        match self {
            Self::Outline(outline) => Some(SeenFile::outlined(outline)),
            Self::Text(path, text, total) => SeenFile::read(&path, text, total),
        }
    }
}

/// Returns the answers about the component's files: outlines for as many as the budget allows, then texts.
/// `kept` file reads and [`MANIFEST_READS`] are left for other purposes. Requests the missing ones.
fn looks<'r>(plan: &mut Plan<'r>, own: &[(String, u64)], kept: usize) -> Vec<FileAnswer<'r>> {
    let limit = |operation| plan.round.budget.limit(operation).unwrap_or(u32::MAX) as usize;
    let outlines = limit(Operation::SymbolCall);
    let reads = limit(Operation::FileRead).saturating_sub(MANIFEST_READS + kept);
    let mut found = Vec::new();
    for (index, (path, _)) in own.iter().enumerate().take(outlines.saturating_add(reads)) {
        if index < outlines {
            found.extend(plan.symbols(path).map(FileAnswer::Outline));
        } else {
            found.extend(plan.read(path).map(|(text, total)| FileAnswer::Text(path.clone(), text, total)));
        }
    }
    found
}

/// Everything that phase B collected about one component. Its entries are made of it.
struct Explored<'r> {
    task: &'r ComponentTask,
    own: Vec<(String, u64)>,
    sights: Vec<SeenFile<'r>>,
    edges: ComponentEdges,
    flows: Vec<RuntimeFlow>,
    before: Option<&'r Value>,
    /// True if the repository has no other component.
    is_only: bool,
}

impl Explored<'_> {
    fn store(&self, mut plan: Plan) -> RoundDecision {
        let mut summary = self.summary();
        let amounts = ComponentCounts::of(&self.sights);
        let completion = Completion {
            findings_summary: format!("By rules: {} has {}.", self.task.id, amounts.said(self.own.len())),
            confidence: summary.confidence,
            ready_for_next_phase: None,
        };
        let mentions = mentions(&self.sights);
        let models = models(&self.task.id, &self.sights, &mentions);
        let roles = roles(&self.task.id, &self.sights, &self.edges);
        let room = plan.capacity().saturating_sub(2 + self.flows.len());
        let files = roles.len().min(room.saturating_sub(models.len().min(MODELS)));
        let beyond = [
            ("files", self.own.len() - files),
            ("data_models", models.len().saturating_sub(MODELS.min(room))),
        ];
        summary
            .more
            .extend(beyond.into_iter().filter(|(_, more)| *more > 0).map(|(what, more)| (what.into(), more)));
        plan.store(&Entry::from(summary));
        self.flows.iter().for_each(|flow| plan.store(&Entry::from(flow.clone())));
        models.into_iter().take(MODELS.min(room)).for_each(|model| plan.store(&Entry::from(model)));
        roles.into_iter().take(files).for_each(|role| plan.store(&Entry::from(role)));
        if !plan.is_cut() {
            plan.mark_explored(&self.task.id);
        }
        plan.end(completion)
    }

    fn summary(&self) -> ComponentSummary {
        let before = |field: &str| -> Vec<String> {
            self.before
                .and_then(|entry| serde_json::from_value(entry.get(field)?.clone()).ok())
                .unwrap_or_default()
        };
        let own = &self.task.id;
        let mut more = OmittedCounts::new();
        let key_files = self.own.iter().map(|(path, _)| path.clone()).collect();
        ComponentSummary {
            component_id: own.clone(),
            component_name: self.name(),
            root_path: self.place(),
            responsibility: self.responsibility(),
            key_files: cut(key_files, KEY_FILES, "key_files", &mut more),
            public_interfaces: cut(interfaces(&self.sights), INTERFACES, "public_interfaces", &mut more),
            dependencies: self.edges.components().filter(|id| id != own).collect(),
            // Users are known when all are explored: phase C fills them in.
            dependents: before("dependents"),
            design_patterns_used: cut(patterns(&self.sights), PATTERNS, "design_patterns_used", &mut more),
            confidence: self.confidence(),
            explored_files: self.sights.iter().map(|sight| sight.outline.path.clone()).collect(),
            more,
        }
    }

    /// Returns the component's root path: its first folder, else its only file, else the folder around its
    /// files.
    fn place(&self) -> String {
        let places = &self.task.paths;
        let folder = places.iter().find(|place| Language::of_path(place).is_none());
        match (folder, &places[..]) {
            (Some(folder), _) | (None, [folder]) => folder.clone(),
            (None, places) => shared(places),
        }
    }

    /// Returns the display name of the component: the name of its folder or file if that is the id in another
    /// case, else the id.
    fn name(&self) -> String {
        let names = self.task.paths.iter().flat_map(|place| [stem(place), super::project::name_of(place)]);
        let written = names.filter(|name| name.to_lowercase() == self.task.id).map(str::to_owned).next();
        written.unwrap_or_else(|| self.task.id.clone())
    }

    /// Returns the responsibility of the component: the documentation of its root file, else the names of its
    /// public definitions, else numbers. States how many files were seen if not all were.
    fn responsibility(&self) -> String {
        let amounts = ComponentCounts::of(&self.sights).said(self.own.len());
        let said = match (self.own.is_empty(), self.documented(), self.definitions()) {
            (true, ..) => return "No source file was found in it.".into(),
            (_, Some(said), _) => said,
            (_, None, Some(names)) => names,
            (_, None, None) => return format!("{amounts}."),
        };
        if self.sights.len() < self.own.len() { format!("{said} ({amounts}.)") } else { said }
    }

    /// Returns the first sentence of the documentation of the component's root file; `None` without one.
    fn documented(&self) -> Option<String> {
        let speaks = |path: &str| self.speaks_for_all(path) && !self.is_of_program_alone(path);
        let mut roots = self.sights.iter().filter(|sight| speaks(&sight.outline.path));
        let mut said = roots.find_map(|sight| first_sentence(sight.outline.docstring.as_deref()?))?;
        if !said.ends_with(['.', '!', '?', ':']) {
            said.push('.');
        }
        Some(said)
    }

    /// Returns a sentence that names the public definitions, types first ("Defines A, B and f."), each as a
    /// code span. `None` if there are none.
    fn definitions(&self) -> Option<String> {
        let mut public = interfaces(&self.sights);
        public.sort_by_key(|one| match one.kind.as_str() {
            "function" => 1,
            "variable" | "macro" => 2,
            _ => 0,
        });
        let is_outer = |one: &PublicInterface| one.kind != "method";
        let mut names: Vec<String> =
            public.into_iter().filter(is_outer).map(|one| format!("`{}`", one.name)).collect();
        // Several definitions of one name by conditions of the build.
        names.dedup();
        (!names.is_empty()).then(|| format!("Defines {}.", some_of(&names, DEFINED)))
    }

    /// Returns true if the documentation of a file describes the whole component: the file is its root, or
    /// all of it.
    fn speaks_for_all(&self, path: &str) -> bool {
        let places = &self.task.paths;
        let is_place = places.iter().any(|place| place == path);
        let at_top = || {
            let folders = places.iter().filter(|place| Language::of_path(place).is_none());
            folders
                .filter_map(|place| below(path, place))
                .any(|rest| !rest.trim_start_matches("src/").contains('/'))
        };
        let beside = || {
            places.iter().any(|place| {
                folder_of(place) == folder_of(path) && stem(place) == stem(path) && place != path
            })
        };
        // The root of a package that other components share speaks for the package.
        let is_leftover = !self.is_only && places.len() > 1 && !beside();
        is_root(path) && !is_leftover && (is_place || at_top())
            || is_place && (places.len() == 1 || beside())
            || self.own.len() == 1
    }

    /// Returns true for the file of a program (`main`, `cli`) beside other files, whose documentation is
    /// about the program only. False in Rust, where `main.rs` documents the crate.
    fn is_of_program_alone(&self, path: &str) -> bool {
        let is_program = matches!(stem(path), "main" | "__main__" | "cli" | "index");
        is_program && self.own.len() > 1 && Language::of_path(path) != Some(Language::Rust)
    }

    /// Returns the confidence in the entry, from 0 to 1, by the shares of the files that were seen, and seen
    /// completely.
    fn confidence(&self) -> f64 {
        let whole = self.sights.iter().filter(|sight| sight.is_whole).count();
        let seen = share(self.sights.len(), self.own.len());
        if self.own.is_empty() {
            return 0.1;
        }
        confidence(0.2 + 0.45 * seen + 0.3 * share(whole, self.own.len()))
    }
}
