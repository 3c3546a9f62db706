//! The statements of a body as a flat list, with how much each tells.

use super::callees;
use super::rule_weights::{
    condition_weight, default_weight, is_end, is_option, is_plain_check, is_rejection, is_result,
    statement_weight,
};
use crate::repo::{CodeStatement, Language, StatementPart};
use crate::workflows::survey::quoted::is_refused;

/// Words with which code begins that decides whether a block runs.
const DECIDING: &[&str] = &[
    "if", "else", "elif", "elsif", "unless", "while", "until", "switch", "match", "case", "when", "select",
    "guard", "in",
];

/// Part of a unit: code, or the indexes of the units in a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum UnitPart {
    Code(String),
    Block(Vec<usize>),
}

/// A statement of a body, without the statements inside its blocks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CodeUnit {
    pub(super) line: usize,
    /// Index of the unit whose block it is in; `None` at the outermost level.
    pub(super) parent: Option<usize>,
    pub(super) parts: Vec<UnitPart>,
    /// Greater tells more.
    pub(super) weight: f64,
    /// True if its lines belong to a function that is told elsewhere.
    pub(super) is_other: bool,
    /// True if its text must not be quoted.
    pub(super) is_refused: bool,
}

impl CodeUnit {
    /// Returns its pieces of code, each with true if a block follows it.
    pub(super) fn codes(&self) -> impl Iterator<Item = (&str, bool)> {
        self.parts.iter().enumerate().filter_map(|(at, part)| match part {
            UnitPart::Code(code) => {
                Some((code.as_str(), matches!(self.parts.get(at + 1), Some(UnitPart::Block(_)))))
            }
            UnitPart::Block(_) => None,
        })
    }

    /// Returns its only code, if it has no block.
    pub(super) fn code(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [UnitPart::Code(code)] => Some(code),
            _ => None,
        }
    }

    /// Returns true if excerpts may show it.
    pub(super) fn is_shown(&self) -> bool {
        !self.is_other && !self.is_refused && !self.parts.is_empty()
    }

    /// Returns the code before the block that holds a unit.
    fn head_of(&self, inner: usize) -> Option<&str> {
        let at = self
            .parts
            .iter()
            .position(|part| matches!(part, UnitPart::Block(units) if units.contains(&inner)))?;
        match self.parts.get(at.checked_sub(1)?)? {
            UnitPart::Code(code) => Some(code),
            UnitPart::Block(_) => None,
        }
    }
}

/// The code of a body. Excerpts of it are made by `excerpts`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyCode {
    pub(super) language: Language,
    pub(super) units: Vec<CodeUnit>,
    /// True for a body that repeats another one of its file.
    pub(crate) is_repeated: bool,
}

impl Default for BodyCode {
    fn default() -> Self {
        Self { language: Language::C, units: Vec::new(), is_repeated: false }
    }
}

impl BodyCode {
    /// Makes the units of statements. A docstring at the beginning is left out, because it is told as documentation.
    pub(super) fn of(
        language: Language,
        statements: &[CodeStatement],
        is_other: &dyn Fn(usize) -> bool,
    ) -> Self {
        let mut found = Self { language, ..Self::default() };
        let is_docs = |statement: &CodeStatement| match statement.parts.as_slice() {
            [StatementPart::Code(code)] if language == Language::Python => {
                code.trim_start_matches(['r', 'u', 'R', 'U']).starts_with(['"', '\''])
            }
            _ => false,
        };
        let docs = usize::from(statements.first().is_some_and(is_docs));
        found.add(&statements[docs..], None, is_other);
        found.weigh();
        found
    }

    fn add(
        &mut self,
        statements: &[CodeStatement],
        parent: Option<usize>,
        is_other: &dyn Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut added = Vec::new();
        for statement in statements {
            let at = self.units.len();
            let is_other_line = is_other(statement.line);
            self.units.push(CodeUnit {
                line: statement.line,
                parent,
                parts: Vec::new(),
                weight: 0.0,
                is_other: is_other_line,
                is_refused: false,
            });
            let mut parts = Vec::new();
            for part in &statement.parts {
                parts.push(match part {
                    StatementPart::Code(code) => UnitPart::Code(code.clone()),
                    StatementPart::Block(_) if is_other_line => continue,
                    StatementPart::Block(inner) => UnitPart::Block(self.add(inner, Some(at), is_other)),
                });
            }
            let unit = &mut self.units[at];
            unit.parts = parts;
            let is_refused = unit.codes().any(|(code, _)| is_refused(code));
            unit.is_refused = is_refused;
            added.push(at);
        }
        added
    }

    /// Sets the weights: of code without a block by what it does, of the code before blocks by what it asks.
    fn weigh(&mut self) {
        for at in 0..self.units.len() {
            let unit = &self.units[at];
            let heads = unit.codes().filter(|(_, is_head)| *is_head);
            let heads = heads.map(|(code, _)| head_weight(self.language, code)).fold(0.0, f64::max);
            let weight = unit.code().map_or(heads, |code| self.plain_weight(at, code));
            self.units[at].weight = weight;
        }
    }

