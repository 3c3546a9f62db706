//! Nests subcommands across files: `remote add` of clap's nested enums, click's groups, typer's
//! applications and cobra's commands. In Rust, the help may stand at the structure of the arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stategraph_repo::{FileOutline, Language, SymbolInfo, SymbolKind};

use super::cobra;
use crate::calls::help;
use crate::collect::Texts;
use crate::fact::{Fact, FactValue};
use crate::projects::folder_of;

/// Maximum number of types of one name.
const NAMESAKES: usize = 100;
/// Maximum number of commands of click.
const COMMANDS: usize = 2_000;
/// Maximum number of words of a subcommand's name.
pub(super) const DEPTH: usize = 4;

/// Prefixes the name of each subcommand with the names of the commands around it, and adds missing help
/// texts.
pub(crate) fn nest(outlines: &[Arc<FileOutline>], texts: &Texts, facts: &mut Vec<Fact>) {
    rust(outlines, facts);
    click(texts, facts);
    typer(texts, facts);
    cobra::nest(texts, facts);
}

/// Replaces the name and help text of a subcommand's fact; its id changes.
pub(super) fn rename(fact: &mut Fact, name: String, text: Option<String>) {
    let value = FactValue::Subcommand { name, text };
    let mut made = Fact::new(fact.subject.clone(), value, fact.sources[0].clone(), fact.origin);
    made.role = fact.role;
    *fact = made;
}

/// A Rust enum whose variants are subcommands, with the path of its file.
struct CommandEnum<'a> {
    path: &'a str,
    symbol: &'a SymbolInfo,
}

/// Structures and enums of all Rust files, by name.
struct RustTypes<'a>(BTreeMap<&'a str, Vec<(&'a str, &'a SymbolInfo)>>);

impl<'a> RustTypes<'a> {
    /// Indexes the structures and enums of all Rust files by name.
    fn of(outlines: &'a [Arc<FileOutline>]) -> Self {
        let mut found: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for outline in outlines.iter().filter(|it| it.language == Language::Rust) {
            for (_, symbol) in outline.walk() {
                if matches!(symbol.kind, SymbolKind::Struct | SymbolKind::Enum) {
                    let same = found.entry(&symbol.name).or_default();
                    if same.len() < NAMESAKES {
                        same.push((outline.path.as_str(), symbol));
                    }
                }
            }
        }
        Self(found)
    }

    /// Returns the type that `written` means in the file `path`: the one in the named module; without a
    /// module, the one in the same file, else the only one.
    fn find(&self, path: &str, written: &str) -> Option<(&'a str, &'a SymbolInfo)> {
        let (module, name) = written.rsplit_once("::").unwrap_or(("", written));
        let known = self.0.get(name)?;
        let module = module.rsplit("::").next().filter(|it| !matches!(*it, "" | "self" | "super" | "crate"));
        if let Some(module) = module {
            let is_of = |path: &str| {
                let stem = path.trim_end_matches(".rs").trim_end_matches("/mod");
                stem.rsplit('/').next() == Some(module)
            };
            let mut inside = known.iter().filter(|(path, _)| is_of(path));
            if let Some(only) = inside.next() {
                return Some(*only).filter(|_| inside.next().is_none());
            }
        }
        let same = known.iter().find(|(other, _)| *other == path);
        same.or_else(|| known.first().filter(|_| known.len() == 1)).copied()
    }
}

