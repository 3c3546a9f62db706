//! Counts behind the five scores. Each part of a score is worth the share of it that the document has.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::metrics::UNJUDGED;
use super::words::content_words;
use crate::document::{DocumentSection, NOT_AVAILABLE, NOT_POPULATED, ReadmeDocument, parse, parse_all};
use crate::package::{DataStream, IntegrationPackage};
use crate::validate::{CheckState, Issue, Validation};

/// Sections of level 2 of a document whose package has no template.
const REQUIRED: &[&str] = &[
    "Overview",
    "What data does this integration collect?",
    "What do I need to use this integration?",
    "How do I deploy this integration?",
    "Troubleshooting",
    "Performance and scaling",
    "Reference",
];
/// Parts of level 3 and deeper of such a document.
const RECOMMENDED: &[&str] = &[
    "Compatibility",
    "How it works",
    "Supported use cases",
    "Agent-based deployment",
    "Set up steps",
    "Validation",
    "Inputs used",
];
/// Words of a part without which its heading stands for nothing.
const MINIMUM_WORDS: usize = 3;

static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->").expect("the pattern is fixed"));
static FIELDS_TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\{\{-?\s*fields(?:\s+["`]?([\w.-]+)["`]?)?\s*-?\}\}"#).expect("the pattern is fixed")
});

/// Returns the score of the headings: 60 + 20 + 20.
pub(super) fn structure(text: &str, package: Option<&IntegrationPackage>) -> f64 {
    let document = parse(text);
    let (required, recommended) = expected_parts(package);
    let headings = |is_part: fn(u8) -> bool| -> Vec<BTreeSet<String>> {
        let sections = document.flatten().into_iter().filter(|section| is_part(section.level));
        sections.map(|section| content_words(&section.title)).collect()
    };
    let found = |parts: &[String], headings: &[BTreeSet<String>]| {
        share(
            parts.iter().map(|part| headings.iter().any(|heading| names_part(heading, &content_words(part)))),
        )
    };
    60.0 * found(&required, &headings(|level| level == 2))
        + 20.0 * found(&recommended, &headings(|level| level > 2))
        + 20.0 * ordered_share(text)
}

/// Returns the titles of the required and of the recommended parts: those of the package's template (SEC-107), else the built-in ones.
fn expected_parts(package: Option<&IntegrationPackage>) -> (Vec<String>, Vec<String>) {
    let template = package.map(|package| parse(&package.template)).unwrap_or_default();
    let of_level = |is_part: fn(u8) -> bool| -> Vec<String> {
        let sections = template.flatten().into_iter().filter(|section| is_part(section.level));
        // A title that is a template tag is known only once it is rendered.
        sections
            .map(|section| section.title.clone())
            .filter(|title| !content_words(title).is_empty() && !title.contains("{{"))
            .collect()
    };
    let owned = |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect();
    match of_level(|level| level == 2) {
        required if required.is_empty() => (owned(REQUIRED), owned(RECOMMENDED)),
        required => (required, of_level(|level| level == 3)),
    }
}

/// Returns true if a heading stands for a part: it has all words of the part's title, or only words of it.
fn names_part(heading: &BTreeSet<String>, part: &BTreeSet<String>) -> bool {
    !heading.is_empty() && !part.is_empty() && (part.is_subset(heading) || heading.is_subset(part))
}

/// Returns the share of headings in order: the first is of level 1, no other is, and none skips a level. 0 without headings.
fn ordered_share(text: &str) -> f64 {
    let document = parse_all(text);
    let levels: Vec<u8> = document.flatten().iter().map(|section| section.level).collect();
    if levels.is_empty() {
        return 0.0;
    }
    share(levels.iter().enumerate().map(|(place, level)| match place.checked_sub(1) {
        None => *level == 1,
        Some(before) => *level > 1 && *level <= levels[before] + 1,
    }))
}

/// Returns the share of true values; 1 of none, because nothing is missing.
fn share(found: impl IntoIterator<Item = bool>) -> f64 {
    mean(found.into_iter().map(|is_found| if is_found { 1.0 } else { 0.0 })).unwrap_or(1.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// A text as names are looked up in it.
struct TextWords {
    /// Words in lower case: those of letters, digits and `_`, and those that dots, hyphens and `@` join, such as names of fields.
    words: BTreeSet<String>,
    /// The text in lower case with single spaces, for titles of several words.
    line: String,
}

impl TextWords {
    fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let mut words = BTreeSet::new();
        for joined in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '@'))) {
            let joined = joined.trim_matches(['.', '-']);
            words.insert(joined.to_owned());
            words.extend(joined.split(['.', '-']).map(str::to_owned));
        }
        words.remove("");
        Self { words, line: squeeze(&text) }
    }

    fn has(&self, name: &str) -> bool {
        self.words.contains(&name.to_lowercase())
    }

    fn has_title(&self, title: &str) -> bool {
        let title = squeeze(title);
        known(&title) && self.line.contains(&title)
    }

    fn has_stream(&self, stream: &DataStream) -> bool {
        self.has(&stream.name) || self.has(&stream.dataset) || self.has_title(&stream.title)
    }
}

/// Returns the agreement with the package: 20 + 20 + 40 + 20. A part that the package does not have, such as fields, counts neither for nor
/// against the document.
pub(super) fn accuracy(text: &str, package: &IntegrationPackage) -> f64 {
    let words = TextWords::of(text);
    let manifest = &package.manifest;
    let streams = || package.data_streams.iter();
    let parts = [
        (20.0, known(&manifest.name).then(|| share([words.has(&manifest.name)]))),
        (20.0, known(&manifest.title).then(|| share([words.has_title(&manifest.title)]))),
        (40.0, mean(streams().map(|stream| share([words.has_stream(stream)])))),
        (20.0, mean(streams().filter_map(|stream| fields_share(&words, text, stream, package)))),
    ];
    let judged = || parts.iter().filter_map(|(weight, share)| share.map(|share| (weight, share)));
    let weight: f64 = judged().map(|(weight, _)| weight).sum();
    if weight == 0.0 {
        return UNJUDGED;
    }
    100.0 * judged().map(|(weight, share)| weight * share).sum::<f64>() / weight
}

fn known(name: &str) -> bool {
    !name.trim().is_empty()
}

/// Returns a text in lower case with single spaces.
fn squeeze(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the share of the fields of a stream that the document shows: all with a `fields` tag, else those that are named. `None` for a
/// stream without fields.
fn fields_share(
    words: &TextWords,
    text: &str,
    stream: &DataStream,
    package: &IntegrationPackage,
) -> Option<f64> {
    if stream.fields.is_empty() {
        return None;
    }
    let has_tag = FIELDS_TAG.captures_iter(text).any(|tag| match tag.get(1) {
        Some(name) => name.as_str() == stream.name,
        // A tag without a name stands for the only data stream.
        None => package.data_streams.len() == 1,
    });
    Some(if has_tag { 1.0 } else { share(stream.fields.iter().map(|field| words.has(&field.name))) })
}

/// Returns the score of the content: 25 for the set-up and 15 for each of five parts. A part with a heading and no text is missing.
pub(super) fn completeness(text: &str, package: Option<&IntegrationPackage>) -> f64 {
    let document = parse(text);
    let with_word = |word: &str| sections_about(&document, word);
    let has_part = |word: &str| share([with_word(word).iter().any(|section| has_substance(&section.text()))]);
    // Data and reference are about the data streams, as far as they are known.
    let on_streams = |word: &str| {
        let text: String = with_word(word).iter().map(|section| section.text()).collect();
        if !has_substance(&text) {
            return 0.0;
        }
        let words = TextWords::of(&text);
        let streams = package.map(|package| package.data_streams.as_slice()).unwrap_or_default();
        share(streams.iter().map(|stream| words.has_stream(stream)))
    };
    let setup: Vec<String> =
        with_word("deploy").iter().map(|section| section.text()).filter(|text| has_substance(text)).collect();
    let in_kibana = setup.iter().any(|text| {
        let words = TextWords::of(text);
        words.has("kibana") || words.has("fleet")
    });
    let setup = mean([share([!setup.is_empty()]), share([in_kibana]), has_part("validation")].into_iter());
    25.0 * setup.unwrap_or_default()
        + 15.0
            * (on_streams("data")
                + has_part("need")
                + has_part("troubleshoot")
                + has_part("performanc").max(has_part("scal"))
                + on_streams("referenc"))
}

/// Returns the outermost sections with a reduced word in their heading.
fn sections_about<'a>(document: &'a ReadmeDocument, word: &str) -> Vec<&'a DocumentSection> {
    fn collect<'a>(sections: &'a [DocumentSection], word: &str, found: &mut Vec<&'a DocumentSection>) {
        for section in sections {
            if content_words(&section.title).contains(word) {
                found.push(section);
            } else {
                collect(&section.children, word, found);
            }
        }
    }
    let mut found = Vec::new();
    collect(&document.sections, word, &mut found);
    found
}

/// Returns true if a text says something besides headings, comments and markers of missing content.
fn has_substance(text: &str) -> bool {
    let text = text.replace(NOT_POPULATED, "").replace(NOT_AVAILABLE, "");
    let text = COMMENT.replace_all(&text, "");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(str::split_whitespace).filter(|word| word.chars().any(char::is_alphanumeric));
    words.take(MINIMUM_WORDS).count() == MINIMUM_WORDS
}

/// Returns 100 less the penalties of the issues of writing.
pub(super) fn quality(validations: &[Validation]) -> f64 {
    let Some(issues) = issues_of(validations, "quality/") else { return UNJUDGED };
    let count = |rule: &str| count_issues(&issues, |found| found == rule);
    let other = count_issues(&issues, |found| !PENALTIES.iter().any(|(rule, _, _)| *rule == found));
    let penalties: f64 = PENALTIES.iter().map(|(rule, each, most)| (each * count(rule)).min(*most)).sum();
    100.0 - penalties - (other * 2.0).min(20.0)
}

/// Penalties of the rules of writing: points for each issue, and the most that a rule costs, because one habit is one fault.
const PENALTIES: &[(&str, f64, f64)] = &[
    ("quality/work-in-progress", 10.0, 50.0),
    ("quality/vague-word", 2.0, 20.0),
    ("quality/passive-voice", 10.0, 10.0),
    ("quality/short-section", 3.0, 30.0),
];

/// Returns 100 less 5 for each placeholder.
pub(super) fn placeholders(validations: &[Validation]) -> f64 {
    let Some(issues) = issues_of(validations, "placeholder/") else { return UNJUDGED };
    100.0 - 5.0 * count_issues(&issues, |_| true)
}

fn count_issues(issues: &[&Issue], is_counted: impl Fn(&str) -> bool) -> f64 {
    issues.iter().filter(|issue| is_counted(&issue.rule)).fold(0.0, |count, _| count + 1.0)
}

/// Returns the issues of the validator whose rules begin so; `None` if it did not check the text.
fn issues_of<'a>(validations: &'a [Validation], prefix: &str) -> Option<Vec<&'a Issue>> {
    let name = prefix.trim_end_matches('/');
    let checked = validations.iter().filter(|validation| {
        validation.state == CheckState::Checked && validation.validator.starts_with(name)
    });
    let mut checked = checked.peekable();
    checked.peek()?;
    Some(
        checked
            .flat_map(|validation| &validation.issues)
            .filter(|issue| issue.rule.starts_with(prefix))
            .collect(),
    )
}
