//! Finds the names and channels that a parsed expression or template can read, and the constructs that graph files
//! may not use. Evaluates nothing.
//!
//! minijinja's own list of undeclared variables is not used, because it leaves out the operand of a slice.

use std::collections::BTreeSet;
use std::ops::Range;

use minijinja::machinery::ast::{BinOp, BinOpKind, CallArg, Expr, Macro, Stmt};
use minijinja::machinery::{Span, Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::paths::{ConstantComparison, ValuePath, comparisons_of, comparisons_of_chain, path_of};
use crate::inline::{BasicType, StateSchema};

/// Maximum number of operators in one expression, or in one tag of a template. The tree is walked by recursion.
const OPERATORS_MAX: usize = 400;

/// Maximum number of `elif` in a template; each is nested in the previous one.
const ELIFS_MAX: usize = 100;

/// Name under which requests see the secrets of their file.
pub const SECRETS: &str = "secrets";

/// Name under which expressions see the channels.
const STATE: &str = "state";

/// The channels that an expression or template reads. Only these are converted for its evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Only these channels.
    Channels(BTreeSet<String>),
    /// The state as a whole.
    All,
}

/// The result of analysing an expression or a template: the names, fields and comparisons in it, and the
/// refused constructs.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    /// Names that it does not assign itself; a channel is `state.name`.
    pub(super) variables: BTreeSet<String>,
    pub(super) refused: Vec<Refusal>,
    /// Fields that it reads of names that it does not assign.
    pub(super) paths: Vec<ValuePath>,
    /// Comparisons of such fields with constants.
    pub(super) comparisons: Vec<ConstantComparison>,
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
    /// Returns the channels that the analysed expression or template can read.
    pub(super) fn reads(&self) -> Reads {
        if self.whole_state {
            return Reads::All;
        }
        let channels = self.variables.iter().filter_map(|variable| variable.strip_prefix("state."));
        Reads::Channels(channels.map(str::to_owned).collect())
    }
}

/// Returns a refusal if a text has more operators or `elif` than the recursive parser can take; otherwise
/// `None`. It counts tokens, so it is safe to call before parsing. `is_expression` is false for a template.
pub(super) fn find_excess_complexity(text: &str, is_expression: bool) -> Option<Refusal> {
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
        return Some(Refusal { at: byte_range(span), message, hint });
    }
    None
}

/// Collects the names, fields and comparisons that an expression reads, and its refused constructs. `schema`
/// tells which channels hold texts or lists.
pub(super) fn analyze_expression(parsed: &Expr<'_>, schema: Option<&StateSchema>) -> Analysis {
    let mut visitor = AnalysisVisitor::new(schema);
    visitor.visit_expression(parsed);
    visitor.analysis
}

/// Collects the names, fields and comparisons that a template reads, and its refused constructs. `schema`
/// tells which channels hold texts or lists.
pub(super) fn analyze_template(parsed: &Stmt<'_>, schema: Option<&StateSchema>) -> Analysis {
    let mut visitor = AnalysisVisitor::new(schema);
    visitor.visit_statement(parsed);
    visitor.analysis
}

/// The walk over a syntax tree that fills an [`Analysis`].
struct AnalysisVisitor<'s> {
    schema: Option<&'s StateSchema>,
    analysis: Analysis,
    /// Names that the text assigns, one set for each enclosing block.
    assigned: Vec<BTreeSet<String>>,
    /// Number of enclosing loops.
    loops: usize,
}

impl<'s> AnalysisVisitor<'s> {
    fn new(schema: Option<&'s StateSchema>) -> Self {
        Self { schema, analysis: Analysis::default(), assigned: vec![BTreeSet::new()], loops: 0 }
    }

    fn refuse(&mut self, span: Span, message: impl Into<String>, hint: &'static str) {
        self.analysis.refused.push(Refusal { at: byte_range(span), message: message.into(), hint });
    }

    fn visit_block(&mut self, body: &[Stmt<'_>]) {
        self.assigned.push(BTreeSet::new());
        body.iter().for_each(|statement| self.visit_statement(statement));
        self.assigned.pop();
    }

    fn visit_statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(it) => it.children.iter().for_each(|child| self.visit_statement(child)),
            Stmt::EmitExpr(it) => self.visit_expression(&it.expr),
            Stmt::EmitRaw(_) => {}
            Stmt::ForLoop(it) => {
                self.visit_expression(&it.iter);
                self.assigned.push(BTreeSet::from(["loop".to_owned()]));
                self.loops += 1;
                self.record_assignment(&it.target);
                it.filter_expr.iter().for_each(|filter| self.visit_expression(filter));
                it.body.iter().for_each(|statement| self.visit_statement(statement));
                self.loops -= 1;
                self.assigned.pop();
                self.visit_block(&it.else_body);
            }
            Stmt::IfCond(it) => {
                self.visit_expression(&it.expr);
                self.visit_block(&it.true_body);
                self.visit_block(&it.false_body);
            }
            Stmt::WithBlock(it) => {
                self.assigned.push(BTreeSet::new());
                for (target, value) in &it.assignments {
                    self.visit_expression(value);
                    self.record_assignment(target);
                }
                it.body.iter().for_each(|statement| self.visit_statement(statement));
                self.assigned.pop();
            }
            Stmt::Set(it) => {
                self.visit_expression(&it.expr);
                self.record_assignment(&it.target);
            }
            Stmt::SetBlock(it) => {
                it.filter.iter().for_each(|filter| self.visit_expression(filter));
                self.visit_block(&it.body);
                self.record_assignment(&it.target);
            }
            Stmt::AutoEscape(it) => {
                self.visit_expression(&it.enabled);
                self.visit_block(&it.body);
            }
            Stmt::FilterBlock(it) => {
                self.visit_expression(&it.filter);
                self.visit_block(&it.body);
            }
            Stmt::Do(it) => {
                self.visit_expression(&it.call.expr);
                self.visit_arguments(&it.call.args);
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

    /// Records the names that an assignment defines. Refuses an assignment to `state` or `secrets`.
    fn record_assignment(&mut self, target: &Expr<'_>) {
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
                self.assigned.last_mut().expect("one is there from the start").insert(it.id.to_owned());
            }
            Expr::List(it) => it.items.iter().for_each(|item| self.record_assignment(item)),
            Expr::Tuple(it) => it.items.iter().for_each(|item| self.record_assignment(item)),
            other => self.visit_expression(other),
        }
    }

