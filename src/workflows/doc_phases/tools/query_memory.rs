//! `query_memory` (DOC-60, DOC-79 to DOC-86): returns entries of memory, at most the requested number. Costs one memory query.

use std::sync::Arc;

use super::{ToolContext, failed_output};
use crate::agent::{Priority, Tool, ToolOutput};
use crate::workflows::doc_phases::memory::{Query, QueryRequest};
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
        let text = serde_json::to_string_pretty(&found).expect("entries are JSON");
        self.0.output(text, || ToolObservation::Entries {
            query_type,
            entries: found.entries,
            total: found.matching,
        })
    }
}
