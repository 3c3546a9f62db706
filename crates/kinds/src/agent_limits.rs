//! The budgets of an agent in a graph file: tokens, money, requests a minute (CTX-75, CTX-86 to 92, CTX-140). A
//! resumed node counts the journaled answers again, so it can continue after the budget in the file was raised.

use super::model::ask_once;
use super::services::{Services, SleepMode};
use super::work::WorkContext;
use stategraph_agent::around::{Budget, OverBudget, Throttle};
use stategraph_agent::{Round, Spent};
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::kind::{AgentBudget, AgentKind};
use stategraph_llm::layer::BudgetLimits;
use stategraph_llm::{ChatAnswer, ChatModel as _, ChatRequest, Money, SharedModel};

/// The budget and the throttle of an agent node during one run of it, and its costs so far.
pub(super) struct AgentLimits<'a> {
    budget: Option<Budget>,
    /// True if the budget limits money.
    dollars: bool,
    throttle: Option<&'a Throttle>,
    spent: Spent,
}

/// Makes the throttle of an agent from the rates in its file; `None` if the file sets no rate.
pub(super) fn build_throttle(kind: &AgentKind) -> Option<Throttle> {
    let AgentBudget { requests_per_minute, tokens_per_minute, .. } = kind.budget?;
    if requests_per_minute.is_none() && tokens_per_minute.is_none() {
        return None;
    }
    let throttle = Throttle::new();
    let throttle = match requests_per_minute {
        Some(requests) => throttle.requests(requests as usize),
        None => throttle,
    };
    Some(match tokens_per_minute {
        Some(tokens) => throttle.tokens(tokens.into()),
        None => throttle,
    })
}

impl<'a> AgentLimits<'a> {
    /// Makes the limits that the file sets for an agent, with no costs yet.
    pub(super) fn new(kind: &AgentKind, work: &WorkContext<'a>) -> Self {
        let AgentBudget { tokens, dollars, .. } = kind.budget.unwrap_or_default();
        let limits = BudgetLimits { tokens: tokens.map(u64::from), money: dollars.map(Money::dollars) };
        let budget = (tokens.is_some() || dollars.is_some()).then(|| Budget::new(limits));
        Self { budget, dollars: dollars.is_some(), throttle: work.throttle(), spent: Spent::default() }
    }

    /// Returns the description of round `number` for the approval middleware; `limit` is the maximum number
    /// of rounds.
    pub(super) fn to_round(&self, number: u32, limit: u32) -> Round {
        Round { number, limit, at: 0, spent: self.spent.clone() }
    }

    /// Fails if the next request, with its estimated tokens, would exceed the budget.
    pub(super) fn check(&self, request: &ChatRequest) -> NodeResult<()> {
        let Some(budget) = &self.budget else { return Ok(()) };
        budget.with_estimate(&self.spent, request.estimated_tokens()).map_err(over_budget_error)
    }

    /// Calls the model once, as soon as the throttle allows it, and journals the answer under `name`.
    pub(super) async fn ask(
        &self,
        request: &ChatRequest,
        model: &SharedModel,
        name: &str,
        work: &WorkContext<'_>,
        cx: &Cx<Services>,
    ) -> NodeResult<ChatAnswer> {
        let throttle = self.throttle.filter(|_| cx.services().sleep_mode == SleepMode::Real);
        ask_once(request, model, throttle, name, work, cx).await
    }

    /// Adds the tokens and the cost of an answer. Fails if a budget in dollars is set and the price of the
    /// answer is unknown.
    pub(super) fn count(
        &mut self,
        request: &ChatRequest,
        answer: &ChatAnswer,
        model: &SharedModel,
    ) -> NodeResult<()> {
        self.spent.answer(&request.label, answer, None);
        if self.dollars
            && answer.cost.is_none()
            && model.name().provider() != super::rules().name().provider()
        {
            let error = NodeError::msg(format!(
                "the price of `{}` is unknown, so the limit `dollars` cannot be enforced",
                model.name()
            ));
            return Err(error
                .permanent()
                .with_hint("write the prices under `providers:` of the config file, or limit `tokens`"));
        }
        if let Some(warning) = self.budget.and_then(|budget| budget.warning(&self.spent)) {
            tracing::warn!(node = request.label, "{warning}");
        }
        Ok(())
    }
}

/// Makes the permanent error of a node whose budget is exceeded.
fn over_budget_error(error: OverBudget) -> NodeError {
    NodeError::from(error)
        .permanent()
        .with_hint("raise `budget` in the file and resume, or give it less to do")
}
