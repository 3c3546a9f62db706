//! `query_memory` (DOC-60, DOC-79 to DOC-86): returns entries of memory, at most the requested number. Costs one memory query.

use std::sync::Arc;

use super::{ANSWER_CHARS, ToolContext, failed_output};
use crate::agent::{Priority, Tool, ToolOutput};
use crate::workflows::doc_phases::memory::{Query, QueryRequest, QueryResult};
use crate::workflows::doc_phases::phase::ToolObservation;

pub(super) struct QueryMemory(pub(super) Arc<ToolContext>);

impl Tool for QueryMemory {
    type Arguments = QueryRequest;

    fn name(&self) -> &'static str {
        "query_memory"
    }

    fn description(&self) -> &'static str {
        "Finds entries in memory. `query_type` and `max_entries` (1 to 100) must be given. Costs one memory query."
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    async fn run(&self, request: QueryRequest) -> ToolOutput {
        let query_type = request.query_type.clone();
        let query = match Query::try_from(request) {
            Ok(query) => query.visible_to(self.0.author.component.as_deref()),
            Err(error) => return failed_output(&error, None),
        };
        let found = match &self.0.embeddings {
            Some(model) => self.0.memory.query_by_meaning(&query, &**model).await,
            None => self.0.memory.query(&query),
        };
        let text = fitting_text(&found);
        self.0.output(text, || ToolObservation::Entries {
            query_type,
            entries: found.entries,
            total: found.matching,
        })
    }
}

/// Returns the result as JSON text, with so many entries that it fits into an answer; a last line counts the
/// entries that were left out.
fn fitting_text(found: &QueryResult) -> String {
    let mut shown = found.clone();
    loop {
        let text = serde_json::to_string(&shown).expect("entries are JSON");
        let left_out = found.entries.len() - shown.entries.len();
        if shown.entries.is_empty() || text.chars().count() <= ANSWER_CHARS - 200 {
            return match left_out {
                0 => text,
                left_out => format!(
                    "{text}\n[{left_out} more entries do not fit; ask for fewer entries, or name `required_fields`]"
                ),
            };
        }
        // Halved, so that few attempts are made.
        shown.entries.truncate(shown.entries.len() / 2);
    }
}
