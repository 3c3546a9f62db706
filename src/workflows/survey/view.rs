//! `Survey`, the view of a code base that all sections of a generated description share.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::central::{self, CentralFile};
use super::functions::CallTable;
use super::quoted::Quoter;
use crate::facts::{Fact, FactKind, FactSubject, FactValue, Facts, PathRole, SourceLines, TargetKind};
use crate::repo::{CodeBase, FileOutline, Language, WalkLimits};

/// View of a code base: its facts by subject, its files by rank, and outlines of the most central ones.
/// Built once per run by `Survey::of`; the sections of a generated description read it.
pub(crate) struct Survey<'a> {
    pub(crate) code: &'a CodeBase,
    pub(crate) facts: &'a Facts,
    /// Paths of all walked files, in the order of the walk.
    pub(crate) files: Vec<String>,
    /// Size of each walked file in bytes.
    pub(crate) sizes: BTreeMap<String, u64>,
    /// Files of the product by rank, the most central first.
    pub(crate) central: Vec<CentralFile>,
    /// Positions in `central`, by path.
    pub(crate) positions: HashMap<String, usize>,
    /// Outlines of the most central files.
    pub(crate) outlines: BTreeMap<String, Arc<FileOutline>>,
    pub(crate) quoter: Quoter,
    /// Identifiers in the README of the root folder; they give definitions more weight.
    pub(crate) named_in_readme: BTreeSet<String>,
    /// The calls between functions.
    pub(crate) calls: CallTable<'a>,
    /// Documentation of functions in C and C++ headers, by function name.
    pub(crate) declared: HashMap<String, String>,
    /// Names of functions that C and C++ files outside headers define.
    pub(crate) implemented: BTreeSet<String>,
    purposes: HashMap<&'a FactSubject, Vec<(&'a str, &'a SourceLines)>>,
}

impl<'a> Survey<'a> {
    /// Walks a code base and builds its survey. Parses at most `files_outlined` files, the most central
    /// ones.
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

    /// Returns the facts of one kind whose file is part of the product: not tests, examples, generated
    /// or vendored files.
    pub(crate) fn of_product(&self, kind: FactKind) -> impl Iterator<Item = &'a Fact> {
        self.facts
            .of_kind(kind)
            .filter(|fact| matches!(fact.role, PathRole::Runtime | PathRole::Build | PathRole::Docs))
    }

    /// Returns the stated purposes of a subject, the most trusted first.
    pub(crate) fn purposes_of(&self, subject: &FactSubject) -> &[(&'a str, &'a SourceLines)] {
        self.purposes.get(subject).map_or(&[], Vec::as_slice)
    }

    /// Returns the most trusted purpose of a subject with its source; `None` if no text states one.
    pub(crate) fn purpose_of(&self, subject: &FactSubject) -> Option<(&'a str, &'a SourceLines)> {
        self.purposes_of(subject).first().copied()
    }

    /// Returns the stated purpose of a folder: its own, else that of a file directly in it that stands
    /// for it (`mod.rs`, `index.ts`, or a file with the name of the folder). Comments of test files do
    /// not count.
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

    /// Returns every folder that contains a walked file, at any depth, without the root.
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

    /// Returns the walked files at any depth below a folder; all files for the empty path.
    pub(crate) fn files_below<'s>(&'s self, folder: &str) -> impl Iterator<Item = &'s String> + use<'s, 'a> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.files.iter().filter(move |path| path.starts_with(&prefix))
    }

    /// Returns the name of the product. Tried in this order: the project in the root (or the first word
    /// of the repository's purpose, if the name begins with it), a project that the README's title
    /// names, the only program, the only project, the shared first word of most projects, the README's
    /// title.
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

    /// Returns the first word of the repository's stated purpose if it is `name`, the name of the project,
    /// in another spelling: `Shop` for `shop-parent`.
    fn word_of_purpose(&self, name: Option<&str>) -> Option<&'a str> {
        let (text, _) = self.purpose_of(&FactSubject::Repository)?;
        let word = text.split_whitespace().next()?.trim_matches(|c: char| !c.is_alphanumeric());
        (word.len() > 1 && is_same_product(name?, word)).then_some(word)
    }

    /// Returns the name in the first heading of the root's README: `sd` for `# sd - finds and
    /// replaces`. `None` if the heading is no short name.
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

/// Returns true if a word is the name of a project without its separators, or without a last part that names no product.
fn is_same_product(name: &str, word: &str) -> bool {
    const PARTS: &[&str] =
        &["", "parent", "root", "core", "project", "monorepo", "workspace", "all", "aggregator", "reactor"];
    let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    bare(name).strip_prefix(&bare(word)).is_some_and(|rest| PARTS.contains(&rest))
}

