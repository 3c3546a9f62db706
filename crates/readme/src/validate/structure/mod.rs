//! The validator of structure: headings, required sections, code blocks, anchors (SEC-102 to SEC-107). It sees whole documents only.

mod anchors;
mod code;
mod headings;
mod required;

use super::Issue;
use super::page::MarkdownPage;

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = headings::check_headings(page);
    issues.extend(required::check_required(page));
    issues.extend(code::check_code(page));
    issues.extend(anchors::check_links(page));
    issues
}
