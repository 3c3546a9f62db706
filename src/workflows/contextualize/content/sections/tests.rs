//! The places of tests, and the names of their files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{falling, first_place, first_sentence};
use crate::facts::{FactKind, FactSubject, FactValue, PathRole, SettingForm, SourceLines};
use crate::repo::{Language, SymbolKind};
use crate::workflows::survey::definitions::is_test;

/// Maximum of folders of tests.
const FOLDERS: usize = 14;
/// Maximum of file names of a folder.
const FILES: usize = 4;
/// Maximum of variables.
const VARIABLES: usize = 6;
/// Maximum of file extensions of data files that are named of a folder.
const ENDS: usize = 4;
/// Maximum of test files that are read for helpers, and the largest of them in bytes.
const READ: usize = 80;
const BYTES: u64 = 200_000;
/// Fewest uses of a helper, and the maximum of helpers.
const USES: usize = 4;
const HELPERS: usize = 5;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    add_variables(survey, draft);
    let mut folders: BTreeMap<&str, TestFolder> = BTreeMap::new();
    for path in survey.files.iter().filter(|path| PathRole::of(path) == PathRole::Test) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let of_folder = folders.entry(folder).or_default();
        if Language::of_path(path.as_str()).is_some() {
            // Files of tests come before what they need.
            let is_test = name.to_lowercase().contains("test") || name.to_lowercase().contains("spec");
            let at = if is_test { of_folder.tests } else { of_folder.code.len() };
            of_folder.tests += usize::from(is_test);
            of_folder.code.insert(at, name);
        } else {
            let end = name.rsplit_once('.').map_or("", |(_, end)| end);
            of_folder.data.entry(end).or_default().push(name);
        }
    }
    let mut order: Vec<(&str, TestFolder)> = folders.into_iter().collect();
    order.sort_by_key(|(folder, files)| (std::cmp::Reverse(files.count()), *folder));
    for (at, (folder, files)) in order.into_iter().take(FOLDERS).enumerate() {
        let text = folder_line(survey, folder, &files);
        draft.add(ContextSection::Tests, falling(70.0, at, 3.0), "folders of tests", text);
    }
    add_modules(survey, draft);
    add_helpers(survey, draft);
}

/// The names of the files in a folder with tests.
#[derive(Default)]
struct TestFolder<'s> {
    code: Vec<&'s str>,
    /// Number of the first of them whose names say that they are tests.
    tests: usize,
    /// Files in no known language, by the ends of their names.
    data: BTreeMap<&'s str, Vec<&'s str>>,
}

impl TestFolder<'_> {
    /// Returns the number of files by which folders are ordered; of each extension at most 4 data files
    /// count.
    fn count(&self) -> usize {
        self.code.len() + self.data.values().map(|names| names.len().min(FILES)).sum::<usize>()
    }
}

/// Adds a line with the number of source files that contain a module of tests, and the largest such module.
fn add_modules(survey: &Survey, draft: &mut LineDraft) {
    let mut found: Vec<SourceLines> = Vec::new();
    for (path, outline) in &survey.outlines {
        let module = outline
            .symbols
            .iter()
            .find(|it| it.kind == SymbolKind::Module && is_test(it) && it.line_end > it.line);
        found.extend(module.map(|it| SourceLines { path: path.clone(), start: it.line, end: it.line_end }));
    }
    if let Some(largest) = found.iter().max_by_key(|lines| lines.end - lines.start) {
        let text = match found.len() {
            1 => format!("- A source file has a module of tests: {}", place(largest)),
            // Only the central files are read.
            count => {
                format!("- At least {count} source files have modules of tests, such as {}", place(largest))
            }
        };
        draft.add(ContextSection::Tests, 75.0, "modules of tests", text);
    }
}

