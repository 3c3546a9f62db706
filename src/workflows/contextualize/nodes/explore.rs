//! The node `explore`: one round of the exploration of a question by a model (CTX-22, CTX-29). The graph repeats it.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::answer_forms::mend_exploration;
use super::ask::ask_typed;
use super::budget::RunBudget;
use super::material::{ShownFile, place};
use super::passages::{found_lines, show_files};
use crate::engine::{Cx, NodeResult, State as _};
use crate::repo::cut;
use crate::workflows::contextualize::progress::ContextEvent;
use crate::workflows::contextualize::search::{CodeReference, check_references, follow_imports};
use crate::workflows::contextualize::services::{ContextRequest, ContextServices, OpenRepository};
use crate::workflows::contextualize::state::{
    ContextScope, ContextScopeUpdate, KeyLocation, ScopeExploration,
};

/// Part of the remaining budget that a round may use, in percent; the rest is for the text.
const SHARE: u64 = 30;
/// Most files that are named without being shown.
const NAMED_FILES: usize = 40;
/// Longest text of an answer without a valid form that is kept as an insight, in characters.
const PROSE: usize = 2_000;

/// Template variables of the prompts for a round of exploration.
#[derive(Serialize)]
struct ExplorationVariables<'a> {
    question: &'a str,
    round: usize,
    rounds: usize,
    files: &'a [ShownFile],
    more_files: &'a [String],
    insights: Vec<&'a str>,
    files_per_prompt: usize,
}

/// The places and files that the answer of a round names, after the check against the repository.
#[derive(Serialize, Deserialize)]
struct CheckedPaths {
    references: Vec<CodeReference>,
    dropped: usize,
    /// Files to show next: those that the model asked for, then those that its places import.
    next: Vec<String>,
    /// Number of files that the model asked for and that do not exist.
    unknown: usize,
}

