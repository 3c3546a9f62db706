//! Graphs to draw, and golden files.

use stategraph_core::{
    Draft, DraftEdge, DraftNode, END, EdgeKind, START, Topology, TopologyEdge, TopologyNode,
};

pub(super) fn edge(from: &str, to: &str) -> DraftEdge {
    DraftEdge::Static { from: from.into(), to: to.into() }
}

pub(super) fn join(from: &[&str], to: &str) -> DraftEdge {
    DraftEdge::Join { from: from.iter().map(|name| (*name).to_owned()).collect(), to: to.into() }
}

pub(super) fn branch(from: &str, arms: &[(&str, &str)]) -> DraftEdge {
    let arms: Vec<_> = arms.iter().map(|(label, to)| ((*label).to_owned(), vec![(*to).to_owned()])).collect();
    DraftEdge::Branch {
        from: from.into(),
        labels: arms.iter().map(|(label, _)| label.clone()).collect(),
        arms,
    }
}

pub(super) fn graph(name: &str, nodes: &[&str], edges: Vec<DraftEdge>) -> Topology {
    let node = |name: &&str| DraftNode { name: (*name).to_owned(), ..DraftNode::default() };
    Topology::of(&Draft {
        name: name.into(),
        about: String::new(),
        nodes: nodes.iter().map(node).collect(),
        edges,
    })
}

pub(super) fn ard() -> Topology {
    let file = include_str!("../../../../graphs/ard.yaml");
    let definition = stategraph_files::Definition::parse(file, "ard.yaml").expect("a good file");
    Topology::of(&definition.draft())
}

pub(super) fn diamond() -> Topology {
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

pub(super) fn itself() -> Topology {
    graph("loop", &["add"], vec![edge(START, "add"), branch("add", &[("true", "add"), ("false", END)])])
}

pub(super) fn twelve() -> Topology {
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

/// A supervisor with five workers, which all report back to it.
pub(super) fn supervisor() -> Topology {
    let workers = ["researcher", "coder", "writer", "critic", "chart_maker"];
    let arms: Vec<_> = workers.iter().map(|worker| (*worker, *worker)).chain([("FINISH", END)]).collect();
    let mut edges = vec![edge(START, "supervisor"), branch("supervisor", &arms)];
    edges.extend(workers.map(|worker| edge(worker, "supervisor")));
    graph("supervisor", &[&["supervisor"], &workers[..]].concat(), edges)
}

/// Names that end quotes, statements, graphs, comments or lines in one of the languages.
pub(super) const HOSTILE: &[&str] = &[
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
pub(super) fn hostile() -> Vec<Topology> {
    let long = "very_long_".repeat(60);
    let names: Vec<&str> = HOSTILE.iter().copied().chain([long.as_str()]).collect();
    // Graphviz needs minutes to lay out all of them at once. Four at least, for the join.
    names
        .chunks(12)
        .map(|names| if names.len() < 4 { &HOSTILE[..4] } else { names })
        .map(hostile_of)
        .collect()
}

pub(super) fn hostile_of(names: &[&str]) -> Topology {
    let mut edges = vec![edge(START, names[0]), join(&[names[0], names[1], names[2]], names[3])];
    for pair in names.windows(2) {
        edges.push(branch(pair[0], &[(pair[1], pair[1]), (pair[0], END)]));
    }
    let mut shape = graph("a \"graph\": {end} \\ --- #1\nand more", names, edges);
    shape.nodes[0].about = "says \"hello\\\" <b>&amp;</b>".into();
    shape
}

/// Four graphs that stand for many: a cycle, a join, a self loop, a dozen nodes.
pub(super) fn all() -> [Topology; 4] {
    [ard(), diamond(), itself(), twelve()]
}

/// Holds a drawing against its golden file.
pub(super) fn check(name: &str, drawing: &str) {
    check_file(&format!("tests/golden/drawings/{name}"), drawing);
}

pub(super) fn check_file(name: &str, drawing: &str) {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(golden.parent().expect("a folder")).expect("writable");
        std::fs::write(&golden, drawing).expect("writable");
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    assert!(expected == drawing, "{name} changed; UPDATE=1 rewrites it:\n{drawing}");
}

pub(super) fn line(from: &str, to: &str, kind: EdgeKind) -> TopologyEdge {
    TopologyEdge { from: from.into(), to: to.into(), kind }
}

pub(super) fn chosen(from: &str, label: &str, to: &str) -> TopologyEdge {
    line(from, to, EdgeKind::Branch { label: label.into() })
}

pub(super) fn node(name: &str, about: &str, inner: Option<Topology>) -> TopologyNode {
    TopologyNode { name: name.into(), about: about.into(), inner: inner.map(Box::new) }
}

/// A graph with every kind of edge and two levels of sub-graphs.
pub(super) fn report() -> Topology {
    let always = |from, to| line(from, to, EdgeKind::Static);
    let reading = Topology {
        name: "reading".into(),
        about: String::new(),
        nodes: vec![node("fetch", "", None), node("note", "", None)],
        edges: vec![always(START, "fetch"), always("fetch", "note"), always("note", END)],
    };
    let research = Topology {
        name: "research".into(),
        about: String::new(),
        nodes: vec![
            node("plan", "Splits the question", None),
            node("rank", "", None),
            node("read", "Reads one source", Some(reading)),
        ],
        edges: vec![
            always(START, "plan"),
            line("plan", "read", EdgeKind::Dispatch),
            chosen("rank", "more", "plan"),
            chosen("rank", "enough", END),
            always("read", "rank"),
        ],
    };
    Topology {
        name: "report".into(),
        about: "Researches a question and writes a report".into(),
        nodes: vec![
            node("approve", "A person approves", None),
            node("check", "Checks facts", None),
            node("cite", "", None),
            node("draft", "Writes the report", None),
            node("research", "Finds sources", Some(research)),
        ],
        edges: vec![
            always(START, "research"),
            line("approve", "draft", EdgeKind::Goto),
            line("approve", END, EdgeKind::Goto),
            line("check", "approve", EdgeKind::Join { join: 0 }),
            chosen("check", "wrong", "research"),
            line("cite", "approve", EdgeKind::Join { join: 0 }),
            always("draft", "check"),
            always("draft", "cite"),
            always("research", "draft"),
        ],
    }
}
