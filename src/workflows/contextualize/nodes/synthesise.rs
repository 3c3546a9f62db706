//! The node `synthesise`: the text that answers a question, by a model in one call (CTX-24) or by rules.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::ask::ask_text;
use super::budget::RunBudget;
use super::claims::{CheckedText, check_text, one_line};
use super::fit::fit;
use super::material::{ShownFile, place};
use super::passages::{found_lines, referenced_lines, show_files};
use super::write::{end_status, model_name, without_front_matter};
use crate::engine::{Cx, NodeResult, State as _};
use crate::llm::ChatAnswer;
use crate::repo::Language;
use crate::workflows::contextualize::content::count_tokens;
use crate::workflows::contextualize::input::ContextSettings;
use crate::workflows::contextualize::search::{CodeReference, TokenLimit, answer_by_rules};
use crate::workflows::contextualize::services::{
    ContextRequest, ContextResources, ContextServices, RepositoryPlace,
};
use crate::workflows::contextualize::state::{
    ContextDraft, ContextScope, ContextScopeUpdate, DraftAuthor, DraftStatus,
};

/// Part of the remaining budget that this call may use, in percent.
const SHARE: u64 = 95;
/// Tokens of the front matter without the question.
const FRONT_MATTER: usize = 170;
/// Fewest words of a text that is of use.
const WORDS: usize = 15;
/// Most places that the last section names.
const REFERENCES: usize = 40;

/// The content of a request for an answer: question, insights, places and files, as template variables of its
/// prompts.
#[derive(Serialize)]
pub(super) struct AnswerSources<'a> {
    pub(super) question: &'a str,
    pub(super) insights: Vec<&'a str>,
    pub(super) references: &'a [CodeReference],
    pub(super) files: &'a [ShownFile],
    pub(super) max_tokens: usize,
}

