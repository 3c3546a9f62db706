//! Records tasks whose updates cannot be folded. Folds nothing itself; see `drive.rs`.

use super::checkpoint::TaskEntry;
use super::contract::Flush;
use super::drive::Driver;
use super::error::RunError;
use super::fold::WriteConflict;
use super::state::State;

impl<S: State, D: Send + Sync + 'static> Driver<S, D> {
    /// Records both writers of a conflict as failed, so that a resume runs them again: their updates can never be folded.
    pub(crate) async fn refuse(&self, conflict: &WriteConflict) -> Result<RunError, RunError> {
        let name = |index: usize| self.graph.inner.node(self.next[index].node).name.as_ref().to_owned();
        let error = RunError::WriteConflict {
            channel: conflict.channel.clone(),
            first: name(conflict.first),
            second: name(conflict.second),
            step: self.base.step + 1,
            authoring: S::AUTHORING,
        };
        for writer in [conflict.first, conflict.second] {
            self.refuse_writer(writer, &error).await?;
        }
        Ok(error)
    }

    /// Records the task of this index as failed.
    pub(crate) async fn refuse_writer(&self, index: usize, error: &RunError) -> Result<(), RunError> {
        let task = self.place(index, self.next[index].node).id;
        let entry = TaskEntry::Failed { error: error.to_string(), attempts: 1 };
        Ok(self.shared.task(task, entry, Flush::Lazy).await?)
    }
}
