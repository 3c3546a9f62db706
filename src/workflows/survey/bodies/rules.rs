//! The rules of a function: conditions with what follows from them, cases, defaults and results, each as written.

use super::conditions;
use super::rule_weights::{
    default_weight, is_option, is_plain_check, is_printed, is_rejection, statement_weight,
};
use super::statements::{CodeStatement, block, depth_of, outside, statements};
use super::terms::literals;
use crate::repo::Language;

/// Most rules of a function.
const RULES: usize = 20;
/// Longest part of a rule, longest whole rule, and longest condition around it, in characters.
const PART: usize = 72;
const WHOLE: usize = 200;
const AROUND: usize = 44;
/// Longest part of a message beside its end.
const MESSAGE: usize = 48;
/// Most cases of a rule.
const CASES: usize = 5;
/// Most statements of a short function.
const SHORT: usize = 4;
/// Smallest weight of a rule.
const LEAST: f64 = 0.85;

/// A rule as written, with `…` for cuts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyRule {
    /// Its first line.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// Greater tells more.
    pub(crate) weight: f64,
}

/// Returns the rules that tell most, in the order of the text. `raw` are the lines of the function, `code` the same without comments.
pub(super) fn rules(
    language: Language,
    raw: &[&str],
    code: &[&str],
    is_other: &dyn Fn(usize) -> bool,
) -> Vec<BodyRule> {
    let mut statements = statements(language, raw, code);
    statements.truncate(LIMIT);
    let mut reader = RuleReader {
        language,
        told: vec![false; statements.len()],
        statements: &statements,
        found: Vec::new(),
    };
    for (at, statement) in statements.iter().enumerate() {
        if !is_other(statement.at) {
            reader.read(at);
        }
    }
    let mut found = reader.found;
    found.retain(|rule| rule.weight >= LEAST);
    let mut told: Vec<String> = Vec::new();
    found.retain(|rule| {
        let is_new = !told.contains(&rule.text);
        told.push(rule.text.clone());
        is_new
    });
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.line.cmp(&b.line)));
    found.truncate(RULES);
    found.sort_by_key(|rule| rule.line);
    found
}

/// Most statements of a function that are read.
const LIMIT: usize = 400;

/// Collects the rules of one function.
struct RuleReader<'s> {
    language: Language,
    statements: &'s [CodeStatement],
    /// True for a statement that a rule has told.
    told: Vec<bool>,
    found: Vec<BodyRule>,
}

