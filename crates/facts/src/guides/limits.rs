//! Facts about limits that a project states itself: items or first sentences of sections such as
//! "Limitations" and "Known issues", and single sentences that say that something is not supported.

use super::documents::{BlockKind, DocumentBlock, Section, for_users, sections, sentences};
use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};
use crate::text::{has_secret, visible};

/// Maximum number of limits.
const MOST: usize = 20;
/// Maximum number of limits from one section.
const OF_ONE: usize = 10;
/// Maximum number of quoted notes that are read of a document.
const NOTES: usize = 100;
/// Maximum length of a limit, in characters.
const CHARS: usize = 400;

/// Returns the limits of the product (things not supported, known issues) stated in all documents for
/// users, at most 20.
pub(super) fn facts(texts: &Texts) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    for path in for_users(texts) {
        let Some(text) = texts.read(&path) else { continue };
        let name = path.rsplit('/').next().unwrap_or(&path).to_lowercase();
        let is_whole = ["limitations", "known-issues", "known_issues", "caveats"]
            .iter()
            .any(|start| name.starts_with(start));
        let subject = subject_of(&path, is_whole);
        let all = sections(&text);
        let mut inside: Option<usize> = None;
        for (text, start, end) in named_limits(&Section::default(), &notes(&text)) {
            let source = SourceLines { path: path.clone(), start, end };
            let value = FactValue::Limit { text };
            found.push(Fact::new(subject.clone(), value, source, FactOrigin::Quoted));
        }
        for section in &all {
            // Sections below one about limits are part of it.
            inside = inside.filter(|level| section.level > *level);
            if is_limit(&section.heading) {
                inside = Some(section.level);
            }
            let told =
                if inside.is_none() && !is_whole { named_limits(section, &[]) } else { of_section(section) };
            for (text, start, end) in told {
                if found.len() >= MOST {
                    return found;
                }
                let source = SourceLines { path: path.clone(), start, end };
                found.push(Fact::new(subject.clone(), FactValue::Limit { text }, source, FactOrigin::Quoted));
            }
        }
    }
    found
}

/// Returns the subject of a document's limits: the repository; the folder, for the README of a folder; or
/// the file, for a page about one thing. `is_whole` tells that the whole document is about limits.
fn subject_of(path: &str, is_whole: bool) -> FactSubject {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let lower = name.to_lowercase();
    let is_general =
        ["faq", "index", "overview", "introduction"].iter().any(|start| lower.starts_with(start));
    match () {
        () if folder.is_empty() || is_whole || is_general => FactSubject::Repository,
        () if lower.starts_with("readme") => FactSubject::Folder(folder.to_owned()),
        () => FactSubject::File(path.to_owned()),
    }
}

/// Returns the sentences of a section and of `notes` that say that something is not supported, for a
/// section that is not about limits. Each comes with its first and last line.
fn named_limits(section: &Section, notes: &[DocumentBlock]) -> Vec<(String, usize, usize)> {
    const WORDS: &[&str] = &[
        " provides limited support",
        " has limited support",
        " is not supported yet",
        " is not yet supported",
        " are not supported yet",
        " are not yet supported",
        " is currently not supported",
        " are currently not supported",
        " is not currently supported",
        " are not currently supported",
        " does not currently support ",
        " currently does not support ",
        " does not yet support ",
        " only supports ",
        " only works on ",
        " only works with ",
        "currently incompatible with ",
    ];
    let mut found = Vec::new();
    let is_text = |block: &&DocumentBlock| block.kind == BlockKind::Paragraph;
    for block in section.blocks.iter().filter(is_text).chain(notes) {
        for sentence in sentences(&block.text) {
            let lower = sentence.to_lowercase();
            let dangles =
                ["it ", "this ", "that ", "these ", "they ", "if ", "when ", "but ", "however", "note"];
            let text = visible(sentence);
            let is_whole = text.ends_with('.') && text.chars().count() <= CHARS && !has_secret(&text);
            // "Shop sells all, while Market only supports bread."
            let is_of_other = [" while ", "unlike ", " whereas ", " that only ", " which only "]
                .iter()
                .any(|word| lower.contains(word));
            let is_limit = WORDS.iter().any(|words| lower.contains(words)) && !is_of_other;
            let is_alone = !super::context::needs_context(&text);
            if is_limit && is_whole && is_alone && !dangles.iter().any(|start| lower.starts_with(start)) {
                found.push((text, block.start, block.end));
            }
        }
    }
    found.truncate(OF_ONE);
    found
}

