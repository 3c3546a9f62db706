//! Opens the spans of steps, agents, models, tools and evaluations. All numbers are `i64` or `f64`, because layers for OpenTelemetry send `u64` as
//! text. The spans of runs and nodes are the engine's.

use std::fmt;

use tracing::field::Empty;
use tracing::{Instrument, info_span};

use super::content::{SpanContent, clean_text};
use super::names::{self, special};
use super::step::TracedStep;

/// The description of a model call for its span.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelCall<'a> {
    /// Name of the provider.
    pub provider: &'a str,
    /// Name of the model, as requested.
    pub model: &'a str,
    /// Label of the caller.
    pub label: &'a str,
    /// Base URL of the endpoint; `None` without one.
    pub endpoint: Option<&'a str>,
    /// Form of the answer: `json` or `text`.
    pub output_type: &'a str,
    /// Sampling temperature, if the request has one.
    pub temperature: Option<f64>,
    /// Token limit of the answer, if the request has one.
    pub max_tokens: Option<u32>,
}

/// Opens the span of a model call. Tokens, cost and outcome are recorded later, by the caller.
pub fn model_call(call: &ModelCall<'_>) -> TracedStep {
    let span = info_span!(
        target: "stategraph_llm",
        "model_call",
        { special::NAME } = format_args!("chat {}", call.model),
        { special::KIND } = if call.endpoint.is_some() { "client" } else { "internal" },
        { names::SPAN_KIND } = "LLM",
        { names::OPERATION } = "chat",
        { names::PROVIDER } = call.provider,
        { names::REQUEST_MODEL } = call.model,
        { names::OUTPUT_TYPE } = call.output_type,
        { names::LABEL } = call.label,
        { names::TEMPERATURE } = call.temperature,
        { names::MAX_TOKENS } = call.max_tokens.map(i64::from),
        { names::SERVER } = Empty,
        { names::PORT } = Empty,
        { names::RESPONSE_MODEL } = Empty,
        { names::FINISH_REASONS } = Empty,
        { names::INPUT_TOKENS } = Empty,
        { names::OUTPUT_TOKENS } = Empty,
        { names::ESTIMATED } = Empty,
        { names::COST } = Empty,
        { names::REPLAYED } = Empty,
        { names::OUTCOME } = Empty,
        { names::ERROR_TYPE } = Empty,
        { special::STATUS } = Empty,
        { special::STATUS_TEXT } = Empty,
    );
    if let Some((host, port)) = call.endpoint.and_then(split_server) {
        span.record(names::SERVER, host);
        span.record(names::PORT, i64::from(port));
    }
    TracedStep::new(span)
}

/// Returns host and port of a URL, with the default port of its scheme; `None` if it is no URL. The URL has
/// no password.
fn split_server(url: &str) -> Option<(&str, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let default = if scheme == "https" { 443 } else { 80 };
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => Some((host, port.parse().ok()?)),
        _ => Some((authority, default)),
    }
}

/// The description of a tool call for its span.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpan<'a> {
    /// Name of the tool, as the model wrote it.
    pub tool: &'a str,
    /// Id of the call.
    pub id: &'a str,
    /// Arguments, as the model wrote them.
    pub arguments: &'a str,
}

/// Opens the span of a tool call.
pub fn tool_call(call: &ToolSpan<'_>) -> TracedStep {
    let span = info_span!(
        target: "stategraph_agent",
        "tool_call",
        { special::NAME } = format_args!("execute_tool {}", call.tool),
        { names::SPAN_KIND } = "TOOL",
        { names::OPERATION } = "execute_tool",
        { names::TOOL } = call.tool,
        { names::TOOL_CALL } = call.id,
        { names::TOOL_TYPE } = "function",
        { names::OUTCOME } = Empty,
        { names::ERROR_TYPE } = Empty,
        { special::STATUS } = Empty,
        { special::STATUS_TEXT } = Empty,
    );
    let step = TracedStep::new(span);
    step.content(SpanContent::ToolArguments, || clean_text(call.arguments));
    // The list of spans in Phoenix shows this one.
    step.input(|| call.arguments.to_owned());
    step
}

