//! The reference: inputs, a part for each data stream with its tags, pages of the vendor.

use std::collections::{BTreeMap, BTreeSet};

use crate::fix::{is_tag_name, stream_tags};
use crate::package::{KnowledgeTopic, PackagePlace, SERVICE_INFO, SectionTopic};

use super::SectionWriter;
use super::foreign::{self, code, line};
use super::inputs::InputProfile;
use super::overview::join;
use super::settings::input_name;

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

    pub(super) fn reference(&mut self) {
        self.streams();
        self.vendor_pages();
    }

    fn streams(&mut self) {
        let package = self.page.package;
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for stream in &package.data_streams {
            *uses.entry(line(&stream.title).to_lowercase()).or_default() += 1;
        }
        for stream in &package.data_streams {
            let title = line(&stream.title);
            let is_unique = !title.is_empty() && uses.get(&title.to_lowercase()) == Some(&1);
            let heading = match () {
                () if title.is_empty() => line(&stream.name),
                () if is_unique => title,
                () => format!("{title} ({})", line(&stream.name)),
            };
            self.page.heading(self.level + 1, &heading);
            let mut parts = vec![format!("name {}", code(&stream.name))];
            if !stream.dataset.is_empty() {
                parts.push(format!("dataset {}", code(&stream.dataset)));
            }
            if !stream.kind.is_empty() {
                parts.push(format!("type {}", code(&stream.kind)));
            }
            let fields = match stream.fields.len() {
                0 => "No fields are declared.".to_owned(),
                1 => "One field is declared.".to_owned(),
                count => format!("{count} fields are declared."),
            };
            self.page.block(
                &format!("The data stream has the {}. {fields}", join(&parts)),
                [stream.place.clone()],
            );
            if is_tag_name(&stream.name) {
                stream_tags(stream).iter().for_each(|tag| self.page.general(tag));
            }
        }
    }

    /// Writes the pages that the knowledge base names, and the links of its parts that no section shows.
    fn vendor_pages(&mut self) {
        let Some(info) = self.info else { return };
        let found = info.sections_for(SectionTopic::Reference);
        let shown: BTreeSet<String> = self.shown_links();
        let mut others: Vec<(String, PackagePlace)> = Vec::new();
        for link in info.links() {
            let is_web = link.target.starts_with("https://") || link.target.starts_with("http://");
            if is_web && !link.is_image && !shown.contains(&link.target) {
                let words = foreign::link_words(&link.text, &link.target);
                let place = PackagePlace { path: SERVICE_INFO.to_owned(), line: link.line };
                if others.iter().all(|(known, _)| *known != words) {
                    others.push((words, place));
                }
            }
        }
        if found.is_empty() && others.is_empty() {
            return;
        }
        self.page.heading(self.level + 1, "Vendor documentation");
        self.page.knowledge(&found, self.level + 2);
        if !others.is_empty() {
            let (items, places): (Vec<String>, Vec<PackagePlace>) = others.into_iter().unzip();
            self.page.bullets(&items, places);
        }
    }

    /// Returns the targets of the links in all parts of the knowledge base that the document shows.
    fn shown_links(&self) -> BTreeSet<String> {
        let Some(info) = self.info else { return BTreeSet::new() };
        let mut sections =
            KnowledgeTopic::ALL.iter().flat_map(|topic| info.sections(*topic)).collect::<Vec<_>>();
        sections.extend(info.sections_for(SectionTopic::Reference));
        sections
            .iter()
            .flat_map(|section| crate::document::links(&section.text()))
            .map(|link| link.target)
            .collect()
    }
}
