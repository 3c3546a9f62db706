//! The shapes that a node may have. What the compiler says about others is in `macros/tests/compile_fail`.

use std::future::{Future, ready};

use stategraph_core::{Command, Cx, END, Frozen, Node, NodeError, NodeResult, START, State};

use super::kit::{Builder, Trail, TrailUpdate, empty};

async fn of_state(trail: &Trail) -> TrailUpdate {
    Trail::update().log(format!("after {}", trail.log.len()))
}

async fn of_context(_: &Trail, cx: &Cx<u32>) -> NodeResult<TrailUpdate> {
    Ok(Trail::update().log(format!("{} with {}", cx.node(), cx.services())))
}

async fn of_nothing(_: &Trail) {}

async fn of_command(_: &Trail) -> Result<Command<Trail>, std::num::ParseIntError> {
    Ok(Command::update(Trail::update().sum("7".parse()?)))
}

struct Says(&'static str);

impl Node<Trail, u32> for Says {
    async fn run(&self, _: &Trail, cx: &Cx<u32>) -> NodeResult<TrailUpdate> {
        Ok(Trail::update().log(format!("{} in step {}", self.0, cx.step())))
    }
}

fn not_async(_: &Trail) -> impl Future<Output = TrailUpdate> + use<> {
    ready(Trail::update().log("ready"))
}

// DESIGN decision 1
#[tokio::test]
async fn a_node_is_any_of_the_shapes_that_borrow_or_hold_the_state() {
    let captured = String::from("captured");
    let graph = Builder::<u32>::new("shapes")
        .node("1", of_state)
        .node("2", of_context)
        .node("3", of_nothing)
        .node("4", of_command)
        .node("5", Says("a type"))
        .node("6", not_async)
        .node("7", async |trail: &Trail| Trail::update().sum(trail.sum))
        .node("8", async |_: &Trail, cx: &Cx<u32>| -> Result<TrailUpdate, NodeError> {
            Ok(Trail::update().sum(i64::from(*cx.services())))
        })
        .node("9", move |trail: Frozen<Trail>| {
            let said = format!("{captured} {}", trail.sum);
            async move { Trail::update().log(said) }
        });
    let graph = ["START 1", "1 2", "2 3", "3 4", "4 5", "5 6", "6 7", "7 8", "8 9", "9 END"].iter().fold(
        graph,
        |graph, edge| {
            let (from, to) = edge.split_once(' ').unwrap();
            graph.edge(from, to)
        },
    );
    let trail = graph.compile_with(5).unwrap().run(empty()).await.unwrap().state;
    assert_eq!(trail.log(), ["after 0", "2 with 5", "a type in step 5", "ready", "captured 19"]);
    assert_eq!((START, END), ("START", "END"));
}
