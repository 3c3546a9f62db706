//! Writes the sections about troubleshooting and about performance: from the knowledge base, and from
//! general statements about the input types.

use crate::document::NOT_POPULATED;
use crate::package::{DataStream, KnowledgeTopic};

use super::SectionWriter;
use super::corrections::has_words;
use super::foreign::code;
use super::inputs::{InputClass, InputProfile, TroubleshootingRow, add_to_class};
use super::overview::{capitalized, join, lists_bucket};
use super::settings::{self, LocalAddress, input_name};

/// HTTP statuses that the general troubles in `inputs` mention.
const STATUSES: [&str; 3] = ["401", "403", "429"];

impl SectionWriter<'_> {
    pub(super) fn troubleshooting(&mut self) {
        let package = self.page.package;
        let known: String =
            self.known(KnowledgeTopic::Troubleshooting).iter().map(|part| part.section.text()).collect();
        self.write_known(KnowledgeTopic::Troubleshooting, self.level + 1);
        let has_checks =
            package.is_agent_based() || package.has_pipeline() || !package.input_kinds().is_empty();
        if has_checks {
            self.page.heading(self.level + 1, "General checks");
        } else if known.is_empty() {
            self.page.general(NOT_POPULATED);
        }
        if package.is_agent_based() {
            let start = if package.is_agentless() {
                "For the agent-based deployment, start with the logs of the agent"
            } else {
                "Start with the logs of the agent"
            };
            self.page.general(&format!(
                "{start}: in Kibana, open **Management > Fleet > Agents**, select the agent, and open **Logs**."
            ));
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut classes: Vec<(InputClass, Vec<String>)> = Vec::new();
        for kind in package.input_kinds() {
            let class = InputProfile::of(kind).class;
            // Both kinds of ports have the same troubles.
            let class = if class == InputClass::Udp { InputClass::Tcp } else { class };
            add_to_class(&mut classes, class, input_name(kind));
        }
        for (class, names) in &classes {
            // A status that the knowledge base explains has its reason there.
            let is_known = |trouble: &&TroubleshootingRow| {
                let mut statuses =
                    STATUSES.iter().filter(|status| trouble.symptom.contains(*status)).peekable();
                statuses.peek().is_some() && statuses.all(|status| has_words(&known, status))
            };
            for trouble in class.troubles().iter().filter(|trouble| !is_known(trouble)) {
                rows.push(vec![
                    join(names),
                    format!("{}.", trouble.symptom),
                    format!("{}.", trouble.cause),
                    format!("{}.", trouble.remedy),
                ]);
            }
        }
        for LocalAddress { variable, owners } in settings::local_addresses(package).iter().rev() {
            let ports = classes.iter().find(|(class, _)| class.is_listener());
            let name = code(&variable.name);
            let default = settings::default(variable);
            rows.insert(
                0,
                vec![
                    match owners.as_slice() {
                        [] => ports.map_or_else(String::new, |(_, names)| join(names)),
                        owners => capitalized(&join(owners)),
                    },
                    "The agent is healthy, but no events arrive from other hosts.".to_owned(),
                    format!("{name} has its default {default}, which only the host of the agent reaches."),
                    format!("Set {name} to an address of a network interface, or to `0.0.0.0`."),
                ],
            );
        }
        let of_package = package.manifest.reports_errors;
        let reports_errors = of_package || package.data_streams.iter().any(|stream| stream.reports_errors);
        if reports_errors && !known.contains("error.message") {
            let without: Vec<&DataStream> =
                package.data_streams.iter().filter(|stream| !stream.reports_errors).collect();
            let symptom = if of_package || without.is_empty() {
                "Events have the field `error.message`.".to_owned()
            } else {
                let with = package.data_streams.iter().filter(|stream| stream.reports_errors);
                let names: Vec<String> = with.map(|stream| code(&stream.name)).collect();
                format!("Events of {} have the field `error.message`.", join(&names))
            };
            rows.push(vec![
                String::new(),
                symptom,
                "The collection or the ingest pipeline failed for the event, for example because the format differs from the expected one.".to_owned(),
                "Read `error.message`, which names the failure. For a failure of the pipeline, compare the event with the format that the integration expects.".to_owned(),
            ]);
        }
        if !rows.is_empty() {
            self.page.table(&["Input", "Symptom", "Cause", "Remedy"], &rows, []);
        }
    }

    pub(super) fn performance(&mut self) {
        let package = self.page.package;
        let known: String =
            self.known(KnowledgeTopic::Performance).iter().map(|part| part.section.text()).collect();
        if self.write_known(KnowledgeTopic::Performance, self.level + 1) {
            self.page.heading(self.level + 1, "Advice for each input");
        }
        let mut classes: Vec<(InputClass, Vec<String>)> = Vec::new();
        for kind in package.input_kinds() {
            let name = input_name(kind);
            let kind_code = code(kind);
            let named = if name == kind_code { kind_code } else { format!("**{name}** ({kind_code})") };
            add_to_class(&mut classes, InputProfile::of(kind).class, named);
        }
        let has_prefix = settings::variables(package).iter().any(|it| it.name.contains("prefix"));
        let is_listed = |kind: &&str| matches!(*kind, "azure-blob-storage" | "gcs");
        let lists = lists_bucket(package) || package.input_kinds().iter().any(is_listed);
        let items = classes.iter().filter_map(|(class, names)| {
            let advice: Vec<&str> = class
                .scaling()
                .iter()
                .copied()
                // Advice that the package has, or has no setting for, is left out.
                .filter(|text| !(text.contains("load balancer") && known.contains("load balancer")))
                .filter(|text| has_prefix || !text.contains("prefix"))
                .filter(|text| lists || !text.contains("lists objects"))
                .collect();
            (!advice.is_empty()).then(|| format!("{}: {}", join(names), advice.join(" ")))
        });
        self.page.bullets(&items.collect::<Vec<_>>(), []);
        self.page.general("To see whether collection keeps up, compare `@timestamp` with `event.ingested` in new events. Where `@timestamp` is the time of the event, the difference is the delay of its arrival in Elasticsearch.");
    }
}
