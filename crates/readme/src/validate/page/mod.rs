//! The parsed text on which all validators work: headings, code, links, tables, and the prose without code,
//! addresses and tags. Validators search for words in the prose and never in the source, so that a word
//! inside code or a link's target is no issue.

mod build;
mod html;
mod prose;
mod slug;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::service_info_link::link_key;
use super::suppress::Suppressions;
use super::{
    DocumentProfile, ISSUES_PER_RULE, Issue, IssueSeverity, IssueSource, VALIDATORS, ValidationOptions,
    ValidationRule, ValidationStage, ValidationSubject,
};
use crate::document::{DocumentSection, LineTable, LinkReader, PreserveBlock, preserve_blocks};
use crate::package::IntegrationPackage;

pub(super) use build::PageParts;
pub(super) use prose::{MASK, ProseKind, ProseText};
pub(super) use slug::Anchors;

/// A text to validate, parsed once: its elements, its package and options, and the rules that are off in
/// it.
pub(super) struct MarkdownPage<'a> {
    pub(super) text: &'a str,
    /// Title of the section that the text is; `None` for a document.
    pub(super) section: Option<&'a str>,
    pub(super) package: Option<&'a IntegrationPackage>,
    pub(super) options: &'a ValidationOptions,
    pub(super) profile: DocumentProfile,
    pub(super) lines: LineTable,
    pub(super) parts: PageParts<'a>,
    suppressions: Suppressions,
    /// Line ranges of the blocks that PRESERVE comments protect.
    preserved: Vec<Range<usize>>,
    /// Indices in `parts.headings` of the headings outside quotes and lists.
    section_starts: Vec<usize>,
    visible: OnceCell<String>,
    link_keys: OnceCell<BTreeSet<String>>,
    /// Number of faults, per rule, that `skips` was asked about.
    counts: RefCell<BTreeMap<&'static str, usize>>,
    /// Byte ranges of link targets and bare addresses, computed at the first use.
    targets: OnceCell<Vec<Range<usize>>>,
}

/// Pattern of link targets and bare addresses.
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)|\bhttps?://[^\s)>\]]+";
    Regex::new(pattern).expect("a valid pattern")
});

/// Maximum length in bytes of a title or excerpt in an issue. There can be many issues, and a title can be
/// as long as a file.
const EXCERPT_BYTES: usize = 120;

/// A heading, in Markdown or HTML; `at` is its byte offset in the text.
#[derive(Debug, Clone)]
pub(super) struct PageHeading {
    pub(super) level: u8,
    /// Plain text with code, without images and tags.
    pub(super) title: String,
    pub(super) at: usize,
    pub(super) is_html: bool,
    /// True inside a quote or list.
    pub(super) is_nested: bool,
}

/// A code block; `at` is its byte offset, and `content` the byte range of its code.
#[derive(Debug, Clone)]
pub(super) struct PageCode {
    /// Language of the opening fence; `None` for indented code.
    pub(super) info: Option<String>,
    pub(super) content: Range<usize>,
    pub(super) at: usize,
    pub(super) is_empty: bool,
    /// False for a fence that runs to the end of its container.
    pub(super) is_closed: bool,
}

/// A piece of text, such as a code span, with its byte offset in the source.
#[derive(Debug, Clone)]
pub(super) struct PageSpan {
    pub(super) text: String,
    pub(super) at: usize,
}

/// A link or an image of the validated text, in Markdown or HTML; `at` is its byte offset.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own, and all combinations occur"
)]
pub(super) struct PageLink {
    /// Visible text with code; alternative text of an image.
    pub(super) text: String,
    /// Alternative texts of the images inside a link.
    pub(super) alt: String,
    pub(super) target: String,
    pub(super) at: usize,
    /// Offset behind it; that of its beginning for HTML.
    pub(super) end: usize,
    pub(super) is_image: bool,
    pub(super) is_html: bool,
    /// True for `<https://…>`.
    pub(super) is_autolink: bool,
    pub(super) has_image: bool,
    /// True for an image in HTML that has no `alt` and is not hidden from screen readers.
    pub(super) lacks_alt: bool,
}

/// A row of a table in the validated text: its byte offset, its number of cells, and the number of columns
/// of the table.
#[derive(Debug, Clone)]
pub(super) struct PageRow {
    pub(super) at: usize,
    pub(super) cells: usize,
    pub(super) expected: usize,
}

/// A template tag in a document, such as `{{ fields "log" }}`, which the build of the package replaces.
#[derive(Debug, Clone)]
pub(super) struct TemplateTag {
    pub(super) name: String,
    /// Argument without quotes; empty without one.
    pub(super) argument: String,
    pub(super) at: usize,
}

