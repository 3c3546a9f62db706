//! Finds the sets of similar things of a code base in outlines, facts and folders.

use std::collections::{BTreeMap, BTreeSet};

use super::places::{is_written, pattern};
use super::{MEMBERS, MOST_MEMBERS, MemberKind, SiblingSet};
use crate::facts::{FactKind, FactValue, PathRole, SettingForm, SourceLines};
use crate::repo::{Language, RelationKind, SymbolInfo, SymbolKind};
use crate::workflows::survey::Survey;
use crate::workflows::survey::definitions::is_test;
use crate::workflows::survey::view::speaks_for_folder;

/// Maximum number of sets of a kind, so that one kind does not hide the others.
const SETS: usize = 40;
/// Minimum number of fields of a type.
const FIELDS: usize = 5;
/// Minimum number of implementations of an interface.
const IMPLEMENTATIONS: usize = 3;
/// Maximum number of lines between constants of one set.
const GAP: usize = 4;
/// Names of files that many folders have, in addition to those such as `mod.rs`; they are no members.
const USUAL: &[&str] = &["main", "__main__", "package"];

/// Returns the sets of a code base, still without places. At most `SETS` of each kind are kept, the
/// largest ones.
pub(super) fn seeds(survey: &Survey) -> Vec<SiblingSet> {
    let mut found = Vec::new();
    of_outlines(survey, &mut found);
    of_relations(survey, &mut found);
    of_facts(survey, &mut found);
    of_folders(survey, &mut found);
    found.sort_by_key(|set| (set.kind, std::cmp::Reverse(set.members.len())));
    let mut counts: BTreeMap<MemberKind, usize> = BTreeMap::new();
    found.retain(|set| {
        let count = counts.entry(set.kind).or_default();
        let is_kept = *count < SETS && is_written(survey, &file_of(set));
        *count += usize::from(is_kept);
        is_kept
    });
    found
}

/// Returns the file that defines a set; for a set of files the path of its first member.
fn file_of(set: &SiblingSet) -> String {
    set.source.path.replacen('*', &set.members[0], usize::from(set.kind == MemberKind::File))
}

/// Appends a set to `found` without repeated members. Adds nothing if it has too few or too many
/// members, or if more than a quarter of them have at most two bytes.
pub(super) fn push(
    found: &mut Vec<SiblingSet>,
    kind: MemberKind,
    title: &str,
    source: SourceLines,
    members: impl IntoIterator<Item = String>,
) {
    let mut told: BTreeSet<String> = BTreeSet::new();
    let members: Vec<String> = members.into_iter().filter(|name| told.insert(name.clone())).collect();
    let least = match kind {
        MemberKind::Field => FIELDS,
        MemberKind::Implementation => IMPLEMENTATIONS,
        _ => MEMBERS,
    };
    // Letters and short words stand everywhere for something else.
    let is_distinct = members.iter().filter(|name| name.len() > 2).count() * 4 >= members.len() * 3;
    if (least..=MOST_MEMBERS).contains(&members.len()) && is_distinct {
        let (aliases, places, loops) = (Vec::new(), Vec::new(), Vec::new());
        found.push(SiblingSet { kind, title: title.to_owned(), source, members, aliases, places, loops });
    }
}

/// Adds the sets inside the outlined files: variants, fields, tables and groups of constants.
fn of_outlines(survey: &Survey, found: &mut Vec<SiblingSet>) {
    for (path, outline) in &survey.outlines {
        let text = survey.code.text(path).map(|(_, text)| text).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let is_own = |symbol: &&SymbolInfo| !is_test(symbol);
        for symbol in outline.symbols.iter().filter(is_own) {
            of_type(path, symbol, found);
            if symbol.kind == SymbolKind::Type {
                let literals = literals_of_type(symbol, &lines);
                push(found, MemberKind::Variant, &symbol.name, lines_of(path, symbol), literals);
            }
            if symbol.kind.is_value() {
                let source = lines_of(path, symbol);
                push(found, MemberKind::Entry, &symbol.name, source, entries(symbol, &lines));
            }
        }
        of_constants(path, &outline.symbols, found);
        super::cases::of_file(path, outline, &text, found);
    }
}

/// Returns the lines of a definition.
fn lines_of(path: &str, symbol: &SymbolInfo) -> SourceLines {
    SourceLines { path: path.to_owned(), start: symbol.line, end: symbol.line_end }
}

/// Adds the variants and the fields of a type, and of the types inside it or inside a module.
fn of_type(path: &str, symbol: &SymbolInfo, found: &mut Vec<SiblingSet>) {
    let source = lines_of(path, symbol);
    let of_kind = |kind: SymbolKind| {
        symbol.children.iter().filter(move |child| child.kind == kind).map(|child| child.name.clone())
    };
    if symbol.kind.is_type() {
        push(found, MemberKind::Variant, &symbol.name, source.clone(), of_kind(SymbolKind::Variant));
        push(found, MemberKind::Field, &symbol.name, source, of_kind(SymbolKind::Field));
    }
    if symbol.kind.is_type() || matches!(symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
        symbol
            .children
            .iter()
            .filter(|child| child.kind.is_type())
            .for_each(|child| of_type(path, child, found));
    }
}

