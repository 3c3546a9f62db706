//! Finds tools that Makefile recipes, scripts, workflow steps and checks of `configure` call.

use std::collections::BTreeSet;

use crate::collect::Texts;
use crate::fact::ToolPurpose::{self, Docs, Formatter, Generator, Linter, Types};
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};
use crate::projects::folder_of;

/// Maximum number of scripts and workflows that are read.
const FILES: usize = 60;

/// Programs with the use of each.
const CALLED: &[(&str, ToolPurpose)] = &[
    ("clang-format", Formatter),
    ("clang-tidy", Linter),
    ("cppcheck", Linter),
    ("cpplint", Linter),
    ("shellcheck", Linter),
    ("shfmt", Formatter),
    ("golangci-lint", Linter),
    ("staticcheck", Linter),
    ("gofumpt", Formatter),
    ("goimports", Formatter),
    ("gofmt", Formatter),
    ("golint", Linter),
    ("re2c", Generator),
    ("protoc", Generator),
    ("gperf", Generator),
    ("bison", Generator),
    ("flex", Generator),
    ("doxygen", Docs),
    ("indent", Formatter),
    ("astyle", Formatter),
    ("uncrustify", Formatter),
];

/// Programs that are looked for in workflow steps only, because targets of recipes have the same names.
const IN_STEPS: &[(&str, ToolPurpose)] = &[
    ("flake8", Linter),
    ("pylint", Linter),
    ("black", Formatter),
    ("isort", Formatter),
    ("mypy", Types),
    ("ruff", Linter),
    ("codespell", Linter),
];

/// GitHub actions with the use and name of their tools.
const ACTIONS: &[(&str, ToolPurpose, &str)] = &[
    ("golangci/golangci-lint-action", Linter, "golangci-lint"),
    ("dominikh/staticcheck-action", Linter, "staticcheck"),
    ("EmbarkStudios/cargo-deny-action", Linter, "cargo-deny"),
    ("codespell-project/actions-codespell", Linter, "codespell"),
    ("crate-ci/typos", Linter, "typos"),
    ("psf/black", Formatter, "black"),
    ("ludeeus/action-shellcheck", Linter, "shellcheck"),
    ("DoozyX/clang-format-lint-action", Formatter, "clang-format"),
    ("jidicula/clang-format-action", Formatter, "clang-format"),
];

/// Adds the development tools that scripts, workflows and `configure` call, unless `found` contains them
/// for the root.
pub(super) fn facts(texts: &Texts, found: &mut Vec<Fact>) {
    let mut known: BTreeSet<String> = found
        .iter()
        .filter_map(|fact| match (&fact.subject, &fact.value) {
            (FactSubject::Project(folder), FactValue::Tool { name, .. }) if folder.is_empty() => {
                Some(name.clone())
            }
            _ => None,
        })
        .collect();
    let mut add = |purpose: ToolPurpose, name: &str, path: &str, line: usize| {
        if known.insert(name.to_owned()) {
            let value = FactValue::Tool { purpose, name: name.to_owned() };
            let source = SourceLines::line(path, line);
            found.push(Fact::new(FactSubject::Project(String::new()), value, source, FactOrigin::Parsed));
        }
    };
    for path in texts.paths().filter(|path| is_script(path)).take(FILES) {
        let Some(text) = texts.read(path) else { continue };
        if path.starts_with(".github/") {
            of_workflow(path, &text, &mut add);
        } else {
            of_lines(path, text.lines().enumerate(), &[], &mut add);
        }
    }
    for path in ["configure.ac", "configure.in"] {
        if let Some(text) = texts.exists(path).then(|| texts.read(path)).flatten() {
            of_configure(path, &text, &mut add);
        }
    }
}

/// Returns true for the path of a developer's shell script or of a workflow.
fn is_script(path: &str) -> bool {
    let is_shell = path.ends_with(".sh")
        && matches!(folder_of(path), "" | "scripts" | "script" | "tools" | "ci" | "dev" | "hack" | "contrib");
    let is_workflow =
        path.starts_with(".github/workflows/") && (path.ends_with(".yml") || path.ends_with(".yaml"));
    is_shell && !matches!(path, "install.sh" | "configure.sh") || is_workflow
}

