//! What the tasks of a superstep wrote, as JSON in one buffer that the next superstep uses again. Writes nothing anywhere itself.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use smallvec::SmallVec;

use super::commit::WriteRef;
use super::plan::NodeIx;

/// A buffer larger than this is not kept for the next superstep.
const KEPT: usize = 64 * 1024;

/// The updates of one superstep, in task order.
#[derive(Debug, Default)]
pub(crate) struct Written {
    text: Vec<u8>,
    /// Whose update ends where in the text.
    ends: Vec<(NodeIx, usize)>,
}

impl Written {
    /// Makes room for the next superstep.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        if self.text.capacity() > KEPT {
            self.text.shrink_to(KEPT);
        }
    }

    /// Adds what a task wrote.
    pub(crate) fn push(&mut self, node: NodeIx, update: &impl Serialize) -> Result<(), serde_json::Error> {
        serde_json::to_writer(&mut self.text, update)?;
        self.ends.push((node, self.text.len()));
        Ok(())
    }

    /// The updates, with the names of their nodes.
    pub(crate) fn refs<'a>(&'a self, name: impl Fn(NodeIx) -> &'a Arc<str>) -> SmallVec<[WriteRef<'a>; 2]> {
        let mut from = 0;
        let write = |(node, end): &(NodeIx, usize)| {
            let text = &self.text[std::mem::replace(&mut from, *end)..*end];
            let update: &RawValue = serde_json::from_slice(text).expect("serde_json wrote it as one value");
            WriteRef { node: name(*node), update }
        };
        self.ends.iter().map(write).collect()
    }
}