/// Returns the strings of a union type: `fast`, `slow` for `type Mode = 'fast' | 'slow'`. Empty for
/// other types.
fn literals_of_type(symbol: &SymbolInfo, lines: &[&str]) -> Vec<String> {
    let from = symbol.line.saturating_sub(1).min(lines.len());
    let to = symbol.line_end.clamp(from, lines.len());
    let text = lines[from..to].join(" ");
    let Some((_, value)) = text.split_once('=') else { return Vec::new() };
    let quoted = value.replace('"', "'");
    let outside: String = quoted.split('\'').step_by(2).collect();
    if outside.chars().all(|c| c.is_whitespace() || matches!(c, '|' | ';')) {
        quoted.split('\'').skip(1).step_by(2).map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

/// Returns true for a line that ends with the opening bracket of a list or table, and not of a
/// function.
fn opens_table(line: &str) -> bool {
    let line = line.trim_end();
    let before = line.trim_end_matches(['{', '[', '(']).trim_end();
    let is_function = before.ends_with("=>") || before.ends_with(')') || before.contains("function");
    before.len() < line.len() && !line.contains('`') && !is_function
}

/// Returns the first name of each entry of a list or table: of its lines with the least indentation.
/// Empty if the value is no table.
fn entries(symbol: &SymbolInfo, lines: &[&str]) -> Vec<String> {
    let from = symbol.line.min(lines.len());
    let to = symbol.line_end.saturating_sub(1).clamp(from, lines.len());
    let opens = from.checked_sub(1).and_then(|at| lines.get(at)).is_some_and(|line| opens_table(line));
    if !opens {
        return Vec::new();
    }
    let indent = |line: &&&str| line.len() - line.trim_start().len();
    let is_filled = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with(['/', '#', '*']);
    let inner = || lines[from..to].iter().filter(is_filled);
    let Some(least) = inner().map(|line| indent(&line)).min() else { return Vec::new() };
    let of_entry = |line: &&str| {
        // A key with signs: `'pnpm@6': …`.
        let bare = line.trim_start_matches([' ', '\t', '{', '[', '(']);
        if let Some(quote) = bare.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            let key = bare[1..].split(quote).next().unwrap_or_default();
            return key.contains(char::is_alphabetic).then(|| key.to_owned());
        }
        let line =
            line.trim_start_matches([' ', '\t', '{', '[', '(', '"', '\'', '&', '*', '-', '.', '<', ':']);
        let (at, name) = super::names::names(line).next()?;
        (at == 0 && name.chars().any(char::is_alphabetic)).then(|| name.to_owned())
    };
    inner().filter(|line| indent(line) == least).filter_map(of_entry).collect()
}

/// Adds each group of constants that are at most `GAP` lines apart as one set, with their values as
/// aliases.
fn of_constants(path: &str, symbols: &[SymbolInfo], found: &mut Vec<SiblingSet>) {
    let mut rest = symbols;
    while let Some(first) = rest.iter().position(is_constant) {
        rest = &rest[first..];
        let is_next = |pair: &[SymbolInfo]| {
            is_constant(&pair[1]) && pair[1].line.saturating_sub(pair[0].line_end) <= GAP
        };
        let count = 1 + rest.windows(2).take_while(|pair| is_next(pair)).count();
        let (group, later) = rest.split_at(count);
        rest = later;
        let source =
            SourceLines { path: path.to_owned(), start: group[0].line, end: group[count - 1].line_end };
        // The data about a Python package are no set that grows.
        if group.iter().all(|it| it.name.starts_with("__")) {
            continue;
        }
        let before = found.len();
        push(found, MemberKind::Constant, &group[0].name, source, group.iter().map(|it| it.name.clone()));
        if let Some(set) = found.get_mut(before) {
            set.aliases = aliases(group, &set.members);
        }
    }
}

/// Returns the values of constants that are single words, each with the index of its constant in
/// `members`.
fn aliases(group: &[SymbolInfo], members: &[String]) -> Vec<(usize, String)> {
    let value_of = |name: &String| {
        let symbol = group.iter().find(|symbol| symbol.name == *name)?;
        let (_, value) = symbol.signature.split_once('=')?;
        let word = value.trim().trim_matches(['"', '\'', '`', ';', ' ']);
        let is_word = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        (is_word && word.chars().any(char::is_alphabetic)).then(|| word.to_owned())
    };
    members.iter().enumerate().filter_map(|(at, name)| Some((at, value_of(name)?))).collect()
}

/// Returns true for a constant on one line whose value is not computed: a number, a string, a name, or
/// the next one of a Go `iota` list.
fn is_constant(symbol: &SymbolInfo) -> bool {
    let signature = symbol.signature.as_str();
    let is_told = match (symbol.kind, signature.split_once('=')) {
        (SymbolKind::Macro, _) => !signature.contains('('),
        (SymbolKind::Variable, Some((_, value))) => {
            !value.contains(['[', '{', '&']) && (!value.contains('(') || value.contains("iota"))
        }
        // The values behind the first one of Go.
        (SymbolKind::Variable, None) => signature == symbol.name,
        _ => false,
    };
    is_told && symbol.line == symbol.line_end
}

/// Adds the implementations of interfaces and the subclasses of base types, without private classes.
fn of_relations(survey: &Survey, found: &mut Vec<SiblingSet>) {
    let mut groups: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Relation).filter(|fact| fact.role == PathRole::Runtime) {
        if let FactValue::Relation { relation, to, name, .. } = &fact.value
            && matches!(relation, RelationKind::Implements | RelationKind::Extends)
            && let Some(member) = fact.subject.name()
            // Of a private class an instance is named elsewhere.
            && !member.rsplit('.').next().unwrap_or(member).starts_with('_')
        {
            groups
                .entry((to, name))
                .or_default()
                .push(member.rsplit('.').next().unwrap_or(member).to_owned());
        }
    }
    for ((path, name), members) in groups {
        let outline = survey.outlines.get(path);
        let symbol = outline.and_then(|outline| outline.symbols.iter().find(|symbol| symbol.name == name));
        let Some(symbol) = symbol else { continue };
        push(found, MemberKind::Implementation, name, lines_of(path, symbol), members);
    }
}

