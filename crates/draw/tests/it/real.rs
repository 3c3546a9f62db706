//! The programs that read Mermaid and DOT, when they are here. With `CI` set they must be.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use stategraph_core::{END, START, Topology};
use stategraph_draw::{Draw as _, Drawing};

use super::kit::*;
use super::run_path;

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

/// What Mermaid's own parser makes of each text; the last one is broken, as the check must be able to fail.
fn mermaid(texts: &[String]) -> Option<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/real");
    let install = "npm install --ignore-scripts --no-package-lock --prefix tests/real";
    if !folder.join("node_modules/mermaid").exists() {
        return missing("Mermaid is not installed", install);
    }
    let broken = "flowchart TD\n    a[\"a\" --> b".to_owned();
    let texts: Vec<String> = texts.iter().cloned().chain([broken]).collect();
    let mut node = Command::new("node");
    node.arg(folder.join("mermaid.mjs"));
    let (answers, _) = run(node, &serde_json::to_string(&texts).expect("text"), install)?;
    let mut answers: Vec<Value> = serde_json::from_str(&answers).expect("mermaid.mjs answers in JSON");
    assert_eq!(answers.len(), texts.len());
    assert!(answers.pop().expect("that of the broken one")["error"].is_string());
    Some(answers)
}

/// Graphs with sub-graphs, some of hostile names.
fn nested() -> Vec<Topology> {
    let mut all: Vec<Topology> = hostile();
    for graph in &mut all {
        graph.nodes[1].inner = Some(Box::new(graph.clone()));
    }
    all.push(report());
    all
}

/// The names of all nodes that are drawn.
fn names(graph: &Topology) -> BTreeSet<String> {
    let own = graph.nodes.iter().map(|node| node.name.clone());
    own.chain(graph.nodes.iter().filter_map(|node| node.inner.as_deref()).flat_map(names)).collect()
}

// Issue 3, point 4
#[test]
fn mermaid_and_graphviz_read_opened_sub_graphs_and_runs() {
    let graphs = nested();
    let history: Vec<_> = graphs.iter().map(|graph| run_path::somewhere(&graph.nodes)).collect();
    let drawings: Vec<Drawing<'_>> =
        graphs.iter().zip(&history).map(|(graph, run)| graph.drawing().xray(9).with_run(run)).collect();
    let texts: Vec<String> = drawings.iter().map(Drawing::mermaid).collect();
    for ((graph, text), answer) in graphs.iter().zip(&texts).zip(mermaid(&texts).unwrap_or_default()) {
        assert_eq!(answer.get("error"), None, "{text}");
        let read = answer["nodes"].to_string() + &answer["subgraphs"].to_string();
        for name in names(graph) {
            let said = serde_json::to_string(&name).expect("text");
            assert!(read.contains(said.trim_matches('"')), "{name} is missing in {read}\n{text}");
        }
    }
    for drawing in &drawings {
        let mut dot = Command::new("dot");
        dot.arg("-Tsvg");
        let Some((svg, warnings)) = run(dot, &drawing.dot(), "apt-get install graphviz") else { return };
        assert!(svg.contains("</svg>") && !warnings.contains("syntax"), "{warnings}");
    }
}

#[test]
fn mermaid_reads_every_drawing_as_it_was_meant() {
    let graphs: Vec<Topology> = all().into_iter().chain(hostile()).collect();
    let texts: Vec<String> = graphs.iter().map(Topology::mermaid).collect();
    let Some(answers) = mermaid(&texts) else { return };
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
            let (from, to, said) =
                (&nodes[edge[0].as_str().expect("text")], &nodes[edge[1].as_str().expect("text")], &edge[2]);
            let meant = |e: &&stategraph_core::TopologyEdge| {
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
