//! A net under the grammar. A sentence that a rule made is kept if it has all words of its statement and a subject that stands there;
//! otherwise the statement is quoted whole. A quoted sentence is true whatever the grammar understood.

use std::collections::BTreeSet;

use super::super::clauses::is_person;
use super::super::lexicon::Form;
use super::super::questions::is_greeting;
use super::super::stems::stems;
use super::super::tokens::{Speech, Token, is_small_word, tokens};
use super::super::{IdeaAnalysis, Remark, Requirement, Statement};
use super::phrases::upper_first;

/// Maximum share of a statement's words that may be lost where no requirement was made of it, in percent.
const LOST_PERCENT: usize = 30;
/// Minimum number of words that are lost in such a statement; one or two are often words such as "please".
const LOST: usize = 3;
/// Number of words behind a person among which the verb stands: "people who lost something fill in a form".
const ACT_WORDS: usize = 6;
/// Words that ask for a system and say nothing about it.
const WISHES: &str = " want wants wanted need needs needed like love wish hope look looking plan planning build building create make \
 making develop developing design write writing implement code program have get please help us idea project simple small able let lets \
 allow allows letting allowing enable enables enabling user users people something system app application tool service website site \
 software thing also must should shall will would could can may ideally basically just really would-be picturing thinking i'd we'd i'm ";

/// Quotes the statements of which the rules lost words or made a sentence that is not sure. `unsure` are numbers of statements.
pub(super) fn quote_unfaithful(analysis: &mut IdeaAnalysis, unsure: &BTreeSet<usize>) {
    let statements: Vec<Statement> = analysis
        .statements
        .iter()
        .filter(|it| {
            !it.is_excluded
                && !is_greeting(&it.text)
                && !it.text.ends_with('?')
                && !analysis.unread.contains(&it.number)
        })
        .cloned()
        .collect();
    for statement in statements {
        let texts = TextsOf::new(analysis, &statement);
        if texts.has_requirement && (unsure.contains(&statement.number) || texts.loses_any(&statement)) {
            quote_as_requirement(analysis, &statement);
        } else if !texts.has_requirement {
            let is_whole = analysis
                .constraints
                .iter()
                .any(|it| it.statement == statement.number && is_whole(it, &statement));
            let is_quoted = is_whole || texts.is_broken || texts.loses_many(&statement);
            if is_quoted && people_act(&statement) {
                require(analysis, &statement);
            } else if is_quoted {
                quote_as_constraint(analysis, &statement);
            }
        }
    }
}

/// The words of all that was made of a statement.
struct TextsOf {
    words: BTreeSet<String>,
    has_requirement: bool,
    /// True if a constraint or an exclusion was made.
    is_told: bool,
    /// True if a constraint begins in the middle of a sentence.
    is_broken: bool,
}

impl TextsOf {
    fn new(analysis: &IdeaAnalysis, statement: &Statement) -> Self {
        let number = statement.number;
        let requirements =
            analysis.requirements.iter().filter(|it| it.statement == number).map(|it| &it.text);
        let constraints = analysis.constraints.iter().filter(|it| it.statement == number).map(|it| &it.text);
        let is_broken = constraints.clone().any(|text| begins_inside(text, statement));
        let has_requirement = requirements.clone().next().is_some();
        let is_told = constraints.clone().next().is_some()
            || analysis.exclusions.iter().any(|it| it.statement == number);
        let exclusions = analysis.exclusions.iter().filter(|it| it.statement == number).map(|it| &it.text);
        let told = requirements.chain(constraints).chain(exclusions).chain(&analysis.product);
        let mut words: BTreeSet<String> = told.flat_map(|text| stems(text)).collect();
        if !has_requirement {
            // A number and a group of people keep their words only where no sentence should have them.
            let quantities =
                analysis.quantities.iter().filter(|it| it.statement == number).map(|it| &it.text);
            let actors = analysis.actors.iter().filter(|it| it.statement == number).map(|it| &it.text);
            words.extend(quantities.chain(actors).flat_map(|text| stems(text)));
        }
        Self { words, has_requirement, is_told, is_broken }
    }

    fn loses_any(&self, statement: &Statement) -> bool {
        self.is_broken || self.lost(statement).0 > 0
    }

    fn loses_many(&self, statement: &Statement) -> bool {
        let (lost, all) = self.lost(statement);
        let least = if self.is_told { LOST } else { 1 };
        lost >= least && lost * 100 > all * LOST_PERCENT
    }

