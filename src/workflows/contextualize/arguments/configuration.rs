//! The section `contextualize` of the configuration file: the settings of the environment under lower-case names, and those of the command
//! line. A model may also be named whole, under `model`.

use std::path::Path;
use std::str::FromStr;

use stategraph_yaml::YamlValue;

use crate::workflows::config::{ConfigError, ConfigFile, Fields, as_positive, as_text, parsed};
use crate::workflows::contextualize::input::{
    ApprovalMode, ContextFormat, RunMode, SettingsLayer, UnknownWord, VARIABLES,
};
use crate::workflows::output::OutputScope;
use crate::workflows::workflow::{ArgValues, Setting, WorkflowError};

const SECTION: &str = "contextualize";
/// Keys that no environment variable has.
const OWN_KEYS: [&str; 7] =
    ["model", "mode", "format", "approve", "max_tokens", "budget_tokens", "budget_dollars"];
const A_SECTION: &str = "a map of settings";
const A_MODEL: &str = "a model name as text, such as `provider/model`";
const A_LIMIT: &str = "a whole number above 0";
const AN_AMOUNT: &str = "an amount of US dollars above 0";

/// Reads the section `contextualize` of the configuration file; without a file or section the layer is empty.
/// The section needs no trust: the output folder of a file that was found, not named, must be inside the
/// working folder.
pub(super) fn read_layer(given: &ArgValues, setting: &Setting) -> Result<SettingsLayer, WorkflowError> {
    let Some(file) = ConfigFile::open(given, setting)? else { return Ok(SettingsLayer::default()) };
    let mut layer = file.read(setting, |_| false, parse_section).map_err(with_own_hint)?;
    if let Some((_, scope)) = layer.output_dir.as_mut().filter(|_| given.is_given("config")) {
        *scope = OutputScope::Anywhere;
    }
    Ok(layer)
}

/// Replaces the hint of an error about invalid settings, which lists the keys of another workflow, by the
/// keys of this section.
fn with_own_hint(error: WorkflowError) -> WorkflowError {
    match error.downcast_ref() {
        Some(ConfigError::Invalid { .. }) => {
            let keys = VARIABLES.iter().map(|variable| variable.key).chain(OWN_KEYS);
            let keys: Vec<&str> = keys.collect();
            error.with_hint(format!("the settings of `{SECTION}` are: {}", keys.join(", ")))
        }
        _ => error,
    }
}

fn parse_section(text: &str, path: &Path) -> Result<SettingsLayer, ConfigError> {
    parsed(text, path, |mut file| Some(file.take_fields(SECTION, A_SECTION, section).unwrap_or_default()))
}

fn section(mut fields: Fields<'_>) -> SettingsLayer {
    let mut layer = SettingsLayer::default();
    for variable in &VARIABLES {
        fields.take(variable.key, variable.expected, |value| {
            let text = as_word(value)?;
            (variable.set)(&mut layer, text.trim()).then_some(())
        });
    }
    if let Some(model) = fields.take("model", A_MODEL, as_text) {
        layer.model = Some(model);
    }
    layer.mode = take_word::<RunMode>(&mut fields, "mode", "`pipeline` or `agent`");
    layer.format = take_word::<ContextFormat>(&mut fields, "format", "`context` or `agents-md`");
    layer.approval = take_word::<ApprovalMode>(&mut fields, "approve", "`ask` or `all`");
    layer.max_tokens = fields.take("max_tokens", A_LIMIT, as_positive);
    layer.budget_tokens = fields.take("budget_tokens", A_LIMIT, as_positive).map(u64::from);
    layer.budget_dollars = fields.take("budget_dollars", AN_AMOUNT, |value| {
        as_word(value)?.parse().ok().filter(|dollars: &f64| dollars.is_finite() && *dollars > 0.0)
    });
    fields.finish();
    layer
}

fn take_word<T: FromStr<Err = UnknownWord>>(
    fields: &mut Fields<'_>,
    key: &'static str,
    expected: &'static str,
) -> Option<T> {
    fields.take(key, expected, |value| as_text(value)?.parse().ok())
}

/// Returns a YAML text, or a number as it is written; `None` for other values.
fn as_word(value: &YamlValue) -> Option<String> {
    match value {
        YamlValue::Number(number) => Some(number.written.clone()),
        _ => as_text(value),
    }
}
