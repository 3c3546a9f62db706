//! Selects facts from a code base within a bound. Reads the code base; equal trees give equal selections.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::behaviour::CrateExports;
use super::reexports::re_exports;
use super::test_files::TestFiles;
use super::usage_text::usage_texts;
use super::{
    AMBIGUOUS, DefinitionBehaviour, FurtherCall, OptionForms, SELECTION_BYTES, SelectedFacts, behaviour,
    build_files, call_key, member_sets, options, single_tests, source_code,
};
use crate::facts::{
    Fact, FactKind, FactSubject, FactValue, Facts, PathRole, SettingForm, SourceLines, TraceStep,
};
use crate::repo::{CodeBase, EdgeClass, FileOutline, SymbolInfo, SymbolKind, Visibility, Walk, WalkLimits};
use crate::workflows::survey::Survey;

/// Maximum of sources of a fact: a page shows one or two.
const SOURCES: usize = 3;

/// Maximum number of facts of each kind, in the order in which they are admitted. Facts for a newcomer come first, so that the bound
/// on bytes costs the long tails only.
const KINDS: [(FactKind, usize); 16] = [
    (FactKind::Project, 200),
    (FactKind::Target, 300),
    (FactKind::Command, 300),
    (FactKind::Tool, 100),
    (FactKind::Subcommand, 300),
    (FactKind::Route, 1_000),
    (FactKind::Setting, 1_000),
    (FactKind::Trace, 20),
    (FactKind::Concern, 100),
    (FactKind::Rule, 100),
    (FactKind::Recipe, 30),
    (FactKind::Limit, 60),
    (FactKind::Dependency, 500),
    (FactKind::Purpose, 3_000),
    (FactKind::Relation, 2_000),
    (FactKind::Calls, 2_000),
];

/// Maximum number of files in which members of sets and tests are looked for.
const OUTLINED: usize = 160;

/// Parts of the bound: of facts, of the behaviour of definitions, of the branches around calls, of code, and of edges between files. Places of definitions use the bytes behind
/// these parts; usage texts, re-exports and options have bounds of their own.
const FACT_BYTES: usize = SELECTION_BYTES / 3;
const BEHAVIOUR_BYTES: usize = SELECTION_BYTES / 8;
const BRANCH_BYTES: usize = SELECTION_BYTES / 15;
const CODE_BYTES: usize = SELECTION_BYTES / 3;
const EDGE_BYTES: usize = SELECTION_BYTES / 15;

/// Selects the facts of a code base that documents may quote, within [`SELECTION_BYTES`]. Reads all files, on
/// all cores; equal trees give equal selections.
pub fn select(code: &CodeBase) -> SelectedFacts {
    let facts = Facts::collect(code);
    let mut selected = SelectedFacts {
        sections: facts.sections().to_vec(),
        pipelines: facts.pipelines().to_vec(),
        contributor_sections: facts.contributor_sections().to_vec(),
        ..SelectedFacts::default()
    };
    let mut bytes = 0;
    for (kind, most) in KINDS {
        let candidates = candidates(&facts, kind);
        let (mut admitted, all) = (0, candidates.len());
        for fact in candidates.into_iter().take(most) {
            let fact = shorten(fact);
            let size = json_bytes(&fact);
            if bytes + size > FACT_BYTES {
                break;
            }
            bytes += size;
            admitted += 1;
            selected.facts.push(fact);
        }
        if all > admitted {
            selected.omitted.insert(kind.name().to_owned(), all - admitted);
        }
    }
    selected.build_files = build_files::of_product(code, &selected.facts, &selected.pipelines);
    let walk = code.files().walk(WalkLimits::default());
    let outlines = code.outlines(&walk);
    let exports = crate_exports(code, &walk, &outlines);
    let omitted;
    (selected.behaviour, omitted) = behaviours(code, &exports, &outlines, BEHAVIOUR_BYTES);
    if omitted > 0 {
        selected.omitted.insert("behaviour".to_owned(), omitted);
    }
    let omitted;
    let around = branches(code, &selected.facts, &outlines, BRANCH_BYTES);
    (selected.branches, selected.further_calls, omitted) = (around.labels, around.further, around.omitted);
    if omitted > 0 {
        selected.omitted.insert("branches".to_owned(), omitted);
    }
    let omitted;
    (selected.code, omitted) = source_code::of_product(code, &facts, &outlines, CODE_BYTES);
    if omitted > 0 {
        selected.omitted.insert("code".to_owned(), omitted);
    }
    let survey = Survey::of(code, &facts, OUTLINED);
    selected.single_tests = single_tests::of_product(&survey);
    selected.file_edges = file_edges(&facts, EDGE_BYTES);
    selected.usage_texts = usage_texts(code, &selected.facts);
    selected.re_exports = re_exports(code, &walk, &outlines, &exports);
    selected.member_sets = member_sets::of_product(&survey, &selected.re_exports);
    selected.options = options(code, &selected.facts, &outlines);
    selected.definitions = definitions(
        &outlines,
        SELECTION_BYTES - FACT_BYTES - BEHAVIOUR_BYTES - BRANCH_BYTES - CODE_BYTES - EDGE_BYTES,
    );
    let files = TestFiles::of(&outlines);
    (selected.test_files, selected.test_helpers) = (files.tests, files.helpers);
    (selected.example_files, selected.inner_tests) = (files.examples, files.inner);
    selected
}

