//! The meaning of good files, and the limits of a file: each at the limit and one beyond.

use std::time::Duration;

use stategraph_core::{
    Command, Cx, DraftEdge, END, NodeError, NodeResult, START, State as _, StateGraph, Topology,
};
use stategraph_files::{
    DEPTH_MAX, Definition, Diagnostics, FILE_MAX, NAME_MAX, NODES_MAX, Registry, RegistryError,
};

use super::registry::{Debate, registry};

const EVERY_FEATURE: &str = include_str!("../golden/good/every_feature.yaml");

fn load(text: &str) -> Result<StateGraph<Debate>, Diagnostics> {
    Definition::parse(text, "graph.yaml")?.build(&registry())
}

fn messages(text: &str) -> Vec<String> {
    match load(text) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.list().iter().map(|found| found.message.clone()).collect(),
    }
}

fn single(name: &str) -> String {
    format!(
        "name: one\nstate: debate\nnodes: {{ {name}: {{ uses: demo.draft }} }}\n\
         edges: [{{ from: START, to: {name} }}, {{ from: {name}, to: END }}]\n"
    )
}

// ENG-3
#[test]
fn a_file_and_the_builder_make_the_same_graph() {
    let built = StateGraph::<Debate>::new("guide")
        .about("A guide, written and argued over")
        .node("draft", async |_: &Debate| {})
        .node("review", async |_: &Debate| {})
        .node("style", async |_: &Debate| {})
        .node("weigh", async |_: &Debate| {})
        .node("polish", async |_: &Debate| {})
        .node("write", async |_: &Debate| {})
        .goto("polish", ["write", END])
        .edge(START, "draft")
        .edge("draft", "review")
        .edge("draft", "style")
        .join(["review", "style"], "weigh")
        .edge("write", END);
    let loaded = load(EVERY_FEATURE).expect("a good file");
    let branches = |edge: &DraftEdge| matches!(edge, DraftEdge::Branch { .. });
    let mut edges = loaded.draft().edges.clone();
    let labels = edges.iter().find(|edge| branches(edge)).cloned();
    edges.retain(|edge| !branches(edge));
    assert_eq!(edges, built.draft().edges);
    assert_eq!(loaded.draft().nodes.iter().map(|n| (&n.name, &n.goto)).collect::<Vec<_>>(), {
        built.draft().nodes.iter().map(|n| (&n.name, &n.goto)).collect::<Vec<_>>()
    });
    let Some(DraftEdge::Branch { labels, arms, .. }) = labels else { panic!("the file has a choice") };
    assert_eq!(labels, ["verified", "exhausted", "revise"]);
    assert_eq!(arms.len(), 3);
}

#[tokio::test]
async fn a_loaded_graph_runs_as_declared() {
    let text = "name: guide\nstate: debate\n\
                nodes:\n  draft: { uses: demo.draft }\n  review: { uses: demo.review }\n  write: { uses: demo.write }\n\
                edges:\n  - { from: START, to: draft }\n  - { from: draft, to: review }\n\
                \x20 - from: review\n    choose: demo.verdict\n\
                \x20   arms: { verified: write, exhausted: END, revise: draft }\n  - { from: write, to: END }\n";
    let graph = load(text).expect("a good file").compile().expect("no defects");
    let end = graph.run(Debate::default()).await.expect("it runs");
    assert_eq!(end.state.log, ["draft", "review", "write"]);
}

// F33: a registered node as the error handler of another.
#[tokio::test]
async fn a_registered_handler_runs_in_place_of_its_node_and_chooses_where_to_go() {
    let registry = Registry::<Debate>::new("debate")
        .node("fails", "", async |_: &Debate| Err::<(), _>(NodeError::msg("no luck")))
        .and_then(|registry| {
            registry.node("rescues", "", async |_: &Debate, cx: &Cx| {
                let failure = cx.failure().map(|failure| failure.error.clone()).unwrap_or_default();
                Command::update(Debate::update().log(failure)).goto("b")
            })
        })
        .and_then(|registry| registry.node("notes", "", async |_: &Debate| Debate::update().log("noted")))
        .unwrap();
    let text = "name: t\nstate: debate\nnodes:\n  a: { uses: fails, error_handler: { uses: rescues, goto: [b, END] } }\n  b: { uses: notes }\n\
                edges:\n  - { from: START, to: a }\n  - { from: a, to: END }\n  - { from: b, to: END }\n";
    let definition = Definition::parse(text, "t.yaml").unwrap();
    assert_eq!(definition.uses().collect::<Vec<_>>(), ["fails", "rescues", "notes"]);
    let graph = definition.build(&registry).unwrap().compile().unwrap();
    assert_eq!(graph.run(Debate::default()).await.unwrap().state.log, ["no luck", "noted"]);
}

