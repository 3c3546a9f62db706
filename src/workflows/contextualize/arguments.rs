//! The arguments of the three commands (CTX-5, CTX-6), and the checked request that each of them makes. Builds no graph.
//!
//! A setting is that of the command line, else of the environment, else of `.env`, else of the configuration, else the default.

mod configuration;
mod table;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use super::context_file::{ContextFile, ContextFileError};
use super::environment::{Environment, EnvironmentError};
use super::input::{
    AGENTS_MD_TOKENS_MAX, ContextCommand, ContextFormat, ContextSettings, FILE_TOKENS_MIN, SettingsLayer,
    UnknownWord,
};
use super::source::{RepositorySource, SourceError};
use crate::llm::Env;
use crate::workflows::tool_form::ToolForm;
use crate::workflows::tool_servers::list_notes;
use crate::workflows::workflow::{ArgValues, Argument, Setting, WorkflowError};

pub use crate::workflows::shared_arguments::api_key;

/// Longest question, summary or request in characters: a few pages.
const TEXT_MAX: usize = 20_000;

impl ContextCommand {
    /// Returns the command line arguments of the command: its own, then those that the three commands share.
    /// Arguments of every workflow are not among them.
    pub fn arguments(self) -> Vec<Argument<'static>> {
        let own = match self {
            Self::Generate => table::GENERATE,
            Self::Refine => table::REFINE,
            Self::Scope => table::SCOPE,
        };
        [own, table::SHARED].concat()
    }
}

/// The checked settings of a command, with the options and the environment of this process.
pub struct ContextInput {
    /// The settings, which are part of the run's state.
    pub settings: ContextSettings,
    /// Options of this process alone.
    pub options: ProcessOptions,
    /// The variables in which keys of models are looked for.
    pub env: Arc<dyn Env>,
    /// Notes to the user.
    pub notes: Vec<String>,
}

/// Display options of one process. They are not part of the checkpoint, so a resume names them again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessOptions {
    /// Prints the text of a model while it is written (CTX-98).
    pub is_streaming: bool,
    /// Prints prompts, answers and tool calls.
    pub is_debugging: bool,
}

/// The parsed arguments of `generate`: the repository and the user's summary of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerateRequest {
    /// The repository.
    pub source: RepositorySource,
    /// The user's summary; `None` leaves the purpose to the documents of the repository. A model is not asked for it either, because a run
    /// must not wait for a text that the repository mostly has.
    pub summary: Option<String>,
}

/// The parsed arguments of `scope`: the repository and the question about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRequest {
    /// The repository.
    pub source: RepositorySource,
    /// The question.
    pub question: String,
    /// Context file that named the repository, as the user typed it; `None` for a run that starts from a repository.
    pub source_context: Option<String>,
}

/// The parsed arguments of `refine`: the context file and the change that the user asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct RefineRequest {
    /// Path of the context file, joined to the working folder.
    pub path: PathBuf,
    /// The file as it was at the start.
    pub file: ContextFile,
    /// The change that the user asks for.
    pub request: String,
}

/// Reads the settings of a command from the command line, the environment, `.env` and the configuration, in
/// this order of precedence, and checks them together.
pub fn read_input(
    command: ContextCommand,
    given: &ArgValues,
    setting: &Setting,
) -> Result<ContextInput, WorkflowError> {
    let typed = typed_layer(given)?;
    if typed.provider.is_some() && typed.model.is_none() {
        return Err(WorkflowError::msg("`--provider` was given without `--model`")
            .with_hint("name both, or the model alone as PROVIDER/MODEL"));
    }
    let environment = Environment::read(&setting.folder, setting.env.clone(), &setting.trust)
        .map_err(|error: EnvironmentError| with_hint(error, EnvironmentError::hint))?;
    let Environment { layer, mut notes, model_notes, env } = environment;
    let layer = typed.over(layer).over(configuration::read_layer(given, setting)?);
    if let (Some(provider), None) = (&layer.provider, &layer.model)
        && provider != super::input::DEFAULT_MODEL
    {
        notes.push(format!("the provider {provider} is not used, because no model is named: see MODEL_NAME"));
    }
    let settings = layer.settings(command);
    check_size(&settings)?;
    match settings.is_offline() {
        false => notes.extend(model_notes),
        true if given.is_given("api-key") => {
            notes.push("the key is of no use: rules write, as no model was named".to_owned());
        }
        true => {}
    }
    notes.extend(list_notes(given, setting, settings.why_without_servers()));
    let options =
        ProcessOptions { is_streaming: given.is_given("stream"), is_debugging: given.is_given("debug") };
    Ok(ContextInput { settings, options, env, notes })
}

/// Reads the repository (the working folder unless given) and the summary of `generate`. A local folder must
/// exist.
pub fn read_generate(given: &ArgValues, setting: &Setting) -> Result<GenerateRequest, WorkflowError> {
    let typed = given.raw("source").unwrap_or(OsStr::new("."));
    let source = parse_source(typed, &setting.folder)?;
    let summary = given.text("summary")?.map(str::trim).filter(|text| !text.is_empty());
    if let Some(summary) = summary {
        check_length("summary", summary)?;
    }
    Ok(GenerateRequest { source, summary: summary.map(str::to_owned) })
}

