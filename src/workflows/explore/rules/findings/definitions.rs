//! Findings about central definitions: types and functions that other code uses, with their
//! documentation.

use crate::facts::{FactSubject, SourceLines};
use crate::repo::FileOutline;
use crate::workflows::explore::rules::finding::{FUNCTIONS, RuleFinding, TYPES};
use crate::workflows::survey::Survey;
use crate::workflows::survey::central::CentralFile;
use crate::workflows::survey::definitions::{MapDefinition, STEP, definitions};
use crate::workflows::survey::documentation::{documentation, without_own_name};
use crate::workflows::survey::members::members;
use crate::workflows::survey::phrases::{cut_at_word, first_sentence, is_prose};
use crate::workflows::survey::quoted::place;
use crate::workflows::survey::signatures::short_signature;

/// Maximum number of definitions of a file.
const OF_FILE: usize = 12;
/// Maximum number of lines of an accessor, a function that only reads or sets a field.
const ACCESSOR_LINES: usize = 4;
/// Weight that is subtracted for an accessor.
const ACCESSOR: f64 = 3.0;
/// Lengths of the excerpts of a body of which the longest is shown, in bytes.
const EXCERPTS: &[usize] = &[250, 500];
/// Maximum length of a documentation, in characters.
const SENTENCE: usize = 220;

/// Appends findings about the definitions of all central files except mocks.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    for file in survey.central.iter().filter(|file| !is_mock(&file.path)) {
        let Some(outline) = survey.outlines.get(&file.path) else { continue };
        add_file(survey, file, outline, found);
    }
}

/// Appends findings about the best definitions of a file whose code says more about them than their
/// names.
fn add_file(survey: &Survey<'_>, file: &CentralFile, outline: &FileOutline, found: &mut Vec<RuleFinding>) {
    let mut all = definitions(survey, file, outline);
    all.retain(|definition| definition.score > 0.0);
    all.retain(|definition| !definition.symbol.kind.is_value());
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.symbol.line.cmp(&b.symbol.line)));
    for definition in all.into_iter().take(OF_FILE) {
        let Some((content, is_told)) = describe(survey, file, &definition) else { continue };
        if !is_told {
            continue;
        }
        let is_type = definition.symbol.kind.is_type();
        let weight = definition.score + file.score.clamp(0.0, 4.0) * 0.5;
        let weight = if is_accessor(&definition) { weight - ACCESSOR } else { weight };
        let topic = if is_type { TYPES } else { FUNCTIONS };
        found.push(RuleFinding::new(topic, &file.path, weight, content));
    }
}

/// Returns the line of a definition: signature, place, documentation, and the members of a type. `None`
/// if the signature must not be quoted.
pub(in super::super) fn definition_text(
    survey: &Survey<'_>,
    file: &CentralFile,
    definition: &MapDefinition<'_>,
) -> Option<String> {
    describe(survey, file, definition).map(|(text, _)| text)
}

