//! The tools: their answers and refusals.

use serde_json::{Value, json};

use super::kit::{Kit, Player, Said, calls, complete, overview, summary};

/// Returns the results of calls in phase A.
async fn answered(kit: &Kit, made: Said) -> Vec<Value> {
    let player = Player::but(move |at| match (at.phase.as_str(), at.round) {
        ("architecture_discovery", 1) => Some(made.clone()),
        ("architecture_discovery", 2) => Some(complete("done")),
        ("architecture_discovery", _) => None,
        (_, _) => Some(complete("done")),
    });
    kit.done(&player).await;
    player.results("architecture_discovery", 1)
}

fn text(result: &Value) -> &str {
    result["content"].as_str().unwrap()
}

#[tokio::test]
async fn the_code_base_is_listed_searched_read_and_outlined() {
    // DOC-56, DOC-57, DOC-58, DOC-59, DOC-66, DOC-67, DOC-68
    let kit = Kit::new();
    kit.write(".git/config", "x");
    kit.write("node_modules/x/index.js", "fn main");
    let made = calls([
        ("list_files", json!({ "directory": ".", "pattern": "**/*.rs" })),
        ("grep", json!({ "pattern": "PUB FN", "extensions": "rs", "context_lines": 1, "path": "src/auth" })),
        ("read_file", json!({ "path": "src/main.rs", "max_lines": 2 })),
        ("get_symbols", json!({ "path": "src/auth/mod.rs" })),
        ("list_files", json!({})),
    ]);
    let results = answered(&kit, made).await;
    assert_eq!(text(&results[0]).lines().filter(|line| line.contains(".rs")).count(), 4, "{results:?}");
    assert!(
        text(&results[1]).contains("src/auth/mod.rs:6: pub fn login")
            && text(&results[1]).contains("src/auth/mod.rs-5- "),
        "{results:?}"
    );
    assert!(
        text(&results[2])
            .starts_with("`src/main.rs`, lines 1 to 2 of 8:\n//! The shop.\n\n[6 more lines, 8 in all]"),
        "{results:?}"
    );
    assert!(text(&results[3]).contains("pub fn login(name: &str) -> bool"), "{results:?}");
    let listing = text(&results[4]);
    assert!(
        listing.contains("src/") && !listing.contains(".git/") && !listing.contains("node_modules/"),
        "{listing}"
    );
}

#[tokio::test]
async fn what_cannot_be_done_is_said_and_costs_nothing() {
    // DOC-66, DOC-67, DOC-70, DOC-73
    let kit = Kit::new();
    std::os::unix::fs::symlink("/etc", kit.folder.path().join("etc")).unwrap();
    let made = calls([
        ("read_file", json!({ "path": "../../etc/passwd" })),
        ("read_file", json!({ "path": "/etc/passwd" })),
        ("read_file", json!({ "path": "etc/passwd" })),
        ("grep", json!({ "pattern": "fn (" })),
        ("read_file", json!({ "path": "src" })),
    ]);
    let results = answered(&kit, made).await;
    assert!(text(&results[0]).contains("leads out of the repository"), "{results:?}");
    assert!(text(&results[1]).contains("is absolute"), "{results:?}");
    assert!(text(&results[2]).contains("leaves the repository through the link"), "{results:?}");
    assert!(text(&results[3]).contains("invalid") || text(&results[3]).contains("pattern"), "{results:?}");
    assert!(text(&results[4]).contains("is a directory"), "{results:?}");
    assert!(
        results.iter().all(|result| result["success"] == false && result.get("budget_warning").is_none()),
        "{results:?}"
    );
    let made = calls([
        ("list_files", json!({ "directory": "../.." })),
        ("grep", json!({ "pattern": "x", "path": "../" })),
        ("get_symbols", json!({ "path": "notes.txt" })),
        ("grep", json!({ "pattern": "nothing like this" })),
        ("get_symbols", json!({ "path": "../x.rs" })),
    ]);
    let kit = Kit::new();
    let results = answered(&kit, made).await;
    assert!(text(&results[0]).contains("leads out"), "{results:?}");
    assert!(text(&results[1]).contains("leads out"), "{results:?}");
    assert!(text(&results[2]).contains("in no language that is outlined"), "{results:?}");
    assert!(text(&results[3]).contains("no matches in"), "{results:?}");
    assert!(text(&results[4]).contains("leads out"), "{results:?}");
}

