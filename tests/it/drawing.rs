//! Drawings of graphs: what they say, that they are well-formed whatever the names, and that the real programs read them.

use stategraph::engine::{Draft, DraftEdge, DraftNode, END, START, Topology};

fn edge(from: &str, to: &str) -> DraftEdge {
    DraftEdge::Static { from: from.into(), to: to.into() }
}

fn join(from: &[&str], to: &str) -> DraftEdge {
    DraftEdge::Join { from: from.iter().map(|name| (*name).to_owned()).collect(), to: to.into() }
}

fn branch(from: &str, arms: &[(&str, &str)]) -> DraftEdge {
    let arms: Vec<_> = arms.iter().map(|(label, to)| ((*label).to_owned(), (*to).to_owned())).collect();
    DraftEdge::Branch {
        from: from.into(),
        labels: arms.iter().map(|(label, _)| label.clone()).collect(),
        arms,
    }
}

fn graph(name: &str, nodes: &[&str], edges: Vec<DraftEdge>) -> Topology {
    let node = |name: &&str| DraftNode { name: (*name).to_owned(), ..DraftNode::default() };
    Topology::of(&Draft {
        name: name.into(),
        about: String::new(),
        nodes: nodes.iter().map(node).collect(),
        edges,
    })
}

fn ard() -> Topology {
    let file = include_str!("../../graphs/ard.yaml");
    let definition = stategraph::definition::Definition::parse(file, "ard.yaml").expect("a good file");
    Topology::of(&definition.draft())
}

fn diamond() -> Topology {
    graph(
        "diamond",
        &["split", "left", "right", "merge"],
        vec![
            edge(START, "split"),
            edge("split", "left"),
            edge("split", "right"),
            join(&["left", "right"], "merge"),
            edge("merge", END),
        ],
    )
}

fn itself() -> Topology {
    graph("loop", &["add"], vec![edge(START, "add"), branch("add", &[("true", "add"), ("false", END)])])
}

fn twelve() -> Topology {
    let names = [
        "plan", "search", "read", "rank", "draft", "cite", "check", "fix", "style", "review", "approve",
        "publish",
    ];
    graph(
        "twelve",
        &names,
        vec![
            edge(START, "plan"),
            edge("plan", "search"),
            edge("plan", "read"),
            join(&["search", "read"], "rank"),
            branch("rank", &[("enough", "draft"), ("too_little", "search"), ("nothing", END)]),
            edge("draft", "cite"),
            edge("draft", "style"),
            edge("cite", "check"),
            branch("check", &[("ok", "review"), ("wrong", "fix"), ("missing", "search")]),
            edge("fix", "check"),
            edge("style", "review"),
            branch("review", &[("accept", "approve"), ("rewrite", "draft"), ("give_up", END)]),
            branch("approve", &[("yes", "publish"), ("no", "review")]),
            edge("publish", END),
        ],
    )
}

/// Names that end quotes, statements, graphs, comments or lines in one of the languages.
const HOSTILE: &[&str] = &[
    "a \"quoted\" name",
    "it's",
    "[box]",
    "(round)",
    "{curly}",
    "a]; b[",
    "\"]",
    "end",
    "END_",
    "End",
    "subgraph",
    "graph",
    "click",
    "style",
    "style a:b#c;",
    "classDef x fill:#f00;",
    "class",
    "default",
    "direction",
    "href",
    "call",
    "linkStyle",
    "interpolate",
    "flowchart",
    "strict",
    "node",
    "digraph",
    "edge",
    "o",
    "x",
    "ox",
    "xo",
    "v",
    "TD",
    "LR",
    "_self",
    "_blank",
    "%% comment",
    "%%{init: {\"theme\": \"dark\"}}%%",
    "---",
    "--> b",
    "a --- b",
    "-.->",
    "&amp;",
    "&",
    "#35;",
    "#quot;",
    "<b>bold</b>",
    "</script>",
    "`code`",
    "\"`**md**`\"",
    "1. item",
    "- item",
    "* item",
    "# head",
    "back\\slash",
    "end\\",
    "\\N",
    "\\l",
    "\\\"",
    "//",
    "/*",
    "*/",
    "$$x^2$$",
    "fa:fa-car",
    "a;b",
    "a,b",
    "a=b",
    "a~b",
    "a^b",
    "a!b",
    "a?b",
    "a$b",
    "日本語",
    "Ünïcödé",
    "🦀 crab",
    "e\u{301}",
    "\u{202e}rtl",
    "zero\u{200b}width",
    "0",
    "12",
    "3d",
    "node_1",
    "join_0",
    "accTitle",
    "accDescr",
    "title",
    "a.b",
    "a/b",
    "a-b",
    "a b",
    "constructor",
    "__proto__",
    "toString",
    "null",
    "true",
];

/// Graphs of which every name and label is hostile.
fn hostile() -> Vec<Topology> {
    let long = "very_long_".repeat(60);
    let names: Vec<&str> = HOSTILE.iter().copied().chain([long.as_str()]).collect();
    // Graphviz needs minutes to lay out all of them at once. Four at least, for the join.
    names
        .chunks(12)
        .map(|names| if names.len() < 4 { &HOSTILE[..4] } else { names })
        .map(hostile_of)
        .collect()
}