#[tokio::test(start_paused = true)]
async fn retry_and_timeout_of_a_file_are_obeyed() {
    // ENG-3: the waits are those of the file, 250 ms and 375 ms, each lengthened by at most a quarter.
    let registry = Registry::<Debate>::new("debate")
        .node("fail", "fails", async |_: &Debate| NodeResult::<()>::Err(NodeError::msg("no")))
        .expect("the first")
        .node("hang", "never ends", async |_: &Debate| std::future::pending::<()>().await)
        .expect("the second");
    let run = async |uses: &str, policy: &str| {
        let text = format!(
            "name: n\nstate: debate\nnodes: {{ a: {{ uses: {uses}, {policy} }} }}\n\
             edges: [{{ from: START, to: a }}, {{ from: a, to: END }}]"
        );
        let graph = Definition::parse(text, "n.yaml").expect("parses").build(&registry).expect("builds");
        let start = tokio::time::Instant::now();
        graph.compile().expect("compiles").run(Debate::default()).await.expect_err("the node fails");
        start.elapsed()
    };
    let waited =
        run("fail", "retry: { attempts: 3, first_wait: 250ms, factor: 1.5, longest_wait: 1m }").await;
    assert!((625..=790).contains(&waited.as_millis()), "{waited:?}");
    let capped = run("fail", "retry: { attempts: 3, first_wait: 10s, longest_wait: 1s }").await;
    assert!((2_000..=2_510).contains(&capped.as_millis()), "{capped:?}");
    let limited = run("hang", "timeout: 2m").await;
    assert!((120..121).contains(&limited.as_secs()), "{limited:?}");
    assert_eq!(run("fail", "timeout: 1h").await, Duration::ZERO);
}

#[test]
fn a_node_without_a_line_of_its_own_takes_that_of_the_registry() {
    let graph = load(EVERY_FEATURE).expect("a good file");
    let about =
        |name: &str| graph.draft().nodes.iter().find(|n| n.name == name).expect("declared").about.clone();
    assert_eq!(about("draft"), "Writes");
    assert_eq!(about("write"), "writes it down");
}

#[test]
fn a_name_is_registered_once() {
    let twice = registry().node("demo.draft", "again", async |_: &Debate| {}).map(|_| ());
    assert_eq!(twice, Err(RegistryError::NodeTwice { name: "demo.draft".into() }));
    let twice = registry().choice("demo.done", "again", |_: &Debate| true).map(|_| ());
    assert_eq!(twice, Err(RegistryError::ChoiceTwice { name: "demo.done".into() }));
    // A node and a choice may share a name: a file says which it means.
    assert!(registry().choice("demo.draft", "whether", |_: &Debate| true).is_ok());
}

#[test]
fn a_file_can_be_drawn_without_a_registry() {
    let definition = Definition::parse(EVERY_FEATURE, "graph.yaml").expect("a good file");
    let with = Topology::of(load(EVERY_FEATURE).expect("a good file").draft());
    let without = Topology::of(&definition.draft());
    assert_eq!(without.edges, with.edges);
    assert_eq!(without.digest(), with.digest());
}

#[test]
fn without_a_registry_names_and_shape_are_checked() {
    let text = single("a").replace("to: END", "to: EDN");
    let definition = Definition::parse(&text, "graph.yaml").expect("it has the right form");
    let found = definition.check().expect_err("EDN is no node");
    assert_eq!(found.list().len(), 1);
    assert_eq!(found.list()[0].hint.as_deref(), Some("did you mean `END`?"));
    // Names that only a registry knows are not looked up.
    let text = single("a").replace("demo.draft", "elsewhere");
    Definition::parse(text, "graph.yaml").expect("form").check().expect("no defects without a registry");
}

