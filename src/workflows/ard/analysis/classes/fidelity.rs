//! Safety net under the grammar. A sentence that a rule made is kept if it has all words of its statement and
//! a subject from it; otherwise the whole statement is quoted, which is true however the grammar understood
//! it.

use std::collections::{BTreeMap, BTreeSet};

use super::super::clauses::is_person;
use super::super::lexicon::Tense;
use super::super::questions::is_greeting;
use super::super::stems::stems;
use super::super::tokens::{Token, WordClass, is_small_word, tokens};
use super::super::{IdeaAnalysis, IdeaPhrase, Requirement, Statement};
use super::phrases::upper_first;

/// Maximum share of words that may be lost in a statement without a requirement, in percent.
const LOST_PERCENT: usize = 30;
/// Minimum number of lost words in such a statement; one or two are often words such as "please".
const LOST: usize = 3;
/// Maximum distance of a verb behind a person, in words.
const ACT_WORDS: usize = 6;
/// Words that express a wish and say nothing about the system; they may be lost.
const WISHES: &str = " want wants wanted need needs needed like love wish hope look looking plan planning build building create make \
 making develop developing design write writing implement code program have get please help us idea project simple small able let lets \
 allow allows letting allowing enable enables enabling user users people something system app application tool service website site \
 software thing also must should shall will would could can may ideally basically just really would-be picturing thinking i'd we'd i'm ";

/// Replaces the findings of statements that lost words, or whose sentences are unsure, by quotations of the
/// whole statement. `unsure` has numbers of statements.
pub(super) fn quote_unfaithful(analysis: &mut IdeaAnalysis, unsure: &BTreeSet<usize>) {
    let mut quotes = Quotes::default();
    let texts = texts_of_statements(analysis);
    let none = TextsOf::default();
    let product: BTreeSet<String> = analysis.product.iter().flat_map(|text| stems(text)).collect();
    for statement in &analysis.statements {
        let is_read = !statement.is_excluded
            && !is_greeting(&statement.text)
            && !statement.text.ends_with('?')
            && !analysis.unread.contains(&statement.number);
        if !is_read {
            continue;
        }
        let texts = texts.get(&statement.number).unwrap_or(&none);
        let number = statement.number;
        if texts.has_requirement() {
            if unsure.contains(&number) || texts.loses_any(statement, &product) {
                quotes.requirements.insert(number, requirement_of(statement, &texts.requirements));
            }
        } else if texts.is_quoted_as_constraint(statement)
            || texts.is_broken(statement)
            || texts.loses_many(statement, &product)
        {
            if people_act(statement) {
                quotes.requirements.insert(number, requirement_of(statement, &[]));
            } else {
                quotes.constraints.insert(number, IdeaPhrase { text: whole(statement), statement: number });
            }
        }
    }
    quotes.replace_texts(analysis);
}

/// Quotations of whole statements by statement number, as requirements or as constraints.
#[derive(Default)]
struct Quotes {
    requirements: BTreeMap<usize, Requirement>,
    constraints: BTreeMap<usize, IdeaPhrase>,
}

impl Quotes {
    /// Replaces the requirements and constraints of the quoted statements by the quotations. The order by
    /// statement stays.
    fn replace_texts(self, analysis: &mut IdeaAnalysis) {
        let Self { requirements, constraints } = self;
        let is_quoted =
            |number: usize| requirements.contains_key(&number) || constraints.contains_key(&number);
        analysis.constraints.retain(|it| !is_quoted(it.statement));
        analysis.requirements.retain(|it| !is_quoted(it.statement));
        analysis.constraints.extend(constraints.into_values());
        analysis.requirements.extend(requirements.into_values());
        // Both sorts are stable, so what was made of one statement keeps its order.
        analysis.constraints.sort_by_key(|it| it.statement);
        analysis.requirements.sort_by_key(|it| it.statement);
    }
}

/// Findings from one statement, by kind.
#[derive(Default)]
struct TextsOf<'a> {
    requirements: Vec<&'a Requirement>,
    constraints: Vec<&'a str>,
    exclusions: Vec<&'a str>,
    /// Texts of quantities and actors; they count as kept words only if the statement has no requirement.
    others: Vec<&'a str>,
}

/// Groups the findings by the number of their statement.
fn texts_of_statements(analysis: &IdeaAnalysis) -> BTreeMap<usize, TextsOf<'_>> {
    let mut texts: BTreeMap<usize, TextsOf<'_>> = BTreeMap::new();
    for it in &analysis.requirements {
        texts.entry(it.statement).or_default().requirements.push(it);
    }
    for it in &analysis.constraints {
        texts.entry(it.statement).or_default().constraints.push(&it.text);
    }
    for it in &analysis.exclusions {
        texts.entry(it.statement).or_default().exclusions.push(&it.text);
    }
    let quantities = analysis.quantities.iter().map(|it| (it.statement, &it.text));
    for (number, text) in quantities.chain(analysis.actors.iter().map(|it| (it.statement, &it.text))) {
        texts.entry(number).or_default().others.push(text);
    }
    texts
}

