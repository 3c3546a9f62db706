//! The text about a function in the map: a line with its name, purpose, calls and errors, and an excerpt of its
//! body.

use std::collections::{HashMap, HashSet};

use super::super::bodies::WrittenCall;
use super::super::central::{CentralFile, root};
use super::super::survey::Survey;
use super::definitions::{MapDefinition, STEP, qualified};
use super::falling;
use super::map::{MapFile, said};
use super::signatures::arguments;
use crate::facts::TraceStep;
use crate::repo::{Language, SymbolKind, Visibility};
use crate::workflows::survey::definition_kinds::{COMMON, STANDARD};

/// Longest purpose, in characters.
const PURPOSE: usize = 80;
/// Maximum of calls that a line shows: of a function far from an entry, and of one near it.
const CALLS: usize = 4;
const CALLS_NEAR: usize = 9;
/// Largest distance from an entry that is near.
const NEAR: usize = 2;
/// Number of callers from which on a function that calls nothing counts as a utility, and is not shown as a
/// call.
const EVERYWHERE: usize = 9;
/// Maximum of terms on a line.
const TERMS: usize = 5;
/// Length of the first excerpt, in bytes: each further one of this length ranks lower.
const FIRST: usize = 200;
/// Length of a usual statement, in bytes.
const STATEMENT: usize = 45;
/// Maximum length of a body that only calls a function and ends the program.
const CALL: usize = 80;

/// Returns the line about a function: name, line number, purpose, calls, errors, as in
/// `parse L5: reads a file → open; ParseError`. The name has its type in front if `is_outer`; `docs` is its
/// doc comment. `None` if the name must not be quoted.
pub(super) fn function_line(
    (survey, names): (&Survey, &NameTable),
    file: &CentralFile,
    definition: &MapDefinition,
    is_outer: bool,
    docs: Option<&str>,
) -> Option<String> {
    let MapDefinition { symbol, owner, body, .. } = definition;
    let name = qualified(owner.as_deref(), &symbol.name);
    let shown = if is_outer { &name } else { &symbol.name };
    let told = Some(symbol.visibility).filter(|it| *it == Visibility::Public);
    let arguments = told.and_then(|_| arguments(&symbol.signature, &symbol.name)).unwrap_or_default();
    let mut text = format!("{} L{}", survey.quoter.code(&format!("{shown}{arguments}"))?, symbol.line);
    if let Some(note) = note(definition).and_then(|note| survey.quoter.code(&note)) {
        text.extend([format!(" ({note})")]);
    }
    if let Some(said) = docs.and_then(|docs| said(survey, file, symbol, docs, PURPOSE)) {
        text.extend([format!(": {}", said.trim_end_matches('.'))]);
    }
    let mut calls = leading_calls(survey, &file.path, definition);
    if calls.is_empty() {
        calls = written_calls(survey, names, &file.path, definition);
    }
    if let Some(calls) = survey.quoter.code(&calls.join(", ")) {
        text.extend([format!(" → {calls}")]);
    }
    let ends: Vec<&str> =
        body.ends.iter().map(|end| end.text.as_str()).filter(|end| !is_standard(end)).collect();
    if let Some(ends) = survey.quoter.code(&ends.join(", ")) {
        text.extend([format!("; {ends}")]);
    }
    Some(text)
}

/// Returns the marks of a function without which its line misleads: the condition of its build, and that it is a property of Python.
fn note(definition: &MapDefinition) -> Option<String> {
    let marks = definition
        .symbol
        .decorators
        .iter()
        .map(|mark| mark.trim())
        .filter(|mark| mark.starts_with("#[cfg(") || *mark == "@property" || mark.ends_with(".setter"));
    let marks: Vec<&str> = marks.chain(definition.condition.as_deref()).collect();
    (!marks.is_empty()).then(|| marks.join(" "))
}

/// Returns true for an error type of a standard library, such as `ValueError`, which tells little about a
/// function.
fn is_standard(end: &str) -> bool {
    const NAMES: &[&str] = &[
        "ValueError",
        "TypeError",
        "RuntimeError",
        "NotImplementedError",
        "Exception",
        "KeyError",
        "AttributeError",
        "Error",
        "IllegalArgumentException",
        "IllegalStateException",
        "RuntimeException",
        "NullPointerException",
        "UnsupportedOperationException",
        "ArgumentError",
        "StandardError",
        "InvalidArgumentException",
        "ArgumentException",
        "ArgumentNullException",
        "InvalidOperationException",
        "AssertionError",
        "RangeError",
        "ImportError",
        "IOException",
        "NotSupportedException",
        "NotImplementedException",
        "LogicException",
        "IndexError",
    ];
    let name = end.rsplit(' ').next().unwrap_or(end);
    NAMES.contains(&name)
}

