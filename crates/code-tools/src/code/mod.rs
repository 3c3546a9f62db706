//! The tools that know code and facts, cheapest first (CTX-37, 39): search, outline, one symbol, lines, references. One file a tool.

mod facts;
mod find_references;
mod get_file_outline;
mod grep_in_files;
mod read_lines;
mod read_symbol;
mod search_for_files;

use std::sync::{Arc, OnceLock};

use stategraph_agent::{ToolOutput, Toolbox, ToolboxError};
use stategraph_facts::{Facts, FactsCache};
use stategraph_repo::{CodeBase, NoText, RepoPath, Root};

use super::{ListDirectory, ReadFile, add_hint, refused_path, unreadable};

pub use facts::{FactKindName, FindFacts, FindFactsArguments};
pub use find_references::{FindReferences, FindReferencesArguments};
pub use get_file_outline::{GetFileOutline, GetFileOutlineArguments};
pub use grep_in_files::{GrepInFiles, GrepInFilesArguments};
pub use read_lines::{ReadLines, ReadLinesArguments, excerpt};
pub use read_symbol::{ReadSymbol, ReadSymbolArguments};
pub use search_for_files::{SearchForFiles, SearchForFilesArguments};

/// Maximum number of characters of an answer of these tools (CTX-85).
pub const ANSWER_CHARS: usize = 6_000;

/// A value, or the output of a call that was refused or failed.
type OrRefusal<T> = Result<T, Box<ToolOutput>>;

/// The code base that the tools of one catalogue read. Cheap to clone; clones share the facts.
#[derive(Clone)]
pub struct CodeTools {
    root: Root,
    code: Arc<CodeBase>,
    cache: Option<FactsCache>,
    facts: Arc<OnceLock<Facts>>,
    /// True if `read_lines` and `read_file` put its number before each line.
    has_line_numbers: bool,
}

impl CodeTools {
    /// Makes the tools for the files below `root`.
    pub fn new(root: Root) -> Self {
        let code = Arc::new(CodeBase::new(Arc::new(root.clone())));
        Self { root, code, cache: None, facts: Arc::default(), has_line_numbers: false }
    }

    /// Makes the tools for a code base that is open already, and shares its facts.
    pub fn sharing(root: Root, code: Arc<CodeBase>, facts: Arc<OnceLock<Facts>>) -> Self {
        Self { root, code, cache: None, facts, has_line_numbers: false }
    }

    /// Puts its number before each line that `read_lines` and `read_file` return, as in `12 | text`, for models that cite the lines.
    #[must_use]
    pub fn with_line_numbers(mut self) -> Self {
        self.has_line_numbers = true;
        self
    }

    /// Sets the cache from which facts are collected.
    #[must_use]
    pub fn cache(mut self, cache: Option<FactsCache>) -> Self {
        self.cache = cache;
        self
    }

    /// Returns the whole catalogue: the tools of [`TOOLS`](super::TOOLS).
    pub fn toolbox(&self) -> Toolbox {
        let read_file = ReadFile::new(self.root.clone());
        let read_file = if self.has_line_numbers { read_file.with_line_numbers() } else { read_file };
        let all = || -> Result<Toolbox, ToolboxError> {
            Toolbox::new()
                .with(FindFacts::new(self.clone()))?
                .with(SearchForFiles::new(self.clone()))?
                .with(GrepInFiles::new(self.clone()))?
                .with(GetFileOutline::new(self.clone()))?
                .with(ReadSymbol::new(self.clone()))?
                .with(ReadLines::new(self.clone()))?
                .with(FindReferences::new(self.clone()))?
                .with(read_file.clone())?
                .with(ListDirectory::new(self.root.clone()))
        };
        all().expect("the names are portable and different")
    }

    /// Returns the facts, which are collected at the first call.
    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| match &self.cache {
            Some(cache) => Facts::collect_cached(&self.code, cache),
            None => Facts::collect(&self.code),
        })
    }

    /// Returns the path that a model named below the root, or the answer that refuses it.
    fn path(&self, typed: &str) -> OrRefusal<RepoPath> {
        self.root.path(typed).map_err(|error| Box::new(refused_path(&error)))
    }

    /// Returns the path and the text of a file, or the answer that says why there is none.
    fn text(&self, typed: &str) -> OrRefusal<(RepoPath, String)> {
        self.code.text(typed).map_err(|error| Box::new(no_text(&error)))
    }
}

/// Returns the answer for a path without text: a refused path is told from a missing file (DOC-67).
pub fn no_text(error: &NoText) -> ToolOutput {
    match error {
        NoText::Path(path) => refused_path(path),
        NoText::Read(read) => unreadable(read),
    }
}

/// Returns the answer of a call that failed for a reason with a hint.
fn fail(error: &impl std::fmt::Display, hint: Option<&str>) -> Box<ToolOutput> {
    Box::new(ToolOutput::failed(add_hint(error, hint)))
}

/// Returns the answer, or the failure.
fn either(result: OrRefusal<ToolOutput>) -> ToolOutput {
    result.unwrap_or_else(|failure| *failure)
}
