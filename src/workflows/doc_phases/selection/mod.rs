//! A bounded selection of the facts of a repository, stored in memory so that documents are made without the repository
//! (DOC-108). Holds facts as the facts layer states them; pages decide what to show.
//!
//! Reading order: this file (the data and its queries), `select` (the selection from a code base), `behaviour` (how definitions behave), `build_files` (scripts and configurations of CI), `group_comments`, `member_sets` (what a new member of a set needs), `options` (short
//! forms and commands of options), `reexports` and `use_names` (names that files export of others), `single_tests` (commands for one test), `source_code` (code as it is written), `test_files` (files of tests and examples), `usage_text` (what programs print about their use).

mod behaviour;
mod build_files;
mod group_comments;
mod member_sets;
mod options;
mod reexports;
mod select;
mod single_tests;
mod source_code;
mod test_files;
mod usage_text;
mod use_names;

pub(in crate::workflows::doc_phases) use behaviour::is_overload_stub;
pub use behaviour::{BranchLabel, FileBranches, FurtherCall};
pub use behaviour::{
    DefinitionBehaviour, DefinitionVariant, DocumentedExample, LiteralEntry, WrittenFailure,
};
pub use build_files::BuildFile;
pub(in crate::workflows::doc_phases) use group_comments::{is_group_comment, without_code};
pub use member_sets::{MemberExample, MemberLine, MemberPlace, MemberSet};
pub use options::OptionForms;
pub use reexports::ReExport;
pub use select::select;
pub use single_tests::ExampleTest;
pub use source_code::{CodeByFile, QuotedCode};
pub use usage_text::UsageText;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::facts::{
    Fact, FactKind, FactSubject, FactValue, PathRole, PipelineSummary, QuotedSection, SourceLines, TraceStep,
};

/// Maximum size of a selection, in bytes of JSON.
pub const SELECTION_BYTES: usize = 3 * 1024 * 1024;

/// The lines of a name with several definitions.
const AMBIGUOUS: &str = "several";

/// Maximum of source files of tests in a selection.
pub const TEST_FILES: usize = 200;

/// Facts of a repository that a run selects at its start and stores in the agent's memory as `facts.json`.
/// Documents and prompts are made of them, without reading the repository again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectedFacts {
    /// Facts, each with at most a few sources, in the order of the facts layer.
    pub facts: Vec<Fact>,
    /// Quoted sections of the documents for users, those of the README first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<QuotedSection>,
    /// Texts that programs print about their use, by the name of the program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage_texts: BTreeMap<String, UsageText>,
    /// The workflows that check and release the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pipelines: Vec<PipelineSummary>,
    /// Scripts that commands and workflows run, and configurations of other CI services.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build_files: Vec<BuildFile>,
    /// Quoted sections of the documents for contributors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contributor_sections: Vec<QuotedSection>,
    /// Definitions by file and name, each as `start-end`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, BTreeMap<String, String>>,
    /// Behaviour of definitions of the product by file and qualified name, such as `Shelf.add`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub behaviour: BTreeMap<String, BTreeMap<String, DefinitionBehaviour>>,
    /// Code of definitions of the product by file, in the order of the lines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub code: CodeByFile,
    /// Labels of the branches around calls, outer ones first, by file and by `LINE NAME` of the call; see [`BranchLabel`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub branches: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Further calls of the same name in the same function, by file and by `LINE NAME` of the first call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub further_calls: BTreeMap<String, BTreeMap<String, Vec<FurtherCall>>>,
    /// Names that files export of other files, by file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub re_exports: BTreeMap<String, Vec<ReExport>>,
    /// Files of the product that each file imports or names, as far as names resolve; for an imported package of Go its folder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub file_edges: BTreeMap<String, Vec<String>>,
    /// Sets of similar members with the places that a new one must be added to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub member_sets: Vec<MemberSet>,
    /// Short forms and commands of options, by the id of their fact.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, OptionForms>,
    /// Commands for one test with its code, by the folder of the project.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub single_tests: BTreeMap<String, ExampleTest>,
    /// Source files of tests, in order; at most [`TEST_FILES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_files: Vec<String>,
    /// Source files beside the tests that have no tests, with names of what they define; at most [`TEST_FILES`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub test_helpers: BTreeMap<String, Vec<String>>,
    /// Source files of examples, in order; at most [`TEST_FILES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub example_files: Vec<String>,
    /// Source files of the product with tests inside, in order; at most [`TEST_FILES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner_tests: Vec<String>,
    /// Number of omitted facts by kind, that of definitions without their behaviour as `behaviour`, and that of calls without their branches as
    /// `branches`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted: BTreeMap<String, usize>,
}

