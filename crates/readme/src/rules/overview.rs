//! Writes the overview section: description, compatibility, flow of data. Also has the functions for
//! sentences that the other writers share.

use std::sync::LazyLock;

use regex::Regex;

use crate::document::{FenceLine, FenceReader};
use crate::package::{DataStream, IntegrationPackage, KnowledgeTopic, PackagePlace, SERVICE_INFO};

use super::SectionWriter;
use super::foreign::{code, line, sentence};
use super::inputs::InputProfile;
use super::settings::{input_name, labelled};
use super::versions::{describe_range, describe_version};

/// Pattern of a product version: a number behind a word such as `firmware 5.2`, or with a comparison such
/// as `or later`.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:versions?|firmware|releases?|software)\s+(?:(?:below|before|since|from|until|above|after)\s+)?v?\d|\bv?\d+\.\d+(?:\.\d+)*\s*(?:\+|or (?:later|newer|higher|above|earlier|older)|and (?:later|newer|higher|above))",
    )
    .expect("a valid pattern")
});

/// Pattern of the names of the Elastic Stack. Their versions come from the manifest, not from sentences.
static ELASTIC: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:elastic|kibana|elasticsearch)\b").expect("a valid pattern"));

/// Maximum number of sentences about versions that are taken from the knowledge base.
const KNOWN_VERSIONS: usize = 3;

/// Maximum number of breaking changes that are listed; the changelog has all.
const BREAKING_CHANGES: usize = 5;

/// Maximum number of data streams that a sentence names; a table has all.
const NAMED_STREAMS: usize = 4;

