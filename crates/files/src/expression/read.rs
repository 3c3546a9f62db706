//! Reads expressions and templates from a graph file, and reports their defects before anything runs: syntax errors,
//! and unknown names,
//! channels, filters and tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use minijinja::ErrorKind;
use minijinja::machinery::{parse, parse_expr};
use minijinja::syntax::SyntaxConfig;
use serde_json::Value as Json;

use super::analysis::{self, Refusal, too_intricate};
use super::bounded::{ENVIRONMENT, FILTERS};
use super::names::{Use, Word, of_expression, of_template};
use super::request::Nulls;
use super::{Expression, ONLY, Operand, TEXT_MAX, Template, rewrite, spoken};
use crate::inline::Schema;
use crate::read::{Reader, listed, shown};
use crate::source::Span;
use crate::tree::{Tree, Value};
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

/// Name under which requests see the secrets of their file.
pub const SECRETS: &str = "secrets";

/// The names that an expression may read at its position in the file.
#[derive(Clone)]
pub(crate) struct Names<'a> {
    /// Channels; `None` if the state could not be read, in which case every channel passes.
    pub(crate) schema: Option<&'a Schema>,
    /// Names besides `state`.
    pub(crate) locals: Vec<String>,
    role: Role,
    /// Secrets that the file declares.
    secrets: &'a [&'a str],
    /// True if the text is part of a request, where secrets are allowed because it is sent and not stored.
    sent: bool,
}

/// The syntax of a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Expression,
    Template,
}

/// The targets that the keys of `set` name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Channels of the state.
    Node,
    /// Members of a result.
    Body,
}

impl<'a> Names<'a> {
    /// Creates the names of a node: the state alone.
    pub(crate) fn state(schema: Option<&'a Schema>) -> Self {
        Self { schema, locals: Vec::new(), role: Role::Node, secrets: &[], sent: false }
    }

    /// Adds the secrets that the file declares.
    pub(crate) fn declaring(mut self, secrets: &'a [&'a str]) -> Self {
        self.secrets = secrets;
        self
    }

    /// Allows secrets, for a part of a request.
    pub(crate) fn sent(&self) -> Self {
        Self { sent: true, ..self.clone() }
    }

    /// Makes `set` name members of a result, for the body of a `map` or a tool.
    pub(crate) fn in_body(mut self) -> Self {
        self.role = Role::Body;
        self
    }

    /// Returns true if the keys of `set` are channels.
    pub(crate) fn writes_channels(&self) -> bool {
        self.role == Role::Node
    }

    /// Adds a name.
    pub(crate) fn with(&self, name: &str) -> Self {
        let mut names = self.clone();
        names.locals.push(name.to_owned());
        names
    }
}

impl Reader {
    /// Reads an expression.
    pub(crate) fn expression(&mut self, what: &str, tree: Tree, names: &Names<'_>) -> Option<Expression> {
        let Value::Text(text) = tree.value else {
            self.mismatch(what, "an expression", &tree, "such as: state.score >= 7");
            return None;
        };
        self.bounded(what, &text, &tree.span)?;
        self.simple(what, &text, &tree.span, Form::Expression)?;
        let (analysis, rewritten) = match parse_expr(&text) {
            Ok(parsed) => {
                let analysis = analysis::of_expression(&parsed, names.schema);
                let rewritten = analysis.refused.is_empty().then(|| rewrite::expression(&parsed));
                (analysis, rewritten)
            }
            Err(error) => return self.unreadable(what, &text, &tree.span, &error),
        };
        self.refuse(&text, &tree.span, &analysis.refused);
        self.check_words(&text, &tree.span, &analysis.variables, &of_expression(&text), names)?;
        match ENVIRONMENT.compile_expression_owned(rewritten?) {
            Ok(compiled) => Some(Expression {
                place: self.place_of(&tree.span),
                text: text.into(),
                reads: analysis.reads(),
                compiled: Arc::new(compiled),
            }),
            Err(error) => self.unreadable(what, &text, &tree.span, &error),
        }
    }

    /// Reads a template.
    pub(crate) fn template(&mut self, what: &str, tree: Tree, names: &Names<'_>) -> Option<Template> {
        let span = tree.span.clone();
        let text = self.text(what, tree)?.value;
        self.bounded(what, &text, &span)?;
        self.simple(what, &text, &span, Form::Template)?;
        let (analysis, rewritten) = match parse(&text, ONLY, SyntaxConfig::default()) {
            Ok(parsed) => {
                let analysis = analysis::of_template(&parsed, names.schema);
                let rewritten = analysis.refused.is_empty().then(|| rewrite::template(&parsed));
                (analysis, rewritten)
            }
            Err(error) => return self.unreadable(what, &text, &span, &error),
        };
        self.refuse(&text, &span, &analysis.refused);
        self.check_words(&text, &span, &analysis.variables, &of_template(&text), names)?;
        let mut environment = ENVIRONMENT.clone();
        if let Err(error) = environment.add_template_owned(ONLY, rewritten?) {
            return self.unreadable(what, &text, &span, &error);
        }
        Some(Template {
            place: self.place_of(&span),
            text: text.into(),
            reads: analysis.reads(),
            compiled: Arc::new(environment),
            nulls: Nulls::Shown,
        })
    }

