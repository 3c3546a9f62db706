//! Typed answers: found, checked, asked for again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stategraph_llm::{
    AskError, AskPolicy, ChatRequest, Finish, Message, Money, NoTokens, Reply, Role, Scripted,
    ScriptedAnswer, Usage, UsageSource, ask,
};

use super::{Pieces, question};

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Verdict {
    status: Status,
    #[serde(default)]
    challenges: Vec<Challenge>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Verified,
    Revise,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Challenge {
    Missing { what: String, line: u32 },
    Vague { where_: String },
}

const GOOD: &str = r#"{"status":"verified","challenges":[]}"#;

async fn asked(answers: &[&str], reasks: u32) -> (Result<Reply<Verdict>, AskError>, Vec<ChatRequest>) {
    let model = answers.iter().fold(Scripted::new("t/m"), |script, answer| script.answer(*answer));
    let reply = ask(&model, question(), AskPolicy::reasks(reasks), |_: &Verdict| Ok(()), &NoTokens).await;
    (reply, model.requests())
}

async fn problems(answer: &str) -> Vec<String> {
    match asked(&[answer], 0).await.0 {
        Err(AskError::Malformed { problems, .. }) => problems,
        other => panic!("this should not have been accepted: {other:?}"),
    }
}

#[tokio::test]
async fn a_right_answer_is_taken_at_once_with_its_schema_sent() {
    // ENG-14
    let (reply, asked) = asked(&[GOOD], 2).await;
    let reply = reply.unwrap();
    assert_eq!((reply.value.status, reply.attempts, reply.model.as_str()), (Status::Verified, 1, "t/m"));
    let answer = asked[0].answer.as_ref().unwrap();
    assert_eq!((answer.name.as_str(), asked.len()), ("Verdict", 1));
    assert!(answer.schema.as_value()["properties"]["status"].is_object());
}

#[tokio::test]
async fn fences_preambles_and_reasoning_are_stripped() {
    // ARD-40, ENG-14
    let dressed = [
        format!("```json\n{GOOD}\n```"),
        format!("```\n{GOOD}\n```\n"),
        format!("Here is {{my}} verdict [as asked]:\n```json\n{GOOD}\n```\nI hope it helps {{you}}."),
        format!("<think>{{\"status\": no}}</think>\n\n{GOOD}"),
        format!("Ünïcode “first” {GOOD} and after"),
    ];
    for answer in dressed {
        let (reply, _) = asked(&[&answer], 0).await;
        assert_eq!(reply.map(|reply| reply.value.status), Ok(Status::Verified), "{answer}");
    }
}

#[tokio::test]
async fn a_broken_outer_value_is_not_replaced_by_an_inner_one() {
    let found = problems(r#"{"status": {"status":"verified"}, oops}"#).await;
    assert!(found[0].starts_with("the JSON is broken") && found[0].contains("column"), "{found:?}");
    let found = problems(r#"{"status":"verified","challenges":["#).await;
    assert!(found[0].contains("EOF"), "{found:?}");
    assert_eq!(problems("").await, ["the answer is empty"]);
    assert_eq!(problems("I cannot do that.").await, ["the answer holds no JSON"]);
}

#[tokio::test]
async fn of_several_values_the_one_that_fits_is_taken() {
    let answer = format!(r#"As in [1], not {{"status":"maybe","challenges":[]}}, but: {GOOD} [2]"#);
    assert!(asked(&[&answer], 0).await.0.is_ok());
    let found = problems(r#"See [1]: {"status":"maybe"}"#).await;
    assert!(found[0].starts_with("at /status"), "{found:?}");
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(?s)[\\{\\}\\[\\]\",:0-9a-zé`\n<>/]{0,200}") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(asked(&[&text], 0)).0.ok();
    }

    #[test]
    fn an_answer_is_found_behind_any_words(before in "[^\\{\\[<`]{0,60}", after in ".{0,60}") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (reply, _) = runtime.block_on(asked(&[&format!("{before}{GOOD}{after}")], 0));
        proptest::prop_assert!(reply.is_ok(), "{reply:?}");
    }
}

#[tokio::test]
async fn it_is_asked_again_exactly_as_often_as_the_policy_says() {
    // ENG-14: limit - 1, limit, limit + 1 bad answers
    let bad = "nope";
    for (bad_answers, accepted) in [(1, true), (2, true), (3, false)] {
        let mut answers = vec![bad; bad_answers];
        answers.push(GOOD);
        let (reply, requests) = asked(&answers, 2).await;
        assert_eq!(reply.is_ok(), accepted, "{bad_answers} bad answers");
        assert_eq!(requests.len(), if accepted { bad_answers + 1 } else { 3 });
    }
}

#[tokio::test]
async fn the_objection_and_the_bad_answer_are_sent_back() {
    // ENG-14
    let (reply, requests) = asked(&[r#"{"status":"maybe"}"#, GOOD], 1).await;
    assert_eq!(reply.unwrap().attempts, 2);
    let added: Vec<&Message> = requests[1].messages.iter().skip(requests[0].messages.len()).collect();
    assert_eq!((added[0].role, added[0].content.as_str()), (Role::Assistant, r#"{"status":"maybe"}"#));
    assert_eq!(added[1].role, Role::User);
    assert!(added[1].content.contains("at /status"), "{}", added[1].content);
    assert!(
        added[1].content.contains("verified") && added[1].content.contains("revise"),
        "{}",
        added[1].content
    );
}

#[tokio::test]
async fn the_last_raw_text_is_in_the_error() {
    // ENG-14
    let (reply, _) = asked(&["first", "second"], 1).await;
    let Err(AskError::Malformed { attempts, raw, usage, .. }) = reply else { panic!("accepted") };
    assert_eq!((attempts, raw.as_str(), usage.source), (2, "second", UsageSource::Estimated));
}

#[tokio::test]
async fn every_problem_is_named_with_its_place() {
    // CTX-70
    let found = problems(r#"{"status":"verified","challenges":3,"more":1}"#).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().any(|problem| problem.contains("'more'")), "{found:?}");
    assert!(found.iter().any(|problem| problem.starts_with("at /challenges:")), "{found:?}");
}

#[tokio::test]
async fn of_alternatives_the_branch_that_was_meant_is_explained() {
    let found =
        problems(r#"{"status":"revise","challenges":[{"kind":"missing","what":"x","line":"one"}]}"#).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("at /challenges/0/line:") && found[0].contains("integer"), "{found:?}");

    let found = problems(r#"{"status":"revise","challenges":[{"kind":"missin"}]}"#).await;
    assert!(found[0].contains("missing") && found[0].contains("vague"), "{found:?}");
    assert!(found[0].starts_with("at /challenges/0:"), "{found:?}");
}

#[tokio::test]
async fn the_callers_own_check_objects_in_its_words() {
    let model = Scripted::new("t/m").answer(r#"{"status":"revise"}"#).answer(GOOD);
    let check = |verdict: &Verdict| match verdict.status {
        Status::Revise if verdict.challenges.is_empty() => Err("revise needs a challenge".to_owned()),
        _ => Ok(()),
    };
    let reply = ask(&model, question(), AskPolicy::reasks(1), check, &NoTokens).await.unwrap();
    assert_eq!((reply.value.status, reply.attempts), (Status::Verified, 2));
    assert!(model.requests()[1].messages[3].content.contains("- revise needs a challenge\n"));
}

#[tokio::test]
async fn an_answer_cut_at_the_limit_of_tokens_is_told_so() {
    let cut = ScriptedAnswer {
        text: r#"{"status":"ver"#.into(),
        finish: Some(Finish::Length),
        ..ScriptedAnswer::default()
    };
    let model = Scripted::new("t/m").reply(cut).answer(GOOD);
    ask(&model, question(), AskPolicy::reasks(1), |_: &Verdict| Ok(()), &NoTokens).await.unwrap();
    assert!(model.requests()[1].messages[3].content.contains("limit of tokens"));
}

#[tokio::test]
async fn usage_is_the_sum_over_all_attempts_and_the_reply_survives_json() {
    // ENG-13
    let part = |text: &str| ScriptedAnswer {
        text: text.into(),
        usage: Some(Usage { prompt_tokens: 10, completion_tokens: 5, source: UsageSource::Reported }),
        ..ScriptedAnswer::default()
    };
    let script = Scripted::new("t/m").reply(part("no")).reply(part(GOOD));
    let prices = stategraph_llm::Prices { input: 1.0, output: 2.0 };
    let model =
        stategraph_llm::layer::Metered::new(script, stategraph_llm::layer::Meter::default(), Some(prices));
    let reply = ask(&model, question(), AskPolicy::reasks(1), |_: &Verdict| Ok(()), &NoTokens).await.unwrap();
    assert_eq!((reply.usage.total(), reply.cost), (30, Some(Money::dollars(0.000_04))));
    let json = serde_json::to_string(&reply).unwrap();
    assert_eq!(serde_json::from_str::<Reply<Verdict>>(&json).unwrap(), reply);
}

#[tokio::test]
async fn a_sink_that_restarts_holds_the_accepted_answer_only() {
    let model = Scripted::new("t/m").answer("no, sorry").answer(GOOD);
    let sink = Pieces::that_restart();
    ask(&model, question(), AskPolicy::reasks(1), |_: &Verdict| Ok(()), &sink).await.unwrap();
    assert_eq!(sink.taken().concat(), GOOD);
}

#[tokio::test]
async fn an_error_of_the_model_passes_through() {
    let (reply, requests) = asked(&[], 3).await;
    assert!(matches!(reply, Err(AskError::Model(_))));
    assert_eq!(requests.len(), 1);
}
