//! A document made of sections of items, cut to a limit of tokens by the priority of the items. Counts the final text.

use super::TokenLimit;
use crate::workflows::contextualize::search::code_references::CodeReference;

/// Tokens that are kept free for the last line, which names the parts left out.
const RESERVED: usize = 40;

/// A Markdown document as an opening and sections of items, before items are left out to fit a token limit.
pub(super) struct AnswerPage {
    opening: String,
    sections: Vec<AnswerSection>,
}

/// A section of the document: a heading and its items.
#[derive(Default)]
pub(super) struct AnswerSection {
    /// The heading.
    pub(super) title: &'static str,
    /// The items in their order.
    pub(super) items: Vec<AnswerItem>,
}

/// A piece of Markdown, one or more lines, that is kept or left out as a whole.
#[derive(Default)]
pub(super) struct AnswerItem {
    /// Markdown, without the line break at its end.
    pub(super) text: String,
    /// Rank for the token limit: items with lower numbers are kept first.
    pub(super) priority: usize,
    /// Index of an earlier item of the same section; if that is left out, so is this one.
    pub(super) parent: Option<usize>,
    /// The places that it names.
    pub(super) references: Vec<CodeReference>,
}

impl AnswerSection {
    pub(super) fn new(title: &'static str) -> Self {
        Self { title, items: Vec::new() }
    }

    /// Adds an item at the end of the section and returns its index, to which `parent` of later items can
    /// refer.
    pub(super) fn push(&mut self, item: AnswerItem) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }
}

impl AnswerPage {
    pub(super) fn new(opening: String) -> Self {
        Self { opening, sections: Vec::new() }
    }

    /// Adds a section to the end of the document; one without items is ignored.
    pub(super) fn add(&mut self, section: AnswerSection) {
        if !section.items.is_empty() {
            self.sections.push(section);
        }
    }

    /// Returns the Markdown within the limit, with items kept by priority, and the references of the kept
    /// items. If no item fits, it is the opening alone, or only its title.
    pub(super) fn render(&self, limit: &TokenLimit) -> (String, Vec<CodeReference>) {
        let mut order: Vec<(usize, usize)> = self
            .sections
            .iter()
            .enumerate()
            .flat_map(|(section, it)| (0..it.items.len()).map(move |item| (section, item)))
            .collect();
        order.sort_by_key(|(section, item)| (self.sections[*section].items[*item].priority, *section, *item));
        let mut kept = self.choose(&order, limit);
        // Tokens of parts do not add up to those of the whole exactly.
        let mut text = self.write(&kept);
        while (limit.count)(&text) > limit.max {
            let last = order.iter().rev().find(|(section, item)| kept[*section][*item]);
            let Some((section, item)) = last else { return (self.shortest(limit), Vec::new()) };
            kept[*section][*item] = false;
            text = self.write(&kept);
        }
        let references = self.kept_items(&kept).flat_map(|item| item.references.iter().cloned());
        (text, references.collect())
    }

    /// Returns the opening without any section, or only its first line if the opening exceeds the limit.
    fn shortest(&self, limit: &TokenLimit) -> String {
        let title = self.opening.lines().next().unwrap_or_default();
        if (limit.count)(&self.opening) <= limit.max { self.opening.clone() } else { format!("{title}\n") }
    }

    /// Selects the items that fit, in the given order of `(section, item)` indexes, by a sum of their tokens.
    /// Returns a flag per section and item. An item without its parent is not selected.
    fn choose(&self, order: &[(usize, usize)], limit: &TokenLimit) -> Vec<Vec<bool>> {
        let mut kept: Vec<Vec<bool>> =
            self.sections.iter().map(|section| vec![false; section.items.len()]).collect();
        let mut left = limit.max.saturating_sub((limit.count)(&self.opening) + RESERVED);
        for (section, item) in order {
            let it = &self.sections[*section].items[*item];
            if it.parent.is_some_and(|parent| !kept[*section][parent]) {
                continue;
            }
            let heading = if kept[*section].contains(&true) {
                0
            } else {
                (limit.count)(self.sections[*section].title) + 4
            };
            let tokens = (limit.count)(&it.text) + heading + 1;
            if tokens <= left {
                left -= tokens;
                kept[*section][*item] = true;
            }
        }
        kept
    }

    fn kept_items<'a>(&'a self, kept: &'a [Vec<bool>]) -> impl Iterator<Item = &'a AnswerItem> {
        self.sections.iter().zip(kept).flat_map(|(section, kept)| {
            section.items.iter().zip(kept).filter(|(_, kept)| **kept).map(|(item, _)| item)
        })
    }

    fn write(&self, kept: &[Vec<bool>]) -> String {
        let mut text = self.opening.clone();
        let mut left_out = Vec::new();
        for (section, kept) in self.sections.iter().zip(kept) {
            let missing = kept.iter().filter(|kept| !**kept).count();
            if missing > 0 {
                left_out.push(format!("{missing} of \u{201c}{}\u{201d}", section.title));
            }
            if !kept.contains(&true) {
                continue;
            }
            text.extend(["\n## ", section.title, "\n\n"]);
            for (item, _) in section.items.iter().zip(kept).filter(|(_, kept)| **kept) {
                text.push_str(&item.text);
                text.push('\n');
            }
        }
        if !left_out.is_empty() {
            text.extend(["\nLeft out for size: ", &left_out.join(", "), ".\n"]);
        }
        text
    }
}
