//! The programs of a repository that has many small ones: one line for each, with its purpose and its usage, or its options if it states no
//! usage.

use std::collections::{BTreeMap, HashMap};

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{cut_at_word, falling, first_sentence, lines_of};
use crate::facts::{FactKind, FactSubject, FactValue, SettingForm, SourceLines};
use crate::repo::Language;

/// Fewest programs, and the largest number of files that are read for them.
const PROGRAMS: usize = 6;
const FILES: usize = 1_500;
/// Largest file that is read, in bytes.
const BYTES: u64 = 400_000;
/// Longest usage and purpose, in characters, and most options of a line.
const USAGE: usize = 90;
const PURPOSE: usize = 110;
const OPTIONS: usize = 8;
/// Lines of a manual page that are read.
const MANUAL: usize = 60;

/// A source file with a `main` function: its path, the line of `main`, and the usage text that it prints,
/// with its line.
struct SmallProgram<'s> {
    path: &'s str,
    line: usize,
    usage: Option<(usize, String)>,
}

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let found = programs(survey);
    if found.is_empty() {
        return;
    }
    let mut options: HashMap<&str, Vec<&str>> = HashMap::new();
    for fact in survey.of_product(FactKind::Setting) {
        if let (FactValue::Setting { form: SettingForm::Flag, name, .. }, Some(source)) =
            (&fact.value, fact.sources.first())
        {
            options.entry(source.path.as_str()).or_default().push(name);
        }
    }
    let manuals: BTreeMap<&str, &String> =
        survey.files.iter().filter_map(|path| Some((manual_of(path)?, path))).collect();
    for (at, program) in found.iter().enumerate() {
        let stem = stem(program.path);
        let said = purpose(survey, program, manuals.get(stem).copied());
        let mut text = format!("- {} {}", path_span(program.path), lines_of(program.line, program.line));
        if let Some(said) = &said {
            text.extend([format!(": {said}")]);
        }
        let usage = program.usage.as_ref().and_then(|(line, usage)| {
            Some(format!("{} {}", survey.quoter.code(&cut_at_word(usage, USAGE))?, lines_of(*line, *line)))
        });
        let flags = options.get(program.path).filter(|_| usage.is_none());
        let flags = flags.and_then(|names| {
            let shown =
                survey.quoter.code(&names.iter().take(OPTIONS).copied().collect::<Vec<_>>().join(" "))?;
            Some(if names.len() > OPTIONS { format!("{shown} and others") } else { shown })
        });
        if let Some(usage) = usage {
            text.extend([format!("; usage {usage}")]);
        } else if let Some(flags) = flags {
            text.extend([format!("; options {flags}")]);
        } else if said.is_none() {
            continue;
        }
        draft.add(ContextSection::Programs, falling(70.0, at, 30.0), "programs", text);
    }
}

/// Returns the files with a `main` function, by path. Empty if there are fewer than 6, or fewer than a third
/// of the source files.
fn programs<'s>(survey: &'s Survey) -> Vec<SmallProgram<'s>> {
    let mut sources: Vec<&str> = survey
        .central
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| {
            matches!(
                Language::of_path(path),
                Some(Language::C | Language::Cpp | Language::Rust | Language::Go | Language::Python)
            )
        })
        .take(FILES)
        .collect();
    sources.sort_unstable();
    let implementations =
        sources.iter().filter(|path| ![".h", ".hpp", ".hh"].iter().any(|end| path.ends_with(end))).count();
    let found: Vec<SmallProgram> = sources
        .into_iter()
        .filter(|path| survey.sizes.get(*path).is_some_and(|size| *size <= BYTES))
        .filter_map(|path| {
            let (_, text) = survey.code.text(path).ok()?;
            let line = main_line(Language::of_path(path)?, &text)?;
            Some(SmallProgram { path, line, usage: usage(&text) })
        })
        .collect();
    if found.len() >= PROGRAMS && found.len() * 3 >= implementations { found } else { Vec::new() }
}

