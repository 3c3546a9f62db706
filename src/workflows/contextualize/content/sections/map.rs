//! The map of the code: the most central files with their most important definitions.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::super::central::{CentralFile, root};
use super::super::draft::{ContextSection, LineDraft, LineId};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::constants::{add_constants, is_literal_define};
use super::definitions::{MapDefinition, STEP, definitions, qualified};
use super::gists::{DefinitionPlace, ExcerptLine, NameTable, excerpt_lines, function_line};
use super::members::{embedded_types, members};
use super::script::script_excerpt;
use super::signatures::{short_signature, short_value};
use super::systems::is_of_other_system;
use super::wrappers::groups;
use super::{cut_at_word, falling, first_sentence, is_prose, lines_of, without_begun};
use crate::facts::FactSubject;
use crate::repo::{SymbolInfo, SymbolKind, Visibility};
use crate::workflows::survey::documentation::{documentation, repeats_name, without_own_name};
use crate::workflows::survey::field_docs::field_docs;

/// Longest documentation of a type, in characters.
const SENTENCE: usize = 120;
/// Longest text of a list or a table, in characters.
const TABLE: usize = 150;
/// Number of the most important definitions whose excerpts may be long.
const LONGEST: usize = 60;
/// Lengths of the excerpts of a body, in bytes: of the most important functions, and of others.
const LONG: &[usize] = &[200, 400, 900, 1_400, 2_400];
const SHORT: &[usize] = &[200, 400, 900];
/// Maximum number of definitions that are named without more.
const NAMED: usize = 16;
/// Maximum of methods that the line of an interface names.
const MEMBERS: usize = 8;

/// Rank of the most important definition.
const BEST: f64 = 76.0;
/// Position at which the rank of a definition is half of that of the first one.
const HALF: f64 = 30.0;
/// Deepest indentation of a definition below others.
const INDENTED: usize = 4;
/// Maximum number of definitions of a file whose functions all have a line of their own.
const FEW: usize = 6;
/// Ends of the names of types whose fields a user sets.
const OPTIONS: &[&str] = &["Options", "Config", "Settings", "Params", "Opts", "Configuration", "Props"];
/// Largest distance from an entry that raises a function.
const DEPTH: usize = 5;

/// A central file with the definitions that the map may show; `constants` are shown on one common line.
pub(super) struct MapFile<'s> {
    pub(super) file: &'s CentralFile,
    pub(super) definitions: Vec<MapDefinition<'s>>,
    constants: Vec<MapDefinition<'s>>,
}

impl MapFile<'_> {
    /// Returns what the importance of the file adds to the scores of its definitions.
    fn score(&self) -> f64 {
        let of_other_system = if is_of_other_system(&self.file.path) { 2.5 } else { 0.0 };
        0.25 * self.file.score.clamp(-4.0, 8.0) - of_other_system
    }
}

/// Returns the central files with an outline, each with its definitions and their ranks.
pub(super) fn read<'s>(survey: &'s Survey) -> Vec<MapFile<'s>> {
    let mut files: Vec<MapFile> = Vec::new();
    for file in &survey.central {
        let Some(outline) = survey.outlines.get(&file.path) else { continue };
        let mut all = definitions(survey, file, outline);
        for definition in &mut all {
            if let Some((_, weight)) = definition.table {
                definition.score = weight;
            }
        }
        let heads = group_heads(&all);
        let (constants, definitions) = all
            .into_iter()
            .partition(|definition| is_value(definition) || heads.contains(&definition.symbol.line));
        files.push(MapFile { file, definitions, constants });
    }
    raise_called(survey, &mut files);
    rank(&mut files);
    files
}

