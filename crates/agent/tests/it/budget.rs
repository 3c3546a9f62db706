//! Budgets of calls, tokens and money: DOC-20, 39 to 52, CTX-86 to 92, 140, 141.

use stategraph_agent::around::{Allowance, Budget, CallsPerRound, ToolBudget};
use stategraph_agent::{Conversation, Ended, Spent, Stack, Tool, ToolOutput, Toolbox};
use stategraph_llm::layer::BudgetLimits;
use stategraph_llm::{Money, Prices, Scripted, ScriptedAnswer, ToolCall, Usage, UsageSource};

use super::{Said, agent, calling};

/// Reads what is there: not what begins with `no`.
struct Reader(&'static str);

impl Tool for Reader {
    type Arguments = Said;

    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &'static str {
        "Reads."
    }

    async fn run(&self, said: Said) -> ToolOutput {
        if said.text.starts_with("no") { ToolOutput::failed("not found") } else { ToolOutput::ok(said.text) }
    }
}

fn toolbox() -> Toolbox {
    let tools = Toolbox::new().with(Reader("read_file")).and_then(|tools| tools.with(Reader("read_lines")));
    tools.and_then(|tools| tools.with(Reader("query_memory"))).unwrap()
}

fn read(tool: &str, text: &str) -> ToolCall {
    super::call(text, tool, &serde_json::json!({ "text": text }).to_string())
}

fn contents(conversation: &Conversation) -> Vec<(String, Option<String>)> {
    let results = conversation.messages.iter().filter(|message| message.tool_call_id.is_some());
    results
        .map(|result| serde_json::from_str::<ToolOutput>(&result.content).unwrap())
        .map(|output| (output.content, output.warning))
        .collect()
}

#[tokio::test]
async fn calls_are_refused_at_the_limit_word_for_word_and_a_missing_file_costs_nothing() {
    // DOC-43, DOC-44, DOC-45, DOC-46, DOC-65, DOC-73
    let budget =
        ToolBudget::new().with(Allowance::new("file read", 3, ["read_file", "read_lines"]).warn_at(1));
    let first = vec![
        read("read_file", "no a"),
        read("read_file", "b"),
        read("read_lines", "c"),
        read("read_file", "d"),
    ];
    let second = vec![read("read_file", "e"), read("read_file", "f")];
    let model = Scripted::new("test").reply(calling(first)).reply(calling(second)).answer("done");
    let mut conversation = Conversation::new("s", "t");
    let toolbox = toolbox();
    agent(&model, &toolbox, Stack::new().with(budget)).converse(&mut conversation).await.unwrap();
    let refused = "BUDGET_EXHAUSTED: File read limit (3) reached. Summarize findings and store to memory.";
    let warning =
        |left: u8| Some(format!("WARNING: Only {left} file reads remaining. Consider summarizing."));
    let expected = [
        ("not found", None),
        ("b", warning(1)),
        ("c", warning(0)),
        (refused, None),
        ("e", warning(0)),
        (refused, None),
    ];
    assert_eq!(contents(&conversation), expected.map(|(content, warning)| (content.to_owned(), warning)));
    assert_eq!((conversation.spent.calls("read_file"), conversation.spent.calls("read_lines")), (2, 1));
}

#[tokio::test]
async fn a_limit_of_nothing_refuses_and_what_has_no_limit_is_free() {
    // DOC-42, DOC-50, DOC-52
    let budget = ToolBudget::new().with(Allowance::new("memory query", 1, ["query_memory"]));
    let budget = budget.with(Allowance::new("file read", 0, ["read_file"]));
    let calls = vec![
        read("read_file", "a"),
        read("query_memory", "b"),
        read("query_memory", "c"),
        read("read_lines", "d"),
    ];
    let model = Scripted::new("test").reply(calling(calls)).answer("done");
    let (mut conversation, toolbox) = (Conversation::new("s", "t"), toolbox());
    agent(&model, &toolbox, Stack::new().with(budget)).converse(&mut conversation).await.unwrap();
    let said = contents(&conversation);
    assert!(said[0].0.starts_with("BUDGET_EXHAUSTED: File read limit (0) reached."), "{said:?}");
    let warning = "WARNING: Only 0 memory queries remaining. Consider summarizing.";
    assert_eq!(said[1], ("b".to_owned(), Some(warning.to_owned())));
    assert!(said[2].0.starts_with("BUDGET_EXHAUSTED: Memory query limit (1) reached."), "{said:?}");
    assert_eq!(said[3], ("d".to_owned(), None));
}

