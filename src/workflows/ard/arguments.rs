//! The arguments of a debate, and the idea and settings parsed from them. Builds no graph; see `entry.rs`.

use std::path::Path;

use super::input::settings::{Corrections, DebateSettings, Overrides};
use super::input::{Idea, IdeaError};
use super::services::{OutputScope, UsageLimits};
use crate::workflows::config::{ConfigFile, is_of_providers};
use crate::workflows::workflow::{ArgValues, Argument, ArgumentKind, Setting, WorkflowError};

pub(super) const ARGUMENTS: &[Argument<'static>] = &[
    Argument { name: "idea", kind: ArgumentKind::Option("TEXT"), about: "Idea, as text" },
    Argument {
        name: "idea-file",
        kind: ArgumentKind::Option("FILE"),
        about: "Read the idea from this file; `-` is standard input",
    },
    Argument {
        name: "stdin",
        kind: ArgumentKind::Positional("-"),
        about: "Read the idea from standard input",
    },
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Configuration file with models, limits and output path [default: ./config.yaml if it exists]",
    },
    Argument {
        name: "architect-model",
        kind: ArgumentKind::Option("MODEL"),
        about: "Model that drafts: provider/model, gemini-…, claude-…, gpt-…, or offline",
    },
    Argument {
        name: "reviewer-model",
        kind: ArgumentKind::Option("MODEL"),
        about: "Model that reviews; the same names",
    },
    Argument {
        name: "max-iterations",
        kind: ArgumentKind::Option("N"),
        about: "Maximum number of revisions after the first draft",
    },
    Argument {
        name: "output",
        kind: ArgumentKind::Option("FILE"),
        about: "File that the specification is written to; `-` is standard output",
    },
    Argument {
        name: "json-output",
        kind: ArgumentKind::Option("FILE"),
        about: "Also write the whole debate to this file, as JSON",
    },
    Argument {
        name: "force",
        kind: ArgumentKind::Switch,
        about: "Overwrite a file that this program did not write, without keeping a copy",
    },
    Argument {
        name: "max-tokens",
        kind: ArgumentKind::Option("N"),
        about: "Stop before a request once the debate has used N tokens",
    },
    Argument {
        name: "max-cost",
        kind: ArgumentKind::Option("USD"),
        about: "Stop before a request once the debate has cost that much",
    },
];

/// Reads `--max-tokens` and `--max-cost`. Fails for an amount that is no number above 0.
pub(super) fn read_budget(given: &ArgValues) -> Result<UsageLimits, WorkflowError> {
    let dollars = given.text("max-cost")?.map(|text| {
        let amount = text.parse::<f64>().ok().filter(|amount| amount.is_finite() && *amount > 0.0);
        amount.ok_or_else(|| {
            WorkflowError::msg(format!("`--max-cost` takes an amount of US dollars above 0, not `{text}`"))
                .with_hint("write it as a number: --max-cost 0.50")
        })
    });
    Ok(UsageLimits { tokens: given.number("max-tokens")?.map(u64::from), dollars: dollars.transpose()? })
}

/// Reads the idea if one of its arguments is given; `None` if none is.
pub(super) fn read_optional_idea(
    given: &ArgValues,
    setting: &Setting,
) -> Result<Option<Idea>, WorkflowError> {
    let is_given = ["idea", "idea-file", "stdin"].iter().any(|name| given.is_given(name));
    is_given.then(|| read_idea(given, setting)).transpose()
}

/// Reads the idea from `--idea`, `--idea-file` or standard input (`-`). Fails unless exactly one of
/// them is given.
pub(super) fn read_idea(given: &ArgValues, setting: &Setting) -> Result<Idea, WorkflowError> {
    let refused = |error: IdeaError| {
        let hint = error.hint();
        WorkflowError::new(error, Some(hint))
    };
    if let Some(stray) = given.raw("stdin").filter(|word| *word != "-") {
        return Err(WorkflowError::msg(format!("unexpected argument `{}`", stray.to_string_lossy()))
            .with_hint("put the idea in quotes after `--idea`, or `-` to read it from standard input"));
    }
    match (given.text("idea")?, given.path("idea-file"), given.raw("stdin")) {
        (Some(text), None, None) => Idea::parse(text).map_err(refused),
        (None, Some(path), None) if path.as_os_str() != "-" => {
            Idea::read(setting.folder.join(&path)).map_err(|error| refused(error.with_path(&path)))
        }
        (None, Some(_), None) | (None, None, Some(_)) => match given.stdin() {
            Some(stdin) => Idea::from_reader(stdin).map_err(refused),
            None => Err(refused(IdeaError::Empty)),
        },
        (None, None, None) => Err(WorkflowError::msg("no idea was given").with_hint(
            "give it with `--idea \"A tool that …\"`, `--idea-file FILE`, or `-` for standard input",
        )),
        _ => Err(WorkflowError::msg("the idea is given more than once")
            .with_hint("use one of `--idea`, `--idea-file` and `-`")),
    }
}

