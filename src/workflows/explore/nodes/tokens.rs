//! Announces the pieces of an answer as they arrive (EXP-37). Small pieces are joined, because each
//! event is a line of the log.

use std::sync::{Mutex, PoisonError};

use crate::engine::Cx;
use crate::llm::{Restart, TokenDemand, TokenSink};
use crate::repo::cut;
use crate::workflows::explore::agents::AgentId;
use crate::workflows::explore::events::ExplorationEvent;
use crate::workflows::explore::services::{ExploreResources, ExploreServices};

/// Number of bytes from which on the collected text is announced.
const PIECE_CHARS: usize = 80;
/// Maximum length of an announced piece, in characters, because an endpoint may send a whole answer at
/// once and a line of the log has a limit.
const MOST_CHARS: usize = 32 << 10;

/// Sink for the tokens of one answer; it announces them as events.
pub(super) struct TokenEvents<'a> {
    resources: &'a ExploreResources,
    cx: &'a Cx<ExploreServices>,
    agent: &'a AgentId,
    answer: u32,
    text: Mutex<StreamedText>,
}

/// State of a streamed answer.
#[derive(Default)]
struct StreamedText {
    /// Number of characters that were announced.
    at: u64,
    /// Text that is not announced yet.
    waiting: String,
}

impl<'a> TokenEvents<'a> {
    pub(super) fn new(
        resources: &'a ExploreResources,
        cx: &'a Cx<ExploreServices>,
        agent: &'a AgentId,
        answer: u32,
    ) -> Self {
        Self { resources, cx, agent, answer, text: Mutex::default() }
    }

    /// Announces the rest of the answer.
    pub(super) fn finish(&self) {
        self.tell(&mut self.text.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Announces the waiting text in pieces. An error of the log is ignored here, because the next
    /// event reports it.
    fn tell(&self, streamed: &mut StreamedText) {
        if streamed.waiting.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut streamed.waiting);
        let mut rest = waiting.as_str();
        while !rest.is_empty() {
            let piece = cut(rest, MOST_CHARS).kept;
            rest = &rest[piece.len()..];
            let (agent_id, answer, at) = (self.agent.clone(), self.answer, streamed.at);
            streamed.at += piece.chars().count() as u64;
            let event = ExplorationEvent::LlmToken { agent_id, answer, at, text: piece.to_owned() };
            // A token that cannot be told is no reason to lose the answer; the next event reports the log.
            if let Err(error) = self.resources.tell(self.cx, event) {
                tracing::debug!("a token was not told: {error}");
            }
        }
    }
}

impl TokenSink for TokenEvents<'_> {
    fn token_demand(&self) -> TokenDemand {
        TokenDemand::Tokens
    }

    fn token(&self, text: &str) {
        let mut streamed = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        streamed.waiting.push_str(text);
        if streamed.waiting.len() >= PIECE_CHARS {
            self.tell(&mut streamed);
        }
    }

    fn restart(&self) -> Restart {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = StreamedText::default();
        Restart::Accepted
    }
}
