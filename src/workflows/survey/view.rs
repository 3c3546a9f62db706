//! The view of a code base that the sections share: its facts by subject, its central files with their outlines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::central::{self, CentralFile};
use super::functions::CallTable;
use super::quoted::Quoter;
use crate::facts::{Fact, FactKind, FactSubject, FactValue, Facts, PathRole, SourceLines, TargetKind};
use crate::repo::{CodeBase, FileOutline, Language, WalkLimits};

/// A code base as the sections see it.
pub(crate) struct Survey<'a> {
    pub(crate) code: &'a CodeBase,
    pub(crate) facts: &'a Facts,
    /// All walked files, in order.
    pub(crate) files: Vec<String>,
    /// The bytes of the walked files.
    pub(crate) sizes: BTreeMap<String, u64>,
    /// Files of the product by rank, the most central first.
    pub(crate) central: Vec<CentralFile>,
    /// Positions in `central`, by path.
    pub(crate) positions: HashMap<String, usize>,
    /// Outlines of the most central files.
    pub(crate) outlines: BTreeMap<String, Arc<FileOutline>>,
    pub(crate) quoter: Quoter,
    /// Identifiers in the README of the root.
    pub(crate) named_in_readme: BTreeSet<String>,
    /// The calls between functions.
    pub(crate) calls: CallTable<'a>,
    /// Documentation of functions that headers declare, by name.
    pub(crate) declared: HashMap<String, String>,
    /// Names of functions that C and C++ files define.
    pub(crate) implemented: BTreeSet<String>,
    purposes: HashMap<&'a FactSubject, Vec<(&'a str, &'a SourceLines)>>,
}

impl<'a> Survey<'a> {
    /// Surveys a code base. Parses at most `files_outlined` files, the most central ones.
    pub(crate) fn of(code: &'a CodeBase, facts: &'a Facts, files_outlined: usize) -> Self {
        let walk = code.files().walk(WalkLimits::default());
        let files: Vec<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
        let sizes = walk.files.iter().map(|file| (file.path.to_string(), file.bytes)).collect();
        let mut central = central::rank(facts, &files);
        let wanted: BTreeSet<&str> =
            central.iter().take(files_outlined).map(|file| file.path.as_str()).collect();
        let mut shown = walk;
        shown.files.retain(|file| wanted.contains(file.path.to_string().as_str()));
        let outlines: BTreeMap<String, Arc<FileOutline>> =
            code.outlines(&shown).into_iter().map(|outline| (outline.path.clone(), outline)).collect();
        central::count_references(code, facts, &outlines, &mut central);
        let mut purposes: HashMap<&FactSubject, Vec<(&str, &SourceLines)>> = HashMap::new();
        for fact in facts.of_kind(FactKind::Purpose) {
            if let (FactValue::Purpose { text }, Some(source)) = (&fact.value, fact.sources.first()) {
                // `/**<` of Doxygen.
                let text = text.trim_start_matches(['<', ' ']);
                purposes.entry(&fact.subject).or_default().push((text, source));
            }
        }
        drop_boilerplate(&mut purposes);
        let (declared, implemented) = declarations(&outlines);
        let named_in_readme = identifiers_of_readme(code, &files);
        let positions = central.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        Self {
            code,
            facts,
            files,
            sizes,
            central,
            positions,
            outlines,
            quoter: Quoter::default(),
            named_in_readme,
            calls: CallTable::of(facts),
            declared,
            implemented,
            purposes,
        }
    }

