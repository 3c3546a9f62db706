//! The advice of errors that a first graph file meets, and scripted answers of concurrent tasks.

use serde_json::json;
use stategraph_core::RunError;
use stategraph_files::Definition;
use stategraph_kinds::cases::{parse_cases, run_case};
use stategraph_kinds::{example_option, graph, toolbox};
use stategraph_repo::Root;

use super::kinds::{offline, one, value};

/// Returns the hint of a run that fails.
async fn hint(text: &str) -> String {
    let error: RunError = value(text, offline(), "out").await.unwrap_err();
    error.hint().unwrap_or_else(|| panic!("no hint: {error:?}"))
}

fn defects(text: &str) -> Vec<String> {
    let found = Definition::parse(text, "t.yaml").and_then(|file| graph(&file).map(drop)).unwrap_err();
    let list = found.list().iter();
    list.map(|it| format!("{} ({})", it.message, it.hint.as_deref().unwrap_or_default())).collect()
}

#[tokio::test]
async fn a_missing_field_names_the_fields_that_there_are() {
    let state = "{ it: { type: object, default: { id: 1, text: a, more: { deep: 1 } } }, out: string }";
    for (template, expected) in [
        ("{{ state.it.txt }}", "did you mean `state.it.text`?"),
        ("{{ state.it.more.dep }}", "did you mean `state.it.more.deep`?"),
        (
            "{{ state.it.colour }}",
            "`state.it` has the fields `id`, `text`, `more`; `state.it.colour | default('…')` allows that it lacks `colour`",
        ),
    ] {
        assert_eq!(hint(&one(state, &format!("{{ template: \"{template}\", to: out }}"))).await, expected);
    }
    // The name belongs to the loop there.
    for text in [
        "{% for context in [{}] %}{{ context.text }}{% endfor %}",
        "{% set context = {} %}{{ context.user.id }}",
    ] {
        let node = one(state, &format!("{{ template: \"{text}\", to: out }}"));
        let error: RunError = value(&node, offline(), "out").await.unwrap_err();
        assert!(!error.hint().unwrap_or_default().contains("| default"), "{error:?}");
    }
    let wide = format!("{{ it: {{ type: object, default: {{ {}: 1 }} }}, out: string }}", "ä".repeat(50));
    assert!(
        hint(&one(&wide, "{ template: \"{{ state.it.b }}\", to: out }"))
            .await
            .contains(&format!("`{}…`", "ä".repeat(40)))
    );
    let mapped = "{ map: { over: \"[{'id': 1}]\", do: { template: \"{{ item.text }}\" } }, to: out }";
    assert_eq!(
        hint(&one("{ out: list }", mapped)).await,
        "`item` has the field `id`; `item.text | default('…')` allows that it lacks `text`"
    );
}

#[tokio::test]
async fn a_fixed_answer_that_does_not_fit_is_not_blamed_on_a_small_model() {
    let node = "{ model: { prompt: p, schema: { type: integer }, offline: \"'many'\" }, to: out }";
    let hint = hint(&one("{ out: integer }", node)).await;
    assert!(
        hint.starts_with("the answer is a fixed one and no model's; change it to one that fits"),
        "{hint}"
    );
}

#[test]
fn an_event_without_data_is_told_its_form() {
    let told = defects(&one("{ out: integer }", "{ set: { out: 1 }, emit: handled }"));
    assert_eq!(
        told,
        [
            "`emit` is text, expected a map of events and their data (write the event with its data, an expression: `emit: { handled: true }`)"
        ]
    );
}

#[test]
fn an_example_of_an_input_has_its_fields() {
    let text = "name: t
inputs:
  tickets: { items: { type: object, properties: { id: { type: integer }, text: { type: string }, note: { type: string } }, required: [id, text] } }
  words: { items: string }
  counts: { items: integer }
  any: object
  rank: { schema: { type: integer, minimum: 5 } }
  mood: { schema: { type: string, enum: [glad, sad] } }
  code: { schema: { type: string, pattern: '^[0-9]+$' } }
nodes:
  n: { set: {} }
edges:
  - { from: START, to: n }
  - { from: n, to: END }
";
    let file = Definition::parse(text, "t.yaml").unwrap_or_else(|found| panic!("{found}"));
    let examples: Vec<String> = file.inputs().iter().map(example_option).collect();
    assert_eq!(
        examples,
        [
            r#"--tickets '[{"id":0,"text":"TEXT"}]'"#,
            r#"--words '["a","b"]'"#,
            "--counts '[0]'",
            r#"--any '{"key":"value"}'"#,
            "--rank 5",
            "--mood glad",
            "--code VALUE"
        ]
    );
}

