//! The code of definitions with its documentation, line by line as it is written. Texts are made safe to quote; what tells most for
//! its length comes first when the bytes do not suffice.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stategraph_base::redact_secrets;

use super::behaviour::is_overload_stub;
use crate::facts::{FactKind, FactValue, Facts, PathRole};
use crate::repo::{CodeBase, CodeTree, FileOutline, Language, SymbolInfo, SymbolKind, Visibility};
use crate::workflows::survey::bodies::read_body;
use crate::workflows::survey::functions::CallTable;
use crate::workflows::survey::quoted::is_refused;

/// Maximum number of lines of a quotation of a function, of a type or of the beginning of a class, and of a constant.
const FUNCTION_LINES: usize = 200;
const TYPE_LINES: usize = 120;
/// Number of lines below which a type is one quotation with its functions.
const SMALL_TYPE: usize = 24;
const VALUE_LINES: usize = 24;
/// Maximum number of lines of a text that explains the use of a program.
const USAGE_LINES: usize = 120;
/// Maximum number of lines of the documentation of a definition.
const DOC_LINES: usize = 60;
/// Number of lines from which on a single statement is more than a call.
const CHAIN: usize = 5;
/// Names of functions that most types have, and that say little about one.
const COMMON: [&str; 8] =
    ["equals", "hashCode", "toString", "Equals", "GetHashCode", "ToString", "__hash__", "__repr__"];
/// Maximum number of lines of a script without functions that is quoted.
const SCRIPT_LINES: usize = 80;
/// Maximum length of a quoted line, in bytes.
const LINE: usize = 240;
/// Maximum number of definitions of one file that are considered.
const DEFINITIONS: usize = 600;
/// Number of functions of one form from which on the others weigh less, or are only named if they are short.
const OF_ONE_FORM: usize = 2;
/// Maximum number of lines of a short function, without its documentation.
const SHORT_FUNCTION: usize = 8;
/// Minimum number of signs of a form that can be repeated.
const FORM: usize = 12;
/// Power of the number of lines that a value is divided by: long functions tell more, but not as much more as they are longer.
const LENGTH_POWER: f64 = 0.3;
/// Mark for text that is left out.
const LEFT_OUT: &str = "…";

/// Code of a definition, or of neighbouring constants, as a file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotedCode {
    /// Qualified names of what the code defines, such as `Shelf.add`; empty for the code of a script.
    pub names: Vec<String>,
    /// First and last line of the definition, from 1.
    pub lines: (usize, usize),
    /// The code, without the indentation that all of its lines share.
    pub text: String,
    /// Number of its lines that are no documentation of a definition.
    #[serde(skip)]
    code_lines: usize,
    /// Number of lines at its end that are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_lines: usize,
    /// Short functions of the same file whose code differs from this by names, calls and texts alone, with their lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<(String, (usize, usize))>,
    /// Importance for its length; code with a greater number is quoted first.
    pub weight: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Code of definitions by file, in the order of the lines.
pub type CodeByFile = BTreeMap<String, Vec<QuotedCode>>;

/// Returns the code of the product's definitions within `left` bytes, and the number of quotations that did not fit.
pub(super) fn of_product(
    code: &CodeBase,
    facts: &Facts,
    outlines: &[Arc<FileOutline>],
    mut left: usize,
) -> (CodeByFile, usize) {
    let calls = CallTable::of(facts);
    let entries = entry_files(facts);
    let mut all: Vec<(&str, QuotedCode)> = Vec::new();
    let mut forms: Vec<String> = Vec::new();
    for outline in outlines.iter().filter(|outline| PathRole::of(&outline.path) == PathRole::Runtime) {
        let Ok((_, text)) = code.text(&outline.path) else { continue };
        let Some(tree) = CodeTree::parse(outline.language, &text) else { continue };
        let reader = CodeReader {
            outline,
            lines: text.lines().collect(),
            starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect(),
            docs: Vec::new(),
            tree,
            calls: &calls,
            found: Vec::new(),
        };
        let is_script = entries.contains(&outline.path.as_str());
        for (quoted, form) in reader.read(is_script) {
            all.push((outline.path.as_str(), quoted));
            forms.push(form);
        }
    }
    name_alike(&mut all, &mut forms);
    lower_repeated(&mut all, &forms);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(all[*at].1.weight));
    let mut is_kept = vec![false; all.len()];
    for at in order {
        let size = all[at].1.text.len() * 11 / 10 + 120;
        if let Some(rest) = left.checked_sub(size) {
            left = rest;
            is_kept[at] = true;
        }
    }
    let omitted = is_kept.iter().filter(|is_kept| !**is_kept).count();
    let mut found = CodeByFile::new();
    for ((path, quoted), _) in all.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept) {
        found.entry(path.to_owned()).or_default().push(quoted);
    }
    (found, omitted)
}

