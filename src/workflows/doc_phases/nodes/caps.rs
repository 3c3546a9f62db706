//! The limits of tokens and money of a whole run (DOC-47). Counts nothing: the records in the session file have the usage of each
//! exploration.

use super::round::RoundContext;
use crate::agent::around::{Budget, OverBudget};
use crate::agent::{AnswerTotals, Spent};
use crate::engine::{NodeError, NodeResult};
use crate::llm::layer::BudgetLimits;

/// Returns the reason to send no further request if the run has used up its tokens or its money; `None` if it
/// may go on, and always for the rules. Journaled by `round`, because other components spend at the same
/// time, and a resumed run must decide as before.
pub(super) async fn check_caps(context: &RoundContext<'_>, round: u32) -> NodeResult<Option<String>> {
    let caps = context.run.settings.caps;
    if caps == BudgetLimits::default() || context.resources.is_rules() {
        return Ok(None);
    }
    let checking = async {
        let spent =
            Spent { operations: [("run".to_owned(), spent_in_session(context))].into(), ..Spent::default() };
        // A limit that is reached exactly is used up.
        let checked = Budget::new(caps).with_estimate(&spent, 1);
        let reason = |over: OverBudget| {
            format!("{over}; raise `max_tokens` or `max_cost` in the budgets file, then run `--update`")
        };
        Ok::<_, NodeError>(checked.err().map(reason))
    };
    context.cx.once(&format!("caps {round}"), checking).await
}

/// Returns the sum of the tokens and money of all phases and components of the session, also of those in
/// progress.
fn spent_in_session(context: &RoundContext<'_>) -> AnswerTotals {
    let run = context.resources.session.state().run;
    let records = run.phases.values().chain(run.components.values());
    records.fold(AnswerTotals::default(), |mut sum, record| {
        sum += record.spent;
        sum
    })
}
