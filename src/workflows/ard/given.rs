//! What the user typed: the arguments of a debate, and the idea and settings that they make. Builds no graph; see `entry.rs`.

use std::path::Path;

use super::input::settings::{Corrections, Overrides, Settings};
use super::input::{Idea, IdeaError};
use super::services::Reach;
use crate::workflows::config::{ConfigFile, is_of_providers};
use crate::workflows::workflow::{Argument, ArgumentKind, Given, Setting, WorkflowError};

pub(super) const ARGUMENTS: &[Argument<'static>] = &[
    Argument { name: "idea", kind: ArgumentKind::Option("TEXT"), about: "The idea" },
    Argument { name: "idea-file", kind: ArgumentKind::Option("FILE"), about: "Read the idea from a file" },
    Argument {
        name: "stdin",
        kind: ArgumentKind::Positional("-"),
        about: "Read the idea from standard input",
    },
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Models, limits and output [default: ./config.yaml when there]",
    },
    Argument {
        name: "architect-model",
        kind: ArgumentKind::Option("MODEL"),
        about: "Who drafts: provider/model, gemini-…, claude-…, gpt-…, or offline",
    },
    Argument { name: "reviewer-model", kind: ArgumentKind::Option("MODEL"), about: "Who reviews, likewise" },
    Argument {
        name: "max-iterations",
        kind: ArgumentKind::Option("N"),
        about: "Revisions after the first draft",
    },
    Argument { name: "output", kind: ArgumentKind::Option("FILE"), about: "Where the specification goes" },
];

/// The idea, from where the user said it is.
pub(super) fn idea(given: &Given, setting: &Setting) -> Result<Idea, WorkflowError> {
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
        (None, Some(path), None) => {
            Idea::read(setting.folder.join(&path)).map_err(|error| refused(error.at(&path)))
        }
        (None, None, Some(_)) => match given.stdin() {
            Some(stdin) => Idea::from_reader(stdin).map_err(refused),
            None => Err(refused(IdeaError::Empty)),
        },
        (None, None, None) => Err(WorkflowError::msg("there is no idea to debate").with_hint(
            "say it with `--idea \"A tool that …\"`, `--idea-file FILE`, or `-` for standard input",
        )),
        _ => Err(WorkflowError::msg("the idea is given more than once")
            .with_hint("use one of `--idea`, `--idea-file` and `-`")),
    }
}

/// The settings: the file with what was typed over it, or the defaults (ARD-18).
pub(super) fn settings(given: &Given, setting: &Setting) -> Result<Settings, WorkflowError> {
    let overrides = overrides(given)?;
    match ConfigFile::open(given, setting)? {
        Some(file) => {
            // A path that was typed goes where it says: the file's is not used then.
            let is_output_named = overrides.output_path.is_some();
            let is_used = |capability: &_| is_of_providers(capability) || !is_output_named;
            file.read(setting, is_used, |text, path| Settings::parse(text, path, overrides))
        }
        None => Ok(Settings::without_file(overrides)),
    }
}

/// Returns the folder that the specification may not leave: none for a path that the user typed, or that a trusted file names.
pub(super) fn reach(given: &Given, setting: &Setting, output: &Path) -> Result<Reach, WorkflowError> {
    if given.is_given("output") {
        return Ok(Reach::Anywhere);
    }
    let file = ConfigFile::open(given, setting)?;
    let is_allowed = file.is_some_and(|file| {
        file.allows_outside(setting, |text, path| {
            Settings::parse(text, path, Overrides::default())
                .is_ok_and(|settings| settings.output_path == output)
        })
    });
    Ok(if is_allowed { Reach::Anywhere } else { Reach::Folder })
}

fn overrides(given: &Given) -> Result<Overrides, WorkflowError> {
    Ok(Overrides {
        architect_model: given.text("architect-model")?.map(str::to_owned),
        reviewer_model: given.text("reviewer-model")?.map(str::to_owned),
        max_iterations: given.number("max-iterations")?,
        output_path: given.path("output"),
    })
}

/// The settings of a debate that goes on. Where its models are is no part of it, and which they are may have been wrong; so both are
/// read anew.
pub(super) fn resumed(
    settings: Settings,
    given: &Given,
    setting: &Setting,
) -> Result<Settings, WorkflowError> {
    let corrections = match ConfigFile::open(given, setting)? {
        Some(file) => file.read(setting, is_of_providers, Settings::parse_corrections)?,
        None => Corrections::default(),
    };
    Ok(settings.resumed(corrections, &overrides(given)?))
}
