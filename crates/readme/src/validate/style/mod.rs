//! The validator of style: spelling, abbreviations, headings, person, exclamation marks (SEC-116). All of its issues are minor.

mod spelling;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MASK, MarkdownPage, ProseKind, excerpt};
use super::phrases::PhraseList;
use spelling::BRITISH;

/// Latin abbreviations, each with the English words to use instead.
const LATIN: &[(&str, &str)] = &[
    ("e.g.", "for example"),
    ("e.g", "for example"),
    ("eg.", "for example"),
    ("i.e.", "that is"),
    ("i.e", "that is"),
    ("ie.", "that is"),
    ("etc.", "and other things, by name"),
    ("etc", "and other things, by name"),
    ("via", "through, with or by"),
    ("vs.", "compared with"),
    ("viz.", "namely"),
    ("et al.", "and others"),
    ("a.k.a.", "also known as"),
    ("ad hoc", "for one purpose"),
    ("vice versa", "the other way round"),
    ("per se", "by itself"),
];

/// Pattern of the words of the first person, such as `we`.
static FIRST_PERSON: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?-u)\b(?:I(?:'m|'ve|'d|'ll)?|[Ww]e(?:'re|'ve|'ll|'d)?|[Oo]urs?|[Oo]urselves|us|[Mm]y|[Mm]yself|[Ll]et's)\b";
    Regex::new(pattern).expect("a valid pattern")
});
static EXCLAMATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{L}\p{N})'’”*]!+(?:[ \n)”]|$)").expect("a valid pattern"));

/// Words that are not capitalized even in a heading in title case.
#[rustfmt::skip]
const SMALL_WORDS: &[&str] = &[
    "a", "an", "the", "and", "or", "but", "nor", "for", "of", "in", "on", "to", "at", "by", "with", "from", "as", "is", "it",
    "its", "into", "via", "vs", "per", "up", "do", "your", "you", "i", "if", "be", "are", "not", "no", "this", "that", "so",
    "over", "out", "off", "how", "what", "when",
];

/// Names, in lower case, that are capitalized anywhere.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "elastic", "elasticsearch", "kibana", "fleet", "agent", "logstash", "beats", "filebeat", "metricbeat", "winlogbeat",
    "discover", "stack", "ecs", "common", "schema", "security", "observability", "cloud", "github", "gitlab", "actions",
    "linux", "windows", "macos", "ubuntu", "debian", "docker", "compose", "kubernetes", "helm", "aws", "amazon", "azure",
    "google", "microsoft", "apache", "kafka", "spark", "python", "java", "javascript", "typescript", "rust", "cargo", "node",
    "react", "vue", "angular", "go", "golang", "ruby", "rails", "django", "flask", "webpack", "babel", "jest", "mocha",
    "markdown", "json", "yaml", "toml", "xml", "html", "css", "syslog", "unix", "bash", "powershell", "chrome", "firefox",
    "safari", "edge", "android", "ios", "swift", "kotlin", "postgres", "postgresql", "mysql", "mongodb", "redis", "sqlite",
    "nginx", "bsd", "mit", "gpl", "slack", "discord", "twitter", "stack overflow", "jupyter", "conda", "anaconda", "numpy",
    "pandas", "pytorch", "tensorflow", "english", "french", "german", "chinese", "japanese", "serde", "tokio", "wasm",
    "webassembly", "unicode", "ascii", "openssl", "git", "npm", "yarn", "pnpm", "deno", "bun", "vim", "emacs", "visual",
    "studio", "code", "terraform", "ansible", "jenkins", "travis", "prometheus", "grafana", "oracle", "cisco", "palo", "alto",
    "okta", "intune", "office", "active", "directory", "apple", "intel", "amd", "arm", "nvidia", "cuda", "raspberry", "pi",
    "arduino", "c", "r", "msrv",
];

static BRITISH_WORDS: LazyLock<PhraseList<&str>> =
    LazyLock::new(|| PhraseList::new(BRITISH.iter().map(|(words, better)| (*words, better))));
static LATIN_WORDS: LazyLock<PhraseList<&str>> =
    LazyLock::new(|| PhraseList::new(LATIN.iter().map(|(words, better)| (*words, better))));

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    let prose = &page.parts.prose;
    for found in BRITISH_WORDS.find(prose) {
        // A capital inside a sentence makes it a name: "Trade Centre", "Earl Grey". So does the title of the package.
        let is_title = page.package.is_some_and(|package| package.manifest.title.contains(found.words));
        if is_title || is_capital_inside(&prose.text, found.range.start) {
            continue;
        }
        let message = format!("\"{}\" is a British spelling", found.words);
        issues.push(page.issue_in_prose(
            "style/british-spelling",
            found.range.start,
            message,
            &format!("write \"{}\"", found.value),
        ));
    }
    for found in LATIN_WORDS.find(prose) {
        // `/etc` is a folder.
        let is_path = prose.text[..found.range.start].ends_with(['/', '.', '-', '_'])
            || prose.text[found.range.end..].starts_with(['/', '_']);
        if !is_path {
            let message = format!("\"{}\" is a Latin abbreviation", found.words);
            issues.push(page.issue_in_prose(
                "style/latin-abbreviation",
                found.range.start,
                message,
                &format!("write \"{}\"", found.value),
            ));
        }
    }
    check_first_person(page, &mut issues);
    for found in EXCLAMATION.find_iter(&prose.text) {
        let at = found.start() + found.as_str().find('!').unwrap_or_default();
        let message = "an exclamation mark adds no fact".to_owned();
        issues.push(page.issue_in_prose(
            "style/exclamation",
            at,
            message,
            "end the sentence with a full stop",
        ));
    }
    check_headings(page, &mut issues);
    issues
}

