//! The generator: an agent with the tools of the package that writes a section. It must read the knowledge
//! base before it writes (SEC-29).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::check_by_model::outline;
use super::style::{StyleRules, section_instructions};
use crate::agent::around::{Announce, Approval, CutOutputs, Journal, Taped, Trimming};
use crate::agent::xml::XmlTools;
use crate::agent::{Agent, CallPolicy, Conversation, ForeignTool, Spent, Stack, Step, StreamedAnswer};
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{ModelErrorKind, SharedModel};
use crate::readme::document::preserve_blocks;
use crate::readme::package::IntegrationPackage;
use crate::readme::validate::{Issue, IssueSeverity, IssueSource, ValidationStage};
use crate::trace::run_agent;
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::SectionRun;
use crate::workflows::sections::tools::{GET_SERVICE_INFO, READING, WRITE_FILE, written_file};
use crate::workflows::tool_servers::AgentTools;

/// Label of the requests in usage meters, and key of the answers in the journal.
const LABEL: &str = "generator";
/// Maximum number of answers of the model for one version, those with tool calls included.
const ROUNDS: u32 = 12;
/// Number of tokens to which the messages of the conversation are trimmed.
const INPUT_TOKENS: u64 = 60_000;
/// Maximum number of characters of a tool's result; the rest is cut off.
const OUTPUT_CHARS: usize = 16_000;
/// Rule of the issue that the knowledge base was not read.
const UNREAD: &str = "generator/service-info-not-read";

/// The result of a generator: its answer, issues about how it was made, files that it wrote, and the costs.
pub(super) struct GeneratedText {
    pub(super) answer: String,
    pub(super) issues: Vec<Issue>,
    pub(super) files: BTreeMap<String, String>,
    pub(super) spent: Spent,
}

/// The variables with which the prompts of the generator are rendered (SEC-163).
#[derive(Serialize)]
struct GeneratorVariables<'a> {
    is_package: bool,
    package: &'a str,
    title: &'a str,
    heading: String,
    parts: &'a [String],
    template_instruction: &'a str,
    instructions: String,
    rules: StyleRules,
    existing: &'a str,
    request: &'a str,
    feedback: &'a [String],
    previous: &'a str,
    preserved: Vec<String>,
    has_service_info: bool,
    /// Facts of the package that the section may state, one per line.
    facts: String,
}

