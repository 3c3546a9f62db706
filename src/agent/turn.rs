//! The loop: ask the model, run its calls, ask again, until it calls nothing or a limit is reached. Runs no tool itself; see
//! `call`. One [`Agent::step`] is what a graph's node does; [`Agent::converse`] is the same loop without a graph.

use serde::{Deserialize, Serialize};

use super::call::{CallPolicy, CallResult, run_calls, with_distinct_ids};
use super::limit::ROUNDS;
use super::middleware::{Halt, Round, Stack};
use super::tool::ToolOutput;
use super::toolbox::Toolbox;
use crate::llm::{ChatAnswer, ChatModel, ChatRequest, Message, ModelError, Quiet, TokenSink, Usage};

/// What was said, and what it took. Plain data, so that it can be a graph's state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Everything said, in order. Every call in it has its result.
    pub messages: Vec<Message>,
    /// Times the model was asked since the last task.
    pub rounds: u32,
    /// Tokens, over everything.
    pub usage: Usage,
}

impl Conversation {
    /// Standing instructions, and a first task.
    pub fn new(system: impl Into<String>, task: impl Into<String>) -> Self {
        let mut conversation = Self { messages: vec![Message::system(system)], ..Self::default() };
        conversation.say(task);
        conversation
    }

    /// The next task; the count of rounds begins anew.
    pub fn say(&mut self, task: impl Into<String>) {
        self.messages.push(Message::user(task));
        self.rounds = 0;
    }
}

/// A model with tools.
///
/// ```
/// use stategraph::agent::{Agent, Conversation, Ended, Toolbox};
/// use stategraph::llm::Scripted;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let (model, toolbox) = (Scripted::new("test/model").answer("42"), Toolbox::new());
/// let mut conversation = Conversation::new("You calculate.", "What is 6 * 7?");
/// let ended = Agent::new("calculator", &model, &toolbox).converse(&mut conversation).await.unwrap();
/// assert_eq!(ended, Ended::Answered("42".into()));
/// # });
/// ```
#[derive(Clone)]
pub struct Agent<'a> {
    label: String,
    model: &'a dyn ChatModel,
    toolbox: &'a Toolbox,
    stack: Stack,
    calls: CallPolicy,
    rounds: u32,
    sink: &'a dyn TokenSink,
}

/// What one round came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The model called nothing: its text.
    Answered(String),
    /// The model called tools: their results, which are in the conversation.
    Called(Vec<CallResult>),
    /// Middleware ended the run.
    Halted(Halt),
}

/// How a run ended. The conversation is whole in each case and can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With the model's text.
    Answered(String),
    /// With calls still being made when the model had been asked as often as it may.
    RoundsUsedUp {
        /// How often that is.
        limit: u32,
    },
    /// By middleware.
    Halted(Halt),
}

impl<'a> Agent<'a> {
    /// `model` with `toolbox`, on behalf of `label`; nothing around it, and the limits of [`limit`](super::limit).
    pub fn new(label: impl Into<String>, model: &'a dyn ChatModel, toolbox: &'a Toolbox) -> Self {
        Self {
            label: label.into(),
            model,
            toolbox,
            stack: Stack::new(),
            calls: CallPolicy::default(),
            rounds: ROUNDS,
            sink: &Quiet,
        }
    }

    /// With middleware.
    pub fn stack(mut self, stack: Stack) -> Self {
        self.stack = stack;
        self
    }

    /// With another policy for calls.
    pub fn calls(mut self, policy: CallPolicy) -> Self {
        self.calls = policy;
        self
    }

    /// With another limit for how often the model is asked for one task; 0 never asks.
    pub fn rounds(mut self, limit: u32) -> Self {
        self.rounds = limit;
        self
    }

    /// With somebody who wants the tokens as they come, and is told when each round [begins](TokenSink::begin).
    pub fn sink(mut self, sink: &'a dyn TokenSink) -> Self {
        self.sink = sink;
        self
    }

    /// Rounds until the model calls nothing, middleware ends it, or the limit is reached (ENG-4, EXP-9). The calls of the
    /// last round allowed are run, so that the conversation can go on.
    pub async fn converse(&self, conversation: &mut Conversation) -> Result<Ended, ModelError> {
        while conversation.rounds < self.rounds {
            match self.step(conversation).await? {
                Step::Answered(text) => return Ok(Ended::Answered(text)),
                Step::Halted(halt) => return Ok(Ended::Halted(halt)),
                Step::Called(_) => {}
            }
        }
        Ok(Ended::RoundsUsedUp { limit: self.rounds })
    }

    /// One round: asks the model once and runs what it calls.
    ///
    /// A failed or abandoned round leaves the conversation as it was: the answer and the results of its calls are added
    /// together, after the last call.
    pub async fn step(&self, conversation: &mut Conversation) -> Result<Step, ModelError> {
        let number = conversation.rounds.saturating_add(1);
        let mut round = Round { number, limit: self.rounds, usage: conversation.usage };
        let mut request = ChatRequest::new(&self.label, conversation.messages.clone());
        request.tools = self.toolbox.specs().to_vec();
        if let Err(halt) = self.stack.before_model(&round, &mut request).await {
            return Ok(Step::Halted(halt));
        }
        self.sink.begin();
        let mut answer = self.model.chat(&request, self.sink).await?;
        round.usage += answer.usage;
        let wish = self.stack.after_model(&round, &mut answer).await;
        let step = self.answered(conversation, answer, wish).await;
        conversation.rounds = number;
        conversation.usage = round.usage;
        Ok(step)
    }

    async fn answered(
        &self,
        conversation: &mut Conversation,
        answer: ChatAnswer,
        wish: Result<(), Halt>,
    ) -> Step {
        let calls = with_distinct_ids(answer.tool_calls);
        if calls.is_empty() {
            conversation.messages.push(Message::assistant(&answer.text));
            return wish.map_or_else(Step::Halted, |()| Step::Answered(answer.text));
        }
        let results = match &wish {
            Ok(()) => run_calls(self.toolbox, &calls, &self.stack, &self.calls).await,
            Err(halt) => calls
                .iter()
                .map(|call| CallResult {
                    id: call.id.clone(),
                    tool: call.name.clone(),
                    output: ToolOutput::refused(halt.to_string()),
                })
                .collect(),
        };
        conversation.messages.push(Message::calling(answer.text, calls));
        conversation.messages.extend(results.iter().map(CallResult::message));
        wish.map_or_else(Step::Halted, |()| Step::Called(results))
    }
}
