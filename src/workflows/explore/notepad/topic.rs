//! Topics of notes: keys with dots, such as `architecture.layers` (EXP-30).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum length of a topic, in characters.
const LONGEST: usize = 100;

/// Topic of a note: a key with dots, such as `architecture.layers`. White space becomes `_`, because
/// models write titles as topics.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Topic(String);

impl Topic {
    /// Returns the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part before the first dot.
    pub fn area(&self) -> &str {
        self.0.split('.').next().unwrap_or_default()
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Reason why a text is no topic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTopic {
    /// It has no character.
    #[error("the topic is empty; name one, such as `architecture.layers`")]
    Empty,
    /// It is longer than the limit.
    #[error("the topic has {0} characters, more than {LONGEST}; name a key, such as `architecture.layers`")]
    TooLong(usize),
}

impl FromStr for Topic {
    type Err = InvalidTopic;

    fn from_str(text: &str) -> Result<Self, InvalidTopic> {
        let length = text.trim().chars().count();
        if length > LONGEST {
            return Err(InvalidTopic::TooLong(length));
        }
        let clean = |c: char| if c.is_control() || c == '`' { ' ' } else { c };
        let words: String = text.chars().map(clean).collect();
        let key = words.split_whitespace().collect::<Vec<_>>().join("_");
        match key.trim_matches('.') {
            "" => Err(InvalidTopic::Empty),
            key => Ok(Self(key.to_owned())),
        }
    }
}
