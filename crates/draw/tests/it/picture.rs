//! The layout, by its geometry: nothing overlaps, nothing is outside, no line runs through a box, and every word fits.

use std::collections::BTreeSet;

use proptest::prelude::*;
use stategraph_core::{END, EdgeKind, START, Topology};
use stategraph_draw::Draw as _;
use stategraph_draw::picture::{Anchor, PathSegment, Picture, PictureShape, Point, ShapeRole};

use super::kit::*;
use stategraph_testing::cases;

/// A rectangle: left, top, right, bottom.
type Frame = [f64; 4];

/// What a picture holds.
#[derive(Default)]
struct Parts {
    boxes: Vec<(String, Frame)>,
    clusters: Vec<Frame>,
    /// Points along each line, with what it is.
    lines: Vec<(String, Vec<Point>)>,
    labels: Vec<Frame>,
    texts: Vec<(String, Frame)>,
}

fn parts(picture: &Picture) -> Parts {
    let mut parts = Parts::default();
    picture.shapes.iter().for_each(|shape| sort(shape, "", &mut parts));
    parts
}

fn sort(shape: &PictureShape, title: &str, parts: &mut Parts) {
    match shape {
        PictureShape::Group { title, shapes } => {
            let first = parts.boxes.len();
            shapes.iter().for_each(|shape| sort(shape, title, parts));
            // A node that runs per item has a second box behind the first.
            let one = parts.boxes.drain(first..).reduce(|a, b| (a.0, union(a.1, b.1)));
            parts.boxes.extend(one);
        }
        PictureShape::Rect { at, width, height, class, .. } => {
            let frame = [at.x, at.y, at.x + width, at.y + height];
            match class.role {
                ShapeRole::Chip | ShapeRole::InnerChip => parts.labels.push(frame),
                ShapeRole::Cluster => parts.clusters.push(frame),
                ShapeRole::Ground => assert!(within(frame, [0.0, 0.0, *width, *height])),
                _ => parts.boxes.push((title.to_owned(), frame)),
            }
        }
        PictureShape::Path { segments, class } => {
            if let ShapeRole::Edge(_) = class.role {
                parts.lines.push((title.to_owned(), points(segments)));
            }
        }
        PictureShape::Text { at, anchor, width, size, text, class, .. } => {
            let left = if *anchor == Anchor::Middle { at.x - width / 2.0 } else { at.x };
            let frame = [left, at.y - size * 0.75, left + width, at.y + size * 0.2];
            parts.texts.push((text.clone(), frame));
            if let (ShapeRole::Label(_), Anchor::Start) = (class.role, anchor) {
                parts.labels.push(frame);
            }
        }
    }
}