/// Prefixes the names of subcommands in clap's enums with those of the enums' variants around them.
fn rust(outlines: &[Arc<FileOutline>], facts: &mut [Fact]) {
    let mut places: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for (index, fact) in facts.iter().enumerate() {
        let source = &fact.sources[0];
        if matches!(fact.value, FactValue::Subcommand { .. }) && source.path.ends_with(".rs") {
            places.insert((source.path.clone(), source.start), index);
        }
    }
    if places.is_empty() {
        return;
    }
    let types = RustTypes::of(outlines);
    let place = |path: &str, variant: &SymbolInfo| places.get(&(path.to_owned(), variant.line)).copied();
    let is_commands = |path: &str, symbol: &SymbolInfo| {
        symbol.kind == SymbolKind::Enum && symbol.children.iter().any(|it| place(path, it).is_some())
    };
    let enums: Vec<CommandEnum> = types
        .0
        .values()
        .flatten()
        .filter(|(path, symbol)| is_commands(path, symbol))
        .map(|(path, symbol)| CommandEnum { path, symbol })
        .collect();
    let index_of = |path: &str, name: &str| {
        let (path, symbol) = types.find(path, name)?;
        enums.iter().position(|it| it.path == path && std::ptr::eq(it.symbol, symbol))
    };
    let mut parents: BTreeMap<usize, BTreeSet<(usize, usize)>> = BTreeMap::new();
    let mut said: BTreeMap<usize, String> = BTreeMap::new();
    for (at, commands) in enums.iter().enumerate() {
        for variant in &commands.symbol.children {
            let Some(fact) = place(commands.path, variant) else { continue };
            let payload = payload(&variant.signature).and_then(|name| types.find(commands.path, name));
            if let Some(text) = payload.and_then(|(_, of)| help(of.docstring.as_deref())) {
                said.insert(fact, text);
            }
            let inner = match payload {
                Some((path, of)) if of.kind == SymbolKind::Enum => index_of(path, &of.name),
                Some((path, of)) => inner_enum(path, &of.children, &index_of),
                None => inner_enum(commands.path, &variant.children, &index_of),
            };
            if let Some(inner) = inner.filter(|inner| *inner != at) {
                parents.entry(inner).or_default().insert((at, fact));
            }
        }
    }
    let owners: BTreeMap<usize, usize> = enums
        .iter()
        .enumerate()
        .flat_map(|(at, it)| it.symbol.children.iter().map(move |variant| (at, it.path, variant)))
        .filter_map(|(at, path, variant)| Some((place(path, variant)?, at)))
        .collect();
    let names: BTreeMap<usize, String> =
        owners.iter().map(|(fact, at)| (*fact, words(facts, &parents, *fact, *at))).collect();
    for (index, name) in names {
        let FactValue::Subcommand { text, .. } = &facts[index].value else { continue };
        let text = text.clone().or_else(|| said.remove(&index));
        rename(&mut facts[index], name, text);
    }
}

/// Returns the full name of a subcommand, such as `remote add`: the names of the subcommands around it and
/// its own. An enum that is used in two places adds no names.
fn words(
    facts: &[Fact],
    parents: &BTreeMap<usize, BTreeSet<(usize, usize)>>,
    fact: usize,
    at: usize,
) -> String {
    let mut found = vec![own_name(&facts[fact])];
    let mut at = at;
    while let Some((around, variant)) = parents.get(&at).filter(|it| it.len() == 1).and_then(BTreeSet::first)
        && found.len() < DEPTH
    {
        found.push(own_name(&facts[*variant]));
        at = *around;
    }
    found.reverse();
    found.join(" ")
}

/// Returns the name in a subcommand's fact.
fn own_name(fact: &Fact) -> String {
    match &fact.value {
        FactValue::Subcommand { name, .. } => name.clone(),
        _ => String::new(),
    }
}

/// Returns the type that a variant holds: `args::Query` of `Query(Box<args::Query>)`.
fn payload(signature: &str) -> Option<&str> {
    let inside = signature.split_once('(')?.1.rsplit_once(')')?.0.trim();
    let bare = inside.strip_prefix("Box<").and_then(|it| it.strip_suffix('>')).unwrap_or(inside);
    let name = bare.split('<').next()?.trim();
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).then_some(name)
}

/// Returns the index of the enum in a field marked as a subcommand: `#[command(subcommand)] command:
/// Option<Inner>`.
fn inner_enum(
    path: &str,
    fields: &[SymbolInfo],
    index_of: &impl Fn(&str, &str) -> Option<usize>,
) -> Option<usize> {
    let is_command = |field: &&SymbolInfo| field.decorators.iter().any(|it| it.contains("subcommand"));
    let field = fields.iter().find(is_command)?;
    let (_, of_type) = field.signature.split_once(':')?;
    let mut words =
        of_type.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.find_map(|word| index_of(path, word))
}

/// A command or group of click.
struct ClickCommand {
    fact: usize,
    path: String,
    /// Name of the object in its decorator: `remote` in `@remote.command()`.
    of: String,
    name: String,
    is_group: bool,
}

/// Maximum number of files that are read for calls of `add_typer`, and of such calls.
const TYPERS: usize = 500;

