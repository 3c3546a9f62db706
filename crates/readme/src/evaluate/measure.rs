//! Computes the five scores of a document. Each component of a score has a maximum number of points, and
//! gives the fraction of them that the document fulfils.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::metrics::UNJUDGED;
use super::words::content_words;
use crate::document::{DocumentSection, NOT_AVAILABLE, NOT_POPULATED, ReadmeDocument, parse_all};
use crate::package::{DataStream, IntegrationPackage, SectionTopic, template_sections};
use crate::validate::{CheckState, Issue, Validation};

/// Minimum number of words for a section to count as having content.
const MINIMUM_WORDS: usize = 3;

static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->").expect("the pattern is fixed"));
static FIELDS_TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\{\{-?\s*fields(?:\s+["`]?([\w.-]+)["`]?)?\s*-?\}\}"#).expect("the pattern is fixed")
});

/// Returns the score of the headings, 0 to 100: 60 points for the share of the template's sections that the
/// document has, 20 for the share of its sub-sections, 20 for the share of headings at a correct level.
/// Without a package, the built-in template is used.
pub(super) fn structure(text: &str, document: &ReadmeDocument, package: Option<&IntegrationPackage>) -> f64 {
    // Without a package, the built-in template.
    let template = template_sections(package.unwrap_or(&IntegrationPackage::default()));
    let headings = |is_part: fn(u8) -> bool| -> BTreeSet<Heading> {
        let sections = document.flatten().into_iter().filter(|section| is_part(section.level));
        // Each title once: a megabyte can repeat one heading a hundred thousand times.
        let titles: BTreeSet<&str> = sections.map(|section| section.title.as_str()).collect();
        titles.into_iter().map(Heading::of).collect()
    };
    let (sections, parts) = (headings(|level| level == 2), headings(|level| level > 2));
    // A title that is a template tag is known only once it is rendered.
    let is_known = |title: &&String| !title.contains("{{");
    let required = template.iter().map(|section| &section.title).filter(is_known);
    let required = share(required.map(|title| {
        let section = Heading::of(title);
        sections.iter().any(|heading| heading.names(&section) || heading.has_topic_of(&section))
    }));
    let recommended = template.iter().flat_map(|section| &section.parts).filter(is_known);
    let recommended = share(recommended.map(|title| {
        let part = Heading::of(title);
        parts.iter().any(|heading| heading.names(&part))
    }));
    60.0 * required + 20.0 * recommended + 20.0 * ordered_share(text)
}

/// The meaning of a heading, by which headings are compared: its subject and its significant words.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Heading {
    topic: Option<SectionTopic>,
    words: BTreeSet<String>,
}

impl Heading {
    fn of(title: &str) -> Self {
        let mut words = content_words(title);
        if words.is_empty() {
            // A title of stop words alone is compared as a whole.
            words.insert(squeeze(title));
        }
        Self { topic: SectionTopic::of(title), words }
    }

    /// Returns true if one heading has all significant words of the other, so that both mean the same part
    /// of a document.
    fn names(&self, part: &Self) -> bool {
        part.words.is_subset(&self.words) || self.words.is_subset(&part.words)
    }

    fn has_topic_of(&self, section: &Self) -> bool {
        self.topic.is_some() && self.topic == section.topic
    }
}

/// Returns the share (0 to 1) of headings at a correct level: the first has level 1, no other has, and none
/// skips a level. 0 without headings.
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

/// Returns the share of true values, 0 to 1. Without values it is 1, because nothing is missing.
fn share(found: impl IntoIterator<Item = bool>) -> f64 {
    mean(found.into_iter().map(|is_found| if is_found { 1.0 } else { 0.0 })).unwrap_or(1.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The words of a text, prepared for looking up names and titles in it.
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

/// Returns the agreement of the document with the package, 0 to 100: 20 points for its name, 20 for its
/// title, 40 for the share of data streams that are named, 20 for the share of their fields. A component
/// for which the package has no facts is left out of the sum, and the rest is scaled up.
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

/// Returns the text in lower case, with every run of white space as one space.
fn squeeze(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the share (0 to 1) of a data stream's fields that the document shows: 1 if it has the
/// `{{fields}}` tag of the stream, else the share of fields that it names. `None` for a stream without
/// fields.
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

/// Returns the score of the content, 0 to 100: 25 points for the set-up, and 15 each for data,
/// prerequisites, troubleshooting, performance and reference. A section with a heading and no text counts
/// as missing.
pub(super) fn completeness(document: &ReadmeDocument, package: Option<&IntegrationPackage>) -> f64 {
    let titles: BTreeSet<&str> = document.flatten().iter().map(|section| section.title.as_str()).collect();
    let texts = |is_about: &dyn Fn(&str) -> bool| -> Vec<String> {
        let titles: BTreeSet<&str> = titles.iter().copied().filter(|title| is_about(title)).collect();
        let sections = find_outermost(&document.sections, &titles);
        sections.iter().map(|section| section.text()).filter(|text| has_substance(text)).collect()
    };
    let about = |topic: SectionTopic| texts(&|title| SectionTopic::of(title) == Some(topic));
    let has_part = |topic: SectionTopic| share([!about(topic).is_empty()]);
    // Data and reference are about the data streams, as far as they are known.
    let streams = package.map(|package| package.data_streams.as_slice()).unwrap_or_default();
    let on_streams = |topic: SectionTopic| {
        let text = about(topic).concat();
        let words = TextWords::of(&text);
        if text.is_empty() { 0.0 } else { share(streams.iter().map(|stream| words.has_stream(stream))) }
    };
    let setup = about(SectionTopic::Deploy);
    let in_kibana = setup.iter().any(|text| {
        let words = TextWords::of(text);
        words.has("kibana") || words.has("fleet")
    });
    let validation = texts(&|title| content_words(title).contains("validation"));
    15.0 * (on_streams(SectionTopic::Data)
        + has_part(SectionTopic::Needs)
        + has_part(SectionTopic::Troubleshooting)
        + has_part(SectionTopic::Performance)
        + on_streams(SectionTopic::Reference))
        + 25.0 * share([!setup.is_empty(), in_kibana, !validation.is_empty()])
}

/// Returns the sections that have one of these titles, in document order; none inside another found one.
fn find_outermost<'a>(sections: &'a [DocumentSection], titles: &BTreeSet<&str>) -> Vec<&'a DocumentSection> {
    let mut found = Vec::new();
    for section in sections {
        if titles.contains(section.title.as_str()) {
            found.push(section);
        } else {
            found.extend(find_outermost(&section.children, titles));
        }
    }
    found
}

/// Returns true if a text has at least [`MINIMUM_WORDS`] words besides headings, comments and the markers
/// of missing content.
fn has_substance(text: &str) -> bool {
    let text = text.replace(NOT_POPULATED, "").replace(NOT_AVAILABLE, "");
    let text = COMMENT.replace_all(&text, "");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(str::split_whitespace).filter(|word| word.chars().any(char::is_alphanumeric));
    words.take(MINIMUM_WORDS).count() == MINIMUM_WORDS
}

/// Returns the score of the writing: 100 minus the penalties for the issues of the rules `quality/…`;
/// [`UNJUDGED`] if no validator of these rules checked the text.
pub(super) fn quality(validations: &[Validation]) -> f64 {
    let Some(issues) = issues_of(validations, "quality/") else { return UNJUDGED };
    let count = |rule: &str| count_issues(&issues, |found| found == rule);
    let other = count_issues(&issues, |found| !PENALTIES.iter().any(|(rule, _, _)| *rule == found));
    let penalties: f64 = PENALTIES.iter().map(|(rule, each, most)| (each * count(rule)).min(*most)).sum();
    100.0 - penalties - (other * 2.0).min(20.0)
}

/// Rules of writing with the points that each of their issues costs, and the maximum that a rule costs,
/// because one repeated habit is one fault.
const PENALTIES: &[(&str, f64, f64)] = &[
    ("quality/work-in-progress", 10.0, 50.0),
    ("quality/vague-word", 2.0, 20.0),
    ("quality/passive-voice", 10.0, 10.0),
    ("quality/short-section", 3.0, 30.0),
];

/// Returns 100 minus 5 for each issue of the rules `placeholder/…`; [`UNJUDGED`] if no validator of these
/// rules checked the text.
pub(super) fn placeholders(validations: &[Validation]) -> f64 {
    let Some(issues) = issues_of(validations, "placeholder/") else { return UNJUDGED };
    100.0 - 5.0 * count_issues(&issues, |_| true)
}

fn count_issues(issues: &[&Issue], is_counted: impl Fn(&str) -> bool) -> f64 {
    issues.iter().filter(|issue| is_counted(&issue.rule)).fold(0.0, |count, _| count + 1.0)
}

/// Returns the issues whose rules begin with `prefix`, such as `quality/`; `None` if no validator of that
/// name checked the text.
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
