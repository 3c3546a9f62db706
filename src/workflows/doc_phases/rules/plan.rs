//! A phase as a plan: its questions, in order, compared with the answers of the tools. A plan is made anew each round
//! and comes to the same wishes, so that nothing has to be remembered. Decides nothing about code.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use super::project::name_of;
use crate::repo::limit::LIST_FILES;
use crate::repo::{FileOutline, Language};
use crate::workflows::doc_phases::memory::{Entry, EntryType};
use crate::workflows::doc_phases::phase::{
    CallRecord, Completion, MatchCount, MatchedLine, Operation, RoundDecision, RoundQuestion,
    ToolObservation, ToolRequest,
};

/// Maximum of lines that a search requests; its tool shows no more.
pub(super) const HITS: usize = 100;
/// Maximum of different texts that a counting search requests; its tool shows no more.
const COUNTS: usize = 500;
/// Extensions of source files of all languages that are outlined.
const EXTENSIONS: &[&str] = &[
    "rs", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "mts", "cts", "tsx", "go", "java", "c", "h", "cc",
    "cpp", "cxx", "hh", "hpp", "hxx", "cs", "rb", "php", "sh", "bash",
];
/// Number of rounds that listings leave for everything else.
const OTHER_ROUNDS: u32 = 9;
/// Maximum of listings of one folder of a large tree.
pub(super) const PAGES: usize = 10;
/// Maximum of lines that one read requests.
pub(super) const LINES: usize = 500;

/// Plan of a phase in one round. Each question to a tool (`list`, `read`, `grep`) returns the answer of an
/// earlier round, or notes the call for this round and returns `None`. The rules build the plan anew in each
/// round, so they keep no state.
pub(super) struct Plan<'r> {
    pub(super) round: &'r RoundQuestion,
    wanted: Vec<ToolRequest>,
    stores: Vec<ToolRequest>,
    /// True if a question was not asked because the exploring rounds were used up.
    is_cut: bool,
}

/// Result of a search: the lines that were shown, and the number of all matching lines.
#[derive(Clone, Copy)]
pub(super) struct MatchedLines<'r> {
    pub(super) shown: &'r [MatchedLine],
    pub(super) lines: usize,
}

impl<'r> Plan<'r> {
    pub(super) fn new(round: &'r RoundQuestion) -> Self {
        Self { round, wanted: Vec::new(), stores: Vec::new(), is_cut: false }
    }

    /// Returns true if a question was not asked because the exploring rounds were used up: the findings are
    /// incomplete.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns true if a question of this plan has no answer yet. The caller then ends the round with
    /// [`Self::calls`].
    pub(super) fn waits(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Lists a folder; with a pattern, all matching files below it. `None` while there is no answer. The
    /// listed files are collected in [`ListedFiles`].
    pub(super) fn list(&mut self, folder: &str, pattern: Option<&str>) -> Option<ListingResult<'r>> {
        let folder = if folder.is_empty() { "." } else { folder };
        let arguments = match pattern {
            Some(pattern) => json!({ "directory": folder, "pattern": pattern }),
            None => json!({ "directory": folder }),
        };
        match &self.ask(ToolRequest::new("list_files", arguments), None)?.seen {
            ToolObservation::Listing { folders, files, left_out, odd, .. } => Some(ListingResult {
                folders,
                files: (files.len() + left_out).saturating_sub(*odd),
                left_out: *left_out,
            }),
            _ => None,
        }
    }

    /// Requests the listings of all source files below a folder. Returns true if fewer than `most` listings
    /// follow the first one; otherwise, and while the first has no answer, returns false and requests no
    /// others.
    pub(super) fn pages(&mut self, folder: &str, most: usize) -> bool {
        let Some(first) = self.list(folder, Some(&sources())) else { return false };
        let pages = first.left_out.div_ceil(LIST_FILES);
        let folder = if folder.is_empty() { "." } else { folder };
        for page in (1..=pages).filter(|_| pages < most) {
            let skipped = page * LIST_FILES;
            let arguments = json!({ "directory": folder, "pattern": sources(), "skip_files": skipped });
            self.ask(ToolRequest::new("list_files", arguments), None);
        }
        pages < most
    }

