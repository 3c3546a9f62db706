//! Stub.

use super::Issue;
use super::page::MarkdownPage;

pub(super) fn check(_page: &MarkdownPage<'_>) -> Vec<Issue> {
    Vec::new()
}
