//! Dependencies of the nodes: the model, the prompts, the code base, memory and the session's files. Nothing here is part of the
//! state.

use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;
use tokio::sync::OnceCell;

use super::memory::{Memory, MemoryError, Timestamp, WrittenBy};
use super::offline;
use super::session::{SessionError, SessionFiles};
use super::state::Documentation;
use crate::agent::ForeignTool;
use crate::agent::xml::XmlTools;
use crate::engine::{Clock, NodeError, NodeResult};
use crate::llm::{ChatModel, EmbeddedPrompt, PromptError, Prompts, SharedEmbeddings, SharedModel, Tape};
use crate::mcp::McpServers;
use crate::repo::{CodeBase, FileWriter, Files, PathError, Root};
use crate::workflows::node_errors::viewer_error;
use crate::workflows::tool_servers::list_foreign;

/// The built-in prompts, named as their files in `prompts/doc-phases`.
pub const PROMPTS: &[EmbeddedPrompt] = &[
    ("base.system.md", include_str!("../../../prompts/doc-phases/base.system.md")),
    (
        "architecture_discovery.system.md",
        include_str!("../../../prompts/doc-phases/architecture_discovery.system.md"),
    ),
    (
        "component_deep_dive.system.md",
        include_str!("../../../prompts/doc-phases/component_deep_dive.system.md"),
    ),
    ("cross_cutting.system.md", include_str!("../../../prompts/doc-phases/cross_cutting.system.md")),
    (
        "documentation_generation.system.md",
        include_str!("../../../prompts/doc-phases/documentation_generation.system.md"),
    ),
    ("context.user.md", include_str!("../../../prompts/doc-phases/context.user.md")),
    ("round.user.md", include_str!("../../../prompts/doc-phases/round.user.md")),
    ("continue.user.md", include_str!("../../../prompts/doc-phases/continue.user.md")),
];

/// Folder of the memory, relative to the repository (DOC-10).
pub const MEMORY_FOLDER: &str = ".agentic/memory";

/// Folder of the documents, relative to the repository (DOC-10).
pub const DOCUMENTATION_FOLDER: &str = ".agentic/documentation";

/// Dependencies that the nodes of a run share: model, prompts, code base, the agent's memory and session
/// files. The services of a viewer, which only shows stored threads, have none of them, and nodes that ask
/// for them fail.
pub struct DocServices {
    resources: Option<RunResources>,
}

/// Resources of one run: the agent's memory, model, code base and session files, all opened.
pub(super) struct RunResources {
    pub(super) model: SharedModel,
    pub(super) author: WrittenBy,
    pub(super) prompts: Prompts,
    pub(super) root: Root,
    pub(super) code: Arc<CodeBase>,
    pub(super) memory: Arc<Memory>,
    pub(super) embeddings: Option<SharedEmbeddings>,
    pub(super) session: SessionFiles,
    pub(super) writer: FileWriter,
    pub(super) clock: Clock,
    pub(super) tape: Tape,
    /// Servers whose tools the model can use; `None` unless the user named some.
    pub(super) servers: Option<McpServers>,
    foreign: OnceCell<Vec<ForeignTool>>,
}

/// Error that prevents a run from starting.
#[derive(Debug, Error)]
pub enum ServicesError {
    /// A path below `.agentic` leads out of the repository.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Memory cannot be opened.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The session's files cannot be written.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl ServicesError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Path(error) => error.hint().to_owned(),
            Self::Memory(error) => error.hint(),
            Self::Session(error) => error.hint().to_owned(),
        }
    }
}

/// Opens the agent's memory of the repository at `root` and locks it until the returned value is dropped.
/// `started` is the time stamp of all entries that the run stores.
pub fn open_memory(root: &Root, started: Timestamp) -> Result<Memory, ServicesError> {
    let folder = root.path(MEMORY_FOLDER)?;
    Ok(Memory::open(folder.absolute(), started)?)
}

impl DocServices {
    /// Returns services without resources, to view stored threads. A node that runs with them fails.
    pub fn viewer() -> Self {
        Self { resources: None }
    }