impl SectionWriter<'_> {
    pub(super) fn overview(&mut self) {
        let package = self.page.package;
        self.descriptions();
        if package.data_streams.is_empty() {
            return;
        }
        let title = line(package.title());
        let subject =
            if title.is_empty() { "The integration".to_owned() } else { format!("The {title} integration") };
        let streams = &package.data_streams;
        let named: Vec<String> = streams
            .iter()
            .map(|stream| {
                if stream.title.is_empty() {
                    code(&stream.name)
                } else {
                    format!("**{}** ({})", line(&stream.title), code(&stream.name))
                }
            })
            .collect();
        let text = match streams.len() {
            1 => format!("{subject} stores the collected data in one data stream: {}.", named[0]),
            count if count <= NAMED_STREAMS => {
                format!(
                    "{subject} stores the collected data in {} data streams: {}.",
                    number(count),
                    join(&named)
                )
            }
            count => format!("{subject} stores the collected data in {} data streams.", number(count)),
        };
        self.page.block(&text, streams.iter().map(|stream| stream.place.clone()));
    }

    /// Writes the description of the manifest, the introduction of the knowledge base, and those
    /// descriptions of policy templates that differ from the first.
    fn descriptions(&mut self) {
        let manifest = &self.page.package.manifest;
        let description = sentence(&manifest.description);
        let mut places = vec![self.page.manifest_place("description")];
        let mut others: Vec<(String, PackagePlace)> = Vec::new();
        for template in &manifest.policy_templates {
            let text = sentence(&template.description);
            let place = PackagePlace { line: template.description_line, ..template.place.clone() };
            if text == description {
                places.push(place);
            } else if !text.is_empty() && others.iter().all(|(known, _)| *known != text) {
                let title = line(if template.title.is_empty() { &template.name } else { &template.title });
                others.push((format!("**{title}**: {text}"), place));
            }
        }
        self.page.block(&description, places);
        self.write_known(KnowledgeTopic::Introduction, self.level + 1);
        let (items, places): (Vec<String>, Vec<PackagePlace>) = others.into_iter().unzip();
        self.page.bullets(&items, places);
    }

    pub(super) fn compatibility(&mut self, title: Option<&str>) {
        let package = self.page.package;
        self.page.heading(self.level + 1, title.unwrap_or("Compatibility"));
        if !self.write_known(KnowledgeTopic::Compatibility, self.level + 2) {
            let (mut items, mut places) = versions_in_descriptions(package);
            for (text, place) in self.known_versions() {
                items.push(text);
                places.push(place);
            }
            if !items.is_empty() {
                self.page.bullets(&items, places);
            } else if package.manifest.version.is_empty() && package.manifest.kibana_version.is_empty() {
                self.page.general("The files of the package do not name supported versions of the product.");
            }
        }
        let mut places = Vec::new();
        let mut sentences = Vec::new();
        if !package.manifest.version.is_empty() {
            sentences.push(format!(
                "This document describes version {} of the integration.",
                describe_version(&package.manifest.version)
            ));
            places.push(self.page.manifest_place("version"));
        }
        if !package.manifest.kibana_version.is_empty() {
            sentences
                .push(format!("It requires Kibana {}.", describe_range(&package.manifest.kibana_version)));
            places.push(self.page.manifest_place("conditions.kibana.version"));
        }
        let beta: Vec<&DataStream> =
            package.data_streams.iter().filter(|stream| stream.release == "beta").collect();
        if !beta.is_empty() {
            let names: Vec<String> = beta.iter().map(|stream| code(&stream.name)).collect();
            sentences.push(match names.as_slice() {
                [one] => format!("The data stream {one} is in beta."),
                several => format!("The data streams {} are in beta.", join(several)),
            });
            places.extend(beta.iter().map(|stream| stream.place.clone()));
        }
        self.page.block(&sentences.join(" "), places);
        self.breaking_changes();
    }

    /// Writes the latest breaking changes as a list; nothing if there are none.
    fn breaking_changes(&mut self) {
        let changes = &self.page.package.manifest.breaking_changes;
        let more = changes.len() > BREAKING_CHANGES;
        let changes = changes.iter().take(BREAKING_CHANGES);
        let (items, places): (Vec<String>, Vec<PackagePlace>) = changes
            .map(|change| {
                let version = code(&change.version);
                (format!("{version}: {}", sentence(&change.description)), change.place.clone())
            })
            .unzip();
        if !items.is_empty() {
            self.page.general(if more {
                "The latest breaking changes, by version of the integration; the changelog has all:"
            } else {
                "Breaking changes, by version of the integration:"
            });
            self.page.bullets(&items, places);
        }
    }

    /// Returns sentences that name a product version, from anywhere in the knowledge base (code and tables
    /// left out, at most [`KNOWN_VERSIONS`]), each with the place of the heading above it.
    fn known_versions(&self) -> Vec<(String, PackagePlace)> {
        let Some(info) = self.info else { return Vec::new() };
        let mut found: Vec<(String, PackagePlace)> = Vec::new();
        for section in info.document().flatten() {
            let mut fences = FenceReader::default();
            for source in section.body.lines().map(str::trim) {
                if fences.read(source) != FenceLine::Outside || source.starts_with(['#', '|', '<']) {
                    continue;
                }
                let source = source.trim_start_matches(['-', '*', '+', ' ']);
                let is_version = |text: &&str| VERSION.is_match(text) && !ELASTIC.is_match(text);
                for text in sentences(source).into_iter().filter(is_version) {
                    let text = sentence(text);
                    if found.len() < KNOWN_VERSIONS && found.iter().all(|(known, _)| *known != text) {
                        let place = PackagePlace { path: SERVICE_INFO.to_owned(), line: section.line };
                        found.push((text, place));
                    }
                }
            }
        }
        found
    }

    pub(super) fn how_it_works(&mut self, title: Option<&str>) {
        self.page.heading(self.level + 1, title.unwrap_or("How it works"));
        let (items, places) = self.flows();
        if items.is_empty() {
            self.page.general("The files of the package name no inputs.");
        } else {
            self.page.bullets(&items, places);
        }
    }

    /// Returns a list item for each input type (how its data gets to Elastic, and which data streams it
    /// fills), and the places of the inputs.
    fn flows(&self) -> (Vec<String>, Vec<PackagePlace>) {
        let package = self.page.package;
        let (mut items, mut places) = (Vec::new(), Vec::new());
        for kind in package.input_kinds() {
            let profile = InputProfile::of(kind);
            let name = input_name(kind);
            let kind_code = code(kind);
            let named = if name == kind_code { kind_code } else { format!("**{name}** ({kind_code})") };
            let mut filled = Vec::new();
            let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
            places.extend(templates.filter(|input| input.kind == kind).map(|input| input.place.clone()));
            for stream in &package.data_streams {
                if let Some(input) = stream.inputs.iter().find(|input| input.kind == kind) {
                    filled.push(code(&stream.name));
                    places.push(input.place.clone());
                }
            }
            let target = match filled.len() {
                0 => String::new(),
                1 => format!(" The data goes to the data stream {}.", filled[0]),
                _ => format!(" The data goes to the data streams {}.", join(&filled)),
            };
            let own = own_words(package, kind);
            // Only some packages have the settings for it.
            let lists = if kind == "aws-s3" && lists_bucket(package) {
                " Where its settings name a bucket, it can list the bucket instead."
            } else {
                ""
            };
            items.push(format!("{named}: {}{lists}{target}{own}", profile.flow));
        }
        (items, places)
    }
}

