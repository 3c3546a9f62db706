//! Excerpts of a body: its code on one line, as written, with `…` for the statements that are left out.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::terms::words;
use super::units::{BodyCode, CodeUnit, UnitPart, sets_field};
use crate::repo::Language;

/// Maximum length of a piece of code in an excerpt that is not the whole body, in bytes.
const PIECE: usize = 220;
/// Value of an assignment to a name that a shown statement has.
const GIVES: f64 = 0.7;
/// Maximum number of statements of a body among which an excerpt chooses.
const CANDIDATES: usize = 400;
/// Bytes that a statement costs besides its code.
const BESIDE: usize = 8;
/// Length up to which a body is shown whole or not at all, in bytes.
const SHORT: usize = 900;
/// Minimum value of an excerpt that leaves statements out.
const LEAST: f64 = 0.85;
/// Minimum value of a statement in the shortest excerpt, and in longer ones.
const TELLING: f64 = 0.6;
const FILLING: f64 = 0.4;
/// Minimum value of a whole body, and the value of one whose statements tell little.
const WHOLE: f64 = 1.2;
const PLAIN: f64 = 0.8;
/// Number of the statements that decide the value of an excerpt.
const BEST: usize = 3;
/// Minimum length of a body with one statement, in bytes.
const ONE: usize = 16;
/// Number of statements of one form that are shown.
const REPEATED: usize = 3;
/// Mark for statements that are left out.
const LEFT_OUT: &str = "…";
/// Part of the value of a condition that counts for a statement inside it; half of it for one around that.
const AROUND: f64 = 1.0;

/// An excerpt of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CodeExcerpt {
    pub(crate) text: String,
    /// Number of the first line that it shows.
    pub(crate) line: usize,
    /// Number of statements that it shows and the one before it does not.
    pub(crate) statements: usize,
    /// Mean value of the best of these statements; greater tells more.
    pub(crate) value: f64,
}

impl BodyCode {
    /// Returns the excerpts of at most about these lengths in bytes, each with all statements of the one before it. The last one is the
    /// whole body if that fits. Empty for a body that tells nothing, such as a getter.
    pub(crate) fn excerpts(&self, lengths: &[usize]) -> Vec<CodeExcerpt> {
        if self.is_silent() {
            return Vec::new();
        }
        let whole = self.whole();
        let none = vec![false; self.units.len()];
        let all = self.all();
        let short = lengths.last().copied().unwrap_or_default().min(SHORT);
        if let Some(whole) = whole.as_ref().filter(|whole| whole.len() <= short) {
            let mut found: Vec<CodeExcerpt> = self.excerpt(whole.clone(), &none, &all).into_iter().collect();
            found
                .iter_mut()
                .for_each(|it| it.value = if it.value < LEAST { PLAIN } else { it.value.max(WHOLE) });
            return found;
        }
        let (mut chosen, mut found) = (none, Vec::<CodeExcerpt>::new());
        for most in lengths {
            let before = chosen.clone();
            if let Some(whole) = whole.as_ref().filter(|whole| whole.len() <= *most) {
                found.extend(self.excerpt(whole.clone(), &before, &all));
                break;
            }
            self.choose(&mut chosen, &all, *most, if found.is_empty() { TELLING } else { FILLING });
            let text = self.write(&self.outermost(), &chosen, Some(PIECE));
            if found.last().is_some_and(|last| text.len() < last.text.len() * 5 / 4) {
                chosen = before;
                continue;
            }
            found.extend(self.excerpt(text, &before, &chosen));
        }
        if found.first().is_none_or(|first| first.value < LEAST) {
            found.clear();
        }
        found
    }

    /// Returns the whole body on one line but for checks of missing arguments and repetitions, which have a mark; `None` if a part of it
    /// is missing or must not be quoted.
    pub(crate) fn whole(&self) -> Option<String> {
        let is_whole = |unit: &CodeUnit| unit.codes().all(|(code, _)| !code.contains(LEFT_OUT));
        let is_known = self.units.iter().all(|unit| unit.is_shown() && is_whole(unit));
        is_known.then(|| self.write(&self.outermost(), &self.all(), None))
    }

    /// Returns all statements but the checks for missing arguments at the beginning and repetitions; their places are marked.
    fn all(&self) -> Vec<bool> {
        let mut all = vec![true; self.units.len()];
        for (at, is_shown) in all.iter_mut().enumerate() {
            *is_shown = !self.is_repetition(at);
        }
        let outermost = self.outermost();
        let checks = outermost.iter().take_while(|at| self.is_null_check(**at)).count();
        if checks < outermost.len() {
            for at in &outermost[..checks] {
                all[*at] = false;
            }
        }
        all
    }

