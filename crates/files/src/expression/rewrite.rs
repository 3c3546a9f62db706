//! Writes a parsed expression or template as text again, in which every operation that can grow, or that reads whole
//! values, goes through
//! a bounded filter of `bounded.rs`. Checks nothing; see `analysis.rs`.
//!
//! The bounds must be in the text that minijinja compiles, because it folds constants while compiling. Operators
//! become filters behind
//! their left operand: so a chain of them stays as flat as it was written, and the nesting limit of the parser keeps
//! its meaning.

use minijinja::machinery::ast::{
    BinOp, BinOpKind, CallArg, CompareOpKind, Expr, Filter, ForLoop, IfCond, Stmt, Test, UnaryOpKind,
};
use minijinja::value::ValueKind;

/// Tests that read only the type of a value, or that must accept undefined values. They are not counted.
const LIGHT_TESTS: [&str; 16] = [
    "boolean",
    "defined",
    "even",
    "false",
    "float",
    "int",
    "integer",
    "iterable",
    "mapping",
    "none",
    "number",
    "odd",
    "sequence",
    "string",
    "true",
    "undefined",
];

/// The filter that counts the reading of a value.
const SEEN: &str = "|__seen";

/// Rewrites an expression.
pub(super) fn expression(parsed: &Expr<'_>) -> String {
    let mut writer = Writer::default();
    writer.expression(parsed);
    writer.text
}