// ENG-20: each limit at the limit and one beyond.
#[test]
fn the_limits_of_a_file_hold_exactly() {
    let padded = |length: usize| {
        let text = single("a");
        format!("{text}#{}", "x".repeat(length - text.len() - 1))
    };
    assert_eq!(messages(&padded(FILE_MAX)), [""; 0]);
    assert_eq!(
        messages(&padded(FILE_MAX + 1)),
        [format!("the file has {} bytes, the most is {FILE_MAX}", FILE_MAX + 1)]
    );

    assert_eq!(messages(&single(&"n".repeat(NAME_MAX))), [""; 0]);
    assert_eq!(messages(&single(&"n".repeat(NAME_MAX + 1))).len(), 3);

    let nodes = |count: usize| {
        let names =
            (0..count).map(|n| format!("  n{n}: {{ uses: demo.draft }}\n")).collect::<Vec<_>>().concat();
        let edges = (1..count)
            .map(|n| format!("  - {{ from: n{}, to: n{n} }}\n", n - 1))
            .collect::<Vec<_>>()
            .concat();
        let last = count - 1;
        format!(
            "name: n\nstate: debate\nnodes:\n{names}edges:\n  - {{ from: START, to: n0 }}\n{edges}  - {{ from: n{last}, to: END }}\n"
        )
    };
    assert_eq!(messages(&nodes(NODES_MAX)), [""; 0]);
    assert!(messages(&nodes(NODES_MAX + 1))[0].contains("1001 nodes, the most is 1000"));

    let deep = |depth: usize| format!("a: {}{}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    assert!(!messages(&deep(DEPTH_MAX)).iter().any(|message| message.contains("nested")));
    assert!(messages(&deep(DEPTH_MAX + 1))[0].contains("nested more than 16 deep"));
}

#[test]
fn colours_change_nothing_but_colours() {
    let diagnostics = load("name: 1\n").map(|_| ()).expect_err("a bad file");
    let styled = diagnostics.styled().to_string();
    assert!(styled.contains("\u{1b}["));
    let mut plain = String::new();
    let mut rest = styled.as_str();
    while let Some((text, after)) = rest.split_once("\u{1b}[") {
        plain += text;
        rest = after.split_once('m').expect("a colour ends with m").1;
    }
    assert_eq!(plain + rest, diagnostics.to_string());
}

#[test]
fn a_key_that_may_be_left_out_may_be_left_empty() {
    let text =
        single("a").replace("uses: demo.draft", "uses: demo.draft, about: , retry: , timeout: ~, goto: null");
    assert_eq!(messages(&text), [""; 0]);
    let value: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
    assert!(jsonschema::is_valid(&stategraph_files::schema(), &value));
    assert_eq!(
        messages(&single("a").replace("state: debate", "state:"))[0],
        "`state` is empty, expected text"
    );
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let validator = jsonschema::validator_for(&stategraph_files::schema()).expect("a schema");
    let value: serde_json::Value = serde_saphyr::from_str(EVERY_FEATURE).expect("YAML");
    for (path, wrong) in [
        ("/colour", serde_json::json!("red")),
        ("/state", serde_json::Value::Null),
        ("/nodes/draft/timeout", serde_json::json!("2 s")),
        ("/nodes/draft/retry/attempts", serde_json::json!(0)),
        ("/nodes/draft/retry/wait", serde_json::json!("2s")),
        ("/nodes/write/uses", serde_json::json!(7)),
        ("/nodes/weigh/error_handler/goto", serde_json::json!("END")),
        ("/nodes/weigh/error_handler/got", serde_json::json!(["END"])),
        ("/interrupt_before", serde_json::json!("every")),
        ("/edges/0/choose", serde_json::json!("demo.done")),
        ("/edges/3/from", serde_json::json!(["review"])),
        ("/edges/4/to", serde_json::json!("write")),
    ] {
        let mut changed = value.clone();
        let (parent, key) = path.rsplit_once('/').expect("a path");
        let parent = changed.pointer_mut(parent).expect("in the file");
        parent.as_object_mut().expect("a map").insert(key.to_owned(), wrong);
        assert!(!validator.is_valid(&changed), "{path}");
        assert_ne!(messages(&changed.to_string()), [""; 0], "{path}");
    }
}

// Every key that the schema describes is a key that the reader knows, and the other way round.
#[test]
fn the_schema_and_the_reader_know_the_same_keys() {
    let schema = stategraph_files::schema();
    let keys = |pointer: &str| -> Vec<String> {
        let object = schema
            .pointer(pointer)
            .and_then(|p| p.as_object())
            .unwrap_or_else(|| panic!("{pointer}: {schema:#}"));
        let mut keys: Vec<String> = object.keys().cloned().collect();
        keys.sort();
        keys
    };
    let known = |text: &str| -> Vec<String> {
        let found = load(text).map(|_| ()).expect_err("an unknown key");
        let hint = found
            .list()
            .iter()
            .find_map(|found| found.hint.clone().filter(|hint| hint.contains("the keys are")));
        let hint = hint.unwrap_or_else(|| panic!("{found}"));
        let mut keys: Vec<String> = hint.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        keys.sort();
        keys
    };
    let node = single("a");
    assert_eq!(known(&format!("zzzzzzzz: 1\n{node}")), keys("/properties"));
    let inline =
        node.replace("state: debate", "state: { n: integer }").replace("uses: demo.draft", "set: { n: 1 }");
    assert_eq!(known(&inline.replace("set:", "zzzzzzzzz: 1, set:")), keys("/$defs/Node/properties"));
    let retry = node.replace("uses:", "retry: { attempts: 1, zzzzzzzzzzzz: 1 }, uses:");
    assert_eq!(known(&retry), keys("/$defs/Retry/properties"));
    let handler =
        inline.replace("set: { n: 1 }", "set: { n: 1 }, error_handler: { set: {}, zzzzzzzzzzzz: 1 }");
    assert_eq!(known(&handler), keys("/$defs/ErrorHandler/properties"));
    let tool = format!("tools: {{ find: {{ description: d, template: t, zzzzzzzzzzzz: 1 }} }}\n{inline}");
    assert_eq!(known(&tool), keys("/$defs/DeclaredTool/properties"));
    let edge = node.replace("from: START,", "from: START, zzzzzzzz: 1,");
    let forms = schema["$defs"]["Edge"]["anyOf"].as_array().unwrap().len();
    let mut all: Vec<_> =
        (0..forms).flat_map(|at| keys(&format!("/$defs/Edge/anyOf/{at}/properties"))).collect();
    all.sort();
    all.dedup();
    assert_eq!(known(&edge), all);
}
