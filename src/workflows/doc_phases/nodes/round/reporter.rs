//! Emits progress events for model requests and tool calls (DOC-5, DOC-6), and writes the context file of the round (DOC-123). Runs
//! inside the journal, so replayed steps emit nothing.

use std::sync::Mutex;
use std::sync::PoisonError;

use futures_util::FutureExt;
use futures_util::future::{self, BoxFuture};

use super::RoundContext;
use crate::agent::{Hook, Middleware, Next, NextModel, PlannedCall, Round as AgentRound, ToolOutput};
use crate::engine::{Cx, NodeResult};
use crate::llm::{ChatAnswer, ChatRequest, ToolCall};
use crate::workflows::doc_phases::phase::{Phase, RoundQuestion};
use crate::workflows::doc_phases::progress::ProgressEvent;
use crate::workflows::doc_phases::services::{DocServices, storage_error};
use crate::workflows::doc_phases::session::SessionFiles;

/// Middleware that emits the progress events of one round: before the model request and before the first tool
/// call. Also writes each request to the context file of the session.
pub(in super::super) struct ProgressReporter<'a> {
    cx: &'a Cx<DocServices>,
    session: &'a SessionFiles,
    phase: Phase,
    number: u32,
    limit: u32,
    key: &'a str,
    /// Names of the round's tools; taken when their event is emitted.
    tools: Mutex<Option<Vec<String>>>,
}

impl<'a> ProgressReporter<'a> {
    pub(in super::super) fn new(context: &RoundContext<'a>, question: &RoundQuestion, key: &'a str) -> Self {
        let RoundQuestion { phase, number, limit, .. } = *question;
        Self {
            cx: context.cx,
            session: &context.resources.session,
            phase,
            number,
            limit,
            key,
            tools: Mutex::default(),
        }
    }
}

impl Middleware for ProgressReporter<'_> {
    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        async move {
            let Self { phase, number, limit, .. } = *self;
            self.cx.emit(ProgressEvent::NAME, &ProgressEvent::Round { phase, number, limit })?;
            self.session.write_context(self.key, request).map_err(storage_error)?;
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
                self.cx.emit(ProgressEvent::NAME, &ProgressEvent::Tools { phase: self.phase, tools })?;
            }
            next.run(call).await
        }
        .boxed()
    }
}