    /// Requests listings of the source files below a folder; if there are too many for one folder, of its
    /// subfolders, outer ones first. Stops at the maximum of listings, so a very large tree is known in part.
    pub(super) fn survey(&mut self, folder: &str) {
        let mut waiting = VecDeque::from([(folder.to_owned(), SURVEY_DEPTH)]);
        while let Some((folder, depth)) = waiting.pop_front() {
            if self.listings() >= self.most_listings() {
                return;
            }
            let pages = if depth == SURVEY_DEPTH { self.most_listings() } else { PAGES };
            if self.pages(&folder, pages) {
                continue;
            }
            let Some(found) = self.list(&folder, Some(&sources())) else { continue };
            let is_side = !folder.is_empty() && super::parts::is_side(&format!("{}/x", name_of(&folder)));
            if found.left_out == 0 || depth == 0 || is_side {
                continue;
            }
            let Some(inside) = self.list(&folder, None) else { continue };
            waiting.extend(inside.folders.iter().map(|inner| (inner.clone(), depth - 1)));
        }
    }

    fn listings(&self) -> usize {
        let is_one = |tool: &str| usize::from(tool == "list_files");
        let answered: usize = self.round.answered.iter().map(|answered| is_one(&answered.tool)).sum();
        answered + self.wanted.iter().map(|call| is_one(call.tool)).sum::<usize>()
    }

    fn most_listings(&self) -> usize {
        let rounds = exploring(self.round.limit).saturating_sub(OTHER_ROUNDS).max(2);
        rounds as usize * self.round.calls_per_round.max(1) as usize
    }

    /// Returns the first [`LINES`] lines of a file and its number of lines; `None` while there is no answer.
    pub(super) fn read(&mut self, path: &str) -> Option<(&'r str, usize)> {
        self.lines(path, 1)
    }

    /// Returns the text of a file, read with at most `parts` reads of [`LINES`] lines. Ends before a part
    /// that has no answer; `None` while the first is missing.
    pub(super) fn read_whole(&mut self, path: &str, parts: usize) -> Option<String> {
        let (text, total) = self.read(path)?;
        let mut whole = text.to_owned();
        for part in 1..parts.min(total.div_ceil(LINES)) {
            let Some((text, _)) = self.lines(path, part * LINES + 1) else { break };
            whole.push('\n');
            whole.push_str(text);
        }
        Some(whole)
    }

    fn lines(&mut self, path: &str, first: usize) -> Option<(&'r str, usize)> {
        let arguments = json!({ "path": path, "start_line": first, "max_lines": LINES });
        let call = ToolRequest::new("read_file", arguments);
        match &self.ask(call, Some(Operation::FileRead))?.seen {
            ToolObservation::File { text, total, .. } => Some((text, *total)),
            _ => None,
        }
    }

