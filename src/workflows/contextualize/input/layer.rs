//! The settings that one origin states: the command line, the environment or the configuration. Layers are put on one another, the command
//! line on top, and the result on the defaults.

use std::path::PathBuf;

use super::{ApprovalMode, ContextCommand, ContextFormat, ContextSettings, RunMode};
use crate::llm::Money;
use crate::workflows::output::OutputScope;
use crate::workflows::tool_form::ToolForm;

/// Settings of one origin; `None` for a setting that it does not state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingsLayer {
    /// See [`ContextSettings::mode`].
    pub mode: Option<RunMode>,
    /// Provider of the model, without the model's name.
    pub provider: Option<String>,
    /// Name of the model, with or without its provider.
    pub model: Option<String>,
    /// Path of the written file. Only the command line states it.
    pub output: Option<PathBuf>,
    /// Folder of the context files, with the scope that its origin has.
    pub output_dir: Option<(PathBuf, OutputScope)>,
    /// See [`ContextSettings::format`].
    pub format: Option<ContextFormat>,
    /// See [`ContextSettings::max_tokens`].
    pub max_tokens: Option<u32>,
    /// See [`ContextSettings::approval`].
    pub approval: Option<ApprovalMode>,
    /// See [`ContextSettings::tools`].
    pub tools: Option<ToolForm>,
    /// Maximum number of files in a listing.
    pub max_scan_files: Option<u32>,
    /// Maximum size of a file that is read, in bytes.
    pub max_file_bytes: Option<u64>,
    /// Names of folders and files that are left out besides the usual ones.
    pub ignored: Option<Vec<String>>,
    /// Tokens per minute.
    pub tokens_per_minute: Option<u32>,
    /// Part of the tokens per minute that is used.
    pub safety_factor: Option<f64>,
    /// Maximum tokens of one call.
    pub tokens_per_call: Option<u32>,
    /// Tokens to which old messages of a conversation are trimmed.
    pub max_input_tokens: Option<u32>,
    /// Maximum tokens of an answer.
    pub max_output_tokens: Option<u32>,
    /// Attempts of a call.
    pub attempts: Option<u32>,
    /// Wait before the second attempt, in seconds.
    pub initial_wait_s: Option<f64>,
    /// Time limit of a call, in seconds.
    pub timeout_s: Option<f64>,
    /// Maximum characters of a tool's output.
    pub tool_output_chars: Option<u32>,
    /// Maximum tokens of the whole run.
    pub budget_tokens: Option<u64>,
    /// Maximum cost of the whole run in US dollars.
    pub budget_dollars: Option<f64>,
}

impl SettingsLayer {
    /// Merges two layers: a setting of this layer takes precedence over that of `below`. A provider of
    /// `below` is ignored if this layer names a model: a model on the command line is not one of the provider
    /// in the environment.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        let provider = if self.model.is_some() { self.provider } else { self.provider.or(below.provider) };
        Self {
            provider,
            model: self.model.or(below.model),
            mode: self.mode.or(below.mode),
            output: self.output.or(below.output),
            output_dir: self.output_dir.or(below.output_dir),
            format: self.format.or(below.format),
            max_tokens: self.max_tokens.or(below.max_tokens),
            approval: self.approval.or(below.approval),
            tools: self.tools.or(below.tools),
            max_scan_files: self.max_scan_files.or(below.max_scan_files),
            max_file_bytes: self.max_file_bytes.or(below.max_file_bytes),
            ignored: self.ignored.or(below.ignored),
            tokens_per_minute: self.tokens_per_minute.or(below.tokens_per_minute),
            safety_factor: self.safety_factor.or(below.safety_factor),
            tokens_per_call: self.tokens_per_call.or(below.tokens_per_call),
            max_input_tokens: self.max_input_tokens.or(below.max_input_tokens),
            max_output_tokens: self.max_output_tokens.or(below.max_output_tokens),
            attempts: self.attempts.or(below.attempts),
            initial_wait_s: self.initial_wait_s.or(below.initial_wait_s),
            timeout_s: self.timeout_s.or(below.timeout_s),
            tool_output_chars: self.tool_output_chars.or(below.tool_output_chars),
            budget_tokens: self.budget_tokens.or(below.budget_tokens),
            budget_dollars: self.budget_dollars.or(below.budget_dollars),
        }
    }

    /// Returns the settings of a command: its defaults, replaced by those that the layer states.
    pub fn settings(self, command: ContextCommand) -> ContextSettings {
        let model = self.model_name();
        let mut settings = ContextSettings::of(command);
        // A typed path is where the user wants it; without one the scope is that of the folder.
        if self.output.is_some() {
            settings.output_scope = OutputScope::Anywhere;
        } else if let Some((_, scope)) = &self.output_dir {
            settings.output_scope = *scope;
        }
        settings.output = self.output;
        settings.max_tokens = self.max_tokens;
        set(&mut settings.model, model);
        set(&mut settings.output_dir, self.output_dir.map(|(folder, _)| folder));
        set(&mut settings.mode, self.mode);
        set(&mut settings.format, self.format);
        set(&mut settings.approval, self.approval);
        set(&mut settings.tools, self.tools);
        set(&mut settings.tool_output_chars, self.tool_output_chars);
        set(&mut settings.scan.max_files, self.max_scan_files);
        set(&mut settings.scan.max_file_bytes, self.max_file_bytes);
        set(&mut settings.scan.ignored, self.ignored);
        let calls = &mut settings.calls;
        set(&mut calls.tokens_per_minute, self.tokens_per_minute);
        set(&mut calls.safety_factor, self.safety_factor);
        set(&mut calls.max_input_tokens, self.max_input_tokens);
        set(&mut calls.attempts, self.attempts);
        set(&mut calls.initial_wait_s, self.initial_wait_s);
        set(&mut calls.timeout_s, self.timeout_s);
        calls.tokens_per_call = self.tokens_per_call;
        calls.max_output_tokens = self.max_output_tokens;
        settings.budget.tokens = self.budget_tokens.or(settings.budget.tokens);
        settings.budget.money = self.budget_dollars.map(Money::dollars).or(settings.budget.money);
        settings
    }

    /// Returns the model's name with its provider; `None` if neither is named. A provider without a model is used only if it is `offline`,
    /// which has one model.
    fn model_name(&self) -> Option<String> {
        let offline = super::DEFAULT_MODEL;
        match (self.provider.as_deref(), self.model.as_deref()) {
            (Some(provider), _) if provider == offline => Some(offline.to_owned()),
            (Some(provider), Some(model)) if !is_of(provider, model) => Some(format!("{provider}/{model}")),
            (_, Some(model)) => Some(model.to_owned()),
            (_, None) => None,
        }
    }
}

/// Returns true if a model's name begins with its provider.
fn is_of(provider: &str, model: &str) -> bool {
    model == super::DEFAULT_MODEL || model.strip_prefix(provider).is_some_and(|rest| rest.starts_with('/'))
}

fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}
