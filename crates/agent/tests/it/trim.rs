//! Trimming: CTX-74, 79, 83, 84.

use std::collections::BTreeSet;

use proptest::prelude::*;
use stategraph_agent::around::{CutOutputs, Trimming, trim};
use stategraph_agent::{Conversation, NoArguments, Priority, Stack, Tool, ToolOutput, Toolbox};
use stategraph_llm::{ChatRequest, Message, Role, Scripted};

use super::{agent, call, calling};

fn priority(tool: &str) -> Priority {
    match tool {
        "low" => Priority::Low,
        "high" => Priority::High,
        _ => Priority::Medium,
    }
}

fn size(messages: &[Message]) -> u64 {
    ChatRequest::new("", messages.to_vec()).estimated_tokens()
}

fn exchange(tool: &str, id: &str) -> [Message; 2] {
    let output = serde_json::to_string(&ToolOutput::ok("x".repeat(4_000))).unwrap();
    [Message::calling("", vec![call(id, tool, "{}")]), Message::tool(id, output)]
}

/// Which tools' results still have their content, and how many messages there are.
fn left(limit: u64) -> (Vec<String>, usize) {
    let mut messages = vec![Message::system("s"), Message::user("t")];
    for (at, tool) in ["high", "low", "other", "low", "high"].into_iter().enumerate() {
        messages.extend(exchange(tool, &at.to_string()));
    }
    let trimmed = trim(messages, limit, priority);
    let whole = trimmed.iter().filter(|message| message.content.len() > 1_000);
    (whole.map(|message| message.tool_call_id.clone().unwrap()).collect(), trimmed.len())
}

#[test]
fn results_of_low_priority_go_first_older_before_newer_then_whole_exchanges() {
    // CTX-83, CTX-84
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert_eq!(left(10_000), (ids(&["0", "1", "2", "3", "4"]), 12));
    assert_eq!(left(4_500), (ids(&["0", "2", "3", "4"]), 12));
    assert_eq!(left(3_500), (ids(&["0", "2", "4"]), 12));
    assert_eq!(left(2_500), (ids(&["0", "4"]), 12));
    assert_eq!(left(1_500), (ids(&["4"]), 12));
    assert_eq!(left(1_060), (ids(&["4"]), 6));
    assert_eq!(left(0), (ids(&[]), 4));
}

#[test]
fn what_fits_to_the_last_token_is_left_alone() {
    // CTX-74: 525 and 355 characters of results, 331 of an answer and 22 of instructions; each rounded up alone they are two tokens more.
    let groups = [(2, vec!["low", "low"], vec![331, 525, 355, 0])];
    let messages = conversation(&groups);
    let fits = size(&messages);
    assert_eq!(trim(messages.clone(), fits, priority), messages);
    assert_ne!(trim(messages.clone(), fits - 1, priority), messages);
}

prop_compose! {
    fn a_group()(
        kind in 0_u8..4,
        tools in prop::collection::vec(prop_oneof![Just("low"), Just("mid"), Just("high")], 1..4),
        sizes in prop::collection::vec(0_usize..900, 4),
    ) -> (u8, Vec<&'static str>, Vec<usize>) {
        (kind, tools, sizes)
    }
}

fn conversation(groups: &[(u8, Vec<&'static str>, Vec<usize>)]) -> Vec<Message> {
    let mut messages = vec![Message::system("Standing instructions.")];
    for (at, (kind, tools, sizes)) in groups.iter().enumerate() {
        let text = "y".repeat(sizes[0]);
        match kind {
            0 => messages.push(Message::user(text)),
            1 => messages.push(Message::assistant(text)),
            _ => {
                let id = |index: usize| format!("{at}.{index}");
                let calls = tools.iter().enumerate().map(|(i, tool)| call(&id(i), tool, "{}")).collect();
                messages.push(Message::calling(text, calls));
                messages.extend((0..tools.len()).map(|i| Message::tool(id(i), "z".repeat(sizes[i + 1]))));
            }
        }
    }
    messages
}

proptest! {
    #[test]
    fn no_call_is_parted_from_its_result_and_the_frame_stays(
        groups in prop::collection::vec(a_group(), 0..10), limit in 0_u64..2_000,
    ) {
        // CTX-84
        let messages = conversation(&groups);
        let trimmed = trim(messages.clone(), limit, priority);
        // Every call has its result behind it, and every result its call before it.
        let mut open: Vec<String> = Vec::new();
        for message in &trimmed {
            match &message.tool_call_id {
                Some(id) => prop_assert_eq!(open.first(), Some(id)),
                None => prop_assert!(open.is_empty()),
            }
            match message.role {
                Role::Tool => drop(open.remove(0)),
                _ => open.extend(message.tool_calls.iter().map(|call| call.id.clone())),
            }
        }
        prop_assert!(open.is_empty());
        prop_assert_eq!(&trimmed[0], &messages[0]);
        let last_user = |of: &[Message]| of.iter().rfind(|message| message.role == Role::User).cloned();
        prop_assert_eq!(last_user(&trimmed), last_user(&messages));
        // It fits, or nothing is left that could go: the frame, the newest exchange, and no long result.
        let (before, after) = (size(&messages), size(&trimmed));
        if before <= limit {
            prop_assert_eq!(&trimmed, &messages);
        }
        if after > limit {
            let frame = |message: &&Message| matches!(message.role, Role::System | Role::User);
            let calling: BTreeSet<_> = trimmed.iter().filter(|m| !frame(m) && m.role != Role::Tool)
                .map(|message| message.content.len()).collect();
            prop_assert!(calling.len() <= 1);
            prop_assert!(trimmed.iter().filter(|m| m.role == Role::Tool).all(|m| m.content.len() <= 120));
        }
    }
}

/// Answers at length.
struct Long(&'static str, Priority);

impl Tool for Long {
    type Arguments = NoArguments;

    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &'static str {
        "Answers at length."
    }

    fn priority(&self) -> Priority {
        self.1
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        ToolOutput::ok("w".repeat(7_000))
    }
}

#[tokio::test]
async fn outputs_are_cut_by_priority_and_only_what_is_sent_is_trimmed() {
    // CTX-74, CTX-78, CTX-79, CTX-85
    let tools =
        [("read_file", Priority::Low), ("read_symbol", Priority::Medium), ("outline", Priority::High)];
    let toolbox =
        tools.iter().try_fold(Toolbox::new(), |tools, (name, priority)| tools.with(Long(name, *priority)));
    let toolbox = toolbox.unwrap();
    let calls = tools.iter().map(|(name, _)| call(name, name, "{}")).collect();
    let model = Scripted::new("test").reply(calling(calls)).reply(calling(vec![call("x", "outline", "{}")]));
    let model = model.answer("done");
    let stack = Stack::new().with(Trimming::new(3_000, toolbox.priorities())).with(CutOutputs::default());
    let mut conversation = Conversation::new("s", "t");
    agent(&model, &toolbox, stack).converse(&mut conversation).await.unwrap();
    let kept: Vec<usize> = conversation.messages[3..6]
        .iter()
        .map(|message| message.content.chars().filter(|letter| *letter == 'w').count())
        .collect();
    assert_eq!(kept, [3_000, 6_000, 6_000]);
    assert!(conversation.messages[3].content.contains("[cut: 4000 of 7000 characters left out]"));
    let sent = &model.requests()[2].messages;
    assert_eq!(sent.len(), conversation.messages.len() - 1);
    assert!(size(sent) <= 3_000);
    assert!(sent[3].content.contains("was left out") && sent[3].content.contains("\"success\":true"));
}
