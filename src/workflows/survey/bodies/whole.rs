//! The whole body of a short function on one line. It leaves nothing out, so it needs none of the marks that rules need.

use super::blocks::{BlockReader, PART};
use super::excerpts::is_end;
use super::heads::BlockHead;
use super::statements::{CodeStatement, block, depth_of};
use crate::repo::Language;

/// Maximum number of statements of a short function, and maximum length of its body in bytes.
const STATEMENTS: usize = 16;
const BYTES: usize = 400;
/// Maximum length of a statement, in bytes.
const STATEMENT: usize = 150;

/// Returns the body of a short function: statements with `; ` between them, and blocks of several statements in braces. `None` for a
/// longer one, for one with a statement that is not understood or must not be quoted, and for one that only sets its own fields.
pub(super) fn body(
    language: Language,
    statements: &[CodeStatement],
    is_other: &dyn Fn(usize) -> bool,
) -> Option<String> {
    let is_read = (2..=STATEMENTS).contains(&statements.len())
        && statements.iter().all(|it| is_understood(it) && !is_other(it.at))
        && !statements.iter().all(|it| sets_field(&it.text));
    if !is_read {
        return None;
    }
    let writer = BodyWriter { blocks: BlockReader { language, statements } };
    let outer: Vec<usize> = (0..statements.len()).filter(|at| statements[*at].parent.is_none()).collect();
    writer.list(&outer).filter(|text| text.len() <= BYTES)
}

/// Returns true for a statement that can be shown whole.
fn is_understood(statement: &CodeStatement) -> bool {
    let text = statement.text.as_str();
    let is_known = match &statement.head {
        BlockHead::Closure | BlockHead::Unknown => false,
        BlockHead::Statement => {
            !text.ends_with(['{', ':']) && depth_of(text, &['(', '[', '{'], &[')', ']', '}']) == 0
        }
        BlockHead::Case(head) => !head.inline.ends_with('{'),
        _ => true,
    };
    is_known && text.len() <= STATEMENT && !text.contains('…')
}

/// Returns true for a statement that gives a field the argument of the same name: `self.size = size`.
fn sets_field(text: &str) -> bool {
    let Some((target, value)) = text.trim_end_matches(';').split_once(" = ") else { return false };
    let field = target.rsplit(['.', '>', '@', '_']).next().unwrap_or(target);
    !field.is_empty() && value.trim_start_matches(['$', '_']) == field
}

/// Writes the blocks of one body.
struct BodyWriter<'s> {
    blocks: BlockReader<'s>,
}

impl BodyWriter<'_> {
    /// Returns statements on one line.
    fn list(&self, statements: &[usize]) -> Option<String> {
        let mut parts = Vec::new();
        for at in statements {
            parts.push(self.one(*at)?);
        }
        parts.retain(|part| !part.is_empty());
        Some(parts.join("; "))
    }

    /// Returns a statement with its block: an empty text for a case that goes on with the next one.
    fn one(&self, at: usize) -> Option<String> {
        let statement = &self.blocks.statements[at];
        let (head, inline) = match &statement.head {
            BlockHead::Statement => return Some(statement.text.trim_end_matches(';').to_owned()),
            BlockHead::Condition(head) => (head.with_keyword(&head.text), head.inline.as_str()),
            BlockHead::Else(inline) => ("else".to_owned(), inline.as_str()),
            BlockHead::Case(head) if self.blocks.falls_through(at, head) => return Some(String::new()),
            BlockHead::Case(head) => {
                let pattern = self.blocks.pattern(at, PART);
                let inside = self.inside(at, &head.inline)?;
                return (!pattern.contains('…')).then(|| format!("{pattern} {inside}"));
            }
            BlockHead::While(head) | BlockHead::Handler(head) | BlockHead::Switch(head) => (head.clone(), ""),
            BlockHead::Plain => (statement.text.trim_end_matches(['{', ':', ' ']).to_owned(), ""),
            BlockHead::Closure | BlockHead::Unknown => return None,
        };
        Some(format!("{head}: {}", self.inside(at, inline)?))
    }

    /// Returns true for a block of one statement behind which a reader could not tell whether the next one is inside of it.
    fn needs_braces(&self, at: usize, only: usize) -> bool {
        let statements = self.blocks.statements;
        let goes_on = match self.blocks.next_sibling(at).map(|next| &statements[next].head) {
            None | Some(BlockHead::Else(_) | BlockHead::Handler(_) | BlockHead::Case(_)) => false,
            Some(BlockHead::Condition(head)) => !head.is_chained,
            Some(_) => true,
        };
        goes_on && !is_end(&statements[only].text)
    }

    /// Returns the block of a statement: in braces if it has several, or if it could go on.
    fn inside(&self, at: usize, inline: &str) -> Option<String> {
        let inner = block(self.blocks.statements, at);
        match (inline.trim_end_matches(';'), inner.as_slice()) {
            ("", []) => Some("{}".to_owned()),
            ("", [only]) if !self.needs_braces(at, *only) => self.list(&inner),
            ("", _) => Some(format!("{{ {} }}", self.list(&inner)?)),
            (inline, []) => Some(inline.trim_end_matches(',').to_owned()),
            _ => None,
        }
    }
}
