//! //! The section "Architecture": folders with their purposes, files and needed folders, and the
//! implementations of interfaces.

mod data;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::draft::{ContextSection, LineDraft, LineId};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{falling, first_sentence, is_prose};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, PathRole, SourceLines};
use crate::repo::{Language, RelationKind, SymbolKind};

/// Number of folders that a repository is cut into, if it has as many.
const FOLDERS: usize = 24;
/// Maximum of file names beside a folder and below it, of needed folders and implementations on a line.
const FIRST: usize = 4;
/// Longest path of a file below its folder that is shown.
const NAME: usize = 44;
const FILES: usize = 16;
const NEEDS: usize = 5;
const IMPLEMENTATIONS: usize = 8;

/// Maximum of files of a folder in which its main type is looked for.
const MAIN_FILES: usize = 12;

/// Ends of source files in languages that are not outlined.
const OTHER_SOURCES: &[&str] = &[
    "vue", "svelte", "astro", "kt", "kts", "swift", "scala", "ex", "exs", "erl", "hs", "ml", "clj", "lua",
    "dart", "zig", "nim", "sql", "proto", "graphql", "fs", "vb", "pl", "pm", "r", "jl", "m", "mm", "elm",
    "cr", "groovy", "html", "erb", "twig", "blade",
];

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let folders = cut_into_folders(survey);
    let needs = needs(survey, &folders);
    let mut all = Vec::new();
    for (at, (folder, files)) in folders.iter().enumerate() {
        let rank = falling(75.0, at, 14.0);
        let line = add_folder(survey, draft, (folder, files), needs.get(folder.as_str()), rank);
        draft.set_short(line, folder_name(folder));
        all.push(line);
    }
    draft.add_rest((ContextSection::Parts, None), 60.0, &all, FOLDERS);
    data::add(survey, draft);
    add_implementations(survey, draft);
}

/// Returns true for a source file of the product: no test, example or document, in an outlined language or
/// one of `OTHER_SOURCES`.
fn is_source(path: &str) -> bool {
    let end = path.rsplit('.').next().unwrap_or_default();
    PathRole::of(path) == PathRole::Runtime
        && (Language::of_path(path).is_some() || OTHER_SOURCES.contains(&end))
}

/// Divides the source files into about 24 folders, by splitting the largest folder again and again. Returns
/// each folder with its files, most important folders and files first. A split folder keeps only files
/// directly inside it.
fn cut_into_folders(survey: &Survey) -> Vec<(String, Vec<String>)> {
    let sources: Vec<&String> = survey.files.iter().filter(|path| is_source(path)).collect();
    let mut groups: BTreeMap<String, Vec<&String>> = BTreeMap::from([(String::new(), sources)]);
    let mut whole: BTreeSet<String> = BTreeSet::new();
    while groups.len() < FOLDERS {
        let largest =
            groups.iter().filter(|(folder, _)| !whole.contains(*folder)).max_by_key(|(_, files)| files.len());
        let Some((folder, _)) = largest.filter(|(folder, files)| folder.is_empty() || files.len() > 1) else {
            break;
        };
        let folder = folder.clone();
        let files = groups.remove(&folder).unwrap_or_default();
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        whole.insert(folder.clone());
        for path in files {
            let inner = path[prefix.len()..].split_once('/').map(|(inner, _)| format!("{prefix}{inner}"));
            groups.entry(inner.unwrap_or_else(|| folder.clone())).or_default().push(path);
        }
    }
    let scores: HashMap<&str, f64> =
        survey.central.iter().map(|file| (file.path.as_str(), file.score.max(0.1))).collect();
    let score = |files: &[&String]| {
        files.iter().map(|path| scores.get(path.as_str()).copied().unwrap_or(0.1)).sum::<f64>().sqrt()
    };
    let mut order: Vec<(String, Vec<&String>, f64)> = groups
        .into_iter()
        .map(|(folder, files)| {
            let points = score(&files);
            (folder, files, points)
        })
        .collect();
    order.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    let rank = |path: &&String| scores.get(path.as_str()).copied().unwrap_or_default();
    order
        .into_iter()
        .filter(|(_, files, _)| !files.is_empty())
        .map(|(folder, mut files, _)| {
            files.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then_with(|| a.cmp(b)));
            (folder, files.into_iter().cloned().collect())
        })
        .collect()
}

