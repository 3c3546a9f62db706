//! The error of a node that went to a target it may not go to. Checks nothing; see `attempt.rs`.

use std::fmt::Display;

use super::nearest;

/// The error of a node whose route has a target that it may not go to, or an item of a wrong type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRoute {
    /// `goto` named a node that the node did not declare.
    #[error("it went to `{target}`, which is not among its declared targets: {}", list_declared(.known))]
    UndeclaredGoto {
        /// The target.
        target: String,
        /// The targets that the node declared.
        known: Vec<String>,
    },
    /// `dispatch` named a node that the node did not declare.
    #[error("it dispatched to `{target}`, which is not among its declared targets: {}", list_declared(.known))]
    UndeclaredDispatch {
        /// The target of the item.
        target: String,
        /// The targets that the node declared.
        known: Vec<String>,
    },
    /// `goto_parent` named a node that the node did not declare.
    #[error("it sent the graph around to `{target}`, which is not among its declared targets: {}", list_declared(.known))]
    UndeclaredParent {
        /// The target.
        target: String,
        /// The targets that the node declared.
        known: Vec<String>,
    },
    /// `goto_parent` in a graph that runs by itself.
    #[error("it sent the graph around to `{target}`, and there is none")]
    NoParent {
        /// The target.
        target: String,
    },
    /// The item is of another type than the node takes.
    #[error("it dispatched an item of type `{sent}` to `{target}`, which takes `{taken}`")]
    ItemType {
        /// The target of the item.
        target: String,
        /// The type of the item.
        sent: &'static str,
        /// The type that the node takes.
        taken: &'static str,
    },
}

impl BadRoute {
    /// Returns the advice for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::UndeclaredGoto { target, known } => undeclared_hint("goto", target, known),
            Self::UndeclaredDispatch { target, known } => undeclared_hint("dispatch", target, known),
            Self::UndeclaredParent { target, known } => undeclared_hint("parent", target, known),
            Self::NoParent { .. } => "run the graph as a node of another, or go to END".to_owned(),
            Self::ItemType { taken, .. } => format!("send a `{taken}`, or let the node take another type"),
        }
    }
}

fn undeclared_hint(kind: &str, target: &str, known: &[String]) -> String {
    match nearest(target, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`? Else declare `{target}` as a {kind} target"),
        None => format!("declare `{target}` as a {kind} target"),
    }
}

fn list_declared(known: &[String]) -> impl Display + '_ {
    if known.is_empty() { "it declared none".to_owned() } else { known.join(", ") }
}
