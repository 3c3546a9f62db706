//! Nests the commands of cobra: `keyCmd.AddCommand(addCmd)` makes `key add`. Within a package, commands are
//! identified by their variables and functions.

use std::collections::{BTreeMap, BTreeSet};

use super::nested::{DEPTH, rename};
use crate::collect::Texts;
use crate::fact::{Fact, FactValue};
use crate::projects::folder_of;

/// Maximum number of files that are read.
const FILES: usize = 1_000;

/// Maximum number of commands, and of calls that add some.
const COMMANDS: usize = 2_000;
/// Maximum number of lines of one call.
const LINES: usize = 60;

/// A command of cobra with the names that stand for it in its package.
struct CobraCommand {
    /// Index of its fact.
    fact: usize,
    folder: String,
    /// Function that creates it; empty at the top level of a file.
    function: String,
    variable: String,
}

/// A call `parent.AddCommand(children…)` of cobra, which makes commands the subcommands of another.
struct Addition {
    folder: String,
    function: String,
    parent: String,
    /// Names of the arguments: variables, and functions with a trailing `(`.
    children: Vec<String>,
}

/// Prefixes the name of each cobra command with the names of its parents. Removes the root command, which
/// is the program.
pub(super) fn nest(texts: &Texts, facts: &mut Vec<Fact>) {
    let mut places: BTreeMap<String, BTreeMap<usize, usize>> = BTreeMap::new();
    for (index, fact) in facts.iter().enumerate() {
        let source = &fact.sources[0];
        if matches!(fact.value, FactValue::Subcommand { .. }) && source.path.ends_with(".go") {
            places.entry(source.path.clone()).or_default().insert(source.start, index);
        }
    }
    let folders: BTreeSet<String> = places.keys().map(|path| folder_of(path).to_owned()).collect();
    let is_near = |path: &&String| path.ends_with(".go") && folders.contains(folder_of(path));
    let (mut commands, mut additions) = (Vec::new(), Vec::new());
    let mut executed: BTreeSet<(String, String)> = BTreeSet::new();
    for path in texts.paths().filter(is_near).take(if folders.is_empty() { 0 } else { FILES }) {
        let Some(text) = texts.read(path).filter(|text| text.contains("cobra")) else { continue };
        read(folder_of(path), &text, places.get(path), &mut commands, &mut additions);
        let started = list_executed(&text).take(COMMANDS);
        executed.extend(started.map(|name| (folder_of(path).to_owned(), name.to_owned())));
        if commands.len() > COMMANDS || additions.len() > COMMANDS {
            break;
        }
    }
    // A variable of a function may be another one elsewhere.
    let is_root = |it: &&CobraCommand| {
        it.function.is_empty() && executed.contains(&(it.folder.clone(), it.variable.clone()))
    };
    let roots: BTreeSet<usize> = commands.iter().filter(is_root).map(|it| it.fact).collect();
    let mut parents: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    for addition in &additions {
        let parent = find(&commands, addition, &addition.parent);
        for child in &addition.children {
            let Some(child) = find(&commands, addition, child) else { continue };
            // A command at two places has the words of none.
            parents
                .entry(child)
                .and_modify(|known| *known = known.filter(|it| Some(*it) == parent))
                .or_insert(parent);
        }
    }
    let name = |fact: usize| match &facts[fact].value {
        FactValue::Subcommand { name, .. } => name.clone(),
        _ => String::new(),
    };
    let mut names = Vec::new();
    for child in parents.keys() {
        let mut words = vec![name(*child)];
        let mut at = *child;
        while let Some(Some(parent)) = parents.get(&at).filter(|_| words.len() < DEPTH) {
            if !roots.contains(parent) {
                words.push(name(*parent));
            }
            at = *parent;
        }
        words.reverse();
        names.push((*child, words.join(" ")));
    }
    for (fact, name) in names {
        let FactValue::Subcommand { text, .. } = &facts[fact].value else { continue };
        let text = text.clone();
        rename(&mut facts[fact], name, text);
    }
    let mut index = 0;
    facts.retain(|_| {
        index += 1;
        !roots.contains(&(index - 1))
    });
}

/// Returns the variables of the commands that a file starts: `shopCmd` in `shopCmd.Execute()`.
fn list_executed(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(".Execute").filter_map(move |(at, _)| {
        let before = &text[..at];
        let start = before.trim_end_matches(is_part).len();
        before.get(start..).filter(|name| !name.is_empty())
    })
}

/// Adds cobra's commands and the calls of `AddCommand` in a Go file. `known` maps lines of the file to
/// indices of facts.
fn read(
    folder: &str,
    text: &str,
    known: Option<&BTreeMap<usize, usize>>,
    commands: &mut Vec<CobraCommand>,
    additions: &mut Vec<Addition>,
) {
    let mut function = String::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().copied().enumerate().filter(|(_, line)| line.len() < 500) {
        if let Some(rest) = line.strip_prefix("func ") {
            // A method has its receiver before its name.
            let rest =
                if rest.starts_with('(') { rest.split_once(')').map_or("", |(_, rest)| rest) } else { rest };
            rest.trim_start().split(['(', '[']).next().unwrap_or_default().clone_into(&mut function);
        } else if line.starts_with('}') || line.starts_with("var ") {
            function.clear();
        }
        if let Some(fact) = known.and_then(|known| known.get(&(at + 1))) {
            let left = line.split(":=").next().and_then(|it| it.split('=').next()).unwrap_or_default();
            let variable =
                left.trim().trim_start_matches("var ").split_whitespace().next().unwrap_or_default();
            let (folder, function, variable) = (folder.to_owned(), function.clone(), variable.to_owned());
            commands.push(CobraCommand { fact: *fact, folder, function, variable });
        }
        let Some((before, after)) = line.split_once(".AddCommand(") else { continue };
        let parent = before.trim().rsplit([' ', '\t', '(', '.']).next().unwrap_or_default().to_owned();
        // The arguments may stand on lines of their own.
        let more = lines[at + 1..].iter().map(|line| line.trim()).take(LINES);
        let more: Vec<&str> = if after.trim().is_empty() {
            more.take_while(|line| !line.starts_with(')')).collect()
        } else {
            vec![after]
        };
        let children = more.iter().flat_map(|line| line.split(',')).map(|child| {
            let child = child.trim();
            let name: &str = child.split(['(', ')', '{']).next().unwrap_or_default();
            let name = name.rsplit('.').next().unwrap_or(name);
            if child.contains('(') { format!("{name}(") } else { name.to_owned() }
        });
        let (folder, function) = (folder.to_owned(), function.clone());
        additions.push(Addition {
            folder,
            function,
            parent,
            children: children.filter(|it| it.len() > 1).collect(),
        });
    }
}

/// Returns the fact of the only cobra command that a name stands for at the place of a call; `None` if
/// there is none or more than one.
fn find(commands: &[CobraCommand], at: &Addition, name: &str) -> Option<usize> {
    let only = |matches: &dyn Fn(&CobraCommand) -> bool| {
        let mut all = commands.iter().filter(|it| it.folder == at.folder && matches(it));
        all.next().filter(|_| all.next().is_none()).map(|it| it.fact)
    };
    if let Some(function) = name.strip_suffix('(') {
        return only(&|it| it.function == function);
    }
    let local = only(&|it| it.variable == name && it.function == at.function && !it.function.is_empty());
    local.or_else(|| only(&|it| it.variable == name && it.function.is_empty()))
}
