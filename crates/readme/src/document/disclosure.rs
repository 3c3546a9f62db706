//! The note below a title which says that a document was generated with AI (SEC-45, SEC-46).

use std::sync::LazyLock;

use regex::Regex;

/// Disclosure note: the line that `combine` writes below the title of each document.
pub const DISCLOSURE: &str =
    "> **Note**: This document was generated with the help of AI. Check it before you rely on it.";

static NOTE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?xi)
        ^[\s>*_:\-\#!\[\]<]* (?:(?:ai[\s-]*)?(?:note|disclosure|disclaimer|warning|important|caution|tip)\W+)?
        (?:
            (?:the|this)\s+(?:(?:contents?|text|parts?)\s+of\s+(?:the|this)\s+)?(?:[\w-]+\s+)?(?:document(?:ation)?|readme|page|guide|file|content|text)\s
            (?:[^.]{0,80}\s)?(?:generated|created|written|produced|drafted|authored)\s[^.]{0,60}
            \b(?:ai|artificial\s+intelligence|llms?|(?:large\s+)?language\s+models?|generative)\b
          | (?:automatically\s+)?(?:generated|created|written)\s(?:with|by|using)\s[^.]{0,40}\b(?:ai|artificial\s+intelligence|llms?)\b
        )";
    Regex::new(pattern).expect("a valid pattern")
});

/// Returns true if a line says that the document was generated with AI, as [`DISCLOSURE`] or in other
/// English words. A line above 400 bytes never counts.
pub fn is_disclosure(line: &str) -> bool {
    // A note is a sentence or two; a longer line is text that mentions one.
    line.len() <= 400 && NOTE.is_match(line)
}
