//! Facts about topics: the sections of the documentation for users, quoted with their first example.

use std::collections::BTreeMap;

use super::asides::{is_aside, only_announces, only_installs, without_history};
use super::context::points_elsewhere;
use super::crate_docs::{crate_documentation, is_program, shown_lines};
use super::documents::{BlockKind, DocumentBlock, Section, is_manual_page, sections, sentences};
use super::rst;
use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::role::role_of;
use crate::text::{has_secret, is_markdown, visible};

/// Maximum number of topics.
const TOPICS: usize = 80;
/// Maximum number of documents that are read.
const DOCUMENTS: usize = 60;
/// Maximum length of a topic's text, in characters.
const CHARS: usize = 900;
/// Maximum size of an example: lines and characters.
const EXAMPLE: (usize, usize) = (20, 900);
/// Maximum size of an example that is a whole program: lines and characters.
const PROGRAM: (usize, usize) = (45, 2_000);
/// Minimum number of letters of a topic; a shorter one is dropped.
const LETTERS: usize = 30;

/// Returns the topics (sections that explain something to users) of the README and of the documentation, at
/// most 80, outer documents first.
pub(super) fn facts(texts: &Texts) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    for path in documents(texts) {
        let Some(text) = texts.read(&path) else { continue };
        let all = match () {
            () if path.ends_with(".rs") => sections(&crate_documentation(&text)),
            () if is_markdown(&path) => sections(&text),
            () => rst::sections(&text),
        };
        let mut headings: Vec<(usize, String)> = Vec::new();
        for section in &all {
            headings.retain(|(level, _)| *level < section.level);
            headings.push((section.level, bare_heading(&section.heading)));
            let Some(fact) = topic(&path, section, &headings) else { continue };
            if found.len() >= TOPICS {
                return found;
            }
            if !found.iter().any(|known| says_the_same(known, &fact)) {
                found.push(fact);
            }
        }
    }
    found
}

/// Returns the paths of the documents for users in reading order: the README, the documentation comments of
/// the crate's root file, then the pages of the documentation folders.
pub(super) fn documents(texts: &Texts) -> Vec<String> {
    const FOLDERS: [&str; 6] = ["docs", "doc", "documentation", "guide", "guides", "manual"];
    const ROOT_GUIDES: &str =
        "example usage guide tutorial quick getting cookbook manual faq configur option api reference";
    const NO_GUIDES: &str = "changelog changes history news release code_of_conduct security license licence contribut authors maintain upgrading \
                             upgrade migrat roadmap todo index api conduct";
    let is_guide = |path: &&String| {
        let lower = path.to_lowercase();
        let (folder, name) = lower.rsplit_once('/').unwrap_or(("", lower.as_str()));
        let is_text = is_markdown(&lower) || lower.ends_with(".rst");
        let is_readme = folder.is_empty() && name.starts_with("readme") || is_readme_of_package(texts, path);
        let is_root_guide = folder.is_empty()
            && ROOT_GUIDES.split(' ').any(|start| name.starts_with(start))
            && !name.contains("-vs-");
        let is_below = FOLDERS.contains(&folder.split('/').next().unwrap_or_default())
            && folder.matches('/').count() <= 2;
        let is_translated =
            folder.split('/').any(|part| part == "i18n" || part == "locale" || part.len() == 2);
        // Decisions and plans of the authors.
        let is_decision = folder.split('/').any(|part| {
            part.starts_with("api")
                || matches!(
                    part,
                    "_posts"
                        | "posts"
                        | "blog"
                        | "adr"
                        | "adrs"
                        | "decisions"
                        | "rfc"
                        | "rfcs"
                        | "proposals"
                        | "design"
                        | "plans"
                )
        });
        let is_other = is_decision || NO_GUIDES.split(' ').any(|start| name.starts_with(start));
        let is_other = is_other || is_manual_page(name);
        let is_product = matches!(role_of(path), PathRole::Runtime | PathRole::Docs);
        is_text && is_product && !is_translated && (is_readme || is_root_guide || is_below && !is_other)
    };
    let mut found: Vec<String> = texts.paths().filter(is_guide).cloned().collect();
    keep_newest(&mut found);
    // The shortest name of several READMEs is that of the original.
    found.sort_by_key(|path| {
        (
            path.contains('/'),
            path.matches('/').count(),
            if path.contains('/') { 0 } else { path.len() },
            path.clone(),
        )
    });
    if let Some(second) = found.get(1).filter(|path| !path.contains('/')).cloned() {
        found.retain(|path| path.contains('/') || *path != second && path.len() < second.len());
    }
    found.truncate(DOCUMENTS);
    // The documentation of a crate explains its use behind the README.
    let root = ["src/lib.rs", "lib.rs"].iter().find(|path| texts.exists(path));
    let at = found.iter().position(|path| path.contains('/')).unwrap_or(found.len());
    if let Some(root) = root {
        found.insert(at, (*root).to_owned());
    }
    found
}

