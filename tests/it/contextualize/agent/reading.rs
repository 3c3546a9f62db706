//! The bytes that an agent reads (CTX-40): ten questions on a fixed repository, with progressive tools and with whole files.

use std::path::PathBuf;

use serde_json::{Value, json};
use stategraph::workflows::ArgValues;
use stategraph::workflows::contextualize::ContextualizeScope;

use super::script::{Said, approved, calls, serve, stored_results};
use crate::contextualize::runs::Shop;

/// A question about the repository: the words to search for, the files to look into, and the definitions that answer it.
struct Task {
    question: &'static str,
    keywords: &'static [&'static str],
    files: &'static [&'static str],
    symbols: &'static [(&'static str, &'static str)],
}

/// The questions. Both agents search for the same words and look into the same files.
const TASKS: [Task; 10] = [
    Task {
        question: "How does `has_secret` decide that a text holds a secret?",
        keywords: &["secret"],
        files: &["src/secrets.rs", "src/lib.rs"],
        symbols: &[("src/secrets.rs", "has_secret")],
    },
    Task {
        question: "When is a value taken for a placeholder and not for a secret?",
        keywords: &["placeholder", "secret"],
        files: &["src/secrets.rs"],
        symbols: &[("src/secrets.rs", "is_placeholder")],
    },
    Task {
        question: "How is the randomness of a value measured?",
        keywords: &["random", "bits"],
        files: &["src/secrets.rs"],
        symbols: &[("src/secrets.rs", "is_random"), ("src/secrets.rs", "bits")],
    },
    Task {
        question: "How is a password in an address found?",
        keywords: &["password", "address"],
        files: &["src/secrets.rs"],
        symbols: &[("src/secrets.rs", "has_password_in_address")],
    },
    Task {
        question: "What happens when a file is larger than the limit of `read_up_to`?",
        keywords: &["read", "limit"],
        files: &["src/regular.rs", "src/cut.rs"],
        symbols: &[("src/regular.rs", "read_up_to")],
    },
    Task {
        question: "How does `open_as` keep a pipe from blocking the program?",
        keywords: &["open", "pipe"],
        files: &["src/regular.rs", "src/owner_only.rs"],
        symbols: &[("src/regular.rs", "open_as")],
    },
    Task {
        question: "Which error names a link that is not followed?",
        keywords: &["link", "error"],
        files: &["src/regular.rs"],
        symbols: &[("src/regular.rs", "explain_error")],
    },
    Task {
        question: "Which name is suggested for a misspelt one?",
        keywords: &["nearest", "name"],
        files: &["src/nearest.rs", "src/secrets.rs"],
        symbols: &[("src/nearest.rs", "nearest")],
    },
    Task {
        question: "Which mode do files for the owner alone get?",
        keywords: &["owner", "mode"],
        files: &["src/owner_only.rs", "src/regular.rs"],
        symbols: &[("src/owner_only.rs", "create")],
    },
    Task {
        question: "How is a word quoted for a shell?",
        keywords: &["quote", "shell"],
        files: &["src/shell.rs", "src/secrets.rs"],
        symbols: &[("src/shell.rs", "quote_for_shell")],
    },
];

/// A shop whose repository is the fixed one.
fn base() -> Shop {
    let shop = Shop { folder: tempfile::tempdir().unwrap() };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/documents/base/repo");
    for folder in ["", "src", "tests"] {
        for entry in
            std::fs::read_dir(root.join(folder)).unwrap().map(Result::unwrap).filter(|it| it.path().is_file())
        {
            let name = entry.file_name().into_string().unwrap();
            shop.write(&format!("repo/{folder}/{name}"), &std::fs::read_to_string(entry.path()).unwrap());
        }
    }
    shop
}

/// Runs a session and returns the bytes of the results that the agent read, without that of the text.
async fn session(task: &Task, reading: Vec<Said>) -> usize {
    let mut script = vec![calls([("search_for_files", json!({ "keywords": task.keywords }))])];
    script.extend(reading);
    let closing = json!({ "question": task.question, "paths": task.files, "insights": "Found." });
    script.push(calls([("generate_scoped_context", closing)]));
    let (shop, server) = (base(), serve(script).await);
    // No output of a whole file is cut, because the comparison is with whole files.
    shop.configure(&server, "  max_tool_output_chars: 100000\n  budget_tokens: 900000\n");
    let ran = shop
        .run(
            &ContextualizeScope,
            &approved(ArgValues::nothing().with("source", "repo").with("question", task.question)),
        )
        .await;
    let results = stored_results(&ran.state);
    let read = &results[..results.len() - 1];
    read.iter().for_each(|result| assert_eq!(result["success"], true, "{}: {result}", task.question));
    read.iter().map(|result| result["content"].as_str().unwrap().len()).sum()
}

fn outlines(task: &Task) -> Said {
    Said::Calls(task.files.iter().map(|path| ("get_file_outline", json!({ "path": path }))).collect())
}

fn symbols(task: &Task) -> Said {
    let call = |(path, name): &(&str, &str)| ("read_symbol", json!({ "path": path, "name": name }));
    Said::Calls(task.symbols.iter().map(call).collect::<Vec<(&'static str, Value)>>())
}

fn whole_files(task: &Task) -> Said {
    Said::Calls(task.files.iter().map(|path| ("read_file", json!({ "path": path }))).collect())
}

#[tokio::test]
async fn progressive_tools_read_at_least_65_percent_less_than_whole_files() {
    // CTX-40
    let (mut progressive, mut whole) = (0, 0);
    for task in &TASKS {
        let (few, many) = (
            session(task, vec![outlines(task), symbols(task)]).await,
            session(task, vec![whole_files(task)]).await,
        );
        assert!(few < many, "{}: {few} of {many}", task.question);
        progressive += few;
        whole += many;
    }
    let saved = 100 - progressive * 100 / whole;
    assert!(saved >= 65, "{progressive} bytes instead of {whole}: {saved} % less");
}