#[test]
fn a_join_of_two_conditions_is_a_defect_of_the_file() {
    let text = |joined: &str| {
        format!(
            "name: t
state: {{ n: {{ type: integer, default: 1 }} }}
nodes:
  x: {{ set: {{}} }}
  a: {{ set: {{}} }}
  b: {{ set: {{}} }}
  c: {{ set: {{}} }}
edges:
  - {{ from: START, to: x }}
  - {{ from: x, when: state.n > 0, to: a }}
  - {{ from: x, else: {joined} }}
  - {{ from: [a, b], to: c }}
  - {{ from: c, to: END }}
"
        )
    };
    assert_eq!(
        defects(&text("b")),
        ["the join of `a` and `b` never runs by itself: the branch after `x` starts only one of them \
          (write an edge of its own for each of them, instead of the join)"]
    );
    let both = Definition::parse(text("[a, b]"), "t.yaml").unwrap();
    assert!(graph(&both).is_ok(), "`else` starts both");
}

// D1: concurrent tasks and items take scripted answers in their own order, every time
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_tasks_take_scripted_answers_in_the_order_of_their_items() {
    let text = "name: t
inputs:
  words: { items: string, default: [a, b, c, d, e, f, g, h, i, j, k, l] }
state:
  said: { items: string, reducer: append }
  mapped: list
nodes:
  begin: { set: {} }
  ask: { model: { prompt: \"{{ item }}\" }, to: { said: \"item ~ result\" } }
  every:
    map: { over: state.words, as: word, do: { model: { prompt: \"{{ word }}\" } } }
    to: mapped
edges:
  - { from: START, to: begin }
  - { from: begin, each: state.words, to: ask }
  - { from: begin, to: every }
  - { from: ask, to: END }
  - { from: every, to: END }
";
    let definition = Definition::parse(text, "t.yaml").unwrap_or_else(|found| panic!("{found}"));
    let answers: Vec<String> = (0..12).map(|at| at.to_string()).collect();
    let said: Vec<String> = ('a'..='l').zip(&answers).map(|(word, at)| format!("{word}{at}")).collect();
    let ran: Vec<&str> = ["begin", "every"].into_iter().chain(["ask"; 12]).collect();
    let case = json!({
        "name": "each",
        "models": { "ask": answers, "every": answers },
        "expect": { "state": { "said": said, "mapped": answers }, "ran": ran },
    });
    let cases = parse_cases(json!({ "cases": [case] }).to_string(), "t.test.yaml", &definition);
    let cases = cases.unwrap_or_else(|found| panic!("{found}"));
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..20 {
        let tools = toolbox(&Root::open(folder.path()).unwrap());
        assert_eq!(run_case(&definition, &cases.cases[0], tools).await, []);
    }
}

#[tokio::test]
async fn a_script_that_ended_tells_how_many_answers_it_has() {
    let text = one("{ out: integer }", "{ model: { prompt: p, schema: { type: integer } }, to: out }");
    let definition = Definition::parse(text, "t.yaml").unwrap_or_else(|found| panic!("{found}"));
    let cases = "cases: [{ name: c, models: { n: [many] }, expect: {} }]";
    let cases = parse_cases(cases, "t.test.yaml", &definition).unwrap_or_else(|found| panic!("{found}"));
    let folder = tempfile::tempdir().unwrap();
    let tools = toolbox(&Root::open(folder.path()).unwrap());
    let told = run_case(&definition, &cases.cases[0], tools).await;
    assert!(told[0].actual.contains("it has 1, and this is question 2"), "{told:?}");
}
