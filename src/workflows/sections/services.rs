//! Dependencies of the nodes: the model, the prompts, the package. Nothing here is part of a state; the
//! package is read when a node first needs it, and again after a resume.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use tokio::sync::{OnceCell, Semaphore};

use super::fetch::PageSource;
use super::input::{SectionsProfile, SectionsSettings};
use super::tools;
use crate::agent::around::off_the_tape;
use crate::engine::{Clock, NodeError, NodeResult};
use crate::llm::{ChatRequest, EmbeddedPrompt, Message, Prices, Prompts, SharedModel, Tape};
use crate::mcp::McpServers;
use crate::readme::package::IntegrationPackage;
use crate::workflows::node_errors::{prompt_error, viewer_error};
use crate::workflows::timestamp::Timestamp;
use crate::workflows::tool_servers::AgentTools;
use stategraph_base::regular::{Links, read_up_to};

/// Maximum size of a project's README, in bytes.
const README_BYTES: usize = 4 << 20;

/// The embedded prompts, as pairs of file name in `prompts/sections` and text (SEC-85, SEC-176).
pub const PROMPTS: &[EmbeddedPrompt] = &[
    ("agent_instructions.system.md", include_str!("../../../prompts/sections/agent_instructions.system.md")),
    ("section_generation.user.md", include_str!("../../../prompts/sections/section_generation.user.md")),
    ("revision.user.md", include_str!("../../../prompts/sections/revision.user.md")),
    ("modification.user.md", include_str!("../../../prompts/sections/modification.user.md")),
    ("service_info.user.md", include_str!("../../../prompts/sections/service_info.user.md")),
    (
        "modification_analysis.system.md",
        include_str!("../../../prompts/sections/modification_analysis.system.md"),
    ),
    (
        "modification_analysis.user.md",
        include_str!("../../../prompts/sections/modification_analysis.user.md"),
    ),
    ("critic.system.md", include_str!("../../../prompts/sections/critic.system.md")),
    ("critic.user.md", include_str!("../../../prompts/sections/critic.user.md")),
    ("validator.system.md", include_str!("../../../prompts/sections/validator.system.md")),
    ("validator.user.md", include_str!("../../../prompts/sections/validator.user.md")),
    ("validator_questions.md", include_str!("../../../prompts/sections/validator_questions.md")),
    ("style_rules.md", include_str!("../../../prompts/sections/style_rules.md")),
    ("section_instructions.md", include_str!("../../../prompts/sections/section_instructions.md")),
];

/// The services that the nodes of both graphs get. A viewer of stored threads gets services without
/// resources, with which no node can run.
#[derive(Clone, Default)]
pub struct SectionsServices {
    resources: Option<Arc<SectionsResources>>,
}

/// A function that makes the resources for one package of a batch, given its folder; an error is the reason
/// why that is not possible.
pub type PackageResources = dyn Fn(&Path) -> Result<SectionsResources, String> + Send + Sync;

/// The resources of one run of the workflow `sections` (model, prompts, settings, package, clock and so
/// on), which its nodes share. None of them is stored in a checkpoint.
pub struct SectionsResources {
    /// The model; `None` if rules write.
    pub model: Option<SharedModel>,
    /// Prices of answers that state no cost; `None` if they are not known.
    pub prices: Option<Prices>,
    /// The compiled prompts.
    pub prompts: Arc<Prompts>,
    /// The settings of the run.
    pub settings: SectionsSettings,
    /// Absolute path of the package, or of the README of a project.
    pub package_path: PathBuf,
    /// Working folder, where relative paths start.
    pub folder: PathBuf,
    /// Start of the run.
    pub started: Timestamp,
    /// The clock of the run.
    pub clock: Clock,
    /// The tape that records everything that is read from outside.
    pub tape: Tape,
    /// Source of the pages behind links; `None` if links are not checked.
    pub pages: Option<Arc<dyn PageSource>>,
    /// Servers whose tools the generator can use (SEC-131); `None` unless the user named some.
    pub foreign: Option<McpServers>,
    /// Permits that limit how many sections, or packages of a batch, are written at the same time.
    pub slots: Semaphore,
    /// True for a package of a batch, whose result is part of the batch's summary.
    pub is_in_batch: bool,
    /// Makes the resources for the packages of a batch; `None` outside of one.
    pub packages: Option<Arc<PackageResources>>,
    package: OnceCell<Arc<IntegrationPackage>>,
    all_tools: OnceCell<AgentTools>,
}

