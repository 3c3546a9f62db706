//! Runs the cases of a test file without a network, with the model answers of the case, and returns the mismatches.
//! Prints nothing.

mod compare;
mod scripted_models;

use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::Value;
use serde_json::value::RawValue;

use self::compare::{Mismatches, compare};
use self::scripted_models::ScriptedModels;
use super::{Models, Secrets, Services, SleepMode, graph, initial_state, run_context};
use stategraph_agent::Toolbox;
use stategraph_core::store::{MemoryItems, MemoryStore};
use stategraph_core::{
    Event, EventKind, EventKinds, Host, HostRequest, HostStart, Outcome, Question, QuestionId, RunError,
    Status, ThreadId, with_causes,
};
use stategraph_files::{CaseStatus, Cases, Definition, Diagnostics, TestCase};

pub use compare::Mismatch;

/// The outcome of a test case, collected over all runs of its thread.
struct CaseOutcome {
    status: CaseStatus,
    error: Option<String>,
    state: Option<Box<RawValue>>,
    questions: Vec<Value>,
    /// Finished nodes in order; those of sub-graphs as `outer/inner`.
    ran: Vec<String>,
    events: Vec<Value>,
    /// Number of given answers that no question asked for.
    unused_answers: usize,
}

/// The next step of a test case after a run of its thread has ended or paused.
enum NextStep {
    /// Stop.
    Stop,
    /// Resume after a breakpoint.
    ResumePastBreakpoint,
    /// Resume with an answer to this question.
    Answer(QuestionId),
}

/// Parses the test file of a graph. `file` is its name in messages. The cases may name nodes of sub-graphs.
pub fn parse_cases(
    content: impl AsRef<[u8]>,
    file: impl Into<String>,
    definition: &Definition,
) -> Result<Cases, Diagnostics> {
    Cases::parse(content, file, definition, &graph(definition)?.topology())
}

/// Runs a test case of a graph with the scripted answers of its models, and returns the mismatches; none if
/// it passes.
pub async fn run_case(definition: &Definition, case: &TestCase, tools: Toolbox) -> Vec<Mismatch> {
    let mut mismatches = Mismatches::default();
    let models = Arc::new(ScriptedModels::new(&case.models));
    match run_to_end(definition, case, tools, models.clone()).await {
        Ok(ending) => compare(&case.expect, &ending, &mut mismatches),
        Err(reason) => mismatches.push("the case", "a run", &reason),
    }
    for (node, left) in models.unused_answers() {
        mismatches.push(
            &format!("models.{node}"),
            "every answer asked for",
            &format!("{left} not asked for"),
        );
    }
    mismatches.list
}

/// Writes the files of a test file below a folder, where tools find them. Fails for a path outside the folder.
pub fn write_files(files: &std::collections::BTreeMap<String, String>, folder: &Path) -> std::io::Result<()> {
    for (path, text) in files {
        let inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            return Err(std::io::Error::other(format!("`{path}` is outside of the folder of the case")));
        }
        let place = folder.join(path);
        place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(place, text)?;
    }
    Ok(())
}

/// Runs a case from its input to its end: passes breakpoints and gives the scripted answers to questions in
/// order. The error is the reason why it cannot start.
async fn run_to_end(
    definition: &Definition,
    case: &TestCase,
    tools: Toolbox,
    models: Arc<ScriptedModels>,
) -> Result<CaseOutcome, String> {
    let state = initial_state(definition, &case.input).map_err(|error| error.to_string())?;
    let services = Services::new(Models::One(models))
        .tools(tools)
        .sleep_mode(SleepMode::Skip)
        .tasks_at_once(1)
        .secrets(Secrets::stand_ins());
    let context = run_context(definition, &case.context).map_err(|error| error.to_string())?;
    let definition = definition.clone().with_context(context);
    let graph = graph(&definition).map_err(|found| found.to_string())?;
    let graph = graph.compile_with(services).map_err(|found| found.to_string())?;
    let graph = graph.with_store(Arc::new(MemoryStore::new())).with_long_term(Arc::new(MemoryItems::new()));
    let thread = ThreadId::new("case").expect("the name is a thread's");
    let mut ending = CaseOutcome {
        status: CaseStatus::Done,
        error: None,
        state: None,
        questions: Vec::new(),
        ran: Vec::new(),
        events: Vec::new(),
        unused_answers: 0,
    };
    let mut answers = case.answers.iter();
    let mut request = HostRequest::new(HostStart::Input { state, thread: Some(thread.clone()) });
    loop {
        request.events = EventKinds::ALL;
        // One task after the other, in task order: so concurrent tasks take the answers of a script in the same order each time.
        request.max_concurrency = Some(1);
        let outcome = run_observed(&graph, request, &mut ending).await;
        let next_step = ending.record_end(outcome);
        request = HostRequest::new(HostStart::Resume { thread: thread.clone(), at: None });
        match next_step {
            NextStep::Stop => break,
            NextStep::ResumePastBreakpoint => {}
            NextStep::Answer(question) => {
                let Some(answer) = answers.next() else { break };
                request.answers = vec![(question, answer.clone())];
            }
        }
    }
    ending.unused_answers = answers.len();
    if ending.status == CaseStatus::Failed {
        let state = (&graph as &dyn Host).state(&thread, None).await.ok();
        ending.state = state.map(|snapshot| snapshot.state);
    }
    Ok(ending)
}

/// Runs the graph once, records its events in `ending`, and returns the outcome.
async fn run_observed(
    host: &dyn Host,
    request: HostRequest,
    ending: &mut CaseOutcome,
) -> Result<Outcome<Box<RawValue>>, RunError> {
    let mut stream = host.stream(request).await?;
    while let Some(event) = stream.next().await {
        ending.record_event(&event);
    }
    stream.outcome().expect("a stream that has ended has an outcome")
}

impl CaseOutcome {
    /// Records an event, and the name of the node if a task has finished.
    fn record_event(&mut self, event: &Event) {
        if let EventKind::TaskFinished { node, .. } = &event.kind {
            self.ran.push(format!("{}{node}", event.namespace.path()));
        }
        self.events.push(serde_json::to_value(event).expect("an event is JSON with string keys"));
    }

    /// Records the end of a run (status, state, open questions or error) and returns the next step.
    fn record_end(&mut self, outcome: Result<Outcome<Box<RawValue>>, RunError>) -> NextStep {
        match outcome {
            // The question stays open.
            Err(RunError::AnswerRefused { question, .. }) => return NextStep::Answer(question),
            _ => self.questions.clear(),
        }
        match outcome {
            // Breakpoints are for people; a case passes them.
            Ok(Outcome { status: Status::Paused(_), .. }) => NextStep::ResumePastBreakpoint,
            Ok(Outcome { status: Status::Waiting(questions), state, .. }) => {
                self.status = CaseStatus::Waiting;
                self.state = Some(state);
                let payload = |question: &Question| serde_json::from_str(question.payload.get()).ok();
                self.questions = questions.iter().filter_map(payload).collect();
                questions.first().map_or(NextStep::Stop, |question| NextStep::Answer(question.id))
            }
            Ok(Outcome { state, .. }) => {
                self.status = CaseStatus::Done;
                self.state = Some(state);
                NextStep::Stop
            }
            Err(error) => {
                self.status = CaseStatus::Failed;
                self.error = Some(with_causes(&error));
                NextStep::Stop
            }
        }
    }
}
