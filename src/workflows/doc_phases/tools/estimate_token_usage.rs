//! `estimate_token_usage` (DOC-64): returns the size of a query's answer in place of its entries. Free.

use std::sync::Arc;

use super::{ToolContext, failed_output};
use crate::agent::{Tool, ToolOutput, blocking};
use crate::workflows::doc_phases::memory::{Query, QueryRequest};
use crate::workflows::doc_phases::phase::ToolObservation;

pub(super) struct EstimateTokenUsage(pub(super) Arc<ToolContext>);

impl Tool for EstimateTokenUsage {
    type Arguments = QueryRequest;

    fn name(&self) -> &'static str {
        "estimate_token_usage"
    }

    fn description(&self) -> &'static str {
        "Says how many tokens query_memory would answer with for the same arguments. Free."
    }

    async fn run(&self, arguments: QueryRequest) -> ToolOutput {
        let context = self.0.clone();
        blocking(move || match Query::try_from(arguments) {
            Ok(query) => {
                let query = query.visible_to(context.author.component.as_deref());
                let estimate = context.memory.estimate(&query);
                let text = serde_json::to_string(&estimate).expect("numbers are JSON");
                context.output(text, || ToolObservation::Nothing)
            }
            Err(error) => failed_output(&error, None),
        })
        .await
    }
}
