//! The node `write`: the second of the two calls of a description (CTX-13), or the text by rules.

use serde::Serialize;
use serde_json::{Value, json};

use super::analyse::ShownProject;
use super::ask::ask_text;
use super::budget::RunBudget;
use super::claims::{CheckedText, check_text};
use super::fit::fit;
use super::material::{RepositoryMaterial, for_text, place};
use crate::engine::{Cx, NodeResult, State as _};
use crate::llm::{ChatAnswer, ChatRequest, Finish};
use crate::workflows::contextualize::content::{
    AGENTS_MD_TOKENS, CONTEXT_TOKENS, ContextLayout, count_tokens, write_context,
};
use crate::workflows::contextualize::input::{ContextFormat, ContextSettings};
use crate::workflows::contextualize::services::{
    ContextRequest, ContextResources, ContextServices, OpenRepository, RepositoryPlace,
};
use crate::workflows::contextualize::state::{
    CodeAnalysis, ContextDraft, ContextGeneration, ContextGenerationUpdate, ContextProject, DraftAuthor,
    DraftStatus,
};

/// Part of the remaining budget that this call may use, in percent.
const SHARE: u64 = 90;
/// Tokens of the front matter without the user's summary.
const FRONT_MATTER: usize = 150;
/// Fewest words of a text that is of use.
const WORDS: usize = 40;

/// Template variables of the prompts for the text of a context file.
#[derive(Serialize)]
struct TextVariables<'a> {
    project: ShownProject<'a>,
    summary: Option<&'a str>,
    analysis: &'a CodeAnalysis,
    material: &'a RepositoryMaterial,
    is_agents_md: bool,
    max_tokens: usize,
}

/// Writes the text of the context file in one request to the model. The rules write it if the run has no
/// language model, the budget is too small, or the model's text is of no use.
pub(in super::super) async fn write(
    run: &ContextGeneration,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextGenerationUpdate> {
    let resources = cx.services().resources()?;
    let update = ContextGeneration::update();
    if resources.is_rules() {
        return Ok(update.draft(Some(by_rules(run, DraftStatus::Complete, cx).await?)));
    }
    let budget = RunBudget::new(&run.input.settings, &run.spent, resources);
    let (chars, summary) = (budget.material_chars(SHARE), run.summary.clone());
    let reading = resources.read(
        place(&run.input, run.repository.as_ref()),
        ("material of the text", json!(chars)),
        move |repository| for_text(repository, summary.as_deref(), &[], chars),
    );
    let material = reading.await?;
    let project = run.project.as_ref().expect("the graph reads the metadata first");
    let sources = TextSources {
        project,
        summary: run.summary.as_deref(),
        analysis: run.analysis.as_ref().expect("the graph analyses first"),
        material: &material,
    };
    let chat = text_request(resources, &run.input.settings, &sources)?;
    if let Err(over) = budget.check(&chat) {
        let status = DraftStatus::Partial(format!("the text is that of the rules: {over}"));
        return Ok(update.draft(Some(by_rules(run, status, cx).await?)));
    }
    let (answer, spent) = ask_text(ContextRequest::ContextGeneration, chat, cx).await?;
    let update = update.spent(spent);
    let place = place(&run.input, run.repository.as_ref());
    let (draft, notes) = text_draft(resources, place, &sources, &answer).await?;
    if let Some(draft) = draft {
        return Ok(update.draft(Some(draft)).extend_notes(notes));
    }
    let status =
        DraftStatus::Partial("the text is that of the rules, because the model wrote none of use".to_owned());
    Ok(update.draft(Some(by_rules(run, status, cx).await?)).extend_notes(notes))
}

/// The input of a request for the text: metadata, summary, analysis and material.
#[derive(Clone, Copy)]
pub(super) struct TextSources<'a> {
    pub(super) project: &'a ContextProject,
    pub(super) summary: Option<&'a str>,
    pub(super) analysis: &'a CodeAnalysis,
    pub(super) material: &'a RepositoryMaterial,
}

/// Renders the request for the text of a context file.
pub(super) fn text_request(
    resources: &ContextResources,
    settings: &ContextSettings,
    sources: &TextSources<'_>,
) -> NodeResult<ChatRequest> {
    let variables = TextVariables {
        project: ShownProject::new(sources.project),
        summary: sources.summary,
        analysis: sources.analysis,
        material: sources.material,
        is_agents_md: settings.format == ContextFormat::AgentsMd,
        max_tokens: text_tokens(settings, sources.summary),
    };
    resources.render(ContextRequest::ContextGeneration, &variables)
}