/// Returns true for the README of a package in a folder of its own, of which the manifest is beside it.
fn is_readme_of_package(texts: &Texts, path: &str) -> bool {
    const MANIFESTS: [&str; 6] =
        ["package.json", "Cargo.toml", "pyproject.toml", "go.mod", "pom.xml", "composer.json"];
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let is_readme = name.to_lowercase().starts_with("readme.");
    is_readme
        && folder.matches('/').count() <= 1
        && MANIFESTS.iter().any(|manifest| texts.exists(&format!("{folder}/{manifest}")))
}

/// Removes the pages of older versions: of `docs/v7.0` and `docs/v9.0`, only the second stays.
fn keep_newest(paths: &mut Vec<String>) {
    type Version = Vec<u32>;
    /// Returns the path before the first folder that is a version, and the numbers of that version.
    fn version(path: &str) -> Option<(&str, Version)> {
        let mut start = 0;
        for part in path.split_inclusive('/') {
            let name = part.strip_suffix('/')?;
            // The folder of a year or of a chapter is no version.
            let is_version = name.starts_with('v') || name.contains('.');
            let numbers: Option<Version> =
                name.strip_prefix('v').unwrap_or(name).split('.').map(|part| part.parse().ok()).collect();
            if let Some(numbers) = numbers.filter(|_| is_version) {
                return Some((&path[..start], numbers));
            }
            start += part.len();
        }
        None
    }
    let mut newest: BTreeMap<String, Version> = BTreeMap::new();
    for (around, numbers) in paths.iter().filter_map(|path| version(path)) {
        let known = newest.entry(around.to_owned()).or_default();
        *known = numbers.max(std::mem::take(known));
    }
    paths.retain(|path| version(path).is_none_or(|(around, numbers)| newest.get(around) == Some(&numbers)));
}

/// Returns true for two topics with equal text and example, as a README often is the documentation of its
/// crate, too.
fn says_the_same(one: &Fact, other: &Fact) -> bool {
    match (&one.value, &other.value) {
        (
            FactValue::Topic { text, example, .. },
            FactValue::Topic { text: other_text, example: other_example, .. },
        ) => text == other_text && example == other_example,
        _ => false,
    }
}

/// Makes the topic fact for a section of a document for users. `headings` are the headings around it and
/// its own. Returns `None` if the section is about something else or says too little.
fn topic(path: &str, section: &Section, headings: &[(usize, String)]) -> Option<Fact> {
    let names: Vec<&str> =
        headings.iter().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty()).collect();
    if section.level == 0 || names.iter().any(|name| is_elsewhere(name)) {
        return None;
    }
    // The title of the README is that of the product; other documents have a subject.
    let is_readme = path.rsplit('/').next().is_some_and(|name| name.to_lowercase().starts_with("readme"));
    let names = if names.len() > 1 && is_readme { &names[1..] } else { &names[..] };
    let title = visible(&names.join(" \u{203a} "));
    let (mut text, last, mut lead) = text(section);
    let of_crate = path.ends_with(".rs");
    if of_crate {
        // The manifest tells the features that are on by default, and is right.
        let is_told = |sentence: &&str| !(sentence.contains("feature") && sentence.contains("default"));
        let kept = |line: &String| sentences(line).into_iter().filter(is_told).collect::<Vec<_>>().join(" ");
        let left: Vec<String> = text.iter().map(kept).collect();
        lead = left[..lead].iter().filter(|line| !line.is_empty()).count();
        text = left.into_iter().filter(|line| !line.is_empty()).collect();
    }
    let letters = text.iter().flat_map(|line| line.chars()).filter(|c| c.is_alphabetic()).count();
    let shown = |code: &str| if of_crate { whole_example(&shown_lines(code)) } else { whole_example(code) };
    let example = section.example().and_then(|example| Some((shown(&example.text)?, example.end)));
    // A whole program explains itself.
    let is_program = example.as_ref().is_some_and(|(code, _)| is_program(code));
    let has_items = section.blocks.iter().any(|block| block.kind != BlockKind::Paragraph);
    let says_nothing = match &example {
        Some((code, _)) => only_installs(&text, code),
        None => only_announces(&text) && !has_items,
    };
    if title.is_empty()
        || says_nothing
        || section.blocks.first().is_some_and(|block| is_aside(&block.text))
        || letters < LETTERS && !is_program
        || example.is_none() && section.blocks.iter().all(leads_elsewhere)
    {
        return None;
    }
    let end = example.as_ref().map_or(last, |(_, end)| last.max(*end)).max(section.line);
    let value = FactValue::Topic { title, text, lead, example: example.map(|(text, _)| text) };
    let source = SourceLines { path: path.to_owned(), start: section.line, end };
    Some(Fact::new(FactSubject::Repository, value, source, FactOrigin::Quoted))
}

