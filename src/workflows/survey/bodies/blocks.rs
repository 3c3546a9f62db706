//! Reads the nesting of a function's statements: the conditions around a statement, and the outcome of
//! a block.

use super::cases::CaseHead;
use super::excerpts::{condition, cut, is_end, part};
use super::heads::BlockHead;
use super::rule_weights::{is_printed, statement_weight};
use super::statements::{CodeStatement, block};
use super::terms::words;
use crate::repo::Language;

/// Maximum length of an outcome or a condition in a rule, in characters.
pub(super) const PART: usize = 72;
/// Maximum length of one condition around a rule, in characters.
pub(super) const AROUND: usize = 44;
/// Maximum length of all conditions around a rule together, because the rule itself needs room beside
/// them.
const ALL_AROUND: usize = 120;
/// Text for a loop among the conditions around a rule.
const LOOP: &str = "for …: ";
/// Maximum length of a printed message that stands beside the end of a block, in characters.
const MESSAGE: usize = 48;

/// Text for the effect of a block: one or two of its statements, with `…` for the others. Made by
/// `BlockReader::outcome` for the texts of rules.
pub(super) struct BlockOutcome {
    pub(super) text: String,
    /// Weight, at most 4; greater says more.
    pub(super) weight: f64,
    /// Indexes of the statements that the text shows.
    pub(super) shown: Vec<usize>,
}

/// Reader of the nesting of one function. All `usize` arguments and results are indexes into
/// `statements`.
pub(super) struct BlockReader<'s> {
    pub(super) language: Language,
    pub(super) statements: &'s [CodeStatement],
}

