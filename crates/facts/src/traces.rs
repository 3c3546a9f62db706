//! Facts about traces: the chain of calls from the entry of a program to its core. Each step is the call
//! that reaches most of the code, if no other call reaches as much. Calls that print a help text, a warning
//! or a version, and calls that only prepare something, are no steps. A trace ends where the program does
//! several things, where a call that does not resolve may reach more, and before functions that call
//! nothing.

mod graph;
mod names;

use stategraph_repo::{CalledFunction, Dependencies, ProjectMetadata};

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines, TraceStep};
use crate::role::role_of;
use graph::{CallGraph, TraceEntry};

/// Minimum number of functions of a trace; a shorter one is dropped.
const FEWEST: usize = 3;
/// Maximum number of programs with a trace.
const PROGRAMS: usize = 50;

/// Returns a trace fact (functions that call one another) for each program with a chain of resolved calls
/// from its entry towards its core.
pub(crate) fn facts(project: &ProjectMetadata, dependencies: &Dependencies, texts: &Texts) -> Vec<Fact> {
    let functions = &dependencies.functions;
    let starts = entries(project, functions).into_iter();
    let starts = starts.filter(|at| !is_left_out(texts, &functions[*at])).map(TraceEntry::Function);
    let mut entries: Vec<TraceEntry> = starts.collect();
    entries.extend(scripts(dependencies).into_iter().map(TraceEntry::Script));
    if entries.is_empty() {
        return Vec::new();
    }
    let mut graph = CallGraph::new(dependencies, texts);
    let mut found = Vec::new();
    for entry in entries.into_iter().take(PROGRAMS) {
        let (path, name, line) = match entry {
            TraceEntry::Function(at) => {
                let it = &functions[at];
                (it.path.clone(), it.name.clone(), it.line)
            }
            TraceEntry::Script(path) => (path.to_owned(), names::of_script(path).to_owned(), 1),
        };
        let first = TraceStep { name: name.clone(), at: SourceLines::line(&path, line) };
        let steps: Vec<TraceStep> = std::iter::once(first).chain(graph.steps(entry)).collect();
        if steps.len() >= FEWEST {
            let source = steps[0].at.clone();
            let subject = FactSubject::Symbol { path, name };
            found.push(Fact::new(subject, FactValue::Trace { steps }, source, FactOrigin::Resolved));
        }
    }
    without_parts(found)
}

/// Removes call traces that are the end of a longer one, as of a `main` in a namespace that the outer
/// `main` calls.
fn without_parts(found: Vec<Fact>) -> Vec<Fact> {
    let calls = |fact: &Fact| match &fact.value {
        FactValue::Trace { steps } => steps[1..].to_vec(),
        _ => Vec::new(),
    };
    let all: Vec<Vec<TraceStep>> = found.iter().map(calls).collect();
    let is_part = |own: &[TraceStep]| all.iter().any(|other| other.len() > own.len() && other.ends_with(own));
    let kept: Vec<bool> = all.iter().map(|own| !is_part(own)).collect();
    found.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(fact, _)| fact).collect()
}

/// Returns true for a `main` in a C file that is compiled only for a test of that file, below `#ifdef
/// TEST`.
fn is_left_out(texts: &Texts, function: &CalledFunction) -> bool {
    let is_c = [".c", ".cc", ".cpp", ".cxx"].iter().any(|end| function.path.ends_with(end));
    let Some(text) = Some(&function.path).filter(|_| is_c).and_then(|path| texts.read(path)) else {
        return false;
    };
    let mut open: Vec<bool> = Vec::new();
    for line in text.lines().take(function.line).map(str::trim_start).filter(|line| line.starts_with('#')) {
        let word = line[1..].trim_start();
        if word.starts_with("if") {
            open.push(word.starts_with("ifdef") && word.contains("TEST") || word.starts_with("if 0"));
        } else if word.starts_with("endif") {
            open.pop();
        }
    }
    open.contains(&true)
}

/// Returns the indices of the functions in which programs start: `main` as each language has it (in Python only that of
/// `__main__.py`), and Python functions that a manifest names as `module:function`. Tests have none.
fn entries(project: &ProjectMetadata, functions: &[CalledFunction]) -> Vec<usize> {
    let named: Vec<(String, &str)> = project
        .manifests
        .iter()
        .flat_map(|manifest| manifest.programs.values())
        .filter_map(|start| start.split_once(':'))
        .map(|(module, function)| (format!("/{}", module.trim().replace('.', "/")), function.trim()))
        .collect();
    let roots: Vec<&str> = project
        .manifests
        .iter()
        .flat_map(|manifest| manifest.programs.values())
        .map(String::as_str)
        .collect();
    // A function `main` of a library is none.
    let is_root = |path: &str| {
        path.ends_with("/main.rs")
            || path == "main.rs"
            || path.contains("src/bin/")
            || roots
                .iter()
                .any(|root| root.ends_with(".rs") && !root.ends_with("lib.rs") && path.ends_with(root))
    };
    let is_entry = |function: &CalledFunction| {
        let last = function.name.rsplit('.').next().unwrap_or_default();
        let ending = function.path.rsplit('.').next().unwrap_or_default();
        let is_main = match ending {
            "java" => last == "main" && function.name.contains('.'),
            "cs" => last == "Main" && function.name.contains('.'),
            "rs" => function.name == "main" && is_root(&function.path),
            "go" | "c" | "cc" | "cpp" | "cxx" => function.name == "main",
            _ => false,
        };
        let stem = format!("/{}", function.path.trim_end_matches(".py").trim_end_matches("/__init__"));
        let is_named = || named.iter().any(|(module, name)| function.name == *name && stem.ends_with(module));
        let is_python_main = ending == "py" && function.name == "main" && stem.ends_with("/__main__");
        (is_main || is_python_main || (ending == "py" && is_named()))
            && !function.is_test
            && role_of(&function.path) == PathRole::Runtime
    };
    (0..functions.len()).filter(|at| is_entry(&functions[*at])).collect()
}

/// Returns the paths of the Ruby scripts that a gem installs as programs.
fn scripts(dependencies: &Dependencies) -> Vec<&str> {
    let is_program = |path: &&str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_kept = !matches!(name, "setup" | "console" | "rails" | "rake" | "bundle" | "test");
        let is_folder = matches!(folder.rsplit('/').next(), Some("bin" | "exe"));
        is_folder && is_kept && !name.contains('.') && role_of(path) == PathRole::Runtime
    };
    let mut found: Vec<&str> = dependencies.script_calls.iter().map(|call| call.path.as_str()).collect();
    found.retain(is_program);
    found.sort_unstable();
    found.dedup();
    found
}
