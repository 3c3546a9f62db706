//! `*.gemspec`: literal values of the specification. It is a program, so values that are computed are not known.

use super::{Manifest, Scope};

#[allow(clippy::unnecessary_wraps, reason = "the readers share a signature")]
pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let bindir = text.lines().map(str::trim).filter_map(assignment).find(|(key, _)| *key == "bindir");
    let bindir = bindir.and_then(|(_, value)| literal(value)).unwrap_or_else(|| "bin".into());
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some((_, arguments)) = line.split_once("Gem::Specification.new") {
            let named = literal(arguments.trim_start().trim_start_matches('(').trim_start());
            found.name = found.name.take().or(named);
        }
        if let Some((key, value)) = assignment(line) {
            match key {
                "name" => found.name = found.name.take().or_else(|| literal(value)),
                "version" => found.version = literal(value),
                "summary" => found.description = literal(value),
                "executables" => {
                    let names = literals(value);
                    found.programs.extend(names.map(|name| (name.clone(), format!("{bindir}/{name}"))));
                }
                _ => {}
            }
        } else if let Some((call, arguments)) = line.split_once("dependency") {
            let method = call.rsplit('.').next().unwrap_or_default();
            let scope = match method {
                "add_development_" => Scope::Dev,
                "add_" | "add_runtime_" => Scope::Runtime,
                _ => continue,
            };
            let mut literals = arguments.split(['"', '\'']).skip(1).step_by(2);
            if let Some(name) = literals.next() {
                found.needs(scope, name, literals.next());
            }
        }
    }
    Ok(())
}

/// Reads the literal gems of a `Gemfile`. Gems of the groups `development` and `test`, and all gems beside a
/// `gemspec` line, are for developers.
#[allow(clippy::unnecessary_wraps, reason = "the readers share a signature")]
pub(super) fn gemfile(text: &str, found: &mut Manifest) -> Result<(), String> {
    let is_dev =
        |line: &str| [":development", ":test", "'test'", "\"test\""].iter().any(|group| line.contains(group));
    // `gemspec` takes the runtime from the gem; the dependencies beside it are for developers.
    let has_gemspec = text.lines().any(|line| line.split_whitespace().next() == Some("gemspec"));
    let (mut in_group, mut is_excluded) = (false, false);
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        match line {
            line if line.starts_with("group ") => in_group = is_dev(line),
            // `if RUBY_VERSION == "2.0.0"`: needed on one system alone.
            line if line.starts_with("if ") => is_excluded = line.contains("=="),
            "end" => (in_group, is_excluded) = (false, false),
            _ if is_excluded => {}
            line => {
                let Some(arguments) = line.strip_prefix("gem ").or(line.strip_prefix("gem(")) else {
                    continue;
                };
                let dev = has_gemspec || in_group || (line.contains("group") && is_dev(line));
                let mut literals = arguments.split(['"', '\'']).skip(1).step_by(2);
                let version =
                    |text: &&str| text.starts_with(|c: char| c.is_ascii_digit() || "~><=".contains(c));
                if let Some(name) = literals.next() {
                    found.needs(
                        if dev { Scope::Dev } else { Scope::Runtime },
                        name,
                        literals.next().filter(version),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Splits a line `spec.name = value` into `name` and `value`; `None` for other lines.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (left, value) = line.split_once('=')?;
    let (spec, key) = left.trim().split_once('.')?;
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_word(spec) && is_word(key) && !value.starts_with(['=', '~', '>'])).then_some((key, value.trim()))
}

/// Returns the names in `["a", "b"]`, `"a"` or `%w[a b]`; none if the value is computed.
fn literals(value: &str) -> impl Iterator<Item = String> {
    let words = value.strip_prefix("%w").and_then(|rest| rest.get(1..)?.split([']', ')', '}', '>']).next());
    let is_plain = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let is_computed = value.contains(".map") || value.contains(".grep") || value.contains("Dir");
    let names: Vec<String> = match words {
        Some(words) => words.split_whitespace().map(str::to_owned).collect(),
        None if is_computed => Vec::new(),
        None => value.split(['"', '\'']).skip(1).step_by(2).filter(is_plain).map(str::to_owned).collect(),
    };
    names.into_iter()
}

/// Returns the content of the string literal at the start of `value`; `None` for other values and for
/// interpolation (`#{…}`).
fn literal(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let text = value[1..].split(quote).next()?;
    (!text.contains("#{")).then(|| text.to_owned())
}
