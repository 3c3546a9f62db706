//! Sections about the idea: questions, actors, requirements, numbers, constraints, and the traceability
//! of each statement.

use super::content::{Content, NumberedConstraint, NumberedQuestion};
use super::escape::inline;
use super::table;
use crate::workflows::ard::analysis::{IdeaAnalysis, IdeaLanguage, stems};
use crate::workflows::ard::exchange::{Component, DesignDraft};

/// Maximum number of questions at the beginning of the document; the others are at its end.
const FIRST_QUESTIONS: usize = 15;

/// Renders the most important questions; `None` if there are none.
pub(super) fn first_questions(content: &Content) -> Option<String> {
    let questions = &content.questions;
    let shown = &questions[..questions.len().min(FIRST_QUESTIONS)];
    let rest = questions.len() - shown.len();
    let more = match rest {
        0 => String::new(),
        1 => "\n\nOne more question is at the end.".to_owned(),
        _ => format!("\n\n{rest} more questions are at the end."),
    };
    (!shown.is_empty()).then(|| format!("## Open questions\n\n{}{more}", render_questions(shown)))
}

/// Renders the questions that [`first_questions`] leaves out.
pub(super) fn further_questions(content: &Content) -> Option<String> {
    let rest = content.questions.get(FIRST_QUESTIONS..).filter(|rest| !rest.is_empty())?;
    Some(format!("## Further questions\n\n{}", render_questions(rest)))
}

