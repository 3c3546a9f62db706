//! Where things are: the most central files with their most important definitions.

use std::collections::HashMap;

use super::super::central::{CentralFile, root};
use super::super::draft::{Draft, LineId, Section};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{cut_at_word, falling, first_sentence, lines_of};
use crate::facts::{FactSubject, purpose};
use crate::repo::{FileOutline, SymbolInfo, SymbolKind, Visibility};

/// Longest signature, documentation and list of members, in characters.
const SIGNATURE: usize = 120;
const SENTENCE: usize = 180;
const MEMBERS: usize = 200;

/// A definition that the map may show.
struct Definition<'o> {
    symbol: &'o SymbolInfo,
    /// The type around it.
    owner: Option<String>,
    score: f64,
}

pub(super) fn add(survey: &Survey, draft: &mut Draft) {
    let mut at = 0;
    for file in &survey.central {
        let Some(outline) = survey.outlines.get(&file.path) else { continue };
        if add_file(survey, draft, file, outline, falling(75.0, at, 10.0)) {
            at += 1;
        }
    }
}

/// Adds a file. Returns false if it has neither a definition nor a purpose.
fn add_file(
    survey: &Survey,
    draft: &mut Draft,
    file: &CentralFile,
    outline: &FileOutline,
    rank: f64,
) -> bool {
    let mut definitions = definitions(file, outline);
    let stated = survey.purpose_of(&FactSubject::File(file.path.clone()));
    let said = stated.and_then(|(text, source)| {
        Some(format!(": {} {}", survey.quoter.prose(first_sentence(text))?, place(source)))
    });
    if definitions.is_empty() && said.is_none() {
        return false;
    }
    let users = match file.users {
        0 => String::new(),
        1 => " (1 file needs it)".to_owned(),
        users => format!(" ({users} files need it)"),
    };
    let heading = format!("- **{}**{users}{}", path_span(&file.path), said.unwrap_or_default());
    let parent = draft.add(Section::Map, rank, "files", heading);
    // The position among the best decides the rank; the text is in the order of the file.
    let mut order: Vec<usize> = (0..definitions.len()).collect();
    order.sort_by(|a, b| definitions[*b].score.total_cmp(&definitions[*a].score).then(a.cmp(b)));
    for (position, at) in order.into_iter().enumerate() {
        definitions[at].score = falling(rank * 0.95, position, 3.5);
    }
    add_definitions(survey, draft, file, parent, &definitions);
    true
}

/// Adds definitions in the order of the file: methods below their type.
fn add_definitions(
    survey: &Survey,
    draft: &mut Draft,
    file: &CentralFile,
    parent: LineId,
    definitions: &[Definition],
) {
    let mut owners: HashMap<&str, LineId> = HashMap::new();
    for definition in definitions {
        let Definition { symbol, owner, score } = definition;
        let above = owner.as_deref().and_then(|owner| owners.get(owner).copied());
        let (indent, above) = match above {
            Some(above) => ("    ", above),
            None => ("  ", parent),
        };
        let outer = owner.as_deref().filter(|_| indent.len() == 2);
        let Some(text) = definition_line(survey, file, symbol, outer) else { continue };
        let id = draft.add_below(above, *score, ("definitions", 1), format!("{indent}- {text}"));
        if symbol.kind.is_type() {
            owners.insert(&symbol.name, id);
            if let Some(members) = members(survey, symbol) {
                draft.add_below(id, score * 0.6, ("lists of members", 1), format!("{indent}  - {members}"));
            }
        }
    }
}

/// Returns `L5-9 signature: documentation`.
fn definition_line(
    survey: &Survey,
    file: &CentralFile,
    symbol: &SymbolInfo,
    outer: Option<&str>,
) -> Option<String> {
    let signature = survey.quoter.code(&short_signature(&symbol.signature))?;
    let of = outer
        .and_then(|outer| survey.quoter.code(outer))
        .map(|outer| format!(" of {outer}"))
        .unwrap_or_default();
    let mut text = format!("{} {signature}{of}", lines_of(symbol.line, symbol.line_end));
    let subject = FactSubject::Symbol { path: file.path.clone(), name: symbol.name.clone() };
    let stated = survey.purpose_of(&subject).filter(|_| outer.is_none()).map(|(text, _)| text.to_owned());
    let said = stated.or_else(|| symbol.docstring.as_deref().and_then(purpose));
    let said = said.map(|said| cut_at_word(first_sentence(&said), SENTENCE));
    if let Some(said) = said.and_then(|said| survey.quoter.prose(&said)) {
        text.push_str(&format!(": {said}"));
    }
    Some(text)
}

