//! The validator of quality: unfinished work, vague words, passive voice, short sections (SEC-113).

use std::sync::LazyLock;

use regex::Regex;

use super::page::{MarkdownPage, ProseKind, excerpt};
use super::phrases::PhraseList;
use super::{DocumentProfile, Issue};

/// Maximum number of passive sentences without an issue.
const PASSIVES: usize = 10;

/// Minimum number of lines of text of a section.
const SECTION_LINES: usize = 3;

/// Number of characters that count as one line, because a paragraph may be one long line of the source.
const LINE_CHARS: usize = 120;

/// Vague words, each with the suggestion of its issue.
const VAGUE: &[(&str, &str)] = &[
    ("various", "name the things"),
    ("several", "give the number or name the things"),
    ("numerous", "give the number"),
    ("a number of", "give the number"),
    ("a lot of", "give the number"),
    ("lots of", "give the number"),
    ("a variety of", "name the things"),
    ("a wide range of", "name the things"),
    ("many different", "name the things"),
    ("and so on", "name the things"),
    ("and so forth", "name the things"),
    ("and more", "name the things"),
    ("some kind of", "name the kind"),
    ("some sort of", "name the kind"),
    ("stuff", "name the things"),
    ("things", "name the things"),
    ("something", "name the thing"),
    ("somehow", "say how"),
    ("somewhat", "give the amount"),
    ("sort of", "remove it"),
    ("kind of", "remove it or name the kind"),
    ("basically", "remove it"),
    ("simply", "remove it"),
    ("easily", "remove it or say how"),
    ("obviously", "remove it"),
    ("of course", "remove it"),
    ("very", "remove it or give the amount"),
    ("really", "remove it"),
    ("quite", "remove it or give the amount"),
    ("pretty much", "remove it"),
    ("fairly", "remove it or give the amount"),
    ("as needed", "say when"),
    ("as appropriate", "say when"),
    ("if necessary", "say when"),
    ("where applicable", "say where"),
    ("maybe", "say when"),
    ("probably", "say when"),
    ("perhaps", "say when"),
    ("seamless", "say what it does"),
    ("seamlessly", "say what it does"),
    ("robust", "say what it withstands"),
    ("cutting-edge", "remove it"),
    ("state-of-the-art", "remove it"),
    ("best-in-class", "remove it"),
    ("world-class", "remove it"),
    ("user-friendly", "say what it does"),
];

/// Past participles that do not end in "ed", as alternatives of a pattern.
const IRREGULAR: &str = "begun|bound|broken|brought|built|caught|chosen|done|drawn|driven|fed|forgotten|found|given|held|hidden|kept|known|laid|led|left|lost|made|met|overridden|overwritten|paid|put|read|rewritten|run|seen|sent|set|shown|shut|sold|split|spoken|stored|sought|spent|stolen|taken|taught|thought|thrown|told|understood|withdrawn|won|written";

static VAGUE_WORDS: LazyLock<PhraseList<&str>> =
    LazyLock::new(|| PhraseList::new(VAGUE.iter().map(|(words, advice)| (*words, advice))));
static PASSIVE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?i-u)\b(?:is|are|was|were|be|been|being|gets|got) (?:not |also |then |only |always |never |now |[a-z]{{2,20}}ly )?(?:[a-z]{{2,20}}ed|{IRREGULAR})\b"
    );
    Regex::new(&pattern).expect("a valid pattern")
});

/// Pattern of words that mark unfinished work anywhere, such as `TBD` or `FIXME`.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?-u)\b(?:TBD|FIXME|TBA)\b|\bTODO\b ?:|\bXXX\b ?:|(?i:\blorem ipsum\b|\b(?:this|the) (?:section|page|document|documentation|chapter|guide|readme|part|tutorial)\b[a-z ]{1,40}\b(?:work in progress|under construction|unfinished|to be written|not yet written|incomplete)\b)";
    Regex::new(pattern).expect("a valid pattern")
});

/// Pattern of a block that has nothing but a mark of unfinished work, such as "coming soon".
static WHOLE_BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)^[\s\W]*(?:todo|tbd|tba|wip|xxx|fixme|work in progress|coming soon|under construction|to be (?:written|done|documented|added|completed|determined|defined)(?: later| soon)?|content goes here|text goes here|section under construction)[\s\W]*$";
    Regex::new(pattern).expect("a valid pattern")
});

/// Pattern of further marks in documents of packages, which must be finished when they are published.
static PACKAGE_MARK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?-u)\b(?:TODO|WIP|XXX)\b|(?i-u)\b(?:work in progress|coming soon|under construction|to be (?:determined|documented|written|completed|added|defined|announced|updated)(?: later| soon)?|will be (?:added|documented|updated|completed|written) (?:later|soon|shortly))\b";
    Regex::new(pattern).expect("a valid pattern")
});

