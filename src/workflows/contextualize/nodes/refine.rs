//! The node `refine`: changes a context file as the user asks, by a model in one call (CTX-31) or as far as rules can.

use serde::Serialize;
use serde_json::{Value, json};

use super::ask::ask_text;
use super::budget::RunBudget;
use super::claims::{CheckedText, check_text};
use super::fit::{fit, sections};
use super::material::{as_data, facts_digest, place};
use super::write::{end_status, model_name};
use crate::engine::{Cx, NodeResult, State as _};
use crate::llm::{ChatAnswer, ChatRequest};
use crate::workflows::contextualize::content::{CONTEXT_TOKENS, count_tokens};
use crate::workflows::contextualize::context_file::ContextFile;
use crate::workflows::contextualize::input::ContextSettings;
use crate::workflows::contextualize::offline;
use crate::workflows::contextualize::services::{ContextRequest, ContextResources, ContextServices};
use crate::workflows::contextualize::state::{
    ContextDraft, ContextRefinement, ContextRefinementUpdate, ContextRun, DraftAuthor, DraftStatus,
    RepositoryIdentity,
};

/// Part of the budget that the call may use, in percent.
const SHARE: u64 = 90;
/// Part of the material that is facts, in percent; the rest is the document.
const FACTS: usize = 50;

/// Template variables of the prompts for a refinement.
#[derive(Serialize)]
struct RefinementVariables<'a> {
    request: &'a str,
    document: String,
    facts: String,
    max_tokens: usize,
}

/// Changes the context file in one request to the model. Without a language model, rules add the places that
/// the words of the request name; without budget, the file is kept.
pub(in super::super) async fn refine(
    run: &ContextRefinement,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextRefinementUpdate> {
    let resources = cx.services().resources()?;
    let update = ContextRefinement::update();
    if resources.is_rules() {
        let (draft, note) = by_rules(run, cx).await?;
        return Ok(update.draft(Some(draft)).notes(note));
    }
    let body = run.original.body.trim();
    let change =
        TextChange { input: &run.input, repository: run.repository.as_ref(), body, request: &run.request };
    let budget = RunBudget::new(&run.input.settings, &run.spent, resources);
    let (chat, facts) = change.request_to_model(&budget, resources).await?;
    if let Err(over) = budget.check(&chat) {
        return Ok(update.draft(Some(keep_text(body, format!("the file was not changed: {over}")))));
    }
    let (answer, spent) = ask_text(ContextRequest::Refinement, chat, cx).await?;
    let (draft, notes) = change.draft(&answer, &facts, resources).await?;
    let draft = draft.unwrap_or_else(|reason| keep_text(body, reason));
    Ok(update.spent(spent).draft(Some(draft)).extend_notes(notes))
}

/// A change of a context file that the user or the agent requests.
#[derive(Clone, Copy)]
pub(super) struct TextChange<'a> {
    pub(super) input: &'a ContextRun,
    /// The repository; `None` if it is gone.
    pub(super) repository: Option<&'a RepositoryIdentity>,
    /// The text, without front matter.
    pub(super) body: &'a str,
    pub(super) request: &'a str,
}

