//! Converts the arguments of a workflow to clap arguments, and the parsed matches to a [`ArgValues`]. They make up the help of
//! `graph run <workflow>`.

use std::ffi::OsString;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{QUIET_LETTER, quiet_argument};
use crate::workflows::{ArgValues, Argument, ArgumentKind};

/// Adds the arguments of a workflow to a clap command. If the workflow uses the letter `-q`, the program's
/// own `--quiet` loses it.
pub(super) fn add_arguments(command: Command, arguments: &[Argument<'_>]) -> Command {
    let is_letter = |argument: &Argument<'_>, taken: char| matches!(argument.kind, ArgumentKind::Lettered(letter, _) if letter == taken);
    // A letter of the workflow goes before the one of all commands, which keeps its word.
    let is_taken = arguments.iter().any(|argument| is_letter(argument, QUIET_LETTER));
    let command = if is_taken { command.arg(quiet_argument()) } else { command };
    command.args(arguments.iter().map(|argument| {
        let arg = Arg::new(argument.name.to_owned()).help(help_text(argument));
        let option = |arg: Arg, value: String| {
            let arg = arg.long(argument.name.to_owned()).value_name(value);
            // Any text is accepted, because the workflow reports a wrong value with its own hint. An idea may begin with `-5`.
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

fn help_text(argument: &Argument<'_>) -> String {
    let note = match argument.kind {
        ArgumentKind::Input { default: None, .. } => "[required]".to_owned(),
        ArgumentKind::Input { default: Some(default), .. } if default.is_null() => String::new(),
        ArgumentKind::Input { default: Some(default), .. } => format!("[default: {default}]"),
        _ => String::new(),
    };
    format!("{} {note}", argument.about).trim().to_owned()
}

/// Returns the values that the user passed for the arguments of a workflow. A switch that was passed has an
/// empty value.
pub(super) fn read_given(arguments: &[Argument<'_>], matches: &ArgMatches) -> ArgValues {
    arguments.iter().fold(ArgValues::nothing(), |given, argument| {
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
