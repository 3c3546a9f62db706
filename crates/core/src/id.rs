//! The ids of threads, checkpoints, tasks and questions. Each is a type of its own, so that a swapped pair does not compile. Ids are made
//! from positions, not by chance; only the generated id of a thread is random.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// Maximum length of a thread id, in bytes.
pub const THREAD_ID_MAX: usize = 128;

/// The UUID namespace that [`ThreadId::from_parts`] hashes its parts in.
const DERIVED: Uuid = Uuid::from_u128(0x7374_6174_6567_7261_7068_0000_7468_7264);

/// The id of a thread: one run of a graph with all its stops and resumes. Ids are case-sensitive.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// assert_eq!(ThreadId::new("customer-7")?.as_str(), "customer-7");
/// assert!(ThreadId::new("a/b").is_err());
/// // The same parts make the same id.
/// assert_eq!(ThreadId::from_parts(&["a", "b"]), ThreadId::from_parts(&["a", "b"]));
/// # Ok(()) }) }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ThreadId(Arc<str>);

/// The reason why a text is not a valid id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// The text is empty.
    #[error("an id cannot be empty")]
    Empty,
    /// The text has more than [`THREAD_ID_MAX`] bytes.
    #[error("the thread id has {0} bytes, at most {THREAD_ID_MAX} are allowed")]
    TooLong(usize),
    /// The text has a character that ids cannot have.
    #[error(
        "the thread id `{id}` contains {bad:?}; letters, digits and `-_.@:+=~,` are allowed, and a dot not at the start"
    )]
    BadCharacter {
        /// The whole text.
        id: String,
        /// The first character that is not allowed.
        bad: char,
    },
    /// The text looks like a checkpoint of another thread.
    #[error("the thread id `{0}` ends like a checkpoint: `@` and a number")]
    LikeCheckpoint(String),
    /// The part after `@`, or a part of a task or question id, is not a number.
    #[error("`{0}` is not a number in the id `{1}`")]
    NotANumber(String, String),
}

impl ThreadId {
    /// Makes an id from a text that a user chose: 1 to [`THREAD_ID_MAX`] bytes of letters and digits of any script and `-_.@:+=~,`. It may
    /// not start with a dot, nor end with `@` and a number.
    pub fn new(id: impl AsRef<str>) -> Result<Self, IdError> {
        let id = id.as_ref();
        if id.is_empty() {
            return Err(IdError::Empty);
        }
        if id.len() > THREAD_ID_MAX {
            return Err(IdError::TooLong(id.len()));
        }
        let is_refused = |(at, c): &(usize, char)| {
            !(c.is_alphanumeric() || "-_@:+=~,".contains(*c) || (*c == '.' && *at > 0))
        };
        let number = id.rsplit_once('@').map(|(_, end)| end);
        if number.is_some_and(|end| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit())) {
            return Err(IdError::LikeCheckpoint(id.to_owned()));
        }
        match id.char_indices().find(is_refused) {
            Some((_, bad)) => Err(IdError::BadCharacter { id: id.to_owned(), bad }),
            None => Ok(Self(id.into())),
        }
    }

    /// Makes a random id that sorts by time (UUID version 7).
    pub fn random() -> Self {
        Self(Uuid::now_v7().to_string().into())
    }

    /// Makes an id from these parts; equal parts give equal ids (UUID version 5).
    pub fn from_parts(parts: &[&str]) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Self(Uuid::new_v5(&DERIVED, &bytes).to_string().into())
    }

    /// Returns the id as text.
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

/// The position of a checkpoint in its thread's log, from 1. A position is used only once in a thread, also after a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// Returns the next position.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a checkpoint, written `thread@seq`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let checkpoint: CheckpointId = "customer-7@3".parse()?;
/// assert_eq!((checkpoint.thread.as_str(), checkpoint.seq), ("customer-7", Seq(3)));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CheckpointId {
    /// The thread.
    pub thread: ThreadId,
    /// The position in the log of the thread.
    pub seq: Seq,
}

