//! The limits of the whole tree.

use serde_json::json;
use stategraph::agent::{AnswerTotals, Spent};
use stategraph::llm::layer::BudgetLimits;
use stategraph::llm::{Money, Usage, UsageSource};
use stategraph::workflows::explore::agents::{AgentAllowance, AgentEnd, CHILD_TOKENS_MIN};
use stategraph::workflows::explore::input::{ExploreSettings, TreeLimits};

use super::agents::FILES;
use super::kit::{Exploring, Place, Says, TreeModel, assert_whole, call, delegate, finish, note};
use super::tree::{deep_place, divide};

#[test]
fn the_defaults_are_those_of_the_contract() {
    // EXP-9, EXP-58, EXP-59, EXP-60
    let settings = ExploreSettings::default();
    assert_eq!((settings.max_depth, settings.steps), (8, 80));
    assert!(settings.is_offline(), "no model unless the user names one");
}

fn spent(tokens: u64) -> Spent {
    let usage = Usage { prompt_tokens: tokens, completion_tokens: 0, source: UsageSource::Reported };
    let mut spent = Spent::default();
    spent
        .operations
        .insert("x".into(), AnswerTotals { answers: 1, usage, cost: Money::dollars(1.0), unpriced: 0 });
    spent
}

#[test]
fn an_allowance_is_divided_by_weight_and_never_grows() {
    // EXP-66
    let budget = BudgetLimits { tokens: Some(101_000), money: Some(Money::dollars(9.0)) };
    let whole = AgentAllowance { budget, agents: 12 };
    let rest = whole.rest(&spent(1_000), 2);
    assert_eq!(
        (rest.budget.tokens, rest.budget.money, rest.agents),
        (Some(100_000), Some(Money::dollars(8.0)), 10)
    );
    for weights in [vec![1, 1], vec![3, 1], vec![0, 0], vec![1; 10], vec![u64::MAX / 4, 1]] {
        let parts = rest.divide(&weights);
        let tokens: u64 = parts.iter().map(|part| part.budget.tokens.unwrap()).sum();
        let agents: u32 = parts.iter().map(|part| part.agents + 1).sum();
        let money: f64 = parts.iter().map(|part| part.budget.money.unwrap().in_dollars()).sum();
        assert!(tokens <= 75_000 && agents <= 10 && money <= 6.001, "{weights:?}: {parts:?}");
        assert!(parts.iter().all(|part| part.budget.tokens.unwrap() >= CHILD_TOKENS_MIN), "{parts:?}");
    }
    let parts = rest.divide(&[3, 1]);
    assert!(parts[0].budget.tokens > parts[1].budget.tokens && parts[0].agents > parts[1].agents);
}

#[tokio::test]
async fn the_number_of_agents_is_limited_for_the_whole_tree() {
    // EXP-66
    for parallel in [1, 8] {
        let place = deep_place();
        let model = TreeModel::new(divide);
        let explored = Exploring::with(&model)
            .set(|to| (to.limits.agents, to.parallel) = (12, parallel))
            .run(&place)
            .await
            .unwrap();
        assert!((6..=12).contains(&explored.ids().len()), "{:?}", explored.ids());
        let refused = explored.named("tool_error");
        assert!(
            refused.iter().any(|event| event["error"].as_str().unwrap().contains("limit of agents")),
            "{refused:?}"
        );
        assert!(explored.result.agents.iter().all(|agent| agent.end == AgentEnd::Finished));
        assert_whole(&explored.events);
    }
}

#[tokio::test]
async fn the_tokens_are_limited_for_the_whole_tree_and_it_ends_in_good_order() {
    // EXP-66
    let place = deep_place();
    let model = TreeModel::new(|ask| Says { tokens: 4_000, ..divide(ask) });
    let budget = BudgetLimits { tokens: Some(60_000), money: None };
    let explored = Exploring::with(&model).set(|to| to.limits.budget = budget).run(&place).await.unwrap();
    let total = explored.result.spent.total().usage.total();
    // The last answer of an agent may exceed its part.
    assert!(total <= 60_000 + 4_100 * explored.ids().len() as u64, "{total}");
    assert!(
        explored
            .result
            .agents
            .iter()
            .any(|agent| matches!(&agent.end, AgentEnd::Failed(reason) if reason.contains("budget")))
    );
    assert!(explored.ids().len() < 20, "{}", explored.ids().len());
    assert!(!explored.result.is_complete());
    assert_whole(&explored.events);
    let refused = explored.named("tool_error");
    assert!(
        refused.iter().any(|event| event["error"].as_str().unwrap().contains("tokens are left")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn the_time_is_limited_for_the_whole_tree() {
    // EXP-66
    let place = Place::new(FILES);
    let model = TreeModel::new(|_| call([finish("done")]));
    let limits = TreeLimits { seconds: 0, ..TreeLimits::default() };
    let explored = Exploring::with(&model).set(|to| to.limits = limits).run(&place).await.unwrap();
    assert!(explored.failure("0").contains("time of 0 seconds"), "{}", explored.failure("0"));
    assert!(model.asked().is_empty());
    assert_whole(&explored.events);
}

#[tokio::test]
async fn an_agent_that_never_finishes_ends_at_its_steps() {
    // EXP-9
    let place = Place::new(FILES);
    let model = TreeModel::new(|_| call([("list_directory", json!({}))]));
    let explored = Exploring::with(&model).set(|to| to.steps = 7).run(&place).await.unwrap();
    assert_eq!(explored.agent("0").rounds, 7);
    assert!(explored.failure("0").contains("7 answers"));
}

#[tokio::test]
async fn what_a_child_did_not_use_goes_back_to_its_parent() {
    // EXP-66
    let place = Place::new(&["a/1.rs", "a/x/2.rs", "b/1.rs", "b/y/2.rs", "c/1.rs", "main.rs"]);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("a")]),
        ("0", 2) => call([delegate("b")]),
        ("0", 3) => call([delegate("c")]),
        (id, _) => call([note("n", id), finish(id)]),
    });
    let explored = Exploring::with(&model).set(|to| to.limits.agents = 4).run(&place).await.unwrap();
    assert_eq!(explored.ids(), ["0", "0.1", "0.2", "0.3"]);
}
