//! Checks code blocks (empty, without a language, never closed) and PRESERVE comments without their
//! partner.

use crate::document::preserve_edges;
use crate::validate::Issue;
use crate::validate::page::MarkdownPage;

pub(super) fn check_code(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    for code in &page.parts.code_blocks {
        if !code.is_closed {
            let message = "the code fence is never closed, so the rest of the text is code".to_owned();
            issues.push(page.issue(
                "structure/unclosed-fence",
                code.at,
                message,
                "close the fence below the code",
            ));
            // The block holds prose, so neither its language nor its content is judged.
            continue;
        }
        if code.info.is_some() && code.is_empty {
            let message = "the code block is empty".to_owned();
            issues.push(page.issue(
                "structure/empty-code-block",
                code.at,
                message,
                "add the code or remove the block",
            ));
        }
        if code.info.as_deref().is_some_and(|info| info.trim().is_empty()) {
            let message = "the code block names no language".to_owned();
            let fix = "name the language behind the opening fence, `text` for plain text";
            issues.push(page.issue("structure/fence-language", code.at, message, fix));
        }
    }
    for edge in preserve_edges(page.text).into_iter().filter(|edge| !edge.is_paired) {
        let (this, other) = if edge.is_start { ("START", "END") } else { ("END", "START") };
        let message =
            format!("the PRESERVE {this} comment has no PRESERVE {other} comment, so it protects nothing");
        let fix = "add the other comment, or remove this one";
        issues.push(page.issue("structure/unclosed-preserve", edge.range.start, message, fix));
    }
    issues
}
