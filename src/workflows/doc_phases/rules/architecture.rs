//! Phase A by rules: listings, manifests, the roots of packages and their docs; the components that follow from them (DOC-102, 129).

use std::collections::{BTreeMap, BTreeSet};

use super::abstractions;
use super::parts::{Package, PlannedComponent, is_root, is_side, parts, shared, sources};
use super::plan::{ListedFiles, Plan, sources_in};
use super::project::{
    MANIFESTS, entry_points, folder_of, found_entries, languages, name_of, needs, packages, written,
};
use super::words::{before_use, confidence, count, cut, enumerate, first_sentence, share};
use crate::repo::{FileOutline, Language, Manifest, manifest};
use crate::workflows::doc_phases::memory::{ArchitectureOverview, Entry, OmittedCounts};
use crate::workflows::doc_phases::phase::{Completion, Operation, RoundDecision, RoundQuestion};

/// Maximum of dependencies in the technology stack.
const NEEDS: usize = 15;
/// Maximum of reads of one manifest; some list every test and example.
const MANIFEST_PARTS: usize = 4;
/// Upper bound of the overview's confidence if the rounds were used up first.
const LOOKED_AT_IN_PART: f64 = 0.5;
/// Confidence of the overview of a repository without source files.
const NOTHING_SEEN: f64 = 0.1;
/// Factor of the confidence if no entry point that a manifest names exists.
const UNSEEN: f64 = 0.4;
/// Maximum of entry points in the overview.
const ENTRIES: usize = 20;

/// Decides the next round of phase A by rules: the tool calls that are still needed, then those that store
/// the overview, then the completion.
pub(super) fn next(round: &RoundQuestion) -> RoundDecision {
    let mut plan = Plan::new(round);
    plan.survey("");
    plan.list("", None);
    plan.list("", Some(MANIFESTS));
    if plan.waits() {
        return plan.calls();
    }
    let tree = ListedFiles::of(round);
    let languages = counted(&mut plan, &tree);
    let readme = readme(&mut plan, &tree);
    let manifests = manifests(&mut plan, &tree);
    if plan.waits() {
        return plan.calls();
    }
    let packages = packages(&round.repository, &tree, &manifests);
    let parts = parts(&round.repository, &packages, &tree.files);
    let mut entries = entry_points(&tree, &packages, &manifests);
    let roots = roots(&mut plan, &tree, &entries);
    entries.extend(mains(&mut plan, &tree));
    if plan.waits() {
        return plan.calls();
    }
    let program = shared(&parts.iter().flat_map(|part| &part.paths).collect::<Vec<_>>());
    let abstractions = abstractions::find(&mut plan, &program, &languages);
    if plan.waits() {
        return plan.calls();
    }
    let seen =
        Project { round, tree, languages, readme, manifests, packages, parts, entries, roots, abstractions };
    let mut overview = seen.overview();
    if plan.is_cut() {
        overview.confidence = overview.confidence.min(LOOKED_AT_IN_PART);
    }
    let completion = seen.completion(&overview);
    // Where nothing could be looked at there is nothing to say, not even that there is nothing.
    if !(plan.is_cut() && seen.tree.files.is_empty()) {
        plan.store(&Entry::from(overview));
    }
    plan.end(completion)
}

/// Returns the languages with the number of their source files, the most frequent first. Listings by language
/// count the files that a large tree does not show.
fn counted(plan: &mut Plan, tree: &ListedFiles) -> Vec<(Language, usize)> {
    let mut all = languages(tree);
    for (language, files) in &mut all {
        if let Some(found) = plan.list("", Some(&sources_in(*language))) {
            *files = (*files).max(found.files);
        }
    }
    all.sort_by_key(|(language, files)| (std::cmp::Reverse(*files), *language));
    all
}

