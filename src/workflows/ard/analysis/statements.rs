//! Splits an idea into numbered statements. Reads Markdown (headings, lists, tables, code) and the ends
//! of sentences; see `clauses.rs` for the grammar.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_segmentation::UnicodeSegmentation as _;

/// Statement of the idea: a sentence, a list item or a table cell, with the words around it that it
/// needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Number in the idea, from 1; shown as `S1`.
    pub number: usize,
    /// Author's words, with white space reduced to single spaces.
    pub text: String,
    /// Words before the statement that complete it, such as "Users can" above a list; empty if there
    /// are none.
    pub lead: String,
    /// True for items below a heading or lead such as "Out of scope".
    pub is_excluded: bool,
}

/// Result of `split`: the statements of an idea, and its blocks that are no statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Split {
    pub statements: Vec<Statement>,
    /// Texts of code blocks, unchanged.
    pub attachments: Vec<String>,
    /// Headings, and titles above nested lists, in order.
    pub headings: Vec<String>,
}

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g.", "i.e.", "etc.", "vs.", "approx.", "dr.", "mr.", "mrs.", "st.", "no.", "min.", "max.", "incl.",
    "resp.", "inc.", "esp.", "ca.", "fig.", "vol.", "ver.", "sec.", "art.", "nr.", "tel.",
];

/// Beginnings of headings and leads whose items are exclusions.
const EXCLUDING: &[&str] = &[
    "out of scope",
    "not in scope",
    "non-goal",
    "non goal",
    "not included",
    "excluded",
    "exclusions",
    "not needed",
    "what we don't",
    "what we do not",
    "we don't",
    "we do not",
    "won't",
    "will not",
    "do not",
    "don't",
    "no need",
    "it should not",
    "it must not",
    "must not",
    "should not",
    "not part",
    "not required",
    "explicitly not",
    "things we don't",
    "leave out",
    "without",
    "not now",
];

/// Splits an idea into statements, attachments and headings.
pub(super) fn split(idea: &str) -> Split {
    let mut reader = IdeaSplitter::default();
    let blank_lines = keep_indented_text(idea);
    for event in Parser::new_ext(&blank_lines, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        reader.take(event);
    }
    reader.end_text();
    reader.end_introduction(false);
    reader.split
}

/// Removes the indentation of all lines if the text has no list and no fence, because pasted texts are
/// often indented and Markdown would take them for code.
fn keep_indented_text(idea: &str) -> String {
    let has_list = idea.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("- ") || line.starts_with("* ") || line.starts_with("```")
    });
    if has_list { idea.to_owned() } else { idea.lines().map(str::trim_start).collect::<Vec<_>>().join("\n") }
}

/// Context for the items of a list: the words that complete them, and true if they are exclusions.
#[derive(Debug, Default)]
struct ListItem {
    lead: String,
    is_excluded: bool,
}

/// Splitter that turns Markdown events into statements.
#[derive(Default)]
struct IdeaSplitter {
    split: Split,
    text: String,
    items: Vec<ListItem>,
    /// The last paragraph, if it introduces a list.
    introduction: ListItem,
    /// Its last sentence, a statement of its own unless a list follows.
    pending: Option<String>,
    is_heading_excluded: bool,
    heading: bool,
    code: Option<String>,
    /// Cells of the header and of the current row.
    header: Vec<String>,
    row: Vec<String>,
}

