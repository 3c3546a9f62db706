//! Finds the names and channels that a parsed expression or template can read, and the constructs that graph files
//! may not use. Evaluates
//! nothing.
//!
//! minijinja's own list of undeclared variables is not used, because it leaves out the operand of a slice.

use std::collections::BTreeSet;
use std::ops::Range;

use minijinja::machinery::ast::{BinOp, BinOpKind, CallArg, Expr, Macro, Stmt};
use minijinja::machinery::{Span, Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::{Reads, SECRETS};
use crate::inline::{Basic, Schema};

/// Maximum number of operators in one expression, or in one tag of a template. The tree is walked by recursion.
const OPERATORS_MAX: usize = 400;

/// Maximum number of `elif` in a template; each is nested in the previous one.
const ELIFS_MAX: usize = 100;

/// Name under which expressions see the channels.
const STATE: &str = "state";

/// The names that an expression or a template reads, and its refused constructs.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    /// Names that it does not assign itself; a channel is `state.name`.
    pub(super) variables: BTreeSet<String>,
    pub(super) refused: Vec<Refusal>,
    whole_state: bool,
}

/// A construct that graph files may not use, with its range in the text.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) at: Range<usize>,
    pub(super) message: String,
    pub(super) hint: &'static str,
}

impl Analysis {
    /// Returns the channels that it can read.
    pub(super) fn reads(&self) -> Reads {
        if self.whole_state {
            return Reads::All;
        }
        let channels = self.variables.iter().filter_map(|variable| variable.strip_prefix("state."));
        Reads::Channels(channels.map(str::to_owned).collect())
    }
}

/// Returns a refusal for text that is too large for the recursive parser. It works on tokens, so it is safe to call
/// before parsing.
pub(super) fn too_intricate(text: &str, is_expression: bool) -> Option<Refusal> {
    let (mut operators, mut elifs) = (0, 0);
    for (token, span) in tokenize(text, is_expression, SyntaxConfig::default()).map_while(Result::ok) {
        match token {
            Token::VariableStart | Token::BlockStart | Token::TemplateData(_) => operators = 0,
            Token::Ident("elif") => elifs += 1,
            Token::Ident("and" | "or" | "not" | "is" | "if" | "in") => operators += 1,
            Token::Ident(_)
            | Token::Str(_)
            | Token::String(_)
            | Token::Int(_)
            | Token::Int128(_)
            | Token::Float(_)
            | Token::Comma
            | Token::Colon
            | Token::Assign
            | Token::BracketClose
            | Token::ParenClose
            | Token::BraceClose
            | Token::VariableEnd
            | Token::BlockEnd => {}
            _ => operators += 1,
        }
        let message = match () {
            () if operators > OPERATORS_MAX => {
                format!("more than {OPERATORS_MAX} operators stand in one expression")
            }
            () if elifs > ELIFS_MAX => format!("more than {ELIFS_MAX} `elif` stand in one template"),
            () => continue,
        };
        let hint = "compute a part of it in a node before, or look values up in a map";
        return Some(Refusal { at: range(span), message, hint });
    }
    None
}

/// Analyses an expression. `schema` tells which channels hold texts or lists.
pub(super) fn of_expression(parsed: &Expr<'_>, schema: Option<&Schema>) -> Analysis {
    let mut walk = Walk::new(schema);
    walk.expression(parsed);
    walk.found
}

/// Analyses a template. `schema` tells which channels hold texts or lists.
pub(super) fn of_template(parsed: &Stmt<'_>, schema: Option<&Schema>) -> Analysis {
    let mut walk = Walk::new(schema);
    walk.statement(parsed);
    walk.found
}

struct Walk<'s> {
    schema: Option<&'s Schema>,
    found: Analysis,
    /// Names that the text assigns, one set for each enclosing block.
    given: Vec<BTreeSet<String>>,
    /// Number of enclosing loops.
    loops: usize,
}

impl<'s> Walk<'s> {
    fn new(schema: Option<&'s Schema>) -> Self {
        Self { schema, found: Analysis::default(), given: vec![BTreeSet::new()], loops: 0 }
    }

    fn refuse(&mut self, span: Span, message: impl Into<String>, hint: &'static str) {
        self.found.refused.push(Refusal { at: range(span), message: message.into(), hint });
    }

