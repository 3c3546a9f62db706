//! The layer around a model: native tool calls outside, text inside. Decides nothing about calls; see
//! `agent::turn`.

use futures_util::FutureExt;
use serde_json::{Map, Value};

use super::parse::{XmlCall, parse_calls};
use super::write;
use crate::coerce::types_of;
use stategraph_llm::{
    AnswerFuture, ChatAnswer, ChatModel, ChatRequest, Finish, Message, ModelName, Role, TokenSink, ToolCall,
    ToolSpec,
};

/// A model whose tools are described to it in its prompt, and whose calls are parsed from the text of its
/// answers. Code around it sees native calls only.
///
/// A sink gets the tokens as the model writes them, including the XML of the calls.
///
/// ```
/// use stategraph_agent::xml::XmlTools;
/// use stategraph_llm::{ChatModel, ChatRequest, Message, NoTokens, Scripted, ToolSpec};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let says = "<function_calls><invoke name=\"grep\"><parameter name=\"pattern\">main</parameter></invoke></function_calls>";
/// let model = XmlTools::new(Scripted::new("small/model").answer(says));
/// let grep = ToolSpec { name: "grep".into(), description: "Searches.".into(), parameters: serde_json::json!({}).into() };
/// let request = ChatRequest::new("reader", vec![Message::user("Where is main?")]).tools(vec![grep]);
/// let answer = model.chat(&request, &NoTokens).await.unwrap();
/// assert_eq!(answer.tool_calls[0].arguments, r#"{"pattern":"main"}"#);
/// # });
/// ```
pub struct XmlTools<M> {
    inner: M,
    offer: ToolPresentation,
}

/// The way in which tools are offered to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolPresentation {
    /// As text in the prompt; earlier calls and results are text as well.
    #[default]
    Told,
    /// As tool definitions of the endpoint. Calls that the model writes into its text are parsed
    /// nevertheless.
    Native,
}

impl<M: ChatModel> XmlTools<M> {
    /// Wraps `inner`, which need not support tools; they are offered as text.
    pub fn new(inner: M) -> Self {
        Self { inner, offer: ToolPresentation::Told }
    }

    /// Sets the way in which the tools are offered to the model.
    pub fn offer(mut self, offer: ToolPresentation) -> Self {
        self.offer = offer;
        self
    }
}

impl<M: ChatModel> ChatModel for XmlTools<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let answer = match self.offer {
                ToolPresentation::Told => self.inner.chat(&with_text_offers(request), sink).await?,
                ToolPresentation::Native => self.inner.chat(request, sink).await?,
            };
            Ok(read(answer, &request.tools))
        }
        .boxed()
    }
}

/// Returns the request with tools, calls and results written as text: the tools are added to the system
/// message.
fn with_text_offers(request: &ChatRequest) -> ChatRequest {
    let mut messages = plain(&request.messages);
    if !request.tools.is_empty() {
        let offers = write::offers(&request.tools);
        match messages.first_mut().filter(|first| first.role == Role::System) {
            Some(system) => system.content = format!("{}\n\n{offers}", system.content),
            None => messages.insert(0, Message::system(offers)),
        }
    }
    ChatRequest { messages, tools: Vec::new(), ..request.clone() }
}

/// Returns the messages without native calls: calls become text of the assistant, successive results one
/// message of the user.
fn plain(messages: &[Message]) -> Vec<Message> {
    let mut plain = Vec::new();
    let mut calls: &[ToolCall] = &[];
    for group in messages.chunk_by(|one, next| one.role == Role::Tool && next.role == Role::Tool) {
        let first = &group[0];
        if first.role == Role::Tool {
            let named = |result: &Message| {
                let call = calls.iter().find(|call| Some(&call.id) == result.tool_call_id.as_ref());
                call.map(|call| call.name.clone()).unwrap_or_default()
            };
            plain.push(Message::user(write::results(group, named)));
            continue;
        }
        if first.tool_calls.is_empty() {
            plain.push(first.clone());
            continue;
        }
        calls = &first.tool_calls;
        let content = write::calling(&first.content, calls);
        plain.push(Message { content, tool_calls: Vec::new(), ..first.clone() });
    }
    plain
}

/// Moves the calls in the text of an answer to its native calls, behind those that are already there.
fn read(mut answer: ChatAnswer, tools: &[ToolSpec]) -> ChatAnswer {
    let found = parse_calls(&answer.text);
    if found.calls.is_empty() {
        return answer;
    }
    answer.text = found.text;
    let calls = found.calls.into_iter().map(|call| native(call, tools));
    answer.tool_calls.extend(calls);
    answer.finish = Finish::ToolCalls;
    answer
}

/// Converts a parsed call to a native one, without an id. A broken call gets arguments that no tool accepts,
/// so that the model is told the problem.
fn native(call: XmlCall, tools: &[ToolSpec]) -> ToolCall {
    let arguments = if let Some(problem) = call.problem {
        format!("[{problem}] {}", call.raw)
    } else {
        let schema = tools.iter().find(|tool| tool.name == call.name).map(|tool| &*tool.parameters);
        let parameters = call.parameters.into_iter().map(|(name, value)| {
            let value = value_of(value, schema, &name);
            (name, value)
        });
        Value::Object(parameters.collect::<Map<_, _>>()).to_string()
    };
    ToolCall { id: String::new(), name: call.name, arguments }
}

/// Converts the text of a parameter to JSON: text that begins like a list or an object is parsed (DOC-35),
/// unless the schema allows a string; any other becomes a string. The toolbox later converts strings to
/// numbers and booleans.
fn value_of(text: String, schema: Option<&Value>, name: &str) -> Value {
    let is_text = schema.is_some_and(|schema| types_of(schema, name).contains("string"));
    if is_text || !text.starts_with(['{', '[']) {
        return Value::String(text);
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}
