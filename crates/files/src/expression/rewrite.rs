//! Writes a parsed expression or template as text again, in which every operation that can grow, or that reads whole
//! values, goes through a bounded filter of `bounded.rs`. Checks nothing; see `analysis.rs`.
//!
//! The bounds must be in the text that minijinja compiles, because it folds constants while compiling. Operators
//! become filters behind their left operand: so a chain of them stays as flat as it was written, and the nesting
//! limit of the parser keeps its meaning.

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
const COUNT_FILTER: &str = "|__seen";

/// Returns the text of an expression with bounded filters for its operators: `a + b` becomes `a|__add(b)`.
pub(super) fn rewrite_expression(parsed: &Expr<'_>) -> String {
    let mut writer = Writer::default();
    writer.write_expression(parsed);
    writer.text
}

/// Returns the text of a template whose expressions have bounded filters for their operators: `{{ a + b }}`
/// becomes `{{ a|__add(b) }}`.
pub(super) fn rewrite_template(parsed: &Stmt<'_>) -> String {
    let mut writer = Writer::default();
    writer.write_statement(parsed);
    writer.text
}

/// The writer of the rewritten text of one expression or template.
#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn write_statements(&mut self, list: &[Stmt<'_>]) {
        list.iter().for_each(|statement| self.write_statement(statement));
    }

    fn write_statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(it) => self.write_statements(&it.children),
            Stmt::EmitExpr(it) => {
                self.write("{{ ");
                self.write_expression(&it.expr);
                self.write(" }}");
            }
            // Text between tags does not pass the formatter, which counts the output, so it is written as a tag.
            Stmt::EmitRaw(it) => {
                self.write("{{ ");
                self.write_quoted(it.raw);
                self.write(" }}");
            }
            Stmt::ForLoop(it) => self.write_for_loop(it),
            Stmt::IfCond(it) => self.write_condition(it),
            Stmt::WithBlock(it) => {
                self.write("{% with ");
                self.write_separated(&it.assignments, |writer, (target, value)| {
                    writer.write_target(target);
                    writer.write(" = ");
                    writer.write_expression(value);
                });
                self.write(" %}");
                self.write_statements(&it.body);
                self.write("{% endwith %}");
            }
            Stmt::Set(it) => {
                self.write("{% set ");
                self.write_target(&it.target);
                self.write(" = ");
                self.write_expression(&it.expr);
                self.write(" %}");
            }
            Stmt::SetBlock(it) => {
                self.write("{% set ");
                self.write_target(&it.target);
                if let Some(filter) = &it.filter {
                    self.write(" | ");
                    self.write_filters(filter);
                }
                self.write(" %}");
                self.write_statements(&it.body);
                self.write("{% endset %}");
            }
            Stmt::FilterBlock(it) => {
                self.write("{% filter ");
                self.write_filters(&it.filter);
                self.write(" %}");
                self.write_statements(&it.body);
                self.write("{% endfilter %}");
            }
            Stmt::AutoEscape(it) => {
                self.write("{% autoescape ");
                self.write_expression(&it.enabled);
                self.write(" %}");
                self.write_statements(&it.body);
                self.write("{% endautoescape %}");
            }
            Stmt::Do(it) => {
                self.write("{% do ");
                self.write_base(&it.call.expr);
                self.write_arguments(&it.call.args);
                self.write(" %}");
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

    fn write_for_loop(&mut self, it: &ForLoop<'_>) {
        self.write("{% for ");
        self.write_target(&it.target);
        self.write(" in ");
        self.write_operand(&it.iter);
        if let Some(filter) = &it.filter_expr {
            self.write(" if ");
            self.write_expression(filter);
        }
        self.write(if it.recursive { " recursive %}" } else { " %}" });
        self.write_statements(&it.body);
        if !it.else_body.is_empty() {
            self.write("{% else %}");
            self.write_statements(&it.else_body);
        }
        self.write("{% endfor %}");
    }

    fn write_condition(&mut self, it: &IfCond<'_>) {
        self.write("{% if ");
        let mut branch = it;
        loop {
            self.write_operand(&branch.expr);
            self.write(" %}");
            self.write_statements(&branch.true_body);
            match branch.false_body.as_slice() {
                [] => break,
                [Stmt::IfCond(next)] => {
                    self.write("{% elif ");
                    branch = next;
                }
                other => {
                    self.write("{% else %}");
                    self.write_statements(other);
                    break;
                }
            }
        }
        self.write("{% endif %}");
    }

    /// Writes the target of an assignment in a template: names, possibly in brackets.
    fn write_target(&mut self, target: &Expr<'_>) {
        match target {
            Expr::List(it) => self.write_targets(&it.items),
            Expr::Tuple(it) => self.write_targets(&it.items),
            other => self.write_expression(other),
        }
    }

    fn write_targets(&mut self, items: &[Expr<'_>]) {
        self.write("(");
        items.iter().for_each(|item| {
            self.write_target(item);
            self.write(", ");
        });
        self.write(")");
    }

    /// Writes the filters of a block, such as `{% filter upper|trim %}`. The first of them has no value
    /// before it.
    fn write_filters(&mut self, filter: &Expr<'_>) {
        let Expr::Filter(it) = filter else { unreachable!("a block is filtered by filters") };
        if let Some(before) = &it.expr {
            self.write_filters(before);
            self.write("|");
        }
        self.write(it.name);
        self.write_arguments(&it.args);
    }

    fn write_expression(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::Var(it) => self.write(it.id),
            Expr::Const(it) => self.write_constant(&it.value),
            Expr::Slice(it) => {
                self.write_base(&it.expr);
                self.write("[");
                for (at, part) in [&it.start, &it.stop, &it.step].into_iter().enumerate() {
                    if at > 0 {
                        self.write(":");
                    }
                    part.iter().for_each(|part| self.write_expression(part));
                }
                self.write("]|__made");
            }
            Expr::UnaryOp(it) => {
                self.write(match it.op {
                    UnaryOpKind::Not => "not ",
                    UnaryOpKind::Neg => "-",
                });
                // A minus binds closer than a filter.
                self.write("(");
                self.write_expression(&it.expr);
                self.write(")");
            }
            Expr::BinOp(it) => self.write_binary(it),
            Expr::Compare(it) => {
                self.write_counted(&it.expr);
                for next in &it.ops {
                    self.write(comparison(next.op));
                    self.write_counted(&next.expr);
                }
            }
            Expr::IfExpr(it) => {
                self.write_operand(&it.true_expr);
                self.write(" if ");
                self.write_operand(&it.test_expr);
                if let Some(otherwise) = &it.false_expr {
                    self.write(" else ");
                    self.write_expression(otherwise);
                }
            }
            Expr::Filter(it) => self.write_filter(it),
            Expr::Test(it) => self.write_test(it),
            Expr::GetAttr(it) => {
                self.write_base(&it.expr);
                self.write(".");
                self.write(it.name);
            }
            Expr::GetItem(it) => {
                self.write_base(&it.expr);
                self.write("[");
                self.write_expression(&it.subscript_expr);
                self.write("]");
            }
            Expr::Call(it) => {
                self.write_base(&it.expr);
                self.write_arguments(&it.args);
            }
            Expr::List(it) => {
                self.write("[");
                self.write_separated(&it.items, Self::write_counted);
                self.write("]");
            }
            Expr::Tuple(it) => {
                self.write("(");
                it.items.iter().for_each(|item| {
                    self.write_counted(item);
                    self.write(", ");
                });
                self.write(")");
            }
            Expr::Map(it) => {
                self.write("{");
                let entries: Vec<_> = it.keys.iter().zip(&it.values).collect();
                self.write_separated(&entries, |writer, (key, value)| {
                    writer.write_counted(key);
                    writer.write(": ");
                    writer.write_counted(value);
                });
                self.write("}");
            }
        }
    }

    fn write_binary(&mut self, it: &BinOp<'_>) {
        let filter = match it.op {
            BinOpKind::ScAnd | BinOpKind::ScOr => {
                let word = if matches!(it.op, BinOpKind::ScAnd) { " and " } else { " or " };
                match &it.left {
                    // A chain of the same operator stays flat.
                    Expr::BinOp(left)
                        if std::mem::discriminant(&left.op) == std::mem::discriminant(&it.op) =>
                    {
                        self.write_binary(left);
                    }
                    left => self.write_operand(left),
                }
                self.write(word);
                return self.write_operand(&it.right);
            }
            BinOpKind::Eq => return self.write_comparison(it, " == "),
            BinOpKind::Ne => return self.write_comparison(it, " != "),
            BinOpKind::Lt => return self.write_comparison(it, " < "),
            BinOpKind::Lte => return self.write_comparison(it, " <= "),
            BinOpKind::Gt => return self.write_comparison(it, " > "),
            BinOpKind::Gte => return self.write_comparison(it, " >= "),
            BinOpKind::In => return self.write_comparison(it, " in "),
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
            Expr::BinOp(left) if is_written_as_filter(left) => self.write_binary(left),
            left => self.write_operand(left),
        }
        self.write(filter);
        self.write_expression(&it.right);
        self.write(")");
    }

    fn write_comparison(&mut self, it: &BinOp<'_>, sign: &str) {
        self.write_counted(&it.left);
        self.write(sign);
        self.write_counted(&it.right);
    }

    fn write_filter(&mut self, it: &Filter<'_>) {
        it.expr.iter().for_each(|value| self.write_operand(value));
        self.write("|");
        self.write(it.name);
        self.write_arguments(&it.args);
    }

    fn write_test(&mut self, it: &Test<'_>) {
        if LIGHT_TESTS.contains(&it.name) {
            self.write_operand(&it.expr);
        } else {
            self.write_counted(&it.expr);
        }
        self.write(" is ");
        self.write(it.name);
        if !it.args.is_empty() {
            self.write_arguments(&it.args);
        }
    }

    fn write_arguments(&mut self, arguments: &[CallArg<'_>]) {
        self.write("(");
        self.write_separated(arguments, |writer, argument| match argument {
            CallArg::Pos(value) => writer.write_counted(value),
            CallArg::Kwarg(name, value) => {
                writer.write(name);
                writer.write("=");
                writer.write_counted(value);
            }
            CallArg::PosSplat(value) => {
                writer.write("*");
                writer.write_counted(value);
            }
            CallArg::KwargSplat(value) => {
                writer.write("**");
                writer.write_operand(value);
            }
        });
        self.write(")");
    }

    /// Writes an operand that the operation reads as a whole, followed by the filter that counts it.
    /// Constants are not counted.
    fn write_counted(&mut self, value: &Expr<'_>) {
        self.write_operand(value);
        if !matches!(value, Expr::Const(_)) {
            self.write(COUNT_FILTER);
        }
    }

    /// Writes the value before a dot or a bracket. A filter is put in brackets, because the dot would be read as part
    /// of its name.
    fn write_base(&mut self, value: &Expr<'_>) {
        let is_filter = match value {
            Expr::Slice(_) | Expr::Filter(_) => true,
            Expr::BinOp(it) => is_written_as_filter(it),
            _ => false,
        };
        if !is_filter {
            return self.write_operand(value);
        }
        self.write("(");
        self.write_expression(value);
        self.write(")");
    }

    /// Writes a value that stands before a filter or between operators; in brackets, unless it binds closely
    /// enough.
    fn write_operand(&mut self, value: &Expr<'_>) {
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
            return self.write_expression(value);
        }
        self.write("(");
        self.write_expression(value);
        self.write(")");
    }

    fn write_constant(&mut self, value: &minijinja::Value) {
        match value.as_str() {
            Some(text) => self.write_quoted(text),
            None if value.is_none() => self.write("none"),
            // There is no literal for infinity.
            None if f64::try_from(value.clone()).is_ok_and(f64::is_infinite) => self.write("1e999"),
            None => self.write(&format!("{value:?}")),
        }
    }

    fn write_quoted(&mut self, text: &str) {
        // Jinja reads the escapes of JSON.
        self.write(&serde_json::Value::from(text).to_string());
    }

    fn write_separated<T>(&mut self, items: &[T], mut write_item: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.write(", ");
            }
            write_item(self, item);
        }
    }
}

/// Returns true for the operators that are written as filters, such as `+` as `|__add(…)`.
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
