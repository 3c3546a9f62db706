//! Writes the section about the collected data: data streams, transforms, use cases.

use crate::document::NOT_POPULATED;
use crate::package::{DataStream, KnowledgeTopic, PackagePlace};

use super::SectionWriter;
use super::foreign::{code, line, sentence};
use super::overview::join;
use super::settings::input_name;

impl SectionWriter<'_> {
    pub(super) fn data(&mut self) {
        let package = self.page.package;
        self.write_known(KnowledgeTopic::DataTypes, self.level + 1);
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
        if !self.known(KnowledgeTopic::UseCases).is_empty() {
            self.dashboards();
        }
        self.transforms();
    }

    fn transforms(&mut self) {
        for transform in &self.page.package.manifest.transforms {
            let mut text = format!("The package has the transform {}", code(&transform.name));
            match sentence(&transform.description) {
                description if description.is_empty() => text.push('.'),
                description => text = format!("{text}: {description}"),
            }
            if !transform.target.is_empty() {
                text = format!("{text} Query its results as {}", code(&transform.target));
                if !transform.frequency.is_empty() {
                    text = format!("{text}; it looks for new data every {}", code(&transform.frequency));
                }
                text.push('.');
            }
            if !transform.max_age.is_empty() {
                let age = code(&transform.max_age);
                text = format!("{text} Documents that are older than {age} are removed there.");
            }
            let folder = PackagePlace { path: "elasticsearch/transform".to_owned(), line: 0 };
            let place = if transform.place.path.is_empty() { folder } else { transform.place.clone() };
            self.page.block(&text, [place]);
        }
    }

    /// Writes a sentence that names the data streams and inputs that are off until the user turns them on.
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
        // A dashboard without panels is a defect of the package, which a reader of the document cannot use.
        let shown = manifest.dashboard_titles.iter().filter(|it| !manifest.empty_dashboards.contains(it));
        let items: Vec<String> = shown
            .map(|title| {
                let name = format!("**{}**", line(title));
                let about = manifest.dashboard_descriptions.get(title).map(|text| sentence(text));
                match about.filter(|about| !about.is_empty()) {
                    Some(about) => format!("{name}: {about}"),
                    None => name,
                }
            })
            .collect();
        if !items.is_empty() {
            let is_all = manifest.empty_dashboards.is_empty();
            self.page.general(match (items.len(), is_all) {
                (1, true) => "The package has this dashboard:",
                (1, false) => "This dashboard shows the data:",
                (_, true) => "The package has these dashboards:",
                (_, false) => "These dashboards show the data:",
            });
            self.page.bullets(&items, [PackagePlace { path: "kibana/dashboard".to_owned(), line: 0 }]);
        }
    }

    pub(super) fn use_cases(&mut self, title: Option<&str>) {
        self.page.heading(self.level + 1, title.unwrap_or("Supported use cases"));
        if self.write_known(KnowledgeTopic::UseCases, self.level + 2) {
            return;
        }
        // The dashboards show the uses that the package was made for.
        let manifest = &self.page.package.manifest;
        if manifest.dashboard_titles.len() == manifest.empty_dashboards.len() {
            self.page.general(NOT_POPULATED);
        } else {
            self.dashboards();
        }
    }
}

fn row(stream: &DataStream) -> Vec<String> {
    let title = if stream.title.is_empty() { &stream.name } else { &stream.title };
    let mut descriptions: Vec<(String, String)> = Vec::new();
    let mut kinds: Vec<String> = Vec::new();
    for input in &stream.inputs {
        let kind = code(&input.kind);
        let description = sentence(&input.description);
        if !description.is_empty() && descriptions.iter().all(|(_, known)| *known != description) {
            descriptions.push((kind.clone(), description));
        }
        if !kind.is_empty() && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let descriptions: Vec<String> = match descriptions.as_slice() {
        [(_, only)] => vec![only.clone()],
        // Each is about one way of the data.
        several => several.iter().map(|(kind, text)| format!("{kind}: {text}")).collect(),
    };
    vec![
        line(title),
        code(&stream.name),
        line(&stream.kind),
        code(&stream.dataset),
        descriptions.join(" "),
        kinds.join(", "),
    ]
}
