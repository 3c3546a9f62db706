//! Command line arguments of a documentation run, and the repository and settings that they select. Builds no graph; see
//! `entry.rs`.

use std::path::Path;

use super::input::{BudgetsFile, DocSettings, PARALLEL_MAX, UnknownToolForm};
use super::writer::Format;
use crate::workflows::shared_arguments::{API_KEY, TOOLS};
use crate::workflows::tool_servers::NAMED_MCP;
use crate::workflows::workflow::{ArgValues, Argument, ArgumentKind, Setting, WorkflowError};

pub(super) const ARGUMENTS: &[Argument<'static>] = &[
    Argument {
        name: "repo",
        kind: ArgumentKind::Positional("REPO"),
        about: "The repository to document [default: the current folder]",
    },
    Argument {
        name: "resume",
        kind: ArgumentKind::Switch,
        about: "Go on with the newest unfinished session of the repository",
    },
    Argument {
        name: "update",
        kind: ArgumentKind::Switch,
        about: "Explore again only what changed: components with changed files, and new ones",
    },
    Argument {
        name: "model",
        kind: ArgumentKind::Lettered('m', "MODEL"),
        about: "Who explores: provider/model, gemini-…, claude-…, gpt-…, or offline [default: offline]",
    },
    API_KEY,
    TOOLS,
    Argument {
        name: "embeddings",
        kind: ArgumentKind::Option("MODEL"),
        about: "Search memory by meaning with this model of an endpoint [default: by words]",
    },
    Argument {
        name: "parallel",
        kind: ArgumentKind::Option("N"),
        about: "Explore so many components at once [default: 1]",
    },
    Argument {
        name: "format",
        kind: ArgumentKind::Option("md|rst|adoc"),
        about: "What the documents are written in [default: md]",
    },
    Argument {
        name: "budgets",
        kind: ArgumentKind::Option("FILE|adaptive"),
        about: "Limits of the phases, by a YAML file or by the size of the repository",
    },
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Where models are [default: ./config.yaml when there]",
    },
    NAMED_MCP,
];

/// Rejects `--resume` with `--update`: a run cannot resume a session and begin a new one.
pub(super) fn check_conflicts(given: &ArgValues) -> Result<(), WorkflowError> {
    if given.is_given("resume") && given.is_given("update") {
        return Err(WorkflowError::msg("`--resume` and `--update` cannot be used together").with_hint(
            "`--resume` goes on with what was not finished, an update too; `--update` alone begins a new one",
        ));
    }
    Ok(())
}

/// Builds the settings of a run: the defaults, overridden by the file of `--budgets`, then by the other
/// arguments. Fails for an unknown tool form or format, and for a `--parallel` out of range (DOC-47, DOC-120,
/// DOC-126).
pub(super) fn resolve_settings(given: &ArgValues, setting: &Setting) -> Result<DocSettings, WorkflowError> {
    let mut settings = read_budgets(given, setting)?.apply_to(DocSettings::default());
    if let Some(model) = given.text("model")? {
        model.clone_into(&mut settings.model);
    }
    settings.embeddings = given.text("embeddings")?.map(str::to_owned);
    if let Some(form) = given.text("tools")? {
        settings.tools = form.parse().map_err(|error: UnknownToolForm| {
            WorkflowError::new(error, Some("write `--tools native` or `--tools xml`".to_owned()))
        })?;
    }
    if let Some(typed) = given.text("parallel")? {
        let number = typed.parse().ok().filter(|number| (1..=PARALLEL_MAX).contains(number));
        settings.parallel = number.ok_or_else(|| {
            WorkflowError::msg(format!(
                "`--parallel` takes a whole number from 1 to {PARALLEL_MAX}, not `{typed}`"
            ))
            .with_hint("write `--parallel 4` to explore four components at once")
        })?;
    }
    if let Some(format) = given.text("format")? {
        settings.format = parse_format(format)?;
    }
    Ok(settings)
}

fn read_budgets(given: &ArgValues, setting: &Setting) -> Result<BudgetsFile, WorkflowError> {
    let Some(path) = given.path("budgets") else { return Ok(BudgetsFile::default()) };
    if path == Path::new("adaptive") {
        return Ok(BudgetsFile::adaptive());
    }
    BudgetsFile::read(&setting.folder.join(path)).map_err(|error| {
        let hint = error.hint();
        WorkflowError::new(error, Some(hint.to_owned()))
    })
}

fn parse_format(name: &str) -> Result<Format, WorkflowError> {
    let found = Format::ALL.iter().find(|format| format.name() == name);
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        WorkflowError::msg(format!("there is no format `{name}`"))
            .with_hint(format!("write one of {}", known.join(", ")))
    })
}
