//! Finds the sections that a modification request is about: by rules from its words, or from the answer of
//! a model.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::words::content_words;
use super::MINIMUM_CONFIDENCE;
use crate::document::ReadmeDocument;

/// Phrases of a request that mean the whole document.
const GLOBAL_PHRASES: &[&str] = &[
    "all sections",
    "all of the sections",
    "complete document",
    "each section",
    "entire document",
    "entire readme",
    "every section",
    "everything",
    "everywhere",
    "full document",
    "throughout",
    "whole document",
    "whole readme",
    "whole thing",
];
/// Confidence if a request contains the title of a section word by word.
const BY_TITLE: f64 = 0.95;
/// Confidence if a request has all significant words of a title.
const BY_WORDS: f64 = 0.8;
/// Confidence if a request has a phrase that means the whole document.
const BY_PHRASE: f64 = 0.9;
/// Minimum share of the words of a title that a request must have for the section to be a candidate. The
/// confidence of a candidate is this share times [`BY_WORDS`].
const LEAST_SHARE: f64 = 0.5;

/// Pattern of a clause about parts that must stay as they are, such as "except …" or "leave … unchanged".
static EXCLUSION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?ix)
        \b (?: except (?:\s+for)? | but \s+ not | apart \s+ from | other \s+ than | without \s+ (?:changing|touching|editing)
            | (?:do \s+ not | don['’]t | never) \s+ (?:change|touch|modify|edit|alter|rewrite) ) \b [^.;:!?\n]*
        | \b (?:leave|keep) \b [^.;:!?\n]*? \b (?:unchanged | untouched | intact | alone | as \s+ (?:(?:it|they) \s+)? (?:is|are)) \b";
    Regex::new(pattern).expect("the pattern is fixed")
});

/// The part of a document that a user's request for a change is about: all of it, some sections, or
/// unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModificationScope {
    /// The whole document.
    Global,
    /// Sections with these titles, outermost ones or sub-sections, as the document spells them and in its
    /// order.
    Specific(Vec<String>),
    /// The request does not tell.
    Ambiguous,
}

/// The part of a document that a request for a change was found to be about, with confidence and reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModificationAnalysis {
    /// Scope.
    pub scope: ModificationScope,
    /// Certainty of the scope, 0 to 1.
    pub confidence: f64,
    /// Reasons, one sentence each.
    pub reasons: Vec<String>,
}

/// Scope in the answer of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeAnswer {
    /// The whole document.
    Global,
    /// Some sections.
    Specific,
    /// The request does not say.
    Ambiguous,
}

/// Answer of a model about the scope of a request. Flat, because small models fail at nested choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModificationAnswer {
    /// Scope.
    pub scope: ScopeAnswer,
    /// Titles of the sections that the request is about, as in the document; empty unless the scope is specific.
    #[serde(default)]
    pub sections: Vec<String>,
    /// Certainty, from 0 to 1.
    pub confidence: f64,
    /// Reasons, one sentence each.
    #[serde(default)]
    pub reasons: Vec<String>,
}

impl ModificationAnalysis {
    /// Converts the answer of a model. Titles that the document does not have are left out, and `reasons`
    /// says so. A confidence outside of 0 to 1 makes the answer [`unreadable`](Self::unreadable).
    pub fn of_answer(answer: ModificationAnswer, document: &ReadmeDocument) -> Self {
        let mut reasons = answer.reasons;
        if !(0.0..=1.0).contains(&answer.confidence) {
            return Self::unreadable(&format!("the confidence {} is not between 0 and 1", answer.confidence));
        }
        let scope = match answer.scope {
            ScopeAnswer::Global => ModificationScope::Global,
            ScopeAnswer::Ambiguous => ModificationScope::Ambiguous,
            ScopeAnswer::Specific => {
                let mut lines = BTreeSet::new();
                for title in &answer.sections {
                    // Models often copy the marks of a heading.
                    match document.find(title.trim_start_matches(['#', ' '])) {
                        Some(section) => _ = lines.insert(section.line),
                        None => reasons.push(format!("the document has no section `{title}`")),
                    }
                }
                specific(document, &lines)
            }
        };
        Self { scope, confidence: answer.confidence, reasons }
    }

    /// Returns the analysis for an answer that cannot be read: the whole document with confidence 0, and
    /// `reason` as the only reason.
    pub fn unreadable(reason: &str) -> Self {
        Self { scope: ModificationScope::Global, confidence: 0.0, reasons: vec![reason.to_owned()] }
    }

    /// Returns the scope to act on: the found sections if the confidence is at least
    /// [`MINIMUM_CONFIDENCE`], else the whole document.
    pub fn effective_scope(&self) -> ModificationScope {
        match &self.scope {
            // `NaN` is below any confidence, hence no `<`.
            ModificationScope::Specific(titles)
                if self.confidence >= MINIMUM_CONFIDENCE && !titles.is_empty() =>
            {
                ModificationScope::Specific(titles.clone())
            }
            _ => ModificationScope::Global,
        }
    }
}