/// Returns true if a block only refers to other documents: it is a link, or each sentence is of the kind
/// "See …".
pub(super) fn leads_elsewhere(block: &DocumentBlock) -> bool {
    const STARTS: [&str; 16] = [
        "see ",
        "please see",
        "for more",
        "for a full",
        "for the full",
        "for further",
        "for details",
        "refer to",
        "please refer",
        "check out",
        "read ",
        "please read",
        "visit ",
        "more information",
        "more details",
        "find out",
    ];
    const PARTS: [&str; 9] = [
        "available here",
        "moved to ",
        "please see",
        "please refer",
        "please visit",
        "can be found",
        "are available at",
        "is available at",
        "is located at",
    ];
    let is_elsewhere = |sentence: &&str| {
        let lower = sentence.to_lowercase();
        STARTS.iter().any(|start| lower.starts_with(start)) || PARTS.iter().any(|part| lower.contains(part))
    };
    block.is_link || sentences(&block.text).iter().all(is_elsewhere)
}

/// Returns the text of a topic: the paragraphs and items of a section within the limit of length, the last
/// line of them, and the number of those before the first code.
fn text(section: &Section) -> (Vec<String>, usize, usize) {
    let mut lines: Vec<String> = Vec::new();
    let (mut size, mut last, mut lead) = (0, section.line, 0);
    let code = section.codes.first().map_or(usize::MAX, |code| code.start);
    for (at, block) in section.blocks.iter().enumerate() {
        if section.rule.is_some_and(|rule| rule < block.start) {
            break;
        }
        let is_table = block.text.matches('|').count() > 2;
        let said = visible(without_history(without_lead_in(section, at)));
        let length = said.chars().count();
        let is_aside = block.is_link && section.blocks.len() > 1 && leads_elsewhere(block)
            || block.text.starts_with("[^")
            || is_aside(&block.text);
        // The table was announced.
        if is_table && let Some(line) = lines.pop_if(|line| line.ends_with(':')) {
            lines.extend(Some(without_last_sentence(&line).to_owned()).filter(|line| !line.is_empty()));
        }
        if is_table
            || is_aside
            || length == 0
            || points_at_nothing(section, at, &said)
            || has_secret(&block.text)
        {
            continue;
        }
        if size + length > CHARS {
            break;
        }
        size += length;
        last = last.max(block.end);
        lines.push(said);
        lead += usize::from(block.end < code);
    }
    // An announcement of a list that did not fit, or of a table, says nothing.
    let is_announced =
        |line: &String| line.ends_with(':') && section.example().is_none_or(|code| code.end < last);
    if let Some(line) = lines.pop_if(|line| is_announced(line)) {
        lines.extend(Some(without_last_sentence(&line).to_owned()).filter(|line| !line.is_empty()));
    }
    lead = lead.min(lines.len());
    (lines, last, lead)
}

/// Returns true if the paragraph number `at` is one sentence, `said`, that points at a text or an example which the
/// topic does not have: "as shown in the examples above".
fn points_at_nothing(section: &Section, at: usize, said: &str) -> bool {
    let block = &section.blocks[at];
    let lower = said.to_lowercase();
    let is_sentence =
        block.kind == BlockKind::Paragraph && sentences(said).len() == 1 && !said.ends_with(':');
    if !is_sentence || !points_elsewhere(&lower) {
        return false;
    }
    let is_back = lower.contains("above");
    let is_shown = |code: &super::documents::ExampleCode| {
        let is_there = if is_back { code.end < block.start } else { code.start > block.end };
        is_there && whole_example(&code.text).is_some()
    };
    !section.example().is_some_and(is_shown)
}

