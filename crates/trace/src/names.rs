//! Names of attributes: OpenTelemetry's GenAI conventions v0.1.0 (`semantic-conventions-genai`, all of it in development), OpenInference as
//! Phoenix 20 reads it, and our own. A new version of the conventions changes this file alone.

/// Schema of the GenAI names, which the exported scope carries.
pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/gen-ai/0.1.0";

/// Kind of span for viewers of model traces: `CHAIN`, `AGENT`, `LLM`, `TOOL`, `EVALUATOR`. Always sent,
/// because Phoenix derives no `CHAIN` and no `EVALUATOR` from the GenAI names.
pub const SPAN_KIND: &str = "openinference.span.kind";
/// Session of all spans of a thread, as Phoenix reads it: the thread id.
pub const SESSION: &str = "session.id";
/// Project of the traces; an attribute of the resource.
pub const PROJECT: &str = "openinference.project.name";
/// Input of a chain, agent or evaluator. Content: sent only if the user asks for it.
pub const INPUT: &str = "input.value";
/// Output of a chain, agent or evaluator. Content: sent only if the user asks for it.
pub const OUTPUT: &str = "output.value";

/// Session of all spans of a thread, as the GenAI conventions name it: the thread id.
pub const CONVERSATION: &str = "gen_ai.conversation.id";
/// Operation: `chat`, `execute_tool`, `invoke_agent`, `invoke_workflow`.
pub const OPERATION: &str = "gen_ai.operation.name";
/// Name of an agent, or of a workflow.
pub const AGENT: &str = "gen_ai.agent.name";
/// Provider of a model.
pub const PROVIDER: &str = "gen_ai.provider.name";
/// Model as requested.
pub const REQUEST_MODEL: &str = "gen_ai.request.model";
/// Sampling temperature of a request.
pub const TEMPERATURE: &str = "gen_ai.request.temperature";
/// Token limit of an answer.
pub const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
/// Form of an answer: `json` or `text`.
pub const OUTPUT_TYPE: &str = "gen_ai.output.type";
/// Model as the endpoint reports it.
pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
/// Reasons for the end of an answer; a list.
pub const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// Tokens of a prompt.
pub const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
/// Tokens of an answer.
pub const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// Messages of a request, as JSON text. Content.
pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
/// Messages of an answer, as JSON text. Content.
pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
/// System prompt, as JSON text. Content.
pub const SYSTEM_INSTRUCTIONS: &str = "gen_ai.system_instructions";
/// Tools that a request offers, as JSON text. Content.
pub const TOOL_DEFINITIONS: &str = "gen_ai.tool.definitions";
/// Tool of a call.
pub const TOOL: &str = "gen_ai.tool.name";
/// Id of a call.
pub const TOOL_CALL: &str = "gen_ai.tool.call.id";
/// Type of a tool; `function` for all of ours.
pub const TOOL_TYPE: &str = "gen_ai.tool.type";
/// Arguments of a call, as JSON text. Content.
pub const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
/// Result of a call, as JSON text. Content.
pub const TOOL_RESULT: &str = "gen_ai.tool.call.result";
/// Name of an evaluation's metric.
pub const EVALUATION: &str = "gen_ai.evaluation.name";
/// Score of an evaluation.
pub const SCORE: &str = "gen_ai.evaluation.score.value";
/// Score of an evaluation in words.
pub const SCORE_LABEL: &str = "gen_ai.evaluation.score.label";
/// Reason for a score. Content.
pub const EXPLANATION: &str = "gen_ai.evaluation.explanation";

/// Kind of failure.
pub const ERROR_TYPE: &str = "error.type";
/// Host of an endpoint.
pub const SERVER: &str = "server.address";
/// Port of an endpoint.
pub const PORT: &str = "server.port";

/// Name of a node.
pub const NODE: &str = "graph.node.name";
/// Id of a node's task: its position in the thread.
pub const TASK: &str = "graph.node.id";
/// Thread of a run.
pub const THREAD: &str = "stategraph.thread";
/// Superstep of a task; of a run, the number of supersteps.
pub const STEP: &str = "stategraph.step";
/// Attempt of a task, from 1.
pub const ATTEMPT: &str = "stategraph.attempt";
/// Newest checkpoint of a run.
pub const CHECKPOINT: &str = "stategraph.checkpoint";
/// Way in which a span ended: `ok`, `failed`, `cancelled`, or the status of a run.
pub const OUTCOME: &str = "stategraph.outcome";
/// Label of the node or agent that calls a model.
pub const LABEL: &str = "stategraph.label";
/// Cost of an answer in US dollars.
pub const COST: &str = "stategraph.cost_usd";
/// True if token counts are estimates.
pub const ESTIMATED: &str = "stategraph.usage.estimated";
/// True for an answer from a recording. It has no token counts, because sums would count them twice.
pub const REPLAYED: &str = "stategraph.replayed";
/// Number of an iteration, from 1.
pub const ITERATION: &str = "stategraph.iteration";
/// True if an evaluation accepted its subject.
pub const APPROVED: &str = "stategraph.approved";
/// Critical issues of a validation.
pub const CRITICAL: &str = "stategraph.issues.critical";
/// Major issues of a validation.
pub const MAJOR: &str = "stategraph.issues.major";
/// Minor issues of a validation.
pub const MINOR: &str = "stategraph.issues.minor";

/// Names of fields that `tracing` layers for OpenTelemetry interpret by agreement; they do not become
/// attributes.
pub(crate) mod special {
    pub(crate) const NAME: &str = "otel.name";
    pub(crate) const KIND: &str = "otel.kind";
    pub(crate) const STATUS: &str = "otel.status_code";
    pub(crate) const STATUS_TEXT: &str = "otel.status_description";
}
