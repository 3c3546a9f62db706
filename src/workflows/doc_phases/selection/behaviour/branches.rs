//! The branches around a line of a function. They are found by indentation, so code that is not indented has none.

use std::ops::Range;

use super::is_indented;
use super::literals::{is_balanced, trimmed};
use super::mask::MaskedText;
use crate::facts::visible;
use crate::repo::{FileOutline, Language, SymbolInfo};
use stategraph_base::has_secret;

/// Maximum of lines of a head.
const LINES: usize = 8;
/// Maximum of lines of a function that are read.
pub(super) const FUNCTION: usize = 600;

/// Joins the lines of a piece of code.
pub(super) fn on_one_line(text: &str) -> String {
    // A backslash of Python continues a line.
    let words = text.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ");
    let words = words.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")");
    words.trim_start_matches(['}', ' ']).trim_end_matches([';', ',']).to_owned()
}

/// Maximum of branches around a line; inner ones are kept.
const BRANCHES: usize = 3;
/// Maximum length of a branch, in characters.
const CHARS: usize = 120;
/// Maximum length of a line that is read, in bytes: longer ones are made by programs.
const LINE: usize = 1_000;
/// Maximum of functions before a line that may hold it.
const NEAR: usize = 50;

/// The functions of a file, to find the branches around any line.
pub struct FileBranches<'a> {
    language: Language,
    text: MaskedText,
    /// Functions in the order of their lines.
    functions: Vec<&'a SymbolInfo>,
}

impl<'a> FileBranches<'a> {
    /// Reads the functions of a file.
    pub fn of(outline: &'a FileOutline, text: &str) -> Self {
        let all = outline.walk().map(|(_, symbol)| symbol);
        let mut functions: Vec<&SymbolInfo> = all.filter(|symbol| symbol.kind.is_callable()).collect();
        functions.sort_by_key(|symbol| symbol.line);
        Self { language: outline.language, text: MaskedText::of(outline.language, text), functions }
    }

    /// Returns the heads of the branches around a call of `name` in a line, outer ones first: `if x`, `else of if x`, `Some(x) =>`. A function
    /// inside the function is `inside NAME`, and branches around it are left out.
    pub fn around(&self, line: usize, name: &str) -> Vec<String> {
        let before = self.functions.partition_point(|symbol| symbol.line <= line);
        let holds = |symbol: &SymbolInfo| symbol.line_end >= line;
        let near = self.functions[..before].iter().rev().take(NEAR);
        let mut around = near.filter(|symbol| holds(symbol));
        let Some(function) = around.next() else { return Vec::new() };
        let is_inner = around.any(|outer| outer.line < function.line && outer.line_end >= function.line_end);
        let lines = FunctionLines::of(self.language, function, &self.text);
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let own = self.text.line_in(line, &lines.whole);
        if own.len() > LINE {
            return Vec::new();
        }
        let found = self.text.bare[own.clone()].find(last).unwrap_or_default();
        // The call begins with its path: `Shelf::` of `Shelf::new`.
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':' | '.' | '&' | '?' | '!');
        let path = self.text.bare[own.start..own.start + found].trim_end_matches(is_part);
        let at = own.start + path.len();
        let mut heads = lines.chain(line, at);
        if is_inner && !heads.first().is_some_and(|head| head.starts_with(INSIDE)) {
            heads.insert(0, format!("{INSIDE}{}", function.name));
        }
        heads
    }
}

/// The lines of a function, to find the branch around a statement.
pub(super) struct FunctionLines<'a> {
    language: Language,
    text: &'a MaskedText,
    pub(super) whole: Range<usize>,
    /// The line with the head of the function.
    first: usize,
}

impl<'a> FunctionLines<'a> {
    pub(super) fn of(language: Language, function: &SymbolInfo, text: &'a MaskedText) -> Self {
        Self { language, text, whole: text.range_of(function, FUNCTION), first: function.line }
    }
}

