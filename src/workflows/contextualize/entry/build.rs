//! The parts that the three commands share: the services of a run, the errors, the report.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::PROMPTS_FOLDER;
use crate::definition::Registry;
use crate::engine::{Durability, SharedHost, State, ThreadId};
use crate::facts::FactsCache;
use crate::llm::{
    ChatModel as _, ModelError, Offline, Prices, ProviderConfig, Providers, Seconds, SharedModel, is_local,
};
use crate::workflows::config;
use crate::workflows::contextualize::arguments::{self, ContextInput};
use crate::workflows::contextualize::input::{CallLimits, ContextCommand, ContextSettings, RunMode};
use crate::workflows::contextualize::progress::{ReportInput, format_report, is_complete};
use crate::workflows::contextualize::services::{ContextResources, ContextServices, PROMPTS, limit_tokens};
use crate::workflows::contextualize::source::RepositorySource;
use crate::workflows::contextualize::state::ContextRun;
use crate::workflows::shared_arguments::api_key;
use crate::workflows::timestamp::Timestamp;
use crate::workflows::tool_servers::open_named_servers;
use crate::workflows::workflow::{
    Acceptance, ArgValues, EmbeddedGraph, PreparedRun, Report, Setting, WorkflowError,
};

/// Prices of a model whose prices are not known, in dollars per million tokens (CTX-91).
const USUAL_PRICES: Prices = Prices { input: 3.0, output: 15.0 };

/// 0.7 requests a second (CTX-69).
const REQUESTS_PER_MINUTE: Option<NonZeroU32> = NonZeroU32::new(42);
/// Requests that may start at once (CTX-69).
const BURST: Option<NonZeroU32> = NonZeroU32::new(20);

/// Compiles a graph with the services of a run.
pub(super) fn compile<S: State>(
    graph: EmbeddedGraph,
    registry: &Registry<S, ContextServices>,
    services: ContextServices,
    setting: &Setting,
) -> Result<SharedHost, WorkflowError> {
    Ok(Arc::new(setting.compile(graph, registry, services)?))
}

/// Builds the services of a run: the model with its limits and prices, prompts, cache and servers of tools.
/// An error for agent mode without a language model.
pub(super) fn build_services(
    input: &ContextInput,
    given: &ArgValues,
    setting: &Setting,
) -> Result<ContextServices, WorkflowError> {
    let prompts = setting.prompts(PROMPTS_FOLDER, PROMPTS)?;
    let settings = &input.settings;
    if settings.mode == RunMode::Agent && settings.is_offline() {
        return Err(WorkflowError::msg(
            "agent mode needs a model that selects the tools, and none was named",
        )
        .with_hint("name one: `--model PROVIDER/MODEL`; without a model leave `--mode agent` out"));
    }
    let BuiltModel { model, prices, is_throttled } = build_model(input, given, setting)?;
    let is_rules = settings.is_offline();
    let model =
        if is_throttled { limit_tokens(model, settings.calls.effective_tokens_per_minute()) } else { model };
    let env = setting.env.clone();
    let mut resources = ContextResources::new(model, prompts);
    resources.prices = prices.filter(|_| !is_rules);
    resources.folder.clone_from(&setting.folder);
    resources.cache = FactsCache::of_user(|name| env.var(name));
    resources.env = env;
    resources.options = input.options;
    resources.output = given.path("output");
    resources.clock = setting.taped_clock();
    resources.tape = setting.tape.clone();
    if settings.why_without_servers().is_none() {
        resources.foreign = open_named_servers(given, setting);
    }
    Ok(ContextServices::new(resources))
}

/// The model of a run, with its prices and the need for a limit of tokens.
struct BuiltModel {
    model: SharedModel,
    /// Prices; `None` for rules and for a model on this machine.
    prices: Option<Prices>,
    /// True if the tokens of a minute are limited: not for a model on this machine, unless the user sets the limit.
    is_throttled: bool,
}

