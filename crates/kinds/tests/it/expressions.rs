//! Expressions and templates: the channels that they read, bounds that change no result, and refused growth.

use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use stategraph_core::State as _;
use stategraph_files::Definition;
use stategraph_files::expression::EvalScope;
use stategraph_files::inline::JsonState;
use stategraph_files::kind::Kind;

use super::kinds::{offline, one, value};
use stategraph_testing::cases;
use stategraph_testing::grammar::{CHANNELS, Choices, Numbers, expression, template};

fn channels() -> Map<String, Value> {
    serde_json::from_str(CHANNELS).expect("it is JSON")
}

/// A graph file with an expression and a template, and the state that they see.
fn file(expression: &str, template: &str) -> Result<(Definition, JsonState), String> {
    let state: Map<String, Value> = channels()
        .into_iter()
        .map(|(name, value)| (name, json!({ "type": "any", "default": value })))
        .collect();
    let file = json!({
        "name": "grown", "state": state,
        "nodes": { "set": { "set": { "n": expression } }, "write": { "template": template, "to": "text" } },
        "edges": [{ "from": "START", "to": "set" }, { "from": "set", "to": "write" }, { "from": "write", "to": "END" }],
    });
    let definition = Definition::parse(file.to_string(), "t.yaml").map_err(|found| found.to_string())?;
    let state = JsonState::new(definition.schema().expect("the file declares one").clone());
    Ok((definition, state))
}

/// The value of an expression.
fn computed(text: &str) -> Result<Value, String> {
    let (definition, state) = file(text, "x")?;
    let node = definition.nodes().next().expect("it has two");
    let Kind::Set(entries) = node.kind else { unreachable!("the first node sets") };
    let (_, operand) = entries.iter().next().expect("one channel");
    operand.value.evaluate(&EvalScope::new(&state)).map_err(|error| error.reason)
}

/// The text of a template.
fn rendered(text: &str) -> Result<String, String> {
    let (definition, state) = file("1", text)?;
    let node = definition.nodes().nth(1).expect("it has two");
    let Kind::Template(template) = node.kind else { unreachable!("the second node writes") };
    template.render(&EvalScope::new(&state)).map_err(|error| error.reason)
}

/// minijinja without bounds and with all channels.
fn plain() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.remove_global("debug");
    environment.remove_global("namespace");
    environment
}

/// Returns true if minijinja may make a lazy sequence of the expression. Ours makes a list at once, so its text shows
/// the items instead of `<iterator>`.
fn is_lazy(text: &str) -> bool {
    [" + ", " * ", "chain", "zip", "range", "reverse", "groupby", "items", ":]", "](", ")["]
        .iter()
        .any(|part| text.contains(part))
}

fn plainly_computed(text: &str) -> Option<Value> {
    let environment = plain();
    let state = minijinja::Value::from(Serde(channels()));
    let value = environment.compile_expression(text).ok()?.eval(context! { state }).ok()?;
    let is_finite = f64::try_from(value.clone()).map_or(true, f64::is_finite);
    let is_json = !value.is_undefined() && is_finite && has_text_keys(&value);
    is_json.then(|| serde_json::to_value(&value).ok()).flatten()
}

/// Returns true if the keys of all maps in the value are texts. Ours refuses other keys, which JSON would make texts.
fn has_text_keys(value: &minijinja::Value) -> bool {
    let is_map = value.kind() == ValueKind::Map;
    let Some(items) = (is_map || value.kind() == ValueKind::Seq).then(|| value.try_iter().ok()).flatten()
    else {
        return true;
    };
    items.into_iter().all(|item| match value.get_item(&item) {
        Ok(inner) if is_map => item.as_str().is_some() && has_text_keys(&inner),
        _ => has_text_keys(&item),
    })
}

fn plainly_rendered(text: &str) -> Option<String> {
    let environment = plain();
    let state = minijinja::Value::from(Serde(channels()));
    environment.render_str(text, context! { state }).ok()
}