impl FunctionLines<'_> {
    fn bare(&self, line: usize) -> &str {
        &self.text.bare[self.text.line_in(line, &self.whole)]
    }

    fn is_arm(&self, head: &str) -> bool {
        self.language == Language::Rust && (head.ends_with("=> {") || head.ends_with("=>"))
    }

    /// Returns the head of the innermost branch around the statement at `at`; `None` if there is none, or if it cannot be told.
    pub(super) fn branch(&self, line: usize, at: usize) -> Option<String> {
        let own = self.text.line_in(line, &self.whole);
        if let Some(head) = self.head_before(own.start..at) {
            return Some(on_one_line(head));
        }
        let mut depth = indent(self.bare(line))?;
        // The line of a chained call is not the beginning of its statement.
        let mut number = line;
        while number > self.first + 1 {
            number -= 1;
            let Some(outer) = indent(self.bare(number)).filter(|outer| *outer < depth) else { continue };
            let trimmed = self.bare(number).trim();
            // The last line of a head of several lines, such as `) {`.
            if is_end_of_head(trimmed) {
                depth = outer + 1;
                if let Some(start) = self.start_of_head(number, outer) {
                    number = start;
                    if is_head(self.bare(start)) {
                        return self.head(start, line);
                    }
                }
                continue;
            }
            if is_else(trimmed) {
                return self.otherwise(number, outer);
            }
            let opens = if is_indented(self.language) {
                trimmed.ends_with(':')
            } else {
                trimmed.ends_with(['{', ':'])
            };
            let is_let = trimmed.ends_with("else {") && trimmed.starts_with("let ");
            if is_head(trimmed) || opens && (self.is_arm(trimmed) || is_let) {
                let is_near = |last: usize| (last + 1..line).all(|one| indent(self.bare(one)).is_none());
                let condition = || self.condition(number, line).filter(|(last, _)| is_near(*last));
                if let Some(head) = self.head(number, line).or_else(|| Some(condition()?.1)) {
                    return Some(head);
                }
            }
            if opens && !is_plain_block(trimmed) {
                return None;
            }
            depth = outer;
        }
        None
    }

    /// Returns the heads of all branches around the call at `at`, outer ones first, up to the function or to a named function inside it.
    fn chain(&self, line: usize, at: usize) -> Vec<String> {
        let own = self.text.line_in(line, &self.whole);
        // A call in a condition is in no branch of it.
        let is_closed = |head: &&str| {
            let bare = head.trim();
            bare.ends_with(['{', '>', ':', ')'])
                && is_balanced(bare.trim_start_matches(['}', ' ']).trim_end_matches('{'))
        };
        let before = self.head_before(own.start..at).filter(is_closed);
        let mut found: Vec<String> = before.map(on_one_line).into_iter().collect();
        let (mut number, Some(mut depth)) = (line, indent(self.bare(line))) else { return found };
        while number > self.first + 1 && found.len() < BRANCHES {
            number -= 1;
            let Some(outer) = indent(self.bare(number)).filter(|outer| *outer < depth) else { continue };
            let mut start = number;
            if self.bare(number).len() <= LINE && is_end_of_head(self.bare(number).trim()) {
                let Some(begin) = self.start_of_head(number, outer) else {
                    depth = outer + 1;
                    continue;
                };
                start = begin;
            }
            let head = Some(self.bare(start)).filter(|line| line.len() <= LINE).unwrap_or_default().trim();
            let opens = self.bare(number).trim().ends_with(['{', ':']);
            if is_else(head) {
                found.extend(self.otherwise(start, outer));
            } else if self.shares_block(start) {
                // `case 'w': case '1':`: one of the labels alone would be wrong.
            } else if is_head(head) || opens && self.is_arm(head) {
                // A head without a block holds the next line alone.
                let is_near = |last: usize| (last + 1..line).all(|one| indent(self.bare(one)).is_none());
                let condition = || self.condition(start, line).filter(|(last, _)| is_near(*last));
                found.extend(self.head(start, line).or_else(|| Some(condition()?.1)));
            } else if let Some(arm) = self.arm_of_block(start).filter(|_| opens) {
                found.push(arm);
            } else if let Some(name) = inner_function(head).filter(|_| start > self.first) {
                found.push(format!("{INSIDE}{name}"));
                break;
            }
            (depth, number) = (outer, start);
        }
        found.retain(|head| head.chars().count() <= CHARS && !has_secret(head) && visible(head) == *head);
        found.reverse();
        found
    }

    /// Returns true for a label directly behind another one.
    fn shares_block(&self, line: usize) -> bool {
        let is_label = |line: &str| line.starts_with("case ") && line.ends_with(':');
        let before = (self.first..line).rev().map(|at| self.bare(at).trim()).find(|line| !line.is_empty());
        is_label(self.bare(line).trim()) && before.is_some_and(is_label)
    }

    /// Returns the arm of a line of Rust whose value is a block: `A =>` of `A => match b {`.
    fn arm_of_block(&self, line: usize) -> Option<String> {
        let range = self.text.line_in(line, &self.whole);
        let end = self.bare(line).find("=> ").filter(|_| self.language == Language::Rust)?;
        is_balanced(&self.text.bare[range.start..range.start + end])
            .then(|| on_one_line(&self.text.code[range.start..range.start + end + 2]))
    }

    /// Returns the head on the line of a statement: `if (x) throw …`, `None => return Err(…)`, `if (x) { a(); throw …`.
    fn head_before(&self, range: Range<usize>) -> Option<&str> {
        let range = trimmed(self.text, range);
        let (bare, code) = (&self.text.bare[range.clone()], &self.text.code[range]);
        let end = if bare.ends_with(['}', ';']) { bare.rfind('{')? + 1 } else { bare.len() };
        let head = &bare[..end];
        let is_let = self.language == Language::Rust && head.starts_with("let ") && head.ends_with("else {");
        // Behind `if (x) {} else {` stands another branch.
        let is_one_head = !head.trim_end_matches('{').trim_start_matches('}').contains(['{', '}']);
        let is_open = !bare[end..].contains('}');
        (is_open && (is_let || self.is_arm(head) || is_head(head) && is_one_head)).then_some(&code[..end])
    }

    /// Returns the head that begins in a line, to the sign that opens its block above line `below`.
    fn head(&self, line: usize, below: usize) -> Option<String> {
        self.joined(line, below, |bare| {
            let signs = if is_indented(self.language) { &[':'][..] } else { &['{', ':'] };
            bare.ends_with(signs) || self.is_arm(bare) || self.language == Language::Ruby
        })
        // The last line of a pattern of several lines says nothing.
        .map(|(_, head)| head)
        .filter(|head| !head.starts_with("=>"))
    }

    /// Returns the condition without a block that begins in a line, and its last line: `if (x)`.
    fn condition(&self, line: usize, below: usize) -> Option<(usize, String)> {
        let has_block = is_indented(self.language) || matches!(self.language, Language::Rust | Language::Go);
        if has_block { None } else { self.joined(line, below, |bare| bare.ends_with(')')) }
    }

    /// Joins lines until their brackets close and the text is whole, above line `below`. Returns the last of them too.
    fn joined(&self, line: usize, below: usize, is_whole: impl Fn(&str) -> bool) -> Option<(usize, String)> {
        let start = self.text.line_in(line, &self.whole).start;
        (line..below.min(line + LINES)).find_map(|last| {
            let range = start..self.text.line_in(last, &self.whole).end;
            let bare = self.text.bare[range.clone()].trim();
            let is_closed = is_balanced(bare.trim_start_matches('}').trim_end_matches('{'));
            (is_closed && is_whole(bare)).then(|| (last, on_one_line(&self.text.code[range])))
        })
    }

    /// Returns the line that begins the head which ends in line `last`.
    fn start_of_head(&self, last: usize, depth: usize) -> Option<usize> {
        (self.first..last).rev().take(12).find(|number| {
            let line = self.bare(*number);
            indent(line) == Some(depth) && !line.trim().starts_with([')', ']', '}'])
        })
    }

    /// Returns `else of HEAD` for the branch of the condition that did not hold, and the whole of `let … else {`.
    fn otherwise(&self, number: usize, depth: usize) -> Option<String> {
        let mut found = (self.first..number).rev().find(|at| indent(self.bare(*at)) == Some(depth))?;
        if self.bare(found).trim() == "{" {
            found = self.start_of_head(found, depth)?;
        }
        let head = self.bare(found).trim_start().trim_start_matches(['}', ' ']);
        if head.starts_with("let ") && self.language == Language::Rust {
            let whole = self.text.line(found).start..self.text.line(number).end;
            return Some(on_one_line(&self.text.code[whole]));
        }
        let is_condition =
            ["if ", "if(", "elif ", "else if ", "elsif "].iter().any(|word| head.starts_with(word));
        let head = self.head(found, number).or_else(|| Some(self.condition(found, number)?.1));
        let head = head.filter(|_| is_condition)?;
        Some(format!("{ELSE_OF}{}", head.trim_start_matches(['}', ' '])))
    }
}

