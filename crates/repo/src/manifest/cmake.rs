//! `CMakeLists.txt`: the project, its targets and packages, from literal arguments. It is a program: what conditions and functions add is
//! known only where its name is written.

use std::collections::BTreeMap;

use super::{DeclaredKind, Manifest, Scope};

/// Maximum number of commands of a file that are read.
const COMMANDS: usize = 20_000;
/// Maximum number of commands that are read inside called functions.
const STEPS: usize = 20_000;
/// Endings of the names of C and C++ sources and headers.
const SOURCES: &[&str] = &[".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm", ".cu", ".h", ".hpp"];

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut depth = 0_usize;
    let all = commands(text);
    let functions = functions(&all);
    let mut steps = 0_usize;
    for (name, arguments) in &all {
        let filled: Vec<String> = arguments.iter().map(|word| fill(word, &known)).collect();
        match name.as_str() {
            "if" | "foreach" | "function" | "macro" => depth += 1,
            "endif" | "endforeach" | "endfunction" | "endmacro" => depth = depth.saturating_sub(1),
            "set" if filled.len() == 2 && !filled[1].contains('$') => {
                known.insert(filled[0].clone(), filled[1].clone());
            }
            "project" if found.name.is_none() => {
                project(&filled, found);
                known.extend(found.name.clone().map(|name| ("PROJECT_NAME".into(), name)));
                known.extend(found.name.clone().map(|name| ("CMAKE_PROJECT_NAME".into(), name)));
            }
            "add_library" if wraps_another(&filled, found) => {}
            "add_library" => add(DeclaredKind::Library, &filled, found),
            "add_executable" => add(DeclaredKind::Program, &filled, found),
            "find_package" => {
                let is_needed = depth == 0 && filled.iter().any(|word| word == "REQUIRED");
                let scope = if is_needed { Scope::Runtime } else { Scope::Optional };
                let version = filled.get(1).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
                if let Some(name) = filled.first().filter(|name| is_plain(name)) {
                    found.needs(scope, name, version.map(String::as_str));
                }
            }
            "fetchcontent_declare" => {
                if let Some(name) = filled.first().filter(|name| is_plain(name)) {
                    found.needs(Scope::Build, name, None);
                }
            }
            called => {
                let Some(function) = functions.get(called).filter(|_| steps < STEPS) else { continue };
                steps += function.len();
                call(function, &filled, &known, found);
            }
        }
    }
    Ok(())
}

/// Returns true for an `INTERFACE` library whose name differs from the project's: it only stands for the
/// headers of another library.
fn wraps_another(words: &[String], found: &Manifest) -> bool {
    let [name, kind, ..] = words else { return false };
    let (name, project) = (name.to_lowercase(), found.name.as_deref().unwrap_or_default().to_lowercase());
    let is_called = project.is_empty() || name.contains(&project) || project.contains(&name);
    kind == "INTERFACE" && !is_called
}

/// Returns the functions and macros that the file defines, by lower-case name. Each starts with its own
/// `function` command, whose arguments are the parameters.
fn functions(all: &[(String, Vec<String>)]) -> BTreeMap<String, &[(String, Vec<String>)]> {
    let mut found = BTreeMap::new();
    for (at, (name, arguments)) in all.iter().enumerate() {
        if !matches!(name.as_str(), "function" | "macro") {
            continue;
        }
        let Some(called) = arguments.first() else { continue };
        let ends = |(name, _): &(String, Vec<String>)| {
            matches!(name.as_str(), "endfunction" | "endmacro" | "function" | "macro")
        };
        let length = all[at + 1..].iter().position(ends).unwrap_or(0);
        found.insert(called.to_lowercase(), &all[at..=at + length]);
    }
    found
}

