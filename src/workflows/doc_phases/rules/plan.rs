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

/// Most lines that are asked of a search: its tool shows no more.
pub(super) const HITS: usize = 100;
/// Most different texts that are asked of a search that counts: its tool shows no more.
const COUNTS: usize = 500;
/// Extensions of source files of all languages that are outlined.
const EXTENSIONS: &[&str] = &[
    "rs", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "mts", "cts", "tsx", "go", "java", "c", "h", "cc",
    "cpp", "cxx", "hh", "hpp", "hxx", "cs", "rb", "php", "sh", "bash",
];
/// Rounds that listings leave to everything else.
const OTHER_ROUNDS: u32 = 9;
/// Most listings of one folder of a large tree.
pub(super) const PAGES: usize = 10;
/// Most lines that are asked of a file.
pub(super) const LINES: usize = 500;

/// What a phase wants next.
pub(super) struct Plan<'r> {
    pub(super) round: &'r RoundQuestion,
    wanted: Vec<ToolRequest>,
    stores: Vec<ToolRequest>,
    /// Whether something was left unasked because the rounds ran out.
    is_cut: bool,
}

/// What a search showed.
#[derive(Clone, Copy)]
pub(super) struct Hits<'r> {
    pub(super) shown: &'r [MatchedLine],
    pub(super) lines: usize,
}

impl<'r> Plan<'r> {
    pub(super) fn new(round: &'r RoundQuestion) -> Self {
        Self { round, wanted: Vec::new(), stores: Vec::new(), is_cut: false }
    }

    /// Whether something was left unasked because the rounds ran out, so that the findings are incomplete.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether something was asked that is not answered yet; later steps have to wait for it.
    pub(super) fn waits(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// The folders and files in a folder, or those that a pattern finds below it; the round holds their kinds.
    pub(super) fn list(&mut self, folder: &str, pattern: Option<&str>) -> Option<Listed<'r>> {
        let folder = if folder.is_empty() { "." } else { folder };
        let arguments = match pattern {
            Some(pattern) => json!({ "directory": folder, "pattern": pattern }),
            None => json!({ "directory": folder }),
        };
        match &self.ask(ToolRequest::new("list_files", arguments), None)?.seen {
            ToolObservation::Listing { folders, files, left_out, odd, .. } => Some(Listed {
                folders,
                files: (files.len() + left_out).saturating_sub(*odd),
                left_out: *left_out,
            }),
            _ => None,
        }
    }

    /// All source files below a folder, as long as they take no more listings than `most`; whether they do.
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

    /// The source files below a folder; where they are more than one listing shows, its folders one by one, outer ones first. A tree
    /// that takes more listings than there are rounds for is known in part.
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

    /// The first [`LINES`] lines of a file, and how many it has.
    pub(super) fn read(&mut self, path: &str) -> Option<(&'r str, usize)> {
        self.lines(path, 1)
    }

    /// A file in as many reads as it takes, at most `parts`; while one of them is not there yet, nothing.
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

