//! An integration package, with the facts that its documentation needs. Every file is optional: a package
//! with missing or wrong files is read as far as possible, and each fault is reported as a
//! [`PackageDefect`].

mod agent_template;
mod changelog;
mod data_stream;
pub mod examples;
mod fields;
mod handlebars;
mod knowledge;
mod manifest;
mod parts;
mod pipeline;
mod reader;
pub mod service_info;
mod template;
mod topic;
mod transform;
mod web_page;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stategraph_repo::{Root, RootError};
use thiserror::Error;

pub use knowledge::KnowledgeTopic;
pub use manifest::MANIFEST;
pub use reader::FILE_BYTES;
pub use service_info::{KnowledgePart, ServiceInfo};
pub use template::{BUILT_IN_TEMPLATE, TemplateSection, template_sections};
pub use topic::SectionTopic;

use reader::PackageReader;

/// Folder of the sources of a package's documents. When the package is built, their template tags are
/// filled in and the result goes to `docs/`.
pub const SOURCE_FOLDER: &str = "_dev/build/docs";

/// Returns the path, relative to the package, of the package's own template for a document: `README.md` →
/// `_dev/build/docs/README.template.md`.
fn template_path(document: &str) -> String {
    let stem = document.strip_suffix(".md").unwrap_or(document);
    format!("{SOURCE_FOLDER}/{stem}.template.md")
}

/// Minimum length in bytes of the defaults that [`IntegrationPackage::secret_defaults`] returns.
const SECRET_BYTES: usize = 6;

/// Path of the knowledge base relative to the package (SEC-28).
pub const SERVICE_INFO: &str = "docs/knowledge_base/service_info.md";

/// The facts of an Elastic integration package (manifest, data streams, knowledge base, template,
/// document), read from its folder once by [`load`](Self::load) (SEC-101).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IntegrationPackage {
    /// The manifest.
    pub manifest: PackageManifest,
    /// Data streams, by name.
    pub data_streams: Vec<DataStream>,
    /// Text of `docs/knowledge_base/service_info.md`; `None` without the file.
    pub service_info: Option<String>,
    /// Text of the template: `_dev/build/docs/README.template.md` of the package if it has sections, else the built-in one.
    pub template: String,
    /// Text of the document that the package has now: its source `_dev/build/docs/README.md`, else `docs/README.md`; `None` without one.
    pub existing: Option<String>,
    /// Files that are missing, unreadable or wrong in a part.
    pub defects: Vec<PackageDefect>,
}

/// The error for a folder that cannot be read as a package at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PackageError {
    /// The folder does not exist or cannot be opened.
    #[error("cannot open the package: {0}")]
    Folder(#[from] RootError),
}

impl PackageError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Folder(_) => "name the folder that holds the package's `manifest.yml`",
        }
    }
}

/// A fault of a package: a file or a part of a file that is missing, unreadable or of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageDefect {
    /// Path below the package.
    pub path: String,
    /// Fault, in one line.
    pub message: String,
}

/// A place in the files of a package (file and line), which documents cite as the source of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PackagePlace {
    /// Path below the package.
    pub path: String,
    /// Line, from 1; 0 for the whole file.
    pub line: usize,
}

