//! A workflow's own arguments as clap's, and back. The help of `graph run <workflow>` comes from here.

use std::ffi::OsString;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::workflows::{Argument, ArgumentKind, Given};

/// The command with the arguments of a workflow.
pub(super) fn with_arguments(command: Command, arguments: &'static [Argument]) -> Command {
    command.args(arguments.iter().map(|argument| {
        let arg = Arg::new(argument.name).help(argument.about);
        match argument.kind {
            ArgumentKind::Option(value) => {
                let arg = arg.long(argument.name).value_name(value).value_parser(ValueParser::os_string());
                // So that the workflow says what it wants instead, and an idea may begin with `-5`.
                arg.allow_negative_numbers(true)
            }
            ArgumentKind::Positional(value) => arg.value_name(value).value_parser(ValueParser::os_string()),
            ArgumentKind::Switch => arg.long(argument.name).action(ArgAction::SetTrue),
        }
    }))
}

/// What the user said.
pub(super) fn given(arguments: &'static [Argument], matches: &ArgMatches) -> Given {
    arguments.iter().fold(Given::nothing(), |given, argument| {
        let value = match argument.kind {
            ArgumentKind::Switch => matches.get_flag(argument.name).then(OsString::new),
            ArgumentKind::Option(_) | ArgumentKind::Positional(_) => {
                matches.get_one::<OsString>(argument.name).cloned()
            }
        };
        match value {
            Some(value) => given.with(argument.name, value),
            None => given,
        }
    })
}
