//! The definitions of a file that a question is about: by their names, documentation, signatures and bodies. One file at a time.

use stategraph_repo::{FileOutline, SymbolInfo, SymbolKind};

use super::corpus::{best_hits, count_lines};
use super::scan::TermScanner;

/// Weights of a term in the parts of a definition.
const IN_NAME: f32 = 3.0;
const IN_DOCS: f32 = 1.2;
const IN_SIGNATURE: f32 = 0.8;
const IN_BODY: f32 = 1.4;
/// Weight of a term in the names around a definition: its type, its file, its folder.
const AROUND: f32 = 1.0;
/// Lines of a body at which its hits count half.
const BODY_LINES: f32 = 60.0;
/// Most hits that are kept of one file.
const HIT_LINES: usize = 20_000;

/// The hits of a question's terms in one file, sorted by line.
pub(super) struct LineHits {
    /// Line, term and weight, in the order of the lines.
    hits: Vec<(u32, u8, f32)>,
}

/// A symbol of an outline with its score for a question.
pub(super) struct ScoredSymbol<'a> {
    pub(super) symbol: &'a SymbolInfo,
    /// The name with the names around it, joined by dots.
    pub(super) name: String,
    pub(super) score: f32,
    /// Weight of each term in the definition.
    pub(super) matched: Vec<f32>,
}

/// The scanner and the term weights of a question, by which definitions are scored.
pub(super) struct RankWeights<'a> {
    pub(super) scanner: &'a TermScanner,
    /// Weight of each term.
    pub(super) terms: &'a [f32],
    /// True if tests are wanted as much as code.
    pub(super) tests: bool,
}

impl LineHits {
    pub(super) fn of(scanner: &TermScanner, text: &str) -> Self {
        let mut places: Vec<(usize, u8, f32)> = Vec::new();
        scanner.visit(text, |hit| {
            if places.len() < HIT_LINES {
                places.push((hit.at, u8::try_from(hit.term).unwrap_or(u8::MAX), hit.weight));
            }
        });
        places.sort_by_key(|(at, ..)| *at);
        let (mut line, mut counted) = (1_u32, 0);
        let hits = places.into_iter().map(|(at, term, weight)| {
            let lines = count_lines(&text[counted..at]);
            line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            counted = at;
            (line, term, weight)
        });
        Self { hits: hits.collect() }
    }

    /// Returns the hits on the lines `first` to `last`, both included, as line, index of the term and weight.
    pub(super) fn within(&self, first: usize, last: usize) -> &[(u32, u8, f32)] {
        let from = self.hits.partition_point(|(line, ..)| (*line as usize) < first);
        let to = self.hits.partition_point(|(line, ..)| (*line as usize) <= last);
        &self.hits[from..to.max(from)]
    }

    /// Returns all hits of the file, as line, index of the term and weight.
    pub(super) fn all(&self) -> &[(u32, u8, f32)] {
        &self.hits
    }
}

/// Scores every symbol of an outline for the question, and returns those above 0 in the order of the file.
pub(super) fn score_definitions<'a>(
    outline: &'a FileOutline,
    hits: &LineHits,
    weights: &RankWeights,
) -> Vec<ScoredSymbol<'a>> {
    let count = weights.terms.len();
    let of_file = best_hits(weights.scanner, file_words(&outline.path), count);
    let mut found = Vec::new();
    for (around, symbol) in outline.walk() {
        let mut near = of_file.iter().map(|weight| weight * 0.8).collect::<Vec<f32>>();
        let receiver = symbol.receiver();
        for name in around.iter().copied().chain(receiver) {
            for (kept, weight) in near.iter_mut().zip(best_hits(weights.scanner, name, count)) {
                *kept = kept.max(weight);
            }
        }
        let parts = SymbolTerms::of(symbol, &near, hits, weights);
        let is_test = !weights.tests && is_in_tests(&around, symbol);
        let score = parts.rate(weights.terms)
            * kind_factor(symbol)
            * body_factor(symbol, &outline.path)
            * if is_test { 0.35 } else { 1.0 };
        if score > 0.0 {
            let name = around
                .iter()
                .copied()
                .chain(receiver)
                .chain([symbol.name.as_str()])
                .collect::<Vec<_>>()
                .join(".");
            found.push(ScoredSymbol { symbol, name, score, matched: parts.presence() });
        }
    }
    found
}

/// The weight of each term in the name, the surrounding names, the documentation, the signature and the body
/// of a symbol. Each `Vec` has one number for each term.
struct SymbolTerms {
    name: Vec<f32>,
    around: Vec<f32>,
    docs: Vec<f32>,
    signature: Vec<f32>,
    body: Vec<f32>,
}