/// Returns the names of the most important functions that a definition calls, in the order of the text: at
/// most 4, near an entry point 9. Functions that call many others rank high; utilities and getters are left
/// out.
pub(super) fn leading_calls(survey: &Survey, path: &str, definition: &MapDefinition) -> Vec<String> {
    let (symbol, name) = (definition.symbol, definition.qualified());
    let depth = survey.calls.depth_of(path, &name);
    let calls = survey.calls.calls_of(path, &name, (symbol.line, symbol.line_end));
    let is_told = depth.is_some_and(|depth| depth <= NEAR) || calls.len() >= STEP;
    let most = if is_told { CALLS_NEAR } else { CALLS };
    let mut weighed: Vec<(f64, usize, &TraceStep)> = Vec::new();
    for (at, call) in calls.into_iter().enumerate() {
        let (callers, calls) = (survey.calls.callers_of(&call.name), survey.calls.calls_by(&call.name));
        if calls == 0 && (callers >= EVERYWHERE || is_getter(&call.name)) {
            continue;
        }
        weighed.push((root(calls) - 0.3 * root(callers), at, call));
    }
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    weighed.truncate(most);
    weighed.sort_by_key(|(_, at, _)| *at);
    let mut shown: Vec<String> = Vec::new();
    for (_, _, call) in weighed {
        // A type of the same name in another file is another one.
        let owner = definition.owner.as_deref().filter(|_| call.at.path == path);
        let name = short_name(&call.name, owner);
        if !shown.contains(&name) {
            shown.push(name);
        }
    }
    shown
}

/// Table of the functions of the map by name, to resolve calls of which only the name is known.
#[derive(Default)]
pub(super) struct NameTable<'f> {
    places: HashMap<&'f str, Vec<FunctionPlace<'f>>>,
}

/// Index of a file in the map, and index of a definition in that file.
pub(super) type DefinitionPlace = (usize, usize);

#[derive(Clone, Copy)]
struct FunctionPlace<'f> {
    place: DefinitionPlace,
    /// True if a call needs an object or a type before the name.
    needs_receiver: bool,
    /// The type around it.
    owner: Option<&'f str>,
}

impl<'f> NameTable<'f> {
    /// Collects the functions of all files of the map.
    pub(super) fn of(files: &'f [MapFile]) -> Self {
        let mut table = Self::default();
        for (at, file) in files.iter().enumerate() {
            let language = Language::of_path(&file.file.path);
            // In these languages a method calls another one of its type by the name alone.
            let is_implicit = matches!(
                language,
                Some(Language::Java | Language::CSharp | Language::Cpp | Language::Ruby | Language::C)
            );
            let types: HashSet<&str> = file
                .definitions
                .iter()
                .filter(|it| !it.symbol.kind.is_callable())
                .map(|it| it.symbol.name.as_str())
                .collect();
            for (inner, definition) in file.definitions.iter().enumerate() {
                if definition.symbol.kind.is_callable() {
                    let is_member = definition.symbol.kind == SymbolKind::Method
                        || definition.owner.as_deref().is_some_and(|owner| types.contains(owner));
                    let needs_receiver = is_member && !is_implicit;
                    let owner = definition.owner.as_deref();
                    let place = FunctionPlace { place: (at, inner), needs_receiver, owner };
                    table.places.entry(&definition.symbol.name).or_default().push(place);
                }
            }
        }
        table
    }

    /// Returns the function that a call means if exactly one function has the name; `None` for common or
    /// short names, and for a method called without a receiver.
    pub(super) fn only(&self, call: &WrittenCall) -> Option<DefinitionPlace> {
        let all = self.places.get(call.name.as_str()).filter(|all| all.len() == 1)?;
        let is_common = COMMON.contains(&call.name.as_str()) || call.name.len() < 4;
        // A method of another type has the same name by chance.
        let is_other = call.of.is_some() && all[0].owner.is_some() && call.of.as_deref() != all[0].owner;
        (!is_common && !is_other && (call.has_receiver || !all[0].needs_receiver)).then(|| all[0].place)
    }
}