/// Reads the repository (the working folder unless given) and the question of `scope`. A context file as the
/// source stands for the repository in its front matter (CTX-6).
pub fn read_scope(given: &ArgValues, setting: &Setting) -> Result<ScopeRequest, WorkflowError> {
    let question = required_text(given, "question", "-q \"where are retries decided?\"")?;
    let typed = given.raw("source").unwrap_or(OsStr::new("."));
    let path = setting.folder.join(typed);
    if !path.is_file() {
        let source = parse_source(typed, &setting.folder)?;
        return Ok(ScopeRequest { source, question, source_context: None });
    }
    let source = source_of_file(&path, &setting.folder)?;
    let source_context = Some(typed.to_string_lossy().into_owned());
    Ok(ScopeRequest { source, question, source_context })
}

/// Reads the arguments of `refine` and the context file itself (CTX-104). A missing file or an empty request
/// is an error.
pub fn read_refine(given: &ArgValues, setting: &Setting) -> Result<RefineRequest, WorkflowError> {
    let request = required_text(given, "request", "-r \"add a section about the release\"")?;
    let Some(typed) = given.path("file") else {
        return Err(WorkflowError::msg("no context file was given")
            .with_hint("give the path of a file that `generate` or `scope` wrote"));
    };
    let path = setting.folder.join(typed);
    let file = read_file(&path)?;
    Ok(RefineRequest { path, file, request })
}

/// Returns the repository that the key `source_repo` of a context file names. A relative path in it starts in
/// `folder`.
fn source_of_file(path: &Path, folder: &Path) -> Result<RepositorySource, WorkflowError> {
    let file = read_file(path)?;
    let named = file
        .front_matter
        .source_repo()
        .map_err(|problem| file_error(ContextFileError { path: path.to_owned(), problem }))?;
    parse_source(OsStr::new(named), folder).map_err(|error| {
        let hint = format!(
            "the repository is named by `source_repo` in {}: correct it there, or give the repository itself",
            path.display()
        );
        WorkflowError::msg(format!("the repository of the context file is not there: {error}"))
            .with_hint(hint)
    })
}

fn parse_source(typed: &OsStr, folder: &Path) -> Result<RepositorySource, WorkflowError> {
    let source = RepositorySource::parse(typed, folder);
    source
        .and_then(|source| source.check().map(|()| source))
        .map_err(|error: SourceError| with_hint(error, SourceError::hint))
}

fn read_file(path: &Path) -> Result<ContextFile, WorkflowError> {
    ContextFile::read(path).map_err(file_error)
}

fn file_error(error: ContextFileError) -> WorkflowError {
    with_hint(error, |error| error.hint().to_owned())
}

/// Returns the settings that the command line states.
fn typed_layer(given: &ArgValues) -> Result<SettingsLayer, WorkflowError> {
    let text = |name| Ok::<_, WorkflowError>(given.text(name)?.map(|text| text.trim().to_owned()));
    Ok(SettingsLayer {
        mode: word(given, "mode")?,
        provider: text("provider")?,
        model: text("model")?,
        output: given.path("output"),
        format: word(given, "format")?,
        max_tokens: given.number("max-tokens")?,
        approval: word(given, "approve")?,
        tools: tool_form(given)?,
        ..SettingsLayer::default()
    })
}

fn word<T: FromStr<Err = UnknownWord>>(given: &ArgValues, name: &str) -> Result<Option<T>, WorkflowError> {
    let word = given.text(name)?.map(T::from_str).transpose();
    word.map_err(|error| {
        WorkflowError::msg(format!("`--{name}`: {error}")).with_hint(format!("write {}", error.expected))
    })
}

fn tool_form(given: &ArgValues) -> Result<Option<ToolForm>, WorkflowError> {
    let form = given.text("tools")?.map(ToolForm::from_str).transpose();
    form.map_err(|error| {
        WorkflowError::new(error, Some("write `--tools native` or `--tools xml`".to_owned()))
    })
}

/// Checks `--max-tokens`: at least 200, and at most the maximum of the format.
fn check_size(settings: &ContextSettings) -> Result<(), WorkflowError> {
    let most = match settings.format {
        ContextFormat::AgentsMd => AGENTS_MD_TOKENS_MAX,
        ContextFormat::Context => u32::MAX,
    };
    match settings.max_tokens {
        Some(tokens) if tokens < FILE_TOKENS_MIN => Err(WorkflowError::msg(format!(
            "a context file of at most {tokens} tokens would say nothing: the limit must be {FILE_TOKENS_MIN} or more"
        ))
        .with_hint("leave `--max-tokens` out for the default of the format")),
        Some(tokens) if tokens > most => Err(WorkflowError::msg(format!(
            "an AGENTS.md has at most {most} tokens, not {tokens}, because every agent reads all of it"
        ))
        .with_hint(format!("write `--max-tokens {most}`, or `--format context` for a larger file"))),
        _ => Ok(()),
    }
}

fn required_text(given: &ArgValues, name: &str, example: &str) -> Result<String, WorkflowError> {
    let text = given.text(name)?.map(str::trim).unwrap_or_default();
    if text.is_empty() {
        return Err(WorkflowError::msg(format!("no {name} was given")).with_hint(format!("write {example}")));
    }
    check_length(name, text)?;
    Ok(text.to_owned())
}

fn check_length(name: &str, text: &str) -> Result<(), WorkflowError> {
    let length = text.chars().count();
    if length <= TEXT_MAX {
        return Ok(());
    }
    Err(WorkflowError::msg(format!("the {name} has {length} characters, more than {TEXT_MAX}"))
        .with_hint("shorten it to what the repository does not say itself"))
}

fn with_hint<E: std::error::Error + Send + Sync + 'static>(
    error: E,
    hint: impl FnOnce(&E) -> String,
) -> WorkflowError {
    let hint = hint(&error);
    WorkflowError::new(error, Some(hint))
}