/// Builds the named model with the limits of the settings, and finds its prices.
fn build_model(
    input: &ContextInput,
    given: &ArgValues,
    setting: &Setting,
) -> Result<BuiltModel, WorkflowError> {
    let name = &input.settings.model;
    let key = api_key(given)?;
    let mut configs = config::endpoints(given, setting)?;
    let providers = |configs| {
        let offline = Offline::builder().build();
        let providers = Providers::new(input.env.clone()).tape(setting.tape.clone()).offline(offline);
        let providers = providers.configured(configs)?;
        match key {
            Some(key) => providers.key_of(name, key),
            None => Ok(providers),
        }
    };
    let named = providers(configs.clone()).map_err(model_error)?;
    let provider = named.model(name).map_err(model_error)?.name().provider().to_owned();
    let Some((address, _)) = named.address(&provider) else {
        let model = named.model(name).map_err(model_error)?;
        return Ok(BuiltModel { model, prices: None, is_throttled: false });
    };
    let is_here = is_local(address);
    let config = configs.entry(provider).or_default();
    apply_limits(&input.settings.calls, is_here, config);
    let limited = providers(configs).map_err(model_error)?;
    let model = limited.model(name).map_err(model_error)?;
    let prices = limited.prices(model.name()).or_else(|| (!is_here).then_some(USUAL_PRICES));
    let default = CallLimits::default().effective_tokens_per_minute();
    let is_throttled = !is_here || input.settings.calls.effective_tokens_per_minute() != default;
    Ok(BuiltModel { model, prices, is_throttled })
}

/// Sets the limits of the settings in the configuration of a provider, where it states none (CTX-69, CTX-73).
/// A model on this machine (`is_here`) gets a time limit only if the user set one.
fn apply_limits(calls: &CallLimits, is_here: bool, config: &mut ProviderConfig) {
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok().map(Seconds::new);
    config.requests_per_minute = config.requests_per_minute.or(REQUESTS_PER_MINUTE);
    config.burst = config.burst.or(BURST);
    config.retry.attempts = config.retry.attempts.or(Some(calls.attempts));
    config.retry.base_s = config.retry.base_s.or(seconds(calls.initial_wait_s));
    // A model on this machine may need minutes for a long prompt, so that only a limit of the user holds for it.
    let is_set = calls.timeout_s.total_cmp(&CallLimits::default().timeout_s).is_ne();
    if !is_here || is_set {
        // The time to the first token, and the pause between tokens; a long answer is no failure while tokens arrive.
        config.first_token_timeout_s = config.first_token_timeout_s.or(seconds(calls.timeout_s));
        config.idle_timeout_s = config.idle_timeout_s.or(seconds(calls.timeout_s));
    }
    let max_tokens = calls.max_output_tokens.and_then(NonZeroU32::new);
    config.max_tokens = config.max_tokens.or(max_tokens);
}

/// Returns the input of a resumed run: the stored settings, and the options and environment of this process.
/// A model named now replaces the stored one.
pub(super) fn resumed_input(
    command: ContextCommand,
    stored: &ContextSettings,
    given: &ArgValues,
    setting: &Setting,
) -> Result<ContextInput, WorkflowError> {
    let now = arguments::read_input(command, given, setting)?;
    let mut settings = stored.clone();
    if given.is_given("model") {
        settings.model.clone_from(&now.settings.model);
    }
    Ok(ContextInput { settings, ..now })
}

/// Returns the input that the state of a new run stores: settings, repository, and the current time.
pub(super) fn begin_run(input: &ContextInput, source: RepositorySource, setting: &Setting) -> ContextRun {
    let started = Timestamp::from_ms(setting.taped_clock().now_ms());
    ContextRun { settings: input.settings.clone(), source, started }
}

/// Serializes the first state and prepares a new run. A run of rules gets asynchronous durability: its steps
/// can be computed again, so none waits for the disk.
pub(super) fn prepare_run(
    host: SharedHost,
    state: &impl Serialize,
    thread: ThreadId,
    input: ContextInput,
) -> Result<PreparedRun, WorkflowError> {
    let state = serde_json::to_value(state).map_err(|error| WorkflowError::new(error, None))?;
    let durability = if input.settings.is_offline() { Durability::ASYNC } else { Durability::default() };
    Ok(PreparedRun { notes: input.notes, durability, ..PreparedRun::anew(host, state, thread) })
}

/// Parses a stored state; the error tells that another version wrote it.
pub(super) fn parse_state<S: DeserializeOwned>(state: &RawValue) -> Result<S, WorkflowError> {
    serde_json::from_str(state.get()).map_err(|error| {
        let hint = "the thread was not written by this version of `contextualize`".to_owned();
        WorkflowError::new(error, Some(hint))
    })
}

/// Builds the report of a finished run: accepted if it is complete, with its lines, the written file and the
/// text for standard output.
pub(super) fn report(input: &ReportInput<'_>) -> Report {
    let acceptance = if is_complete(input) { Acceptance::Accepted } else { Acceptance::NotAccepted };
    let files = input.written.iter().filter(|_| input.document.is_none());
    let outputs = files.map(|written| written.path.clone()).collect();
    let document = input.document.map(str::to_owned);
    Report { acceptance, lines: format_report(input), outputs, result: None, document }
}

fn model_error(error: ModelError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, hint)
}
