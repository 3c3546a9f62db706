//! The arguments of the user, checked before a run. Builds no graph; see `entry.rs`.

use std::path::{Path, PathBuf};

use super::input::{
    DocumentApproval, ITERATIONS_MAX, PARALLEL_MAX, ResultFormat, SectionJudges, SectionsProfile,
    SectionsSettings, SectionsTask,
};
use crate::llm::{Env as _, Money};
use crate::workflows::shared_arguments::{API_KEY, TOOLS};
use crate::workflows::tool_form::UnknownToolForm;
use crate::workflows::tool_servers::NAMED_MCP;
use crate::workflows::workflow::{ArgValues, Argument, ArgumentKind, Setting, WorkflowError};

/// Environment variable with the folder of packages, if the command line does not name it (SEC-16).
const INTEGRATIONS_PATH: &str = "INTEGRATIONS_PATH";

/// The debug switches, each with its task. At most one can be given (SEC-15).
const DEBUG: &[(&str, SectionsTask)] = &[
    ("debug-critic-only", SectionsTask::Critic),
    ("debug-validator-only", SectionsTask::Validators),
    ("debug-generator-only", SectionsTask::Generator),
];

pub(super) const ARGUMENTS: &[Argument<'static>] = &[
    Argument {
        name: "package",
        kind: ArgumentKind::Positional("PACKAGE"),
        about: "The folder of the package; with --profile readme a README [default: the current folder]",
    },
    Argument {
        name: "model",
        kind: ArgumentKind::Lettered('m', "MODEL"),
        about: "The author: provider/model, gemini-…, claude-…, gpt-…, or offline [default: offline]",
    },
    API_KEY,
    Argument {
        name: "profile",
        kind: ArgumentKind::Option("package|readme"),
        about: "The kind of document; readme checks and improves the README of any project [default: package]",
    },
    Argument {
        name: "doc-file",
        kind: ArgumentKind::Option("NAME.md"),
        about: "Name of the document, without a folder [default: README.md]",
    },
    Argument {
        name: "non-interactive",
        kind: ArgumentKind::Switch,
        about: "Write the document without asking whether it is accepted",
    },
    Argument {
        name: "modify-prompt",
        kind: ArgumentKind::Option("TEXT"),
        about: "Change the existing document as this text says",
    },
    Argument {
        name: "max-iterations",
        kind: ArgumentKind::Option("N"),
        about: "Versions of a section until the best is taken [default: 3]",
    },
    Argument {
        name: "parallel",
        kind: ArgumentKind::Option("N"),
        about: "Write so many sections, or packages of a batch, at once [default: 4]",
    },
    Argument { name: "no-critic", kind: ArgumentKind::Switch, about: "Write sections without the critic" },
    Argument {
        name: "full-validation",
        kind: ArgumentKind::Switch,
        about: "Ask the model for the verdicts of validators too",
    },
    Argument {
        name: "check-urls",
        kind: ArgumentKind::Switch,
        about: "Fetch the pages behind the links of each section",
    },
    Argument {
        name: "preview",
        kind: ArgumentKind::Switch,
        about: "Write a local page that shows the document before it is accepted",
    },
    Argument {
        name: "evaluate",
        kind: ArgumentKind::Switch,
        about: "Write and measure the document; the package is not changed",
    },
    Argument {
        name: "batch",
        kind: ArgumentKind::Option("A,B,C"),
        about: "With --evaluate: the packages, by their folders below --integrations-path",
    },
    Argument {
        name: "integrations-path",
        kind: ArgumentKind::Option("DIR"),
        about: "Folder of the packages of a batch [default: INTEGRATIONS_PATH, else the current folder]",
    },
    Argument {
        name: "output-dir",
        kind: ArgumentKind::Option("DIR"),
        about: "With --evaluate: folder of the results [default: evaluations]",
    },
    Argument {
        name: "format",
        kind: ArgumentKind::Option("json|promptfoo"),
        about: "With --evaluate: promptfoo adds a file that `promptfoo import` reads [default: json]",
    },
    Argument {
        name: "compare",
        kind: ArgumentKind::Option("FILE"),
        about: "With --evaluate: results.json of an earlier run to compare with",
    },
    Argument {
        name: "snapshots",
        kind: ArgumentKind::Option("DIR"),
        about: "Keep a copy of each iteration of each section in this folder",
    },
    Argument {
        name: "debug-critic-only",
        kind: ArgumentKind::Switch,
        about: "Judge the existing document by the critic, and nothing else",
    },
    Argument {
        name: "debug-validator-only",
        kind: ArgumentKind::Switch,
        about: "Check the existing document by the validators, and nothing else",
    },
    Argument {
        name: "debug-generator-only",
        kind: ArgumentKind::Switch,
        about: "Write each section once, without critic and validators",
    },
    Argument {
        name: "max-tokens",
        kind: ArgumentKind::Option("N"),
        about: "Tokens of the whole run [default: no limit]",
    },
    Argument {
        name: "max-cost",
        kind: ArgumentKind::Option("DOLLARS"),
        about: "Money of the whole run [default: no limit]",
    },
    TOOLS,
    NAMED_MCP,
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "File with the endpoints of models [default: ./config.yaml when there]",
    },
];