/// Returns path and text of the README in the root folder, of several the one with the shortest name. `None`
/// if there is none, or while it is not read.
fn readme(plan: &mut Plan, tree: &ListedFiles) -> Option<(String, String)> {
    let at_top = tree.files.keys().filter(|path| !path.contains('/'));
    let readme =
        at_top.filter(|path| path.to_lowercase().starts_with("readme")).min_by_key(|path| path.len())?;
    plan.read(readme).map(|(text, _)| (readme.clone(), text.to_owned()))
}

/// Returns the parsed manifests that the budget of file reads allows, outermost first. Two reads are kept for
/// other files.
fn manifests(plan: &mut Plan, tree: &ListedFiles) -> Vec<Manifest> {
    let known = |path: &&String| crate::repo::is_manifest(name_of(path)) && !is_side(path);
    let mut paths: Vec<&String> = tree.files.keys().filter(known).collect();
    paths.sort_by_key(|path| (path.matches('/').count(), path.as_str()));
    let most = plan.round.budget.limit(Operation::FileRead).unwrap_or(u32::MAX).saturating_sub(2) as usize;
    let parts = if paths.len() == 1 { MANIFEST_PARTS } else { 1 };
    paths.into_iter().take(most).filter_map(|path| manifest(path, &plan.read_whole(path, parts)?)).collect()
}

/// Returns the outlines of at most five files where packages begin (`lib.rs`, `__init__.py`), outermost
/// first.
fn roots<'r>(plan: &mut Plan<'r>, tree: &ListedFiles, entries: &[(String, String)]) -> Vec<&'r FileOutline> {
    let mut paths: Vec<&String> =
        entries.iter().map(|(path, _)| path).filter(|path| tree.has(path)).collect();
    let is_library =
        |path: &str| matches!(name_of(path), "lib.rs" | "__init__.py") || name_of(path).starts_with("index.");
    paths.sort_by_key(|path| (path.matches('/').count(), !is_library(path)));
    paths.retain(|path| Language::of_path(path).is_some());
    paths.into_iter().take(5).filter_map(|path| plan.symbols(path)).collect()
}

/// Text for a program whose name is not known.
pub(super) const UNNAMED: &str = "a program";

/// Returns the files with a `main` function in languages whose manifests name no programs (Go, Java, C, C++,
/// C#), each with a text such as `program shop, function main`.
fn mains(plan: &mut Plan, tree: &ListedFiles) -> Vec<(String, String)> {
    const PATTERN: &str = r"(?-iu)^func main\(\)|public static void main\s*\(|^\s*(int|void)\s+main\s*\(|static\s+(async\s+)?(void|int|Task)\S*\s+Main\s*\(";
    use Language::{C, CSharp, Cpp, Go, Java};
    if !languages(tree).iter().any(|(language, _)| matches!(language, Go | Java | C | Cpp | CSharp)) {
        return Vec::new();
    }
    let Some(found) = plan.grep(PATTERN, "") else { return Vec::new() };
    let program = |path: &str| {
        let folder = folder_of(path);
        // Only Go calls a program as its folder; elsewhere the build decides.
        let is_named = Language::of_path(path) == Some(Go) && !matches!(folder, "" | "src");
        let what = if is_named { format!("program {}", name_of(folder)) } else { UNNAMED.to_owned() };
        format!("{what}, function main")
    };
    let files = found.shown.iter().map(|line| &line.path).filter(|path| {
        matches!(Language::of_path(path), Some(Go | Java | C | Cpp | CSharp))
            && !is_side(path)
            && tree.has(path)
    });
    let mut all: Vec<(String, String)> = files.map(|path| (path.clone(), program(path))).collect();
    all.dedup();
    all
}

/// Everything that phase A collected about a repository. The overview is made of it.
struct Project<'r> {
    round: &'r RoundQuestion,
    tree: ListedFiles,
    languages: Vec<(Language, usize)>,
    readme: Option<(String, String)>,
    manifests: Vec<Manifest>,
    packages: Vec<Package>,
    parts: Vec<PlannedComponent>,
    entries: Vec<(String, String)>,
    roots: Vec<&'r FileOutline>,
    abstractions: Vec<String>,
}

