//! The events of a run, the progress lines for them, and the report at the end.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::input::{SectionsProfile, SectionsTask};
use super::state::{CriticVerdict, ReviewDecision, SectionOutcome, SectionRun, SectionVersion, SectionsRun};
use super::tools::WRITABLE;
use crate::engine::{Event, EventKind};
use crate::readme::evaluate::{BatchSummary, summary_table};
use crate::readme::validate::{CheckState, Issue, IssueSeverity, Validation, feedback_line};
use crate::repo::cut;
use crate::workflows::workflow::{Acceptance, Report};

/// Maximum length of a fault in a progress line, in characters.
const SHOWN_CHARS: usize = 160;
/// Maximum number of issues that a report lists.
const SHOWN_ISSUES: usize = 40;

/// A custom event of a run, which nodes send and [`format_line`] shows to the user.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum SectionEvent {
    /// A version is being written.
    Writing {
        /// Title of the section.
        title: String,
        /// Iteration, from 1.
        iteration: u32,
    },
    /// The critic judged a version.
    Judged {
        /// Title of the section.
        title: String,
        /// 1 to 10; 0 if its answer could not be read.
        score: u8,
        /// True if it approved.
        is_approved: bool,
        /// Faults.
        feedback: Vec<String>,
    },
    /// A section's iteration ended.
    Decided {
        /// Title of the section.
        title: String,
        /// Iteration.
        iteration: u32,
        /// True if all judges accepted it.
        is_approved: bool,
        /// Number of critical and major issues.
        blocking: usize,
        /// True if the loop ended.
        is_over: bool,
    },
    /// The document was checked.
    Checked {
        /// Critical issues.
        critical: usize,
        /// Major issues.
        major: usize,
        /// Minor issues.
        minor: usize,
    },
    /// A package of a batch was evaluated.
    Evaluated {
        /// Name of the package.
        package: String,
        /// Composite score, 0 to 100; `None` without one.
        composite: Option<f64>,
        /// Reason why there is no score.
        error: Option<String>,
    },
}

impl SectionEvent {
    /// Name under which nodes emit these events.
    pub(super) const NAME: &'static str = "sections";

    /// Returns the event that an iteration of a section ended with this version; `is_over` is true if the
    /// loop ends.
    pub(super) fn decided(section: &SectionRun, version: &SectionVersion, is_over: bool) -> Self {
        Self::Decided {
            title: section.task.title.clone(),
            iteration: version.number,
            is_approved: version.is_approved,
            blocking: version.issues.iter().filter(|issue| issue.is_blocking()).count(),
            is_over,
        }
    }

    /// Returns the event that the whole document was checked, with the numbers of issues.
    pub(super) fn checked(validations: &[Validation]) -> Self {
        let count = |severity| {
            let issues = validations.iter().flat_map(|validation| &validation.issues);
            issues.filter(|issue| issue.severity == severity).count()
        };
        Self::Checked {
            critical: count(IssueSeverity::Critical),
            major: count(IssueSeverity::Major),
            minor: count(IssueSeverity::Minor),
        }
    }
}

/// Returns the progress line for an event; `None` for an event of another kind.
pub(super) fn format_line(event: &Event) -> Option<String> {
    let EventKind::Custom { data, .. } = &event.kind else { return None };
    Some(match serde_json::from_str(data.get()).ok()? {
        SectionEvent::Writing { title, iteration: 1 } => format!("writing `{title}`"),
        SectionEvent::Writing { title, iteration } => format!("writing `{title}`, iteration {iteration}"),
        SectionEvent::Judged { title, score: 0, .. } => {
            format!("`{title}`: the critic's answer could not be read")
        }
        SectionEvent::Judged { title, score, is_approved, feedback } => {
            let verdict = if is_approved { "approves" } else { "rejects" };
            let first = feedback.first().filter(|_| !is_approved);
            let reason = first.map(|fault| format!(": {}", shorten(fault))).unwrap_or_default();
            format!("`{title}`: the critic {verdict} ({score} of 10){reason}")
        }
        SectionEvent::Decided { title, is_approved: true, .. } => format!("`{title}` is approved"),
        SectionEvent::Decided { title, blocking, is_over: true, .. } => {
            format!("`{title}` is not approved ({blocking} blocking issues); its best version is taken")
        }
        SectionEvent::Decided { title, blocking, iteration, .. } => {
            format!("`{title}`: {blocking} blocking issues in iteration {iteration}")
        }
        SectionEvent::Checked { critical, major, minor } => {
            format!("the document has {critical} critical, {major} major and {minor} minor issues")
        }
        SectionEvent::Evaluated { package, error: Some(error), .. } => {
            format!("{package} was not evaluated: {}", shorten(&error))
        }
        SectionEvent::Evaluated { package, composite, .. } => {
            format!("{package}: {:.0} of 100", composite.unwrap_or_default())
        }
    })
}

fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, SHOWN_CHARS).kept.to_owned()
}

