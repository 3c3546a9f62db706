//! The updates of a superstep as JSON, in one buffer that every superstep reuses. Stores nothing itself.

use std::ops::Deref;
use std::sync::Arc;

use super::commit::{Json, WriteRef};
use super::json_text::append;
use super::plan::NodeIx;
use super::read_back::check_read_back;
use super::state::{State, Update};

/// Maximum capacity in bytes that the buffer keeps for the next superstep.
const MAX_RETAINED: usize = 64 * 1024;

/// The updates of one superstep as JSON texts in one buffer, in task order. The loop fills it, and the
/// checkpoint borrows from it.
#[derive(Debug, Default)]
pub(crate) struct UpdateBuffer {
    text: Vec<u8>,
    /// The node and the end of each update in the text.
    ends: Vec<(NodeIx, usize)>,
}

impl UpdateBuffer {
    /// Empties the buffer for the next superstep.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        if self.text.capacity() > MAX_RETAINED {
            self.text.shrink_to(MAX_RETAINED);
        }
    }

    /// Appends the update of a task of `node` as JSON. Fails when that JSON would be read back as another
    /// value.
    pub(crate) fn push<S: State>(
        &mut self,
        node: NodeIx,
        update: &S::Update,
    ) -> Result<(), serde_json::Error> {
        let from = self.text.len();
        append(&mut self.text, update)?;
        if !update.written_channels().and(S::READ_BACK).is_empty() {
            check_read_back(update, &self.text[from..])?;
        }
        self.ends.push((node, self.text.len()));
        Ok(())
    }

    /// Returns the updates, each with the name of its node, which `name` looks up.
    pub(crate) fn write_refs<'a>(&'a self, name: impl Fn(NodeIx) -> &'a Arc<str>) -> OneOrMany<WriteRef<'a>> {
        let mut from = 0;
        OneOrMany::of(&self.ends, |(node, end)| {
            let text = &self.text[std::mem::replace(&mut from, *end)..*end];
            WriteRef { node: name(*node), update: Json::from_text(text) }
        })
    }
}

/// A list that needs no allocation for one element, because most supersteps run one task. It derefs to a
/// slice.
pub(crate) enum OneOrMany<T> {
    One([T; 1]),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// Makes the list by calling `make` on each element of `from`, in order.
    pub(crate) fn of<F>(from: &[F], mut make: impl FnMut(&F) -> T) -> Self {
        match from {
            [one] => Self::One([make(one)]),
            many => Self::Many(many.iter().map(make).collect()),
        }
    }
}

impl<T> Deref for OneOrMany<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            Self::One(one) => one,
            Self::Many(many) => many,
        }
    }
}
