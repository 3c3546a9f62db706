//! The live lines on a terminal, over a server that is slow to answer.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::debate::{Debate, IDEA};
use super::kit::{Place, signal};

/// The recording of a terminal.
struct Terminal {
    recorded: Arc<Mutex<String>>,
    /// Other end, for the standard error of a program.
    end: File,
}

impl Terminal {
    fn new(columns: u16) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let control = openpt(flags).expect("a terminal");
        grantpt(&control).expect("granted");
        unlockpt(&control).expect("unlocked");
        tcsetwinsize(&control, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
            .expect("a size");
        let name = ptsname(&control, Vec::new()).expect("a name").into_string().expect("UTF-8");
        let end = File::options().read(true).write(true).open(name).expect("the other end");
        let recorded = Arc::new(Mutex::new(String::new()));
        let (kept, mut control) = (recorded.clone(), File::from(control));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The read fails when the program has ended.
            while let Ok(count @ 1..) = control.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { recorded, end }
    }

    fn text(&self) -> String {
        self.recorded.lock().unwrap().clone()
    }

    /// Waits until the recording fits.
    async fn shows(&self, fits: impl Fn(&str) -> bool) -> String {
        // A bound for a broken program only: two minutes.
        for _ in 0..6_000 {
            let text = self.text();
            if fits(&text) {
                return text;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("never shown; the terminal has {:?}", self.text());
    }
}

/// Returns the times left that a recording shows, without repetitions.
fn times_left(recorded: &str) -> BTreeSet<&str> {
    let words: Vec<&str> = recorded.split_whitespace().collect();
    words.windows(2).filter(|pair| pair[1] == "left").map(|pair| pair[0]).collect()
}

/// Returns the rows of the screen after a recording.
fn rows(recorded: &str, columns: u16) -> Vec<String> {
    let size = |count| std::num::NonZero::new(count).expect("a terminal has rows and columns");
    let mut screen = vt100::Parser::new(size(24), size(columns), 0);
    screen.process(recorded.as_bytes());
    screen.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect()
}

#[tokio::test]
async fn what_is_waited_for_and_the_time_left_are_on_the_screen_before_the_first_answer() {
    for columns in [40, 80, 200] {
        let (place, debate) = (Place::new(), Debate::silent_at(0).await);
        place.configure(&debate.base_url());
        let terminal = Terminal::new(columns);
        let mut command = place.ard(["run", "--idea", IDEA]);
        command.env("TERM", "xterm").stderr(Stdio::from(terminal.end.try_clone().unwrap()));
        let child = command.spawn().unwrap();
        // The time left is another fact each second.
        // A recording may end amid a drawing, so the screen is looked at until it is whole.
        let is_whole = |text: &str| {
            let rows = rows(text, columns);
            let waits = rows.iter().position(|row| row.starts_with("architect waits · "));
            waits.is_some_and(|waits| {
                rows[waits - 1].starts_with("step 1 · architect")
                    // Nothing wraps.
                    && rows[waits + 1..].iter().all(String::is_empty)
                    && rows[waits].contains("local/architect") == (columns > 40)
            })
        };
        terminal.shows(|text| times_left(text).len() >= 3 && is_whole(text)).await;
        signal(&child, "HUP");
        let ended = child.wait_with_output().await.unwrap();
        assert_eq!(ended.status.code(), Some(130));
        let text = terminal.shows(|text| text.contains("to continue: ")).await;
        let last = rows(&text, columns);
        assert!(last.iter().any(|row| row.starts_with("stopped ")), "{last:?}");
        assert!(!last.iter().any(|row| row.contains("waits")), "the live lines are gone: {last:?}");
    }
}

#[tokio::test]
async fn challenges_appear_as_they_come() {
    let (place, debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let terminal = Terminal::new(80);
    let mut command = place.ard(["run", "--idea", IDEA]);
    command.env("TERM", "xterm").stderr(Stdio::from(terminal.end.try_clone().unwrap()));
    // `output` would take the standard error away from the terminal.
    let ended = command.spawn().unwrap().wait_with_output().await.unwrap();
    assert_eq!(ended.status.code(), Some(0));
    let text = terminal.shows(|text| text.contains("specification: ")).await;
    assert!(text.contains("  1. completeness: A part is missing."), "{text}");
    assert!(text.contains("  Challenge 1 is addressed by another part."), "{text}");
}

#[tokio::test]
async fn without_a_terminal_each_event_is_a_plain_line() {
    let (place, debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let told = super::kit::done(place.ard(["run", "--idea", IDEA])).await.exits(0);
    assert!(!told.err.contains('\u{1b}') && !told.err.contains('\r'), "{}", told.err);
    let rounds = told.err.lines().filter(|line| line.starts_with("round ")).count();
    assert_eq!(rounds, super::debate::CALLS, "{}", told.err);
    assert!(!told.err.contains("A part is missing."), "{}", told.err);
    let told = super::kit::done(place.ard(["run", "--idea", IDEA, "-v"])).await.exits(0);
    assert!(told.err.contains("  1. completeness: A part is missing."), "{}", told.err);
}
