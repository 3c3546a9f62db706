//! Classifies targets and scripts, by their names and the commands that they run.

use super::{of_name, purpose};
use crate::fact::CommandPurpose::{self, Build, Docs, Install, Lint, Run, Test};

/// Maximum number of commands of a script that are read.
const COMMANDS: usize = 20;

/// Name segments of builds for a release or a container, which newcomers do not run.
const PACKAGES: &[&str] = &[
    "docker",
    "image",
    "images",
    "container",
    "containers",
    "multiarch",
    "release",
    "zip",
    "tar",
    "deb",
    "rpm",
    "dmg",
    "pkg",
    "appimage",
    "snap",
    "flatpak",
    "installer",
    "push",
    "publish",
];

/// Returns the purpose of a make target or npm script from its name and the lines that it runs; `None` if
/// the name is unknown. A name that is a known word (`test`) decides alone. If it only begins with such a
/// word, the first known command decides.
pub(in crate::commands) fn of_script(name: &str, lines: &[&str]) -> Option<CommandPurpose> {
    let named = of_name(name)?;
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower.split([':', '-', '_', '.']).collect();
    let has_parts = parts.len() > 1;
    let is_packed = parts[1..].iter().any(|part| PACKAGES.contains(part));
    if has_parts && matches!(named, Build | Run) && (is_packed || matches!(parts[0], "package" | "dist")) {
        return None;
    }
    let commands: Vec<&str> = lines.iter().flat_map(|line| split(line)).take(COMMANDS).collect();
    let known: Vec<CommandPurpose> = commands.iter().filter_map(|command| purpose(command)).collect();
    if known.contains(&named) {
        return Some(named);
    }
    let checks = matches!(parts[0], "check" | "verify");
    let is_vague = has_parts || checks || named == Run;
    let first = known.iter().copied().find(|purpose| *purpose != Install);
    match first {
        Some(first) if checks => Some(first),
        // It looks at the documents, and makes none.
        Some(Lint) if named == Docs && commands.len() == 1 => Some(Lint),
        // A longer script may prepare something first.
        Some(first) if is_vague && commands.len() == 1 && first != Run => Some(first),
        // `check-env` may look at anything.
        None if checks && has_parts && named == Test => None,
        // It writes files that the server needs.
        None if named == Run && has_parts && generates(&commands) => None,
        _ => Some(named),
    }
}

/// Splits a shell line into its commands at `&&` and `;`. Skips `cd` and comments.
fn split(line: &str) -> impl Iterator<Item = &str> {
    line.split("&&")
        .flat_map(|part| part.split(';'))
        .map(|part| part.trim().trim_start_matches(['@', '-', '+', '(', ' ']).trim_end_matches([')', ' ']))
        .filter(|part| !part.is_empty() && !part.starts_with("cd ") && !part.starts_with('#'))
}

/// Returns true if the first program of a script generates code.
fn generates(commands: &[&str]) -> bool {
    commands.first().and_then(|it| it.split_whitespace().next()).is_some_and(|it| it.contains("codegen"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::CommandPurpose::Format;

    #[test]
    fn a_name_that_only_begins_well_is_what_runs_first() {
        for (name, lines, expected) in [
            ("check-go", &["golangci-lint run"][..], Some(Lint)),
            ("docs", &["typedoc --emit none"], Some(Lint)),
            ("docs", &["npm run build", "typedoc"], Some(Docs)),
            ("check-js", &["(cd ui && yarn lint)", "(cd ui && yarn testformat)"], Some(Lint)),
            ("test-js", &["go build -o a", "(cd ui && CI=true yarn test)"], Some(Test)),
            ("test", &["pnpm lint && vitest run"], Some(Test)),
            ("check", &["make lint", "make test"], Some(Test)),
            ("check", &["npm run check:type && npm run check:lint"], Some(Lint)),
            ("check-env", &["node scripts/check-env.js"], None),
            ("check", &["./run-all"], Some(Test)),
            ("check", &[], Some(Test)),
            ("dev", &["vitest"], Some(Test)),
            ("dev", &["npm run build && node a.js"], Some(Run)),
            ("dev:types", &["graphql-codegen --watch"], None),
            ("docs-serve", &["mkdocs serve"], Some(Docs)),
            ("lint:fix", &["prettier -w ."], Some(Format)),
            ("test:types", &["tsc --noEmit"], Some(Lint)),
            ("build-docker-multiarch", &["docker buildx build ."], None),
            ("package-zip", &["zip a b"], None),
            ("build-web", &["vite build"], Some(Build)),
            ("package", &["zip a b"], Some(Build)),
        ] {
            assert_eq!(of_script(name, lines), expected, "{name} {lines:?}");
        }
    }
}