/// The contents of a package's `manifest.yml`, with facts of its dashboards, pipelines, transforms and
/// changelog. Texts are empty where the manifest has none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PackageManifest {
    /// Name of the package, such as `citrix_adc`.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Version.
    pub version: String,
    /// Description.
    pub description: String,
    /// Kind: `integration`, `input`, `content`.
    pub kind: String,
    /// Categories.
    pub categories: Vec<String>,
    /// Required version of Kibana, as written.
    pub kibana_version: String,
    /// Required subscription, as written.
    pub subscription: String,
    /// Policy templates, in order.
    pub policy_templates: Vec<PolicyTemplate>,
    /// Number of dashboards below `kibana/dashboard`.
    pub dashboards: usize,
    /// Titles of the dashboards whose files could be read, in the order of the files.
    pub dashboard_titles: Vec<String>,
    /// Descriptions of dashboards by their titles, where the files have one.
    pub dashboard_descriptions: BTreeMap<String, String>,
    /// Titles of those that have no panels.
    pub empty_dashboards: Vec<String>,
    /// True if the package has an ingest pipeline of its own, beside those of its data streams.
    pub has_pipeline: bool,
    /// True if such a pipeline writes the field `error.message`.
    pub reports_errors: bool,
    /// Transforms below `elasticsearch/transform`, by name.
    pub transforms: Vec<PackageTransform>,
    /// Breaking changes of the changelog, the newest version first.
    pub breaking_changes: Vec<BreakingChange>,
    /// Variables of the whole package.
    pub variables: Vec<PackageVariable>,
    /// Lines of keys in `manifest.yml`, by dotted path, such as `conditions.kibana.version`.
    pub lines: BTreeMap<String, usize>,
}

/// A policy template of a manifest: a group of inputs that the user adds to an agent policy together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PolicyTemplate {
    /// Name.
    pub name: String,
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// Line of the manifest that has the description; 0 without one.
    pub description_line: usize,
    /// Names of its data streams; empty for all.
    pub data_streams: Vec<String>,
    /// Inputs.
    pub inputs: Vec<PackageInput>,
    /// State of the agentless deployment; `None` where the manifest does not name it.
    pub agentless: Option<bool>,
    /// True if the agentless deployment is in beta.
    pub is_agentless_beta: bool,
    /// Line of the manifest that names the agentless deployment; 0 without one.
    pub agentless_line: usize,
    /// State of the agent-based deployment; `None`, where the manifest does not name it, means that it is offered.
    pub agent_based: Option<bool>,
    /// Variables of all inputs.
    pub variables: Vec<PackageVariable>,
    /// Place of its declaration.
    pub place: PackagePlace,
}

/// An input of a package: a way in which Elastic Agent collects data, such as `tcp`. It belongs to a policy
/// template or to a data stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PackageInput {
    /// Type, such as `tcp`, `httpjson`, `logfile`.
    pub kind: String,
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// True if it is turned off until the user turns it on.
    pub is_off: bool,
    /// Name of the agent's template of a data stream's input; empty where the manifest does not name it.
    pub template: String,
    /// Names of the deployment modes that offer it, such as `default`; empty for all.
    pub deployment_modes: Vec<String>,
    /// Variables.
    pub variables: Vec<PackageVariable>,
    /// Place of its declaration.
    pub place: PackagePlace,
}

impl PackageInput {
    /// Returns true if the agentless deployment can use the input: the manifest names `agentless` among its
    /// deployment modes, or names no modes at all.
    pub fn offers_agentless(&self) -> bool {
        self.deployment_modes.is_empty() || self.deployment_modes.iter().any(|mode| mode == "agentless")
    }
}

/// A setting of a package, input or data stream, to which the user gives a value in the form of Kibana.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of the manifest, and all combinations occur"
)]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PackageVariable {
    /// Name.
    pub name: String,
    /// Type, such as `text`, `password`, `yaml`, `bool`.
    pub kind: String,
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// Default; `None` without one.
    pub default: Option<Value>,
    /// True if a value must be given.
    pub is_required: bool,
    /// True if the value is secret.
    pub is_secret: bool,
    /// True if the form shows it without a click on advanced options.
    pub is_shown: bool,
    /// True if the form of the agentless deployment does not show it.
    pub is_hidden_agentless: bool,
    /// True if no template of the agent renders it, so that it has no effect.
    pub is_unused: bool,
    /// Names of the data streams whose templates do not render it, of a variable of the whole package.
    pub unused_streams: Vec<String>,
    /// Switches of the form with the state in which the templates render it; empty if they render it always.
    pub switches: BTreeMap<String, bool>,
    /// Values to choose from; empty for any value.
    pub options: Vec<VariableOption>,
    /// Place of its declaration.
    pub place: PackagePlace,
}

