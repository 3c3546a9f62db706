//! Offers a workflow or graph file as a tool to other programs. A client sets texts, switches and the
//! inputs of graph files; the owner of the server fixes models, keys, paths and limits with `--set`.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value, json};

use crate::agent::ToolOutput;
use crate::cli::failure::{Failure, FailureCause};
use crate::cli::graph_file;
use crate::cli::session::Session;
use crate::engine::{EventKinds, HostRequest, HostStart, Status, Stop, nearest};
use crate::llm::ToolSpec;
use crate::mcp::server::{ServedCall, ServedTool, ToolAccess};
use crate::workflows::{
    ArgValues, Argument, ArgumentKind, Declared, Report, Setting, Workflow, WorkflowError, catalogue,
};

/// Switches that a client cannot set, because they overwrite files or change the printed text.
const OWN_SWITCHES: [&str; 5] = ["force", "debug", "stream", "stdin", "resume"];

/// Value names of options that a client can set. All other options name files, models, keys or limits.
const OPEN_VALUES: [&str; 2] = ["TEXT", "QUESTION"];

/// Time that a cancelled run has for writing its checkpoint.
const CANCEL_LIMIT: std::time::Duration = std::time::Duration::from_secs(1);

/// An argument of an offered graph whose value the owner of the server fixed with `--set GRAPH.NAME=VALUE`.
#[derive(Debug, Clone)]
pub(super) struct FixedArgument {
    /// Graph, as `--allow-graph` names it.
    pub(super) graph: String,
    name: String,
    value: String,
}

impl FromStr for FixedArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write GRAPH.NAME=VALUE, such as ard.max-iterations=3".to_owned();
        let (left, value) = text.split_once('=').ok_or_else(wrong)?;
        // A file of a graph has a dot in its own name.
        let (graph, name) = left
            .rsplit_once('.')
            .filter(|(graph, name)| !graph.is_empty() && !name.is_empty())
            .ok_or_else(wrong)?;
        Ok(Self { graph: graph.to_owned(), name: name.to_owned(), value: value.to_owned() })
    }
}

/// A tool that runs a workflow or graph file for clients of the MCP server.
pub(super) struct GraphTool {
    workflow: Box<dyn Workflow>,
    spec: ToolSpec,
    fixed: Vec<FixedArgument>,
    setting: Arc<Setting>,
}

/// Returns the name of the tool for a workflow or graph file: `run_` and its name without folder and
/// extension, cut and in portable characters (`graphs/my.yaml` → `run_my`).
pub(super) fn tool_name(typed: &str) -> String {
    let name = Path::new(typed).file_stem().map_or_else(|| typed.into(), |stem| stem.to_string_lossy());
    let portable = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    name.chars().take(56).map(portable).fold("run_".to_owned(), |mut name, c| {
        name.push(c);
        name
    })
}

impl GraphTool {
    /// Makes the tool for the workflow or graph file that `--allow-graph` names. Fails if it does not
    /// exist, or if a fixed argument is unknown.
    pub(super) fn open(
        typed: &str,
        fixed: &[FixedArgument],
        setting: Arc<Setting>,
        session: &Session,
    ) -> Result<Self, Failure> {
        let own = catalogue().into_iter().find(|workflow| workflow.name() == typed);
        let workflow: Box<dyn Workflow> = match own {
            Some(workflow) => workflow,
            None if graph_file::is_graph_file(Path::new(typed)) => {
                let definition = graph_file::read(&session.folder.join(typed))?;
                Box::new(Declared::new(definition).ok_or_else(|| {
                    Failure::new(
                        format!("{typed} is the graph of a workflow"),
                        "offer the workflow by its name, or a graph file that declares its channels",
                    )
                })?)
            }
            None => {
                session.workflow(typed)?;
                return Err(FailureCause::Error(format!("`{typed}` cannot be offered").into()).into());
            }
        };
        let name = tool_name(typed);
        let fixed: Vec<FixedArgument> =
            fixed.iter().filter(|fixed| tool_name(&fixed.graph) == name).cloned().collect();
        for FixedArgument { graph, name, .. } in &fixed {
            let arguments = workflow.arguments();
            let names: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
            if !names.contains(&name.as_str()) {
                let hint = match nearest(name, names.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("its arguments are {}", names.join(", ")),
                };
                return Err(Failure::new(format!("`{graph}` has no argument `{name}`"), hint));
            }
        }
        let spec = ToolSpec {
            name,
            description: describe(workflow.as_ref()),
            parameters: schema(workflow.as_ref(), &fixed).into(),
        };
        Ok(Self { workflow, spec, fixed, setting })
    }

