//! The command `replay`: prints the events of an exploration again from its log (EXP-71). Only `graph` links it.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::AddedCommand;
use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;
use crate::workflows::explore::events::{NumberedEvent, read_log};
use crate::workflows::explore::format_event;

#[derive(Args)]
struct ReplayArgs {
    /// Log of an exploration, such as explorations/REPO/events.jsonl
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Begin with the event of this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
    /// Print JSON lines, with the tools and tokens that the text leaves out
    #[arg(long)]
    json: bool,
}

/// Returns the command `replay`, which prints the events in the log of an exploration, to be added to a
/// [`Catalogue`](super::Catalogue).
pub fn added() -> AddedCommand {
    AddedCommand { name: "replay", command, execute }
}

fn command() -> Command {
    ReplayArgs::augment_args(Command::new("replay"))
        .about("Print the events of an exploration again, from its log")
        .after_help("Examples:\n  graph replay explorations/shop/events.jsonl            who explored what, and the notes\n  graph replay explorations/shop/events.jsonl --json     every event")
}

fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = ReplayArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let path = session.folder.join(&args.log);
    let unreadable = |error: std::io::Error| {
        Failure::new(
            format!("cannot read {}: {error}", args.log.display()),
            "give the log of an exploration: explorations/REPO/events.jsonl",
        )
    };
    let bytes = std::fs::metadata(&path).map_err(unreadable)?.len();
    let whole = read_log(&path, |event| print(&event, &args, session)).map_err(unreadable)?;
    if whole == 0 && bytes > 0 {
        let message = format!("{} is no log of an exploration", args.log.display());
        return Err(Failure::new(message, "give the file events.jsonl of its results"));
    }
    if whole < bytes {
        session.printer.say(format_args!(
            "{} is damaged or still being written behind byte {whole}; the events before it were printed",
            args.log.display()
        ));
    }
    Ok(Exit::Done)
}

fn print(event: &NumberedEvent, args: &ReplayArgs, session: &Session) {
    if event.seq < args.from {
        return;
    }
    if args.json {
        session.printer.data(serde_json::to_string(event).expect("an event is JSON with string keys"));
    } else if let Some(line) = format_event(&event.event) {
        session.printer.data(line);
    }
}
