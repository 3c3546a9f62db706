//! Records tasks whose updates cannot be folded. Folds nothing itself; see `run_loop.rs`.

use super::checkpoint::TaskEntry;
use super::contract::Flush;
use super::error::RunError;
use super::fold::FoldError;
use super::run_loop::RunLoop;
use super::state::State;

impl<S: State, D: Send + Sync + 'static> RunLoop<S, D> {
    /// Records the tasks whose updates cannot be folded as failed, so that a resume runs them again. Returns the error of the run.
    pub(crate) async fn refuse_writers(&self, error: FoldError) -> Result<RunError, RunError> {
        let name = |index: usize| self.graph.definition.node(self.state.next[index].node).name.as_ref();
        let (error, writers) = match error {
            FoldError::Conflict(conflict) => {
                let error = RunError::WriteConflict {
                    channel: conflict.channel,
                    first: name(conflict.first).to_owned(),
                    second: name(conflict.second).to_owned(),
                    step: self.state.base.step + 1,
                    authoring: S::AUTHORING,
                };
                (error, vec![conflict.first, conflict.second])
            }
            FoldError::Panic { index, panic } => (panic.into_error(name(index)), vec![index]),
            // No task failed, because the plan is at fault and not an update.
            FoldError::Decision(panic) => (panic.into(), Vec::new()),
        };
        for index in writers {
            let task = self.place(index, self.state.next[index].node).id;
            let entry = TaskEntry::Failed { error: error.to_string(), attempts: 1 };
            self.config.log.record(task, entry, Flush::Lazy).await?;
        }
        Ok(error)
    }
}