/// Returns true if an `aws-s3` input of the package has a variable with `bucket` in its name, so that it
/// can list a bucket.
pub(super) fn lists_bucket(package: &IntegrationPackage) -> bool {
    let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    let inputs = templates.chain(package.data_streams.iter().flat_map(|stream| &stream.inputs));
    let mut variables = inputs.filter(|input| input.kind == "aws-s3").flat_map(|input| &input.variables);
    variables.any(|variable| variable.name.contains("bucket"))
}

/// Returns the manifest's descriptions of the inputs of a type as a nested Markdown list, each behind the
/// input's title. Sentences that begin with "Collect" are left out; empty if nothing is left.
fn own_words(package: &IntegrationPackage, kind: &str) -> String {
    let inputs = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    let mut words = String::new();
    for input in inputs.filter(|input| input.kind == kind) {
        let says_more = |text: &&str| !text.starts_with("Collect");
        let texts: Vec<String> =
            sentences(&input.description).into_iter().filter(says_more).map(sentence).collect();
        let title =
            if input.title.is_empty() { input_name(kind) } else { format!("**{}**", line(&input.title)) };
        let item = format!("\n  - {title}: {}", texts.join(" "));
        if !texts.is_empty() && !words.contains(&item) {
            words.push_str(&item);
        }
    }
    words
}

/// Returns the sentences in descriptions of policy templates, inputs and variables that name a version,
/// each once and with its subject in front, and their places.
fn versions_in_descriptions(package: &IntegrationPackage) -> (Vec<String>, Vec<PackagePlace>) {
    let (mut items, mut places): (Vec<String>, Vec<PackagePlace>) = (Vec::new(), Vec::new());
    let mut add = |subject: &str, description: &str, place: &PackagePlace| {
        for text in sentences(description).into_iter().filter(|text| VERSION.is_match(text)) {
            let text = sentence(text);
            if items.iter().all(|item| !item.ends_with(&text)) {
                items.push(if subject.is_empty() { text } else { format!("{subject}: {text}") });
                places.push(place.clone());
            }
        }
    };
    for template in &package.manifest.policy_templates {
        add("", &template.description, &template.place);
    }
    for (streams, input) in package.inputs() {
        let name = labelled(&streams, input);
        add(&capitalized(&name), &input.description, &input.place);
        for variable in &input.variables {
            let subject = format!("Setting {} of {name}", code(&variable.name));
            add(&subject, &variable.description, &variable.place);
        }
    }
    (items, places)
}

/// Returns the text with its first letter in upper case.
pub(super) fn capitalized(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Splits a text into sentences, at `.`, `!` or `?` before a space or a line end. So the dot in `1.2` ends
/// none.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let text = text.trim();
    let (mut found, mut start) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_end =
            matches!(c, '.' | '!' | '?') && chars.peek().is_some_and(|(_, next)| matches!(next, ' ' | '\n'));
        if is_end {
            found.push(text[start..=at].trim());
            start = at + 1;
        }
    }
    let rest = text[start..].trim();
    if !rest.is_empty() {
        found.push(rest);
    }
    found
}

/// Joins words for a sentence, with commas and a final `and`.
pub(super) fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [all @ .., last] => format!("{}, and {last}", all.join(", ")),
    }
}

/// Returns a number in words up to nine (`0` → `no`), in digits from ten on.
pub(super) fn number(count: usize) -> String {
    const WORDS: [&str; 10] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    WORDS.get(count).map_or_else(|| count.to_string(), |word| (*word).to_owned())
}
