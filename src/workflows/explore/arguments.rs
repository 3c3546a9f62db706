//! Arguments of an exploration, validated before a run. Builds no graph; see `entry.rs`.

use std::path::PathBuf;

use super::input::{AGENTS_MAX, DEPTH_MAX, ExploreOutput, ExploreSettings, PARALLEL_MAX};
use crate::llm::Money;
use crate::workflows::output::OutputScope;
use crate::workflows::shared_arguments::{API_KEY, TOOLS};
use crate::workflows::tool_form::UnknownToolForm;
use crate::workflows::tool_servers::NAMED_MCP;
use crate::workflows::workflow::{ArgValues, Argument, ArgumentKind, WorkflowError};

pub(super) const ARGUMENTS: &[Argument<'static>] = &[
    Argument {
        name: "repo",
        kind: ArgumentKind::Positional("REPO"),
        about: "The repository to explore [default: the current folder]",
    },
    Argument {
        name: "model",
        kind: ArgumentKind::Lettered('m', "MODEL"),
        about: "Who explores: provider/model, gemini-…, claude-…, gpt-…, or offline [default: offline]",
    },
    API_KEY,
    Argument {
        name: "purpose",
        kind: ArgumentKind::Option("TEXT"),
        about: "What the root agent is to find out [default: how the repository is built]",
    },
    Argument {
        name: "document",
        kind: ArgumentKind::Switch,
        about: "Write one document about the structure of the repository instead of notes",
    },
    Argument {
        name: "agents",
        kind: ArgumentKind::Switch,
        about: "With --document: agents explore too, and their findings are part of the document",
    },
    Argument {
        name: "depth",
        kind: ArgumentKind::Option("N"),
        about: "Depth of the deepest agents; 0 is the root alone [default: 8]",
    },
    Argument {
        name: "max-agents",
        kind: ArgumentKind::Option("N"),
        about: "Agents of the whole tree [default: 200]",
    },
    Argument {
        name: "max-tokens",
        kind: ArgumentKind::Option("N"),
        about: "Tokens of the whole tree; 0 for no limit [default: 2000000]",
    },
    Argument {
        name: "max-cost",
        kind: ArgumentKind::Option("DOLLARS"),
        about: "Money of the whole tree; 0 for no limit [default: 10]",
    },
    Argument {
        name: "max-seconds",
        kind: ArgumentKind::Option("N"),
        about: "Time of the whole tree [default: 3600]",
    },
    Argument { name: "steps", kind: ArgumentKind::Option("N"), about: "Answers of one agent [default: 80]" },
    Argument {
        name: "parallel",
        kind: ArgumentKind::Option("N"),
        about: "Let so many agents work at once [default: 4]",
    },
    TOOLS,
    Argument {
        name: "output-dir",
        kind: ArgumentKind::Option("DIR"),
        about: "Where the results are written, in a folder for each repository [default: explorations]",
    },
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Where models are [default: ./config.yaml when there]",
    },
    NAMED_MCP,
];

/// Makes the settings from the arguments. Fails for invalid values.
pub(super) fn read_settings(given: &ArgValues) -> Result<ExploreSettings, WorkflowError> {
    let mut settings = ExploreSettings::default();
    if let Some(model) = given.text("model")? {
        model.clone_into(&mut settings.model);
    }
    settings.purpose =
        given.text("purpose")?.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    settings.output = read_output(given)?;
    if let Some(form) = given.text("tools")? {
        settings.tools = form.parse().map_err(|error: UnknownToolForm| {
            WorkflowError::new(error, Some("write `--tools native` or `--tools xml`".to_owned()))
        })?;
    }
    if let Some(path) = given.path("output-dir") {
        settings.output_dir = output_dir(path)?;
        settings.output_scope = OutputScope::Anywhere;
    }
    read_limits(given, &mut settings)?;
    Ok(settings)
}

/// Returns the kind of the result. `--agents` without `--document` is an error (EXP-58).
fn read_output(given: &ArgValues) -> Result<ExploreOutput, WorkflowError> {
    match (given.is_given("document"), given.is_given("agents")) {
        (true, true) => Ok(ExploreOutput::DocumentWithAgents),
        (true, false) => Ok(ExploreOutput::Document),
        (false, false) => Ok(ExploreOutput::Notes),
        (false, true) => {
            Err(WorkflowError::msg("`--agents` adds agents to a document, and none was asked for")
                .with_hint("write `--document --agents`; without a document agents explore anyway"))
        }
    }
}

fn output_dir(path: PathBuf) -> Result<PathBuf, WorkflowError> {
    if path.as_os_str().is_empty() {
        let error = WorkflowError::msg("`--output-dir` is empty");
        return Err(error.with_hint("name a folder: --output-dir explorations"));
    }
    Ok(path)
}

fn read_limits(given: &ArgValues, settings: &mut ExploreSettings) -> Result<(), WorkflowError> {
    if let Some(depth) = number_in(given, "depth", 0, DEPTH_MAX)? {
        settings.max_depth = depth;
    }
    if let Some(agents) = number_in(given, "max-agents", 1, AGENTS_MAX)? {
        settings.limits.agents = agents;
    }
    if let Some(tokens) = number_in(given, "max-tokens", 0, u32::MAX)? {
        settings.limits.budget.tokens = (tokens > 0).then_some(tokens.into());
    }
    if let Some(seconds) = number_in(given, "max-seconds", 1, u32::MAX)? {
        settings.limits.seconds = seconds.into();
    }
    if let Some(steps) = number_in(given, "steps", 1, 1_000)? {
        settings.steps = steps;
    }
    if let Some(parallel) = number_in(given, "parallel", 1, PARALLEL_MAX)? {
        settings.parallel = parallel;
    }
    if let Some(typed) = given.text("max-cost")? {
        let dollars = typed.parse().ok().filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0);
        let dollars = dollars.ok_or_else(|| {
            WorkflowError::msg(format!("`--max-cost` takes an amount of dollars of 0 or more, not `{typed}`"))
                .with_hint("write it in digits: --max-cost 2.50")
        })?;
        settings.limits.budget.money = (dollars > 0.0).then_some(Money::dollars(dollars));
    }
    Ok(())
}

/// Returns a number argument that must be from `least` to `most`; `None` if it is not given.
fn number_in(given: &ArgValues, name: &str, least: u32, most: u32) -> Result<Option<u32>, WorkflowError> {
    match given.number(name)? {
        Some(number) if !(least..=most).contains(&number) => {
            let message = format!("`--{name}` takes a whole number from {least} to {most}, not `{number}`");
            Err(WorkflowError::msg(message)
                .with_hint(format!("write it in digits: --{name} {}", least.max(4))))
        }
        number => Ok(number),
    }
}
