//! YAML front matter of the specification: facts about it for programs.

use super::content::Content;
use super::{AnswerAuthor, SpecAgent, SpecInput, title};
use crate::workflows::ard::state::Ending;
use crate::workflows::yaml_scalar::quote_scalar;

/// Renders the front matter with its `---` lines: title, status, counts, thread, and tokens and cost of
/// both agents. Texts are JSON strings, which are valid YAML.
pub(super) fn render(input: &SpecInput, content: &Content) -> String {
    let status = if input.ending == Ending::Verified { "verified" } else { "max_iterations_reached" };
    let mut lines = vec![
        "---".to_owned(),
        format!("title: {}", quote_scalar(&title::plain(&input.draft.title, &input.rough_idea))),
        format!("status: {status}"),
        format!("ending: {}", input.ending.as_str()),
        format!("rounds: {}", input.rounds.len()),
        format!("requirements: {}", content.requirements.len()),
        format!("questions: {}", content.questions.len()),
        format!("components: {}", input.draft.components.len()),
        format!("thread: {}", quote_scalar(&input.thread)),
    ];
    lines.extend(agent_lines("architect", &input.architect));
    lines.extend(agent_lines("reviewer", &input.reviewer));
    lines.push("---".to_owned());
    lines.join("\n")
}

/// Returns the lines about an agent: model, author, tokens and cost.
fn agent_lines(role: &str, agent: &SpecAgent) -> Vec<String> {
    let author = match agent.author {
        AnswerAuthor::Model if !agent.is_replaced => "model",
        AnswerAuthor::Model | AnswerAuthor::Rules(_) => "rules",
    };
    let mut lines = vec![
        format!("{role}:"),
        format!("  model: {}", quote_scalar(&agent.model)),
        format!("  written_by: {author}"),
        format!("  prompt_tokens: {}", agent.prompt_tokens),
        format!("  completion_tokens: {}", agent.completion_tokens),
    ];
    lines.extend(agent.cost.map(|cost| format!("  cost_usd: {:.6}", cost.in_dollars())));
    lines
}
