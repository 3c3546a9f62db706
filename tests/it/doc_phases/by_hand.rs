//! A run with a capable model: a reader who knew nothing but the requests wrote each answer by hand. The answers are played again by
//! phase, component and round, on the files that it documented.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::kit::{Asked, Kit, Player, Said, says};

/// An answer as it was written.
#[derive(Deserialize)]
struct WrittenAnswer {
    phase: String,
    component: String,
    round: u32,
    text: String,
    calls: Vec<(String, Value)>,
}

/// Returns the files below a folder, by path.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below it").display().to_string();
                found.insert(name, fs::read_to_string(&path).expect("a text"));
            }
        }
    }
    found
}

/// Returns the cited lines of a page: each file, with the last line that is cited.
fn citations(page: &str) -> Vec<(&str, usize)> {
    let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let cited = links.filter_map(|link| link.rsplit_once("#L"));
    cited
        .map(|(path, lines)| {
            let last = lines.rsplit("-L").next().unwrap_or(lines);
            (path.trim_start_matches("../"), last.parse().expect("a line"))
        })
        .collect()
}

// DOC-42, DOC-75, DOC-108, DOC-129
#[tokio::test]
async fn a_capable_model_documents_a_crate_and_every_citation_resolves() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents/base");
    let sources = files(&base.join("repo"));
    let text = fs::read_to_string(base.join("answers.json")).expect("the answers");
    let answers: Vec<WrittenAnswer> = serde_json::from_str(&text).expect("answers");
    let number = answers.len();
    let player = Player::new(move |asked: &Asked| {
        let is_asked = |answer: &&WrittenAnswer| {
            (&answer.phase, &answer.component, answer.round) == (&asked.phase, &asked.component, asked.round)
        };
        let found = answers.iter().find(is_asked);
        found.map_or_else(
            || says("This was not asked before."),
            |answer| Said { text: answer.text.clone(), calls: answer.calls.clone(), ..Said::default() },
        )
    });
    let kit = Kit::empty();
    sources.iter().for_each(|(path, text)| kit.write(path, text));
    let run = kit.done(&player).await;
    assert_eq!(run.errors, [""; 0]);
    assert_eq!((run.components.len(), player.requests().len()), (4, number));
    let pages = kit.tree(".agentic/documentation");
    let mut cited = 0;
    let is_text = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "md");
    for (name, page) in pages.iter().filter(|(name, _)| is_text(name)) {
        for (path, line) in citations(page) {
            let lines = sources.get(path).map(|text| text.lines().count());
            assert!(lines.is_some_and(|lines| line <= lines), "{name} cites {path}:{line}");
            cited += 1;
        }
    }
    assert!(cited > 150, "{cited} citations");
    let notes = &pages["NOTES.md"];
    for said in ["Quadratic on hostile input", "## Invariants", "## How to", "## Contradictions"] {
        assert!(notes.contains(said), "{said} in {notes}");
    }
}