fn hostile_of(names: &[&str]) -> Topology {
    let mut edges = vec![edge(START, names[0]), join(&[names[0], names[1], names[2]], names[3])];
    for pair in names.windows(2) {
        edges.push(branch(pair[0], &[(pair[1], pair[1]), (pair[0], END)]));
    }
    let mut shape = graph("a \"graph\": {end} \\ --- #1\nand more", names, edges);
    shape.nodes[0].about = "says \"hello\\\" <b>&amp;</b>".into();
    shape
}

/// Four graphs that stand for many: a cycle, a join, a self loop, a dozen nodes.
fn all() -> [Topology; 4] {
    [ard(), diamond(), itself(), twelve()]
}

fn check(name: &str, drawing: &str) {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/drawings").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(golden.parent().expect("a folder")).expect("writable");
        std::fs::write(&golden, drawing).expect("writable");
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    assert!(expected == drawing, "{name} changed; UPDATE=1 rewrites it:\n{drawing}");
}

// ENG-23, F70
#[test]
fn drawings_are_what_they_were() {
    for graph in all() {
        check(&format!("{}.mmd", graph.name), &graph.mermaid());
        check(&format!("{}.dot", graph.name), &graph.dot());
        check(&format!("{}.txt", graph.name), &graph.ascii());
        let json = serde_json::to_string_pretty(&graph).expect("a topology is data");
        check(&format!("{}.json", graph.name), &(json + "\n"));
    }
    check("twelve_narrow.txt", &twelve().ascii_within(44));
}

#[test]
fn the_text_drawing_shows_every_name_and_label() {
    for graph in all() {
        for columns in [0, 44, 60, 100, 200] {
            let text = graph.ascii_within(columns);
            for node in &graph.nodes {
                assert_eq!(
                    text.lines().filter(|line| line.starts_with(&format!("[{}]", node.name))).count(),
                    1,
                    "{text}"
                );
            }
            for edge in serde_json::to_value(&graph).expect("data")["edges"].as_array().expect("a list") {
                if let Some(label) = edge["label"].as_str() {
                    assert!(text.contains(label), "{label} is missing at {columns} columns:\n{text}");
                }
            }
            assert!(text.lines().all(|line| line.len() <= columns.max(40)), "{columns}:\n{text}");
            assert!(text.is_ascii());
        }
    }
}