/// A choice of a variable: the form offers fixed values for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VariableOption {
    /// Value that the agent gets.
    pub value: String,
    /// Label that the form shows for it.
    pub text: String,
}

/// A transform of a package: a task in Elasticsearch that keeps an index up to date from the data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PackageTransform {
    /// Name: that of its folder.
    pub name: String,
    /// Description.
    pub description: String,
    /// Alias of its index, else the index.
    pub target: String,
    /// Time between two runs, such as `30m`.
    pub frequency: String,
    /// Age at which documents are removed, such as `72h`.
    pub max_age: String,
    /// Place of its declaration.
    pub place: PackagePlace,
}

/// A breaking change from the package's changelog: something that a user of an earlier version must know.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BreakingChange {
    /// Version that has it.
    pub version: String,
    /// Description.
    pub description: String,
    /// Place of its entry.
    pub place: PackagePlace,
}

/// A data stream of a package (a folder below `data_stream/`): its manifest, fields, sample event and
/// pipeline facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DataStream {
    /// Name: that of its folder.
    pub name: String,
    /// Title.
    pub title: String,
    /// Dataset, such as `citrix_adc.log`.
    pub dataset: String,
    /// Type: `logs`, `metrics` and so on.
    pub kind: String,
    /// Inputs that fill it.
    pub inputs: Vec<PackageInput>,
    /// Fields, flat, in the order of the files.
    pub fields: Vec<PackageField>,
    /// The sample event; `None` without one.
    pub sample_event: Option<Value>,
    /// True if it has an ingest pipeline.
    pub has_pipeline: bool,
    /// True if a pipeline of it writes the field `error.message`.
    pub reports_errors: bool,
    /// Maturity, such as `beta`; empty where the manifest does not name it.
    pub release: String,
    /// Place of its manifest.
    pub place: PackagePlace,
}

/// A field that the events of a data stream have, as a `fields/*.yml` file of the package declares it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PackageField {
    /// Full dotted name.
    pub name: String,
    /// Type; empty where another schema defines it.
    pub kind: String,
    /// Description.
    pub description: String,
    /// Unit, such as `byte`.
    pub unit: String,
    /// Metric type, such as `gauge`.
    pub metric_type: String,
    /// Schema that defines it, such as `ecs`; empty for fields of the package.
    pub external: String,
    /// Place of its declaration.
    pub place: PackagePlace,
}

impl IntegrationPackage {
    /// Reads the package in a folder, for the document `README.md`. A missing, unreadable or wrong file is
    /// recorded in `defects`; the only error is a folder that cannot be opened.
    pub fn load(folder: &Path) -> Result<Self, PackageError> {
        Self::load_document(folder, "README.md")
    }

    /// Reads the package in a folder as [`load`](Self::load) does, for the document with the file name
    /// `document` (SEC-16): the fields `template` and `existing` are those of this document.
    pub fn load_document(folder: &Path, document: &str) -> Result<Self, PackageError> {
        let mut reader = PackageReader::new(Root::open(folder)?);
        let mut manifest = manifest::read(&mut reader);
        let mut data_streams = data_stream::read_all(&mut reader, &manifest.name);
        agent_template::mark_unused(&mut reader, &mut manifest, &mut data_streams);
        let service_info = reader.text(SERVICE_INFO);
        let source = reader.text(&format!("{SOURCE_FOLDER}/{document}"));
        let rendered = reader.text(&format!("docs/{document}"));
        let template = reader.text(&template_path(document)).filter(|text| template::has_sections(text));
        Ok(Self {
            manifest,
            data_streams,
            service_info,
            template: template.unwrap_or_else(|| BUILT_IN_TEMPLATE.to_owned()),
            // The source first, because the rendered document has tables in place of the tags.
            existing: source.or(rendered),
            defects: reader.finish(),
        })
    }

    /// Returns the title of the package; without one its name, or an empty text if it has neither.
    pub fn title(&self) -> &str {
        if self.manifest.title.is_empty() { &self.manifest.name } else { &self.manifest.title }
    }

