//! The page of one component (DOC-111, 116).

use std::collections::{BTreeMap, BTreeSet};

use super::super::facts::{FILES, PageFact, PageFacts, component_page, most_certain};
use super::super::page::{
    Block, DocumentPage, Span, Target, Text, code, heading, link, paragraph, paragraphs, plain, prose, source,
};
use super::super::stated::{StatedPurpose, says_the_same};
use super::definition_places::DefinitionPlaces;
use super::source_code::ComponentCode;
use super::{
    ARCHITECTURE, DATA_MODELS, and_more, behaviour, calls, colophon, comma_separated, component_links,
    definition, filled_table, further_in_files, list_with_more, not_in_memory, not_shown, path_span,
    quote_purpose, re_exports, rules_note, section, sourced, split_amount,
};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, RelationKind, SourceLines};
use crate::workflows::doc_phases::memory::{
    ComponentSummary, FileRole, KeyClass, KeyFunction, PublicInterface, WrittenBy,
};
use crate::workflows::doc_phases::selection::DefinitionVariant;

pub(in super::super) fn component(facts: &PageFacts, fact: &PageFact<ComponentSummary>) -> DocumentPage {
    let component = &fact.entry;
    let id = component.component_id.as_str();
    let own: Vec<PageFact<FileRole>> =
        facts.files.iter().filter(|file| file.entry.component == id).cloned().collect();
    let files = most_certain(&own, FILES);
    let authors: BTreeSet<&WrittenBy> =
        files.iter().map(|file| &file.written_by).chain([&fact.written_by]).collect();
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    let places = DefinitionPlaces::of(facts, component, &own);
    let shown = ComponentCode::of(facts, component);
    blocks.extend(section(2, "Overview", overview(facts, fact)));
    let more = |list: &str| and_more(&component.more, list);
    let beside = |list: &str| component.more.get(list).copied().unwrap_or_default();
    // A single file is its own location.
    let repeats_location =
        component.key_files.len() == 1 && facts.places_of(component) == [component.key_files[0].as_str()];
    // The table of files has them, with their purposes.
    let is_listed = |path: &String| files.iter().any(|file| file.entry.file_path == *path);
    // A model chooses the files that matter; rules order them.
    let repeats_files = fact.written_by == WrittenBy::Rules
        && beside("key_files") == 0
        && component.key_files.iter().all(is_listed);
    if !repeats_location && !repeats_files {
        let key_files = component.key_files.iter().map(|path| vec![code(path)]);
        blocks.extend(section(2, "Key files", list_with_more(key_files, more("key_files"))));
    }
    let interface = interface(&component.public_interfaces, &places).into_iter();
    let by_rules = fact.written_by == WrittenBy::Rules;
    let beyond = |number: usize, what: &str| {
        if by_rules && !shown.is_empty() {
            further_in_files(number, what)
        } else {
            not_in_memory(number, what)
        }
    };
    let hidden = beyond(beside("public_interfaces"), "public declarations");
    blocks.extend(section(2, "Public declarations", interface.chain(hidden)));
    blocks.extend(section(2, "Re-exported names of other files", re_exports::of_component(facts, component)));
    blocks.extend(section(2, "Examples in the documentation", behaviour::examples(facts, component, &shown)));
    blocks.extend(section(
        2,
        "What the documentation adds",
        behaviour::documentation(facts, component, &shown),
    ));
    blocks.extend(section(2, "Values of tables and options", behaviour::tables(facts, component, &shown)));
    let used = component.dependencies.iter().map(String::as_str).filter(|used| *used != id);
    blocks.extend(section(2, "Dependencies", component_links(facts, used)));
    blocks.extend(section(2, "Used by", component_links(facts, facts.users_of(id))));
    let patterns = component.design_patterns_used.iter().map(|pattern| prose(pattern));
    blocks.extend(section(2, "Design patterns", list_with_more(patterns, more("design_patterns_used"))));
    blocks.extend(section(
        2,
        "Files",
        files_by_layer(facts, &files, &shown).into_iter().chain(not_shown(
            own.len() + beside("files"),
            files.len(),
            "files",
        )),
    ));
    blocks.extend(section(2, "Types", classes(facts, component, &files, &shown)));
    let functions_title =
        if component.public_interfaces.is_empty() { "Functions" } else { "Other functions" };
    blocks.extend(section(2, functions_title, functions(facts, component, &files, &shown)));
    blocks.extend(section(2, "Code", shown.section(facts)));
    blocks.extend(section(2, "Calls in code that is not quoted", calls::calls(facts, component, &shown)));
    blocks.extend(section(
        2,
        "Failures in code that is not quoted",
        behaviour::failures(facts, component, &shown),
    ));
    blocks.extend(section(2, "Relations of types", relations(facts, component, &shown)));
    blocks.extend(section(2, "Notes", super::notes::of_component(facts, id)));
    let models = models(facts, id).into_iter();
    blocks.extend(section(2, "Data models", models.chain(beyond(beside("data_models"), "data models"))));
    let date = files.iter().map(|file| file.updated_at).chain([fact.updated_at]).max().unwrap_or_default();
    blocks.push(colophon(date, &authors));
    if facts.overview.is_some() {
        blocks.push(Block::Paragraph(vec![
            plain("Part of "),
            link(format!("the architecture of {}", facts.system()), Target::Page(ARCHITECTURE.to_owned())),
            plain("."),
        ]));
    }
    DocumentPage { path: component_page(id), title: component.component_name.clone(), blocks }
}