#[test]
fn an_edge_without_room_for_a_lane_is_said_in_words() {
    let names: Vec<String> = (0..14).map(|n| format!("node{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut edges = vec![edge(START, names[0]), join(&names[..3], names[13])];
    for from in &names {
        let arms: Vec<(&str, &str)> = names.iter().map(|to| (*to, *to)).chain([("done", END)]).collect();
        edges.push(branch(from, &arms));
    }
    let text = graph("dense", &names, edges).ascii_within(60);
    assert!(text.lines().all(|line| line.len() <= 60), "{text}");
    // Every node says where it may go, with or without a lane.
    for to in &names {
        assert!(
            text.matches(&format!(".. {to} ..")).count() + text.matches(&format!(": {to}\n")).count() >= 13,
            "{to}\n{text}"
        );
    }
    assert!(text.contains("..> [node") && text.contains("] < ..."), "{text}");
    check("dense.txt", &text);
}

// ENG-21
#[test]
fn a_cut_name_says_how_much_is_missing() {
    let name = "日本語の".repeat(20);
    let text = graph("g", &[&name], vec![edge(START, &name), edge(&name, END)]).ascii();
    let line = text.lines().find(|line| line.starts_with('[')).expect("a node").to_owned();
    let (kept, missing) = line.trim_matches(['[', ']']).split_once("...+").expect("it is cut");
    assert!(name.starts_with(kept));
    assert_eq!(kept.chars().count() + missing.parse::<usize>().expect("a number"), name.chars().count());
}

#[test]
fn hostile_names_stay_on_their_lines() {
    for graph in hostile() {
        let text = graph.ascii();
        assert!(text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 100), "{text}");
        for drawing in [graph.mermaid(), graph.dot()] {
            assert!(drawing.lines().all(|line| !line.starts_with("and more")), "{drawing}");
        }
    }
}

#[test]
fn a_graph_without_edges_can_be_drawn() {
    let empty = graph("empty", &[], vec![]);
    assert_eq!(empty.ascii(), "");
    let lone = graph("lone", &["a", "b"], vec![]);
    assert_eq!(lone.ascii(), "[a]\n\n[b]\n");
    assert!(lone.mermaid().contains("a[\"a\"]"));
}

mod real {
    //! The programs themselves, when they are here. With `CI` set they must be.

    use std::collections::{BTreeMap, BTreeSet};
    use std::io::Write;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use serde_json::Value;

    use super::*;

    /// Runs a program over some input; `None`, said aloud, when it is not installed and need not be.
    fn run(mut command: Command, input: &str, install: &str) -> Option<(String, String)> {
        let name = format!("{command:?}");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => return missing(&format!("{name}: {error}"), install),
        };
        let mut stdin = child.stdin.take().expect("piped");
        let input = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().expect("it ends");
        drop(writer.join());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        assert!(output.status.success(), "{name}: {}", text(output.stderr));
        Some((text(output.stdout), text(output.stderr)))
    }

    fn missing<T>(what: &str, install: &str) -> Option<T> {
        assert!(std::env::var_os("CI").is_none(), "{what}; {install}");
        let _ = writeln!(std::io::stderr(), "not run: {what}; {install}");
        None
    }

    fn labels(graph: &Topology) -> BTreeSet<String> {
        let ends = [START, END].map(str::to_owned);
        graph.nodes.iter().map(|node| node.name.clone()).chain(ends).collect()
    }

    #[test]
    fn mermaid_reads_every_drawing_as_it_was_meant() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real");
        let install = "npm install --ignore-scripts --no-package-lock --prefix tests/real";
        if !folder.join("node_modules/mermaid").exists() {
            return missing::<()>("Mermaid is not installed", install).unwrap_or_default();
        }
        let graphs: Vec<Topology> = all().into_iter().chain(hostile()).collect();
        // The last one is broken: the check must be able to fail.
        let broken = "flowchart TD\n    a[\"a\" --> b".to_owned();
        let texts: Vec<String> = graphs.iter().map(Topology::mermaid).chain([broken]).collect();
        let mut node = Command::new("node");
        node.arg(folder.join("mermaid.mjs"));
        let Some((answers, _)) = run(node, &serde_json::to_string(&texts).expect("text"), install) else {
            return;
        };
        let answers: Vec<Value> = serde_json::from_str(&answers).expect("mermaid.mjs answers in JSON");
        assert_eq!(answers.len(), graphs.len() + 1);
        assert!(answers[graphs.len()]["error"].is_string());
        for ((graph, text), answer) in graphs.iter().zip(&texts).zip(&answers) {
            assert_eq!(answer.get("error"), None, "{text}");
            let nodes: BTreeMap<String, String> =
                serde_json::from_value(answer["nodes"].clone()).expect("labels");
            let read: BTreeSet<String> =
                nodes.iter().filter(|(id, _)| !id.starts_with("join_")).map(|(_, l)| l.clone()).collect();
            assert_eq!(read, labels(graph), "{text}");
            let joins: BTreeSet<&String> = nodes.keys().filter(|id| id.starts_with("join_")).collect();
            let edges = answer["edges"].as_array().expect("a list");
            assert_eq!(edges.len(), graph.edges.len() + joins.len(), "{text}");
            for edge in edges {
                let dashed = edge[3] == "dotted";
                let (from, to, said) = (
                    &nodes[edge[0].as_str().expect("text")],
                    &nodes[edge[1].as_str().expect("text")],
                    &edge[2],
                );
                let meant = |e: &&stategraph::engine::TopologyEdge| {
                    let json = serde_json::to_value(e).expect("data");
                    e.from == *from && e.to == *to && json["label"].as_str().unwrap_or("") == said
                };
                let joined = [&edge[0], &edge[1]]
                    .iter()
                    .any(|id| joins.iter().any(|join| *join == id.as_str().expect("text")));
                assert!(joined || graph.edges.iter().any(|e| meant(&e)), "{edge} of\n{text}");
                assert_eq!(dashed, !said.as_str().expect("text").is_empty(), "{edge}");
            }
        }
    }

    #[test]
    fn graphviz_reads_every_drawing_as_it_was_meant() {
        for graph in all().into_iter().chain(hostile()) {
            let text = graph.dot();
            let dot = |format: &str| {
                let mut dot = Command::new("dot");
                dot.arg(format);
                run(dot, &text, "apt-get install graphviz")
            };
            let Some((svg, warnings)) = dot("-Tsvg") else { return };
            assert!(svg.contains("</svg>"), "{svg}");
            assert!(!warnings.contains("syntax"), "{warnings}");
            let Some((json, _)) = dot("-Tdot_json") else { return };
            let read: Value = serde_json::from_str(&json).expect("dot_json is JSON");
            let objects = read["objects"].as_array().expect("nodes");
            let plain = |text: &str| text.replace("\\\\", "\\").replace("&amp;", "&");
            let names: BTreeSet<String> = objects
                .iter()
                .map(|node| plain(node["label"].as_str().expect("a label")))
                .filter(|l| !l.is_empty())
                .collect();
            assert_eq!(names, labels(&graph), "{text}");
        }
    }

    /// The check above must be able to fail.
    #[test]
    fn graphviz_refuses_what_is_broken() {
        let mut dot = Command::new("dot");
        dot.args(["-Tsvg", "-o", "/dev/null"]).stdin(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = dot.spawn() else {
            return missing::<()>("dot is not installed", "apt-get install graphviz").unwrap_or_default();
        };
        let mut stdin = child.stdin.take().expect("piped");
        stdin.write_all(b"digraph { \"a -> b }").expect("dot reads");
        drop(stdin);
        assert!(!child.wait().expect("it ends").success());
    }
}
