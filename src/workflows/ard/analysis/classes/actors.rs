//! Completes the actors of an idea with people that statements only mention.

use super::super::clauses::is_person;
use super::super::lexicon::Tense;
use super::super::stems::stem;
use super::super::tokens::{Token, WordClass, tokens};
use super::super::{IdeaAnalysis, IdeaPhrase};

/// Words that are persons in a dictionary but parts of software in an idea, or too general.
const THINGS: &str = " page server browser client host agent guide model character head star key master scanner printer counter \
 reader writer parser speaker monitor tester driver controller provider consumer producer worker runner broker dealer \
 builder partner owner user users one ones someone everyone nobody everybody anyone people person i we they he she it \
 member-only assistant relay tracker logger editor viewer player team crawler selector have haves planner leader follower creator sender receiver caller ";

/// Adds the people that statements mention to the actors, and drops repeated ones.
pub(super) fn complete(analysis: &mut IdeaAnalysis) {
    let statements = analysis.statements.clone();
    let mut found = std::mem::take(&mut analysis.actors);
    for statement in statements.iter().filter(|it| !it.is_excluded) {
        let words = tokens(&statement.text);
        for at in 0..words.len() {
            if let Some(name) = person(&words, at) {
                found.push(IdeaPhrase { text: name, statement: statement.number });
            }
        }
    }
    for actor in found {
        let key = key(&actor.text);
        let is_known = analysis.actors.iter().any(|known| self::key(&known.text) == key);
        if !is_known && !key.is_empty() {
            analysis.actors.push(actor);
        }
    }
}

/// Returns the noun for a person at token `at`, with a noun before it: "craft firm". Only if it is the
/// subject of a verb or has an article or "by" before it, because many such words name things too.
fn person(words: &[Token<'_>], at: usize) -> Option<String> {
    let token = &words[at];
    let is_name = token.speech == WordClass::Noun && is_person(&token.lower) && !token.is(THINGS);
    let ends =
        words.get(at + 1).is_none_or(|next| next.speech != WordClass::Noun && !next.text.starts_with('\''));
    if !is_name || !ends || token.text.contains(['\'', '’']) {
        return None;
    }
    // Behind an article or "by" a word that can be a verb is a noun: "by the boat warden".
    let opens = |it: usize| words[it].speech == WordClass::Article || words[it].is(" by ");
    let is_noun = |it: usize| {
        words[it].speech == WordClass::Noun && (words[it].verb.is_none() || it > 0 && opens(it - 1))
    };
    let first = if at > 0 && is_noun(at - 1) { at - 1 } else { at };
    let has_article = first > 0 && words[first - 1].speech == WordClass::Article;
    let acts = words.get(at + 1).is_some_and(|next| {
        matches!(next.speech, WordClass::Modal | WordClass::Be | WordClass::Do)
            || matches!(next.speech, WordClass::Verb(Tense::Base | Tense::Third))
    });
    let is_one = has_article || acts || first > 0 && words[first - 1].is(" by ");
    is_one.then(|| words[first..=at].iter().map(|it| it.text.to_lowercase()).collect::<Vec<_>>().join(" "))
}

/// Returns the stem of the last word; actors with the same key are one group. Empty for "everyone" and
/// the like.
fn key(name: &str) -> String {
    let head = name.split(' ').next_back().unwrap_or_default().to_lowercase();
    if [" everyone ", " everybody ", " anyone ", " someone ", " nobody "].iter().any(|it| it.trim() == head) {
        return String::new();
    }
    stem(&head)
}
