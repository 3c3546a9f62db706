//! An opened repository with its facts, which are computed when they are first read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use stategraph_code_tools::CodeTools;

use super::{ContextResources, RepositoryPlace};
use crate::engine::{NodeError, NodeResult};
use crate::facts::{Facts, FactsCache};
use crate::repo::{CodeBase, Root};
use crate::workflows::contextualize::context_file::ContextPaths;
use crate::workflows::contextualize::input::ContextSettings;
use crate::workflows::contextualize::source::OpenedRepository;
use crate::workflows::own_files::WithoutOwnFiles;

/// An opened repository. A clone is removed when this value is dropped.
pub struct OpenRepository {
    /// The files and their outlines.
    pub code: Arc<CodeBase>,
    /// The source with its root and its commit.
    pub source: OpenedRepository,
    root: Root,
    cache: Option<FactsCache>,
    facts: Arc<OnceLock<Facts>>,
}

impl OpenRepository {
    /// Opens the repository of a run; a remote one is cloned. Files that runs of this program write are
    /// hidden.
    pub(super) async fn open(place: RepositoryPlace<'_>, resources: &ContextResources) -> NodeResult<Self> {
        let ContextResources { clone_options, env, cache, .. } = resources;
        let opened = place.source.open(place.commit, clone_options, &**env).await.map_err(|error| {
            let hint = error.hint();
            NodeError::from(error).permanent().with_hint(hint)
        })?;
        let root = opened.root().clone().ignoring(place.settings.scan.ignored.iter());
        let mut own = own_paths(place.settings, &resources.folder, opened.name());
        own.extend(resources.output.iter().map(|output| resources.folder.join(output)));
        let code = Arc::new(CodeBase::new(WithoutOwnFiles::hide(Arc::new(root.clone()), &own)));
        // A clone has another path each time.
        let cache = cache.clone().filter(|_| !opened.is_clone());
        Ok(Self { code, source: opened, root, cache, facts: Arc::default() })
    }

    /// Returns the facts. The first call computes them, on all cores; others wait for it.
    pub fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| match &self.cache {
            Some(cache) => Facts::collect_cached(&self.code, cache),
            None => Facts::collect(&self.code),
        })
    }

    /// Returns the tools of the code catalogue for this repository. They share its facts.
    pub fn tools(&self) -> CodeTools {
        let tools = CodeTools::sharing(self.root.clone(), self.code.clone(), self.facts.clone());
        tools.cache(self.cache.clone()).with_line_numbers()
    }
}

/// Returns the paths that this program writes for a repository: the output file that the user named, and the
/// repository's folder below the output folder.
fn own_paths(settings: &ContextSettings, folder: &Path, repository: &str) -> Vec<PathBuf> {
    let paths = ContextPaths::new(&settings.output_dir, repository);
    settings.output.iter().cloned().chain([paths.folder().to_owned()]).map(|path| folder.join(path)).collect()
}