    fn block(&mut self, body: &[Stmt<'_>]) {
        self.given.push(BTreeSet::new());
        body.iter().for_each(|statement| self.statement(statement));
        self.given.pop();
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(it) => it.children.iter().for_each(|child| self.statement(child)),
            Stmt::EmitExpr(it) => self.expression(&it.expr),
            Stmt::EmitRaw(_) => {}
            Stmt::ForLoop(it) => {
                self.expression(&it.iter);
                self.given.push(BTreeSet::from(["loop".to_owned()]));
                self.loops += 1;
                self.assign(&it.target);
                it.filter_expr.iter().for_each(|filter| self.expression(filter));
                it.body.iter().for_each(|statement| self.statement(statement));
                self.loops -= 1;
                self.given.pop();
                self.block(&it.else_body);
            }
            Stmt::IfCond(it) => {
                self.expression(&it.expr);
                self.block(&it.true_body);
                self.block(&it.false_body);
            }
            Stmt::WithBlock(it) => {
                self.given.push(BTreeSet::new());
                for (target, value) in &it.assignments {
                    self.expression(value);
                    self.assign(target);
                }
                it.body.iter().for_each(|statement| self.statement(statement));
                self.given.pop();
            }
            Stmt::Set(it) => {
                self.expression(&it.expr);
                self.assign(&it.target);
            }
            Stmt::SetBlock(it) => {
                it.filter.iter().for_each(|filter| self.expression(filter));
                self.block(&it.body);
                self.assign(&it.target);
            }
            Stmt::AutoEscape(it) => {
                self.expression(&it.enabled);
                self.block(&it.body);
            }
            Stmt::FilterBlock(it) => {
                self.expression(&it.filter);
                self.block(&it.body);
            }
            Stmt::Do(it) => {
                self.expression(&it.call.expr);
                self.arguments(&it.call.args);
            }
            Stmt::Macro(it) => self.refuse_macro(it, it.span()),
            Stmt::CallBlock(it) => self.refuse_macro(&it.macro_decl, it.span()),
            Stmt::Block(it) => self.refuse_other_templates("block", it.span()),
            Stmt::Import(it) => self.refuse_other_templates("import", it.span()),
            Stmt::FromImport(it) => self.refuse_other_templates("from", it.span()),
            Stmt::Extends(it) => self.refuse_other_templates("extends", it.span()),
            Stmt::Include(it) => self.refuse_other_templates("include", it.span()),
        }
    }

    fn refuse_macro(&mut self, _: &Macro<'_>, span: Span) {
        let hint = "write the text out, use a `for` loop, or make a node of it";
        self.refuse(span, "macros are not part of the templates of graph files", hint);
    }

    fn refuse_other_templates(&mut self, tag: &str, span: Span) {
        let message = format!("`{tag}` needs other templates, and a graph file has none");
        self.refuse(span, message, "write the text out, or make it a channel and read that");
    }

    /// Records the names that an assignment defines.
    fn assign(&mut self, target: &Expr<'_>) {
        match target {
            Expr::Var(it) if it.id == SECRETS => {
                let message = "`secrets` holds the secrets of the file and cannot be assigned";
                self.refuse(it.span(), message, "choose another name");
            }
            Expr::Var(it) if it.id == STATE => {
                self.refuse(
                    it.span(),
                    "`state` holds the channels and cannot be assigned",
                    "choose another name",
                );
            }
            Expr::Var(it) => {
                self.given.last_mut().expect("one is there from the start").insert(it.id.to_owned());
            }
            Expr::List(it) => it.items.iter().for_each(|item| self.assign(item)),
            Expr::Tuple(it) => it.items.iter().for_each(|item| self.assign(item)),
            other => self.expression(other),
        }
    }

    fn name(&mut self, name: &str) {
        // This holds even if the name is shadowed: the value may then be reached in a way that is not analysed, and
        // be any channel.
        self.found.whole_state |= name == STATE;
        if !self.given.iter().any(|block| block.contains(name)) {
            self.found.variables.insert(name.to_owned());
        }
    }

