//! Decisions in the bodies of functions: conditions, named constants and literals, raised errors,
//! exits. Reads lines and indentation and parses nothing; constructs that span too many lines are left
//! out.

mod blocks;
mod callees;
mod cases;
mod ends;
mod excerpts;
mod flat;
mod heads;
mod lines;
mod rule_weights;
mod rules;
mod statements;
mod terms;
mod whole;

pub(crate) use callees::WrittenCall;
pub(crate) use ends::is_exit;
pub(crate) use rules::BodyRule;

use self::heads::BlockHead;
use self::rule_weights::condition_weight;
use self::statements::CodeStatement;
use self::whole::BodyLines;
use crate::repo::{Language, code_words};
use crate::workflows::survey::quoted::is_refused;

/// Maximum number of lines of a function that are read.
const LINES: usize = 400;
/// Maximum number of terms of a function.
const TERMS: usize = 8;
const ENDS: usize = 4;
/// Maximum number of conditions that count in the weight; each must weigh at least `LEAST`.
const CONDITIONS: usize = 3;
const LEAST: f64 = 2.3;
/// Maximum number of called names that are kept for a function.
const NAMES: usize = 60;
/// Minimum weight of the whole body of a short function, and the weight of one without rules.
const WHOLE: f64 = 1.2;
const PLAIN: f64 = 0.8;

/// Maximum length of the body of a function that is shown whole, in bytes.
pub(crate) const SHORT_BODY: usize = 400;

/// Maximum length of the body of one of the most important functions, in bytes.
pub(crate) const LONG_BODY: usize = 1_400;

/// Which body is read as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeBody {
    /// Its maximum length, in bytes.
    pub(crate) most: usize,
    /// True if the functions inside it are part of it; false if a body with such functions is not read as a whole.
    pub(crate) has_inner: bool,
}

impl WholeBody {
    /// A short body without functions inside it.
    pub(crate) const SHORT: Self = Self { most: SHORT_BODY, has_inner: false };
}

/// Maximum lengths of the bodies that are shown whole, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// Of any function.
    pub(crate) short: usize,
    /// Of one that is central.
    pub(crate) central: usize,
}

impl BodyLimits {
    /// The limits for a code base whose other lines leave much room.
    pub(crate) const WIDE: Self = Self { short: 1_200, central: 2_400 };
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { short: SHORT_BODY, central: 720 }
    }
}

/// Statement that raises an error or ends the program: `throw ShopError`, `exit(2)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyEnd {
    pub(crate) line: usize,
    pub(crate) text: String,
    /// Condition of the innermost block around it, with its keyword: `if a > 5`. `None` outside of
    /// conditions.
    pub(crate) condition: Option<String>,
}

/// Decisions in the body of a function. `read_decisions` makes it; the weights and the texts of
/// definitions use it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BodyDecisions {
    /// Sum of the weights of the strongest conditions.
    pub(crate) condition_weight: f64,
    /// Named constants, and literals that look like keys or words, in the order of the text.
    pub(crate) terms: Vec<String>,
    /// Names that are called, as written before `(`.
    pub(crate) names: Vec<WrittenCall>,
    /// Raised errors and exits of the program.
    pub(crate) ends: Vec<BodyEnd>,
    /// Conditions with their consequences, cases, defaults and results, in the order of the text.
    pub(crate) rules: Vec<BodyRule>,
    /// Numbers of lines with a statement inside a block that leaves the function.
    exits: Vec<usize>,
    /// Names that the block of an outermost condition assigns, each with the line number of the
    /// condition.
    changes: Vec<(usize, String)>,
}

impl BodyDecisions {
    /// Returns true if code between the shown rule `before` (or the start of the function) and `rule`
    /// may change the meaning of `rule`: a return, a rule that is not shown, or an assignment to a name
    /// in it.
    pub(crate) fn has_gap(&self, before: Option<&BodyRule>, rule: &BodyRule) -> bool {
        let is_between = |line: usize| line < rule.line && before.is_none_or(|before| before.end < line);
        let is_changed = |name: &String| terms::words(&rule.text).any(|word| word == name);
        !rule.text.starts_with('…')
            && (self.exits.iter().any(|exit| is_between(*exit))
                || before.is_some() && self.rules.iter().any(|other| is_between(other.line))
                || self.changes.iter().any(|(line, name)| is_between(*line) && is_changed(name)))
    }