    /// Returns the facts of one kind about the product: not about tests, examples, generated or vendored files.
    pub(crate) fn of_product(&self, kind: FactKind) -> impl Iterator<Item = &'a Fact> {
        self.facts
            .of_kind(kind)
            .filter(|fact| matches!(fact.role, PathRole::Runtime | PathRole::Build | PathRole::Docs))
    }

    /// Returns the stated purposes of a subject, the most trusted first.
    pub(crate) fn purposes_of(&self, subject: &FactSubject) -> &[(&'a str, &'a SourceLines)] {
        self.purposes.get(subject).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn purpose_of(&self, subject: &FactSubject) -> Option<(&'a str, &'a SourceLines)> {
        self.purposes_of(subject).first().copied()
    }

    /// Returns the stated purpose of a folder: its own, or that of the file that speaks for it.
    pub(crate) fn folder_purpose(&self, folder: &str) -> Option<(&'a str, &'a SourceLines)> {
        let own = [FactSubject::Folder(folder.to_owned()), FactSubject::Project(folder.to_owned())];
        // The comment of a file with tests speaks for the tests.
        let is_own = |(_, source): &(&str, &SourceLines)| PathRole::of(&source.path) != PathRole::Test;
        let mut stated =
            own.iter().filter(|_| !folder.is_empty()).flat_map(|subject| self.purposes_of(subject));
        stated.find(|stated| is_own(stated)).copied().or_else(|| {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            let speaks = |path: &&String| {
                let rest = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
                rest.is_some_and(|rest| {
                    !rest.contains('/') && (speaks_for_folder(rest) || rest.split('.').next() == Some(name))
                })
            };
            let mut speakers = self.files_below(folder).filter(speaks);
            speakers.find_map(|path| self.purpose_of(&FactSubject::File(path.clone())))
        })
    }

    /// Returns the folders of the walked files, without the root.
    pub(crate) fn folders(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        for path in &self.files {
            let mut rest = path.as_str();
            // The folders around a known folder are known.
            while let Some((folder, _)) = rest.rsplit_once('/') {
                if !found.insert(folder) {
                    break;
                }
                rest = folder;
            }
        }
        found
    }

    /// Returns the walked files below a folder; all for the root.
    pub(crate) fn files_below<'s>(&'s self, folder: &str) -> impl Iterator<Item = &'s String> + use<'s, 'a> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.files.iter().filter(move |path| path.starts_with(&prefix))
    }

    /// Returns the name of the product: of the project in the root, of the only program, of the only project, else the title of the README.
    pub(crate) fn name(&self) -> Option<String> {
        let projects: Vec<(&str, &'a str)> = self
            .of_product(FactKind::Project)
            .filter_map(|fact| match &fact.value {
                FactValue::Project { name: Some(name), .. } => Some((fact.subject.path(), last_name(name))),
                _ => None,
            })
            .collect();
        let programs: BTreeSet<&str> = self
            .of_product(FactKind::Target)
            .filter_map(|fact| match &fact.value {
                FactValue::Target { target: TargetKind::Program, name, .. } => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let of_root = projects.iter().find(|(folder, _)| folder.is_empty()).map(|(_, name)| *name);
        let only = |names: &[&'a str]| (names.len() == 1).then(|| names[0]);
        // The title of the README, if a project has that name.
        let titled = || {
            let title = self.readme_title()?;
            projects.iter().map(|(_, name)| *name).find(|name| name.eq_ignore_ascii_case(&title))
        };
        self.word_of_purpose(of_root)
            .or(of_root)
            .or_else(titled)
            .or_else(|| only(&programs.iter().copied().collect::<Vec<_>>()))
            .or_else(|| only(&projects.iter().map(|(_, name)| *name).collect::<Vec<_>>()))
            .or_else(|| shared_beginning(&programs, &projects))
            .map(str::to_owned)
            .or_else(|| self.readme_title())
            .filter(|name| !name.trim().is_empty())
    }

    /// Returns the first word of the stated purpose if the name of the project begins with it: `Shop` for `shop-parent`.
    fn word_of_purpose(&self, name: Option<&str>) -> Option<&'a str> {
        let (text, _) = self.purpose_of(&FactSubject::Repository)?;
        let word = text.split_whitespace().next()?.trim_matches(|c: char| !c.is_alphanumeric());
        let is_beginning = name?.to_lowercase().starts_with(&word.to_lowercase());
        Some(word).filter(|word| is_beginning && word.len() > 1)
    }

    /// Returns the name in the first heading of the README of the root: `sd` for `# sd - finds and replaces`.
    fn readme_title(&self) -> Option<String> {
        let path = self.of_product(FactKind::Topic).find_map(|fact| {
            let path = &fact.sources.first()?.path;
            path.to_lowercase().starts_with("readme").then_some(path)
        })?;
        let (_, text) = self.code.text(path).ok()?;
        let heading = text.lines().take(TITLE_LINES).find_map(|line| line.strip_prefix("# "))?;
        let name = [" - ", " – ", " — ", ": "]
            .iter()
            .fold(heading, |name, sign| name.split(sign).next().unwrap_or(name));
        let is_name = name.split_whitespace().count() <= 3 && !name.contains(['?', '!', '<', '[', '`']);
        Some(name.trim().to_owned()).filter(|name| is_name && !name.is_empty())
    }

    /// Returns all projects with their folders, those of the root first; of one folder the main one first.
    pub(crate) fn projects(&self) -> Vec<(&'a str, &'a Fact)> {
        let mut found: Vec<_> =
            self.of_product(FactKind::Project).map(|fact| (fact.subject.path(), fact)).collect();
        found.sort_by_key(|(folder, _)| *folder);
        found
    }
}

/// Lines of a README among which its title stands.
const TITLE_LINES: usize = 20;
/// Longest part of a README that is searched for names, in bytes.
const README: usize = 200_000;

/// Returns the names in the README of the root that look like code: with capitals inside, with an underscore, before a bracket.
fn identifiers_of_readme(code: &CodeBase, files: &[String]) -> BTreeSet<String> {
    let is_readme = |path: &&String| !path.contains('/') && path.to_lowercase().starts_with("readme");
    let Some((_, text)) = files.iter().find(is_readme).and_then(|path| code.text(path).ok()) else {
        return BTreeSet::new();
    };
    let text = &text[..text.floor_char_boundary(README)];
    let mut found = BTreeSet::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let after = &rest[start..];
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
        let word = &after[..end];
        let is_inner = word.contains('_')
            || word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
        if word.len() > 3 && (is_inner || after[end..].starts_with('(')) {
            found.insert(word.to_owned());
        }
        rest = &after[end..];
    }
    found
}

/// Returns the word with which the names of most projects begin: `shop` of `shop-client` and `shop-server`. A program of that name comes
/// first.
fn shared_beginning<'a>(programs: &BTreeSet<&'a str>, projects: &[(&str, &'a str)]) -> Option<&'a str> {
    let begins = |word: &&str| {
        let count = projects.iter().filter(|(_, project)| project.starts_with(*word)).count();
        word.len() > 2 && count > 1 && count * 2 > projects.len()
    };
    let words = projects.iter().filter_map(|(_, project)| project.split(['-', '_', '.']).next());
    programs.iter().copied().chain(words).find(begins)
}

/// Returns the last part of the name of a module; `v2` is the version of a module of Go.
fn last_name(name: &str) -> &str {
    let mut parts = name.rsplit(['/', ':']);
    let last = parts.next().unwrap_or(name);
    let is_version = last.strip_prefix('v').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    parts.next().filter(|_| is_version).unwrap_or(last)
}

/// Returns true for a file that speaks for its folder: `mod.rs`, `__init__.py`, `index.ts`.
pub(super) fn speaks_for_folder(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    ["mod", "lib", "__init__", "index", "package-info", "doc"].contains(&stem)
}

/// Returns true for a header of C or C++.
pub(crate) fn is_header(path: &str) -> bool {
    [".h", ".hpp", ".hh", ".hxx"].iter().any(|end| path.ends_with(end))
}

/// Returns the documentation of functions in headers, and the names of those that other files of C and C++ define.
fn declarations(
    outlines: &BTreeMap<String, Arc<FileOutline>>,
) -> (HashMap<String, String>, BTreeSet<String>) {
    let (mut declared, mut implemented) = (HashMap::new(), BTreeSet::new());
    for (path, outline) in outlines {
        if !matches!(outline.language, Language::C | Language::Cpp) {
            continue;
        }
        for (_, symbol) in outline.walk().filter(|(_, symbol)| symbol.kind.is_callable()) {
            match &symbol.docstring {
                Some(docs) if is_header(path) => drop(declared.insert(symbol.name.clone(), docs.clone())),
                _ if !is_header(path) => drop(implemented.insert(symbol.name.clone())),
                _ => {}
            }
        }
    }
    (declared, implemented)
}

/// Number of subjects with one purpose from which on it says nothing about them.
const BOILERPLATE: usize = 3;

fn drop_boilerplate(purposes: &mut HashMap<&FactSubject, Vec<(&str, &SourceLines)>>) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (text, _) in purposes.values().flatten() {
        *counts.entry(text).or_default() += 1;
    }
    for texts in purposes.values_mut() {
        texts.retain(|(text, _)| counts.get(text).is_none_or(|count| *count < BOILERPLATE));
    }
}