/// Returns the scope of the sections whose headings are on these lines; [`ModificationScope::Ambiguous`] if
/// there are none.
fn specific(document: &ReadmeDocument, lines: &BTreeSet<usize>) -> ModificationScope {
    let sections = document.flatten().into_iter().filter(|section| lines.contains(&section.line));
    let titles: Vec<String> = sections.map(|section| section.title.clone()).collect();
    if titles.is_empty() { ModificationScope::Ambiguous } else { ModificationScope::Specific(titles) }
}

/// Finds the scope of a request by its words, without a model: sections whose title the request contains,
/// else those of which it has all or most words. A phrase such as "all sections" means the whole document.
/// Sections that the request excludes, as in "everything except Reference", are left out.
pub fn analyze_request(request: &str, document: &ReadmeDocument) -> ModificationAnalysis {
    let excepted: Vec<&str> = EXCLUSION.find_iter(request).map(|clause| clause.as_str()).collect();
    let excepted = titles_in(&excepted.join(" "), document, BY_WORDS);
    let request = EXCLUSION.replace_all(request, ". ");
    let line = simplify(&request);
    if let Some(phrase) = GLOBAL_PHRASES.iter().find(|phrase| has_phrase(&line, phrase)) {
        let reasons = vec![format!("the request says `{phrase}`")];
        let scope =
            if excepted.is_empty() { ModificationScope::Global } else { all_but(document, &excepted) };
        return ModificationAnalysis { scope, confidence: BY_PHRASE, reasons };
    }
    let candidates = titles_in(&request, document, LEAST_SHARE * BY_WORDS);
    let candidates = || candidates.iter().filter(|found| !excepted.iter().any(|it| it.line == found.line));
    // Weaker candidates are dropped: "fix the Validation section" is about that and not about every heading with a common word.
    let confidence = candidates().map(|found| found.confidence).fold(0.0, f64::max);
    let meant = || candidates().filter(|found| found.confidence >= confidence.min(BY_WORDS));
    match specific(document, &meant().map(|found| found.line).collect()) {
        ModificationScope::Ambiguous => ModificationAnalysis {
            scope: ModificationScope::Ambiguous,
            confidence: 0.0,
            reasons: vec!["the request has no words of a title".to_owned()],
        },
        scope => {
            let reason = |found: &FoundTitle| format!("the request has words of the title `{}`", found.title);
            ModificationAnalysis { scope, confidence, reasons: meant().map(reason).collect() }
        }
    }
}

/// A section whose title, or words of it, a request contains; `line` is the line of its heading.
struct FoundTitle<'a> {
    line: usize,
    title: &'a str,
    confidence: f64,
}

/// Returns the sections whose titles appear in the text, as a whole or in words, with at least the
/// confidence `least`.
fn titles_in<'a>(text: &str, document: &'a ReadmeDocument, least: f64) -> Vec<FoundTitle<'a>> {
    let (line, words) = (simplify(text), content_words(text));
    let found = document.flatten().into_iter().map(|section| FoundTitle {
        line: section.line,
        title: &section.title,
        confidence: score_title(&section.title, &line, &words),
    });
    found.filter(|found| found.confidence > 0.0 && found.confidence >= least).collect()
}

/// Returns the scope of all outermost sections except those that are excepted or contain an excepted
/// sub-section.
fn all_but(document: &ReadmeDocument, excepted: &[FoundTitle<'_>]) -> ModificationScope {
    let is_excepted = |line: usize| excepted.iter().any(|found| found.line == line);
    let sections = document.sections.iter();
    let sections = sections.filter(|section| !section.flatten().iter().any(|part| is_excepted(part.line)));
    specific(document, &sections.map(|section| section.line).collect())
}

/// Returns the confidence, 0 to [`BY_TITLE`], that a request is about the section with this title.
/// `request` is the request as [`simplify`] returns it, `words` are its stems.
fn score_title(title: &str, request: &str, words: &BTreeSet<String>) -> f64 {
    let title_words = content_words(title);
    if title_words.is_empty() {
        return 0.0;
    }
    if has_phrase(request, &simplify(title)) {
        return BY_TITLE;
    }
    let count = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
    let share = count(title_words.intersection(words).count()) / count(title_words.len());
    share * BY_WORDS
}

/// Returns the words of a text in lower case, separated by single spaces, with a space at both ends, so
/// that a search for ` phrase ` finds whole words only.
fn simplify(text: &str) -> String {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

fn has_phrase(request: &str, phrase: &str) -> bool {
    let phrase = phrase.trim();
    !phrase.is_empty() && request.contains(&format!(" {phrase} "))
}