/// Returns the files that each file of the product needs, by imports and resolved names, within `left` bytes.
fn file_edges(facts: &Facts, mut left: usize) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for fact in facts.of_kind(FactKind::Edge).filter(|fact| fact.role == PathRole::Runtime) {
        let FactValue::Edge { to, class: EdgeClass::Declared | EdgeClass::Named, .. } = &fact.value else {
            continue;
        };
        let from = fact.subject.path();
        let known = found.entry(from.to_owned()).or_default();
        if known.contains(to) {
            continue;
        }
        let size = to.len() + if known.is_empty() { from.len() + 8 } else { 4 };
        let Some(rest) = left.checked_sub(size) else { break };
        left = rest;
        known.push(to.clone());
    }
    found.retain(|_, all| !all.is_empty());
    found
}

/// Returns the facts of a kind that documents may show, without repeated boilerplate. Purposes of packages,
/// folders and files come before those of definitions.
fn candidates(facts: &Facts, kind: FactKind) -> Vec<&Fact> {
    let mut all: Vec<&Fact> = facts.of_kind(kind).filter(|fact| is_wanted(fact)).collect();
    if kind == FactKind::Purpose {
        let boilerplate = boilerplate(&all);
        all.retain(|fact| purpose_text(fact).is_none_or(|text| !boilerplate.contains(text)));
        // Stable: within one subject the order is that of trust.
        all.sort_by_key(|fact| matches!(fact.subject, FactSubject::Symbol { .. }));
    }
    all
}

/// Number of subjects with one purpose from which on it says nothing about them, such as `Module dependencies.`.
const BOILERPLATE: usize = 3;

/// Returns the purpose texts that at least [`BOILERPLATE`] subjects share.
fn boilerplate(facts: &[&Fact]) -> BTreeSet<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    facts.iter().filter_map(|fact| purpose_text(fact)).for_each(|text| *counts.entry(text).or_default() += 1);
    counts.into_iter().filter(|(_, count)| *count >= BOILERPLATE).map(|(text, _)| text.to_owned()).collect()
}

fn purpose_text(fact: &Fact) -> Option<&str> {
    if let FactValue::Purpose { text } = &fact.value { Some(text) } else { None }
}

/// Returns true for facts that documents may show: all about the product, and of tests and examples the
/// programs and the purposes of folders and files.
fn is_wanted(fact: &Fact) -> bool {
    match fact.role {
        PathRole::Runtime | PathRole::Build | PathRole::Docs => true,
        PathRole::Vendored | PathRole::Generated => false,
        PathRole::Test | PathRole::Example | PathRole::Bench => match fact.value.kind() {
            FactKind::Target | FactKind::Project => true,
            FactKind::Purpose => !matches!(fact.subject, FactSubject::Symbol { .. }),
            _ => false,
        },
    }
}