fn union(a: Frame, b: Frame) -> Frame {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Points along a path, close to one another.
fn points(segments: &[PathSegment]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for curve in segments {
        let from = points.last().copied();
        let mut along = |at: &dyn Fn(f64) -> Point| points.extend((1..=24).map(|n| at(f64::from(n) / 24.0)));
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        match (*curve, from) {
            (PathSegment::Line(to), Some(from)) => {
                along(&|t| Point { x: mix(from.x, to.x, t), y: mix(from.y, to.y, t) });
            }
            (PathSegment::Cubic(first, second, to), Some(from)) => along(&|t| {
                let cubic = |pick: fn(Point) -> f64| {
                    let [from, first, second, to] = [from, first, second, to].map(pick);
                    let (early, late) = (mix(from, first, t), mix(second, to, t));
                    let middle = mix(first, second, t);
                    mix(mix(early, middle, t), mix(middle, late, t), t)
                };
                Point { x: cubic(|point| point.x), y: cubic(|point| point.y) }
            }),
            (PathSegment::Move(to), _) => points.push(to),
            (curve, from) => panic!("{curve:?} from {from:?} is no piece of a line"),
        }
    }
    points
}

fn overlap(a: Frame, b: Frame) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn within(inner: Frame, outer: Frame) -> bool {
    inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
}

/// All that holds of every picture.
fn check_picture(graph: &Topology, depth: usize) {
    let picture = graph.drawing().xray(depth).picture();
    let Parts { boxes, clusters, lines, labels, texts } = parts(&picture);
    let canvas = [0.0, 0.0, picture.width, picture.height];
    for (number, (name, frame)) in boxes.iter().enumerate() {
        assert!(within(*frame, canvas), "{name} is outside: {frame:?}");
        for (other, other_frame) in &boxes[..number] {
            assert!(!overlap(*frame, *other_frame), "{name} {frame:?} over {other} {other_frame:?}");
        }
        for (title, points) in &lines {
            let through = |point: &&Point| {
                let [left, top, right, bottom] = *frame;
                // A line may touch the border of its own ends, and begins behind the second box of a pile.
                let edge = 4.5;
                point.x > left + edge
                    && point.x < right - edge
                    && point.y > top + edge
                    && point.y < bottom - edge
            };
            if let Some(point) = points.iter().find(through) {
                panic!("{title} runs through {name} at {point:?}");
            }
        }
    }
    for frame in &clusters {
        assert!(within(*frame, canvas));
        let crosses =
            |other: &&Frame| overlap(*frame, **other) && !within(*frame, **other) && !within(**other, *frame);
        assert_eq!(clusters.iter().find(crosses), None);
        for (name, other) in &boxes {
            assert!(!overlap(*frame, *other) || within(*other, *frame), "{name} is half inside a sub-graph");
        }
    }
    for (number, label) in labels.iter().enumerate() {
        assert!(within(*label, canvas), "a label is outside: {label:?}");
        assert!(labels[..number].iter().all(|other| !overlap(*label, *other)), "a label is over another one");
        assert!(boxes.iter().all(|(_, frame)| !overlap(*label, *frame)), "a label is over a box: {label:?}");
    }
    for (title, points) in &lines {
        let inside = |point: &Point| within([point.x, point.y, point.x, point.y], canvas);
        assert!(points.iter().all(inside), "{title} leaves the canvas");
    }
    for (text, frame) in &texts {
        assert!(within(*frame, canvas), "`{text}` is outside: {frame:?}");
    }
    let svg = picture.svg();
    let read = roxmltree::Document::parse(&svg).expect("it is XML");
    assert_eq!(read.root_element().attribute("role"), Some("img"));
    let named: BTreeSet<&str> = read.descendants().filter_map(|node| node.text()).collect();
    assert!(named.contains(picture.title.as_str()) || picture.title.is_empty());
    assert_eq!(svg, graph.drawing().xray(depth).svg(), "equal graphs give equal bytes");
}

#[test]
fn nothing_overlaps_in_the_graphs_that_people_draw() {
    for graph in all() {
        check_picture(&graph, 0);
    }
    for depth in 0..3 {
        check_picture(&report(), depth);
    }
}

// Names and labels that end quotes, elements, attributes or comments.
#[test]
fn hostile_names_are_only_words() {
    for graph in hostile() {
        check_picture(&graph, 0);
        let svg = graph.svg();
        let read = roxmltree::Document::parse(&svg).unwrap();
        let known = ["svg", "title", "desc", "style", "g", "rect", "path", "text"];
        for element in read.descendants().filter(roxmltree::Node::is_element) {
            assert!(known.contains(&element.tag_name().name()), "{element:?}");
            assert!(element.attributes().all(|attribute| !attribute.name().starts_with("on")), "{element:?}");
        }
        let titles: Vec<&str> = read
            .descendants()
            .filter(|node| node.has_tag_name("title"))
            .filter_map(|node| node.text())
            .collect();
        for node in graph.nodes.iter().filter(|node| node.about.is_empty()) {
            assert!(titles.contains(&node.name.as_str()), "{} is not among {titles:?}", node.name);
        }
    }
}

// Long names, descriptions and labels are wrapped, and every word is there.
#[test]
fn long_texts_are_wrapped_and_not_cut() {
    let name = "collect_the_sources_of_every_claim_in_the_draft_and_compare_them";
    let about = "Reads every source that the draft cites, compares it with the claim, and writes down where both \
                 differ, with the page and the sentence of the source";
    let label = "when the reviewer found at least one claim without a source that can be opened";
    let mut graph =
        graph("long", &[name], vec![edge(START, name), branch(name, &[(label, name), ("done", END)])]);
    graph.nodes[0].about = about.into();
    check_picture(&graph, 0);
    let texts = parts(&graph.drawing().picture()).texts;
    let drawn =
        |separator: &str| texts.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(separator);
    assert!(drawn("").contains(name), "{texts:?}");
    assert!(drawn(" ").contains(about) && drawn(" ").contains(label), "{texts:?}");
    check("long.svg", &graph.svg());
}

// ENG-21: hostile lengths are bounded, and the tooltips have the whole text.
#[test]
fn texts_of_hostile_length_take_a_few_lines() {
    let (name, label) = ("n".repeat(5_000), "l ".repeat(5_000));
    let graph = graph("hostile", &[&name], vec![edge(START, &name), branch(&name, &[(&label, END)])]);
    check_picture(&graph, 0);
    let picture = graph.drawing().picture();
    assert!(picture.height < 500.0 && picture.width < 600.0, "{} x {}", picture.width, picture.height);
    let svg = picture.svg();
    assert!(svg.contains(">nnnn") && svg.contains("...+4848<") && svg.contains(&format!(": {label}")));
}

/// The points where two lines of a picture cross, apart from their common ends.
fn crossings(picture: &Picture) -> Vec<(String, String)> {
    let lines = parts(picture).lines;
    let cross = |a: &[Point], b: &[Point]| {
        let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
        a[0].x.min(a[1].x) <= b[0].x.max(b[1].x)
            && b[0].x.min(b[1].x) <= a[0].x.max(a[1].x)
            && side(a[0], a[1], b[0]) * side(a[0], a[1], b[1]) < 0.0
            && side(b[0], b[1], a[0]) * side(b[0], b[1], a[1]) < 0.0
    };
    let mut found = Vec::new();
    for (number, (title, points)) in lines.iter().enumerate() {
        for (other, others) in &lines[..number] {
            let crosses = points.windows(2).any(|a| others.windows(2).any(|b| cross(a, b)));
            if crosses {
                found.push((other.clone(), title.clone()));
            }
        }
    }
    found
}

#[test]
fn a_supervisor_and_its_workers_are_drawn_without_crossings() {
    let supervisor = supervisor();
    check("supervisor.svg", &supervisor.svg());
    check_picture(&supervisor, 0);
    assert_eq!(crossings(&supervisor.drawing().picture()), []);
    check("supervisor.svg", &supervisor.svg());
    // The workers answer by choice, and two of them are supervisors themselves.
    let (teams, workers) = (["design", "build", "docs"], ["a", "b", "c", "d", "e", "f"]);
    let mut edges = vec![
        edge(START, "lead"),
        branch("lead", &[("design", "design"), ("build", "build"), ("docs", "docs"), ("done", END)]),
    ];
    edges.extend(teams.map(|team| branch(team, &[("back to the lead", "lead")])));
    for (at, worker) in workers.iter().enumerate() {
        let team = teams[at / 3];
        edges.extend([
            branch(team, &[("ask", worker)]),
            branch(worker, &[("answered", team), ("gave up", team)]),
        ]);
    }
    let nested = graph("teams", &[&["lead"], &teams[..], &workers[..]].concat(), edges);
    check_picture(&nested, 0);
    assert_eq!(crossings(&nested.drawing().picture()), []);
    check("teams.svg", &nested.svg());
}

// The check above must be able to fail: complete graphs of five nodes have no drawing without crossings.
#[test]
fn crossings_are_found() {
    let names = ["a", "b", "c", "d", "e"];
    let pairs = (0..5).flat_map(|from| (0..from).map(move |to| edge(names[to], names[from])));
    assert!(!crossings(&graph("five", &names, pairs.collect()).drawing().picture()).is_empty());
}

#[test]
fn every_kind_of_edge_has_its_own_look() {
    let svg = report().drawing().xray(1).svg();
    for class in ["sg-edge-solid", "sg-edge-dashed", "sg-edge-dotted", "sg-edge-bold", "sg-bar", "sg-cluster"]
    {
        assert!(
            svg.contains(&format!("<path class=\"{class}\""))
                || svg.contains(&format!("<rect class=\"{class}\""))
        );
    }
    assert!(svg.contains("@media (prefers-color-scheme: dark)"));
    assert!(svg.contains("<title>check → research: wrong</title>"), "{svg}");
}

// The picture in the README; `graph draw ard -o docs/ard.svg` makes the same.
#[test]
fn the_picture_in_the_readme_is_that_of_the_graph() {
    check_file("../../docs/ard.svg", &ard().svg());
}

#[test]
fn an_empty_graph_is_an_empty_picture() {
    check_picture(&graph("", &[], vec![]), 3);
    check_picture(&graph("alone", &["alone"], vec![]), 0);
}

/// A line from one place to another, by numbers.
type Wish = (usize, usize, u8);

fn made(count: usize, wishes: &[Wish], inner: Option<&Topology>) -> Topology {
    let words = [
        "",
        "Reads",
        "Writes the summary of a chapter to its file, then asks whether it is good",
        "資料を一つ読む",
    ];
    let name = |at: usize| match at % count.max(1) {
        at if at % 7 == 3 => format!("節点{at}"),
        at if at % 11 == 5 => format!("a_rather_long_name_of_a_node_{at}"),
        at => format!("n{at}"),
    };
    let mut nodes: Vec<_> = (0..count).map(|at| node(&name(at), words[at % words.len()], None)).collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    if let (Some(inner), Some(first)) = (inner, nodes.first_mut()) {
        first.inner = Some(Box::new(inner.clone()));
    }
    let mut edges = vec![line(START, &name(0), EdgeKind::Static)];
    let labels = ["yes", "no", "exhausted", "もう一度", "a label of some length"];
    for (number, (from, to, kind)) in wishes.iter().enumerate() {
        let target = if *to >= 4 * count { END.to_owned() } else { name(*to) };
        let kind = match kind {
            0 | 1 => EdgeKind::Static,
            2 => EdgeKind::Goto,
            3 => EdgeKind::Dispatch,
            4 => EdgeKind::Join { join: to % 3 },
            _ => EdgeKind::Branch { label: labels[number % labels.len()].to_owned() },
        };
        edges.push(line(&name(*from), &target, kind));
    }
    // A join has one target.
    let mut targets = std::collections::BTreeMap::new();
    for edge in &mut edges {
        if let EdgeKind::Join { join } = edge.kind {
            edge.to.clone_from(targets.entry(join).or_insert_with(|| edge.to.clone()));
        }
    }
    Topology { name: "random".into(), about: "Made by chance".into(), nodes, edges }
}

proptest! {
    #![proptest_config(cases(96))]

    // Issue 3, point 4
    #[test]
    fn no_graph_is_drawn_over_itself(
        count in 1_usize..60,
        wishes in prop::collection::vec((0_usize..60, 0_usize..300, 0_u8..9), 0..110),
        inside in prop::option::of(prop::collection::vec((0_usize..6, 0_usize..30, 0_u8..9), 0..12)),
    ) {
        let inner = inside.map(|wishes| made(6, &wishes, None));
        let graph = made(count, &wishes, inner.as_ref());
        check_picture(&graph, 1);
        // The drawings in text keep to their lines, too.
        prop_assert!(graph.ascii().lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 100));
    }
}
