//! Limits of a conversation: outputs, prompts, budget, time.

use serde_json::{Value, json};
use stategraph::engine::{Event, EventKind, EventKinds, HostRequest, HostStart};
use stategraph::workflows::Workflow;
use stategraph::workflows::contextualize::ContextualizeScope;
use stategraph_testing::fake_server::RecordedRequest;

use super::script::{
    Said, agent_requests, as_agent, calls, content, messages, results, shop, shop_costing, shop_with,
    stored_results,
};
use crate::contextualize::runs::scope;

fn end() -> Said {
    calls([(
        "generate_scoped_context",
        json!({ "question": "?", "paths": ["src/retry.rs"], "insights": "There." }),
    )])
}

/// Returns the size of a request, as trimming estimates it.
fn estimated_tokens(request: &RecordedRequest) -> usize {
    let length = |value: &Value| value.as_str().unwrap_or_default().chars().count();
    let said = messages(request).into_iter().map(|message| {
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        length(&message["content"])
            + calls.iter().map(|call| length(&call["function"]["arguments"])).sum::<usize>()
    });
    let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
    let offered = tools.iter().map(|tool| length(&tool["function"]["description"]));
    (said.sum::<usize>() + offered.sum::<usize>()).div_ceil(4)
}

/// A file of many lines.
fn long(lines: usize) -> String {
    let line = |number: usize| format!("pub fn part_{number:05}() -> u64 {{ {number} }}");
    (0..lines).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[tokio::test]
async fn outputs_are_cut_by_the_priority_of_their_tool() {
    // CTX-78, CTX-79, CTX-80, CTX-81, CTX-82, CTX-85
    let script = vec![
        calls([
            ("read_file", json!({ "path": "src/long.rs" })),
            ("read_lines", json!({ "path": "src/long.rs", "first": 1, "last": 400 })),
            ("get_file_outline", json!({ "path": "src/long.rs" })),
        ]),
        end(),
    ];
    let (shop, server) = shop(script).await;
    shop.write("repo/src/long.rs", &long(400));
    shop.run(&ContextualizeScope, &as_agent(scope())).await;
    let sizes: Vec<usize> =
        results(&server, 0).iter().map(|result| content(result).chars().count()).collect();
    let (low, medium, high) = (sizes[0], sizes[1], sizes[2]);
    assert!((2_800..=3_200).contains(&low), "half of 6,000 for a whole file: {low}");
    assert!((5_500..=6_200).contains(&medium) && (4_000..=6_200).contains(&high), "{medium}, {high}");
}

#[tokio::test]
async fn old_results_go_before_a_long_request_and_whole_files_go_first() {
    // CTX-74, CTX-83, CTX-84
    let read =
        |first: usize| ("read_lines", json!({ "path": "src/long.rs", "first": first, "last": first + 90 }));
    let script = vec![
        calls([("read_file", json!({ "path": "src/long.rs" })), read(1)]),
        calls([read(100), read(200)]),
        calls([read(300)]),
        end(),
    ];
    let (whole, server) = shop(script.clone()).await;
    whole.write("repo/src/long.rs", &long(400));
    whole.run(&ContextualizeScope, &as_agent(scope())).await;
    // Less than the whole conversation by half of the 3,000 characters that the whole file has.
    let limit = estimated_tokens(agent_requests(&server).last().unwrap()) - 375;
    let (shop, server) = shop_with(script, &format!("  llm_max_input_tokens: {limit}\n")).await;
    shop.write("repo/src/long.rs", &long(400));
    let ran = shop.run(&ContextualizeScope, &as_agent(scope())).await;
    let last = agent_requests(&server).last().unwrap().clone();
    let sent = messages(&last);
    assert_eq!(
        (&sent[0]["role"], &sent[1]["role"]),
        (&json!("system"), &json!("user")),
        "system prompt and task stay"
    );
    assert!(estimated_tokens(&last) <= limit);
    let result = |id: &str| {
        let found = sent.iter().find(|message| message["tool_call_id"] == id);
        found.map(|message| message["content"].as_str().unwrap().to_owned())
    };
    assert!(result("c0-0").unwrap().contains("was left out"), "the whole file went first");
    for (id, part) in
        [("c0-1", "part_00001"), ("c1-0", "part_00100"), ("c1-1", "part_00200"), ("c2-0", "part_00300")]
    {
        assert!(result(id).unwrap().contains(part), "{id} stays");
    }
    for call in sent.iter().filter_map(|message| message["tool_calls"].as_array()).flatten() {
        assert!(result(call["id"].as_str().unwrap()).is_some(), "a call has its result");
    }
    let whole = stored_results(&ran.state);
    assert!(content(&whole[0]).contains("part_00000"), "the stored conversation is whole");
}

#[tokio::test]
async fn a_budget_that_ends_soon_is_told_to_the_agent() {
    // CTX-92
    let script = vec![calls([("search_for_files", json!({ "keywords": ["retries"] }))]), end()];
    let (shop, server) = shop_costing(script, 10_000, "  budget_tokens: 16000\n").await;
    shop.run(&ContextualizeScope, &as_agent(scope())).await;
    let warning = results(&server, 0)[0]["budget_warning"].clone();
    assert!(
        warning.as_str().is_some_and(|text| text.contains("call `generate_scoped_context` now")),
        "{warning}"
    );
}

#[tokio::test]
async fn a_run_that_is_watched_asks_once_and_tells_calls_and_tokens() {
    // CTX-98
    let script = vec![
        calls([
            ("search_for_files", json!({ "keywords": ["retries"] })),
            ("read_file", json!({ "path": "gone" })),
        ]),
        end(),
    ];
    let (shop, server) = shop(script).await;
    let prepared = ContextualizeScope.prepare(&as_agent(scope()), &shop.setting()).unwrap();
    let mut request =
        HostRequest::new(HostStart::Input { state: prepared.state, thread: Some(prepared.thread) });
    request.events = EventKinds::CUSTOM | EventKinds::MESSAGES;
    let mut stream = prepared.host.stream(request).await.unwrap();
    let (mut lines, mut told): (Vec<String>, Vec<Event>) = (Vec::new(), Vec::new());
    while let Some(event) = futures_util::StreamExt::next(&mut stream).await {
        lines.extend(ContextualizeScope.line(&event));
        told.push(event);
    }
    stream.outcome().unwrap().unwrap();
    assert_eq!(agent_requests(&server).len(), 2, "the agent runs once");
    let shown = lines.join("\n");
    assert!(shown.contains("search_for_files {\"keywords\":[\"retries\"]}"), "{shown}");
    assert!(shown.contains("read_file failed:"), "{shown}");
    let name = |event: &Event| match &event.kind {
        EventKind::Custom { name, .. } => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = told.iter().filter_map(name).collect();
    let count = |wanted: &str| names.iter().filter(|name| *name == wanted).count();
    assert_eq!((count("tool_start"), count("tool_end"), count("tool_error")), (3, 2, 1));
}
