//! The validator of accessibility: alternative texts, link texts, directions, words that exclude people (SEC-117).

mod words;

use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MarkdownPage, excerpt};
use super::phrases::PhraseList;
use words::{ABLEIST, ABLEIST_TERMS, BARE_LINKS, GENDERED, RELATIONS, SCREEN_WORDS, VIOLENT, VIOLENT_TERMS};

/// Alternative texts that describe nothing.
static WEAK_ALT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)^\W*(?:(?:an? |the )?(?:image|img|picture|pic|photo|screen ?shot|icon|graphic|figure|alt|alt[ -]text|untitled|placeholder|image alt text)[ _-]?\d*|[^\s/]+\.(?:png|jpe?g|gif|svg|webp|bmp))\W*$";
    Regex::new(pattern).expect("a valid pattern")
});

/// Places on the page as references. The word behind decides about "above" and "below" where a number or a thing follows.
static DIRECTION: LazyLock<Regex> = LazyLock::new(|| {
    let said = "see|seen|shown?|shows|described|mentioned|listed|noted|explained|outlined|defined|discussed|stated|given|documented|specified|depicted|illustrated|demonstrated|provided|referenced|linked|detailed|covered|refer|introduced|presented|following|as|like|from|are|is|found|explanation|used";
    let thing = "examples?|tables?|sections?|figures?|steps?|images?|diagrams?|screenshots?|code|snippets?|commands?|lists?|instructions?|links?|paragraphs?|text|charts?|graphs?|scripts?|quer(?:y|ies)|syntax|notes?|badges?|buttons?|procedures?|guide|details|methods|information|documentation|sample|samples|description|descriptions|demo|video";
    let pattern = format!(
        r"(?i-u)\b(?:(?:{said}) (?P<a>above|below)|(?:{thing}) (?P<b>above|below)|the (?P<c>above)(?: (?:{thing}|configuration|settings?|options?|output|mentioned|will|is|are|can|should|would|command|methods?|data|requirements?|process|file|fields?|error|program|function|test|class|dependency)\b|[.,;:)])|(?P<d>below) (?:is|are|you)\b|in the (?P<e>above|below) (?:{thing})|(?P<f>on the (?:right|left)|to the (?:right|left)|at the (?:top|bottom)(?: of (?:the|this) (?:page|document|readme|screen|section))?|(?:upper|lower|top|bottom)[- ](?:right|left)))\b"
    );
    Regex::new(&pattern).expect("a valid pattern")
});

/// "Hit" is violent only where a key or a button is meant.
static HITS_KEY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^hit (?:the )?(?:\x1a|enter|return|escape|esc|space|tab|save|ok|send|submit|button|key|any key|ctrl|cmd|f\d+|[a-z]+ (?:button|key))\b?").expect("a valid pattern")
});

static VIOLENT_WORDS: LazyLock<PhraseList<()>> =
    LazyLock::new(|| PhraseList::new(VIOLENT.iter().map(|word| (*word, &()))));
static ABLEIST_WORDS: LazyLock<PhraseList<()>> =
    LazyLock::new(|| PhraseList::new(ABLEIST.iter().map(|word| (*word, &()))));
static GENDERED_WORDS: LazyLock<PhraseList<()>> =
    LazyLock::new(|| PhraseList::new(GENDERED.iter().map(|word| (*word, &()))));

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    check_images(page, &mut issues);
    check_links(page, &mut issues);
    check_directions(page, &mut issues);
    check_words(page, &mut issues);
    issues
}

fn check_images(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for image in page.links.iter().filter(|link| link.is_image) {
        let alt = image.text.trim();
        // `alt=""` in HTML marks a decoration.
        if image.lacks_alt || (!image.is_html && alt.is_empty()) {
            let message = format!("the image `{}` has no alternative text", excerpt(&image.target));
            issues.push(page.issue(
                "accessibility/no-alt-text",
                image.at,
                message,
                "describe the content of the image",
            ));
        } else if WEAK_ALT.is_match(alt) {
            let message = format!("the alternative text \"{}\" does not describe the image", excerpt(alt));
            issues.push(page.issue(
                "accessibility/weak-alt-text",
                image.at,
                message,
                "describe the content of the image",
            ));
        }
    }
}

fn check_links(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for link in page.links.iter().filter(|link| !link.is_image && !link.has_image && !link.is_autolink) {
        let words = link.text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if BARE_LINKS.contains(&words.as_str()) {
            let message = format!("the link text \"{}\" does not name its target", excerpt(link.text.trim()));
            issues.push(page.issue(
                "accessibility/link-text",
                link.at,
                message,
                "use the title of the linked page",
            ));
        }
    }
}

