//! Prompt templates: strict, overridable, and errors that point at the line.

use std::collections::BTreeSet;

use serde_json::json;
use stategraph_llm::{EmbeddedPrompt, PromptError, Prompts};

const EMBEDDED: [EmbeddedPrompt; 3] = [
    ("t/greet.md", "Dear {{ name }},\n{% for item in items %}- {{ item }} <b>\n{% endfor %}"),
    ("t/part.md", "{% set x = 1 %}{{ x }}{{ other.deep }}"),
    ("t/page.html", "{{ name }}"),
];

fn prompts() -> Prompts {
    Prompts::new(&EMBEDDED).unwrap()
}

#[test]
fn a_prompt_is_filled_and_nothing_is_escaped() {
    let text = prompts().render("t/greet.md", &json!({ "name": "A & <B>", "items": ["x", "y"] })).unwrap();
    assert_eq!(text, "Dear A & <B>,\n- x <b>\n- y <b>\n");
    assert_eq!(prompts().render("t/page.html", &json!({ "name": "<B>" })).unwrap(), "<B>");
}

#[test]
fn a_variable_that_nobody_supplies_is_an_error_with_its_line() {
    let error = prompts().render("t/greet.md", &json!({ "name": "A" })).unwrap_err();
    let PromptError::Render { name, line, missing, .. } = &error else { panic!("{error}") };
    assert_eq!(
        (name.as_str(), *line, missing.as_slice()),
        ("t/greet.md", 2, ["items".to_owned()].as_slice())
    );
    assert!(error.to_string().starts_with("t/greet.md:2: undefined value"), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn the_variables_of_a_prompt_are_listed() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(prompts().variables("t/greet.md").unwrap(), set(&["items", "name"]));
    assert_eq!(prompts().variables("t/part.md").unwrap(), set(&["other"]));
    assert_eq!(prompts().names().collect::<Vec<_>>(), ["t/greet.md", "t/page.html", "t/part.md"]);
}

#[test]
fn a_file_in_the_folder_takes_the_place_of_the_embedded_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("t")).unwrap();
    std::fs::write(folder.path().join("t/greet.md"), "Hi {{ name }}{% include 't/page.html' %}").unwrap();
    let prompts = Prompts::overridden(&EMBEDDED, folder.path()).unwrap();
    assert_eq!(prompts.render("t/greet.md", &json!({ "name": "A" })).unwrap(), "Hi AA");
    assert_eq!(prompts.render("t/page.html", &json!({ "name": "A" })).unwrap(), "A");

    std::fs::write(folder.path().join("t/greet.md"), [b'a', 0xff]).unwrap();
    let error = Prompts::overridden(&EMBEDDED, folder.path()).unwrap_err();
    assert!(error.to_string().contains("greet.md"), "{error}");
}

#[test]
fn a_broken_template_names_file_and_line() {
    let error = Prompts::new(&[("t/bad.md", "one\ntwo {{ name\n")]).unwrap_err();
    assert!(error.to_string().starts_with("t/bad.md:"), "{error}");
    assert!(error.hint().unwrap().contains("t/bad.md"));
}

#[test]
fn an_unknown_prompt_and_an_endless_loop_are_errors() {
    let error = prompts().render("t/none.md", &json!({})).unwrap_err();
    assert_eq!(error.to_string(), "no prompt `t/none.md`; there are t/greet.md, t/page.html, t/part.md");
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
    let error = Prompts::new(&[("t/loop.md", endless)]).unwrap().render("t/loop.md", &json!({})).unwrap_err();
    assert!(error.to_string().contains("fuel"), "{error}");
}
