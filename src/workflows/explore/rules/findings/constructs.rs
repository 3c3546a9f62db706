//! Findings about errors, logging and concurrency: constructs of the code with their places.

use std::collections::BTreeSet;

use crate::facts::{ConcernKind, Fact, FactKind, FactSubject, FactValue};
use crate::workflows::explore::rules::finding::{CONCURRENCY, ERRORS, LOGGING, RuleFinding};
use crate::workflows::survey::Survey;
use crate::workflows::survey::concerns::KEYWORDS;
use crate::workflows::survey::phrases::first_sentence;
use crate::workflows::survey::quoted::place;

/// Maximum number of places of a construct that are shown.
const PLACES: usize = 3;

/// Appends a finding for each construct that tells something about this code.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let types: BTreeSet<&str> = survey.of_product(FactKind::Concern).filter_map(construct_of).collect();
    for fact in survey.of_product(FactKind::Concern) {
        let FactValue::Concern { concern, construct } = &fact.value else { continue };
        // A keyword that all code of its language has says nothing about this code. A type of errors has its places already.
        let raised = construct.split_once(' ').map(|(_, raised)| raised);
        if KEYWORDS.contains(&construct.as_str())
            || construct == "err"
            || raised.is_some_and(|raised| types.contains(raised))
        {
            continue;
        }
        let Some(content) = content(survey, fact, construct) else { continue };
        let topic = match concern {
            ConcernKind::Errors => ERRORS,
            ConcernKind::Logging => LOGGING,
            ConcernKind::Concurrency => CONCURRENCY,
        };
        let about = fact.sources.iter().map(|source| source.path.clone()).collect();
        #[allow(clippy::cast_precision_loss, reason = "a fact has at most five places")]
        let weight = fact.sources.len() as f64;
        found.push(RuleFinding { topic, content, about, weight });
    }
}

fn construct_of(fact: &Fact) -> Option<&str> {
    match &fact.value {
        FactValue::Concern { construct, .. } => Some(construct),
        _ => None,
    }
}

/// Returns the text of a construct: its name, up to `PLACES` places, and its documentation if it is a
/// type. `None` if the name must not be quoted.
fn content(survey: &Survey<'_>, fact: &Fact, construct: &str) -> Option<String> {
    let name = survey.quoter.code(construct)?;
    let places: Vec<String> = fact.sources.iter().take(PLACES).map(place).collect();
    let more = if fact.sources.len() > PLACES { ", …" } else { "" };
    let mut text = format!("{name} {}{more}", places.join(", "));
    let of_type = fact.sources.iter().find_map(|source| {
        let subject = FactSubject::Symbol { path: source.path.clone(), name: construct.to_owned() };
        survey.purpose_of(&subject)
    });
    if let Some((said, source)) = of_type
        && let Some(said) = survey.quoter.prose(first_sentence(said))
    {
        text.extend([format!(": {said} {}", place(source))]);
    }
    Some(text)
}
