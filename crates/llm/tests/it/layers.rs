//! Each layer alone, over a scripted model, with paused time.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use stategraph_llm::layer::{
    BudgetLimits, Budgeted, Deadline, Meter, MeterKey, Metered, ModelRetryPolicy, RateLimit, RateLimited,
    RatePolicy, Retrying, UsageTally,
};
use stategraph_llm::{
    ChatModel, ModelErrorKind, ModelName, Money, NoTokens, Prices, RequestTimeout, RetryAfter, Scripted,
    ScriptedAnswer, Usage,
};
use tokio::time::Instant;

use super::question;

fn status(status: u16, retry_after: Option<RetryAfter>) -> ModelErrorKind {
    ModelErrorKind::Status { status, code: None, retry_after, request_id: None, message: "no".into() }
}

fn at_ten_past() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_mins(10)
}

/// Waits between the questions that a model failing with `kinds`, then answering, is asked.
async fn waits(kinds: Vec<ModelErrorKind>, policy: ModelRetryPolicy) -> (bool, Duration) {
    let script = kinds.into_iter().fold(Scripted::new("t/m"), Scripted::fail).answer("done");
    let model = Retrying::new(script, policy, 7, at_ten_past);
    let start = Instant::now();
    let answer = model.chat(&question(), &NoTokens).await;
    (answer.is_ok(), start.elapsed())
}

fn seconds(range: std::ops::RangeInclusive<f64>, elapsed: Duration) {
    assert!(range.contains(&elapsed.as_secs_f64()), "{elapsed:?} is not in {range:?}");
}

#[tokio::test(start_paused = true)]
async fn retries_wait_two_seconds_and_double_with_a_quarter_of_jitter() {
    // CTX-73, ENG-15
    let (answered, elapsed) = waits(vec![status(500, None); 2], ModelRetryPolicy::default()).await;
    assert!(answered);
    seconds(4.5..=7.5, elapsed);
    let calm = ModelRetryPolicy { jitter: 0.0, ..ModelRetryPolicy::default() };
    let (_, elapsed) = waits(vec![status(500, None); 2], calm).await;
    seconds(6.0..=6.01, elapsed);
}

