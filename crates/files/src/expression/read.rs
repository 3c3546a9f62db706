//! Reads expressions and templates from a graph file, and reports their defects before anything runs: syntax errors,
//! and unknown names, channels, filters and tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use minijinja::ErrorKind;
use minijinja::machinery::{parse, parse_expr};
use minijinja::syntax::SyntaxConfig;
use stategraph_yaml::{YamlNode, YamlValue};

use super::analysis::{self, Refusal, SECRETS, find_excess_complexity};
use super::bounded::{ENVIRONMENT, FILTERS};
use super::error::explain;
use super::evaluate::{Expression, ONLY, TEXT_MAX, Template};
use super::names::DeclaredNames;
use super::nulls::NullHandling;
use super::operand::Operand;
use super::rewrite;
use super::words::{SourceWord, WordUse, expression_words, template_words};
use crate::inline::StateSchema;
use crate::naming::{join_quoted, truncate_name};
use crate::read::Reader;
use crate::source::Span;
use stategraph_core::nearest;

/// Functions that every expression can call.
const FUNCTIONS: [&str; 2] = ["range", "dict"];

/// Tests that hints suggest.
const TESTS: [&str; 12] = [
    "boolean",
    "defined",
    "divisibleby",
    "even",
    "in",
    "integer",
    "mapping",
    "none",
    "number",
    "odd",
    "sequence",
    "string",
];

/// Names that are known in other parts of a file, with the advice where.
const KNOWN_ELSEWHERE: [(&str, &str); 2] = [
    ("remaining_steps", "nodes know it: choose the next node by `goto` of the node instead of edges"),
    (
        "item",
        "it is known in the body of a `map`, and in nodes to which an edge or a `goto` sends items by `each`",
    ),
];

/// The syntax of a source text: an expression or a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceForm {
    Expression,
    Template,
}

impl Reader {
    /// Parses, checks and compiles an expression of the file. `what` names it in messages; `names` are the
    /// names that it may read. Reports its defects and then returns `None`.
    pub(crate) fn read_expression(
        &mut self,
        what: &str,
        tree: YamlNode,
        names: &DeclaredNames<'_>,
    ) -> Option<Expression> {
        let YamlValue::Text(text) = tree.value else {
            self.report_mismatch(what, "an expression", &tree, "such as: state.score >= 7");
            return None;
        };
        self.check_text_length(what, &text, &tree.span)?;
        self.check_complexity(what, &text, &tree.span, SourceForm::Expression)?;
        let (analysis, rewritten) = match parse_expr(&text) {
            Ok(parsed) => {
                let analysis = analysis::analyze_expression(&parsed, names.schema);
                let rewritten = analysis.refused.is_empty().then(|| rewrite::rewrite_expression(&parsed));
                (analysis, rewritten)
            }
            Err(error) => return self.report_unreadable(what, &text, &tree.span, &error),
        };
        self.report_refusals(&text, &tree.span, &analysis.refused);
        self.check_words(&text, &tree.span, &analysis.variables, &expression_words(&text), names)?;
        self.check_fields(&text, &tree.span, &analysis, names)?;
        match ENVIRONMENT.compile_expression_owned(rewritten?) {
            Ok(compiled) => Some(Expression {
                location: self.format_location(&tree.span),
                text: text.into(),
                reads: analysis.reads(),
                compiled: Arc::new(compiled),
            }),
            Err(error) => self.report_unreadable(what, &text, &tree.span, &error),
        }
    }