fn is_capital_inside(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '*', '"', '(']);
    let opens = before.is_empty() || before.ends_with(['\n', '.', '!', '?', ':', '|']);
    text[at..].starts_with(|c: char| c.is_uppercase()) && !opens
}

fn check_first_person(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let text = &page.parts.prose.text;
    for found in FIRST_PERSON.find_iter(text) {
        // Questions in headings speak for the reader, quotes for a program.
        let kind = page.parts.prose.block_at(found.start()).map(|block| block.kind);
        let is_said =
            matches!(kind, Some(ProseKind::Heading | ProseKind::Quote)) || is_quoted(text, found.start());
        if is_said || is_numeral(text, found.start(), found.end()) {
            continue;
        }
        let message = format!("\"{}\" is the first person", found.as_str());
        let fix = "address the reader as you, or name the actor";
        issues.push(page.issue_in_prose("style/first-person", found.start(), message, fix));
    }
}

/// Returns true if the offset lies inside double quotes of its block. Only the last 300 bytes before it are
/// searched.
fn is_quoted(text: &str, at: usize) -> bool {
    let start = text.floor_char_boundary(at.saturating_sub(300));
    let before = text[start..at].rsplit('\n').next().unwrap_or_default();
    before.matches('"').count() % 2 == 1 || before.matches('“').count() > before.matches('”').count()
}

/// Returns true for a word that is not the first person: `I` in "I/O", "Part I" or "I-beam", and words that
/// are joined to others.
fn is_numeral(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (&text[..start], &text[end..]);
    let is_joined = before.ends_with(['/', '-', '_', '.', '&', '@', MASK])
        || after.starts_with(['/', '-', '_', '&', '²', '^', MASK])
        || (after.starts_with('.') && after[1..].starts_with(char::is_alphanumeric));
    if is_joined {
        return true;
    }
    if &text[start..end] != "I" {
        // Letters of other scripts have no boundary in ASCII.
        return before.chars().next_back().is_some_and(char::is_alphanumeric)
            || after.chars().next().is_some_and(char::is_alphanumeric);
    }
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    // "Part I", "Type I": a numeral stands behind a capitalized noun and not before a verb.
    let is_numbered = [
        "part", "type", "phase", "class", "volume", "chapter", "section", "level", "stage", "appendix",
        "table", "figure",
    ]
    .contains(&word.to_lowercase().as_str());
    is_numbered || after.starts_with(['.', ',', ')', ';', ':'])
}

fn check_headings(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let names = known_names(page);
    for block in page.parts.prose.blocks.iter().filter(|block| block.kind == ProseKind::Heading) {
        // The title of a document is a name.
        let source = page.parts.prose.source(block.range.start);
        if page.heading_above(source).is_some_and(|heading| heading.level == 1) {
            continue;
        }
        let title = &page.parts.prose.text[block.range.clone()];
        if is_title_case(title, &names) {
            let message = format!("the heading \"{}\" is in title case", excerpt(title.trim()));
            let fix = "capitalize the first word and names only";
            issues.push(page.issue_in_prose("style/heading-case", block.range.start, message, fix));
        }
    }
}

/// Returns true if a heading is in title case: all of its words behind the first are capitalized, apart
/// from names and small words such as `of`, and at least one is.
fn is_title_case(title: &str, names: &BTreeSet<String>) -> bool {
    let words: Vec<&str> = title
        .split(|c: char| c.is_whitespace() || matches!(c, '/' | '-' | ':' | '(' | ')' | ',' | '&' | '"'))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let mut raised = 0;
    for word in words.iter().skip(1) {
        let lower = word.to_lowercase();
        let is_plain = word.chars().all(|c| c.is_ascii_alphabetic() || c == '\'' || c == '’');
        let inner = word.chars().skip(1);
        // An abbreviation or a name such as `iOS` says nothing.
        if !is_plain
            || names.contains(&lower)
            || SMALL_WORDS.contains(&lower.as_str())
            || inner.clone().any(char::is_uppercase)
            || word.chars().count() == 1
        {
            continue;
        }
        if word.starts_with(char::is_uppercase) {
            raised += 1;
        } else {
            return false;
        }
    }
    raised > 0
}

/// Returns names in lower case, for which a capital is no title case: well-known ones, words of the
/// package's title, and words that the prose always capitalizes inside sentences.
fn known_names(page: &MarkdownPage<'_>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    let title = page.package.map_or("", |package| package.manifest.title.as_str());
    let own = page
        .parts
        .headings
        .iter()
        .find(|heading| heading.level == 1)
        .map_or("", |heading| heading.title.as_str());
    let own_words = title.split_whitespace().chain(own.split_whitespace().filter(|_| page.package.is_none()));
    names.extend(own_words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()));
    let mut small: BTreeSet<&str> = BTreeSet::new();
    let mut raised: BTreeSet<&str> = BTreeSet::new();
    for block in page
        .parts
        .prose
        .blocks
        .iter()
        .filter(|block| matches!(block.kind, ProseKind::Paragraph | ProseKind::Quote))
    {
        let mut opens_sentence = true;
        for word in page.parts.prose.text[block.range.clone()].split(' ') {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            if bare.starts_with(char::is_lowercase) {
                small.insert(bare);
            } else if !opens_sentence && bare.starts_with(char::is_uppercase) {
                raised.insert(bare);
            }
            opens_sentence = word.ends_with(['.', '!', '?', ':', '-', '–', '—', '"', '*']) || bare.is_empty();
        }
    }
    names.extend(raised.into_iter().map(str::to_lowercase).filter(|word| !small.contains(word.as_str())));
    names
}