/// Adds the options, keys (with environment variables) and subcommands that each file of the runtime
/// code defines.
fn of_facts(survey: &Survey, found: &mut Vec<SiblingSet>) {
    let mut groups: BTreeMap<(MemberKind, &str), Vec<(SourceLines, String)>> = BTreeMap::new();
    let facts = survey.of_product(FactKind::Setting).chain(survey.of_product(FactKind::Subcommand));
    for fact in facts {
        let Some(source) = fact.sources.first() else { continue };
        let (kind, name) = match &fact.value {
            FactValue::Setting { form: SettingForm::Flag, name, .. } => (MemberKind::Option, name),
            FactValue::Setting { form: SettingForm::Key | SettingForm::Variable, name, .. } => {
                (MemberKind::Key, name)
            }
            FactValue::Subcommand { name, .. } => (MemberKind::Subcommand, name),
            _ => continue,
        };
        let is_code = Language::of_path(source.path.as_str()).is_some();
        // The last part of `server.port`; a subcommand may have several words.
        let last = name.rsplit(['.', ' ']).next().unwrap_or(name);
        if is_code && fact.role == PathRole::Runtime {
            groups.entry((kind, &source.path)).or_default().push((source.clone(), last.to_owned()));
        }
    }
    for ((kind, path), mut members) in groups {
        members.sort();
        let source = SourceLines {
            path: path.to_owned(),
            start: members.iter().map(|(source, _)| source.start).min().unwrap_or(1),
            end: members.iter().map(|(source, _)| source.end).max().unwrap_or(1),
        };
        push(found, kind, path, source, members.into_iter().map(|(_, name)| name));
    }
}

/// Adds the source files with the same ending in each folder, and the subfolders of each folder.
fn of_folders(survey: &Survey, found: &mut Vec<SiblingSet>) {
    let mut files: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for path in survey.files.iter().filter(|path| PathRole::of(path) == PathRole::Runtime) {
        let Some((folder, name)) = path.rsplit_once('/') else { continue };
        let Some((stem, end)) = name.split_once('.') else { continue };
        let is_usual = speaks_for_folder(name) || USUAL.contains(&stem);
        if Language::of_path(path.as_str()).is_some() && !is_usual {
            files.entry((folder, end)).or_default().push(stem.to_owned());
        }
    }
    for ((folder, end), members) in files {
        let title = pattern(folder, end);
        let source = SourceLines { path: title.clone(), start: 0, end: 0 };
        push(found, MemberKind::File, &title, source, members);
    }
    let mut folders: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for folder in survey.folders() {
        if let Some((outer, name)) = folder.rsplit_once('/')
            && PathRole::of(&format!("{folder}/x")) == PathRole::Runtime
        {
            folders.entry(outer).or_default().push(name.to_owned());
        }
    }
    for (folder, members) in folders {
        let title = format!("{folder}/*/");
        let source = SourceLines { path: title.clone(), start: 0, end: 0 };
        push(found, MemberKind::Folder, &title, source, members);
    }
}