impl FromStr for CheckpointId {
    type Err = IdError;
    fn from_str(id: &str) -> Result<Self, IdError> {
        let (thread, seq) =
            id.rsplit_once('@').ok_or_else(|| IdError::NotANumber(String::new(), id.to_owned()))?;
        Ok(Self { thread: ThreadId::new(thread)?, seq: Seq(parse_number(seq, id)?) })
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

/// The id of a task: position `index` in the plan of the checkpoint `base`, written `base.index`. It is the same before and after a resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId {
    /// The checkpoint that planned the task.
    pub base: Seq,
    /// Position among the tasks of that plan, from 0.
    pub index: u32,
}

impl FromStr for TaskId {
    type Err = IdError;
    fn from_str(id: &str) -> Result<Self, IdError> {
        let (base, index) =
            id.split_once('.').ok_or_else(|| IdError::NotANumber(id.to_owned(), id.to_owned()))?;
        Ok(Self { base: Seq(parse_number(base, id)?), index: parse_number(index, id)? })
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

/// The id of a question that a task asked with [`Cx::interrupt`](super::Cx::interrupt), written `base.index.call`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let question: QuestionId = "2.0.1".parse()?;
/// assert_eq!((question.task.base, question.task.index, question.call), (Seq(2), 0, 1));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuestionId {
    /// The task that asks.
    pub task: TaskId,
    /// Number of the question among those of the task, from 0.
    pub call: u32,
}

impl FromStr for QuestionId {
    type Err = IdError;
    fn from_str(id: &str) -> Result<Self, IdError> {
        let (task, call) =
            id.rsplit_once('.').ok_or_else(|| IdError::NotANumber(id.to_owned(), id.to_owned()))?;
        Ok(Self { task: task.parse()?, call: parse_number(call, id)? })
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

/// The path of nested graphs down to one graph; empty for the outermost. As text `node:task` for each level,
/// the outermost first, separated by `|`.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Namespace(Option<Arc<str>>);

impl Namespace {
    /// The outermost graph.
    pub const ROOT: Self = Self(None);

    /// Returns the namespace of a graph that runs inside `task` of `node` in this graph: `node:task` behind
    /// this namespace. `key` is appended as `:key` for a graph that the node's code runs, and empty for a
    /// node that is a sub-graph.
    pub(crate) fn child(&self, node: &str, task: TaskId, key: &str) -> Self {
        let outer = self.0.as_deref().map_or_else(String::new, |outer| format!("{outer}|"));
        let key = if key.is_empty() { String::new() } else { format!(":{key}") };
        Self(Some(format!("{outer}{node}:{task}{key}").into()))
    }

    /// Returns the nodes that lead to the graph, each followed by a slash as in drawings: `outer/inner/`. Empty for the outermost graph.
    pub fn path(&self) -> String {
        let (mut path, mut rest) = (String::new(), self.0.as_deref().unwrap_or_default());
        // A name may contain a `:`, so it ends at a colon that the id of a task follows.
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

    /// Returns true for the outermost graph.
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

/// A 64-bit digest of a text. Equal texts have equal digests on every machine and in every version. Written as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(u64);

impl Digest {
    /// Returns the digest of a text: the first half of its UUID version 5.
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
        input.deserialize_str(TextVisitor(Self::from_str))
    }
}

/// A serde visitor that passes a borrowed text to a function, because the many names and digests in a long
/// thread need no strings of their own.
struct TextVisitor<F>(F);

impl<T, E: fmt::Display, F: FnOnce(&str) -> Result<T, E>> Visitor<'_> for TextVisitor<F> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_str<Error: de::Error>(self, text: &str) -> Result<T, Error> {
        self.0(text).map_err(Error::custom)
    }
}

/// Deserializes a text into an `Arc<str>` without an intermediate `String`. For `deserialize_with`.
pub(crate) fn deserialize_shared<'de, D: Deserializer<'de>>(input: D) -> Result<Arc<str>, D::Error> {
    input.deserialize_str(TextVisitor(|text: &str| Ok::<_, Infallible>(text.into())))
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

fn parse_number<N: FromStr>(text: &str, id: &str) -> Result<N, IdError> {
    text.parse().map_err(|_| IdError::NotANumber(text.to_owned(), id.to_owned()))
}
