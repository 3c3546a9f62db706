//! Errors, logging and concurrency: the constructs with their first places.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::falling;
use crate::facts::{ConcernKind, FactKind, FactValue};
use crate::workflows::survey::concerns::KEYWORDS;

/// Maximum of constructs on a line, and of lines of each kind.
const ON_LINE: usize = 4;
const LINES: usize = 4;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let kinds = [
        (ConcernKind::Errors, "Errors"),
        (ConcernKind::Logging, "Logging"),
        (ConcernKind::Concurrency, "Concurrency"),
    ];
    for (kind, title) in kinds {
        let (mut first, mut last): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for fact in survey.of_product(FactKind::Concern) {
            let FactValue::Concern { concern, construct } = &fact.value else { continue };
            if *concern != kind {
                continue;
            }
            if let (Some(construct), Some(source)) = (survey.quoter.code(construct), fact.sources.first()) {
                let said = format!("{construct} {}", place(source));
                let is_plain = KEYWORDS.contains(&construct.trim_matches('`'));
                if is_plain { last.push(said) } else { first.push(said) }
            }
        }
        first.append(&mut last);
        let shown = first;
        for (at, chunk) in shown.chunks(ON_LINE).take(LINES).enumerate() {
            let text = format!("- {title}: {}", chunk.join(", "));
            draft.add_many(ContextSection::Ways, falling(60.0, at, 1.0), ("constructs", chunk.len()), text);
        }
    }
}
