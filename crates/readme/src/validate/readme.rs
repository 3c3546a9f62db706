//! The validator of plain READMEs of any project: bare addresses, links, files, tables.

use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MarkdownPage, excerpt};

/// Pattern of the beginnings of link targets that are no path in the repository.
static NOT_A_PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:[a-z][a-z0-9+.-]*:|//|#|\?|\{|<|%7b|\$|@|/)").expect("a valid pattern")
});

/// Beginnings of relative targets that are pages of the repository's web site and no files: issues,
/// releases, branches.
const SITE_PATHS: &[&str] = &[
    "../../",
    "issues",
    "pulls",
    "pull/",
    "releases",
    "wiki",
    "discussions",
    "actions",
    "tree/",
    "blob/",
    "compare/",
    "commit/",
    "commits/",
    "raw/",
];

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    check_urls(page, &mut issues);
    for link in page.parts.links.iter().filter(|link| !link.is_autolink) {
        let target = link.target.trim();
        let is_empty = target.is_empty() || target == "#" || target == "<>";
        // Scripts and pictures give HTML links without a target a meaning.
        if is_empty && !link.is_html {
            let name = if link.is_image { "image" } else { "link" };
            let shown = if link.text.trim().is_empty() { &link.alt } else { &link.text };
            let message = format!("the {name} \"{}\" has no target", excerpt(shown.trim()));
            issues.push(page.issue(
                "readme/empty-link",
                link.at,
                message,
                "add the target or remove the link",
            ));
        }
    }
    for reference in &page.parts.undefined {
        if page.skips("readme/undefined-reference", reference.at) {
            continue;
        }
        let message = format!("no definition of the reference `{}` exists", excerpt(&reference.text));
        let fix = "add a line `[name]: address`, or escape the bracket";
        issues.push(page.issue("readme/undefined-reference", reference.at, message, fix));
    }
    check_files(page, &mut issues);
    for row in page.parts.table_rows.iter().filter(|row| row.cells != row.expected) {
        if page.skips("readme/table-columns", row.at) {
            continue;
        }
        let message = format!("the row has {} cells, the table {} columns", row.cells, row.expected);
        let fix = "add or remove cells; write a bar inside a cell as `\\|`";
        issues.push(page.issue("readme/table-columns", row.at, message, fix));
    }
    issues
}

fn check_urls(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for (at, url) in &page.parts.bare_urls {
        if page.skips("readme/bare-url", *at) {
            continue;
        }
        let message = format!("the address `{}` is not written as a link", excerpt(url));
        issues.push(page.issue(
            "readme/bare-url",
            *at,
            message,
            "put it in angle brackets or behind a link text",
        ));
    }
}

fn check_files(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let Some(exists) = &page.options.files else { return };
    for link in page.parts.links.iter().filter(|link| !link.is_autolink) {
        let target = link.target.trim();
        let path = target.split(['#', '?']).next().unwrap_or_default();
        let is_site = SITE_PATHS.iter().any(|site| path.trim_start_matches("./").starts_with(site))
            || path.starts_with("..");
        if path.is_empty() || NOT_A_PATH.is_match(target) || is_site || !is_path(path) {
            continue;
        }
        let decoded = path.replace("%20", " ");
        let bare = decoded.trim_start_matches("./").trim_end_matches('/');
        if !bare.is_empty() && !exists(bare) {
            let message = format!("the repository has no file `{}`", excerpt(bare));
            issues.push(page.issue(
                "readme/missing-file",
                link.at,
                message,
                "correct the path or add the file",
            ));
        }
    }
}

/// Returns false for a target that only looks like a path: the name of an item in code, or a host without
/// its scheme.
fn is_path(path: &str) -> bool {
    let is_item = path.contains("::")
        || path.contains(['(', ')', '`', '*', '|', '"', '<', '>'])
        || path.contains(char::is_whitespace);
    let last = path.rsplit('/').next().unwrap_or_default();
    let has_ending = last
        .rsplit_once('.')
        .is_some_and(|(name, ending)| !name.is_empty() && (1..=8).contains(&ending.len()));
    let first = path.split('/').next().unwrap_or_default();
    let is_host = first.starts_with("www.")
        || (!path.starts_with('.')
            && [".com", ".org", ".io", ".net", ".dev", ".rs"]
                .iter()
                .any(|end| first.ends_with(end) && path.contains('/')));
    !is_item
        && !is_host
        && (has_ending
            || path.contains('/')
            || last.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-')))
}