impl<'a> MarkdownPage<'a> {
    pub(super) fn parse(subject: ValidationSubject<'a>, profile: DocumentProfile) -> Self {
        let lines = LineTable::new(subject.text);
        // Only the links of the vendor are compared with those of the text.
        let has_vendor = subject.package.is_some_and(|package| package.service_info.is_some());
        let link_reader =
            (profile == DocumentProfile::Package && has_vendor).then(|| LinkReader::new(&lines));
        let parts = build::read_parts(subject.text, &lines, link_reader);
        let block_lines =
            |block: &PreserveBlock| block.line..block.line + block.text.trim_end().lines().count();
        let preserved = preserve_blocks(subject.text).iter().map(block_lines).collect();
        let suppressions = Suppressions::read(&parts.comments, &lines, subject.options);
        let numbers = 0..parts.headings.len();
        let section_starts = numbers.filter(|number| !parts.headings[*number].is_nested).collect();
        Self {
            section_starts,
            visible: OnceCell::new(),
            link_keys: OnceCell::new(),
            counts: RefCell::default(),
            targets: OnceCell::new(),
            text: subject.text,
            section: subject.section,
            package: subject.package,
            options: subject.options,
            profile,
            lines,
            parts,
            suppressions,
            preserved,
        }
    }

    /// Returns true if an issue is to be reported: its rule applies to the profile and is not switched off
    /// at its line. The wording (stage quality) of protected blocks is never reported.
    pub(super) fn is_enabled(&self, issue: &Issue) -> bool {
        self.is_on(&issue.rule, issue.line)
            && !(issue.category == ValidationStage::Quality && self.is_preserved(issue.line))
    }

    fn is_on(&self, rule: &str, line: usize) -> bool {
        ValidationRule::find(rule).is_none_or(|rule| rule.applies_to(self.profile))
            && self.suppressions.allow(rule, line)
    }

    /// Returns true if no issue of the rule needs to be made at the byte offset `at`: the rule is off
    /// there, or it has enough issues. Counts each call. Rules that a text can break at every word ask this
    /// first, because making an issue is expensive.
    pub(super) fn skips(&self, rule: &'static str, at: usize) -> bool {
        if !self.is_on(rule, self.lines.line(at)) {
            return true;
        }
        let mut counts = self.counts.borrow_mut();
        let count = counts.entry(rule).or_default();
        *count += 1;
        *count > ISSUES_PER_RULE
    }

    /// Returns the number of issues that [`skips`](Self::skips) prevented because their rules had enough,
    /// and resets the count.
    pub(super) fn take_left_out(&self) -> usize {
        self.counts.take().values().map(|count| count.saturating_sub(ISSUES_PER_RULE)).sum()
    }

    /// Returns true if a line belongs to a block that PRESERVE comments protect. Blocks do not overlap, so
    /// the last block that begins up to the line decides.
    fn is_preserved(&self, line: usize) -> bool {
        let next = self.preserved.partition_point(|lines| lines.start <= line);
        next > 0 && self.preserved[next - 1].contains(&line)
    }

    /// Makes an issue of a rule at the byte offset `at` of the text, with its line and section. The
    /// severity is that of the rule, the stage that of its validator.
    pub(super) fn issue(&self, rule: &str, at: usize, message: String, suggestion: &str) -> Issue {
        let mut issue = self.issue_of_text(rule, message, suggestion);
        self.section_at(at).clone_into(&mut issue.section);
        issue.line = self.lines.line(at);
        issue
    }

    /// Makes an issue of a rule that concerns the whole text (line 0).
    pub(super) fn issue_of_text(&self, rule: &str, message: String, suggestion: &str) -> Issue {
        let known = ValidationRule::find(rule);
        debug_assert!(known.is_some(), "{rule} is in the table");
        let name = rule.split('/').next().unwrap_or_default();
        let stage =
            VALIDATORS.iter().find(|validator| validator.name == name).map(|validator| validator.stage);
        Issue {
            rule: rule.to_owned(),
            markdownlint: known.and_then(|rule| rule.markdownlint).map(str::to_owned),
            severity: known.map_or(IssueSeverity::Minor, |rule| rule.severity),
            category: stage.unwrap_or(ValidationStage::Structure),
            section: self.section.unwrap_or_default().to_owned(),
            line: 0,
            message,
            suggestion: suggestion.to_owned(),
            source: IssueSource::Static,
        }
    }

