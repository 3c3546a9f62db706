//! `*.gemspec`: literal values of the specification. It is a program, so values that are computed are not known.

use super::{Manifest, Scope};

#[allow(clippy::unnecessary_wraps, reason = "the readers share a signature")]
pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some((key, value)) = assignment(line) {
            match key {
                "name" => found.name = found.name.take().or_else(|| literal(value)),
                "version" => found.version = literal(value),
                "summary" => found.description = literal(value),
                "executables" => {
                    let names = value.split(['"', '\'']).skip(1).step_by(2);
                    found.programs.extend(names.map(|name| (name.to_owned(), format!("exe/{name}"))));
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

/// Returns `name` and its value for `spec.name = value`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (left, value) = line.split_once('=')?;
    let (spec, key) = left.trim().split_once('.')?;
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_word(spec) && is_word(key) && !value.starts_with(['=', '~', '>'])).then_some((key, value.trim()))
}

/// Returns the text of a string without interpolation.
fn literal(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let text = value[1..].split(quote).next()?;
    (!text.contains("#{")).then(|| text.to_owned())
}
