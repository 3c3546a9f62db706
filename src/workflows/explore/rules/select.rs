//! Selects the findings of an agent: those about its scope that belong to none of its children, the
//! most important ones of each topic.

use std::collections::BTreeMap;

use super::delegate::ScopePart;
use super::finding::{CONCURRENCY, ERRORS, LOGGING, RuleFinding, TOPICS};
use super::index::is_within;
use crate::workflows::explore::agents::AgentView;

/// Number of findings about one file in a topic that keep their rank, so that one file does not hide
/// the others.
const OF_FILE: usize = 4;

/// Returns the findings of an agent that delegates `parts`, by topic, up to the maximum of each topic.
pub(super) fn findings_of(view: &AgentView<'_>, parts: &[ScopePart]) -> Vec<RuleFinding> {
    let is_delegated = |finding: &RuleFinding| {
        parts.iter().any(|part| finding.about.iter().all(|about| is_within(about, &part.path)))
    };
    let index = view.findings;
    let mut topics: BTreeMap<&str, Vec<&RuleFinding>> = BTreeMap::new();
    for finding in index.within(&view.scope.path).filter(|finding| !is_delegated(finding)) {
        topics.entry(finding.topic).or_default().push(finding);
    }
    let mut found = Vec::new();
    for (topic, most) in TOPICS {
        let mut all = topics.remove(topic).unwrap_or_default();
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.about.cmp(&b.about)));
        let total = all.len();
        let kept: Vec<&RuleFinding> = spread(all).into_iter().take(*most).collect();
        match title(topic) {
            // The name of a single construct says nothing.
            Some(title) if kept.len() > 1 => found.push(join(title, topic, &kept, total)),
            Some(_) => {}
            None => found.extend(kept.into_iter().cloned()),
        }
    }
    found
}

/// Returns the title of a topic whose short findings are joined to one; `None` for other topics.
fn title(topic: &str) -> Option<&'static str> {
    match topic {
        ERRORS => Some("Errors"),
        LOGGING => Some("Logging"),
        CONCURRENCY => Some("Concurrency"),
        _ => None,
    }
}

/// Joins findings of a topic to one. `total` is the number of all findings, to mark omitted ones.
fn join(title: &str, topic: &'static str, all: &[&RuleFinding], total: usize) -> RuleFinding {
    let more = if total > all.len() { "; and others" } else { "" };
    let texts: Vec<&str> = all.iter().map(|finding| finding.content.as_str()).collect();
    let about = all.iter().flat_map(|finding| finding.about.iter().cloned()).collect();
    RuleFinding { topic, content: format!("{title}: {}{more}", texts.join("; ")), about, weight: 0.0 }
}

/// Moves findings about a file beyond its first `OF_FILE` behind all others.
fn spread(all: Vec<&RuleFinding>) -> Vec<&RuleFinding> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for finding in all {
        let count = counts.entry(&finding.about[0]).or_default();
        *count += 1;
        if *count <= OF_FILE || finding.about[0].is_empty() {
            first.push(finding);
        } else {
            rest.push(finding);
        }
    }
    first.append(&mut rest);
    first
}

/// Sorts findings by the order of `TOPICS`; the order within a topic stays.
pub(super) fn order(findings: &mut [RuleFinding]) {
    let rank = |topic: &str| TOPICS.iter().position(|(known, _)| *known == topic);
    findings.sort_by_key(|finding| rank(finding.topic));
}
