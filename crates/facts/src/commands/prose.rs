//! Commands in documents: fenced blocks of shells, and lines that begin with a prompt.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::{Written, of_lines, script_lines};
use crate::fact::SourceLines;

/// Languages of blocks with commands.
const SHELLS: &[&str] =
    &["", "sh", "bash", "shell", "console", "zsh", "text", "shellsession", "shell-session"];

/// Returns true for documents that tell contributors how to work.
pub(super) fn is_for_contributors(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_markdown = name.ends_with(".md");
    let outer = path.matches('/').count() <= 1;
    outer
        && is_markdown
        && ["contributing", "agents", "claude", "development", "hacking", "building"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// Returns true for the README of the root, in any case.
pub(super) fn is_readme(path: &str) -> bool {
    let lower = path.to_lowercase();
    !path.contains('/') && (lower == "readme.md" || lower == "readme.markdown")
}

/// Returns the commands of a Markdown document.
pub(super) fn commands(path: &str, text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
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
                found.extend(of_script(path, &script, first));
            }
            _ => {}
        }
    }
    found
}

/// Returns the commands of a block. If a line has a prompt, lines without one are output.
fn of_script(path: &str, script: &str, first: usize) -> Vec<Written> {
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
    lines.retain(|line| !line.text.contains(['<', '…']) && !line.text.starts_with('#'));
    of_lines(lines, "", |start, end| SourceLines {
        path: path.to_owned(),
        start: first + start,
        end: first + end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_shells_are_read_without_prompts_and_output() {
        let text = "# A\n\n```console\n$ cargo test   # all\ncargo build is output\n```\n\n```rust\ncargo run\n```\n\n```sh\nnpm install\ncd web && npm run dev\n```\n";
        let found: Vec<String> = commands("README.md", text)
            .iter()
            .map(|it| format!("{} | {} | {}", it.command, it.folder, it.source))
            .collect();
        assert_eq!(
            found,
            [
                "cargo test |  | README.md:4",
                "npm install |  | README.md:13",
                "npm run dev | web | README.md:14"
            ]
        );
    }
}