/// Raises the scores of functions that others call by a name that only one function has, and of functions a
/// few calls away from an entry point (without one: from functions that the README names).
fn raise_called(survey: &Survey, files: &mut [MapFile]) {
    let names = NameTable::of(files);
    let mut starts: Vec<DefinitionPlace> = Vec::new();
    let mut mentioned: Vec<DefinitionPlace> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        for (inner, definition) in file.definitions.iter().enumerate() {
            let name = definition.symbol.name.as_str();
            let is_function = definition.symbol.kind.is_callable();
            if is_function && survey.calls.is_start(name) && definition.owner.is_none() {
                starts.push((at, inner));
            } else if is_function
                && definition.owner.as_deref() != Some(name)
                && survey.named_in_readme.contains(name)
            {
                mentioned.push((at, inner));
            }
        }
    }
    // A library begins where its README does.
    let mut queue: VecDeque<DefinitionPlace> = if starts.is_empty() { mentioned } else { starts }.into();
    let mut callers: HashMap<DefinitionPlace, usize> = HashMap::new();
    for definition in files.iter().flat_map(|file| &file.definitions) {
        for place in definition.body.names.iter().filter_map(|call| names.only(call)) {
            *callers.entry(place).or_default() += 1;
        }
    }
    let mut depths: HashMap<DefinitionPlace, usize> = queue.iter().map(|place| (*place, 0)).collect();
    while let Some(place) = queue.pop_front() {
        let depth = depths[&place] + 1;
        let calls = &files[place.0].definitions[place.1].body.names;
        for next in calls.iter().filter_map(|call| names.only(call)).filter(|_| depth <= DEPTH) {
            depths.entry(next).or_insert_with(|| {
                queue.push_back(next);
                depth
            });
        }
    }
    let raised: Vec<(DefinitionPlace, f64)> = callers
        .keys()
        .chain(depths.keys())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|place| {
            let definition = &files[place.0].definitions[place.1];
            let known = root(survey.calls.callers_of(&definition.qualified()));
            let more = (root(callers.get(place).copied().unwrap_or_default().min(16)) - known).max(0.0);
            let path = &files[place.0].file.path;
            let is_near = survey.calls.depth_of(path, &definition.qualified()).is_some();
            #[allow(clippy::cast_precision_loss, reason = "at most the largest depth")]
            let nearness =
                depths.get(place).filter(|_| !is_near).map_or(0.0, |depth| 1.4 - 0.3 * *depth as f64);
            (*place, 0.3 * more + nearness.max(0.0))
        })
        .collect();
    for ((at, inner), more) in raised {
        files[at].definitions[inner].score += more;
    }
}

pub(super) fn add(survey: &Survey, files: &[MapFile], draft: &mut LineDraft) {
    let names = NameTable::of(files);
    let mut at = 0;
    for file in files {
        if add_file((survey, &names), draft, file, falling(78.0, at, 9.0)) {
            at += 1;
        }
    }
}

/// Replaces the scores of all definitions by ranks, in their common order; the score of the file counts too.
fn rank(files: &mut [MapFile]) {
    let mut order: Vec<(f64, usize, usize)> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let raise = file.score();
        order.extend(file.definitions.iter().enumerate().map(|(inner, it)| (it.score + raise, at, inner)));
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (position, (_, at, inner)) in order.into_iter().enumerate() {
        files[at].definitions[inner].score = falling(BEST, position, HALF);
    }
}

/// Adds a file with its purpose and definitions to the section. Returns false, and adds nothing, if it has
/// neither.
fn add_file(
    (survey, names): (&Survey, &NameTable),
    draft: &mut LineDraft,
    file: &MapFile,
    rank: f64,
) -> bool {
    let MapFile { file, definitions, constants } = file;
    let stated = survey.purpose_of(&FactSubject::File(file.path.clone()));
    let said = stated.and_then(|(text, source)| {
        Some(format!(": {} {}", survey.quoter.prose(first_sentence(text))?, place(source)))
    });
    if definitions.is_empty() && constants.is_empty() && said.is_none() {
        return false;
    }
    let heading = format!("- **{}**", path_span(&file.path));
    let parent = match said {
        Some(said) => draft.add(ContextSection::Map, rank, "files", format!("{heading}{said}")),
        None => draft.add_heading(ContextSection::Map, format!("{heading}:")),
    };
    let part = if is_of_other_system(&file.path) { 0.2 } else { 0.8 };
    add_constants(survey, &file.path, draft, parent, constants, rank * part);
    if let Some((count, text)) = script_excerpt(survey, file) {
        draft.add_below(
            parent,
            rank * part * 0.7,
            ("statements", count),
            format!("  - Outside of functions: {text}"),
        );
    }
    let all = add_definitions((survey, names), draft, file, parent, definitions);
    if definitions.len() > 1 {
        let best = definitions.iter().map(|it| it.score).fold(0.0, f64::max);
        draft.add_rest((ContextSection::Map, Some(parent)), best * 0.8, &all, NAMED);
    }
    true
}

