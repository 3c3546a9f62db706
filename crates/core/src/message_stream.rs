//! A message in pieces, on its way to whoever watches. Knows no model; what is said is up to the node.

use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Cx;
use super::event::{EventKind, EventKinds};
use super::pulse::Signs;

/// A message that a task gives out while it is being made, from [`Cx::message`].
///
/// Its id says where in the thread it is made, not in which attempt: the same after a retry and a resume. A node that puts the
/// whole message into its state under this id lets a user interface replace the pieces by it.
///
/// ```
/// use futures_util::StreamExt;
/// use stategraph_core::{Cx, END, EventKind, EventKinds, START, State, StateGraph};
///
/// #[derive(State, Clone, Default, serde::Serialize, serde::Deserialize)]
/// struct Note {
///     text: String,
/// }
///
/// async fn write(_: &Note, cx: &Cx) -> NoteUpdate {
///     let message = cx.message("note");
///     ["hel", "lo"].iter().for_each(|piece| message.push(piece));
///     Note::update().text("hello")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let graph = StateGraph::<Note>::new("notes").node("write", write).edge(START, "write").edge("write", END);
/// let mut run = graph.compile().unwrap().run(Note::default()).stream(EventKinds::MESSAGES).await.unwrap();
/// let mut pieces = Vec::new();
/// while let Some(event) = run.next().await {
///     if let EventKind::Message { message, at, text, .. } = event.kind {
///         pieces.push(format!("{message} {at} {text}"));
///     }
/// }
/// assert_eq!(pieces, ["1.0/1/note 0 hel", "1.0/1/note 3 lo"]);
/// # });
/// ```
#[must_use = "it says nothing by itself"]
pub struct MessageStream<'a, D> {
    cx: &'a Cx<D>,
    id: String,
    /// The characters given out so far.
    said: AtomicU64,
}

impl<D> Cx<D> {
    /// A message that the task gives out in pieces; `key` tells it from the task's other messages.
    pub fn message(&self, key: &str) -> MessageStream<'_, D> {
        MessageStream::new(self, key)
    }
}

impl<'a, D> MessageStream<'a, D> {
    fn new(cx: &'a Cx<D>, key: &str) -> Self {
        // Where no step is saved all tasks start from one checkpoint; where steps are, their numbers begin anew with each input.
        let place = format!("{}/{}/{key}", cx.task(), cx.step());
        let id = if cx.namespace().is_root() { place } else { format!("{}|{place}", cx.namespace()) };
        Self { cx, id, said: AtomicU64::new(0) }
    }

    /// Of the message: one in the thread. Written `task/step/key`, after the namespace and a `|` inside a sub-graph.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Gives out the next piece.
    pub fn push(&self, text: &str) {
        self.cx.beat(Signs::All);
        let Some(events) = &self.cx.run.events else { return };
        if text.is_empty() {
            return;
        }
        let characters =
            u64::try_from(text.chars().count()).expect("a text in memory has fewer than 2^64 characters");
        let at = self.said.fetch_add(characters, Ordering::Relaxed);
        events.send(EventKinds::MESSAGES, self.cx.step(), || EventKind::Message {
            node: self.cx.node().to_owned(),
            task: self.cx.task(),
            message: self.id.clone(),
            at,
            text: text.to_owned(),
        });
    }

    /// Begins the message anew: the next piece is its first, and what was given out before does not count.
    pub fn restart(&self) {
        self.said.store(0, Ordering::Relaxed);
    }
}
