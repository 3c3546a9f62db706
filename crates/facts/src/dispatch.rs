//! Finds subcommands of programs that compare their arguments themselves, without a library, and the shell
//! functions that read a script's arguments.

use std::collections::BTreeSet;

use stategraph_repo::{ParsedFile, Site, SiteKind, SymbolKind};

use crate::calls::{find_named, last};

/// Maximum number of lines of a function that are read.
const LINES: usize = 2_000;
/// Usual names of variables that hold the subcommand.
const VERBS: &[&str] = &["command", "cmd", "subcommand", "subcmd", "verb", "action"];

/// Returns the names of the shell functions to which the top level of a script passes all its arguments:
/// `main "$@"`.
pub(crate) fn readers<'a>(file: &ParsedFile<'a>) -> BTreeSet<&'a str> {
    let is_top = |site: &&Site| site.kind == SiteKind::Call && matches!(site.within.as_str(), "" | "main");
    let called = file.sites.iter().filter(is_top);
    called.filter(|site| passes_all(site)).map(|site| site.name.as_str()).collect()
}

/// Returns true if a call in a shell script passes on all arguments (`"$@"`).
fn passes_all(site: &Site) -> bool {
    site.arguments.iter().any(|given| matches!(given.text.trim_matches('"'), "$@" | "${@}" | "${@:2}"))
}

/// Returns the subcommands of a shell script with their sites: the branches of a `case` over its first
/// argument that run something of their own. Each name is returned once.
pub(crate) fn of_script<'a>(file: &ParsedFile<'a>) -> Vec<(&'a str, &'a Site)> {
    let path = &file.outline.path;
    // The arguments of these scripts come from a package manager.
    let is_hook = ["postinst", "preinst", "postrm", "prerm"].iter().any(|end| path.ends_with(end));
    if !file.text.starts_with("#!") || file.text.contains("COMPREPLY") || is_hook {
        return Vec::new();
    }
    let functions: BTreeSet<&str> = file
        .outline
        .walk()
        .filter(|(_, symbol)| symbol.kind == SymbolKind::Function)
        .map(|(_, symbol)| symbol.name.as_str())
        .collect();
    let mut found = Vec::new();
    let mut index = 0;
    while index < file.sites.len() {
        let group = branches(file.sites, index);
        let Some(last) = group.last() else {
            index += 1;
            continue;
        };
        if is_first_argument(file, &file.sites[index]) {
            found.extend(commands(file.sites, &group, &functions));
        }
        // The branches are read for a `case` inside them too, but those of this one only once.
        index = if group.len() > 1 { index + 1 } else { last + 1 };
    }
    let mut seen = BTreeSet::new();
    found.retain(|(name, _)| seen.insert(*name));
    found
}

/// Returns the indices of the sites that are branches of one shell `case`, beginning with the branch at
/// `index`; empty if that site is no branch. At most 200.
fn branches(sites: &[Site], index: usize) -> Vec<usize> {
    let is_branch = |site: &Site| site.kind == SiteKind::Keyword && site.name == "case";
    let mut found = Vec::new();
    let mut at = index;
    while let Some(site) = sites.get(at).filter(|site| is_branch(site))
        && found.len() < 200
    {
        found.push(at);
        at += site.inside + 1;
    }
    found
}

/// Returns the subcommands among the branches of a shell `case`, with their sites. At least two branches,
/// and half of the named ones, must call a function of the script, call `shift`, or pass on the arguments;
/// otherwise none are returned.
fn commands<'a>(sites: &'a [Site], group: &[usize], functions: &BTreeSet<&str>) -> Vec<(&'a str, &'a Site)> {
    let named = group.iter().filter_map(|index| Some((*index, word(&sites[*index])?)));
    let named: Vec<(usize, &str)> = named.collect();
    let runs = named.iter().filter(|(index, _)| {
        let inside = &sites[index + 1..=index + sites[*index].inside];
        let mut calls = inside.iter().filter(|site| site.kind == SiteKind::Call);
        calls.any(|site| site.name == "shift" || functions.contains(site.name.as_str()) || passes_all(site))
    });
    let runs = runs.count();
    if runs < 2 || runs * 2 < named.len() {
        return Vec::new();
    }
    named.into_iter().map(|(index, name)| (name, &sites[index])).collect()
}

/// Returns the first pattern of a `case` branch that is a word: `insert` of `insert|add)`.
fn word(branch: &Site) -> Option<&str> {
    let values = branch.arguments.iter().filter(|given| given.name.is_none());
    values.map(|given| given.text.trim_matches(['"', '\''])).find(|word| is_word(word))
}

