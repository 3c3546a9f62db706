//! A net under the grammar: a statement of which the rules kept too few words is quoted whole, so that nothing of an idea is lost.

use std::collections::BTreeSet;

use super::super::stems::stems;
use super::super::tokens::is_small_word;
use super::super::{IdeaAnalysis, Remark, Statement};
use super::phrases::upper_first;

/// Minimum share of a statement's words in what became of it, in percent.
const KEPT_PERCENT: usize = 70;
/// Minimum number of lost words; one or two are often words such as "please".
const LOST: usize = 3;

/// Quotes the statements that lost words as constraints.
pub(super) fn quote_lost(analysis: &mut IdeaAnalysis) {
    let lost: Vec<Remark> = analysis
        .statements
        .iter()
        .filter(|it| !it.is_excluded && !analysis.unread.contains(&it.number) && lost_words(it, analysis))
        .map(|it| {
            let text = if it.lead.is_empty() { it.text.clone() } else { format!("{} {}", it.lead, it.text) };
            let text = upper_first(text.trim_end_matches(['.', ';', ' ']));
            Remark { text, statement: it.number }
        })
        .collect();
    for remark in lost {
        analysis.constraints.retain(|it| it.statement != remark.statement);
        let at = analysis.constraints.partition_point(|it| it.statement < remark.statement);
        analysis.constraints.insert(at, remark);
    }
}

fn lost_words(statement: &Statement, analysis: &IdeaAnalysis) -> bool {
    let number = statement.number;
    let requirements = analysis.requirements.iter().filter(|it| it.statement == number).map(|it| &it.text);
    let remarks = analysis.constraints.iter().chain(&analysis.exclusions).chain(&analysis.actors);
    let remarks = remarks.filter(|it| it.statement == number).map(|it| &it.text);
    let quantities = analysis.quantities.iter().filter(|it| it.statement == number).map(|it| &it.text);
    let kept: Vec<&String> = requirements.chain(remarks).chain(quantities).chain(&analysis.product).collect();
    let kept: BTreeSet<String> = kept.into_iter().flat_map(|text| words(text)).collect();
    let all = words(&statement.text);
    let lost = all.iter().filter(|word| !kept.contains(*word)).count();
    lost >= LOST && (all.len() - lost) * 100 < all.len() * KEPT_PERCENT
}

/// Returns the stems of the words that say something.
fn words(text: &str) -> BTreeSet<String> {
    stems(text).into_iter().filter(|word| word.len() > 2 && !is_small_word(word)).collect()
}
