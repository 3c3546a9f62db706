//! Tells whoever watches that a model is asked and that tools are run (DOC-5, DOC-6), and keeps the context of the round (DOC-123).
//! Stands inside the journal: what is not done again is not told again.

use std::sync::Mutex;
use std::sync::PoisonError;

use futures_util::FutureExt;
use futures_util::future::{self, BoxFuture};

use super::Place;
use crate::agent::{Hook, Middleware, Next, NextModel, PlannedCall, Round as AgentRound, ToolOutput};
use crate::engine::{Cx, NodeResult};
use crate::llm::{ChatAnswer, ChatRequest, ToolCall};
use crate::workflows::doc_phases::phase::{Phase, Round};
use crate::workflows::doc_phases::progress::Status;
use crate::workflows::doc_phases::services::{Services, kept};
use crate::workflows::doc_phases::session::SessionBook;

/// Tells.
pub(in super::super) struct Tell<'a> {
    cx: &'a Cx<Services>,
    book: &'a SessionBook,
    phase: Phase,
    number: u32,
    limit: u32,
    key: &'a str,
    /// The tools of the round, until they are told.
    tools: Mutex<Option<Vec<String>>>,
}

impl<'a> Tell<'a> {
    pub(in super::super) fn new(place: &Place<'a>, question: &Round, key: &'a str) -> Self {
        let Round { phase, number, limit, .. } = *question;
        Self { cx: place.cx, book: &place.work.book, phase, number, limit, key, tools: Mutex::default() }
    }
}

impl Middleware for Tell<'_> {
    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        async move {
            let Self { phase, number, limit, .. } = *self;
            self.cx.emit(Status::NAME, &Status::Round { phase, number, limit })?;
            self.book.context(self.key, request).map_err(kept)?;
            next.ask(request).await
        }
        .boxed()
    }

    fn before_calls<'a>(&'a self, _: &'a AgentRound, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        let open = calls.iter().filter(|call| call.is_open());
        let names = open.map(|call| call.call().name.clone()).collect();
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = Some(names);
        future::ready(Ok(())).boxed()
    }

    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(tools) = tools {
                self.cx.emit(Status::NAME, &Status::Tools { phase: self.phase, tools })?;
            }
            next.run(call).await
        }
        .boxed()
    }
}
