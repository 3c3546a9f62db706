//! A superstep of several tasks, or of one that goes on after an interrupt: runs what has to run, at once, and keeps what finished.

use std::collections::VecDeque;

use tokio::task::JoinSet;

use super::attempt::{TaskEnd, run_task};
use super::checkpoint::{Flush, TaskEntry, TaskRecord, last_ends, open_questions};
use super::context::TaskPlace;
use super::drive::{Driver, Finished, StepEnd, encode};
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::id::{QuestionId, TaskId};
use super::journal::TaskJournal;
use super::outcome::Question;
use super::plan::NodeIx;
use super::state::State;

type Ended<S> = (TaskPlace, TaskEnd<S>);

impl<S: State, D: Send + Sync + 'static> Driver<S, D> {
    /// Runs the tasks in `next` that have not finished and do not wait for an answer.
    pub(crate) async fn superstep_of_many(&mut self) -> Result<StepEnd<S>, RunError> {
        let places: Vec<TaskPlace> =
            self.next.iter().enumerate().map(|(index, node)| self.place(index, *node)).collect();
        let (mut ended, mut to_run) = (Vec::new(), VecDeque::new());
        for place in places {
            match self.left_by(place.id)? {
                Left::Finished(update, goto) => ended.push((place, TaskEnd::Finished { update, goto })),
                Left::Questions(asked) => ended.push((place, TaskEnd::Asked(asked))),
                Left::Nothing => to_run.push_back(place),
            }
        }
        if to_run.is_empty() {
            return self.settle_tasks(ended).await;
        }
        if to_run.len() == 1 {
            let place = to_run.pop_front().expect("there is one");
            let mut cx = self.context(TaskJournal::of(place.id, &self.records));
            cx.task = place;
            let graph = self.graph.inner.clone();
            let end = self.or_cancelled(run_task(&graph, &self.state, &mut cx)).await?;
            self.keep(&(place, &end), ended.is_empty()).await?;
            ended.push((place, end));
        } else {
            self.run_at_once(to_run, &mut ended).await?;
        }
        ended.sort_by_key(|(place, _)| place.id);
        self.settle_tasks(ended).await
    }

    /// Runs tasks at once, `max_concurrency` at a time. After a failure no further task starts; those under way finish (D16).
    async fn run_at_once(
        &self,
        mut to_run: VecDeque<TaskPlace>,
        ended: &mut Vec<Ended<S>>,
    ) -> Result<(), RunError> {
        let mut running: JoinSet<Ended<S>> = JoinSet::new();
        let mut failed = false;
        loop {
            while running.len() < self.max_concurrency && !failed {
                let Some(place) = to_run.pop_front() else { break };
                running.spawn(self.task(place));
            }
            let joined = self.or_cancelled(running.join_next()).await;
            if joined.is_err() {
                // When the run ends, nothing of its nodes is left running.
                running.shutdown().await;
            }
            let Some(next) = joined? else { break };
            let (place, end) = next.expect("panics of nodes are caught, and nobody aborts these tasks");
            self.keep(&(place, &end), false).await?;
            failed |= matches!(end, TaskEnd::Failed { .. });
            ended.push((place, end));
        }
        Ok(())
    }

    fn task(&self, place: TaskPlace) -> impl Future<Output = Ended<S>> + Send + 'static {
        let (graph, state) = (self.graph.inner.clone(), self.state.clone());
        let mut cx = self.context(TaskJournal::of(place.id, &self.records));
        cx.task = place;
        let span = tracing::Span::current();
        let run = async move {
            let end = run_task(&graph, &state, &mut cx).await;
            (place, end)
        };
        tracing::Instrument::instrument(run, span)
    }

    /// Notes what a task left, so that it is not run again whatever happens to its siblings. A task alone needs no note: the
    /// checkpoint of its superstep says it all.
    async fn keep(&self, (place, end): &(TaskPlace, &TaskEnd<S>), alone: bool) -> Result<(), RunError> {
        let TaskEnd::Finished { update, goto } = end else { return Ok(()) };
        self.tell_finished(*place, update.as_ref())?;
        if alone || !self.recorder.is_on() {
            return Ok(());
        }
        let update = update.as_ref().map(|update| encode("an update", update)).transpose()?;
        let name = |target: &Option<NodeIx>| match target {
            Some(node) => self.graph.inner.node(*node).name.clone(),
            None => super::draft::END.into(),
        };
        let goto = (!goto.is_empty()).then(|| goto.iter().map(name).collect());
        Ok(self.shared.task(place.id, TaskEntry::Finished { update, goto }, Flush::Lazy).await?)
    }

    /// What the log says about a task of this superstep.
    fn left_by(&self, task: TaskId) -> Result<Left<S>, RunError> {
        let mine: Vec<TaskRecord> =
            self.records.iter().filter(|record| record.task == task).cloned().collect();
        if let (Some(end), Some(thread)) = (last_ends(&mine).get(&task), &self.shared.thread)
            && let Some(left) = self.graph.finished(task, end, thread)?
        {
            return Ok(Left::Finished(left.update, left.goto));
        }
        let open = open_questions(&mine);
        let asked = mine.iter().filter_map(|record| match &record.entry {
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
                TaskEnd::Finished { update, goto } => {
                    finished.push(Finished { node: place.node, update, goto });
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
    Finished(Option<S::Update>, Vec<super::plan::Target>),
    Questions(Vec<(u32, Box<serde_json::value::RawValue>)>),
}
