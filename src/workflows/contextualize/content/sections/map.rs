//! The map of the code: the most central files with their most important definitions.

use std::collections::{HashMap, HashSet};

use super::super::central::CentralFile;
use super::super::draft::{ContextSection, LineDraft, LineId};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::definitions::{MapDefinition, definitions};
use super::signatures::{members, short_signature};
use super::{cut_at_word, falling, first_sentence, is_prose, lines_of};
use crate::facts::FactSubject;
use crate::repo::{FileOutline, SymbolInfo};
use crate::workflows::survey::documentation::{documentation, qualified, without_own_name};

/// Longest documentation, in characters.
const SENTENCE: usize = 170;
/// Maximum of constants on the line of a file, and of definitions that are named without more.
const CONSTANTS: usize = 8;
const NAMED: usize = 8;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut at = 0;
    for file in &survey.central {
        let Some(outline) = survey.outlines.get(&file.path) else { continue };
        if add_file(survey, draft, file, outline, falling(78.0, at, 9.0)) {
            at += 1;
        }
    }
}

/// Adds a file. Returns false if it has neither a definition nor a purpose.
fn add_file(
    survey: &Survey,
    draft: &mut LineDraft,
    file: &CentralFile,
    outline: &FileOutline,
    rank: f64,
) -> bool {
    let mut found = definitions(survey, file, outline);
    let stated = survey.purpose_of(&FactSubject::File(file.path.clone()));
    let said = stated.and_then(|(text, source)| {
        Some(format!(": {} {}", survey.quoter.prose(first_sentence(text))?, place(source)))
    });
    if found.is_empty() && said.is_none() {
        return false;
    }
    let heading = format!("- **{}**", path_span(&file.path));
    let parent = match said {
        Some(said) => draft.add(ContextSection::Map, rank, "files", format!("{heading}{said}")),
        None => draft.add_heading(ContextSection::Map, format!("{heading}:")),
    };
    let constants: Vec<MapDefinition>;
    (constants, found) = found.into_iter().partition(|definition| is_value(definition));
    add_constants(survey, draft, parent, &constants, rank * 0.75);
    // The position among the best decides the rank; the text is in the order of the file.
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|a, b| found[*b].score.total_cmp(&found[*a].score).then(a.cmp(b)));
    for (position, at) in order.into_iter().enumerate() {
        found[at].score = falling(rank * 0.95, position, 3.5);
    }
    let all = add_definitions(survey, draft, file, parent, &found);
    if found.len() > 1 {
        draft.add_rest((ContextSection::Map, Some(parent)), rank * 0.5, &all, NAMED);
    }
    true
}

fn is_value(definition: &MapDefinition) -> bool {
    definition.owner.is_none() && definition.symbol.kind.is_value() && definition.symbol.docstring.is_none()
}

/// Lists constants with their values on one line.
fn add_constants(
    survey: &Survey,
    draft: &mut LineDraft,
    parent: LineId,
    constants: &[MapDefinition],
    rank: f64,
) {
    let with_value = constants.iter().filter(|it| has_literal(&it.symbol.signature));
    let shown: Vec<String> = with_value
        .filter_map(|it| {
            let signature = survey.quoter.code(&short_signature(&it.symbol.signature, &it.symbol.name))?;
            (signature.len() < 70)
                .then(|| format!("{signature} {}", lines_of(it.symbol.line, it.symbol.line_end)))
        })
        .take(CONSTANTS)
        .collect();
    if !shown.is_empty() {
        let text = format!("  - Constants: {}", shown.join(", "));
        draft.add_below(parent, rank, ("constants", shown.len()), text);
    }
}

/// Returns true if the value of a constant tells something: a number, a text, a duration.
fn has_literal(signature: &str) -> bool {
    let Some((name, value)) = signature.split_once('=') else { return false };
    let value = value.trim();
    let is_literal = value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-'))
        || ["time.", "Duration::", "true", "false", "True", "False"]
            .iter()
            .any(|start| value.starts_with(start));
    is_literal && !matches!(value, "\"" | "'" | "-") && !name.trim_start().starts_with("__")
}

