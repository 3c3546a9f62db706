//! Collects all facts of a code base. Runs every module of this crate, merges equal facts and sorts them by
//! kind, then by subject.

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
use crate::web_apps::WebApps;
use crate::{
    call_order, commands, concerns, edges, guides, pipelines, projects, purposes, relations, routes,
    settings, subcommands, tools, traces,
};

/// The collected facts of a code base, sorted by kind and subject. Made by [`Facts::collect`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    all: Vec<Fact>,
    sections: Vec<QuotedSection>,
    contributor_sections: Vec<QuotedSection>,
    pipelines: Vec<PipelineSummary>,
    coverage: ParseCoverage,
}

/// Maximum number of files of a tree that are listed.
const WALKED_FILES: usize = 1_000_000;

/// Version of the cached facts of a file: a hash of this crate's sources at build time.
const SOURCES: &str = env!("STATEGRAPH_SOURCE_HASH");

/// Access to the texts of all files of a code base, by path. A file that vanished loses only its own facts.
pub(crate) struct Texts<'a> {
    code: &'a CodeBase,
    paths: BTreeSet<String>,
    web_apps: WebApps,
}

impl Facts {
    /// Collects the facts of a code base. Works on all cores; equal trees give equal facts. Parses every file.
    pub fn collect(code: &CodeBase) -> Self {
        Self::collect_from(code, None)
    }

    /// Collects the facts like [`collect`](Self::collect), but parses only files that are not in the cache,
    /// and adds these to it.
    pub fn collect_cached(code: &CodeBase, cache: &FactsCache) -> Self {
        let pack = cache.pack(code.files().repo_path());
        let facts = Self::collect_from(code, pack.as_ref().map(|pack| pack as &dyn PartStore));
        if let Some(pack) = pack {
            cache.save(pack);
        }
        facts
    }