/// Reads a call of a function of the file: adds the program that the function builds from its arguments, as a
/// test if it calls `add_test`. `known` are the variables at the call.
fn call(
    function: &[(String, Vec<String>)],
    arguments: &[String],
    known: &BTreeMap<String, String>,
    found: &mut Manifest,
) {
    let [(_, parameters), body @ ..] = function else { return };
    let mut known = known.clone();
    let given = parameters.iter().skip(1).zip(arguments);
    known.extend(given.map(|(name, value)| (name.clone(), value.clone())));
    let is_source = |word: &&String| SOURCES.iter().any(|end| word.ends_with(end)) && !word.contains('$');
    let path = arguments.iter().find(is_source);
    let is_test = body.iter().any(|(name, _)| name == "add_test");
    for (name, arguments) in body {
        let filled: Vec<String> = arguments.iter().map(|word| fill(word, &known)).collect();
        match (name.as_str(), filled.as_slice()) {
            ("get_filename_component", [variable, file, part]) if part == "NAME_WE" => {
                let name = file.rsplit('/').next().unwrap_or(file);
                let stem = name.split('.').next().unwrap_or(name).to_owned();
                known.insert(variable.clone(), stem);
            }
            ("add_executable", [target, ..]) if is_plain(target) => {
                let kind = if is_test { DeclaredKind::Test } else { DeclaredKind::Program };
                found.target(kind, target, filled.iter().find(is_source).or(path).cloned());
            }
            _ => {}
        }
    }
}

fn project(arguments: &[String], found: &mut Manifest) {
    let after = |key: &str| {
        let at = arguments.iter().position(|word| word == key)?;
        arguments.get(at + 1).filter(|value| !value.contains("${")).cloned()
    };
    found.name = arguments.first().filter(|name| is_plain(name)).cloned();
    found.version = after("VERSION");
    found.description = after("DESCRIPTION");
}

fn add(kind: DeclaredKind, arguments: &[String], found: &mut Manifest) {
    const NO_TARGET: &[&str] = &["ALIAS", "IMPORTED", "OBJECT"];
    let [name, rest @ ..] = arguments else { return };
    if !is_plain(name) || rest.iter().take(2).any(|word| NO_TARGET.contains(&word.as_str())) {
        return;
    }
    let is_source = |word: &&String| SOURCES.iter().any(|end| word.ends_with(end)) && !word.contains('$');
    found.target(kind, name, rest.iter().find(is_source).cloned());
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.+".contains(c))
}

/// Replaces `${X}` by the values of known variables, at most 4 times; unknown ones stay.
fn fill(word: &str, known: &BTreeMap<String, String>) -> String {
    const ROUNDS: usize = 4;
    let mut text = word.to_owned();
    for _ in 0..ROUNDS {
        let Some((before, rest)) = text.split_once("${") else { break };
        let Some((name, after)) = rest.split_once('}') else { break };
        let Some(value) = known.get(name).filter(|value| value.len() < 1000) else { break };
        text = format!("{before}{value}{after}");
    }
    text
}

/// Returns the commands of a `CMakeLists.txt` in order: lower-case name and arguments without quotes.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['(', '#']) {
        if found.len() >= COMMANDS {
            break;
        }
        let (before, after) = rest.split_at(at);
        if after.starts_with('#') {
            rest = skip_comment(after);
            continue;
        }
        let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        let name = if name.is_empty() { word.unwrap_or_default() } else { name };
        let (arguments, left) = words(&after[1..]);
        found.push((name.to_lowercase(), arguments));
        rest = left;
    }
    found
}

/// Returns the text after the comment at its start, `# …` or `#[[ … ]]`.
fn skip_comment(text: &str) -> &str {
    let end = match text.strip_prefix("#[[") {
        Some(_) => text.find("]]").map(|at| at + 2),
        None => text.find('\n'),
    };
    end.map_or("", |end| &text[end..])
}

/// Returns the words before the closing bracket of a command, without quotes, and the text after the bracket.
fn words(text: &str) -> (Vec<String>, &str) {
    let mut found = Vec::new();
    let (mut word, mut depth, mut quoted) = (String::new(), 1, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let next = &rest[c.len_utf8()..];
        match c {
            '"' => {
                if quoted {
                    found.push(std::mem::take(&mut word));
                }
                quoted = !quoted;
            }
            '\\' if quoted => {
                word.extend(next.chars().next());
                rest = next.chars().next().map_or("", |c| &next[c.len_utf8()..]);
                continue;
            }
            _ if quoted => word.push(c),
            '#' => {
                rest = skip_comment(rest);
                continue;
            }
            '(' => depth += 1,
            ')' if depth == 1 => {
                found.extend((!word.is_empty()).then_some(word));
                return (found, next);
            }
            ')' => depth -= 1,
            c if c.is_whitespace() => {
                if !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
        rest = next;
    }
    (found, "")
}