/// Makes the report of a finished run: its lines, and if the result counts as accepted.
pub(super) fn report(run: &SectionsRun) -> Report {
    let mut lines = Vec::new();
    lines.extend(run.notes.iter().cloned());
    lines.extend(run.repairs.iter().map(|repair| format!("repaired: {repair}")));
    let acceptance = match &run.settings.task {
        SectionsTask::Evaluate | SectionsTask::Batch(_) => report_evaluation(run, &mut lines),
        SectionsTask::ByHand => report_by_hand(run, &mut lines),
        SectionsTask::Critic => report_critic(run.critic.as_ref(), &mut lines),
        _ => report_document(run, &mut lines),
    };
    let total = run.spent.total();
    if total.answers > 0 {
        lines.push(format!(
            "{} answers of the model, {} tokens, {}",
            total.answers,
            total.usage.total(),
            total.cost
        ));
    }
    Report { acceptance, lines, outputs: run.written.clone(), result: None, document: None }
}

fn report_evaluation(run: &SectionsRun, lines: &mut Vec<String>) -> Acceptance {
    let results: Vec<_> = run.evaluations.values().cloned().collect();
    let is_whole = results.iter().all(|result| result.error.is_none());
    let names: Vec<String> = results.iter().map(|result| result.package.clone()).collect();
    let started = run.started.to_string();
    let summary = BatchSummary::collect(&started, &run.settings.model, &started, &names, results);
    lines.extend(summary_table(&summary).lines().map(str::to_owned));
    if is_whole { Acceptance::Accepted } else { Acceptance::NotAccepted }
}

/// Adds the lines that tell how the document is written without a model (SEC-17).
fn report_by_hand(run: &SectionsRun, lines: &mut Vec<String>) -> Acceptance {
    let (doc, package) = (&run.settings.doc_file, run.package.display());
    lines.push("to write the document by hand:".to_owned());
    lines.push(format!("1. write a first version from the facts of the package: graph run sections {package} --non-interactive"));
    lines.push(format!("2. edit {WRITABLE}/{doc}; the template names the sections"));
    lines.push(format!("3. check it: graph run sections {package} --debug-validator-only"));
    Acceptance::Accepted
}

fn report_critic(verdict: Option<&CriticVerdict>, lines: &mut Vec<String>) -> Acceptance {
    let Some(verdict) = verdict else { return Acceptance::NotAccepted };
    let says = if verdict.is_approved { "approves" } else { "does not approve" };
    lines.push(format!("the critic {says}: {} of 10", verdict.score));
    lines.extend(verdict.feedback.iter().map(|fault| format!("- {fault}")));
    if verdict.is_approved { Acceptance::Accepted } else { Acceptance::NotAccepted }
}

fn report_document(run: &SectionsRun, lines: &mut Vec<String>) -> Acceptance {
    for (task, section) in run.current_sections() {
        let end = match &section.outcome {
            SectionOutcome::Approved => continue,
            SectionOutcome::Best => "not approved; its best version was taken".to_owned(),
            SectionOutcome::Failed(reason) => format!("not written: {reason}"),
        };
        lines.push(format!("`{}`: {end}", task.title));
        let own = section.issues.iter().filter(|issue| issue.is_blocking());
        lines.extend(own.map(|issue| format!("- {}", feedback_line(issue))));
    }
    let is_cancelled = run.decision == Some(ReviewDecision::Cancel);
    if is_cancelled {
        lines.push("cancelled: every file is as it was".to_owned());
        return Acceptance::NotAccepted;
    }
    let issues: Vec<&Issue> = run.validations.iter().flat_map(|validation| &validation.issues).collect();
    let mut ordered = issues.clone();
    ordered.sort_by_key(|issue| (std::cmp::Reverse(issue.severity), issue.line));
    for issue in ordered.iter().take(SHOWN_ISSUES) {
        lines.push(format_issue(issue, run));
    }
    if ordered.len() > SHOWN_ISSUES {
        lines.push(format!("… {} more issues", ordered.len() - SHOWN_ISSUES));
    }
    for validation in &run.validations {
        if let CheckState::NotChecked(reason) = &validation.state {
            lines.push(format!("{} was not checked: {reason}", validation.validator));
        }
    }
    let blocking = issues.iter().filter(|issue| issue.is_blocking()).count();
    if issues.is_empty() {
        lines.push("no issues".to_owned());
    }
    if blocking == 0 { Acceptance::Accepted } else { Acceptance::NotAccepted }
}

fn format_issue(issue: &Issue, run: &SectionsRun) -> String {
    let mut text = String::new();
    if issue.line > 0 {
        let name = match run.settings.profile {
            SectionsProfile::Package => run.settings.doc_file.clone(),
            SectionsProfile::Readme => {
                run.package.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
        };
        let _ = write!(text, "{name}:{}: ", issue.line);
    }
    let _ = write!(text, "{} {}", issue.severity, issue.rule);
    if let Some(id) = &issue.markdownlint {
        let _ = write!(text, " ({id})");
    }
    let _ = write!(text, ": {}", issue.message);
    if !issue.suggestion.is_empty() {
        let _ = write!(text, "; {}", issue.suggestion);
    }
    text
}