/// Gives the nested commands of typer their full names: with `app.add_typer(remote, name="remote")` in a
/// file beside it, a command below `@remote.command()` becomes `remote add`.
fn typer(texts: &Texts, facts: &mut [Fact]) {
    let is_command = |fact: &&Fact| {
        matches!(fact.value, FactValue::Subcommand { .. }) && fact.sources[0].path.ends_with(".py")
    };
    let folders: BTreeSet<&str> =
        facts.iter().filter(is_command).map(|it| folder_of(&it.sources[0].path)).collect();
    let mut around: BTreeMap<String, Option<(String, String)>> = BTreeMap::new();
    let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let near = texts.paths().filter(|path| path.ends_with(".py") && folders.contains(folder_of(path)));
    for path in near.take(TYPERS) {
        let Some(text) = texts.read(path).filter(|text| text.contains("typer")) else { continue };
        // `from .a import remote as remote_app`
        let origin = |name: &str| {
            let end = format!(" as {name}");
            let import = text.lines().find_map(|line| line.trim_end().strip_suffix(end.as_str()));
            import.and_then(|line| line.rsplit([' ', ',']).next()).unwrap_or(name).to_owned()
        };
        for (parent, rest) in text.lines().filter_map(|line| line.trim().split_once(".add_typer(")) {
            let child = rest.split([',', ')']).next().unwrap_or_default().trim();
            let name = rest.split_once("name=").and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
            let Some(name) = name.filter(|_| around.len() < TYPERS) else { continue };
            let made = (origin(parent), name.to_owned());
            // A command at two places has the words of none.
            around
                .entry(origin(child))
                .and_modify(|known| *known = known.take().filter(|it| *it == made))
                .or_insert(Some(made));
        }
        lines.insert(path.clone(), text.lines().map(str::to_owned).collect());
    }
    if around.is_empty() {
        return;
    }
    for fact in facts.iter_mut() {
        let FactValue::Subcommand { name, text } = &fact.value else { continue };
        let source = &fact.sources[0];
        let line = lines.get(&source.path).and_then(|text| text.get(source.start.saturating_sub(1)));
        let of = line.and_then(|line| line.trim().strip_prefix('@')?.split_once('.')).map(|(of, _)| of);
        let mut words = vec![name.clone()];
        let mut at = of;
        while let Some(Some((parent, name))) =
            at.and_then(|at| around.get(at)).filter(|_| words.len() < DEPTH)
        {
            words.push(name.clone());
            at = Some(parent);
        }
        if words.len() > 1 {
            words.reverse();
            let text = text.clone();
            rename(fact, words.join(" "), text);
        }
    }
}

/// Gives the nested commands of click their full names: a command below `@remote.command()`, where `remote`
/// is a group, becomes `remote add`.
fn click(texts: &Texts, facts: &mut [Fact]) {
    let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut found: Vec<ClickCommand> = Vec::new();
    for (fact, it) in facts.iter().enumerate() {
        let (FactValue::Subcommand { name, .. }, source) = (&it.value, &it.sources[0]) else { continue };
        if !source.path.ends_with(".py") || found.len() >= COMMANDS {
            continue;
        }
        let read = || texts.read(&source.path).unwrap_or_default().lines().map(str::to_owned).collect();
        let text = lines.entry(source.path.clone()).or_insert_with(read);
        let Some(decorator) = text.get(source.start.saturating_sub(1)) else { continue };
        let Some((of, rest)) = decorator.trim().strip_prefix('@').and_then(|it| it.split_once('.')) else {
            continue;
        };
        let is_group = rest.starts_with("group");
        let (path, of, name) = (source.path.clone(), of.replace('_', "-"), name.clone());
        found.push(ClickCommand { fact, path, of, name, is_group });
    }
    let around = |it: &ClickCommand| {
        let groups = || found.iter().filter(|group| group.is_group && group.name == it.of);
        let is_root = |path: &String| {
            let function = format!("def {}(", it.of.replace('-', "_"));
            lines.get(path).is_some_and(|text| text.iter().any(|line| line.starts_with(&function)))
        };
        let same = groups().find(|group| group.path == it.path);
        let only = || groups().next().filter(|_| groups().count() == 1 && !is_root(&it.path));
        same.or_else(only)
    };
    let mut names = Vec::new();
    for it in &found {
        let mut all = vec![it.name.as_str()];
        let mut at = it;
        while let Some(group) = around(at).filter(|group| group.fact != at.fact && all.len() < DEPTH) {
            all.push(&group.name);
            at = group;
        }
        all.reverse();
        names.push((it.fact, all.join(" ")));
    }
    for (fact, name) in names {
        let FactValue::Subcommand { text, .. } = &facts[fact].value else { continue };
        let text = text.clone();
        rename(&mut facts[fact], name, text);
    }
}
