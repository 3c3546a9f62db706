//! Limits the size of model answers. A call with oversized arguments is refused, and the conversation keeps it without them.

use futures_util::FutureExt;
use futures_util::future;

use crate::agent::limit::ARGUMENT_BYTES;
use crate::agent::{Hook, Middleware, PlannedCall, Round, ToolFailure, ToolOutput};
use crate::llm::ChatAnswer;
use crate::repo::cut;

/// Maximum length of an answer's text in the conversation, in characters.
const TEXT_CHARS: usize = 40_000;

/// Middleware that limits the size of model answers: refuses calls whose arguments have more than
/// [`ARGUMENT_BYTES`], and keeps only the last [`TEXT_CHARS`] of a text.
pub(in super::super) struct AnswerLimits;

impl Middleware for AnswerLimits {
    fn after_model<'a>(&'a self, _: &'a Round, answer: &'a mut ChatAnswer) -> Hook<'a> {
        // Keeps the end of the text because the completion of a phase is there.
        let chars = answer.text.chars().count();
        if chars > TEXT_CHARS {
            let from = answer.text.char_indices().nth(chars - TEXT_CHARS).map_or(0, |(at, _)| at);
            answer.text = format!(
                "[cut: {} of {chars} characters left out]\n{}",
                chars - TEXT_CHARS,
                &answer.text[from..]
            );
        }
        future::ready(Ok(())).boxed()
    }

    fn before_calls<'a>(&'a self, _: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        for call in calls.iter_mut().filter(|call| call.call().arguments.len() > ARGUMENT_BYTES) {
            let bytes = call.call().arguments.len();
            let begin = cut(&call.call().arguments, 100).kept.to_owned();
            let reason = format!(
                "the arguments of `{}` have {bytes} bytes, more than {ARGUMENT_BYTES}; they began with: {begin}",
                cut(&call.call().name, 100).kept
            );
            call.refuse(ToolOutput::failure(ToolFailure::BadArguments, reason));
            call.edit("{}");
        }
        future::ready(Ok(())).boxed()
    }
}