#[tokio::test]
async fn of_too_many_calls_the_first_are_run() {
    // DOC-20, ENG-10
    let calls = (0..7).map(|number| read("read_file", &format!("f{number}"))).collect();
    let model = Scripted::new("test").reply(calling(calls)).answer("done");
    let (mut conversation, toolbox) = (Conversation::new("s", "t"), toolbox());
    agent(&model, &toolbox, Stack::new().with(CallsPerRound(5))).converse(&mut conversation).await.unwrap();
    let said = contents(&conversation);
    assert_eq!(said[4].0, "f4");
    assert!(
        said[5..]
            .iter()
            .all(|(said, _)| said == "only 5 calls are run at once; call again in the next round")
    );
}

fn usage(prompt_tokens: u64, completion_tokens: u64) -> Usage {
    Usage { prompt_tokens, completion_tokens, source: UsageSource::Reported }
}

fn limits(tokens: Option<u64>, money: Option<f64>) -> BudgetLimits {
    BudgetLimits { tokens, money: money.map(Money::dollars) }
}

const PRICES: Prices = Prices { input: 3.0, output: 15.0 };

async fn spent(prompt: u64, completion: u64) -> Spent {
    let answer =
        ScriptedAnswer { text: "x".into(), usage: Some(usage(prompt, completion)), ..Default::default() };
    let (model, toolbox) = (Scripted::new("test").reply(answer), toolbox());
    let mut conversation = Conversation::new("s", "t");
    agent(&model, &toolbox, Stack::new()).prices(PRICES).converse(&mut conversation).await.unwrap();
    conversation.spent
}

#[tokio::test]
async fn over_is_strictly_above_and_the_error_names_tokens_and_money() {
    // CTX-77, CTX-87 to 89, CTX-91, CTX-92
    let spent = spent(900, 100).await;
    assert_eq!(spent.operations["tester"].usage, usage(900, 100));
    assert_eq!(spent.total().cost, Money::dollars(0.0042));
    let budget = Budget::new(limits(Some(1_000), Some(0.0042)));
    assert!(!budget.is_over(&spent));
    assert_eq!(budget.warning(&spent).as_deref(), Some("WARNING: 1000 of 1000 tokens are spent."));
    let over = Budget::new(limits(Some(999), None)).check(&spent).unwrap_err();
    assert_eq!(over.to_string(), "budget exceeded: 1000 tokens of 999 allowed, $0.0042 spent");
    let over = Budget::new(limits(None, Some(0.004))).check(&spent).unwrap_err();
    assert_eq!(over.to_string(), "budget exceeded: $0.0042 of $0.0040 allowed, 1000 tokens spent");
    // CTX-92: at 80 % and not below
    assert!(Budget::new(limits(Some(1_250), None)).warning(&spent).is_some());
    assert!(Budget::new(limits(Some(1_251), Some(1.0))).warning(&spent).is_none());
    // CTX-140: money as well is estimated before
    let budget = Budget::new(limits(None, Some(0.0043))).prices(PRICES);
    assert!(budget.with_estimate(&spent, 33).is_ok());
    assert!(budget.with_estimate(&spent, 34).is_err());
}

#[tokio::test]
async fn a_run_ends_in_good_order_before_the_request_that_would_be_too_much() {
    // CTX-140, CTX-141, ENG-10
    let answer =
        |tokens| ScriptedAnswer { usage: Some(usage(tokens, 0)), ..calling(vec![read("read_file", "a")]) };
    let (model, toolbox) = (Scripted::new("test").reply(answer(500)).reply(answer(490)), toolbox());
    let mut conversation = Conversation::new("s", "t");
    let stack = Stack::new().with(Budget::new(limits(Some(1_000), None)));
    let ended = agent(&model, &toolbox, stack).converse(&mut conversation).await.unwrap();
    let Ended::Halted(halt) = ended else { panic!("{ended:?}") };
    assert!(halt.reason.starts_with("budget exceeded: 10"), "{halt}");
    assert_eq!((model.requests().len(), conversation.spent.total().usage.total()), (2, 990));
    super::assert_whole(&conversation);
}
