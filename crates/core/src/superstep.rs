//! Executes one superstep: keeps what its tasks did in an earlier run, runs the others, merges all ends into one. Commits nothing.

use std::collections::BTreeMap;

use smallvec::smallvec;

use super::attempt::TaskEnd;
use super::checkpoint::{AskedQuestion, TaskEntry, TaskRecord, last_end_records, open_question_records};
use super::context::TaskPlace;
use super::contract::Flush;
use super::error::{FailedItem, RunError};
use super::event::{EventKind, EventKinds};
use super::id::{QuestionId, TaskId};
use super::journal::same_json;
use super::node_error::NodeError;
use super::outcome::{Question, Stopped};
use super::plan::ReadyTask;
use super::run_loop::{RunLoop, StepEnd};
use super::spending::recorded_spent;
use super::state::State;
use super::task_pool::{EndedTask, Recording, TaskPool, TaskRunner, TaskStart};

/// Maximum length of an item in the message of its failed task, in characters. Enough to recognise it.
const ITEM_TEXT_MAX: usize = 60;

impl<S: State, D: Send + Sync + 'static> RunLoop<S, D> {
    /// Runs the tasks in `next`, except those that finished in an earlier run or still wait for an answer,
    /// and merges the ends of all tasks into one. Fails when a task failed.
    pub(crate) async fn run_superstep(&self) -> Result<StepEnd<S>, RunError> {
        let ended = match &self.state.next[..] {
            // A single task runs in place, because that costs less than a task of the runtime.
            [task] if self.state.records.is_empty() && !self.can_be_cancelled() => {
                let task = self.task_start(self.place(0, task.node), task, Vec::new());
                match self.runner().run(task).await? {
                    (_, TaskEnd::Finished(output)) => return Ok(StepEnd::Finished(smallvec![output])),
                    ended => vec![ended],
                }
            }
            _ => Box::pin(self.run_tasks()).await?,
        };
        if ended.iter().all(|(_, end)| matches!(end, TaskEnd::Finished(_))) {
            let outputs = ended.into_iter().filter_map(|(_, end)| end.into_output());
            return Ok(StepEnd::Finished(outputs.collect()));
        }
        Box::pin(self.merge_ends(ended)).await
    }

    fn task_start(&self, place: TaskPlace, task: &ReadyTask, records: Vec<TaskRecord>) -> TaskStart {
        let remembered = self.state.remembered.get(&task.node).map(|remembered| remembered.state.clone());
        TaskStart { place, item: task.item.clone(), remembered, records }
    }

    /// Runs the tasks that have to run, and returns the ends of all tasks in task order.
    async fn run_tasks(&self) -> Result<Vec<EndedTask<S>>, RunError> {
        let mut records: BTreeMap<TaskId, Vec<TaskRecord>> = BTreeMap::new();
        for record in &self.state.records {
            records.entry(record.task).or_default().push(record.clone());
        }
        let (mut ended, mut tasks) = (Vec::new(), Vec::with_capacity(self.state.next.len()));
        for (index, task) in self.state.next.iter().enumerate() {
            let place = self.place(index, task.node);
            let records = records.remove(&place.id).unwrap_or_default();
            match self.earlier_end(place.id, &records)? {
                Some(end) => ended.push((place, end)),
                None => tasks.push(self.task_start(place, task, records)),
            }
        }
        if tasks.len() == 1 {
            let task = tasks.remove(0);
            ended.push(self.or_cancelled(self.runner().run(task)).await??);
        } else {
            let mut pool = TaskPool::new();
            let run = self.or_cancelled(pool.run(self.runner(), tasks)).await.flatten();
            if run.is_err() {
                // Nodes must not run on after their run has ended.
                pool.shut_down().await;
            }
            ended.extend(run?);
        }
        // Task order, because results must not depend on the order of completion.
        ended.sort_unstable_by_key(|(place, _)| place.id);
        Ok(ended)
    }

    fn runner(&self) -> TaskRunner<'_, S, D> {
        // The checkpoint of the superstep says all about a task without siblings.
        let is_alone = self.state.next.len() == 1;
        TaskRunner {
            graph: &self.graph,
            config: &self.config,
            state: &self.state.values,
            recording: if self.log.is_on() && !is_alone {
                Recording::EachTask
            } else {
                Recording::WithSuperstep
            },
            schema: self.state.base.schema,
        }
    }

    /// Returns the end that a task had in an earlier run, by its records; `None` when it has to run.
    fn earlier_end(&self, task: TaskId, records: &[TaskRecord]) -> Result<Option<TaskEnd<S>>, RunError> {
        if records.is_empty() {
            return Ok(None);
        }
        if let (Some(end), Some(thread)) = (last_end_records(records).get(&task), self.config.thread())
            && let Some(output) = self.graph.stored_output(task, end, thread, self.state.base.schema)?
        {
            return Ok(Some(TaskEnd::Finished(output)));
        }
        if is_answered_inside(records) {
            return Ok(None);
        }
        let asked: Vec<_> =
            open_question_records(records).into_iter().map(|(_, asked)| asked.clone()).collect();
        Ok((!asked.is_empty()).then_some(TaskEnd::Asked(asked)))
    }

    /// Records the ends of tasks that did not all finish, in task order, and merges them. A failure outranks a stop, a stop a question.
    async fn merge_ends(&self, ended: Vec<EndedTask<S>>) -> Result<StepEnd<S>, RunError> {
        let (mut questions, mut failure, mut stopped) = (Vec::new(), None, None);
        self.note_spent(&ended);
        for (place, end) in ended {
            match end {
                // Recorded when it finished, so a resume does not run it again.
                TaskEnd::Finished(_) => {}
                TaskEnd::Asked(asked) => questions.extend(self.record_questions(place, asked).await?),
                TaskEnd::Stopped(by) => stopped = Some(merge_stops(stopped, by)),
                TaskEnd::Failed { error, attempts } => {
                    let error = self.record_failure(place, error, attempts).await?;
                    failure.get_or_insert(error);
                }
            }
        }
        match (failure, stopped) {
            (Some(error), _) => Err(error),
            (None, Some(stopped)) => Ok(StepEnd::Stopped(stopped)),
            (None, None) => Ok(StepEnd::Waiting(questions)),
        }
    }

    /// Stores the resources, such as tokens, that tasks have spent in a superstep that is not committed:
    /// those of finished tasks, and those that waiting tasks spent in an earlier run. Tasks that ran without
    /// finishing have stored theirs.
    fn note_spent(&self, ended: &[EndedTask<S>]) {
        for (place, end) in ended {
            let spent = match end {
                TaskEnd::Finished(output) => output.update.as_ref().and_then(S::spent_by),
                TaskEnd::Asked(_) if !self.config.is_noted(place.id) => {
                    recorded_spent(place.id, &self.state.records)
                }
                TaskEnd::Asked(_) | TaskEnd::Stopped(_) | TaskEnd::Failed { .. } => None,
            };
            if let Some(spent) = spent {
                self.config.note_unfolded(place.id, spent);
            }
        }
    }

    /// Records the questions of a task, unless an earlier run recorded them, and sends their events.
    async fn record_questions(
        &self,
        place: TaskPlace,
        asked: Vec<AskedQuestion>,
    ) -> Result<Vec<Question>, RunError> {
        let node = self.graph.definition.node(place.node).name.as_ref().to_owned();
        let mut questions = Vec::new();
        for mut asked in asked {
            let id = QuestionId { task: place.id, call: asked.call };
            let known = self.state.records.iter().rev().find_map(|record| match &record.entry {
                TaskEntry::Asked(known) if record.task == place.id && known.call == asked.call => Some(known),
                _ => None,
            });
            if known.is_some_and(|known| same_json(&known.question, &asked.question)) {
                // The run that dropped the answer has sent this in its event.
                asked.dropped_answer = None;
            } else {
                self.config.log.record(place.id, TaskEntry::Asked(asked.clone()), Flush::Synced).await?;
            }
            let AskedQuestion { question: payload, schema, dropped_answer, .. } = asked;
            let question = Question { id, node: node.clone(), payload, schema };
            // The graph around this one asks the same question under the id that an answer needs.
            if self.config.namespace().is_root() {
                self.tell_at(place.step, EventKinds::TASKS, || {
                    let Question { id, node, payload, schema } = question.clone();
                    EventKind::Asked { node, task: place.id, question: id, payload, schema, dropped_answer }
                });
            }
            questions.push(question);
        }
        Ok(questions)
    }

    /// Records that a task failed for good, sends its event, and returns the error of the run.
    async fn record_failure(
        &self,
        place: TaskPlace,
        error: NodeError,
        attempts: u32,
    ) -> Result<RunError, RunError> {
        let error = split_store_failure(error)?;
        let node = self.graph.definition.node(place.node).name.as_ref().to_owned();
        let (text, failed) = (error.to_string(), node.clone());
        self.tell_at(place.step, EventKinds::TASKS, || EventKind::TaskFailed {
            node: failed,
            task: place.id,
            error: text.clone(),
            attempts,
        });
        let entry = TaskEntry::Failed { error: text, attempts };
        self.config.log.record(place.id, entry, Flush::Lazy).await?;
        let item = self.failed_item(place);
        Ok(RunError::Node { node, item, step: place.step, task: place.id, attempts, source: error.into() })
    }

    /// Returns the item of a task for messages; `None` for a task without an item.
    fn failed_item(&self, place: TaskPlace) -> Option<Box<FailedItem>> {
        let at = place.id.index as usize;
        let json = self.state.next.get(at)?.item.as_ref()?.to_json().ok()?;
        let is_sibling = |task: &&ReadyTask| task.node == place.node && task.item.is_some();
        let index = self.state.next[..at].iter().filter(is_sibling).count();
        let end = json.get().char_indices().nth(ITEM_TEXT_MAX).map(|(end, _)| end);
        let text = end.map_or_else(|| json.get().to_owned(), |end| format!("{}…", &json.get()[..end]));
        Some(Box::new(FailedItem { index, text }))
    }
}