/// Writes the answer in one request to the model. The rules write it if the run has no language model, the
/// budget is too small, or the model's text is of no use.
pub(in super::super) async fn synthesise(
    run: &ContextScope,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextScopeUpdate> {
    let resources = cx.services().resources()?;
    let update = ContextScope::update();
    if resources.is_rules() {
        return Ok(update.draft(Some(by_rules(run, DraftStatus::Complete, cx).await?)));
    }
    let limits = run.input.settings.exploration;
    let budget = RunBudget::new(&run.input.settings, &run.spent, resources);
    let chars = budget.material_chars(SHARE).min(limits.synthesis_chars as usize);
    let files = shown_files(run, chars, cx).await?;
    let sources = AnswerSources {
        question: &run.question,
        insights: run.explorations.iter().filter_map(|it| it.preliminary_insights.as_deref()).collect(),
        references: &run.references,
        files: &files,
        max_tokens: answer_tokens(&run.input.settings, &run.question),
    };
    let chat = resources.render(ContextRequest::ScopeGeneration, &sources)?;
    if let Err(over) = budget.check(&chat) {
        let status = DraftStatus::Partial(format!("the text is that of the rules: {over}"));
        return Ok(update.draft(Some(by_rules(run, status, cx).await?)));
    }
    let (answer, spent) = ask_text(ContextRequest::ScopeGeneration, chat, cx).await?;
    let update = update.spent(spent);
    let place = place(&run.input, run.repository.as_ref());
    let (draft, notes) = answer_draft(resources, place, &sources, &answer).await?;
    let Some(draft) = draft else {
        let reason = "the text is that of the rules, because the model wrote none of use";
        let draft = by_rules(run, DraftStatus::Partial(reason.to_owned()), cx).await?;
        return Ok(update.draft(Some(draft)).extend_notes(notes));
    };
    let dropped = dropped_note(run.dropped_references);
    Ok(update.draft(Some(draft)).extend_notes(notes).extend_notes(dropped))
}

/// Checks the model's answer, adds the section of references, and returns the draft with remarks about the
/// check. The draft is `None` if fewer than 15 words are left.
pub(super) async fn answer_draft(
    resources: &ContextResources,
    place: RepositoryPlace<'_>,
    sources: &AnswerSources<'_>,
    answer: &ChatAnswer,
) -> NodeResult<(Option<ContextDraft>, Vec<String>)> {
    let (text, title, known) = (answer.text.clone(), sources.question.to_owned(), code_of(sources.files));
    let checking = resources.read(place, ("check of the text", json!(answer.text)), move |repository| {
        check_text(&text, Some(&title), Some(repository), &known)
    });
    let CheckedText { markdown, notes, withheld } = checking.await?;
    if markdown.split_whitespace().count() < WORDS {
        return Ok((None, notes));
    }
    let section = references_section(sources.references);
    let (markdown, left_out) = fit(&markdown, sources.max_tokens.saturating_sub(count_tokens(&section)));
    let draft = ContextDraft {
        markdown: format!("{}\n{section}", markdown.trim_end()),
        author: DraftAuthor::Model(model_name(&answer.model, resources)),
        left_out,
        references: sources.references.to_vec(),
        files_analyzed: sources.files.iter().map(|file| file.path.clone()).collect(),
        withheld,
        status: end_status(&answer.finish),
    };
    Ok((Some(draft), notes))
}

/// Returns the remark about the number of invalid places that the model named; `None` for 0.
pub(super) fn dropped_note(dropped: usize) -> Option<String> {
    (dropped > 0).then(|| format!("places that the model named and that do not exist, dropped: {dropped}"))
}

/// Returns the files of the request: those with places of the exploration first, then those that the model
/// asked for. If there are no places, all candidates follow, because nothing tells which of them matter.
async fn shown_files(
    run: &ContextScope,
    chars: usize,
    cx: &Cx<ContextServices>,
) -> NodeResult<Vec<ShownFile>> {
    let discovery = run.discovery.as_ref().expect("the graph discovers first");
    let mut paths: Vec<&String> = Vec::new();
    let asked: Vec<&String> = run.explorations.iter().flat_map(|it| &it.additional_files_needed).collect();
    let is_meant = |path: &&String| run.references.is_empty() || asked.contains(path);
    let others = run.files.iter().filter(is_meant);
    let all = run.references.iter().map(|reference| &reference.path).chain(others);
    for path in all {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths.truncate(run.input.settings.exploration.files_per_prompt as usize);
    let lines = |path: &String| {
        let referenced = referenced_lines(&run.references, path);
        if referenced.is_empty() { found_lines(discovery, path) } else { referenced }
    };
    let files: Vec<_> = paths.iter().map(|path| ((*path).clone(), lines(path))).collect();
    let input = json!({ "files": paths, "chars": chars });
    let resources = cx.services().resources()?;
    let place = place(&run.input, run.repository.as_ref());
    resources
        .read(place, ("files of the text", input), move |repository| show_files(repository, &files, chars))
        .await
}

/// Returns the draft of the answer that rules write, with the given status.
pub(super) async fn by_rules(
    run: &ContextScope,
    status: DraftStatus,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextDraft> {
    let discovery = run.discovery.clone().expect("the graph discovers first");
    let (question, max) = (run.question.clone(), answer_tokens(&run.input.settings, &run.question));
    let resources = cx.services().resources()?;
    let place = place(&run.input, run.repository.as_ref());
    let writing = resources.read(place, ("text by rules", Value::Null), move |repository| {
        let limit = TokenLimit { max, count: &count_tokens };
        answer_by_rules(&question, &discovery, &repository.code, repository.facts(), &limit)
    });
    let text = writing.await?;
    Ok(ContextDraft {
        markdown: text.markdown,
        author: DraftAuthor::Rules,
        left_out: Vec::new(),
        references: text.references,
        files_analyzed: text.files_analyzed,
        withheld: Vec::new(),
        status,
    })
}

/// Returns the text of those files that are source code. Commands in them are allowed in the answer; a
/// command in a document must be stated as a command of the project.
fn code_of(files: &[ShownFile]) -> String {
    let code = files.iter().filter(|file| Language::of_path(Path::new(&file.path)).is_some());
    code.map(|file| file.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Returns the limit of the answer in tokens, without its front matter.
pub(super) fn answer_tokens(settings: &ContextSettings, question: &str) -> usize {
    let asked = settings.max_tokens.map(|tokens| tokens as usize);
    without_front_matter(asked, FRONT_MATTER + count_tokens(question))
}

/// Returns the section "Code references" with up to 40 checked places (CTX-29); empty without places.
fn references_section(references: &[CodeReference]) -> String {
    let mut section = String::new();
    for reference in references.iter().take(REFERENCES) {
        let description = one_line(&reference.description);
        let colon = if description.is_empty() { "" } else { ": " };
        let _ = writeln!(section, "- `{reference}`{colon}{description}");
    }
    if section.is_empty() { section } else { format!("\n## Code references\n\n{section}") }
}