/// Adds a line with at most 5 helper functions of test files that tests call at least 4 times. Names with
/// several definitions, or also defined by the product, are left out.
fn add_helpers(survey: &Survey, draft: &mut LineDraft) {
    // A name that has several definitions may mean any of them.
    let mut defined: BTreeMap<String, (usize, Option<SourceLines>)> = BTreeMap::new();
    let of_product: BTreeSet<&str> = survey
        .outlines
        .values()
        .flat_map(|outline| outline.walk())
        .filter(|(_, symbol)| symbol.kind.is_callable() && !is_test(symbol))
        .map(|(_, symbol)| symbol.name.as_str())
        .collect();
    let mut uses: HashMap<String, (usize, BTreeSet<&str>)> = HashMap::new();
    let is_read = |path: &&String| {
        PathRole::of(path) == PathRole::Test
            && Language::of_path(path.as_str()).is_some()
            && survey.sizes.get(*path).is_some_and(|size| *size <= BYTES)
    };
    for path in survey.files.iter().filter(is_read).take(READ) {
        let (Some(outline), Ok((_, text))) = (survey.code.get_outline(path), survey.code.text(path)) else {
            continue;
        };
        for (around, symbol) in outline.walk().filter(|(_, it)| it.kind.is_callable()) {
            let lower = symbol.name.to_lowercase();
            let is_case = ["test", "bench", "example", "fuzz", "it_", "should", "main", "init"]
                .iter()
                .any(|start| lower.starts_with(start));
            if !is_case && !symbol.is_test() && symbol.name.len() > 2 {
                let lines = SourceLines { path: path.clone(), start: symbol.line, end: symbol.line_end };
                let is_outer = symbol.kind == SymbolKind::Function && around.is_empty();
                let (count, helper) = defined.entry(symbol.name.clone()).or_default();
                // The signatures of an overloaded function stand together.
                let is_overloaded = helper.as_ref().is_some_and(|known: &SourceLines| {
                    known.path == lines.path && known.end + 2 >= lines.start
                });
                *count += usize::from(!(is_overloaded && is_outer));
                *helper = Some(lines).filter(|_| is_outer);
            }
        }
        for name in called_names(&text) {
            let (count, files) = uses.entry(name.to_owned()).or_default();
            *count += 1;
            files.insert(path);
        }
    }
    let mut helpers: Vec<(usize, usize, &String, &SourceLines)> = defined
        .iter()
        .filter_map(|(name, definitions)| {
            let (1, Some(lines)) = definitions else { return None };
            let (count, files) = uses.get(name).filter(|_| !of_product.contains(name.as_str()))?;
            // The definition itself stands before a bracket too.
            (count.saturating_sub(1) >= USES).then_some((files.len(), count - 1, name, lines))
        })
        .collect();
    helpers.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then_with(|| a.2.cmp(b.2)));
    let shown: Vec<String> = helpers
        .iter()
        .take(HELPERS)
        .filter_map(|(_, _, name, lines)| Some(format!("{} {}", survey.quoter.code(name)?, place(lines))))
        .collect();
    if !shown.is_empty() {
        let text = format!("- Helpers that test files call often: {}", shown.join(", "));
        draft.add_many(ContextSection::Tests, 80.0, ("helpers of tests", shown.len()), text);
    }
}

/// Returns each name directly before a `(` in a text, in order, with repetitions. Methods of other objects than the test's own do not
/// count.
fn called_names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let before = &text[..at];
        let start = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| c.is_alphanumeric() || *c == '_')
            .last()
            .map(|(start, _)| start)?;
        let receiver = before[..start].strip_suffix(['.', '>', ':']);
        let is_own = receiver.is_none_or(|it| ["self", "this", "-", ":"].iter().any(|own| it.ends_with(own)));
        is_own.then(|| &before[start..])
    })
}

/// Adds a line with at most 6 environment variables that tests read; common ones such as `HOME` are left out.
fn add_variables(survey: &Survey, draft: &mut LineDraft) {
    let mut told: BTreeMap<&str, String> = BTreeMap::new();
    for fact in survey.facts.of_kind(FactKind::Setting).filter(|fact| fact.role == PathRole::Test) {
        let FactValue::Setting { form: SettingForm::Variable, name, .. } = &fact.value else { continue };
        let is_common = ["HOME", "PATH", "CI", "USER", "PWD", "TMPDIR", "TERM"].contains(&name.as_str());
        if let Some(shown) =
            survey.quoter.code(name).filter(|_| !is_common && !told.contains_key(name.as_str()))
        {
            told.insert(name, format!("{shown} {}", first_place(&fact.sources)));
        }
    }
    let more = if told.len() > VARIABLES { " and others" } else { "" };
    let shown: Vec<String> = told.into_values().take(VARIABLES).collect();
    if !shown.is_empty() {
        let text = format!("- Tests read the variables {}{more}", shown.join(", "));
        draft.add_many(ContextSection::Tests, 90.0, ("variables of tests", shown.len()), text);
    }
}

/// Returns true for the root, and for a folder that directly contains code of the product.
fn has_product(survey: &Survey, folder: &str) -> bool {
    let is_within = |path: &&String| path.rsplit_once('/').map_or("", |(outer, _)| outer) == folder;
    folder.is_empty()
        || survey.files.iter().filter(is_within).any(|path| PathRole::of(path) == PathRole::Runtime)
}

fn folder_line(survey: &Survey, folder: &str, files: &TestFolder) -> String {
    let mut shown: Vec<String> = files.code.iter().take(FILES).map(|name| path_span(name)).collect();
    if files.code.len() > FILES {
        shown.push(format!("{} more", files.code.len() - FILES));
    }
    let mut data: Vec<(&&str, &Vec<&str>)> = files.data.iter().collect();
    data.sort_by_key(|(end, names)| (std::cmp::Reverse(names.len()), **end));
    let more = if data.len() > ENDS { ", …" } else { "" };
    for (end, names) in data.into_iter().take(ENDS) {
        match names.as_slice() {
            [one] => shown.push(path_span(one)),
            _ if end.is_empty() => shown.push("further files".to_owned()),
            // Hidden files and some odd names are not walked, so that a number could be wrong.
            _ => shown.push(path_span(&format!("*.{end}"))),
        }
    }
    let of = if folder.is_empty() { "the root".to_owned() } else { path_span(&format!("{folder}/")) };
    let mut text = format!("- {of}: {}{more}", shown.join(", "));
    let subjects = [FactSubject::Folder(folder.to_owned()), FactSubject::Project(folder.to_owned())];
    let purpose =
        // The purpose of a folder with code of the product is that of the code.
        subjects.iter().filter(|_| !has_product(survey, folder)).find_map(|subject| survey.purpose_of(subject));
    if let Some((said, source)) = purpose
        && let Some(said) = survey.quoter.prose(first_sentence(said))
    {
        text.extend([format!(". {said} {}", place(source))]);
    }
    text
}