/// Returns the paragraphs about the component's purpose, first as the repository states it, then as the
/// explorer found it, and its paths.
fn overview(facts: &PageFacts, fact: &PageFact<ComponentSummary>) -> Vec<Block> {
    let component = &fact.entry;
    let stated = facts.stated_purpose(component);
    let (words, amount) = split_amount(fact);
    let mut blocks: Vec<Block> = stated.iter().map(quote).collect();
    if stated.is_none() || fact.written_by != WrittenBy::Rules {
        blocks.extend(paragraphs(&words));
    }
    blocks.extend(amount.map(paragraph));
    let places: Vec<Span> = facts.places_of(component).iter().map(|path| path_span(path)).collect();
    if !places.is_empty() {
        let said = [Span::Strong("Location:".into()), plain(" ")];
        blocks.push(Block::Paragraph(said.into_iter().chain(comma_separated(places)).collect()));
    }
    blocks
}

fn quote(purpose: &StatedPurpose<'_>) -> Block {
    Block::Paragraph(quote_purpose(purpose, purpose.text))
}

/// Remark at a public definition that only its own crate can use.
const INTERNAL: &str = " Its module is private and nothing re-exports it.";

/// Returns the table of public declarations. A name with several build conditions has a row for each;
/// variables of which only the name is known are left out.
fn interface(all: &[PublicInterface], places: &DefinitionPlaces<'_>) -> Option<Block> {
    let mut seen = BTreeSet::new();
    let rows = |one: &PublicInterface| -> Vec<Vec<Text>> {
        let found = places.find(&one.name).or_else(|| places.overload(&one.name, &one.signature));
        let row = |kind: &str, signature: &str, words: Text, place: Option<&SourceLines>| {
            let kind = shown_kind(kind, signature, place);
            let place: Text = place.map(source).into_iter().collect();
            vec![
                vec![code(&one.name)],
                vec![plain(kind)],
                vec![code(shown_signature(signature))],
                words,
                place,
            ]
        };
        let variants = places.variants(&one.name);
        let internal = found.as_ref().is_some_and(|place| places.is_internal(&place.path, &one.name));
        let note = |mut words: Text| {
            if internal {
                words.push(plain(if words.is_empty() { INTERNAL.trim_start() } else { INTERNAL }));
            }
            words
        };
        if variants.is_empty() {
            let words = if one.description.is_empty() { Text::new() } else { prose(&one.description) };
            return vec![row(&one.kind, &one.signature, note(words), found.as_ref())];
        }
        // Variants of several kinds are several declarations of one name.
        if !seen.insert(one.name.clone()) {
            return Vec::new();
        }
        let variant = |variant: &DefinitionVariant| {
            let words = note(vec![plain("If "), code(&variant.condition), plain(".")]);
            let kind = if variant.kind.is_empty() { &one.kind } else { &variant.kind };
            row(kind, &variant.signature, words, Some(&variant.lines))
        };
        variants.iter().map(variant).collect()
    };
    let head = ["Name", "Type", "Signature", "Description", "Place"];
    let mut told = BTreeSet::new();
    let all_rows = all.iter().filter(|one| says_something(one)).flat_map(rows);
    // Two declarations of one name at one place: the place is that of the first.
    let is_new = |row: &Vec<Text>| row[4].is_empty() || told.insert(format!("{:?} {:?}", row[0], row[4]));
    filled_table(&head, all_rows.filter(is_new).collect())
}

