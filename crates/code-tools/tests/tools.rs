//! The ready-made tools, as a model calls them.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::os::unix::fs::symlink;

use stategraph_agent::{Priority, ToolFailure, ToolOutput, Toolbox};
use stategraph_code_tools::{ListDirectory, READ_FILE_CHARS, ReadFile};
use stategraph_repo::Root;

use stategraph_llm::ToolCall;
use stategraph_testing::put;
use tempfile::TempDir;

fn tree(files: &[(&str, &str)]) -> (TempDir, Root) {
    let (home, folder) = stategraph_testing::tree(files);
    (home, Root::open(&folder).expect("it was just made"))
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

async fn answer(root: &Root, name: &str, arguments: &str) -> ToolOutput {
    let toolbox = Toolbox::new().with(ReadFile::new(root.clone()));
    let toolbox = toolbox.and_then(|tools| tools.with(ListDirectory::new(root.clone()))).expect("two names");
    toolbox.call(&call("1", name, arguments)).await
}

async fn read(root: &Root, path: &str) -> ToolOutput {
    answer(root, "read_file", &serde_json::json!({ "path": path }).to_string()).await
}

#[tokio::test]
async fn a_file_is_read_to_its_limit_and_marked_when_cut() {
    // EXP-12, ENG-20, ENG-21
    let (_home, root) = tree(&[("src/main.rs", "fn main() {}\n"), ("empty", "")]);
    for (name, chars) in
        [("below", READ_FILE_CHARS - 1), ("at", READ_FILE_CHARS), ("above", READ_FILE_CHARS + 1)]
    {
        put(root.absolute(), name, "ü".repeat(chars).as_bytes());
    }
    assert_eq!(read(&root, "src/main.rs").await, ToolOutput::ok("fn main() {}\n"));
    assert_eq!(read(&root, "empty").await, ToolOutput::ok("[`empty` is empty]"));
    assert_eq!(read(&root, "below").await.content, "ü".repeat(11_999));
    assert_eq!(read(&root, "at").await.content, "ü".repeat(12_000));
    let cut = "ü".repeat(12_000) + "\n[cut: 1 of 12001 characters left out]";
    assert_eq!(read(&root, "above").await, ToolOutput::ok(cut));
}

#[tokio::test]
async fn outside_paths_and_missing_files_are_messages() {
    // EXP-12, ENG-17, CTX-45, DOC-70
    let (home, root) = tree(&[("folder/x", "")]);
    put(home.path(), "secret", b"k");
    symlink("../secret", root.absolute().join("link")).expect("a link");
    for path in ["../secret", "/etc/passwd", "link", "", "a\0b"] {
        let output = read(&root, path).await;
        assert_eq!(output.failure, Some(ToolFailure::Refused), "{path}");
    }
    let missing = read(&root, "gone.rs").await;
    assert_eq!(
        missing,
        ToolOutput::failed(
            "`gone.rs` does not exist; hint: list the directory above it to see what is there"
        )
    );
    let folder = read(&root, "folder").await;
    assert_eq!(folder, ToolOutput::failed("`folder` is a directory; hint: list the directory instead"));
}

#[tokio::test]
async fn a_directory_is_listed_and_the_repository_when_none_is_named() {
    // EXP-13
    let (_home, root) = tree(&[("src/a.rs", "1234"), (".hidden", ""), ("b", "")]);
    let listed = ToolOutput::ok("src/\nb  0 B\n(left out: 1 hidden)");
    for arguments in ["", "{}", r#"{"path":"."}"#] {
        assert_eq!(answer(&root, "list_directory", arguments).await, listed);
    }
    let inner = answer(&root, "list_directory", r#"{"path":"src"}"#).await;
    assert_eq!(inner, ToolOutput::ok("a.rs  4 B"));
    let file = answer(&root, "list_directory", r#"{"path":"b"}"#).await;
    assert_eq!(file, ToolOutput::failed("`b` is not a directory; hint: read the file instead"));
    let outside = answer(&root, "list_directory", r#"{"path":".."}"#).await;
    assert_eq!(outside.failure, Some(ToolFailure::Refused));
}

#[test]
fn whole_files_are_worth_least_and_what_does_not_say_stands_between() {
    // CTX-81, CTX-82
    let (_home, root) = tree(&[]);
    let toolbox = Toolbox::new().with(ReadFile::new(root.clone()));
    let toolbox = toolbox.and_then(|tools| tools.with(ListDirectory::new(root))).expect("two names");
    let priorities = ["read_file", "list_directory", "nobody_knows_it"].map(|name| toolbox.priority(name));
    assert_eq!(priorities, [Priority::Low, Priority::Medium, Priority::Medium]);
}
