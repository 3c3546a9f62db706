//! An integration package as its documentation needs it. Every part is optional: a package with missing or wrong files is read as far as
//! it goes, and the rest is reported as [`PackageDefect`]s.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An integration package, read once (SEC-101).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IntegrationPackage {
    /// The manifest.
    pub manifest: PackageManifest,
    /// Data streams, by name.
    pub data_streams: Vec<DataStream>,
    /// Text of `docs/knowledge_base/service_info.md`; `None` without the file.
    pub service_info: Option<String>,
    /// Text of the template: `_dev/build/docs/README.md`'s template file of the package, else the built-in one.
    pub template: String,
    /// Text of the document that the package has now; `None` without one.
    pub existing: Option<String>,
    /// Parts that could not be read.
    pub defects: Vec<PackageDefect>,
}

/// A part of a package that is missing, unreadable or of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageDefect {
    /// Path below the package.
    pub path: String,
    /// Fault, in one line.
    pub message: String,
}

/// Place of a statement: file and line below the package.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PackagePlace {
    /// Path below the package.
    pub path: String,
    /// Line, from 1; 0 for the whole file.
    pub line: usize,
}

/// The manifest of a package. Texts are empty where the manifest has none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// Names of the transforms below `elasticsearch/transform`.
    pub transforms: Vec<String>,
}

/// A policy template of a manifest.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PolicyTemplate {
    /// Name.
    pub name: String,
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// Names of its data streams; empty for all.
    pub data_streams: Vec<String>,
    /// Inputs.
    pub inputs: Vec<PackageInput>,
    /// State of the agentless deployment; `None` where the manifest does not name it.
    pub agentless: Option<bool>,
}

/// An input: of a policy template, or of a data stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PackageInput {
    /// Type, such as `tcp`, `httpjson`, `logfile`.
    pub kind: String,
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// Variables.
    pub variables: Vec<PackageVariable>,
    /// Place of its declaration.
    pub place: PackagePlace,
}

/// A variable that the user of a package sets.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// Place of its declaration.
    pub place: PackagePlace,
}

/// A data stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// Place of its manifest.
    pub place: PackagePlace,
}

/// A field of a data stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
