//! Notes: remarks about places, looked up, stored, shown.

use serde_json::{Value, json};
use stategraph::workflows::doc_phases::input::Mode;

use super::kit::{Asked, Kit, Player, Said, calls, usual};

fn noting(notes: &Value) -> Said {
    calls([("store_discovery", json!({ "entries": notes }))])
}

/// Returns a model that stores these notes with the component `auth`.
fn with_notes(notes: Value) -> impl Fn(&Asked) -> Option<Said> {
    move |at| match (at.component.as_str(), at.round) {
        ("auth", 1) => Some(noting(&notes)),
        _ => None,
    }
}

#[tokio::test]
async fn notes_are_shown_on_their_page_and_on_that_of_their_component() {
    let notes = json!([
        { "type": "note", "kind": "defect", "place": "src/auth/mod.rs:6-8", "text": "`login` accepts any name." },
        { "type": "note", "kind": "how-to", "place": "./src/auth/token.rs:4", "text": "A new kind of token is a new struct." },
        { "type": "note", "kind": "licence", "place": "Cargo.toml:1-3", "text": "The manifest names no licence." },
    ]);
    let (kit, player) = (Kit::new(), Player::but(with_notes(notes)));
    let run = kit.done(&player).await;
    assert_eq!(run.errors, [""; 0]);
    let page = kit.read(".agentic/documentation/NOTES.md");
    assert!(page.contains("## Defects\n\n- `login` accepts any name. ([src/auth/mod.rs:6-8](../../src/auth/mod.rs#L6-L8)) – [auth](components/auth.md)"), "{page}");
    assert!(page.contains("## How to\n\n- A new kind of token"), "{page}");
    assert!(
        page.contains(
            "## Licences\n\n- The manifest names no licence. ([Cargo.toml:1-3](../../Cargo.toml#L1-L3))"
        ),
        "{page}"
    );
    let component = kit.read(".agentic/documentation/components/auth.md");
    assert!(component.contains("## Notes\n\n- Defect: `login` accepts any name. ([src/auth/mod.rs:6-8](../../../src/auth/mod.rs#L6-L8))"), "{component}");
    let index = kit.read(".agentic/documentation/README.md");
    assert!(index.contains("[Notes on the code](NOTES.md)"), "{index}");
    let queried = kit.tree(".agentic/memory").into_keys().filter(|name| name.starts_with("notes/")).count();
    assert_eq!(queried, 3);
}

#[tokio::test]
async fn a_note_about_lines_or_names_that_do_not_exist_is_refused() {
    let notes = json!([
        { "type": "note", "kind": "defect", "place": "src/auth/mod.rs:6-80", "text": "Too far." },
        { "type": "note", "kind": "defect", "place": "src/auth/gone.rs:1", "text": "No file." },
        { "type": "note", "kind": "defect", "place": "src/auth/mod.rs", "text": "No line." },
        { "type": "note", "kind": "defect", "place": "src/auth/mod.rs:1", "text": "`open_the_vault` is missing." },
        { "type": "note", "kind": "rumour", "place": "src/auth/mod.rs:1", "text": "A kind of its own." },
        { "type": "note", "kind": "defect", "place": ".env:1", "text": "A secret." },
    ]);
    let kit = Kit::new();
    kit.write(".env", "TOKEN=1\n");
    let player = Player::but(with_notes(notes));
    kit.done(&player).await;
    let sent = player.request_of("auth", 2);
    let told = &sent.messages[sent.messages.len() - 2].content;
    for problem in [
        "`src/auth/mod.rs` has 8 lines",
        "there is no text file `src/auth/gone.rs`",
        "write it as `path:start-end`",
        "unknown: `open_the_vault` in text",
        "there is no text file `.env`",
        "`kind`",
    ] {
        assert!(told.contains(problem), "{problem}: {told}");
    }
    assert!(!kit.tree(".agentic/memory").keys().any(|name| name.starts_with("notes/")));
    assert!(
        !kit.tree(".agentic/documentation").contains_key("NOTES.md"),
        "a page without content is not written"
    );
}

#[tokio::test]
async fn an_update_forgets_the_notes_on_files_that_changed_or_went() {
    // DOC-90
    let notes = json!([
        { "type": "note", "kind": "limit", "place": "src/auth/token.rs:4", "text": "One text is all it holds." },
        { "type": "note", "kind": "limit", "place": "src/auth/mod.rs:7", "text": "It asks nobody else." },
        { "type": "note", "kind": "limit", "place": "src/store/mod.rs:5", "text": "Any name is known." },
    ]);
    let kit = Kit::new();
    kit.done(&Player::but(with_notes(notes))).await;
    kit.write(
        "src/auth/mod.rs",
        "//! Who may buy.\n\npub fn login(name: &str) -> bool {\n    crate::store::knows(name)\n}\n",
    );
    std::fs::remove_file(kit.folder.path().join("src/auth/token.rs")).unwrap();
    let kit = kit.next(Mode::Update);
    kit.done(&Player::new(|at| match (at.component.as_str(), at.round) {
        ("auth", 2) => calls([(
            "store_discovery",
            json!({ "entries": [{ "type": "component", "responsibility": "Decides who may buy bread." }] }),
        )]),
        _ => usual(at),
    }))
    .await;
    let page = kit.read(".agentic/documentation/NOTES.md");
    assert!(page.contains("Any name is known."), "{page}");
    assert!(!page.contains("One text is all it holds.") && !page.contains("It asks nobody else."), "{page}");
}