/// Adds definitions in the order of the file, methods below their type. Returns the lines.
fn add_definitions(
    survey: &Survey,
    draft: &mut LineDraft,
    file: &CentralFile,
    parent: LineId,
    definitions: &[MapDefinition],
) -> Vec<LineId> {
    let mut all = Vec::new();
    let mut owners: HashMap<&str, LineId> = HashMap::new();
    for definition in in_groups(definitions) {
        let MapDefinition { symbol, owner, score } = definition;
        let above = owner.as_deref().and_then(|owner| owners.get(owner).copied());
        let (indent, above) = match above {
            Some(above) => ("    ", above),
            None => ("  ", parent),
        };
        let outer = owner.as_deref().filter(|_| indent.len() == 2);
        let docs = documentation(survey, file, symbol, owner.as_deref());
        let Some(text) = definition_line(survey, file, symbol, outer, docs.as_deref()) else { continue };
        let id = draft.add_below(above, *score, ("definitions", 1), format!("{indent}- {text}"));
        // Behind the summary of a documentation with tags come the texts of the tags.
        let has_tags = symbol.docstring.as_deref().is_some_and(|docs| docs.contains(['<', '@', '\\']));
        let more =
            docs.as_deref().filter(|_| !has_tags).map(|docs| docs[first_sentence(docs).len()..].trim());
        if let Some(more) = more.filter(|more| is_prose(more)).and_then(|more| survey.quoter.prose(more)) {
            draft.add_below(id, score * 0.25, ("", 1), format!("{indent}  - {more}"));
        }
        all.push(id);
        if let Some(name) = survey.quoter.code(&qualified(owner.as_deref(), &symbol.name)) {
            draft.set_short(id, format!("{name} L{}", symbol.line));
        }
        if symbol.kind.is_type() {
            owners.insert(&symbol.name, id);
            if let Some((count, members)) = members(survey, symbol) {
                let text = format!("{indent}  - {members}");
                draft.add_below(id, score * 0.6, ("fields and variants", count), text);
            }
        }
    }
    all
}

/// Returns the definitions of a file with the members of a type directly behind it.
fn in_groups<'d, 'o>(definitions: &'d [MapDefinition<'o>]) -> Vec<&'d MapDefinition<'o>> {
    let mut members: HashMap<&str, Vec<&MapDefinition>> = HashMap::new();
    let types: HashSet<&str> =
        definitions.iter().filter(|it| it.symbol.kind.is_type()).map(|it| it.symbol.name.as_str()).collect();
    let mut outer = Vec::new();
    for definition in definitions {
        match definition.owner.as_deref().filter(|owner| types.contains(owner)) {
            Some(owner) => members.entry(owner).or_default().push(definition),
            None => outer.push(definition),
        }
    }
    let mut found = Vec::with_capacity(definitions.len());
    for definition in outer {
        found.push(definition);
        if definition.symbol.kind.is_type() {
            push_members(&definition.symbol.name, &mut members, &mut found);
        }
    }
    found
}

fn push_members<'d, 'o>(
    name: &str,
    members: &mut HashMap<&'d str, Vec<&'d MapDefinition<'o>>>,
    found: &mut Vec<&'d MapDefinition<'o>>,
) {
    for definition in members.remove(name).unwrap_or_default() {
        found.push(definition);
        if definition.symbol.kind.is_type() {
            push_members(&definition.symbol.name, members, found);
        }
    }
}

/// Returns `L5-9 signature: first sentence of the documentation`.
fn definition_line(
    survey: &Survey,
    file: &CentralFile,
    symbol: &SymbolInfo,
    outer: Option<&str>,
    docs: Option<&str>,
) -> Option<String> {
    let signature = survey.quoter.code(&short_signature(&symbol.signature, &symbol.name))?;
    // A method of Go has its type in the signature.
    let outer = outer.filter(|_| symbol.receiver().is_none()).and_then(|outer| survey.quoter.code(outer));
    let of = outer.map(|outer| format!(" of {outer}")).unwrap_or_default();
    let mut text = format!("{} {signature}{of}", lines_of(symbol.line, symbol.line_end));
    let said = docs.map(|docs| cut_at_word(first_sentence(docs), SENTENCE)).filter(|said| is_prose(said));
    let said = said.map(|said| without_own_name(&said, &symbol.name, &file.path));
    if let Some(said) = said.and_then(|said| survey.quoter.prose(&said)) {
        text.extend([format!(": {said}")]);
    }
    Some(text)
}
