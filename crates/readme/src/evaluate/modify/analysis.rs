//! The scope of a modification request: by rules from its words, or from the answer of a model.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::words::content_words;
use super::MINIMUM_CONFIDENCE;
use crate::document::ReadmeDocument;

/// Phrases that mean the whole document.
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
/// Confidence of a request that names the title of a section word by word.
const BY_TITLE: f64 = 0.95;
/// Confidence of a request that has all words of a title.
const BY_WORDS: f64 = 0.8;
/// Confidence of a request with a phrase for the whole document.
const BY_PHRASE: f64 = 0.9;
/// Share of the words of a title that makes it a candidate, as confidence at most [`BY_WORDS`].
const LEAST_SHARE: f64 = 0.5;

/// Clauses about parts that stay as they are.
static EXCLUSION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?ix)
        \b (?: except (?:\s+for)? | but \s+ not | apart \s+ from | other \s+ than | without \s+ (?:changing|touching|editing)
            | (?:do \s+ not | don['’]t | never) \s+ (?:change|touch|modify|edit|alter|rewrite) ) \b [^.;:!?\n]*
        | \b (?:leave|keep) \b [^.;:!?\n]*? \b (?:unchanged | untouched | intact | alone | as \s+ (?:(?:it|they) \s+)? (?:is|are)) \b";
    Regex::new(pattern).expect("the pattern is fixed")
});

/// Part of a document that a request is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModificationScope {
    /// The whole document.
    Global,
    /// Sections with these titles, outermost ones or sub-sections, as the document spells them and in its order.
    Specific(Vec<String>),
    /// Unknown.
    Ambiguous,
}

/// Scope of a request, with the reasons for it.
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
    /// Judges the answer of a model. Titles that the document does not have are left out, and the reasons say so.
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

    /// Returns the analysis that stands for an answer that cannot be read: the whole document, with this reason.
    pub fn unreadable(reason: &str) -> Self {
        Self { scope: ModificationScope::Global, confidence: 0.0, reasons: vec![reason.to_owned()] }
    }

    /// Returns the scope to act on: the whole document if the scope is ambiguous or its confidence is below [`MINIMUM_CONFIDENCE`].
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

/// Returns the scope of the sections that begin on these lines; ambiguous without any.
fn specific(document: &ReadmeDocument, lines: &BTreeSet<usize>) -> ModificationScope {
    let sections = document.flatten().into_iter().filter(|section| lines.contains(&section.line));
    let titles: Vec<String> = sections.map(|section| section.title.clone()).collect();
    if titles.is_empty() { ModificationScope::Ambiguous } else { ModificationScope::Specific(titles) }
}

/// Finds the scope of a request by its words, without a model: a title that the request quotes, then all words of a title, then most of
/// them. A request with a phrase such as "all sections" is about the whole document. Sections that the request excepts, as in "everything
/// except Reference", are left out.
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

/// Section whose title has words in a request.
struct FoundTitle<'a> {
    line: usize,
    title: &'a str,
    confidence: f64,
}

/// Returns the sections whose titles a text names with at least this confidence.
fn titles_in<'a>(text: &str, document: &'a ReadmeDocument, least: f64) -> Vec<FoundTitle<'a>> {
    let (line, words) = (simplify(text), content_words(text));
    let found = document.flatten().into_iter().map(|section| FoundTitle {
        line: section.line,
        title: &section.title,
        confidence: score_title(&section.title, &line, &words),
    });
    found.filter(|found| found.confidence > 0.0 && found.confidence >= least).collect()
}

/// Returns the scope of all outermost sections without the excepted ones. An excepted sub-section keeps its outermost section.
fn all_but(document: &ReadmeDocument, excepted: &[FoundTitle<'_>]) -> ModificationScope {
    let is_excepted = |line: usize| excepted.iter().any(|found| found.line == line);
    let sections = document.sections.iter();
    let sections = sections.filter(|section| !section.flatten().iter().any(|part| is_excepted(part.line)));
    specific(document, &sections.map(|section| section.line).collect())
}

/// Returns the confidence that a request is about a section.
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

/// Returns the words of a text in lower case with single spaces, and one at both ends, so that a phrase is searched by whole words.
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
