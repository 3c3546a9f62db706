//! Extracts the rules of a function: conditions with their consequences, cases, defaults and results,
//! each as written.

use super::blocks::{AROUND, BlockOutcome, BlockReader, PART};
use super::excerpts::{condition, cut, is_end};
use super::heads::{BlockHead, ConditionHead};
use super::rule_weights::{
    condition_weight, default_weight, is_option, is_plain_check, is_rejection, statement_weight,
};
use super::statements::{CodeStatement, block, depth_of};
use super::terms::literals;
use crate::repo::Language;

/// Maximum number of rules of a function.
const RULES: usize = 20;
/// Maximum length of a rule, in characters.
const WHOLE: usize = 200;
/// Maximum length of a chain of conditions, in characters.
const CHAIN: usize = 440;
/// Maximum length of each condition and each outcome in a chain, in characters.
const LINK: usize = 52;
/// Maximum number of cases in one rule; more cases become further rules.
const CASES: usize = 5;
/// Maximum number of statements of a short function, whose results weigh more.
const SHORT: usize = 4;
/// Minimum weight of a rule that is kept.
const LEAST: f64 = 0.85;

/// Rule of a function as written: `if a > 5: return 3`. Omitted code is `…`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyRule {
    /// Number of its first line in the file.
    pub(crate) line: usize,
    /// Number of the last line of its block.
    pub(crate) end: usize,
    /// Number of the first line that its text shows: that of the outermost condition around it.
    pub(crate) shown_from: usize,
    pub(crate) text: String,
    /// Greater tells more.
    pub(crate) weight: f64,
    /// Number of statements of a whole body; 1 for other rules.
    pub(crate) statements: usize,
}