/// Returns the block quotes of a Markdown document (`> Note …`) as paragraphs; documents put important
/// notes there.
fn notes(text: &str) -> Vec<DocumentBlock> {
    let mut found: Vec<DocumentBlock> = Vec::new();
    let mut is_open = false;
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        let quoted = line.trim_start().strip_prefix('>').map(str::trim).filter(|_| line.len() < 1_000);
        in_code ^= quoted.is_some_and(|line| line.starts_with("```"));
        let words =
            quoted.filter(|line| !line.is_empty() && !in_code && !line.starts_with(['|', '`', '<', '#']));
        let Some(words) = words.filter(|_| found.len() < NOTES) else {
            is_open = false;
            in_code &= quoted.is_some();
            continue;
        };
        // The mark of a note is no word of its text.
        if words.starts_with("[!") || words.trim_matches(['*', '_', ':']).eq_ignore_ascii_case("note") {
            is_open = false;
            continue;
        }
        match found.last_mut().filter(|_| is_open) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(words);
                last.end = index + 1;
            }
            None => found.push(DocumentBlock {
                number: 0,
                kind: BlockKind::Paragraph,
                text: words.to_owned(),
                is_link: false,
                is_inner: false,
                start: index + 1,
                end: index + 1,
            }),
        }
        is_open = true;
    }
    found
}

/// Returns true if a heading announces limits, such as "Known issues".
pub(super) fn is_limit(heading: &str) -> bool {
    const NAMES: &[&str] = &[
        "limitations",
        "limitation",
        "limits",
        "known issues",
        "known issue",
        "known problems",
        "known bugs",
        "known limitations",
        "current limitations",
        "caveats",
        "caveat",
        "not supported",
        "unsupported",
        "unsupported features",
        "non-goals",
        "non goals",
        "what is not supported",
        "gotchas",
        "not implemented",
        "missing features",
        "known limitations and issues",
        "limitations and known issues",
        "restrictions",
    ];
    let lower = heading.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let is_of = |name: &&&str| {
        bare == **name
            || bare.strip_prefix(**name).is_some_and(|rest| {
                rest.starts_with(" of ")
                    || rest.starts_with(" and ")
                    || rest.starts_with(" in ")
                    || rest.starts_with(" with ")
            })
    };
    // Below workarounds stands what to do.
    NAMES.iter().any(|name| is_of(&name)) && !bare.contains("workaround")
}

/// Returns true if a text, in lower case, says that something is missing, bounded or broken.
fn restricts(lower: &str) -> bool {
    const PARTS: &[&str] = &[
        " not ",
        "n't ",
        "cannot",
        " no ",
        "no ",
        " only",
        "only ",
        "limit",
        "never",
        "without",
        "lack",
        "missing",
        "unsupported",
        "fail",
        " must ",
        "may ",
        "might ",
        "at most",
        "up to ",
        "unable",
        "except",
        "incompatible",
        "stripped",
        "slow",
        "experimental",
        "incomplete",
        "partial",
        "broken",
        "bug",
        "issue",
        "problem",
        "restrict",
        "require",
        "unexpected",
        "outside",
    ];
    PARTS.iter().any(|part| lower.contains(part))
}

