//! Chooses the messages of a long conversation that are sent (CTX-74, CTX-83, CTX-84). Pure. A call and its
//! result stay or go together. System messages, the last message of the user and the newest exchange stay.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{Priority, ToolOutput};
use stategraph_llm::{CHARACTERS_PER_TOKEN, Message, Role};

/// Maximum length of a result that is kept because a notice in its place would save little, in characters.
const SHORT: usize = 120;

/// Shortens `messages` to about `tokens` tokens, as far as possible. `priority` returns the priority of a
/// tool by its name. First the contents of old results are replaced by a notice, by rising priority and older
/// ones first. Then whole old exchanges are dropped. Last, the contents of the newest results are replaced.
pub fn trim(messages: Vec<Message>, tokens: u64, priority: impl Fn(&str) -> Priority) -> Vec<Message> {
    let mut cutting = Cutting::new(messages, tokens);
    let newest = cutting.groups.last().map_or(0, |group| group.start);
    for level in [Priority::Low, Priority::Medium, Priority::High] {
        cutting.empty(0..newest, level, &priority);
    }
    cutting.drop_groups();
    for level in [Priority::Low, Priority::Medium, Priority::High] {
        cutting.empty(newest..cutting.messages.len(), level, &priority);
    }
    cutting.messages.into_iter().flatten().collect()
}

/// The state of `trim`: the messages that are left, and the number of characters that are still too many.
struct Cutting {
    /// The messages; `None` for one that is dropped.
    messages: Vec<Option<Message>>,
    /// The messages that are kept or removed together, in order.
    groups: Vec<Range<usize>>,
    /// The name of the tool of each result, by index in `messages`.
    tools: BTreeMap<usize, String>,
    /// Number of characters that are still too many. The estimate of tokens is made for the whole, as for a
    /// request, so that a conversation within the limit stays unchanged.
    over: usize,
}

impl Cutting {
    /// Prepares the shortening of `messages` to `tokens` tokens.
    fn new(messages: Vec<Message>, tokens: u64) -> Self {
        let size: usize = messages.iter().map(Message::characters).sum();
        let limit = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(CHARACTERS_PER_TOKEN);
        let groups = groups(&messages);
        let tools = groups.iter().flat_map(|group| tools(&messages, group)).collect();
        let messages = messages.into_iter().map(Some).collect();
        Self { messages, groups, tools, over: size.saturating_sub(limit) }
    }

    /// Replaces the contents of results in the range `among` whose tool has priority `level`, older ones
    /// first, until the conversation fits.
    fn empty(&mut self, among: Range<usize>, level: Priority, priority: &impl Fn(&str) -> Priority) {
        let mine: Vec<usize> =
            self.tools.range(among).filter(|(_, tool)| priority(tool) == level).map(|(at, _)| *at).collect();
        for at in mine {
            if self.over == 0 {
                return;
            }
            if let Some(message) = &mut self.messages[at] {
                let before = message.characters();
                without_content(message);
                self.over = self.over.saturating_sub(before.saturating_sub(message.characters()));
            }
        }
    }

    /// Drops whole groups, older ones first, until the conversation fits. Keeps system messages, the last
    /// message of the user and the newest group.
    fn drop_groups(&mut self) {
        let last_user =
            self.messages.iter().rposition(|message| message.as_ref().is_some_and(|m| m.role == Role::User));
        let newest = self.groups.len().saturating_sub(1);
        for at in 0..newest {
            let group = self.groups[at].clone();
            if self.over == 0 {
                return;
            }
            let is_system = self.messages[group.start].as_ref().is_some_and(|m| m.role == Role::System);
            if is_system || last_user == Some(group.start) {
                continue;
            }
            let size: usize = self.messages[group.clone()].iter().flatten().map(Message::characters).sum();
            self.messages[group].fill(None);
            self.over = self.over.saturating_sub(size);
        }
    }
}

/// Returns index ranges of messages that belong together: a message with the tool results after it, any other
/// alone.
fn groups(messages: &[Message]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if message.role == Role::Tool => group.end = at + 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// Returns the index and the tool name of each tool result in a group. The name is empty if no call has the
/// result's id.
fn tools(messages: &[Message], group: &Range<usize>) -> Vec<(usize, String)> {
    let calls = &messages[group.start].tool_calls;
    let tool = |at: usize| {
        let id = messages[at].tool_call_id.as_ref()?;
        let call = calls.iter().find(|call| call.id == *id);
        Some((at, call.map(|call| call.name.clone()).unwrap_or_default()))
    };
    group.clone().filter_map(tool).collect()
}

/// Replaces the content of a tool result by a notice with its length. Short contents stay. Success or failure
/// stays visible.
fn without_content(message: &mut Message) {
    let output: Option<ToolOutput> = serde_json::from_str(&message.content).ok();
    let content = output.as_ref().map_or(&message.content, |output| &output.content);
    let chars = content.chars().count();
    if chars <= SHORT {
        return;
    }
    let line =
        format!("[an older result of {chars} characters was left out; call the tool again if it is needed]");
    message.content = match output {
        Some(output) => serde_json::to_string(&ToolOutput { content: line, ..output })
            .expect("strings and an enum serialise"),
        None => line,
    };
}
