//! The last phase reviews memory: it sees what rules find wrong, corrects entries, and its changes are listed.

use serde_json::{Value, json};
use stategraph::workflows::doc_phases::phase::Phase;

use super::kit::{Asked, Kit, Player, Said, calls};

const D: &str = "documentation_generation";

fn reviewing(entries: Value) -> impl Fn(&Asked) -> Option<Said> {
    let end = json!({ "findings_summary": "Mended.", "confidence": 0.9 });
    move |at| {
        let arguments = json!({ "entries": entries, "complete": end });
        ((at.phase.as_str(), at.round) == (D, 1)).then(|| calls([("store_discovery", arguments)]))
    }
}

#[tokio::test]
async fn the_review_sees_texts_contradictions_and_types_without_words() {
    let kit = Kit::new();
    kit.write(
        "src/auth/token.rs",
        "//! Signed papers that customers carry.\n\npub struct Token(pub String);\n",
    );
    let wrong = |at: &Asked| {
        let entries = json!([
            { "type": "component", "responsibility": "Decides who may buy bread." },
            { "type": "file", "file_path": "src/auth/token.rs", "responsibility": "Draws the window of the shop." },
        ]);
        ((at.component.as_str(), at.round) == ("auth", 1))
            .then(|| calls([("store_discovery", json!({ "entries": entries }))]))
    };
    let player = Player::but(wrong);
    kit.done(&player).await;
    let context = &player.request(D, 1).messages[1].content;
    assert!(context.contains("contradiction: file `src/auth/token.rs`: its documentation says \"Signed papers that customers carry.\" [src/auth/token.rs:1]"), "{context}");
    assert!(context.contains("no words for public type: `Token` of component `auth`"), "{context}");
    assert!(context.contains("cross_cutting `errors`: Functions answer with a truth value"), "{context}");
    assert!(context.contains("file `src/auth/token.rs`: Draws the window of the shop."), "{context}");
}

#[tokio::test]
async fn the_review_corrects_entries_and_its_changes_are_listed() {
    // DOC-12, DOC-42, DOC-129
    let entries = json!([
        { "type": "component", "component_id": "store", "responsibility": "Remembers customers by name." },
        { "type": "cross_cutting", "concern_id": "errors", "remove": true },
        { "type": "note", "kind": "contradiction", "place": "src/store/mod.rs:4-6", "text": "`knows` says yes to any name." },
    ]);
    let (kit, player) = (Kit::new(), Player::but(reviewing(entries)));
    let run = kit.done(&player).await;
    assert_eq!(run.errors, [""; 0]);
    let findings = run.phase(Phase::DocumentationGeneration).findings;
    assert_eq!(findings[..2], ["corrected component `store`", "corrected cross_cutting `errors`"]);
    assert!(findings[2].starts_with("added note `contradiction-"), "{findings:?}");
    let page = kit.read(".agentic/documentation/components/store.md");
    assert!(
        page.contains("Remembers customers by name.") && page.contains("`knows` says yes to any name."),
        "{page}"
    );
    assert!(!kit.read(".agentic/documentation/ARCHITECTURE.md").contains("truth value"));
}

#[tokio::test]
async fn what_rules_read_from_the_code_is_not_removed() {
    let entries = json!([{ "type": "component", "component_id": "store", "remove": true }]);
    let (kit, player) = (Kit::new(), Player::but(reviewing(entries)));
    kit.done(&player).await;
    assert!(player.results(D, 1)[0]["content"].as_str().unwrap().contains("a component cannot be removed"));
    assert!(kit.tree(".agentic/memory").contains_key("components/store.json"));
}