impl Project<'_> {
    fn overview(&self) -> ArchitectureOverview {
        let boundaries: BTreeMap<String, Vec<String>> =
            self.parts.iter().map(|part| (part.id.clone(), part.paths.clone())).collect();
        let mut entries: Vec<String> =
            self.entries.iter().map(|(path, what)| format!("{path}: {what}")).collect();
        entries.dedup();
        let mut more = OmittedCounts::new();
        ArchitectureOverview {
            system_name: self.name(),
            purpose: self.purpose(),
            tech_stack: self.stack(),
            entry_points: cut(entries, ENTRIES, "entry_points", &mut more),
            major_components: self.parts.iter().map(|part| part.id.clone()).collect(),
            architectural_style: self.style(),
            key_abstractions: self.abstractions.clone(),
            component_boundaries: boundaries,
            confidence: self.confidence(),
            verified_by_files: self.verified(),
            more,
        }
    }

    fn name(&self) -> String {
        let outer = self.packages.iter().find(|package| package.folder.is_empty()).or(self.packages.first());
        let of_workspace =
            self.packages.len() > 1 && !self.packages.iter().any(|package| package.folder.is_empty());
        let name = outer.filter(|_| !of_workspace).map_or(&self.round.repository, |package| &package.name);
        name.chars().take(200).collect()
    }

    /// Returns the purpose of the system: the description of a manifest in the root folder, else the first
    /// sentence of the README, else that of a root file's documentation, else numbers of files and
    /// components.
    fn purpose(&self) -> String {
        let described = self
            .manifests
            .iter()
            .filter(|found| !found.path.contains('/'))
            .find_map(|found| found.description.clone());
        let mut said: Vec<String> =
            described.into_iter().map(|said| said.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let docs = self.roots.iter().find_map(|root| first_sentence(root.docstring.as_deref()?));
        let readme = self.readme.as_ref().and_then(|(_, text)| first_sentence(&before_use(text)));
        if said.is_empty() {
            said.extend(readme.or(docs));
        }
        match said.pop().filter(|said| !said.is_empty()) {
            Some(mut said) => {
                if !said.ends_with(['.', '!', '?']) {
                    said.push('.');
                }
                said
            }
            None if self.languages.is_empty() => "No source files were found.".to_owned(),
            None => format!("{} in {}.", self.amount(), count(self.parts.len(), "component")),
        }
    }

    fn amount(&self) -> String {
        let files: usize = self.languages.iter().map(|(_, files)| files).sum();
        count(files, "source file")
    }

    fn stack(&self) -> Vec<String> {
        let mut stack: Vec<String> =
            self.languages.iter().map(|(language, files)| self.share_of(*language, *files)).collect();
        let mut systems: Vec<String> =
            self.manifests.iter().map(|found| build_system(found).to_owned()).collect();
        systems.sort();
        systems.dedup();
        stack.extend(systems);
        let needs = needs(&self.manifests, &self.packages);
        stack.extend(needs.iter().take(NEEDS).cloned());
        if needs.len() > NEEDS {
            stack.push(format!("{} more dependencies", needs.len() - NEEDS));
        }
        stack
    }

    /// Returns an item of the technology stack: a language with its number of files and, if some belong to no
    /// component (tests, build files), the number of those that do.
    fn share_of(&self, language: Language, files: usize) -> String {
        let is_of = |path: &String| Language::of_path(path) == Some(language);
        let listed = self.tree.files.keys().filter(|path| is_of(path)).count();
        let owned: BTreeSet<String> = self
            .parts
            .iter()
            .flat_map(|part| sources(&self.tree.files, &part.paths))
            .map(|(path, _)| path)
            .filter(is_of)
            .collect();
        let beside = if listed == files && owned.len() < files {
            format!(", {} of them in components", owned.len())
        } else {
            String::new()
        };
        format!("{} ({}{beside})", written(language), count(files, "file"))
    }

    /// Returns the architectural style as the tree and the manifests show it: numbers of packages, libraries
    /// and programs. Names no components, because an update would not keep them current.
    fn style(&self) -> String {
        let mut facts = Vec::new();
        let starting = |what: &str| self.entries.iter().filter(|(_, said)| said.starts_with(what)).count();
        let libraries = starting("library") + starting("package");
        let programs = starting("program") + starting(UNNAMED) + starting("run as");
        if self.packages.len() > 1 {
            let names: Vec<String> = self.packages.iter().map(|package| package.name.clone()).collect();
            facts.push(format!(
                "{} in one repository: {}",
                count(self.packages.len(), "package"),
                enumerate(&names, 12)
            ));
        }
        facts.push(match (libraries, programs) {
            (0, 0) if self.languages.is_empty() => "no source files were found".to_owned(),
            (0, 0) => "source files without a declared entry point".to_owned(),
            (0, programs) => format!("{}, no library", count(programs, "program")),
            (_, 0) => "a library without programs".to_owned(),
            (_, programs) => format!("a library and {}", count(programs, "program")),
        });
        let mut text = facts.join("; ");
        text.push('.');
        text[..1].make_ascii_uppercase();
        text
    }

    fn verified(&self) -> Vec<String> {
        let read = self.manifests.iter().map(|found| found.path.clone());
        let roots = self.roots.iter().map(|root| root.path.clone());
        let readme = self.readme.iter().map(|(path, _)| path.clone());
        read.chain(roots).chain(readme).filter(|path| self.tree.has(path)).collect()
    }

    /// Returns the confidence in the overview, from 0 to 1. It is lowered by manifests that were not read,
    /// roots that were not outlined, and a missing purpose.
    fn confidence(&self) -> f64 {
        if self.languages.is_empty() {
            return NOTHING_SEEN;
        }
        let manifests =
            self.tree.files.keys().filter(|path| crate::repo::is_manifest(name_of(path)) && !is_side(path));
        let read = share(self.manifests.len(), manifests.count());
        let roots = self.entries.iter().filter(|(path, _)| is_root(path)).count().min(5);
        let outlined = share(self.roots.len(), roots);
        let told = f64::from(u8::from(self.readme.is_some() || !self.manifests.is_empty()));
        let seen = 0.4 + 0.25 * read + 0.15 * outlined + 0.15 * told;
        // Where a manifest says that a program begins and nothing of it is to be seen, the program was not seen.
        confidence(seen * (UNSEEN + (1.0 - UNSEEN) * found_entries(&self.tree, &self.manifests)))
    }

    fn completion(&self, overview: &ArchitectureOverview) -> Completion {
        let summary = format!(
            "By rules: {} is {} in {}, {}.",
            overview.system_name,
            self.amount(),
            count(self.parts.len(), "component"),
            count(overview.entry_points.len(), "entry point"),
        );
        Completion { findings_summary: summary, confidence: overview.confidence, ready_for_next_phase: None }
    }
}

fn build_system(found: &Manifest) -> &'static str {
    use crate::repo::ProjectType::{
        Autotools, Cmake, Dotnet, Go, Gradle, Maven, Meson, Node, Php, Python, Ruby, Rust, Unknown,
    };
    match found.project_type {
        Node => "npm package (package.json)",
        Python => "Python packaging",
        Rust => "Cargo",
        Go => "Go modules",
        Maven => "Maven",
        Gradle => "Gradle",
        Php => "Composer",
        Dotnet => "MSBuild",
        Ruby => "RubyGems",
        Cmake => "CMake",
        Meson => "Meson",
        Autotools => "Autotools",
        Unknown => "build files",
    }
}
