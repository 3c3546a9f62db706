//! A workflow's own arguments as clap's, and back. The help of `graph run <workflow>` comes from here.

use std::ffi::OsString;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::workflows::{Argument, ArgumentKind, Given};

/// The command with the arguments of a workflow.
pub(super) fn with_arguments(command: Command, arguments: &[Argument<'_>]) -> Command {
    command.args(arguments.iter().map(|argument| {
        let arg = Arg::new(argument.name.to_owned()).help(help(argument));
        let option = |arg: Arg, value: String| {
            let arg = arg.long(argument.name.to_owned()).value_name(value);
            // So that the workflow says what it wants instead, and an idea may begin with `-5`.
            arg.value_parser(ValueParser::os_string()).allow_negative_numbers(true)
        };
        match argument.kind {
            ArgumentKind::Option(value) => option(arg, value.to_owned()),
            ArgumentKind::Lettered(letter, value) => option(arg, value.to_owned()).short(letter),
            ArgumentKind::Input { value, .. } => option(arg, value.to_uppercase()),
            ArgumentKind::Positional(value) => {
                arg.value_name(value.to_owned()).value_parser(ValueParser::os_string())
            }
            ArgumentKind::Switch => arg.long(argument.name.to_owned()).action(ArgAction::SetTrue),
        }
    }))
}

fn help(argument: &Argument<'_>) -> String {
    let note = match argument.kind {
        ArgumentKind::Input { default: None, .. } => "[must be given]".to_owned(),
        ArgumentKind::Input { default: Some(default), .. } if default.is_null() => String::new(),
        ArgumentKind::Input { default: Some(default), .. } => format!("[default: {default}]"),
        _ => String::new(),
    };
    format!("{} {note}", argument.about).trim().to_owned()
}

/// What the user said.
pub(super) fn given(arguments: &[Argument<'_>], matches: &ArgMatches) -> Given {
    arguments.iter().fold(Given::nothing(), |given, argument| {
        let value = match argument.kind {
            ArgumentKind::Switch => matches.get_flag(argument.name).then(OsString::new),
            ArgumentKind::Option(_)
            | ArgumentKind::Lettered(..)
            | ArgumentKind::Input { .. }
            | ArgumentKind::Positional(_) => matches.get_one::<OsString>(argument.name).cloned(),
        };
        match value {
            Some(value) => given.with(argument.name, value),
            None => given,
        }
    })
}