fn shorten(fact: &Fact) -> Fact {
    let mut fact = fact.clone();
    fact.sources.truncate(SOURCES);
    fact
}

fn json_bytes(value: &impl serde::Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len())
}

/// Returns the short forms and commands of the command line options among `facts`, by the id of the fact.
fn options(code: &CodeBase, facts: &[Fact], outlines: &[Arc<FileOutline>]) -> BTreeMap<String, OptionForms> {
    let outlines: BTreeMap<&str, &FileOutline> =
        outlines.iter().map(|outline| (outline.path.as_str(), outline.as_ref())).collect();
    let mut wanted: BTreeMap<&str, Vec<(&Fact, &str, &SourceLines)>> = BTreeMap::new();
    for fact in facts {
        if let (FactValue::Setting { form: SettingForm::Flag, name, .. }, Some(place)) =
            (&fact.value, fact.sources.first())
        {
            wanted.entry(&place.path).or_default().push((fact, name, place));
        }
    }
    let mut found = BTreeMap::new();
    for (path, wanted) in wanted {
        let (Some(outline), Ok((_, text))) = (outlines.get(path), code.text(path)) else { continue };
        let file = options::OptionFile::of(outline, &text);
        for (fact, name, place) in wanted {
            found.extend(file.forms(name, place).map(|forms| (fact.id.clone(), forms)));
        }
    }
    found
}

/// Branches around the calls that facts name, by file and call.
#[derive(Default)]
struct CallBranches {
    /// The labels of the branches around calls, by file and call.
    labels: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Further calls of the same name in the same function, by file and call.
    further: BTreeMap<String, BTreeMap<String, Vec<FurtherCall>>>,
    /// Number of calls whose labels did not fit.
    omitted: usize,
}

/// Returns the labels of the branches around the calls that facts name, within `left` bytes. Calls outside of
/// branches are left out, with their further calls.
fn branches(code: &CodeBase, facts: &[Fact], outlines: &[Arc<FileOutline>], mut left: usize) -> CallBranches {
    let outlines: BTreeMap<&str, &FileOutline> =
        outlines.iter().map(|outline| (outline.path.as_str(), outline.as_ref())).collect();
    let mut wanted: BTreeMap<&str, BTreeMap<String, &TraceStep>> = BTreeMap::new();
    for fact in facts {
        let steps = match &fact.value {
            FactValue::Calls { calls } => calls.as_slice(),
            FactValue::Trace { steps } => steps.get(1..).unwrap_or_default(),
            _ => continue,
        };
        for step in steps {
            wanted.entry(&step.at.path).or_default().insert(call_key(step), step);
        }
    }
    let mut found = CallBranches::default();
    for (path, calls) in wanted {
        let (Some(outline), Ok((_, text))) = (outlines.get(path), code.text(path)) else { continue };
        let file = behaviour::FileBranches::of(outline, &text);
        for (key, step) in calls {
            let labels = file.around(step.at.start, &step.name);
            if labels.is_empty() {
                continue;
            }
            let further = file.further_calls(step.at.start, &step.name);
            match left.checked_sub(json_bytes(&labels) + json_bytes(&further) + 2 * key.len() + 8) {
                Some(rest) => {
                    left = rest;
                    if !further.is_empty() {
                        found.further.entry(path.to_owned()).or_default().insert(key.clone(), further);
                    }
                    found.labels.entry(path.to_owned()).or_default().insert(key, labels);
                }
                None => found.omitted += 1,
            }
        }
    }
    found
}

/// Behaviour of definitions, by file and then by qualified name.
type FileBehaviours = BTreeMap<String, BTreeMap<String, DefinitionBehaviour>>;