/// Returns a text without its last sentence.
pub(super) fn without_last_sentence(text: &str) -> &str {
    let last = sentences(text).last().map_or(0, |sentence| sentence.len());
    text[..text.len() - last].trim_end()
}

/// Returns the text of the block number `at` without a last sentence that announces an example which is not
/// shown, such as `Here is another one:`.
fn without_lead_in(section: &Section, at: usize) -> &str {
    let block = &section.blocks[at];
    let text = block.text.as_str();
    // "for outputs like" stands between two examples.
    let is_open = block.kind == BlockKind::Paragraph && !text.ends_with(['.', '!', '?', ':', ')', '`', '"']);
    if is_open && text.starts_with(char::is_lowercase) {
        return "";
    }
    let example_start =
        section.example().filter(|code| whole_example(&code.text).is_some()).map(|code| code.start);
    let is_followed_by_example =
        example_start.is_some_and(|start| (block.end..=block.end + 2).contains(&start));
    let is_followed_by_items =
        section.blocks.get(at + 1).is_some_and(|next| next.kind != BlockKind::Paragraph);
    // The sentence before a block of code that is not shown speaks of that block.
    let is_before_code = block.kind == BlockKind::Paragraph
        && section.codes.iter().any(|code| (block.end..=block.end + 2).contains(&code.start));
    if is_followed_by_example || !is_before_code && (!text.ends_with(':') || is_followed_by_items) {
        return text;
    }
    without_last_sentence(text)
}

/// Returns an example without empty lines at its ends; `None` if it is too large or not safe to show.
fn whole_example(code: &str) -> Option<String> {
    let code = code.trim_matches('\n').trim_end();
    let most = if is_program(code) { PROGRAM } else { EXAMPLE };
    let fits = code.lines().count() <= most.0 && code.chars().count() <= most.1;
    let shown: Vec<String> =
        code.lines().map(|line| line.chars().filter(|c| !c.is_control() || *c == '\t').collect()).collect();
    let shown = shown.join("\n");
    // Invisible characters would be lost: a quotation must be exact.
    let is_plain =
        code.lines().all(|line| visible(line.trim()).split_whitespace().eq(line.split_whitespace()));
    (fits && is_plain && !shown.is_empty() && !has_secret(code)).then_some(shown)
}

/// Returns a heading without emoji and marks at its start, anchor and trailing colon.
pub(super) fn bare_heading(heading: &str) -> String {
    let bare = heading.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '`' | '-' | '$' | '.' | '@' | ':')
    });
    // `Names {#names}` has an anchor.
    let bare = bare.split_once(" {#").map_or(bare, |(before, _)| before);
    let bare = bare.trim_end_matches([':', '#', ' ']);
    // `:rocket: Features` names a picture.
    let picture = heading.trim_start().strip_prefix(':').and_then(|rest| rest.split_once(": "));
    let is_picture = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    picture
        .filter(|(name, _)| is_picture(name))
        .map_or(bare, |(_, rest)| rest.trim().trim_end_matches(':'))
        .to_owned()
}

/// Returns true for a heading whose section is no topic, because other facts cover it (installation, tests)
/// or because it is about the project's people (authors, sponsors).
pub(super) fn is_elsewhere(heading: &str) -> bool {
    const WORDS: &str = "related alternatives supporting contributor release demo screenshot screenshots licenses licences team \
        people contact elsewhere press articles talks videos video translations install installation installing \
        build building test tests testing development developing contribute contributing contributors contribution \
        license licence licensing author authors maintainer maintainers sponsor sponsors backers donate changelog \
        acknowledgements acknowledgments credits thanks community support roadmap badges contents security links \
        feedback documentation ecosystem resources steps logo logos copyright compilation compiling compile index \
        collective";
    let lower = heading.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let last = lower.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty());
    let is_word = |word: Option<&str>| word.is_some_and(|word| WORDS.split(' ').any(|known| known == word));
    // A long heading names its subject at its beginning.
    let is_short = lower.split_whitespace().count() <= 3;
    is_word(first)
        || is_short && is_word(last)
        || [
            "further reading",
            "see also",
            "breaking change",
            "learn more",
            "in touch",
            " install ",
            "continuous integration",
            "open collective",
        ]
        .iter()
        .any(|words| lower.contains(words))
        || lower.contains("star history")
        || lower.contains("who uses")
        || lower.contains("who is using")
}

#[cfg(test)]
mod tests;
