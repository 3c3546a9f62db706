//! Paths of context files: a folder a repository, below the output folder (CTX-112 to CTX-114). Touches no file.

use std::path::{Path, PathBuf};

use crate::workflows::folder_name::folder_name;
use crate::workflows::timestamp::Timestamp;

/// Longest topic in a file name, in bytes.
const TOPIC_MAX: usize = 60;

/// The paths of the context files of one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextPaths {
    output_dir: PathBuf,
    folder: PathBuf,
}

impl ContextPaths {
    /// Makes the paths for the repository with this name, below the output folder.
    pub fn new(output_dir: &Path, repository: &str) -> Self {
        Self { output_dir: output_dir.to_owned(), folder: output_dir.join(folder_name(repository)) }
    }

    /// Returns the output folder, which holds a folder for each repository.
    pub fn output_dir(&self) -> &Path {
        &self.output_dir
    }

    /// Returns the folder of the repository.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the context file of the whole repository: `contexts/<repo>/context.md` (CTX-112).
    pub fn context(&self) -> PathBuf {
        self.folder.join("context.md")
    }

    /// Returns the default path of the `AGENTS.md`: `contexts/<repo>/AGENTS.md`. The file in the repository
    /// itself is written only if the user names it.
    pub fn agents_md(&self) -> PathBuf {
        self.folder.join("AGENTS.md")
    }

    /// Returns the path of an answer: `contexts/<repo>/scope-<topic>-<timestamp>.md` (CTX-113).
    pub fn scope(&self, topic: &str, started: Timestamp) -> PathBuf {
        self.folder.join(format!("scope-{}-{}.md", topic_name(topic), started.compact()))
    }
}

/// Returns a topic as part of a file name: lower-case ASCII letters and digits, joined by hyphens, at most
/// about 60 bytes; `question` if there are none.
fn topic_name(topic: &str) -> String {
    let mut name = String::new();
    for letter in topic.chars() {
        match letter {
            _ if name.len() >= TOPIC_MAX => break,
            _ if letter.is_ascii_alphanumeric() => name.push(letter.to_ascii_lowercase()),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "question".to_owned() } else { name.to_owned() }
}