    fn record_name(&mut self, name: &str) {
        // This holds even if the name is shadowed: the value may then be reached in a way that is not analysed, and
        // be any channel.
        self.analysis.whole_state |= name == STATE;
        if !self.assigned.iter().any(|block| block.contains(name)) {
            self.analysis.variables.insert(name.to_owned());
        }
    }

    fn visit_arguments(&mut self, arguments: &[CallArg<'_>]) {
        for argument in arguments {
            match argument {
                CallArg::Pos(value)
                | CallArg::Kwarg(_, value)
                | CallArg::PosSplat(value)
                | CallArg::KwargSplat(value) => self.visit_expression(value),
            }
        }
    }

    /// Records the path that the expression reads, such as `state.person.age`, and its comparisons of paths
    /// with constants. Skips paths that begin with a name that the template itself assigns. The operands are
    /// visited separately.
    fn record_fields(&mut self, expression: &Expr<'_>) {
        let is_own = |path: &ValuePath| !self.assigned.iter().any(|block| block.contains(&path.root));
        let path = path_of(expression).filter(&is_own);
        let compared = match expression {
            Expr::BinOp(it) => comparisons_of(it),
            Expr::Compare(it) => comparisons_of_chain(it),
            _ => Vec::new(),
        };
        let compared: Vec<_> = compared.into_iter().filter(|it| is_own(&it.path)).collect();
        self.analysis.paths.extend(path);
        self.analysis.comparisons.extend(compared);
    }

    fn visit_expression(&mut self, expression: &Expr<'_>) {
        self.record_fields(expression);
        if let Some((root, part)) = root_member(expression) {
            self.analysis.variables.insert(format!("{root}.{part}"));
            return;
        }
        match expression {
            Expr::Var(it) => self.record_name(it.id),
            Expr::Const(_) => {}
            Expr::Slice(it) => {
                self.visit_expression(&it.expr);
                [&it.start, &it.stop, &it.step]
                    .into_iter()
                    .flatten()
                    .for_each(|part| self.visit_expression(part));
            }
            Expr::UnaryOp(it) => self.visit_expression(&it.expr),
            Expr::BinOp(it) => {
                self.visit_expression(&it.left);
                self.visit_expression(&it.right);
                self.check_growth(it, it.span());
            }
            Expr::Compare(it) => {
                self.visit_expression(&it.expr);
                it.ops.iter().for_each(|next| self.visit_expression(&next.expr));
            }
            Expr::IfExpr(it) => {
                self.visit_expression(&it.test_expr);
                self.visit_expression(&it.true_expr);
                it.false_expr.iter().for_each(|value| self.visit_expression(value));
            }
            Expr::Filter(it) => {
                it.expr.iter().for_each(|value| self.visit_expression(value));
                self.visit_arguments(&it.args);
            }
            Expr::Test(it) => {
                self.visit_expression(&it.expr);
                self.visit_arguments(&it.args);
            }
            Expr::GetAttr(it) => self.visit_expression(&it.expr),
            Expr::GetItem(it) => {
                self.visit_expression(&it.expr);
                self.visit_expression(&it.subscript_expr);
            }
            Expr::Call(it) => {
                match &it.expr {
                    // The name of a method is no field.
                    Expr::GetAttr(method) => self.visit_expression(&method.expr),
                    called => self.visit_expression(called),
                }
                self.visit_arguments(&it.args);
            }
            Expr::List(it) => it.items.iter().for_each(|item| self.visit_expression(item)),
            Expr::Tuple(it) => it.items.iter().for_each(|item| self.visit_expression(item)),
            Expr::Map(it) => it.keys.iter().chain(&it.values).for_each(|item| self.visit_expression(item)),
        }
    }

    /// Refuses `~`, and `+` or `*` of texts or lists, inside a loop: each turn would make the value longer.
    fn check_growth(&mut self, it: &BinOp<'_>, span: Span) {
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

    /// Returns true if the value is certainly a text or a list: by the form of the expression, or the type of
    /// its channel.
    fn is_long(&self, value: &Expr<'_>) -> bool {
        match value {
            Expr::Const(it) => it.value.as_str().is_some(),
            Expr::List(_) | Expr::Tuple(_) | Expr::Slice(_) => true,
            Expr::BinOp(it) => {
                matches!(it.op, BinOpKind::Concat) || self.is_long(&it.left) || self.is_long(&it.right)
            }
            value => {
                let channel = root_member(value).filter(|(root, _)| *root == STATE);
                let found = channel.and_then(|(_, name)| self.schema?.channel(name));
                let long = [BasicType::String, BasicType::List, BasicType::Messages];
                found.is_some_and(|channel| long.contains(&channel.value_type.basic_type()))
            }
        }
    }
}

/// Splits `state.name`, `state['name']` and `secrets.name` into root and member; `None` for other
/// expressions.
fn root_member<'e>(expression: &'e Expr<'_>) -> Option<(&'static str, &'e str)> {
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

fn byte_range(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}