    /// Reads a value in which texts are expressions.
    pub(crate) fn operand(&mut self, what: &str, tree: Tree, names: &Names<'_>) -> Option<Operand> {
        match tree.value {
            Value::Text(_) => self.expression(what, tree, names).map(Operand::Expression),
            Value::List(items) => {
                let count = items.len();
                let items: Vec<_> =
                    items.into_iter().filter_map(|item| self.operand(what, item, names)).collect();
                (items.len() == count).then_some(Operand::List(items))
            }
            Value::Map(entries) => {
                let count = entries.len();
                let entries: Vec<_> = entries
                    .into_iter()
                    .filter_map(|(key, value)| Some((key.value, self.operand(what, value, names)?)))
                    .collect();
                (entries.len() == count).then_some(Operand::Map(entries))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Some(Operand::Literal(self.json(&tree))),
        }
    }

    /// Converts a value to JSON. Numbers keep their spelling as integers, because the tree holds only floats.
    pub(crate) fn json(&self, tree: &Tree) -> Json {
        match &tree.value {
            Value::Null => Json::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(value) => {
                let written = self.source.slice(&tree.span).trim();
                written.parse::<i64>().map_or_else(|_| Json::from(*value), Json::from)
            }
            Value::Text(text) => text.clone().into(),
            Value::List(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Map(entries) => {
                entries.iter().map(|(key, value)| (key.value.clone(), self.json(value))).collect()
            }
        }
    }

    fn bounded(&mut self, what: &str, text: &str, span: &Span) -> Option<()> {
        if text.trim().is_empty() {
            self.push(span, format!("{what} is empty"), "write what it should be, or leave the key out");
            return None;
        }
        if text.len() > TEXT_MAX {
            let message = format!("{what} has {} bytes, the most is {TEXT_MAX}", text.len());
            self.push(span, message, "put long texts into the input of the graph");
            return None;
        }
        Some(())
    }

    /// Refuses text that is too large to be parsed.
    fn simple(&mut self, what: &str, text: &str, span: &Span, form: Form) -> Option<()> {
        let Some(Refusal { at, message, hint }) = too_intricate(text, form == Form::Expression) else {
            return Some(());
        };
        let place = self.within(span, text, &at);
        self.push(&place, format!("{what} cannot be read: {message}"), hint);
        None
    }

    fn refuse(&mut self, text: &str, span: &Span, refused: &[Refusal]) {
        for Refusal { at, message, hint } in refused {
            let place = self.within(span, text, at);
            self.push(&place, message.clone(), *hint);
        }
    }

    fn unreadable<T>(&mut self, what: &str, text: &str, span: &Span, error: &minijinja::Error) -> Option<T> {
        let at = error.range().unwrap_or(0..text.len());
        let place = self.within(span, text, &at);
        let hint = match text.trim() {
            text if text.contains("&&") || text.contains("||") => "write `and`, `or`, `not`",
            text if text.contains(" = ") => "to compare, write `==`",
            text if text.starts_with("{{") => "write it without `{{` and `}}`: it is an expression already",
            _ => "Jinja's syntax: state.score >= 7 and state.draft is not none",
        };
        self.push(&place, format!("{what} cannot be read: {}", spoken(error)), hint);
        None
    }

    /// Reports every unknown filter, test, channel, secret and name.
    fn check_words(
        &mut self,
        text: &str,
        span: &Span,
        variables: &BTreeSet<String>,
        words: &[Word<'_>],
        names: &Names<'_>,
    ) -> Option<()> {
        let before = self.found.len();
        for word in words {
            match word.used {
                Use::Filter
                    if word.text.starts_with("__")
                        || !is_known(&format!("0|{}", word.text), ErrorKind::UnknownFilter) =>
                {
                    self.unknown_word("filter", word, FILTERS, text, span);
                }
                Use::Test if !is_known(&format!("0 is {}", word.text), ErrorKind::UnknownTest) => {
                    self.unknown_word("test", word, &TESTS, text, span);
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
                    let at = place_of_channel(words, channel);
                    let place = self.within(span, text, &at.unwrap_or(0..text.len()));
                    self.unknown_channel(&place, channel, schema);
                }
                ("state", ..) => {}
                (SECRETS, part, _) => self.check_secret(part, text, span, words, names),
                _ if is_given => {}
                _ => self.unknown_name(root, text, span, words, names),
            }
        }
        (self.found.len() == before).then_some(())
    }

    /// Reports a channel that the state does not have.
    pub(crate) fn unknown_channel(&mut self, place: &Span, channel: &str, schema: &Schema) {
        let known: Vec<&str> = schema.names().collect();
        let hint = match nearest(shown(channel), known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => "declare it under `state`".to_owned(),
            None => format!("the channels are {}", listed(&known)),
        };
        self.push(place, format!("the state has no channel `{}`", shown(channel)), hint);
    }

    /// Reports a secret outside a request, and a secret that is not declared.
    fn check_secret(
        &mut self,
        secret: Option<&str>,
        text: &str,
        span: &Span,
        words: &[Word<'_>],
        names: &Names<'_>,
    ) {
        let word = words.iter().position(|word| word.used == Use::Name && word.text == SECRETS);
        let at = word.map_or(0..text.len(), |at| words[at].at.clone());
        let part = word.and_then(|at| words.get(at + 1)).filter(|part| part.used == Use::Part);
        let (place, message, hint) = match secret {
            _ if !names.sent => (
                at,
                "a secret cannot be used here".to_owned(),
                "what is computed here is stored; secrets stand in `url`, `headers`, `body` and `json` of `http`, and in `api_key` of a model".to_owned(),
            ),
            None => (
                at,
                "`secrets` is not a value".to_owned(),
                format!("name one of them: {}", listed(names.secrets)),
            ),
            Some(secret) if !names.secrets.contains(&secret) => (
                part.map_or(at, |part| part.at.clone()),
                format!("there is no secret `{}`", shown(secret)),
                secret_hint(secret, names),
            ),
            Some(_) => return,
        };
        let place = self.within(span, text, &place);
        self.push(&place, message, hint);
    }

    /// Reads a reference to a single secret, `{{ secrets.name }}`, for the key of a model.
    pub(crate) fn secret(&mut self, what: &str, tree: Tree, names: &Names<'_>) -> Option<String> {
        let span = tree.span.clone();
        let text = self.text(what, tree)?.value;
        let inner = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
        let Some(name) = inner.and_then(|inner| inner.strip_prefix("secrets.")) else {
            // The message does not repeat the text, because it may be a key.
            self.push(
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
        self.push(&span, format!("there is no secret `{}`", shown(name)), hint);
        None
    }

    fn unknown_name(&mut self, name: &str, text: &str, span: &Span, words: &[Word<'_>], names: &Names<'_>) {
        let word = words.iter().find(|word| word.used == Use::Name && word.text == name);
        let place = self.within(span, text, &word.map_or(0..text.len(), |word| word.at.clone()));
        let known: Vec<&str> = names.locals.iter().map(String::as_str).chain(["state"]).collect();
        let channel = names.schema.and_then(|schema| schema.channel(name));
        let hint = match (channel, nearest(name, known.iter().copied())) {
            (Some(channel), _) => format!("did you mean `state.{}`?", channel.name),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => {
                format!("known here: {}; a text needs quotes of its own: \"'{name}'\"", listed(&known))
            }
        };
        self.push(&place, format!("there is no `{name}` here"), hint);
    }

    fn unknown_word(&mut self, what: &str, word: &Word<'_>, known: &[&str], text: &str, span: &Span) {
        let hint = match nearest(word.text, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("such as {}", listed(known)),
        };
        let place = self.within(span, text, &word.at);
        self.push(&place, format!("there is no {what} `{}`", word.text), hint);
    }

    /// Returns the span of a part of a text in the file; the span of the whole text if that cannot be told, as with
    /// escapes.
    fn within(&self, span: &Span, text: &str, part: &Span) -> Span {
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

    fn place_of(&self, span: &Span) -> Arc<str> {
        self.source.place(span).into()
    }
}

/// Returns the hint for a secret that is not declared.
fn secret_hint(secret: &str, names: &Names<'_>) -> String {
    match nearest(shown(secret), names.secrets.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("declare it: `secrets: {{ {}: SOME_VARIABLE }}`", shown(secret)),
    }
}

/// Returns the range of the channel name in `state.channel`.
fn place_of_channel(words: &[Word<'_>], channel: &str) -> Option<Span> {
    let pairs = words.windows(2).filter(|pair| pair[0].used == Use::Name && pair[0].text == "state");
    pairs.map(|pair| &pair[1]).find(|word| word.text == channel).map(|word| word.at.clone())
}

/// Returns true if minijinja knows the filter or test in the expression `probe`.
fn is_known(probe: &str, unknown: ErrorKind) -> bool {
    let tried = ENVIRONMENT.compile_expression_owned(probe.to_owned()).and_then(|compiled| compiled.eval(()));
    tried.err().is_none_or(|error| error.kind() != unknown)
}
