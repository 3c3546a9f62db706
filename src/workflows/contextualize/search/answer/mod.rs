//! A document about a question, by rules: definitions, their uses, the things that they touch, settings, tests and documentation about them. Every line
//! has its place; nothing is concluded beyond what symbols, references and facts say.
//!
//! Reading order: `subject` (what the question is about), `page` (items within a limit of tokens), `mentions` (lines that
//! name the definitions), then a file a section: `places`, `uses`,
//! `touches`, `further`, `settings`, `testing`, `documents`, `files`.

mod subject;

mod page;

mod mentions;

mod places;

mod uses;

mod touches;

mod further;

mod settings;

mod testing;

mod documents;

mod files;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use stategraph_facts::Facts;
use stategraph_repo::CodeBase;

use super::code_references::{CodeReference, check_references};
use super::discover::Discovery;
use super::quote;
use mentions::Mentions;
use page::AnswerPage;
use subject::AnswerSubject;

/// A Markdown document that answers a question about a code base, with the places and files behind it. Has no
/// front matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopedText {
    /// The document.
    pub markdown: String,
    /// The places that it names, in its order, each once.
    pub references: Vec<CodeReference>,
    /// The files that it was made from, by path: the candidates of the discovery and all files with a named place.
    pub files_analyzed: Vec<String>,
}

/// The token budget of a text: the maximum, and the function that counts.
#[derive(Clone, Copy)]
pub struct TokenLimit<'a> {
    /// Most tokens.
    pub max: usize,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> usize,
}

/// Writes a document about a question without a model, from the ranked files and definitions of `discovery`
/// and the facts. Items of low priority are left out until it fits `limit`; references to missing lines are
/// dropped.
pub fn answer_by_rules(
    question: &str,
    discovery: &Discovery,
    code: &CodeBase,
    facts: &Facts,
    limit: &TokenLimit,
) -> ScopedText {
    let subject = AnswerSubject::new(question, discovery, code, facts);
    let mut page = AnswerPage::new(opening(question, discovery));
    if discovery.fallback {
        page.add(files::fallback_section(&subject));
    } else {
        let mentions = Mentions::find(&subject);
        page.add(places::section(&subject));
        page.add(uses::section(&subject, &mentions));
        page.add(touches::section(&subject));
        page.add(further::section(&subject));
        page.add(settings::section(&subject));
        page.add(testing::section(&subject, &mentions));
        page.add(documents::section(&subject));
        page.add(files::section(&subject));
    }
    let (markdown, references) = page.render(limit);
    let (references, _) = check_references(references, code);
    let mut analyzed: BTreeSet<String> = references.iter().map(|reference| reference.path.clone()).collect();
    analyzed.extend(discovery.candidates.iter().map(|file| file.path.clone()));
    ScopedText { markdown, references, files_analyzed: analyzed.into_iter().collect() }
}

/// Most keywords that the opening names.
const NAMED_KEYWORDS: usize = 12;

/// Returns the title of the document (the question) and its first sentence: the searched keywords and the
/// number of files with hits, or that nothing was found.
fn opening(question: &str, discovery: &Discovery) -> String {
    let title = quote::prose(question).unwrap_or_else(|| "Question".to_owned());
    let words: Vec<String> =
        discovery.keywords.iter().take(NAMED_KEYWORDS).filter_map(|word| quote::code_span(word)).collect();
    let follow =
        if discovery.candidates.is_empty() { "" } else { " The first files of the repository follow." };
    let said = match (words.is_empty(), discovery.fallback) {
        (true, _) => {
            format!("The question has no words to search for.{follow}")
        }
        (false, true) => {
            format!(
                "Not found: none of the {} files has a word of the question ({}).{follow}",
                discovery.searched,
                words.join(", ")
            )
        }
        (false, false) => format!(
            "Found by rules, without a model, from the words {}. {} of {} files have some of them. Places are `path:line` or `path:start-end`.",
            words.join(", "),
            discovery.found,
            discovery.searched
        ),
    };
    format!("# {title}\n\n{said}\n")
}
