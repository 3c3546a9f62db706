//! Workflow made of a graph file of the user: the inputs of the file are its arguments, the outputs its
//! result. So every command treats the file like a built-in workflow.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::config;
use super::declared_options::{limits, parse_typed, whole_input};
use super::outside_write::OutsideWrite;
use super::tool_servers::{MCP, as_source, list_warnings, open_servers};
use super::workflow::{
    Acceptance, ArgValues, Argument, ArgumentKind, ContinuedRun, EmbeddedGraph, PreparedRun, Report, Setting,
    Workflow, WorkflowError,
};
use crate::agent::{ToolSource, is_foreign};
use crate::definition::inline::{FileOrigin, JsonUpdate, ORIGIN_KEY, SPENT_KEY, ValueLimits};
use crate::definition::kind::Kind;
use crate::definition::{Definition, Diagnostics, InputSpec, SecretSpec};
use crate::engine::{ChannelLifetime, Event, EventKind, SharedHost, ThreadId, Topology};
use crate::kinds::{
    HostPolicy, InputError, Models, Secrets, Services, continuation_update, files, format_spending, graph,
    initial_state, rules, run_context,
};
use crate::llm::{EmbeddedPrompt, ModelError, Providers, SECRET_MIN};
use crate::repo::Root;
use crate::trust::{Capability, TrustRequest};

/// Workflow of a graph file that declares its own channels.
pub struct Declared {
    definition: Definition,
    /// Option name of each input, in the order of the inputs.
    flags: Vec<String>,
}

/// Options that `graph run` has for every workflow. Inputs with such names are given by `--input` only.
const TAKEN: [&str; 24] = [
    "input",
    "context",
    "model",
    "allow-http",
    "limits",
    "config",
    "mcp",
    "thread",
    "restart",
    "checkpoints",
    "durability",
    "step-limit",
    "max-concurrency",
    "break-before",
    "break-after",
    "answer",
    "overrides",
    "record",
    "replay",
    "trust",
    "json",
    "enable-tracing",
    "help",
    "version",
];

/// Arguments that every graph file has besides its inputs.
const ARGUMENTS: &[Argument<'static>] = &[
    Argument {
        name: "input",
        kind: ArgumentKind::Option("JSON|@FILE"),
        about: "All inputs at once: a JSON object, or a file that holds one",
    },
    Argument {
        name: "context",
        kind: ArgumentKind::Option("JSON"),
        about: "Values of this run that the file declares under `context` and that are not stored: a JSON object",
    },
    Argument {
        name: "model",
        kind: ArgumentKind::Option("MODEL"),
        about: "The model of nodes that name none: provider/model, gemini-…, claude-…, gpt-…, or offline",
    },
    Argument {
        name: "allow-http",
        kind: ArgumentKind::Option("HOST[,HOST]"),
        about: "Let the graph send requests to these hosts; `*` for any",
    },
    Argument {
        name: "limits",
        kind: ArgumentKind::Option("NAME=SIZE[,…]"),
        about: "How much values may take: template=4MiB, value=8MiB, state=32MiB, checkpoint=64MiB",
    },
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Where models are [default: ./config.yaml when there]",
    },
    MCP,
];

impl Declared {
    /// Makes a workflow of a graph file; `None` if the file declares no channels but names a state in Rust.
    pub fn new(definition: Definition) -> Option<Self> {
        definition.schema()?;
        let flags = definition.inputs().iter().map(InputSpec::flag).collect();
        Some(Self { definition, flags })
    }

    /// Returns the parsed file.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the graph file that a thread's state names as its own; `None` for a thread of a graph in Rust.
    pub fn origin(state: &RawValue) -> Option<FileOrigin> {
        let state: Map<String, Value> = serde_json::from_str(state.get()).ok()?;
        serde_json::from_value(state.get(ORIGIN_KEY)?.clone()).ok()
    }