impl BlockReader<'_> {
    /// Returns the next statement in the same block.
    pub(super) fn next_sibling(&self, at: usize) -> Option<usize> {
        let parent = self.statements[at].parent;
        (at + 1..self.statements.len()).find(|next| self.statements[*next].parent == parent)
    }

    /// Returns the previous statement in the same block.
    pub(super) fn sibling_before(&self, at: usize) -> Option<usize> {
        let parent = self.statements[at].parent;
        self.statements[..at].iter().rposition(|it| it.parent == parent)
    }

    /// Returns true for a case without statements that continues with those of the next case, in
    /// languages with fall-through.
    pub(super) fn falls_through(&self, at: usize, head: &CaseHead) -> bool {
        let has_arms =
            matches!(self.language, Language::Go | Language::Python | Language::Ruby | Language::Bash);
        !has_arms
            && head.inline.is_empty()
            && self.statements[at].text.ends_with(':')
            && block(self.statements, at).is_empty()
    }

    /// Returns the pattern of a case together with those of the cases that fall through to it, cut to
    /// `most` characters, and the sign behind it: `A, B:`.
    pub(super) fn pattern(&self, at: usize, most: usize) -> String {
        let mut patterns = Vec::new();
        let mut next = Some(at);
        while let Some(case) = next {
            let BlockHead::Case(head) = &self.statements[case].head else { break };
            if case != at && !self.falls_through(case, head) {
                break;
            }
            patterns.insert(0, head.pattern.as_str());
            next = self.sibling_before(case);
        }
        let sign = if self.language == Language::Rust { " =>" } else { ":" };
        format!("{}{sign}", cut(&patterns.join(", "), most))
    }

    /// Returns all conditions around a statement as the beginning of its rule: `if a: for …: `. Empty
    /// at the outermost level; `None` if a condition is not understood or the text is too long.
    pub(super) fn around(&self, at: usize) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        let mut at = at;
        while let Some(parent) = self.statements[at].parent {
            // The statements before may leave the block, or change what the condition means.
            if self.is_behind_others(at, parent) {
                parts.push("… ".to_owned());
            }
            match &self.statements[parent].head {
                BlockHead::Statement => {}
                BlockHead::Plain => parts.extend(self.loop_word(parent)),
                BlockHead::Condition(head) => {
                    // Without its first condition a chain would be one of the block around it.
                    let first = if head.is_chained { "if …: …; " } else { "" };
                    parts.push(format!("{first}{}: ", head.with_keyword(&condition(&head.text, AROUND))));
                }
                BlockHead::Else(_) => {
                    // Loops and handlers have an `else` too.
                    let before = self.sibling_before(parent)?;
                    let BlockHead::Condition(head) = &self.statements[before].head else { return None };
                    let first = if head.is_chained { "if …: …; " } else { "" };
                    parts.push(format!(
                        "{first}{}: …; else: ",
                        head.with_keyword(&condition(&head.text, AROUND))
                    ));
                }
                BlockHead::Switch(subject) => parts.push(format!("{}: ", cut(subject, AROUND))),
                // The block of an inner condition, such as `A => if b {`.
                BlockHead::Case(head) if head.inline.ends_with('{') => return None,
                BlockHead::Case(_) => parts.push(format!("{} ", self.pattern(parent, AROUND))),
                BlockHead::While(head) => parts.push(format!("{}: ", condition(head, AROUND))),
                BlockHead::Handler(head) => {
                    parts.push(format!("{}{}: ", self.before_handler(), cut(head, AROUND)));
                }
                BlockHead::Closure => {
                    // The place that calls it decides whether it runs.
                    parts.push("in a closure: ".to_owned());
                    break;
                }
                BlockHead::Unknown => return None,
            }
            at = parent;
        }
        parts.reverse();
        Some(parts.concat()).filter(|around| around.chars().count() <= ALL_AROUND)
    }

    /// Returns the text for the block whose errors a handler handles.
    pub(super) fn before_handler(&self) -> &'static str {
        match self.language {
            // A method needs no `begin`.
            Language::Ruby => "…; ",
            _ => "try: …; ",
        }
    }

    /// Returns the first line of what `around` shows: of the outermost block around a statement, up to a closure.
    pub(super) fn first_shown(&self, at: usize) -> usize {
        let (mut shown, mut first) = (at, at);
        while let Some(parent) = self.statements[shown].parent {
            match &self.statements[parent].head {
                BlockHead::Closure => break,
                BlockHead::Statement => {}
                BlockHead::Plain if self.loop_word(parent).is_none() => {}
                _ => first = parent,
            }
            shown = parent;
        }
        self.statements[first].at
    }

    /// Returns a text for a loop, because a rule inside it may hold for one value only, and for a `try`; `None` for other blocks.
    fn loop_word(&self, at: usize) -> Option<String> {
        let text = self.statements[at].text.as_str();
        match () {
            () if text.starts_with("loop") => Some("loop: ".to_owned()),
            () if text.starts_with("for") || text.contains(".each") => Some(LOOP.to_owned()),
            // What it raises may be handled behind it.
            () if text.split(['{', ':', ' ', '(']).next() == Some("try") => Some("try: ".to_owned()),
            () => None,
        }
    }

    /// Returns true if an earlier condition in the same inner block may leave it, so that the statement
    /// is not always reached. Conditions of the statement's own `else if` chain do not count.
    pub(super) fn is_behind_end(&self, at: usize) -> bool {
        let parent = self.statements[at].parent;
        let is_chained = |head: &BlockHead| match head {
            BlockHead::Condition(head) => head.is_chained,
            BlockHead::Else(_) => true,
            _ => false,
        };
        // The conditions of one chain exclude each other.
        let mut start = at;
        while is_chained(&self.statements[start].head)
            && let Some(before) = self.sibling_before(start)
        {
            start = before;
        }
        let is_condition = |head: &BlockHead| matches!(head, BlockHead::Condition(_));
        parent.is_some_and(|parent| {
            (parent + 1..start).any(|before| {
                let it = &self.statements[before];
                it.parent == Some(parent) && is_condition(&it.head) && self.may_end(before)
            })
        })
    }

    /// Returns true if other statements stand before one in the block of a condition, a case or a loop, without those of its own chain.
    fn is_behind_others(&self, at: usize, parent: usize) -> bool {
        let is_block = !matches!(self.statements[parent].head, BlockHead::Statement | BlockHead::Switch(_));
        let mut start = at;
        let is_chained = |head: &BlockHead| match head {
            BlockHead::Condition(head) => head.is_chained,
            BlockHead::Else(_) | BlockHead::Handler(_) => true,
            _ => false,
        };
        while is_chained(&self.statements[start].head)
            && let Some(before) = self.sibling_before(start)
        {
            start = before;
        }
        is_block && self.sibling_before(start).is_some()
    }

    /// Returns the earlier statements of the same block that may leave the function or the loop.
    pub(super) fn ends_before(&self, at: usize) -> impl Iterator<Item = usize> {
        let parent = self.statements[at].parent;
        let start = parent.map_or(0, |parent| parent + 1);
        (start..at).filter(move |before| self.statements[*before].parent == parent && self.may_end(*before))
    }

    /// Returns true if a condition or loop contains a statement that leaves the function or the loop.
    /// False for other statements.
    fn may_end(&self, of: usize) -> bool {
        let inline = match &self.statements[of].head {
            BlockHead::Condition(head) => head.inline.as_str(),
            BlockHead::Plain | BlockHead::While(_) | BlockHead::Switch(_) | BlockHead::Else(_) => "",
            _ => return false,
        };
        is_end(inline)
            || (of + 1..self.statements.len())
                .take_while(|at| self.is_inside(*at, of))
                .any(|at| is_end(&self.statements[at].text))
    }

    /// Returns the index of the last line of a statement and its block.
    pub(super) fn last_line(&self, at: usize) -> usize {
        let inner = (at + 1..self.statements.len()).take_while(|inner| self.is_inside(*inner, at)).last();
        self.statements[inner.unwrap_or(at)].end - 1
    }

    /// Returns true if the statement `at` is inside the block of `of`, at any depth.
    fn is_inside(&self, at: usize, of: usize) -> bool {
        let mut around = self.statements[at].parent;
        while let Some(parent) = around {
            if parent == of {
                return true;
            }
            around = self.statements[parent].parent;
        }
        false
    }

    /// Summarizes the block of the statement `of` by its strongest statement and its last one, if that
    /// leaves the block. `inline` is the statement on the line of the head; if not empty, it is the
    /// outcome. `None` for a block that only nests.
    pub(super) fn outcome(&self, of: usize, inline: &str) -> Option<BlockOutcome> {
        let inner: Vec<usize> = block(self.statements, of)
            .into_iter()
            .filter(|at| !matches!(self.statements[*at].text.trim_end_matches(';'), "break" | "pass"))
            .collect();
        if !inline.is_empty() {
            let more = if inner.is_empty() { "" } else { "; …" };
            let (text, weight) = (format!("{}{more}", part(inline, PART)), statement_weight(inline));
            return Some(BlockOutcome { text, weight, shown: Vec::new() });
        }
        let text_of = |at: usize| self.statements[at].text.as_str();
        let plain: Vec<usize> = inner
            .iter()
            .copied()
            .filter(|at| match &self.statements[*at].head {
                BlockHead::Statement => true,
                BlockHead::Condition(head) => !head.inline.is_empty(),
                _ => false,
            })
            .collect();
        let is_value = |at: usize| {
            self.language == Language::Rust && plain.contains(&at) && !text_of(at).ends_with([';', '{'])
        };
        let end = inner.last().copied().filter(|at| is_end(text_of(*at)) || is_value(*at));
        let best = plain.iter().copied().filter(|at| Some(*at) != end).fold(None::<usize>, |best, at| {
            best.filter(|best| statement_weight(text_of(*best)) >= statement_weight(text_of(at))).or(Some(at))
        });
        let shown: Vec<usize> = best.into_iter().chain(end).collect();
        let (first, last) = (*shown.first()?, *shown.last()?);
        let is_gap = |from: Option<usize>, to: usize| {
            inner.iter().any(|at| from.is_none_or(|from| *at > from) && *at < to)
        };
        let mut text = String::new();
        if is_gap(None, first) {
            text.push_str("… ");
        }
        // A message beside an error that tells more.
        let (begin, ending) = (text_of(first), text_of(last));
        let is_message = is_printed(begin) || ending.starts_with("raise ") && ending.contains("(msg");
        text.push_str(&part(begin, if first != last && is_message { MESSAGE } else { PART }));
        if first != last {
            text.push_str(if is_gap(Some(first), last) { "; … " } else { "; " });
            text.push_str(&part(ending, PART));
        }
        if inner.iter().any(|at| *at > last) {
            text.push_str("; …");
        }
        let weight = shown.iter().map(|at| statement_weight(text_of(*at))).sum::<f64>()
            + if end.is_some() { 0.9 } else { 0.2 };
        Some(BlockOutcome { text, weight: weight.min(4.0), shown })
    }
}