/// Rewrites a template.
pub(super) fn template(parsed: &Stmt<'_>) -> String {
    let mut writer = Writer::default();
    writer.statement(parsed);
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn statements(&mut self, list: &[Stmt<'_>]) {
        list.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(it) => self.statements(&it.children),
            Stmt::EmitExpr(it) => {
                self.put("{{ ");
                self.expression(&it.expr);
                self.put(" }}");
            }
            // Text between tags does not pass the formatter, which counts the output, so it is written as a tag.
            Stmt::EmitRaw(it) => {
                self.put("{{ ");
                self.quoted(it.raw);
                self.put(" }}");
            }
            Stmt::ForLoop(it) => self.for_loop(it),
            Stmt::IfCond(it) => self.condition(it),
            Stmt::WithBlock(it) => {
                self.put("{% with ");
                self.separated(&it.assignments, |writer, (target, value)| {
                    writer.target(target);
                    writer.put(" = ");
                    writer.expression(value);
                });
                self.put(" %}");
                self.statements(&it.body);
                self.put("{% endwith %}");
            }
            Stmt::Set(it) => {
                self.put("{% set ");
                self.target(&it.target);
                self.put(" = ");
                self.expression(&it.expr);
                self.put(" %}");
            }
            Stmt::SetBlock(it) => {
                self.put("{% set ");
                self.target(&it.target);
                if let Some(filter) = &it.filter {
                    self.put(" | ");
                    self.filters(filter);
                }
                self.put(" %}");
                self.statements(&it.body);
                self.put("{% endset %}");
            }
            Stmt::FilterBlock(it) => {
                self.put("{% filter ");
                self.filters(&it.filter);
                self.put(" %}");
                self.statements(&it.body);
                self.put("{% endfilter %}");
            }
            Stmt::AutoEscape(it) => {
                self.put("{% autoescape ");
                self.expression(&it.enabled);
                self.put(" %}");
                self.statements(&it.body);
                self.put("{% endautoescape %}");
            }
            Stmt::Do(it) => {
                self.put("{% do ");
                self.base(&it.call.expr);
                self.arguments(&it.call.args);
                self.put(" %}");
            }
            Stmt::Block(_)
            | Stmt::Import(_)
            | Stmt::FromImport(_)
            | Stmt::Extends(_)
            | Stmt::Include(_)
            | Stmt::Macro(_)
            | Stmt::CallBlock(_) => unreachable!("the analysis refuses them"),
        }
    }

    fn for_loop(&mut self, it: &ForLoop<'_>) {
        self.put("{% for ");
        self.target(&it.target);
        self.put(" in ");
        self.operand(&it.iter);
        if let Some(filter) = &it.filter_expr {
            self.put(" if ");
            self.expression(filter);
        }
        self.put(if it.recursive { " recursive %}" } else { " %}" });
        self.statements(&it.body);
        if !it.else_body.is_empty() {
            self.put("{% else %}");
            self.statements(&it.else_body);
        }
        self.put("{% endfor %}");
    }

    fn condition(&mut self, it: &IfCond<'_>) {
        self.put("{% if ");
        let mut branch = it;
        loop {
            self.operand(&branch.expr);
            self.put(" %}");
            self.statements(&branch.true_body);
            match branch.false_body.as_slice() {
                [] => break,
                [Stmt::IfCond(next)] => {
                    self.put("{% elif ");
                    branch = next;
                }
                other => {
                    self.put("{% else %}");
                    self.statements(other);
                    break;
                }
            }
        }
        self.put("{% endif %}");
    }

    /// Writes the target of an assignment: names, possibly in brackets.
    fn target(&mut self, target: &Expr<'_>) {
        match target {
            Expr::List(it) => self.targets(&it.items),
            Expr::Tuple(it) => self.targets(&it.items),
            other => self.expression(other),
        }
    }

    fn targets(&mut self, items: &[Expr<'_>]) {
        self.put("(");
        items.iter().for_each(|item| {
            self.target(item);
            self.put(", ");
        });
        self.put(")");
    }

    /// Writes the filters of a block. The first of them has no value before it.
    fn filters(&mut self, filter: &Expr<'_>) {
        let Expr::Filter(it) = filter else { unreachable!("a block is filtered by filters") };
        if let Some(before) = &it.expr {
            self.filters(before);
            self.put("|");
        }
        self.put(it.name);
        self.arguments(&it.args);
    }

    fn expression(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::Var(it) => self.put(it.id),
            Expr::Const(it) => self.constant(&it.value),
            Expr::Slice(it) => {
                self.base(&it.expr);
                self.put("[");
                for (at, part) in [&it.start, &it.stop, &it.step].into_iter().enumerate() {
                    if at > 0 {
                        self.put(":");
                    }
                    part.iter().for_each(|part| self.expression(part));
                }
                self.put("]|__made");
            }
            Expr::UnaryOp(it) => {
                self.put(match it.op {
                    UnaryOpKind::Not => "not ",
                    UnaryOpKind::Neg => "-",
                });
                // A minus binds closer than a filter.
                self.put("(");
                self.expression(&it.expr);
                self.put(")");
            }
            Expr::BinOp(it) => self.binary(it),
            Expr::Compare(it) => {
                self.seen(&it.expr);
                for next in &it.ops {
                    self.put(comparison(next.op));
                    self.seen(&next.expr);
                }
            }
            Expr::IfExpr(it) => {
                self.operand(&it.true_expr);
                self.put(" if ");
                self.operand(&it.test_expr);
                if let Some(otherwise) = &it.false_expr {
                    self.put(" else ");
                    self.expression(otherwise);
                }
            }
            Expr::Filter(it) => self.filter(it),
            Expr::Test(it) => self.test(it),
            Expr::GetAttr(it) => {
                self.base(&it.expr);
                self.put(".");
                self.put(it.name);
            }
            Expr::GetItem(it) => {
                self.base(&it.expr);
                self.put("[");
                self.expression(&it.subscript_expr);
                self.put("]");
            }
            Expr::Call(it) => {
                self.base(&it.expr);
                self.arguments(&it.args);
            }
            Expr::List(it) => {
                self.put("[");
                self.separated(&it.items, Self::seen);
                self.put("]");
            }
            Expr::Tuple(it) => {
                self.put("(");
                it.items.iter().for_each(|item| {
                    self.seen(item);
                    self.put(", ");
                });
                self.put(")");
            }
            Expr::Map(it) => {
                self.put("{");
                let entries: Vec<_> = it.keys.iter().zip(&it.values).collect();
                self.separated(&entries, |writer, (key, value)| {
                    writer.seen(key);
                    writer.put(": ");
                    writer.seen(value);
                });
                self.put("}");
            }
        }
    }

    fn binary(&mut self, it: &BinOp<'_>) {
        let filter = match it.op {
            BinOpKind::ScAnd | BinOpKind::ScOr => {
                let word = if matches!(it.op, BinOpKind::ScAnd) { " and " } else { " or " };
                match &it.left {
                    // A chain of the same operator stays flat.
                    Expr::BinOp(left)
                        if std::mem::discriminant(&left.op) == std::mem::discriminant(&it.op) =>
                    {
                        self.binary(left);
                    }
                    left => self.operand(left),
                }
                self.put(word);
                return self.operand(&it.right);
            }
            BinOpKind::Eq => return self.compared(it, " == "),
            BinOpKind::Ne => return self.compared(it, " != "),
            BinOpKind::Lt => return self.compared(it, " < "),
            BinOpKind::Lte => return self.compared(it, " <= "),
            BinOpKind::Gt => return self.compared(it, " > "),
            BinOpKind::Gte => return self.compared(it, " >= "),
            BinOpKind::In => return self.compared(it, " in "),
            BinOpKind::Add => "|__add(",
            BinOpKind::Sub => "|__sub(",
            BinOpKind::Mul => "|__mul(",
            BinOpKind::Div => "|__div(",
            BinOpKind::FloorDiv => "|__floordiv(",
            BinOpKind::Rem => "|__rem(",
            BinOpKind::Pow => "|__pow(",
            BinOpKind::Concat => "|__concat(",
        };
        match &it.left {
            Expr::BinOp(left) if is_written_as_filter(left) => self.binary(left),
            left => self.operand(left),
        }
        self.put(filter);
        self.expression(&it.right);
        self.put(")");
    }

    fn compared(&mut self, it: &BinOp<'_>, sign: &str) {
        self.seen(&it.left);
        self.put(sign);
        self.seen(&it.right);
    }

    fn filter(&mut self, it: &Filter<'_>) {
        it.expr.iter().for_each(|value| self.operand(value));
        self.put("|");
        self.put(it.name);
        self.arguments(&it.args);
    }

    fn test(&mut self, it: &Test<'_>) {
        if LIGHT_TESTS.contains(&it.name) {
            self.operand(&it.expr);
        } else {
            self.seen(&it.expr);
        }
        self.put(" is ");
        self.put(it.name);
        if !it.args.is_empty() {
            self.arguments(&it.args);
        }
    }

    fn arguments(&mut self, arguments: &[CallArg<'_>]) {
        self.put("(");
        self.separated(arguments, |writer, argument| match argument {
            CallArg::Pos(value) => writer.seen(value),
            CallArg::Kwarg(name, value) => {
                writer.put(name);
                writer.put("=");
                writer.seen(value);
            }
            CallArg::PosSplat(value) => {
                writer.put("*");
                writer.seen(value);
            }
            CallArg::KwargSplat(value) => {
                writer.put("**");
                writer.operand(value);
            }
        });
        self.put(")");
    }

    /// Writes an operand that the operation reads as a whole.
    fn seen(&mut self, value: &Expr<'_>) {
        self.operand(value);
        if !matches!(value, Expr::Const(_)) {
            self.put(SEEN);
        }
    }

    /// Writes the value before a dot or a bracket. A filter is put in brackets, because the dot would be read as part
    /// of its name.
    fn base(&mut self, value: &Expr<'_>) {
        let is_filter = match value {
            Expr::Slice(_) | Expr::Filter(_) => true,
            Expr::BinOp(it) => is_written_as_filter(it),
            _ => false,
        };
        if !is_filter {
            return self.operand(value);
        }
        self.put("(");
        self.expression(value);
        self.put(")");
    }

    /// Writes a value before a filter or between operators.
    fn operand(&mut self, value: &Expr<'_>) {
        let is_closed = match value {
            Expr::Var(_)
            | Expr::Slice(_)
            | Expr::Filter(_)
            | Expr::GetAttr(_)
            | Expr::GetItem(_)
            | Expr::Call(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Map(_) => true,
            Expr::Const(it) => it.value.kind() != ValueKind::Number,
            Expr::BinOp(it) => is_written_as_filter(it),
            Expr::UnaryOp(_) | Expr::Compare(_) | Expr::IfExpr(_) | Expr::Test(_) => false,
        };
        if is_closed {
            return self.expression(value);
        }
        self.put("(");
        self.expression(value);
        self.put(")");
    }

    fn constant(&mut self, value: &minijinja::Value) {
        match value.as_str() {
            Some(text) => self.quoted(text),
            None if value.is_none() => self.put("none"),
            // There is no literal for infinity.
            None if f64::try_from(value.clone()).is_ok_and(f64::is_infinite) => self.put("1e999"),
            None => self.put(&format!("{value:?}")),
        }
    }

    fn quoted(&mut self, text: &str) {
        // Jinja reads the escapes of JSON.
        self.put(&serde_json::Value::from(text).to_string());
    }

    fn separated<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            write(self, item);
        }
    }
}

fn is_written_as_filter(it: &BinOp<'_>) -> bool {
    matches!(
        it.op,
        BinOpKind::Add
            | BinOpKind::Sub
            | BinOpKind::Mul
            | BinOpKind::Div
            | BinOpKind::FloorDiv
            | BinOpKind::Rem
            | BinOpKind::Pow
            | BinOpKind::Concat
    )
}

fn comparison(op: CompareOpKind) -> &'static str {
    match op {
        CompareOpKind::Eq => " == ",
        CompareOpKind::Ne => " != ",
        CompareOpKind::Lt => " < ",
        CompareOpKind::Lte => " <= ",
        CompareOpKind::Gt => " > ",
        CompareOpKind::Gte => " >= ",
        CompareOpKind::In => " in ",
        CompareOpKind::NotIn => " not in ",
    }
}
