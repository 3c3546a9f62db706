//! Writes the reference section: the inputs, a sub-section for each data stream with its tags, and pages of
//! the vendor.

use std::collections::{BTreeMap, BTreeSet};

use crate::fix::{is_tag_name, stream_tags};
use crate::package::{
    DataStream, IntegrationPackage, KnowledgeTopic, PackageInput, PackagePlace, PackageVariable,
    SERVICE_INFO, SectionTopic, template_sections,
};

use crate::validate::is_local_target;

use super::SectionWriter;
use super::foreign::{self, code, line};
use super::inputs::{InputClass, InputProfile};
use super::overview::join;
use super::settings::{self, input_name};

/// Title of the sub-section with links to pages of the vendor.
pub(super) const VENDOR_PAGES: &str = "Vendor documentation";

impl SectionWriter<'_> {
    pub(super) fn inputs_used(&mut self, title: Option<&str>) {
        let package = self.page.package;
        self.page.heading(self.level + 1, title.unwrap_or("Inputs used"));
        let kinds = package.input_kinds();
        if kinds.is_empty() {
            self.page.general("The files of the package name no inputs.");
            return;
        }
        let rows: Vec<Vec<String>> = kinds
            .iter()
            .map(|kind| {
                let name = input_name(kind);
                let page = InputProfile::of(kind).address();
                let page = page.map_or_else(String::new, |address| format!("[{name} input]({address})"));
                let streams = package.data_streams.iter();
                let streams = streams.filter(|stream| stream.inputs.iter().any(|input| input.kind == *kind));
                vec![
                    code(kind),
                    streams.map(|stream| code(&stream.name)).collect::<Vec<_>>().join(", "),
                    page,
                ]
            })
            .collect();
        let streams = package.data_streams.iter().flat_map(|stream| &stream.inputs);
        let inputs =
            package.manifest.policy_templates.iter().flat_map(|template| &template.inputs).chain(streams);
        self.page.table(
            &["Input", "Data streams", "Documentation"],
            &rows,
            inputs.map(|input| input.place.clone()).collect::<Vec<_>>(),
        );
    }

    /// Writes the sub-section about API usage: the settings for the address of the API and for the interval
    /// between requests. Writes nothing if no input calls an API.
    pub(super) fn api_usage(&mut self, title: Option<&str>) {
        let package = self.page.package;
        let is_api = |kind: &str| InputProfile::of(kind).class == InputClass::Api;
        let kinds: Vec<&str> = package.input_kinds().into_iter().filter(|kind| is_api(kind)).collect();
        if kinds.is_empty() {
            return;
        }
        self.page.heading(self.level + 1, title.unwrap_or("API usage"));
        let names: Vec<String> = kinds.iter().map(|kind| input_name(kind)).collect();
        let (settings, places) = api_settings(package, &kinds);
        let calls = match names.as_slice() {
            [one] => format!("The {one} input calls the API of the product."),
            several => format!("The {} inputs call APIs of the product.", join(several)),
        };
        if settings.is_empty() {
            self.page.block(&calls, places);
        } else {
            let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
            let streams = package.data_streams.iter().flat_map(|stream| &stream.inputs);
            let inputs = templates.chain(streams).filter(|input| is_api(&input.kind));
            let variables = || inputs.clone().flat_map(|input| &input.variables);
            let subject = match (variables().any(is_address), variables().any(is_interval)) {
                (true, true) => "the addresses and the time between requests",
                (true, false) => "the addresses",
                _ => "the time between requests",
            };
            self.page.general(&format!("{calls} These settings are about {subject}:"));
            self.page.bullets(&settings, places);
        }
    }

    pub(super) fn reference(&mut self) {
        self.streams();
        self.other_knowledge();
        self.vendor_pages();
    }

    /// Writes the parts of the knowledge base without a known subject, under their own titles. Titles that
    /// the template has elsewhere are left out.
    fn other_knowledge(&mut self) {
        let Some(info) = self.info else { return };
        let sections = template_sections(self.page.package);
        for part in info.other_parts() {
            let is_same = |title: &String| title.trim().eq_ignore_ascii_case(part.section.title.trim());
            // The template asks for it in a place of its own.
            if sections.iter().any(|section| is_same(&section.title) || section.parts.iter().any(is_same)) {
                continue;
            }
            let title = line(&part.section.title);
            if !title.is_empty() {
                self.page.heading(self.level + 1, &title);
                self.page.knowledge(&[&part.section], self.level + 2);
            }
        }
    }

    fn streams(&mut self) {
        let package = self.page.package;
        for stream in &package.data_streams {
            let heading = stream_title(package, stream);
            self.page.heading(self.level + 1, &heading);
            let mut facts = Vec::new();
            if !stream.dataset.is_empty() {
                facts.push(format!("the dataset {}", code(&stream.dataset)));
            }
            if !stream.kind.is_empty() {
                facts.push(format!("the type {}", code(&stream.kind)));
            }
            if !facts.is_empty() {
                let text = format!("The data stream {} has {}.", code(&stream.name), join(&facts));
                self.page.block(&text, [stream.place.clone()]);
            }
            if is_tag_name(&stream.name) {
                stream_tags(stream).iter().for_each(|tag| self.page.general(tag));
            }
        }
    }

    /// Writes the sub-section of vendor pages: the knowledge base's sections of links, and its other web
    /// links that no section of the document shows.
    fn vendor_pages(&mut self) {
        let Some(info) = self.info else { return };
        let found = info.sections_for(SectionTopic::Reference);
        let shown: BTreeSet<String> = self.shown_links();
        // The text of `info` may have fewer lines than the file.
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for link in crate::document::links(self.page.package.service_info.as_deref().unwrap_or_default()) {
            lines.entry(link.target).or_insert(link.line);
        }
        let mut others: Vec<(String, PackagePlace)> = Vec::new();
        for link in info.links() {
            let is_web = link.target.starts_with("https://") || link.target.starts_with("http://");
            // The label of a footnote is no title.
            let is_named = link.text.chars().any(char::is_alphabetic);
            let is_public = is_web && is_named && !is_local_target(&link.target);
            if is_public && !link.is_image && !shown.contains(&link.target) {
                let words = foreign::link_words(&link.text, &link.target);
                let place = PackagePlace {
                    path: SERVICE_INFO.to_owned(),
                    line: lines.get(&link.target).copied().unwrap_or(0),
                };
                if others.iter().all(|(known, _)| *known != words) {
                    others.push((words, place));
                }
            }
        }
        if found.is_empty() && others.is_empty() {
            return;
        }
        self.page.heading(self.level + 1, VENDOR_PAGES);
        self.page.knowledge(&found, self.level + 2);
        if !others.is_empty() {
            let (items, places): (Vec<String>, Vec<PackagePlace>) = others.into_iter().unzip();
            self.page.bullets(&items, places);
        }
    }

    /// Returns the targets of the links in all parts of the knowledge base, which the document shows in
    /// some section.
    fn shown_links(&self) -> BTreeSet<String> {
        let Some(info) = self.info else { return BTreeSet::new() };
        let other = info.other_parts().into_iter().map(|part| &part.section);
        let sections = KnowledgeTopic::ALL.iter().flat_map(|topic| info.sections(*topic)).chain(other);
        sections.flat_map(|section| crate::document::links(&section.text())).map(|link| link.target).collect()
    }
}