/// Keeps of the short functions of one file and form the best [`OF_ONE_FORM`], and names the others at the first of these.
fn name_alike(all: &mut Vec<(&str, QuotedCode)>, forms: &mut Vec<String>) {
    let mut groups: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (at, form) in forms.iter().enumerate().filter(|(_, form)| form.len() >= FORM / 2) {
        let (path, quoted) = &all[at];
        if quoted.code_lines <= SHORT_FUNCTION && quoted.names.len() == 1 {
            groups.entry((path, form)).or_default().push(at);
        }
    }
    let mut is_named = vec![false; all.len()];
    for mut group in groups.into_values().filter(|group| group.len() > OF_ONE_FORM + 1) {
        group.sort_by_key(|at| (std::cmp::Reverse(all[*at].1.weight), *at));
        let mut others = group.split_off(OF_ONE_FORM);
        others.sort_unstable();
        let named: Vec<(String, (usize, usize))> =
            others.iter().map(|at| (all[*at].1.names[0].clone(), all[*at].1.lines)).collect();
        others.iter().for_each(|at| is_named[*at] = true);
        all[group[0]].1.alike = named;
    }
    let mut index = 0;
    forms.retain(|_| {
        index += 1;
        !is_named[index - 1]
    });
    let mut index = 0;
    all.retain(|_| {
        index += 1;
        !is_named[index - 1]
    });
}

/// Lowers the weights of functions of one form behind the best [`OF_ONE_FORM`]: they say the same again. `forms` has the form of each.
fn lower_repeated(all: &mut [(&str, QuotedCode)], forms: &[String]) {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, form) in forms.iter().enumerate().filter(|(_, form)| form.len() >= FORM) {
        groups.entry(form).or_default().push(at);
    }
    for mut group in groups.into_values() {
        group.sort_by_key(|at| (std::cmp::Reverse(all[*at].1.weight), *at));
        group.into_iter().skip(OF_ONE_FORM).for_each(|at| all[at].1.weight /= 5);
    }
}

/// Returns the files in which programs and libraries begin.
fn entry_files(facts: &Facts) -> Vec<&str> {
    let entries = facts.of_kind(FactKind::Target).filter_map(|fact| match &fact.value {
        FactValue::Target { entry, .. } => Some(entry.as_str()),
        _ => None,
    });
    entries.collect()
}

/// Reader of one file: collects the code of its definitions.
struct CodeReader<'a> {
    outline: &'a FileOutline,
    lines: Vec<&'a str>,
    /// Position of the first byte of each line.
    starts: Vec<usize>,
    /// First and last lines of all documentation.
    docs: Vec<(usize, usize)>,
    tree: CodeTree<'a>,
    calls: &'a CallTable<'a>,
    /// The code with its form, which is empty for types and constants.
    found: Vec<(QuotedCode, String)>,
}