    /// Parses, checks and compiles a template of the file. `what` names it in messages; `names` are the names
    /// that it may read. Reports its defects and then returns `None`.
    pub(crate) fn read_template(
        &mut self,
        what: &str,
        tree: YamlNode,
        names: &DeclaredNames<'_>,
    ) -> Option<Template> {
        let span = tree.span.clone();
        let text = self.read_text(what, tree)?.value;
        self.check_text_length(what, &text, &span)?;
        self.check_complexity(what, &text, &span, SourceForm::Template)?;
        let (analysis, rewritten) = match parse(&text, ONLY, SyntaxConfig::default()) {
            Ok(parsed) => {
                let analysis = analysis::analyze_template(&parsed, names.schema);
                let rewritten = analysis.refused.is_empty().then(|| rewrite::rewrite_template(&parsed));
                (analysis, rewritten)
            }
            Err(error) => return self.report_unreadable(what, &text, &span, &error),
        };
        self.report_refusals(&text, &span, &analysis.refused);
        self.check_words(&text, &span, &analysis.variables, &template_words(&text), names)?;
        self.check_fields(&text, &span, &analysis, names)?;
        let mut environment = ENVIRONMENT.clone();
        if let Err(error) = environment.add_template_owned(ONLY, rewritten?) {
            return self.report_unreadable(what, &text, &span, &error);
        }
        Some(Template {
            location: self.format_location(&span),
            text: text.into(),
            reads: analysis.reads(),
            compiled: Arc::new(environment),
            nulls: NullHandling::Print,
        })
    }

    /// Reads a YAML value in which each text is an expression. Reports the defects of all expressions and
    /// then returns `None`.
    pub(crate) fn read_operand(
        &mut self,
        what: &str,
        tree: YamlNode,
        names: &DeclaredNames<'_>,
    ) -> Option<Operand> {
        match tree.value {
            YamlValue::Text(_) => self.read_expression(what, tree, names).map(Operand::Expression),
            YamlValue::List(items) => {
                let count = items.len();
                let items: Vec<_> =
                    items.into_iter().filter_map(|item| self.read_operand(what, item, names)).collect();
                (items.len() == count).then_some(Operand::List(items))
            }
            YamlValue::Map(entries) => {
                let count = entries.len();
                let entries: Vec<_> = entries
                    .into_iter()
                    .filter_map(|entry| Some((entry.key, self.read_operand(what, entry.value, names)?)))
                    .collect();
                (entries.len() == count).then_some(Operand::Map(entries))
            }
            YamlValue::Null | YamlValue::Bool(_) | YamlValue::Number(_) => {
                Some(Operand::Literal(tree.to_json()))
            }
        }
    }

    fn check_text_length(&mut self, what: &str, text: &str, span: &Span) -> Option<()> {
        if text.trim().is_empty() {
            self.report(span, format!("{what} is empty"), "write a value, or remove the key");
            return None;
        }
        if text.len() > TEXT_MAX {
            let message = format!("{what} has {} bytes, the most is {TEXT_MAX}", text.len());
            self.report(span, message, "put long texts into the input of the graph");
            return None;
        }
        Some(())
    }

    /// Reports a text with too many operators to be parsed safely, and then returns `None`.
    fn check_complexity(&mut self, what: &str, text: &str, span: &Span, form: SourceForm) -> Option<()> {
        let Some(Refusal { at, message, hint }) =
            find_excess_complexity(text, form == SourceForm::Expression)
        else {
            return Some(());
        };
        let place = self.locate_part(span, text, &at);
        self.report(&place, format!("{what} cannot be read: {message}"), hint);
        None
    }

    fn report_refusals(&mut self, text: &str, span: &Span, refused: &[Refusal]) {
        for Refusal { at, message, hint } in refused {
            let place = self.locate_part(span, text, at);
            self.report(&place, message.clone(), *hint);
        }
    }

    fn report_unreadable<T>(
        &mut self,
        what: &str,
        text: &str,
        span: &Span,
        error: &minijinja::Error,
    ) -> Option<T> {
        let at = error.range().unwrap_or(0..text.len());
        let place = self.locate_part(span, text, &at);
        let hint = match text.trim() {
            text if text.contains("&&") || text.contains("||") => "write `and`, `or`, `not`",
            text if text.contains(" = ") => "to compare, write `==`",
            text if text.starts_with("{{") => "write it without `{{` and `}}`: it is an expression already",
            _ => "Jinja's syntax: state.score >= 7 and state.draft is not none",
        };
        self.report(&place, format!("{what} cannot be read: {}", explain(error)), hint);
        None
    }

