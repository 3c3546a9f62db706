//! The section of a component's page about calls: what each function calls in which order, and in which branches.

use super::super::facts::PageFacts;
use super::super::page::{Block, Target, Text, code, link, paragraph, plain};
use super::super::stated::is_within;
use super::{not_shown, sourced};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, TraceStep};
use crate::workflows::doc_phases::memory::ComponentSummary;
use crate::workflows::doc_phases::selection::BranchLabel;

/// Maximum of functions whose calls are listed.
const CALLERS: usize = 40;

/// Lists what the functions of the component call, in the order of the text. Of many functions, those that call most.
pub(super) fn calls(facts: &PageFacts, component: &ComponentSummary) -> Vec<Block> {
    let around = facts.places_of(component);
    let own =
        facts.selected.of_product(FactKind::Calls).filter(|fact| is_within(fact.subject.path(), &around));
    let mut shown: Vec<(usize, &Fact)> = own.enumerate().collect();
    let all = shown.len();
    shown.sort_by_key(|(at, fact)| (std::cmp::Reverse(called_functions(fact).len()), *at));
    shown.truncate(CALLERS);
    shown.sort_by_key(|(at, _)| *at);
    if shown.is_empty() {
        return Vec::new();
    }
    let number = shown.len();
    let about = "Calls of functions of this code base, each once, with the line. They are in the order of the text; calls in the receiver \
                 and in the arguments of a call come before it. A line that begins with a branch holds the calls inside of it. Calls in macros, and of values whose type is not written, are missing.";
    // Without its branch a call would seem to be unconditional.
    let about = match facts.selected.omitted.get("branches") {
        Some(calls) => format!("{about} The branches of {calls} calls of the repository are not told."),
        None => about.to_owned(),
    };
    let list = Block::Tree(shown.into_iter().map(|(_, fact)| calls_of(facts, fact)).collect());
    [paragraph(about), list].into_iter().chain(not_shown(all, number, "functions")).collect()
}

fn called_functions(fact: &Fact) -> &[TraceStep] {
    if let FactValue::Calls { calls } = &fact.value { calls } else { &[] }
}

/// Returns a function with its calls, one item for each branch; calls outside of branches stand beside the name if they come first.
fn calls_of(facts: &PageFacts, fact: &Fact) -> (Text, Vec<Text>) {
    let FactSubject::Symbol { name, .. } = &fact.subject else { return (Text::new(), Vec::new()) };
    let mut head = sourced(vec![code(name)], &fact.sources);
    let mut groups: Vec<(&[String], Text)> = Vec::new();
    for call in called_functions(fact) {
        let branches = facts.selected.branches_around(call);
        let line = link(call.at.start.to_string(), Target::Source(call.at.clone()));
        let words = [code(&call.name), plain(" "), line];
        match groups.last_mut().filter(|(known, _)| *known == branches) {
            Some((_, text)) => text.extend([plain(", ")].into_iter().chain(words)),
            None => groups.push((branches, words.into())),
        }
    }
    let is_first_plain = groups.first().is_some_and(|(branches, _)| branches.is_empty());
    if is_first_plain {
        head.push(plain(" calls "));
        head.extend(groups.remove(0).1);
    }
    let item = |(branches, words): (&[String], Text)| {
        let mut text = branch_words(branches);
        text.push(plain(if text.is_empty() { "then " } else { ": " }));
        text.extend(words);
        text
    };
    (head, groups.into_iter().map(item).collect())
}

/// Names the branches around a call, outer ones first; empty outside of branches.
pub(super) fn branch_words(branches: &[String]) -> Text {
    let mut text = Text::new();
    for branch in branches {
        if !text.is_empty() {
            text.push(plain(" \u{203a} "));
        }
        let (words, shown) = match BranchLabel::of(branch) {
            BranchLabel::Inside(name) => ("in the inner function ", name),
            BranchLabel::ElseOf(head) => ("else of ", head),
            BranchLabel::Head(head) => ("", head),
        };
        text.extend((!words.is_empty()).then(|| plain(words)));
        text.push(code(shown));
    }
    text
}
