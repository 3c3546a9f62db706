//! The limit of calls per answer (DOC-20). Calls beyond it are refused, and the model is told.

use futures_util::future::{self, FutureExt};

use crate::{Hook, Middleware, PlannedCall, Round, ToolOutput};

/// Middleware that runs only the first calls of each answer, up to this number, and refuses the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallsPerRound(pub usize);

impl Middleware for CallsPerRound {
    fn before_calls<'a>(&'a self, _: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        let limit = self.0;
        for call in calls.iter_mut().skip(limit) {
            let reason = format!("only {limit} calls are run at once; call again in the next round");
            call.refuse(ToolOutput::refused(reason));
        }
        future::ready(Ok(())).boxed()
    }
}
