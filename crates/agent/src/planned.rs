//! A call of an answer before it is run: middleware may refuse it or change its arguments, never its id. Runs nothing; see `call`.

use super::tool::ToolOutput;
use stategraph_llm::ToolCall;

/// A call that is about to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCall {
    call: ToolCall,
    refusal: Option<ToolOutput>,
    warning: Option<String>,
}

impl PlannedCall {
    /// Plans a call as the model sent it.
    pub fn new(call: ToolCall) -> Self {
        Self { call, refusal: None, warning: None }
    }

    /// Returns the call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Returns true if the call is still to run.
    pub fn is_open(&self) -> bool {
        self.refusal.is_none()
    }

    /// Gives it other arguments, as JSON. The conversation remembers these.
    pub fn edit(&mut self, arguments: impl Into<String>) {
        self.call.arguments = arguments.into();
    }

    /// Answers the call with `output` instead of its tool. A refused call keeps its first answer.
    pub fn refuse(&mut self, output: ToolOutput) {
        self.refusal.get_or_insert(output);
    }

    /// Adds a warning to what its tool will answer.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        self.warning = Some(match self.warning.take() {
            Some(said) => format!("{said} {warning}"),
            None => warning,
        });
    }

    pub(super) fn refusal(&self) -> Option<&ToolOutput> {
        self.refusal.as_ref()
    }

    pub(super) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Returns the call in the form for the stored conversation.
    pub fn into_call(self) -> ToolCall {
        self.call
    }
}
