//! The calls of the newest message as a node of any graph whose state has a conversation (LangGraph's `ToolNode` and `MessagesState`). Asks
//! no model; see `graph` for the whole loop.

use serde::{Deserialize, Serialize};

use super::around::Journal;
use super::call::{CallPolicy, CallResult, run_calls};
use super::middleware::Stack;
use super::toolbox::Toolbox;
use stategraph_core::{Cx, Node, NodeResult, State};
use stategraph_llm::{MessageChange, Messages, ToolCall};

/// A state with a conversation, on which a [`ToolNode`] can work.
pub trait HasMessages: State {
    /// Returns the conversation.
    fn messages(&self) -> &Messages;

    /// Returns an update of the state that applies these changes to its conversation.
    fn change_messages(changes: impl IntoIterator<Item = MessageChange>) -> Self::Update;

    /// Returns the tool calls of the newest message, which have no results yet; empty if it has none. A
    /// conditional edge uses it to decide between the tools and the end (LangGraph's `tools_condition`).
    fn waiting_calls(&self) -> &[ToolCall] {
        self.messages().last().map_or(&[], |last| &last.message.tool_calls)
    }
}

/// A graph state that consists of a conversation alone.
///
/// ```
/// use stategraph_agent::{HasMessages, MessagesState};
/// use stategraph_core::{END, START, State, StateGraph};
/// use stategraph_llm::Message;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let reply = async |state: &MessagesState| {
///     MessagesState::update().messages(Message::assistant(format!("{} messages", state.messages.len())))
/// };
/// let graph = StateGraph::new("echo").node("reply", reply).sequence([START, "reply", END]).compile()?;
/// let done = graph.run(MessagesState::from_iter([Message::user("Hello")])).await?;
/// assert_eq!(done.state.messages().last().unwrap().message.content, "1 messages");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessagesState {
    /// All messages.
    #[state(reduce = Messages::change, delta = MessageChange)]
    pub messages: Messages,
}

impl HasMessages for MessagesState {
    fn messages(&self) -> &Messages {
        &self.messages
    }

    fn change_messages(changes: impl IntoIterator<Item = MessageChange>) -> MessagesStateUpdate {
        changes.into_iter().fold(Self::update(), MessagesStateUpdate::messages)
    }
}

impl<M: Into<MessageChange>> FromIterator<M> for MessagesState {
    fn from_iter<I: IntoIterator<Item = M>>(changes: I) -> Self {
        Self { messages: changes.into_iter().collect() }
    }
}

/// A graph node that runs the tool calls of the newest message and appends one result each. Calls are
/// journaled, so a resume does not repeat a call that has ended.
///
/// ```
/// use stategraph_agent::{HasMessages, MessagesState, ToolNode, Toolbox, function_tool};
/// use stategraph_core::{END, START, StateGraph};
/// use stategraph_llm::{Message, ToolCall};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Text { text: String }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let shout = async |Text { text }: Text| text.to_uppercase();
/// let tools = Toolbox::new().with(function_tool("shout", "Makes a text louder.", shout))?;
/// let graph = StateGraph::<MessagesState>::new("tools")
///     .node("tools", ToolNode::new(tools))
///     .sequence([START, "tools", END])
///     .compile()?;
/// let call = ToolCall { id: "1".into(), name: "shout".into(), arguments: r#"{"text": "hey"}"#.into() };
/// let done = graph.run(MessagesState::from_iter([Message::calling("", vec![call])])).await?;
/// let result = done.state.messages().last().unwrap();
/// assert_eq!(result.message.content, r#"{"success":true,"content":"HEY"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct ToolNode {
    toolbox: Toolbox,
    calls: CallPolicy,
}

impl ToolNode {
    /// Makes a node that runs calls of these tools with the default limits.
    pub fn new(toolbox: Toolbox) -> Self {
        Self { toolbox, calls: CallPolicy::default() }
    }

    /// Sets the limits for running calls.
    #[must_use]
    pub fn calls(mut self, policy: CallPolicy) -> Self {
        self.calls = policy;
        self
    }
}

impl<S: HasMessages, D: Send + Sync + 'static> Node<S, D> for ToolNode {
    async fn run(&self, state: &S, cx: &Cx<D>) -> NodeResult<S::Update> {
        let stack = Stack::new().with(Journal::new(cx, "tools"));
        let results = run_calls(&self.toolbox, state.waiting_calls(), &stack, &self.calls).await?;
        Ok(S::change_messages(results.iter().map(CallResult::message).map(MessageChange::from)))
    }
}
