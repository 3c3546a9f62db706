//! `grep` (DOC-56, DOC-66): searches the code base. Costs one grep.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::hidden::refuse_private;
use super::word_list::WordList;
use super::{ToolContext, failed_output};
use crate::agent::{Priority, Tool, ToolOutput, blocking};
use crate::repo::{Found, Search, Tally, search, tally};
use crate::workflows::doc_phases::phase::{MatchCount, MatchedLine, ToolObservation};

/// Maximum length of the lines in an answer, in characters.
const SHOWN_CHARS: usize = super::ANSWER_CHARS - 200;
/// Upper bound of `max_results` for lines.
const RESULTS_MAX: usize = 100;
/// Upper bound of `max_results` for counts; larger because each one is a few words.
const COUNTS_MAX: usize = 500;

pub(super) struct Grep(pub(super) Arc<ToolContext>);

/// Arguments of `grep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GrepArguments {
    /// A regular expression.
    pattern: String,
    /// Only these extensions, such as `rs`.
    #[serde(default)]
    extensions: WordList,
    /// Only in this folder or file.
    #[serde(default)]
    path: Option<String>,
    /// Lines around each match.
    #[serde(default)]
    context_lines: usize,
    /// Maximum number of results; 20 unless set.
    #[serde(default = "default_max_results")]
    max_results: usize,
    /// `lines` unless set.
    #[serde(default)]
    show: GrepOutput,
}

/// Form of the result of a `grep` call.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GrepOutput {
    /// The lines that match.
    #[default]
    Lines,
    /// Each different text that the pattern, or its first group, matches, with the number of its lines and files; the most frequent first.
    Counts,
}

impl JsonSchema for GrepOutput {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Shown".into()
    }

    // Short, because it is part of every request; the description of the tool explains it.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["lines", "counts"] })
    }
}

fn default_max_results() -> usize {
    20
}

impl Tool for Grep {
    type Arguments = GrepArguments;

    fn name(&self) -> &'static str {
        "grep"
    }

    fn description(&self) -> &'static str {
        "Searches all files for a regular expression, case ignored: code first, then tests. Shows at most 100 lines, or with `show` \
         as `counts` 500 counted texts. Costs one grep."
    }

    fn priority(&self) -> Priority {
        Priority::Medium
    }

    async fn run(&self, arguments: GrepArguments) -> ToolOutput {
        let context = self.0.clone();
        blocking(move || run_search(&context, arguments)).await
    }
}

fn run_search(context: &ToolContext, arguments: GrepArguments) -> ToolOutput {
    if let Some(refusal) = arguments.path.as_deref().and_then(|path| refuse_private(&context.code, path)) {
        return refusal;
    }
    let GrepArguments { pattern, extensions, path, context_lines, max_results, show } = arguments;
    let most = if matches!(show, GrepOutput::Counts) { COUNTS_MAX } else { RESULTS_MAX };
    let under = match path.as_deref().filter(|path| !path.is_empty()) {
        None => None,
        Some(path) => match context.code.files().path(path.as_ref()) {
            Ok(path) => Some(path.relative().to_owned()),
            Err(error) => return stategraph_code_tools::refused_path(&error),
        },
    };
    let wanted = Search {
        extensions: extensions.0,
        under: under.unwrap_or_default(),
        context: context_lines,
        limit: max_results.clamp(1, most),
        ..Search::new(pattern)
    };
    let files = &**context.code.files();
    let answer = match show {
        GrepOutput::Lines => search(files, &wanted).map(|found| {
            context.output(whole_lines(&found.to_string()), || hits_data(wanted.pattern, &found))
        }),
        GrepOutput::Counts => tally(files, &wanted).map(|found| {
            context.output(whole_lines(&found.to_string()), || counts_data(wanted.pattern, &found))
        }),
    };
    answer.unwrap_or_else(|error| failed_output(&error, Some(error.hint())))
}

/// Returns the first lines of a result that fit into [`SHOWN_CHARS`]; a last line counts the others.
fn whole_lines(text: &str) -> String {
    let (mut chars, mut kept) = (0, 0);
    for line in text.lines() {
        chars += line.chars().count() + 1;
        if chars > SHOWN_CHARS {
            break;
        }
        kept += 1;
    }
    match text.lines().count() - kept {
        0 => text.to_owned(),
        more => {
            let shown: Vec<&str> = text.lines().take(kept).collect();
            format!("{}\n[{more} more lines do not fit; narrow the pattern or the path]", shown.join("\n"))
        }
    }
}

fn counts_data(pattern: String, found: &Tally) -> ToolObservation {
    let counts = found.counts.iter().map(|count| MatchCount {
        text: count.text.clone(),
        lines: count.lines,
        files: count.files,
    });
    ToolObservation::Counts { pattern, counts: counts.collect(), different: found.different }
}

fn hits_data(pattern: String, found: &Found) -> ToolObservation {
    let hits = found.hits.iter();
    let hits = hits.map(|hit| MatchedLine { path: hit.path.clone(), line: hit.line, text: hit.text.clone() });
    ToolObservation::Hits { pattern, hits: hits.collect(), lines: found.lines, files: found.files }
}
