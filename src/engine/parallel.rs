//! A superstep of several tasks, or of one that goes on after an interrupt: runs what has to run, at once, and keeps what finished.

use std::collections::{BTreeMap, VecDeque};

use super::attempt::TaskEnd;
use super::checkpoint::{Flush, TaskEntry, TaskRecord, last_ends, open_questions};
use super::context::TaskPlace;
use super::crew::{Crew, Ended, Job, Notes};
use super::drive::{Driver, Finished, FinishedBefore, StepEnd};
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::id::{QuestionId, TaskId};
use super::outcome::Question;
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
            let left = left.remove(&place.id).unwrap_or_default();
            match self.left_by(place.id, &left)? {
                Left::Finished(before) => {
                    let FinishedBefore { update, onward } = *before;
                    ended.push((place, TaskEnd::Finished { update, onward }));
                }
                Left::Questions(asked) => ended.push((place, TaskEnd::Asked(asked))),
                Left::Nothing => jobs.push_back(Job { place, item: task.item.clone(), left }),
            }
        }
        let run = self.run_jobs(jobs, ended.is_empty()).await?;
        ended.extend(run);
        ended.sort_by_key(|(place, _)| place.id);
        self.settle_tasks(ended).await
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
            && let Some(before) = self.graph.finished(task, end, thread)?
        {
            return Ok(Left::Finished(Box::new(before)));
        }
        let open = open_questions(left);
        let asked = left.iter().filter_map(|record| match &record.entry {
            TaskEntry::Asked { call, question } if open.contains(&QuestionId { task, call: *call }) => {
                Some((*call, question.clone()))
            }
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        Ok(if asked.is_empty() { Left::Nothing } else { Left::Questions(asked) })
    }

    /// Makes one end of the ends of all tasks, which are in task order: a failure before a question before the updates.
    pub(crate) async fn settle_tasks(&self, ended: Vec<Ended<S>>) -> Result<StepEnd<S>, RunError> {
        let (mut finished, mut questions, mut failure) = (Vec::new(), Vec::new(), None);
        for (place, end) in ended {
            match end {
                TaskEnd::Finished { update, onward } => {
                    finished.push(Finished { node: place.node, update, onward });
                }
                TaskEnd::Asked(asked) => questions.extend(self.ask(place, asked).await?),
                TaskEnd::Failed { error, attempts } => {
                    let error = self.fail(place, error, attempts).await?;
                    failure.get_or_insert(error);
                }
            }
        }
        match failure {
            Some(error) => Err(error),
            None if questions.is_empty() => Ok(StepEnd::Finished(finished)),
            None => Ok(StepEnd::Waiting(questions)),
        }
    }

    async fn ask(
        &self,
        place: TaskPlace,
        asked: Vec<(u32, Box<serde_json::value::RawValue>)>,
    ) -> Result<Vec<Question>, RunError> {
        let node = self.graph.inner.node(place.node).name.as_ref().to_owned();
        let mut questions = Vec::new();
        for (call, question) in asked {
            let id = QuestionId { task: place.id, call };
            let known = |record: &TaskRecord| {
                record.task == place.id
                    && matches!(record.entry, TaskEntry::Asked { call: c, .. } if c == call)
            };
            if !self.records.iter().any(known) {
                let entry = TaskEntry::Asked { call, question: question.clone() };
                self.shared.task(place.id, entry, Flush::Synced).await?;
            }
            let (asking, payload) = (node.clone(), question.clone());
            self.tell_at(place.step, EventKinds::TASKS, || EventKind::Asked {
                node: asking,
                question: id,
                payload,
            });
            questions.push(Question { id, node: node.clone(), payload: question });
        }
        Ok(questions)
    }

    async fn fail(
        &self,
        place: TaskPlace,
        error: super::node_error::NodeError,
        attempts: u32,
    ) -> Result<RunError, RunError> {
        let node = self.graph.inner.node(place.node).name.as_ref().to_owned();
        let (text, failed) = (error.to_string(), node.clone());
        self.tell_at(place.step, EventKinds::TASKS, || EventKind::TaskFailed {
            node: failed,
            task: place.id,
            error: text.clone(),
        });
        self.shared.task(place.id, TaskEntry::Failed { error: text, attempts }, Flush::Lazy).await?;
        Ok(RunError::Node { node, step: place.step, task: place.id, attempts, source: error.into() })
    }
}

/// What the log of an earlier run says about a task.
enum Left<S: State> {
    Nothing,
    Finished(Box<FinishedBefore<S>>),
    Questions(Vec<(u32, Box<serde_json::value::RawValue>)>),
}