    fn arguments(&mut self, arguments: &[CallArg<'_>]) {
        for argument in arguments {
            match argument {
                CallArg::Pos(value)
                | CallArg::Kwarg(_, value)
                | CallArg::PosSplat(value)
                | CallArg::KwargSplat(value) => self.expression(value),
            }
        }
    }

    fn expression(&mut self, expression: &Expr<'_>) {
        if let Some((root, part)) = part(expression) {
            self.found.variables.insert(format!("{root}.{part}"));
            return;
        }
        match expression {
            Expr::Var(it) => self.name(it.id),
            Expr::Const(_) => {}
            Expr::Slice(it) => {
                self.expression(&it.expr);
                [&it.start, &it.stop, &it.step].into_iter().flatten().for_each(|part| self.expression(part));
            }
            Expr::UnaryOp(it) => self.expression(&it.expr),
            Expr::BinOp(it) => {
                self.expression(&it.left);
                self.expression(&it.right);
                self.growth(it, it.span());
            }
            Expr::Compare(it) => {
                self.expression(&it.expr);
                it.ops.iter().for_each(|next| self.expression(&next.expr));
            }
            Expr::IfExpr(it) => {
                self.expression(&it.test_expr);
                self.expression(&it.true_expr);
                it.false_expr.iter().for_each(|value| self.expression(value));
            }
            Expr::Filter(it) => {
                it.expr.iter().for_each(|value| self.expression(value));
                self.arguments(&it.args);
            }
            Expr::Test(it) => {
                self.expression(&it.expr);
                self.arguments(&it.args);
            }
            Expr::GetAttr(it) => self.expression(&it.expr),
            Expr::GetItem(it) => {
                self.expression(&it.expr);
                self.expression(&it.subscript_expr);
            }
            Expr::Call(it) => {
                self.expression(&it.expr);
                self.arguments(&it.args);
            }
            Expr::List(it) => it.items.iter().for_each(|item| self.expression(item)),
            Expr::Tuple(it) => it.items.iter().for_each(|item| self.expression(item)),
            Expr::Map(it) => it.keys.iter().chain(&it.values).for_each(|item| self.expression(item)),
        }
    }

    /// Refuses an operator that makes a text or list longer with each turn of a loop.
    fn growth(&mut self, it: &BinOp<'_>, span: Span) {
        let (sign, grows) = match it.op {
            BinOpKind::Concat => ("~", true),
            BinOpKind::Add => ("+", self.is_long(&it.left) || self.is_long(&it.right)),
            BinOpKind::Mul => ("*", self.is_long(&it.left) || self.is_long(&it.right)),
            _ => return,
        };
        if grows && self.loops > 0 {
            let message = format!("`{sign}` makes a text or a list longer with each turn of this loop");
            let hint =
                "write the parts one after the other, `{{ a }}{{ b }}`, or compute the value before the loop";
            self.refuse(span, message, hint);
        }
    }

    /// Returns true if the value is certainly a text or a list, as far as its form and the schema tell.
    fn is_long(&self, value: &Expr<'_>) -> bool {
        match value {
            Expr::Const(it) => it.value.as_str().is_some(),
            Expr::List(_) | Expr::Tuple(_) | Expr::Slice(_) => true,
            Expr::BinOp(it) => {
                matches!(it.op, BinOpKind::Concat) || self.is_long(&it.left) || self.is_long(&it.right)
            }
            value => {
                let channel = part(value).filter(|(root, _)| *root == STATE);
                let found = channel.and_then(|(_, name)| self.schema?.channel(name));
                let long = [Basic::String, Basic::List, Basic::Messages];
                found.is_some_and(|channel| long.contains(&channel.shape.basic()))
            }
        }
    }
}

/// Splits `state.name`, `state['name']` and `secrets.name` into root and member.
fn part<'e>(expression: &'e Expr<'_>) -> Option<(&'static str, &'e str)> {
    let root = |value: &Expr<'_>| match value {
        Expr::Var(it) => [STATE, SECRETS].into_iter().find(|root| it.id == *root),
        _ => None,
    };
    match expression {
        Expr::GetAttr(it) => Some((root(&it.expr)?, it.name)),
        Expr::GetItem(it) => match &it.subscript_expr {
            Expr::Const(key) => Some((root(&it.expr)?, key.value.as_str()?)),
            _ => None,
        },
        _ => None,
    }
}

fn range(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}
