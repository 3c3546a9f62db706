//! The loop: ask the model, run its calls, ask again, until it calls nothing or a limit is reached. Runs no tool itself; see
//! `call`. One [`Agent::step`] is what a graph's node does; [`Agent::converse`] is the same loop without a graph.

use super::call::{CallPolicy, CallResult, Runner, with_distinct_ids};
use super::conversation::{Conversation, Ended};
use super::limit::ROUNDS;
use super::middleware::{Halt, HookError, Round, Stack};
use super::next::NextModel;
use super::planned::PlannedCall;
use super::tool::ToolOutput;
use super::toolbox::Toolbox;
use stategraph_core::NodeResult;
use stategraph_llm::{ChatAnswer, ChatModel, ChatRequest, Message, NoTokens, Prices, TokenSink, ToolCall};

/// A model with tools, middleware and limits, which runs the loop: ask the model, run its calls, ask again.
/// It keeps no conversation; the caller passes one in.
///
/// ```
/// use stategraph_agent::{Agent, Conversation, Ended, Toolbox};
/// use stategraph_llm::Scripted;
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
    stack: Stack<'a>,
    prices: Option<Prices>,
    calls: CallPolicy,
    rounds: u32,
    sink: &'a dyn TokenSink,
}

/// The result of one round of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The model made no calls; the text of its answer.
    Answered(String),
    /// The model called tools. Their results are already in the conversation.
    Called(Vec<CallResult>),
    /// Middleware ended the run.
    Halted(Halt),
}

impl<'a> Agent<'a> {
    /// Makes an agent without middleware and with the limits of [`limit`](super::limit). `label` is the name
    /// under which its requests and their cost are counted.
    pub fn new(label: impl Into<String>, model: &'a dyn ChatModel, toolbox: &'a Toolbox) -> Self {
        Self {
            label: label.into(),
            model,
            toolbox,
            stack: Stack::new(),
            prices: None,
            calls: CallPolicy::default(),
            rounds: ROUNDS,
            sink: &NoTokens,
        }
    }

    /// Sets the middleware.
    pub fn stack(mut self, stack: Stack<'a>) -> Self {
        self.stack = stack;
        self
    }

    /// Sets the prices for answers that do not state their cost.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// Sets the limits for running calls.
    pub fn calls(mut self, policy: CallPolicy) -> Self {
        self.calls = policy;
        self
    }

    /// Sets the maximum number of requests to the model per task; 0 allows none.
    pub fn rounds(mut self, limit: u32) -> Self {
        self.rounds = limit;
        self
    }

    /// Sets the sink that gets the tokens of answers as they arrive. The sink is told when each round
    /// [begins](TokenSink::begin).
    pub fn sink(mut self, sink: &'a dyn TokenSink) -> Self {
        self.sink = sink;
        self
    }

    /// Runs rounds until the model makes no calls, middleware ends the run, or the limit of rounds is reached
    /// (ENG-4, EXP-9), and returns the reason. Appends to `conversation`. The calls of the last round are
    /// still run, so that the conversation can be continued.
    pub async fn converse(&self, conversation: &mut Conversation) -> NodeResult<Ended> {
        while conversation.rounds < self.rounds {
            match self.step(conversation).await? {
                Step::Answered(text) => return Ok(Ended::Answered(text)),
                Step::Halted(halt) => return Ok(Ended::Halted(halt)),
                Step::Called(_) => {}
            }
        }
        Ok(Ended::RoundsUsedUp { limit: self.rounds })
    }

    /// Runs one round: asks the model once, runs the calls of its answer and appends all to `conversation`.
    pub async fn step(&self, conversation: &mut Conversation) -> NodeResult<Step> {
        let mut round = conversation.round(self.rounds);
        let ModelTurn { answer, halt } = match self.ask(&conversation.messages, &mut round).await? {
            Ok(heard) => heard,
            Err(halt) => return Ok(Step::Halted(halt)),
        };
        let ToolTurn { calls, results, halt } = self.run(&mut round, answer.tool_calls, halt).await?;
        (conversation.rounds, conversation.spent) = (round.number, round.spent);
        if calls.is_empty() {
            conversation.messages.push(Message::assistant(&answer.text));
            return Ok(halt.map_or_else(|| Step::Answered(answer.text), Step::Halted));
        }
        conversation.messages.push(Message::calling(answer.text, calls));
        conversation.messages.extend(results.iter().map(CallResult::message));
        Ok(halt.map_or_else(|| Step::Called(results), Step::Halted))
    }

    /// Asks the model once: the first half of a round, for graphs that run the halves in two nodes. Returns
    /// the halt if middleware ends the run before the request. Adds the tokens and the cost of the answer to
    /// `round`.
    pub async fn ask(&self, messages: &[Message], round: &mut Round) -> NodeResult<Result<ModelTurn, Halt>> {
        let mut request = ChatRequest::new(&self.label, messages.to_vec());
        request.tools = self.toolbox.specs().to_vec();
        if let Some(halt) = HookError::halt(self.stack.before_model(round, &mut request).await)? {
            return Ok(Err(halt));
        }
        self.sink.begin();
        let next = NextModel { inner: self.stack.layers(), model: self.model, sink: self.sink, round };
        let mut answer = next.ask(&request).await?;
        round.spent.answer(&self.label, &answer, self.prices);
        let halt = HookError::halt(self.stack.after_model(round, &mut answer).await)?;
        answer.tool_calls = with_distinct_ids(answer.tool_calls);
        Ok(Ok(ModelTurn { answer, halt }))
    }

    /// Runs the calls of an answer: the second half of a round. With a `halt`, or if middleware halts the run
    /// now, all calls are refused instead. Adds the counted calls to `round`.
    pub async fn run(
        &self,
        round: &mut Round,
        calls: Vec<ToolCall>,
        halt: Option<Halt>,
    ) -> NodeResult<ToolTurn> {
        let mut planned: Vec<PlannedCall> = calls.into_iter().map(PlannedCall::new).collect();
        let halt = match halt {
            None if !planned.is_empty() => {
                HookError::halt(self.stack.before_calls(round, &mut planned).await)?
            }
            halt => halt,
        };
        if let Some(halt) = &halt {
            planned.iter_mut().for_each(|call| call.refuse(ToolOutput::refused(halt.to_string())));
        }
        let (stack, policy) = (&self.stack, &self.calls);
        let results = Runner { toolbox: self.toolbox, stack, policy, at: round.at }.run(&planned).await?;
        results.iter().for_each(|result| round.spent.call(&result.tool, &result.output));
        Ok(ToolTurn { calls: planned.into_iter().map(PlannedCall::into_call).collect(), results, halt })
    }
}

/// The answer of the model in one round.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelTurn {
    /// The answer; its calls have distinct ids.
    pub answer: ChatAnswer,
    /// The reason why middleware ends the run with this answer; `None` if it goes on.
    pub halt: Option<Halt>,
}

/// The calls of one answer, as they were run, with their results.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolTurn {
    /// The calls, with the arguments that middleware changed.
    pub calls: Vec<ToolCall>,
    /// One result per call, in the order of the calls.
    pub results: Vec<CallResult>,
    /// The reason why middleware ends the run; `None` if it goes on.
    pub halt: Option<Halt>,
}
