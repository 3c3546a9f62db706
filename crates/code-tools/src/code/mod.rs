//! The tools that need a parsed code base or its facts, one file each, the cheapest first (CTX-37, 39):
//! search, outline, one symbol, lines, references.

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

/// Maximum number of characters of an answer of these tools (CTX-85); the rest is cut.
pub const ANSWER_CHARS: usize = 6_000;

/// A value, or the output that tells the model why the call was refused or failed.
type OrRefusal<T> = Result<T, Box<ToolOutput>>;

/// The code base that all tools of a catalogue read, with its settings. Clones are cheap and share the
/// collected facts.
#[derive(Clone)]
pub struct CodeTools {
    root: Root,
    code: Arc<CodeBase>,
    cache: Option<FactsCache>,
    facts: Arc<OnceLock<Facts>>,
    /// True if `read_lines` and `read_file` put the line number before each line.
    has_line_numbers: bool,
}

impl CodeTools {
    /// Opens the code base below `root` for the tools.
    pub fn new(root: Root) -> Self {
        let code = Arc::new(CodeBase::new(Arc::new(root.clone())));
        Self { root, code, cache: None, facts: Arc::default(), has_line_numbers: false }
    }

    /// Uses a code base that is open already, and shares its facts with the caller.
    pub fn sharing(root: Root, code: Arc<CodeBase>, facts: Arc<OnceLock<Facts>>) -> Self {
        Self { root, code, cache: None, facts, has_line_numbers: false }
    }

    /// Makes `read_lines` and `read_file` put the line number before each line, as in `12 | text`, for
    /// models that cite lines.
    #[must_use]
    pub fn with_line_numbers(mut self) -> Self {
        self.has_line_numbers = true;
        self
    }

    /// Sets the disk cache of parsed files that is used when the facts are collected; `None` uses none.
    #[must_use]
    pub fn cache(mut self, cache: Option<FactsCache>) -> Self {
        self.cache = cache;
        self
    }

    /// Returns a toolbox with all tools of [`TOOLS`](super::TOOLS).
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

    /// Resolves a path that a model wrote, relative to the root; the error is the answer that refuses it.
    fn path(&self, typed: &str) -> OrRefusal<RepoPath> {
        self.root.path(typed).map_err(|error| Box::new(refused_path(&error)))
    }

    /// Resolves a path that a model wrote and reads the text of the file; the error is the answer with the
    /// reason.
    fn text(&self, typed: &str) -> OrRefusal<(RepoPath, String)> {
        self.code.text(typed).map_err(|error| Box::new(no_text(&error)))
    }
}

/// Returns the answer for a file without text: a refusal if the path was refused, a failure if it could not
/// be read (DOC-67).
pub fn no_text(error: &NoText) -> ToolOutput {
    match error {
        NoText::Path(path) => refused_path(path),
        NoText::Read(read) => unreadable(read),
    }
}

/// Returns the answer of a failed call: the error and its hint.
fn fail(error: &impl std::fmt::Display, hint: Option<&str>) -> Box<ToolOutput> {
    Box::new(ToolOutput::failed(add_hint(error, hint)))
}

/// Returns the tool output of a result, whether it is an answer or a refusal.
fn either(result: OrRefusal<ToolOutput>) -> ToolOutput {
    result.unwrap_or_else(|failure| *failure)
}
