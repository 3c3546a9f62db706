//! The sections that the program writes from the idea itself: questions, requirements, quantities, constraints, and the
//! trace from each statement to what answers for it.

use super::escape::inline;
use crate::workflows::ard::analysis::{IdeaAnalysis, IdeaLanguage, OpenQuestion, Remark, stems};
use crate::workflows::ard::exchange::{Component, DesignDraft};

/// Number of questions above the requirements; the others are at the end.
const FIRST_QUESTIONS: usize = 5;

/// Renders the most important questions; `None` if there are none.
pub(super) fn first_questions(analysis: &IdeaAnalysis) -> Option<String> {
    let questions = &analysis.questions;
    let shown = &questions[..questions.len().min(FIRST_QUESTIONS)];
    let rest = questions.len() - shown.len();
    let more = match rest {
        0 => String::new(),
        1 => "\n\nOne more question is at the end.".to_owned(),
        _ => format!("\n\n{rest} more questions are at the end."),
    };
    (!shown.is_empty()).then(|| format!("## Open questions\n\n{}{more}", render_questions(1, shown)))
}

/// Renders the questions that [`first_questions`] leaves out.
pub(super) fn further_questions(analysis: &IdeaAnalysis) -> Option<String> {
    let rest = analysis.questions.get(FIRST_QUESTIONS..).filter(|rest| !rest.is_empty())?;
    Some(format!("## Further questions\n\n{}", render_questions(FIRST_QUESTIONS + 1, rest)))
}

fn render_questions(first: usize, questions: &[OpenQuestion]) -> String {
    let line = |(number, question): (usize, &OpenQuestion)| {
        let mark = if question.is_contradiction { "**Contradiction.** " } else { "" };
        let until = match question.assumption.as_str() {
            "" => String::new(),
            assumption => format!(" *Until answered:* {}", inline(assumption)),
        };
        format!("- **Q{number}.** {mark}{}{until}", inline(&question.text))
    };
    (first..).zip(questions).map(line).collect::<Vec<_>>().join("\n")
}

/// Renders actors, requirements, quantities, constraints and non-goals, each section only if it has content.
pub(super) fn render(analysis: &IdeaAnalysis) -> Vec<String> {
    let mut sections = Vec::new();
    if !analysis.actors.is_empty() {
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
    if !analysis.requirements.is_empty() {
        let rows = analysis
            .requirements
            .iter()
            .map(|it| format!("| R{} | {} | S{} |", it.number, inline(&it.text), it.statement));
        let rows: Vec<_> = rows.collect();
        sections.push(format!(
            "## Requirements\n\n| Id | Requirement | From |\n| :--- | :--- | :--- |\n{}",
            rows.join("\n")
        ));
    }
    if !analysis.quantities.is_empty() {
        let rows = (1..).zip(&analysis.quantities).map(|(number, it): (usize, _)| {
            let context = analysis.statement(it.statement).map_or("", |statement| &statement.text);
            format!("| N{number} | {} | S{}: {} |", inline(&it.text), it.statement, inline(context))
        });
        let rows: Vec<_> = rows.collect();
        sections.push(format!(
            "## Numbers\n\n| Id | Number | From |\n| :--- | :--- | :--- |\n{}",
            rows.join("\n")
        ));
    }
    if !analysis.constraints.is_empty() || !analysis.exclusions.is_empty() {
        let constraints = (1..).zip(&analysis.constraints).map(|(number, it)| render_remark(number, "", it));
        let first = analysis.constraints.len() + 1;
        let exclusions =
            (first..).zip(&analysis.exclusions).map(|(number, it)| render_remark(number, "Not built: ", it));
        let lines: Vec<_> = constraints.chain(exclusions).collect();
        sections.push(format!("## Constraints and non-goals\n\n{}", lines.join("\n")));
    }
    sections
}

fn render_remark(number: usize, label: &str, remark: &Remark) -> String {
    let text = inline(remark.text.trim_end_matches(['.', ' ']));
    format!("- **C{number}.** {label}{text} (S{})", remark.statement)
}

/// Renders the trace: each statement with its requirements, constraints and questions, and its components. `None`
/// if the rules cannot read the idea.
pub(super) fn trace(analysis: &IdeaAnalysis, draft: &DesignDraft) -> Option<String> {
    let is_empty = draft.components.is_empty() && analysis.requirements.is_empty();
    if analysis.language == IdeaLanguage::Other || is_empty {
        return None;
    }
    let is_by_words = draft.components.iter().all(|component| component.covers.is_empty());
    let rows = analysis.statements.iter().map(|statement| {
        let became = became(analysis, statement.number);
        let components = components_of(analysis, draft, statement.number, is_by_words);
        let target = match (became.as_str(), components.as_str()) {
            ("", "") => "not covered".to_owned(),
            (became, "") => became.to_owned(),
            ("", components) => components.to_owned(),
            (became, components) => format!("{became} → {components}"),
        };
        format!("| S{} | {} | {target} |", statement.number, inline(&statement.text))
    });
    let rows: Vec<_> = rows.collect();
    let how = if is_by_words && !draft.components.is_empty() {
        "\n\nThe components are found by the words that they share with a requirement; no model was asked."
    } else {
        ""
    };
    Some(format!(
        "## Traceability\n\n| Id | Statement | Covered by |\n| :--- | :--- | :--- |\n{}{how}",
        rows.join("\n")
    ))
}

/// Returns the ids that a statement became.
fn became(analysis: &IdeaAnalysis, number: usize) -> String {
    let mut ids: Vec<String> = Vec::new();
    ids.extend(
        analysis.requirements.iter().filter(|it| it.statement == number).map(|it| format!("R{}", it.number)),
    );
    let of = |statements: &[usize], letter: &str, first: usize| -> Vec<String> {
        let numbered = (first..).zip(statements).filter(|(_, statement)| **statement == number);
        numbered.map(|(id, _)| format!("{letter}{id}")).collect()
    };
    let quantities: Vec<usize> = analysis.quantities.iter().map(|it| it.statement).collect();
    let constraints = analysis.constraints.iter().chain(&analysis.exclusions).map(|it| it.statement);
    let constraints: Vec<usize> = constraints.collect();
    let questions: Vec<usize> = analysis.questions.iter().map(|it| it.statement.unwrap_or(0)).collect();
    ids.extend(of(&quantities, "N", 1));
    ids.extend(of(&constraints, "C", 1));
    ids.extend(of(&questions, "Q", 1));
    ids.join(", ")
}

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
