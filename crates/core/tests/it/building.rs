//! What is wrong with a graph is said before it runs, all of it at once. ENG-1, ENG-3, parity D1, D2, F1-F8.

use stategraph_core::{
    Choice, Command, DefectKind as Kind, Defects, END, NodePolicy, RetryPolicy, START, State,
};

use super::kit::{Builder, Trail, empty, saying, says};

fn defects(graph: Builder) -> Vec<Kind> {
    let Err(Defects { list, .. }) = graph.compile() else { return Vec::new() };
    list.into_iter().map(|defect| defect.kind).collect()
}

fn only(graph: Builder) -> Kind {
    let mut found = defects(graph);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

// F2
#[test]
fn names_are_unique_and_leave_the_reserved_ones_alone() {
    let line = &["START a", "a END"];
    assert_eq!(only(saying(&["a", "a"], line)), Kind::DuplicateNode { name: "a".into() });
    for bad in ["START", "END", "x|y", "x:y", "x@y", "x\ny"] {
        let found = defects(saying(&["a"], line).node(bad, says("x")));
        assert!(found.iter().any(|kind| matches!(kind, Kind::BadName { name, .. } if name == bad)), "{bad}");
    }
    assert!(defects(saying(&["a"], line).node(" ", says("x"))).contains(&Kind::EmptyName));
    assert!(defects(Builder::new("").node("a", says("a"))).contains(&Kind::EmptyName));
}

// ENG-3, D1, F6
#[test]
fn an_unknown_name_is_a_defect_that_proposes_the_nearest_one() {
    let kind = only(saying(&["write"], &["START write", "write END", "writ END"]));
    assert_eq!(kind, Kind::UnknownNode { name: "writ".into(), nearest: Some("write".into()) });
    assert_eq!(kind.hint(), "did you mean `write`?");
    let kind = only(saying(&["write"], &["START write", "write EDN"]));
    assert_eq!(kind, Kind::UnknownNode { name: "EDN".into(), nearest: Some(END.into()) });
    let goto = saying(&["a"], &["START a"]).goto("a", ["nowhere"]);
    assert_eq!(only(goto), Kind::UnknownNode { name: "nowhere".into(), nearest: None });
    let arms = saying(&["a"], &["START a"]).branch("a", |_: &Trail| true, [(true, "b"), (false, END)]);
    assert_eq!(only(arms), Kind::UnknownNode { name: "b".into(), nearest: Some("a".into()) });
}

#[test]
fn a_graph_has_an_entry_and_every_node_a_way_in_and_out() {
    assert_eq!(only(saying(&["a"], &["a END"])), Kind::NoEntry);
    let kinds = defects(saying(&["a", "b"], &["START a", "a END"]));
    assert_eq!(kinds, [Kind::DeadEnd { name: "b".into() }, Kind::Unreachable { name: "b".into() }]);
    assert_eq!(only(saying(&["a"], &["START a"])), Kind::DeadEnd { name: "a".into() });
    let circle = only(saying(&["a", "b"], &["START a", "a b", "b a"]));
    assert_eq!(circle, Kind::EndlessCycle { nodes: vec!["a".into(), "b".into()] });
    assert_eq!(only(saying(&["a"], &["START a", "a a"])), Kind::EndlessCycle { nodes: vec!["a".into()] });
}

#[test]
fn edges_do_not_leave_end_or_lead_to_start() {
    assert_eq!(only(saying(&["a"], &["START a", "a END", "END a"])), Kind::FromEnd);
    assert_eq!(only(saying(&["a"], &["START a", "a END", "a START"])), Kind::ToStart);
}

// What ports get wrong: "a second add_edge that silently replaces the first"
#[test]
fn an_edge_written_twice_is_a_defect_and_a_second_target_is_not() {
    let twice = saying(&["a"], &["START a", "a END", "a END"]);
    assert_eq!(only(twice), Kind::DuplicateEdge { from: "a".into(), to: END.into() });
    assert!(defects(saying(&["a", "b"], &["START a", "START b", "a END", "b END"])).is_empty());
}

#[test]
fn a_join_waits_for_two_different_nodes_or_more() {
    let line = || saying(&["a", "b"], &["START a", "a END", "b END"]);
    assert_eq!(only(line().join(["a"], "b")), Kind::BadJoin);
    assert_eq!(only(line().join(["a", "a"], "b")), Kind::BadJoin);
    assert_eq!(only(line().join([START, "a"], "b")), Kind::BadJoin);
    let join = || saying(&["a", "b", "c"], &["START a", "START b", "c END"]).join(["a", "b"], "c");
    assert!(defects(join()).is_empty());
    let twice = only(join().join(["b", "a"], "c"));
    assert_eq!(twice, Kind::DuplicateEdge { from: "a, b".into(), to: "c".into() });
}

/// A graph in which `x` chooses between `a` and `b`, with these further edges.
fn choosing(edges: &[&str]) -> Builder {
    let graph = saying(&["x", "a", "b", "c", "d"], edges).edge("c", END).edge("d", END);
    graph.branch("x", |trail: &Trail| trail.sum > 0, [(true, "a"), (false, "b")])
}

// F4: certain only where the choice is made once, and each source follows it alone
#[test]
fn a_join_of_branches_that_exclude_each_other_is_a_defect() {
    let dead = Kind::DeadJoin { first: "a".into(), second: "b".into(), branch: "x".into() };
    assert_eq!(only(choosing(&["START x", "a+b c", "a d"])), dead);
    assert_eq!(only(choosing(&["START x", "START d", "a+d c", "a+b c"])), dead);
    let far = choosing(&["START x", "a d", "d+b c"]);
    assert!(matches!(only(far), Kind::DeadJoin { first, .. } if first == "d"));
    for alive in [
        // Both are started in another way, too.
        &["START x", "START a", "START b", "a+b c", "a d"][..],
        &["START x", "START a", "a+b c", "a d"],
        // The choice is made again.
        &["START x", "a x", "a+b c", "a d"],
        &["START x", "START d", "d x", "a+b c"],
        // The sources follow one arm.
        &["START x", "a d", "a+d c", "b END"],
    ] {
        assert_eq!(defects(choosing(alive)), [], "{alive:?}");
    }
    let twice = choosing(&["START x", "a+b c", "a d"]);
    let twice = twice.branch("x", |trail: &Trail| trail.sum > 1, [(true, "a"), (false, "b")]);
    assert_eq!(defects(twice), [], "one branch may choose `a` and the other `b`");
}

#[derive(Choice, Clone, Copy)]
enum Verdict {
    Verified,
    #[choice("again")]
    NeedsRevision,
    HopelessCase,
}

// F5: an arm with several targets runs all of them, in the next superstep.
#[tokio::test]
async fn an_arm_can_have_several_targets() {
    let arms = |first: &[&str]| {
        let targets = first.iter().map(|name| (*name).to_owned()).collect();
        vec![("yes".to_owned(), targets), ("no".to_owned(), vec![END.to_owned()])]
    };
    let labels = || vec!["yes".to_owned(), "no".to_owned()];
    let line = |chosen: usize, first: &[&str]| {
        let graph = saying(&["a", "b", "c"], &["START a", "b END", "c END"]);
        graph.erased_branch("a", std::sync::Arc::new(move |_: &Trail| chosen), labels(), arms(first))
    };
    let ran = async |chosen| line(chosen, &["c", "b"]).compile().unwrap().run(empty()).await.unwrap();
    let both = ran(0).await;
    assert_eq!((both.state.log, both.steps), (vec!["a".into(), "b".into(), "c".into()], 2));
    assert_eq!(ran(1).await.steps, 1);
    let found = defects(line(0, &["b", "c", "d"]));
    assert_eq!(found, [Kind::UnknownNode { name: "d".into(), nearest: Some("a".into()) }]);
}

// F25, F36: the limits of a graph hold for every run of it, and a run can only lower them.
#[tokio::test]
async fn a_graph_limits_its_supersteps() {
    let line = || saying(&["a", "b", "c"], &["START a", "a b", "b c", "c END"]);
    let run = async |graph: u64, run: u64| {
        line().step_limit(graph).compile().unwrap().run(empty()).step_limit(run).await.is_ok()
    };
    assert!(run(3, 10).await && run(10, 3).await);
    assert!(!run(2, 10).await && !run(10, 2).await);
    let no_step = Kind::BadPolicy {
        name: "the supersteps".into(),
        reason: "the step limit is 0: nothing would run".into(),
    };
    assert_eq!(only(line().step_limit(0)), no_step);
}

#[test]
fn labels_are_in_snake_case_or_as_written() {
    assert_eq!(Verdict::LABELS, ["verified", "again", "hopeless_case"]);
    assert_eq!(Verdict::HopelessCase.label(), "hopeless_case");
    assert_eq!(<bool as Choice>::LABELS, ["false", "true"]);
}

// ENG-3
#[test]
fn every_label_of_a_choice_has_exactly_one_arm() {
    let line = || saying(&["a"], &["START a"]);
    let uncovered = only(line().branch(
        "a",
        |_: &Trail| Verdict::Verified,
        [(Verdict::Verified, END), (Verdict::NeedsRevision, "a")],
    ));
    assert_eq!(uncovered, Kind::UncoveredLabel { from: "a".into(), label: "hopeless_case".into() });
    let twice = only(line().branch("a", |_: &Trail| true, [(true, END), (false, END), (true, "a")]));
    assert_eq!(twice, Kind::DuplicateArm { from: "a".into(), label: "true".into() });
    let labels = vec!["yes".to_owned(), "no".to_owned()];
    let arms = vec![("yes".to_owned(), vec![END.to_owned()]), ("noo".to_owned(), vec![END.to_owned()])];
    let found = defects(line().erased_branch("a", std::sync::Arc::new(|_: &Trail| 0), labels, arms));
    assert!(found.contains(&Kind::UnknownLabel {
        from: "a".into(),
        label: "noo".into(),
        nearest: Some("no".into())
    }));
    assert!(found.contains(&Kind::UncoveredLabel { from: "a".into(), label: "no".into() }));
}

// P13, D2, clause 14
#[test]
fn a_node_that_goes_somewhere_has_no_edge_besides() {
    let both = saying(&["a", "b"], &["START a", "a b", "b END"]).goto("a", ["b", END]);
    assert_eq!(only(both), Kind::GotoAndEdge { name: "a".into() });
}

async fn jump(_: &Trail) -> Command<Trail> {
    Command::update(Trail::update().log("jump")).goto("b")
}

#[tokio::test]
async fn goto_may_be_declared_before_its_node() {
    let early = Builder::new("early").goto("jump", ["b", END]).node("jump", jump).node("b", says("b"));
    let graph = early.edge(START, "jump").edge("b", END).compile().unwrap();
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["jump", "b"]);
    let never = saying(&["a"], &["START a", "a END"]).goto("aa", ["a"]);
    assert_eq!(only(never), Kind::UnknownNode { name: "aa".into(), nearest: Some("a".into()) });
}

