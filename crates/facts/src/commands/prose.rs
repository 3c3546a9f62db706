//! Reads commands from documents: fenced shell blocks, lines that begin with a prompt, and inline code in
//! sentences.

use std::collections::BTreeSet;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::{FoundCommand, ScriptLine, classify, of_lines, of_lines_after, script_lines};
use crate::fact::{CommandPurpose, FactOrigin, SourceLines};

/// Language names of code blocks that may contain commands.
const SHELLS: &[&str] =
    &["", "sh", "bash", "shell", "console", "zsh", "text", "shellsession", "shell-session"];

/// Returns true for the path of a document that tells contributors how to work, such as `CONTRIBUTING.md`.
pub(super) fn is_for_contributors(path: &str) -> bool {
    const STARTS: &[&str] = &[
        "contributing",
        "agents",
        "claude",
        "development",
        "developing",
        "developer",
        "hacking",
        "building",
        "testing",
        "install",
    ];
    let lower = path.to_lowercase();
    let (folder, name) = lower.rsplit_once('/').unwrap_or(("", lower.as_str()));
    let is_text = [".md", ".rst", ".txt", ".markdown", ".adoc"].iter().any(|end| name.ends_with(end))
        || !name.contains('.');
    let is_outer = matches!(
        folder,
        "" | "docs"
            | "doc"
            | "docs/dev"
            | "docs/development"
            | "docs/contributing"
            | "docs/source"
            | "contributing"
    );
    let is_dev = matches!(folder, "docs/dev" | "docs/development" | "docs/contributing" | "contributing");
    // `install.sh` and the like are programs.
    let is_named = STARTS.iter().any(|start| name.starts_with(start));
    is_text && is_outer && (is_named || is_dev)
}

/// Returns true for the README in the root, in upper or lower case.
pub(super) fn is_readme(path: &str) -> bool {
    let lower = path.to_lowercase();
    !path.contains('/') && (lower == "readme" || lower.starts_with("readme.")) && !lower.ends_with(".html")
}

/// Returns the commands of a guide for contributors: those of its code blocks and, in Markdown, those that
/// a sentence tells to run.
pub(super) fn guide_commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let mut found = commands(path, text);
    if path.to_lowercase().ends_with(".md") {
        found.extend(read_inline_commands(path, text));
    }
    found
}

/// Returns the shell commands in the code blocks of a document in Markdown, reST or plain text.
pub(super) fn commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let lower = path.to_lowercase();
    let mut found = if lower.ends_with(".md") || lower.ends_with(".markdown") {
        markdown(path, text)
    } else {
        plain(path, text)
    };
    let lines: Vec<&str> = text.lines().collect();
    for it in found.iter_mut().filter(|it| it.purpose == CommandPurpose::Test) {
        if is_about_benchmarks(&lines, it.source.start) {
            it.purpose = CommandPurpose::Bench;
        }
    }
    found
}

/// Returns true if the last text above the code block with this line speaks of benchmarks: "To run the benchmark:".
fn is_about_benchmarks(lines: &[&str], line: usize) -> bool {
    let above = lines[..line.saturating_sub(1).min(lines.len())].iter().rev().map(|line| line.trim());
    let outside =
        above.skip_while(|line| !line.starts_with("```") && !line.starts_with("~~~") && !line.is_empty());
    let said = outside.skip(1).find(|line| !line.is_empty() && !line.starts_with("```"));
    said.is_some_and(|said| said.to_lowercase().contains("benchmark"))
}

/// Words before inline code that tell the reader to run it.
const VERBS: &[&str] =
    &["run", "running", "execute", "with", "via", "using", "use", "type", "by", "call", "invoke"];

/// Returns the commands in inline code of sentences: "Run `make test` before you commit."
fn read_inline_commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let mut found = Vec::new();
    let mut in_fence = false;
    for (at, line) in text.lines().enumerate() {
        in_fence ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        if in_fence || line.starts_with("    ") {
            continue;
        }
        let parts: Vec<&str> = line.split('`').collect();
        for index in (1..parts.len().saturating_sub(1)).step_by(2) {
            let before = parts[index - 1].trim_end().to_lowercase();
            let mut words = before.rsplit(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
            // A colon leads to the command: "To run the tests: `cargo test`".
            let is_told = if before.ends_with(':') {
                words.any(|word| VERBS.contains(&word))
            } else {
                words.next().is_some_and(|word| VERBS.contains(&word))
            };
            let is_warning =
                ["not", "don't", "never", "avoid", "instead of"].iter().any(|word| before.contains(word));
            let command = parts[index].trim().trim_start_matches("$ ");
            let is_whole = command.split_whitespace().count() >= 2
                && !command.contains(['<', '…', '{', '*'])
                && !command.contains("...")
                && !command.contains("path/to");
            // An item that is nothing but a command.
            let mark = parts[0].trim();
            let is_item = parts.len() == 3
                && parts[2].trim().is_empty()
                && (matches!(mark, "-" | "*" | "+") || mark.trim_end_matches('.').parse::<u8>().is_ok());
            if (is_told || is_item) && !is_warning && is_whole {
                let line = ScriptLine { text: command.to_owned(), start: 0, end: 0 };
                found.extend(of_lines(vec![line], "", |_, _| SourceLines::line(path, at + 1)));
            }
        }
    }
    found
}