fn check_directions(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let text = &page.prose.text;
    for captures in DIRECTION.captures_iter(text) {
        let Some(word) = ["a", "b", "c", "d", "e", "f"].iter().find_map(|name| captures.name(name)) else {
            continue;
        };
        // The usual clause of dual licenses is a legal text, which no author rewords. A link leads a screen reader to the place.
        if text[..word.start()].ends_with("licensed as ") || page.is_linked(page.prose.source(word.start())) {
            continue;
        }
        let is_reference = match (captures.name("f"), captures.name("a"), captures.name("b")) {
            (Some(_), ..) => {
                let sentence = page.prose.sentence(&word.range()).to_lowercase();
                SCREEN_WORDS.iter().any(|screen| sentence.contains(screen))
            }
            (_, None, None) => true,
            _ => !is_relation(&text[word.end()..]),
        };
        if is_reference {
            let message = format!(
                "\"{}\" names a place on the page, which a screen reader does not have",
                word.as_str()
            );
            let fix = "name the section, the step or the control, and link it";
            issues.push(page.issue_in_prose("accessibility/direction", word.start(), message, fix));
        }
    }
}

/// Returns true if "above" or "below" has an object: a number, or a thing that lies lower or higher.
fn is_relation(behind: &str) -> bool {
    let Some(next) = behind.strip_prefix(' ') else { return behind.starts_with(['-', '/']) };
    let next = next.trim_start_matches(['(', '*', '~', '$', '<', '>', '=', '+', '-', '\u{1a}', '–', '±']);
    if behind.starts_with(" \u{1a}") || next.starts_with(|c: char| c.is_ascii_digit()) {
        return true;
    }
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    RELATIONS.contains(&word.as_str())
}

fn check_words(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let prose = &page.prose;
    for found in VIOLENT_WORDS.find(prose) {
        let sentence = prose.sentence(&found.range);
        let is_hit = found.words.eq_ignore_ascii_case("hit");
        let is_term = if is_hit {
            !HITS_KEY.is_match(&prose.text[found.range.start..])
        } else {
            has_term(sentence, VIOLENT_TERMS)
        };
        if !is_term && !is_name(&prose.text, found.range.start, found.words) {
            let message = format!("\"{}\" is a violent word", found.words);
            issues.push(page.issue_in_prose(
                "accessibility/violent-word",
                found.range.start,
                message,
                "use a neutral word such as stop, end or press",
            ));
        }
    }
    for found in ABLEIST_WORDS.find(prose) {
        let is_open = matches!(found.words.to_ascii_lowercase().as_str(), "dumb" | "dummy" | "lame");
        let is_term = is_open && has_term(prose.sentence(&found.range), ABLEIST_TERMS);
        if !is_term && !is_name(&prose.text, found.range.start, found.words) {
            let message = format!("\"{}\" is an ableist word", found.words);
            issues.push(page.issue_in_prose(
                "accessibility/ableist-word",
                found.range.start,
                message,
                "use a word that describes the fault or the check",
            ));
        }
    }
    for found in GENDERED_WORDS.find(prose) {
        let is_name = found.words != found.words.to_ascii_lowercase()
            && is_name(&prose.text, found.range.start, found.words);
        if !is_name {
            let message = format!("\"{}\" names a gender", found.words);
            issues.push(page.issue_in_prose(
                "accessibility/gendered-word",
                found.range.start,
                message,
                "use they, people or the role",
            ));
        }
    }
}

fn has_term(sentence: &str, terms: &[&str]) -> bool {
    sentence.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| terms.contains(&word))
}

/// Returns true for a word that is part of a name: in capitals, with a capital inside a sentence, or joined by `-`, `_` or `.` to another.
fn is_name(text: &str, start: usize, words: &str) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[start + words.len()..].chars().next();
    let is_joined = before.is_some_and(|c| matches!(c, '-' | '_' | '.' | '/' | '@' | '#'))
        || after.is_some_and(|c| matches!(c, '_' | '/' | '('))
        || text[start + words.len()..].starts_with(".r")
        || after == Some('-');
    let is_capital = words.starts_with(|c: char| c.is_ascii_uppercase());
    let is_shouted = words.len() > 1 && !words.contains(|c: char| c.is_ascii_lowercase());
    let trimmed = text[..start].trim_end_matches([' ', '*', '"', '“', '(']);
    let opens_sentence = trimmed.is_empty() || trimmed.ends_with(['\n', '.', '!', '?', ':']);
    is_joined || is_shouted || (is_capital && !opens_sentence)
}
