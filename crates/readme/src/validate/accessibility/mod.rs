//! The validator of accessibility: alternative texts, link texts, directions, words that exclude people (SEC-117).

mod words;

use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MarkdownPage, ProseText, excerpt};
use super::phrases::{PhraseList, PhraseMatch};
use words::{ABLEIST, ABLEIST_TERMS, BARE_LINKS, GENDERED, RELATIONS, SCREEN_WORDS, VIOLENT, VIOLENT_TERMS};

/// Pattern of alternative texts that describe nothing, such as `image1` or a file name.
static WEAK_ALT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)^\W*(?:(?:an? |the )?(?:image|img|picture|pic|photo|screen ?shot|icon|graphic|figure|alt|alt[ -]text|untitled|placeholder|image alt text)[ _-]?\d*|[^\s/]+\.(?:png|jpe?g|gif|svg|webp|bmp))\W*$";
    Regex::new(pattern).expect("a valid pattern")
});

/// Pattern of references to places on the page, such as "see below" or "on the right". The word behind
/// "above" or "below" decides if it is a reference or a comparison.
static DIRECTION: LazyLock<Regex> = LazyLock::new(|| {
    let said = "see|seen|shown?|shows|described|mentioned|listed|noted|explained|outlined|defined|discussed|stated|given|documented|specified|depicted|illustrated|demonstrated|provided|referenced|linked|detailed|covered|refer|introduced|presented|following|as|like|from|are|is|found|explanation|used";
    let thing = "examples?|tables?|sections?|figures?|steps?|images?|diagrams?|screenshots?|code|snippets?|commands?|lists?|instructions?|links?|paragraphs?|text|charts?|graphs?|scripts?|quer(?:y|ies)|syntax|notes?|badges?|buttons?|procedures?|guide|details|methods|information|documentation|sample|samples|description|descriptions|demo|video";
    let pattern = format!(
        r"(?i-u)\b(?:(?:{said}) (?P<a>above|below)|(?:{thing}) (?P<b>above|below)|the (?P<c>above)(?: (?:{thing}|configuration|settings?|options?|output|mentioned|will|is|are|can|should|would|command|methods?|data|requirements?|process|file|fields?|error|program|function|test|class|dependency)\b|[.,;:)])|(?P<d>below) (?:is|are|you)\b|in the (?P<e>above|below) (?:{thing})|(?P<f>on the (?:right|left)|to the (?:right|left)|at the (?:top|bottom)(?: of (?:the|this) (?:page|document|readme|screen|section))?|(?:upper|lower|top|bottom)[- ](?:right|left)))\b"
    );
    Regex::new(&pattern).expect("a valid pattern")
});

/// Pattern of "hit" with a key or a button; only this use of the word counts as violent.
static HITS_KEY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^hit (?:the )?(?:\x1a|enter|return|escape|esc|space|tab|save|ok|send|submit|button|key|any key|ctrl|cmd|f\d+|[a-z]+ (?:button|key))\b?").expect("a valid pattern")
});

/// A rule that reports words which exclude people: the words, the test for their harmless uses, and the
/// texts of its issues.
struct WordRule {
    rule: &'static str,
    words: LazyLock<PhraseList<()>>,
    /// Returns true if the occurrence is a harmless use of the word, such as a technical term.
    is_other: fn(&ProseText, &PhraseMatch<'_, ()>) -> bool,
    fault: &'static str,
    fix: &'static str,
}

static WORD_RULES: [WordRule; 3] = [
    WordRule {
        rule: "accessibility/violent-word",
        words: LazyLock::new(|| PhraseList::new(VIOLENT.iter().map(|word| (*word, &())))),
        is_other: is_technical,
        fault: "is a violent word",
        fix: "use a neutral word such as stop, end or press",
    },
    WordRule {
        rule: "accessibility/ableist-word",
        words: LazyLock::new(|| PhraseList::new(ABLEIST.iter().map(|word| (*word, &())))),
        is_other: is_device,
        fault: "is an ableist word",
        fix: "use a word that describes the fault or the check",
    },
    WordRule {
        rule: "accessibility/gendered-word",
        words: LazyLock::new(|| PhraseList::new(GENDERED.iter().map(|word| (*word, &())))),
        is_other: is_capitalized_name,
        fault: "names a gender",
        fix: "use they, people or the role",
    },
];

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    check_images(page, &mut issues);
    check_links(page, &mut issues);
    check_directions(page, &mut issues);
    check_words(page, &mut issues);
    issues
}