/// Returns at most 4 names that a function calls and that belong to exactly one function of the map. Used
/// when the facts resolve none of its calls. Names that the file imports do not count: they may be of another package.
fn written_calls(survey: &Survey, names: &NameTable, path: &str, definition: &MapDefinition) -> Vec<String> {
    let imports = survey.outlines.get(path).map(|outline| outline.imports.as_slice()).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_imported =
        |name: &str| imports.iter().any(|import| import.text.split(|c| !is_word(c)).any(|word| word == name));
    let is_told = |call: &&WrittenCall| {
        names.only(call).is_some()
            && call.name != definition.symbol.name
            && !is_getter(&call.name)
            && (call.is_own || !call.has_receiver)
            && (call.has_receiver || !is_imported(&call.name))
    };
    definition.body.names.iter().filter(is_told).take(CALLS).map(|call| call.name.clone()).collect()
}

/// Returns true if the last part of a name looks like a getter or a setter: `getName`, `set_size`.
fn is_getter(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    ["get", "set"].iter().any(|start| {
        last.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'))
    })
}

/// Shortens the dotted name of a called function to `Type.name`, or to `name` if `owner`, the caller's type,
/// is that type.
fn short_name(name: &str, owner: Option<&str>) -> String {
    let (around, last) = name.rsplit_once('.').unwrap_or(("", name));
    let around = around.rsplit('.').next().unwrap_or_default();
    if around.is_empty() || Some(around) == owner { last.to_owned() } else { format!("{around}.{last}") }
}

/// A line with an excerpt of the body of a function.
pub(super) struct ExcerptLine {
    /// Number of the statements that it shows and the one before it does not.
    pub(super) count: usize,
    /// Rank of what it adds to the one before it.
    pub(super) rank: f64,
    pub(super) text: String,
}

/// Returns the excerpts of a function's body as lines of text, each with all of the one before it, at most `lengths` bytes long. Without
/// one, a line of constants and literals, if it has some.
pub(super) fn excerpt_lines(
    survey: &Survey,
    definition: &MapDefinition,
    lengths: &[usize],
) -> Vec<ExcerptLine> {
    let MapDefinition { symbol, body, .. } = definition;
    let of_kind = if STANDARD.contains(&symbol.name.as_str()) { 0.4 } else { 1.0 };
    let of_kind = if body.code.is_repeated { 0.3 * of_kind } else { of_kind };
    let mut found: Vec<ExcerptLine> = Vec::new();
    let mut before = 0;
    for excerpt in body.code.excerpts(lengths) {
        // A call and an exit are told on the line of the function.
        let is_told = body.code.len() == 2 && !body.ends.is_empty() && excerpt.text.len() < CALL;
        let Some(text) = survey.quoter.code(&excerpt.text).filter(|_| !is_told) else { break };
        // The body of a setter says what its name says.
        let of_function = match excerpt.statements {
            2 | 3 if before == 0 => 0.2,
            1..=3 => 0.3,
            4..=7 => 0.4,
            _ => 0.55,
        };
        let statements = excerpt.statements.max(excerpt.text.len().saturating_sub(before) / STATEMENT);
        #[allow(clippy::cast_precision_loss, reason = "a body has few statements")]
        let several = (statements.min(12) as f64).powf(0.4);
        let rank = of_function * definition.score + 14.0 * excerpt.value.min(3.0).powf(1.5);
        let rank = of_kind * falling(rank, before / FIRST, 2.0) * several * shortness(&text);
        before = excerpt.text.len();
        found.push(ExcerptLine { count: excerpt.statements, rank, text });
    }
    if let Some(terms) = found.is_empty().then(|| terms_line(survey, definition)).flatten() {
        found.push(terms);
    }
    found
}

/// Returns a factor below 1 for a text shorter than 100 bytes. It offsets the advantage that the draft gives
/// short lines.
#[allow(clippy::cast_precision_loss, reason = "a line is short")]
fn shortness(text: &str) -> f64 {
    (text.len().clamp(30, 100) as f64 / 100.0).sqrt()
}

/// Returns a line `uses …` with constants and literals of a function without an excerpt; `None` if it has fewer
/// than two.
fn terms_line(survey: &Survey, definition: &MapDefinition) -> Option<ExcerptLine> {
    let terms: Vec<&str> = definition.body.terms.iter().take(TERMS).map(String::as_str).collect();
    // One constant alone tells little.
    let text = survey.quoter.code(&terms.join(", ")).filter(|_| terms.len() > 1)?;
    let rank = 0.5 * definition.score;
    Some(ExcerptLine { count: terms.len().div_ceil(2), rank, text: format!("uses {text}") })
}