impl RuleReader<'_> {
    fn read(&mut self, at: usize) {
        let text = self.statements[at].text.as_str();
        if let Some((condition, inline)) = split_condition(self.language, text) {
            self.add_condition(at, &condition, inline);
        } else if let Some(head) = handler(text) {
            if let Some((outcome, weight)) = self.outcome(at) {
                self.push(at, weight + 0.2, &format!("{}: {outcome}", cut(head, PART)));
            }
        } else if is_switch(self.language, text) {
            self.add_cases(at);
        } else if !self.statements[at].is_opener && !self.statements[at].is_case() && !self.told[at] {
            self.add_plain(at);
        }
    }

    fn push(&mut self, at: usize, weight: f64, text: &str) {
        let around = self.around(at);
        let line = self.statements[at].at;
        self.found.push(BodyRule { line, text: cut(&format!("{around}{text}"), WHOLE), weight });
    }

    /// Adds a condition with what follows from it, and with its `else`.
    fn add_condition(&mut self, at: usize, condition: &str, inline: &str) {
        let (outcome, of_outcome) = if inline.is_empty() {
            let Some(outcome) = self.outcome(at) else { return };
            outcome
        } else {
            (part(inline, PART), statement_weight(inline))
        };
        let is_plain = is_plain_check(condition);
        let passes_on = ["return err", "return nil, err", "return nil", "return None", "return null"]
            .iter()
            .any(|start| outcome.starts_with(start));
        if is_plain && (passes_on || of_outcome < 1.0) {
            return;
        }
        let is_chained = self.statements[at].text.starts_with("el");
        let keyword = if is_chained { "else if" } else { "if" };
        let keyword =
            if condition.starts_with("let ") && condition.ends_with(" else") { "" } else { keyword };
        let mut text = format!("{keyword} {}: {outcome}", cut(condition, PART + 20)).trim_start().to_owned();
        // The kind of a value is no rule of the domain.
        let is_of_kind =
            ["typeof ", "instanceof ", "isinstance("].iter().any(|word| condition.contains(word));
        let of_condition = conditions::weight(condition).min(4.0) * if is_of_kind { 0.2 } else { 0.5 };
        let mut weight = of_condition + of_outcome;
        if is_chained
            || self.next_sibling(at).is_some_and(|next| self.statements[next].text.starts_with("el"))
        {
            weight += 0.3;
        }
        let following = self.following_else(at).and_then(|other| self.outcome(other));
        if let Some((other, more)) = following.filter(|(other, _)| text.len() + other.len() < WHOLE - 20) {
            text.extend([format!("; else: {other}")]);
            weight += 0.4 * more;
        }
        let part = if is_plain {
            0.5
        } else if is_rejection(&outcome) {
            0.6
        } else {
            1.0
        };
        self.push(at, weight * part, &text);
    }

    fn next_sibling(&self, at: usize) -> Option<usize> {
        let parent = self.statements[at].parent;
        (at + 1..self.statements.len()).find(|next| self.statements[*next].parent == parent)
    }

    /// Returns the position of the `else` of a condition.
    fn following_else(&self, at: usize) -> Option<usize> {
        self.next_sibling(at).filter(|next| is_else(&self.statements[*next].text))
    }

    /// Returns true for a statement directly behind a condition that leaves the block.
    fn is_alternative(&self, at: usize) -> bool {
        let before = self.statements[..at].iter().rposition(|it| it.parent == self.statements[at].parent);
        before.is_some_and(|before| {
            self.statements[before].is_opener
                && block(self.statements, before)
                    .last()
                    .is_some_and(|last| is_end(&self.statements[*last].text))
        })
    }

    /// Adds the cases of a `match` or a `switch`.
    fn add_cases(&mut self, at: usize) {
        let subject = subject(&self.statements[at].text);
        let cases: Vec<usize> = block(self.statements, at);
        let mut shown: Vec<(usize, String, f64)> = Vec::new();
        for case in cases {
            let Some((pattern, inline)) = split_case(self.language, &self.statements[case].text) else {
                continue;
            };
            let (outcome, weight) = if inline.is_empty() {
                self.outcome(case).unwrap_or_default()
            } else {
                (part(inline, PART), statement_weight(inline))
            };
            self.told[case] = true;
            if outcome.is_empty() {
                continue;
            }
            let more = literals(pattern).count().min(2);
            let sign = if self.language == Language::Rust { " =>" } else { ":" };
            #[allow(clippy::cast_precision_loss, reason = "at most two")]
            shown.push((case, format!("{}{sign} {outcome}", cut(pattern, PART)), weight + 0.5 * more as f64));
        }
        let mut rest = shown.as_slice();
        while let Some((first, _, _)) = rest.first() {
            let mut text = format!("{subject}: ");
            let (mut count, mut weight) = (0, 0.8);
            for (_, case, of_case) in rest.iter().take(CASES) {
                if count > 0 && text.chars().count() + case.chars().count() > WHOLE - 4 {
                    break;
                }
                if count > 0 {
                    text.push_str("; ");
                }
                text.push_str(case);
                weight += 0.5 * (0.4 + of_case);
                count += 1;
            }
            self.push(if rest.len() == shown.len() { at } else { *first }, weight, &text);
            rest = &rest[count..];
        }
    }

    /// Adds a statement without a condition: a default, a result, a call with constants.
    fn add_plain(&mut self, at: usize) {
        let text = self.statements[at].text.as_str();
        let is_last = at + 1 == self.statements.len();
        let is_short = self.statements.len() <= SHORT;
        let is_result = self.statements[at].parent.is_none()
            && (text.starts_with("return ") || is_last && self.language == Language::Rust);
        let is_whole = depth_of(text, &['(', '[', '{'], &[')', ']', '}']) == 0;
        let is_begun = text.ends_with(['{', '[', '(']) && text.contains('=');
        if !(is_whole || is_begun) || text.starts_with(['.', '{', '"', '\'', '@']) || is_option(text) {
            return;
        }
        if !is_result && text.chars().count() > WHOLE - 50 {
            return self.add_defaults(at);
        }
        // A part of a long value tells something if it is a default.
        let is_part = text.ends_with(',');
        let own = default_weight(text) + if is_part { 0.0 } else { statement_weight(text) };
        let value = text.strip_prefix("return ").unwrap_or(text).trim_end_matches(';');
        let is_made = ["Self {", "Self(", "Ok(Self", "new Self"].iter().any(|start| value.starts_with(start));
        // The values of a new object are its defaults.
        let has_defaults = is_result
            && text.contains('{')
            && [": true", ": false", ": 0", ": 1", ": 2", ": \"", ": '"].iter().any(|it| text.contains(it));
        let is_made = is_made && !has_defaults;
        let is_telling = !is_made && value.contains(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        let weight = match () {
            () if has_defaults => own.max(0.9) + 0.9,
            () if is_result && is_short && is_telling => own + 0.5,
            () if is_result && self.is_alternative(at) => own + 0.7,
            () if is_result && is_telling => own + 0.3,
            () if is_short && is_telling => own + 0.3,
            () => own,
        };
        let more = if is_whole { "" } else { "…" };
        let most = if has_defaults { WHOLE - 10 } else { PART + 40 };
        self.push(at, weight, &format!("{}{more}", cut(text, most)));
    }

    /// Adds the parts of a long value that have defaults.
    fn add_defaults(&mut self, at: usize) {
        let text = self.statements[at].text.as_str();
        let is_whole = |part: &&str| depth_of(part, &['(', '[', '{'], &[')', ']', '}']) == 0;
        let parts: Vec<&str> =
            text.split(", ").filter(|part| default_weight(part) > 1.0).filter(is_whole).collect();
        if !parts.is_empty() {
            let text = cut(&format!("{{ … {} … }}", parts.join(", ")), WHOLE - 10);
            self.push(at, 1.8, &text);
        }
    }

    /// Returns the condition around a statement, as a beginning of its rule.
    fn around(&self, at: usize) -> String {
        let Some(parent) = self.statements[at].parent else { return String::new() };
        let text = self.statements[parent].text.as_str();
        if is_else(text) {
            return "else: ".to_owned();
        }
        match split_condition(self.language, text) {
            Some((condition, _)) => format!("if {}: ", cut(&condition, AROUND)),
            None => String::new(),
        }
    }

    /// Returns what a block does, as far as one or two of its statements tell, and its weight; `None` for a block that only nests.
    fn outcome(&mut self, of: usize) -> Option<(String, f64)> {
        let inner: Vec<usize> = block(self.statements, of)
            .into_iter()
            .filter(|at| !matches!(self.statements[*at].text.trim_end_matches(';'), "break" | "pass"))
            .collect();
        let plain: Vec<usize> = inner
            .iter()
            .copied()
            .filter(|at| !self.statements[*at].is_opener && !self.statements[*at].is_case())
            .collect();
        let is_value = |text: &str| self.language == Language::Rust && !text.ends_with([';', '{']);
        let end = inner.last().copied().filter(|at| {
            let text = &self.statements[*at].text;
            is_end(text) || !self.statements[*at].is_opener && is_value(text)
        });
        let weight_of = |at: &usize| statement_weight(&self.statements[*at].text);
        let best = plain.iter().copied().filter(|at| Some(*at) != end).fold(None::<usize>, |best, at| {
            best.filter(|best| weight_of(best) >= weight_of(&at)).or(Some(at))
        });
        let shown: Vec<usize> = best.into_iter().chain(end).collect();
        let (first, last) = (shown.first()?, shown.last()?);
        let is_gap = |from: Option<usize>, to: usize| {
            inner.iter().any(|at| from.is_none_or(|from| *at > from) && *at < to)
        };
        let mut text = String::new();
        if is_gap(None, *first) {
            text.push_str("… ");
        }
        // A message beside an error that tells more.
        let (begin, ending) = (&self.statements[*first].text, &self.statements[*last].text);
        let is_message = is_printed(begin) || ending.starts_with("raise ") && ending.contains("(msg");
        let of_first = if first != last && is_message { MESSAGE } else { PART };
        text.push_str(&part(&self.statements[*first].text, of_first));
        if first != last {
            text.push_str(if is_gap(Some(*first), *last) { "; … " } else { "; " });
            text.push_str(&part(&self.statements[*last].text, PART));
        }
        if inner.iter().any(|at| at > last) {
            text.push_str("; …");
        }
        let weight = shown.iter().map(weight_of).sum::<f64>() + if end.is_some() { 0.9 } else { 0.2 };
        for at in shown {
            self.told[at] = true;
        }
        Some((text, weight.min(4.0)))
    }
}

