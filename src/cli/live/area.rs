//! Draws the lines of the live view at the bottom of the terminal, and removes them while other lines are
//! printed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::view::{LiveView, fit};
use crate::engine::Event;
use crate::workflows::LiveLines;

/// Time between two drawings: half a second, so that facts which change every second are not late.
const TICK: Duration = Duration::from_millis(500);
/// Width that is assumed for a terminal that does not tell its width.
const COLUMNS: u16 = 80;

/// The area at the bottom of the terminal with the live lines of the program. Without a terminal nothing is
/// drawn.
pub(in crate::cli) struct LiveArea {
    bars: Option<MultiProgress>,
    view: Arc<Mutex<Option<LiveView>>>,
    shown: Mutex<Vec<ProgressBar>>,
}

impl LiveArea {
    /// Makes an area on standard error. It stays hidden if `is_wanted` is false, or if standard error is no
    /// terminal that can move its cursor.
    pub(in crate::cli) fn on_terminal(is_wanted: bool) -> Self {
        let can_move = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let bars = (is_wanted && can_move && !bars.is_hidden()).then_some(bars);
        Self { bars, view: Arc::default(), shown: Mutex::default() }
    }

    /// Returns true if live lines are drawn: standard error is a terminal, and they are wanted.
    pub(in crate::cli) fn is_visible(&self) -> bool {
        self.bars.is_some()
    }

    /// Returns the shared facts of the current run, for the layer that collects notices of requests; `None`
    /// inside while there is no run.
    pub(in crate::cli) fn view(&self) -> Arc<Mutex<Option<LiveView>>> {
        self.view.clone()
    }

    /// Starts the view of a run, with the lines of its workflow. Dropping the returned guard removes it
    /// from the screen, also after an error or a panic.
    pub(in crate::cli) fn start(&self, workflow: Option<Box<dyn LiveLines>>) -> LiveRun<'_> {
        if self.bars.is_some() {
            *lock(&self.view) = Some(LiveView::new(Instant::now()).with_workflow(workflow));
        }
        let mut timer = tokio::time::interval(TICK);
        timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The first tick is due at once, and a short run shows no lines.
        timer.reset();
        LiveRun { area: self, timer }
    }

    /// Calls `print` while the live lines are removed from the screen, and returns its result.
    pub(in crate::cli) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bars {
            Some(bars) => bars.suspend(print),
            None => print(),
        }
    }

    /// Joins the lines of a text to one, and cuts it to the width of the terminal.
    pub(in crate::cli) fn cut(text: &str) -> String {
        let line = text.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
        fit(&[line], width())
    }

    fn draw(&self) {
        let Some(bars) = &self.bars else { return };
        let width = width();
        let view = lock(&self.view);
        let lines = view.as_ref().map(|view| view.lines(Instant::now(), width)).unwrap_or_default();
        drop(view);
        let mut shown = lock(&self.shown);
        while shown.len() > lines.len() {
            let bar = shown.pop().expect("it is longer");
            bar.finish_and_clear();
            bars.remove(&bar);
        }
        let style = || ProgressStyle::with_template("{msg}").expect("the constant is a template");
        while shown.len() < lines.len() {
            shown.push(bars.add(ProgressBar::new_spinner().with_style(style())));
        }
        for (bar, line) in shown.iter().zip(lines) {
            bar.set_message(line);
            bar.tick();
        }
    }

    fn clear(&self) {
        *lock(&self.view) = None;
        let Some(bars) = &self.bars else { return };
        for bar in lock(&self.shown).drain(..) {
            bar.finish_and_clear();
            bars.remove(&bar);
        }
        // An error of the terminal has nowhere to go.
        let _ = bars.clear();
    }
}

/// Returns the width of the terminal in columns, minus the last one, because some terminals wrap after it.
fn width() -> usize {
    let (_, columns) = console::Term::stderr().size_checked().unwrap_or((0, COLUMNS));
    usize::from(columns).saturating_sub(1).max(1)
}

/// A guard for the live view of one run. Dropping it removes the lines from the screen.
pub(in crate::cli) struct LiveRun<'a> {
    area: &'a LiveArea,
    timer: tokio::time::Interval,
}

impl LiveRun<'_> {
    /// Passes an event of the run to the view.
    pub(in crate::cli) fn observe(&self, event: &Event) {
        if let Some(view) = lock(&self.area.view).as_mut() {
            view.observe(event);
        }
    }

    /// Waits until the next drawing is due, and draws the lines. Never returns without a terminal.
    pub(in crate::cli) async fn tick(&mut self) {
        if !self.area.is_visible() {
            return std::future::pending().await;
        }
        self.timer.tick().await;
        self.area.draw();
    }
}

impl Drop for LiveRun<'_> {
    fn drop(&mut self) {
        self.area.clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