/// Builds the settings of a new run from the arguments, and checks them.
pub(super) fn read_settings(given: &ArgValues, setting: &Setting) -> Result<SectionsSettings, WorkflowError> {
    let mut settings = SectionsSettings::default();
    if let Some(model) = given.text("model")? {
        model.clone_into(&mut settings.model);
    }
    if given.text("api-key")?.is_some_and(|key| key.trim().is_empty()) {
        return Err(usage("`--api-key` is empty", "leave it out to take the key from its variable"));
    }
    settings.profile = one_of(
        given,
        "profile",
        &[("package", SectionsProfile::Package), ("readme", SectionsProfile::Readme)],
    )?
    .unwrap_or_default();
    settings.format =
        one_of(given, "format", &[("json", ResultFormat::Json), ("promptfoo", ResultFormat::Promptfoo)])?
            .unwrap_or_default();
    if let Some(name) = given.text("doc-file")? {
        settings.doc_file = doc_file(name)?;
    }
    settings.task = read_task(given, setting)?;
    if given.is_given("non-interactive") {
        settings.approval = DocumentApproval::Given;
    }
    let judges = SectionJudges {
        critic: !given.is_given("no-critic"),
        urls: given.is_given("check-urls"),
        ..SectionJudges::default()
    };
    settings.judges = if given.is_given("full-validation") { judges.full_validation() } else { judges };
    settings.is_previewed = given.is_given("preview");
    if let Some(form) = given.text("tools")? {
        settings.tools = form.parse().map_err(|error: UnknownToolForm| {
            WorkflowError::new(error, Some("write `--tools native` or `--tools xml`".to_owned()))
        })?;
    }
    settings.max_iterations =
        number_in(given, "max-iterations", ITERATIONS_MAX)?.unwrap_or(settings.max_iterations);
    settings.parallel = number_in(given, "parallel", PARALLEL_MAX)?.unwrap_or(settings.parallel);
    read_budget(given, &mut settings)?;
    settings.compare = folder(given, "compare")?;
    settings.snapshots = folder(given, "snapshots")?;
    if let Some(path) = folder(given, "output-dir")? {
        settings.output_dir = path;
    }
    check_combinations(given, &settings)?;
    Ok(settings)
}

/// Returns the stored settings of a resumed run with the model and the limits that the arguments give anew.
pub(super) fn correct_settings(
    mut settings: SectionsSettings,
    given: &ArgValues,
) -> Result<SectionsSettings, WorkflowError> {
    if let Some(model) = given.text("model")? {
        model.clone_into(&mut settings.model);
    }
    read_budget(given, &mut settings)?;
    Ok(settings)
}

fn usage(message: impl Into<String>, hint: impl Into<String>) -> WorkflowError {
    WorkflowError::msg(message).with_hint(hint)
}

fn one_of<T: Copy>(given: &ArgValues, name: &str, known: &[(&str, T)]) -> Result<Option<T>, WorkflowError> {
    let Some(typed) = given.text(name)? else { return Ok(None) };
    let found = known.iter().find(|(word, _)| *word == typed);
    let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
    let error = || {
        usage(
            format!("`--{name}` takes {}, not `{typed}`", words.join(" or ")),
            format!("write `--{name} {}`", words[0]),
        )
    };
    found.map(|(_, value)| Some(*value)).ok_or_else(error)
}

/// Returns the task that the arguments ask for. A debug switch excludes all other tasks (SEC-15).
fn read_task(given: &ArgValues, setting: &Setting) -> Result<SectionsTask, WorkflowError> {
    let debug: Vec<_> = DEBUG.iter().filter(|(name, _)| given.is_given(name)).collect();
    let request = given.text("modify-prompt")?.map(str::trim);
    let is_evaluation = given.is_given("evaluate");
    if let [first, second, ..] = debug.as_slice() {
        let message = format!("`--{}` and `--{}` exclude each other", first.0, second.0);
        return Err(usage(message, "give one of them"));
    }
    let other = if is_evaluation { Some("evaluate") } else { request.map(|_| "modify-prompt") };
    match (debug.first(), other) {
        (Some((name, _)), Some(other)) => {
            Err(usage(format!("`--{name}` and `--{other}` exclude each other"), "give one of them"))
        }
        (Some((_, task)), None) => Ok(task.clone()),
        (None, _) if is_evaluation && request.is_some() => Err(usage(
            "`--evaluate` changes nothing, so `--modify-prompt` has no effect",
            "leave one of them out",
        )),
        (None, _) if is_evaluation => read_evaluation(given, setting),
        (None, _) => match request {
            Some("") => Err(usage(
                "`--modify-prompt` is empty",
                "say what is to change: --modify-prompt \"Add a troubleshooting step\"",
            )),
            Some(request) => Ok(SectionsTask::Modify(request.to_owned())),
            None => Ok(SectionsTask::Update),
        },
    }
}