impl SymbolTerms {
    #[allow(clippy::cast_precision_loss, reason = "counts of lines")]
    fn of(symbol: &SymbolInfo, near: &[f32], hits: &LineHits, weights: &RankWeights) -> Self {
        let count = weights.terms.len();
        let scan = |text: &str| {
            let mut best = vec![0.0_f32; count];
            weights.scanner.visit(text, |hit| best[hit.term] = best[hit.term].max(hit.weight));
            best
        };
        let lines = (symbol.line_end + 1).saturating_sub(symbol.line).max(1);
        let mut body = vec![0.0_f32; count];
        for (_, term, weight) in hits.within(symbol.line, symbol.line_end) {
            body[usize::from(*term)] += weight;
        }
        // The parts of a type speak for themselves.
        let is_container = symbol.children.iter().any(|child| child.kind.is_callable());
        let share = if is_container && symbol.kind != SymbolKind::Function { 0.4 } else { 1.0 };
        let half = 1.0 + lines as f32 / BODY_LINES;
        let body = body.iter().map(|sum| share * sum / (sum + half)).collect();
        Self {
            name: best_hits(weights.scanner, &symbol.name, count),
            around: near.to_vec(),
            docs: scan_docs(symbol.docstring.as_deref().unwrap_or_default(), &scan),
            signature: scan(&symbol.signature),
            body,
        }
    }

    fn rate(&self, weights: &[f32]) -> f32 {
        let (mut sum, mut present, mut all) = (0.0, 0.0, 0.0);
        let mut is_own = false;
        for (term, weight) in weights.iter().enumerate() {
            let own = IN_NAME * self.name[term]
                + IN_DOCS * self.docs[term]
                + IN_SIGNATURE * self.signature[term]
                + IN_BODY * self.body[term];
            is_own |= own > 0.0;
            sum += weight * saturate(own + AROUND * self.around[term]);
            present += weight * self.strength(term);
            all += weight;
        }
        if is_own { sum * (0.2 + 0.8 * present / f32::max(all, f32::EPSILON)) } else { 0.0 }
    }

    /// Returns how surely the symbol is about a term, from 0 to 1: its strongest weight in any part of the
    /// symbol.
    fn strength(&self, term: usize) -> f32 {
        let own = self.name[term].max(self.docs[term] * 0.9).max(self.signature[term] * 0.9);
        own.max((self.body[term] * 1.6).min(0.8)).max(self.around[term] * 0.6).min(1.0)
    }

    fn presence(&self) -> Vec<f32> {
        (0..self.name.len()).map(|term| self.strength(term)).collect()
    }
}

/// Returns the last folder and the name of a file without its ending: `src/net/http.rs` → `net/http`.
fn file_words(path: &str) -> &str {
    let without = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut slashes = without.rmatch_indices('/').map(|(at, _)| at);
    slashes.nth(1).map_or(without, |at| &without[at + 1..])
}

fn is_in_tests(around: &[&str], symbol: &SymbolInfo) -> bool {
    let is_test =
        |name: &str| matches!(name, "test" | "tests") || name.starts_with("test_") || name.ends_with("_test");
    around.iter().any(|name| is_test(name))
        || is_test(&symbol.name)
        || symbol.decorators.iter().any(|decorator| decorator.contains("test"))
}

/// Returns the weight of each term in a doc comment; hits behind the first 160 characters count half.
fn scan_docs(docs: &str, scan: &impl Fn(&str) -> Vec<f32>) -> Vec<f32> {
    const OPENING: usize = 160;
    let cut = docs.char_indices().nth(OPENING).map_or(docs.len(), |(at, _)| at);
    let (first, rest) = (scan(&docs[..cut]), scan(&docs[cut..]));
    first.iter().zip(rest).map(|(first, rest)| first.max(0.5 * rest)).collect()
}

/// Returns the factor for a symbol in a header or stub file (`.h`, `.pyi`, `.d.ts`): 0 for an include guard,
/// 0.6 for a function of at most 4 lines. It is 1 for all others.
fn body_factor(symbol: &SymbolInfo, path: &str) -> f32 {
    let ending = path.rsplit('.').next().unwrap_or_default();
    if !matches!(ending, "h" | "hh" | "hpp" | "hxx" | "pyi") && !path.ends_with(".d.ts") {
        return 1.0;
    }
    let is_guard = !symbol.kind.is_type() && symbol.name.trim_end_matches('_').ends_with("_H");
    match () {
        () if is_guard => 0.0,
        () if symbol.kind.is_callable() && symbol.line_end - symbol.line <= 3 => 0.6,
        () => 1.0,
    }
}

/// Returns a value below 16 that grows ever more slowly with `sum`, so that hits of two terms are worth more
/// than twice as many of one.
fn saturate(sum: f32) -> f32 {
    const HALF: f32 = 12.0;
    sum * (HALF + 4.0) / (sum + HALF)
}

fn kind_factor(symbol: &SymbolInfo) -> f32 {
    match symbol.kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => 1.0,
        SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Enum
        | SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::Union => 0.95,
        SymbolKind::Impl | SymbolKind::Type => 0.7,
        SymbolKind::Variable => 0.75,
        SymbolKind::Field | SymbolKind::Variant => 0.6,
        SymbolKind::Module | SymbolKind::Namespace => 0.5,
    }
}
