//! The subject of an answer: the definitions that a question is about, and the measure by which texts are about it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use stategraph_facts::{Facts, SourceLines};
use stategraph_repo::{CodeBase, FileOutline, SymbolInfo};

use crate::workflows::contextualize::search::code_references::CodeReference;
use crate::workflows::contextualize::search::discover::{Discovery, RankedDefinition};
use crate::workflows::contextualize::search::question::{ScopeQuestion, TermForm};
use crate::workflows::contextualize::search::scan::TermScanner;

/// Most definitions of an answer.
const DEFINITIONS: usize = 10;
/// Least score of a definition, as a fraction of the best one's.
const LEAST_PART: f32 = 0.35;
/// Least part of the question's weight that a text must be about.
const LEAST_COVERED: f32 = 0.34;

/// The input of all sections of an answer: the question, its discovery, the facts and the best definitions.
/// It caches the texts and outlines of files.
pub(super) struct AnswerSubject<'a> {
    pub(super) discovery: &'a Discovery,
    pub(super) code: &'a CodeBase,
    pub(super) facts: &'a Facts,
    pub(super) question: ScopeQuestion,
    pub(super) scanner: TermScanner,
    /// The definitions that it is about, the best first.
    pub(super) definitions: Vec<RankedDefinition>,
    texts: RefCell<HashMap<String, Option<Arc<str>>>>,
    outlines: RefCell<HashMap<String, Option<Arc<FileOutline>>>>,
}

impl<'a> AnswerSubject<'a> {
    pub(super) fn new(
        question: &str,
        discovery: &'a Discovery,
        code: &'a CodeBase,
        facts: &'a Facts,
    ) -> Self {
        let question = ScopeQuestion::of(question);
        let scanner = TermScanner::new(&question.terms);
        let best = discovery.definitions.first().map_or(0.0, |first| first.score);
        let definitions =
            discovery.definitions.iter().filter(|definition| definition.score >= best * LEAST_PART);
        let definitions = definitions.take(DEFINITIONS).cloned().collect();
        Self {
            discovery,
            code,
            facts,
            question,
            scanner,
            definitions,
            texts: RefCell::default(),
            outlines: RefCell::default(),
        }
    }

    /// Returns the text of a file, from the cache if it was read before; `None` if it cannot be read.
    pub(super) fn text(&self, path: &str) -> Option<Arc<str>> {
        let read = || self.code.text(path).ok().map(|(_, text)| text.into());
        self.texts.borrow_mut().entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the outline of a file, from the cache if it was parsed before; `None` if its language has
    /// none.
    pub(super) fn outline(&self, path: &str) -> Option<Arc<FileOutline>> {
        let outline = || self.code.get_outline(path);
        self.outlines.borrow_mut().entry(path.to_owned()).or_insert_with(outline).clone()
    }

    /// Returns the lines `first` to `last` of a file, counted from 1, both included; empty if it cannot be
    /// read.
    pub(super) fn lines(&self, path: &str, first: usize, last: usize) -> Vec<String> {
        let Some(text) = self.text(path) else { return Vec::new() };
        let count = (last + 1).saturating_sub(first);
        text.lines().skip(first.saturating_sub(1)).take(count).map(str::to_owned).collect()
    }

    /// Returns the symbol of the outline with the lines and the name of a ranked definition; `None` for a
    /// passage.
    pub(super) fn symbol(&self, definition: &RankedDefinition) -> Option<SymbolInfo> {
        definition.kind?;
        let outline = self.outline(&definition.path)?;
        let is_it = |symbol: &SymbolInfo| {
            symbol.line == definition.start as usize
                && symbol.line_end == definition.end as usize
                && definition.name.ends_with(&symbol.name)
        };
        outline.walk().find(|(_, symbol)| is_it(symbol)).map(|(_, symbol)| symbol.clone())
    }

    /// Returns a score for how well some texts, each with a factor, match the terms of the question; higher
    /// is better. `None` if they cover less than a third of the terms' weight and have no identifier or
    /// phrase of the question.
    pub(super) fn relevance(&self, texts: &[(&str, f32)]) -> Option<f32> {
        let weights = &self.discovery.weights;
        let mut best = vec![0.0_f32; weights.len()];
        let mut present = vec![0.0_f32; weights.len()];
        for (text, factor) in texts {
            self.scanner.visit(text, |hit| {
                if let (Some(best), Some(present)) = (best.get_mut(hit.term), present.get_mut(hit.term)) {
                    *best = best.max(hit.weight * factor);
                    *present = present.max(hit.weight);
                }
            });
        }
        let weigh =
            |parts: &[f32]| parts.iter().zip(weights).map(|(part, weight)| part * weight).sum::<f32>();
        let covered = weigh(&present) / weights.iter().sum::<f32>().max(f32::EPSILON);
        let is_exact = self
            .question
            .terms
            .iter()
            .zip(&present)
            .any(|(term, present)| *present > 0.0 && !matches!(term.form, TermForm::Word(_)));
        (covered >= LEAST_COVERED || is_exact).then(|| weigh(&best) * (0.3 + 0.7 * covered))
    }
}

/// Creates a reference to lines `start` to `end` of a file; an `end` before `start` becomes `start`.
pub(super) fn reference(
    path: &str,
    start: usize,
    end: usize,
    description: impl Into<String>,
) -> CodeReference {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    CodeReference {
        path: path.to_owned(),
        start: number(start),
        end: number(end.max(start)),
        description: description.into(),
    }
}

/// Creates a reference to the lines that a fact was read from.
pub(super) fn source_reference(source: &SourceLines, description: impl Into<String>) -> CodeReference {
    reference(&source.path, source.start, source.end, description)
}