/// Number of first lines of a README in which its title is searched.
const TITLE_LINES: usize = 20;
/// Number of first bytes of a README that are searched for names.
const README: usize = 200_000;

/// Returns the words of more than three bytes in the README of the root that look like code: mixed
/// case, with an underscore, or before `(`.
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

/// Returns a word with which the names of more than half of the projects begin, at least two: `shop`
/// for `shop-client` and `shop-server`. Names of programs are tried before first words of project
/// names.
fn shared_beginning<'a>(programs: &BTreeSet<&'a str>, projects: &[(&str, &'a str)]) -> Option<&'a str> {
    let begins = |word: &&str| {
        let count = projects.iter().filter(|(_, project)| project.starts_with(*word)).count();
        word.len() > 2 && count > 1 && count * 2 > projects.len()
    };
    // `Vendor.Shop` of `Vendor.Shop.Json` and `Vendor.Shop.Xml`.
    let dotted = projects.iter().flat_map(|(_, project)| {
        let ends = project.match_indices('.').map(|(at, _)| at).chain([project.len()]);
        ends.filter_map(|end| project.get(..end)).filter(|part| part.contains('.')).collect::<Vec<_>>()
    });
    let longest = dotted.filter(begins).max_by_key(|part| part.len());
    let words = projects.iter().filter_map(|(_, project)| project.split(['-', '_', '.']).next());
    programs.iter().copied().find(begins).or(longest).or_else(|| words.into_iter().find(begins))
}

/// Returns the last part of a package or module name after `/` or `:`. A Go version is skipped:
/// `example.com/shop/v2` → `shop`.
fn last_name(name: &str) -> &str {
    let mut parts = name.rsplit(['/', ':']);
    let last = parts.next().unwrap_or(name);
    let is_version = last.strip_prefix('v').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    parts.next().filter(|_| is_version).unwrap_or(last)
}

/// Returns true for a file whose comment describes its folder: `mod.rs`, `lib.rs`, `__init__.py`,
/// `index.ts`, `doc.go`.
pub(super) fn speaks_for_folder(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    ["mod", "lib", "__init__", "index", "package-info", "doc"].contains(&stem)
}

/// Returns true for a header of C or C++.
pub(crate) fn is_header(path: &str) -> bool {
    [".h", ".hpp", ".hh", ".hxx"].iter().any(|end| path.ends_with(end))
}

/// Returns, from the outlines of C and C++ files, the documentation of functions in headers by name,
/// and the names of the functions that other files define.
fn declarations(
    outlines: &BTreeMap<String, Arc<FileOutline>>,
) -> (HashMap<String, String>, BTreeSet<String>) {
    let (mut declared, mut implemented) = (HashMap::new(), BTreeSet::new());
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (path, outline) in outlines {
        if !matches!(outline.language, Language::C | Language::Cpp) {
            continue;
        }
        for (_, symbol) in outline.walk().filter(|(_, symbol)| symbol.kind.is_callable()) {
            match &symbol.docstring {
                // Of overloads each has its own.
                _ if is_header(path) && !names.insert(symbol.name.clone()) => {
                    drop(declared.remove(&symbol.name));
                }
                Some(docs) if is_header(path) => drop(declared.insert(symbol.name.clone(), docs.clone())),
                _ if !is_header(path) => drop(implemented.insert(symbol.name.clone())),
                _ => {}
            }
        }
    }
    (declared, implemented)
}

/// Number of subjects with the same purpose text from which on the text is boilerplate and is dropped.
const BOILERPLATE: usize = 3;

/// Removes purposes that at least `BOILERPLATE` subjects share.
fn drop_boilerplate(purposes: &mut HashMap<&FactSubject, Vec<(&str, &SourceLines)>>) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (text, _) in purposes.values().flatten() {
        *counts.entry(text).or_default() += 1;
    }
    for texts in purposes.values_mut() {
        texts.retain(|(text, _)| counts.get(text).is_none_or(|count| *count < BOILERPLATE));
    }
}

#[cfg(test)]
mod tests {
    use super::is_same_product;

    #[test]
    fn a_word_is_the_project_only_as_its_whole_name() {
        for (name, word, expected) in [
            ("fast-route", "FastRoute", true),
            ("fast-route", "Fast", false),
            ("shop-parent", "Shop", true),
            ("shop", "Shop", true),
        ] {
            assert_eq!(is_same_product(name, word), expected, "{name} {word}");
        }
    }
}