impl TextsOf<'_> {
    fn has_requirement(&self) -> bool {
        !self.requirements.is_empty()
    }

    /// Returns true if a constraint begins in the middle of a sentence of the statement.
    fn is_broken(&self, statement: &Statement) -> bool {
        self.constraints.iter().any(|text| begins_inside(text, statement))
    }

    /// Returns true if a constraint is the whole statement.
    fn is_quoted_as_constraint(&self, statement: &Statement) -> bool {
        self.constraints.iter().any(|text| is_whole(text, statement))
    }

    /// Returns the stems of all words that the findings keep, with those of the product's name.
    fn words(&self, product: &BTreeSet<String>) -> BTreeSet<String> {
        let requirements = self.requirements.iter().map(|it| it.text.as_str());
        let others: &[&str] = if self.has_requirement() { &[] } else { &self.others };
        let texts =
            requirements.chain([&self.constraints, &self.exclusions, others].into_iter().flatten().copied());
        texts.flat_map(stems).chain(product.iter().cloned()).collect()
    }

    /// Returns true if a constraint is broken or at least one word of the statement is lost.
    fn loses_any(&self, statement: &Statement, product: &BTreeSet<String>) -> bool {
        self.is_broken(statement) || self.lost(statement, product).0 > 0
    }

    /// Returns true if more than `LOST_PERCENT` of the words are lost, and at least `LOST` where there is a
    /// constraint or exclusion.
    fn loses_many(&self, statement: &Statement, product: &BTreeSet<String>) -> bool {
        let (lost, all) = self.lost(statement, product);
        let is_told = !self.constraints.is_empty() || !self.exclusions.is_empty();
        let least = if is_told { LOST } else { 1 };
        lost >= least && lost * 100 > all * LOST_PERCENT
    }

    /// Returns the number of telling words of a statement that no finding keeps, and the number of all
    /// telling words.
    fn lost(&self, statement: &Statement, product: &BTreeSet<String>) -> (usize, usize) {
        let words = tokens(&statement.text);
        let end = super::end_before_reason(&words);
        let says = |it: &&Token<'_>| {
            !matches!(it.speech, WordClass::Mark | WordClass::Comma | WordClass::Adverb)
                && it.lower.len() > 2
                && !is_small_word(&it.lower)
                && !it.is(WISHES)
        };
        let all: BTreeSet<String> = words[..end].iter().filter(says).flat_map(|it| stems(it.text)).collect();
        let told = self.words(product);
        (all.difference(&told).count(), all.len())
    }
}

/// Returns true if a text from a statement lacks its beginning and so has no subject: "2 if a file is
/// missing", "if no one opens".
fn begins_inside(text: &str, statement: &Statement) -> bool {
    let is_start = statement.text.to_lowercase().starts_with(&text.to_lowercase());
    let first = tokens(text).into_iter().find(|it| it.speech != WordClass::Mark);
    let ends_early = is_start && text.len() + 3 < statement.text.len();
    // "Lost something fill in a form", behind "people who".
    let before = || {
        let at = statement.text.to_lowercase().find(&text.to_lowercase())?;
        let word = statement.text.get(..at)?.split_whitespace().next_back()?.to_lowercase();
        let ends_clause = word.ends_with([',', ';', ':', '.', ')', '-', '–', '—']);
        Some(
            !ends_clause
                && !matches!(word.as_str(), "and" | "or" | "but" | "so" | "then" | "please" | "also"),
        )
    };
    if !is_start && before() == Some(true) {
        return true;
    }
    first.is_some_and(|first| match first.speech {
        WordClass::Subordinator => ends_early && !text.contains(','),
        WordClass::Number | WordClass::Or | WordClass::And => !is_start,
        _ => false,
    })
}

/// Makes a requirement that quotes the whole statement. Verb and topic are those of the first requirement in
/// `made`, else read from the words.
fn requirement_of(statement: &Statement, made: &[&Requirement]) -> Requirement {
    let text = format!("{}.", whole(statement));
    if let Some(first) = made.first() {
        return Requirement { text, ..(*first).clone() };
    }
    let words = tokens(&statement.text);
    let verb = words.iter().find_map(|it| it.as_verb(Tense::Third).or(it.as_verb(Tense::Base)));
    Requirement {
        number: 0,
        text,
        statement: statement.number,
        verb: verb.unwrap_or_default().to_owned(),
        topic: object_of(&words).unwrap_or_default(),
        is_part: false,
    }
}

/// Returns the first noun behind the first verb that is no person.
fn object_of(words: &[Token<'_>]) -> Option<String> {
    let verb = words.iter().position(|it| matches!(it.speech, WordClass::Verb(_)))?;
    let noun = words[verb + 1..].iter().find(|it| it.speech == WordClass::Noun && !is_person(&it.lower))?;
    Some(noun.lower.clone())
}

/// Returns true if a constraint is the text of the statement, apart from case and marks at its ends.
fn is_whole(constraint: &str, statement: &Statement) -> bool {
    let plain = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    plain(constraint) == plain(&statement.text)
}

/// Returns true if a person does something in a statement that denies and obliges nothing: "the operator
/// marks each exposure".
fn people_act(statement: &Statement) -> bool {
    let words = tokens(&statement.text);
    if super::super::clauses::is_negated(&words) || words.iter().any(|it| it.is(" nobody no only must most "))
    {
        return false;
    }
    let acts = |at: usize| {
        let person = &words[at];
        let is_plural = person.lower.ends_with('s') || person.is(" people staff ");
        words[at + 1..].iter().take(ACT_WORDS).any(|it| {
            it.is(" can may should ")
                || it.as_verb(if is_plural { Tense::Base } else { Tense::Third }).is_some()
                    && it.is_likely_verb()
        })
    };
    let is_actor = |it: &Token<'_>| it.is(" people ") || it.speech == WordClass::Noun && is_person(&it.lower);
    (0..words.len()).any(|at| is_actor(&words[at]) && acts(at))
}

/// Returns the statement with its lead and without the mark at its end.
fn whole(statement: &Statement) -> String {
    let Statement { lead, text, .. } = statement;
    let text = if lead.is_empty() { text.clone() } else { format!("{lead} {text}") };
    upper_first(text.trim_end_matches(['.', ';', ',', ':', ' ']))
}
