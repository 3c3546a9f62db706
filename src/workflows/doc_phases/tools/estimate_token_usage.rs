//! `estimate_token_usage` (DOC-64): the size of a query's answer before it is asked. Free.

use std::sync::Arc;

use super::{Desk, failed};
use crate::agent::{Tool, ToolOutput, blocking};
use crate::workflows::doc_phases::memory::{Query, QueryRequest};
use crate::workflows::doc_phases::phase::Seen;

pub(super) struct EstimateTokenUsage(pub(super) Arc<Desk>);

impl Tool for EstimateTokenUsage {
    type Arguments = QueryRequest;

    fn name(&self) -> &'static str {
        "estimate_token_usage"
    }

    fn description(&self) -> &'static str {
        "Says how many tokens query_memory would answer with for the same arguments. Free."
    }

    async fn run(&self, arguments: QueryRequest) -> ToolOutput {
        let desk = self.0.clone();
        blocking(move || match Query::try_from(arguments) {
            Ok(query) => {
                let query = query.read_by(desk.author.component.as_deref());
                let estimate = desk.memory.estimate(&query);
                let text = serde_json::to_string(&estimate).expect("numbers are JSON");
                desk.answer(text, || Seen::Nothing)
            }
            Err(error) => failed(&error, None),
        })
        .await
    }
}
