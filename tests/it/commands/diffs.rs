//! The differences of two checkpoints: of a debate by component, of other graphs by path.

use serde_json::{Value, json};

use super::kit::{Done, IDEA, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

/// Draft of a debate; the second one renames nothing, drops a component, adds one and words a purpose anew.
fn draft(round: usize) -> Value {
    let store = |purpose: &str, kind: &str| json!({ "name": "ListStore", "type": kind, "purpose": purpose });
    let part = |name: &str| json!({ "name": name, "type": "Utility", "purpose": "Warns about duplicates." });
    match round {
        0 => {
            json!({ "components": [store("Keeps all items.", "DataStore"), part("Warner")], "design_rationale": "", "assumptions": ["One family."] })
        }
        _ => json!({
            "components": [store("Keeps the lists.", "Service"), part("Guard")],
            "design_rationale": "",
            "answers": [{ "challenge": 1, "disposition": "fixed", "text": "Said." }],
            "assumptions": ["One family.", "A phone each."],
        }),
    }
}

/// A place with a debate of two rounds on the thread `debate`.
async fn debated() -> Place {
    let place = Place::new();
    let server = FakeServer::answering(|_, request| {
        let asked = request.body["messages"].to_string();
        if asked.contains("You are the Reviewer") {
            let challenge =
                json!({ "id": 1, "category": "completeness", "description": "Who\u{1b}[2J pays?" });
            return Play::says(&json!({ "status": "needs_revision", "challenges": [challenge] }).to_string());
        }
        Play::says(&draft(usize::from(asked.contains("<reviews>"))).to_string())
    })
    .await;
    place.configure(&server.base_url());
    let arguments = ["run", "--idea", IDEA, "--max-iterations", "1", "--thread", "debate"];
    done(place.ard(arguments)).await.exits(1);
    place
}

async fn ard(place: &Place, arguments: &[&str]) -> Done {
    done(place.ard(arguments)).await
}

#[tokio::test]
async fn a_debate_is_compared_by_component_and_challenge() {
    let place = debated().await;
    let told = ard(&place, &["diff", "debate@2", "deba@4"]).await.exits(0);
    let lines: Vec<&str> = told.out.lines().collect();
    for line in [
        "components:",
        "  - Warner (Utility): Warns about duplicates.",
        "  + Guard (Utility): Warns about duplicates.",
        "  ~ ListStore: Keeps [-all items.-]{+the lists.+}",
        "      ~ type: [-DataStore-]{+Subsystem+}",
        "  + assumptions[1]: A phone each.",
        "challenges:",
        "  + R1.1 completeness: Who\u{fffd}[2J pays?",
    ] {
        assert!(lines.contains(&line), "no `{line}` in\n{}", told.out);
    }
    let by_graph = done(place.graph(["diff", "debate@2", "debate@4"])).await.exits(0);
    assert_eq!(by_graph.out, told.out);
    // Backwards, the challenges are withdrawn; the newest checkpoint is the default.
    let back = ard(&place, &["diff", "debate@4", "debate@2"]).await.exits(0).out;
    assert!(
        back.contains("  - R1.1 completeness") && back.contains("[-the lists.-]{+all items.+}"),
        "{back}"
    );
    let newest = ard(&place, &["diff", "debate@2"]).await.exits(0).out;
    assert!(newest.contains("ending: null -> limit") && newest.contains("+ R2.1 "), "{newest}");
}

#[tokio::test]
async fn a_difference_is_also_json() {
    let place = debated().await;
    let told = ard(&place, &["diff", "debate@2", "debate@4", "--json"]).await.exits(0);
    let difference: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!((&difference["from"], &difference["to"]), (&json!("debate@2"), &json!("debate@4")));
    assert_eq!(difference["graph"], "ard");
    let components = &difference["components"];
    assert_eq!(components["added"][0]["name"], "Guard");
    assert_eq!(components["removed"][0]["name"], "Warner");
    assert_eq!(
        components["changed"][0]["purpose"]["words"][1],
        json!({ "op": "delete", "text": "all items." })
    );
    assert_eq!(components["changed"][0]["changes"][0]["path"], "type");
    assert_eq!(difference["challenges"]["raised"][0]["id"], "R1.1");
    assert_eq!(difference["draft"][1], json!({ "path": "assumptions[1]", "to": "A phone each." }));
}

#[tokio::test]
async fn other_graphs_are_compared_by_path() {
    let place = Place::new();
    place.write(
        "count.yaml",
        "name: count\ninputs: { goal: { type: integer } }\nstate: { n: { type: integer, default: 0 }, log: { items: integer, reducer: append } }\n\
         nodes:\n  add: { set: { n: state.n + 1, log: state.n } }\n\
         edges:\n  - { from: START, to: add }\n  - { from: add, when: state.n < state.goal, to: add }\n  - { from: add, else: END }\n",
    );
    let told = done(place.graph(["run", "count.yaml", "--goal", "3", "--thread", "mine"])).await;
    assert_eq!(told.code, Some(0), "{}", told.err);
    let told = done(place.graph(["diff", "mine@2", "mine@4"])).await.exits(0);
    assert_eq!(told.out, "~ n: 1 -> 3\n+ log[1]: 1\n+ log[2]: 2\n");
    let same = done(place.graph(["diff", "mine@4"])).await.exits(0);
    assert!(
        same.out.is_empty() && same.err.contains("no difference between mine@4 and mine@4"),
        "{}",
        same.err
    );
    let json = done(place.graph(["diff", "mine@2", "mine@3", "--json"])).await.exits(0).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["changes"][0], json!({ "path": "n", "from": 1, "to": 2 }));
}

#[tokio::test]
async fn what_cannot_be_compared_is_said() {
    let place = debated().await;
    for (arguments, part) in [
        (vec!["diff", "nothing@1"], "nothing"),
        (vec!["diff", "debate@99"], "debate"),
        (vec!["diff", "debate@2", "other@3"], "other"),
        (vec!["diff"], "<FROM>"),
    ] {
        let told = ard(&place, &arguments).await.exits(2);
        assert!(told.err.contains(part) && told.out.is_empty(), "{}", told.err);
    }
}