impl SectionsResources {
    /// Makes the resources for a package, without tape, pages, prices and servers; the caller sets those
    /// fields. Without a model, rules write.
    pub fn new(
        model: Option<SharedModel>,
        prompts: Arc<Prompts>,
        settings: SectionsSettings,
        package_path: PathBuf,
    ) -> Self {
        Self {
            model,
            prices: None,
            prompts,
            slots: Semaphore::new(settings.parallel.max(1) as usize),
            settings,
            package_path,
            folder: PathBuf::new(),
            started: Timestamp::from_ms(0),
            clock: Clock::SYSTEM,
            tape: Tape::Off,
            pages: None,
            foreign: None,
            is_in_batch: false,
            packages: None,
            package: OnceCell::new(),
            all_tools: OnceCell::new(),
        }
    }

    /// Returns the package. The first call reads it from the disk; the result passes through the tape, so
    /// that a replay reads no file.
    pub async fn package(&self) -> NodeResult<Arc<IntegrationPackage>> {
        let load = async {
            let (path, doc_file) = (self.package_path.clone(), self.settings.doc_file.clone());
            let input = json!({ "package": path.file_name().map(|name| name.to_string_lossy()) });
            let reading = async {
                let profile = self.settings.profile;
                tokio::task::spawn_blocking(move || read_package(&path, &doc_file, profile)).await?
            };
            self.tape.effect("package", input, off_the_tape, reading).await.map(Arc::new)
        };
        self.package.get_or_try_init(|| load).await.cloned()
    }

    /// Returns the tools of the generators (SEC-127): our own and those of the named servers. The servers
    /// are asked for theirs once in a run.
    pub(super) async fn tools(&self, package: &Arc<IntegrationPackage>) -> NodeResult<&AgentTools> {
        let list = async {
            let own = tools::build_toolbox(self, package)?;
            AgentTools::list(own, self.foreign.as_ref(), &self.tape).await
        };
        self.all_tools.get_or_try_init(|| list).await
    }

    /// Renders the prompt with this file name, such as `critic.user.md`, with the variables.
    pub fn render(&self, name: &str, variables: &impl Serialize) -> NodeResult<String> {
        self.prompts.render(name, variables).map_err(prompt_error)
    }

    /// Renders the prompts `<name>.system.md` and `<name>.user.md` as a request with the label `name`.
    pub fn request(&self, name: &str, variables: &impl Serialize) -> NodeResult<ChatRequest> {
        let [system, user] =
            ["system", "user"].map(|part| self.render(&format!("{name}.{part}.md"), variables));
        Ok(ChatRequest::new(name, vec![Message::system(system?), Message::user(user?)]))
    }
}

impl SectionsServices {
    /// Returns services without resources, for viewing stored threads; nodes that run with them fail.
    pub fn viewer() -> Self {
        Self { resources: None }
    }

    /// Makes the services of a run from its resources.
    pub fn new(resources: SectionsResources) -> Self {
        Self { resources: Some(Arc::new(resources)) }
    }

    /// Returns the resources of the run. Fails for the services of a viewer.
    pub fn resources(&self) -> NodeResult<&Arc<SectionsResources>> {
        self.resources.as_ref().ok_or_else(viewer_error)
    }
}

/// Reads the package at a path. For the README of a project it returns a package that has only this
/// document.
fn read_package(path: &Path, doc_file: &str, profile: SectionsProfile) -> NodeResult<IntegrationPackage> {
    match profile {
        SectionsProfile::Package => IntegrationPackage::load_document(path, doc_file).map_err(|error| {
            let hint = error.hint();
            NodeError::from(error).permanent().with_hint(hint)
        }),
        SectionsProfile::Readme => {
            let refused = |reason: String| {
                let error = NodeError::msg(format!("cannot read {}: {reason}", path.display())).permanent();
                error.with_hint("name a README in UTF-8 of at most 4 MiB")
            };
            let bytes = read_up_to(path, README_BYTES, Links::Followed)
                .map_err(|error| refused(error.to_string()))?;
            let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8".to_owned()))?;
            Ok(IntegrationPackage { existing: Some(text), ..IntegrationPackage::default() })
        }
    }
}
