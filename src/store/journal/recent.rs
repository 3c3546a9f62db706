//! The outlines of the journals looked at last, so that a run that resumes, and a server that is asked again, scan only what is
//! new. Like the index it is checked against the file before it is believed.

use std::sync::{Arc, Mutex};

use super::outline::Outline;
use crate::engine::ThreadId;
use crate::store::lock;

/// How many outlines are kept.
const KEPT: usize = 8;

/// The last few outlines, the newest last.
#[derive(Default)]
pub(super) struct Recent {
    outlines: Mutex<Vec<(ThreadId, Arc<Outline>)>>,
}

impl Recent {
    /// What was last seen of a journal with this random number.
    pub(super) fn recall(&self, thread: &ThreadId, generation: u64) -> Option<Arc<Outline>> {
        let outlines = lock(&self.outlines);
        let (_, outline) = outlines.iter().find(|(known, _)| known == thread)?;
        (outline.generation == generation).then(|| Arc::clone(outline))
    }

    /// Keeps an outline in the place of an older one. One that ends with damage is not kept: the file may be mended.
    pub(super) fn keep(&self, thread: &ThreadId, outline: &Arc<Outline>) {
        self.forget(thread);
        let mut outlines = lock(&self.outlines);
        if outline.damage.is_none() {
            outlines.push((thread.clone(), Arc::clone(outline)));
        }
        if outlines.len() > KEPT {
            outlines.remove(0);
        }
    }

    pub(super) fn forget(&self, thread: &ThreadId) {
        lock(&self.outlines).retain(|(known, _)| known != thread);
    }
}
