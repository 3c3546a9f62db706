//! What the nodes of random graphs do: they yield, journal work, ask, fail. The graphs themselves are in `shape`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stategraph_core::{Command, Cx, NodeError, NodeResult, State};

use super::super::kit::Calls;

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Walk {
    #[state(append)]
    pub(super) log: Vec<String>,
    #[state(add)]
    pub(super) visits: u64,
    /// Depends on the order of its writes.
    #[state(reduce = mix)]
    pub(super) hash: u64,
    #[state(append, ephemeral)]
    seen: Vec<String>,
}

/// The state of mapped sub-graphs.
#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// The visits before it began.
    from: u64,
    #[state(add)]
    visits: u64,
    #[state(append)]
    said: Vec<String>,
}

fn mix(hash: &mut u64, delta: u64) {
    *hash = hash.wrapping_mul(0x0100_0000_01B3) ^ delta;
}

/// What a node does.
#[derive(Debug, Clone, Default)]
pub(super) struct Deed {
    pub(super) fails: u32,
    pub(super) asks: bool,
    pub(super) journals: bool,
    pub(super) overwrites: bool,
    /// How many items it dispatches, to the node named like it with a `w`.
    pub(super) dispatches: u32,
}

/// The services of a random graph.
#[derive(Clone)]
pub(super) struct World {
    pub(super) deeds: BTreeMap<String, Deed>,
    pub(super) calls: Calls,
    /// None where everything goes the straight way.
    pub(super) seed: Option<u64>,
}

impl World {
    /// A number below `below`, another one at every call; 0 where everything goes the straight way.
    fn chance(&self, what: &str, below: u64) -> u64 {
        let Some(seed) = self.seed else { return 0 };
        let mut hash = seed ^ u64::from(self.calls.count(&format!("chance {what}")));
        what.bytes().for_each(|byte| mix(&mut hash, u64::from(byte)));
        (hash >> 17) % below
    }

    /// The work of a visit. Once its result was handed to the node it must never happen again.
    fn work(&self, visit: &str) -> u32 {
        if self.calls.of(&format!("kept {visit}")) > 0 {
            self.calls.count("work done twice");
        }
        self.calls.count(&format!("work of {visit}"))
    }
}

/// Does what the node is there for; gives what it says about this visit.
async fn perform(cx: &Cx<World>, visit: &str) -> NodeResult<String> {
    let world = cx.services();
    let deed = &world.deeds[cx.node()];
    for _ in 0..world.chance(visit, 6) {
        tokio::task::yield_now().await;
    }
    let mut said = visit.to_owned();
    if deed.journals {
        cx.once("work", async { Ok::<_, NodeError>(world.work(visit)) }).await?;
        world.calls.count(&format!("kept {visit}"));
        said.push_str(" worked");
    }
    if deed.asks {
        let answer: String = cx.interrupt(&visit).await?;
        said.push_str(&answer);
    }
    if world.seed.is_some() && world.calls.count(&format!("try of {visit}")) < deed.fails {
        return Err(NodeError::msg("not yet"));
    }
    Ok(said)
}

pub(super) async fn act(walk: &Walk, cx: &Cx<World>) -> NodeResult<Command<Walk>> {
    let (deed, node) = (&cx.services().deeds[cx.node()], cx.node());
    let said = perform(cx, &format!("{node} at {}", walk.visits)).await?;
    let said = format!("{said} after {}", walk.seen.join("+"));
    let update = Walk::update().visits(1).hash(said.len() as u64 + walk.hash).seen(node);
    let update = if deed.overwrites { update.overwrite_log([said]) } else { update.log(said) };
    let workers = format!("w{}", &node[1..]);
    Ok((0..deed.dispatches).fold(Command::update(update), |command, item| command.dispatch(&workers, item)))
}

/// The node that takes items.
pub(super) async fn take(walk: &Walk, cx: &Cx<World>) -> NodeResult<WalkUpdate> {
    let item: u32 = *cx.item()?;
    let said = perform(cx, &format!("{} for {item} at {}", cx.node(), walk.visits)).await?;
    Ok(Walk::update().visits(1).hash(u64::from(item) ^ walk.hash).seen(said.as_str()).log(said))
}

/// The node of mapped sub-graphs.
pub(super) async fn count(tally: &Tally, cx: &Cx<World>) -> NodeResult<TallyUpdate> {
    let said = perform(cx, &format!("{} at {}", cx.node(), tally.visits)).await?;
    Ok(Tally::update().visits(1).said(said))
}

pub(super) fn enter(walk: &Walk) -> Tally {
    Tally { from: walk.visits, visits: walk.visits, said: Vec::new() }
}

pub(super) fn leave(tally: &Tally) -> WalkUpdate {
    let update = Walk::update().visits(tally.visits - tally.from).hash(tally.visits);
    tally.said.iter().fold(update, |update, said| update.log(said.as_str()))
}
