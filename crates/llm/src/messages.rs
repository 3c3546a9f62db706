//! A conversation as a channel of a state: messages are added, replaced by id, removed (LangGraph's `add_messages`). Pure; the messages
//! themselves are in `message`.

use serde::{Deserialize, Serialize};

use super::message::Message;
use super::model::Usage;

/// The id of a message in a [`Messages`] channel. A message without one gets `m1`, `m2`, … by its position of
/// arrival, so ids are the same in every run.
pub type MessageId = String;

/// A conversation whose messages have ids: the type of a state's channel, changed by [`MessageChange`]s.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::State;
/// use stategraph_llm::{Message, MessageChange, Messages};
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Chat {
///     #[state(reduce = Messages::change, delta = MessageChange)]
///     messages: Messages,
/// }
///
/// let mut chat = Chat::default();
/// chat.fold(Chat::update().messages(Message::user("2 + 2?")).messages(Message::assistant("5")));
/// chat.fold(Chat::update().messages(MessageChange::put("m2", Message::assistant("4"))));
/// let said: Vec<&str> = chat.messages.iter().map(|kept| kept.message.content.as_str()).collect();
/// assert_eq!(said, ["2 + 2?", "4"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Messages {
    list: Vec<KeptMessage>,
    /// Largest number in an id of the form `m1` so far; the next generated id continues from it.
    #[serde(default)]
    named: u64,
}

/// A message in a [`Messages`] conversation, with its id and the tokens that it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptMessage {
    /// Id, unique in the conversation.
    pub id: MessageId,
    /// Content of the message.
    #[serde(flatten)]
    pub message: Message,
    /// Tokens that the message took; `None` if unknown or if no model wrote the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A change of a [`Messages`] conversation; its reducer applies it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageChange {
    /// Replaces the message with this id; appends the message if there is none or it has no id yet.
    Put {
        /// Its id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<MessageId>,
        /// The message.
        message: Message,
        /// Tokens that the message took; `None` if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// Removes a message. An absent id is ignored, because a reducer cannot report an error (LangGraph raises).
    Remove {
        /// Its id.
        id: MessageId,
    },
    /// Removes all messages.
    RemoveAll,
}

impl MessageChange {
    /// Makes a change that replaces the message with this id, or appends the message if there is none.
    pub fn put(id: impl Into<MessageId>, message: Message) -> Self {
        Self::Put { id: Some(id.into()), message, usage: None }
    }

    /// Makes a change that removes the message with this id, if there is one.
    pub fn remove(id: impl Into<MessageId>) -> Self {
        Self::Remove { id: id.into() }
    }

    /// Sets the tokens that a put message took. Has no effect on other changes.
    #[must_use]
    pub fn cost(mut self, of: Usage) -> Self {
        if let Self::Put { usage, .. } = &mut self {
            *usage = Some(of);
        }
        self
    }
}

impl From<Message> for MessageChange {
    fn from(message: Message) -> Self {
        Self::Put { id: None, message, usage: None }
    }
}

impl Messages {
    /// Applies a change. It is the reducer, for `#[state(reduce = Messages::change, delta = MessageChange)]`.
    pub fn change(&mut self, change: MessageChange) {
        match change {
            MessageChange::Put { id, message, usage } => {
                let Some(id) = id else {
                    let id = self.fresh_id();
                    return self.list.push(KeptMessage { id, message, usage });
                };
                self.named = self.named.max(number(&id));
                let kept = KeptMessage { id, message, usage };
                match self.list.iter_mut().find(|known| known.id == kept.id) {
                    Some(known) => *known = kept,
                    None => self.list.push(kept),
                }
            }
            MessageChange::Remove { id } => self.list.retain(|known| known.id != id),
            MessageChange::RemoveAll => self.list.clear(),
        }
    }

    /// Returns the messages, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &KeptMessage> {
        self.list.iter()
    }

    /// Returns the message with this id, if there is one.
    pub fn get(&self, id: &str) -> Option<&KeptMessage> {
        self.list.iter().find(|known| known.id == id)
    }

    /// Returns the newest message.
    pub fn last(&self) -> Option<&KeptMessage> {
        self.list.last()
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there is no message.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the messages in the form that is sent to a model.
    pub fn to_request(&self) -> Vec<Message> {
        self.list.iter().map(|kept| kept.message.clone()).collect()
    }

    /// Returns the sum of the known token counts of all messages; `None` if none is known.
    pub fn usage(&self) -> Option<Usage> {
        self.list.iter().filter_map(|kept| kept.usage).reduce(|mut sum, usage| {
            sum += usage;
            sum
        })
    }

    /// Returns an id that no message has or had.
    fn fresh_id(&mut self) -> MessageId {
        self.named += 1;
        format!("m{}", self.named)
    }
}

/// Returns the number in a generated id; 0 for other ids.
fn number(id: &str) -> u64 {
    id.strip_prefix('m')
        .and_then(|number| number.parse().ok())
        .filter(|number| *number < u64::MAX)
        .unwrap_or(0)
}

impl<M: Into<MessageChange>> FromIterator<M> for Messages {
    fn from_iter<I: IntoIterator<Item = M>>(changes: I) -> Self {
        let mut messages = Self::default();
        changes.into_iter().for_each(|change| messages.change(change.into()));
        messages
    }
}