    /// Returns the arguments of a run: those of the client, and those that the owner fixed. Refuses an
    /// argument that clients may not set, with the reason. A workflow that would write a document returns
    /// it instead, unless the owner fixed the file.
    fn given(&self, arguments: &Map<String, Value>) -> Result<ArgValues, String> {
        let mut given = ArgValues::nothing();
        let known = self.workflow.arguments();
        for (name, value) in arguments {
            let open = |argument: &&Argument<'_>| argument.name == name && is_open(argument, &self.fixed);
            let Some(argument) = known.iter().find(open) else {
                return Err(format!("there is no argument `{}` for clients", name.escape_debug()));
            };
            given = match (argument.kind, value) {
                (_, Value::Null) | (ArgumentKind::Switch, Value::Bool(false)) => given,
                (ArgumentKind::Switch, Value::Bool(true)) => given.with(name, ""),
                (ArgumentKind::Switch, _) => return Err(format!("`{name}` is true or false")),
                (_, Value::String(text)) => given.with(name, text),
                (_, value) => given.with(name, value.to_string()),
            };
        }
        // A graph that would write its document returns it instead, unless the owner named a file.
        let writes = |argument: &Argument<'_>| {
            argument.name == "output" && matches!(argument.kind, ArgumentKind::Option("FILE"))
        };
        if known.iter().any(writes) {
            given = given.with("output", "-");
        }
        Ok(self.fixed.iter().fold(given, |given, fixed| given.with(&fixed.name, &fixed.value)))
    }

    async fn run(
        &self,
        arguments: &Map<String, Value>,
        call: &ServedCall,
    ) -> Result<ToolOutput, WorkflowError> {
        let given = match self.given(arguments) {
            Ok(given) => given,
            Err(reason) => return Ok(ToolOutput::refused(reason)),
        };
        let prepared = self.workflow.prepare(&given, &self.setting)?;
        prepared.notes.iter().for_each(|note| call.tell_progress(note));
        let thread = prepared.thread.clone();
        let start = HostStart::Input { state: prepared.state, thread: Some(prepared.thread) };
        let mut request = HostRequest::new(start).durability(prepared.durability);
        request.events = EventKinds::TASKS | EventKinds::CHECKPOINTS | EventKinds::CUSTOM;
        let stop = Stop::new();
        request.stop = stop.clone();
        let mut stream = match prepared.host.stream(request).await {
            Ok(stream) => stream,
            Err(error) => return Ok(failed(&error, error.hint())),
        };
        let mut is_cancelled = false;
        loop {
            tokio::select! {
                event = stream.next() => match event {
                    Some(event) => {
                        if let Some(line) = self.workflow.line(&event) {
                            call.tell_progress(line);
                        }
                    }
                    None => break,
                },
                () = call.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    stop.cancel();
                }
                () = tokio::time::sleep(CANCEL_LIMIT), if is_cancelled => break,
            }
        }
        let continued = format!("to continue it: graph resume {thread}");
        match stream.outcome() {
            None => Ok(ToolOutput::failed("the run was cancelled").hint(Some(continued))),
            Some(Err(error)) => Ok(failed(&error, error.hint())),
            Some(Ok(outcome)) => match outcome.status {
                Status::Done => {
                    Ok(ToolOutput::ok(text(&self.workflow.report(&outcome.state)?, &self.setting)))
                }
                Status::Waiting(questions) => {
                    let asked: Vec<String> =
                        questions.iter().map(|asked| asked.payload.to_string()).collect();
                    let reason = format!("the run waits for an answer of a person: {}", asked.join("; "));
                    Ok(ToolOutput::failed(reason).hint(Some(continued)))
                }
                _ => Ok(ToolOutput::failed("the run was stopped").hint(Some(continued))),
            },
        }
    }
}

impl ServedTool for GraphTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> ToolAccess {
        ToolAccess::Acts
    }

    fn call<'a>(&'a self, arguments: Map<String, Value>, call: &'a ServedCall) -> BoxFuture<'a, ToolOutput> {
        async move {
            self.run(&arguments, call).await.unwrap_or_else(|error| {
                let hint = error.hint().map(str::to_owned);
                failed(&error, hint)
            })
        }
        .boxed()
    }
}

fn failed(error: &(dyn std::error::Error + 'static), hint: Option<String>) -> ToolOutput {
    ToolOutput::failed(Failure::chain(error).join(": ")).hint(hint)
}

fn describe(workflow: &dyn Workflow) -> String {
    format!(
        "Runs the graph `{}`: {}. It may take minutes, tells its progress, and can be cancelled.",
        workflow.name(),
        workflow.about().trim_end_matches('.')
    )
}

/// Returns true if a client can set the argument: the owner did not fix it, and it names no file, model,
/// key or limit.
fn is_open(argument: &Argument<'_>, fixed: &[FixedArgument]) -> bool {
    if fixed.iter().any(|fixed| fixed.name == argument.name) {
        return false;
    }
    match argument.kind {
        ArgumentKind::Input { .. } => true,
        ArgumentKind::Switch => !OWN_SWITCHES.contains(&argument.name),
        ArgumentKind::Option(value) | ArgumentKind::Lettered(_, value) => OPEN_VALUES.contains(&value),
        ArgumentKind::Positional(_) => false,
    }
}

/// Returns the JSON Schema of the arguments that a client can set.
fn schema(workflow: &dyn Workflow, fixed: &[FixedArgument]) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for argument in workflow.arguments().iter().filter(|argument| is_open(argument, fixed)) {
        let mut property = json!({ "description": argument.about });
        match argument.kind {
            ArgumentKind::Switch => property["type"] = "boolean".into(),
            ArgumentKind::Input { value, default } => {
                // `messages` and other types of graph files are no types of JSON Schema.
                if ["string", "integer", "number", "boolean", "array", "object"].contains(&value) {
                    property["type"] = value.into();
                }
                match default {
                    Some(default) => property["default"] = default.clone(),
                    None => required.push(Value::from(argument.name)),
                }
            }
            _ => property["type"] = "string".into(),
        }
        properties.insert(argument.name.to_owned(), property);
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Returns the report of a finished run as text: first the document or the result, then the lines about it
/// and the written files.
fn text(report: &Report, setting: &Setting) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(report.document.clone());
    parts.extend(
        report.result.as_ref().map(|result| serde_json::to_string_pretty(result).expect("a result is JSON")),
    );
    parts.extend(report.lines.iter().cloned());
    for path in &report.outputs {
        parts.push(format!("wrote {}", path.strip_prefix(&setting.folder).unwrap_or(path).display()));
    }
    parts.join("\n")
}
