//! Sentences of guides that tell how something is added: they name the files that it needs.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::about::without_links;
use super::{cut_at_word, falling};
use crate::facts::{SourceLines, without_html_comments};

/// Most guides that are read, and the longest in bytes.
const GUIDES: usize = 12;
const BYTES: usize = 200_000;
/// Maximum of sentences, and the longest in characters.
const SENTENCES: usize = 5;
const CHARS: usize = 260;

/// Words in the names of guides for contributors.
const NAMES: &[&str] = &["contributing", "hacking", "develop", "readme", "architecture", "maintain"];

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let is_guide = |path: &&String| {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let is_text = [".md", ".rst", ".txt"].iter().any(|end| name.ends_with(end)) || !name.contains('.');
        is_text && path.matches('/').count() <= 2 && NAMES.iter().any(|word| name.starts_with(word))
    };
    let mut at = 0;
    for path in survey.files.iter().filter(is_guide).take(GUIDES) {
        let Some((_, text)) = survey.code.text(path).ok().filter(|(_, text)| text.len() <= BYTES) else {
            continue;
        };
        // Comments are no text of a guide, and may hold anything.
        for (start, end, said) in sentences(&without_html_comments(&text)) {
            let source = SourceLines { path: path.clone(), start, end };
            let Some(said) = survey.quoter.prose(&cut_at_word(&said, CHARS)) else { continue };
            let rank = falling(85.0, at, 2.0);
            draft.add(
                ContextSection::Additions,
                rank,
                "ways to add something",
                format!("- {said} {}", place(&source)),
            );
            at += 1;
            if at == SENTENCES {
                return;
            }
        }
    }
}

/// Returns the sentences of a guide that tell how to add something and name a file, each with the first and
/// last line of its paragraph. Code blocks are skipped.
fn sentences(text: &str) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut in_fence = false;
    for (at, line) in text.lines().chain(std::iter::once("")).enumerate() {
        let bare = line.trim();
        let is_border = bare.is_empty() || bare.starts_with(['#', '|', '<']) || bare.starts_with("```");
        if bare.starts_with("```") {
            in_fence = !in_fence;
        }
        if !is_border && !in_fence {
            paragraph.push(bare);
            continue;
        }
        let joined = paragraph.join(" ");
        for sentence in
            joined.split_inclusive(". ").map(str::trim).filter(|sentence| tells_addition(sentence))
        {
            found.push((at + 1 - paragraph.len(), at, without_links(sentence)));
        }
        paragraph.clear();
    }
    found
}

/// Returns true for a sentence that tells how something new is added ("To add a …") and names a file or
/// folder; sentences for users of the product do not count.
fn tells_addition(sentence: &str) -> bool {
    const STARTS: &[&str] = &[
        "to add ",
        "want to add ",
        "to create a new",
        "to implement a new",
        "to write a new",
        "when adding ",
        "when you add ",
        "adding a new",
        "adding new",
        "add a new",
        "to support a new",
        "new tests ",
        "add tests ",
        "to introduce ",
    ];
    let lower = sentence.to_lowercase();
    let names_file = sentence
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | '[' | ']' | ',' | '"'))
        .any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let end = word.rsplit_once('.').map_or("", |(_, end)| end);
            let is_address = word.contains("://") || word.starts_with("www.");
            let is_folder = word.contains('/')
                && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.'));
            !is_address
                && (is_folder
                    || (1..=4).contains(&end.len())
                        && end.starts_with(|c: char| c.is_ascii_lowercase())
                        && word.len() > 3)
        });
    let is_for_users =
        ["pip install", "homebrew", "~/.", "your shell", ".bashrc", ".zshrc", "your project", "your app"]
            .iter()
            .any(|word| lower.contains(word));
    names_file && !is_for_users && sentence.len() < 500 && STARTS.iter().any(|start| lower.contains(start))
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn a_sentence_about_an_addition_names_its_files() {
        let text = "# Adding\n\nShops sell.\nIf you want to add a new book please change\n[books.c](src/books.c) and [books.t](t/books.t). Then wait.\n\nTo add joy, smile.\n```\nto add x.c\n```\n";
        assert_eq!(
            sentences(text),
            [(3, 5, "If you want to add a new book please change books.c and books.t.".to_owned())]
        );
        assert!(sentences("To add a shell alias edit ~/.bashrc for it.").is_empty());
    }
}