    /// Returns true for a statement behind at least `REPEATED` neighbours of its form, each of which says one word twice:
    /// `all.red = one.red; all.blue = one.blue;`.
    fn is_repetition(&self, at: usize) -> bool {
        let form = |at: usize| self.units[at].code().and_then(repetitive_form);
        let Some(own) = form(at) else { return false };
        let parent = self.units[at].parent;
        let before = (0..at).rev().filter(|before| self.units[*before].parent == parent);
        before.take(REPEATED).filter(|before| form(*before).as_ref() == Some(&own)).count() == REPEATED
    }

    /// Returns true for a statement that only refuses a missing argument.
    fn is_null_check(&self, at: usize) -> bool {
        let unit = &self.units[at];
        let inner = unit.parts.iter().filter_map(|part| match part {
            UnitPart::Block(units) => Some(units),
            UnitPart::Code(_) => None,
        });
        let inner: Vec<usize> = inner.flatten().copied().collect();
        let refuses = |code: &str| {
            ["ArgumentNullException", "NullPointerException"].iter().any(|error| code.contains(error))
        };
        let first = unit.codes().next().map(|(code, _)| code).unwrap_or_default();
        let is_call = ["Objects.requireNonNull(", "ArgumentNullException.ThrowIfNull(", "requireNonNull("];
        match inner.as_slice() {
            [] => is_call.iter().any(|call| first.starts_with(call)),
            [only] => {
                ["== null", "is null"].iter().any(|test| first.contains(test))
                    && self.units[*only].code().is_some_and(refuses)
            }
            _ => false,
        }
    }

    /// Returns the only statement of a body without blocks.
    pub(crate) fn only_statement(&self) -> Option<&str> {
        match self.units.as_slice() {
            [only] => only.code(),
            _ => None,
        }
    }

    /// Returns true for a body that only sets its own fields or returns one.
    pub(crate) fn is_silent(&self) -> bool {
        let codes = || self.units.iter().filter_map(CodeUnit::code);
        let is_getter = |code: &str| {
            let bare = code.trim_start_matches("return ").trim_end_matches(';');
            code.len() < ONE || !bare.contains(['(', '=', ' ', '['])
        };
        self.units.is_empty()
            || codes().count() == self.units.len() && codes().all(sets_field)
            || self.only_statement().is_some_and(is_getter)
    }