fn add_folder(
    survey: &Survey,
    draft: &mut LineDraft,
    (folder, files): (&str, &[String]),
    needs: Option<&BTreeMap<String, SourceLines>>,
    rank: f64,
) -> LineId {
    let name = folder_name(folder);
    let purpose = survey.folder_purpose(folder).filter(|_| !folder.is_empty());
    let said = purpose
        .and_then(|(text, source)| Some(format!(": {} {}", survey.quoter.prose(text)?, place(source))));
    let name_of = |path: &String| path[folder.len()..].trim_start_matches('/').to_owned();
    let is_here = |path: &&String| path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
    let is_other = |path: &&String| !is_source(path) && PathRole::of(path) == PathRole::Runtime;
    let others = survey.files_below(folder).filter(is_here).filter(is_other).count();
    let others = match others {
        0 => String::new(),
        _ if folder.is_empty() => ", and other files".to_owned(),
        1 => ", and another file".to_owned(),
        others => format!(", and {others} other files"),
    };
    let names = |files: &[String], most: usize| {
        let short = files.iter().map(name_of).filter(|name| name.len() <= NAME);
        let shown: Vec<String> = short.take(most).map(|name| path_span(&name)).collect();
        match files.len() - shown.len() {
            0 => format!("{}{others}", shown.join(", ")),
            1 if shown.is_empty() => "1 source file".to_owned(),
            more if shown.is_empty() => format!("{more} source files"),
            more => format!("{} and {more} more of code", shown.join(", ")),
        }
    };
    // A few files are told at once, because each is a part.
    let first = if files.len() <= FIRST + 3 { files.len() } else { FIRST };
    let (parent, rest): (LineId, &[String]) = if let Some(said) = said {
        (draft.add(ContextSection::Parts, rank * 1.2, "folders", format!("- {name}{said}")), files)
    } else {
        let main = main_type(survey, files).map(|said| format!(". {said}")).unwrap_or_default();
        let text = format!("- {name}: {}{main}", names(files, first));
        // The map names the files too.
        let of_names = if main.is_empty() { 0.6 } else { 0.9 };
        (draft.add(ContextSection::Parts, rank * of_names, "folders", text), &files[first..])
    };
    if !rest.is_empty() {
        let text = format!("  - Files: {}", names(rest, FILES));
        draft.add_below(parent, rank * 0.2, ("lists of files", 1), text);
    }
    let more = if needs.is_some_and(|needs| needs.len() > NEEDS) { ", …" } else { "" };
    let needs: Vec<String> = needs
        .into_iter()
        .flatten()
        .take(NEEDS)
        .map(|(to, source)| format!("{} {}", path_span(&format!("{to}/")), place(source)))
        .collect();
    if !needs.is_empty() {
        let text = format!("  - Needs {}{more}", needs.join(", "));
        draft.add_below(parent, rank * 0.4, ("lists of needed folders", 1), text);
    }
    parent
}

fn folder_name(folder: &str) -> String {
    if folder.is_empty() { "the root".to_owned() } else { path_span(&format!("{folder}/")) }
}

/// Returns a sentence about the documented type of a folder that most other files name, as `` `Type`: purpose
/// place ``; `None` without such a type.
fn main_type(survey: &Survey, files: &[String]) -> Option<String> {
    // The files are in the order of their rank.
    let central =
        files.iter().take(MAIN_FILES).filter_map(|path| survey.central.get(*survey.positions.get(path)?));
    let mut best: Option<(usize, String)> = None;
    for file in central {
        let Some(outline) = survey.outlines.get(&file.path) else { continue };
        for symbol in
            outline.symbols.iter().filter(|symbol| symbol.kind.is_type() && symbol.kind != SymbolKind::Type)
        {
            let named = file.named_in.get(&symbol.name).copied().unwrap_or_default();
            if named == 0 || best.as_ref().is_some_and(|(most, _)| *most >= named) {
                continue;
            }
            let subject = FactSubject::Symbol { path: file.path.clone(), name: symbol.name.clone() };
            let stated = survey.purpose_of(&subject).filter(|(text, _)| is_prose(first_sentence(text)));
            if let Some((text, source)) = stated
                && let Some(name) = survey.quoter.code(&symbol.name)
                && let Some(said) = survey.quoter.prose(first_sentence(text))
            {
                best = Some((named, format!("{name}: {said} {}", place(source))));
            }
        }
    }
    best.map(|(_, said)| said)
}