    /// Returns the state without the internal entries for its graph file and the spent tokens.
    pub fn without_origin(state: &RawValue) -> Box<RawValue> {
        let Ok(mut channels) = serde_json::from_str::<Map<String, Value>>(state.get()) else {
            return state.to_owned();
        };
        channels.shift_remove(ORIGIN_KEY);
        channels.shift_remove(SPENT_KEY);
        serde_json::value::to_raw_value(&channels).expect("what came from JSON is JSON")
    }

    fn host(
        &self,
        services: Services,
        limits: ValueLimits,
        context: Map<String, Value>,
        setting: &Setting,
    ) -> Result<SharedHost, WorkflowError> {
        let defective = |defects: Diagnostics| WorkflowError::new(defects, None);
        let definition = self.definition.clone().with_limits(limits).with_context(context);
        let graph = graph(&definition).map_err(defective)?;
        let graph = graph.compile_with(services).map_err(|defects| WorkflowError::new(defects, None))?;
        let graph = graph.with_store(setting.store.clone()).with_clock(setting.clock.clone());
        let graph = match &setting.memory {
            Some(memory) => graph.with_long_term(memory.clone()),
            None => graph,
        };
        Ok(match &setting.cache {
            Some(cache) => Arc::new(graph.with_cache(cache.clone())),
            None => Arc::new(graph),
        })
    }

    fn services(&self, given: &ArgValues, setting: &Setting) -> Result<Services, WorkflowError> {
        let secrets = self.secrets(setting)?;
        let providers = Providers::new(setting.env.clone()).tape(setting.tape.clone()).offline(rules());
        let providers = providers.secrets(secrets.redactor().clone());
        let providers = providers.configured(config::endpoints(given, setting)?).map_err(model_error)?;
        let default = given.text("model")?.or(self.definition.model()).unwrap_or("offline");
        let mut models = BTreeMap::new();
        for used in Models::uses(&self.definition) {
            let asked_for = if used.name.is_empty() { default } else { &used.name };
            let model = match used.key.as_deref().map(|variable| (variable, value(variable, setting))) {
                Some((variable, Ok(key))) => providers.model_with_key(asked_for, variable, &key),
                // A defect of the value was reported when the secrets were read.
                Some((_, Err(_))) | None => providers.model(asked_for),
            };
            models.insert(used.clone(), model.map_err(model_error)?);
        }
        let hosts = given.text("allow-http")?.unwrap_or_default().split(',');
        let hosts = hosts.filter(|host| !host.trim().is_empty()).map(str::to_owned);
        let root = Root::open(&setting.folder).map_err(|error| {
            let hint = error.hint();
            WorkflowError::new(error, Some(hint.to_owned()))
        })?;
        let tools = setting.tools.make(&root, setting.env.as_ref());
        let services = Services::new(Models::Named(models));
        let services = match self.foreign_tools(given, setting)? {
            Some(source) => services.foreign_tools(source),
            None => services,
        };
        Ok(services
            .tools(tools)
            .hosts(HostPolicy::allow(hosts))
            .secrets(secrets)
            .clock(setting.taped_clock())
            .tape(setting.tape.clone()))
    }

