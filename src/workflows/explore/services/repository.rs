//! Repository of a run; its facts, findings and list of files are computed when they are first read.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use stategraph_code_tools::CodeTools;

use super::citations::{find_unknown, places};
use crate::facts::{Facts, FactsCache, PathRole};
use crate::repo::{CodeBase, Language, Root, WalkLimits, is_plain};
use crate::workflows::explore::rules::FindingIndex;
use crate::workflows::own_files::WithoutOwnFiles;

/// Repository of a run with its facts and findings, which all agents share.
pub struct ExploredRepository {
    /// The files and their outlines.
    pub code: Arc<CodeBase>,
    root: Root,
    cache: Option<FactsCache>,
    facts: Arc<OnceLock<Facts>>,
    findings: OnceLock<FindingIndex>,
    paths: OnceLock<BTreeSet<String>>,
}

impl ExploredRepository {
    /// Opens the files below `root`. Files and folders in `own`, which this program wrote, are left
    /// out. `cache` stores facts between runs.
    pub fn new(root: Root, own: &[PathBuf], cache: Option<FactsCache>) -> Self {
        let code = Arc::new(CodeBase::new(WithoutOwnFiles::hide(Arc::new(root.clone()), own)));
        Self { code, root, cache, facts: Arc::default(), findings: OnceLock::new(), paths: OnceLock::new() }
    }

    /// Returns the facts. The first call computes them on all cores; concurrent calls wait for it.
    pub fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| match &self.cache {
            Some(cache) => Facts::collect_cached(&self.code, cache),
            None => Facts::collect(&self.code),
        })
    }

    /// Returns the findings of the rules. The first call collects them.
    pub fn findings(&self) -> &FindingIndex {
        self.findings.get_or_init(|| FindingIndex::of(&self.code, self.facts()))
    }

    /// Returns the tools that read code, over this repository. They share its facts and show line
    /// numbers, which findings cite.
    pub fn tools(&self) -> CodeTools {
        let tools = CodeTools::sharing(self.root.clone(), self.code.clone(), self.facts.clone());
        tools.cache(self.cache.clone()).with_line_numbers()
    }

    /// Returns the paths of all files, relative to the repository.
    pub fn paths(&self) -> &BTreeSet<String> {
        self.paths.get_or_init(|| {
            let walk = self.code.files().walk(WalkLimits::default());
            let plain = walk.files.iter().map(|file| file.path.relative()).filter(|path| is_plain(path));
            plain.map(|path| path.to_string_lossy().into_owned()).collect()
        })
    }

    /// Returns the files in known languages, without generated and vendored ones. A repository without
    /// such files returns all its files instead.
    pub fn source_files(&self) -> Vec<String> {
        let is_own = |path: &&String| !matches!(PathRole::of(path), PathRole::Generated | PathRole::Vendored);
        let is_source = |path: &&String| Language::of_path(path.as_str()).is_some();
        let own: Vec<&String> = self.paths().iter().filter(is_own).collect();
        let sources: Vec<String> = own.iter().copied().filter(is_source).cloned().collect();
        if sources.is_empty() { own.into_iter().cloned().collect() } else { sources }
    }

    /// Returns the paths in brackets that a text by rules cites but that do not exist.
    pub fn unknown_places(&self, text: &str) -> Vec<String> {
        self.unknown_citations(&places(text))
    }

    /// Returns the paths that a text of a model cites but that do not exist (EXP-72).
    pub fn unknown_citations(&self, text: &str) -> Vec<String> {
        let mut unknown = find_unknown(text, self.paths());
        // A walk leaves hidden folders out, such as that of the workflows of a CI.
        unknown.retain(|path| self.code.text(path).is_err());
        unknown
    }
}