    /// Returns the numbers of the words that are lost, and of all that say something.
    fn lost(&self, statement: &Statement) -> (usize, usize) {
        let words = tokens(&statement.text);
        let end = super::end_before_reason(&words);
        let says = |it: &&Token<'_>| {
            !matches!(it.speech, Speech::Mark | Speech::Comma | Speech::Adverb)
                && it.lower.len() > 2
                && !is_small_word(&it.lower)
                && !it.is(WISHES)
        };
        let all: BTreeSet<String> = words[..end].iter().filter(says).flat_map(|it| stems(it.text)).collect();
        let lost = all.iter().filter(|word| !self.words.contains(*word)).count();
        (lost, all.len())
    }
}

/// Returns true if a text that does not begin the statement has no subject: "2 if a file is missing", "if nobody opens".
fn begins_inside(text: &str, statement: &Statement) -> bool {
    let is_start = statement.text.to_lowercase().starts_with(&text.to_lowercase());
    let first = tokens(text).into_iter().find(|it| it.speech != Speech::Mark);
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
        Speech::Subordinator => ends_early && !text.contains(','),
        Speech::Number | Speech::Or | Speech::And => !is_start,
        _ => false,
    })
}

/// Puts the whole statement in the place of the requirements and constraints that were made of it.
fn quote_as_requirement(analysis: &mut IdeaAnalysis, statement: &Statement) {
    let number = statement.number;
    analysis.constraints.retain(|it| it.statement != number);
    let is_own = |it: &Requirement| it.statement == number;
    let Some(at) = analysis.requirements.iter().position(is_own) else { return };
    let first = Requirement { text: format!("{}.", whole(statement)), ..analysis.requirements[at].clone() };
    analysis.requirements.retain(|it| !is_own(it));
    analysis.requirements.insert(at, first);
}

/// Makes the whole statement a requirement.
fn require(analysis: &mut IdeaAnalysis, statement: &Statement) {
    let number = statement.number;
    analysis.constraints.retain(|it| it.statement != number);
    let at = analysis.requirements.partition_point(|it| it.statement < number);
    let words = tokens(&statement.text);
    let verb = words.iter().find_map(|it| it.as_verb(Form::Third).or(it.as_verb(Form::Base)));
    let requirement = Requirement {
        number: 0,
        text: format!("{}.", whole(statement)),
        statement: number,
        verb: verb.unwrap_or_default().to_owned(),
        topic: object_of(&words).unwrap_or_default(),
        is_part: false,
    };
    analysis.requirements.insert(at, requirement);
}

/// Returns the first noun behind the first verb: what the statement is about.
fn object_of(words: &[Token<'_>]) -> Option<String> {
    let verb = words.iter().position(|it| matches!(it.speech, Speech::Verb(_)))?;
    let noun = words[verb + 1..].iter().find(|it| it.speech == Speech::Noun && !is_person(&it.lower))?;
    Some(noun.lower.clone())
}

/// Returns true if a constraint has all words of a statement.
fn is_whole(constraint: &Remark, statement: &Statement) -> bool {
    let plain = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    plain(&constraint.text) == plain(&statement.text)
}

/// Returns true if a person does something in a statement that denies nothing: "during the night the operator marks each exposure".
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
                || it.as_verb(if is_plural { Form::Base } else { Form::Third }).is_some()
                    && it.is_likely_verb()
        })
    };
    (0..words.len()).any(|at| words[at].speech == Speech::Noun && is_person(&words[at].lower) && acts(at))
        || words.iter().any(|it| it.is(" people "))
            && (0..words.len()).any(|at| words[at].is(" people ") && acts(at))
}

fn quote_as_constraint(analysis: &mut IdeaAnalysis, statement: &Statement) {
    let number = statement.number;
    analysis.constraints.retain(|it| it.statement != number);
    let at = analysis.constraints.partition_point(|it| it.statement < number);
    analysis.constraints.insert(at, Remark { text: whole(statement), statement: number });
}

/// Returns the statement behind the lead of its list, without its last mark.
fn whole(statement: &Statement) -> String {
    let Statement { lead, text, .. } = statement;
    let text = if lead.is_empty() { text.clone() } else { format!("{lead} {text}") };
    upper_first(text.trim_end_matches(['.', ';', ',', ':', ' ']))
}
