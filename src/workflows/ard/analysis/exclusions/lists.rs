//! Lists of noun phrases in exclusions: where they end, and their parts.

use super::super::clauses::{Span, finite_verb, phrase_end};
use super::super::tokens::{Token, WordClass};

/// Returns the end of a list of noun phrases that starts at `start`: before a clause with its own verb, or a
/// mark.
pub(super) fn list_end(tokens: &[Token<'_>], start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        let token = &tokens[at];
        match token.speech {
            WordClass::Comma | WordClass::And | WordClass::Or => {
                let next = (at..end).find(|&it| !tokens[it].is_conjunction()).unwrap_or(end);
                let goes_on = next < end
                    && (token.speech == WordClass::Or || !is_verbal(tokens, next))
                    && finite_verb(tokens, next, end).is_none()
                    && !tokens[next].is(" no without not please keep that this it just ");
                if !goes_on || is_own_phrase(tokens, start, at..next, end) {
                    return at;
                }
            }
            WordClass::But | WordClass::Subordinator => return at,
            _ if token.is(" except ") => return at,
            WordClass::Mark if matches!(token.text, "—" | "–" | ":" | ")" | "(") => return at,
            _ => {}
        }
        at += 1;
    }
    end
}

/// Returns true if the words behind `comma` are no further item of the list: "no accounts, payment at the
/// door".
fn is_own_phrase(tokens: &[Token<'_>], start: usize, comma: Span, end: usize) -> bool {
    let is_joined = |it: &Token<'_>| matches!(it.speech, WordClass::And | WordClass::Or);
    let mut phrase = tokens[comma.end..end].iter().take_while(|it| !it.is_conjunction());
    start > 0
        && tokens[start - 1].is(" no ")
        && !tokens[comma.start..end].iter().any(is_joined)
        && phrase.any(|it| it.is(" at in on by per within during after before "))
}

fn is_verbal(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at].is_likely_verb()
        && tokens.get(at + 1).is_some_and(|next| {
            matches!(
                next.speech,
                WordClass::Article
                    | WordClass::Noun
                    | WordClass::Pronoun
                    | WordClass::Adjective
                    | WordClass::Number
            )
        })
}

/// Splits a list at commas, "and" and "or" into noun phrases without their articles.
pub(in super::super) fn phrases(tokens: &[Token<'_>], start: usize, end: usize) -> Vec<Span> {
    let mut found = Vec::new();
    let mut from = start;
    for at in start..=end {
        if at == end || tokens[at].is_conjunction() {
            let mut first = from;
            while first < at && tokens[first].is(" any the a an no ") {
                first += 1;
            }
            if first < at {
                found.push(first..at);
            }
            from = at + 1;
        }
    }
    // "or" inside an adjective pair ("user or admin accounts") stays one phrase where the first part is no noun.
    found.retain(|span| {
        phrase_end(tokens, span.start, span.end) > span.start
            || span.len() > 1
            || is_verbal_noun(&tokens[span.start])
    });
    found
}

fn is_verbal_noun(token: &Token<'_>) -> bool {
    matches!(token.speech, WordClass::Verb(_))
}
