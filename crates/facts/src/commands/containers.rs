//! Drops make targets that only a container runs: a compose file calls them, and no document does.

use std::collections::BTreeSet;

use super::FoundCommand;
use crate::collect::Texts;
use crate::fact::FactOrigin;

/// Maximum number of compose files that are read.
const FILES: usize = 20;

/// Removes from `found` the make targets that a compose file calls. Commands quoted from a document stay.
pub(super) fn remove(found: &mut Vec<FoundCommand>, texts: &Texts) {
    let is_compose = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        (name.starts_with("docker-compose") || name.starts_with("compose"))
            && (name.ends_with(".yml") || name.ends_with(".yaml"))
    };
    let files = texts.paths().filter(is_compose).take(FILES);
    let called: BTreeSet<String> =
        files.filter_map(|path| texts.read(path)).flat_map(|text| targets(&text)).collect();
    found.retain(|it| {
        let target = it.command.strip_prefix("make ").filter(|_| it.origin == FactOrigin::Parsed);
        target.is_none_or(|target| !called.contains(target))
    });
}

/// Returns the make targets that a compose file calls, as in `command: make serve` and `["make", "serve"]`.
fn targets(text: &str) -> Vec<String> {
    let words = |line: &str| -> Vec<String> {
        let plain = line.split(|c: char| c.is_whitespace() || "\"',[]&;|".contains(c));
        plain.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let target = |words: &[String]| (words[0] == "make").then(|| words[1].clone());
    lines.flat_map(|line| words(line).windows(2).filter_map(target).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn a_compose_file_calls_targets_in_each_form_of_a_command() {
        let text =
            "  command: make run-inside\n  entrypoint: [\"make\", \"serve\"]\n  # make test\n  image: make\n";
        assert_eq!(targets(text), ["run-inside", "serve"]);
    }
}
