//! The lines of a text before its limit is known: each with its section and its rank. Chooses the lines that fit.

use std::collections::BTreeMap;

use super::tokens::count_tokens;

/// The sections of a context file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Purpose,
    Commands,
    Unseen,
    Entries,
    Flow,
    Parts,
    Map,
    Settings,
    Conventions,
    Tests,
    Ways,
    Dependencies,
    Topics,
}

impl Section {
    /// Returns the heading; `None` for the text below the title.
    fn heading(self) -> Option<&'static str> {
        Some(match self {
            Self::Purpose => return None,
            Self::Commands => "Commands",
            Self::Unseen => "What the tree does not show",
            Self::Entries => "Entry points",
            Self::Flow => "From entry to core",
            Self::Parts => "Architecture",
            Self::Map => "Where things are",
            Self::Settings => "Configuration",
            Self::Conventions => "Conventions",
            Self::Tests => "Tests",
            Self::Ways => "Errors, logging, concurrency",
            Self::Dependencies => "Dependencies",
            Self::Topics => "Documentation",
        })
    }
}

/// A line of the text, or a few lines that belong together.
#[derive(Clone, Debug)]
struct Line {
    section: Section,
    /// The line below which it stands; it is not shown without that.
    parent: Option<usize>,
    /// Greater is more important.
    rank: f64,
    /// Its kind and number, for the note about omitted lines.
    noun: &'static str,
    count: usize,
    text: String,
    tokens: usize,
}

/// A line that others can stand below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineId(usize);

/// Lines of all sections, in the order of the text.
#[derive(Debug)]
pub(super) struct Draft {
    title: String,
    /// The sections of the text, in order. Lines of others are not shown.
    sections: &'static [Section],
    lines: Vec<Line>,
}

/// The chosen text.
pub(super) struct ChosenText {
    pub(super) markdown: String,
    pub(super) left_out: Vec<String>,
}

/// Number of lines from which on others are not considered.
const LINES: usize = 6_000;

/// Tokens of a usual line. Shorter ones rank higher, longer ones lower.
const USUAL: f64 = 30.0;

impl Draft {
    pub(super) fn new(title: String, sections: &'static [Section]) -> Self {
        Self { title, sections, lines: Vec::new() }
    }

    /// Adds a line.
    pub(super) fn add(&mut self, section: Section, rank: f64, noun: &'static str, text: String) -> LineId {
        self.push(section, None, rank, (noun, 1), text)
    }

    /// Adds a line that tells several things.
    pub(super) fn add_many(
        &mut self,
        section: Section,
        rank: f64,
        counted: (&'static str, usize),
        text: String,
    ) -> LineId {
        self.push(section, None, rank, counted, text)
    }

    /// Adds a line below another one of the same section. A line does not rank above its parent.
    pub(super) fn add_below(
        &mut self,
        parent: LineId,
        rank: f64,
        counted: (&'static str, usize),
        text: String,
    ) -> LineId {
        let section = self.lines[parent.0].section;
        self.push(section, Some(parent.0), rank, counted, text)
    }

    fn push(
        &mut self,
        section: Section,
        parent: Option<usize>,
        rank: f64,
        (noun, count): (&'static str, usize),
        text: String,
    ) -> LineId {
        let tokens = if self.lines.len() < LINES { count_tokens(&text) + 1 } else { usize::MAX / 4 };
        #[allow(clippy::cast_precision_loss, reason = "lines are short")]
        let weighed = rank * (USUAL / (tokens.max(8) as f64)).sqrt();
        self.lines.push(Line { section, parent, rank: weighed, noun, count, text, tokens });
        LineId(self.lines.len() - 1)
    }

    /// Returns the text with the most important lines, in at most `max_tokens` tokens. The title is always there.
    pub(super) fn choose(self, max_tokens: usize, note: &str) -> ChosenText {
        let mut order: Vec<usize> =
            (0..self.lines.len()).filter(|at| self.sections.contains(&self.lines[*at].section)).collect();
        order.sort_by(|a, b| self.lines[*b].rank.total_cmp(&self.lines[*a].rank).then(a.cmp(b)));
        let mut chosen = vec![false; self.lines.len()];
        let mut taken: Vec<usize> = Vec::new();
        let mut used = count_tokens(&self.title) + count_tokens(note) + NOTE_TOKENS;
        for at in order {
            let group = self.with_parents(at, &chosen);
            let opens = |section: Section| !taken.iter().any(|at| self.lines[*at].section == section);
            let heading = self.lines[at].section.heading().filter(|_| opens(self.lines[at].section));
            let cost = group.iter().map(|at| self.lines[*at].tokens).sum::<usize>()
                + heading.map_or(0, |heading| count_tokens(heading) + 4);
            if used + cost > max_tokens {
                continue;
            }
            used += cost;
            for at in group.into_iter().rev() {
                chosen[at] = true;
                taken.push(at);
            }
        }
        self.fit(chosen, taken, max_tokens, note)
    }

    /// Returns a line and the lines above it that are not chosen yet, the inner one first.
    fn with_parents(&self, at: usize, chosen: &[bool]) -> Vec<usize> {
        let mut group = vec![at];
        let mut next = self.lines[at].parent;
        while let Some(parent) = next.filter(|parent| !chosen[*parent]) {
            group.push(parent);
            next = self.lines[parent].parent;
        }
        group
    }

    /// Writes the chosen lines; takes the last ones off until the whole text fits.
    fn fit(&self, mut chosen: Vec<bool>, mut taken: Vec<usize>, max_tokens: usize, note: &str) -> ChosenText {
        loop {
            let left_out = self.left_out(&chosen);
            let markdown = self.render(&chosen, note, &left_out, max_tokens);
            if count_tokens(&markdown) <= max_tokens {
                return ChosenText { markdown, left_out };
            }
            // A line is taken after its parent, so the last one has nothing below it.
            let Some(last) = taken.pop() else { return ChosenText { markdown, left_out } };
            chosen[last] = false;
        }
    }

    fn left_out(&self, chosen: &[bool]) -> Vec<String> {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (line, is_chosen) in self.lines.iter().zip(chosen) {
            let count = counts.entry(line.noun).or_default();
            count.1 += line.count;
            count.0 += if *is_chosen { 0 } else { line.count };
        }
        let omitted = counts.into_iter().filter(|(noun, (out, _))| *out > 0 && !noun.is_empty());
        omitted.map(|(noun, (out, all))| format!("{out} of {all} {noun}")).collect()
    }

    fn render(&self, chosen: &[bool], note: &str, left_out: &[String], max_tokens: usize) -> String {
        let mut text = format!("{}\n", self.title);
        for section in self.sections {
            let shown = self
                .lines
                .iter()
                .zip(chosen)
                .filter(|(line, is_chosen)| **is_chosen && line.section == *section);
            let lines: Vec<&str> = shown.map(|(line, _)| line.text.as_str()).collect();
            if lines.is_empty() {
                continue;
            }
            text.push('\n');
            if let Some(heading) = section.heading() {
                text.push_str(&format!("## {heading}\n\n"));
            }
            text.push_str(&lines.join("\n"));
            text.push('\n');
        }
        if !note.is_empty() {
            text.push_str(&format!("\n{note}\n"));
        }
        if !left_out.is_empty() {
            text.push_str(&format!(
                "\nLeft out to stay within {max_tokens} tokens: {}.\n",
                left_out.join(", ")
            ));
        }
        text
    }
}

/// Tokens that are reserved for the note about omitted lines.
const NOTE_TOKENS: usize = 90;