/// Returns the kind that the page shows for a declaration: for a `variable` also `constant`, or `value` in
/// languages whose declarations do not tell.
pub(super) fn shown_kind<'k>(kind: &'k str, signature: &str, place: Option<&SourceLines>) -> &'k str {
    if kind != "variable" {
        return kind;
    }
    let head = signature.split('=').next().unwrap_or(signature);
    if head.split_whitespace().any(|word| matches!(word, "const" | "constexpr" | "final" | "define")) {
        return "constant";
    }
    let extension = place.and_then(|place| place.path.rsplit_once('.')).map(|(_, extension)| extension);
    match extension {
        Some("rb") => "constant",
        Some("go" | "php" | "cs") | None => "value",
        Some(_) => kind,
    }
}

/// Returns a signature without its value if that has both bars and backslashes, which a table cell cannot
/// show as code.
fn shown_signature(signature: &str) -> &str {
    let is_hard = signature.contains('|') && signature.contains('\\');
    signature.split_once(" = ").filter(|_| is_hard).map_or(signature, |(before, _)| before)
}

/// Returns false for a variable without documentation that only has a name, or that is an alias of another
/// value.
fn says_something(one: &PublicInterface) -> bool {
    if one.kind != "variable" || !one.description.trim().is_empty() {
        return true;
    }
    let is_path = |value: &str| {
        value.contains('.')
            && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
            && value.starts_with(|c: char| c.is_alphabetic())
    };
    match one.signature.split_once('=') {
        Some((_, value)) => !is_path(value.trim().trim_end_matches(';')),
        None => one.signature.trim() != one.name,
    }
}

/// Lists the relations of the component's types to other types: one item for each type and kind of relation. Those that quoted code
/// shows are left out.
fn relations(facts: &PageFacts, component: &ComponentSummary, quoted: &ComponentCode<'_>) -> Vec<Block> {
    let own = facts.files_of(component);
    let mut groups: Vec<((&str, &str, RelationKind), Text)> = Vec::new();
    let (mut all, mut shown) = (0, 0);
    for fact in facts.selected.of_product(FactKind::Relation) {
        let (FactSubject::Symbol { path, name }, FactValue::Relation { relation, .. }) =
            (&fact.subject, &fact.value)
        else {
            continue;
        };
        let is_quoted = fact.sources.first().is_some_and(|place| quoted.quotes(path, place.start));
        if !own.has(path) || is_quoted {
            continue;
        }
        all += 1;
        let key = (path.as_str(), name.as_str(), *relation);
        let at = groups.iter().position(|(other, _)| *other == key);
        if at.is_none() && groups.len() == FILES {
            continue;
        }
        shown += 1;
        if let Some(at) = at {
            groups[at].1.push(plain(", "));
            groups[at].1.extend(related(facts, fact));
        } else {
            let start = [code(name), plain(relation_words(*relation))];
            groups.push((key, start.into_iter().chain(related(facts, fact)).collect()));
        }
    }
    let list = (shown > 0).then(|| Block::List(groups.into_iter().map(|(_, text)| text).collect()));
    list.into_iter().chain(not_shown(all, shown, "relations")).collect()
}

/// Returns a list item for each relation of one type, with the other type, the field and the place.
pub(super) fn relations_of(facts: &PageFacts, of_path: &str, of_name: &str) -> Vec<Text> {
    let item = |fact: &Fact| -> Option<Text> {
        let (FactSubject::Symbol { path, name }, FactValue::Relation { relation, .. }) =
            (&fact.subject, &fact.value)
        else {
            return None;
        };
        let start = Span::Strong(relation_words(*relation).trim().to_owned());
        let is_own = path == of_path && name == of_name;
        is_own.then(|| [start, plain(" ")].into_iter().chain(related(facts, fact)).collect())
    };
    facts.selected.of_product(FactKind::Relation).filter_map(item).collect()
}

/// Names the other type of a relation, with the field, the place, and the other type's place if it is in
/// another file.
fn related(facts: &PageFacts, fact: &Fact) -> Text {
    let (FactSubject::Symbol { path, .. }, FactValue::Relation { to, name: other, field, .. }) =
        (&fact.subject, &fact.value)
    else {
        return Text::new();
    };
    let mut text = vec![code(other)];
    if let Some(field) = field {
        text.extend([plain(" in "), code(field)]);
    }
    let elsewhere = facts.selected.definition(to, other).filter(|_| to != path);
    let sources: Vec<SourceLines> = fact.sources.iter().take(1).cloned().chain(elsewhere).collect();
    sourced(text, &sources)
}

pub(super) fn relation_words(relation: RelationKind) -> &'static str {
    match relation {
        RelationKind::Extends => " extends ",
        RelationKind::Implements => " implements ",
        RelationKind::Has => " has ",
        RelationKind::Many => " has several ",
    }
}