/// Returns the condition of a statement, and the statement behind it on the same line.
fn split_condition(language: Language, text: &str) -> Option<(String, &str)> {
    if language == Language::Rust
        && let Some(guard) = text.strip_suffix(" {")
        && guard.starts_with("let ")
        && guard.ends_with(" else")
    {
        return Some((guard.to_owned(), ""));
    }
    // `let x = if a {` of Rust.
    let is_value = |head: &&str| language == Language::Rust && head.starts_with("let ");
    let text = text.split_once(" = ").filter(|(head, _)| is_value(head)).map_or(text, |(_, value)| value);
    let rest = conditions::after_keyword(language, text)?;
    let (condition, behind) = match language {
        Language::Python => {
            let colon = outside_colon(rest)?;
            (&rest[..colon], rest[colon + 1..].trim())
        }
        Language::Ruby => (rest.strip_suffix(" then").unwrap_or(rest), ""),
        Language::Bash => (rest.split_once("; then")?.0, ""),
        Language::Rust | Language::Go => (rest.strip_suffix('{')?, ""),
        _ => {
            let inner = conditions::inside_parentheses(rest)?;
            (inner, rest[inner.len() + 2..].trim().trim_start_matches('{').trim())
        }
    };
    Some((condition.split_whitespace().collect::<Vec<_>>().join(" "), behind))
}

