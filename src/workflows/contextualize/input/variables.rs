//! The settings that the environment and the configuration can state, by name (CTX-109, CTX-110): one table for both.

use std::path::PathBuf;

use super::SettingsLayer;
use crate::workflows::output::OutputScope;

const A_NAME: &str = "a name as text";
const A_COUNT: &str = "a whole number above 0";
const A_FACTOR: &str = "a number above 0, at most 1";
const A_WAIT: &str = "a number of seconds from 0 to 3600";
const A_TIME: &str = "a number of seconds above 0, at most 86400";
const SOME_ATTEMPTS: &str = "a whole number from 1 to 100";
const A_FOLDER: &str = "a path of a folder";
const SOME_NAMES: &str = "names of folders, separated by commas";

/// Most names in `IGNORED_DIRS`.
const NAMES_MAX: usize = 1_000;
/// Longest wait before a retry, in seconds.
const WAIT_MAX: f64 = 3_600.0;
/// Longest time limit of a call, in seconds.
const TIME_MAX: f64 = 86_400.0;
/// Most attempts of a call.
const ATTEMPTS_MAX: u32 = 100;

/// A setting that an environment variable or a key of the configuration can state.
pub struct SettingVariable {
    /// Name of the environment variable.
    pub name: &'static str,
    /// Key in the section `contextualize` of the configuration.
    pub key: &'static str,
    /// The expected value, for messages.
    pub expected: &'static str,
    /// Puts a text into a layer; returns false for a text that is no value of the setting.
    pub set: fn(&mut SettingsLayer, &str) -> bool,
}

/// All settings of the environment, in the order of the documentation.
pub const VARIABLES: [SettingVariable; 15] = [
    variable("LLM_PROVIDER", "llm_provider", A_NAME, |layer, text| put(&mut layer.provider, name(text))),
    variable("MODEL_NAME", "model_name", A_NAME, |layer, text| put(&mut layer.model, name(text))),
    variable("MAX_TPM", "max_tpm", A_COUNT, |layer, text| put(&mut layer.tokens_per_minute, count(text))),
    variable("TPM_SAFETY_FACTOR", "tpm_safety_factor", A_FACTOR, |layer, text| {
        put(&mut layer.safety_factor, number(text, 1.0).filter(|factor| *factor > 0.0))
    }),
    variable("MAX_TOKENS_PER_CALL", "max_tokens_per_call", A_COUNT, |layer, text| {
        put(&mut layer.tokens_per_call, count(text))
    }),
    variable("LLM_MAX_INPUT_TOKENS", "llm_max_input_tokens", A_COUNT, |layer, text| {
        put(&mut layer.max_input_tokens, count(text))
    }),
    variable("LLM_MAX_OUTPUT_TOKENS", "llm_max_output_tokens", A_COUNT, |layer, text| {
        put(&mut layer.max_output_tokens, count(text))
    }),
    variable("LLM_TIMEOUT", "llm_timeout", A_TIME, |layer, text| {
        put(&mut layer.timeout_s, number(text, TIME_MAX).filter(|seconds| *seconds > 0.0))
    }),
    variable("RETRY_MAX_ATTEMPTS", "retry_max_attempts", SOME_ATTEMPTS, |layer, text| {
        put(&mut layer.attempts, count(text).filter(|attempts| *attempts <= ATTEMPTS_MAX))
    }),
    variable("RETRY_INITIAL_WAIT", "retry_initial_wait", A_WAIT, |layer, text| {
        put(&mut layer.initial_wait_s, number(text, WAIT_MAX))
    }),
    variable("MAX_TOOL_OUTPUT_CHARS", "max_tool_output_chars", A_COUNT, |layer, text| {
        put(&mut layer.tool_output_chars, count(text))
    }),
    variable("MAX_SCAN_FILES", "max_scan_files", A_COUNT, |layer, text| {
        put(&mut layer.max_scan_files, count(text))
    }),
    variable("MAX_FILE_SIZE", "max_file_size", A_COUNT, |layer, text| {
        put(&mut layer.max_file_bytes, text.parse().ok().filter(|bytes| *bytes > 0))
    }),
    variable("OUTPUT_DIR", "output_dir", A_FOLDER, |layer, text| {
        let path = Some(PathBuf::from(text)).filter(|_| !text.contains('\0'));
        put(&mut layer.output_dir, path.map(|path| (path, OutputScope::Folder)))
    }),
    variable("IGNORED_DIRS", "ignored_dirs", SOME_NAMES, |layer, text| {
        put(&mut layer.ignored, folder_names(text))
    }),
];

const fn variable(
    name: &'static str,
    key: &'static str,
    expected: &'static str,
    set: fn(&mut SettingsLayer, &str) -> bool,
) -> SettingVariable {
    SettingVariable { name, key, expected, set }
}

fn put<T>(setting: &mut Option<T>, value: Option<T>) -> bool {
    let is_value = value.is_some();
    *setting = value;
    is_value
}

fn name(text: &str) -> Option<String> {
    (!text.contains(|c: char| c.is_control() || c.is_whitespace())).then(|| text.to_owned())
}

fn count(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number > 0)
}

/// Returns a number from 0 to `most`.
fn number(text: &str, most: f64) -> Option<f64> {
    text.parse().ok().filter(|number| (0.0..=most).contains(number))
}

fn folder_names(text: &str) -> Option<Vec<String>> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(|name| name.trim_end_matches('/').to_owned()).collect();
    let is_name = |name: &String| !name.is_empty() && !name.contains(['/', '\\', '\0']);
    (names.len() <= NAMES_MAX && names.iter().all(is_name)).then_some(names)
}