/// Returns a table of files for each layer, with purposes and exports; files without a layer come last. Files of which rules know only
/// the definitions are left out if the page quotes their code.
fn files_by_layer(
    facts: &PageFacts,
    files: &[&PageFact<FileRole>],
    quoted: &ComponentCode<'_>,
) -> Vec<Block> {
    let mut layers: BTreeMap<(bool, &str), Vec<Vec<Text>>> = BTreeMap::new();
    for PageFact { entry: file, written_by, .. } in files {
        // Rules name as exports what the table of the interface has, with places.
        let by_rules = *written_by == WrittenBy::Rules;
        let says_little = by_rules && file.responsibility.starts_with("Defines `");
        if says_little && quoted.has_file(&file.file_path) {
            continue;
        }
        let layer = file.layer.trim();
        let exports = file.key_exports.iter().map(code).chain(and_more(&file.more, "key_exports"));
        layers.entry((layer.is_empty(), layer)).or_default().push(vec![
            vec![code(&file.file_path)],
            file_purpose(facts, file),
            comma_separated(exports.filter(|_| !by_rules)),
        ]);
    }
    let single = layers.len() == 1 && layers.keys().all(|(nameless, _)| *nameless);
    let group = |((nameless, layer), rows): ((bool, &str), Vec<Vec<Text>>)| {
        let title = if nameless { "Other files" } else { layer };
        let table = filled_table(&["File", "Responsibility", "Exports"], rows);
        let title = (!single).then(|| heading(3, title));
        title.into_iter().chain(table).collect::<Vec<_>>()
    };
    layers.into_iter().flat_map(group).collect()
}

/// Returns the purpose of a file: its documentation with the place if the entry says the same, else the
/// responsibility in the entry.
fn file_purpose(facts: &PageFacts, file: &FileRole) -> Text {
    match facts.selected.purpose(&FactSubject::File(file.file_path.clone())) {
        Some((text, place)) if says_the_same(text, &file.responsibility) => {
            sourced(prose(text), std::slice::from_ref(place))
        }
        _ => prose(&file.responsibility),
    }
}

/// Returns a link to the definition `name`, else the path of its file as code.
fn place_or_file(facts: &PageFacts, path: &str, name: &str) -> Text {
    facts.selected.definition(path, name).map_or_else(|| vec![code(path)], |place| vec![source(&place)])
}

/// Returns the table of types that the table of declarations lacks, or describes less. A type that rules
/// found without documentation is described by its fields; quoted code shows them better.
fn classes(
    facts: &PageFacts,
    component: &ComponentSummary,
    files: &[&PageFact<FileRole>],
    quoted: &ComponentCode<'_>,
) -> Vec<Block> {
    let is_repeated = |class: &KeyClass| {
        let mut declared = component.public_interfaces.iter().filter(|one| one.name == class.name);
        let has_variants = |path: &str| {
            let told = facts.selected.behaviour_of(path, &class.name);
            told.is_some_and(|told| !told.variants.is_empty())
        };
        // The rows of the declarations tell variants apart.
        if files.iter().any(|file| has_variants(&file.entry.file_path)) {
            return declared.next().is_some();
        }
        declared.any(|one| {
            let says_more =
                !class.purpose.trim().is_empty() && !says_the_same(&class.purpose, &one.description);
            !says_more && !one.description.trim().is_empty()
        })
    };
    let row = |fact: &PageFact<FileRole>, class: &KeyClass| {
        let file = &fact.entry;
        let more = and_more(&file.more, &format!("{}.methods", class.name));
        let stated = Some(prose(&class.purpose)).filter(|_| !class.purpose.trim().is_empty());
        let purpose = stated.or_else(|| definition(facts, &file.file_path, &class.name));
        vec![
            vec![code(&class.name)],
            purpose.unwrap_or_default(),
            comma_separated(class.methods.iter().map(code).chain(more)),
            place_or_file(facts, &file.file_path, &class.name),
        ]
    };
    let mut seen = BTreeSet::new();
    let rows = files.iter().flat_map(|fact| {
        let is_quoted = |class: &KeyClass| {
            let place = facts.selected.definition(&fact.entry.file_path, &class.name);
            fact.written_by == WrittenBy::Rules
                && place.is_some_and(|place| quoted.quotes(&place.path, place.start))
        };
        let classes = fact.entry.key_classes.iter().filter(|class| !is_repeated(class) && !is_quoted(class));
        classes.map(|class| row(fact, class)).collect::<Vec<_>>()
    });
    // Variants of one name by conditions of the build would be equal rows. A name and its place say nothing.
    let says_more = |row: &Vec<Text>| !row[1].is_empty() || !row[2].is_empty();
    let rows = rows.filter(|row| says_more(row) && seen.insert(format!("{row:?}")));
    let head = ["Name", "Purpose", "Methods", "File"];
    table(&head, rows.collect(), count_unlisted(files, "key_classes", quoted), "types")
}

