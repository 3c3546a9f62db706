//! Finds the parts of a statement that exclude or forbid something: "no X", "without X", "X is out of scope",
//! "never Y".

mod lists;

pub(super) use self::lists::phrases;

use self::lists::list_end;
use super::clauses::{Span, finite_verb, is_negated, is_person};
use super::lexicon::Tense;
use super::tokens::{Token, WordClass};

/// Division of a statement into exclusions, prohibitions and the rest, as token ranges. `divide` makes
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StatementSplit {
    /// Noun phrases for things that are not to be built.
    pub excluded: Vec<Span>,
    /// Clauses that forbid an action, such as "guests cannot delete photos".
    pub forbidden: Vec<Span>,
    /// Remaining parts, which say what to build.
    pub positive: Vec<Span>,
}

/// Words after "no" that make it no exclusion ("no more than").
const NO_LIMITS: &str = " more less later longer one matter fewer earlier sooner doubt ";
/// Words after "is not" by which the subject is not built.
const NOT_BUILT: &str = " part needed required included necessary wanted planned in supported allowed ";

/// Words of removal. Their exceptions ("deleted except the totals") are built.
const REMOVALS: &str = " delete deletes deleted remove removes removed erase erases erased forget forgets forgotten drop drops dropped never not ";

/// Divides the tokens of a statement into exclusions, prohibitions and the rest.
pub(super) fn divide(tokens: &[Token<'_>]) -> StatementSplit {
    let mut ruling = StatementSplit::default();
    let mut start = 0;
    let mut at = 0;
    while at < tokens.len() {
        if let Some((phrases, from, after)) = exclusion(tokens, start, at) {
            if from > start {
                ruling.positive.push(start..from);
            }
            ruling.excluded.extend(phrases);
            (start, at) = (after, after);
        } else if let Some((object, is_rule, from, after)) = denial(tokens, start, at) {
            if from > start {
                ruling.positive.push(start..from);
            }
            if is_rule {
                ruling.forbidden.push(object);
            } else {
                ruling.excluded.extend(phrases(tokens, object.start, object.end));
            }
            (start, at) = (after, after);
        } else if tokens[at].speech == WordClass::Not
            && at > start
            && tokens[at - 1].is_conjunction()
            && denies_second_verb(tokens, start, at)
        {
            // "may download but not share": the rule needs its subject, so it is quoted whole.
            let after = clause_end(tokens, at + 1);
            ruling.forbidden.push(clause_start(tokens, start, at - 1)..after);
            ruling.positive.push(start..cut_start(tokens, start, at));
            (start, at) = (after, after);
        } else {
            at += 1;
        }
    }
    if start < tokens.len() {
        ruling.positive.push(start..tokens.len());
    }
    ruling
}

/// Returns true if there is a token at `at` and it is in the list.
fn word(tokens: &[Token<'_>], at: usize, words: &'static str) -> bool {
    tokens.get(at).is_some_and(|token| token.is(words))
}

/// Finds an exclusion whose marker ("no", "without", "is out of scope") is at `at`. Returns the excluded
/// phrases, and the start and end of the tokens to cut from the statement. `start` is the first token that is
/// not yet divided.
fn exclusion(tokens: &[Token<'_>], start: usize, at: usize) -> Option<(Vec<Span>, usize, usize)> {
    let end = tokens.len();
    let token = &tokens[at];
    // "X is out of scope", "X and Y are not part of this".
    if token.speech == WordClass::Be || token.is(" isn't aren't ") {
        let next = at + 1;
        let is_out = word(tokens, next, " out ")
            && word(tokens, next + 1, " of ")
            && word(tokens, next + 2, " scope ");
        let is_not = (word(tokens, next, " not ") && word(tokens, next + 1, NOT_BUILT))
            || (token.is(" isn't aren't ") && word(tokens, next, NOT_BUILT))
            || word(tokens, next, " excluded unnecessary ")
            || word(tokens, next, " explicitly ") && word(tokens, next + 1, " out excluded not ");
        if is_out || is_not {
            let from = subject_start(tokens, start, at);
            return Some((phrases(tokens, from, at), from, clause_end(tokens, at)));
        }
        return None;
    }
    // "X comes later, not now".
    let comes_later = token.is(" comes come follows follow ") && word(tokens, at + 1, " later ");
    if comes_later {
        let from = subject_start(tokens, start, at);
        let modals = tokens[from..at]
            .iter()
            .rev()
            .take_while(|it| matches!(it.speech, WordClass::Modal | WordClass::Adverb))
            .count();
        return Some((phrases(tokens, from, at - modals), from, end));
    }
    if token.is(" no ") && is_forbidding(tokens, at) {
        return None;
    }
    if token.is(" no ") && !word(tokens, at + 1, NO_LIMITS) && !word(tokens, at + 1, " ") {
        // "The shed has no internet for hours" describes the shed, "where there is no network" the place, "no two at once" is a limit.
        if has_owner(tokens, start, at)
            || depends(tokens, start, at)
            || tokens.get(at + 1).is_some_and(|it| it.speech == WordClass::Number)
        {
            return None;
        }
        let begins = at == start
            || tokens[at - 1].is_conjunction()
            || tokens[at - 1].speech == WordClass::Mark
            || tokens[at - 1]
                .is(" with has have want wants need needs is are requires require needing there ");
        if begins {
            let first =
                if word(tokens, at + 1, " need ") && word(tokens, at + 2, " for ") { at + 3 } else { at + 1 };
            let stop = list_end(tokens, first, end);
            let from =
                if at > start && tokens[at - 1].is(" with ") { at - 1 } else { cut_start(tokens, start, at) };
            return Some((phrases(tokens, first, stop), from, stop.max(at + 1)));
        }
        return None;
    }
    let leaves_out =
        token.is(" leave leaving skip omit ") && (word(tokens, at + 1, " out ") || token.is(" skip omit "));
    let first = if leaves_out && tokens[start..at].iter().all(|it| it.is(" please and but we can , ")) {
        at + 1 + usize::from(word(tokens, at + 1, " out "))
    } else if token.is(" without ") && !leaves_thing_out(tokens, start, at) {
        // "Members without a phone can call", "works without a network".
        return None;
    } else if token.is(" except ") && tokens[..at].iter().any(|it| it.is(" no ")) {
        // "No hints, except on the first start": an exception from a ban is built.
        return None;
    } else if token.is(" except ") && tokens[start..at].iter().any(|it| it.is(REMOVALS)) {
        // "Everything is deleted except the totals": the totals are kept.
        return None;
    } else if token.is(" without excluding except ") {
        at + 1 + usize::from(word(tokens, at + 1, " for any "))
    } else if token.is(" instead ") && word(tokens, at + 1, " of ")
        || token.is(" rather ") && word(tokens, at + 1, " than ")
        || token.is(" other ") && word(tokens, at + 1, " than ")
    {
        at + 2
    } else if token.speech == WordClass::Not
        && (at == start || tokens[at - 1].is_conjunction())
        && !follows_verb(tokens, at + 1)
        && !(at > start && tells_manner(tokens, at + 1))
        // "May silence a station, but not a whole site" limits what they may; "it should be a website, not a shop" excludes the shop.
        && !tokens[start..at].iter().any(|it| it.is(" can could may might "))
        && !is_named_before(tokens, start, at)
        && !denies_second_verb(tokens, start, at)
    {
        at + 1
    } else {
        return None;
    };
    // "Instead of guessing" says how something is done.
    let is_manner = matches!(tokens.get(first).map(|it| it.speech), Some(WordClass::Verb(Tense::Ing)));
    if is_manner && !leaves_out {
        return None;
    }
    let stop = list_end(tokens, first, end);
    (stop > first).then(|| (phrases(tokens, first, stop), cut_start(tokens, start, at), stop))
}

/// Returns true if `at` is in a clause that begins with "which", "when", "if" or the like.
fn depends(tokens: &[Token<'_>], start: usize, at: usize) -> bool {
    let from = clause_start(tokens, start, at);
    tokens[from..at].iter().any(|it| {
        matches!(it.speech, WordClass::Relative)
            || it.is(" when if while unless because since although though ")
    })
}

/// Returns true if the words at `at`, behind "not", say how something is done and name no thing: "reported,
/// not cut", "not between groups".
fn tells_manner(tokens: &[Token<'_>], at: usize) -> bool {
    let follows_past = at >= 3 && tokens[at - 3].as_verb(Tense::Past).is_some();
    tokens.get(at).is_some_and(|next| {
        matches!(
            next.speech,
            WordClass::Preposition | WordClass::Adverb | WordClass::To | WordClass::Subordinator
        ) || next.verb.is_some() && follows_past && tokens.get(at + 1).is_none_or(|after| !after.is_nominal())
    })
}

/// Returns true if "no" at `at` belongs to "has" with another subject than the product: "the shed has no
/// internet".
fn has_owner(tokens: &[Token<'_>], start: usize, at: usize) -> bool {
    // "She has a tablet and no address": the verb may stand before the conjunction.
    let from = (start..at)
        .rfind(|&it| tokens[it].is(" has have had "))
        .map_or(at, |has| clause_start(tokens, start, has));
    let Some(has) = (from..at).find(|&it| tokens[it].is(" has have had ")) else { return false };
    // "Residents have priority, no payments": the comma ends what they have.
    if tokens[at - 1].speech == WordClass::Comma && !word(tokens, has + 1, " no ") {
        return false;
    }
    let subject =
        tokens[from..has].iter().filter(|it| !matches!(it.speech, WordClass::Article | WordClass::Adverb));
    let mut subject = subject.filter(|it| it.speech != WordClass::Modal).peekable();
    subject.peek().is_some()
        && !subject.all(|it| it.is(" it we i you this our ") || super::clauses::is_system_noun(&it.lower))
}

/// Verbs before "without" that ask for the product and say nothing about how it works.
const ASKING: &str = " build create make develop design write implement need want like have looking ";

/// Returns true if "without" at `at` removes a thing from the product ("a blog without comments"). False if
/// it says how an action is done or describes a person.
fn leaves_thing_out(tokens: &[Token<'_>], start: usize, at: usize) -> bool {
    let from = clause_start(tokens, start, at);
    let acts = tokens[from..at].iter().any(|it| {
        matches!(it.speech, WordClass::Verb(Tense::Base | Tense::Third) | WordClass::Modal | WordClass::Be)
            && !it.is(ASKING)
    });
    // "Print it with and without solutions" asks for both.
    let is_both = at >= 2 && tokens[at - 1].is(" and or ") && tokens[at - 2].is(" with ");
    let clause =
        tokens[at + 1..].iter().take_while(|it| !matches!(it.speech, WordClass::Comma | WordClass::But));
    let clause: Vec<&Token<'_>> = clause.collect();
    let is_finite = |pair: &[&Token<'_>]| match pair[1].speech {
        WordClass::Modal | WordClass::Be | WordClass::Do | WordClass::Verb(Tense::Third) => true,
        _ => {
            pair[0].speech == WordClass::Noun
                && pair[1].as_verb(Tense::Base).is_some()
                && pair[1].is_likely_verb()
        }
    };
    let inner = &clause[..clause.len().saturating_sub(1)];
    // "Visitors without internet come": the words tell which visitors. "Playlists without ads" leaves the ads out.
    let tells_who = at == from + 1 && is_person(&tokens[from].lower) && !clause.is_empty();
    // "Bookings run without staff having to call": the words tell who need not act.
    let spares = clause
        .windows(2)
        .any(|pair| is_person(&pair[0].lower) && matches!(pair[1].speech, WordClass::Verb(Tense::Ing)));
    let describes = acts || is_both || tells_who || spares || says_how(tokens, from, at);
    !describes && !inner.windows(2).any(is_finite)
}

/// Returns true if a verb of another subject stands directly before "without" at `at`: "they come without a
/// slot". False for nouns there: "a photo blog without comments".
fn says_how(tokens: &[Token<'_>], from: usize, at: usize) -> bool {
    let mut before = tokens[from..at].iter().rev().filter(|it| it.speech != WordClass::Adverb);
    let (Some(verb), Some(subject)) = (before.next(), before.next()) else { return false };
    // In "visitors without internet come" the noun before the verb belongs to a preposition, and the subject stands before that.
    let mut is_object =
        || before.find(|it| !it.is_nominal()).is_some_and(|it| it.speech == WordClass::Preposition);
    let agrees = match subject.speech {
        WordClass::Pronoun | WordClass::And | WordClass::Or | WordClass::Comma => true,
        WordClass::Noun => subject.lower.ends_with('s') || is_object(),
        _ => false,
    };
    agrees && !verb.is(ASKING) && verb.as_verb(Tense::Base).is_some()
}

/// Returns true if the word after "not" at `at` occurs before it too ("fixed, not fixed"): both cases are
/// named and none is excluded.
fn is_named_before(tokens: &[Token<'_>], start: usize, at: usize) -> bool {
    // "A website, not a shop" has an article twice, and names the shop once.
    let next = tokens[at + 1..].iter().find(|it| it.speech != WordClass::Article);
    next.is_some_and(|next| tokens[start..at].iter().any(|it| it.lower == next.lower))
}

/// Returns true for "not" at `at` in "may download but not share": it forbids an action and excludes no
/// thing.
fn denies_second_verb(tokens: &[Token<'_>], start: usize, at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| next.as_verb(Tense::Base).is_some())
        && tokens[start..at].iter().any(|it| it.speech == WordClass::Modal)
}

/// Returns true if the token at `at` is "only", "just", "be" or "to", so that the "not" before it excludes
/// nothing ("not only tracks").
fn follows_verb(tokens: &[Token<'_>], at: usize) -> bool {
    word(tokens, at, " only just be to ")
}

/// Returns the start of a cut at `at`, moved before its conjunctions but not before `start`.
fn cut_start(tokens: &[Token<'_>], start: usize, at: usize) -> usize {
    let mut from = at;
    while from > start
        && (tokens[from - 1].is_conjunction()
            || tokens[from - 1].is(" with it has ") && tokens[at].is(" no "))
    {
        from -= 1;
    }
    from
}

/// Returns true for "no" at `at` in "no guest may …" and "no data is stored", which forbid an action. False
/// for "no login is needed", which excludes the login.
fn is_forbidding(tokens: &[Token<'_>], at: usize) -> bool {
    let mut subject = tokens[at + 1..].iter().take(6);
    let next = subject
        .find(|it| !it.is_nominal() && !matches!(it.speech, WordClass::Adjective | WordClass::Preposition));
    // "No login is needed" leaves the login out; "no data is stored" forbids to store data.
    let is_need = tokens[at + 1..].iter().take(8).any(|it| it.is(NOT_BUILT));
    next.is_some_and(|it| it.speech == WordClass::Modal || (it.speech == WordClass::Be && !is_need))
}

/// Finds a negated verb with its auxiliary at `at`. Returns the denied tokens, true if they are a prohibition
/// (false if they name excluded things), and the start and end of the tokens to cut.
fn denial(tokens: &[Token<'_>], start: usize, at: usize) -> Option<(Span, bool, usize, usize)> {
    let token = &tokens[at];
    if token.is(" no ") && is_forbidding(tokens, at) {
        let after = denial_end(tokens, at + 1);
        return Some((at..after, true, cut_start(tokens, start, at), after));
    }
    let is_auxiliary = matches!(token.speech, WordClass::Modal | WordClass::Do | WordClass::Be)
        || token.is(" never avoid we're ");
    if !is_auxiliary {
        return None;
    }
    let negation = (at..(at + 3).min(tokens.len()))
        .find(|&it| is_negated(&tokens[it..=it]) || tokens[it].is(" avoid "))?;
    let is_joined = tokens[at..negation]
        .iter()
        .all(|it| matches!(it.speech, WordClass::Modal | WordClass::Do | WordClass::Be | WordClass::Adverb));
    if !is_joined {
        return None;
    }
    let from = clause_start(tokens, start, at);
    let after = denial_end(tokens, negation + 1);
    let subject = &tokens[from..at];
    // "Say which words did not fit" forbids nothing.
    if subject.iter().any(|it| it.is(" which what whether ")) {
        return None;
    }
    let about_system = subject.is_empty()
        || subject.iter().all(|it| {
            it.is(" it we i you the this our system app tool application service they please also and but bot should really ")
        });
    if !about_system {
        let is_state = token.speech == WordClass::Be;
        return (!is_state).then_some((from..after, true, from, after));
    }
    let is_state = matches!(token.speech, WordClass::Be) || token.is(" we're ");
    if is_state && !word(tokens, negation + 1, " building planning doing making writing looking going ") {
        return None;
    }
    // "we don't want X", "do not use X", "do not build X": the object is excluded; other verbs are rules.
    let verb = negation + 1;
    let names_object = word(
        tokens,
        verb,
        " building planning doing making writing want need include build use add require support implement have create plan involve be make do like ",
    );
    if names_object || tokens[negation].is(" avoid ") {
        let first = if tokens[negation].is(" avoid ") { verb } else { verb + 1 };
        let first =
            if word(tokens, first, " it ") && word(tokens, first + 1, " to ") { first + 2 } else { first };
        let first = if word(tokens, first, " to ") { first + 2 } else { first };
        if first < after {
            return Some((first..list_end(tokens, first, after).max(first + 1), false, from, after));
        }
    }
    Some((from..after, true, from, after))
}

/// Returns the start of the clause around `at`: behind the last conjunction or mark that ends another clause,
/// at least `start`.
fn clause_start(tokens: &[Token<'_>], start: usize, at: usize) -> usize {
    let mut from = start;
    for it in start..at {
        let begins = match tokens[it].speech {
            WordClass::But | WordClass::Mark => tokens[it].text != "'" && tokens[it].text != "-",
            WordClass::Comma | WordClass::And => {
                // A subject list "X and Y are …" is no border, a verb before is one.
                finite_verb(tokens, start, it).is_some()
                    || tokens[start..it]
                        .iter()
                        .any(|token| matches!(token.speech, WordClass::Verb(_) | WordClass::Be))
            }
            _ => false,
        };
        if begins {
            from = it + 1;
        }
    }
    while from < at && (tokens[from].is_conjunction() || tokens[from].speech == WordClass::Mark) {
        from += 1;
    }
    from
}

/// Returns the start of the subject before "are out of scope" at `at`: behind the last clause with a verb of
/// its own.
fn subject_start(tokens: &[Token<'_>], start: usize, at: usize) -> usize {
    let begins = |it: &usize| match tokens[*it].speech {
        WordClass::But => true,
        WordClass::Mark => !tokens[*it].is(" ' - "),
        WordClass::Comma | WordClass::And => tokens[start..*it]
            .iter()
            .any(|token| matches!(token.speech, WordClass::Modal | WordClass::Be | WordClass::Do)),
        _ => false,
    };
    (start..at).rfind(begins).map_or(start, |it| it + 1)
}

/// Returns the position of the next "but", or of a comma or "and" before another clause; else the number of
/// tokens.
fn clause_end(tokens: &[Token<'_>], at: usize) -> usize {
    (at..tokens.len())
        .find(|&it| {
            tokens[it].speech == WordClass::But
                || matches!(tokens[it].speech, WordClass::Comma | WordClass::And)
                    && finite_verb(tokens, it + 1, tokens.len()).is_some()
        })
        .unwrap_or(tokens.len())
}

/// Returns the end of a denied clause, as `clause_end` does.
fn denial_end(tokens: &[Token<'_>], at: usize) -> usize {
    clause_end(tokens, at)
}