/// Returns the shell commands of a document in reST or plain text: those of indented blocks and of lines
/// with a prompt.
fn plain(path: &str, text: &str) -> Vec<FoundCommand> {
    let lines: Vec<&str> = text.lines().collect();
    let is_script =
        |line: &str| line.starts_with([' ', '\t']) || line.starts_with("$ ") || line.trim().is_empty();
    let (mut found, mut cloned) = (Vec::new(), None);
    let mut at = 0;
    while at < lines.len() {
        if !is_script(lines[at]) || lines[at].trim().is_empty() {
            at += 1;
            continue;
        }
        let length = lines[at..].iter().take_while(|line| is_script(line)).count();
        let before =
            lines[..at].iter().rev().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
        // A block of another language is named by its directive.
        let language =
            before.trim().strip_prefix(".. code-block::").or(before.trim().strip_prefix(".. code::"));
        let is_other = language.is_some_and(|language| !SHELLS.contains(&language.trim()));
        let has_prompt = || lines[at..at + length].iter().any(|line| line.trim_start().starts_with("$ "));
        // An indented line directly below another one goes on with its item or its sentence.
        let above = at.checked_sub(1).map_or("", |above| lines[above].trim());
        let goes_on = !above.is_empty() && !above.starts_with("..") && !above.ends_with(':');
        if !is_other && (!goes_on || has_prompt()) {
            found.extend(of_script(path, &lines[at..at + length].join("\n"), at + 1, &mut cloned));
        }
        at += length;
    }
    found
}

/// Returns the shell commands in the code blocks of a Markdown document.
fn markdown(path: &str, text: &str) -> Vec<FoundCommand> {
    let (mut found, mut cloned) = (Vec::new(), None);
    for block in blocks(text) {
        found.extend(of_script(path, &block.script, block.first, &mut cloned));
    }
    found
}

/// Returns, as commands with the purpose `Run`, the shell lines of a Markdown document that start one of
/// `programs` with arguments. Below a heading about the installation of packages they install something.
pub(super) fn runs(path: &str, text: &str, programs: &BTreeSet<String>) -> Vec<FoundCommand> {
    let lower = path.to_lowercase();
    if !(lower.ends_with(".md") || lower.ends_with(".markdown")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for block in blocks(text).into_iter().filter(|block| !is_about_packages(&block.heading)) {
        let has_prompt = block.script.lines().any(|line| line.trim_start().starts_with("$ "));
        // Without a prompt a block of text may show what a program prints.
        let is_output = match block.language.as_str() {
            "" => !is_typed(&block.script, programs),
            language => language == "text",
        };
        if !has_prompt && is_output {
            continue;
        }
        for line in typed(&block.script) {
            let mut words = line.text.split_whitespace();
            let program = words.next().unwrap_or_default();
            let named = program.strip_prefix("./").or(program.strip_prefix("/path/to/")).unwrap_or(program);
            let is_question = words
                .clone()
                .any(|word| matches!(word, "--help" | "-h" | "help" | "--version" | "-V" | "version"));
            let is_pattern = line.text.contains(['[', ']']);
            if programs.contains(named)
                && words.next().is_some()
                && !is_question
                && !is_pattern
                && classify::purpose(&line.text).is_none()
            {
                found.push(FoundCommand {
                    purpose: CommandPurpose::Run,
                    command: line.text,
                    folder: String::new(),
                    source: SourceLines {
                        path: path.to_owned(),
                        start: block.first + line.start,
                        end: block.first + line.end,
                    },
                    origin: FactOrigin::Quoted,
                    runs: Vec::new(),
                });
            }
        }
    }
    found
}

/// Returns true for a heading about installing, upgrading or removing, and for one about adding packages.
fn is_about_packages(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |starts: &[&str]| words.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    has(&["install", "uninstall", "reinstall", "upgrad"])
        || has(&["add", "remov", "updat"]) && has(&["package", "dependenc"])
}

/// Returns true for a block of at most three lines that all start a program of the project, without
/// placeholders in capitals. Such a block without a prompt or language is no output.
fn is_typed(script: &str, programs: &BTreeSet<String>) -> bool {
    const LINES: usize = 3;
    let lines = || script.lines().filter(|line| !line.trim().is_empty());
    let starts = |line: &str| {
        let mut words = line.split_whitespace();
        let is_program = words.next().is_some_and(|word| programs.contains(word.trim_start_matches("./")));
        let is_plain = |word: &str| {
            !(word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-' | '.')))
        };
        let mut rest = words.clone();
        is_program && rest.all(is_plain) && words.next().is_some_and(|word| !word.ends_with([':', ',']))
    };
    lines().count() <= LINES && lines().all(starts)
}

/// A code block of a Markdown document that may contain commands.
struct ShellBlock {
    language: String,
    /// The heading above it; empty if there is none.
    heading: String,
    script: String,
    /// Number of its first line in the document, from 1.
    first: usize,
}

/// Returns the code blocks of a Markdown document whose language is a shell or missing.
fn blocks(text: &str) -> Vec<ShellBlock> {
    let mut found = Vec::new();
    let (mut named, mut heading, mut in_heading) = (String::new(), String::new(), false);
    let mut open: Option<(String, usize)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                heading.clear();
                in_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Text(words) | Event::Code(words) if in_heading => heading.push_str(&words),
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                named.clone_from(&language);
                open = SHELLS.contains(&language.as_str()).then_some((String::new(), usize::MAX));
            }
            Event::Text(code) => {
                if let Some((script, start)) = &mut open {
                    *start = (*start).min(range.start);
                    script.push_str(&code);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some((script, start)) = open.take().filter(|(_, start)| *start != usize::MAX) else {
                    continue;
                };
                let first = text[..start].matches('\n').count() + 1;
                let language = std::mem::take(&mut named);
                found.push(ShellBlock { language, heading: heading.clone(), script, first });
            }
            _ => {}
        }
    }
    found
}

