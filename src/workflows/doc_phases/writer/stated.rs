//! Purposes in the words of the repository, for the index and the pages of components. Pure.

use std::collections::BTreeSet;

use super::facts::PageFacts;
use crate::facts::{FactKind, FactSubject, FactValue, SourceLines, TargetKind};
use crate::repo::Language;
use crate::workflows::doc_phases::memory::ComponentSummary;

/// Purpose of a component or project in the words of the repository (README, manifest or documentation
/// comment), with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StatedPurpose<'a> {
    /// Name of the type that it is about; `None` if it is about the component as a whole.
    pub(super) about: Option<&'a str>,
    pub(super) text: &'a str,
    pub(super) source: &'a SourceLines,
}

/// Names of files, without extension, whose documentation is that of their folder.
const ROOTS: [&str; 7] = ["mod", "lib", "main", "__init__", "index", "package-info", "doc"];

impl PageFacts {
    /// Returns the purpose that the repository states for itself, else for its root project; `None` without
    /// one.
    pub(super) fn repository_purpose(&self) -> Option<StatedPurpose<'_>> {
        self.first_purpose(&FactSubject::Repository)
            .or_else(|| self.first_purpose(&FactSubject::Project(String::new())))
    }

    /// Returns the description in a manifest of the root if fewer than 70 % of its words are in `purpose`;
    /// `None` if there is none.
    pub(super) fn described_otherwise(&self, purpose: &StatedPurpose<'_>) -> Option<StatedPurpose<'_>> {
        let root = FactSubject::Project(String::new());
        let all = self
            .selected
            .of_kind(FactKind::Purpose)
            .filter(|fact| fact.subject == root || fact.subject == FactSubject::Repository);
        let mut descriptions = all.filter_map(|fact| {
            let FactValue::Purpose { text } = &fact.value else { return None };
            let is_manifest = |place: &&SourceLines| {
                let lower = place.path.to_lowercase();
                [".toml", ".json", ".xml", ".cfg", ".gemspec", "setup.py", ".csproj"]
                    .iter()
                    .any(|end| lower.ends_with(end))
            };
            Some(StatedPurpose { about: None, text, source: fact.sources.iter().find(is_manifest)? })
        });
        let words = |text: &str| -> BTreeSet<String> { text.split_whitespace().map(bare_name).collect() };
        let told = words(purpose.text);
        let is_new = |one: &StatedPurpose<'_>| {
            let own = words(one.text);
            own.intersection(&told).count() * 10 < own.len() * 7
        };
        descriptions.find(is_new)
    }

    /// Returns the purpose that the repository states for a component: for its folder or file, else for the
    /// program or library that begins in it, else for its project, else for the type with its name.
    pub(super) fn stated_purpose<'a>(&'a self, component: &'a ComponentSummary) -> Option<StatedPurpose<'a>> {
        let places = self.places_of(component);
        self.purpose_of_places(&places)
            .or_else(|| self.purpose_of_target(&places))
            .or_else(|| self.purpose_of_project(component, &places))
            .or_else(|| self.purpose_of_type(component, &places))
    }

    /// Returns the purpose of the program or library that begins in these paths: that of its file or entry
    /// function, else of its project.
    fn purpose_of_target(&self, places: &[&str]) -> Option<StatedPurpose<'_>> {
        self.selected.of_product(FactKind::Target).find_map(|fact| {
            let (FactSubject::Project(folder), FactValue::Target { target, name, entry }) =
                (&fact.subject, &fact.value)
            else {
                return None;
            };
            let is_main = matches!(target, TargetKind::Program | TargetKind::Library);
            let function = self.entry_function(entry);
            let path = function.as_ref().map_or(entry.as_str(), |(path, _)| path);
            if !is_main || !is_within(path, places) {
                return None;
            }
            let of_function = || {
                let (path, name) = function.clone()?;
                self.first_purpose(&FactSubject::Symbol { path, name })
            };
            // A library begins in one of its components; the purpose of the whole is not that of this one.
            let of_project = || {
                // A program beside others, or beside a library, has the purpose of the project if it has its name.
                let is_shared = self.shares_project(folder, places);
                let is_meant = *target == TargetKind::Program && self.has_name_of_project(folder, name);
                self.project_purpose(folder)
                    .filter(|purpose| !is_shared || is_meant || is_within(&purpose.source.path, places))
                    // The documentation of a package of code is not that of the program beside it.
                    .filter(|purpose| {
                        let path = purpose.source.path.as_str();
                        is_within(path, places) || Language::of_path(path).is_none()
                    })
            };
            // The comment of a program's file is about the program, not about the files beside it; that of a `main.rs` is the crate's.
            let is_alone = !is_of_program(path)
                || self.files.iter().filter(|file| is_within(&file.entry.file_path, places)).count() < 2;
            let purpose = self.first_purpose(&FactSubject::File(path.to_owned())).filter(|_| is_alone);
            let purpose = purpose.or_else(of_function).or_else(of_project)?;
            let names_itself = bare_name(purpose.text).starts_with(&bare_name(name));
            Some(StatedPurpose { about: Some(name.as_str()).filter(|_| !names_itself), ..purpose })
        })
    }

    /// Returns true if `name` is the name of the project in `folder`, or its last part that is no version:
    /// `xurls` of `example.org/xurls/v2`.
    fn has_name_of_project(&self, folder: &str, name: &str) -> bool {
        let is_version =
            |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
        self.selected.of_product(FactKind::Project).any(|fact| match (&fact.subject, &fact.value) {
            (FactSubject::Project(of), FactValue::Project { name: Some(known), .. }) if of == folder => known
                .rsplit('/')
                .find(|part| !is_version(part))
                .is_some_and(|last| bare_name(last) == bare_name(name)),
            _ => false,
        })
    }

    /// Returns file and function of an entry such as `shop.cli:main`; `None` if no file or several files fit.
    fn entry_function(&self, entry: &str) -> Option<(String, String)> {
        let (module, function) = entry.split_once(':')?;
        let stem = module.replace('.', "/");
        let is_meant = |path: &&String| {
            let bare = without_extension(path);
            bare == stem || bare.strip_suffix(&stem).is_some_and(|before| before.ends_with('/'))
        };
        let mut files = self.selected.definitions.keys().filter(is_meant);
        let path = files.next()?;
        files.next().is_none().then(|| (path.clone(), function.to_owned()))
    }

    /// Returns true if another component, outside of these paths, belongs to the project in `folder` too.
    /// Tests and examples do not count.
    fn shares_project(&self, folder: &str, places: &[&str]) -> bool {
        let others = self.components.iter().filter(|other| !self.is_side_component(&other.entry));
        let mut of_others = others.flat_map(|other| self.places_of(&other.entry));
        of_others.any(|place| !places.contains(&place) && (folder.is_empty() || is_within(place, &[folder])))
    }

    /// Returns the purpose of the project in `folder`, else that of the folder; of the root project, else
    /// that of the repository.
    pub(super) fn project_purpose(&self, folder: &str) -> Option<StatedPurpose<'_>> {
        let own = self.first_purpose(&FactSubject::Project(folder.to_owned()));
        own.or_else(|| {
            self.first_purpose(&FactSubject::Folder(folder.to_owned())).filter(|_| !folder.is_empty())
        })
        .or_else(|| self.first_purpose(&FactSubject::Repository).filter(|_| folder.is_empty()))
    }

    fn first_purpose(&self, subject: &FactSubject) -> Option<StatedPurpose<'_>> {
        self.selected.purpose(subject).map(|(text, source)| StatedPurpose { about: None, text, source })
    }

    fn purpose_of_places(&self, places: &[&str]) -> Option<StatedPurpose<'_>> {
        let [place] = places else {
            // `shelf.rs` and `shelf/` are one module.
            let is_one =
                places.windows(2).all(|pair| without_extension(pair[0]) == without_extension(pair[1]));
            return is_one.then(|| places.iter().find_map(|place| self.purpose_of_place(place))).flatten();
        };
        self.purpose_of_place(place)
    }

    fn purpose_of_place(&self, place: &str) -> Option<StatedPurpose<'_>> {
        let folder = if place == "." { "" } else { place };
        let subjects = [
            FactSubject::Folder(folder.to_owned()),
            FactSubject::Project(folder.to_owned()),
            FactSubject::File(folder.to_owned()),
        ];
        let direct = subjects.iter().find_map(|subject| self.first_purpose(subject));
        let whole = || self.first_purpose(&FactSubject::Repository).filter(|_| folder.is_empty());
        direct.or_else(whole).or_else(|| self.purpose_of_root_file(folder))
    }

    /// Returns the purpose of the file that documents a folder: its `mod.rs`, `lib.rs`, `__init__.py` or the
    /// like, or a file with the folder's name; of several the outermost.
    fn purpose_of_root_file(&self, folder: &str) -> Option<StatedPurpose<'_>> {
        let own_name = folder.rsplit('/').next().unwrap_or(folder);
        let speaks = |path: &str| {
            let rest = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            let name = rest.map(|rest| rest.strip_prefix("src/").unwrap_or(rest));
            name.is_some_and(|name| {
                let stem = without_extension(name);
                let is_root = ROOTS.contains(&stem) && !is_of_program(path);
                is_root || stem == own_name
            })
        };
        let facts = self.selected.of_kind(FactKind::Purpose);
        let of_files = facts.filter_map(|fact| match &fact.subject {
            FactSubject::File(path) if speaks(path) => self.first_purpose(&fact.subject),
            _ => None,
        });
        of_files.min_by_key(|purpose| purpose.source.path.matches('/').count())
    }

    /// Returns the purpose of the innermost project that contains the component; `None` if another component
    /// is in it.
    fn purpose_of_project(&self, component: &ComponentSummary, places: &[&str]) -> Option<StatedPurpose<'_>> {
        let first = places.first()?;
        let holds = |folder: &str, place: &str| {
            folder.is_empty()
                || place == folder
                || place.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let projects = self.selected.of_kind(FactKind::Project).filter_map(|fact| match &fact.subject {
            FactSubject::Project(folder) => Some(folder.as_str()),
            _ => None,
        });
        let project = projects.filter(|folder| holds(folder, first)).max_by_key(|folder| folder.len())?;
        let is_shared = self.components.iter().any(|other| {
            other.entry.component_id != component.component_id
                && self.places_of(&other.entry).iter().any(|place| holds(project, place))
        });
        if is_shared {
            return None;
        }
        self.project_purpose(project)
    }

    /// Returns the purpose of the public type that has the name of the component; `None` without such a type.
    fn purpose_of_type<'a>(
        &'a self,
        component: &'a ComponentSummary,
        places: &[&str],
    ) -> Option<StatedPurpose<'a>> {
        let is_type = |kind: &str| !matches!(kind, "function" | "method" | "variable" | "macro");
        let mut types = component.public_interfaces.iter().filter(|interface| is_type(&interface.kind));
        let id = bare_name(&component.component_id);
        let main = types.find(|interface| bare_name(&interface.name) == id)?;
        let facts = self.selected.of_product(FactKind::Purpose);
        let mut own = facts.filter(|fact| match &fact.subject {
            FactSubject::Symbol { path, name } => *name == main.name && is_within(path, places),
            _ => false,
        });
        let fact = own.next()?;
        let FactValue::Purpose { text } = &fact.value else { return None };
        Some(StatedPurpose { about: Some(&main.name), text, source: fact.sources.first()? })
    }
}

