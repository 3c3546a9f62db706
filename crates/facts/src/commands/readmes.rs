//! Reads installation commands from tables, lists and sentences of the README, and commands from READMEs in
//! inner folders.

use super::prose::{commands, has_variable};
use super::{FoundCommand, classify};
use crate::fact::{CommandPurpose, FactOrigin, SourceLines};

/// Returns the installation commands in inline code below a heading about installation: "| Homebrew | `brew
/// install shop` |".
pub(super) fn installs(path: &str, text: &str) -> Vec<FoundCommand> {
    let mut found = Vec::new();
    let (mut in_fence, mut level) = (false, None);
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim_start_matches([' ', '>', '\t']);
        in_fence ^= bare.starts_with("```") || bare.starts_with("~~~");
        if in_fence {
            continue;
        }
        let marks = bare.chars().take_while(|c| *c == '#').count();
        if marks > 0 && bare[marks..].starts_with(' ') {
            let lower = bare.to_lowercase();
            let is_about =
                ["install", "setup", "set up", "getting started", "quick start", "quickstart", "download"]
                    .iter()
                    .any(|word| lower.contains(word));
            level = if is_about {
                level.filter(|outer| *outer < marks).or(Some(marks))
            } else {
                level.filter(|outer| *outer < marks)
            };
            continue;
        }
        if level.is_none() || line.len() > 1_000 {
            continue;
        }
        let parts: Vec<&str> = bare.split('`').collect();
        for index in (1..parts.len().saturating_sub(1)).step_by(2) {
            let before = parts[index - 1].to_lowercase();
            let is_struck = before.ends_with('~')
                || ["not", "don't", "instead of"].iter().any(|word| before.contains(word));
            let command = parts[index].trim().trim_start_matches("$ ");
            let is_whole = command.split_whitespace().count() >= 3
                && !command.contains(['<', '…', '{', '*', '&', ';'])
                && !command.replace("/...", "").contains("...")
                && !has_variable(command);
            if is_whole && !is_struck && classify::purpose(command) == Some(CommandPurpose::Install) {
                found.push(FoundCommand {
                    purpose: CommandPurpose::Install,
                    command: command.to_owned(),
                    folder: String::new(),
                    source: SourceLines::line(path, at + 1),
                    origin: FactOrigin::Quoted,
                    runs: Vec::new(),
                });
            }
        }
    }
    found
}

/// Returns true for a `README.md` in a folder below the root.
pub(super) fn is_inner_readme(path: &str) -> bool {
    let lower = path.to_lowercase();
    path.contains('/') && lower.ends_with("/readme.md")
}

/// Returns the commands of the README of an inner folder, which run in that folder. A command with a path
/// that begins at the root, such as `java -jar web/a.jar` in the README of `web`, runs in the root.
/// Installations are left out.
pub(super) fn inner_commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let folder = crate::projects::folder_of(path);
    let mut found = commands(path, text);
    let lines: Vec<&str> = text.lines().collect();
    let prefix = format!("{folder}/");
    let is_of_root = |it: &FoundCommand| {
        let told = lines.get(it.source.start - 1..it.source.end).unwrap_or_default();
        told.iter()
            .flat_map(|line| line.split_whitespace())
            .any(|word| word.trim_start_matches("./").starts_with(&prefix))
    };
    found.retain_mut(|it| {
        // Installations are those of the users of the whole project.
        let is_plain = it.folder.is_empty() && it.purpose != CommandPurpose::Install;
        // Containers are described where they are composed.
        let is_plain = is_plain && !it.command.split_whitespace().any(|word| word.starts_with("docker"));
        if !is_of_root(it) {
            folder.clone_into(&mut it.folder);
        }
        is_plain
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installations_stand_in_tables_and_lists_below_their_heading() {
        let text = "# Shop\n\nUse `cargo install other`.\n\n## Installation\n\n### Linux\n\n> | Any | `cargo install shop --locked` |\n| ~Old~ | ~`brew install shop`~ |\n1. `go get -u x.y/shop/...`\n- do not `gem install shop`\n\n## Usage\n\n`cargo install later`\n";
        let found: Vec<String> =
            installs("README.md", text).iter().map(|it| format!("{} {}", it.command, it.source)).collect();
        assert_eq!(found, ["cargo install shop --locked README.md:9", "go get -u x.y/shop/... README.md:11"]);
        let inner = inner_commands("web/README.md", "```sh\nnpm install\nnpm test\ndocker compose up\n```\n");
        let inner: Vec<String> = inner.iter().map(|it| format!("{} | {}", it.command, it.folder)).collect();
        assert_eq!(inner, ["npm test | web"]);
        let outer = inner_commands("web/README.md", "```sh\nmvn package && java -jar web/a.jar\n```\n");
        assert_eq!(outer[0].folder, "", "a path of the line begins in the root");
    }
}