    pub(super) fn symbols(&mut self, path: &str) -> Option<&'r FileOutline> {
        let call = ToolRequest::new("get_symbols", json!({ "path": path }));
        match &self.ask(call, Some(Operation::SymbolCall))?.seen {
            ToolObservation::Outline { outline } => Some(outline),
            _ => None,
        }
    }

    /// Searches the source files below a folder, all for an empty one, for a regular expression. `None` while
    /// there is no answer.
    pub(super) fn grep(&mut self, pattern: &str, below: &str) -> Option<MatchedLines<'r>> {
        let mut arguments = json!({ "pattern": pattern, "extensions": EXTENSIONS, "max_results": HITS });
        if !below.is_empty() && below != "." {
            arguments["path"] = json!(below);
        }
        let call = ToolRequest::new("grep", arguments);
        match &self.ask(call, Some(Operation::Grep))?.seen {
            ToolObservation::Hits { hits, lines, .. } => Some(MatchedLines { shown: hits, lines: *lines }),
            _ => None,
        }
    }

    /// Returns the different texts that the pattern, or its first group, matches in source files below a
    /// folder, with their frequency, the most frequent first. `None` while there is no answer.
    pub(super) fn counts(&mut self, pattern: &str, below: &str) -> Option<&'r [MatchCount]> {
        let mut arguments =
            json!({ "pattern": pattern, "extensions": EXTENSIONS, "max_results": COUNTS, "show": "counts" });
        if !below.is_empty() && below != "." {
            arguments["path"] = json!(below);
        }
        match &self.ask(ToolRequest::new("grep", arguments), Some(Operation::Grep))?.seen {
            ToolObservation::Counts { counts, .. } => Some(counts),
            _ => None,
        }
    }

    /// Returns at most 100 entries of a type from the agent's memory, and the number of all; `None` while
    /// there is no answer.
    pub(super) fn entries(&mut self, entry_type: EntryType) -> Option<(&'r [Value], usize)> {
        let arguments = json!({ "query_type": entry_type.name(), "max_entries": 100 });
        match &self.ask(ToolRequest::new("query_memory", arguments), Some(Operation::MemoryQuery))?.seen {
            ToolObservation::Entries { entries, total, .. } => Some((entries, *total)),
            _ => None,
        }
    }

    /// Returns the entry of a component from the agent's memory; `None` if there is none, or while there is
    /// no answer.
    pub(super) fn component(&mut self, id: &str) -> Option<&'r Value> {
        let arguments = json!({
            "query_type": EntryType::Component.name(), "max_entries": 1, "filter_by": { "component_id": id },
        });
        match &self.ask(ToolRequest::new("query_memory", arguments), Some(Operation::MemoryQuery))?.seen {
            ToolObservation::Entries { entries, .. } => entries.first(),
            _ => None,
        }
    }

    /// Notes an entry to be stored at the end of the plan, unless an earlier round of the phase stored one
    /// with its id.
    pub(super) fn store(&mut self, entry: &Entry) {
        let data = serde_json::to_value(entry).expect("an entry has string keys and serialises");
        let call =
            ToolRequest::new("store_discovery", json!({ "type": entry.entry_type().name(), "data": data }));
        if self.answer_to(&call).is_none() {
            self.stores.push(call);
        }
    }

    /// Notes that a component is to be marked as explored at the end of the plan, unless an earlier round did
    /// it.
    pub(super) fn mark_explored(&mut self, id: &str) {
        let call = ToolRequest::new("mark_explored", json!({ "type": "component", "id": id }));
        if self.answer_to(&call).is_none() {
            self.stores.push(call);
        }
    }

    /// Returns the number of entries that can be stored in the rounds after all exploring ones, except the
    /// last, which is for the completion.
    pub(super) fn capacity(&self) -> usize {
        let rounds = self.round.limit.saturating_sub(exploring(self.round.limit) + 1);
        rounds as usize * self.round.calls_per_round.max(1) as usize
    }

    /// Ends the plan of this round with the calls that have no answer, as many as a round may have.
    pub(super) fn calls(self) -> RoundDecision {
        let most = self.round.calls_per_round.max(1) as usize;
        RoundDecision::Call(self.wanted.into_iter().take(most).collect())
    }

    /// Ends the plan of this round with the calls that store entries or, when all are stored or it is the
    /// last round, with the completion. It is ready for the next phase only if nothing was left out (DOC-29,
    /// DOC-35).
    pub(super) fn end(self, completion: Completion) -> RoundDecision {
        let most = self.round.calls_per_round.max(1) as usize;
        if self.round.number >= self.round.limit || self.stores.is_empty() {
            let is_whole = !self.is_cut && self.stores.is_empty();
            return RoundDecision::Complete(Completion {
                ready_for_next_phase: Some(is_whole),
                ..completion
            });
        }
        RoundDecision::Call(self.stores.into_iter().take(most).collect())
    }

    fn ask(&mut self, call: ToolRequest, costs: Option<Operation>) -> Option<&'r CallRecord> {
        if let Some(answered) = self.answer_to(&call) {
            return Some(answered);
        }
        let allowed = costs.is_none_or(|operation| {
            let wanted = self.wanted.iter().filter(|wanted| wanted.tool == call.tool).count();
            self.round.left(operation).is_none_or(|left| left as usize > wanted)
        });
        if allowed && !self.explores() {
            self.is_cut = true;
        } else if allowed && !self.wanted.contains(&call) {
            self.wanted.push(call);
        }
        None
    }

    fn explores(&self) -> bool {
        self.round.number <= exploring(self.round.limit)
    }

    /// Returns the record of an earlier call with the same arguments; of a storing call, one for the same
    /// type and id.
    fn answer_to(&self, call: &ToolRequest) -> Option<&'r CallRecord> {
        let same = |answered: &&'r CallRecord| {
            answered.tool == call.tool
                && match call.tool {
                    "store_discovery" => entry_of(&answered.arguments) == entry_of(&call.arguments),
                    _ => holds(&answered.arguments, &call.arguments),
                }
        };
        self.round.answered.iter().find(same)
    }
}