/// Returns the commands of a code block that begins at the line `first`. `cloned` is the folder that a `git
/// clone` in an earlier block created; it is updated.
fn of_script(path: &str, script: &str, first: usize, cloned: &mut Option<String>) -> Vec<FoundCommand> {
    of_lines_after(typed(script), "", cloned, |start, end| SourceLines {
        path: path.to_owned(),
        start: first + start,
        end: first + end,
    })
}

/// Returns the lines of a block that a reader can type as they are, without prompt and comment. If one line
/// has a prompt, lines without one are output and left out; so are lines with placeholders or variables.
fn typed(script: &str) -> Vec<ScriptLine> {
    let has_prompt = script.lines().any(|line| line.trim_start().starts_with("$ "));
    let mut lines = script_lines(script);
    if has_prompt {
        lines.retain(|line| line.text.starts_with("$ "));
    }
    for line in &mut lines {
        let bare = line.text.trim_start_matches("$ ");
        let bare = bare.split(" #").next().unwrap_or(bare).trim();
        line.text = bare.to_owned();
    }
    // A placeholder such as `<name>` cannot be typed.
    lines.retain(|line| {
        let is_open = line.text.contains(['<', '…']) && !takes_any_file(&line.text)
            || line.text.replace("/...", "").contains("...");
        let is_clone = super::CLONES.iter().any(|clone| line.text.starts_with(clone));
        is_clone
            || !is_open
                && !line.text.starts_with('#')
                && !has_variable(&line.text)
                && !has_placeholder(&line.text)
    });
    lines
}

/// Returns true for a formatting command whose only placeholder is the file at its end: `fmt -i <file>`.
fn takes_any_file(command: &str) -> bool {
    let rest = ["<file>", "<files>", "<filename>"].iter().find_map(|end| command.strip_suffix(end));
    rest.is_some_and(|rest| !rest.contains('<') && classify::purpose(rest) == Some(CommandPurpose::Format))
}

/// Returns true if the command contains a placeholder that the reader must replace, such as `{commit}` or
/// `YOUR_NAME`.
fn has_placeholder(command: &str) -> bool {
    const NAMES: &[&str] =
        &["package_name", "TestFunctionName", "TestName", "test_name", "your-", "your_", "YOUR_"];
    // The file of a test is one of many.
    let is_any = command.split_whitespace().skip(1).any(|word| word.contains("path/to"));
    is_any && classify::purpose(command) == Some(CommandPurpose::Test)
        || NAMES.iter().any(|name| command.contains(name))
        || command.match_indices('{').any(|(at, _)| {
            let inside = command[at + 1..].split('}').next().unwrap_or_default();
            !command[..at].ends_with('$')
                && inside.len() > 1
                && inside.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-' | ' '))
        })
}