/// A default value of a setting as text, and the data streams or inputs that have it.
type DefaultOwners = (String, Vec<String>);

/// Returns the list items about the API settings (address and interval) of inputs of these types, each with
/// its default, and the places of the settings. A setting with several defaults tells which data stream has
/// which.
fn api_settings(package: &IntegrationPackage, kinds: &[&str]) -> (Vec<String>, Vec<PackagePlace>) {
    let is_wanted = |variable: &&PackageVariable| is_address(variable) || is_interval(variable);
    let mut found: Vec<(String, Vec<DefaultOwners>)> = Vec::new();
    let mut places = Vec::new();
    let mut add = |variable: &PackageVariable, owner: Option<String>| {
        let default = match settings::default(variable) {
            none if none.is_empty() => "no default".to_owned(),
            default => format!("default {default}"),
        };
        places.push(variable.place.clone());
        let name = code(&variable.name);
        let at = found.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            found.push((name, Vec::new()));
            found.len() - 1
        });
        let defaults = &mut found[at].1;
        match defaults.iter_mut().find(|(known, _)| *known == default) {
            Some((_, owners)) => owners.extend(owner),
            None => defaults.push((default, owner.into_iter().collect())),
        }
    };
    let is_api = |input: &&PackageInput| kinds.contains(&input.kind.as_str());
    let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    for input in templates.filter(is_api) {
        let owner = (kinds.len() > 1).then(|| format!("the {} input", input_name(&input.kind)));
        input.variables.iter().filter(is_wanted).for_each(|variable| add(variable, owner.clone()));
    }
    for stream in &package.data_streams {
        for input in stream.inputs.iter().filter(is_api) {
            input
                .variables
                .iter()
                .filter(is_wanted)
                .for_each(|variable| add(variable, Some(code(&stream.name))));
        }
    }
    let items = found.into_iter().map(|(name, defaults)| {
        let only = defaults.len() == 1;
        let texts = defaults.into_iter().map(|(default, owners)| match owners.as_slice() {
            _ if only => default,
            [] => default,
            owners => format!("{default} for {}", join(owners)),
        });
        format!("{name}: {}.", texts.collect::<Vec<_>>().join(", "))
    });
    (items.collect(), places)
}

/// Returns the title of the sub-section about a data stream: its own title, with the name behind it if
/// another data stream has the same title.
pub(crate) fn stream_title(package: &IntegrationPackage, stream: &DataStream) -> String {
    let title = line(&stream.title);
    let is_same = |other: &&DataStream| other.title.trim().eq_ignore_ascii_case(stream.title.trim());
    match () {
        () if title.is_empty() => {
            let name = line(&stream.name);
            if name.is_empty() { "Data stream".to_owned() } else { name }
        }
        () if package.data_streams.iter().filter(is_same).count() > 1 => {
            format!("{title} ({})", line(&stream.name))
        }
        () => title,
    }
}

/// Returns true if a variable is the time between two requests. An `initial_interval` is something else:
/// the age of the first events.
fn is_interval(variable: &PackageVariable) -> bool {
    let name = variable.name.to_lowercase();
    let ends =
        ["poll_interval", "polling_interval", "request_interval", "fetch_interval", "collection_interval"];
    name == "interval" || ends.iter().any(|end| name.ends_with(end))
}

/// Returns true if a variable holds the address of an API; the address of a proxy does not count.
fn is_address(variable: &PackageVariable) -> bool {
    let name = variable.name.to_lowercase();
    (variable.kind == "url"
        || name == "url"
        || name.ends_with("_url")
        || name == "api_host"
        || name == "hostname")
        && !name.contains("proxy")
}