/// Merges the stops of graphs inside two tasks of one superstep: the breakpoints of both, or a drain if
/// either was drained. `None` for no stop so far.
fn merge_stops(known: Option<Stopped>, by: Stopped) -> Stopped {
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

/// Fails with the run's error when a node's error is a store error of a graph inside it; returns any other
/// error of the node.
fn split_store_failure(error: NodeError) -> Result<NodeError, RunError> {
    if !matches!(error.downcast_ref(), Some(RunError::Store(_))) {
        return Ok(error);
    }
    Err(error.into_source().downcast::<RunError>().map(|error| *error).expect("the line above looked at it"))
}

/// Returns true when a graph inside the task was given an answer after its last record, so that it has not
/// read the answer yet. The task then runs, although other questions of it are still open.
fn is_answered_inside(records: &[TaskRecord]) -> bool {
    let is_inner = |asked: u32| {
        records.iter().any(|record| match &record.entry {
            TaskEntry::Asked(AskedQuestion { call, inner, .. }) => *call == asked && inner.is_some(),
            _ => false,
        })
    };
    let last = records.iter().rev().find_map(|record| match &record.entry {
        TaskEntry::Answered { call, .. } => Some(is_inner(*call)),
        TaskEntry::Inner { .. } | TaskEntry::Asked(_) => Some(false),
        _ => None,
    });
    last.unwrap_or(false)
}
