//! Names of things: threads, checkpoints, tasks, questions. Each is a type of its own, so that a swapped pair does not compile.
//! Ids come from position, not from chance; only a thread nobody named gets a random one.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// The longest thread id, in bytes.
pub const THREAD_ID_MAX: usize = 128;

/// The namespace under which [`ThreadId::derived`] hashes its parts.
const DERIVED: Uuid = Uuid::from_u128(0x7374_6174_6567_7261_7068_0000_7468_7264);

/// A thread: one run of a graph, however often it is stopped and continued. Ids that differ in case differ.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ThreadId(Arc<str>);

/// What is wrong with an id that somebody typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// The text is empty.
    #[error("an id cannot be empty")]
    Empty,
    /// The text has more than [`THREAD_ID_MAX`] bytes.
    #[error("the thread id has {0} bytes, at most {THREAD_ID_MAX} are allowed")]
    TooLong(usize),
    /// The text has a character that no id has.
    #[error(
        "the thread id `{id}` contains {bad:?}; letters, digits and `-_.@:+=~,` are allowed, and a dot not at the start"
    )]
    BadCharacter {
        /// The whole text.
        id: String,
        /// The first character that is refused.
        bad: char,
    },
    /// The text would be taken for a checkpoint of another thread.
    #[error("the thread id `{0}` ends like a checkpoint: `@` and a number")]
    LikeCheckpoint(String),
    /// The part after `@`, or a part of a task or question id, is not a number.
    #[error("`{0}` is not a number in the id `{1}`")]
    NotANumber(String, String),
}

impl ThreadId {
    /// Takes an id as typed: 1 to [`THREAD_ID_MAX`] bytes of letters and digits of any script and `-_.@:+=~,`, not starting with a dot and not
    /// ending with `@` and a number.
    pub fn new(id: impl AsRef<str>) -> Result<Self, IdError> {
        let id = id.as_ref();
        if id.is_empty() {
            return Err(IdError::Empty);
        }
        if id.len() > THREAD_ID_MAX {
            return Err(IdError::TooLong(id.len()));
        }
        let refused = |(at, c): &(usize, char)| {
            !(c.is_alphanumeric() || "-_@:+=~,".contains(*c) || (*c == '.' && *at > 0))
        };
        let number = id.rsplit_once('@').map(|(_, end)| end);
        if number.is_some_and(|end| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit())) {
            return Err(IdError::LikeCheckpoint(id.to_owned()));
        }
        match id.char_indices().find(refused) {
            Some((_, bad)) => Err(IdError::BadCharacter { id: id.to_owned(), bad }),
            None => Ok(Self(id.into())),
        }
    }

    /// A new id that sorts by time (UUID version 7).
    pub fn random() -> Self {
        Self(Uuid::now_v7().to_string().into())
    }

    /// The id that belongs to these parts: equal parts, equal id (UUID version 5).
    pub fn derived(parts: &[&str]) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Self(Uuid::new_v5(&DERIVED, &bytes).to_string().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ThreadId {
    type Error = IdError;
    fn try_from(id: String) -> Result<Self, IdError> {
        Self::new(id)
    }
}

impl From<ThreadId> for String {
    fn from(id: ThreadId) -> Self {
        id.0.as_ref().to_owned()
    }
}

impl FromStr for ThreadId {
    type Err = IdError;
    fn from_str(id: &str) -> Result<Self, IdError> {
        Self::new(id)
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadId({})", self.0)
    }
}

/// The position of a checkpoint in its thread's log, counted from 1. Never used twice in a thread, not after a fork either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// The position after this one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One checkpoint of one thread, written `thread@seq`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CheckpointId {
    /// The thread.
    pub thread: ThreadId,
    /// The position in its log.
    pub seq: Seq,
}

impl FromStr for CheckpointId {
    type Err = IdError;
    fn from_str(id: &str) -> Result<Self, IdError> {
        let (thread, seq) =
            id.rsplit_once('@').ok_or_else(|| IdError::NotANumber(String::new(), id.to_owned()))?;
        Ok(Self { thread: ThreadId::new(thread)?, seq: Seq(number(seq, id)?) })
    }
}

impl TryFrom<String> for CheckpointId {
    type Error = IdError;
    fn try_from(id: String) -> Result<Self, IdError> {
        id.parse()
    }
}

impl From<CheckpointId> for String {
    fn from(id: CheckpointId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.thread, self.seq)
    }
}

/// A task: the `index`-th entry of what the checkpoint `base` planned next. The same before and after a resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId {
    /// The checkpoint that planned the task.
    pub base: Seq,
    /// Its place among the tasks planned there.
    pub index: u32,
}