/// Returns the behaviour of the product's definitions within `left` bytes, and the number of definitions in
/// files that did not fit. A file is taken as a whole or not at all.
fn behaviours(
    code: &CodeBase,
    exports: &CrateExports<'_>,
    outlines: &[Arc<FileOutline>],
    mut left: usize,
) -> (FileBehaviours, usize) {
    let (mut found, mut omitted) = (BTreeMap::new(), 0);
    for outline in outlines.iter().filter(|outline| PathRole::of(&outline.path) == PathRole::Runtime) {
        let Ok((_, text)) = code.text(&outline.path) else { continue };
        let of_file = behaviour::of_file(outline, &text, exports.internal_names(outline));
        if of_file.is_empty() {
            continue;
        }
        let size = json_bytes(&of_file) + outline.path.len();
        // A smaller file behind a large one may fit.
        match left.checked_sub(size) {
            Some(rest) => {
                left = rest;
                found.insert(outline.path.clone(), of_file);
            }
            None => omitted += of_file.len(),
        }
    }
    (found, omitted)
}

/// Reads the `pub use` statements of all Rust crates. If some files were not walked, no crate has known
/// exports, because such a file may export anything.
fn crate_exports<'a>(code: &CodeBase, walk: &Walk, outlines: &'a [Arc<FileOutline>]) -> CrateExports<'a> {
    // A file that was not walked may re-export anything.
    let is_whole = walk.left_out.beyond_limit + walk.left_out.too_deep + walk.left_out.unreadable == 0;
    CrateExports::of(outlines, |path| code.text(path).ok().map(|(_, text)| text).filter(|_| is_whole))
}

/// Returns the lines of all definitions as `start-end`, by file and name, within `most` bytes; public ones
/// first.
fn definitions(outlines: &[Arc<FileOutline>], most: usize) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut left = most;
    // Plain names that stand for a definition inside a type, by file.
    let mut inner: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for public in [true, false] {
        for outline in outlines {
            let inner = inner.entry(&outline.path).or_default();
            let Some(rest) = add_definitions(outline, public, left, inner, &mut found) else { return found };
            left = rest;
        }
    }
    found
}

/// Adds the public or the other definitions of a file to `found`, each under its plain and its qualified
/// name. Returns the bytes that are left of `left`, or `None` if they do not suffice. `inner` has the plain
/// names that mean a definition inside a type.
fn add_definitions(
    outline: &FileOutline,
    public: bool,
    mut left: usize,
    inner: &mut BTreeSet<String>,
    found: &mut BTreeMap<String, BTreeMap<String, String>>,
) -> Option<usize> {
    for (around, symbol) in named_symbols(outline) {
        if (symbol.visibility == Visibility::Public) != public {
            continue;
        }
        let lines = format!("{}-{}", symbol.line, symbol.line_end);
        let qualified = around.map(|around| format!("{around}.{}", symbol.name));
        for name in qualified.into_iter().chain([symbol.name.clone()]) {
            let size = name.len() + lines.len() + 24;
            left = left.checked_sub(size)?;
            let names = found.entry(outline.path.clone()).or_default();
            match names.entry(name) {
                Entry::Vacant(entry) => {
                    if around.is_some() && !entry.key().contains('.') {
                        inner.insert(entry.key().clone());
                    }
                    entry.insert(lines.clone());
                }
                // Of several functions of one type and name none is meant for sure.
                Entry::Occupied(mut entry) if entry.key().contains('.') => {
                    AMBIGUOUS.clone_into(entry.get_mut());
                }
                // A function or type of the file itself is meant before a method of the name.
                Entry::Occupied(mut entry) if around.is_none() && inner.contains(entry.key()) => {
                    inner.remove(entry.key());
                    entry.insert(lines.clone());
                }
                // The first definition of another name in a file stands for all of them.
                Entry::Occupied(_) => {}
            }
        }
    }
    Some(left)
}

