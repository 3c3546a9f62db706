//! The collected data: data streams, transforms, use cases.

use crate::document::NOT_POPULATED;
use crate::package::{DataStream, KnowledgeTopic, PackagePlace};

use super::SectionWriter;
use super::foreign::{code, line, sentence};
use super::overview::join;
use super::settings::input_name;

impl SectionWriter<'_> {
    pub(super) fn data(&mut self) {
        let package = self.page.package;
        let found = self.info.map(|info| info.sections(KnowledgeTopic::DataTypes)).unwrap_or_default();
        self.page.knowledge(&found, self.level + 1);
        if package.data_streams.is_empty() {
            self.page.general("The package has no data streams of its own.");
        } else {
            let rows: Vec<Vec<String>> = package.data_streams.iter().map(row).collect();
            let places = package.data_streams.iter().map(|stream| stream.place.clone());
            self.page.table(
                &["Data stream", "Name", "Type", "Dataset", "Description", "Inputs"],
                &rows,
                places,
            );
        }
        self.off_by_default();
        self.dashboards();
        let transforms: Vec<String> = package.manifest.transforms.iter().map(|name| code(name)).collect();
        if !transforms.is_empty() {
            let plural = if transforms.len() == 1 { "transform" } else { "transforms" };
            let text = format!("The package has the {plural} {}.", join(&transforms));
            self.page.block(&text, [PackagePlace { path: "elasticsearch/transform".to_owned(), line: 0 }]);
        }
    }

    /// Names the data streams and inputs that collect nothing until the user turns them on.
    fn off_by_default(&mut self) {
        let package = self.page.package;
        let (mut items, mut places) = (Vec::new(), Vec::new());
        for stream in &package.data_streams {
            let off: Vec<_> = stream.inputs.iter().filter(|input| input.is_off).collect();
            let name = code(&stream.name);
            match off.len() {
                0 => continue,
                count if count == stream.inputs.len() => items.push(format!("the data stream {name}")),
                _ => {
                    let kinds: Vec<String> = off.iter().map(|input| input_name(&input.kind)).collect();
                    let plural = if kinds.len() == 1 { "input" } else { "inputs" };
                    items.push(format!("the {} {plural} of {name}", join(&kinds)));
                }
            }
            places.extend(off.iter().map(|input| input.place.clone()));
        }
        if !items.is_empty() {
            let text = format!(
                "Off by default: {}. Turn on what you need in the settings of the integration.",
                join(&items)
            );
            self.page.block(&text, places);
        }
    }

    fn dashboards(&mut self) {
        let manifest = &self.page.package.manifest;
        let titles: Vec<String> = manifest.dashboard_titles.iter().map(|title| bold(title)).collect();
        if titles.is_empty() {
            return;
        }
        let plural = if titles.len() == 1 { "dashboard" } else { "dashboards" };
        let mut text = format!("The package has the {plural} {}.", join(&titles));
        let empty: Vec<String> = manifest.empty_dashboards.iter().map(|title| bold(title)).collect();
        match empty.as_slice() {
            [] => {}
            [one] => text.push_str(&format!(" {one} has no panels yet.")),
            several => text.push_str(&format!(" {} have no panels yet.", join(several))),
        }
        self.page.block(&text, [PackagePlace { path: "kibana/dashboard".to_owned(), line: 0 }]);
    }

    pub(super) fn use_cases(&mut self, title: Option<&str>) {
        self.page.heading(self.level + 1, title.unwrap_or("Supported use cases"));
        let found = self.info.map(|info| info.sections(KnowledgeTopic::UseCases)).unwrap_or_default();
        if !self.page.knowledge(&found, self.level + 2) {
            self.page.general(NOT_POPULATED);
        }
    }
}

fn bold(title: &str) -> String {
    format!("**{}**", line(title))
}

fn row(stream: &DataStream) -> Vec<String> {
    let title = if stream.title.is_empty() { &stream.name } else { &stream.title };
    let mut descriptions: Vec<String> = Vec::new();
    let mut kinds: Vec<String> = Vec::new();
    for input in &stream.inputs {
        let description = sentence(&input.description);
        if !description.is_empty() && !descriptions.contains(&description) {
            descriptions.push(description);
        }
        let kind = code(&input.kind);
        if !kind.is_empty() && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    vec![
        line(title),
        code(&stream.name),
        line(&stream.kind),
        code(&stream.dataset),
        descriptions.join(" "),
        kinds.join(", "),
    ]
}