/// Runs one round: shows the next files to the model, and records its insights, its checked places and the
/// files to show next. Sets `is_explored` if the model has enough, no file is left, the budget is used up, or
/// the answer is invalid.
pub(in super::super) async fn explore(
    run: &ContextScope,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextScopeUpdate> {
    let resources = cx.services().resources()?;
    let update = ContextScope::update();
    let limits = run.input.settings.exploration;
    let budget = RunBudget::new(&run.input.settings, &run.spent, resources);
    let chars = budget.material_chars(SHARE).min(limits.exploration_chars as usize);
    let at = run.shown.min(run.files.len());
    let (now, later) = run.files[at..].split_at((run.files.len() - at).min(limits.files_per_prompt as usize));
    let files = shown_files(run, now, chars, cx).await?;
    let variables = ExplorationVariables {
        question: &run.question,
        round: run.explorations.len() + 1,
        rounds: limits.rounds as usize + 1,
        files: &files,
        more_files: &later[..later.len().min(NAMED_FILES)],
        insights: run.explorations.iter().filter_map(|it| it.preliminary_insights.as_deref()).collect(),
        files_per_prompt: limits.files_per_prompt as usize,
    };
    let chat = resources.render(ContextRequest::ScopeExploration, &variables)?;
    if let Err(over) = budget.check(&chat) {
        return Ok(update.is_explored(true).notes(format!("the exploration ended early: {over}")));
    }
    let (reply, spent) =
        ask_typed::<ScopeExploration>(ContextRequest::ScopeExploration, chat, mend_exploration, cx).await?;
    let update = update.spent(spent).shown(at + now.len());
    let is_whole = |path: &String| files.iter().any(|file| file.path == *path && file.left_out == 0);
    let in_part: Vec<String> = now.iter().filter(|path| !is_whole(path)).cloned().collect();
    let round = run.explorations.len() + 1;
    cx.emit(ContextEvent::NAME, &ContextEvent::Explored { round, files: files.len() })?;
    let answer = match reply {
        Ok(reply) => reply.value,
        Err(refused) => {
            let prose = cut(refused.raw.trim(), PROSE).kept.to_owned();
            let insights = Some(prose).filter(|prose| !prose.is_empty());
            let exploration =
                ScopeExploration { preliminary_insights: insights, ..ScopeExploration::default() };
            let note = format!(
                "round {round} of the exploration named no places, because its answer had no valid form"
            );
            return Ok(update.explorations(exploration).is_explored(true).notes(note));
        }
    };
    record(run, answer, (at + now.len(), in_part), update, cx).await
}

/// Returns the text of the next files for the request, in at most `chars` characters.
async fn shown_files(
    run: &ContextScope,
    paths: &[String],
    chars: usize,
    cx: &Cx<ContextServices>,
) -> NodeResult<Vec<ShownFile>> {
    let discovery = run.discovery.as_ref().expect("the graph discovers first");
    let files: Vec<_> = paths.iter().map(|path| (path.clone(), found_lines(discovery, path))).collect();
    let resources = cx.services().resources()?;
    let place = place(&run.input, run.repository.as_ref());
    let input = json!({ "files": paths, "chars": chars });
    resources
        .read(place, ("files of a round", input), move |repository| show_files(repository, &files, chars))
        .await
}

/// Records the answer of a round: the places that exist, and the files to show next. `shown` is the number of
/// files shown so far; a file in `in_part` was not shown whole and can be asked for again.
async fn record(
    run: &ContextScope,
    answer: ScopeExploration,
    (shown, in_part): (usize, Vec<String>),
    update: ContextScopeUpdate,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextScopeUpdate> {
    let resources = cx.services().resources()?;
    let (locations, wanted) = (answer.key_locations.clone(), answer.additional_files_needed.clone());
    let known = run.references.clone();
    let limit = run.input.settings.exploration.files_per_prompt as usize;
    let seen = SeenFiles { all: run.files[..shown].to_vec(), in_part };
    let checking = resources.read(
        place(&run.input, run.repository.as_ref()),
        ("check of a round", json!(answer)),
        move |repository| check_paths(repository, known, locations, &wanted, &seen, limit),
    );
    let CheckedPaths { references, dropped, next, unknown } = checking.await?;
    let mut files = run.files[..shown].to_vec();
    let later = run.files[shown..].iter().filter(|path| !next.contains(path)).cloned();
    files.extend(next.iter().cloned().chain(later));
    let is_over = answer.sufficient_context || files.len() == shown;
    let unknown =
        (unknown > 0).then(|| format!("files that the model asked for and that do not exist: {unknown}"));
    let update = update.references(references).dropped_references(dropped).files(files).is_explored(is_over);
    Ok(update.explorations(answer).extend_notes(unknown))
}

/// The files that were shown to the model in all rounds.
struct SeenFiles {
    all: Vec<String>,
    /// Those of the last round of which a part was shown, or nothing.
    in_part: Vec<String>,
}

impl SeenFiles {
    fn may_be_asked_for(&self, path: &String) -> bool {
        !self.all.contains(path) || self.in_part.contains(path)
    }
}

fn check_paths(
    repository: &OpenRepository,
    known: Vec<CodeReference>,
    locations: Vec<KeyLocation>,
    wanted: &[String],
    seen: &SeenFiles,
    limit: usize,
) -> CheckedPaths {
    let named = locations.into_iter().map(|found| CodeReference {
        path: found.path,
        start: found.line_start,
        end: found.line_end,
        description: found.description.split_whitespace().collect::<Vec<_>>().join(" "),
    });
    let (references, dropped) = check_references(known.into_iter().chain(named).collect(), &repository.code);
    let mut next: Vec<String> = Vec::new();
    let mut unknown = 0;
    let files = repository.code.files();
    for path in wanted {
        let found = files.path(std::path::Path::new(path)).ok().filter(|path| files.file_exists(path));
        match found.map(|path| path.to_string()) {
            None => unknown += 1,
            Some(path) if next.len() < limit && seen.may_be_asked_for(&path) && !next.contains(&path) => {
                next.push(path);
            }
            Some(_) => {}
        }
    }
    let places: Vec<String> = references.iter().map(|reference| reference.path.clone()).collect();
    for (_, path) in follow_imports(&places, &repository.code) {
        if next.len() < limit && !seen.all.contains(&path) && !next.contains(&path) {
            next.push(path);
        }
    }
    CheckedPaths { references, dropped, next, unknown }
}
