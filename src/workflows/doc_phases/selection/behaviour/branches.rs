//! The branches around a line of a function. They are found by indentation, so code that is not indented has none.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::defaults::positions;
use super::heads::{
    BranchLabel, else_label, inner_function, inside_label, is_else, is_end_of_head, is_head, is_plain_block,
};
use super::is_indented;
use super::literals::is_balanced;
use super::mask::MaskedText;
use super::open_heads::{OpenHead, condition_behind, open_heads};
use crate::facts::visible;
use crate::repo::{FileOutline, Language, SymbolInfo};
use stategraph_base::has_secret;

/// Maximum of lines of a head.
const LINES: usize = 8;
/// Maximum of lines of a function that are read.
pub(super) const FUNCTION: usize = 600;

/// Returns code on one line, without leading `}`, a trailing `;` or `,`, and spaces inside brackets.
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
/// Maximum of further calls of one name in a function.
const FURTHER: usize = 8;

/// Another call of the same name in the function around a described call. Documents list both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FurtherCall {
    /// Line of the call, from 1.
    pub line: usize,
    /// Labels of the branches around the call, outer ones first; see [`BranchLabel`](super::BranchLabel).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// True if the receiver or path before the name is written alike, so that the same function is meant.
    pub is_same: bool,
}

/// Returns the last name of a path: `add` of `Shelf.add` and of `Shelf::add`.
fn last_name(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// Returns the byte position where a call begins with its path: `Shelf` of `Shelf::new(`; `name` is that of
/// `new`.
fn start_of_path(bare: &str, name: usize) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':' | '.' | '&' | '?' | '!');
    bare[..name].trim_end_matches(is_part).len()
}

/// Functions of a file and its masked text. Finds the branches (`if x`, `else`) around a line by indentation.
pub struct FileBranches<'a> {
    language: Language,
    text: MaskedText,
    /// Functions in the order of their lines.
    functions: Vec<&'a SymbolInfo>,
}

impl<'a> FileBranches<'a> {
    /// Collects the functions in the outline of a file, and masks comments and strings in its text.
    pub fn of(outline: &'a FileOutline, text: &str) -> Self {
        let all = outline.walk().map(|(_, symbol)| symbol);
        let mut functions: Vec<&SymbolInfo> = all.filter(|symbol| symbol.kind.is_callable()).collect();
        functions.sort_by_key(|symbol| symbol.line);
        Self { language: outline.language, text: MaskedText::of(outline.language, text), functions }
    }

    /// Returns the labels of the branches around the call of `name` in a line, outer ones first, at most 3;
    /// see [`BranchLabel`](super::BranchLabel). Of a call in an inner function, only those inside it.
    pub fn around(&self, line: usize, name: &str) -> Vec<String> {
        let before = self.functions.partition_point(|symbol| symbol.line <= line);
        let holds = |symbol: &SymbolInfo| symbol.line_end >= line;
        let near = self.functions[..before].iter().rev().take(NEAR);
        let mut around = near.filter(|symbol| holds(symbol));
        let Some(function) = around.next() else { return Vec::new() };
        let is_inner = around.any(|outer| outer.line < function.line && outer.line_end >= function.line_end);
        let lines = FunctionLines::of(self.language, function, &self.text);
        let own = self.text.line_in(line, &lines.whole);
        let bare = &self.text.bare[own.clone()];
        let last = last_name(name);
        let Some(found) = self.call_in(bare, last).or_else(|| positions(bare, last).next()) else {
            return Vec::new();
        };
        self.heads(&lines, line, own.start + start_of_path(bare, found), is_inner.then_some(function))
    }

    /// Returns the labels around a call at byte `at` of a line, outer ones first; none for a line that is too
    /// long. `inner` is the inner function that contains the call; it becomes the outermost label.
    fn heads(
        &self,
        lines: &FunctionLines<'_>,
        line: usize,
        at: usize,
        inner: Option<&SymbolInfo>,
    ) -> Vec<String> {
        if self.text.line_in(line, &lines.whole).len() > LINE {
            return Vec::new();
        }
        let mut heads = lines.chain(line, at);
        if let Some(inner) = inner
            && !heads.iter().any(|head| matches!(BranchLabel::of(head), BranchLabel::Inside(_)))
        {
            heads.insert(0, inside_label(&inner.name));
        }
        heads
    }

    /// Returns the byte position of the first call of `last` in `bare`, code without strings and comments.
    fn call_in(&self, bare: &str, last: &str) -> Option<usize> {
        positions(bare, last).find(|at| self.is_call(bare, *at, last))
    }