impl FromStr for TaskId {
    type Err = IdError;
    fn from_str(id: &str) -> Result<Self, IdError> {
        let (base, index) =
            id.split_once('.').ok_or_else(|| IdError::NotANumber(id.to_owned(), id.to_owned()))?;
        Ok(Self { base: Seq(number(base, id)?), index: number(index, id)? })
    }
}

impl TryFrom<String> for TaskId {
    type Error = IdError;
    fn try_from(id: String) -> Result<Self, IdError> {
        id.parse()
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.base, self.index)
    }
}

/// A question that a task asked by `cx.interrupt`: its `call`-th one, counted from 0. Written `base.index.call`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuestionId {
    /// The task that asks.
    pub task: TaskId,
    /// Which of its questions.
    pub call: u32,
}

impl FromStr for QuestionId {
    type Err = IdError;
    fn from_str(id: &str) -> Result<Self, IdError> {
        let (task, call) =
            id.rsplit_once('.').ok_or_else(|| IdError::NotANumber(id.to_owned(), id.to_owned()))?;
        Ok(Self { task: task.parse()?, call: number(call, id)? })
    }
}

impl TryFrom<String> for QuestionId {
    type Error = IdError;
    fn try_from(id: String) -> Result<Self, IdError> {
        id.parse()
    }
}

impl From<QuestionId> for String {
    fn from(id: QuestionId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.task, self.call)
    }
}

/// Where in the nesting of sub-graphs something happened; empty for the outermost graph.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Namespace(Option<Arc<str>>);

impl Namespace {
    /// The outermost graph.
    pub const ROOT: Self = Self(None);

    /// The graph inside this task of this one: `node:task`, after a `|` where this one is inside another.
    pub(crate) fn inside(&self, node: &str, task: TaskId, key: &str) -> Self {
        let outer = self.0.as_deref().map_or_else(String::new, |outer| format!("{outer}|"));
        let key = if key.is_empty() { String::new() } else { format!(":{key}") };
        Self(Some(format!("{outer}{node}:{task}{key}").into()))
    }

    /// Returns the nodes that lead to the graph, each with a slash behind it, as in drawings: `outer/inner/`; empty for the
    /// outermost graph.
    pub fn path(&self) -> String {
        let (mut path, mut rest) = (String::new(), self.0.as_deref().unwrap_or_default());
        // A name may hold a `:` of its own: it ends where a colon and the id of a task follow.
        while let Some((node, behind)) = rest.match_indices(':').find_map(|(at, _)| {
            let behind = &rest[at + 1..];
            let end = behind.find([':', '|']).unwrap_or(behind.len());
            behind[..end].parse::<TaskId>().ok().map(|_| (&rest[..at], &behind[end..]))
        }) {
            path.push_str(node);
            path.push('/');
            rest = behind.split_once('|').map_or("", |(_, inner)| inner);
        }
        path
    }

    /// Whether this is the outermost graph.
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or(""))
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Namespace({self})")
    }
}

/// 64 bits that stand for a text: equal texts, equal digest, on every machine and version. Written as 16 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(u64);

impl Digest {
    /// The digest of a text (the first half of its UUID version 5).
    pub fn of(text: &str) -> Self {
        let id = Uuid::new_v5(&DERIVED, text.as_bytes()).as_u64_pair();
        Self(id.0)
    }
}

impl FromStr for Digest {
    type Err = IdError;
    fn from_str(hex: &str) -> Result<Self, IdError> {
        u64::from_str_radix(hex, 16)
            .map(Self)
            .map_err(|_| IdError::NotANumber(hex.to_owned(), hex.to_owned()))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_str(Text(Self::from_str))
    }
}

/// Reads a text as it stands in the input: every checkpoint of a long thread has some, and none of them needs a string of its own.
struct Text<F>(F);

impl<T, E: fmt::Display, F: FnOnce(&str) -> Result<T, E>> Visitor<'_> for Text<F> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_str<Error: de::Error>(self, text: &str) -> Result<T, Error> {
        self.0(text).map_err(Error::custom)
    }
}

/// Reads a name that is shared.
pub(crate) fn shared_text<'de, D: Deserializer<'de>>(input: D) -> Result<Arc<str>, D::Error> {
    input.deserialize_str(Text(|text: &str| Ok::<_, Infallible>(text.into())))
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

fn number<N: FromStr>(text: &str, id: &str) -> Result<N, IdError> {
    text.parse().map_err(|_| IdError::NotANumber(text.to_owned(), id.to_owned()))
}