// ENG-20
#[test]
fn policies_that_cannot_work_are_defects() {
    let with = |policy| Builder::new("p").node_with("a", policy, says("a")).edge(START, "a").edge("a", END);
    let bad = [
        NodePolicy::new().retry(RetryPolicy::attempts(0)),
        NodePolicy::new().timeout(std::time::Duration::ZERO),
        NodePolicy::new().retry(RetryPolicy::attempts(2).factor(0.5)),
        NodePolicy::new().retry(RetryPolicy::attempts(2).factor(f64::NAN)),
    ];
    for policy in bad {
        assert!(matches!(only(with(policy)), Kind::BadPolicy { .. }));
    }
    assert!(defects(with(NodePolicy::new().retry(RetryPolicy::attempts(1)))).is_empty());
}

#[test]
fn all_defects_come_at_once_and_each_says_what_to_do() {
    let broken = saying(&["a", "a", "b"], &["START a", "a END", "a END", "b nowhere"]);
    let Err(defects) = broken.compile() else { panic!("it compiled") };
    assert_eq!(
        defects.to_string(),
        "graph `saying` has 3 defects\
         \n  there are two nodes `a` (rename one of them)\
         \n  the edge from `a` to `END` is written twice (remove one of them)\
         \n  there is no node `nowhere` (declare the node, or correct the name)"
    );
}