impl IdeaSplitter {
    /// Processes one event of the Markdown parser.
    fn take(&mut self, event: Event<'_>) {
        if let Event::Start(tag) = &event {
            self.end_introduction(matches!(tag, Tag::List(_)));
        }
        match event {
            Event::Start(Tag::Item) => {
                self.end_text();
                let around = self.items.last();
                let lead = around.map_or(&self.introduction, |item| item);
                let item = ListItem { lead: lead.lead.clone(), is_excluded: lead.is_excluded };
                self.items.push(item);
            }
            Event::End(TagEnd::Item) => {
                self.end_text();
                self.items.pop();
            }
            Event::Start(Tag::List(_)) => self.introduce_list(),
            Event::End(TagEnd::List(_)) if self.items.is_empty() => self.introduction = ListItem::default(),
            Event::Start(Tag::Heading { .. }) => {
                self.end_text();
                self.heading = true;
            }
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::End(TagEnd::Paragraph) => self.end_text(),
            Event::Start(Tag::CodeBlock(_)) => {
                self.end_text();
                self.code = Some(String::new());
            }
            Event::End(TagEnd::CodeBlock) => self.split.attachments.extend(self.code.take()),
            Event::End(TagEnd::TableCell) => self.row.push(normalise(&std::mem::take(&mut self.text))),
            Event::End(TagEnd::TableHead) => self.header = std::mem::take(&mut self.row),
            Event::End(TagEnd::TableRow) => self.end_row(),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.text.push_str(&text),
            },
            Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => self.text.push_str(&text),
            Event::SoftBreak => self.text.push('\n'),
            Event::HardBreak => self.text.push_str("\n\n"),
            _ => {}
        }
    }

    /// Makes the pending sentence with a colon a statement, unless a list follows (`is_list`) and the
    /// sentence only announces it.
    fn end_introduction(&mut self, is_list: bool) {
        let Some(sentence) = self.pending.take() else { return };
        let lower = sentence.to_lowercase();
        let announces = excludes(&sentence)
            || sentence.split(' ').count() < 6
            || ["following", "these", "feature", "requirement", "able to", "below", "goals"]
                .iter()
                .any(|it| lower.contains(it))
            || ["can", "may", "must", "should", "to", "will", "that"]
                .iter()
                .any(|it| lower.ends_with(&format!(" {it}")));
        if !is_list || !announces {
            self.push(&sentence, "", false);
        }
    }

    /// Ends a heading: stores it and decides whether the statements below are exclusions.
    fn end_heading(&mut self) {
        let text = normalise(&std::mem::take(&mut self.text));
        self.heading = false;
        self.is_heading_excluded = excludes(&text);
        self.introduction = ListItem::default();
        self.split.headings.push(text);
    }

    /// Uses the text before a list as the lead of its items if it ends with a colon. A short text of an
    /// item above a nested list is stored as a heading.
    fn introduce_list(&mut self) {
        let text = normalise(&self.text);
        let is_title = !self.items.is_empty() && text.split(' ').count() <= 3 && !text.is_empty();
        if is_title && !text.ends_with(':') {
            // "Items", above nested items, is their title.
            self.text.clear();
            self.split.headings.push(text);
            return;
        }
        let Some((before, last)) = split_lead(&text) else {
            self.end_text();
            return;
        };
        let lead = ListItem { lead: last.to_owned(), is_excluded: excludes(last) };
        before.clone_into(&mut self.text);
        self.end_text();
        match self.items.last_mut() {
            Some(item) => {
                item.is_excluded |= lead.is_excluded;
                item.lead = lead.lead;
            }
            None => self.introduction = lead,
        }
    }

    /// Makes a statement of each cell of a table row but the first. The first cell and the heading of
    /// the column become its lead: "Members can".
    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        let Some((subject, cells)) = row.split_first() else { return };
        let headings = self.header.clone();
        let subject = &pluralise(subject);
        for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            let heading = headings.get(at + 1).map(|heading| heading.to_lowercase()).unwrap_or_default();
            let is_permission =
                ["can", "may", "allowed", "permission", "right", "action", "does", "capabilit", "do"]
                    .iter()
                    .any(|word| heading.starts_with(word));
            let is_limit = [
                "limit",
                "max",
                "min",
                "quota",
                "note",
                "price",
                "cost",
                "description",
                "comment",
                "how many",
            ]
            .iter()
            .any(|word| heading.contains(word));
            let is_permission = is_permission || (!is_limit && is_role(subject));
            let is_refused = heading.contains("not") || heading.contains("cannot");
            let lead = if is_refused {
                format!("{subject} cannot")
            } else if is_permission {
                format!("{subject} can")
            } else if heading.is_empty() {
                format!("{subject}:")
            } else {
                format!("{subject}, {heading}:")
            };
            self.push(cell, &lead, false);
        }
    }

    /// Makes statements of the collected text of a paragraph or list item, and empties it. A last
    /// sentence with a colon is kept as a possible introduction of a list.
    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() || self.heading {
            return;
        }
        let parts = paragraphs(&text);
        let (lead, in_item) = match self.items.last() {
            Some(item) => (item.lead.clone(), Some(item.is_excluded)),
            None => (String::new(), None),
        };
        let is_introduction = in_item.is_none() && text.trim_end().ends_with(':');
        let last = parts.len() - 1;
        for (at, part) in parts.iter().enumerate() {
            let excluded = in_item.unwrap_or(false) || self.is_heading_excluded;
            if at == last && is_introduction {
                let (before, lead) = split_lead(part).unwrap_or(("", part));
                self.introduction = ListItem { lead: lead.to_owned(), is_excluded: excludes(lead) };
                self.sentences(before, "", excluded);
                self.pending = Some(lead.to_owned());
            } else {
                self.sentences(part, &lead, excluded);
            }
        }
    }

    /// Appends each sentence of a text as a statement.
    fn sentences(&mut self, text: &str, lead: &str, is_excluded: bool) {
        for sentence in sentences(text) {
            self.push(&sentence, lead, is_excluded);
        }
    }

    /// Appends a statement with the next number, if its text has a letter or digit. A label such as
    /// "Out of scope:" makes it an exclusion.
    fn push(&mut self, text: &str, lead: &str, is_excluded: bool) {
        let text = normalise(text);
        let labelled =
            text.split_once(": ").filter(|(label, _)| excludes(label) && label.split(' ').count() < 6);
        let (lead, text, is_excluded) = match labelled {
            Some((label, rest)) => (label, rest.to_owned(), true),
            None => (lead, text, is_excluded),
        };
        if text.chars().any(char::is_alphanumeric) {
            let number = self.split.statements.len() + 1;
            let lead = lead.trim().to_owned();
            self.split.statements.push(Statement { number, text, lead, is_excluded });
        }
    }
}