fn read_evaluation(given: &ArgValues, setting: &Setting) -> Result<SectionsTask, WorkflowError> {
    let Some(list) = given.text("batch")? else { return Ok(SectionsTask::Evaluate) };
    let base = given
        .path("integrations-path")
        .or_else(|| setting.env.var(INTEGRATIONS_PATH).filter(|path| !path.is_empty()).map(PathBuf::from));
    let base = setting.folder.join(base.unwrap_or_default());
    let names: Vec<_> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(usage("`--batch` names no package", "separate names by commas: --batch nginx,apache"));
    }
    if given.path("package").is_some() {
        return Err(usage(
            "`--batch` names the packages, so no PACKAGE can be given too",
            "leave one of them out",
        ));
    }
    if let Some(name) = names.iter().find(|name| !is_plain_name(name)) {
        let hint = format!("name a folder below {}", base.display());
        return Err(usage(format!("`{name}` is no name of a package"), hint));
    }
    Ok(SectionsTask::Batch(names.into_iter().map(|name| base.join(name)).collect()))
}

/// Returns true for a single file or folder name, so that joining it to a folder cannot leave that folder.
fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(part)), None) if part == name)
}

fn doc_file(name: &str) -> Result<String, WorkflowError> {
    let name = name.trim();
    let is_markdown = Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if name.is_empty() {
        return Err(usage("`--doc-file` is empty", "name the document: --doc-file README.md"));
    }
    if !is_plain_name(name) || !is_markdown {
        return Err(usage(
            format!("`--doc-file` takes a name that ends with .md and has no folder, not `{name}`"),
            "write `--doc-file README.md`",
        ));
    }
    Ok(name.to_owned())
}

fn folder(given: &ArgValues, name: &str) -> Result<Option<PathBuf>, WorkflowError> {
    match given.path(name) {
        Some(path) if path.as_os_str().is_empty() => {
            Err(usage(format!("`--{name}` is empty"), format!("name a path: --{name} results")))
        }
        path => Ok(path),
    }
}

/// Returns the number that an argument gives, or `None` if it is not given. Fails unless it is in 1 to
/// `most`.
fn number_in(given: &ArgValues, name: &str, most: u32) -> Result<Option<u32>, WorkflowError> {
    match given.number(name)? {
        Some(number) if !(1..=most).contains(&number) => Err(usage(
            format!("`--{name}` takes a whole number from 1 to {most}, not `{number}`"),
            format!("write it in digits: --{name} 3"),
        )),
        number => Ok(number),
    }
}

fn read_budget(given: &ArgValues, settings: &mut SectionsSettings) -> Result<(), WorkflowError> {
    if let Some(tokens) = given.number("max-tokens")? {
        settings.budget.tokens = (tokens > 0).then_some(tokens.into());
    }
    if let Some(typed) = given.text("max-cost")? {
        let dollars = typed.parse().ok().filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0);
        let dollars = dollars.ok_or_else(|| {
            usage(
                format!("`--max-cost` takes an amount of dollars of 0 or more, not `{typed}`"),
                "write it in digits: --max-cost 2.50",
            )
        })?;
        settings.budget.money = (dollars > 0.0).then_some(Money::dollars(dollars));
    }
    Ok(())
}

/// Refuses options that would have no effect together with the others, because the user expects one.
fn check_combinations(given: &ArgValues, settings: &SectionsSettings) -> Result<(), WorkflowError> {
    let is_evaluation = matches!(settings.task, SectionsTask::Evaluate | SectionsTask::Batch(_));
    for name in ["batch", "integrations-path", "output-dir", "format", "compare"] {
        if given.is_given(name) && !is_evaluation {
            return Err(usage(
                format!("`--{name}` is for evaluations"),
                format!("add `--evaluate`, or leave `--{name}` out"),
            ));
        }
    }
    if settings.profile == SectionsProfile::Readme
        && !matches!(
            settings.task,
            SectionsTask::Update | SectionsTask::Validators | SectionsTask::Critic | SectionsTask::Modify(_)
        )
    {
        return Err(usage(
            "`--profile readme` checks and improves a README; it is not for packages",
            "leave the other switch out",
        ));
    }
    if given.is_given("full-validation") && settings.is_offline() {
        return Err(usage(
            "`--full-validation` asks a model, and none was named",
            "add `--model PROVIDER/MODEL`",
        ));
    }
    Ok(())
}
