//! A superstep of several tasks, or of one that goes on after an interrupt: runs what has to run, at once, and keeps what finished.

use std::collections::{BTreeMap, VecDeque};

use super::attempt::TaskEnd;
use super::checkpoint::{Asked, TaskEntry, TaskRecord, last_ends, open_asked};
use super::context::TaskPlace;
use super::contract::Flush;
use super::crew::{Crew, Ended, Job, Notes};
use super::drive::{Driver, Finished, FinishedBefore, StepEnd};
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::id::{QuestionId, TaskId};
use super::journal::same_json;
use super::node_error::NodeError;
use super::outcome::{Question, Stopped};
use super::plan::Planned;
use super::state::State;

impl<S: State, D: Send + Sync + 'static> Driver<S, D> {
    /// Runs the tasks in `next` that have not finished and do not wait for an answer.
    pub(crate) async fn superstep_of_many(&mut self) -> Result<StepEnd<S>, RunError> {
        let mut left: BTreeMap<TaskId, Vec<TaskRecord>> = BTreeMap::new();
        for record in &self.records {
            left.entry(record.task).or_default().push(record.clone());
        }
        let (mut ended, mut jobs) = (Vec::new(), VecDeque::new());
        for (index, task) in self.next.iter().enumerate() {
            let place = self.place(index, task.node);
            if left.is_empty() {
                jobs.push_back(self.job(place, task, Vec::new()));
                continue;
            }
            let left = left.remove(&place.id).unwrap_or_default();
            match self.left_by(place.id, &left)? {
                Left::Finished(before) => {
                    let FinishedBefore { update, onward } = *before;
                    ended.push((place, TaskEnd::Finished { update, onward }));
                }
                Left::Questions(asked) => ended.push((place, TaskEnd::Asked(asked))),
                Left::Nothing => jobs.push_back(self.job(place, task, left)),
            }
        }
        let run = self.run_jobs(jobs, ended.is_empty()).await?;
        ended.extend(run);
        ended.sort_by_key(|(place, _)| place.id);
        self.settle_tasks(ended).await
    }

    fn job(&self, place: TaskPlace, task: &Planned, left: Vec<TaskRecord>) -> Job {
        let remembered = self.remembered.get(&task.node).cloned();
        Job { place, item: task.item.clone(), remembered, left }
    }

    async fn run_jobs(&self, mut jobs: VecDeque<Job>, all: bool) -> Result<Vec<Ended<S>>, RunError> {
        let alone = all && jobs.len() == 1;
        let crew = Crew {
            graph: self.graph.inner.clone(),
            state: self.state.clone(),
            shared: self.shared.clone(),
            services: self.graph.services.clone(),
            notes: if self.recorder.is_on() && !alone { Notes::Kept } else { Notes::Needless },
            max_concurrency: self.max_concurrency,
            planned_with: self.base_schema,
        };
        if jobs.len() < 2 {
            let Some(job) = jobs.pop_front() else { return Ok(Vec::new()) };
            return Ok(vec![self.or_cancelled(crew.task(job)).await??]);
        }
        let shift = crew.shift(jobs);
        let ended = self.or_cancelled(shift.run()).await.flatten();
        if ended.is_err() {
            // When the run ends, nothing of its nodes is left running.
            shift.shut_down().await;
        }
        ended
    }

    /// What the log says about a task of this superstep.
    fn left_by(&self, task: TaskId, left: &[TaskRecord]) -> Result<Left<S>, RunError> {
        if let (Some(end), Some(thread)) = (last_ends(left).get(&task), &self.shared.thread)
            && let Some(before) = self.graph.finished(task, end, thread, self.base_schema)?
        {
            return Ok(Left::Finished(Box::new(before)));
        }
        if is_answered_inside(left) {
            return Ok(Left::Nothing);
        }
        let asked: Vec<_> = open_asked(left).into_iter().map(|(_, asked)| asked.clone()).collect();
        Ok(if asked.is_empty() { Left::Nothing } else { Left::Questions(asked) })
    }

    /// Makes one end of the ends of all tasks, which are in task order: a failure before a question before the updates.
    pub(crate) async fn settle_tasks(&self, ended: Vec<Ended<S>>) -> Result<StepEnd<S>, RunError> {
        let (mut finished, mut questions, mut failure) = (Vec::new(), Vec::new(), None);
        let mut stopped = None;
        for (place, end) in ended {
            match end {
                TaskEnd::Finished { update, onward } => {
                    finished.push(Finished { node: place.node, update, onward });
                }
                TaskEnd::Asked(asked) => questions.extend(self.ask(place, asked).await?),
                TaskEnd::Stopped(by) => stopped = Some(merged(stopped, by)),
                TaskEnd::Failed { error, attempts } => {
                    let error = self.fail(place, error, attempts).await?;
                    failure.get_or_insert(error);
                }
            }
        }
        match failure {
            Some(error) => Err(error),
            None => Ok(match stopped {
                Some(stopped) => StepEnd::Stopped(stopped),
                None if questions.is_empty() => StepEnd::Finished(finished),
                None => StepEnd::Waiting(questions),
            }),
        }
    }

    async fn ask(&self, place: TaskPlace, asked: Vec<Asked>) -> Result<Vec<Question>, RunError> {
        let node = self.graph.inner.node(place.node).name.as_ref().to_owned();
        let mut questions = Vec::new();
        for mut asked in asked {
            let id = QuestionId { task: place.id, call: asked.call };
            let known = self.records.iter().rev().find_map(|record| match &record.entry {
                TaskEntry::Asked(known) if record.task == place.id && known.call == asked.call => Some(known),
                _ => None,
            });
            if known.is_some_and(|known| same_json(&known.question, &asked.question)) {
                // The event of the run that dropped the answer said so.
                asked.dropped_answer = None;
            } else {
                let entry = TaskEntry::Asked(asked.clone());
                self.shared.task(place.id, entry, Flush::Synced).await?;
            }
            let Asked { question: payload, schema, dropped_answer, .. } = asked;
            let question = Question { id, node: node.clone(), payload, schema };
            self.tell_at(place.step, EventKinds::TASKS, || {
                let Question { id, node, payload, schema } = question.clone();
                EventKind::Asked { node, task: place.id, question: id, payload, schema, dropped_answer }
            });
            questions.push(question);
        }
        Ok(questions)
    }

    async fn fail(&self, place: TaskPlace, error: NodeError, attempts: u32) -> Result<RunError, RunError> {
        let error = store_inside(error)?;
        let node = self.graph.inner.node(place.node).name.as_ref().to_owned();
        let (text, failed) = (error.to_string(), node.clone());
        self.tell_at(place.step, EventKinds::TASKS, || EventKind::TaskFailed {
            node: failed,
            task: place.id,
            error: text.clone(),
            attempts,
        });
        self.shared.task(place.id, TaskEntry::Failed { error: text, attempts }, Flush::Lazy).await?;
        Ok(RunError::Node { node, step: place.step, task: place.id, attempts, source: error.into() })
    }
}