    /// Returns a source for the tools of servers that the file or its included files name; `None` without
    /// any.
    fn foreign_tools(
        &self,
        given: &ArgValues,
        setting: &Setting,
    ) -> Result<Option<Arc<dyn ToolSource>>, WorkflowError> {
        let files = files(&self.definition);
        let names = files.iter().flat_map(Definition::named_tools).filter(|name| is_foreign(name));
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            return Ok(None);
        }
        Ok(Some(as_source(open_servers(given, setting, &names)?)))
    }

    /// Returns the request to read the variables of the file's secrets, which the user must approve before a
    /// run.
    pub fn trust_request(&self) -> TrustRequest {
        let mut request = TrustRequest::of(self.definition.file());
        for file in files(&self.definition) {
            for SecretSpec { name, variable, line, column, recipients, .. } in file.secrets() {
                let purpose = match recipients.as_slice() {
                    [] => format!("the secret `{name}`"),
                    places => format!("the secret `{name}`, sent to {}", places.join(" and ")),
                };
                let capability = Capability::ReadVariable { name: variable.to_owned(), purpose };
                request.want_in(file.file(), line as u64, column as u64, capability);
            }
        }
        request
    }

    /// Reads the secrets of the file and its included files, after the user has approved their variables.
    fn secrets(&self, setting: &Setting) -> Result<Secrets, WorkflowError> {
        setting.trust.check(&self.trust_request())?;
        let mut secrets = Secrets::none();
        for file in files(&self.definition) {
            let problem = |variable: &str| value(variable, setting).err();
            file.check_secrets(&problem).map_err(|defects| WorkflowError::new(defects, None))?;
            for SecretSpec { name, variable, .. } in file.secrets() {
                let value = value(variable, setting).expect("it was just looked at");
                secrets = secrets.with(variable, name, &value);
            }
        }
        Ok(secrets)
    }

    /// Parses `--context` and returns the context of the run with all declared values.
    fn context(&self, given: &ArgValues) -> Result<Map<String, Value>, WorkflowError> {
        let wrong = |what: &str| {
            WorkflowError::msg(format!("`--context` is {what}"))
                .with_hint("such as --context '{\"user\": \"ada\"}'")
        };
        let given = match given.text("context")?.map(serde_json::from_str) {
            None => Map::new(),
            Some(Ok(Value::Object(values))) => values,
            Some(Ok(_)) => return Err(wrong("no JSON object")),
            Some(Err(error)) => return Err(wrong(&format!("no JSON: {error}"))),
        };
        run_context(&self.definition, &given).map_err(|error| {
            let hint = format!("{}: --context JSON", error.hint());
            WorkflowError::new(error, Some(hint))
        })
    }

    /// Returns the inputs that have an option of their own, with its name.
    fn options(&self) -> impl Iterator<Item = (&str, &InputSpec)> {
        let taken = |flag: &str| TAKEN.contains(&flag) || ["quiet", "verbose"].contains(&flag);
        let all = self.flags.iter().map(String::as_str).zip(self.definition.inputs());
        all.filter(move |(flag, _)| !taken(flag))
    }

    /// Collects the inputs from `--input` and the options, which take precedence.
    fn inputs(&self, given: &ArgValues, setting: &Setting) -> Result<Map<String, Value>, WorkflowError> {
        let mut inputs = match given.text("input")? {
            Some(text) => whole_input(text, setting)?,
            None => Map::new(),
        };
        for (flag, input) in self.options() {
            if let Some(text) = given.text(flag)? {
                inputs.insert(input.name.clone(), parse_typed(input, text)?);
            }
        }
        Ok(inputs)
    }
}

/// Returns false for kinds of nodes that surely ask no model and call no tool. A sub-graph may do so.
fn may_call_model(kind: &Kind) -> bool {
    match kind {
        Kind::Set(_)
        | Kind::Overwrite(_)
        | Kind::Template(_)
        | Kind::Interrupt(_)
        | Kind::Http(_)
        | Kind::Store(_)
        | Kind::Sleep(_)
        | Kind::Fail(_) => false,
        Kind::Map(map) => may_call_model(&map.body),
        Kind::Uses(_) | Kind::Model(_) | Kind::Tool(_) | Kind::Agent(_) | Kind::Subgraph(_) => true,
    }
}

impl Workflow for Declared {
    fn name(&self) -> &str {
        self.definition.name()
    }

    fn about(&self) -> &str {
        self.definition.about()
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        let inputs = self.options().map(|(flag, input)| Argument {
            name: flag,
            kind: ArgumentKind::Input {
                value: input.value_type.basic_type().name(),
                default: input.default.as_ref(),
            },
            about: &input.about,
        });
        inputs.chain(ARGUMENTS.iter().copied()).collect()
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        None
    }