#[tokio::test]
async fn unknown_tools_and_huge_arguments_are_answered() {
    // DOC-28, ENG-30
    let kit = Kit::new();
    let huge = format!("{{\"pattern\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let made = calls([
        ("delete_file", json!({ "path": "src/main.rs" })),
        ("grep", Value::String(huge)),
        ("read_file", Value::String("not json".to_owned())),
        ("grep", json!({ "pattern": "fn", "max_results": "2", "context_lines": "0" })),
    ]);
    let results = answered(&kit, made).await;
    assert!(
        text(&results[0]).contains("no tool `delete_file`") && text(&results[0]).contains("tools: "),
        "{results:?}"
    );
    assert!(text(&results[1]).contains("have 10485775 bytes, more than"), "{}", text(&results[1]).len());
    assert!(text(&results[2]).contains("the arguments of `read_file` do not fit"), "{results:?}");
    assert_eq!(results[3]["success"], true, "{results:?}");
    // The conversation keeps little of the huge call.
    let context = kit
        .tree(".agentic/doc_sessions")
        .into_iter()
        .find(|(name, _)| name.ends_with("_context.txt"))
        .unwrap()
        .1;
    assert!(context.len() < 100_000, "{}", context.len());
}

#[tokio::test]
async fn discoveries_are_stored_or_refused_by_name() {
    // DOC-61, DOC-63, DOC-71, DOC-72, DOC-78
    let kit = Kit::new();
    let made = calls([
        ("store_discovery", json!({ "type": "architecture", "data": overview().to_string() })),
        ("store_discovery", json!({ "type": "component", "data": { "component_id": "auth" } })),
        ("store_discovery", json!({ "type": "planet", "data": {} })),
        ("mark_explored", json!({ "type": "file", "id": "src/main.rs" })),
        ("mark_explored", json!({ "type": "component", "id": "nobody" })),
    ]);
    let results = answered(&kit, made).await;
    assert_eq!(text(&results[0]), "Added to architecture `overview`.");
    assert!(text(&results[1]).starts_with("the component was not stored: "), "{results:?}");
    assert!(text(&results[2]).contains("unknown entry type `planet`"), "{results:?}");
    assert!(text(&results[3]).contains("only a `component` can be marked"), "{results:?}");
    assert!(text(&results[4]).contains("there is no component `nobody`"), "{results:?}");
    let kit = Kit::new();
    let mut invented = summary("auth");
    invented["root_path"] = json!("src/invented");
    let made = calls([
        ("store_discovery", json!({ "type": "component", "data": invented })),
        ("store_discovery", json!({ "type": "component", "data": summary("auth") })),
        ("store_discovery", json!({ "type": "component", "data": "{" })),
        ("mark_explored", json!({ "type": "component", "id": "auth" })),
    ]);
    let results = answered(&kit, made).await;
    assert!(text(&results[0]).contains("`src/invented`, which is no file or folder"), "{results:?}");
    assert_eq!(text(&results[1]), "Stored component `auth`.");
    assert!(text(&results[2]).contains("its data is no JSON"), "{results:?}");
    assert_eq!(text(&results[3]), "The component `auth` is marked as explored.");
}

#[tokio::test]
async fn memory_is_queried_within_bounds() {
    // DOC-60, DOC-64, DOC-79, DOC-85, DOC-86
    let kit = Kit::new();
    let made = calls([
        ("store_discovery", json!({ "type": "component", "data": summary("auth") })),
        ("query_memory", json!({ "query_type": "component" })),
        ("query_memory", json!({ "query_type": "component", "max_entries": 0 })),
        (
            "query_memory",
            json!({ "query_type": "component", "max_entries": 3, "required_fields": ["component_id"] }),
        ),
        ("estimate_token_usage", json!({ "query_type": "component", "max_entries": 3 })),
    ]);
    let results = answered(&kit, made).await;
    assert!(text(&results[1]).contains("max_entries"), "{results:?}");
    assert_eq!(results[1]["success"], false);
    assert!(text(&results[2]).contains("max_entries must be at least 1"), "{results:?}");
    let found: Value = serde_json::from_str(text(&results[3])).unwrap();
    assert_eq!(found["entries"], json!([{ "component_id": "auth" }]));
    let estimate: Value = serde_json::from_str(text(&results[4])).unwrap();
    assert_eq!((&estimate["entries"], estimate["tokens"].as_u64().unwrap() > 20), (&json!(1), true));
}

