//! Checks the headings: titles, levels, repetitions (SEC-104).

use std::collections::{BTreeMap, BTreeSet};

use crate::validate::page::{MarkdownPage, PageHeading, excerpt};
use crate::validate::{DocumentProfile, Issue};

/// Maximum number of times that the same title of level 3 may occur.
const PART_REPEATS: usize = 3;

/// Parts of the addresses of badges. An image with such an address is no logo.
#[rustfmt::skip]
const BADGES: &[&str] = &[
    "badge", "shields.io", "travis-ci", "circleci", "appveyor", "/workflows/", "codecov", "coveralls", "badgen", "deps.rs",
    "gitter", "snyk.io", "discordapp.com/api", "discord.com/api", "isitmaintained", "opencollective", "zenodo", "app.netlify",
    "api.codacy", "sonarcloud", "goreportcard", "liberapay", "buymeacoffee", "ko-fi",
];

pub(super) fn check_headings(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    if page.parts.headings.is_empty() {
        let fix = "begin with a title of level 1 and divide the text by headings";
        issues.push(page.issue_of_text("structure/no-headings", "the text has no headings".to_owned(), fix));
        return issues;
    }
    check_first(page, &mut issues);
    check_titles(page, &mut issues);
    check_levels(page, &mut issues);
    check_duplicates(page, &mut issues);
    check_repeated_parts(page, &mut issues);
    issues
}

fn check_first(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let Some(first) = page.parts.headings.iter().find(|heading| !heading.is_nested) else { return };
    // Projects show their title as HTML of any size, or as a picture.
    let has_other_title = page.profile == DocumentProfile::Readme
        && (first.is_html || has_logo(page, first) || has_front_title(page));
    if first.level != 1 && !has_other_title {
        let message =
            format!("the first heading, \"{}\", is of level {}", excerpt(&first.title), first.level);
        issues.push(page.issue(
            "structure/first-heading",
            first.at,
            message,
            "begin with a title of level 1",
        ));
    }
}

/// Returns true if an image that is no badge stands above the first heading.
fn has_logo(page: &MarkdownPage<'_>, first: &PageHeading) -> bool {
    let above = page.parts.links.iter().take_while(|link| link.at < first.at).filter(|link| link.is_image);
    above.into_iter().any(|image| !BADGES.iter().any(|badge| image.target.to_lowercase().contains(badge)))
}

/// Returns true if the text begins with front matter that has a `title:`, from which pages are rendered.
fn has_front_title(page: &MarkdownPage<'_>) -> bool {
    let mut lines = page.text.trim_start_matches('\u{feff}').lines();
    lines.next().is_some_and(|line| line.trim_end() == "---")
        && lines.take_while(|line| line.trim_end() != "---").any(|line| line.starts_with("title:"))
}

fn check_titles(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    for title in page.outline().filter(|heading| heading.level == 1).skip(1) {
        let message = format!("\"{}\" is another heading of level 1", excerpt(&title.title));
        let fix = "keep one title of level 1 and lower the other headings by one level";
        issues.push(page.issue("structure/multiple-titles", title.at, message, fix));
    }
}

fn check_levels(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let mut above: Option<&PageHeading> = None;
    for heading in page.parts.headings.iter().filter(|heading| !heading.is_nested) {
        // The size of a heading in HTML is often chosen for its looks.
        let jumps = above.is_some_and(|above| !above.is_html && heading.level > above.level + 1);
        if jumps && !heading.is_html {
            let level = above.map_or(0, |above| above.level);
            let message = format!(
                "\"{}\" is of level {} below a heading of level {level}",
                excerpt(&heading.title),
                heading.level
            );
            let fix = format!("use level {}", level + 1);
            issues.push(page.issue("structure/level-jump", heading.at, message, &fix));
        }
        above = Some(heading);
    }
}

fn check_duplicates(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let mut seen: BTreeSet<(Option<usize>, u8, String)> = BTreeSet::new();
    let mut open: Vec<(u8, usize)> = Vec::new();
    for (number, heading) in page.outline().enumerate() {
        while open.last().is_some_and(|(level, _)| *level >= heading.level) {
            open.pop();
        }
        let parent = open.last().map(|(_, number)| *number);
        open.push((heading.level, number));
        let is_checked = match page.profile {
            DocumentProfile::Package => heading.level == 2,
            DocumentProfile::Readme => heading.level >= 2,
        };
        let title = heading.title.trim().to_lowercase();
        if !is_checked || title.is_empty() {
            continue;
        }
        let parent = parent.filter(|_| page.profile == DocumentProfile::Readme);
        let is_known = !seen.insert((parent, heading.level, title));
        if is_known && !page.skips("structure/duplicate-section", heading.at) {
            let message = format!("the heading \"{}\" occurs a second time", excerpt(&heading.title));
            let fix = "join the two sections or name the difference in their headings";
            issues.push(page.issue("structure/duplicate-section", heading.at, message, fix));
        }
    }
}

fn check_repeated_parts(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for part in page.outline().filter(|heading| heading.level == 3 && !heading.title.trim().is_empty()) {
        let count = counts.entry(part.title.trim().to_lowercase()).or_default();
        *count += 1;
        if *count == PART_REPEATS + 1 {
            let message =
                format!("the heading \"{}\" occurs more than {PART_REPEATS} times", excerpt(&part.title));
            let fix = "name the subject of each part in its heading";
            issues.push(page.issue("structure/repeated-part", part.at, message, fix));
        }
    }
}