    /// Returns the code without its names and texts: its signs, with one letter for each run of names, numbers and texts. Functions of one form
    /// differ by these alone.
    pub(crate) fn form(&self) -> String {
        let all = vec![true; self.units.len()];
        let text = self.write(&self.outermost(), &all, None);
        let mut form = String::with_capacity(text.len() / 2);
        let mut quote = None;
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            let is_inside = quote.is_some();
            if matches!(c, '"' | '`') && quote.is_none_or(|open| open == c) {
                quote = if is_inside { None } else { Some(c) };
            }
            let is_name = is_inside || quote.is_some() || c.is_alphanumeric() || c == '_';
            if !is_name {
                form.push(c);
            } else if !form.ends_with('n') {
                form.push('n');
            }
        }
        form
    }

    fn outermost(&self) -> Vec<usize> {
        (0..self.units.len()).filter(|at| self.units[*at].parent.is_none()).collect()
    }

    fn excerpt(&self, text: String, before: &[bool], chosen: &[bool]) -> Option<CodeExcerpt> {
        let new: Vec<usize> = (0..self.units.len()).filter(|at| chosen[*at] && !before[*at]).collect();
        let first = (0..self.units.len()).find(|at| chosen[*at])?;
        // A statement with a block tells by what is inside it.
        let mut values: Vec<f64> =
            new.iter().filter(|at| self.is_leaf(**at)).map(|at| self.value(*at)).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values.truncate(BEST);
        #[allow(clippy::cast_precision_loss, reason = "a body has few statements")]
        let value = values.iter().sum::<f64>() / values.len().max(1) as f64;
        Some(CodeExcerpt { text, line: self.units[first].line, statements: new.len(), value })
            .filter(|it| it.statements > 0)
    }

    /// Adds the `allowed` statements that tell most for their length, with the code around them, while the text has at most `most` bytes.
    /// Each has at least the value `least`.
    fn choose(&self, chosen: &mut [bool], allowed: &[bool], most: usize, least: f64) {
        let mut left = most.saturating_sub(self.write(&self.outermost(), chosen, Some(PIECE)).len());
        let may_be = |at: &usize| !chosen[*at] && allowed[*at] && self.is_leaf(*at) && self.may_show(*at);
        let candidates = (0..self.units.len()).filter(may_be);
        let given = |at: usize| self.units[at].code().and_then(assigned_name);
        let mut candidates: Vec<(usize, f64, Option<&str>)> =
            candidates.map(|at| (at, self.value(at), given(at))).collect();
        // Of a very long function the best ones, and the first of equal ones.
        candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        candidates.truncate(CANDIDATES);
        let mut used = self.used_names(chosen);
        loop {
            let weighed = candidates.iter().enumerate().filter_map(|(index, (at, value, given))| {
                let value = value + if given.is_some_and(|name| used.contains(name)) { GIVES } else { 0.0 };
                if value < least {
                    return None;
                }
                let needed = self.with_parents(*at, chosen);
                let length: usize = needed.iter().map(|at| self.length(*at)).sum();
                #[allow(clippy::cast_precision_loss, reason = "code is short")]
                let ratio = value / ((length + 12) as f64).powf(0.7);
                (length <= left).then_some((ratio, *at, index, needed, length))
            });
            let best = weighed.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((_, _, index, needed, length)) = best else { return };
            for at in needed {
                chosen[at] = true;
                used.extend(self.units[at].codes().flat_map(|(code, _)| words(code)));
            }
            candidates.swap_remove(index);
            left -= length;
        }
    }

    /// Returns the words of the chosen statements.
    fn used_names(&self, chosen: &[bool]) -> HashSet<&str> {
        let shown = self.units.iter().zip(chosen).filter(|(_, is_chosen)| **is_chosen).map(|(unit, _)| unit);
        shown.flat_map(CodeUnit::codes).flat_map(|(code, _)| words(code)).collect()
    }

    /// Returns true for a statement without statements inside it that could be shown.
    fn is_leaf(&self, at: usize) -> bool {
        let inner = self.units[at].parts.iter().filter_map(|part| match part {
            UnitPart::Block(units) => Some(units),
            UnitPart::Code(_) => None,
        });
        inner.flatten().all(|inner| !self.units[*inner].is_shown())
    }

    /// Returns true if a statement and all around it may be shown.
    fn may_show(&self, at: usize) -> bool {
        std::iter::successors(Some(at), |at| self.units[*at].parent).all(|at| self.units[at].is_shown())
    }

    /// Returns a statement and those around it that are not chosen yet.
    fn with_parents(&self, at: usize, chosen: &[bool]) -> Vec<usize> {
        std::iter::successors(Some(at), |at| self.units[*at].parent).filter(|at| !chosen[*at]).collect()
    }

    /// Returns how much a statement tells together with the conditions around it.
    fn value(&self, at: usize) -> f64 {
        let mut value = self.units[at].weight;
        let mut part = AROUND;
        for around in std::iter::successors(self.units[at].parent, |at| self.units[*at].parent) {
            value += part * self.units[around].weight;
            part /= 2.0;
        }
        value.min(4.5)
    }

    /// Returns the length of a statement in an excerpt without the statements inside it, in bytes.
    fn length(&self, at: usize) -> usize {
        self.units[at].codes().map(|(code, _)| code.len().min(PIECE) + 1).sum::<usize>() + BESIDE
    }

    /// Writes the chosen statements of a block.
    fn write(&self, units: &[usize], chosen: &[bool], most: Option<usize>) -> String {
        let mut text = String::new();
        let mut is_left_out = false;
        for at in units {
            let part = chosen[*at].then(|| self.write_unit(*at, chosen, most));
            let is_behind_mark = is_left_out;
            is_left_out = part.is_none();
            if is_behind_mark && is_left_out {
                continue;
            }
            if !text.is_empty() {
                // Code may end with the mark of a cut, which is another one.
                text.push_str(if is_behind_mark { " " } else { self.separator(&text) });
            }
            text.push_str(part.as_deref().unwrap_or(LEFT_OUT));
        }
        text
    }

    fn write_unit(&self, at: usize, chosen: &[bool], most: Option<usize>) -> String {
        let mut text = String::new();
        for part in &self.units[at].parts {
            match part {
                UnitPart::Code(code) => {
                    if !text.is_empty() {
                        let is_end = self.language == Language::Ruby && !code.starts_with(['}', ')']);
                        text.push_str(if is_end { "; " } else { " " });
                    }
                    text.push_str(&most.map_or_else(|| code.clone(), |most| shorten(code, most)));
                }
                UnitPart::Block(inner) if text.is_empty() => text = self.write(inner, chosen, most),
                UnitPart::Block(inner) => {
                    let inside = self.write(inner, chosen, most);
                    match self.language {
                        Language::Python => drop(write!(text, " {{ {inside} }}")),
                        Language::Ruby if !begins_block(&text) => drop(write!(text, "; {inside}")),
                        _ => drop(write!(text, " {inside}")),
                    }
                }
            }
        }
        text
    }

    /// Returns the sign between two statements on one line.
    fn separator(&self, before: &str) -> &'static str {
        if before.ends_with([';', ',']) {
            return " ";
        }
        match self.language {
            Language::Python | Language::Ruby | Language::Bash => "; ",
            Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Go
                if !before.ends_with('}') =>
            {
                "; "
            }
            _ => " ",
        }
    }
}