// ENG-1
#[tokio::test]
async fn a_graph_is_compiled_once_and_run_as_often_as_wanted() {
    let graph = saying(&["a", "b"], &["START a", "a b", "b END"]).compile().unwrap();
    for _ in 0..3 {
        assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["a", "b"]);
    }
}

// ENG-23
#[test]
fn the_shape_of_a_graph_can_be_printed() {
    let graph = saying(&["b", "a", "j"], &["START a", "START b", "j END"]).join(["a", "b"], "j");
    let shape = serde_json::to_string(graph.compile().unwrap().topology()).unwrap();
    assert_eq!(
        shape,
        r#"{"name":"saying","nodes":[{"name":"a"},{"name":"b"},{"name":"j"}],"edges":[{"from":"START","to":"a","kind":"static"},{"from":"START","to":"b","kind":"static"},{"from":"a","to":"j","kind":"join","join":3},{"from":"b","to":"j","kind":"join","join":3},{"from":"j","to":"END","kind":"static"}]}"#
    );
}

#[test]
fn the_digest_is_of_the_shape_and_not_of_the_order_of_declaration_of_nodes() {
    let edges = &["START a", "a b", "b END"];
    let digest = |graph: Builder| graph.compile().unwrap().digest();
    let plain = digest(saying(&["a", "b"], edges));
    assert_eq!(plain, digest(saying(&["b", "a"], edges).about("something else")));
    assert_ne!(plain, digest(saying(&["a", "b"], &["START a", "a b", "b END", "a END"])));
}

#[test]
fn an_update_starts_empty() {
    assert_eq!(serde_json::to_string(&Trail::update()).unwrap(), "{}");
}

// F8
#[test]
fn sequence_entry_and_finish_are_edges_by_another_name() {
    let edges = saying(&["a", "b", "c"], &["START a", "a b", "b c", "c END"]).compile().unwrap();
    let sugar = || saying(&["a", "b", "c"], &[]);
    let short = sugar().sequence(["a", "b", "c"]).entry("a").finish("c").compile().unwrap();
    let shorter = sugar().sequence([START, "a", "b", "c", END]).compile().unwrap();
    assert_eq!((short.digest(), shorter.digest()), (edges.digest(), edges.digest()));
}
