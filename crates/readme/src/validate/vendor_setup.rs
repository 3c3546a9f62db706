//! The validator of the set-up in the vendor's product. It checks only packages whose knowledge base has a
//! section about it (SEC-118).

use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MarkdownPage, excerpt};
use super::service_info_link::link_key;
use super::topics::{
    TopicText, has_any, has_kibana_steps, has_vendor_steps, is_about_validation, is_numbered, names_product,
    topic_text,
};
use crate::document::{DocumentSection, links};
use crate::package::{IntegrationPackage, KnowledgeTopic, SectionTopic, ServiceInfo};

/// Minimum number of bullets with a command to the reader that count as a list of steps.
const STEP_BULLETS: usize = 2;

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    let verbs = "log|sign|go|navigate|open|click|select|choose|enter|type|run|execute|add|create|configure|set|enable|save|apply|deploy|copy|paste|install|connect|press|restart|specify|define|assign|bind|expand|switch|commit|download|upload|generate|review|confirm|verify|ssh|provide|fill|check|start|edit|deselect|turn|activate";
    Regex::new(&format!(r"(?m)^[ \t]*[-*+][ \t]+(?:\[[ x]\] )?\*{{0,2}}(?:{verbs})\b"))
        .expect("a valid pattern")
});

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let Some(package) = page.package else { return Vec::new() };
    let Some(text) = package.service_info.as_deref() else { return Vec::new() };
    let info = ServiceInfo::parse(text);
    let vendor = info.sections(KnowledgeTopic::VendorSetUp);
    if vendor.is_empty() {
        return Vec::new();
    }
    let Some(deploy) = topic_text(page, SectionTopic::Deploy) else {
        let is_document = page.section.is_none();
        let message =
            "the service information has set-up steps of the vendor, and the document has none".to_owned();
        let fix = "add the vendor's steps to the section about the deployment";
        return if is_document {
            vec![page.issue_of_text("vendor-setup/missing", message, fix)]
        } else {
            Vec::new()
        };
    };
    let mut issues = Vec::new();
    check_parts(page, &deploy, &mut issues);
    check_vendor_links(page, &info, &vendor, &deploy, &mut issues);
    check_writing(page, package, &deploy, &mut issues);
    issues
}

fn check_parts(page: &MarkdownPage<'_>, deploy: &TopicText, issues: &mut Vec<Issue>) {
    // The prerequisites have a section of their own, which a single section does not have.
    let words = [
        "prerequisite",
        "requirement",
        "before you begin",
        "before you start",
        "you need",
        "you must have",
        "required",
    ];
    let needs = topic_text(page, SectionTopic::Needs).is_some() || has_any(&deploy.lower, &words);
    let text = if page.section.is_none() { page.visible().to_lowercase() } else { deploy.lower.clone() };
    let is_validated = has_any(&text, &["validat", "verify", "verif", "confirm that"]);
    let checks = [
        (
            has_vendor_steps(deploy),
            "vendor-setup/missing",
            "the set-up has no steps for the vendor's product, and the service information has some",
            "add the vendor's steps",
        ),
        (
            page.section.is_some() || needs,
            "vendor-setup/prerequisites",
            "the prerequisites of the vendor's product are missing",
            "add them before the steps",
        ),
        (
            is_validated,
            "vendor-setup/validation",
            "no steps validate the set-up",
            "add steps that show that data arrives",
        ),
        (
            has_kibana_steps(deploy),
            "vendor-setup/kibana-steps",
            "the set-up has no steps in Kibana",
            "add the steps in Kibana",
        ),
    ];
    let missing = checks.into_iter().filter(|(has, ..)| !has);
    issues.extend(
        missing.map(|(_, rule, message, fix)| {
            page.issue_of_section(rule, &deploy.title, message.to_owned(), fix)
        }),
    );
}

/// Reports a text that has none of the vendor's links. One link is enough here; each missing one is an
/// issue of another validator.
fn check_vendor_links(
    page: &MarkdownPage<'_>,
    info: &ServiceInfo,
    vendor: &[&DocumentSection],
    deploy: &TopicText,
    issues: &mut Vec<Issue>,
) {
    let mut known: Vec<String> = vendor
        .iter()
        .flat_map(|section| links(&section.text()))
        .filter_map(|link| link_key(&link.target))
        .collect();
    // A section alone does not have the links of the others.
    if known.is_empty() && page.section.is_none() {
        known = info.links().iter().filter_map(|link| link_key(&link.target)).collect();
    }
    if !known.is_empty() && !known.iter().any(|key| page.link_keys().contains(key)) {
        let message = "no link leads to the vendor's documentation".to_owned();
        issues.push(page.issue_of_section(
            "vendor-setup/vendor-links",
            &deploy.title,
            message,
            "link the pages that the service information names",
        ));
    }
}

fn check_writing(
    page: &MarkdownPage<'_>,
    package: &IntegrationPackage,
    deploy: &TopicText,
    issues: &mut Vec<Issue>,
) {
    for part in &deploy.parts {
        let bullets = STEP.find_iter(&part.lower).count();
        // Bullets below numbered steps are details of a step.
        if bullets < STEP_BULLETS || part.lower.lines().any(is_numbered) || is_about_validation(&part.title) {
            continue;
        }
        // Lower case can have another length than the source, so the line is counted.
        let before =
            STEP.find(&part.lower).map_or(0, |first| part.lower[..first.start()].matches('\n').count());
        let line = (page.lines.line(part.at) + before).min(page.lines.count());
        let message = format!("{bullets} steps are bullets");
        issues.push(page.issue(
            "vendor-setup/bullets",
            page.lines.range(line).start,
            message,
            "number the steps",
        ));
    }
    if !names_product(&deploy.lower, package) {
        let message = format!("the set-up does not name {}", excerpt(&package.manifest.title));
        issues.push(page.issue_of_section(
            "vendor-setup/product-name",
            &deploy.title,
            message,
            "name the product in the steps",
        ));
    }
}
