//! The way from an entry to the core.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::{falling, lines_of};
use crate::facts::{FactKind, FactValue, TraceStep};

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut at = 0;
    for fact in survey.of_product(FactKind::Trace) {
        let FactValue::Trace { steps } = &fact.value else { continue };
        if let Some(text) = trace_line(survey, steps) {
            draft.add(ContextSection::Flow, falling(120.0, at, 2.0), "traces", text);
            at += 1;
        }
    }
}

fn trace_line(survey: &Survey, steps: &[TraceStep]) -> Option<String> {
    let mut text = String::from("- ");
    let mut before: Option<&str> = None;
    for (at, step) in steps.iter().enumerate() {
        if at > 0 {
            text.push_str(" → ");
        }
        text.push_str(&survey.quoter.code(&step.name)?);
        let is_same = before == Some(step.at.path.as_str());
        let shown = if is_same { lines_of(step.at.start, step.at.end) } else { place(&step.at) };
        text.extend([format!(" {shown}")]);
        before = Some(&step.at.path);
    }
    Some(text)
}