/// Returns the line indexes of statements in blocks that leave the function, without those of closures.
/// `continue` and `break` do not count.
pub(super) fn exits(statements: &[CodeStatement]) -> Vec<usize> {
    let is_of_closure = |at: usize| {
        let around = std::iter::successors(statements[at].parent, |at| statements[*at].parent);
        around.into_iter().any(|at| statements[at].head == BlockHead::Closure)
    };
    let leaves = |text: &str| is_end(text) && !text.starts_with("continue") && !text.starts_with("break");
    let is_exit = |at: &usize| {
        let it = &statements[*at];
        let inline = match &it.head {
            BlockHead::Condition(head) => head.inline.as_str(),
            BlockHead::Else(inline) => inline.as_str(),
            _ => "",
        };
        (it.parent.is_some() && leaves(&it.text) || leaves(inline)) && !is_of_closure(*at)
    };
    (0..statements.len()).filter(is_exit).map(|at| statements[at].at).collect()
}

/// Returns the names that the blocks of outermost conditions assign, each with the index of the
/// condition's first line.
pub(super) fn changes(language: Language, statements: &[CodeStatement]) -> Vec<(usize, String)> {
    let blocks = BlockReader { language, statements };
    let conditions = (0..statements.len()).filter(|at| {
        statements[*at].parent.is_none() && matches!(statements[*at].head, BlockHead::Condition(_))
    });
    let of = |at: usize| {
        let BlockHead::Condition(head) = &statements[at].head else { return Vec::new() };
        let inner = (at + 1..statements.len()).take_while(|inner| blocks.is_inside(*inner, at));
        let texts = inner.map(|inner| statements[inner].text.as_str()).chain([head.inline.as_str()]);
        texts.filter_map(assigned).map(|name| (statements[at].at, name.to_owned())).collect()
    };
    conditions.flat_map(of).collect()
}

/// Returns the variable that an assignment (`=`, `:=`, `+=`, `-=`) changes; `None` for other
/// statements.
fn assigned(text: &str) -> Option<&str> {
    let (target, _) = [" = ", " := ", " += ", " -= "].iter().find_map(|sign| text.split_once(sign))?;
    words(target).last()
}

#[cfg(test)]
mod tests;
