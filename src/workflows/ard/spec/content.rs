//! Numbered content of a specification: questions, requirements, numbers and constraints. They are
//! those of the draft where it has them, else those that the rules read from the idea. Numbers are
//! given here once, so that all sections agree.

use super::SpecInput;
use crate::workflows::ard::analysis::IdeaAnalysis;

/// Numbered content of a specification; the sections render it.
pub(super) struct Content {
    pub requirements: Vec<NumberedRequirement>,
    /// Numbers of the idea, and quality goals of the draft.
    pub numbers: Vec<NumberedGoal>,
    pub constraints: Vec<NumberedConstraint>,
    /// True if the requirements are the draft's own, false if the rules read them from the idea.
    pub is_designed: bool,
    pub questions: Vec<NumberedQuestion>,
}

/// Requirement with its number (`R1`), the statements that it comes from and an acceptance check, which
/// may be empty.
pub(super) struct NumberedRequirement {
    pub number: usize,
    pub text: String,
    pub from: Vec<usize>,
    pub check: String,
}

/// Number of the idea with its unit, or quality goal of the draft with its measure (`N1`).
pub(super) struct NumberedGoal {
    pub number: usize,
    pub text: String,
    /// Statements that it comes from; empty for a proposal of the architect.
    pub from: Vec<usize>,
    /// Name of the quality; empty for a number of the idea.
    pub context: String,
    /// True for a quality goal of the draft.
    pub is_goal: bool,
    /// True for a quality goal whose measure has no number of its statements, so that the architect
    /// proposes it.
    pub is_proposed: bool,
}

/// Question to the author with its number (`Q1`), the assumption until it is answered, and its
/// statement.
pub(super) struct NumberedQuestion {
    pub number: usize,
    pub text: String,
    pub assumption: String,
    pub statement: Option<usize>,
    pub is_contradiction: bool,
}

/// Constraint or exclusion of the idea with its number (`C1`).
pub(super) struct NumberedConstraint {
    pub number: usize,
    pub text: String,
    pub statement: usize,
    /// True for a thing that is not to be built.
    pub is_excluded: bool,
}

impl Content {
    /// Collects and numbers the content.
    pub(super) fn of(input: &SpecInput, analysis: &IdeaAnalysis) -> Self {
        Self {
            requirements: requirements(input, analysis),
            numbers: numbers(input, analysis),
            constraints: constraints(input, analysis),
            is_designed: !input.draft.requirements.is_empty(),
            questions: questions(input, analysis),
        }
    }
}

fn to_usize(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().map(|number| *number as usize).collect()
}

/// Returns the requirements of the draft; without any, those that the rules read from the idea.
fn requirements(input: &SpecInput, analysis: &IdeaAnalysis) -> Vec<NumberedRequirement> {
    let own = (1..).zip(&input.draft.requirements).map(|(number, it)| NumberedRequirement {
        number,
        text: it.text.clone(),
        from: to_usize(&it.from),
        check: it.check.clone(),
    });
    let own: Vec<_> = own.collect();
    if !own.is_empty() {
        return own;
    }
    let read = analysis.requirements.iter().map(|it| NumberedRequirement {
        number: it.number,
        text: it.text.clone(),
        from: vec![it.statement],
        check: String::new(),
    });
    read.collect()
}

/// Returns the quantities of the idea, unless the draft has requirements of its own, and then the
/// quality goals of the draft.
fn numbers(input: &SpecInput, analysis: &IdeaAnalysis) -> Vec<NumberedGoal> {
    let statement = |number: usize| analysis.statement(number).map_or("", |statement| &statement.text);
    // A design with requirements of its own has the numbers there.
    let is_told = !input.draft.requirements.is_empty();
    let read = analysis
        .quantities
        .iter()
        .filter(|_| !is_told)
        .map(|it| (it.shown(), vec![it.statement], String::new(), false));
    let goals = input.draft.quality.iter();
    let goals = goals.map(|it| (it.measure.clone(), to_usize(&it.from), it.quality.clone(), true));
    let all = (1..).zip(read.chain(goals));
    all.map(|(number, (text, from, context, is_goal))| {
        // A measure without a number of its statements is the architect's proposal.
        let digits = |text: &str| -> Vec<String> {
            let parts = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','));
            parts.map(|it| it.trim_matches(['.', ',']).to_owned()).filter(|it| !it.is_empty()).collect()
        };
        let said: Vec<String> = from.iter().flat_map(|number| digits(statement(*number))).collect();
        let is_proposed = is_goal && !digits(&text).iter().any(|number| said.contains(number));
        NumberedGoal { number, text, from, context, is_goal, is_proposed }
    })
    .collect()
}

/// Returns the constraints and exclusions of the idea. A constraint whose statement a requirement of
/// the draft cites is left out.
fn constraints(input: &SpecInput, analysis: &IdeaAnalysis) -> Vec<NumberedConstraint> {
    let is_required = |number: usize| {
        let cites = |from: &[u32]| from.iter().any(|it| *it as usize == number);
        input.draft.requirements.iter().any(|it| cites(&it.from))
    };
    let limits = analysis.constraints.iter().filter(|it| !is_required(it.statement)).map(|it| (it, false));
    let excluded = analysis.exclusions.iter().map(|it| (it, true));
    let numbered = (1..).zip(limits.chain(excluded));
    numbered
        .map(|(number, (remark, is_excluded))| NumberedConstraint {
            number,
            text: remark.text.clone(),
            statement: remark.statement,
            is_excluded,
        })
        .collect()
}

/// Returns contradictions first, then the questions of the draft or, without those, the other questions
/// of the rules. Contradictions that the user has decided are left out.
fn questions(input: &SpecInput, analysis: &IdeaAnalysis) -> Vec<NumberedQuestion> {
    let is_decided = |text: &str| {
        input
            .rounds
            .iter()
            .flat_map(|round| &round.decisions)
            .chain(&input.decisions)
            .any(|it| it.question == text)
    };
    let mut all: Vec<(String, String, Option<usize>, bool)> = analysis
        .contradictions()
        .filter(|it| !is_decided(&it.text))
        .map(|it| (it.text.clone(), it.assumption.clone(), it.statement, true))
        .collect();
    all.extend(
        input.draft.questions.iter().map(|it| (it.question.clone(), it.assumption.clone(), None, false)),
    );
    if input.draft.questions.is_empty() {
        let others = analysis.questions.iter().filter(|it| it.contradicts.is_none());
        all.extend(others.map(|it| (it.text.clone(), it.assumption.clone(), it.statement, false)));
    }
    let numbered = (1..).zip(all);
    numbered
        .map(|(number, (text, assumption, statement, is_contradiction))| NumberedQuestion {
            number,
            text,
            assumption,
            statement,
            is_contradiction,
        })
        .collect()
}