/// Returns the rules of a function with the greatest weights, at most `RULES`, in the order of the text
/// and with line indexes from 0. Statements for which `is_other` returns true belong to functions
/// inside it.
pub(super) fn rules(
    language: Language,
    statements: &[CodeStatement],
    is_other: &dyn Fn(usize) -> bool,
) -> Vec<BodyRule> {
    let blocks = BlockReader { language, statements };
    let mut reader = RuleReader {
        language,
        told: vec![false; statements.len()],
        chained: vec![false; statements.len()],
        statements,
        blocks,
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

/// Reader that collects the rules of one function. The `usize` arguments of its methods are indexes
/// into `statements`.
struct RuleReader<'s> {
    language: Language,
    statements: &'s [CodeStatement],
    blocks: BlockReader<'s>,
    /// For each statement, true if the text of a rule shows it already.
    told: Vec<bool>,
    /// For each statement, true for a condition that the rule of its chain shows already.
    chained: Vec<bool>,
    found: Vec<BodyRule>,
}

impl RuleReader<'_> {
    /// Adds the rules of the statement at this index, by the kind of its head.
    fn read(&mut self, at: usize) {
        let statements = self.statements;
        match &statements[at].head {
            BlockHead::Condition(_) if self.chained[at] => {}
            BlockHead::Condition(head) if !head.is_chained && self.add_chain(at, head) => {}
            BlockHead::Condition(head) => self.add_condition(at, head),
            BlockHead::Handler(head) => {
                if let Some(outcome) = self.blocks.outcome(at, "") {
                    self.tell(&outcome);
                    self.push(
                        at,
                        outcome.weight + 0.2,
                        &format!(
                            "{}{}: {}",
                            self.blocks.before_handler(),
                            cut(head, PART),
                            braced(&outcome.text)
                        ),
                    );
                }
            }
            BlockHead::Switch(subject) => self.add_cases(at, subject),
            BlockHead::Statement if !self.told[at] => self.add_plain(at),
            _ => {}
        }
    }

    /// Marks the statements of an outcome as shown, so that no other rule repeats them.
    fn tell(&mut self, outcome: &BlockOutcome) {
        for at in &outcome.shown {
            self.told[*at] = true;
        }
    }

    /// Adds a rule with the conditions around its statement in front. Adds nothing if these are not
    /// understood.
    fn push(&mut self, at: usize, weight: f64, text: &str) {
        self.push_within((at, at), weight, text, WHOLE);
    }

    /// Adds a rule that covers the lines from the statement `at` to the end of the block of `last`, cut
    /// to `most` characters. Adds nothing if the conditions around it are not understood.
    fn push_within(&mut self, (at, last): (usize, usize), weight: f64, text: &str, most: usize) {
        let Some(around) = self.blocks.around(at) else { return };
        let (line, end) = (self.statements[at].at, self.blocks.last_line(last));
        let text = if around.ends_with("… ") { text.trim_start_matches("… ") } else { text };
        // Without braces the `else` could be that of the conditions around it.
        let is_nested = !around.is_empty() && (text.contains("; else") || text.starts_with("…; else"));
        let text = if is_nested {
            format!("{around}{{ {} }}", cut(text, most.saturating_sub(around.chars().count() + 4).max(PART)))
        } else {
            cut(&format!("{around}{text}"), most)
        };
        let shown_from = self.blocks.first_shown(at);
        self.found.push(BodyRule { line, end, shown_from, text, weight, statements: 1 });
    }

    /// Adds the `if … else if … else` chain that begins at a statement as one rule. Returns false, and
    /// adds nothing, if there is no chain, or if it is too long, not understood, or its blocks say
    /// little.
    fn add_chain(&mut self, at: usize, head: &ConditionHead) -> bool {
        let statements = self.statements;
        let mut links = vec![at];
        while let Some(next) = self.blocks.next_sibling(links[links.len() - 1]) {
            match &statements[next].head {
                BlockHead::Condition(head) if head.is_chained => links.push(next),
                BlockHead::Else(_) => {
                    links.push(next);
                    break;
                }
                BlockHead::Unknown if statements[next].text.starts_with("el") => return false,
                _ => break,
            }
        }
        let is_condition = |at: usize| matches!(statements[at].head, BlockHead::Condition(_));
        if links.iter().filter(|at| is_condition(**at)).count() < 2 {
            return false;
        }
        let (mut parts, mut outcomes, mut weight) = (Vec::new(), Vec::new(), 0.0_f64);
        for link in &links {
            let (start, inline, of_head) = match &statements[*link].head {
                BlockHead::Condition(head) => {
                    let text = head.with_keyword(&condition(&head.text, LINK));
                    (text, head.inline.as_str(), condition_weight(&head.text).min(4.0))
                }
                BlockHead::Else(inline) => ("else".to_owned(), inline.as_str(), 0.0),
                _ => continue,
            };
            let outcome = self.blocks.outcome(*link, inline);
            let said = outcome.as_ref().map_or("…".to_owned(), |outcome| braced(&cut(&outcome.text, LINK)));
            parts.push(format!("{start}: {said}"));
            weight += 0.3 * of_head + outcome.as_ref().map_or(0.0, |outcome| 0.6 * outcome.weight);
            outcomes.extend(outcome);
        }
        let text = parts.join("; ");
        // Blocks that only nest tell nothing here.
        let is_told = outcomes.len() * 2 > links.len();
        if text.chars().count() > CHAIN || !is_told || is_plain_check(&head.text) {
            return false;
        }
        outcomes.iter().for_each(|outcome| self.tell(outcome));
        links.iter().for_each(|link| self.chained[*link] = true);
        self.push_within((at, links[links.len() - 1]), weight.min(4.0), &text, CHAIN);
        true
    }

    /// Adds a condition with the outcome of its block, and that of its `else`. Adds nothing if the
    /// block has no outcome or a check only passes an error on.
    fn add_condition(&mut self, at: usize, head: &ConditionHead) {
        let Some(outcome) = self.blocks.outcome(at, &head.inline) else { return };
        self.tell(&outcome);
        let is_plain = is_plain_check(&head.text);
        let passes_on = ["return err", "return nil, err", "return nil", "return None", "return null"]
            .iter()
            .any(|start| outcome.text.starts_with(start));
        if is_plain && (passes_on || outcome.weight < 1.0) {
            return;
        }
        // The conditions before it in its chain do not hold.
        let before = if head.is_chained { "…; " } else { "" };
        let mut text = format!(
            "{before}{}: {}",
            head.with_keyword(&condition(&head.text, PART + 20)),
            braced(&outcome.text)
        );
        // The kind of a value is no rule of the domain.
        let is_of_kind =
            ["typeof ", "instanceof ", "isinstance("].iter().any(|word| head.text.contains(word));
        let of_condition = condition_weight(&head.text).min(4.0) * if is_of_kind { 0.2 } else { 0.5 };
        let mut weight = of_condition + outcome.weight;
        let mut last = at;
        let next = self.blocks.next_sibling(at).map(|next| (next, &self.statements[next].head));
        let is_followed = match next {
            Some((_, BlockHead::Condition(next))) => next.is_chained,
            Some((_, BlockHead::Else(_))) => true,
            _ => false,
        };
        if head.is_chained || is_followed {
            weight += 0.3;
        }
        if let Some((next, BlockHead::Else(inline))) = next
            && let Some(other) = self.blocks.outcome(next, inline)
            && text.len() + other.text.len() < WHOLE - 20
        {
            self.tell(&other);
            text.extend([format!("; else: {}", braced(&other.text))]);
            weight += 0.4 * other.weight;
            last = next;
        }
        let part = match () {
            () if is_plain => 0.5,
            () if is_rejection(&outcome.text) => 0.6,
            () => 1.0,
        };
        self.push_within((at, last), weight * part, &text, WHOLE);
    }

    /// Returns true for a statement directly after a condition whose block ends with a `return` or the
    /// like.
    fn is_alternative(&self, at: usize) -> bool {
        self.blocks.sibling_before(at).is_some_and(|before| {
            let last = block(self.statements, before).last().copied();
            matches!(self.statements[before].head, BlockHead::Condition(_))
                && last.is_some_and(|last| is_end(&self.statements[last].text))
        })
    }

    /// Adds the cases of a `match` or `switch` as rules of up to `CASES` cases each.
    fn add_cases(&mut self, at: usize, subject: &str) {
        let statements = self.statements;
        let cases = block(statements, at);
        // The rest of an unknown case is not known either.
        let is_known = cases.iter().all(|case| matches!(statements[*case].head, BlockHead::Case(_)));
        let mut shown: Vec<(usize, String, f64)> = Vec::new();
        for case in cases {
            let BlockHead::Case(head) = &statements[case].head else { continue };
            if self.blocks.falls_through(case, head) || head.is_default(self.language) && !is_known {
                continue;
            }
            let (outcome, weight) = match self.blocks.outcome(case, &head.inline) {
                Some(outcome) => {
                    self.tell(&outcome);
                    (braced(&outcome.text), outcome.weight)
                }
                None if block(statements, case).is_empty() => ("{}".to_owned(), 0.0),
                None => ("…".to_owned(), 0.0),
            };
            let more = literals(&head.pattern).count().min(2);
            #[allow(clippy::cast_precision_loss, reason = "at most two")]
            shown.push((
                case,
                format!("{} {outcome}", self.blocks.pattern(case, PART)),
                weight + 0.5 * more as f64,
            ));
        }
        let Some(around) = self.blocks.around(at) else { return };
        // The options of a command line are told with their texts.
        let flags = shown.iter().filter(|(_, case, _)| sets_flag(case)).count();
        let part = if flags * 2 > shown.len() { 0.3 } else { 1.0 };
        let subject = cut(subject, AROUND);
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
            let line = statements[if rest.len() == shown.len() { at } else { *first }].at;
            let (before, after) = (
                if rest.len() < shown.len() { "…; " } else { "" },
                if count < rest.len() { "; …" } else { "" },
            );
            let text = text.replacen(": ", &format!(": {before}"), 1);
            let text = cut(&format!("{around}{text}{after}"), WHOLE);
            let end = self.blocks.last_line(at);
            let shown_from = if rest.len() == shown.len() { self.blocks.first_shown(at) } else { line };
            self.found.push(BodyRule { line, end, shown_from, text, weight: weight * part, statements: 1 });
            rest = &rest[count..];
        }
    }

    /// Adds a statement without a condition of its own: a default, a result, or a call with constants.
    fn add_plain(&mut self, at: usize) {
        let text = self.statements[at].text.as_str();
        // The end of a loop is no statement of its own.
        if text == "…" || text.starts_with("while (") {
            return;
        }
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
        let before = match () {
            // The conditions around it say so already.
            () if self.blocks.is_behind_end(at) => "",
            () if is_end(text) && self.blocks.ends_before(at).next().is_some() => self.word_of_end(at),
            () if self.is_inner(at) && self.blocks.sibling_before(at).is_some() => "… ",
            () => "",
        };
        let after = if !is_end(text) && self.is_inner(at) && self.blocks.next_sibling(at).is_some() {
            "; …"
        } else {
            ""
        };
        self.push(at, weight, &format!("{before}{}{more}{after}", cut(text, most)));
    }

    /// Returns the word before a `return` that earlier statements may prevent: `otherwise`, or `at the
    /// end` if one of them is a loop.
    fn word_of_end(&self, at: usize) -> &'static str {
        let is_loop =
            |before: usize| matches!(self.statements[before].head, BlockHead::Plain | BlockHead::While(_));
        // A call of its own may fail: `Guard.Against.Null(a);`.
        let parent = self.statements[at].parent;
        let is_call = |it: &CodeStatement| {
            it.parent == parent
                && it.head == BlockHead::Statement
                && it.text.contains('(')
                && !it.text.contains('=')
        };
        let may_end = self.blocks.ends_before(at).any(is_loop) || self.statements[..at].iter().any(is_call);
        if may_end { "at the end " } else { "otherwise " }
    }

    /// Returns true for a statement inside the block of a condition or a loop.
    fn is_inner(&self, at: usize) -> bool {
        self.statements[at].parent.is_some_and(|parent| self.statements[parent].head != BlockHead::Statement)
    }

    /// Adds those parts of a long value (an object with many fields) that are defaults, as one rule.
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
}

/// Puts braces around several statements.
fn braced(text: &str) -> String {
    if text.contains("; ") { format!("{{ {text} }}") } else { text.to_owned() }
}

/// Returns true for the text of a case that only sets a flag: `'a': aflag = 1`, `'v': verbose++`.
fn sets_flag(case: &str) -> bool {
    let Some((_, outcome)) = case.rsplit_once(": ").or_else(|| case.rsplit_once("=> ")) else { return false };
    let bare = outcome.trim_end_matches(['}', ';', ' ']);
    let name = ["++", " = 1", " = true", " = True", " += 1"].iter().find_map(|end| bare.strip_suffix(end));
    name.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '>')))
}

#[cfg(test)]
mod tests;
