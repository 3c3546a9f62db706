//! Replaces wordings in hints of libraries by options of this program, because libraries do not know its
//! options.

use crate::engine::{Event, EventKind, RunFailure};

/// Wordings in hints of libraries, each with the wording of this program that replaces it.
const OPTIONS: [(&str, &str); 12] = [
    ("or start a thread with another id", "or start a new thread with `--thread NAME`"),
    (
        "look for it among the threads of the store, or in another store",
        "`graph history` lists the threads of a store; another folder is chosen with `--checkpoints DIR`",
    ),
    ("choose a folder that can be written", "choose a folder that can be written with `--checkpoints DIR`"),
    (
        "the store needs a folder; choose another",
        "the store needs a folder; choose another with `--checkpoints DIR`",
    ),
    ("allow more in the limits of the run: `", "allow more: `--limits "),
    ("allow more in the limits of the run,", "allow more with `--limits`,"),
    ("give the run a file of servers: `", "name a file of servers: `--mcp "),
    (
        "give the run one: `gemini-2.5-flash`, or name it with `model:`",
        "name one: `--model gemini-2.5-flash`, or `model:`",
    ),
    ("if you trust this graph with it, allow HTTP to `", "if you trust this graph with it: `--allow-http "),
    ("name a file that has it, or add it", "name a file that has it with `--mcp FILE`, or add it"),
    ("set HOME, so that the decision can be kept", "set HOME, or use `--trust` for one command"),
    ("` allows this from now on", "` allows this from now on, `--trust` for one command"),
];

/// Returns a library's hint in which known wordings are replaced by the options of this program.
pub(super) fn name_options(hint: &str) -> String {
    OPTIONS.iter().fold(hint.to_owned(), |hint, (library, program)| hint.replace(library, program))
}

/// Returns an event as a line of JSON. In the hint of a failed run, known wordings are replaced by the
/// options of this program.
pub(super) fn to_line(event: &Event) -> String {
    let line = |event: &Event| serde_json::to_string(event).expect("an event is JSON with string keys");
    match &event.kind {
        EventKind::RunFinished { error: Some(RunFailure { hint: Some(hint), .. }), .. } => {
            let mut event = event.clone();
            let named = name_options(hint);
            if let EventKind::RunFinished { error: Some(error), .. } = &mut event.kind {
                error.hint = Some(named);
            }
            line(&event)
        }
        _ => line(event),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{OPTIONS, name_options};

    /// The sources of the libraries, without their tests and comments.
    fn sources() -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the sources are there") {
                let path = entry.expect("the sources can be read").path();
                let is_source = path.components().any(|part| part.as_os_str() == "src");
                if path.is_dir() {
                    folders.push(path);
                } else if is_source && path.extension().is_some_and(|end| end == "rs") {
                    let text = std::fs::read_to_string(&path).expect("a source is text");
                    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
                    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                    found.push((path, code.collect::<Vec<_>>().join("\n")));
                }
            }
        }
        found
    }

    #[test]
    fn every_text_is_one_of_a_library() {
        let sources = sources();
        for (library, _) in OPTIONS {
            assert!(sources.iter().any(|(_, text)| text.contains(library)), "no library says: {library}");
        }
        let hint = name_options("wait until it ends or stop it, or start a thread with another id");
        assert_eq!(hint, "wait until it ends or stop it, or start a new thread with `--thread NAME`");
    }

    /// A program with other options, such as a service, shows the hints of the libraries too.
    #[test]
    fn no_library_names_an_option() {
        // Quoted as options are in messages. Command lines that the libraries read and write are no messages.
        let is_option = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
        let names_option = |line: &str| line.split("`--").skip(1).any(is_option);
        let found: Vec<String> = sources()
            .into_iter()
            .flat_map(|(path, text)| {
                let lines = text.lines().filter(|line| names_option(line)).map(str::to_owned);
                lines.map(|line| format!("{}: {line}", path.display())).collect::<Vec<_>>()
            })
            .collect();
        assert!(found.is_empty(), "these lines name options:\n{}", found.join("\n"));
    }
}