fn check_images(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for image in page.parts.links.iter().filter(|link| link.is_image) {
        let alt = image.text.trim();
        // `alt=""` in HTML marks a decoration.
        let (rule, message) = if image.lacks_alt || (!image.is_html && alt.is_empty()) {
            let message = format!("the image `{}` has no alternative text", excerpt(&image.target));
            ("accessibility/no-alt-text", message)
        } else if WEAK_ALT.is_match(alt) {
            let message = format!("the alternative text \"{}\" does not describe the image", excerpt(alt));
            ("accessibility/weak-alt-text", message)
        } else {
            continue;
        };
        issues.push(page.issue(rule, image.at, message, "describe the content of the image"));
    }
}

fn check_links(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for link in page.parts.links.iter().filter(|link| !link.is_image && !link.has_image && !link.is_autolink)
    {
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
    let text = &page.parts.prose.text;
    for captures in DIRECTION.captures_iter(text) {
        let Some(word) = ["a", "b", "c", "d", "e", "f"].iter().find_map(|name| captures.name(name)) else {
            continue;
        };
        // The usual clause of dual licenses is a legal text, which no author rewords. A link leads a screen reader to the place.
        if text[..word.start()].ends_with("licensed as ")
            || page.is_linked(page.parts.prose.source(word.start()))
        {
            continue;
        }
        let is_reference = match (captures.name("f"), captures.name("a"), captures.name("b")) {
            (Some(_), ..) => {
                let sentence = page.parts.prose.sentence(&word.range()).to_lowercase();
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

/// Returns true if "above" or "below" compares two things, such as "above 50": `behind` is the text right
/// after the word.
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
    let prose = &page.parts.prose;
    for WordRule { rule, words, is_other, fault, fix } in &WORD_RULES {
        for found in words.find(prose).filter(|found| !is_other(prose, found)) {
            let message = format!("\"{}\" {fault}", found.words);
            issues.push(page.issue_in_prose(rule, found.range.start, message, fix));
        }
    }
}

/// Returns true if a violent word is a technical term or part of a name, such as `kill` of a process.
fn is_technical(prose: &ProseText, found: &PhraseMatch<'_, ()>) -> bool {
    let is_term = if found.words.eq_ignore_ascii_case("hit") {
        !HITS_KEY.is_match(&prose.text[found.range.start..])
    } else {
        has_term(prose.sentence(&found.range), VIOLENT_TERMS)
    };
    is_term || is_name(&prose.text, found.range.start, found.words)
}

/// Returns true if an ableist word is a technical term or part of a name, such as a dumb terminal.
fn is_device(prose: &ProseText, found: &PhraseMatch<'_, ()>) -> bool {
    let is_open = matches!(found.words.to_ascii_lowercase().as_str(), "dumb" | "dummy" | "lame");
    (is_open && has_term(prose.sentence(&found.range), ABLEIST_TERMS))
        || is_name(&prose.text, found.range.start, found.words)
}

fn is_capitalized_name(prose: &ProseText, found: &PhraseMatch<'_, ()>) -> bool {
    found.words != found.words.to_ascii_lowercase() && is_name(&prose.text, found.range.start, found.words)
}

fn has_term(sentence: &str, terms: &[&str]) -> bool {
    sentence.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| terms.contains(&word))
}

/// Returns true if the word at the offset `start` is part of a name: in capitals, capitalized inside a
/// sentence, or joined to another word by a mark such as `-`, `_` or `.`.
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
