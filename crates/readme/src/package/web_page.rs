//! Removes the remains of web pages (buttons, menus, questions to the reader, footers) that were copied
//! into a knowledge base together with the text.

use std::sync::LazyLock;

use regex::Regex;

use crate::document::{FenceLine, FenceReader};

/// Whole lines, in lower case, that belong to a web page and not to its text.
const LINES: &[&str] = &[
    "copy",
    "copied",
    "copied!",
    "copy code",
    "copy link",
    "copy link to clipboard",
    "...",
    "…",
    "copy to clipboard",
    "skip to main content",
    "skip to content",
    "back to top",
    "edit this page",
    "print",
    "share",
    "table of contents",
    "yes no",
];

/// Beginnings, in lower case, of lines that belong to a web page and not to its text.
const BEGINNINGS: &[&str] = &[
    "©",
    "copyright ©",
    "copyright (c)",
    "was this article helpful",
    "was this page helpful",
    "was this topic helpful",
    "was this information helpful",
    "did this answer your question",
    "was this helpful",
    "reading time",
    "screenshot:",
    "share this article",
    "share this page",
    "rate this page",
];

/// Entries of footers, in lower case. A line is a footer if one of its parts between bars or dots is such
/// an entry.
const FOOTERS: &[&str] = &["all rights reserved", "cookie settings", "cookie preferences", "privacy policy"];

/// Titles of menus, in lower case. The short lines below such a line, up to an empty line or a sentence,
/// are the menu.
const MENUS: &[&str] = &["in this article", "on this page", "in this topic", "in this section"];

/// Pattern of a line that has only links to places of its own page.
static PAGE_MENU: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[-*+|·•,]?\s*\[[^\[\]]{1,60}\]\(#[^()]{0,60}\)[\s|·•,]*)+$").expect("a valid pattern")
});

/// Pattern, for lower case, of a line with the date of a page ("last updated: …"), as opposed to a sentence
/// about records.
static PAGE_DATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^last (?:updated|modified|reviewed)(?:\s*[:·]|\s+(?:on|by)\b|\s+\d|\s+an?\s+\w+\s+ago\b|\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\s*$)")
        .expect("a valid pattern")
});

/// Labels of the copy button, which a copied page has as the first line of a code block.
const BUTTONS: &[&str] = &["Copy", "Copied!", "Copy code"];

/// Maximum length in bytes of a line that can belong to a menu or a footer.
const SHORT_LINE: usize = 120;

/// Returns a Markdown text in which lines that belong to a copied web page (buttons, menus, footers) are
/// empty. The number of lines stays the same. Fenced code stays, except the label of a copy button on its
/// first line.
pub(super) fn blank_debris(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut fences, mut is_menu, mut before) = (FenceReader::default(), false, FenceLine::Outside);
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        // The label of the button stands above the code; a command would be in lower case.
        let fence = fences.read(line);
        let is_button = before == FenceLine::Opens && BUTTONS.contains(&words);
        before = fence;
        let is_code = fence != FenceLine::Outside;
        let lower = words.to_lowercase();
        let lower = lower.split_whitespace().collect::<Vec<_>>().join(" ");
        is_menu = match () {
            () if is_code || words.is_empty() || words.starts_with('#') => false,
            () if MENUS.contains(&lower.trim_end_matches(':')) => true,
            // A sentence, a step, a row or a command is no entry of a menu.
            () => {
                let is_content = words.ends_with(['.', ':'])
                    || words.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '|' | '`' | '>'));
                is_menu && words.len() <= SHORT_LINE && !is_content
            }
        };
        if is_button || !is_code && (is_menu || is_debris(&lower)) {
            kept.push_str(&line[line.trim_end_matches(['\r', '\n']).len()..]);
        } else {
            kept.push_str(line);
        }
    }
    kept
}

fn is_debris(line: &str) -> bool {
    let line = line.trim_start_matches(['*', '_']);
    let is_short = line.len() <= SHORT_LINE;
    PAGE_MENU.is_match(line)
        || is_short
            && (LINES.contains(&line)
                || PAGE_DATE.is_match(line)
                || BEGINNINGS.iter().any(|start| line.starts_with(start))
                || line.trim_end_matches(['*', '_']).ends_with(" min read")
                || is_footer(line))
}

fn is_footer(line: &str) -> bool {
    // The rows of a table begin with a bar, and a sentence has the words in its middle.
    !line.starts_with('|')
        && line.split(['|', '·', '•']).map(|part| part.trim().trim_end_matches('.')).any(|part| {
            FOOTERS.contains(&part)
                || part.starts_with("copyright ") && part.ends_with(" all rights reserved")
        })
}

#[cfg(test)]
mod tests {
    use super::blank_debris;

    #[test]
    fn buttons_above_code_and_dates_of_pages_go() {
        assert_eq!(
            blank_debris(
                "[What is collected](#what) · [Keys](#keys) [Bucket](#bucket) [Limits](#limits) [Quotas](#quotas) [When it goes wrong](#wrong)\nSee [Keys](#keys).\n"
            ),
            "\nSee [Keys](#keys).\n"
        );
        let text = "*Last updated: 3 months ago · 6 min read* Copy link\n```bash\nCopy\ncurl x\nCopy\n```\nWas this helpful? Yes\n";
        assert_eq!(blank_debris(text), "\n```bash\n\ncurl x\nCopy\n```\n\n");
    }

    #[test]
    fn debris_goes_and_lines_keep_their_numbers() {
        let text = "Skip to main content\r\n# Key\n\nIn this article\nCreate key\nAssign scopes\n\n1. Copy the key.\n2. Copy\n\nCopy\n```\ncopy\n```\nWas this article helpful?  Yes  No\n© 2025 Acme | Privacy\n";
        let expected = "\r\n# Key\n\n\n\n\n\n1. Copy the key.\n2. Copy\n\n\n```\ncopy\n```\n\n\n";
        assert_eq!(blank_debris(text), expected);
    }

    #[test]
    fn text_about_such_words_stays() {
        for text in [
            "In this article you learn how.\n",
            "Last updated records are fetched first.\n",
            "Last modified time is stored in `event.modified`.\n",
            "The print server.\n",
            "- Copy\n",
            "3. Open **Cookie settings** and allow all.\n",
            "Select Cookie settings in the console.\n",
            "| Cookie settings | All rights reserved |\n",
        ] {
            assert_eq!(blank_debris(text), text);
        }
        for content in ["1. Click **Save**\n", "| a | b |\n", "`gate export`\n"] {
            assert_eq!(blank_debris(&format!("On this page:\n{content}")), format!("\n{content}"));
        }
        assert_eq!(blank_debris("Copyright 2025 Acme. All rights reserved.\n"), "\n");
        assert_eq!(blank_debris("Terms | Privacy Policy\nAll rights reserved.\n"), "\n\n");
    }
}