impl TextChange<'_> {
    /// Renders the request for the new text. Also returns the facts in it, which the check of the answer
    /// allows.
    pub(super) async fn request_to_model(
        &self,
        budget: &RunBudget<'_>,
        resources: &ContextResources,
    ) -> NodeResult<(ChatRequest, String)> {
        let chars = budget.material_chars(SHARE);
        let chars = (chars * FACTS / 100).min(chars.saturating_sub(self.body.len()));
        let variables = RefinementVariables {
            request: self.request,
            document: as_data(self.body),
            facts: self.facts(chars, resources).await?,
            max_tokens: self.max_tokens(),
        };
        Ok((resources.render(ContextRequest::Refinement, &variables)?, variables.facts))
    }

    /// Returns the limit of the new text in tokens: that of the settings, or 500 more than the old text if
    /// that is greater.
    fn max_tokens(&self) -> usize {
        limit(&self.input.settings).max(count_tokens(self.body) + 500)
    }

    /// Returns the facts about the repository in at most `chars` characters; empty if it is gone.
    async fn facts(&self, chars: usize, resources: &ContextResources) -> NodeResult<String> {
        let Some(repository) = self.repository else { return Ok(String::new()) };
        let place = place(self.input, Some(repository));
        resources
            .read(place, ("facts for the change", json!(chars)), move |repository| {
                facts_digest(repository, None, chars)
            })
            .await
    }

    /// Checks an answer of the model and makes the draft of it. The inner error is the reason why the text is
    /// of no use; the list has remarks about the check.
    pub(super) async fn draft(
        &self,
        answer: &ChatAnswer,
        facts: &str,
        resources: &ContextResources,
    ) -> NodeResult<(Result<ContextDraft, String>, Vec<String>)> {
        let CheckedText { markdown, mut notes, withheld } =
            self.check(&answer.text, facts, resources).await?;
        if markdown.split_whitespace().count() * 3 < self.body.split_whitespace().count() {
            let reason = "the file was not changed, because the model's text has less than a third of it";
            return Ok((Err(reason.to_owned()), notes));
        }
        let (markdown, restored) = with_lost_sections(&markdown, self.body, self.request);
        if !restored.is_empty() {
            notes.push(format!(
                "sections that the model left out without being asked to are kept: {}",
                restored.join(", ")
            ));
        }
        let (markdown, left_out) = fit(&markdown, self.max_tokens());
        let draft = ContextDraft {
            markdown,
            author: DraftAuthor::Model(model_name(&answer.model, resources)),
            left_out,
            references: Vec::new(),
            files_analyzed: Vec::new(),
            withheld,
            status: end_status(&answer.finish),
        };
        Ok((Ok(draft), notes))
    }

    /// Checks the text of the model against the repository. Commands of the old text and of the facts are allowed.
    async fn check(&self, text: &str, facts: &str, resources: &ContextResources) -> NodeResult<CheckedText> {
        let known = format!("{}\n{facts}", self.body);
        let Some(repository) = self.repository else {
            return Ok(check_text(text, None, None, &known));
        };
        let text = text.to_owned();
        let input = Value::String(text.clone());
        resources
            .read(place(self.input, Some(repository)), ("check of the text", input), move |repository| {
                check_text(&text, None, Some(repository), &known)
            })
            .await
    }
}

/// Returns the old text as a partial draft, with the reason why it was not changed.
pub(super) fn keep_text(body: &str, reason: String) -> ContextDraft {
    ContextDraft {
        markdown: body.to_owned(),
        author: DraftAuthor::Unchanged,
        left_out: Vec::new(),
        references: Vec::new(),
        files_analyzed: Vec::new(),
        withheld: Vec::new(),
        status: DraftStatus::Partial(reason),
    }
}

async fn by_rules(run: &ContextRefinement, cx: &Cx<ContextServices>) -> NodeResult<(ContextDraft, String)> {
    let author = author_with_rules(&run.original);
    let (original, request, max) = (run.original.clone(), run.request.clone(), limit(&run.input.settings));
    let resources = cx.services().resources()?;
    let place = place(&run.input, run.repository.as_ref());
    let writing = resources.read(place, ("text by rules", Value::Null), move |repository| {
        offline::refine(&original, &request, &repository.code, repository.facts(), max)
    });
    let draft = ContextDraft {
        markdown: writing.await?,
        author,
        left_out: Vec::new(),
        references: Vec::new(),
        files_analyzed: Vec::new(),
        withheld: Vec::new(),
        status: DraftStatus::Complete,
    };
    let note = "rules cannot carry out a request: they added the places that its words name; name a model with `--model`";
    Ok((draft, note.to_owned()))
}

/// Returns the author of a file after a change by rules: rules, with the model that wrote the original text
/// if there was one.
fn author_with_rules(original: &ContextFile) -> DraftAuthor {
    let is_of_model = original.front_matter.text("written_by").is_some_and(|author| author != "rules");
    let model = original.front_matter.text("model_used").filter(|_| is_of_model);
    model.map_or(DraftAuthor::Rules, |model| DraftAuthor::RulesAndModel(model.to_owned()))
}

/// Returns the limit of the text in tokens, from the settings or the default.
fn limit(settings: &ContextSettings) -> usize {
    settings.max_tokens.map_or(CONTEXT_TOKENS, |tokens| tokens as usize)
}

/// Adds to the new text those `##` sections of the old text that it lacks and that the request does not name.
/// Returns the text and the headings of these sections.
fn with_lost_sections(new: &str, old: &str, request: &str) -> (String, Vec<String>) {
    let headings: Vec<String> = sections(new).into_iter().map(heading).collect();
    let request = request.to_lowercase();
    let is_named = |heading: &str| {
        let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.map(str::to_lowercase).any(|word| request.contains(&word))
    };
    let lost = sections(old).into_iter().filter(|section| {
        let heading = heading(section);
        section.starts_with("## ") && !headings.contains(&heading) && !is_named(&heading)
    });
    let (mut text, mut restored) = (new.trim_end().to_owned(), Vec::new());
    for section in lost {
        text.push_str("\n\n");
        text.push_str(section.trim_end());
        restored.push(heading(section));
    }
    (text, restored)
}

fn heading(section: &str) -> String {
    section.lines().next().unwrap_or_default().trim_start_matches('#').trim().to_owned()
}