/// Returns the types, functions and constants of a file, each with the name of the type that contains it.
fn named_symbols(outline: &FileOutline) -> Vec<(Option<&str>, &SymbolInfo)> {
    fn add<'a>(
        around: Option<&'a str>,
        all: &'a [SymbolInfo],
        found: &mut Vec<(Option<&'a str>, &'a SymbolInfo)>,
    ) {
        for symbol in all.iter().filter(|symbol| !behaviour::is_overload_stub(symbol)) {
            // An `impl` has the name of its type, whose own lines are meant; a module is explained by its file.
            let is_left_out = matches!(
                symbol.kind,
                SymbolKind::Field
                    | SymbolKind::Variant
                    | SymbolKind::Impl
                    | SymbolKind::Module
                    | SymbolKind::Namespace
            );
            if !is_left_out {
                found.push((around.or_else(|| symbol.receiver()), symbol));
            }
            if !symbol.kind.is_callable() {
                let owner = match symbol.kind {
                    SymbolKind::Impl => Some(symbol.implementing_type()),
                    kind if kind.is_type() => Some(symbol.name.as_str()),
                    _ => around,
                };
                add(owner, &symbol.children, found);
            }
        }
    }
    let mut found = Vec::new();
    add(None, &outline.symbols, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::MemoryFiles;

    #[test]
    #[allow(clippy::format_collect, reason = "the text of a test is short")]
    fn a_file_beyond_the_bound_is_counted_and_the_next_one_is_taken() {
        let small = "def f():\n    raise ValueError('no')\n";
        let large: String = (0..50).map(|at| format!("def f{at}():\n    raise ValueError('no')\n")).collect();
        let files = [("a.py", small), ("b.py", large.as_str()), ("c.py", small)];
        let code = CodeBase::new(Arc::new(MemoryFiles::new(files)));
        let walk = code.files().walk(WalkLimits::default());
        let outlines = code.outlines(&walk);
        let exports = crate_exports(&code, &walk, &outlines);
        let (found, omitted) = behaviours(&code, &exports, &outlines, 1_000);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a.py", "c.py"]);
        assert_eq!(omitted, 50);
        assert!(json_bytes(&found) <= 1_000);
    }

    #[test]
    fn two_calls_of_one_line_have_their_own_branches() {
        let text = "fn main() {\n    if a() { b() }\n}\nfn a() -> bool { true }\nfn b() {}\n";
        let code = CodeBase::new(Arc::new(MemoryFiles::new([("src/main.rs", text)])));
        let found = select(&code);
        let at = SourceLines { path: "src/main.rs".to_owned(), start: 2, end: 2 };
        let step = |name: &str| TraceStep { name: name.to_owned(), at: at.clone() };
        assert_eq!(found.branches_around(&step("a")), [] as [&str; 0]);
        assert_eq!(found.branches_around(&step("b")), ["if a() {"]);
    }

    #[test]
    fn re_exports_are_not_known_if_files_were_not_walked() {
        let files = [("src/lib.rs", "mod a;\n"), ("src/a.rs", "pub struct A;\n"), ("src/b.rs", "\n")];
        let code = CodeBase::new(Arc::new(MemoryFiles::new(files)));
        let internal = |most: usize| {
            let walk = code.files().walk(WalkLimits { files: most, ..WalkLimits::default() });
            let outlines = code.outlines(&walk);
            let exports = crate_exports(&code, &walk, &outlines);
            behaviours(&code, &exports, &outlines, 1_000).0.contains_key("src/a.rs")
        };
        assert_eq!([3, 2].map(internal), [true, false]);
    }

    #[test]
    fn methods_of_an_implementation_for_a_reference_are_those_of_its_type() {
        let text = "struct Word;\nimpl<'a> IntoIterator for &'a Word {\n    fn into_iter(self) {}\n}\n";
        let outline = crate::repo::outline(crate::repo::Language::Rust, "a.rs", text);
        let names =
            named_symbols(&outline).into_iter().map(|(around, symbol)| (around, symbol.name.as_str()));
        assert_eq!(names.collect::<Vec<_>>(), [(None, "Word"), (Some("Word"), "into_iter")]);
    }
}
