//! An exploration by a capable model: a reader who knew nothing but the requests wrote each answer by hand. The answers of each agent are
//! played again in their order, on the repository that they explore.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use stategraph::llm::ToolCall;
use stategraph::workflows::explore::agents::AgentEnd;

use super::kit::{Place, Says, TreeModel};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/locks");

/// Makes a place with a copy of the repository. Returns the number of lines of each of its files too.
fn repository() -> (Place, BTreeMap<String, usize>) {
    let (place, root) = (Place::new(&[]), Path::new(FOLDER).join("repo"));
    let (mut lines, mut open) = (BTreeMap::new(), vec![root.clone()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            place.write(&format!("repo/{name}"), &text);
            lines.insert(name, text.lines().count());
        }
    }
    (place, lines)
}

fn says(answer: &Value) -> Says {
    let calls = answer.as_array().unwrap().iter().enumerate();
    let calls = calls.map(|(index, call)| ToolCall {
        id: format!("c{index}"),
        name: call["name"].as_str().unwrap().to_owned(),
        arguments: call["arguments"].to_string(),
    });
    Says { calls: calls.collect(), ..Says::default() }
}

/// Returns the places of a text: each path with the last line that is named.
fn places(text: &str) -> Vec<(&str, usize)> {
    let words = text.split(|c: char| c.is_whitespace() || "()[]`,;".contains(c));
    let named = words.filter_map(|word| word.rsplit_once(':'));
    named.filter_map(|(path, lines)| Some((path, lines.rsplit('-').next()?.parse().ok()?))).collect()
}

// EXP-5, EXP-14, EXP-17, EXP-18
#[tokio::test]
async fn a_capable_model_explores_thirty_files_with_five_agents() {
    let text = std::fs::read_to_string(format!("{FOLDER}/explore.json")).unwrap();
    let answers: BTreeMap<String, Vec<Value>> = serde_json::from_str(&text).unwrap();
    let number: usize = answers.values().map(Vec::len).sum();
    let model = TreeModel::new(move |ask| {
        let answer = answers.get(&ask.id).and_then(|answers| answers.get(ask.answer - 1));
        answer.map_or(Says { fails: true, ..Says::default() }, says)
    });
    let (place, lines) = repository();
    assert_eq!(lines.len(), 30);
    let explored = place.explore(&model).await;
    assert_eq!(model.asked().len(), number, "each answer is asked for once");
    assert_eq!(explored.ids(), ["0", "0.1", "0.2", "0.3", "0.4"]);
    assert!(explored.result.agents.iter().all(|agent| agent.end == AgentEnd::Finished), "{explored:?}");
    let notes = explored.notes();
    assert_eq!(notes.len(), 62);
    let mut cited = 0;
    for (path, line) in notes.iter().flat_map(|(_, content, _, _)| places(content)) {
        let Some(lines) = lines.get(path) else { continue };
        assert!(line <= *lines, "{path}:{line} of {lines}");
        cited += 1;
    }
    assert!(cited > 150, "{cited}");
}
