//! The facts about a run in progress that the live view shows, and their lines. Pure: time and width are
//! arguments.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthChar;

use crate::engine::{Event, EventKind};
use crate::workflows::LiveLines;

/// Maximum number of model requests that get a line of their own.
const REQUEST_LINES: usize = 2;
/// Separator between the facts on a line.
const SEPARATOR: &str = " · ";

/// Maximum number of lines that the workflow adds.
const WORKFLOW_LINES: usize = 12;

/// The facts about a run in progress, updated by its events and by notices of model requests; it renders
/// the live lines.
pub(in crate::cli) struct LiveView {
    started: Instant,
    step: u64,
    /// Names of the nodes that run, each with the number of its tasks.
    running: BTreeMap<String, usize>,
    /// Tasks of the current superstep that have finished.
    finished: usize,
    requests: BTreeMap<u64, Request>,
    tokens: u64,
    /// Cost in dollars; `None` from the first answer without a price on.
    dollars: Option<f64>,
    /// The lines of the workflow.
    workflow: Option<Box<dyn LiveLines>>,
}

/// A model request in progress, as the live view shows it.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// Purpose, such as the name of the agent.
    pub label: String,
    pub model: String,
    /// Base URL of the endpoint.
    pub endpoint: String,
    pub since: Instant,
    /// Time of the last sign of life from the server.
    pub heard: Instant,
    /// Number of pieces of the streamed answer so far.
    pub pieces: u64,
    /// Time limit for the first piece.
    pub first: Duration,
    /// Time limit between two further pieces.
    pub idle: Duration,
}

impl LiveView {
    pub(in crate::cli) fn new(now: Instant) -> Self {
        Self {
            started: now,
            step: 0,
            running: BTreeMap::new(),
            finished: 0,
            requests: BTreeMap::new(),
            tokens: 0,
            dollars: Some(0.0),
            workflow: None,
        }
    }

    /// Adds a renderer of further lines from the workflow, if it has one; its lines are shown below the
    /// others.
    pub(in crate::cli) fn with_workflow(mut self, lines: Option<Box<dyn LiveLines>>) -> Self {
        self.workflow = lines;
        self
    }