    /// Lines of source files below a folder; everywhere if it is empty.
    pub(super) fn grep(&mut self, pattern: &str, below: &str) -> Option<Hits<'r>> {
        let mut arguments = json!({ "pattern": pattern, "extensions": EXTENSIONS, "max_results": HITS });
        if !below.is_empty() && below != "." {
            arguments["path"] = json!(below);
        }
        let call = ToolRequest::new("grep", arguments);
        match &self.ask(call, Some(Operation::Grep))?.seen {
            ToolObservation::Hits { hits, lines, .. } => Some(Hits { shown: hits, lines: *lines }),
            _ => None,
        }
    }

    /// How often each text that the pattern, or its first group, matches stands in source files below a folder; the most frequent first.
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

    /// The entries of a type, and how many there are.
    pub(super) fn entries(&mut self, entry_type: EntryType) -> Option<(&'r [Value], usize)> {
        let arguments = json!({ "query_type": entry_type.name(), "max_entries": 100 });
        match &self.ask(ToolRequest::new("query_memory", arguments), Some(Operation::MemoryQuery))?.seen {
            ToolObservation::Entries { entries, total, .. } => Some((entries, *total)),
            _ => None,
        }
    }

    /// What memory has of a component.
    pub(super) fn component(&mut self, id: &str) -> Option<&'r Value> {
        let arguments = json!({
            "query_type": EntryType::Component.name(), "max_entries": 1, "filter_by": { "component_id": id },
        });
        match &self.ask(ToolRequest::new("query_memory", arguments), Some(Operation::MemoryQuery))?.seen {
            ToolObservation::Entries { entries, .. } => entries.first(),
            _ => None,
        }
    }

    /// Stores an entry, once in the phase.
    pub(super) fn store(&mut self, entry: &Entry) {
        let data = serde_json::to_value(entry).expect("an entry has string keys and serialises");
        let call =
            ToolRequest::new("store_discovery", json!({ "type": entry.entry_type().name(), "data": data }));
        if self.answer_to(&call).is_none() {
            self.stores.push(call);
        }
    }

    /// Says that a component is explored.
    pub(super) fn mark_explored(&mut self, id: &str) {
        let call = ToolRequest::new("mark_explored", json!({ "type": "component", "id": id }));
        if self.answer_to(&call).is_none() {
            self.stores.push(call);
        }
    }

    /// How many entries there is room for in a phase that explores as long as it may; the last round is for the completion.
    pub(super) fn capacity(&self) -> usize {
        let rounds = self.round.limit.saturating_sub(exploring(self.round.limit) + 1);
        rounds as usize * self.round.calls_per_round.max(1) as usize
    }

    /// The first calls that are wanted.
    pub(super) fn calls(self) -> RoundDecision {
        let most = self.round.calls_per_round.max(1) as usize;
        RoundDecision::Call(self.wanted.into_iter().take(most).collect())
    }

    /// Returns the entries that are still to be stored, as far as there is room; then the completion, which also says whether rounds ran out before (DOC-29, DOC-35).
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

    /// Returns the answer to a call with the same arguments, or, of a store, for the same entry.
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

/// The rounds in which tools may be asked; the last third is for storing the findings.
fn exploring(limit: u32) -> u32 {
    limit.saturating_sub((limit / 3).max(2))
}

/// How deep folders with too many files for one listing are listed one by one.
const SURVEY_DEPTH: usize = 6;

/// Source files of all languages, as one pattern of names.
pub(super) fn sources() -> String {
    format!("**/*.{{{}}}", EXTENSIONS.join(","))
}

/// Source files of one language, likewise.
pub(super) fn sources_in(language: Language) -> String {
    let own = EXTENSIONS.iter().filter(|ending| Language::of_path(format!("a.{ending}")) == Some(language));
    format!("**/*.{{{}}}", own.copied().collect::<Vec<_>>().join(","))
}

/// What a listing showed besides its files.
pub(super) struct Listed<'r> {
    pub(super) folders: &'r [String],
    /// How many files with plain names there are, shown or not, where the pattern fits no folder.
    pub(super) files: usize,
    pub(super) left_out: usize,
}

/// The type and id of an entry that is stored.
fn entry_of(arguments: &Value) -> (Option<&str>, Option<&str>) {
    let kind = arguments["type"].as_str();
    let field = kind.and_then(EntryType::from_name).and_then(EntryType::id_field);
    let id = field.and_then(|field| arguments["data"][field].as_str());
    (kind, id)
}

/// Whether `given` has all that was asked; a tool may have added defaults.
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

/// Everything that listings of the phase showed.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Files with their bytes.
    pub(super) files: BTreeMap<String, u64>,
}

impl Tree {
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

/// Whether a shown path is the path itself: none with line breaks or with bytes that are no text.
pub(super) fn is_plain(path: &str) -> bool {
    !path.starts_with('"') && !path.contains('\u{fffd}')
}