    /// Makes an issue of a rule at the offset `at` of the prose.
    pub(super) fn issue_in_prose(&self, rule: &str, at: usize, message: String, suggestion: &str) -> Issue {
        self.issue(rule, self.parts.prose.source(at), message, suggestion)
    }

    /// Returns the title of the section that contains a byte offset, shortened for a message; before the
    /// first heading, the title of the checked section, or an empty text.
    pub(super) fn section_at(&self, at: usize) -> &str {
        self.heading_above(at).map_or(self.section.unwrap_or_default(), |heading| excerpt(&heading.title))
    }

    /// Returns the last heading, outside quotes and lists, that begins at or before a byte offset.
    pub(super) fn heading_above(&self, at: usize) -> Option<&PageHeading> {
        let number = self.section_starts.partition_point(|number| self.parts.headings[*number].at <= at);
        number.checked_sub(1).map(|number| &self.parts.headings[self.section_starts[number]])
    }

    /// Returns true if a byte offset lies in a Markdown link.
    pub(super) fn is_linked(&self, at: usize) -> bool {
        let next = self.parts.links.partition_point(|link| link.at <= at);
        self.parts.links[..next].iter().rev().take(8).any(|link| !link.is_image && at < link.end)
    }

    /// Returns the normalized addresses of all links of the text; see [`link_key`]. Empty if links were not
    /// collected.
    pub(super) fn link_keys(&self) -> &BTreeSet<String> {
        let keys = || self.parts.linked.iter().filter_map(|link| link_key(&link.target)).collect();
        self.link_keys.get_or_init(keys)
    }

    /// Returns true if a byte offset lies in code or in a comment.
    pub(super) fn is_hidden(&self, at: usize) -> bool {
        let next = self.parts.hidden.partition_point(|range| range.start <= at);
        next > 0 && self.parts.hidden[next - 1].contains(&at)
    }

    /// Returns the source with spaces in place of comments, code blocks and link targets. Offsets stay the
    /// same.
    pub(super) fn visible(&self) -> &str {
        self.visible.get_or_init(|| {
            let blocks = self.parts.code_blocks.iter().map(|code| code.at..code.content.end);
            self.blank(blocks.chain(self.parts.comments.iter().map(|(range, _)| range.clone())).collect())
        })
    }

    /// Returns the source with spaces in place of comments and link targets; code blocks stay. Offsets stay
    /// the same.
    pub(super) fn visible_with_code(&self) -> String {
        self.blank(self.parts.comments.iter().map(|(range, _)| range.clone()).collect())
    }

    fn blank(&self, mut blanks: Vec<Range<usize>>) -> String {
        let targets = self.targets.get_or_init(|| {
            let inner = |found: regex::Match<'_>| {
                let mark = if found.as_str().starts_with("](") { 2 } else { 0 };
                found.start() + mark..found.end()
            };
            TARGET.find_iter(self.text).map(inner).collect()
        });
        blanks.extend(targets.iter().cloned());
        blanks.sort_by_key(|range| range.start);
        let mut text = String::with_capacity(self.text.len());
        let mut done = 0;
        for range in blanks {
            let start = range.start.max(done);
            let end = range.end.max(start);
            text.push_str(&self.text[done..start]);
            text.extend(self.text[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            done = end;
        }
        text.push_str(&self.text[done..]);
        text
    }

    /// Returns the byte range of a section with its sub-sections.
    pub(super) fn range_of(&self, section: &DocumentSection) -> Range<usize> {
        let start = self.place_of(section);
        let length: usize = section.flatten().iter().map(|part| part.heading.len() + part.body.len()).sum();
        start..start + length
    }

    /// Makes an issue about something that is missing in the section with this title; its line is 0.
    pub(super) fn issue_of_section(
        &self,
        rule: &str,
        section: &str,
        message: String,
        suggestion: &str,
    ) -> Issue {
        let mut issue = self.issue_of_text(rule, message, suggestion);
        excerpt(section).clone_into(&mut issue.section);
        issue
    }

    /// Returns the headings of the document's own structure: those in Markdown, outside quotes and lists.
    pub(super) fn outline(&self) -> impl Iterator<Item = &PageHeading> {
        self.parts.headings.iter().filter(|heading| !heading.is_html && !heading.is_nested)
    }

    /// Returns the byte offset of a section's heading.
    pub(super) fn place_of(&self, section: &DocumentSection) -> usize {
        self.lines.range(section.line).start
    }
}

/// Returns the beginning of a text, cut to [`EXCERPT_BYTES`] for a message.
pub(super) fn excerpt(text: &str) -> &str {
    &text[..text.floor_char_boundary(EXCERPT_BYTES)]
}
