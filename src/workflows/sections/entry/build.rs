//! Builds the services of a run and compiles its graphs.

use std::path::Path;
use std::sync::Arc;

use super::{NAME, SECTION_GRAPH, SECTIONS_GRAPH, section_registry, sections_registry};
use crate::agent::Spent;
use crate::definition::Definition;
use crate::engine::{Clock, CompiledGraph, SharedHost};
use crate::llm::layer::{Budgeted, Meter, MeterKey, Metered, UsageTally};
use crate::llm::{
    ChatModel as _, ModelError, ModelErrorKind, Offline, Prices, Prompts, Providers, SharedModel, Tape,
};
use crate::mcp::McpServers;
use crate::workflows::config;
use crate::workflows::sections::fetch::{HttpPages, PageSource};
use crate::workflows::sections::input::{SectionsSettings, SectionsTask};
use crate::workflows::sections::services::{PROMPTS, SectionsResources, SectionsServices};
use crate::workflows::sections::state::{SectionRun, SectionsRun};
use crate::workflows::shared_arguments::api_key;
use crate::workflows::timestamp::Timestamp;
use crate::workflows::tool_servers::open_named_servers;
use crate::workflows::workflow::{ArgValues, Setting, WorkflowError};

/// Compiles the graph of one section with the resources of a run, for programs that run it themselves
/// (SEC-24, SEC-188).
pub fn section_graph(resources: SectionsResources) -> CompiledGraph<SectionRun, SectionsServices> {
    compile_section(SectionsServices::new(resources))
}

/// Compiles the embedded graph of one section with these services.
pub(super) fn compile_section(services: SectionsServices) -> CompiledGraph<SectionRun, SectionsServices> {
    let definition =
        Definition::parse(SECTION_GRAPH.text, SECTION_GRAPH.file).expect("the file is part of the program");
    let graph = definition.build(&section_registry()).expect("the file names registered nodes only");
    graph.compile_with(services).expect("the graph of a section has no defect")
}

/// Compiles the graph of a run with these services, for the command line. The graph files may be the user's
/// own ones.
pub(super) fn build_host(services: SectionsServices, setting: &Setting) -> Result<SharedHost, WorkflowError> {
    let section = setting.compile(SECTION_GRAPH, &section_registry(), services.clone())?;
    Ok(Arc::new(setting.compile(SECTIONS_GRAPH, &sections_registry(&section), services)?))
}

/// Compiles the graph of a document with the resources of a run, for programs that run it themselves, and for the packages of a batch
/// (SEC-20, SEC-25).
pub fn sections_graph(resources: SectionsResources) -> CompiledGraph<SectionsRun, SectionsServices> {
    let services = SectionsServices::new(resources);
    let section = compile_section(services.clone());
    let definition =
        Definition::parse(SECTIONS_GRAPH.text, SECTIONS_GRAPH.file).expect("the file is part of the program");
    let graph = definition.build(&sections_registry(&section)).expect("the file names registered nodes only");
    graph.compile_with(services).expect("the graph of the program has no defect")
}

/// The resources that all packages of a batch share; each package gets its own [`SectionsResources`] from
/// them.
#[derive(Clone)]
struct SharedParts {
    model: Option<SharedModel>,
    prices: Option<Prices>,
    prompts: Arc<Prompts>,
    settings: SectionsSettings,
    folder: std::path::PathBuf,
    tape: Tape,
    pages: Option<Arc<dyn PageSource>>,
    started: Timestamp,
    clock: Clock,
    foreign: Option<McpServers>,
}

impl SharedParts {
    fn resources(&self, package: &Path) -> SectionsResources {
        let mut resources = SectionsResources::new(
            self.model.clone(),
            self.prompts.clone(),
            self.settings.clone(),
            package.to_owned(),
        );
        resources.prices = self.prices;
        resources.folder.clone_from(&self.folder);
        resources.tape = self.tape.clone();
        resources.pages.clone_from(&self.pages);
        resources.foreign.clone_from(&self.foreign);
        resources.started = self.started;
        resources.clock = self.clock.clone();
        resources
    }
}

/// Builds the services of a run: model, prompts, page source, tool servers and, for a batch, the resources
/// of its packages.
pub(super) fn build_services(
    run: &SectionsRun,
    given: &ArgValues,
    setting: &Setting,
) -> Result<SectionsServices, WorkflowError> {
    let (model, prices) = build_model(&run.settings, &run.spent, given, setting)?;
    let pages: Option<Arc<dyn PageSource>> = if run.settings.judges.urls {
        let pages = HttpPages::new().map_err(|error| WorkflowError::new(error, None))?;
        Some(Arc::new(pages))
    } else {
        None
    };
    let shared = SharedParts {
        model,
        prices,
        prompts: Arc::new(setting.prompts(NAME, PROMPTS)?),
        settings: run.settings.clone(),
        folder: setting.folder.clone(),
        tape: setting.tape.clone(),
        pages,
        started: run.started,
        clock: setting.taped_clock(),
        foreign: if run.settings.is_offline() { None } else { open_named_servers(given, setting) },
    };
    let mut resources = shared.resources(&run.package);
    if matches!(run.settings.task, SectionsTask::Batch(_)) {
        let mut each = shared;
        each.settings.task = SectionsTask::Evaluate;
        resources.packages = Some(Arc::new(move |package: &Path| {
            if !package.is_dir() {
                return Err(format!("{} is no folder", package.display()));
            }
            let mut resources = each.resources(package);
            resources.is_in_batch = true;
            Ok(resources)
        }));
    }
    Ok(SectionsServices::new(resources))
}

/// Builds the model with its budget, and returns it with its prices; none if rules write. The amounts that
/// the run has already spent count towards its limits.
fn build_model(
    settings: &SectionsSettings,
    spent: &Spent,
    given: &ArgValues,
    setting: &Setting,
) -> Result<(Option<SharedModel>, Option<Prices>), WorkflowError> {
    if settings.is_offline() {
        return Ok((None, None));
    }
    let name = &settings.model;
    let providers =
        Providers::new(setting.env.clone()).tape(setting.tape.clone()).offline(Offline::builder().build());
    let mut providers = providers.configured(config::endpoints(given, setting)?).map_err(model_error)?;
    if let Some(key) = api_key(given)? {
        providers = providers.key_of(name, key).map_err(model_error)?;
    }
    let model = providers.model(name).map_err(model_error)?;
    let prices = providers.prices(model.name());
    let meter = Meter::default();
    let total = spent.total();
    let key = MeterKey { label: "earlier".to_owned(), model: model.name().clone() };
    meter.add(key, UsageTally { usage: total.usage, cost: total.cost, ..UsageTally::default() });
    let metered = Metered::new(model, meter.clone(), prices);
    Ok((Some(Arc::new(Budgeted::new(metered, meter, settings.budget))), prices))
}

fn model_error(error: ModelError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, hint)
}

/// Returns true for the error that a model has no API key (SEC-17).
pub(super) fn is_missing_key(error: &WorkflowError) -> bool {
    let error: Option<&ModelError> = error.downcast_ref();
    error.is_some_and(|error| matches!(&*error.kind, ModelErrorKind::MissingKey { .. }))
}
