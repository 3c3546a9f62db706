//! The values that an expression reads, as ways from a name: `state.person.age`, and the constants that they are
//! compared with. Knows no types; see `fields.rs`.

use std::ops::Range;

use minijinja::machinery::Span;
use minijinja::machinery::ast::{BinOp, BinOpKind, Compare, CompareOpKind, Expr};
use serde_json::Value as Json;

/// A path from a name to a value inside it: `state.person.age` has the root `state` and two steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ValuePath {
    /// The name that it begins with.
    pub(super) root: String,
    /// The steps from there; never empty.
    pub(super) steps: Vec<PathStep>,
    /// Range of the last step in the text.
    pub(super) at: Range<usize>,
}

/// A step of a [`ValuePath`]: to a field or to an element of a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PathStep {
    /// To a field of a map.
    Field(String),
    /// To an element of a list.
    Element,
}

/// A comparison of a value with a constant in an expression, such as `state.kind == 'a'`. It is checked
/// against the schema of the value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ConstantComparison {
    pub(super) path: ValuePath,
    pub(super) constant: Json,
    /// Range of the constant in the text.
    pub(super) at: Range<usize>,
}

/// Returns the path that an expression such as `state.list[0].name` reads. `None` for bare names, for
/// computed keys and for all other expressions.
pub(super) fn path_of(expression: &Expr<'_>) -> Option<ValuePath> {
    let (inner, step, at) = match expression {
        Expr::GetAttr(it) => {
            let end = it.span().end_offset as usize;
            (&it.expr, PathStep::Field(it.name.to_owned()), end.saturating_sub(it.name.len())..end)
        }
        Expr::GetItem(it) => {
            let (key, is_negative) = match &it.subscript_expr {
                Expr::Const(key) => (key, false),
                Expr::UnaryOp(minus) => match &minus.expr {
                    Expr::Const(key) => (key, true),
                    _ => return None,
                },
                _ => return None,
            };
            let step = match key.value.as_str() {
                Some(name) if !is_negative => PathStep::Field(name.to_owned()),
                None if key.value.is_integer() => PathStep::Element,
                _ => return None,
            };
            (&it.expr, step, to_range(key.span()))
        }
        _ => return None,
    };
    let (root, mut steps) = match inner {
        Expr::Var(it) => (it.id.to_owned(), Vec::new()),
        inner => path_of(inner).map(|path| (path.root, path.steps))?,
    };
    steps.push(step);
    Some(ValuePath { root, steps, at })
}

/// Returns the comparisons of a path with a constant that `==`, `!=` or `in` makes; for `in`, one for each
/// constant in its list.
pub(super) fn comparisons_of(it: &BinOp<'_>) -> Vec<ConstantComparison> {
    match it.op {
        BinOpKind::Eq | BinOpKind::Ne => equality(&it.left, &it.right),
        BinOpKind::In => membership(&it.left, &it.right),
        _ => Vec::new(),
    }
}

/// Returns the comparisons of a path with a constant in a comparison node (`==`, `!=`, `in`, `not in`). Empty
/// if several operators are chained, as in `1 < a < 3`.
pub(super) fn comparisons_of_chain(it: &Compare<'_>) -> Vec<ConstantComparison> {
    let [only] = it.ops.as_slice() else { return Vec::new() };
    match only.op {
        CompareOpKind::Eq | CompareOpKind::Ne => equality(&it.expr, &only.expr),
        CompareOpKind::In | CompareOpKind::NotIn => membership(&it.expr, &only.expr),
        _ => Vec::new(),
    }
}

fn equality(left: &Expr<'_>, right: &Expr<'_>) -> Vec<ConstantComparison> {
    compare(left, right).or_else(|| compare(right, left)).into_iter().collect()
}

fn membership(value: &Expr<'_>, list: &Expr<'_>) -> Vec<ConstantComparison> {
    match list {
        Expr::List(it) => it.items.iter().filter_map(|item| compare(value, item)).collect(),
        Expr::Tuple(it) => it.items.iter().filter_map(|item| compare(value, item)).collect(),
        _ => Vec::new(),
    }
}

fn compare(value: &Expr<'_>, constant: &Expr<'_>) -> Option<ConstantComparison> {
    let Expr::Const(it) = constant else { return None };
    let constant = serde_json::to_value(&it.value).ok()?;
    Some(ConstantComparison { path: path_of(value)?, constant, at: to_range(it.span()) })
}

fn to_range(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}