#[tokio::test]
async fn slices_of_channels_are_read() {
    let state =
        "{ list: { items: integer, default: [1, 2, 3] }, text: { type: string, default: abcdef }, out: any }";
    for (node, expected) in [
        ("{ set: { out: \"state.list[:2]\" } }", json!([1, 2])),
        ("{ set: { out: \"state['list'][1:]\" } }", json!([2, 3])),
        ("{ set: { out: \"(state.text ~ 'g')[0:5:2]\" } }", json!("ace")),
        ("{ template: \"{{ state.text[:3] }}\", to: out }", json!("abc")),
        ("{ template: \"{% set s = state %}{{ s.text[1:state.list[1]] }}\", to: out }", json!("b")),
        (
            "{ template: \"{% for n in state %}{{ state[n] }},{% endfor %}\", to: out }",
            json!("[1, 2, 3],None,abcdef,"),
        ),
    ] {
        assert_eq!(value(&one(state, node), offline(), "out").await.unwrap(), expected, "{node}");
    }
}

proptest! {
    #![proptest_config(cases(600))]

    // An expression that also names the whole state is evaluated with all channels.
    #[test]
    fn an_expression_gives_the_same_with_the_channels_that_it_reads_as_with_all(bytes in prop::collection::vec(any::<u8>(), 1..60)) {
        let text = expression(&mut Choices(&bytes), Numbers::Small, 3);
        let all = computed(&format!("[{text}, state][0]"));
        let read = computed(&format!("[{text}, 1][0]"));
        prop_assert_eq!(read.ok(), all.ok(), "{}", text);
    }

    #[test]
    fn a_template_gives_the_same_with_the_channels_that_it_reads_as_with_all(bytes in prop::collection::vec(any::<u8>(), 1..60)) {
        let text = template(&mut Choices(&bytes), Numbers::Small, 2);
        let all = rendered(&format!("{text}{{% if state %}}{{% endif %}}"));
        prop_assert_eq!(rendered(&format!("{text}.")).ok(), all.ok().map(|all| format!("{all}.")), "{}", text);
    }

    // A value that minijinja computes without bounds is computed with them, too, unless the expression is refused
    // when it is read.
    #[test]
    fn bounds_change_no_result_of_an_expression(bytes in prop::collection::vec(any::<u8>(), 1..60)) {
        let text = expression(&mut Choices(&bytes), Numbers::Small, 3);
        if file(&text, "x").is_ok() && !is_lazy(&text) {
            prop_assert_eq!(computed(&text).ok(), plainly_computed(&text), "{}", text);
        }
    }

    #[test]
    fn bounds_change_no_result_of_a_template(bytes in prop::collection::vec(any::<u8>(), 1..60)) {
        let text = template(&mut Choices(&bytes), Numbers::Small, 2);
        if file("1", &text).is_ok() && !is_lazy(&text) {
            prop_assert_eq!(rendered(&text).ok(), plainly_rendered(&text), "{}", text);
        }
    }
}

#[test]
fn what_grows_with_each_turn_of_a_loop_is_refused_with_its_place() {
    for text in [
        "{% for x in state.list %}{{ state.text ~ x }}{% endfor %}",
        "{% for x in state.list %}{{ [x] + [x] }}{% endfor %}",
        "{% for x in state.list %}{% set v = x * 'ab' %}{% endfor %}",
        "{% for x in state.list if (x ~ '') == 'b' %}{{ x }}{% endfor %}",
    ] {
        let refused = rendered(text).unwrap_err();
        assert!(refused.contains("longer with each turn of this loop"), "{text}: {refused}");
        assert!(refused.contains("at t.yaml:1:") && refused.contains("hint: "), "{text}: {refused}");
    }
    let numbers = "{% for x in [1, 2] %}{{ x + 1 }},{{ loop.index * 2 }};{% endfor %}";
    assert_eq!(rendered(numbers).unwrap(), "2,2;3,4;");
    assert_eq!(
        rendered("{{ state.text ~ '!' }}").unwrap(),
        "one two, Three!",
        "outside of a loop it is fine"
    );
}

