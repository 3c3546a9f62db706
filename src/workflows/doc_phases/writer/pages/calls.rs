//! The section of a component's page about calls: what each function calls in which order, and in which branches.

use super::super::facts::PageFacts;
use super::super::page::{Block, Target, Text, code, link, paragraph, plain};
use super::source_code::ComponentCode;
use super::{not_shown, sourced};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, SourceLines, TraceStep};
use crate::workflows::doc_phases::memory::ComponentSummary;
use crate::workflows::doc_phases::selection::{BranchLabel, FurtherCall};

/// Maximum of functions whose calls are listed.
const CALLERS: usize = 40;

/// Lists the calls of each function of the component in the order of the text, by branch; of many functions,
/// the [`CALLERS`] that call most.
/// Functions whose code the page shows are left out.
pub(super) fn calls(
    facts: &PageFacts,
    component: &ComponentSummary,
    shown: &ComponentCode<'_>,
) -> Vec<Block> {
    let files = facts.files_of(component);
    let is_shown = |fact: &Fact| fact.sources.first().is_some_and(|at| shown.has(&at.path, at.start));
    let own = facts.selected.of_product(FactKind::Calls);
    let own = own.filter(|fact| files.has(fact.subject.path()) && !is_shown(fact));
    let mut shown: Vec<(usize, &Fact)> = own.enumerate().collect();
    let all = shown.len();
    shown.sort_by_key(|(at, fact)| (std::cmp::Reverse(called_functions(fact).len()), *at));
    shown.truncate(CALLERS);
    shown.sort_by_key(|(at, _)| *at);
    if shown.is_empty() {
        return Vec::new();
    }
    let number = shown.len();
    let about = "Calls that lead to one definition of this code base by names and written types, each function once; others are missing. \
                 They are in the order of the text; calls in the receiver and in the arguments of a call come before it. A line that begins \
                 with a branch holds the calls inside of it; a function that is called outside of branches too is named without one.";
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

/// Call in a function, as the page lists it: name, line and branches.
struct ListedCall<'a> {
    name: &'a str,
    line: usize,
    branches: ToldBranches<'a>,
}

/// Branches in which a function is called, as the page names them.
#[derive(PartialEq, Eq)]
enum ToldBranches<'a> {
    /// Those of one or a few calls, each outer ones first; a chain without branches is a call outside of them.
    Named(Vec<&'a [String]>),
    /// There are too many, or it is not sure which of the calls mean the function.
    Several,
}

/// Maximum of chains of branches that are named at one call.
const CHAINS: usize = 3;
/// Maximum of the characters of all of these.
const CHAIN_CHARS: usize = 120;

impl<'a> ListedCall<'a> {
    fn of(facts: &'a PageFacts, call: &'a TraceStep) -> Self {
        let told = |line, branches| Self { name: &call.name, line, branches };
        let first = facts.selected.branches_around(call);
        let further = facts.selected.further_calls(call);
        if first.is_empty() || further.is_empty() {
            return told(call.at.start, ToldBranches::Named(vec![first]));
        }
        let is_plain = |other: &&FurtherCall| other.is_same && other.branches.is_empty();
        if let Some(other) = further.iter().find(is_plain) {
            return told(other.line, ToldBranches::Named(vec![&[]]));
        }
        let mut chains = vec![first];
        for other in further {
            if !chains.contains(&other.branches.as_slice()) {
                chains.push(&other.branches);
            }
        }
        let chars: usize =
            chains.iter().flat_map(|chain| chain.iter()).map(|label| label.chars().count()).sum();
        let is_told = further.iter().all(|other| other.is_same)
            && (chains.len() == 1 || chains.len() <= CHAINS && chars <= CHAIN_CHARS);
        told(call.at.start, if is_told { ToldBranches::Named(chains) } else { ToldBranches::Several })
    }
}

/// Returns a list item for a function, and inner items for its calls: one for each sequence of calls in the
/// same branches. Calls outside of branches that come first are part of the item itself.
fn calls_of(facts: &PageFacts, fact: &Fact) -> (Text, Vec<Text>) {
    let FactSubject::Symbol { name, path } = &fact.subject else { return (Text::new(), Vec::new()) };
    let mut head = sourced(vec![code(name)], &fact.sources);
    let mut groups: Vec<(ToldBranches<'_>, Text)> = Vec::new();
    for call in told_calls(facts, called_functions(fact)) {
        let at = SourceLines { path: path.clone(), start: call.line, end: call.line };
        let words = [code(call.name), plain(" "), link(call.line.to_string(), Target::Source(at))];
        match groups.last_mut().filter(|(known, _)| *known == call.branches) {
            Some((_, text)) => text.extend([plain(", ")].into_iter().chain(words)),
            None => groups.push((call.branches, words.into())),
        }
    }
    let is_first_plain = groups.first().is_some_and(|(branches, _)| is_plain(branches));
    if is_first_plain {
        head.push(plain(" calls "));
        head.extend(groups.remove(0).1);
    }
    let item = |(branches, words): (ToldBranches<'_>, Text)| {
        let mut text = chain_words(&branches);
        text.push(plain(if text.is_empty() { "then " } else { ": " }));
        text.extend(words);
        text
    };
    (head, groups.into_iter().map(item).collect())
}

/// Returns the calls of a function, sorted by the line that the page shows for each.
fn told_calls<'a>(facts: &'a PageFacts, calls: &'a [TraceStep]) -> Vec<ListedCall<'a>> {
    let mut found = Vec::new();
    let (mut kept, mut moved): (Vec<ListedCall<'a>>, Vec<ListedCall<'a>>) = (Vec::new(), Vec::new());
    for step in calls {
        let call = ListedCall::of(facts, step);
        if call.line == step.at.start { kept.push(call) } else { moved.push(call) }
    }
    for call in kept {
        let earlier = moved.extract_if(.., |other| other.line < call.line);
        found.extend(earlier);
        found.push(call);
    }
    found.extend(moved);
    found
}

fn is_plain(branches: &ToldBranches<'_>) -> bool {
    matches!(branches, ToldBranches::Named(chains) if chains.iter().all(|chain| chain.is_empty()))
}

/// Names the branches in which a function is called, several joined by `or`; empty for a call outside of
/// branches.
fn chain_words(branches: &ToldBranches<'_>) -> Text {
    let ToldBranches::Named(chains) = branches else { return vec![plain("in branches that are not named")] };
    let mut text = Text::new();
    for chain in chains {
        text.extend((!text.is_empty()).then(|| plain(" or ")));
        text.extend(branch_words(chain));
    }
    text
}

/// Names the branches around a call, outer ones first, separated by `›`; empty outside of branches.
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