    /// Reports every unknown filter, test, channel, secret and name in `text`, and then returns `None`.
    /// `variables` are the names that it reads; `words` give their positions.
    fn check_words(
        &mut self,
        text: &str,
        span: &Span,
        variables: &BTreeSet<String>,
        words: &[SourceWord<'_>],
        names: &DeclaredNames<'_>,
    ) -> Option<()> {
        let before = self.diagnostics.len();
        for word in words {
            match word.role {
                WordUse::Filter
                    if word.text.starts_with("__")
                        || !is_known(&format!("0|{}", word.text), ErrorKind::UnknownFilter) =>
                {
                    self.report_unknown_word("filter", word, FILTERS, text, span);
                }
                WordUse::Test if !is_known(&format!("0 is {}", word.text), ErrorKind::UnknownTest) => {
                    self.report_unknown_word("test", word, &TESTS, text, span);
                }
                _ => {}
            }
        }
        for variable in variables {
            let (root, part) = match variable.split_once('.') {
                Some((root, rest)) => (root, rest.split('.').next()),
                None => (variable.as_str(), None),
            };
            let is_given = names.locals.iter().any(|local| local == root) || FUNCTIONS.contains(&root);
            match (root, part, names.schema) {
                ("state", Some(channel), Some(schema)) if schema.channel(channel).is_none() => {
                    let at = find_channel_word(words, channel);
                    let place = self.locate_part(span, text, &at.unwrap_or(0..text.len()));
                    self.report_unknown_channel(&place, channel, schema);
                }
                ("state", ..) => {}
                (SECRETS, part, _) => self.check_secret(part, text, span, words, names),
                _ if is_given => {}
                _ => self.report_unknown_name(root, text, span, words, names),
            }
        }
        (self.diagnostics.len() == before).then_some(())
    }

    /// Reports a channel that the state does not have, at `location`. The hint suggests a similar one or
    /// lists all.
    pub(crate) fn report_unknown_channel(&mut self, location: &Span, channel: &str, schema: &StateSchema) {
        let known: Vec<&str> = schema.names().collect();
        let hint = match nearest(truncate_name(channel), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => "declare it under `state`".to_owned(),
            None => format!("the channels are {}", join_quoted(&known)),
        };
        self.report(location, format!("the state has no channel `{}`", truncate_name(channel)), hint);
    }

    /// Reports `secrets` outside a request, `secrets` without a member, and a secret that is not declared.
    fn check_secret(
        &mut self,
        secret: Option<&str>,
        text: &str,
        span: &Span,
        words: &[SourceWord<'_>],
        names: &DeclaredNames<'_>,
    ) {
        let word = words.iter().position(|word| word.role == WordUse::Name && word.text == SECRETS);
        let at = word.map_or(0..text.len(), |at| words[at].at.clone());
        let part = word.and_then(|at| words.get(at + 1)).filter(|part| part.role == WordUse::Part);
        let (place, message, hint) = match secret {
            _ if !names.is_in_request => (
                at,
                "a secret cannot be used here".to_owned(),
                "results of this expression are stored; secrets are allowed in `url`, `headers`, `body` and `json` of `http`, and in `api_key` of a model".to_owned(),
            ),
            None => (
                at,
                "`secrets` is not a value".to_owned(),
                format!("name one of them: {}", join_quoted(names.secrets)),
            ),
            Some(secret) if !names.secrets.contains(&secret) => (
                part.map_or(at, |part| part.at.clone()),
                format!("there is no secret `{}`", truncate_name(secret)),
                secret_hint(secret, names),
            ),
            Some(_) => return,
        };
        let place = self.locate_part(span, text, &place);
        self.report(&place, message, hint);
    }

    /// Reads a reference to a single secret, `{{ secrets.NAME }}`, such as the key of a model. Returns the
    /// name. Reports any other text, and a secret that is not declared.
    pub(crate) fn read_secret(
        &mut self,
        what: &str,
        tree: YamlNode,
        names: &DeclaredNames<'_>,
    ) -> Option<String> {
        let span = tree.span.clone();
        let text = self.read_text(what, tree)?.value;
        let inner = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
        let Some(name) = inner.and_then(|inner| inner.strip_prefix("secrets.")) else {
            // The message does not repeat the text, because it may be a key.
            self.report(
                &span,
                format!("{what} is not one of the secrets"),
                "write `{{ secrets.NAME }}`, and declare NAME under `secrets`",
            );
            return None;
        };
        if names.secrets.contains(&name) {
            return Some(name.to_owned());
        }
        let hint = secret_hint(name, names);
        self.report(&span, format!("there is no secret `{}`", truncate_name(name)), hint);
        None
    }

    fn report_unknown_name(
        &mut self,
        name: &str,
        text: &str,
        span: &Span,
        words: &[SourceWord<'_>],
        names: &DeclaredNames<'_>,
    ) {
        let word = words.iter().find(|word| word.role == WordUse::Name && word.text == name);
        let place = self.locate_part(span, text, &word.map_or(0..text.len(), |word| word.at.clone()));
        let locals = names.locals.iter().map(String::as_str);
        let known: Vec<&str> = std::iter::once("state").chain(locals).collect();
        let channel = names.schema.and_then(|schema| schema.channel(name));
        let elsewhere = KNOWN_ELSEWHERE.iter().find(|(known, _)| *known == name);
        let hint = match (channel, nearest(name, known.iter().copied())) {
            _ if elsewhere.is_some() => elsewhere.map(|(_, hint)| (*hint).to_owned()).unwrap_or_default(),
            (Some(channel), _) => format!("did you mean `state.{}`?", channel.name),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => {
                format!("known here: {}; a text needs quotes of its own: \"'{name}'\"", join_quoted(&known))
            }
        };
        self.report(&place, format!("there is no `{name}` here"), hint);
    }

    fn report_unknown_word(
        &mut self,
        what: &str,
        word: &SourceWord<'_>,
        known: &[&str],
        text: &str,
        span: &Span,
    ) {
        let hint = match nearest(word.text, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("such as {}", join_quoted(known)),
        };
        let place = self.locate_part(span, text, &word.at);
        self.report(&place, format!("there is no {what} `{}`", word.text), hint);
    }

    /// Returns the span in the file of a part of a text. `part` is a byte range in `text`, and `span` the
    /// range of the whole text in the file, which is returned if the part cannot be located, as with escapes.
    pub(super) fn locate_part(&self, span: &Span, text: &str, part: &Span) -> Span {
        let whole = span.start..span.end.max(span.start + 1);
        let Some(from) = self.source.text.get(span.start..) else { return whole };
        if let Some(at) = from.find(text).filter(|at| *at <= 1) {
            return span.start + at + part.start..span.start + at + part.end.max(part.start + 1);
        }
        // A text block is indented in the file, so only the line with the part is searched.
        let start = text.get(..part.start).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
        let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let bare = line.trim();
        match from.find(bare).filter(|_| !bare.is_empty() && part.end <= start + line.len()) {
            Some(at) => {
                let shift = span.start + at - (line.len() - line.trim_start().len());
                shift + part.start - start..shift + part.end.max(part.start + 1) - start
            }
            None => whole,
        }
    }

    fn format_location(&self, span: &Span) -> Arc<str> {
        self.source.format_location(span).into()
    }
}

/// Returns the hint for a secret that is not declared: a similar one, or how to declare it.
fn secret_hint(secret: &str, names: &DeclaredNames<'_>) -> String {
    match nearest(truncate_name(secret), names.secrets.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("declare it: `secrets: {{ {}: SOME_VARIABLE }}`", truncate_name(secret)),
    }
}

/// Returns the range of `channel` in the first `state.channel` among the words of a text.
fn find_channel_word(words: &[SourceWord<'_>], channel: &str) -> Option<Span> {
    let pairs = words.windows(2).filter(|pair| pair[0].role == WordUse::Name && pair[0].text == "state");
    pairs.map(|pair| &pair[1]).find(|word| word.text == channel).map(|word| word.at.clone())
}

/// Returns true if minijinja knows the filter or test that the expression `probe` uses, such as `0|upper`.
/// `unknown` is the error that it would give otherwise.
fn is_known(probe: &str, unknown: ErrorKind) -> bool {
    let tried = ENVIRONMENT.compile_expression_owned(probe.to_owned()).and_then(|compiled| compiled.eval(()));
    tried.err().is_none_or(|error| error.kind() != unknown)
}