    /// Returns the services of a run in the repository at `root`, with a memory that [`open_memory`] opened and the model
    /// `model` (DOC-14).
    pub fn new(
        root: Root,
        memory: Memory,
        model: SharedModel,
        prompts: Prompts,
        run: &Documentation,
    ) -> Result<Self, ServicesError> {
        let name = model.name();
        let author = if name == offline::rules().name() {
            WrittenBy::Rules
        } else {
            WrittenBy::Model(name.to_string())
        };
        let files: Arc<dyn Files> = Arc::new(root.clone());
        // What rules find can be computed again: one flush a phase instead of one for each file.
        let writer = match author {
            WrittenBy::Rules => FileWriter::default().deferred(),
            WrittenBy::Model(_) => FileWriter::default(),
        };
        let memory = memory.with_files(files.clone()).written_by(author.clone()).with_writer(writer);
        let model: SharedModel = Arc::new(XmlTools::new(model).offer(run.settings.tools.into()));
        let resources = RunResources {
            model,
            author,
            prompts,
            code: Arc::new(CodeBase::new(files)),
            memory: Arc::new(memory),
            embeddings: None,
            session: SessionFiles::new(&root, run.clone())?.with_writer(writer),
            writer,
            root,
            clock: Clock::SYSTEM,
            tape: Tape::Off,
            servers: None,
            foreign: OnceCell::new(),
        };
        Ok(Self { resources: Some(resources) })
    }

    /// Replaces the system clock, from which the start and end of phases are read.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        if let Some(resources) = &mut self.resources {
            resources.clock = clock;
        }
        self
    }

    /// Sets the tape that records what tools read from the code base, for a later replay.
    #[must_use]
    pub fn with_tape(mut self, tape: Tape) -> Self {
        if let Some(resources) = &mut self.resources {
            resources.tape = tape;
        }
        self
    }

    /// Sets the model that ranks memory queries by meaning; `None` ranks by words (DOC-99).
    #[must_use]
    pub fn with_embeddings(mut self, model: Option<SharedEmbeddings>) -> Self {
        if let Some(resources) = &mut self.resources {
            resources.embeddings = model;
        }
        self
    }

    /// Sets the servers whose tools the model can use in the phases that read the code; `None` for none (SEC-131).
    #[must_use]
    pub fn with_servers(mut self, servers: Option<McpServers>) -> Self {
        if let Some(resources) = &mut self.resources {
            resources.servers = servers;
        }
        self
    }

    /// Returns the resources of the run. Fails for the services of a viewer.
    pub(super) fn resources(&self) -> NodeResult<&RunResources> {
        self.resources.as_ref().ok_or_else(viewer_error)
    }
}

impl RunResources {
    /// Returns true if the rules explore in place of a language model.
    pub(super) fn is_rules(&self) -> bool {
        self.author == WrittenBy::Rules
    }

    /// Returns the tools that the user's MCP servers offer; empty without servers. The servers are asked once
    /// a run; a replay takes the list from the tape.
    pub(super) async fn foreign(&self) -> NodeResult<&[ForeignTool]> {
        let list = list_foreign(self.servers.as_ref(), &self.tape);
        self.foreign.get_or_try_init(|| list).await.map(Vec::as_slice)
    }

    /// Flushes the deferred writes of the agent's memory and session files to the disk, before a checkpoint
    /// builds on them. Only runs of the offline rules defer writes.
    pub(super) fn flush(&self) -> NodeResult<()> {
        self.writer.flush(self.root.absolute()).map_err(SessionError::from).map_err(storage_error)
    }

    /// Returns the current time, to the second.
    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.clock.now_ms())
    }

    /// Renders the prompt file `name` (such as `round.user.md`) with these variables. An error is permanent,
    /// because a retry would render the same.
    pub(super) fn render_prompt(&self, name: &str, variables: &impl Serialize) -> NodeResult<String> {
        self.prompts.render(name, variables).map_err(|error: PromptError| {
            let hint = error.hint();
            let error = NodeError::from(error).permanent();
            match hint {
                Some(hint) => error.with_hint(hint),
                None => error,
            }
        })
    }
}

/// Converts a failed write of the agent's memory or session files to a permanent node error with a hint.
/// Everything stored before it stays.
pub(super) fn storage_error(error: impl Into<ServicesError>) -> NodeError {
    let error = error.into();
    let hint = format!("{}, then resume: nothing that was answered is asked again", error.hint());
    NodeError::from(error).permanent().with_hint(hint)
}
