//! Messages that nodes send to subscribers in pieces. Knows no model; nodes choose the text.

use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Cx;
use super::event::{EventKind, EventKinds};
use super::pulse::ActivityKind;

/// A message that a task sends in pieces while it is being made, such as the answer of a model. [`Cx::message`] makes it.
///
/// Its id is the same after a retry and a resume, because it names the place in the thread and not the attempt. A node that stores the
/// whole message in its state under this id lets a user interface replace the pieces by it.
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
    /// Number of characters sent so far.
    sent: AtomicU64,
}

impl<D> Cx<D> {
    /// Makes a message that the task sends in pieces; sends nothing yet. `key` distinguishes it from other
    /// messages of the task.
    pub fn message(&self, key: &str) -> MessageStream<'_, D> {
        MessageStream::new(self, key)
    }
}

impl<'a, D> MessageStream<'a, D> {
    fn new(cx: &'a Cx<D>, key: &str) -> Self {
        // The step is part of the id because all tasks start from one checkpoint when steps are not saved; the task is part of it because
        // step numbers restart with each input.
        let place = format!("{}/{}/{key}", cx.task(), cx.step());
        let id = if cx.namespace().is_root() { place } else { format!("{}|{place}", cx.namespace()) };
        Self { cx, id, sent: AtomicU64::new(0) }
    }

    /// Returns the id of the message, unique in its thread: `task/step/key`, after the namespace and a `|` inside a sub-graph.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Sends the next piece. Does nothing for an empty text.
    pub fn push(&self, text: &str) {
        self.cx.note_activity(ActivityKind::All);
        let Some(events) = &self.cx.run.events else { return };
        if text.is_empty() {
            return;
        }
        let characters =
            u64::try_from(text.chars().count()).expect("a text in memory has fewer than 2^64 characters");
        let at = self.sent.fetch_add(characters, Ordering::Relaxed);
        events.send(EventKinds::MESSAGES, self.cx.step(), || EventKind::Message {
            node: self.cx.node().to_owned(),
            task: self.cx.task(),
            message: self.id.clone(),
            at,
            text: text.to_owned(),
        });
    }

    /// Restarts the message: the next piece is its first, and earlier pieces no longer count.
    pub fn restart(&self) {
        self.sent.store(0, Ordering::Relaxed);
    }
}
