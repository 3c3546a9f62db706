//! The node `check_by_model`: asks a model about the candidate once for each validator that has a question
//! (SEC-3). An answer that cannot be read gives the verdict `not checked`, which blocks nothing (SEC-99).

use std::collections::BTreeSet;

use serde::Serialize;

use super::ask::{ask_typed, typed_spent};
use super::check::trace_validation;
use super::style::validator_question;
use crate::agent::Spent;
use crate::engine::{Cx, NodeResult, State as _};
use crate::readme::package::IntegrationPackage;
use crate::readme::validate::{ModelVerdict, ValidationScope, validators};
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{SectionRun, SectionRunUpdate};

/// Label of the requests in usage meters, and name of the prompts.
const LABEL: &str = "validator";

/// The variables with which the prompts of a validator are rendered.
#[derive(Serialize)]
struct ValidatorVariables<'a> {
    validator: &'a str,
    question: String,
    package: &'a str,
    facts: String,
    title: &'a str,
    text: &'a str,
}

/// Asks the model for a verdict per validator, and adds these to the verdicts of the static validators.
pub(in super::super) async fn check_by_model(
    section: &SectionRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionRunUpdate> {
    let resources = cx.services().resources()?;
    let Some(model) = &resources.model else { return Ok(SectionRun::update()) };
    let package = resources.package().await?;
    let text = section.candidate.as_deref().unwrap_or_default();
    let (mut validations, mut spent) = (section.validations.clone(), Spent::default());
    let of_sections = validators().iter().filter(|validator| validator.scope != ValidationScope::Document);
    for validator in of_sections.filter(|validator| validator.has_model_check) {
        let _slot = resources.slots.acquire().await?;
        let variables = ValidatorVariables {
            validator: validator.name,
            question: validator_question(validator.name, resources)?,
            package: &package.manifest.title,
            facts: outline(&package),
            title: &section.task.title,
            text,
        };
        let chat = resources.request(LABEL, &variables)?;
        let key = format!("{LABEL}.{}", validator.name);
        let (verdict, answers) = ask_typed::<ModelVerdict>(model, &key, chat, 0, cx).await?;
        spent += typed_spent(LABEL, &answers, resources);
        let validation = match verdict {
            Some(verdict) => validator.judge(verdict),
            None => validator.not_checked("the answer of the model could not be read"),
        };
        trace_validation(&validation);
        validations.push(validation);
    }
    Ok(SectionRun::update().validations(validations).spent(spent))
}

/// Maximum number of settings that [`outline`] names.
const SETTINGS: usize = 100;
/// Maximum number of fields of a data stream that [`outline`] names.
const FIELDS: usize = 60;

/// Returns the facts of a package as text, one per line, with which prompts ask a model to compare a
/// section.
pub(super) fn outline(package: &IntegrationPackage) -> String {
    let manifest = &package.manifest;
    let mut lines = vec![
        format!(
            "title: {}; version: {}; Kibana: {}",
            package.title(),
            manifest.version,
            manifest.kibana_version
        ),
        format!("inputs: {}", package.input_kinds().join(", ")),
    ];
    for stream in &package.data_streams {
        let fields: Vec<_> = stream.fields.iter().take(FIELDS).map(|field| field.name.as_str()).collect();
        lines.push(format!(
            "data stream {} ({}, {}): fields {}",
            stream.name,
            stream.kind,
            stream.dataset,
            fields.join(", ")
        ));
        let off = stream.inputs.iter().filter(|input| input.is_off).map(|input| input.kind.as_str());
        let off: Vec<_> = off.collect();
        if !off.is_empty() {
            lines.push(format!("off by default in {}: inputs {}", stream.name, off.join(", ")));
        }
    }
    let templates = manifest.policy_templates.iter();
    let agentless: Vec<&str> = templates
        .filter(|template| template.agentless == Some(true))
        .map(|template| template.name.as_str())
        .collect();
    lines.push(match agentless.as_slice() {
        [] => "agentless deployment: not offered".to_owned(),
        some => format!("agentless deployment: offered by the policy templates {}", some.join(", ")),
    });
    let names: BTreeSet<&str> = package.variables().map(|variable| variable.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().take(SETTINGS).collect();
    lines.push(format!("settings: {}", names.join(", ")));
    let unused = package.variables().filter(|variable| variable.is_unused);
    let unused: BTreeSet<&str> = unused.map(|variable| variable.name.as_str()).collect();
    if !unused.is_empty() {
        let unused: Vec<&str> = unused.into_iter().collect();
        lines.push(format!("settings without effect, because no template uses them: {}", unused.join(", ")));
    }
    if !manifest.dashboard_titles.is_empty() {
        lines.push(format!("dashboards: {}", manifest.dashboard_titles.join(", ")));
    }
    if !package.has_pipeline() {
        lines.push("ingest pipelines: none".to_owned());
    }
    lines.join("\n")
}