/// Returns the line of a definition, and true if the code says more about it than its name
/// (documentation, or members of an outermost type).
fn describe(
    survey: &Survey<'_>,
    file: &CentralFile,
    definition: &MapDefinition<'_>,
) -> Option<(String, bool)> {
    let docs = documentation(survey, file, definition.symbol, definition.owner.as_deref());
    let symbol = definition.symbol;
    let mut short = short_signature(&symbol.signature, &symbol.name);
    if short.ends_with([',', '(']) {
        short.push('…');
    }
    let mut signature = survey.quoter.code(&short)?;
    // The name of a `typedef` of C stands behind its body.
    if !short.contains(&symbol.name) {
        signature = format!("{} ({signature})", survey.quoter.code(&symbol.name)?);
    }
    let outer = definition.owner.as_deref().filter(|_| symbol.receiver().is_none());
    let of = outer.and_then(|outer| survey.quoter.code(outer)).map(|outer| format!(" of {outer}"));
    let lines = SourceLines { path: file.path.clone(), start: symbol.line, end: symbol.line_end };
    let mut text = format!("{signature}{} {}", of.unwrap_or_default(), place(&lines));
    let said = docs.map(|docs| cut_at_word(first_sentence(&docs), SENTENCE)).filter(|said| is_prose(said));
    let said = said.map(|said| without_own_name(&said, &symbol.name, &file.path));
    let purpose = survey.purpose_of(&FactSubject::Repository).map(|(text, _)| first_sentence(text));
    // The documentation of a parser of arguments is the text of its program's help.
    let said = said.filter(|said| !only_repeats(said, &symbol.name) && purpose != Some(said.as_str()));
    let said = said.and_then(|said| survey.quoter.prose(&said));
    let has_members = symbol.kind.is_type() && !is_template(survey, &lines);
    let members = members(survey, &file.path, symbol).filter(|_| has_members).map(|(_, members)| members);
    // Of a type inside another one, the fields alone say little; so they do of migrations and the like.
    let is_side = definition.owner.is_some() || file.score < 0.0;
    let excerpts = definition.body.code.excerpts(EXCERPTS);
    let code = excerpts.last().and_then(|excerpt| survey.quoter.code(&excerpt.text));
    // A function without documentation is told if its code decides something, or is a step of the work.
    let decides = definition.body.condition_weight > 0.0 || definition.body.names.len() >= STEP;
    let is_told = said.is_some() || members.is_some() && !is_side || code.is_some() && decides;
    // A sentence that ends in a colon announces a list, which is left out.
    text.extend(said.map(|said| match said.strip_suffix(':') {
        Some(open) => format!(": {open}…"),
        None => format!(": {}.", said.trim_end_matches('.')),
    }));
    text.extend(members.map(|members| format!(" {members}.")));
    let condition = definition.condition.as_deref().and_then(|condition| survey.quoter.code(condition));
    text.extend(condition.map(|condition| format!(" Only if {condition}.")));
    text.extend(code.map(|code| format!(" Code: {code}")));
    Some((text, is_told))
}

/// Returns true if the lines have marks of a template engine (`{% … %}`), so that they are no plain
/// code.
fn is_template(survey: &Survey<'_>, lines: &SourceLines) -> bool {
    let text = survey.code.text(&lines.path).map(|(_, text)| text).unwrap_or_default();
    let mut own = text.lines().take(lines.end).skip(lines.start.saturating_sub(1));
    own.any(|line| line.contains("{%") && line.contains("%}"))
}

/// Returns true for a file whose name marks it as a mock for tests.
fn is_mock(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    name.starts_with("mock_") || name.ends_with("_mock")
}

/// Words of documentation that only name the kind of a definition.
const KINDS: &[&str] = &[
    "a",
    "an",
    "the",
    "this",
    "is",
    "struct",
    "structure",
    "class",
    "type",
    "interface",
    "enum",
    "enumeration",
    "object",
    "function",
    "method",
    "default",
    "copy",
    "constructor",
    "destructor",
    "of",
    "for",
    "returns",
    "sets",
    "gets",
    "instance",
    "new",
    "helper",
    "utility",
];

/// Returns true for documentation that repeats only name and kind (`Default constructor`), or begins
/// with `See `.
fn only_repeats(said: &str, name: &str) -> bool {
    if said.starts_with("See ") {
        return true;
    }
    let name = name.to_lowercase().replace('_', "");
    let mut words = said.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.all(|word| {
        let word = word.to_lowercase().replace('_', "");
        KINDS.contains(&word.as_str()) || name.contains(&word)
    })
}

/// Returns true for a short method with a name such as `get_x`, `setX` or `is_x`.
fn is_accessor(definition: &MapDefinition<'_>) -> bool {
    let name = definition.symbol.name.as_str();
    let is_short = definition.symbol.line_end.saturating_sub(definition.symbol.line) < ACCESSOR_LINES;
    let rest = ["get", "Get", "set", "Set", "is", "Is"].iter().find_map(|start| name.strip_prefix(start));
    let is_named = rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'));
    definition.owner.is_some() && is_named && is_short
}