/// Returns for each folder the other folders that its files depend on, each with the place of the first
/// dependency.
fn needs(
    survey: &Survey,
    folders: &[(String, Vec<String>)],
) -> HashMap<String, BTreeMap<String, SourceLines>> {
    let owners: HashMap<&str, &str> = folders
        .iter()
        .flat_map(|(folder, files)| files.iter().map(move |path| (path.as_str(), folder.as_str())))
        .collect();
    let names: BTreeSet<&str> = folders.iter().map(|(folder, _)| folder.as_str()).collect();
    let mut found: HashMap<String, BTreeMap<String, SourceLines>> = HashMap::new();
    for fact in survey.of_product(FactKind::Edge).filter(|fact| fact.role == PathRole::Runtime) {
        let (FactSubject::File(from), FactValue::Edge { to, .. }) = (&fact.subject, &fact.value) else {
            continue;
        };
        let owner = owners.get(to.as_str()).copied().or_else(|| names.get(to.as_str()).copied());
        if let (Some(from), Some(to), Some(source)) = (owners.get(from.as_str()), owner, fact.sources.first())
            && *from != to
            && !to.is_empty()
        {
            found
                .entry((*from).to_owned())
                .or_default()
                .entry(to.to_owned())
                .or_insert_with(|| source.clone());
        }
    }
    found
}

/// Adds a line for each interface and base type with at least two implementations or subtypes, those with
/// most first.
fn add_implementations(survey: &Survey, draft: &mut LineDraft) {
    let mut groups: BTreeMap<(&str, &str), Vec<&Fact>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Relation).filter(|fact| fact.role == PathRole::Runtime) {
        if let FactValue::Relation {
            relation: RelationKind::Implements | RelationKind::Extends,
            to,
            name,
            ..
        } = &fact.value
        {
            groups.entry((to, name)).or_default().push(fact);
        }
    }
    let mut order: Vec<_> = groups.into_iter().filter(|(_, facts)| facts.len() > 1).collect();
    order.sort_by_key(|(key, facts)| (std::cmp::Reverse(facts.len()), *key));
    for (at, ((path, name), facts)) in order.into_iter().enumerate() {
        let Some(name) = survey.quoter.code(name) else { continue };
        let shown: Vec<String> = facts
            .iter()
            .take(IMPLEMENTATIONS)
            .filter_map(|fact| {
                Some(format!(
                    "{} {}",
                    survey.quoter.code(fact.subject.name()?)?,
                    super::first_place(&fact.sources)
                ))
            })
            .collect();
        let more = if facts.len() > IMPLEMENTATIONS {
            format!(" and {} more", facts.len() - IMPLEMENTATIONS)
        } else {
            String::new()
        };
        let purpose = survey.purpose_of(&FactSubject::Symbol {
            path: path.to_owned(),
            name: name.trim_matches('`').to_owned(),
        });
        let said = purpose.and_then(|(text, source)| {
            Some(format!(
                " ({} {})",
                survey.quoter.prose(first_sentence(text).trim_end_matches('.'))?,
                place(source)
            ))
        });
        let text = format!(
            "- {name} in {}{} is implemented or extended, among others, by {}{more}",
            path_span(path),
            said.unwrap_or_default(),
            shown.join(", ")
        );
        let count = ("implementations", facts.len().min(IMPLEMENTATIONS));
        draft.add_many(ContextSection::Parts, falling(80.0, at, 4.0), count, text);
    }
}
