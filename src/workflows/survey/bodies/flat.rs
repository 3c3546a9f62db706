//! The body of a short function as it is written, on one line. Used where the notation of `whole` does not fit, such as
//! for closures.

use super::lines::{LONG_LINE, is_comment};
use super::statements::{body_start, depth_of};
use super::whole::{BodyLines, sets_field};
use crate::repo::Language;

/// Minimum number of bytes of a line with code, on average.
const BYTES_OF_LINE: usize = 18;
/// Minimum length of a body with one statement, in bytes.
const ONE: usize = 16;

/// Returns the code between the signature and the end of a short function, with `; ` at line ends that end a statement.
/// `None` for a body of more than `most` bytes, for languages in which indentation means something, and for a body with parts that are not
/// code: texts of several lines, a preprocessor, functions for which `is_other` returns true. `None` too for one that only sets its
/// own fields.
pub(super) fn body(lines: &BodyLines<'_>, is_other: &dyn Fn(usize) -> bool) -> Option<String> {
    let BodyLines { language, statements, most, .. } = *lines;
    let tells = !statements.iter().all(|it| sets_field(&it.text));
    if matches!(language, Language::Python | Language::Bash) || !tells {
        return None;
    }
    let start = body_start(language, lines.code);
    let last = lines.code.iter().rposition(|line| !line.is_empty())?;
    let is_closed = match language {
        Language::Ruby => lines.code[last] == "end",
        _ => {
            lines.code[last].starts_with('}')
                && lines.code[last].trim_matches(['}', ')', ';', ',']).is_empty()
        }
    };
    let before = lines.code.get(..start)?.join(" ");
    let is_signature = language == Language::Ruby || depth_of(&before, &['{'], &['}']) == 1;
    if start >= last || !is_closed || !is_signature || last - start > 2 * most / BYTES_OF_LINE {
        return None;
    }
    let mut text = String::new();
    let mut count = 0;
    for at in start..last {
        let (raw, code) = (lines.raw[at].trim(), lines.code[at]);
        if code.is_empty() {
            let is_left_out = !raw.is_empty() && !is_comment(language, raw);
            let is_directive = raw.starts_with('#') && language != Language::Ruby;
            if is_left_out || is_directive {
                return None;
            }
            continue;
        }
        if code == LONG_LINE || is_other(at) || !has_whole_texts(code) {
            return None;
        }
        if !text.is_empty() {
            text.push_str(if ends_statement(language, &text, code) { "; " } else { " " });
        }
        text.push_str(code);
        count += 1;
    }
    let is_whole = depth_of(&text, &['(', '[', '{'], &[')', ']', '}']) == 0;
    // A single name or field is a getter.
    let is_getter = !text.trim_start_matches("return ").contains(['(', '=', ' ', '[']);
    let is_telling = statements.len() > 1 || text.len() >= ONE && !is_getter;
    (is_whole && is_telling && count <= most / BYTES_OF_LINE && text.len() <= most).then_some(text)
}

/// Returns true if no text literal of a line goes on behind its end.
fn has_whole_texts(line: &str) -> bool {
    !line.ends_with('\\') && ['"', '`'].iter().all(|quote| count_quotes(line, *quote).is_multiple_of(2))
}

/// Returns the number of quotes of this kind in a line, without those behind a backslash.
fn count_quotes(line: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let mut count = 0;
    for c in line.chars() {
        count += usize::from(c == quote && !is_escaped);
        is_escaped = c == '\\' && !is_escaped;
    }
    count
}

/// Returns true if a statement ends between two lines of code, in a language where the end of a line can end one.
fn ends_statement(language: Language, before: &str, next: &str) -> bool {
    let can_end = matches!(
        language,
        Language::Go | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Ruby
    );
    let is_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    // A name of Ruby may end with `?`.
    let is_predicate = language == Language::Ruby && before.ends_with('?') && !before.ends_with(" ?");
    let goes_on = before.ends_with([
        ';', ',', '{', '(', '[', ':', '=', '+', '*', '&', '|', '?', '.', '<', '-', '/', '\\', '>',
    ]) && !before.ends_with("++")
        && !before.ends_with("--")
        && !is_predicate
        // The end of a block.
        || is_script && before.ends_with('}') && before.contains(';');
    let is_continued = next.starts_with(['.', ')', ']', '}', '?', ':', '&', '|', '+', '*', ',', '='])
        || ["else", "catch", "finally", "while ("]
            .iter()
            .any(|word| next.starts_with(word) && before.ends_with('}'));
    let word = before.rsplit([' ', ';']).next().unwrap_or_default();
    // `do |name|`
    let begins = language == Language::Ruby
        && (matches!(word, "do" | "then" | "else" | "begin" | "ensure") || before.ends_with('|'));
    can_end && !goes_on && !is_continued && !begins
}

#[cfg(test)]
mod tests {
    use super::super::lines::code_lines;
    use super::super::statements::statements;
    use super::*;

    fn flat(language: Language, text: &str) -> Option<String> {
        let raw: Vec<&str> = text.lines().collect();
        let code = code_lines(language, &raw);
        let statements = statements(language, &raw, &code);
        body(&BodyLines { language, raw: &raw, code: &code, statements: &statements, most: 400 }, &|_| false)
    }

    #[test]
    fn a_body_with_closures_is_one_line_of_the_same_code() {
        for (language, text, expected) in [
            (
                Language::Rust,
                "fn find(&self, name: &Name) -> Result<App> {\n    self.of_user(name)\n        .or_else(|_| {\n            let any = name.any(); // all\n            self.of_user(&any)\n        })\n}",
                "self.of_user(name) .or_else(|_| { let any = name.any(); self.of_user(&any) })",
            ),
            (
                Language::Go,
                "func each(all []int) int {\n\tsum := 0\n\tvisit(all, func(one int) {\n\t\tsum += one\n\t})\n\treturn sum\n}",
                "sum := 0; visit(all, func(one int) { sum += one }); return sum",
            ),
            (
                Language::TypeScript,
                "function load(path: string) {\n  const seen = new Set()\n  return walk(path, (one) => {\n    seen.add(one)\n    return seen.size\n  })\n}",
                "const seen = new Set(); return walk(path, (one) => { seen.add(one); return seen.size })",
            ),
            (
                Language::Ruby,
                "def each(all)\n  all.each do |one|\n    yield one if one.shown?\n    count\n  end\n  self\nend",
                "all.each do |one| yield one if one.shown?; count; end; self",
            ),
        ] {
            assert_eq!(flat(language, text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_body_that_one_line_cannot_hold_is_not_shown() {
        assert_eq!(flat(Language::Python, "def f(a):\n    return a"), None);
        assert_eq!(flat(Language::C, "int f(int a) {\n#ifdef X\n  a++;\n#endif\n  return a;\n}"), None);
        assert_eq!(flat(Language::JavaScript, "function f() {\n  return `a\n  b`\n}"), None);
        assert_eq!(
            flat(Language::Rust, "fn f() { a();\n b();\n}"),
            None,
            "code on the line of the signature"
        );
        assert_eq!(flat(Language::Rust, &format!("fn f() {{\n{}}}", "    call_it();\n".repeat(40))), None);
    }
}