    /// Updates the facts with an event of the run.
    pub(in crate::cli) fn observe(&mut self, event: &Event) {
        if let Some(lines) = &mut self.workflow {
            lines.observe(event);
        }
        // Graphs inside tasks count their own supersteps.
        if self.step != event.step && event.namespace.is_root() {
            self.step = event.step;
            self.finished = 0;
        }
        match &event.kind {
            EventKind::TaskStarted { node, attempt: 1, .. } => {
                *self.running.entry(node.clone()).or_default() += 1;
            }
            EventKind::TaskFinished { node, .. }
            | EventKind::TaskFailed { node, .. }
            | EventKind::TaskCaught { node, .. } => {
                self.finished += 1;
                if let Some(count) = self.running.get_mut(node) {
                    *count -= 1;
                    if *count == 0 {
                        self.running.remove(node);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn asked(&mut self, number: u64, request: Request) {
        self.requests.insert(number, request);
    }

    pub(super) fn piece(&mut self, number: u64, now: Instant) {
        if let Some(request) = self.requests.get_mut(&number) {
            request.pieces += 1;
            request.heard = now;
        }
    }

    pub(super) fn ended(&mut self, number: u64) {
        self.requests.remove(&number);
    }

    /// Adds the usage of an answer; `dollars` is `None` if its price is unknown.
    pub(super) fn spent(&mut self, tokens: u64, dollars: Option<f64>) {
        self.tokens += tokens;
        self.dollars = self.dollars.zip(dollars).map(|(sum, more)| sum + more);
    }

    /// Returns the lines to draw: a summary, the requests, and the workflow's lines, each at most `width`
    /// columns wide.
    pub(super) fn lines(&self, now: Instant, width: usize) -> Vec<String> {
        let mut lines = vec![fit(&self.summary(now), width)];
        lines.extend(
            self.requests.values().take(REQUEST_LINES).map(|request| fit(&request.facts(now), width)),
        );
        if let Some(more) = self.requests.len().checked_sub(REQUEST_LINES).filter(|more| *more > 0) {
            let last = lines.last_mut().expect("there is a summary");
            *last = fit(&[last.clone(), format!("and {more} more")], width);
        }
        let workflow = self.workflow.as_ref().map(|workflow| workflow.lines()).unwrap_or_default();
        lines.extend(workflow.into_iter().take(WORKFLOW_LINES).map(|line| fit(&[line], width)));
        lines
    }

    /// Returns the facts about the run (step, nodes, time, tokens, cost) for its line, the most important
    /// first.
    fn summary(&self, now: Instant) -> Vec<String> {
        let running: usize = self.running.values().sum();
        let nodes: Vec<&str> = self.running.keys().map(String::as_str).collect();
        let mut facts = vec![format!("step {}", self.step)];
        if !nodes.is_empty() {
            facts.push(nodes.join(", "));
        }
        if running + self.finished > 1 {
            facts.push(format!("{} of {} done", self.finished, running + self.finished));
        }
        facts.push(clock(now - self.started));
        if self.tokens > 0 {
            facts.push(format!("{} tokens", self.tokens));
        }
        facts.extend(self.dollars.filter(|dollars| *dollars > 0.0).map(|dollars| format!("${dollars:.4}")));
        facts
    }
}

impl Request {
    /// Returns the facts about the request (purpose, time left, pieces, model) for its line, the most
    /// important first.
    fn facts(&self, now: Instant) -> Vec<String> {
        let limit = if self.pieces == 0 { self.first } else { self.idle };
        let left = limit.saturating_sub(now - self.heard);
        let mut facts = vec![format!("{} waits", self.label), format!("{} left", clock(left))];
        if self.pieces > 0 {
            let seconds = (now - self.since).as_secs().max(1);
            facts.push(format!("{} tokens, {}/s", self.pieces, self.pieces / seconds));
        }
        facts.push(self.model.clone());
        facts.push(format!("asked {} ago", clock(now - self.since)));
        let host = self.endpoint.split("://").nth(1).unwrap_or(&self.endpoint);
        facts.push(format!("at {}", host.split('/').next().unwrap_or(host)));
        facts
    }
}

/// Formats a duration in whole seconds as `1:05`, or as `1:00:05` from an hour on.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Joins as many facts, from the first on, as fit into `width` columns. If the first alone is too wide, it
/// is cut.
pub(super) fn fit(facts: &[String], width: usize) -> String {
    let mut line = String::new();
    for fact in facts {
        let fact: String = fact.chars().filter(|c| !c.is_control()).collect();
        let longer = if line.is_empty() { fact } else { format!("{line}{SEPARATOR}{fact}") };
        if columns(&longer) > width {
            if line.is_empty() {
                line = cut(&longer, width);
            }
            break;
        }
        line = longer;
    }
    line
}

fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn cut(text: &str, width: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used < width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(now: Instant) -> LiveView {
        let mut view = LiveView::new(now);
        view.step = 3;
        view.running.insert("reviewer".to_owned(), 1);
        view.spent(5602, Some(0.0123));
        let request = Request {
            label: "reviewer".to_owned(),
            model: "local/smollm2".to_owned(),
            endpoint: "http://127.0.0.1:8080/v1".to_owned(),
            since: now,
            heard: now,
            pieces: 0,
            first: Duration::from_mins(10),
            idle: Duration::from_mins(2),
        };
        view.asked(7, request);
        view
    }

    fn at(seconds: u64, width: usize) -> Vec<String> {
        let now = Instant::now();
        view(now).lines(now + Duration::from_secs(seconds), width)
    }

    #[test]
    fn what_is_waited_for_stands_there_before_the_first_answer() {
        assert_eq!(
            at(12, 200),
            [
                "step 3 · reviewer · 0:12 · 5602 tokens · $0.0123",
                "reviewer waits · 9:48 left · local/smollm2 · asked 0:12 ago · at 127.0.0.1:8080",
            ]
        );
        assert_eq!(at(12, 70)[1], "reviewer waits · 9:48 left · local/smollm2 · asked 0:12 ago");
        assert_eq!(at(12, 40), ["step 3 · reviewer · 0:12 · 5602 tokens", "reviewer waits · 9:48 left"]);
    }

    #[test]
    fn a_fact_changes_every_second_at_any_width() {
        for width in [40, 80, 200] {
            for second in 0..30 {
                assert_ne!(at(second, width)[1], at(second + 1, width)[1], "{second} s at {width}");
            }
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let now = Instant::now();
        let mut view = view(now);
        view.running.insert("日本語の長い名前".repeat(9), 3);
        for number in 8..20 {
            let mut request = view.requests[&7].clone();
            request.label = "漢字\u{1b}[2J".repeat(20);
            view.asked(number, request);
        }
        for width in 1..120 {
            let lines = view.lines(now, width);
            assert!(
                lines.len() <= 3 && lines.iter().all(|line| columns(line) <= width),
                "{width}: {lines:?}"
            );
            assert!(!lines.concat().contains('\u{1b}'));
        }
    }

    #[test]
    fn tokens_are_counted_while_they_stream_and_the_shorter_limit_holds_from_then_on() {
        let now = Instant::now();
        let mut view = view(now);
        for second in 1..=10 {
            view.piece(7, now + Duration::from_secs(second));
            view.piece(7, now + Duration::from_secs(second));
        }
        let lines = view.lines(now + Duration::from_secs(12), 80);
        assert_eq!(lines[1], "reviewer waits · 1:58 left · 20 tokens, 1/s · local/smollm2 · asked 0:12 ago");
        view.ended(7);
        view.spent(8, None);
        assert_eq!(view.lines(now, 80), ["step 3 · reviewer · 0:00 · 5610 tokens"]);
    }
}
