//! All facts of a code base, in one order: by kind, then by subject, then by value.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use serde::{Deserialize, Serialize};
use stategraph_repo::{
    CodeBase, Dependencies, FileOutline, FilesSnapshot, ParseCoverage, ParsedFile, ParsedTree, PartStore,
    ProjectMetadata, TreeParse, Walk, WalkLimits, project,
};

use crate::cache::FactsCache;
use crate::concerns::ConcernPlaces;
use crate::fact::{Fact, FactKind, FactSubject, FactValue, PathRole, TargetKind};
use crate::guides::QuotedSection;
use crate::pipelines::PipelineSummary;
use crate::purposes::WrittenPurpose;
use crate::redact::redact;
use crate::role::role_of;
use crate::text::{is_markdown, without_html_comments};
use crate::{
    call_order, commands, concerns, edges, guides, pipelines, projects, purposes, relations, routes,
    settings, subcommands, tools, traces,
};

/// The facts of a code base.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    all: Vec<Fact>,
    sections: Vec<QuotedSection>,
    pipelines: Vec<PipelineSummary>,
    coverage: ParseCoverage,
}

/// Most files of a tree that are walked.
const WALKED_FILES: usize = 1_000_000;

/// Version of the facts of one file: the sources of this crate at build time.
const SOURCES: &str = env!("STATEGRAPH_SOURCE_HASH");

/// The texts that facts are read from. A file that vanished costs its own facts only.
pub(crate) struct Texts<'a> {
    code: &'a CodeBase,
    paths: BTreeSet<String>,
}

impl Facts {
    /// Collects the facts of a code base. Works on all cores; equal trees give equal facts. Parses every file.
    pub fn collect(code: &CodeBase) -> Self {
        Self::collect_from(code, None)
    }

    /// Collects the facts of a code base like [`collect`](Self::collect). Parses only the files whose parts are not in the cache, and adds
    /// theirs.
    pub fn collect_cached(code: &CodeBase, cache: &FactsCache) -> Self {
        let pack = cache.pack(code.files().repo_path());
        let facts = Self::collect_from(code, pack.as_ref().map(|pack| pack as &dyn PartStore));
        if let Some(pack) = pack {
            cache.save(pack);
        }
        facts
    }