    /// Replaces the rules by one with the whole body, whose lines are counted from `first`.
    fn be_whole(&mut self, text: String, statements: &[CodeStatement], first: usize) {
        let (Some(begin), Some(last)) = (statements.first(), statements.last()) else { return };
        let strongest = self.rules.iter().map(|rule| rule.weight).reduce(f64::max);
        let strongest = strongest.map_or(PLAIN, |weight| weight.max(WHOLE));
        let (line, end) = (first + begin.at, first + last.end - 1);
        let statements = statements.len();
        self.rules = vec![BodyRule { line, end, shown_from: line, text, weight: strongest, statements }];
        self.exits.clear();
        self.changes.clear();
    }

    /// Returns the `most` rules of greatest weight in the order of the text, each with its line number.
    /// `…; ` stands before a rule if something that affects it is not shown (`has_gap`).
    pub(crate) fn strongest_rules(&self, most: usize) -> Vec<(usize, String)> {
        let mut chosen: Vec<&BodyRule> = self.rules.iter().collect();
        chosen.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.line.cmp(&b.line)));
        chosen.truncate(most);
        chosen.sort_by_key(|rule| rule.line);
        let mut before = None;
        let told = chosen.into_iter().map(|rule| {
            let mark = if self.has_gap(before, rule) { "…; " } else { "" };
            before = Some(rule);
            (rule.shown_from, format!("{mark}{}", rule.text))
        });
        told.collect()
    }
}

/// Reads the decisions of a function. `lines` begin with its signature, whose line number is `first`.
/// Lines for which `is_other` returns true belong to functions inside it and are skipped. `whole` decides whether the body is read as one
/// rule.
pub(crate) fn read_decisions(
    language: Language,
    lines: &[&str],
    first: usize,
    whole: WholeBody,
    is_other: &dyn Fn(usize) -> bool,
) -> BodyDecisions {
    let (mut found, statements) = read_parts(language, lines, first, is_other);
    let code = lines::code_lines(language, lines);
    let body = BodyLines { language, raw: lines, code: &code, statements: &statements, most: whole.most };
    let is_other_line = |at: usize| !whole.has_inner && is_other(first + at);
    let text = whole::body(&body, &is_other_line);
    let text = text.or_else(|| {
        // The only statement of a function is a rule already.
        let is_told = found.rules.len() == 1 && statements.len() == 1;
        flat::body(&body, &is_other_line).filter(|text| !is_told && !is_refused(text))
    });
    if let Some(text) = text {
        found.be_whole(text, &statements, first);
    }
    found
}

/// Reads the decisions of code that is no function, such as the outermost level of a script. `lines` begin with a line that is skipped.
pub(crate) fn read_script(
    language: Language,
    lines: &[&str],
    first: usize,
    is_other: &dyn Fn(usize) -> bool,
) -> BodyDecisions {
    read_parts(language, lines, first, is_other).0
}

