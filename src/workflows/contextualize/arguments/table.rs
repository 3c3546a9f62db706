//! The tables of arguments, as the help shows them.

use crate::workflows::shared_arguments::{API_KEY, TOOLS};
use crate::workflows::tool_servers::NAMED_MCP;
use crate::workflows::workflow::{Argument, ArgumentKind};

pub(super) const GENERATE: &[Argument<'static>] = &[
    SOURCE,
    Argument {
        name: "summary",
        kind: ArgumentKind::Lettered('s', "TEXT"),
        about: "Purpose of the repository in your words [default: as its documents state it]",
    },
    Argument {
        name: "format",
        kind: ArgumentKind::Option("context|agents-md"),
        about: "Layout of the file: a context file, or an AGENTS.md [default: context]",
    },
];

pub(super) const SCOPE: &[Argument<'static>] = &[
    Argument {
        name: "source",
        kind: ArgumentKind::Positional("SOURCE"),
        about: "Folder, https://github.com/OWNER/REPO, or a context file of a repository [default: the current folder]",
    },
    Argument {
        name: "question",
        kind: ArgumentKind::Lettered('q', "QUESTION"),
        about: "Question that the file answers",
    },
];

pub(super) const REFINE: &[Argument<'static>] = &[
    Argument { name: "file", kind: ArgumentKind::Positional("FILE"), about: "Context file to change" },
    Argument {
        name: "request",
        kind: ArgumentKind::Lettered('r', "TEXT"),
        about: "Change that is asked for",
    },
];

pub(super) const SHARED: &[Argument<'static>] = &[
    Argument {
        name: "output",
        kind: ArgumentKind::Lettered('o', "FILE"),
        about: "File to write; `-` is standard output [default: below contexts/; for `refine` the file itself]",
    },
    Argument {
        name: "mode",
        kind: ArgumentKind::Lettered('m', "pipeline|agent"),
        about: "Fixed steps, or a model that selects tools [default: pipeline]",
    },
    Argument {
        name: "provider",
        kind: ArgumentKind::Option("PROVIDER"),
        about: "Provider of the model, when MODEL does not name it",
    },
    Argument {
        name: "model",
        kind: ArgumentKind::Option("MODEL"),
        about: "Model that writes: provider/model, gemini-…, claude-…, gpt-…, or offline [default: offline]",
    },
    API_KEY,
    Argument {
        name: "max-tokens",
        kind: ArgumentKind::Option("N"),
        about: "Maximum size of the file in tokens",
    },
    Argument {
        name: "approve",
        kind: ArgumentKind::Option("ask|all"),
        about: "Ask before each expensive tool of an agent, or run all [default: ask]",
    },
    TOOLS,
    Argument {
        name: "config",
        kind: ArgumentKind::Option("FILE"),
        about: "Configuration file with models and settings [default: ./config.yaml if it exists]",
    },
    NAMED_MCP,
    Argument {
        name: "stream",
        kind: ArgumentKind::Switch,
        about: "Print the text of the model while it is written",
    },
    Argument { name: "debug", kind: ArgumentKind::Switch, about: "Print prompts, answers and tool calls" },
];

const SOURCE: Argument<'static> = Argument {
    name: "source",
    kind: ArgumentKind::Positional("SOURCE"),
    about: "Folder, or https://github.com/OWNER/REPO [default: the current folder]",
};