impl CodeReader<'_> {
    fn read(mut self, is_script: bool) -> Vec<(QuotedCode, String)> {
        let outline = self.outline;
        self.docs = self.documentation();
        self.read_all(None, &outline.symbols);
        let has_definitions = outline.walk().any(|(_, symbol)| !symbol.kind.is_value());
        let is_scripting = matches!(
            outline.language,
            Language::Python | Language::Ruby | Language::Php | Language::JavaScript | Language::TypeScript
        );
        if !has_definitions && (is_script && is_scripting || outline.language == Language::Bash) {
            self.found.clear();
            self.add(Vec::new(), (1, self.lines.len()), SCRIPT_LINES, 1.0);
        }
        self.found.sort_by_key(|(it, _)| it.lines);
        self.found
    }

    fn read_all(&mut self, around: Option<&str>, symbols: &[SymbolInfo]) {
        let mut values: Vec<&SymbolInfo> = Vec::new();
        for symbol in symbols.iter().filter(|symbol| !symbol.is_test() && !is_overload_stub(symbol)) {
            if self.found.len() >= DEFINITIONS {
                return;
            }
            match symbol.kind {
                SymbolKind::Module | SymbolKind::Namespace => self.read_all(around, &symbol.children),
                SymbolKind::Impl => self.read_all(Some(symbol.implementing_type()), &symbol.children),
                kind if kind.is_callable() => {
                    self.read_function(around.or_else(|| symbol.receiver()), symbol);
                }
                kind if kind.is_type() && kind != SymbolKind::Variant => self.read_type(around, symbol),
                // Fields stand at the beginning of their type.
                SymbolKind::Variable if around.is_none() => values.push(symbol),
                _ => {}
            }
        }
        self.read_values(&values);
    }

    fn read_function(&mut self, owner: Option<&str>, function: &SymbolInfo) {
        let language = self.outline.language;
        let statements = self.tree.body(function).unwrap_or_default();
        let body = read_body(language, &statements, &|_| false);
        if statements.is_empty() || body.code.is_silent() {
            return;
        }
        let name = qualified(owner, &function.name);
        let callers = logarithm(self.calls.callers_of(&name) + 1);
        let start = match self.calls.depth_of(&self.outline.path, &name) {
            Some(0) => 1.5,
            Some(1) => 0.8,
            Some(_) => 0.4,
            None => 0.0,
        };
        let public = if function.visibility == Visibility::Public { 0.4 } else { 0.0 };
        let value = 0.6 + body.condition_weight.min(8.0) / 4.0 + callers.min(3.0) / 3.0 + start + public;
        let value = value + logarithm(body.code.len()) / 2.0;
        // A function that only passes its arguments on; a long chain of calls says more.
        let is_short = function.line_end < function.line + CHAIN;
        let is_plain = body.code.only_statement().is_some() && body.condition_weight < 1.0 && is_short;
        let value = if is_plain { value / 2.0 } else { value };
        let value = if COMMON.contains(&function.name.as_str()) { value / 4.0 } else { value };
        let before = self.found.len();
        let start = self.first_line(function);
        self.add(vec![name], (start, function.line_end), FUNCTION_LINES, value);
        if let Some((_, form)) = self.found.get_mut(before) {
            *form = body.code.form();
        }
    }

    /// Adds a type: whole if it is small or has no functions with code, else its beginning up to the first one, where its fields and constants are.
    fn read_type(&mut self, around: Option<&str>, symbol: &SymbolInfo) {
        let name = qualified(around, &symbol.name);
        // The parts of a small type are read together.
        let says_more = symbol.line_end > symbol.line || !symbol.doc_bytes().is_empty();
        if symbol.line_end < symbol.line + SMALL_TYPE && says_more {
            let lines = (self.first_line(symbol), symbol.line_end);
            self.add(vec![name], lines, TYPE_LINES, type_value(symbol, symbol.line_end));
            return;
        }
        let first = symbol
            .children
            .iter()
            .filter(|child| self.has_functions(child))
            .map(|child| self.first_line(child))
            .min();
        let end = first.map_or(symbol.line_end, |line| self.end_before(line, symbol.line));
        // A line with the name alone is in the list of the declarations.
        if end > symbol.line {
            let start = self.first_line(symbol);
            self.add(vec![name], (start, end), TYPE_LINES, type_value(symbol, end));
        }
        self.read_all(Some(&symbol.name), &symbol.children);
    }

    /// Returns true for a function with code, and for a type with such functions, which are read alone.
    fn has_functions(&self, symbol: &SymbolInfo) -> bool {
        let is_function = symbol.kind.is_callable() && self.tree.body(symbol).is_some();
        is_function || symbol.kind.is_type() && symbol.children.iter().any(|child| self.has_functions(child))
    }

    /// Adds constants; neighbours are one quotation.
    fn read_values(&mut self, values: &[&SymbolInfo]) {
        let mut groups: Vec<(Vec<String>, (usize, usize))> = Vec::new();
        for value in values {
            // A name without a value, or an import, tells nothing.
            if !value.signature.contains(['=', ' ']) {
                // In a group of Go it goes on with the value above it.
                if let Some((names, known)) = groups.last_mut()
                    && self.outline.language == Language::Go
                    && value.line == known.1 + 1
                {
                    names.push(value.name.clone());
                    known.1 = value.line_end;
                }
                continue;
            }
            let lines = (self.first_line(value), value.line_end);
            match groups.last_mut() {
                Some((names, known))
                    if lines.0 <= known.1 + 2 && lines.1 < known.0 + VALUE_LINES && lines.0 >= known.0 =>
                {
                    names.push(value.name.clone());
                    known.1 = known.1.max(lines.1);
                }
                _ => groups.push((vec![value.name.clone()], lines)),
            }
        }
        for (names, lines) in groups {
            let text = self.lines.get(lines.0 - 1..lines.1).unwrap_or_default();
            let is_usage = text.iter().any(|line| line.trim_start().to_lowercase().starts_with("usage:"));
            self.add(names, lines, if is_usage { USAGE_LINES } else { VALUE_LINES }, 0.9);
        }
    }

    /// Returns the first line of a definition with its documentation and decorators.
    fn first_line(&self, symbol: &SymbolInfo) -> usize {
        let docs = symbol.doc_bytes();
        let with_docs = if docs.is_empty() { symbol.line } else { self.line_of(docs.start).min(symbol.line) };
        self.with_decorators(with_docs)
    }

    /// Returns the first of the lines with decorators, attributes or annotations directly above `line`; `line` without any.
    fn with_decorators(&self, line: usize) -> usize {
        first_decorator(&self.lines, line)
    }

    /// Returns the last line before `line` that has code, not before `first`.
    fn end_before(&self, line: usize, first: usize) -> usize {
        let is_code = |line: &usize| {
            let text = self.lines.get(line - 1).map_or("", |text| text.trim());
            !text.is_empty()
                && !["//", "#", "*", "/*", "\"\"\"", "["].iter().any(|sign| text.starts_with(sign))
        };
        (first..line).rev().find(is_code).unwrap_or(first)
    }

    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte)
    }

    /// Adds the code of these lines. `value` says how much it tells, whatever its length.
    fn add(&mut self, names: Vec<String>, lines: (usize, usize), most: usize, value: f64) {
        let (start, end) = (lines.0.max(1), lines.1.min(self.lines.len()));
        if start > end {
            return;
        }
        // A secret of several lines is found only in the whole text; the number of lines stays.
        let whole = self.lines[start - 1..end].join("\n");
        let whole = redact_secrets(&whole);
        let kept: Vec<&str> =
            (start..).zip(whole.lines()).filter_map(|(line, text)| self.shown_line(line, text)).collect();
        let Some(text) = safe_text(&kept) else { return };
        let length = text.lines().count();
        let more_lines = length.saturating_sub(most);
        let text =
            if more_lines == 0 { text } else { text.lines().take(most).collect::<Vec<_>>().join("\n") };
        let code_lines = (start..=end).filter(|line| self.docs_around(*line).is_none()).count().max(1);
        #[allow(clippy::cast_precision_loss, reason = "a quotation has few lines")]
        let length = (code_lines.min(most) as f64 + 6.0).powf(LENGTH_POWER);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is positive and small"
        )]
        let weight = (value * 1_000.0 / length) as u32;
        let lines = (start, end);
        let quoted = QuotedCode { names, lines, text, more_lines, alike: Vec::new(), code_lines, weight };
        self.found.push((quoted, String::new()));
    }

    /// Returns the lines of the documentation of all definitions.
    fn documentation(&self) -> Vec<(usize, usize)> {
        let documented = self.outline.walk().map(|(_, symbol)| symbol.doc_bytes());
        let lines = documented.filter(|docs| !docs.is_empty());
        let mut all: Vec<(usize, usize)> =
            lines.map(|docs| (self.line_of(docs.start), self.line_of(docs.end.saturating_sub(1)))).collect();
        all.sort_unstable();
        all
    }

    /// Returns the documentation that has this line.
    fn docs_around(&self, line: usize) -> Option<(usize, usize)> {
        let after = self.docs.partition_point(|docs| docs.0 <= line);
        self.docs[..after].last().copied().filter(|docs| line <= docs.1)
    }

    /// Returns the text of a line to quote. Of documentation longer than [`DOC_LINES`] the first and the last lines are kept, and a mark between them.
    fn shown_line<'l>(&self, line: usize, text: &'l str) -> Option<&'l str> {
        match self.docs_around(line) {
            Some((start, end)) if end - start >= DOC_LINES && line < end => match line - start {
                at if at < DOC_LINES - 2 => Some(text),
                at if at == DOC_LINES - 2 => Some(LEFT_OUT),
                _ => None,
            },
            _ => Some(text),
        }
    }
}

