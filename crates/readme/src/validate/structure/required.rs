//! Checks that the document has the sections and sub-sections that the template of the package demands
//! (SEC-102, SEC-103, SEC-107), and one about API usage (SEC-106).

use std::collections::BTreeSet;

use crate::document::DocumentSection;
use crate::package::{IntegrationPackage, SectionTopic, template_sections};
use crate::validate::Issue;
use crate::validate::page::{MarkdownPage, excerpt};

/// Sub-sections of a template with other titles that count as well: a title fits if it has all words of one
/// row.
const PART_ALIASES: &[(&str, &[&[&str]])] = &[
    (
        "compatibility",
        &[&["compatible"], &["compatibility"], &["supported", "versions"], &["tested", "versions"]],
    ),
    ("how it works", &[&["how", "works"], &["how", "work"], &["architecture"], &["data", "flow"]]),
    ("supported use cases", &[&["use", "cases"], &["use", "case"]]),
    (
        "agent based deployment",
        &[
            &["agent", "deployment"],
            &["agent", "based"],
            &["agent", "installation"],
            &["install", "agent"],
            &["deploy", "agent"],
            &["agent", "setup"],
        ],
    ),
    ("agentless deployment", &[&["agentless"]]),
    (
        "set up steps",
        &[
            &["set", "up"],
            &["setup"],
            &["configure"],
            &["configuration"],
            &["onboard"],
            &["onboarding"],
            &["installation", "steps"],
        ],
    ),
    (
        "validation",
        &[
            &["validation"],
            &["validate"],
            &["verify"],
            &["verification"],
            &["validating"],
            &["verifying"],
            &["confirm"],
            &["test"],
        ],
    ),
    ("inputs used", &[&["inputs"], &["input"]]),
];

/// Input types that request data from an API.
#[rustfmt::skip]
const API_INPUTS: &[&str] = &[
    "httpjson", "cel", "entity-analytics", "o365audit", "salesforce", "streaming", "websocket", "okta", "github",
    "aws/metrics",
];

/// Maximum number of sections of the document that are compared with the template, because both can be of
/// any size.
const SECTIONS: usize = 2_000;

/// A section of the document, with the facts by which its title is compared with the template.
struct TitledSection {
    title: String,
    words: Vec<String>,
    topic: Option<SectionTopic>,
    level: u8,
}

pub(super) fn check_required(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let Some(package) = page.package else { return Vec::new() };
    let mut issues = Vec::new();
    // Without any heading there is one issue, not one for each section.
    if page.parts.headings.is_empty() {
        return issues;
    }
    let sections: Vec<TitledSection> =
        page.parts.document.flatten().into_iter().take(SECTIONS).map(TitledSection::new).collect();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let template = template_sections(package);
    // Exact titles first, so that no section goes to the title of a like subject.
    let mut places: Vec<Option<usize>> = vec![None; template.len()];
    for is_exact in [true, false] {
        for (number, wanted) in template.iter().enumerate() {
            if places[number].is_some() {
                continue;
            }
            let (wanted_words, wanted_topic) = (words(&wanted.title), SectionTopic::of(&wanted.title));
            let fits = |section: &TitledSection| {
                if is_exact {
                    section.words == wanted_words
                } else {
                    wanted_topic.is_some() && section.topic == wanted_topic
                }
            };
            let found = sections.iter().enumerate().find(|(place, section)| {
                section.level == wanted.level && !used.contains(place) && fits(section)
            });
            places[number] = found.map(|(place, _)| place);
            used.extend(places[number]);
        }
    }
    for (wanted, place) in template.iter().zip(&places).filter(|(wanted, _)| !is_pattern(&wanted.title)) {
        let Some(place) = place else {
            let message = format!("the section \"{}\" of the template is missing", excerpt(&wanted.title));
            issues.push(page.issue_of_text(
                "structure/missing-section",
                message,
                "add the section at level 2",
            ));
            continue;
        };
        for part in wanted.parts.iter().filter(|part| !is_pattern(part) && !has_part(&sections, part)) {
            let message = format!("the part \"{}\" of the template is missing", excerpt(part));
            let section = &sections[*place].title;
            issues.push(page.issue_of_section(
                "structure/missing-part",
                section,
                message,
                "add the part at level 3",
            ));
        }
    }
    issues.extend(check_api_usage(page, package, &sections));
    issues
}

impl TitledSection {
    fn new(section: &DocumentSection) -> Self {
        let title = excerpt(&section.title).to_owned();
        Self { words: words(&title), topic: SectionTopic::of(&title), level: section.level, title }
    }
}

fn check_api_usage(
    page: &MarkdownPage<'_>,
    package: &IntegrationPackage,
    sections: &[TitledSection],
) -> Option<Issue> {
    let api_input = package.input_kinds().into_iter().find(|kind| API_INPUTS.contains(kind))?;
    let has_part =
        sections.iter().any(|section| section.words.iter().any(|word| word == "api" || word == "apis"));
    let message = format!("the input `{api_input}` asks an API, and no part describes the API usage");
    let fix = "add a part \"API usage\" with the endpoints and their documentation";
    (!has_part).then(|| page.issue_of_text("structure/api-usage", message, fix))
}

/// Returns true for a title of a template that stands for several titles, such as `{{ .DataStream }}` or
/// `<data stream>`, so that it cannot be demanded.
fn is_pattern(title: &str) -> bool {
    title.trim().is_empty() || title.contains(['{', '<', '['])
}

fn has_part(sections: &[TitledSection], part: &str) -> bool {
    let wanted = words(part);
    let aliases =
        PART_ALIASES.iter().find(|(title, _)| *title == wanted.join(" ")).map_or(&[][..], |(_, rows)| rows);
    sections.iter().any(|section| {
        let has = |word: &str| section.words.iter().any(|it| it == word);
        section.words == wanted
            || wanted.iter().all(|word| has(word))
            || aliases.iter().any(|row| row.iter().all(|word| has(word)))
    })
}

fn words(title: &str) -> Vec<String> {
    title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
