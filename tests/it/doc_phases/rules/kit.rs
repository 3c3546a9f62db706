//! Drives the rules through the real tools and a real memory, as a run does, without the run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use stategraph::agent::Toolbox;
use stategraph::llm::ToolCall;
use stategraph::repo::{CodeBase, Files};
use stategraph::workflows::doc_phases::memory::{ArchitectureOverview, EntryAuthor, Memory, Timestamp};
use stategraph::workflows::doc_phases::phase::{
    BudgetUsage, CallRecord, ComponentTask, Operation, Phase, PhaseBudget, RoundDecision, RoundQuestion,
    ToolRequest,
};
use stategraph::workflows::doc_phases::rules;
use stategraph::workflows::doc_phases::tools::{ToolAnswerForm, ToolContext, build_toolbox};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const START_MS: u64 = 1_705_314_600_000;

fn opened(home: &Path, name: &str, now_ms: u64) -> Memory {
    Memory::open(&home.join(name), Timestamp::from_ms(now_ms)).expect("a folder of our own")
}

/// A repository under exploration.
pub(crate) struct Exploration {
    pub(crate) code: Arc<CodeBase>,
    pub(crate) memory: Arc<Memory>,
    pub(crate) limit: u32,
    pub(crate) calls_per_round: u32,
    pub(crate) budgets: BTreeMap<Phase, PhaseBudget>,
    /// What was asked, in order, with the phase.
    pub(crate) asked: Vec<(Phase, CallRecord)>,
    runtime: Runtime,
    home: TempDir,
}

/// How a phase ended.
pub(crate) struct Ended {
    /// Whether rules say that it is complete.
    pub(crate) is_whole: bool,
    pub(crate) rounds: u32,
    pub(crate) used: BudgetUsage,
}

impl Exploration {
    /// Of any files; memory stands elsewhere.
    pub(crate) fn new(files: Arc<dyn Files>) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let memory = opened(home.path(), "memory", START_MS).with_files(Arc::clone(&files));
        Self {
            code: Arc::new(CodeBase::new(files)),
            memory: Arc::new(memory),
            limit: 30,
            calls_per_round: 5,
            budgets: Phase::ALL.map(|phase| (phase, PhaseBudget::of(phase))).into(),
            asked: Vec::new(),
            runtime: tokio::runtime::Builder::new_current_thread().build().expect("a runtime"),
            home,
        }
    }

    /// All four phases, the components in order.
    pub(crate) fn explore(&mut self) -> Vec<Ended> {
        let mut ended = vec![self.phase(Phase::ArchitectureDiscovery, None)];
        for task in self.components() {
            ended.push(self.phase(Phase::ComponentDeepDive, Some(task)));
        }
        ended.push(self.phase(Phase::CrossCutting, None));
        ended.push(self.phase(Phase::DocumentationGeneration, None));
        ended
    }

    pub(crate) fn overview(&self) -> ArchitectureOverview {
        self.memory.entries::<ArchitectureOverview>().pop().expect("phase A stores the overview")
    }

    /// The components that the overview names.
    pub(crate) fn components(&self) -> Vec<ComponentTask> {
        let boundaries = self.overview().component_boundaries;
        let of = boundaries.len();
        let task = |(number, (id, paths)): (usize, (&String, &Vec<String>))| ComponentTask {
            id: id.clone(),
            paths: paths.clone(),
            number,
            of,
            changed: Vec::new(),
        };
        (1..).zip(&boundaries).map(task).collect()
    }

    /// One phase, until it completes; a call that its budget does not allow, or one too many in a round, is a failure of the rules.
    pub(crate) fn phase(&mut self, phase: Phase, component: Option<ComponentTask>) -> Ended {
        let mut round = RoundQuestion {
            phase,
            repository: self
                .code
                .files()
                .repo_path()
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            component,
            number: 0,
            limit: self.limit,
            calls_per_round: self.calls_per_round,
            budget: self.budgets[&phase],
            used: BudgetUsage::default(),
            answered: Vec::new(),
        };
        let tools = self.tools(&round);
        loop {
            round.number += 1;
            assert!(round.number <= round.limit, "{phase} does not end");
            // As it comes out of a checkpoint.
            let read: RoundQuestion = serde_json::from_value(serde_json::to_value(&round).unwrap()).unwrap();
            match rules::next(&read) {
                RoundDecision::Complete(completion) => {
                    let is_whole = completion.ready_for_next_phase == Some(true);
                    return Ended { is_whole, rounds: round.number, used: round.used };
                }
                RoundDecision::Call(calls) => {
                    assert!(
                        (1..=round.calls_per_round as usize).contains(&calls.len()),
                        "{phase}: {}",
                        calls.len()
                    );
                    calls.into_iter().for_each(|call| self.answer(&mut round, &tools, call));
                }
            }
        }
    }

    fn tools(&self, round: &RoundQuestion) -> Toolbox {
        let number = Phase::ALL
            .iter()
            .position(|phase| *phase == round.phase)
            .and_then(|number| u8::try_from(number).ok());
        let number = number.expect("there are four phases");
        let desk = ToolContext {
            code: Arc::clone(&self.code),
            memory: Arc::clone(&self.memory),
            phase: round.phase,
            author: round
                .component
                .as_ref()
                .map_or_else(|| EntryAuthor::phase(number), |task| EntryAuthor::component(number, &task.id)),
            phase_context: Value::Null,
            answers: ToolAnswerForm::Data,
            model: "offline".into(),
            tape: stategraph::llm::Tape::Off,
            is_update: false,
            was_returned: false,
            embeddings: None,
        };
        build_toolbox(&desk).expect("the tools have names of their own")
    }

    /// Ends the run and begins another, an hour later, with what memory has by then.
    pub(crate) fn next_run(&mut self) {
        drop(std::mem::replace(&mut self.memory, Arc::new(opened(self.home.path(), "between", START_MS))));
        let memory = opened(self.home.path(), "memory", START_MS + 3_600_000);
        self.memory = Arc::new(memory.with_files(Arc::clone(self.code.files())));
        self.asked.clear();
    }

    fn answer(&mut self, round: &mut RoundQuestion, tools: &Toolbox, call: ToolRequest) {
        let costs = Operation::ALL.into_iter().take(4).find(|operation| operation.tool() == call.tool);
        if let Some(operation) = costs {
            assert!(
                round.allows(operation),
                "{:?} over budget: {} {}",
                round.phase,
                call.tool,
                call.arguments
            );
        }
        let wanted =
            ToolCall { id: "1".into(), name: call.tool.into(), arguments: call.arguments.to_string() };
        let output = self.runtime.block_on(tools.call(&wanted));
        if let Some(operation) = costs.filter(|_| output.is_success()) {
            *round.used.of_mut(operation) += 1;
        }
        let seen = output
            .data
            .clone()
            .map(|data| serde_json::from_value(data).expect("what was seen"))
            .unwrap_or_default();
        let answered = CallRecord {
            round: round.number,
            tool: call.tool.into(),
            arguments: call.arguments,
            success: output.is_success(),
            content: output.content.clone(),
            seen,
        };
        self.asked.push((round.phase, answered.clone()));
        round.answered.push(answered);
    }

    /// Calls that failed, for messages.
    pub(crate) fn failures(&self) -> Vec<String> {
        let failed = self.asked.iter().filter(|(_, answered)| !answered.success);
        failed
            .map(|(phase, answered)| {
                format!("{phase}: {} {}: {}", answered.tool, answered.arguments, answered.content)
            })
            .collect()
    }
}