fn is_value(definition: &MapDefinition) -> bool {
    definition.owner.is_none()
        && (definition.symbol.kind.is_value() || is_literal_define(definition.symbol))
        && definition
            .symbol
            .docstring
            .as_deref()
            .is_none_or(|docs| repeats_name(first_sentence(docs), &definition.symbol.name))
        && definition.table.is_none()
}

/// Returns the lines of the documented values that a value without documentation directly follows: one
/// comment for the whole group.
fn group_heads(definitions: &[MapDefinition]) -> HashSet<usize> {
    let is_head = |pair: &&[MapDefinition]| {
        let (first, second) = (&pair[0], &pair[1]);
        let is_plain =
            |it: &MapDefinition| it.owner.is_none() && it.symbol.kind.is_value() && it.table.is_none();
        is_plain(first) && is_value(second) && second.symbol.line == first.symbol.line_end + 1
    };
    definitions.windows(2).filter(is_head).map(|pair| pair[0].symbol.line).collect()
}

/// Adds the definitions of a file below `parent`, methods below their type. Returns the ids of their lines.
fn add_definitions(
    (survey, table): (&Survey, &NameTable),
    draft: &mut LineDraft,
    file: &CentralFile,
    parent: LineId,
    definitions: &[MapDefinition],
) -> Vec<LineId> {
    let is_side = is_of_other_system(&file.path);
    let mut all = Vec::new();
    // With the depth of their lines.
    let mut owners: HashMap<&str, Vec<(LineId, usize, &SymbolInfo)>> = HashMap::new();
    // In a file with one type its name tells nothing.
    let names: HashSet<&str> = definitions.iter().filter_map(|it| it.owner.as_deref()).collect();
    let wrappers = groups(survey, file, definitions);
    for definition in in_groups(definitions) {
        let MapDefinition { symbol, owner, score, .. } = definition;
        let group = wrappers.iter().find(|group| group.has(definition));
        if group.is_some_and(|group| !group.is_first(definition)) {
            continue;
        }
        let known =
            owner.as_deref().and_then(|owner| owners.get(owner)).map(Vec::as_slice).unwrap_or_default();
        // Classes of C# with other type parameters have the same name.
        let around = known.iter().find(|(.., outer)| is_within(outer, symbol));
        let above = around.or_else(|| known.iter().find(|(.., outer)| may_contain(outer, symbol))).copied();
        let (above, depth) =
            above.map_or((parent, 1), |(above, depth, _)| (above, (depth + 1).min(INDENTED)));
        let indent = "  ".repeat(depth);
        if let Some(group) = group {
            let rank = group.best.score * if is_side { 0.3 } else { 0.6 };
            let text = format!("{indent}- {}", group.text);
            draft.add_below(above, rank, ("definitions", group.count()), text);
            continue;
        }
        let docs = documentation(survey, file, symbol, owner.as_deref());
        let is_function = symbol.kind.is_callable();
        let text = if is_function {
            function_line((survey, table), file, definition, depth == 1, docs.as_deref())
        } else {
            let table = definition.table.as_ref().map(|(text, _)| text.as_str());
            definition_line(survey, file, symbol, table, docs.as_deref())
        };
        let Some(text) = text else { continue };
        // A name without more is told among the others.
        let is_bare = definition.table.is_none() && ![": ", "→", ";"].iter().any(|part| text.contains(part));
        let lengths = if *score >= falling(BEST, LONGEST, HALF) { LONG } else { SHORT };
        let excerpts = excerpt_lines(survey, definition, lengths);
        let has_excerpt = !excerpts.is_empty();
        let is_entry = is_function && owner.is_none() && survey.calls.is_start(&symbol.name);
        // A function whose code is told brings its line with it.
        let distance = survey.calls.depth_of(&file.path, &definition.qualified());
        let is_near = distance.is_some_and(|distance| distance <= 1);
        let weight = match docs {
            _ if is_bare && !has_excerpt => 0.3,
            _ if is_entry => 2.0,
            _ if !is_function => 0.9,
            Some(_) => 0.75,
            None if is_step(survey, file, definition) => 0.75,
            None => 0.5,
        };
        let weight = if is_side { 0.5 * weight } else { weight };
        let id = draft.add_below(above, score * weight, ("definitions", 1), format!("{indent}- {text}"));
        if let Some(text) = definition.contract.as_deref().and_then(|text| survey.quoter.prose(text)) {
            let part = if symbol.visibility == Visibility::Public { 0.6 } else { 0.3 };
            draft.add_below(id, score * part, ("further documentation", 1), format!("{indent}  - {text}"));
        }
        let mut shorter = None;
        for ExcerptLine { count, rank, text } in excerpts {
            let rank = if is_side { 0.5 * rank } else { rank };
            let rank = if is_entry || is_near { 1.3 * rank } else { rank };
            let (counted, text) = (("statements", count), format!("{indent}  - {text}"));
            shorter = Some(match shorter {
                None => draft.add_below(id, rank, counted, text),
                Some(shorter) => draft.add_longer(shorter, rank, counted, text),
            });
        }
        all.push(id);
        let of = owner.as_deref().filter(|_| names.len() > 1);
        if let Some(name) = survey.quoter.code(&qualified(of, &symbol.name)) {
            draft.set_short(id, format!("{name} L{}", symbol.line));
            if is_bare
                && !has_excerpt
                && is_function
                && definition.contract.is_none()
                && definitions.len() > FEW
            {
                draft.set_only_named(id);
            }
        }
        // A constructor has the name of its type.
        if symbol.kind.is_type() {
            owners.entry(&symbol.name).or_default().insert(0, (id, depth, symbol));
        } else if is_function {
            owners.entry(&symbol.name).or_default().push((id, depth, symbol));
        }
        if symbol.kind.is_type()
            && let Some((count, members)) = members(survey, &file.path, symbol)
        {
            let text = format!("{indent}  - {members}");
            #[allow(clippy::cast_precision_loss, reason = "a type has few members")]
            let several = (count as f64).powf(0.25);
            // Its fields are what a user may set.
            let is_of_options = OPTIONS.iter().any(|end| symbol.name.ends_with(end));
            let several = if is_of_options { 2.0 * several } else { several };
            if let Some((count, told)) = field_docs(survey, &file.path, symbol).filter(|_| is_of_options) {
                let text = format!("{indent}  - {told}");
                draft.add_below(id, score * 0.9, ("documented fields", count), text);
            }
            draft.add_below(id, score * 0.5 * several, ("lists of fields or variants", 1), text);
        }
    }
    all
}