impl SelectedFacts {
    /// Returns the facts of one kind about the product itself: its code, build and documentation, but no
    /// tests, examples, generated or vendored files.
    pub fn of_product(&self, kind: FactKind) -> impl Iterator<Item = &Fact> {
        self.of_kind(kind).filter(|fact| is_product(fact.role))
    }

    /// Returns the facts of one kind, in the order of the facts layer; also those about tests and examples.
    pub fn of_kind(&self, kind: FactKind) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(move |fact| fact.value.kind() == kind)
    }

    /// Returns the purpose of a subject (package, folder, file, definition) that the repository itself
    /// states, with its place. A README is preferred to other sources, because it says more.
    pub fn purpose(&self, subject: &FactSubject) -> Option<(&str, &SourceLines)> {
        let rank = |source: &SourceLines| !is_readme(&source.path);
        let found = self.of_kind(FactKind::Purpose).filter(|fact| fact.subject == *subject);
        let texts = found.filter_map(|fact| {
            let FactValue::Purpose { text } = &fact.value else { return None };
            Some((text.as_str(), fact.sources.first()?))
        });
        texts.min_by_key(|(_, source)| rank(source))
    }

    /// Returns the lines of the definition `name` in the file `path`. `name` is a qualified name such as
    /// `Shelf::add`, else its last name is looked up. `None` if it is unknown, or if the qualified name has
    /// several definitions.
    pub fn definition(&self, path: &str, name: &str) -> Option<SourceLines> {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let whole = self.definitions.get(path).and_then(|names| names.get(&name.replace("::", ".")));
        if whole.is_some_and(|lines| lines == AMBIGUOUS) {
            return None;
        }
        self.exact_definition(path, name).or_else(|| self.exact_definition(path, last))
    }

    /// Returns the lines of the definition with this qualified name in the file `path`: `Shelf::add` is a
    /// method of `Shelf` and of no other type. `None` if there is none or there are several.
    pub fn exact_definition(&self, path: &str, name: &str) -> Option<SourceLines> {
        let names = self.definitions.get(path)?;
        let name = name.replace("::", ".");
        // A method of a type inside of another one is known by both names: `Shelf.Row.add` as `Row.add`.
        let inner = || name.rmatch_indices('.').nth(1).and_then(|(at, _)| names.get(&name[at + 1..]));
        let lines = names.get(&name).or_else(inner)?;
        let (start, end) = lines.split_once('-')?;
        Some(SourceLines { path: path.to_owned(), start: start.parse().ok()?, end: end.parse().ok()? })
    }

    /// Returns the behaviour of the definition with this qualified name, such as `Shelf::add`, in the file
    /// `path`.
    pub fn behaviour_of(&self, path: &str, name: &str) -> Option<&DefinitionBehaviour> {
        self.behaviour.get(path)?.get(&name.replace("::", "."))
    }

    /// Returns the labels of the branches around a call, outer ones first; empty if none are known.
    pub fn branches_around(&self, call: &TraceStep) -> &[String] {
        let of_file = self.branches.get(&call.at.path);
        of_file.and_then(|calls| calls.get(&call_key(call))).map_or(&[], Vec::as_slice)
    }

    /// Returns the other calls of the same name in the function that contains `call`; empty if none are
    /// known.
    pub fn further_calls(&self, call: &TraceStep) -> &[FurtherCall] {
        let of_file = self.further_calls.get(&call.at.path);
        of_file.and_then(|calls| calls.get(&call_key(call))).map_or(&[], Vec::as_slice)
    }

    /// Returns the path of the file that defines a qualified name; `None` if no file or several files do.
    pub fn only_file_of(&self, name: &str) -> Option<&str> {
        let name = name.replace("::", ".");
        let mut files = self.definitions.iter().filter(|(_, names)| names.contains_key(&name));
        let (path, _) = files.next()?;
        files.next().is_none().then_some(path)
    }
}

/// Returns the key of a call within its file: `LINE NAME`. The line alone does not suffice, because several
/// calls of one line may be in different branches.
fn call_key(call: &TraceStep) -> String {
    format!("{} {}", call.at.start, call.name)
}

/// Returns true for the role of a path that belongs to the product: code, build or documentation.
fn is_product(role: PathRole) -> bool {
    matches!(role, PathRole::Runtime | PathRole::Build | PathRole::Docs)
}

fn is_readme(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.to_lowercase().starts_with("readme"))
}
