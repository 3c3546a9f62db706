//! A call of an answer before it is run: middleware may refuse it or change its arguments, never its id. Runs nothing; see `call`.

use super::tool::ToolOutput;
use stategraph_llm::ToolCall;

/// A tool call that has not run yet, with the refusal and the warning that middleware gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCall {
    call: ToolCall,
    refusal: Option<ToolOutput>,
    warning: Option<String>,
}

impl PlannedCall {
    /// Makes the plan to run a call as the model sent it.
    pub fn new(call: ToolCall) -> Self {
        Self { call, refusal: None, warning: None }
    }

    /// Returns the call, with the arguments as edited so far.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Returns true if the call will run: no middleware has refused it.
    pub fn is_open(&self) -> bool {
        self.refusal.is_none()
    }

    /// Replaces the arguments; `arguments` is JSON text. The stored conversation gets the new ones.
    pub fn edit(&mut self, arguments: impl Into<String>) {
        self.call.arguments = arguments.into();
    }

    /// Refuses the call: its result is `output`, and the tool does not run. If it is refused twice, the first
    /// output stays.
    pub fn refuse(&mut self, output: ToolOutput) {
        self.refusal.get_or_insert(output);
    }

    /// Adds a warning to the result of the call. Several warnings are joined with a space.
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

    /// Returns the call, with its edited arguments, for the stored conversation.
    pub fn into_call(self) -> ToolCall {
        self.call
    }
}
