//! Changes of a stored debate before a resume: more rounds, an edited draft. A debate that has ended
//! returns to the architect, or with a draft of the user to the reviewer. The command line writes the
//! update to the thread.

use std::path::Path;

use super::arguments;
use super::exchange::{DesignDraft, DraftProblem};
use super::state::{Debate, DebateStatus, DebateUpdate, Ending, Fallback};
use crate::engine::State as _;
use crate::workflows::workflow::{ArgValues, ReopenedState, Setting, WorkflowError};
use stategraph_base::regular::read_text;

/// Maximum size of a draft file, in bytes (4 MiB).
const MAX_DRAFT_BYTES: usize = 4 << 20;

/// Returns the update of the state that the arguments of a resume ask for; `None` if they ask for none.
/// Fails if a debate has ended and its limit of revisions is reached.
pub(super) fn reopen(
    debate: &Debate,
    given: &ArgValues,
    setting: &Setting,
) -> Result<Option<ReopenedState>, WorkflowError> {
    let typed = arguments::parse_overrides(given)?;
    let draft =
        given.path("draft").map(|path| read_draft(&setting.folder.join(&path), &path, debate)).transpose()?;
    let has_model = typed.architect_model.is_some() || typed.reviewer_model.is_some();
    let has_ended = debate.status != DebateStatus::InProgress;
    if typed.max_iterations.is_none() && draft.is_none() && !(has_ended && has_model) {
        return Ok(None);
    }
    let mut settings = debate.settings.clone();
    settings.max_iterations = typed.max_iterations.unwrap_or(settings.max_iterations);
    let iteration = if has_ended { debate.iteration.saturating_add(1) } else { debate.iteration };
    if has_ended && draft.is_none() && iteration > settings.max_iterations {
        return Err(WorkflowError::msg(format!(
            "the debate has ended after {} of {} revisions",
            debate.iteration, settings.max_iterations
        ))
        .with_hint(format!("allow more: --max-iterations {}", iteration.saturating_add(2))));
    }
    let update = Debate::update().settings(settings);
    let (update, as_node) = match (draft, has_ended) {
        (Some(draft), _) => {
            let answers = if debate.challenge_history.is_empty() {
                Vec::new()
            } else {
                vec![Some(draft.design_rationale.clone())]
            };
            let update = begin_again(update, iteration).current_draft(draft);
            (update.extend_rationales(answers), Some("architect"))
        }
        (None, true) => (begin_again(update, iteration), Some("reviewer")),
        (None, false) => (update, None),
    };
    let update = serde_json::to_value(update).map_err(|error| WorkflowError::new(error, None))?;
    Ok(Some(ReopenedState { update, as_node }))
}

/// Resets the status of an ended debate and sets the number of revisions.
fn begin_again(update: DebateUpdate, iteration: u32) -> DebateUpdate {
    update
        .iteration(iteration)
        .status(DebateStatus::InProgress)
        .ending(None::<Ending>)
        .fallback(None::<Fallback>)
}

/// Reads a draft of the user from a JSON file and checks its form like an answer of the architect. It
/// need not answer the challenges. `shown` is the path for messages.
fn read_draft(path: &Path, shown: &Path, debate: &Debate) -> Result<DesignDraft, WorkflowError> {
    let refuse = |problem: String| {
        WorkflowError::msg(format!("{} is no draft: {problem}", shown.display()))
            .with_hint("`graph state ID --json` prints the current draft under `current_draft`; edit that")
    };
    let text = read_text(path, MAX_DRAFT_BYTES).map_err(|error| {
        WorkflowError::msg(format!("cannot read the draft {}: {error}", shown.display()))
            .with_hint("check the path and its permissions")
    })?;
    let mut value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    DesignDraft::normalise_revision(&mut value);
    let draft = parse(&value).map_err(refuse)?;
    let problems = draft.check(debate.challenge_history.last()).err().unwrap_or_default();
    // A person need not answer each challenge; the reviewer looks at the draft.
    let is_formal = |problem: &DraftProblem| {
        !matches!(problem, DraftProblem::RationaleSilent { .. } | DraftProblem::RationaleTooEarly)
    };
    let problems: Vec<_> = problems.iter().filter(|it| is_formal(it)).map(ToString::to_string).collect();
    if problems.is_empty() { Ok(draft) } else { Err(refuse(problems.join("; "))) }
}

/// Parses a draft. The error lists all violations of the schema with their places.
fn parse(value: &serde_json::Value) -> Result<DesignDraft, String> {
    let schema = schemars::schema_for!(DesignDraft);
    let validator = jsonschema::validator_for(schema.as_value()).map_err(|error| error.to_string())?;
    let problems: Vec<_> = validator
        .iter_errors(value)
        .map(|error| match error.instance_path().as_str() {
            "" => error.to_string(),
            place => format!("{place}: {error}"),
        })
        .collect();
    if !problems.is_empty() {
        return Err(problems.join("; "));
    }
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}