/// Returns the table of functions that neither the table of declarations nor the quoted code has.
fn functions(
    facts: &PageFacts,
    component: &ComponentSummary,
    files: &[&PageFact<FileRole>],
    quoted: &ComponentCode<'_>,
) -> Vec<Block> {
    let is_public = |function: &KeyFunction| {
        component.public_interfaces.iter().any(|one| one.signature == function.signature)
    };
    let row = |file: &FileRole, function: &KeyFunction| {
        let said = if function.signature.trim().is_empty() { &function.name } else { &function.signature };
        let name = method_of_go(&function.signature).unwrap_or_else(|| function.name.clone());
        let place = place_or_file(facts, &file.file_path, &name);
        vec![vec![code(said)], prose(&function.purpose), place]
    };
    let others = |fact: &PageFact<FileRole>| -> Vec<Vec<Text>> {
        let file = &fact.entry;
        let is_quoted = |function: &KeyFunction| {
            let name = method_of_go(&function.signature).unwrap_or_else(|| function.name.clone());
            let place = facts.selected.definition(&file.file_path, &name);
            fact.written_by == WrittenBy::Rules
                && place.is_some_and(|place| quoted.has(&place.path, place.start))
        };
        // A macro without parameters is a value, and stands once for each condition of the build.
        let functions = file.key_functions.iter();
        let functions = functions.filter(|function| !is_public(function) && !is_value(&function.signature));
        let functions = functions.filter(|function| !is_quoted(function));
        functions.map(|function| row(file, function)).collect()
    };
    let rows = files.iter().flat_map(|file| others(file)).collect();
    table(&["Function", "Purpose", "File"], rows, count_unlisted(files, "key_functions", quoted), "functions")
}

/// Returns true for a C macro without parameters, such as `#define NAME 8`.
fn is_value(signature: &str) -> bool {
    let name = signature.strip_prefix("#define ").and_then(|rest| rest.split_whitespace().next());
    name.is_some_and(|name| !name.contains('('))
}

/// Returns the qualified name of a Go method: `Shelf.Add` for `func (s *Shelf[T]) Add(…)`; `None` for other
/// signatures.
fn method_of_go(signature: &str) -> Option<String> {
    let (receiver, rest) = signature.strip_prefix("func (")?.split_once(") ")?;
    let of = receiver.rsplit(' ').next()?.trim_start_matches('*').split('[').next()?;
    let name = rest.split(['(', '[']).next()?;
    Some(format!("{of}.{name}"))
}

/// Returns the number of items of `list` that the entries of these files omit. Entries by rules do not count if the page quotes code of
/// the file, because that may have what they omit.
fn count_unlisted(files: &[&PageFact<FileRole>], list: &str, quoted: &ComponentCode<'_>) -> usize {
    let is_quoted = |file: &PageFact<FileRole>| {
        file.written_by == WrittenBy::Rules && quoted.has_file(&file.entry.file_path)
    };
    files.iter().filter(|file| !is_quoted(file)).filter_map(|file| file.entry.more.get(list)).sum()
}

/// Returns a table of at most [`FILES`] rows, and a sentence with the number of other items. `unlisted` items
/// are not in the agent's memory.
fn table(head: &[&'static str], mut rows: Vec<Vec<Text>>, unlisted: usize, what: &str) -> Vec<Block> {
    let all = rows.len() + unlisted;
    rows.truncate(FILES);
    let shown = rows.len();
    let hidden = if shown == 0 { not_in_memory(all, what) } else { not_shown(all, shown, what) };
    filled_table(head, rows).into_iter().chain(hidden).collect()
}

fn models(facts: &PageFacts, id: &str) -> Vec<Block> {
    let used =
        facts.models.iter().filter(|model| model.entry.used_by_components.iter().any(|user| user == id));
    let mut names: Vec<Span> = used.map(|model| code(&model.entry.model_name)).collect();
    let all = names.len();
    names.truncate(FILES);
    let shown = names.len();
    let to = || [plain(" ("), link("data models", Target::Page(DATA_MODELS.to_owned())), plain(")")];
    let said =
        (shown > 0).then(|| Block::Paragraph(comma_separated(names).into_iter().chain(to()).collect()));
    said.into_iter().chain(not_shown(all, shown, "data models")).collect()
}