    /// Returns true if one of the policy templates offers the agentless deployment.
    pub fn is_agentless(&self) -> bool {
        self.manifest.policy_templates.iter().any(|template| template.agentless == Some(true))
    }

    /// Returns the policy templates that offer the agentless deployment; empty if all of them do, or none.
    pub fn agentless_templates(&self) -> Vec<&PolicyTemplate> {
        let is_offered = |template: &&PolicyTemplate| template.agentless == Some(true);
        let offered: Vec<_> = self.manifest.policy_templates.iter().filter(is_offered).collect();
        if offered.len() < self.manifest.policy_templates.len() { offered } else { Vec::new() }
    }

    /// Returns true if the package can run on an agent that the user deploys: it has no policy template, or
    /// one that does not turn this default off.
    pub fn is_agent_based(&self) -> bool {
        let templates = &self.manifest.policy_templates;
        templates.is_empty() || templates.iter().any(|template| template.agent_based != Some(false))
    }

    /// Returns all inputs, first those of policy templates, then those of data streams. Each has the names
    /// of the data streams that it fills; an empty list stands for all data streams.
    pub fn inputs(&self) -> Vec<(Vec<&str>, &PackageInput)> {
        let templates = self.manifest.policy_templates.iter().flat_map(|template| {
            let streams: Vec<&str> = template.data_streams.iter().map(String::as_str).collect();
            template.inputs.iter().map(move |input| (streams.clone(), input))
        });
        let streams = self.data_streams.iter();
        let streams = streams.flat_map(|it| it.inputs.iter().map(|input| (vec![it.name.as_str()], input)));
        templates.chain(streams).collect()
    }

    /// Returns true if the package or one of its data streams has an ingest pipeline.
    pub fn has_pipeline(&self) -> bool {
        self.manifest.has_pipeline || self.data_streams.iter().any(|stream| stream.has_pipeline)
    }

    /// Returns all variables: those of the package, of its policy templates and their inputs, and of the
    /// inputs of its data streams. The same name can occur several times.
    pub fn variables(&self) -> impl Iterator<Item = &PackageVariable> {
        let templates = self.manifest.policy_templates.iter().flat_map(|template| {
            template.variables.iter().chain(template.inputs.iter().flat_map(|input| &input.variables))
        });
        let streams =
            self.data_streams.iter().flat_map(|stream| &stream.inputs).flat_map(|input| &input.variables);
        self.manifest.variables.iter().chain(templates).chain(streams)
    }

    /// Returns the default values (texts only) of secret variables, which no document may show. Values
    /// below 6 bytes are left out, because replacing them would damage other text.
    pub fn secret_defaults(&self) -> BTreeSet<&str> {
        let secrets = self.variables().filter(|variable| variable.is_secret);
        let defaults = secrets.filter_map(|variable| variable.default.as_ref()?.as_str());
        defaults.filter(|default| default.len() >= SECRET_BYTES).collect()
    }

    /// Returns the types of all inputs, such as `tcp`, in alphabetical order and each once.
    pub fn input_kinds(&self) -> Vec<&str> {
        let templates = self.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
        let streams = self.data_streams.iter().flat_map(|stream| &stream.inputs);
        let kinds = templates.chain(streams).map(|input| input.kind.as_str());
        let kinds: BTreeSet<&str> = kinds.filter(|kind| !kind.is_empty()).collect();
        kinds.into_iter().collect()
    }

    /// Returns the text of the knowledge base that belongs to the document's section with this title; the
    /// whole file for `None` and for an unknown title. A package without a knowledge base gives a sentence
    /// that says so (SEC-31, SEC-35).
    pub fn service_info_for(&self, readme_section: Option<&str>) -> String {
        match &self.service_info {
            Some(text) => ServiceInfo::parse(text).for_section(readme_section),
            None => {
                format!("The package has no `{SERVICE_INFO}`. Use its manifest, data streams and fields.")
            }
        }
    }
}