#[tokio::test]
async fn a_component_does_not_see_what_another_has_just_found() {
    // DOC-126: else it would depend on which is faster
    let query = || {
        (
            "query_memory",
            json!({ "query_type": "component", "max_entries": 9, "required_fields": ["component_id"] }),
        )
    };
    let player = Player::but(move |at| match (at.component.as_str(), at.round) {
        ("store", 3) => Some(calls([query()])),
        _ => None,
    });
    Kit::new().done(&player).await;
    let sent = player.request_of("store", 4);
    let last = &sent.messages[sent.messages.len() - 2].content;
    assert!(last.contains("store") && !last.contains("auth"), "{last}");
}

#[tokio::test]
async fn symbols_come_with_lines_and_methods_in_every_language() {
    // DOC-58, DOC-69
    let kit = Kit::new();
    let files = [
        ("a.py", "class Shop:\n    def open(self):\n        pass\n", "Shop", "open"),
        ("a.js", "class Shop {\n  open() {\n  }\n}\n", "Shop", "open"),
        ("a.jsx", "class Shop {\n  open() {\n    return <p/>;\n  }\n}\n", "Shop", "open"),
        ("a.ts", "export class Shop {\n  open(): void {\n  }\n}\n", "Shop", "open"),
        ("a.tsx", "export class Shop {\n  open() {\n    return <p/>;\n  }\n}\n", "Shop", "open"),
        ("a.go", "package a\n\ntype Shop struct{}\n\nfunc (s Shop) Open() {\n}\n", "Shop", "Open"),
        ("a.rs", "pub struct Shop;\n\nimpl Shop {\n    pub fn open(&self) {\n    }\n}\n", "Shop", "open"),
        ("A.java", "class Shop {\n  void open() {\n  }\n}\n", "Shop", "open"),
    ];
    for group in files.chunks(4) {
        let mut made = Said::default();
        for (path, text, _, _) in group {
            kit.write(path, text);
            made.calls.push(("get_symbols".to_owned(), json!({ "path": path })));
        }
        for ((path, _, class, method), result) in group.iter().zip(answered(&kit, made).await) {
            let lines: Vec<&str> = text(&result).lines().collect();
            let of = |name: &str| lines.iter().find(|line| line.contains(name)).copied().unwrap_or_default();
            assert!(of(class).contains(|c: char| c.is_ascii_digit()), "{path}: {lines:?}");
            assert!(of(&format!("{method}(")).contains('-'), "{path}: a range of lines: {lines:?}");
        }
    }
}

#[tokio::test]
async fn a_cut_read_ends_at_a_whole_line_and_says_where_to_continue() {
    // DOC-67, ENG-21
    let kit = Kit::new();
    let lines: Vec<String> = (1..=400).map(|number| format!("line {number} {}", "x".repeat(60))).collect();
    kit.write("long.txt", &lines.join("\n"));
    kit.write("wide.txt", &"y".repeat(30_000));
    let made = calls([
        ("read_file", json!({ "path": "long.txt", "max_lines": 400 })),
        ("read_file", json!({ "path": "long.txt", "start_line": 390 })),
        ("read_file", json!({ "path": "wide.txt" })),
    ]);
    let results = answered(&kit, made).await;
    let shown: Vec<&str> = text(&results[0]).lines().collect();
    let last = shown[shown.len() - 3];
    let number: usize = last.split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(last, lines[number - 1], "a whole line");
    assert_eq!(shown[shown.len() - 1], format!("[continue with start_line {}]", number + 1));
    assert!(
        text(&results[0]).starts_with(&format!("`long.txt`, lines 1 to {number} of 400:")),
        "{}",
        shown[0]
    );
    assert!(text(&results[1]).ends_with(&lines[399]), "the rest is there whole");
    assert!(text(&results[2]).chars().count() < 12_500, "{}", text(&results[2]).len());
}

