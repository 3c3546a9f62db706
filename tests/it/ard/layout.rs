//! The files of the parts of the debate.

#[test]
fn each_part_has_a_module_of_its_own() {
    // ARD-69; the dashboard comes with the server
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (part, file) in [
        ("entry", "src/workflows/ard/entry.rs"),
        ("graph", "graphs/ard.yaml"),
        ("architect", "src/workflows/ard/nodes/architect.rs"),
        ("schema of the architect", "src/workflows/ard/exchange/draft.rs"),
        ("reviewer", "src/workflows/ard/nodes/reviewer.rs"),
        ("schema of the reviewer", "src/workflows/ard/exchange/review.rs"),
        ("state", "src/workflows/ard/state.rs"),
        ("input validation", "src/workflows/ard/input.rs"),
        ("formatter", "src/workflows/ard/spec/mod.rs"),
    ] {
        assert!(root.join(file).is_file(), "{part}: {file}");
    }
}

#[test]
fn no_model_and_no_limit_is_named_outside_of_the_settings() {
    // ARD-23
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/workflows/ard");
    for file in [
        "choices.rs",
        "state.rs",
        "nodes/architect.rs",
        "nodes/reviewer.rs",
        "nodes/ask.rs",
        "nodes/history.rs",
    ] {
        let text = std::fs::read_to_string(root.join(file)).expect(file);
        for name in ["gemini", "claude", "gpt-", "\"offline\"", "DEFAULT_M"] {
            assert!(!text.contains(name), "{file} names {name}");
        }
    }
    let graph = include_str!("../../../graphs/ard.yaml");
    assert!(!graph.contains("limit") && !graph.contains("model:"), "{graph}");
}
