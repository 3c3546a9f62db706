//! Checks links inside the document, links with schemes of documentation builds, and links that are broken
//! by a space.

use std::cell::LazyCell;
use std::sync::LazyLock;

use regex::Regex;

use crate::validate::Issue;
use crate::validate::page::{Anchors, MarkdownPage, excerpt};

/// Pattern of an address with a scheme that only a documentation build resolves.
static INTERNAL_SCHEME: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\b(?:docs-content|kibana|beats|elasticsearch|logstash|logstash-docs-md|ecs|ecs-logging|integrations|integration-docs|apm-agent-[a-z]+|apm-server|apm-aws-lambda|cloud|cloud-on-k8s|ecctl|eland|elastic-serverless-forwarder|search-ui|tech-content|detection-rules|asciidocalypse)://[^\s)>\]]*";
    Regex::new(pattern).expect("a valid pattern")
});

/// Pattern of `[text] (target)`, a link broken by a space, in prose, in which addresses are masked.
static SPLIT_LINK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\[[^\[\]\n]{1,300}\](?P<gap>[ \t]+)\((?:\x1a{8,}|#[\w-]+|\.{0,2}/[^\s()]*|[\w./-]+\.(?:md|html?|rst|adoc|txt|png|svg|jpe?g|gif|pdf)(?:#[\w-]*)?)\)";
    Regex::new(pattern).expect("a valid pattern")
});

/// Pattern of fragments for which no heading is needed: those that renderers of footnotes or Rust
/// documentation make, and `#readme` on a repository's page.
static FOREIGN_FRAGMENT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)^(?:fn(?:ref)?[:\-]?\d+|footnote|readme$|l\d+(?:-l\d+)?$|(?:method|tymethod|variant|structfield|associatedtype|associatedconstant)\.|(?:impl|deref-methods|trait-implementations)\b|[:!/~]|.*[=/])";
    Regex::new(pattern).expect("a valid pattern")
});

pub(super) fn check_links(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    // Most texts have no such link.
    let anchors = LazyCell::new(|| Anchors::collect(&page.parts.headings, &page.parts.html_ids));
    for link in page.parts.links.iter().filter(|link| !link.is_image) {
        let Some(fragment) = link.target.strip_prefix('#') else { continue };
        let is_broken = !anchors.contains(fragment) && !FOREIGN_FRAGMENT.is_match(fragment);
        if is_broken && !page.skips("structure/broken-anchor", link.at) {
            let message =
                format!("the link leads to `#{}`, and no heading or anchor has this name", excerpt(fragment));
            let fix =
                "use the anchor of an existing heading: lower case, blanks as `-`, punctuation left out";
            issues.push(page.issue("structure/broken-anchor", link.at, message, fix));
        }
    }
    for found in INTERNAL_SCHEME.find_iter(page.text).filter(|found| !page.is_hidden(found.start())) {
        let message =
            format!("`{}` works only in the build of another documentation", excerpt(found.as_str()));
        let fix = "link the public page with https";
        issues.push(page.issue("structure/internal-scheme", found.start(), message, fix));
    }
    for captures in SPLIT_LINK.captures_iter(&page.parts.prose.text) {
        let at = captures.name("gap").map_or(0, |gap| gap.start());
        let message = "a blank between `]` and `(` keeps this from being a link".to_owned();
        issues.push(page.issue_in_prose("structure/broken-link", at, message, "remove the blank"));
    }
    issues
}
