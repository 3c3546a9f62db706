//! The files and the definitions that a question is about, ranked over all files (CTX-21, 26 to 28, 119, 135). Asks no model.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use stategraph_repo::{CodeBase, Language, SymbolKind, Walk, WalkLimits, parallel_map};

use super::corpus::{FileTerms, TermCorpus, role_factor};
use super::definitions::{LineHits, RankWeights, score_definitions};
use super::passages::score_passages;
use super::question::{ScopeQuestion, TermForm};
use super::scan::TermScanner;

/// Most files of a discovery (CTX-27).
const FILES: usize = 20;
/// Most definitions of a discovery.
const DEFINITIONS: usize = 36;
/// Factor of the score of a definition for each better one with its name.
const SAME_NAME: f32 = 0.85;
/// Most files that are parsed, and most bytes of them.
const PARSED_FILES: usize = 80;
const PARSED_BYTES: u64 = 4 * 1024 * 1024;
/// Factor of the score of a definition whose name the question writes exactly.
const EXACT_NAME: f32 = 3.0;

/// The result of `discover`: the files and definitions of a code base that match a question, ranked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Discovery {
    /// The words of the question that were searched (CTX-26).
    pub keywords: Vec<String>,
    /// The best files, at most 20, the best first; ties by path (CTX-27, 28).
    pub candidates: Vec<RankedFile>,
    /// The best definitions and passages, at most 36, the best first; ties by place.
    pub definitions: Vec<RankedDefinition>,
    /// True if nothing was found, and the candidates are the first files of the tree (CTX-27).
    pub fallback: bool,
    /// Number of files that were searched.
    pub searched: usize,
    /// Number of files with a hit.
    pub found: usize,
    /// Weight of each search term of the question: its rarity in the code base, less for words that say little.
    pub weights: Vec<f32>,
}

/// A file that matches a question, with its score and the keywords in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedFile {
    /// Path relative to the root of the repository.
    pub path: String,
    /// Higher is better; the best file of a discovery has at most 2.
    pub score: f32,
    /// The reasons for the score.
    pub hits: Vec<KeywordHit>,
}

/// A keyword of the question that occurs in a file, and its best place there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeywordHit {
    /// As the question has it.
    pub keyword: String,
    /// The best place with it.
    pub place: HitPlace,
    /// The first line with it, from 1; `None` if it is in the path only.
    pub line: Option<u32>,
}

/// The part of a file in which a keyword occurs; the variants are ordered from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HitPlace {
    /// The name of the file.
    Name,
    /// The names of its folders.
    Folders,
    /// A line that looks like a definition.
    Definition,
    /// Elsewhere in the text.
    Text,
}

/// A definition, or a passage outside of definitions, that matches a question, with its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedDefinition {
    /// Path relative to the root of the repository.
    pub path: String,
    /// The name with the names around it, joined by dots; empty for a passage.
    pub name: String,
    /// The kind; `None` for a passage.
    pub kind: Option<SymbolKind>,
    /// The first line, from 1.
    pub start: u32,
    /// The last line, included.
    pub end: u32,
    /// Higher is better.
    pub score: f32,
    /// The keywords that it is about.
    pub keywords: Vec<String>,
}

/// Ranks the files and the definitions of a code base by the words of a question. Without keywords or without
/// a hit it returns the first 20 files of the tree, with `fallback` set (CTX-27).
pub fn discover(question: &str, code: &CodeBase) -> Discovery {
    let question = ScopeQuestion::of(question);
    let walk = code.files().walk(WalkLimits::default());
    let scanner = TermScanner::new(&question.terms);
    let corpus = if question.is_empty() {
        None
    } else {
        Some(TermCorpus::search(&question, &scanner, code, &walk)).filter(|corpus| !corpus.files.is_empty())
    };
    match corpus {
        Some(corpus) => rank(&question, &scanner, corpus, code),
        None => fall_back(question.keywords, &walk),
    }
}

fn fall_back(keywords: Vec<String>, walk: &Walk) -> Discovery {
    let first = walk.files.iter().take(FILES).map(|file| RankedFile {
        path: file.path.to_string(),
        score: 0.0,
        hits: Vec::new(),
    });
    Discovery {
        keywords,
        candidates: first.collect(),
        fallback: true,
        searched: walk.files.len(),
        ..Discovery::default()
    }
}

fn rank(question: &ScopeQuestion, scanner: &TermScanner, corpus: TermCorpus, code: &CodeBase) -> Discovery {
    let terms = corpus.weights(question);
    let weights = RankWeights { scanner, terms: &terms, tests: question.aims.tests };
    let (searched, found) = (corpus.searched, corpus.files.len());
    let mut files = corpus.files;
    files.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    let parsed = shortlist(&files);
    let top = files.first().map_or(1.0, |file| file.score).max(f32::EPSILON);
    let of_files = parallel_map(parsed.len(), |index| {
        let file = &files[parsed[index]];
        // The rest of a file tells what its definitions are about.
        let factor = role_factor(&file.path, question.aims) * (0.6 + 0.4 * file.score / top);
        definitions_of(file, factor, question, &weights, code)
    });
    let mut definitions: Vec<RankedDefinition> = of_files.into_iter().flatten().collect();
    sort(&mut definitions);
    let candidates = rank_files(&files, &definitions, question);
    Discovery {
        keywords: question.keywords.clone(),
        candidates,
        definitions: choose_definitions(definitions),
        fallback: false,
        searched,
        found,
        weights: terms.into_iter().map(round).collect(),
    }
}