    /// Collects the facts of a code base; `store` holds the parsed results of earlier runs, `None` parses
    /// every file.
    fn collect_from(code: &CodeBase, store: Option<&dyn PartStore>) -> Self {
        // All readers see a file as it was first read.
        let code = &CodeBase::new(Arc::new(FilesSnapshot::new(Arc::clone(code.files()))));
        let limits = WalkLimits { files: WALKED_FILES, ..WalkLimits::default() };
        let walk: Walk = code.files().walk(limits);
        let mut paths: BTreeSet<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
        paths.extend(hidden(code));
        paths.extend(ignored_programs(code, &paths));
        let web_apps = WebApps::find(&paths, |path| code.text(path).ok().map(|(_, text)| text));
        let texts = Texts { code, paths, web_apps };
        let metadata = project(&**code.files(), &walk);
        let request = TreeParse { store, digest_version: SOURCES, rank: &parse_rank, ..TreeParse::default() };
        // Documents are read on one core, and so are the edges between files computed.
        let (ParsedTree { files, dependencies, coverage }, told) = thread::scope(|scope| {
            let told = scope.spawn(|| {
                let quoted = (guides::quoted_sections(&texts), guides::contributor_sections(&texts));
                let whole = (quoted, pipelines::pipelines(&texts));
                (of_documents(&metadata, &texts), purposes::of_lists(&texts), whole)
            });
            let parsed = code.parse_all(&walk, &request, of_file);
            (parsed, told.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (mut all, lists, ((sections, contributor_sections), pipelines)) = told;
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
            projects::settle_scopes(&outlines, &mut all);
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
        Self { all: merge(all, &texts), sections, contributor_sections, pipelines, coverage }
    }

    /// Returns how much of the code base was parsed. A tree with very much code is parsed only in part.
    pub fn coverage(&self) -> ParseCoverage {
        self.coverage
    }

    /// Returns the sections quoted from the documentation for users; those of the README come first.
    pub fn sections(&self) -> &[QuotedSection] {
        &self.sections
    }

    /// Returns the sections quoted from the documentation for contributors, and those of the README about development.
    pub fn contributor_sections(&self) -> &[QuotedSection] {
        &self.contributor_sections
    }

    /// Returns summaries of the CI workflows that check and release the project.
    pub fn pipelines(&self) -> &[PipelineSummary] {
        &self.pipelines
    }

    /// Returns all facts, sorted by kind and subject.
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

/// Returns the names of the programs that the project builds for its users; one-letter names and programs
/// of tests or examples are left out.
fn programs(all: &[Fact]) -> BTreeSet<String> {
    let named = all.iter().filter_map(|fact| match &fact.value {
        FactValue::Target { target: TargetKind::Program, name, entry } => {
            matches!(role_of(entry), PathRole::Runtime).then(|| name.clone())
        }
        _ => None,
    });
    named.filter(|name| name.len() > 1).collect()
}

/// Returns, in lower case, the last name segment of the project in the root and the names in `programs`.
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

/// Collects the facts from manifests, documents and data files.
fn of_documents(metadata: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let mut found = projects::facts(metadata, texts);
    found.extend(tools::facts(metadata, texts));
    found.extend(commands::facts(metadata, texts, &programs(&found)));
    found.extend(purposes::of_documents(metadata, texts));
    found.extend(guides::facts(texts));
    found
}

/// Collects the facts that follow from relations between definitions of several files.
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

/// Result for one source file, stored in the cache: its facts, and findings that become facts once the
/// other files are known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FileFacts {
    facts: Vec<Fact>,
    purposes: Vec<WrittenPurpose>,
    concerns: Vec<ConcernPlaces>,
}

/// Collects the facts of one parsed file. Of a test file only a few settings are read, because tests make
/// up options and routes.
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

/// Returns the priority at which a file is parsed if the tree is too large; 0, the code of the program, is
/// first.
fn parse_rank(path: &str) -> u8 {
    match role_of(path) {
        PathRole::Runtime => 0,
        PathRole::Build => 1,
        PathRole::Example | PathRole::Docs => 2,
        PathRole::Test | PathRole::Bench => 3,
        PathRole::Generated | PathRole::Vendored => 4,
    }
}

/// Hidden folders that are read although a walk leaves them out, because they tell how a project is built.
const HIDDEN: &[&str] = &[".github/workflows"];

/// Returns the paths of the files in hidden folders that are read nevertheless, such as
/// `.github/workflows`.
fn hidden(code: &CodeBase) -> Vec<String> {
    let files = code.files();
    let listed = HIDDEN.iter().filter_map(|folder| {
        let listing = files.list(&files.path(Path::new(folder)).ok()?).ok()?;
        let named = listing.entries.into_iter().filter_map(|entry| entry.name.into_string().ok());
        Some(named.map(move |name| format!("{folder}/{name}")))
    });
    listed.flatten().collect()
}

/// Returns the files of Go programs in the folders of `cmd` that a `.gitignore` excludes. The rule `shop` means
/// the program that a build puts into the root, and hides `cmd/shop` too.
fn ignored_programs(code: &CodeBase, walked: &BTreeSet<String>) -> Vec<String> {
    if !walked.contains("go.mod") {
        return Vec::new();
    }
    let files = code.files();
    let names = |folder: &str| -> Vec<String> {
        let listing = files.path(Path::new(folder)).ok().and_then(|path| files.list(&path).ok());
        let entries = listing.into_iter().flat_map(|listing| listing.entries);
        entries.filter_map(|entry| entry.name.into_string().ok()).collect()
    };
    let mut found = Vec::new();
    for program in names("cmd") {
        let folder = format!("cmd/{program}");
        let below = format!("{folder}/");
        if !walked.range(below.clone()..).next().is_some_and(|path| path.starts_with(&below)) {
            let sources = names(&folder).into_iter().filter(|name| name.ends_with(".go"));
            found.extend(sources.map(|name| format!("{below}{name}")).filter(|path| !walked.contains(path)));
        }
    }
    found
}

/// Returns the role of a fact that comes from the file `path`. A command or purpose of the product counts
/// as `Runtime` although it stands in a document.
fn role_in(fact: &Fact, path: &str, texts: &Texts) -> PathRole {
    let is_told = matches!(fact.value.kind(), FactKind::Command | FactKind::Purpose);
    let is_product = matches!(fact.subject, FactSubject::Repository | FactSubject::Project(_));
    match texts.role_of(path) {
        PathRole::Docs if is_told && is_product => PathRole::Runtime,
        // A `setup.py` builds the project that it declares.
        PathRole::Build
            if matches!(fact.value.kind(), FactKind::Project | FactKind::Target)
                && path.ends_with("setup.py") =>
        {
            PathRole::Runtime
        }
        role => role,
    }
}

/// Merges facts with equal ids into one with all their sources, removes secrets, sets the roles, and sorts
/// by kind and subject.
fn merge(all: Vec<Fact>, texts: &Texts) -> Vec<Fact> {
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
            fact.role = fact.sources.first().map_or(fact.role, |source| role_in(&fact, &source.path, texts));
        }
        index.insert(fact.id.clone(), merged.len());
        merged.push(fact);
    }
    // A stable sort: within one subject the order is that of trust.
    merged.sort_by(|a, b| (a.value.kind(), &a.subject).cmp(&(b.value.kind(), &b.subject)));
    merged
}

impl Texts<'_> {
    /// Returns the text of a file; `None` if it is gone, too large or no text. In Markdown, HTML comments
    /// become spaces.
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

    /// Returns the role of a file (program, test, document, …). A folder `website` that holds a program is no
    /// folder of documents.
    pub(crate) fn role_of(&self, path: &str) -> PathRole {
        self.web_apps.role_of(path)
    }

    /// Returns true if the walk found a file of this path.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Returns the paths of all files, sorted.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        self.paths.iter()
    }

    /// Returns the paths that begin with `folder`, which ends in `/`.
    pub(crate) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a String> {
        self.paths.range(folder.to_owned()..).take_while(move |path| path.starts_with(folder))
    }
}