/// Returns true if the text may be a subcommand's name: at least two characters of lower case, digits, `-`,
/// `_` or `:`.
fn is_word(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | ':'))
}

/// Returns true if a branch belongs to a shell `case` over the first argument of the script: `$1`, or a
/// variable with its value.
fn is_first_argument(file: &ParsedFile, branch: &Site) -> bool {
    if !matches!(branch.within.as_str(), "" | "main") {
        return false;
    }
    let Some(of) = find_named(branch, &["of"]) else { return false };
    let of = of.text.trim_matches('"');
    let name = of.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
    let name = name.split([':', '-']).next().unwrap_or_default();
    let is_first = |text: &str| {
        let rest = text.trim_start_matches('"').strip_prefix('$').map(|rest| rest.trim_start_matches('{'));
        rest.and_then(|rest| rest.strip_prefix('1'))
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let assigns = |line: &str| {
        let line = line.trim_start().trim_start_matches("local ").trim_start_matches("readonly ");
        line.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).is_some_and(is_first)
    };
    // Inside a function `$1` is its own first argument.
    let inner: Vec<(usize, usize)> = file
        .outline
        .walk()
        .filter(|(_, symbol)| symbol.kind == SymbolKind::Function && symbol.name != branch.within)
        .map(|(_, symbol)| (symbol.line, symbol.line_end))
        .collect();
    let is_outer = |line: usize| !inner.iter().any(|(start, end)| (*start..=*end).contains(&line));
    let mut lines = file.text.lines().enumerate();
    of.starts_with('$')
        && (name == "1" || !name.is_empty() && lines.any(|(at, line)| assigns(line) && is_outer(at + 1)))
}

/// Returns the subcommands of a C or C++ program, each with the line, from 1, of `main` that compares it:
/// `strcmp(argv[1], "dump") == 0`, or `command == "dump"` for a variable that holds the first argument.
pub(crate) fn of_main(file: &ParsedFile) -> Vec<(String, usize)> {
    let main = file.outline.symbols.iter().find(|it| it.name == "main" && it.kind == SymbolKind::Function);
    let Some(main) = main else { return Vec::new() };
    let lines = || {
        file.text
            .lines()
            .enumerate()
            .skip(main.line.saturating_sub(1))
            .take(LINES)
            .take_while(|(index, _)| *index < main.line_end)
    };
    let variable = lines().find_map(|(_, line)| {
        let (left, right) = line.split_once('=')?;
        let is_first = right.trim().trim_end_matches(';').trim() == "argv[1]";
        left.trim().rsplit([' ', '*', '&']).next().filter(|name| is_first && !name.is_empty())
    });
    let is_first = |text: &str| {
        let text = text.trim();
        matches!(text, "argv[1]" | "std::string(argv[1])" | "string(argv[1])") || Some(text) == variable
    };
    let mut found: Vec<(String, usize)> = Vec::new();
    for site in file.sites.iter().filter(|site| matches!(last(&site.name), "strcmp" | "streq")) {
        let is_inside = site.line >= main.line && site.line_end <= main.line_end;
        let of_first = site.arguments.iter().any(|given| !given.is_literal && is_first(&given.text));
        let mut literals =
            site.arguments.iter().filter(|given| given.is_literal).map(|given| given.text.as_str());
        let word = literals.next().filter(|word| is_word(word) && is_inside && of_first);
        found.extend(word.map(|word| (word.to_owned(), site.line)));
    }
    for (index, line) in lines().filter(|(_, line)| !line.trim_start().starts_with("//") && line.len() < 300)
    {
        for (at, _) in line.match_indices("==").take(8) {
            let left = line[..at].rsplit([' ', '(', '!', '|', '&']).find(|part| !part.is_empty());
            let quoted = line[at + 2..].trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
            let word = quoted.map(|(word, _)| word).filter(|word| is_word(word));
            let is_of_first = left.is_some_and(|left| is_first(left) || left.starts_with("argv[1]"));
            found.extend(word.filter(|_| is_of_first).map(|word| (word.to_owned(), index + 1)));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|(word, _)| seen.insert(word.clone()));
    // One word alone may be a value, unless its variable tells that it is a command.
    let is_verb = variable.is_some_and(|name| VERBS.contains(&name.to_lowercase().as_str()));
    if found.len() > 1 || is_verb { found } else { Vec::new() }
}
