//! Finds joins that can never run, because two of their sources follow different arms of one branch. Reports a join only where that is
//! certain. Pure; `check.rs` collects the defects.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Draft, DraftEdge, START};

/// Maximum number of edges that the search follows. A larger graph is searched in part, so that a check takes a bounded time.
const EDGES_FOLLOWED: usize = 500_000;

/// A join that can never run, because at most one of two of its sources runs.
pub(crate) struct DeadJoin {
    /// Position of the join among the edges of the draft.
    pub(crate) edge: usize,
    /// Two of its sources, of which at most one runs.
    pub(crate) sources: (String, String),
    /// The source of the branch that chooses one of them.
    pub(crate) branch: String,
}

/// Returns the joins of a draft that can never run. Finds only some of them when the graph is so large that
/// the search reaches [`EDGES_FOLLOWED`].
pub(crate) fn dead_joins(draft: &Draft) -> Vec<DeadJoin> {
    let ways = NodeWays::of(draft);
    let once = ways.run_once();
    let mut search = WaySearch { ways, left: EDGES_FOLLOWED };
    let branches = draft.edges.iter().enumerate().filter_map(|(at, edge)| match edge {
        DraftEdge::Branch { from, arms, .. } if once.contains(from.as_str()) => Some((at, from, arms)),
        _ => None,
    });
    let branches: Vec<_> = branches.collect();
    let joins = draft.edges.iter().enumerate().filter_map(|(at, edge)| match edge {
        DraftEdge::Join { from, .. } => Some((at, from)),
        _ => None,
    });
    let mut dead = Vec::new();
    for (edge, sources) in joins {
        if search.left == 0 {
            break;
        }
        let found = branches.iter().find_map(|(at, from, arms)| {
            let chosen = sources.iter().map(|source| Some((source, search.arms_to(source, *at, arms)?)));
            let chosen: Vec<_> = chosen.flatten().collect();
            let pair = first_disjoint(&chosen)?;
            Some(DeadJoin { edge, sources: pair, branch: (*from).clone() })
        });
        dead.extend(found);
    }
    dead
}

/// Returns the first two sources whose sets of arms have no arm in common, so that only one of them runs;
/// `None` when every two share an arm. `chosen` has the indexes of the arms that lead to each source.
fn first_disjoint(chosen: &[(&String, BTreeSet<usize>)]) -> Option<(String, String)> {
    chosen.iter().enumerate().find_map(|(at, (first, arms))| {
        let other = chosen[at + 1..].iter().find(|(_, others)| arms.is_disjoint(others));
        other.map(|(second, _)| ((*first).clone(), (*second).clone()))
    })
}

/// The edges and routes of a draft, indexed by their source and by their target.
struct NodeWays<'d> {
    /// The targets of each node, each with the edge that leads there; `None` for a route that the node chooses itself.
    after: BTreeMap<&'d str, Vec<(Option<usize>, &'d str)>>,
    /// The edges and routes that lead to each node.
    before: BTreeMap<&'d str, WaysIn<'d>>,
}

/// The ways into one node: nodes before it, joins, and whether it takes items. From it follows whether the node can run more than
/// once in a run, and so which joins can never run.
#[derive(Default)]
struct WaysIn<'d> {
    /// The nodes that lead to it alone.
    sources: BTreeSet<&'d str>,
    /// The positions of the joins that lead to it.
    joins: BTreeSet<usize>,
    /// True if it takes items, and so may run several times in one superstep.
    takes_items: bool,
}

impl<'d> NodeWays<'d> {
    fn of(draft: &'d Draft) -> Self {
        let mut ways = Self { after: BTreeMap::new(), before: BTreeMap::new() };
        for (at, edge) in draft.edges.iter().enumerate() {
            for (_, to) in edge.targets(at) {
                for from in edge.sources() {
                    ways.after.entry(from).or_default().push((Some(at), to));
                }
                let entries = ways.before.entry(to).or_default();
                match edge {
                    DraftEdge::Join { .. } => drop(entries.joins.insert(at)),
                    _ => entries.sources.extend(edge.sources().iter().map(String::as_str)),
                }
            }
        }
        for node in &draft.nodes {
            for to in node.goto.iter().chain(&node.dispatch).chain(&node.instead) {
                ways.after.entry(&node.name).or_default().push((None, to));
                ways.before.entry(to).or_default().sources.insert(&node.name);
            }
            ways.before.entry(&node.name).or_default().takes_items = node.takes.is_some();
        }
        ways
    }

    /// Returns `START` and the nodes that run at most once in a run: those to which exactly one edge, join or
    /// route leads, from nodes that run at most once.
    fn run_once(&self) -> BTreeSet<&'d str> {
        let mut once = BTreeSet::from([START]);
        let mut open = vec![START];
        while let Some(at) = open.pop() {
            for (_, target) in self.after.get(at).into_iter().flatten() {
                // A join runs at most as often as each of its sources.
                let has_one_way = self.before.get(target).is_some_and(|entries| {
                    !entries.takes_items && entries.sources.len() + entries.joins.len() == 1
                });
                if has_one_way && once.insert(target) {
                    open.push(target);
                }
            }
        }
        once
    }
}

/// A search for paths in a draft, with an upper bound of the edges that it follows.
struct WaySearch<'d> {
    ways: NodeWays<'d>,
    /// Number of edges that it may still follow.
    left: usize,
}

impl WaySearch<'_> {
    /// Returns the indexes of the arms of the branch (the edge with index `branch`) from which a path leads
    /// to `node`. Returns `None` when `node` is also reachable from `START` without that branch, when no arm
    /// leads to it, and when the search has reached its bound.
    fn arms_to(
        &mut self,
        node: &str,
        branch: usize,
        arms: &[(String, Vec<String>)],
    ) -> Option<BTreeSet<usize>> {
        if self.is_reachable(&[START], node, Some(branch))? {
            return None;
        }
        let mut leading = BTreeSet::new();
        for (at, (_, targets)) in arms.iter().enumerate() {
            let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
            if self.is_reachable(&targets, node, None)? {
                leading.insert(at);
            }
        }
        (!leading.is_empty()).then_some(leading)
    }

    /// Returns true if a path that does not use the edge `without` leads from one of the nodes `from` to
    /// `to`; a node reaches itself. `None` when the search has reached its bound.
    fn is_reachable(&mut self, from: &[&str], to: &str, without: Option<usize>) -> Option<bool> {
        let mut open: Vec<&str> = from.to_vec();
        let mut seen: BTreeSet<&str> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            if at == to {
                return Some(true);
            }
            for (edge, target) in self.ways.after.get(at).into_iter().flatten() {
                self.left = self.left.checked_sub(1)?;
                if (without.is_none() || *edge != without) && seen.insert(target) {
                    open.push(target);
                }
            }
        }
        Some(false)
    }
}