/// Returns the head of a block that handles an error.
fn handler(text: &str) -> Option<&str> {
    let is_handler = ["except", "catch", "rescue"].iter().any(|word| text.starts_with(word));
    (is_handler && text.ends_with(['{', ':'])).then(|| text.trim_end_matches(['{', ':', ' ']))
}

fn is_else(text: &str) -> bool {
    matches!(text, "else {" | "else:" | "else")
}

/// Returns the position of the colon that ends a condition of Python.
fn outside_colon(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in outside(text) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' if depth == 0 && !text[at..].starts_with(":=") => return Some(at),
            _ => {}
        }
    }
    None
}

fn is_switch(language: Language, text: &str) -> bool {
    let has_word = |word: &str| text.starts_with(word) || text.contains(&format!(" {word}"));
    match language {
        Language::Rust => has_word("match ") && text.ends_with('{'),
        Language::Python => text.starts_with("match ") && text.ends_with(':'),
        Language::Ruby | Language::Bash => false,
        _ => has_word("switch") && text.ends_with('{'),
    }
}

/// Returns the head of a `match` or a `switch` without its brace.
fn subject(text: &str) -> String {
    let from = ["match ", "switch"].iter().find_map(|word| text.find(word)).unwrap_or_default();
    cut(text[from..].trim_end_matches(['{', ':', ' ']), AROUND)
}

/// Returns the pattern of a case, and the statement behind it on the same line.
fn split_case(language: Language, text: &str) -> Option<(&str, &str)> {
    if language == Language::Rust {
        let (pattern, outcome) = text.split_once(" => ")?;
        return Some((pattern, outcome.trim_end_matches([',', '{']).trim()));
    }
    if let Some(rest) = text.strip_prefix("default") {
        return Some(("default", rest.trim_start_matches(':').trim()));
    }
    let rest = text.strip_prefix("case ")?;
    let colon = outside_colon(rest)?;
    Some((rest[..colon].trim(), rest[colon + 1..].trim_matches([' ', '{'])))
}

fn is_end(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "return", "continue", "break", "throw", "raise", "goto", "exit", "die", "panic!", "bail!", "fail",
        "abort", "yield",
    ];
    let first = text.split([' ', '(', ';']).next().unwrap_or_default();
    WORDS.contains(&first)
        || EXITS.iter().any(|exit| text.starts_with(exit))
        || text.starts_with("Err(")
        || text.starts_with("self.fail(")
}

const EXITS: &[&str] =
    &["os.Exit", "sys.exit", "process.exit", "std::process::exit", "process::exit", "System.exit"];

/// Returns a statement of at most `most` characters; one whose brackets stay open ends with `…`.
fn part(text: &str, most: usize) -> String {
    let shown = cut(text, most);
    let is_open = depth_of(text.trim_end_matches(['{', ' ']), &['(', '[', '{'], &[')', ']', '}']) != 0;
    if is_open && !shown.ends_with('…') { format!("{shown}…") } else { shown }
}

/// Returns a text of at most `most` characters without the sign at its end; a longer one ends with `…`.
fn cut(text: &str, most: usize) -> String {
    let text = text.trim_end_matches([';', ',', '{', ' ']).trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    let at = head.rfind([' ', '(', ',']).filter(|at| *at > most / 2).map_or(head.len(), |at| at + 1);
    format!("{}…", head[..at].trim_end())
}
