//! Passes a model's words on to whoever watches the run.

use crate::engine::Cx;
use crate::llm::{Appetite, Restart, TokenSink};

/// Takes the pieces of an answer when somebody watches them, and gives them out as messages of the node.
pub struct Words<'a, D>(pub &'a Cx<D>);

impl<D: Send + Sync> TokenSink for Words<'_, D> {
    fn appetite(&self) -> Appetite {
        if self.0.wants_messages() { Appetite::Tokens } else { Appetite::Nothing }
    }

    fn token(&self, text: &str) {
        self.0.message(text);
    }

    fn restart(&self) -> Restart {
        Restart::Accepted
    }
}