/// Words behind `TODO` that make it the name of a thing, such as "TODO list".
#[rustfmt::skip]
const TODO_THINGS: &[&str] = &[
    "app", "apps", "list", "lists", "item", "items", "task", "tasks", "comment", "comments", "file", "files", "tag", "tags",
    "manager", "tracker", "application", "api", "project", "entry", "entries", "board",
];

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    check_marks(page, &mut issues);
    for found in VAGUE_WORDS.find(&page.parts.prose) {
        // "Internet of Things" is a name.
        if found.words.starts_with(|c: char| c.is_ascii_uppercase())
            && page.parts.prose.text[..found.range.start].ends_with(' ')
        {
            continue;
        }
        let message = format!("\"{}\" is vague", found.words);
        issues.push(page.issue_in_prose("quality/vague-word", found.range.start, message, found.value));
    }
    check_passive(page, &mut issues);
    check_short_sections(page, &mut issues);
    issues
}

fn check_marks(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let prose = &page.parts.prose;
    let fix = "finish the text or remove it";
    let mut places: Vec<(usize, usize)> =
        MARK.find_iter(&prose.text).map(|found| (found.start(), found.end())).collect();
    if page.profile == DocumentProfile::Package {
        let found = PACKAGE_MARK
            .find_iter(&prose.text)
            .filter(|found| !names_a_thing(&prose.text, found.start(), found.end()));
        places.extend(found.map(|found| (found.start(), found.end())));
    }
    // A heading such as "TODO" above a list of plans is finished text.
    let blocks =
        prose.blocks.iter().filter(|block| block.kind != ProseKind::Heading && block.range.len() < 80);
    for block in blocks.filter(|block| WHOLE_BLOCK.is_match(&prose.text[block.range.clone()])) {
        let text = &prose.text[block.range.clone()];
        let start = text.find(char::is_alphanumeric).map_or(block.range.start, |at| block.range.start + at);
        places.push((start, block.range.end));
    }
    // One mark may match as itself and as a block.
    places.sort_unstable();
    places.dedup_by(|next, first| next.0 < first.1.max(first.0 + 1));
    for (start, end) in places {
        // Brackets around a mark make it a placeholder, which is an issue of another validator.
        if prose.text[..start].ends_with(['[', '<']) {
            continue;
        }
        let message = format!("\"{}\" marks unfinished work", excerpt(prose.text[start..end].trim()));
        issues.push(page.issue_in_prose("quality/work-in-progress", start, message, fix));
    }
}

/// Returns true if the mark at `start..end` names a thing, such as `TODO` in "TODO list", or is in quotes.
fn names_a_thing(text: &str, start: usize, end: usize) -> bool {
    let is_todo = matches!(&text[start..end], "TODO" | "XXX" | "WIP");
    let next = text[end..].trim_start_matches([' ', '-']);
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let is_quoted = text[..start].ends_with(['"', '“', '\'', '‘']);
    is_todo && (is_quoted || TODO_THINGS.contains(&word.as_str()))
}

fn check_passive(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let mut places = PASSIVE.find_iter(&page.parts.prose.text);
    if places.nth(PASSIVES).is_none() {
        return;
    }
    let count = PASSIVES + 1 + places.count();
    let message = format!("{count} sentences are in the passive voice");
    let fix = "name the actor: the agent sends, the user selects";
    issues.push(page.issue_of_text("quality/passive-voice", message, fix));
}

fn check_short_sections(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for section in page
        .parts
        .document
        .sections
        .iter()
        .filter(|section| section.level == 2 && section.children.is_empty())
    {
        // A tag becomes a table or an event.
        if section.body.contains("{{") {
            continue;
        }
        let lines = count_lines(&section.body);
        if lines < SECTION_LINES {
            let message = format!("the section \"{}\" has {lines} lines of text", excerpt(&section.title));
            let fix = "add content or join it with another section";
            issues.push(page.issue("quality/short-section", page.place_of(section), message, fix));
        }
    }
}

/// Returns the number of lines with text, without comments. A line counts once more for each 120
/// characters. Counting stops at [`SECTION_LINES`].
fn count_lines(body: &str) -> usize {
    let mut count = 0;
    let mut in_comment = false;
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let opens = line.starts_with("<!--");
        if opens || in_comment {
            in_comment = !line.contains("-->");
        } else {
            count += 1 + line.chars().count() / LINE_CHARS;
        }
        // Enough is known.
        if count >= SECTION_LINES {
            break;
        }
    }
    count
}
