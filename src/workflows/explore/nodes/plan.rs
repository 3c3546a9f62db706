//! Plans the calls of an answer: numbers of notes, scopes, ids and allowances of children, the end of
//! the agent. All calls are decided in their order before the first one runs, so that running them in
//! parallel changes nothing (EXP-67, EXP-74).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::{self, FutureExt};
use serde_json::json;

use super::packet::build_packet;
use super::target::Claims;
use crate::agent::{Hook, Middleware, PlannedCall, Round, ToolOutput, Toolbox};
use crate::repo::cut;
use crate::workflows::explore::agents::{AgentAllowance, AgentRun, AgentScope};
use crate::workflows::explore::notepad::{InvalidTopic, MAX_AGENT_NOTES, NotepadEntry};
use crate::workflows::explore::tools::{DelegateArguments, FinishArguments, WriteNotepadArguments};
use crate::workflows::foreign_text::without_secrets;

/// Maximum length of a child's purpose, in characters.
const PURPOSE_CHARS: usize = 500;
/// Maximum length of a summary, in characters.
const SUMMARY_CHARS: usize = 8_000;
/// Maximum length of a call's arguments that stay in the conversation, in bytes.
const ARGUMENT_BYTES: usize = 64 * 1024;
/// Number of remaining answers from which on the agent is warned to finish.
const LAST_STEPS: u32 = 3;

/// Call that the node runs itself, as planned.
#[derive(Debug, Clone)]
pub(super) enum AgentAction {
    /// Writes a note.
    Write {
        note: NotepadEntry,
        /// True if the content was cut.
        is_cut: bool,
    },
    /// Runs a child.
    Delegate(Box<AgentRun>),
    /// Ends the agent.
    Finish(String),
}

/// Plan of the calls of one answer: actions by the position of the call. `CallPlanner` fills it;
/// `Actions` and `Announcer` read it.
#[derive(Debug, Default)]
pub(super) struct RoundPlan(Mutex<BTreeMap<usize, AgentAction>>);

impl RoundPlan {
    /// Returns the action of the call at this position; `None` for calls of other tools and for refused
    /// calls.
    pub(super) fn action(&self, index: usize) -> Option<AgentAction> {
        self.lock().get(&index).cloned()
    }

    /// Returns the notes of the answer, in the order of the calls.
    pub(super) fn notes(&self) -> Vec<NotepadEntry> {
        let note = |action: &AgentAction| match action {
            AgentAction::Write { note, .. } => Some(note.clone()),
            AgentAction::Delegate(_) | AgentAction::Finish(_) => None,
        };
        self.lock().values().filter_map(note).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, AgentAction>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Middleware that plans all calls of an answer before they run.
pub(super) struct CallPlanner<'a> {
    pub(super) agent: &'a AgentRun,
    pub(super) toolbox: &'a Toolbox,
    pub(super) plan: &'a RoundPlan,
}

impl Middleware for CallPlanner<'_> {
    fn before_calls<'a>(&'a self, round: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        let allowance = self.agent.allowance.rest(&round.spent, agents_below(self.agent));
        let mut planning = Planning {
            agent: self.agent,
            toolbox: self.toolbox,
            actions: BTreeMap::new(),
            claims: Claims::of(self.agent),
            allowance,
            notes: Vec::new(),
            children: Vec::new(),
            may_go_on: round.number < round.limit,
            lost_notes: lost_notes(calls),
        };
        for (index, call) in calls.iter_mut().enumerate().filter(|(_, call)| call.is_open()) {
            let planned = planning.plan(index, call);
            if let Some(shorter) = planning.shorten(index, call) {
                call.edit(shorter);
            }
            if let Err(refusal) = planned {
                call.refuse(ToolOutput::refused(refusal));
            }
        }
        planning.keep_notes(calls);
        *self.plan.lock() = planning.finish();
        if round.number + LAST_STEPS >= round.limit {
            let left = round.limit.saturating_sub(round.number);
            let words = format!("{left} answers are left: write down what you know and call `finish`.");
            calls.iter_mut().filter(|call| call.is_open()).for_each(|call| call.warn(words.clone()));
        }
        future::ready(Ok(())).boxed()
    }
}

