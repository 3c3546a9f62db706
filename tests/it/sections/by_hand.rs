//! A run with a capable model: a reader who knew nothing but the requests wrote each answer by hand, as the author and as the critic. The
//! answers about each section are played again in their order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use serde_json::Value;
use stategraph::workflows::sections::state::SectionOutcome;

use super::kit::{Says, SectionsModel, Writing, text};
use super::runs::place_of;

fn says(answer: &Value) -> Says {
    let Some(calls) = answer["tool_calls"].as_array() else {
        return text(answer["content"].as_str().unwrap());
    };
    let call = |call: &Value| (call["name"].as_str().unwrap().to_owned().into(), call["arguments"].clone());
    Says::Calls(calls.iter().map(call).collect())
}

// SEC-52, SEC-68
#[tokio::test]
async fn a_capable_model_writes_a_whole_document_without_an_issue() {
    let answers: BTreeMap<String, VecDeque<Value>> =
        serde_json::from_str(include_str!("../../documents/sections/meridian_shield.json")).unwrap();
    let (number, left) = (answers.values().map(VecDeque::len).sum::<usize>(), Mutex::new(answers));
    let model = SectionsModel::new(move |ask| {
        let key = format!("{} {}", ask.label, ask.title);
        let next = left.lock().unwrap().get_mut(&key).and_then(VecDeque::pop_front);
        next.map_or(Says::Fails, |answer| says(&answer))
    });
    let place = place_of("meridian_shield");
    let writing = Writing::with(&model).set(|to| {
        to.judges.validators = true;
        to.max_iterations = 2;
    });
    let ended = writing.run(&place).await.unwrap();
    assert_eq!(model.asked().len(), number, "each answer is asked for once");
    let outcomes: Vec<_> = ended.state.current_sections().map(|(_, section)| &section.outcome).collect();
    assert_eq!(outcomes.len(), 7);
    assert!(outcomes.iter().all(|outcome| **outcome == SectionOutcome::Approved), "{outcomes:?}");
    let issues: Vec<_> = ended.state.validations.iter().flat_map(|it| &it.issues).collect();
    assert!(issues.is_empty(), "{issues:#?}");
    let document = place.document();
    for part in
        ["# Meridian Shield Integration for Elastic", "{{fields \"alert\"}}", "### Agentless deployment"]
    {
        assert_eq!(document.matches(part).count(), 1, "{part}\n{document}");
    }
}