/// Returns the fields or the variants of a type.
fn members(survey: &Survey, symbol: &SymbolInfo) -> Option<String> {
    let mut shown = String::new();
    let values =
        symbol.children.iter().filter(|child| matches!(child.kind, SymbolKind::Field | SymbolKind::Variant));
    let mut last = "";
    for child in values {
        let signature = child.signature.trim_end_matches([',', ';']);
        if signature == last {
            continue;
        }
        last = signature;
        if shown.chars().count() + signature.chars().count() > MEMBERS {
            shown.push_str("; …");
            break;
        }
        if !shown.is_empty() {
            shown.push_str("; ");
        }
        shown.push_str(signature.trim_start_matches("pub(crate) ").trim_start_matches("pub ").trim());
    }
    let noun = if symbol.children.iter().any(|child| child.kind == SymbolKind::Variant) {
        "Variants"
    } else {
        "Fields"
    };
    (!shown.is_empty()).then(|| survey.quoter.code(&shown)).flatten().map(|shown| format!("{noun}: {shown}"))
}

/// Returns a signature without its visibility, at most 120 characters.
fn short_signature(signature: &str) -> String {
    let mut text = signature.trim().trim_end_matches(['{', ':', ';', '=']).trim();
    for start in ["pub(crate) ", "pub(super) ", "pub ", "public ", "export default ", "export "] {
        text = text.strip_prefix(start).unwrap_or(text);
    }
    if text.chars().count() <= SIGNATURE {
        return text.to_owned();
    }
    let head: String = text.chars().take(SIGNATURE).collect();
    format!("{}…", head.rsplit_once([' ', ',']).map_or(head.as_str(), |(head, _)| head))
}

/// Returns the definitions of a file that are worth a line, in order.
fn definitions<'o>(file: &CentralFile, outline: &'o FileOutline) -> Vec<Definition<'o>> {
    fn collect<'o>(
        symbols: &'o [SymbolInfo],
        owner: Option<&str>,
        file: &CentralFile,
        found: &mut Vec<Definition<'o>>,
    ) {
        for symbol in symbols.iter().filter(|symbol| !is_test(symbol)) {
            let owner = symbol.receiver().or(owner).map(str::to_owned);
            match symbol.kind {
                SymbolKind::Module | SymbolKind::Namespace => {
                    collect(&symbol.children, owner.as_deref(), file, found)
                }
                SymbolKind::Impl => {
                    let name = symbol.name.split(['<', ' ']).next().unwrap_or(&symbol.name);
                    // Implementations of traits are found by the trait.
                    if !symbol.signature.contains(" for ") {
                        collect(&symbol.children, Some(name), file, found);
                    }
                }
                SymbolKind::Field | SymbolKind::Variant => {}
                kind => {
                    let score = score(file, symbol, owner.is_some());
                    found.push(Definition { symbol, owner, score });
                    if kind.is_type() {
                        collect(&symbol.children, Some(&symbol.name), file, found);
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    collect(&outline.symbols, None, file, &mut found);
    found.retain(|definition| definition.score > 0.0);
    found
}

/// Returns the weight of a definition: named elsewhere, documented, long, a type.
fn score(file: &CentralFile, symbol: &SymbolInfo, is_member: bool) -> f64 {
    let named = file.named_in.get(&symbol.name).copied().unwrap_or_default();
    let lines = symbol.line_end.saturating_sub(symbol.line) + 1;
    #[allow(clippy::cast_precision_loss, reason = "files have few lines")]
    let length = (lines as f64).ln() / 3.0;
    let kind = match symbol.kind {
        kind if kind.is_type() => 1.2,
        SymbolKind::Function | SymbolKind::Macro => 0.7,
        SymbolKind::Method => 0.3,
        _ => 0.1,
    };
    // Names that many types have are named for other reasons.
    let common = [
        "new",
        "get",
        "set",
        "init",
        "constructor",
        "__init__",
        "toString",
        "default",
        "fmt",
        "String",
        "run",
        "main",
    ];
    let named = if common.contains(&symbol.name.as_str()) { named.min(1) } else { named };
    let is_bare =
        symbol.kind.is_value() && (symbol.docstring.is_none() && !is_constant(&symbol.name) || is_member);
    if is_bare {
        return 0.0;
    }
    let points = root(named) + length + kind;
    points
        + if symbol.docstring.is_some() { 0.6 } else { 0.0 }
        + if symbol.visibility == Visibility::Public { 0.4 } else { 0.0 }
}

fn is_constant(name: &str) -> bool {
    name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

fn is_test(symbol: &SymbolInfo) -> bool {
    symbol.decorators.iter().any(|mark| mark.contains("cfg(test)") || mark.ends_with("test]"))
}