/// Checks the text that the model wrote, and returns the draft with remarks about the check. The draft is
/// `None` if fewer than 40 words are left.
pub(super) async fn text_draft(
    resources: &ContextResources,
    place: RepositoryPlace<'_>,
    sources: &TextSources<'_>,
    answer: &ChatAnswer,
) -> NodeResult<(Option<ContextDraft>, Vec<String>)> {
    let (text, title) = (answer.text.clone(), sources.project.name.clone());
    // What the facts say is true; a single test and a version are in no script.
    let known = sources.material.facts.clone();
    let checking = resources.read(place, ("check of the text", json!(answer.text)), move |repository| {
        check_text(&text, Some(&title), Some(repository), &known)
    });
    let CheckedText { markdown, notes, withheld } = checking.await?;
    if markdown.split_whitespace().count() < WORDS {
        return Ok((None, notes));
    }
    let (markdown, left_out) = fit(&markdown, text_tokens(place.settings, sources.summary));
    let draft = ContextDraft {
        markdown,
        author: DraftAuthor::Model(model_name(&answer.model, resources)),
        left_out,
        references: Vec::new(),
        files_analyzed: Vec::new(),
        withheld,
        status: end_status(&answer.finish),
    };
    Ok((Some(draft), notes))
}

/// Returns the draft of the context file that rules write, with the given status.
pub(super) async fn by_rules(
    run: &ContextGeneration,
    status: DraftStatus,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextDraft> {
    let (settings, summary) = (run.input.settings.clone(), run.summary.clone());
    let place = place(&run.input, run.repository.as_ref());
    let resources = cx.services().resources()?;
    let writing = resources.read(place, ("text by rules", Value::Null), move |repository| {
        let layout = match settings.format {
            ContextFormat::Context => ContextLayout::Context,
            ContextFormat::AgentsMd => ContextLayout::AgentsMd,
        };
        rules_draft(repository, summary.as_deref(), layout, text_tokens(&settings, summary.as_deref()))
    });
    Ok(ContextDraft { status, ..writing.await? })
}

/// Returns the draft of a context file by rules, with the status `Complete`.
pub(super) fn rules_draft(
    repository: &OpenRepository,
    summary: Option<&str>,
    layout: ContextLayout,
    max_tokens: usize,
) -> ContextDraft {
    let text = write_context(&repository.code, repository.facts(), summary, layout, max_tokens);
    ContextDraft {
        markdown: text.markdown,
        author: DraftAuthor::Rules,
        left_out: text.left_out,
        references: Vec::new(),
        files_analyzed: Vec::new(),
        withheld: Vec::new(),
        status: DraftStatus::Complete,
    }
}

/// Returns the limit of the text in tokens, without its front matter.
pub(super) fn text_tokens(settings: &ContextSettings, summary: Option<&str>) -> usize {
    let asked = settings.max_tokens.map(|tokens| tokens as usize);
    match settings.format {
        ContextFormat::Context => without_front_matter(asked, FRONT_MATTER + summary.map_or(0, count_tokens)),
        ContextFormat::AgentsMd => asked.map_or(AGENTS_MD_TOKENS, |_| settings.agents_md_tokens() as usize),
    }
}

/// Returns the limit of the text: that of the file (`asked`, or the default) less the tokens of the front
/// matter, but at least half of it.
pub(super) fn without_front_matter(asked: Option<usize>, front_matter: usize) -> usize {
    let all = asked.unwrap_or(CONTEXT_TOKENS);
    all.saturating_sub(front_matter).max(all / 2)
}

/// Returns the model's name as the endpoint reported it (CTX-147). If that is empty or a path on the server,
/// returns the name that the user gave.
pub(super) fn model_name(reported: &str, resources: &ContextResources) -> String {
    let reported = reported.trim();
    let is_path = reported.starts_with(['/', '\\', '.']) || reported.contains(":\\");
    if reported.is_empty() || is_path { resources.model.name().to_string() } else { reported.to_owned() }
}

/// Returns the status of a text by the way its answer ended: partial at the limit of tokens, else complete.
pub(super) fn end_status(finish: &Finish) -> DraftStatus {
    match finish {
        Finish::Length => DraftStatus::Partial("the model's answer ended at the limit of tokens".to_owned()),
        _ => DraftStatus::Complete,
    }
}