/// Why a superstep stopped whose tasks stopped for several reasons.
fn merged(known: Option<Stopped>, by: Stopped) -> Stopped {
    match (known, by) {
        (Some(Stopped::Paused(mut known)), Stopped::Paused(by)) => {
            known.before.extend(by.before);
            known.after.extend(by.after);
            Stopped::Paused(known)
        }
        (Some(Stopped::Drained), _) => Stopped::Drained,
        (_, by) => by,
    }
}

/// The store's failure under a graph inside a task is the run's, not the node's.
fn store_inside(error: NodeError) -> Result<NodeError, RunError> {
    if !matches!(error.downcast_ref(), Some(RunError::Store(_))) {
        return Ok(error);
    }
    Err(error.into_source().downcast::<RunError>().map(|error| *error).expect("it was just looked at"))
}

/// What the log of an earlier run says about a task.
enum Left<S: State> {
    Nothing,
    Finished(Box<FinishedBefore<S>>),
    Questions(Vec<Asked>),
}

/// Whether a graph inside the task was given an answer that it has not seen: it goes on with that, whatever else it waits for.
fn is_answered_inside(left: &[TaskRecord]) -> bool {
    let is_inner = |asked: u32| {
        left.iter().any(|record| match &record.entry {
            TaskEntry::Asked(Asked { call, inner, .. }) => *call == asked && inner.is_some(),
            _ => false,
        })
    };
    let last = left.iter().rev().find_map(|record| match &record.entry {
        TaskEntry::Answered { call, .. } => Some(is_inner(*call)),
        TaskEntry::Inner { .. } | TaskEntry::Asked(_) => Some(false),
        _ => None,
    });
    last.unwrap_or(false)
}