/// Returns true if the command contains a shell variable that the reader would have to set first; `$HOME`
/// and the like do not count.
pub(super) fn has_variable(command: &str) -> bool {
    const KNOWN: &[&str] = &["PWD", "HOME", "USER", "GOPATH"];
    command.match_indices('$').any(|(at, _)| {
        let rest = command[at + 1..].trim_start_matches('{');
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        !name.is_empty() && !KNOWN.contains(&name.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_below_a_sentence_about_benchmarks_is_one() {
        let text = "To run the benchmark:\n\n```\nmvn clean test -Dn=10\n```\n\nTo run the tests:\n\n```\nmvn test\n```\n";
        let found: Vec<_> =
            commands("README.md", text).into_iter().map(|it| (it.purpose, it.source.start)).collect();
        assert_eq!(found, [(CommandPurpose::Bench, 4), (CommandPurpose::Test, 10)]);
    }

    #[test]
    fn guides_tell_commands_in_sentences_and_in_plain_text() {
        let shown = |path: &str, text: &str| -> Vec<String> {
            guide_commands(path, text).iter().map(|it| format!("{} {}", it.command, it.source)).collect()
        };
        let guide = "To run the tests: `cargo test --all`\nThe tests: `cargo test`\nPlease run `make test` first.\nDo not run `make install` here.\nThe file `cargo test` is none.\nRun `npm run <name>`.\n";
        assert_eq!(
            shown("CONTRIBUTING.md", guide),
            ["cargo test --all CONTRIBUTING.md:1", "make test CONTRIBUTING.md:3"]
        );
        let rst = "Tests\n=====\n\nRun them::\n\n    $ pytest -x\n    ok\n\n.. code-block:: python\n\n    make test\n";
        assert_eq!(shown("docs/contributing.rst", rst), ["pytest -x docs/contributing.rst:6"]);
        assert_eq!(
            shown("INSTALL", "To build:\n\n  ./configure --prefix=$HOME\n  make\n  make V=$LEVEL\n"),
            ["./configure --prefix=$HOME INSTALL:3", "make INSTALL:4"]
        );
        assert!(
            is_for_contributors("docs/dev/setup.md")
                && is_for_contributors("HACKING")
                && !is_for_contributors("install.sh")
        );
    }

    #[test]
    fn a_block_without_a_language_is_typed_if_all_its_lines_start_a_program() {
        let programs = BTreeSet::from(["shop".to_owned()]);
        for (script, expected) in [
            ("shop serve a.db\n", true),
            ("shop serve FILE\n", false),
            ("shop 1.2\nCopyright\n", false),
            ("shop: no such file\n", false),
            ("shop error: none\n", false),
        ] {
            assert_eq!(is_typed(script, &programs), expected, "{script}");
        }
    }

    #[test]
    fn lines_that_start_a_program_of_the_project_run_it() {
        let text = "```shell\nshop serve -p 80 ~/goods &  # all\nshop --help\nother serve x\nshop serve [options]\n```\n\n```text\nshop serve prints\n```\n\n```\n$ /path/to/shop -c a.json\nshop prints this\n```\n";
        let found: Vec<String> = runs("README.md", text, &["shop".to_owned()].into())
            .iter()
            .map(|it| format!("{} {}", it.command, it.source))
            .collect();
        assert_eq!(found, ["shop serve -p 80 ~/goods & README.md:2", "/path/to/shop -c a.json README.md:13"]);
        for (heading, expected) in
            [("`shop` - install", 0), ("Upgrading", 0), ("Adding packages", 0), ("Adding an order", 1)]
        {
            let text = format!("## {heading}\n\n```sh\nshop serve\n```\n");
            let found = runs("README.md", &text, &["shop".to_owned()].into());
            assert_eq!(found.len(), expected, "{heading}");
        }
    }

    #[test]
    fn blocks_of_shells_are_read_without_prompts_and_output() {
        let text = "# A\n\n```console\n$ cargo test   # all\ncargo build is output\n```\n\n```rust\ncargo run\n```\n\n```sh\nnpm install\ncd web && npm run dev\nclang-format -i <file>\nnpm test <file>\n```\n";
        let found: Vec<String> = commands("README.md", text)
            .iter()
            .map(|it| format!("{} | {} | {}", it.command, it.folder, it.source))
            .collect();
        assert_eq!(
            found,
            [
                "cargo test |  | README.md:4",
                "npm install |  | README.md:13",
                "npm run dev | web | README.md:14",
                "clang-format -i <file> |  | README.md:15"
            ]
        );
    }
}
