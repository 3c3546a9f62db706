//! The sections of a context file. Each adds its lines with ranks; the draft chooses among them.
//!
//! Ranks serve a change of the code: commands and purpose first, then the ways to the right file.

mod about;
mod additions;
mod commands;
mod constants;
mod conventions;
mod dependencies;
mod entries;
mod exports;
mod flow;
mod gists;
mod map;
mod parts;
mod programs;
mod purpose;
mod routes;
mod script;
mod settings;
mod siblings;
mod style;
mod systems;
mod tests;
mod topics;
mod unseen;
mod warnings;
mod ways;
mod wrappers;

use super::draft::LineDraft;
use super::survey::Survey;
use crate::workflows::survey::phrases::{
    cut_at_word, first_place, first_sentence, is_prose, lines_of, without_begun,
};
use crate::workflows::survey::{definitions, members, signatures};

/// Adds the lines of all sections to the draft. `summary` is the user's description of the repository.
pub(super) fn add_all(survey: &Survey, summary: Option<&str>, draft: &mut LineDraft) {
    purpose::add(survey, summary, draft);
    commands::add(survey, draft);
    additions::add(survey, draft);
    siblings::add(survey, draft);
    unseen::add(survey, draft);
    warnings::add(survey, draft);
    entries::add(survey, draft);
    exports::add(survey, draft);
    programs::add(survey, draft);
    routes::add(survey, draft);
    flow::add(survey, draft);
    parts::add(survey, draft);
    let files = map::read(survey);
    map::add(survey, &files, draft);
    settings::add(survey, draft);
    conventions::add(survey, draft);
    style::add(survey, draft);
    tests::add(survey, draft);
    ways::add(survey, &files, draft);
    dependencies::add(survey, draft);
    topics::add(survey, draft);
}

/// Returns a rank that falls with the position: `first` at 0, half of it at position `half`.
#[allow(clippy::cast_precision_loss, reason = "positions are small")]
fn falling(first: f64, position: usize, half: f64) -> f64 {
    first / (1.0 + position as f64 / half)
}
