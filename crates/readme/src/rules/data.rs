//! The collected data: data streams, transforms, use cases.

use crate::document::NOT_POPULATED;
use crate::package::{DataStream, KnowledgeTopic, PackagePlace};

use super::SectionWriter;
use super::foreign::{code, line, sentence};
use super::overview::join;

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
        let transforms: Vec<String> = package.manifest.transforms.iter().map(|name| code(name)).collect();
        if !transforms.is_empty() {
            let plural = if transforms.len() == 1 { "transform" } else { "transforms" };
            let text = format!("The package has the {plural} {}.", join(&transforms));
            self.page.block(&text, [PackagePlace { path: "elasticsearch/transform".to_owned(), line: 0 }]);
        }
    }

    pub(super) fn use_cases(&mut self, title: Option<&str>) {
        self.page.heading(self.level + 1, title.unwrap_or("Supported use cases"));
        let found = self.info.map(|info| info.sections(KnowledgeTopic::UseCases)).unwrap_or_default();
        if !self.page.knowledge(&found, self.level + 2) {
            self.page.general(NOT_POPULATED);
        }
    }
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
