//! The names that the entry file of a library passes on from its other files.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{falling, lines_of};
use crate::facts::{FactKind, FactValue, TargetKind};
use crate::repo::{Language, code_words};

/// Maximum number of statements of a file, and their maximum length together, in bytes.
const STATEMENTS: usize = 12;
const BYTES: usize = 420;
/// Maximum number of lines of a statement.
const LINES: usize = 40;

/// Adds a line for the entry file of each library that passes names on.
pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut told: Vec<&str> = Vec::new();
    for fact in survey.of_product(FactKind::Target) {
        let FactValue::Target { target: TargetKind::Library, entry, .. } = &fact.value else { continue };
        if told.contains(&entry.as_str()) {
            continue;
        }
        told.push(entry);
        let Some(language) = Language::of_path(entry) else { continue };
        let Ok((_, text)) = survey.code.text(entry) else { continue };
        let found = exports(language, &text);
        let (Some((start, _, _)), Some((_, end, _))) = (found.first(), found.last()) else { continue };
        let mut shown = String::new();
        let mut more = "";
        for (_, _, statement) in &found {
            if shown.len() + statement.len() > BYTES {
                more = "; …";
                break;
            }
            shown.push_str(if shown.is_empty() { "" } else { "; " });
            shown.push_str(statement);
        }
        let Some(shown) = survey.quoter.code(&format!("{shown}{more}")).filter(|_| !shown.is_empty()) else {
            continue;
        };
        let text = format!("- {} passes on {}: {shown}", path_span(entry), lines_of(*start, *end));
        let rank = falling(90.0, told.len() - 1, 8.0);
        draft.add_many(ContextSection::Entries, rank, ("exports", found.len()), text);
    }
}

/// Returns the statements with which a file exports names of other files, without their ends: first line, last line (from 1) and text.
fn exports(language: Language, text: &str) -> Vec<(usize, usize, String)> {
    let starts: &[&str] = match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            &["export {", "export * ", "export type {", "export default "]
        }
        Language::Rust => &["pub use "],
        Language::Python => &["__all__ = "],
        _ => return Vec::new(),
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_value = line.starts_with("export default ") && line.contains(['{', '(']);
        if found.len() >= STATEMENTS || is_value || !starts.iter().any(|start| line.starts_with(start)) {
            continue;
        }
        let mut depth = 0_i32;
        let mut length = 0;
        let part: Vec<&str> = lines[at..]
            .iter()
            .take(LINES)
            .take_while(|line| {
                let is_open = length == 0 || depth > 0;
                let count = |signs: [char; 3]| i32::try_from(line.matches(signs).count()).unwrap_or_default();
                depth += count(['(', '[', '{']) - count([')', ']', '}']);
                length += 1;
                is_open
            })
            .copied()
            .collect();
        let code =
            part.iter().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join(" ");
        let flat = code_words(&code).join(" ");
        let is_closed = flat.matches(['{', '[']).count() == flat.matches(['}', ']']).count();
        if is_closed {
            found.push((at + 1, at + part.len(), flat.trim_end_matches(';').to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_of_other_files_are_read_to_their_ends() {
        let shown = |language: Language, text: &str| -> Vec<String> {
            exports(language, text)
                .into_iter()
                .map(|(from, to, text)| format!("{from}-{to} {text}"))
                .collect()
        };
        let script = "import { a } from \"./a\";\nexport {\n  b, // old\n  c,\n} from \"./b\";\nexport * from './d'\nexport default { a: 1 };\nexport default posix;\n";
        assert_eq!(
            shown(Language::TypeScript, script),
            ["2-5 export { b, c, } from \"./b\"", "6-6 export * from './d'", "8-8 export default posix"]
        );
        let rust = "mod a;\npub use a::{B, C};\nuse x;\n";
        assert_eq!(shown(Language::Rust, rust), ["2-2 pub use a::{B, C}"]);
        let python = "from .a import b\n__all__ = [\n    \"b\",\n]\n";
        assert_eq!(shown(Language::Python, python), ["2-4 __all__ = [ \"b\", ]"]);
        assert!(shown(Language::Go, "package a").is_empty());
    }
}
