//! The overview: description, compatibility, flow of data.

use crate::package::{KnowledgeTopic, PackagePlace};

use super::SectionWriter;
use super::foreign::{code, line, sentence};
use super::inputs::InputProfile;
use super::settings::input_name;
use super::versions::{describe_range, describe_version};

/// Most data streams that a sentence names; a table has all.
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

    /// Writes the description of the manifest, and those of policy templates that say something else.
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
        let (items, places): (Vec<String>, Vec<PackagePlace>) = others.into_iter().unzip();
        self.page.bullets(&items, places);
    }

    pub(super) fn compatibility(&mut self, title: Option<&str>) {
        let package = self.page.package;
        self.page.heading(self.level + 1, title.unwrap_or("Compatibility"));
        let found = self.info.map(|info| info.sections(KnowledgeTopic::Compatibility)).unwrap_or_default();
        if !self.page.knowledge(&found, self.level + 2) {
            self.page.general("The files of the package do not name the versions of the product that the integration supports.");
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
        self.page.block(&sentences.join(" "), places);
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

    /// Returns a sentence for each input type, with the data streams that it fills.
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
            items.push(format!("{named}: {}{target}", profile.flow));
        }
        (items, places)
    }
}

/// Joins words with commas and a final `and`.
pub(super) fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [all @ .., last] => format!("{}, and {last}", all.join(", ")),
    }
}

/// Returns a number as a word up to nine, as text has it.
pub(super) fn number(count: usize) -> String {
    const WORDS: [&str; 10] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    WORDS.get(count).map_or_else(|| count.to_string(), |word| (*word).to_owned())
}