/// Opens the span of a step of a workflow, such as a section of a document.
pub fn chain(name: &str) -> TracedStep {
    let span = info_span!(
        target: "stategraph_trace",
        "chain",
        { special::NAME } = name,
        { names::SPAN_KIND } = "CHAIN",
        { names::ITERATION } = Empty,
        { names::APPROVED } = Empty,
        { names::OUTCOME } = Empty,
        { names::ERROR_TYPE } = Empty,
        { special::STATUS } = Empty,
        { special::STATUS_TEXT } = Empty,
    );
    TracedStep::new(span)
}

/// Opens the span of an agent, such as the generator of a section.
pub fn agent(name: &str) -> TracedStep {
    let span = info_span!(
        target: "stategraph_trace",
        "agent",
        { special::NAME } = format_args!("invoke_agent {name}"),
        { names::SPAN_KIND } = "AGENT",
        { names::OPERATION } = "invoke_agent",
        { names::AGENT } = name,
        { names::ITERATION } = Empty,
        { names::OUTCOME } = Empty,
        { names::ERROR_TYPE } = Empty,
        { special::STATUS } = Empty,
        { special::STATUS_TEXT } = Empty,
    );
    TracedStep::new(span)
}

/// Runs `work` inside the span of the agent `name`, ends the span with its success or failure, and returns
/// its result.
pub async fn run_agent<T, E: fmt::Display>(
    name: &str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let step = agent(name);
    let ended = work.instrument(step.span().clone()).await;
    match &ended {
        Ok(_) => step.succeed(),
        Err(error) => step.fail("agent", &error.to_string()),
    }
    ended
}

/// An open span of a critic or validator. It dereferences to its [`TracedStep`].
#[must_use = "a dropped evaluation is a cancelled one"]
pub struct EvaluationStep(TracedStep);

/// Opens the span of a critic or validator.
pub fn evaluation(name: &str) -> EvaluationStep {
    let span = info_span!(
        target: "stategraph_trace",
        "evaluation",
        { special::NAME } = format_args!("validate {name}"),
        { names::SPAN_KIND } = "EVALUATOR",
        { names::EVALUATION } = name,
        { names::SCORE } = Empty,
        { names::SCORE_LABEL } = Empty,
        { names::APPROVED } = Empty,
        { names::CRITICAL } = Empty,
        { names::MAJOR } = Empty,
        { names::MINOR } = Empty,
        { names::ITERATION } = Empty,
        { names::OUTCOME } = Empty,
        { names::ERROR_TYPE } = Empty,
        { special::STATUS } = Empty,
        { special::STATUS_TEXT } = Empty,
    );
    EvaluationStep(TracedStep::new(span))
}

impl std::ops::Deref for EvaluationStep {
    type Target = TracedStep;

    fn deref(&self) -> &TracedStep {
        &self.0
    }
}

impl EvaluationStep {
    /// Sets the score.
    pub fn score(&self, score: f64) {
        self.span().record(names::SCORE, score);
    }

    /// Sets the numbers of issues by severity.
    pub fn issues(&self, critical: usize, major: usize, minor: usize) {
        let counts = [(names::CRITICAL, critical), (names::MAJOR, major), (names::MINOR, minor)];
        for (name, count) in counts {
            self.span().record(name, i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    /// Sets the reason for the verdict. `text` is called only if content is captured.
    pub fn explanation(&self, text: impl FnOnce() -> String) {
        self.content(SpanContent::Explanation, || clean_text(&text()));
    }

    /// Ends the span with the verdict. A rejection is no failure of the span.
    pub fn decide(self, approved: EvaluationVerdict) {
        let (is_approved, label) = match approved {
            EvaluationVerdict::Approved => (true, "pass"),
            EvaluationVerdict::Rejected => (false, "fail"),
        };
        self.span().record(names::APPROVED, is_approved);
        self.span().record(names::SCORE_LABEL, label);
        self.0.succeed();
    }

    /// Ends the span as failed, without a verdict. `kind` is the type of the failure, one of few different
    /// values.
    pub fn fail(self, kind: &str, message: &str) {
        self.0.fail(kind, message);
    }
}

/// The verdict of a critic or validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationVerdict {
    /// Accepted.
    Approved,
    /// Not accepted.
    Rejected,
}