#[tokio::test]
async fn secrets_are_not_read_and_hidden_files_that_explain_are_listed() {
    // DOC-68, DOC-70
    let kit = Kit::new();
    kit.write(".git/config", "[remote] password-of-git");
    kit.write(".env", "SECRET=env-secret\n");
    kit.write("deploy/.env.local", "SECRET=env-secret\n");
    kit.write(".github/workflows/ci.yml", "run: cargo test --locked\n");
    kit.write(".travis.yml", "script: make\n");
    std::os::unix::fs::symlink(".env", kit.folder.path().join("settings.txt")).unwrap();
    let made = calls([
        ("read_file", json!({ "path": ".git/config" })),
        ("read_file", json!({ "path": "deploy/.env.local" })),
        ("read_file", json!({ "path": "settings.txt" })),
        ("grep", json!({ "pattern": "secret|password", "path": ".git" })),
        ("list_files", json!({})),
    ]);
    let results = answered(&kit, made).await;
    for result in &results[..4] {
        assert_eq!(result["success"], false, "{result}");
        assert!(
            !text(result).contains("env-secret") && !text(result).contains("password-of-git"),
            "{result}"
        );
    }
    assert!(
        text(&results[4]).contains("Hidden, and readable: .github/workflows/ci.yml, .travis.yml"),
        "{results:?}"
    );
    let made = calls([
        ("read_file", json!({ "path": ".env" })),
        ("read_file", json!({ "path": ".github/workflows/ci.yml" })),
        ("get_symbols", json!({ "path": ".git/hooks/x.py" })),
        ("list_files", json!({ "directory": ".git" })),
        ("grep", json!({ "pattern": "SECRET=" })),
    ]);
    let results = answered(&kit, made).await;
    assert_eq!(results[0]["success"], false);
    assert!(text(&results[1]).contains("cargo test --locked"), "{results:?}");
    assert_eq!(
        (&results[2]["success"], &results[3]["success"]),
        (&json!(false), &json!(false)),
        "{results:?}"
    );
    assert!(!text(&results[4]).contains("env-secret"), "{results:?}");
}

#[tokio::test]
async fn answers_that_do_not_fit_keep_whole_lines_and_whole_entries_and_say_so() {
    // DOC-66, ENG-21
    let kit = Kit::new();
    let lines: Vec<String> = (1..=100).map(|number| format!("needle {number} {}", "x".repeat(180))).collect();
    kit.write("many.txt", &lines.join("\n"));
    let component = |number: usize| {
        let mut entry = summary("auth");
        entry["component_id"] = json!(format!("part{number}"));
        entry["responsibility"] = json!("Decides who passes. ".repeat(200));
        entry["type"] = json!("component");
        entry
    };
    let made = calls([
        ("grep", json!({ "pattern": "needle", "max_results": 100 })),
        ("store_discovery", json!({ "entries": (1..=6).map(component).collect::<Vec<_>>() })),
        ("query_memory", json!({ "query_type": "component", "max_entries": 10 })),
    ]);
    let results = answered(&kit, made).await;
    let shown: Vec<&str> = text(&results[0]).lines().collect();
    let cut = shown.last().unwrap();
    assert!(cut.contains("more lines do not fit; narrow the pattern or the path"), "{cut}");
    let before = shown[shown.len() - 2];
    assert!(before.ends_with(&"x".repeat(180)), "a whole line: {before}");
    let (found, said) = text(&results[2]).rsplit_once('\n').unwrap();
    let found: Value = serde_json::from_str(found).expect("whole entries");
    let entries = found["entries"].as_array().unwrap().len();
    assert!((1..6).contains(&entries), "{entries}");
    assert_eq!(
        said,
        format!(
            "[{} more entries do not fit; ask for fewer entries, or name `required_fields`]",
            6 - entries
        )
    );
}
