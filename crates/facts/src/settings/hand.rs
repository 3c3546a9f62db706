//! Finds command-line options that a program compares itself, in a `switch` or a chain of comparisons:
//! `case "-p", "--port":`, `when "--port"`, `"-p" | "--port" =>`, `if arg == "--port"`. Their help comes
//! from the usage text.

use stategraph_repo::{Language, ParsedFile};

use super::ParsedSetting;
use super::flags::{choose_option, flag};
use super::usage::options;
use crate::calls::{help, literals_in};
use crate::fact::SourceLines;

/// Minimum number of options of a file without a usage text.
const FEWEST: usize = 3;
/// Maximum number of options of one file.
const MOST: usize = 300;
/// Maximum length of a line that is read, in bytes.
const LINE: usize = 300;

/// Phrases that show that a file reads the program's arguments.
const ARGUMENTS: &[&str] = &[
    "os.Args",
    "env::args",
    "args_os",
    "lexopt",
    "process.argv",
    "sys.argv",
    "ARGV",
    "$argv",
    "String[] args",
    "string[] args",
    "String... args",
    "args []string",
];

/// Returns the command-line options that a file itself compares with the program's arguments.
pub(super) fn settings(file: &ParsedFile) -> Vec<(SourceLines, ParsedSetting)> {
    if matches!(file.outline.language, Language::Bash | Language::C | Language::Cpp)
        || !ARGUMENTS.iter().any(|word| file.text.contains(word))
    {
        return Vec::new();
    }
    let usage = options(file.text);
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    let mut is_open = false;
    for (index, line) in file.text.lines().enumerate().filter(|(_, line)| line.len() <= LINE) {
        let bare = line.trim();
        let names = compared(file.outline.language, bare);
        let falls_through = is_open && bare.starts_with("case ");
        is_open = !names.is_empty() && bare.starts_with("case ") && bare.ends_with(':');
        if names.is_empty() {
            continue;
        }
        if found.len() >= MOST {
            break;
        }
        match found.last_mut().filter(|_| falls_through) {
            Some((_, known)) => known.extend(names),
            None => found.push((index + 1, names)),
        }
    }
    let has_usage = found.iter().flat_map(|(_, names)| names).any(|name| usage.contains_key(name.as_str()));
    if !has_usage && (found.len() < FEWEST || !is_for_arguments(file)) {
        return Vec::new();
    }
    let mut seen = std::collections::BTreeSet::new();
    let made = found.into_iter().filter_map(|(line, names)| {
        let name = choose_option(&names).filter(|name| seen.insert(name.clone()))?;
        let said = names.iter().find_map(|name| usage.get(name.as_str()).copied());
        Some((SourceLines::line(&file.outline.path, line), flag(name, None, help(said))))
    });
    made.collect()
}

/// Returns true if the name of the file or a main function in it shows that it reads the arguments. Other
/// files may only look for an option that a library reads.
fn is_for_arguments(file: &ParsedFile) -> bool {
    let name = file.outline.path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let words = ["main", "arg", "cli", "opt", "flag", "launcher"];
    let has_main = || file.outline.walk().any(|(_, symbol)| symbol.name.eq_ignore_ascii_case("main"));
    words.iter().any(|word| name.contains(word)) || !name.contains('.') || has_main()
}

/// Returns the command-line options with which a line compares an argument; none if it compares it with
/// anything else, too.
fn compared(language: Language, line: &str) -> Vec<String> {
    let label = match language {
        Language::Rust => arm(line),
        Language::Ruby => line.strip_prefix("when ").map(|rest| rest.split(" then ").next().unwrap_or(rest)),
        Language::Python => line.strip_prefix("case ").map(|rest| rest.trim_end_matches(':')),
        _ => line.strip_prefix("case ").and_then(|rest| label(rest)),
    };
    let Some(part) = label.or_else(|| comparison(line)) else { return Vec::new() };
    // lexopt has the dashes in its types.
    let dashed = part.replace("Long(\"", "(\"--").replace("Short('", "('-");
    let all = literals_in(&dashed);
    let names: Vec<String> = all.iter().map(|name| name.trim_end_matches('=').to_owned()).collect();
    if !names.is_empty() && names.iter().all(|name| is_option(name)) { names } else { Vec::new() }
}

/// Returns the pattern of a Rust match arm: `"-p" | "--port" => …`, `Some("--port") => …`.
fn arm(line: &str) -> Option<&str> {
    let (label, _) = line.split_once("=>")?;
    let is_label = ["\"", "|", "Some(\"", "Long(\"", "Short('", "Some(Long(\"", "Some(Short('"]
        .iter()
        .any(|start| label.starts_with(start));
    is_label.then_some(label)
}

/// Returns the part up to the last literal before the colon: `"-p", "--port"` of `"-p", "--port": port =
/// 1`.
fn label(rest: &str) -> Option<&str> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let end = [format!("{quote}:"), format!("{quote} :"), format!("{quote} ->")];
    let at = end.iter().filter_map(|end| rest.find(end.as_str())).min()?;
    Some(&rest[..=at])
}

/// Returns the condition of an `if` that compares an argument variable with literals: `arg == "-p" || arg
/// == "--port"`.
fn comparison(line: &str) -> Option<&str> {
    let condition = line.trim_start_matches("} ");
    let starts = ["if ", "if(", "elif ", "elsif ", "else if ", "else if("];
    let condition = starts.iter().find_map(|start| condition.strip_prefix(start))?;
    let variable = condition.trim_start_matches('(');
    let words = ["arg", "opt", "flag", "argv", "param", "a ", "s "];
    let is_argument = words.iter().any(|word| variable.to_lowercase().starts_with(word));
    let compares = ["==", " in ", ".equals("].iter().any(|sign| condition.contains(sign));
    // A value that is compared too is none of the names.
    (is_argument && compares && !condition.contains("!=")).then_some(condition)
}

/// Returns true if the text is a command-line option, such as `-p` or `--port`.
fn is_option(name: &str) -> bool {
    let rest = name.strip_prefix("--").or_else(|| name.strip_prefix('-')).unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '?') && rest.chars().skip(1).all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_compare_options_alone_name_them() {
        for (language, line, expected) in [
            (Language::Go, "case \"-p\", \"--port\":", "-p --port"),
            (Language::JavaScript, "case '--port': port = next(); break", "--port"),
            (Language::Rust, "\"-p\" | \"--port\" => port = 1,", "-p --port"),
            (Language::Rust, "Some(\"--port\") => {}", "--port"),
            (Language::Rust, "Short('p') | Long(\"port\") => {}", "-p --port"),
            (Language::Ruby, "when \"-p\", /^--port=/", "-p"),
            (Language::Python, "elif arg in (\"-p\", \"--port\"):", "-p --port"),
            (Language::Java, "if (arg.equals(\"--port\")) {", "--port"),
            (Language::Go, "case \"a\", \"-b\":", ""),
            (Language::Go, "case \"- b\":", ""),
            (Language::Go, "if name == \"--x\" {", ""),
            (Language::Rust, "let x = \"--port\";", ""),
        ] {
            assert_eq!(compared(language, line).join(" "), expected, "{line}");
        }
    }
}