/// Returns the line, from 1, on which `main` begins (in Python `if __name__ ==`); `None` without it.
fn main_line(language: Language, text: &str) -> Option<usize> {
    let is_main = |line: &str| match language {
        Language::C | Language::Cpp => {
            let at = line.find("main(").filter(|at| *at <= 12);
            let is_word = |at: usize| {
                line[..at].chars().all(|c| c.is_ascii_alphabetic() || matches!(c, ' ' | '_' | '*'))
                    && !line[..at].ends_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            };
            at.is_some_and(is_word)
                && !line.starts_with(char::is_whitespace)
                && !line.trim_end().ends_with(';')
        }
        Language::Rust => line.starts_with("fn main(") || line.starts_with("async fn main("),
        Language::Go => line.starts_with("func main("),
        _ => line.starts_with("if __name__ =="),
    };
    text.lines().position(is_main).map(|at| at + 1)
}

/// Returns the first usage text in a string literal, without `usage:` in front, and its line.
fn usage(text: &str) -> Option<(usize, String)> {
    for (at, line) in text.lines().enumerate() {
        let lower = line.to_ascii_lowercase();
        let Some(start) = lower.find("usage:").filter(|start| line[..*start].contains('"')) else { continue };
        let rest = &line[start + "usage:".len()..];
        let said = rest.split('"').next().unwrap_or(rest).replace("\\n", " ").replace("\\t", " ");
        let said = said.trim().trim_start_matches("%s").trim();
        if said.chars().any(char::is_alphabetic) {
            return Some((at + 1, said.to_owned()));
        }
    }
    None
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// Returns the program of a manual page of section 1, 6 or 8: `man/cat.1` → `cat`; `None` for other files.
fn manual_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, section) = name.rsplit_once('.')?;
    matches!(section, "1" | "6" | "8").then_some(stem)
}

/// Returns the purpose of a program with its place: that stated in its file, else that in its manual page
/// (`manual` is the path). `None` if neither states one.
fn purpose(survey: &Survey, program: &SmallProgram, manual: Option<&String>) -> Option<String> {
    let stated = survey.purpose_of(&FactSubject::File(program.path.to_owned()));
    let of_file = stated.and_then(|(text, source)| {
        let said = survey.quoter.prose(&cut_at_word(first_sentence(text), PURPOSE))?;
        Some(format!("{said} {}", place(source)))
    });
    of_file.or_else(|| {
        let path = manual?;
        let (_, text) = survey.code.text(path).ok()?;
        let (line, said) = manual_purpose(&text)?;
        let at = SourceLines { path: path.clone(), start: line, end: line };
        Some(format!("{} {}", survey.quoter.prose(&cut_at_word(&said, PURPOSE))?, place(&at)))
    })
}

/// Returns the short description in a manual page and its line: `copy files` of `.Nd copy files` or
/// `cp \- copy files`.
fn manual_purpose(text: &str) -> Option<(usize, String)> {
    let mut in_name = false;
    for (at, line) in text.lines().take(MANUAL).enumerate() {
        if let Some(said) = line.strip_prefix(".Nd ") {
            return Some((at + 1, said.trim().to_owned()));
        }
        if line.starts_with(".SH") {
            in_name = line.to_lowercase().contains("name");
        } else if in_name && let Some((_, said)) = line.split_once("\\-").or_else(|| line.split_once(" - ")) {
            return Some((at + 1, said.trim().to_owned()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_main_a_usage_and_a_manual_page() {
        let text = "#include <x.h>\nint main(void);\nstatic void\nusage(void)\n{\n\teprintf(\"usage: %s [-n num] [file ...]\\n\", argv0);\n}\nint\nmain(int argc, char *argv[])\n{\n";
        assert_eq!(main_line(Language::C, text), Some(9));
        assert_eq!(usage(text), Some((6, "[-n num] [file ...]".to_owned())));
        assert_eq!(main_line(Language::C, "  main(1)\nint domain(int x)\n"), None);
        assert_eq!(manual_purpose(".Dd x\n.Nd print words\n"), Some((2, "print words".to_owned())));
        assert_eq!(manual_purpose(".SH NAME\ncut \\- cut words\n"), Some((2, "cut words".to_owned())));
        assert_eq!(manual_of("man/cut.1"), Some("cut"));
    }
}