/// Returns true if the first cell of a table row is a word for people.
fn is_role(subject: &str) -> bool {
    super::clauses::is_person(&subject.to_lowercase())
}

/// Adds an `s` to a single word for a person in the first cell of a table row, so that "Members can
/// borrow" is a sentence. Other texts stay.
fn pluralise(subject: &str) -> String {
    let is_person = super::lexicon::noun(&subject.to_lowercase())
        .is_some_and(|noun| !noun.is_plural && super::lexicon::is_person(&noun.base));
    let is_mass =
        super::lexicon::is_in(" staff crew team everyone anyone public support ", &subject.to_lowercase());
    if is_person && !is_mass && subject.chars().all(char::is_alphabetic) {
        format!("{subject}s")
    } else {
        subject.to_owned()
    }
}

/// Returns true for a heading or lead such as "Out of scope", whose items are exclusions.
fn excludes(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let lower = lower.trim_start_matches(['#', '*', ' ']);
    EXCLUDING.iter().any(|start| lower.starts_with(start))
        || [
            "out of scope",
            "not in scope",
            "do not want",
            "don't want",
            "not be included",
            "not do",
            "non-goals",
        ]
        .iter()
        .any(|words| lower.contains(words))
}

/// Splits a text that ends with a colon into the text before its last sentence, and that sentence
/// without the colon. `None` if there is no colon at its end.
fn split_lead(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end().strip_suffix(':')?;
    let at = text.rfind(['.', '!', '?', '\n']).map_or(0, |at| at + 1);
    Some((&text[..at], text[at..].trim()))
}

