//! Troubleshooting, and advice for large volumes: from the knowledge base, and general truths about the inputs.

use crate::document::NOT_POPULATED;
use crate::package::KnowledgeTopic;

use super::SectionWriter;
use super::foreign::code;
use super::inputs::{InputClass, InputProfile};
use super::overview::join;
use super::settings::input_name;

impl SectionWriter<'_> {
    pub(super) fn troubleshooting(&mut self) {
        let package = self.page.package;
        let found = self.info.map(|info| info.sections(KnowledgeTopic::Troubleshooting)).unwrap_or_default();
        self.page.knowledge(&found, self.level + 1);
        let has_checks =
            package.is_agent_based() || package.has_pipeline() || !package.input_kinds().is_empty();
        if has_checks {
            self.page.heading(self.level + 1, "General checks");
        } else if found.is_empty() {
            self.page.general(NOT_POPULATED);
        }
        if package.is_agent_based() {
            self.page.general("Start with the logs of the agent: in Kibana, open **Management > Fleet > Agents**, select the agent, and open **Logs**.");
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut classes: Vec<(InputClass, Vec<String>)> = Vec::new();
        for kind in package.input_kinds() {
            let class = InputProfile::of(kind).class;
            // Both kinds of ports have the same troubles.
            let class = if class == InputClass::Udp { InputClass::Tcp } else { class };
            match classes.iter_mut().find(|(known, _)| *known == class) {
                Some((_, names)) => names.push(input_name(kind)),
                None => classes.push((class, vec![input_name(kind)])),
            }
        }
        for (class, names) in &classes {
            for trouble in class.troubles() {
                rows.push(vec![
                    join(names),
                    format!("{}.", trouble.symptom),
                    format!("{}.", trouble.cause),
                    format!("{}.", trouble.remedy),
                ]);
            }
        }
        if package.has_pipeline() {
            rows.push(vec![
                "Any".to_owned(),
                "Events have the field `error.message`.".to_owned(),
                "The ingest pipeline failed for the event, for example because the format differs from the expected one.".to_owned(),
                "Read `error.message`, and compare the event with the format that the integration expects.".to_owned(),
            ]);
        }
        if !rows.is_empty() {
            self.page.table(&["Input", "Symptom", "Cause", "Remedy"], &rows, []);
        }
    }

    pub(super) fn performance(&mut self) {
        let package = self.page.package;
        let found = self.info.map(|info| info.sections(KnowledgeTopic::Performance)).unwrap_or_default();
        if self.page.knowledge(&found, self.level + 1) {
            self.page.heading(self.level + 1, "Advice for each input");
        }
        let mut items = Vec::new();
        for kind in package.input_kinds() {
            let name = input_name(kind);
            let kind_code = code(kind);
            let named = if name == kind_code { kind_code } else { format!("**{name}** ({kind_code})") };
            items.push(format!("{named}: {}", InputProfile::of(kind).class.scaling().join(" ")));
        }
        if !items.is_empty() {
            self.page.general(&items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n"));
        }
        self.page.general("To see whether collection keeps up, compare `@timestamp` with `event.ingested` in new events: the difference is the delay between the event and its arrival in Elasticsearch.");
    }
}