/// Returns the indexes of the files to parse, from a list with the best first: at most 80 files and 4 MiB,
/// only files with a hit in their text or in a known language.
fn shortlist(files: &[FileTerms]) -> Vec<usize> {
    let mut bytes = 0;
    let mut chosen = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let has_text =
            file.text.iter().any(|weight| *weight > 0.0) || Language::of_path(&file.path).is_some();
        if !has_text || bytes + file.bytes > PARSED_BYTES && !chosen.is_empty() {
            continue;
        }
        bytes += file.bytes;
        chosen.push(index);
        if chosen.len() >= PARSED_FILES {
            break;
        }
    }
    chosen
}

/// Scores the definitions and passages of one file; empty if it cannot be read. Scores are multiplied by
/// `factor`, and by 3 if the question writes the name of the definition exactly.
fn definitions_of(
    file: &FileTerms,
    factor: f32,
    question: &ScopeQuestion,
    weights: &RankWeights,
    code: &CodeBase,
) -> Vec<RankedDefinition> {
    let Ok((_, text)) = code.text(&file.path) else { return Vec::new() };
    let hits = LineHits::of(weights.scanner, &text);
    let outline = code.get_outline(&file.path);
    let mut found = Vec::new();
    for scored in outline.iter().flat_map(|outline| score_definitions(outline, &hits, weights)) {
        let is_exact = is_exact_name(&scored.symbol.name, question);
        found.push(RankedDefinition {
            path: file.path.clone(),
            name: scored.name,
            kind: Some(scored.symbol.kind),
            start: line(scored.symbol.line),
            end: line(scored.symbol.line_end),
            score: round(scored.score * factor * if is_exact { EXACT_NAME } else { 1.0 }),
            keywords: matched_keywords(question, &scored.matched),
        });
    }
    for passage in score_passages(outline.as_deref(), &hits, &text, weights.terms) {
        found.push(RankedDefinition {
            path: file.path.clone(),
            name: String::new(),
            kind: None,
            start: line(passage.start),
            end: line(passage.end),
            score: round(passage.score * factor),
            keywords: matched_keywords(question, &passage.matched),
        });
    }
    found
}

fn is_exact_name(name: &str, question: &ScopeQuestion) -> bool {
    let last = name.rsplit([':', '.']).next().unwrap_or(name);
    question.terms.iter().any(|term| term.form == TermForm::Identifier && term.text == last)
}

/// Returns the texts of the terms whose weight in `matched` is at least 0.4, each once, in the order of the
/// question.
fn matched_keywords(question: &ScopeQuestion, matched: &[f32]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (term, weight) in question.terms.iter().zip(matched) {
        if *weight >= 0.4 && !found.contains(&term.text) {
            found.push(term.text.clone());
        }
    }
    found
}

/// Returns the 20 best files by the sum of two shares: their score and that of their best definition, each
/// relative to the highest.
fn rank_files(
    files: &[FileTerms],
    definitions: &[RankedDefinition],
    question: &ScopeQuestion,
) -> Vec<RankedFile> {
    let mut best: HashMap<&str, f32> = HashMap::new();
    // A passage is no more than the hits that the score of its file counts.
    for definition in definitions.iter().filter(|definition| definition.kind.is_some()) {
        let kept = best.entry(&definition.path).or_default();
        *kept = kept.max(definition.score);
    }
    let top_file = files.first().map_or(1.0, |file| file.score).max(f32::EPSILON);
    let top_definition = definitions.first().map_or(1.0, |first| first.score).max(f32::EPSILON);
    let mut ranked: Vec<(f32, &FileTerms)> = files
        .iter()
        .map(|file| {
            let of_definition = best.get(file.path.as_str()).copied().unwrap_or_default();
            (round(file.score / top_file + of_definition / top_definition), file)
        })
        .collect();
    ranked.sort_by(|(a, a_file), (b, b_file)| b.total_cmp(a).then_with(|| a_file.path.cmp(&b_file.path)));
    let kept = ranked.into_iter().take(FILES);
    kept.map(|(score, file)| RankedFile {
        path: file.path.clone(),
        score,
        hits: keyword_hits(file, question),
    })
    .collect()
}

fn keyword_hits(file: &FileTerms, question: &ScopeQuestion) -> Vec<KeywordHit> {
    let mut found: Vec<KeywordHit> = Vec::new();
    for (index, term) in question.terms.iter().enumerate() {
        let place = match () {
            () if file.name[index] > 0.0 => HitPlace::Name,
            () if file.folders[index] > 0.0 => HitPlace::Folders,
            () if file.defined[index] > 0.0 => HitPlace::Definition,
            () if file.text[index] > 0.0 => HitPlace::Text,
            () => continue,
        };
        let line = Some(file.lines[index]).filter(|line| *line > 0);
        found.push(KeywordHit { keyword: term.text.clone(), place, line });
    }
    found
}

/// Returns the 36 best definitions. The score is lowered by 0.85 for each better one with the same last name,
/// such as overloads and methods of many types.
fn choose_definitions(mut ranked: Vec<RankedDefinition>) -> Vec<RankedDefinition> {
    let mut by_name: HashMap<String, i32> = HashMap::new();
    for definition in &mut ranked {
        let last = definition.name.rsplit('.').next().filter(|name| !name.is_empty());
        let same = by_name.entry(last.unwrap_or(&definition.path).to_owned()).or_default();
        definition.score = round(definition.score * SAME_NAME.powi(*same));
        *same += 1;
    }
    sort(&mut ranked);
    ranked.truncate(DEFINITIONS);
    ranked
}

fn sort(definitions: &mut [RankedDefinition]) {
    definitions.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (&a.path, a.start, a.end).cmp(&(&b.path, b.start, b.end)))
    });
}

fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Rounds a score to three decimals, so that a stored score reads back equal.
fn round(score: f32) -> f32 {
    (score * 1_000.0).round() / 1_000.0
}
