//! Stub.

use super::Issue;
use super::page::MarkdownPage;

pub(super) fn check(_page: &MarkdownPage<'_>) -> Vec<Issue> {
    Vec::new()
}

pub(super) fn score(_page: &MarkdownPage<'_>, _issues: &[Issue]) -> u8 {
    100
}
