//! Requests and tokens within a minute: CTX-75, 76, 85, 142.

use std::time::Duration;

use stategraph_agent::around::Throttle;
use stategraph_agent::{Agent, Conversation, Stack};
use stategraph_llm::{Scripted, ScriptedAnswer, Usage, UsageSource};
use tokio::time::Instant;

use super::toolbox;

/// The seconds at which requests of so many tokens, told afterwards, pass.
async fn passed(throttle: &Throttle, tokens: &[u64]) -> Vec<u64> {
    let (start, toolbox) = (Instant::now(), toolbox());
    let mut times = Vec::new();
    for tokens in tokens {
        let usage = Usage { prompt_tokens: *tokens, completion_tokens: 0, source: UsageSource::Reported };
        let answer = ScriptedAnswer { text: "x".into(), usage: Some(usage), ..ScriptedAnswer::default() };
        let model = Scripted::new("test").reply(answer);
        let agent = Agent::new("x", &model, &toolbox).stack(Stack::new().with(throttle.clone()));
        agent.converse(&mut Conversation::new("", "")).await.unwrap();
        times.push(start.elapsed().as_secs());
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    times
}

#[tokio::test(start_paused = true)]
async fn requests_wait_until_the_window_has_room_for_them() {
    // CTX-75, CTX-76, CTX-85: 25,500 of 30,000 tokens within any minute
    let throttle = Throttle::new().tokens(30_000);
    assert_eq!(passed(&throttle, &[20_000, 5_500, 100, 100]).await, [0, 1, 60, 61]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_too_large_passes_when_the_window_is_empty() {
    // CTX-85
    assert_eq!(passed(&Throttle::new().tokens(1), &[50_000, 1]).await, [0, 60]);
}

#[tokio::test(start_paused = true)]
async fn requests_are_counted_as_well() {
    // CTX-69
    assert_eq!(passed(&Throttle::new().requests(2), &[1, 1, 1, 1, 1]).await, [0, 1, 60, 61, 120]);
}