/// Returns the number of notes in an answer that were refused before they were planned.
fn lost_notes(calls: &[PlannedCall]) -> usize {
    calls.iter().filter(|call| !call.is_open() && call.call().name == WRITE).count()
}

/// Returns the number of ended agents below an agent.
pub(super) fn agents_below(agent: &AgentRun) -> u32 {
    u32::try_from(agent.agents.len()).unwrap_or(u32::MAX)
}

/// Plan of an answer in progress.
struct Planning<'a> {
    agent: &'a AgentRun,
    toolbox: &'a Toolbox,
    actions: BTreeMap<usize, AgentAction>,
    claims: Claims<'a>,
    /// The allowance before the children of this answer.
    allowance: AgentAllowance,
    /// The notes of this answer.
    notes: Vec<NotepadEntry>,
    /// Delegations of this answer: position of the call, and the parent's words for the child.
    children: Vec<(usize, String)>,
    /// True if the agent is asked again after this answer.
    may_go_on: bool,
    /// Number of notes in this answer that are not written and that the agent can write again.
    lost_notes: usize,
}

/// Name of the tool that writes notes.
const WRITE: &str = "write_notepad";

impl Planning<'_> {
    /// Plans a call; the error is the reason for its refusal. A call with invalid arguments is left to
    /// the toolbox, which reports them.
    fn plan(&mut self, index: usize, planned: &PlannedCall) -> Result<(), String> {
        let call = planned.call();
        let action = match call.name.as_str() {
            WRITE => {
                let planned = self.toolbox.arguments(call).map(|given| self.plan_note(&given));
                self.lost_notes += usize::from(planned.is_none());
                planned
            }
            "delegate" => self.toolbox.arguments(call).map(|given| self.plan_child(index, &given)),
            "finish" => self.toolbox.arguments(call).map(|given| self.plan_finish(&given)),
            _ => None,
        };
        match action {
            Some(action) => drop(self.actions.insert(index, action?)),
            None if call.arguments.len() > ARGUMENT_BYTES => {
                return Err(format!(
                    "the arguments have {} bytes, more than {ARGUMENT_BYTES}",
                    call.arguments.len()
                ));
            }
            None => {}
        }
        Ok(())
    }

    /// Returns shorter arguments for a call whose arguments are too long for the conversation, which is
    /// sent with every request; `None` if they may stay.
    fn shorten(&self, index: usize, planned: &PlannedCall) -> Option<String> {
        match self.actions.get(&index) {
            Some(AgentAction::Write { note, is_cut: true }) => {
                Some(json!({ "topic": note.topic, "content": note.content }).to_string())
            }
            _ => (planned.call().arguments.len() > ARGUMENT_BYTES).then(|| "{}".to_owned()),
        }
    }

    /// Returns the note of a call with its number. Refused are invalid topics, empty contents, and
    /// notes beyond the limit of the agent.
    fn plan_note(&mut self, given: &WriteNotepadArguments) -> Result<AgentAction, String> {
        let topic = given.topic.parse().map_err(|error: InvalidTopic| {
            self.lost_notes += 1;
            error.to_string()
        })?;
        let number = self.agent.own_notes + u32::try_from(self.notes.len()).unwrap_or(u32::MAX) + 1;
        if number > MAX_AGENT_NOTES {
            return Err(format!("you have written {MAX_AGENT_NOTES} notes, which is the limit; finish"));
        }
        let text = without_secrets(given.content.trim());
        let (content, is_cut) = NotepadEntry::fit(text.trim());
        if content.is_empty() {
            return Err("the content is empty; write a finding".to_owned());
        }
        let note = NotepadEntry {
            topic,
            content,
            author: self.agent.agent_id.clone(),
            number,
            at: self.agent.started,
        };
        self.notes.push(note.clone());
        Ok(AgentAction::Write { note, is_cut })
    }

    /// Returns the child of a delegation with its id and its scope. Refused are targets that `Claims`
    /// rejects, and children beyond the allowance.
    fn plan_child(&mut self, index: usize, given: &DelegateArguments) -> Result<AgentAction, String> {
        let scope = self.claims.check(&given.target).map_err(|error| error.to_string())?;
        let before = u32::try_from(self.children.len()).unwrap_or(u32::MAX);
        self.allowance.check(before + 1).map_err(|error| error.to_string())?;
        let id = self.agent.agent_id.child(self.agent.children + before + 1);
        let taken_parts = self.claims.taken_parts(&scope.path);
        self.claims.claim(id.clone(), scope.clone());
        self.children.push((index, given.context.clone()));
        let purpose = purpose_of(&given.purpose, &scope);
        let child = AgentRun {
            repo_root: self.agent.repo_root.clone(),
            taken_parts,
            max_depth: self.agent.max_depth,
            started: self.agent.started,
            ..AgentRun::new(id, purpose, scope, AgentAllowance::default())
        };
        Ok(AgentAction::Delegate(Box::new(child)))
    }

    /// Returns the end of the agent with its summary. Refused are an empty summary and a second
    /// `finish` in one answer.
    fn plan_finish(&mut self, given: &FinishArguments) -> Result<AgentAction, String> {
        if self.actions.values().any(|action| matches!(action, AgentAction::Finish(_))) {
            return Err("you have called `finish` already in this answer".to_owned());
        }
        let summary = without_secrets(given.summary.trim());
        if summary.trim().is_empty() {
            return Err("the summary is empty; say what you found".to_owned());
        }
        Ok(AgentAction::Finish(cut(summary.trim(), SUMMARY_CHARS).to_string()))
    }

    /// Refuses `finish` if a note of this answer was not written for a reason that the agent can
    /// correct and it may answer again, because the finding would be lost.
    fn keep_notes(&mut self, calls: &mut [PlannedCall]) {
        if self.lost_notes == 0 || !self.may_go_on {
            return;
        }
        let Some(index) = self
            .actions
            .iter()
            .find_map(|(index, action)| matches!(action, AgentAction::Finish(_)).then_some(*index))
        else {
            return;
        };
        self.actions.remove(&index);
        calls[index].refuse(ToolOutput::refused(
            "a note of this answer was not written; write it again, then call `finish`",
        ));
    }

    /// Returns the plan. Only now the allowance is divided among all children, by the numbers of their
    /// files, and each child gets its packet with all notes of the answer.
    fn finish(mut self) -> BTreeMap<usize, AgentAction> {
        let weight = |(index, _): &(usize, String)| match &self.actions[index] {
            AgentAction::Delegate(child) => child.scope_files.len() as u64,
            _ => 0,
        };
        let weights: Vec<u64> = self.children.iter().map(weight).collect();
        let parts = self.allowance.divide(&weights);
        for ((index, words), part) in self.children.iter().zip(parts) {
            if let Some(AgentAction::Delegate(child)) = self.actions.get_mut(index) {
                child.allowance = part;
                child.context_packet = build_packet(words, self.agent, &self.notes);
            }
        }
        self.actions
    }
}

/// Returns the purpose of a child: the given one, cut, or a general one for its scope if that is empty.
fn purpose_of(given: &str, scope: &AgentScope) -> String {
    let purpose = without_secrets(given.trim());
    match purpose.trim() {
        "" => {
            format!("Explore `{}`: what it is for, how it works, and what its users must know.", scope.path)
        }
        purpose => cut(purpose, PURPOSE_CHARS).kept.to_owned(),
    }
}
