//! Calls of `CMake` that only configure a build. They are told together with the command that builds, or left
//! out beside it.

use super::{FoundCommand, classify};
use crate::fact::CommandPurpose;

/// Returns true for a call of `CMake` that prepares a build and builds nothing.
pub(super) fn configures(command: &str) -> bool {
    const OTHER: &[&str] =
        &["--build", "--install", "--workflow", "--open", "-E", "-P", "--version", "--help"];
    let mut words = command.split_whitespace().skip_while(|word| classify::is_before_program(word));
    words.next() == Some("cmake") && !words.any(|word| OTHER.contains(&word) || word == "&&")
}

/// Returns true for a command that builds what `CMake` has configured.
fn builds(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| classify::is_before_program(word));
    let is_builder = match words.next() {
        Some("make" | "gmake" | "ninja") => true,
        Some("cmake") => words.any(|word| word == "--build"),
        _ => false,
    };
    is_builder && classify::purpose(command) == Some(CommandPurpose::Build)
}

/// Splits a line of shell at `&&`. A call that configures stays together with the one behind it that builds.
pub(super) fn split_steps(line: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for part in line.split("&&").map(str::trim) {
        match steps.last_mut().filter(|last| configures(last) && builds(part)) {
            Some(last) => {
                last.push_str(" && ");
                last.push_str(part);
            }
            None => steps.push(part.to_owned()),
        }
    }
    steps
}

/// Removes the calls that only configure, unless no other command builds.
pub(super) fn remove_lone(found: &mut Vec<FoundCommand>) {
    let is_built = found.iter().any(|it| it.purpose == CommandPurpose::Build && !configures(&it.command));
    found.retain(|it| !is_built || !configures(&it.command));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_configures_stands_with_the_one_that_builds() {
        for (line, expected) in [
            ("cmake -DA=1 . && make && make test", &["cmake -DA=1 . && make", "make test"][..]),
            ("cmake -B out && cmake --build out", &["cmake -B out && cmake --build out"]),
            ("cmake . && make test", &["cmake .", "make test"]),
            ("cmake --build out && ninja", &["cmake --build out", "ninja"]),
        ] {
            assert_eq!(split_steps(line), expected, "{line}");
        }
        assert!(configures("CC=cc cmake -G Ninja ..") && !configures("cmake -E touch a"));
    }
}