/// Returns the settings: those of the file, if there is one, overridden by the command line (ARD-18).
pub(super) fn read_settings(given: &ArgValues, setting: &Setting) -> Result<DebateSettings, WorkflowError> {
    let overrides = parse_overrides(given)?;
    match ConfigFile::open(given, setting)? {
        Some(file) => {
            // A typed output path replaces that of the file, so the file needs no trust for its own.
            let is_output_named = overrides.output_path.is_some();
            let is_used = |capability: &_| is_of_providers(capability) || !is_output_named;
            file.read(setting, is_used, |text, path| DebateSettings::parse(text, path, overrides))
        }
        None => Ok(DebateSettings::without_file(overrides)),
    }
}

/// Fails if `minimum_rounds` is greater than the number of rounds that `max_iterations` allows.
pub(super) fn check_rounds(settings: &DebateSettings) -> Result<(), WorkflowError> {
    let rounds = settings.max_iterations.saturating_add(1);
    if settings.minimum_rounds <= rounds {
        return Ok(());
    }
    Err(WorkflowError::msg(format!(
        "`minimum_rounds` is {}, but `max_iterations` {} allows {rounds}",
        settings.minimum_rounds, settings.max_iterations
    ))
    .with_hint(format!(
        "set `max_iterations` to {} or more, or lower `minimum_rounds`",
        settings.minimum_rounds - 1
    )))
}

/// Returns a warning for each model in `history_tokens` that neither agent of the debate uses.
pub(super) fn note_unused_limits(settings: &DebateSettings) -> Vec<String> {
    let models = [&settings.architect_model, &settings.reviewer_model];
    let unused = settings.history.per_model.keys().filter(|name| !models.contains(name));
    unused
        .map(|name| format!("`history_tokens` has a limit for {name}, which is no model of this debate"))
        .collect()
}

/// Returns the scope of the output path: unrestricted if the user typed the path or a trusted file names it, else the
/// working folder.
pub(super) fn find_output_scope(
    given: &ArgValues,
    setting: &Setting,
    output: &Path,
) -> Result<OutputScope, WorkflowError> {
    if given.is_given("output") {
        return Ok(OutputScope::Anywhere);
    }
    let file = ConfigFile::open(given, setting)?;
    let is_allowed = file.is_some_and(|file| {
        file.allows_outside(setting, |text, path| {
            DebateSettings::parse(text, path, Overrides::default())
                .is_ok_and(|settings| settings.output_path == output)
        })
    });
    Ok(if is_allowed { OutputScope::Anywhere } else { OutputScope::Folder })
}

/// Reads the arguments that override values of the settings file.
pub(super) fn parse_overrides(given: &ArgValues) -> Result<Overrides, WorkflowError> {
    Ok(Overrides {
        architect_model: given.text("architect-model")?.map(str::to_owned),
        reviewer_model: given.text("reviewer-model")?.map(str::to_owned),
        max_iterations: given.number("max-iterations")?,
        output_path: given.path("output"),
    })
}

/// Makes the settings of a resumed debate. Endpoints are not stored, and a stored model name may be wrong; both are
/// read from the file and the command line again.
pub(super) fn read_corrected_settings(
    settings: DebateSettings,
    given: &ArgValues,
    setting: &Setting,
) -> Result<DebateSettings, WorkflowError> {
    let corrections = match ConfigFile::open(given, setting)? {
        Some(file) => file.read(setting, is_of_providers, DebateSettings::parse_corrections)?,
        None => Corrections::default(),
    };
    Ok(settings.with_corrections(corrections, &parse_overrides(given)?))
}