/// Returns the items of a section about limits, or its paragraphs if it has no items, each cut to two
/// sentences. Each comes with its first and last line.
fn of_section(section: &Section) -> Vec<(String, usize, usize)> {
    // Below "Non-goals" an item says the opposite of what is meant.
    let heading = section.heading.to_lowercase();
    let is_negated = ["goal", "not ", "unsupported", "missing"].iter().any(|word| heading.contains(word));
    let has_items = section.blocks.iter().any(|block| block.kind != BlockKind::Paragraph);
    let blocks = section.blocks.iter().filter(|block| !has_items || block.kind != BlockKind::Paragraph);
    let mut found = Vec::new();
    for block in blocks.filter(|block| !block.is_inner).take(OF_ONE) {
        let points = |sentence: &&&str| super::context::points_elsewhere(&sentence.to_lowercase());
        let all = sentences(&block.text);
        let text =
            visible(&all.iter().take(2).take_while(|it| !points(it)).copied().collect::<Vec<_>>().join(" "));
        let words = text.split_whitespace().count();
        let lower = text.to_lowercase();
        let is_paragraph = block.kind == BlockKind::Paragraph;
        // Text above code leads to it, and the first sentences of a paragraph may only prepare.
        let is_unclear = (is_paragraph || is_negated) && !restricts(&lower);
        let is_open = is_paragraph && !text.ends_with(['.', '!', ')']) || is_unclear;
        let leads = is_open
            || super::context::refers_back(&lower)
            || text.ends_with([':', '…'])
            || text.ends_with("...")
            || lower.contains("this page")
            || [
                "see ",
                "for more",
                "please ",
                "if you find",
                "check ",
                "report ",
                "as an example",
                "for example",
                "likewise",
                "in this",
                "the following",
                "here",
                "below",
                "note that",
            ]
            .iter()
            .any(|start| lower.starts_with(start));
        if words >= 4 && !leads && text.chars().count() <= CHARS && !has_secret(&text) {
            found.push((text, block.start, block.end));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_elsewhere_is_a_limit_if_it_names_what_is_missing() {
        let text = "# Usage\n\nThe shop provides limited support for gifts. Gifts are fine.\nIt is not yet supported.\n";
        let found: Vec<String> = sections(text)
            .iter()
            .flat_map(|section| named_limits(section, &[]))
            .map(|(text, start, _)| format!("{text} {start}"))
            .collect();
        assert_eq!(found, ["The shop provides limited support for gifts. 3"]);
    }

    #[test]
    fn a_page_about_one_thing_limits_that_thing_alone() {
        for (path, is_whole, expected) in [
            ("README.md", false, FactSubject::Repository),
            ("docs/limitations.md", true, FactSubject::Repository),
            ("docs/faq.md", false, FactSubject::Repository),
            ("docs/gifts.md", false, FactSubject::File("docs/gifts.md".to_owned())),
            ("till/README.md", false, FactSubject::Folder("till".to_owned())),
        ] {
            assert_eq!(subject_of(path, is_whole), expected, "{path}");
        }
    }

    #[test]
    fn notes_name_limits_too() {
        let text = "Text.\n\n   > ```sh\n   > shop only supports x.\n   > ```\n   >\n   > **Note**\n   > The shop only supports\n   > gifts of this year.\n";
        let found: Vec<String> = named_limits(&Section::default(), &notes(text))
            .into_iter()
            .map(|(text, start, end)| format!("{text} {start}-{end}"))
            .collect();
        assert_eq!(found, ["The shop only supports gifts of this year. 8-9"]);
    }

    #[test]
    fn items_of_sections_about_limits_are_quoted() {
        for (heading, expected) in [
            ("Limitations", true),
            ("Known issues", true),
            ("⚠️ Caveats", true),
            ("Limitations of the parser", true),
            ("Rate limits", false),
            ("Limiting requests", false),
            ("Known Issues and Workarounds", false),
        ] {
            assert_eq!(is_limit(heading), expected, "{heading}");
        }
        let code = "# Limits\n\nWhen giving these clauses\n\n```\nx\n```\n\nThe shop keeps all things. It has one till.\n\nGifts do not work.\n";
        let found = of_section(sections(code).last().expect("a section"));
        assert_eq!(found, [("Gifts do not work.".to_owned(), 11, 11)]);
        let back = "# Limits\n\n- Files have at most 1 GB.\n- The limit can be changed or removed.\n- For the same reason, only 31 files are kept.\n";
        let found = of_section(sections(back).last().expect("a section"));
        assert_eq!(found, [("Files have at most 1 GB.".to_owned(), 3, 3)]);
        let elsewhere = "# Limits\n\n- Files have at most 1 GB. Later orders fail (see also: Files below).\n- Gifts cannot be sold as shown above.\n";
        let found = of_section(sections(elsewhere).last().expect("a section"));
        assert_eq!(found, [("Files have at most 1 GB.".to_owned(), 3, 3)]);
        let goals = sections("# Non-goals\n\n- Sell gifts to all people.\n- The till is not shared.\n");
        let found = of_section(goals.last().expect("a section"));
        assert_eq!(found, [("The till is not shared.".to_owned(), 4, 4)]);
        let text = "# Limits\n\nThere are some:\n\n- No Windows support at all. Maybe later. Who knows.\n- See the tracker for others.\n";
        let all = sections(text);
        let found = of_section(all.last().expect("a section"));
        assert_eq!(found, [("No Windows support at all. Maybe later.".to_owned(), 5, 5)]);
    }
}