    fn is_call(&self, bare: &str, at: usize, last: &str) -> bool {
        let rest = &bare[at + last.len()..];
        // Ruby calls without brackets; a symbol, a variable and a key of arguments have signs beside their names.
        let is_bare = self.language == Language::Ruby
            && !bare[..at].ends_with([':', '@', '$'])
            && !rest.starts_with(':')
            && !rest.trim_start().starts_with("= ");
        is_bare || rest.starts_with(['(', '!', '<']) || rest.starts_with("::<")
    }

    /// Returns the calls of `name` in other lines of the outermost function around `line`; one a line, at
    /// most 8.
    pub fn further_calls(&self, line: usize, name: &str) -> Vec<FurtherCall> {
        let before = self.functions.partition_point(|symbol| symbol.line <= line);
        let near = self.functions[..before].iter().rev().take(NEAR);
        // The function that calls is the outermost one: a call inside an inner function counts as one of it.
        let mut around = near.filter(|symbol| symbol.line_end >= line);
        let Some(function) = around.next_back() else { return Vec::new() };
        let lines = FunctionLines::of(self.language, function, &self.text);
        let last = last_name(name);
        let path_in = |line: usize| {
            let bare = &self.text.bare[self.text.line_in(line, &lines.whole)];
            let at = self.call_in(bare, last)?;
            Some(bare[start_of_path(bare, at)..at].to_owned())
        };
        let own_path = path_in(line);
        let mut found = Vec::new();
        for number in function.line + 1..=function.line_end.min(function.line + FUNCTION) {
            if number == line {
                continue;
            }
            let own = self.text.line_in(number, &lines.whole);
            let bare = &self.text.bare[own.clone()];
            if bare.len() > LINE || inner_function(bare.trim()) == Some(last) {
                continue;
            }
            let Some(at) = self.call_in(bare, last) else { continue };
            let start = start_of_path(bare, at);
            // The receiver of a chained call stands in another line.
            let is_same = own_path.as_deref() == Some(&bare[start..at]) && !bare[start..at].starts_with('.');
            let inner = self.functions.iter().rev().find(|one| {
                (one.line..=one.line_end).contains(&number)
                    && one.line > function.line
                    && one.line_end <= function.line_end
            });
            let branches = self.heads(&lines, number, own.start + start, inner.copied());
            found.push(FurtherCall { line: number, branches, is_same });
            if found.len() == FURTHER {
                break;
            }
        }
        found
    }
}