    fn plain_weight(&self, at: usize, code: &str) -> f64 {
        if is_option(code) || sets_field(code) {
            return 0.1;
        }
        let unit = &self.units[at];
        let end = match () {
            () if is_end(code) && unit.parent.is_some() => 0.9,
            () if is_result(code) => 0.5,
            () => 0.0,
        };
        // The values of a new object are its defaults.
        let has_defaults = is_result(code)
            && code.contains('{')
            && [": true", ": false", ": 0", ": 1", ": 2", ": \"", ": '", "= true", "= false"]
                .iter()
                .any(|it| code.contains(it));
        let end = if has_defaults { end + 0.9 } else { end };
        // `a unless b` of Ruby.
        let modifier = [" if ", " unless "]
            .iter()
            .find_map(|word| code.split_once(word))
            .map(|(_, condition)| condition);
        let end = end
            + modifier
                .filter(|_| self.language == Language::Ruby)
                .map_or(0.0, |it| 0.5 + 0.5 * condition_weight(it).min(4.0));
        let rejection = if is_rejection(code) { 0.5 } else { 1.0 };
        (statement_weight(code) + default_weight(code) + end + call_weight(code)) * rejection
    }

    /// Returns the number of statements.
    pub(crate) fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns the text of the innermost condition around a unit without its brace, with `…` in front if there are others; `None`
    /// outside of conditions.
    pub(super) fn condition_around(&self, at: usize) -> Option<String> {
        let unit = &self.units[at];
        let mut conditions = Vec::new();
        let (mut inner, mut next) = (at, unit.parent);
        while let Some(parent) = next {
            let unit = &self.units[parent];
            let head = unit.head_of(inner).filter(|head| is_deciding(self.language, head));
            let before = unit.codes().map(|(code, _)| code).take_while(|code| Some(*code) != head).last();
            conditions.extend(head.map(|head| (head, before)));
            (inner, next) = (parent, self.units[parent].parent);
        }
        let bare =
            |code: &str| code.trim_start_matches(['}', ' ']).trim_end_matches(['{', ':', ' ']).to_owned();
        let (first, before) = conditions.first()?;
        let more = if conditions.len() > 1 { "… " } else { "" };
        let first = match (bare(first), before) {
            (first, Some(before)) if first == "else" => format!("else of {}", bare(before)),
            (first, _) => first,
        };
        Some(format!("{more}{first}"))
    }

    /// Returns true for a unit inside of a function without a name.
    pub(super) fn is_in_closure(&self, at: usize) -> bool {
        let (mut inner, mut next) = (at, self.units[at].parent);
        while let Some(parent) = next {
            if self.units[parent].head_of(inner).is_some_and(|head| is_closure(self.language, head)) {
                return true;
            }
            (inner, next) = (parent, self.units[parent].parent);
        }
        false
    }

    /// Returns the conditions of the body without named terms, as written.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &str> {
        let heads = self.units.iter().flat_map(CodeUnit::codes).filter(|(_, is_head)| *is_head);
        let is_else = |code: &str| code.trim_matches(['{', '}', ':', ' ']) == "else";
        heads
            .map(|(code, _)| code)
            .filter(move |code| is_deciding(self.language, code) && !is_else(code) && !super::has_terms(code))
    }

    /// Lowers the weights of what stands below conditions that `is_common` knows.
    pub(crate) fn lower_conditions(&mut self, is_common: &dyn Fn(&str) -> bool) {
        let common: Vec<bool> = self
            .units
            .iter()
            .map(|unit| unit.codes().any(|(code, is_head)| is_head && is_common(code)))
            .collect();
        for at in 0..self.units.len() {
            let of_parent = self.units[at].parent.is_some_and(|parent| common[parent]);
            if of_parent || common[at] {
                self.units[at].weight *= 0.4;
            }
        }
    }
}

/// Returns the weight of the calls in code: more if one is probably of the code base.
fn call_weight(code: &str) -> f64 {
    let mut names = Vec::new();
    callees::add(code, &mut names, 1);
    match () {
        () if !names.is_empty() => 0.7,
        () if code.contains('(') => 0.2,
        () => 0.1,
    }
}

/// Returns the weight of the code before a block.
fn head_weight(language: Language, code: &str) -> f64 {
    if !is_deciding(language, code) || is_plain_check(code.trim_end_matches(['{', ':', ' '])) {
        return 0.0;
    }
    let is_of_kind = ["typeof ", "instanceof ", "isinstance("].iter().any(|word| code.contains(word));
    condition_weight(code).min(4.0) * if is_of_kind { 0.2 } else { 0.5 }
}

/// Returns true for code that decides whether the block behind it runs.
fn is_deciding(language: Language, code: &str) -> bool {
    let code = code.trim_start_matches(['}', ' ']);
    let first = code.split([' ', '(', ':']).next().unwrap_or_default();
    let is_value =
        ["= if ", "= match ", "return match ", "return switch"].iter().any(|part| code.contains(part));
    let is_arm = language == Language::Rust && code.ends_with("=> {");
    DECIDING.contains(&first) || is_value || is_arm || code.ends_with(" else {")
}

/// Returns true for code that ends with the opening of a function without a name.
fn is_closure(language: Language, code: &str) -> bool {
    let Some(start) = code.strip_suffix('{').map(str::trim_end) else {
        return language == Language::Ruby && code.ends_with('|');
    };
    match language {
        Language::Rust => start.ends_with('|') || start.ends_with("async move"),
        Language::Go => start.contains("func("),
        Language::Java => {
            start.ends_with("->") && !start.starts_with("case ") && !start.starts_with("default")
        }
        Language::Php | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::CSharp => {
            start.ends_with("=>") || start.contains("function (") || start.contains("function(")
        }
        _ => false,
    }
}

/// Returns true for a statement that gives a field the argument of the same name: `self.size = size`.
pub(super) fn sets_field(text: &str) -> bool {
    let Some((target, value)) = text.trim_end_matches(';').split_once(" = ") else { return false };
    let field = target.rsplit(['.', '>', '@', '_']).next().unwrap_or(target);
    !field.is_empty() && value.trim_start_matches(['$', '_']) == field
}