/// Returns the definitions in the order of the file, but members directly behind their type or function.
fn in_groups<'d, 'o>(definitions: &'d [MapDefinition<'o>]) -> Vec<&'d MapDefinition<'o>> {
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, definition) in definitions.iter().enumerate().filter(|(_, it)| is_around(it)) {
        named.entry(&definition.symbol.name).or_default().push(at);
    }
    let mut members: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (at, definition) in definitions.iter().enumerate() {
        let named = definition.owner.as_deref().and_then(|owner| named.get(owner));
        let outer = named.and_then(|named| outer_of(definitions, named, at));
        members.entry(outer).or_default().push(at);
    }
    let mut found = Vec::with_capacity(definitions.len());
    let mut open: Vec<usize> = members.remove(&None).unwrap_or_default();
    open.reverse();
    while let Some(at) = open.pop() {
        found.push(&definitions[at]);
        open.extend(members.remove(&Some(at)).unwrap_or_default().into_iter().rev());
    }
    found
}

/// Returns which of the definitions `named` has the definition at index `at` as its member: the innermost one around it, else the first
/// type.
fn outer_of(definitions: &[MapDefinition], named: &[usize], at: usize) -> Option<usize> {
    let symbol = |at: usize| definitions[at].symbol;
    let others = named.iter().copied().filter(|outer| *outer != at);
    let around = others.clone().filter(|outer| is_within(symbol(*outer), symbol(at)));
    let mut types = others.filter(|outer| symbol(*outer).kind.is_type());
    around.max_by_key(|outer| symbol(*outer).line).or_else(|| types.next())
}