/// Lines of one function in its file, from which the branches around a statement are found.
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

    /// Returns the head of the innermost branch around the statement at byte `at` of a line: `if x {`, or
    /// `else of` with the head of its condition. `None` without a branch, or if it cannot be determined.
    pub(super) fn branch(&self, line: usize, at: usize) -> Option<String> {
        let own = self.text.line_in(line, &self.whole);
        if let Some(head) = self.open_in(line, own.start..at).pop() {
            return head;
        }
        let mut depth = indent(self.bare(line))?;
        // The line of a chained call is not the beginning of its statement.
        let mut number = line;
        while number > self.first + 1 {
            number -= 1;
            let Some(outer) = indent(self.bare(number)).filter(|outer| *outer < depth) else { continue };
            let trimmed = self.bare(number).trim();
            // The last line of a head of several lines, such as `) {`.
            if self.ends_head(number) {
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
            if let Some(head) = self.open_at_end(number).pop() {
                return head;
            }
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

    /// Returns the labels of the innermost branches around the call at byte `at` of a line, outer ones first.
    /// A named inner function ends them and becomes a label. Omits long heads and possible secrets.
    fn chain(&self, line: usize, at: usize) -> Vec<String> {
        let own = self.text.line_in(line, &self.whole);
        let mut found: Vec<String> = self.open_in(line, own.start..at).into_iter().rev().flatten().collect();
        let behind = condition_behind(self.language, &self.text.bare[at..own.end]);
        found.extend(behind.map(|range| on_one_line(&self.text.code[at + range.start..at + range.end])));
        let (mut number, Some(mut depth)) = (line, indent(self.bare(line))) else { return found };
        while number > self.first + 1 && found.len() < BRANCHES {
            number -= 1;
            let Some(outer) = indent(self.bare(number)).filter(|outer| *outer < depth) else { continue };
            let mut start = number;
            if self.bare(number).len() <= LINE && self.ends_head(number) {
                let Some(begin) = self.start_of_head(number, outer) else {
                    depth = outer + 1;
                    continue;
                };
                start = begin;
            }
            let head = Some(self.bare(start)).filter(|line| line.len() <= LINE).unwrap_or_default().trim();
            let opens = self.bare(number).trim().ends_with(['{', ':']);
            let open = self.open_at_end(start);
            if is_else(head) {
                found.extend(self.otherwise(start, outer));
            } else if !open.is_empty() {
                found.extend(open.into_iter().rev().flatten());
            } else if self.shares_block(start) {
                // `case 'w': case '1':`: one of the labels alone would be wrong.
            } else if is_head(head) || opens && self.is_arm(head) {
                // A head without a block holds the next line alone.
                let is_near = |last: usize| (last + 1..line).all(|one| indent(self.bare(one)).is_none());
                let condition = || self.condition(start, line).filter(|(last, _)| is_near(*last));
                found.extend(self.head(start, line).or_else(|| Some(condition()?.1)));
            } else if let Some(name) = inner_function(head).filter(|_| start > self.first) {
                found.push(inside_label(name));
                break;
            }
            (depth, number) = (outer, start);
        }
        found.retain(|head| head.chars().count() <= CHARS && !has_secret(head) && visible(head) == *head);
        found.reverse();
        found
    }

    /// Returns true if the line is a `case` label directly behind another one; both share a block.
    fn shares_block(&self, line: usize) -> bool {
        let is_label = |line: &str| line.starts_with("case ") && line.ends_with(':');
        self.bare(line).trim().starts_with("case ") && self.line_before(line).is_some_and(is_label)
    }

    /// Returns true if the line ends a branch head of several lines, such as `) {`. A lone `{` behind a
    /// complete statement begins a block of its own.
    fn ends_head(&self, line: usize) -> bool {
        let bare = self.bare(line).trim();
        let is_own = || self.line_before(line).is_some_and(|before| before.ends_with([';', '{', '}', ',']));
        is_end_of_head(bare) && (bare != "{" || !is_own())
    }

    /// Returns the nearest line before `line` that is not empty, trimmed.
    fn line_before(&self, line: usize) -> Option<&str> {
        (self.first..line).rev().map(|at| self.bare(at).trim()).find(|line| !line.is_empty())
    }

    /// Returns the labels of the branches that open in this part of a line and do not close in it, outer ones
    /// first; `None` for a branch whose head cannot be determined.
    fn open_in(&self, line: usize, range: Range<usize>) -> Vec<Option<String>> {
        self.labels(line, &range, open_heads(self.language, self.short(&range), false))
    }

    /// Returns the labels of the branches that open in a line and are open at its end, outer ones first.
    fn open_at_end(&self, line: usize) -> Vec<Option<String>> {
        let range = self.text.line_in(line, &self.whole);
        self.labels(line, &range, open_heads(self.language, self.short(&range), true))
    }

    /// Returns this part of a line without strings and comments; an empty text if it is too long.
    fn short(&self, range: &Range<usize>) -> &str {
        if range.len() <= LINE { &self.text.bare[range.clone()] } else { "" }
    }

    fn labels(&self, line: usize, range: &Range<usize>, heads: Vec<OpenHead>) -> Vec<Option<String>> {
        let quote = |part: Range<usize>| {
            on_one_line(&self.text.code[range.start + part.start..range.start + part.end])
        };
        let label = |head| match head {
            OpenHead::Head(part) => {
                let head = quote(part);
                (!head.starts_with("case ") || !self.shares_block(line)).then_some(head)
            }
            OpenHead::ElseOf(part) => Some(else_label(&quote(part))),
            OpenHead::Else => self.otherwise(line, indent(self.bare(line))?),
        };
        heads.into_iter().map(label).collect()
    }

    /// Returns the branch head that begins in a line, up to the sign that opens its block, if it ends before
    /// `below`.
    fn head(&self, line: usize, below: usize) -> Option<String> {
        self.joined(line, below, |bare| {
            let signs = if is_indented(self.language) { &[':'][..] } else { &['{', ':'] };
            bare.ends_with(signs) || self.is_arm(bare) || self.language == Language::Ruby
        })
        // The last line of a pattern of several lines says nothing.
        .map(|(_, head)| head)
        .filter(|head| !head.starts_with("=>") && !head.starts_with('|'))
    }

    /// Returns the last line and the text of a condition without braces that begins in a line: `if (x)`.
    fn condition(&self, line: usize, below: usize) -> Option<(usize, String)> {
        let has_block = is_indented(self.language) || matches!(self.language, Language::Rust | Language::Go);
        if has_block { None } else { self.joined(line, below, |bare| bare.ends_with(')')) }
    }

    /// Joins lines from `line` on, above `below`, until the brackets are balanced and `is_whole` accepts the
    /// text. Returns the last of these lines and the text on one line; `None` after [`LINES`] lines.
    fn joined(&self, line: usize, below: usize, is_whole: impl Fn(&str) -> bool) -> Option<(usize, String)> {
        let start = self.text.line_in(line, &self.whole).start;
        let short = (line..below.min(line + LINES)).take_while(|last| self.bare(*last).len() <= LINE);
        short.into_iter().find_map(|last| {
            let range = start..self.text.line_in(last, &self.whole).end;
            let bare = self.text.bare[range.clone()].trim();
            let is_closed = is_balanced(bare.trim_start_matches('}').trim_end_matches('{'));
            (is_closed && is_whole(bare)).then(|| (last, on_one_line(&self.text.code[range])))
        })
    }

    /// Returns the line that begins the head which ends in line `last`: the nearest one indented by `depth`.
    fn start_of_head(&self, last: usize, depth: usize) -> Option<usize> {
        (self.first..last).rev().take(12).find(|number| {
            let line = self.bare(*number);
            indent(line) == Some(depth) && !line.trim().starts_with([')', ']', '}'])
        })
    }

    /// Returns the label of the `else` in line `number`, which is indented by `depth`: `else of` with the
    /// head of its condition, or the whole text of a `let … else {` of Rust.
    fn otherwise(&self, number: usize, depth: usize) -> Option<String> {
        let mut found = (self.first..number).rev().find(|at| indent(self.bare(*at)) == Some(depth))?;
        if self.bare(found).trim() == "{" {
            found = self.start_of_head(found, depth)?;
        }
        let line = self.bare(found);
        let head = line.trim_start().trim_start_matches(['}', ' ']);
        if head.starts_with("let ") && self.language == Language::Rust {
            // `}` closes the value of `let x = if a {`, which no `let … else` has.
            if self.bare(number).trim_start().starts_with('}') {
                let open = self.open_at_end(found).pop()??;
                return open.starts_with("if ").then(|| else_label(&open));
            }
            let whole = self.text.line(found).start..self.text.line(number).end;
            return Some(on_one_line(&self.text.code[whole]));
        }
        let is_condition =
            ["if ", "if(", "elif ", "else if ", "elsif "].iter().any(|word| head.starts_with(word));
        let head = self.head(found, number).or_else(|| Some(self.condition(found, number)?.1));
        Some(else_label(&head.filter(|_| is_condition)?))
    }
}

/// Returns the indentation of a line, in bytes; `None` for an empty line.
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
    fn a_block_of_its_own_is_no_branch_of_the_condition_before_it() {
        let c = "void f(void) {\n    if (a) {\n        one();\n    }\n    {\n        two();\n    }\n    if (b)\n    {\n        three();\n    }\n}\n";
        let of = |call| around(Language::C, "a.c", c, call);
        assert_eq!([of("one"), of("two"), of("three")], ["if (a) {", "", "if (b) {"]);
    }

    #[test]
    fn calls_in_arms_and_conditions_of_one_line_have_their_labels() {
        let rust = "fn f(a: A) {\n    match a {\n        A::One => Ok(one()),\n        A::Two => Some(\n            two(),\n        ),\n    };\n    let x = if a {\n        three()\n    } else {\n        four()\n    };\n    let y = offset(a) + set(b);\n}\n";
        let of = |call| around(Language::Rust, "a.rs", rust, call);
        assert_eq!([of("one"), of("two")], ["A::One =>", "A::Two =>"]);
        assert_eq!([of("three"), of("four"), of("set")], ["if a {", "else of if a {", ""]);
        let script = "function f(a) {\n  if (a) return one();\n  return a ? two() : three();\n}\n";
        let of = |call| around(Language::JavaScript, "a.js", script, call);
        assert_eq!([of("one"), of("two"), of("three")], ["if (a)", "a ?", "else of a ?"]);
        let python = "def f(a):\n    return one() if a else two()\n";
        assert_eq!(around(Language::Python, "a.py", python, "one"), "if a");
    }

    #[test]
    fn a_call_is_found_as_a_word_of_its_line() {
        let rust = "fn f(a: A) {\n    if is_open(a) { open(a) }\n}\n";
        let outline = crate::repo::outline(Language::Rust, "a.rs", rust);
        let file = FileBranches::of(&outline, rust);
        assert_eq!([file.around(2, "is_open"), file.around(2, "open")].concat(), ["if is_open(a) {"]);
    }

    #[test]
    fn a_label_that_shares_its_block_with_another_is_not_told_alone() {
        let c = "int main(int argc, char **argv) {\n\tswitch (ch) {\n\t\tcase 'w': /* fall through */\n\t\tcase '1':\n\t\t\tadd(p);\n\t\t\tbreak;\n\t\tcase 'b':\n\t\t\tresolve(q);\n\t\t\tbreak;\n\t}\n}\n";
        let of = |call| around(Language::C, "a.c", c, call);
        assert_eq!([of("add").as_str(), of("resolve").as_str()], ["", "case 'b':"]);
        let c = "int main(int argc, char **argv) {\n\tswitch (ch) {\n\t\tcase 'w':\n\t\tcase '1': add(p); break;\n\t\tcase 'b': if (q) {\n\t\t\tresolve(q);\n\t\t}\n\t}\n}\n";
        let of = |call| around(Language::C, "a.c", c, call);
        assert_eq!([of("add").as_str(), of("resolve").as_str()], ["", "case 'b': / if (q) {"]);
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
