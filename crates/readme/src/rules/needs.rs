//! Writes the section about prerequisites: those of the product, and those of the Elastic Stack.

use std::sync::LazyLock;

use regex::Regex;

use crate::package::{DataStream, KnowledgeTopic, PackageVariable};

use super::SectionWriter;
use super::foreign::{code, line};
use super::overview::join;
use super::settings::{self, input_name};
use super::versions::describe_range;

/// Pattern of the words in a variable's description that make it required under a condition, such as
/// "required if".
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\brequired (?:if|when|unless|for)\b|\brequired (?:\w+ ){1,2}(?:if|when|unless|for)\b")
        .expect("a valid pattern")
});

impl SectionWriter<'_> {
    pub(super) fn needs(&mut self) {
        self.vendor_needs();
        self.elastic_needs();
    }

    fn vendor_needs(&mut self) {
        let level = self.level + 1;
        let required: Vec<_> = settings::variables_with_inputs(self.page.package)
            .into_iter()
            .filter(|(variable, _)| variable.is_required && variable.default.is_none() && !variable.is_unused)
            .collect();
        let conditional: Vec<_> = settings::variables_with_inputs(self.page.package)
            .into_iter()
            .map(|(variable, _)| variable)
            .filter(|variable| !variable.is_required && !variable.is_unused)
            .filter(|variable| CONDITION.is_match(&variable.description))
            .collect();
        let has_settings = !required.is_empty() || !conditional.is_empty();
        if self.known(KnowledgeTopic::VendorPrerequisites).is_empty() && !has_settings {
            return;
        }
        self.page.heading(level, "Vendor prerequisites");
        self.write_known(KnowledgeTopic::VendorPrerequisites, level + 1);
        if !required.is_empty() {
            let places: Vec<_> = required.iter().map(|(variable, _)| variable.place.clone()).collect();
            let items: Vec<String> = required
                .iter()
                .map(|(variable, input)| {
                    let title = if variable.title.is_empty() { &variable.name } else { &variable.title };
                    let named = format!("**{}** ({})", line(title), code(&variable.name));
                    match input {
                        Some(kind) => format!("{named}{}", self.condition(variable, kind)),
                        None => named,
                    }
                })
                .collect();
            self.page
                .general("Have the values of these settings ready. They are required and have no default:");
            self.page.bullets(&items, places);
        }
        self.conditional_settings(&conditional);
    }

    /// Writes the list of the given settings, which their descriptions call required under a condition.
    fn conditional_settings(&mut self, settings: &[&PackageVariable]) {
        if settings.is_empty() {
            return;
        }
        let items = settings.iter().map(|variable| {
            let title = if variable.title.is_empty() { &variable.name } else { &variable.title };
            format!("**{}** ({}): {}", line(title), code(&variable.name), settings::description(variable))
        });
        self.page.general("These settings are required under a condition:");
        self.page.bullets(&items.collect::<Vec<_>>(), settings.iter().map(|it| it.place.clone()));
    }

    /// Returns the words ", if you use the … input" that limit when a required variable of an input of the
    /// type `kind` is needed; empty if the package has no other type of input.
    fn condition(&self, variable: &PackageVariable, kind: &str) -> String {
        let package = self.page.package;
        let of_kind = |stream: &&DataStream| stream.inputs.iter().any(|input| input.kind == kind);
        let all: Vec<&DataStream> = package.data_streams.iter().filter(of_kind).collect();
        let requires = |stream: &&&DataStream| {
            let inputs = stream.inputs.iter().filter(|input| input.kind == kind);
            let mut variables = inputs.flat_map(|input| &input.variables);
            variables.any(|it| it.name == variable.name && it.is_required && it.default.is_none())
        };
        // A setting of the policy template is required for all of its streams.
        let own: Vec<&DataStream> = all.iter().filter(requires).copied().collect();
        let is_partial = !own.is_empty() && own.len() < all.len();
        let streams = if is_partial { own } else { all };
        let is_off = |stream: &&DataStream| {
            stream.inputs.iter().filter(|input| input.kind == kind).all(|input| input.is_off)
        };
        let input = input_name(kind);
        if !streams.is_empty() && streams.iter().all(is_off) {
            let names: Vec<String> = streams.iter().map(|stream| code(&stream.name)).collect();
            format!(", if you turn on the {input} input of {}", join(&names))
        } else if is_partial {
            let names: Vec<String> = streams.iter().map(|stream| code(&stream.name)).collect();
            format!(", if you use the {input} input of {}", join(&names))
        } else if package.input_kinds().len() > 1 {
            format!(", if you use the {input} input")
        } else {
            String::new()
        }
    }

    fn elastic_needs(&mut self) {
        let package = self.page.package;
        let level = self.level + 1;
        self.page.heading(level, "Elastic prerequisites");
        self.write_known(KnowledgeTopic::ElasticPrerequisites, level + 1);
        let (mut items, mut places) = (Vec::new(), Vec::new());
        let known: String =
            self.known(KnowledgeTopic::ElasticPrerequisites).iter().map(|part| part.section.text()).collect();
        let lowest = package.manifest.kibana_version.trim_start_matches(['^', '~', '>', '=', ' ']);
        let lowest = lowest.split([' ', '|']).next().unwrap_or_default();
        if !package.manifest.kibana_version.is_empty() && !known.contains(lowest) {
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