/// Beginning of the label of a function inside a function.
pub const INSIDE: &str = "inside ";
/// Beginning of the label of the branch of a condition that did not hold.
pub const ELSE_OF: &str = "else of ";

/// Returns true for the last line of a head of several lines, such as `) {`.
fn is_end_of_head(line: &str) -> bool {
    line.starts_with([')', ']', '>']) || line == "{"
}

/// Returns the name of the function that a line defines: `function a(`, `def a(`, `const a = () => {`, `a := func() {`, `let a = |x| {`.
fn inner_function(head: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let name = |rest: &'_ str| -> usize { rest.find(|c| !is_part(c)).unwrap_or(rest.len()) };
    let words = ["function ", "function* ", "def ", "fn "];
    let bare = ["export ", "async ", "pub ", "const ", "unsafe "]
        .iter()
        .fold(head, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    if let Some(rest) = words.iter().find_map(|word| bare.strip_prefix(word)) {
        return Some(&rest[..name(rest)]).filter(|name| !name.is_empty());
    }
    let (target, value) = head.split_once(":= ").or_else(|| head.split_once("= "))?;
    let value = value.trim_start();
    let is_function =
        ["func(", "function", "async function", "lambda ", "|", "move |", "async |", "async move"]
            .iter()
            .any(|start| value.starts_with(start))
            || value.starts_with(['(', 'a']) && value.contains("=>");
    let target = ["const ", "let ", "var ", "mut "]
        .iter()
        .fold(target.trim(), |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let target = &target[..name(target)];
    (is_function && !target.is_empty()).then_some(target)
}

fn is_else(head: &str) -> bool {
    matches!(head.trim_start_matches(['}', ' ']), "else:" | "else {" | "else")
}

/// Returns true for the head of a branch, at the beginning of a line.
fn is_head(line: &str) -> bool {
    const WORDS: [&str; 16] = [
        "if ", "if(", "elif ", "else if ", "else if(", "elsif ", "elseif ", "unless ", "except ", "except:",
        "catch ", "catch(", "rescue", "case ", "when ", "default:",
    ];
    let line = line.trim_start().trim_start_matches(['}', ' ']);
    WORDS.iter().any(|word| line.starts_with(word))
}

/// Returns true for a block that is always entered, or entered once for each item.
fn is_plain_block(head: &str) -> bool {
    const WORDS: [&str; 14] = [
        "for ", "for(", "while ", "loop ", "try", "with ", "unsafe ", "do", "match ", "switch ", "select ",
        "return ", "let ", "{",
    ];
    let head = head.trim_start_matches(['}', ' ']);
    WORDS.iter().any(|word| head.starts_with(word))
}

/// Returns the indentation of a line; `None` for an empty one.
fn indent(line: &str) -> Option<usize> {
    let bare = line.trim_start();
    (!bare.is_empty()).then(|| line.len() - bare.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(language: Language, path: &str, text: &str, call: &str) -> String {
        let outline = crate::repo::outline(language, path, text);
        let line = text.lines().position(|line| line.contains(call)).expect("the call") + 1;
        FileBranches::of(&outline, text).around(line, call).join(" / ")
    }

    #[test]
    fn a_call_stands_in_its_branches_and_not_in_its_own_condition() {
        let rust = "fn f(a: A) {\n    if let Some(b) = a.open() {\n        match b {\n            B::One => match c {\n                None => B::fail(),\n                _ => {\n                    close();\n                }\n            },\n        }\n    }\n    done();\n}\n";
        let of = |call| around(Language::Rust, "a.rs", rust, call);
        assert_eq!(of("open"), "");
        assert_eq!(of("fail"), "if let Some(b) = a.open() { / B::One => / None =>");
        assert_eq!(of("close"), "if let Some(b) = a.open() { / B::One => / _ => {");
        assert_eq!(of("done"), "");
        let go = "package a\n\nfunc f() {\n\tif a {\n\t\tg()\n\t} else if b {\n\t\tx()\n\t} else {\n\t\th()\n\t}\n\tif err := i(); err != nil {\n\t}\n}\n";
        let of = |call| around(Language::Go, "a.go", go, call);
        assert_eq!(of("g()"), "if a {");
        assert_eq!(of("h()"), "else of else if b {");
        assert_eq!(of("i()"), "");
    }

    #[test]
    fn a_label_that_shares_its_block_with_another_is_not_told_alone() {
        let c = "int main(int argc, char **argv) {\n\tswitch (ch) {\n\t\tcase 'w': /* fall through */\n\t\tcase '1':\n\t\t\tadd(p);\n\t\t\tbreak;\n\t\tcase 'b':\n\t\t\tresolve(q);\n\t\t\tbreak;\n\t}\n}\n";
        let of = |call| around(Language::C, "a.c", c, call);
        assert_eq!([of("add").as_str(), of("resolve").as_str()], ["", "case 'b':"]);
    }

    #[test]
    fn a_call_in_a_named_function_inside_is_that_of_the_inner_one() {
        let script = "export function outer() {\n  async function inner(a) {\n    if (a) {\n      one();\n    }\n  }\n  const other = async (\n    b,\n  ) => {\n    two();\n  };\n  three();\n}\n";
        let of = |call| around(Language::TypeScript, "a.ts", script, call);
        assert_eq!(of("one"), "inside inner / if (a) {");
        assert_eq!(of("two"), "inside other");
        assert_eq!(of("three"), "");
        let python = "def outer():\n    def inner():\n        one()\n    if a:\n        two()\n    else:\n        three()\n";
        let of = |call| around(Language::Python, "a.py", python, call);
        assert_eq!([of("one"), of("two"), of("three")], ["inside inner", "if a:", "else of if a:"]);
    }
}