/// Returns the number of rounds that may ask tools, of `limit` rounds. The last third, at least two, is for
/// storing.
fn exploring(limit: u32) -> u32 {
    limit.saturating_sub((limit / 3).max(2))
}

/// Maximum depth of subfolders that a survey lists one by one.
const SURVEY_DEPTH: usize = 6;

/// Returns a glob of the source files of all languages: `**/*.{rs,py,…}`.
pub(super) fn sources() -> String {
    format!("**/*.{{{}}}", EXTENSIONS.join(","))
}

/// Returns a glob of the source files of one language.
pub(super) fn sources_in(language: Language) -> String {
    let own = EXTENSIONS.iter().filter(|ending| Language::of_path(format!("a.{ending}")) == Some(language));
    format!("**/*.{{{}}}", own.copied().collect::<Vec<_>>().join(","))
}

/// Result of a listing: its folders and numbers. The files themselves are in [`ListedFiles`].
pub(super) struct ListingResult<'r> {
    pub(super) folders: &'r [String],
    /// Number of files with plain names, shown or not, if the pattern matches no folder.
    pub(super) files: usize,
    pub(super) left_out: usize,
}

/// Returns the type and the id of the entry in the arguments of a storing call.
fn entry_of(arguments: &Value) -> (Option<&str>, Option<&str>) {
    let kind = arguments["type"].as_str();
    let field = kind.and_then(EntryType::from_name).and_then(EntryType::id_field);
    let id = field.and_then(|field| arguments["data"][field].as_str());
    (kind, id)
}

/// Returns true if the recorded arguments `given` mean the same as `asked`: all asked fields are equal, and
/// further fields are defaults that the tool added.
fn holds(given: &Value, asked: &Value) -> bool {
    let (Some(given), Some(asked)) = (given.as_object(), asked.as_object()) else { return given == asked };
    let bare = |key: &str| {
        asked.contains_key(key)
            || given.get(key).is_none_or(|value| *value == Value::Null || *value == json!({}))
    };
    asked.iter().all(|(key, value)| given.get(key) == Some(value))
        && bare("pattern")
        && bare("path")
        && bare("show")
        && bare("skip_files")
        && bare("filter_by")
}

/// All files that the listings of the phase showed so far.
#[derive(Debug, Default)]
pub(super) struct ListedFiles {
    /// Size of each file in bytes, by path.
    pub(super) files: BTreeMap<String, u64>,
}

impl ListedFiles {
    pub(super) fn of(round: &RoundQuestion) -> Self {
        let mut tree = Self::default();
        for answered in &round.answered {
            if let ToolObservation::Listing { files, .. } = &answered.seen {
                let plain = files.iter().filter(|file| is_plain(&file.path));
                tree.files.extend(plain.map(|file| (file.path.clone(), file.bytes)));
            }
        }
        tree
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
}

/// Returns true if a path in a tool's answer is the real path. Names with line breaks or invalid UTF-8 are
/// shown quoted or replaced.
pub(super) fn is_plain(path: &str) -> bool {
    !path.starts_with('"') && !path.contains('\u{fffd}')
}