    fn calls_models(&self) -> bool {
        let definition = &self.definition;
        definition.nodes().chain(definition.handlers()).any(|node| may_call_model(node.kind))
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        &[]
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(graph(definition)?.topology())
    }

    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        let inputs = self.inputs(given, setting)?;
        let services = self.services(given, setting)?;
        let host = self.host(services, limits(given)?, self.context(given)?, setting)?;
        let said = serde_json::to_string(&inputs).map_err(|error| WorkflowError::new(error, None))?;
        let state = initial_state(&self.definition, &inputs).map_err(bad_input)?;
        // Runs of two contexts are two threads, also with the same inputs.
        let said = given.text("context")?.map_or(said.clone(), |context| format!("{said} {context}"));
        let thread = ThreadId::from_parts(&["graph", self.definition.name(), &said]);
        let notes = list_warnings(given, setting);
        Ok(PreparedRun { notes, ..PreparedRun::anew(host, state, thread) })
    }

    fn prepare_continuation(
        &self,
        given: &ArgValues,
        setting: &Setting,
    ) -> Result<Option<ContinuedRun>, WorkflowError> {
        let update =
            continuation_update(&self.definition, &self.inputs(given, setting)?).map_err(bad_input)?;
        let host =
            self.host(self.services(given, setting)?, limits(given)?, self.context(given)?, setting)?;
        Ok(Some(ContinuedRun { host, update }))
    }

    fn encode_write(
        &self,
        _: &SharedHost,
        channel: &str,
        value: &Value,
        effect: OutsideWrite,
    ) -> Result<Value, String> {
        let schema = self.definition.schema().expect("new() accepted it");
        let mut update = JsonUpdate::default();
        match effect {
            OutsideWrite::Fold => schema.add_write(&mut update, channel, value.clone())?,
            OutsideWrite::Replace => schema.add_overwrite(&mut update, channel, value.clone())?,
        }
        // Untracked writes are kept apart: a checkpoint would lose them.
        let written = update.entries().next().map(|(_, write)| write.clone());
        let is_stored = schema.channel(channel).is_some_and(|channel| channel.kept != ChannelLifetime::InRun);
        written.filter(|_| is_stored).ok_or_else(|| {
            format!(
                "`{channel}` is untracked: checkpoints do not hold it, so a write from outside would be lost"
            )
        })
    }

    fn restore(
        &self,
        given: &ArgValues,
        setting: &Setting,
        _: &RawValue,
    ) -> Result<SharedHost, WorkflowError> {
        self.host(self.services(given, setting)?, limits(given)?, self.context(given)?, setting)
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        // Looking at a thread is never refused for its size.
        let (template, value, state, checkpoint) = (usize::MAX, usize::MAX, usize::MAX, usize::MAX);
        let limits = ValueLimits { template, value, state, checkpoint };
        self.host(Services::new(Models::One(Arc::new(rules()))), limits, Map::new(), setting)
    }

    fn line(&self, event: &Event) -> Option<String> {
        match &event.kind {
            EventKind::TaskStarted { node, attempt: 1, .. } => Some(format!("step {}: {node}", event.step)),
            EventKind::RunFinished { spent: Some(spent), .. } => Some(format_spending(spent).join("\n")),
            EventKind::Custom { node, name, data, .. } => Some(format!("`{node}` {name}: {data}")),
            _ => None,
        }
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        let state: Map<String, Value> =
            serde_json::from_str(state.get()).map_err(|error| WorkflowError::new(error, None))?;
        let outputs = self.definition.outputs().into_iter();
        let result = outputs.filter_map(|name| Some((name.to_owned(), state.get(name)?.clone()))).collect();
        Ok(Report {
            acceptance: Acceptance::Accepted,
            lines: Vec::new(),
            outputs: Vec::new(),
            document: None,
            result: Some(Value::Object(result)),
        })
    }
}

/// Returns the value of a secret's variable without final line breaks, or the reason why it is unusable.
fn value(variable: &str, setting: &Setting) -> Result<String, String> {
    let value = setting.env.var(variable).ok_or_else(|| "is not set".to_owned())?;
    let value = value.trim_end_matches(['\n', '\r']);
    if value.len() < SECRET_MIN {
        return Err(format!(
            "holds {} bytes, and a secret has {SECRET_MIN} or more: a shorter one could not be told from other text",
            value.len()
        ));
    }
    Ok(value.to_owned())
}

fn bad_input(error: InputError) -> WorkflowError {
    let hint = error.hint().to_owned();
    WorkflowError::new(error, Some(hint))
}

fn model_error(error: ModelError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, hint)
}
