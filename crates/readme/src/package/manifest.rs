//! The manifest of a package (`manifest.yml`), with the facts of its dashboards, pipelines, transforms and
//! changelog.

use std::collections::BTreeMap;

use serde_json::Value;
use stategraph_yaml::{YamlNode, YamlValue};

use super::data_stream::has_files;
use super::fields::has_ending;
use super::parts::PartReader;
use super::reader::{PackageEntry, PackageReader};
use super::{PackageManifest, PolicyTemplate, changelog, pipeline, transform};

/// Path of the manifest relative to the package.
pub const MANIFEST: &str = "manifest.yml";

/// Folder of the dashboards, relative to the package.
const DASHBOARDS: &str = "kibana/dashboard";

/// Folder of the ingest pipelines of the whole package, relative to the package.
const PIPELINES: &str = "elasticsearch/ingest_pipeline";

/// Maximum number of dashboards whose files are read for titles.
const DASHBOARD_TITLES: usize = 50;

/// Keys of the manifest whose lines are kept in [`PackageManifest::lines`], because documents refer to
/// them.
const QUOTED: &[&str] = &[
    "name",
    "title",
    "version",
    "description",
    "type",
    "categories",
    "conditions.kibana.version",
    "conditions.elastic.subscription",
    "policy_templates",
];

/// Reads `manifest.yml`, and the facts of dashboards, pipelines, transforms and changelog that belong to
/// it. A missing or unreadable manifest is reported as a defect, and its own fields stay empty.
pub(super) fn read(reader: &mut PackageReader) -> PackageManifest {
    let mut manifest = match reader.yaml(MANIFEST) {
        Some(tree) if matches!(tree.value, YamlValue::Map(_)) => {
            read_tree(&mut PartReader { reader, path: MANIFEST }, &tree)
        }
        Some(tree) => {
            reader
                .report(MANIFEST, format!("line {}: it is {}, not a map", tree.line, tree.value.describe()));
            PackageManifest::default()
        }
        None => {
            reader.report(MANIFEST, "the package has no readable manifest");
            PackageManifest::default()
        }
    };
    let mut dashboards = reader.names(DASHBOARDS, PackageEntry::File);
    dashboards.retain(|name| has_ending(name, "json"));
    manifest.dashboards = dashboards.len();
    for name in dashboards.iter().take(DASHBOARD_TITLES) {
        if let Some(dashboard) = read_dashboard(reader, name) {
            if dashboard.is_empty {
                manifest.empty_dashboards.push(dashboard.title.clone());
            }
            if !dashboard.description.is_empty() {
                manifest.dashboard_descriptions.insert(dashboard.title.clone(), dashboard.description);
            }
            manifest.dashboard_titles.push(dashboard.title);
        }
    }
    manifest.has_pipeline = has_files(reader, PIPELINES);
    manifest.reports_errors = pipeline::reports_errors(reader, PIPELINES);
    manifest.transforms = transform::read_all(reader);
    manifest.breaking_changes = changelog::read_breaking(reader);
    manifest
}

/// The facts of a Kibana dashboard of the package, read from its file.
struct Dashboard {
    title: String,
    description: String,
    /// True for a dashboard that is known to have no panels, so that it can show no data.
    is_empty: bool,
}

/// Reads the dashboard file `name`. Returns `None` if it is unreadable, no JSON or without a title; except
/// for an unreadable file this is no defect, because the format of dashboards belongs to Kibana.
fn read_dashboard(reader: &mut PackageReader, name: &str) -> Option<Dashboard> {
    let dashboard: Value = serde_json::from_str(&reader.text(&format!("{DASHBOARDS}/{name}"))?).ok()?;
    let title = dashboard.pointer("/attributes/title")?.as_str()?.trim();
    let is_empty = match dashboard.pointer("/attributes/panelsJSON") {
        // Kibana exports the panels as JSON in a text, packages keep them as a list.
        Some(Value::String(panels)) => matches!(panels.trim(), "" | "[]"),
        Some(Value::Array(panels)) => panels.is_empty(),
        _ => false,
    };
    let description =
        dashboard.pointer("/attributes/description").and_then(Value::as_str).unwrap_or_default();
    (!title.is_empty()).then(|| Dashboard {
        title: title.to_owned(),
        description: description.trim().to_owned(),
        is_empty,
    })
}

fn read_tree(parts: &mut PartReader<'_>, tree: &YamlNode) -> PackageManifest {
    let lines: BTreeMap<String, usize> =
        QUOTED.iter().filter_map(|key| Some(((*key).to_owned(), tree.find_line(key)?))).collect();
    let subscription = parts.text(tree, "conditions.elastic.subscription");
    PackageManifest {
        name: parts.text(tree, "name"),
        title: parts.text(tree, "title"),
        version: parts.text(tree, "version"),
        description: parts.text(tree, "description"),
        kind: parts.text(tree, "type"),
        categories: parts.texts(tree, "categories"),
        kibana_version: parts.text(tree, "conditions.kibana.version"),
        // Packages before version 2 of their format name a licence instead.
        subscription: if subscription.is_empty() { parts.text(tree, "license") } else { subscription },
        variables: parts.variables(tree),
        policy_templates: parts
            .maps(tree, "policy_templates")
            .into_iter()
            .map(|item| read_policy_template(parts, item))
            .collect(),
        dashboards: 0,
        dashboard_titles: Vec::new(),
        dashboard_descriptions: BTreeMap::new(),
        empty_dashboards: Vec::new(),
        has_pipeline: false,
        reports_errors: false,
        transforms: Vec::new(),
        breaking_changes: Vec::new(),
        lines,
    }
}

fn read_policy_template(parts: &mut PartReader<'_>, item: &YamlNode) -> PolicyTemplate {
    let mut inputs: Vec<_> =
        parts.maps(item, "inputs").into_iter().map(|input| parts.input(input, "type")).collect();
    // A package of the kind `input` names its only input in the template itself.
    if item.get("input").is_some() {
        inputs.push(parts.input(item, "input"));
    }
    PolicyTemplate {
        name: parts.text(item, "name"),
        title: parts.text(item, "title"),
        description: parts.text(item, "description"),
        data_streams: parts.texts(item, "data_streams"),
        variables: if item.get("input").is_some() { Vec::new() } else { parts.variables(item) },
        inputs,
        agentless: parts.switch(item, "deployment_modes.agentless.enabled"),
        is_agentless_beta: parts.text(item, "deployment_modes.agentless.release") == "beta",
        description_line: item.find_line("description").unwrap_or(0),
        agentless_line: item.find_line("deployment_modes.agentless").unwrap_or(0),
        agent_based: parts.switch(item, "deployment_modes.default.enabled"),
        place: parts.place(item),
    }
}
