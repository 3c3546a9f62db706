//! Prerequisites of the product and of the Elastic Stack.

use crate::package::{KnowledgeTopic, SectionTopic};

use super::SectionWriter;
use super::foreign::{code, line};
use super::settings;
use super::versions::describe_range;

impl SectionWriter<'_> {
    pub(super) fn needs(&mut self) {
        self.vendor_needs();
        self.elastic_needs();
    }

    fn vendor_needs(&mut self) {
        let level = self.level + 1;
        let mut found =
            self.info.map(|info| info.sections(KnowledgeTopic::VendorPrerequisites)).unwrap_or_default();
        let elastic =
            self.info.map(|info| info.sections(KnowledgeTopic::ElasticPrerequisites)).unwrap_or_default();
        if found.is_empty() && elastic.is_empty() {
            found = self.info.map(|info| info.sections_for(SectionTopic::Needs)).unwrap_or_default();
        }
        let required: Vec<_> = settings::variables(self.page.package)
            .into_iter()
            .filter(|variable| variable.is_required && variable.default.is_none() && !variable.is_unused)
            .collect();
        if found.is_empty() && required.is_empty() {
            return;
        }
        self.page.heading(level, "Vendor prerequisites");
        self.page.knowledge(&found, level + 1);
        if !required.is_empty() {
            let places: Vec<_> = required.iter().map(|variable| variable.place.clone()).collect();
            let items: Vec<String> = required
                .iter()
                .map(|variable| {
                    let title = if variable.title.is_empty() { &variable.name } else { &variable.title };
                    format!("**{}** ({})", line(title), code(&variable.name))
                })
                .collect();
            self.page
                .general("Have the values of these settings ready. They are required and have no default:");
            self.page.bullets(&items, places);
        }
    }

    fn elastic_needs(&mut self) {
        let package = self.page.package;
        let level = self.level + 1;
        self.page.heading(level, "Elastic prerequisites");
        let found =
            self.info.map(|info| info.sections(KnowledgeTopic::ElasticPrerequisites)).unwrap_or_default();
        self.page.knowledge(&found, level + 1);
        let (mut items, mut places) = (Vec::new(), Vec::new());
        if !package.manifest.kibana_version.is_empty() {
            items.push(format!("Kibana {}.", describe_range(&package.manifest.kibana_version)));
            places.push(self.page.manifest_place("conditions.kibana.version"));
        }
        if !package.manifest.subscription.is_empty() {
            let subscription = line(&package.manifest.subscription);
            items.push(format!("An Elastic subscription of the level **{subscription}** or a higher level."));
            places.push(self.page.manifest_place("conditions.elastic.subscription"));
        }
        match (package.is_agent_based(), package.is_agentless()) {
            (true, true) => {
                items.push(
                    "For the agent-based deployment, an Elastic Agent that is enrolled in Fleet.".to_owned(),
                );
            }
            (true, false) => items.push("An Elastic Agent that is enrolled in Fleet.".to_owned()),
            (false, _) => {}
        }
        items.push("A user of Kibana with the privileges to add integrations.".to_owned());
        self.page.bullets(&items, places);
    }
}