/// Returns true for a function that calls so many others that its calls tell how the work goes.
fn is_step(survey: &Survey, file: &CentralFile, definition: &MapDefinition) -> bool {
    let lines = (definition.symbol.line, definition.symbol.line_end);
    survey.calls.calls_of(&file.path, &definition.qualified(), lines).len() >= STEP
}

/// Returns true unless a definition cannot be a member of another one with the name of its owner. A function has only what stands
/// inside it: in Ruby a method and a module may have one name.
fn may_contain(outer: &SymbolInfo, inner: &SymbolInfo) -> bool {
    outer.kind.is_type() || is_within(outer, inner)
}

fn is_within(outer: &SymbolInfo, inner: &SymbolInfo) -> bool {
    (outer.line..=outer.line_end).contains(&inner.line)
}

/// Returns true for a type or a function: other definitions can stand inside it.
fn is_around(definition: &MapDefinition) -> bool {
    definition.symbol.kind.is_type() || definition.symbol.kind.is_callable()
}

/// Returns the line about a type or value, `L5-9 signature: docs`, with the methods of an interface; `table`
/// replaces the signature.
fn definition_line(
    survey: &Survey,
    file: &CentralFile,
    symbol: &SymbolInfo,
    table: Option<&str>,
    docs: Option<&str>,
) -> Option<String> {
    let whole = table.map(|table| short_value(table, TABLE));
    let signature = whole.unwrap_or_else(|| short_signature(&symbol.signature, &symbol.name));
    let shows_name = signature.contains(&symbol.name);
    let signature = survey.quoter.code(&signature)?;
    let mut text = format!("{} {signature}", lines_of(symbol.line, symbol.line_end));
    // The name of a `typedef` of C stands behind its body.
    if symbol.kind.is_type() && !shows_name {
        text.extend([format!(" {}", survey.quoter.code(&symbol.name)?)]);
    }
    if let Some(said) = docs.and_then(|docs| said(survey, file, symbol, docs, SENTENCE)) {
        text.extend([format!(": {said}")]);
    }
    if matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Trait) {
        let mut names: Vec<&str> = Vec::new();
        for member in symbol.children.iter().filter(|member| member.kind.is_callable()) {
            if !names.contains(&member.name.as_str()) {
                names.push(&member.name);
            }
        }
        let more = if names.len() > MEMBERS { " and others" } else { "" };
        names.truncate(MEMBERS);
        if let Some(names) = survey.quoter.code(&names.join(", ")) {
            // A sentence may lack its full stop.
            let end = if text.ends_with(|c: char| c.is_alphanumeric()) { "." } else { "" };
            let embedded = survey.quoter.code(&embedded_types(survey, &file.path, symbol).join(", "));
            let inherited = embedded.map(|types| format!(", and those of {types}")).unwrap_or_default();
            text.extend([format!("{end} Methods: {names}{more}{inherited}")]);
        }
    }
    Some(text)
}

/// Returns the first sentence of a doc comment as safe Markdown, cut to `most` characters. `None` if it is no
/// prose, a mark for a linter, only repeats the name, or must not be quoted.
pub(super) fn said(
    survey: &Survey,
    file: &CentralFile,
    symbol: &SymbolInfo,
    docs: &str,
    most: usize,
) -> Option<String> {
    let said = cut_at_word(without_begun(first_sentence(docs)), most);
    let said = Some(said)
        .filter(|said| is_prose(said) && !is_linter_mark(docs) && !repeats_name(said, &symbol.name))?;
    survey.quoter.prose(&without_own_name(&said, &symbol.name, &file.path))
}

/// Returns true for a comment that begins with an instruction to a linter, such as `nolint:` or `noqa`.
fn is_linter_mark(docs: &str) -> bool {
    ["nolint:", "eslint-", "noqa", "pylint:", "prettier-ignore"].iter().any(|mark| docs.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::is_linter_mark;

    #[test]
    fn a_sentence_may_begin_with_the_name_of_a_linter() {
        assert!(is_linter_mark("eslint-disable no-console") && is_linter_mark("prettier-ignore the table"));
        assert!(!is_linter_mark("prettier output of a table for people."));
    }
}