/// Returns true for a file that is named like a program (`main`, `cli`, `index`). False in Rust, where
/// `main.rs` documents its crate.
fn is_of_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_rust = name.rsplit_once('.').is_some_and(|(_, extension)| extension == "rs");
    !is_rust && matches!(without_extension(name), "main" | "__main__" | "cli" | "index")
}

/// Returns a name in lower case with letters and digits only, to compare names.
fn bare_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Folders of tests, examples and benchmarks in all ecosystems.
const SIDE_FOLDERS: [&str; 16] = [
    "test",
    "tests",
    "testdata",
    "spec",
    "specs",
    "example",
    "examples",
    "_examples",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "fixtures",
    "demo",
    "demos",
    "samples",
];

/// Returns true if a folder in the path is one of tests, examples or benchmarks.
pub(super) fn is_side(path: &str) -> bool {
    path.split('/').any(|name| SIDE_FOLDERS.contains(&name) || name.starts_with("test-"))
}

/// Returns true if a path is one of these places or below one of them; `.` contains every path.
pub(super) fn is_within(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| {
        *place == "." || path == *place || path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'))
    })
}

fn without_extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rfind('.') {
        Some(at) if at > 0 => &path[..path.len() - (name.len() - at)],
        _ => path,
    }
}

/// Returns true if one text contains the other. Case, backticks and the last full stop are ignored.
pub(super) fn says_the_same(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.replace('`', "").trim_end_matches('.').to_lowercase();
    let (one, other) = (bare(one), bare(other));
    one.contains(&other) || other.contains(&one)
}