/// Reduces white space to single spaces and drops bullets that Markdown does not know.
fn normalise(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_start_matches(['•', '‣', '–', '·', ' ']).to_owned()
}

/// Splits the text of a block into texts that are no part of one another: at hard breaks, at unknown
/// bullets, and at every line if all lines look like statements. Never empty.
fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let are_statements = lines.len() > 1
        && lines
            .iter()
            .all(|line| line.chars().count() < 60 && !line.ends_with([',', '-']) && !ends_openly(line));
    if are_statements || text.contains("\n\n") {
        return lines.into_iter().map(str::to_owned).collect();
    }
    // A bullet that Markdown does not know begins a line of its own.
    let mut parts: Vec<String> = Vec::new();
    for line in lines {
        let begins = line.starts_with(['•', '‣', '·']);
        match parts.last_mut() {
            Some(part) if !begins => {
                part.push(' ');
                part.push_str(line);
            }
            _ => parts.push(line.to_owned()),
        }
    }
    if parts.is_empty() { vec![String::new()] } else { parts }
}

/// Returns true if the last word of a line cannot end a statement, such as "and" or "the".
fn ends_openly(line: &str) -> bool {
    let last = line.rsplit(' ').next().unwrap_or_default().to_lowercase();
    super::lexicon::is_in(
        " and or the a an of to for with in on by from at their its that which my our ",
        &last,
    )
}

/// Splits text into sentences, also at semicolons. Abbreviations and the inside of parentheses do not end a
/// sentence.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    let (mut open, mut is_always_open) = (false, true);
    for piece in text.split_sentence_bounds() {
        // "90 min. A failed run" are two sentences, "min. 3 runs" is one.
        let goes_on = is_always_open || !piece.starts_with(char::is_uppercase);
        match sentences.last_mut().filter(|_| open && goes_on) {
            Some(last) => last.push_str(piece),
            None => sentences.push(piece.to_owned()),
        }
        let last = sentences.last().expect("a piece was pushed");
        let word = last.trim_end().rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
        let depth = last.matches('(').count().saturating_sub(last.matches(')').count());
        is_always_open =
            depth > 0 || !["min.", "max.", "etc.", "inc.", "no.", "st."].contains(&word.as_str());
        open = ABBREVIATIONS.contains(&word.as_str()) || depth > 0;
    }
    sentences
        .iter()
        .flat_map(|sentence| split_at_semicolons(sentence))
        .flat_map(|it| split_before_small(&it))
        .collect()
}

/// Splits a sentence at full stops before small letters (a frequent typing error) and before numbers.
fn split_before_small(sentence: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in sentence.match_indices(". ") {
        let word = sentence[..=at].rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
        let is_word = word.trim_end_matches('.').chars().all(char::is_alphabetic) && word.len() > 3;
        let next = sentence[at + 2..].chars().next();
        let is_start = next.is_some_and(|c| c.is_lowercase() || (c.is_ascii_digit() && is_word));
        // "8 a.m. of the same day" goes on.
        let is_short = word.trim_end_matches('.').contains('.');
        if is_start && !is_short && word.len() > 2 && !ABBREVIATIONS.contains(&word.as_str()) {
            parts.push(sentence[start..=at].to_owned());
            start = at + 2;
        }
    }
    parts.push(sentence[start..].to_owned());
    parts
}

/// Splits a sentence at semicolons that a space follows; empty pieces are dropped.
fn split_at_semicolons(sentence: &str) -> Vec<String> {
    let trimmed = sentence.trim();
    let mut parts: Vec<String> = Vec::new();
    let mut rest = trimmed;
    while let Some(at) = rest.find("; ") {
        parts.push(rest[..at].to_owned());
        rest = &rest[at + 2..];
    }
    parts.push(rest.to_owned());
    parts.retain(|part| !part.trim().is_empty());
    parts
}
