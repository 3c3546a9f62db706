//! The drawings in text: what they say, and that they are well-formed whatever the names.

use stategraph_core::{END, START};
use stategraph_draw::Draw as _;

use super::kit::*;

// ENG-23, F70
#[test]
fn drawings_are_what_they_were() {
    for graph in all() {
        check(&format!("{}.mmd", graph.name), &graph.mermaid());
        check(&format!("{}.dot", graph.name), &graph.dot());
        check(&format!("{}.txt", graph.name), &graph.ascii());
        check(&format!("{}.json", graph.name), &graph.drawing().json());
        check(&format!("{}.svg", graph.name), &graph.svg());
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