fn render_questions(questions: &[NumberedQuestion]) -> String {
    let line = |question: &NumberedQuestion| {
        let mark = if question.is_contradiction { "**Contradiction.** " } else { "" };
        let until = match question.assumption.as_str() {
            "" => String::new(),
            assumption => format!(" *Until answered:* {}", inline(assumption)),
        };
        format!("- **Q{}.** {mark}{}{until}", question.number, inline(&question.text))
    };
    questions.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Renders actors, requirements, numbers, constraints and non-goals, each section only if it has content.
pub(super) fn render(content: &Content, analysis: &IdeaAnalysis) -> Vec<String> {
    let mut sections = Vec::new();
    // The people of a design are in its own requirements; the idea names only some of them.
    if !analysis.actors.is_empty() && !content.is_designed {
        let mut names: Vec<String> = Vec::new();
        for actor in &analysis.actors {
            let name = inline(&actor.text.to_lowercase());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        sections.push(format!(
            "## Actors\n\n{}",
            names.iter().map(|name| format!("- {name}")).collect::<Vec<_>>().join("\n")
        ));
    }
    sections.extend(requirements(content));
    sections.extend(numbers(content));
    sections.extend(quality_goals(content));
    if !content.constraints.is_empty() {
        let has = |excluded: bool| content.constraints.iter().any(|it| it.is_excluded == excluded);
        let heading = match (has(false), has(true)) {
            (true, true) => "Constraints and non-goals",
            (true, false) => "Constraints",
            (false, _) => "Non-goals",
        };
        let lines: Vec<_> = content.constraints.iter().map(render_constraint).collect();
        sections.push(format!("## {heading}\n\n{}", lines.join("\n")));
    }
    sections
}

fn requirements(content: &Content) -> Option<String> {
    let has_checks = content.requirements.iter().any(|it| !it.check.is_empty());
    let mut head = vec!["Id", "Requirement", "From"];
    head.extend(has_checks.then_some("Acceptance check"));
    let rows = content.requirements.iter().map(|it| {
        let mut row = vec![format!("R{}", it.number), inline(&it.text), statements(&it.from)];
        row.extend(has_checks.then(|| inline(&it.check)));
        row
    });
    let proposes = content.requirements.iter().any(|it| it.from.is_empty());
    let legend =
        if proposes { " A requirement without a statement is a proposal of the design." } else { "" };
    let intro = format!(
        "## Requirements\n\nThe statements S1, S2, … are those of the idea, in its order; Traceability lists them.{legend}"
    );
    table(&intro, &head, rows)
}

fn numbers(content: &Content) -> Option<String> {
    let rows = content
        .numbers
        .iter()
        .filter(|it| !it.is_goal)
        .map(|it| vec![format!("N{}", it.number), inline(&it.text), statements(&it.from)]);
    table("## Numbers", &["Id", "Number", "From"], rows)
}

fn quality_goals(content: &Content) -> Option<String> {
    let rows = content.numbers.iter().filter(|it| it.is_goal).map(|it| {
        let from = match (it.from.is_empty(), it.is_proposed) {
            (true, _) => "proposed".to_owned(),
            (false, true) => format!("proposed, for {}", statements(&it.from)),
            (false, false) => statements(&it.from),
        };
        vec![format!("N{}", it.number), inline(&it.context), inline(&it.text), from]
    });
    table("## Quality goals", &["Id", "Quality", "Measure", "From"], rows)
}

/// Formats numbers of statements: `S1, S2`.
fn statements(from: &[usize]) -> String {
    from.iter().map(|number| format!("S{number}")).collect::<Vec<_>>().join(", ")
}

fn render_constraint(constraint: &NumberedConstraint) -> String {
    let label = if constraint.is_excluded { "Not built: " } else { "" };
    let text = inline(constraint.text.trim_end_matches(['.', ' ']));
    format!("- **C{}.** {label}{text} (S{})", constraint.number, constraint.statement)
}

/// Renders the table that maps each statement to its requirements, constraints and questions, and to
/// its components. `None` if the draft has neither components nor requirements, or if the rules cannot
/// read the idea and the draft has no traces.
pub(super) fn trace(content: &Content, analysis: &IdeaAnalysis, draft: &DesignDraft) -> Option<String> {
    let is_by_words = draft.components.iter().all(|component| component.covers.is_empty());
    let is_empty = draft.components.is_empty() && content.requirements.is_empty();
    if (analysis.language == IdeaLanguage::Other && is_by_words) || is_empty {
        return None;
    }
    let rows = analysis.statements.iter().map(|statement| {
        let became = became(content, statement.number);
        let components = components_of(analysis, draft, statement.number, is_by_words);
        let target = match (became.as_str(), components.as_str()) {
            ("", "") => "not covered".to_owned(),
            (became, "") => became.to_owned(),
            ("", components) => components.to_owned(),
            (became, components) => format!("{became} → {components}"),
        };
        vec![format!("S{}", statement.number), inline(&statement.text), target]
    });
    let how = if is_by_words && !draft.components.is_empty() {
        "\n\nThe components are found by the words that they share with a requirement; no model was asked."
    } else {
        ""
    };
    Some(table("## Traceability", &["Id", "Statement", "Covered by"], rows)? + how)
}

/// Returns the ids of the content that comes from a statement: `R1, N2, C1`.
fn became(content: &Content, number: usize) -> String {
    let mut ids: Vec<String> = Vec::new();
    ids.extend(
        content
            .requirements
            .iter()
            .filter(|it| it.from.contains(&number))
            .map(|it| format!("R{}", it.number)),
    );
    ids.extend(
        content.numbers.iter().filter(|it| it.from.contains(&number)).map(|it| format!("N{}", it.number)),
    );
    let constraints = content.constraints.iter().filter(|it| it.statement == number);
    ids.extend(constraints.map(|it| format!("C{}", it.number)));
    let questions = content.questions.iter().filter(|it| it.statement == Some(number));
    ids.extend(questions.map(|it| format!("Q{}", it.number)));
    ids.join(", ")
}

/// Returns the names of the components for a statement: those whose traces (`covers`) have it or, if
/// `is_by_words`, whose texts share the topic of its requirements.
fn components_of(analysis: &IdeaAnalysis, draft: &DesignDraft, number: usize, is_by_words: bool) -> String {
    let of = |component: &&Component| {
        if is_by_words {
            let words = stems(&format!("{} {}", component.name, component.purpose));
            let mut requirements = analysis.requirements.iter().filter(|it| it.statement == number);
            requirements.any(|it| !it.topic.is_empty() && stems(&it.topic).is_subset(&words))
        } else {
            u32::try_from(number).is_ok_and(|number| component.covers.contains(&number))
        }
    };
    let names: Vec<_> = draft.components.iter().filter(of).map(|it| inline(&it.name)).collect();
    names.join(", ")
}
