//! Finds command-line options, by the rules of well-known libraries. Each module covers one or two
//! languages.

mod compiled;
mod go;
mod managed;
mod python;
mod rust;
mod script;
mod shell;

use stategraph_repo::{Language, ParsedFile, Site};

use super::ParsedSetting;
use crate::fact::SettingForm;

/// Returns the command-line options that a file declares, and the environment variables that these name,
/// each with its site.
pub(super) fn settings<'a>(file: &ParsedFile<'a>) -> Vec<(&'a Site, ParsedSetting)> {
    let mut found = Vec::new();
    match file.outline.language {
        Language::Rust => rust::collect(file, &mut found),
        Language::Python => python::collect(file, &mut found),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script::collect(file, &mut found),
        Language::Go => go::collect(file, &mut found),
        Language::Java | Language::CSharp => managed::collect(file, &mut found),
        Language::C | Language::Cpp => compiled::collect(file, &mut found),
        Language::Ruby | Language::Php | Language::Bash => shell::collect(file, &mut found),
    }
    found
}

/// Makes a setting for a command-line option.
pub(super) fn flag(name: impl Into<String>, default: Option<String>, text: Option<String>) -> ParsedSetting {
    ParsedSetting::new(SettingForm::Flag, name).default(default).text(text)
}

/// Returns the one-letter options of a `getopt` string: `hp:v` → `-h`, `-p`, `-v`.
fn short_options(letters: &str) -> impl Iterator<Item = String> + '_ {
    let is_list = letters.len() <= 64
        && letters.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '?' | '+' | '-' | '#'));
    let named = letters.chars().filter(move |c| is_list && c.is_ascii_alphanumeric());
    named.map(|letter| format!("-{letter}"))
}

/// Returns the option that a person would type: the first long one of `names`, else the first short one.
/// The part after a name is dropped, as in `--port <n>`, `--color=WHEN`, `--a/--no-a`.
pub(super) fn choose_option<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        let words = name.as_ref().split([',', '|', ' ', '\t', '\n']).filter(|word| word.starts_with('-'));
        all.extend(
            words.map(|word| word[..word.find(['=', '<', '[', '/', '{']).unwrap_or(word.len())].to_owned()),
        );
    }
    let is_option = |name: &String| {
        let rest = name.trim_start_matches('-');
        rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '?')
            && !rest.contains(|c: char| c.is_whitespace())
    };
    let options: Vec<String> = all.into_iter().filter(is_option).collect();
    options.iter().find(|name| name.starts_with("--")).or(options.first()).cloned()
}

#[cfg(test)]
mod tests {
    use super::choose_option;

    #[test]
    fn the_long_option_is_the_one_to_type() {
        for (names, expected) in [
            (vec!["-p, --port <number>"], Some("--port")),
            (vec!["-p", "--port=N"], Some("--port")),
            (vec!["--shout/--no-shout"], Some("--shout")),
            (vec!["-v"], Some("-v")),
            (vec!["-p|--port <PORT>"], Some("--port")),
            (vec!["--[no-]color"], None),
            (vec!["name"], None),
            (vec!["--"], None),
        ] {
            assert_eq!(choose_option(&names).as_deref(), expected, "{names:?}");
        }
    }
}