/// Returns the first of the lines with decorators, attributes or annotations directly above `line`, from 1; `line` without any.
pub(super) fn first_decorator(lines: &[&str], line: usize) -> usize {
    let is_decorator = |line: &usize| {
        let text = lines.get(line.wrapping_sub(1)).map_or("", |text| text.trim_start());
        text.starts_with(['@', '[']) || text.starts_with("#[")
    };
    line - (1..line).rev().take_while(is_decorator).count()
}

/// Returns how much the code of a type up to a line tells, whatever its length.
fn type_value(symbol: &SymbolInfo, end: usize) -> f64 {
    let public = if symbol.visibility == Visibility::Public { 0.3 } else { 0.0 };
    0.6 + public + logarithm(end - symbol.line + 1) / 3.0
}

#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn logarithm(count: usize) -> f64 {
    (count.max(1) as f64).ln()
}

fn qualified(owner: Option<&str>, name: &str) -> String {
    owner.map_or_else(|| name.to_owned(), |owner| format!("{owner}.{name}"))
}

/// Returns lines of code without the indentation that they share. Lines that must not be quoted have a mark; `None` if all of
/// them together must not be quoted.
pub(super) fn safe_text(lines: &[&str]) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    let bare: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or_default()).collect();
    // Secrets of several lines first: without its first line a key looks like other text.
    let text = redact_secrets(&bare.join("\n")).into_owned();
    let text = text.lines().map(safe_line).collect::<Vec<_>>().join("\n");
    let text = text.trim_matches('\n').to_owned();
    let is_safe = !is_refused(&text);
    (is_safe && !text.trim().is_empty()).then_some(text)
}

/// Returns a line, cut if it is too long; the mark for a line that must not be quoted.
fn safe_line(line: &str) -> String {
    let indent = &line[..line.len() - line.trim_start().len()];
    if is_refused(line) {
        return format!("{indent}{LEFT_OUT}");
    }
    let line = line.trim_end();
    match line.char_indices().take_while(|(at, c)| at + c.len_utf8() <= LINE).last() {
        Some((at, c)) if at + c.len_utf8() < line.len() => {
            format!("{}{LEFT_OUT}", &line[..at + c.len_utf8()])
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