#[test]
fn other_templates_and_macros_are_refused() {
    for text in [
        "{% include 'text' %}",
        "{% import 'text' as t %}",
        "{% extends 'text' %}",
        "{% block b %}{% endblock %}",
        "{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}",
        "{% set state = 1 %}",
    ] {
        let refused = rendered(text).unwrap_err();
        assert!(refused.contains("at t.yaml:1:") && refused.contains("hint: "), "{text}: {refused}");
    }
}

// The recursion over the tree of an expression ends.
#[test]
fn an_expression_of_very_many_operators_is_refused() {
    let long = |part: &str| format!("state.n{}", part.repeat(10_000));
    for text in [long(" + 1"), long(" and 1"), long("|abs"), long(".a"), "not ".repeat(10_000) + "1"] {
        let refused = computed(&text).unwrap_err();
        assert!(refused.contains("more than 400 operators stand in one expression"), "{refused}");
    }
    let branches = format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(5_000));
    assert!(rendered(&branches).unwrap_err().contains("more than 100 `elif`"));
    assert_eq!(computed(&format!("1{}", " + 1".repeat(390))), Ok(json!(391)));
    assert_eq!(computed(&format!("0{}", " or 1 and 0".repeat(150))), Ok(json!(0)));
}

#[test]
fn what_would_run_away_ends_with_a_bound() {
    let grown = "{% set v = state.text %}".to_owned() + &"{% set v = v ~ v %}".repeat(60);
    let shared = "{% set v = [1] %}".to_owned() + &"{% set v = [v, v] %}".repeat(60);
    let captured =
        "{% set v %}{% for a in range(90000) %}".to_owned() + &"x".repeat(9_000) + "{% endfor %}{% endset %}";
    for text in [
        grown + "{{ v }}",
        shared.clone() + "{{ v }}",
        shared.clone() + "{{ v == v }}",
        shared + "{{ v | length }}{{ v | tojson }}",
        captured,
        "{{ '%2000000000d' | format(1) }}".to_owned(),
        "{{ '%*d' | format(2000000000, 1) }}".to_owned(),
        "{{ [1] | batch(1000000000, 'x') | list }}".to_owned(),
        "{{ [[1]] | map('batch', 1000000000, 'x') | list }}".to_owned(),
        "{{ [1] | slice(1000000000) | list }}".to_owned(),
        "{{ 'a' | indent(100000000, true) }}".to_owned(),
        "{{ [1, [2]] | tojson(indent=100000000) }}".to_owned(),
        "{{ ('ab' * 3000000) | replace('', 'abcdefghijklmnop') }}".to_owned(),
        "{{ range(99999) | join('a' * 100000) }}".to_owned(),
        "{{ 'x' * 100000000 }}".to_owned(),
        "{{ [1] * 100000000 }}".to_owned(),
        "{{ (range(99999) * 1000) | sum }}".to_owned(),
        "{{ range(9999) | batch(1) | list | sum(start=[]) }}".to_owned(),
        "{% for a in range(99999) %}{{ state.rows | tojson | list | length }}{% endfor %}".to_owned(),
    ] {
        let refused = rendered(&text).unwrap_err();
        let told = ["it makes more than", "it looks at more than", "it takes more than", "nested more than"];
        assert!(told.iter().any(|told| refused.contains(told)), "{text:.60}: {refused}");
    }
    for text in ["'x' * 100000000", "['x' * 100000000, 1]", "[1] * 100000000", "'%2000000000d' | format(1)"] {
        assert!(computed(text).unwrap_err().contains("it makes more than"), "{text}");
    }
}

#[test]
fn the_state_of_the_tests_has_no_fault() {
    assert_eq!(file("1", "x").unwrap().1.fault(), None);
}