    fn collect_from(code: &CodeBase, store: Option<&dyn PartStore>) -> Self {
        // All readers see a file as it was first read.
        let code = &CodeBase::new(Arc::new(FilesSnapshot::new(Arc::clone(code.files()))));
        let limits = WalkLimits { files: WALKED_FILES, ..WalkLimits::default() };
        let walk: Walk = code.files().walk(limits);
        let mut paths: BTreeSet<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
        paths.extend(hidden(code));
        let texts = Texts { code, paths };
        let metadata = project(&**code.files(), &walk);
        let request = TreeParse { store, digest_version: SOURCES, rank: &parse_rank, ..TreeParse::default() };
        // Documents are read on one core, and so are the edges between files computed.
        let (ParsedTree { files, dependencies, coverage }, told) = thread::scope(|scope| {
            let told = scope.spawn(|| {
                let whole = (guides::quoted_sections(&texts), pipelines::pipelines(&texts));
                (of_documents(&metadata, &texts), purposes::of_lists(&texts), whole)
            });
            let parsed = code.parse_all(&walk, &request, of_file);
            (parsed, told.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (mut all, lists, (sections, pipelines)) = told;
        let (outlines, parts): (Vec<_>, Vec<_>) = files.into_iter().unzip();
        let mut facts_of_files: Vec<Fact> = Vec::new();
        let (mut written, mut ways) = (Vec::new(), Vec::new());
        for part in parts {
            facts_of_files.extend(part.facts);
            written.push(part.purposes);
            ways.extend(part.concerns);
        }
        let written = outlines.iter().map(|outline| outline.path.as_str()).zip(written);
        // What the dependencies tell and what the texts tell takes equal time, and neither needs the other.
        let of_dependencies = thread::scope(|scope| {
            let of_dependencies = scope.spawn(|| of_dependencies(&metadata, &outlines, dependencies, &texts));
            all.extend(purposes::of_code(&metadata, written, &texts));
            all.extend(lists);
            let names = names(&all, &programs(&all));
            all.extend(settings::of_data(&texts, &outlines, &names));
            subcommands::nest(&outlines, &texts, &mut facts_of_files);
            routes::settle(&outlines, &mut facts_of_files);
            let of_kong = settings::kong::facts(&texts, &outlines);
            facts_of_files.retain(|fact| !of_kong.replaces(fact));
            all.extend(of_kong.facts);
            all.extend(facts_of_files);
            all.extend(concerns::join(ways.into_iter()));
            of_dependencies.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        all.extend(of_dependencies);
        Self { all: merge(all), sections, pipelines, coverage }
    }

    /// Returns how much of the code base was parsed. A tree with too much code is parsed in part.
    pub fn coverage(&self) -> ParseCoverage {
        self.coverage
    }

    /// Returns the quoted sections of the documents for users, those of the README first.
    pub fn sections(&self) -> &[QuotedSection] {
        &self.sections
    }

    /// Returns the workflows that check and release the project.
    pub fn pipelines(&self) -> &[PipelineSummary] {
        &self.pipelines
    }

    /// Returns all facts in order.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.all.iter()
    }

    /// Returns the facts of one kind.
    pub fn of_kind(&self, kind: FactKind) -> impl Iterator<Item = &Fact> {
        self.all.iter().filter(move |fact| fact.value.kind() == kind)
    }

    /// Returns the facts about one subject.
    pub fn about<'a>(&'a self, subject: &'a FactSubject) -> impl Iterator<Item = &'a Fact> {
        self.all.iter().filter(move |fact| fact.subject == *subject)
    }
}

/// Returns the names of the programs that are a product.
fn programs(all: &[Fact]) -> BTreeSet<String> {
    let named = all.iter().filter_map(|fact| match &fact.value {
        FactValue::Target { target: TargetKind::Program, name, entry } => {
            matches!(role_of(entry), PathRole::Runtime).then(|| name.clone())
        }
        _ => None,
    });
    named.filter(|name| name.len() > 1).collect()
}

/// Returns the names of the project in the root and of its programs, in lower case.
fn names(all: &[Fact], programs: &BTreeSet<String>) -> BTreeSet<String> {
    let named = all.iter().filter_map(|fact| match &fact.value {
        FactValue::Project { name: Some(name), .. } if fact.subject.path().is_empty() => {
            name.rsplit(['/', ':']).next()
        }
        _ => None,
    });
    let programs = programs.iter().map(String::as_str);
    named.chain(programs).map(str::to_lowercase).collect()
}

/// Returns the facts from manifests, documents and data.
fn of_documents(metadata: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let mut found = projects::facts(metadata, texts);
    found.extend(tools::facts(metadata, texts));
    found.extend(commands::facts(metadata, texts, &programs(&found)));
    found.extend(purposes::of_documents(metadata, texts));
    found.extend(guides::facts(texts));
    found
}

/// Returns the facts from the definitions that need one another.
fn of_dependencies(
    metadata: &ProjectMetadata,
    outlines: &[Arc<FileOutline>],
    dependencies: Dependencies,
    texts: &Texts,
) -> Vec<Fact> {
    let mut found = relations::facts(outlines, &dependencies);
    found.extend(traces::facts(metadata, &dependencies, texts));
    found.extend(call_order::facts(&dependencies));
    found.extend(edges::facts(dependencies));
    found
}

/// The facts that depend on one file alone, and what becomes facts when the other files are known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FileFacts {
    facts: Vec<Fact>,
    purposes: Vec<WrittenPurpose>,
    concerns: Vec<ConcernPlaces>,
}

fn of_file(file: &ParsedFile) -> FileFacts {
    // Options and routes of tests are made up for the test.
    let is_test = role_of(&file.outline.path) == PathRole::Test;
    let mut facts = Vec::new();
    if is_test {
        facts.extend(settings::of_test(file));
    } else {
        facts.extend(settings::of_file(file));
        facts.extend(routes::of_file(file));
        facts.extend(subcommands::of_file(file));
    }
    FileFacts { facts, purposes: purposes::of_file(file), concerns: concerns::of_file(file) }
}

/// Returns the rank of a file in a tree that is too large: code of the program first.
fn parse_rank(path: &str) -> u8 {
    match role_of(path) {
        PathRole::Runtime => 0,
        PathRole::Build => 1,
        PathRole::Example | PathRole::Docs => 2,
        PathRole::Test | PathRole::Bench => 3,
        PathRole::Generated | PathRole::Vendored => 4,
    }
}

/// Hidden folders that tell how a project is built. A walk leaves out all that is hidden.
const HIDDEN: &[&str] = &[".github/workflows"];

/// Returns the files of hidden folders that facts are read from.
fn hidden(code: &CodeBase) -> Vec<String> {
    let files = code.files();
    let listed = HIDDEN.iter().filter_map(|folder| {
        let listing = files.list(&files.path(Path::new(folder)).ok()?).ok()?;
        let named = listing.entries.into_iter().filter_map(|entry| entry.name.into_string().ok());
        Some(named.map(move |name| format!("{folder}/{name}")))
    });
    listed.flatten().collect()
}

/// Returns the role that a source gives a fact. A document says what the product is for and how it is built; that is no part of the document.
fn role_in(fact: &Fact, path: &str) -> PathRole {
    let is_told = matches!(fact.value.kind(), FactKind::Command | FactKind::Purpose);
    let is_product = matches!(fact.subject, FactSubject::Repository | FactSubject::Project(_));
    match role_of(path) {
        PathRole::Docs if is_told && is_product => PathRole::Runtime,
        role => role,
    }
}

/// Joins the sources of equal facts, and sorts.
fn merge(all: Vec<Fact>) -> Vec<Fact> {
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    let mut merged: Vec<Fact> = Vec::new();
    for mut fact in all.into_iter().map(redact) {
        if let Some(known) = index.get(&fact.id) {
            let sources = &mut merged[*known].sources;
            fact.sources.retain(|source| !sources.contains(source));
            sources.append(&mut fact.sources);
            continue;
        }
        if fact.role == PathRole::Runtime {
            fact.role = fact.sources.first().map_or(fact.role, |source| role_in(&fact, &source.path));
        }
        index.insert(fact.id.clone(), merged.len());
        merged.push(fact);
    }
    // A stable sort: within one subject the order is that of trust.
    merged.sort_by(|a, b| (a.value.kind(), &a.subject).cmp(&(b.value.kind(), &b.subject)));
    merged
}

impl Texts<'_> {
    /// Returns the text of a file; `None` if it is gone, too large or no text. Comments in Markdown are spaces.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let (_, text) = self.code.text(path).ok()?;
        if !is_markdown(path) {
            return Some(text);
        }
        match without_html_comments(&text) {
            Cow::Borrowed(_) => Some(text),
            Cow::Owned(shown) => Some(shown),
        }
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        self.paths.iter()
    }

    /// Returns the files below a folder that ends in `/`.
    pub(crate) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a String> {
        self.paths.range(folder.to_owned()..).take_while(move |path| path.starts_with(folder))
    }
}