/// Lets the generator write a version of the section: a first text, a change on request, or a revision with
/// the feedback. If it answers without having read the knowledge base, it is reminded once; then the
/// version gets a critical issue.
pub(super) async fn generate_by_model(
    section: &SectionRun,
    model: &SharedModel,
    resources: &SectionsResources,
    package: &Arc<IntegrationPackage>,
    cx: &Cx<SectionsServices>,
) -> NodeResult<GeneratedText> {
    let _slot = resources.slots.acquire().await?;
    let AgentTools { toolbox, foreign } = resources.tools(package).await?;
    let is_package = resources.settings.profile == SectionsProfile::Package;
    // A revision stands on the version before, which was written with the knowledge base, unless that was its fault.
    let has_read =
        section.versions.last().is_some_and(|last| last.issues.iter().all(|issue| issue.rule != UNREAD));
    let must_read = is_package && package.service_info.is_some() && !has_read;
    let task = &section.task;
    let previous = section.versions.last().map(|version| version.text.as_str()).unwrap_or_default();
    let variables = GeneratorVariables {
        is_package,
        package: &package.manifest.title,
        title: &task.title,
        heading: format!("{} {}", "#".repeat(usize::from(task.level.max(1))), task.title),
        parts: &task.parts,
        template_instruction: &task.instruction,
        instructions: section_instructions(&task.title, resources)?,
        rules: StyleRules::load(resources)?,
        existing: &task.existing,
        request: &task.request,
        feedback: &section.feedback,
        previous,
        preserved: preserve_blocks(&task.existing).into_iter().map(|block| block.text).collect(),
        has_service_info: must_read,
        facts: if is_package { outline(package) } else { String::new() },
    };
    let prompt = if !previous.is_empty() {
        "revision.user.md"
    } else if !task.request.is_empty() || !is_package {
        "modification.user.md"
    } else {
        "section_generation.user.md"
    };
    let mut conversation = Conversation::new(
        resources.render("agent_instructions.system.md", &variables)?,
        resources.render(prompt, &variables)?,
    );
    let model = XmlTools::new(model.clone()).offer(resources.settings.tools.into());
    let words = StreamedAnswer::new(cx, LABEL);
    let reading = READING.iter().map(|name| (*name).to_owned());
    let taped: Vec<String> = reading.chain(foreign.iter().map(|tool| tool.spec.name.clone())).collect();
    let approve = ForeignTool::approved_by_a_person(foreign);
    let stack = Stack::new()
        .with(Trimming::new(INPUT_TOKENS, toolbox.priorities()))
        .with(Approval::new(cx, approve).schemas(toolbox.specs()))
        .with(CutOutputs::new(OUTPUT_CHARS))
        .with(Journal::new(cx, LABEL))
        .with(Announce::new(cx, task.title.as_str()))
        .with(Taped::new(&resources.tape, taped));
    let policy = CallPolicy {
        timeout: CallPolicy::default().timeout.max(ForeignTool::longest_call(foreign)),
        ..CallPolicy::default()
    };
    let agent = Agent::new(LABEL, &model, toolbox).stack(stack).calls(policy).sink(&words);
    let agent = match resources.prices {
        Some(prices) => agent.prices(prices),
        None => agent,
    };
    let mut reading = GeneratorCalls::default();
    let remind = || resources.render("service_info.user.md", &variables);
    let writing = async {
        let answer = reading.converse(&agent, &mut conversation).await?;
        if !must_read || reading.has_service_info {
            return Ok(answer);
        }
        conversation.say(remind()?);
        reading.converse(&agent, &mut conversation).await
    };
    // The span of the agent has those of its calls inside (SEC-152, SEC-175).
    let answer = run_agent(&format!("{LABEL} of {}", task.title), writing).await?;
    let issues =
        if must_read && !reading.has_service_info { vec![unread_issue(&task.title)] } else { Vec::new() };
    Ok(GeneratedText { answer, issues, files: reading.files, spent: conversation.spent })
}

/// The facts that are collected from the tool calls of a conversation: if the knowledge base was read, and
/// which files were written.
#[derive(Default)]
struct GeneratorCalls {
    has_service_info: bool,
    files: BTreeMap<String, String>,
}

impl GeneratorCalls {
    /// Runs rounds of answers and tool calls until the model answers with text, and returns the text. Fails
    /// after [`ROUNDS`] answers.
    async fn converse(&mut self, agent: &Agent<'_>, conversation: &mut Conversation) -> NodeResult<String> {
        while conversation.rounds < ROUNDS {
            match agent.step(conversation).await? {
                Step::Answered(text) => return Ok(text),
                Step::Halted(halt) => return Err(NodeError::msg(halt.reason).permanent()),
                Step::Called(results) => {
                    for result in &results {
                        self.has_service_info |=
                            result.tool == GET_SERVICE_INFO && result.output.is_success();
                        // A server must not pretend a file of ours.
                        if result.tool == WRITE_FILE {
                            self.files.extend(written_file(&result.output));
                        }
                    }
                }
            }
        }
        Err(NodeError::msg(format!("the generator used its {ROUNDS} answers without a text")).permanent())
    }
}

/// Returns the critical issue that a version of this section was written without reading the knowledge
/// base.
fn unread_issue(section: &str) -> Issue {
    Issue {
        rule: UNREAD.to_owned(),
        markdownlint: None,
        severity: IssueSeverity::Critical,
        category: ValidationStage::Accuracy,
        section: section.to_owned(),
        line: 0,
        message: "the section was written without reading the knowledge base".to_owned(),
        suggestion: format!("call `{GET_SERVICE_INFO}` with the title of the section before writing"),
        source: IssueSource::Static,
    }
}

/// Returns true for a text that has nothing but headings and blank lines.
pub(super) fn is_heading_only(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.starts_with('#'))
}

/// Returns true if an error was caused by the spent budget of the run.
pub(super) fn is_over_budget(error: &NodeError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error.source());
    while let Some(error) = cause {
        if matches!(error.downcast_ref(), Some(ModelErrorKind::Budget { .. })) {
            return true;
        }
        cause = error.source();
    }
    false
}
