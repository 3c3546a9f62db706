//! Keeps a text of a model within its limit of tokens: whole sections are left out from the end, and named. Pure.

use crate::workflows::contextualize::content::count_tokens;

/// Tokens of the line about omitted parts.
const REMARK: usize = 60;

/// Cuts a text to `max` tokens by leaving out `##` sections that do not fit; a last line names them. Returns
/// the text and the headings of these sections.
pub(super) fn fit(text: &str, max: usize) -> (String, Vec<String>) {
    if count_tokens(text) <= max {
        return (text.to_owned(), Vec::new());
    }
    let limit = max.saturating_sub(REMARK);
    let (mut kept, mut used, mut left_out) = (String::new(), 0, Vec::new());
    for section in sections(text) {
        let tokens = count_tokens(section);
        let heading = section.lines().next().unwrap_or_default().trim_start_matches('#').trim();
        if used + tokens <= limit {
            used += tokens;
            kept.push_str(section);
        } else if kept.is_empty() {
            // The opening alone is too long.
            kept = first_paragraphs(section, limit);
            used = limit;
        } else {
            left_out.push(heading.to_owned());
        }
    }
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        let names = stategraph_base::cut(&names, 160).kept.to_owned();
        kept = format!("{}\n\n_Left out for the limit of {max} tokens: {names}._\n", kept.trim_end());
    }
    (kept, left_out)
}

/// Splits Markdown before each heading of the second level: first the text above, then each section with its
/// heading. Headings inside of code fences do not count.
pub(in super::super) fn sections(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let (mut at, mut in_fence) = (0, false);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_fence = !in_fence;
        }
        if !in_fence && line.starts_with("## ") && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).filter(|part| !part.is_empty()).collect()
}

fn first_paragraphs(text: &str, limit: usize) -> String {
    let mut kept = String::new();
    for paragraph in text.split_inclusive("\n\n") {
        if count_tokens(&kept) + count_tokens(paragraph) > limit {
            break;
        }
        kept.push_str(paragraph);
    }
    kept
}