/// Returns true if Ruby code may be followed by a statement.
fn begins_block(code: &str) -> bool {
    let last = code.rsplit(' ').next().unwrap_or_default();
    code.ends_with(['|', '{', '(']) || matches!(last, "do" | "then" | "else" | "begin" | "ensure")
}

/// Returns the code with each word of letters as `w`, if it says one of them twice; `None` for other code.
fn repetitive_form(code: &str) -> Option<String> {
    const WORD: usize = 3;
    let mut seen: HashSet<&str> = HashSet::new();
    let mut all = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() >= WORD);
    if all.all(|word| seen.insert(word)) {
        return None;
    }
    let mut form = String::new();
    for c in code.chars() {
        if !(c.is_alphanumeric() || c == '_') {
            form.push(c);
        } else if !form.ends_with('w') {
            form.push('w');
        }
    }
    Some(form)
}

/// Returns the name that an assignment changes: `name` of `let mut name = …`, of `self.name += 1` and of `name := …`.
fn assigned_name(code: &str) -> Option<&str> {
    let at = [" = ", " := ", " += ", " -= ", " |= "].iter().filter_map(|sign| code.find(sign)).min()?;
    words(&code[..at]).last()
}

/// Shortens code to about `most` bytes: the inside of its longest brackets becomes `…`, as often as that is needed. Code without brackets
/// is cut. An opening brace stays.
fn shorten(code: &str, most: usize) -> String {
    let mut text = code.to_owned();
    while text.len() > most {
        let Some((start, end)) = longest_brackets(&text) else { break };
        text.replace_range(start + 1..end, LEFT_OUT);
    }
    if text.len() <= most + most / 2 {
        return text;
    }
    let (bare, end) = match text.strip_suffix('{') {
        Some(bare) => (bare.trim_end(), " {"),
        None => (text.as_str(), ""),
    };
    let mut at = most.min(bare.len());
    while !bare.is_char_boundary(at) {
        at -= 1;
    }
    let at = bare[..at].rfind([' ', '(', ',']).filter(|at| *at > most / 2).map_or(at, |at| at + 1);
    format!("{}{LEFT_OUT}{end}", bare[..at].trim_end())
}

/// Returns the byte offsets of the brackets around the longest text that is not shortened yet; `None` if nothing in brackets is longer
/// than a short name.
fn longest_brackets(text: &str) -> Option<(usize, usize)> {
    const NAME: usize = 8;
    let mut open: Vec<usize> = Vec::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut quote: Option<char> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_escaped = before == '\\';
        before = if is_escaped { ' ' } else { c };
        match quote {
            Some(sign) => quote = Some(sign).filter(|sign| *sign != c || is_escaped),
            None if matches!(c, '"' | '`') || c == '\'' && text[at + 1..].contains('\'') => quote = Some(c),
            None if matches!(c, '(' | '[' | '{') => open.push(at),
            None if matches!(c, ')' | ']' | '}') => found.extend(open.pop().map(|start| (start, at))),
            None => {}
        }
    }
    let inside = |(start, end): &(usize, usize)| text[start + 1..*end].trim().len();
    found.into_iter().filter(|at| inside(at) > NAME).max_by_key(inside)
}

#[cfg(test)]
mod tests;