/// Adds the development tools that a Makefile calls, each with the line of its first call.
pub(super) fn of_makefile(path: &str, text: &str, add: &mut impl FnMut(ToolPurpose, &str, &str, usize)) {
    let scripts = text.lines().enumerate().filter_map(|(at, line)| {
        let is_recipe = line.starts_with('\t');
        let value = line.split_once('=').map(|(_, value)| value).filter(|_| !line.starts_with('#'));
        Some((at, is_recipe.then_some(line).or(value)?))
    });
    of_lines(path, scripts, &[], add);
}

/// Adds the development tools called in lines of shell code. `more` extends the list of known programs;
/// lines count from 0.
fn of_lines<'a>(
    path: &str,
    lines: impl Iterator<Item = (usize, &'a str)>,
    more: &[(&str, ToolPurpose)],
    add: &mut impl FnMut(ToolPurpose, &str, &str, usize),
) {
    let mut seen = BTreeSet::new();
    for (at, script) in lines {
        if script.trim_start().starts_with('#') || script.contains("install ") {
            continue;
        }
        for command in script.split([';', '|', '&']) {
            let mut words =
                command.split_whitespace().skip_while(|word| matches!(*word, "do" | "then" | "@"));
            let program = words.next().unwrap_or_default().trim_start_matches(['@', '-']);
            let known = CALLED.iter().chain(more).find(|(name, _)| *name == program);
            // A word of prose may follow a word that is a program's name too.
            let is_call = words.next().is_some_and(|next| {
                next.starts_with(['-', '.', '$', '"', '/'])
                    || next.contains(['/', '.', '*'])
                    || matches!(next, "run" | "check")
            });
            if let Some((name, purpose)) = known.filter(|_| is_call)
                && seen.insert(*name)
            {
                add(*purpose, name, path, at + 1);
            }
        }
    }
}

/// Adds the tools of the actions and of the shell commands in a workflow.
fn of_workflow(path: &str, text: &str, add: &mut impl FnMut(ToolPurpose, &str, &str, usize)) {
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim().trim_start_matches("- ");
        let Some(action) = bare.strip_prefix("uses:").map(str::trim) else { continue };
        let name = action.split('@').next().unwrap_or(action);
        if let Some((_, purpose, tool)) = ACTIONS.iter().find(|(known, ..)| *known == name) {
            add(*purpose, tool, path, at + 1);
        }
    }
    let steps = text.lines().enumerate().map(|(at, line)| {
        let bare = line.trim().trim_start_matches("- ");
        (at, bare.strip_prefix("run:").map_or(bare, str::trim))
    });
    of_lines(path, steps, IN_STEPS, add);
}

/// Adds the generators and documentation tools that `configure` looks for: `AC_PATH_PROG([GPERF],
/// [gperf])`.
fn of_configure(path: &str, text: &str, add: &mut impl FnMut(ToolPurpose, &str, &str, usize)) {
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim();
        let is_check =
            ["AC_PATH_PROG", "AC_CHECK_PROG", "AM_MISSING_PROG"].iter().any(|call| bare.starts_with(call));
        if is_check {
            let words = bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            for word in words {
                let known = CALLED
                    .iter()
                    .find(|(name, purpose)| *name == word && matches!(purpose, Generator | Docs));
                if let Some((name, purpose)) = known {
                    add(*purpose, name, path, at + 1);
                }
            }
        } else if bare == "AC_PROG_YACC" {
            add(Generator, "yacc", path, at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_workflows_and_configure_call_tools() {
        type Add<'a> = &'a mut dyn FnMut(ToolPurpose, &str, &str, usize);
        let shown = |text: &str, read: fn(&str, Add)| {
            let mut found = Vec::new();
            read(text, &mut |_, name, _, line| found.push(format!("{name} {line}")));
            found.join(", ")
        };
        let workflow = |text: &str, mut add: Add| of_workflow("a.yml", text, &mut add);
        assert_eq!(
            shown(
                "    - uses: golangci/golangci-lint-action@v3\n    - run: mypy src/shop\n    - name: black is used\n",
                workflow
            ),
            "golangci-lint 1, mypy 2"
        );
        let configure = |text: &str, mut add: Add| of_configure("configure.ac", text, &mut add);
        assert_eq!(
            shown("AC_CHECK_PROGS([GPERF], [gperf])\nAC_PROG_YACC\n# AC_PATH_PROG([X], [flex])\n", configure),
            "gperf 1, yacc 2"
        );
        let script = |text: &str, mut add: Add| of_lines("a.sh", text.lines().enumerate(), &[], &mut add);
        assert_eq!(shown("indent -npro -kr \"$@\"\nflex is needed\n", script), "indent 1");
    }
}