#[tokio::test(start_paused = true)]
async fn three_attempts_are_made_and_no_fourth() {
    // CTX-73: limit - 1, limit, limit + 1 failures
    for (failures, answered) in [(1, true), (2, true), (3, false)] {
        let kinds = vec![status(503, None); failures];
        assert_eq!(waits(kinds, ModelRetryPolicy::default()).await.0, answered, "{failures} failures");
    }
    let once = ModelRetryPolicy { attempts: 0, ..ModelRetryPolicy::default() };
    assert!(waits(vec![], once).await.0);
    assert!(!waits(vec![status(503, None)], once).await.0);
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_replaces_the_wait() {
    let wish = |wish| vec![status(429, Some(wish))];
    let rows = [
        (RetryAfter::Seconds(7), 7.0),
        (RetryAfter::Seconds(60), 60.0),
        (RetryAfter::At(630), 30.0),
        (RetryAfter::At(1), 0.0),
    ];
    for (after, expected) in rows {
        let (answered, elapsed) = waits(wish(after), ModelRetryPolicy::default()).await;
        assert!(answered);
        seconds(expected..=expected + 0.01, elapsed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_beyond_the_limit_is_not_waited_for() {
    for (after, wait_s, until) in [(RetryAfter::Seconds(61), 61, 661), (RetryAfter::At(9_999), 9_399, 9_999)]
    {
        let script = Arc::new(Scripted::new("t/m").fail(status(429, Some(after))).answer("never"));
        let model = Retrying::new(script.clone(), ModelRetryPolicy::default(), 7, at_ten_past);
        let start = tokio::time::Instant::now();
        let kind = *model.chat(&question(), &NoTokens).await.unwrap_err().kind;
        assert!(
            matches!(kind, ModelErrorKind::TryLater { wait_s: w, until: u, .. } if (w, u) == (wait_s, until)),
            "{kind}"
        );
        assert_eq!((script.requests().len(), start.elapsed()), (1, Duration::ZERO));
    }
}

#[tokio::test(start_paused = true)]
async fn errors_that_do_not_pass_are_not_asked_again() {
    // ENG-15
    let lasting = [status(400, None), status(401, None), ModelErrorKind::Refused { message: "no".into() }];
    for kind in lasting {
        let script = Arc::new(Scripted::new("t/m").fail(kind).answer("never"));
        let model = Retrying::new(script.clone(), ModelRetryPolicy::default(), 7, at_ten_past);
        assert!(model.chat(&question(), &NoTokens).await.is_err());
        assert_eq!(script.requests().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_waits_the_same() {
    let kinds = || vec![status(500, None); 2];
    let first = waits(kinds(), ModelRetryPolicy::default()).await;
    assert_eq!(first, waits(kinds(), ModelRetryPolicy::default()).await);
}

#[tokio::test(start_paused = true)]
async fn a_rate_lets_a_burst_through_and_then_one_at_a_time() {
    // CTX-69: 0.7 requests per second, burst 20
    let policy = RatePolicy {
        requests_per_minute: NonZeroU32::new(42),
        burst: NonZeroU32::new(20),
        tokens_per_minute: None,
    };
    let script = (0..23).fold(Scripted::new("t/m"), |script, _| script.answer("x"));
    let model = RateLimited::new(script, Arc::new(RateLimit::new(policy)));
    let start = Instant::now();
    for number in 1..=23_u32 {
        model.chat(&question(), &NoTokens).await.unwrap();
        let expected = f64::from(number.saturating_sub(20)) / 0.7;
        seconds(expected - 0.01..=expected + 0.1, start.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_are_settled_with_what_the_call_really_took() {
    let policy = RatePolicy { tokens_per_minute: NonZeroU32::new(600), ..RatePolicy::default() };
    let usage = Usage { prompt_tokens: 500, completion_tokens: 400, ..Usage::default() };
    let answer = ScriptedAnswer { text: "x".into(), usage: Some(usage), ..ScriptedAnswer::default() };
    let model = RateLimited::new(
        Scripted::new("t/m").reply(answer.clone()).reply(answer),
        Arc::new(RateLimit::new(policy)),
    );
    let start = Instant::now();
    model.chat(&question(), &NoTokens).await.unwrap();
    seconds(0.0..=0.01, start.elapsed());
    // 600 - 900 is a debt of 300 tokens, and the question itself is 6: at 10 a second.
    model.chat(&question(), &NoTokens).await.unwrap();
    seconds(30.0..=31.0, start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn two_models_of_one_provider_share_its_rate() {
    let policy = RatePolicy {
        requests_per_minute: NonZeroU32::new(60),
        burst: NonZeroU32::new(1),
        tokens_per_minute: None,
    };
    let limit = Arc::new(RateLimit::new(policy));
    let model = |name: &str| RateLimited::new(Scripted::new(name).answer("x"), limit.clone());
    let start = Instant::now();
    let (a, b) = (model("t/a"), model("t/b"));
    let question = question();
    let (first, second) = tokio::join!(a.chat(&question, &NoTokens), b.chat(&question, &NoTokens));
    assert!(first.is_ok() && second.is_ok());
    seconds(1.0..=1.1, start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_deadline_ends_a_call_that_waits() {
    let policy = RatePolicy {
        requests_per_minute: NonZeroU32::new(1),
        burst: NonZeroU32::new(1),
        tokens_per_minute: None,
    };
    let slow =
        RateLimited::new(Scripted::new("t/m").answer("1").answer("2"), Arc::new(RateLimit::new(policy)));
    let model = Deadline::new(slow, Duration::from_secs(9));
    model.chat(&question(), &NoTokens).await.unwrap();
    let error = model.chat(&question(), &NoTokens).await.unwrap_err();
    let expected = ModelErrorKind::Timeout { which: RequestTimeout::Overall, limit: Duration::from_secs(9) };
    assert_eq!(*error.kind, expected);
    assert!(error.hint().unwrap().contains("timeout_s"));
}

#[tokio::test(start_paused = true)]
async fn the_meter_counts_calls_tokens_money_and_time_by_label_and_model() {
    // ENG-13, ARD-73
    let meter = Meter::default();
    let usage = Usage { prompt_tokens: 1_000_000, completion_tokens: 2_000_000, ..Usage::default() };
    let answer = ScriptedAnswer { text: "x".into(), usage: Some(usage), ..ScriptedAnswer::default() };
    let script = Scripted::new("t/m").reply(answer.clone()).reply(answer).fail(ModelErrorKind::EmptyChoices);
    let prices = Prices { input: 0.15, output: 0.6 };
    let model = Metered::new(script, meter.clone(), Some(prices));
    let paid = model.chat(&question(), &NoTokens).await.unwrap().cost;
    assert_eq!(paid, Some(Money::dollars(1.35)));
    model.chat(&question(), &NoTokens).await.unwrap();
    model.chat(&question(), &NoTokens).await.unwrap_err();
    let key = MeterKey { label: "tester".into(), model: ModelName::from("t/m") };
    let tally = meter.snapshot()[&key];
    assert_eq!((tally.calls, tally.failures, tally.unpriced), (2, 1, 0));
    assert_eq!((tally.usage.total(), tally.cost.to_string()), (6_000_000, "$2.7000".to_owned()));
    assert_eq!(meter.total(), tally);
}

#[tokio::test]
async fn an_unknown_price_is_counted_as_unknown() {
    let meter = Meter::default();
    let model = Metered::new(Scripted::new("t/m").answer("x"), meter.clone(), None);
    assert_eq!(model.chat(&question(), &NoTokens).await.unwrap().cost, None);
    assert_eq!((meter.total().unpriced, meter.total().cost), (1, Money::default()));
}

#[tokio::test]
async fn a_used_up_budget_refuses_before_the_call() {
    let spent = |tokens| UsageTally {
        usage: Usage { prompt_tokens: tokens, ..Usage::default() },
        cost: Money::dollars(0.5),
        ..UsageTally::default()
    };
    let by_tokens = BudgetLimits { tokens: Some(100), money: None };
    let by_money = BudgetLimits { tokens: None, money: Some(Money::dollars(0.5)) };
    for (limits, tokens, allowed) in
        [(by_tokens, 99, true), (by_tokens, 100, false), (by_tokens, 101, false), (by_money, 1, false)]
    {
        let meter = Meter::default();
        meter.add(MeterKey { label: "earlier".into(), model: "t/m".into() }, spent(tokens));
        let script = Arc::new(Scripted::new("t/m").answer("x"));
        let answer = Budgeted::new(script.clone(), meter, limits).chat(&question(), &NoTokens).await;
        assert_eq!(
            (answer.is_ok(), script.requests().len()),
            (allowed, usize::from(allowed)),
            "{limits:?}, {tokens}"
        );
    }
}
