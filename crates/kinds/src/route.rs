//! The rules of `goto`: chooses the nodes that run after a node. Runs none of them.

use super::node::expression_error;
use stategraph_core::{Command, Dispatch, NodeError, NodeResult};
use stategraph_files::expression::EvalScope;
use stategraph_files::inline::JsonState;
use stategraph_files::{RouteRule, RouteTarget, items_of};

/// Adds the targets of the first `goto` rule whose condition holds to the node's command. If no rule holds,
/// the command stays unchanged.
pub(super) fn follow(
    rules: &[RouteRule],
    command: Command<JsonState>,
    scope: &EvalScope<'_>,
) -> NodeResult<Command<JsonState>> {
    for rule in rules {
        let holds = match &rule.when {
            Some(condition) => condition.is_true(scope).map_err(expression_error)?,
            None => true,
        };
        if holds {
            return add_targets(&rule.next, command, scope);
        }
    }
    Ok(command)
}

/// Adds the targets of a rule: nodes, a node of the outer graph, or one task per item of a list (or the node
/// for an empty list).
fn add_targets(
    next: &RouteTarget,
    command: Command<JsonState>,
    scope: &EvalScope<'_>,
) -> NodeResult<Command<JsonState>> {
    Ok(match next {
        RouteTarget::Nodes(nodes) => nodes.iter().fold(command, Command::goto),
        RouteTarget::Parent(node) => command.goto_parent(node),
        RouteTarget::Each { items, to, empty } => {
            let items = items_of(items, scope).map_err(|reason| NodeError::msg(reason).permanent())?;
            match empty {
                Some(empty) if items.is_empty() => command.goto(empty),
                _ => command.dispatch_all(items.into_iter().map(|item| Dispatch::new(to, item))),
            }
        }
    })
}
