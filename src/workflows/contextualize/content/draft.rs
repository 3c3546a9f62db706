//! The lines of a text before its limit is known: each with its section and its rank. Chooses the lines that fit.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::count_tokens;

/// A section of a context file, which groups its lines. The layout decides which sections are shown, and in
/// which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ContextSection {
    Purpose,
    Commands,
    Unseen,
    Additions,
    Entries,
    Programs,
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

impl ContextSection {
    /// Returns the Markdown heading of the section; `None` for `Purpose`, which is the text below the title.
    fn heading(self) -> Option<&'static str> {
        Some(match self {
            Self::Purpose => return None,
            Self::Commands => "Commands",
            Self::Unseen => "What the tree does not show",
            Self::Additions => "Adding one more",
            Self::Entries => "Entry points",
            Self::Programs => "Programs",
            Self::Flow => "Call order",
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

/// One or a few lines of Markdown that are shown or left out together.
#[derive(Clone, Debug)]
struct DraftLine {
    section: ContextSection,
    /// The line below which it stands; it is not shown without that.
    parent: Option<usize>,
    /// The shorter form that it replaces: its parent.
    replaces: Option<usize>,
    /// Greater is more important.
    rank: f64,
    /// Its kind and number, for the note about omitted lines.
    noun: &'static str,
    count: usize,
    text: String,
    /// True for a heading: it is shown with a line below it, and never alone.
    is_heading: bool,
    /// The form in which [`LineDraft::add_rest`] names it if it is not chosen.
    short: Option<String>,
    /// True for a line that is only named in its short form: it says nothing more.
    is_only_named: bool,
    /// The lines that this one names if they are not chosen, with the maximum of them.
    rest: Option<(Vec<usize>, usize)>,
    /// Tokens that it adds to those of its parents.
    tokens: usize,
    /// Tokens of its text.
    full_tokens: usize,
}

/// Handle of a line of a [`LineDraft`], used to add lines below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineId(usize);

/// All lines that a context file may have, each with a rank; the sections add them, and
/// [`choose`](Self::choose) keeps those that fit a token limit.
#[derive(Debug)]
pub(super) struct LineDraft {
    title: String,
    /// The sections of the text, in order, with the part of the limit that each may take while others want it, in percent. Lines of other
    /// sections are not shown.
    sections: &'static [(ContextSection, usize)],
    lines: Vec<DraftLine>,
}

/// The result of [`LineDraft::choose`]: the Markdown, its tokens, and the number of omitted things by kind,
/// such as `12 of 40 settings`.
pub(super) struct ChosenText {
    pub(super) markdown: String,
    pub(super) tokens: usize,
    pub(super) left_out: Vec<String>,
}

/// Number of tokens that each section may take in the first pass, however small the limit is.
const SECTION_TOKENS: usize = 70;
/// Maximum of lines in a draft; later ones are never chosen.
const LINES: usize = 8_000;
/// Tokens of a usual line. Shorter ones rank higher, longer ones lower.
const USUAL: f64 = 30.0;
/// Tokens that a short form takes, about.
const SHORT_TOKENS: usize = 10;
/// Tokens that are reserved for the note about omitted lines.
const NOTE_TOKENS: usize = 60;
/// Tokens of the limit for each kind of omitted things that the note names.
const TOKENS_OF_NOUN: usize = 120;
/// Tokens of a line beyond `LINES`: more than any text has.
const UNREAD: usize = 1 << 40;
/// Rank below which a line takes no share of its section: it waits for what all others leave.
const LEAST: f64 = 14.0;
/// Number of attempts to fill the limit: the sum of lines is not the size of the text.
const ATTEMPTS: usize = 3;

impl LineDraft {
    pub(super) fn new(title: String, sections: &'static [(ContextSection, usize)]) -> Self {
        Self { title, sections, lines: Vec::new() }
    }

    /// Replaces the text above the sections.
    pub(super) fn set_title(&mut self, title: String) {
        self.title = title;
    }

    /// Returns true if the draft has no line with content of its own; headings and lines of
    /// [`add_rest`](Self::add_rest) do not count.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.is_heading || line.rest.is_some())
    }

    /// Adds a line to the end of a section. A greater `rank` makes it more likely to be chosen; `noun` names
    /// its kind in the note about omitted lines.
    pub(super) fn add(
        &mut self,
        section: ContextSection,
        rank: f64,
        noun: &'static str,
        text: String,
    ) -> LineId {
        self.push(section, None, rank, (noun, 1), text)
    }

    /// Adds a line that states several things; `counted` is their kind and number for the note about omitted
    /// lines.
    pub(super) fn add_many(
        &mut self,
        section: ContextSection,
        rank: f64,
        counted: (&'static str, usize),
        text: String,
    ) -> LineId {
        self.push(section, None, rank, counted, text)
    }

    /// Adds a line to the section of `parent`. It is shown only together with its parent.
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

    /// Adds a longer form of a line. It is chosen only after that, replaces it, and costs only the tokens that it has more.
    pub(super) fn add_longer(
        &mut self,
        shorter: LineId,
        rank: f64,
        counted: (&'static str, usize),
        text: String,
    ) -> LineId {
        let (section, known) = (self.lines[shorter.0].section, self.lines[shorter.0].full_tokens);
        let id = self.push(section, Some(shorter.0), rank, counted, text);
        let line = &mut self.lines[id.0];
        line.replaces = Some(shorter.0);
        if line.tokens < UNREAD {
            line.tokens = line.tokens.saturating_sub(known).max(1);
        }
        line.rank = rank * weight(line.tokens, counted.1);
        id
    }

    /// Adds a heading, which is shown only together with a line below it.
    pub(super) fn add_heading(&mut self, section: ContextSection, text: String) -> LineId {
        let id = self.push(section, None, 0.0, ("", 0), text);
        self.lines[id.0].is_heading = true;
        id
    }

    /// Sets the short text of a line, which a line of [`add_rest`](Self::add_rest) shows if the line itself
    /// is not chosen.
    pub(super) fn set_short(&mut self, line: LineId, short: String) {
        self.lines[line.0].short = Some(short);
    }

    /// Leaves a line out in favour of its short text.
    pub(super) fn set_only_named(&mut self, line: LineId) {
        self.lines[line.0].is_only_named = true;
    }

    /// Adds a line "Also …" with the short texts of those of the `others` that are not chosen: at most
    /// `most`, those of highest rank.
    pub(super) fn add_rest(
        &mut self,
        (section, parent): (ContextSection, Option<LineId>),
        rank: f64,
        others: &[LineId],
        most: usize,
    ) {
        let indent = if parent.is_some() { "  " } else { "" };
        let parent = parent.map(|parent| parent.0);
        let LineId(at) = self.push(section, parent, rank, ("", 0), format!("{indent}- Also"));
        let most = most.min(others.len());
        self.lines[at].rest = Some((others.iter().map(|id| id.0).collect(), most));
        self.lines[at].tokens = SHORT_TOKENS * most;
        self.lines[at].rank = rank * weight(SHORT_TOKENS * most, most);
    }

    fn push(
        &mut self,
        section: ContextSection,
        parent: Option<usize>,
        rank: f64,
        (noun, count): (&'static str, usize),
        text: String,
    ) -> LineId {
        let at = self.lines.len();
        let is_read = at < LINES && self.share(section).is_some();
        let tokens = if is_read { count_tokens(&text) + 1 } else { UNREAD };
        let weighed = rank * weight(tokens, count);
        let (is_heading, short, rest) = (false, None, None);
        self.lines.push(DraftLine {
            section,
            parent,
            replaces: None,
            rank: weighed,
            noun,
            count,
            text,
            is_heading,
            short,
            is_only_named: false,
            rest,
            tokens,
            full_tokens: tokens,
        });
        LineId(at)
    }

    /// Returns the percentage of the token limit that a section may take; `None` if the layout does not show
    /// it.
    fn share(&self, section: ContextSection) -> Option<usize> {
        self.sections.iter().find(|(shown, _)| *shown == section).map(|(_, share)| *share)
    }

    /// Writes the lines of highest rank within `max_tokens`, in the order of the sections, then `note` and
    /// the counts of omitted things. The title is always written, even if it exceeds the limit.
    pub(super) fn choose(&self, max_tokens: usize, note: &str) -> ChosenText {
        let is_candidate =
            |line: &DraftLine| self.share(line.section).is_some() && !line.is_heading && !line.is_only_named;
        let mut order: Vec<usize> =
            (0..self.lines.len()).filter(|at| is_candidate(&self.lines[*at])).collect();
        order.sort_by(|a, b| self.lines[*b].rank.total_cmp(&self.lines[*a].rank).then(a.cmp(b)));
        let overhead = count_tokens(&self.title) + count_tokens(note) + NOTE_TOKENS;
        let mut best: Option<ChosenText> = None;
        let mut target = max_tokens;
        for _ in 0..ATTEMPTS {
            let taken = self.take(&order, target.saturating_sub(overhead));
            let is_all = taken.len() >= order.len();
            let found = self.fit(taken, max_tokens, note);
            let left = max_tokens.saturating_sub(found.tokens);
            if best.as_ref().is_none_or(|best| best.tokens < found.tokens || best.tokens > max_tokens) {
                best = Some(found);
            }
            if is_all || left * 100 < max_tokens {
                break;
            }
            target += left;
        }
        best.expect("there is at least one attempt")
    }

    /// Selects lines in the given order within `most` tokens, each after its parent, and returns their
    /// indexes. In a first pass no section exceeds its share; a second pass fills the rest.
    fn take(&self, order: &[usize], most: usize) -> Vec<usize> {
        let mut chosen = vec![false; self.lines.len()];
        let mut taken: Vec<usize> = Vec::new();
        let mut used_by: BTreeMap<ContextSection, usize> = BTreeMap::new();
        let mut used = 0;
        for is_shared in [true, false] {
            for at in order {
                if chosen[*at] {
                    continue;
                }
                if is_shared && self.lines[*at].rank < LEAST {
                    continue;
                }
                let section = self.lines[*at].section;
                let group = self.with_parents(*at, &chosen);
                let heading = section.heading().filter(|_| !used_by.contains_key(&section));
                let cost = group.iter().map(|at| self.lines[*at].tokens).sum::<usize>()
                    + heading.map_or(0, |heading| count_tokens(heading) + 4);
                let of_section = used_by.get(&section).copied().unwrap_or_default() + cost;
                if used + cost > most
                    || is_shared
                        && of_section
                            > (self.share(section).unwrap_or_default() * most / 100).max(SECTION_TOKENS)
                {
                    continue;
                }
                used += cost;
                used_by.insert(section, of_section);
                for at in group.into_iter().rev() {
                    chosen[at] = true;
                    taken.push(at);
                }
            }
        }
        taken
    }

    /// Returns the index of a line, then those of the lines above it that are not chosen yet, innermost
    /// first.
    fn with_parents(&self, at: usize, chosen: &[bool]) -> Vec<usize> {
        let mut group = vec![at];
        let mut next = self.lines[at].parent;
        while let Some(parent) = next.filter(|parent| !chosen[*parent]) {
            group.push(parent);
            next = self.lines[parent].parent;
        }
        group
    }

    /// Writes the selected lines, and removes lines from the end of the selection until the whole text fits.
    fn fit(&self, mut taken: Vec<usize>, max_tokens: usize, note: &str) -> ChosenText {
        loop {
            let shown: BTreeSet<usize> = taken.iter().copied().collect();
            let (named, told) = self.name_rest(&shown);
            let left_out = self.left_out(&shown, &told);
            let most = (max_tokens / TOKENS_OF_NOUN).max(1);
            let markdown = self.render(&shown, &named, note, &left_out[..left_out.len().min(most)]);
            let tokens = count_tokens(&markdown);
            // A line is taken after its parent, so the last one has nothing below it. A heading goes with its last line.
            if tokens <= max_tokens || taken.pop().is_none() {
                return ChosenText { markdown, tokens, left_out };
            }
            while taken.last().is_some_and(|at| self.lines[*at].is_heading) {
                taken.pop();
            }
        }
    }

    /// Fills the shown lines of [`add_rest`](Self::add_rest) with short texts. Returns the filled texts by
    /// line index, and the indexes of the omitted lines that they name. Lines that would name nothing are
    /// left out.
    fn name_rest(&self, shown: &BTreeSet<usize>) -> (BTreeMap<usize, String>, BTreeSet<usize>) {
        let (mut named, mut told) = (BTreeMap::new(), BTreeSet::new());
        for at in shown {
            let line = &self.lines[*at];
            let Some((others, most)) = &line.rest else { continue };
            let is_omitted = |at: &usize| self.lines[*at].short.is_some() && !shown.contains(at);
            let mut rest: Vec<usize> = others.iter().copied().filter(is_omitted).collect();
            rest.sort_by(|a, b| self.lines[*b].rank.total_cmp(&self.lines[*a].rank).then(a.cmp(b)));
            // Overloads have one name.
            let mut overloaded: BTreeSet<&str> = BTreeSet::new();
            rest.retain(|at| {
                let short = self.lines[*at].short.as_deref().unwrap_or_default();
                overloaded.insert(short.rsplit_once(" L").map_or(short, |(name, _)| name))
            });
            rest.truncate(*most);
            rest.sort_unstable();
            let shorts: Vec<&str> = rest.iter().filter_map(|at| self.lines[*at].short.as_deref()).collect();
            named.insert(*at, format!("{} {}", line.text, shorts.join(", ")));
            told.extend(rest);
        }
        named.retain(|at, text| text.len() > self.lines[*at].text.len() + 1);
        (named, told)
    }

    fn left_out(&self, shown: &BTreeSet<usize>, told: &BTreeSet<usize>) -> Vec<String> {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (at, line) in self.lines.iter().enumerate().filter(|(_, line)| self.share(line.section).is_some())
        {
            let count = counts.entry(line.noun).or_default();
            count.1 += line.count;
            count.0 += if shown.contains(&at) || told.contains(&at) { 0 } else { line.count };
        }
        let mut omitted: Vec<_> =
            counts.into_iter().filter(|(noun, (out, _))| *out > 0 && !noun.is_empty()).collect();
        omitted.sort_by_key(|(noun, (out, _))| (std::cmp::Reverse(*out), *noun));
        omitted.into_iter().map(|(noun, (out, all))| format!("{out} of {all} {noun}")).collect()
    }

    fn render(
        &self,
        shown: &BTreeSet<usize>,
        named: &BTreeMap<usize, String>,
        note: &str,
        left_out: &[String],
    ) -> String {
        let mut parts = vec![self.title.clone()];
        let replaced: BTreeSet<usize> = shown.iter().filter_map(|at| self.lines[*at].replaces).collect();
        for (section, _) in self.sections {
            let of_section = shown.iter().filter(|at| self.lines[**at].section == *section);
            let of_section = of_section.filter(|at| !replaced.contains(at));
            let lines = of_section.filter_map(|at| match self.lines[*at].rest {
                None => Some(self.lines[*at].text.as_str()),
                Some(_) => named.get(at).map(String::as_str),
            });
            let lines: Vec<&str> = lines.collect();
            if lines.is_empty() {
                continue;
            }
            parts.extend(section.heading().map(|heading| format!("## {heading}")));
            parts.push(lines.join("\n").trim_end().to_owned());
        }
        parts.extend(Some(note.to_owned()).filter(|note| !note.is_empty()));
        if !left_out.is_empty() {
            parts.push(format!("Left out for size: {}.", left_out.join(", ")));
        }
        let mut text = parts.join("\n\n");
        text.push('\n');
        text
    }
}

/// Returns the factor by which a rank is multiplied: smaller for a long line, greater for a line that states
/// several (`count`) things.
#[allow(clippy::cast_precision_loss, reason = "lines are short")]
fn weight(tokens: usize, count: usize) -> f64 {
    let of_each = tokens.clamp(8, 1_000) as f64 / (count.max(1) as f64).sqrt();
    (USUAL / of_each.max(10.0)).sqrt()
}