/// Reads the decisions of a function whatever its length, and returns them with its statements.
fn read_parts(
    language: Language,
    lines: &[&str],
    first: usize,
    is_other: &dyn Fn(usize) -> bool,
) -> (BodyDecisions, Vec<CodeStatement>) {
    let mut found = BodyDecisions::default();
    let lines = &lines[..lines.len().min(LINES)];
    let code = lines::code_lines(language, lines);
    let statements = statements::statements(language, lines, &code);
    let is_other_line = |at: usize| is_other(first + at);
    found.rules = rules::rules(language, &statements, &is_other_line);
    for rule in &mut found.rules {
        rule.line += first;
        rule.shown_from += first;
        rule.end += first;
    }
    found.exits = blocks::exits(&statements).into_iter().map(|at| first + at).collect();
    let changes = blocks::changes(language, &statements).into_iter();
    found.changes = changes.map(|(at, name)| (first + at, name)).collect();
    found.condition_weight = weight_of_conditions(&statements, &is_other_line);
    for (at, line) in code.iter().enumerate() {
        if line.is_empty() || is_other_line(at) {
            continue;
        }
        // The first line is the signature; a function on one line is not read.
        if at > 0 {
            // Of the whole line, because a literal alone may not look like a secret.
            if !is_refused(line) {
                terms::add(line, &mut found.terms, TERMS);
            }
            callees::add(line, &mut found.names, NAMES);
        }
        // What calls a closure decides what becomes of its errors.
        let ends = if is_in_closure(&statements, at) { Vec::new() } else { ends::ends(language, line) };
        for end in ends {
            if found.ends.len() < ENDS && !found.ends.iter().any(|known| known.text == end) {
                let condition = condition_around(&statements, at);
                found.ends.push(BodyEnd { line: first + at, text: end, condition });
            }
        }
    }
    (found, statements)
}

/// Returns the sum of the greatest weights of conditions, at most `CONDITIONS` of them.
fn weight_of_conditions(statements: &[CodeStatement], is_other: &dyn Fn(usize) -> bool) -> f64 {
    let own = statements.iter().filter(|statement| !is_other(statement.at));
    let mut weights: Vec<f64> = own
        .filter_map(|statement| match &statement.head {
            BlockHead::Condition(head) => Some(condition_weight(&head.text)),
            _ => None,
        })
        .filter(|weight| *weight >= LEAST)
        .collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    weights.iter().take(CONDITIONS).sum()
}

/// Returns true for a line inside of a function without a name.
fn is_in_closure(statements: &[CodeStatement], line: usize) -> bool {
    let Some(own) = statements.iter().position(|it| (it.at..it.end).contains(&line)) else { return false };
    let around = std::iter::successors(statements[own].parent, |at| statements[*at].parent);
    around.into_iter().any(|at| statements[at].head == BlockHead::Closure)
}

/// Returns the condition on the line with this index, else that of the block directly around it, with
/// its keyword; `None` if there is none.
fn condition_around(statements: &[CodeStatement], line: usize) -> Option<String> {
    let of = |statement: &CodeStatement| match &statement.head {
        BlockHead::Condition(head) => Some(head.with_keyword(&head.text)),
        _ => None,
    };
    let own = statements.iter().find(|statement| (statement.at..statement.end).contains(&line))?;
    of(own).or_else(|| of(&statements[own.parent?]))
}

/// Joins lines of code to one line without comments. Lines that are not read (too long, or inside a
/// multi-line string) become one `…`.
pub(crate) fn flat_code(language: Language, lines: &[&str]) -> String {
    let code = lines::code_lines(language, lines);
    let code: Vec<String> = code
        .iter()
        .zip(lines)
        .map(|(line, raw)| {
            // The inside of a text.
            let is_left_out = line.is_empty() && !lines::is_comment(language, raw.trim());
            if is_left_out && !raw.trim().is_empty() {
                return lines::LONG_LINE.to_owned();
            }
            without_inner_comment(language, line)
        })
        .collect();
    let mut words: Vec<&str> = code.iter().flat_map(|line| code_words(line)).collect();
    words.dedup_by(|next, before| next == before && *next == lines::LONG_LINE);
    words.join(" ")
}

/// Returns true for code with a named constant (`MAX_SIZE`) or a string literal.
pub(crate) fn has_terms(code: &str) -> bool {
    terms::literals(code).next().is_some() || terms::words(code).any(terms::is_constant)
}

/// Returns a line without the first `/* … */` comment inside it.
fn without_inner_comment(language: Language, line: &str) -> String {
    let find =
        |sign: &str| statements::outside(line).map(|(at, _)| at).find(|at| line[*at..].starts_with(sign));
    match (find("/*"), find("*/")) {
        (Some(start), Some(end)) if start < end && lines::has_inner_comments(language) => {
            format!("{}{}", &line[..start], &line[end + 2..])
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
