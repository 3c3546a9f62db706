//! The validator of the vendor's set-up. It runs only if the service information has a section about it (SEC-118).

use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MarkdownPage, excerpt};
use super::service_info_link::link_key;
use super::topics::{TopicText, has_any, has_word, names_product, topic_text};
use crate::document::{DocumentSection, links};
use crate::package::{IntegrationPackage, KnowledgeTopic, SectionTopic, ServiceInfo};

/// Number of bullets with commands to the reader that make a list of steps.
const STEP_BULLETS: usize = 2;

static STEP: LazyLock<Regex> = LazyLock::new(|| {
    let verbs = "log|sign|go|navigate|open|click|select|choose|enter|type|run|execute|add|create|configure|set|enable|save|apply|deploy|copy|paste|install|connect|press|restart|specify|define|assign|bind|expand|switch|commit|download|upload|generate|review|confirm|verify|ssh|provide|fill|check|start|edit|deselect|turn|activate";
    Regex::new(&format!(r"(?m)^[ \t]*[-*+][ \t]+(?:\[[ x]\] )?\*{{0,2}}(?:{verbs})\b")).expect("a valid pattern")
});
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^[ \t]*\d+[.)][ \t]+\S").expect("a valid pattern"));

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
        let message = "the service information has set-up steps of the vendor, and the document has none".to_owned();
        let fix = "add the vendor's steps to the section about the deployment";
        return if is_document { vec![page.issue_of_text("vendor-setup/missing", message, fix)] } else { Vec::new() };
    };
    let mut issues = Vec::new();
    if !has_steps(&deploy) {
        let message = "the set-up has no steps, and the service information has some of the vendor".to_owned();
        issues.push(page.issue("vendor-setup/missing", deploy.at, message, "add the vendor's steps"));
        return issues;
    }
    check_parts(page, &info, &deploy, &mut issues);
    check_vendor_links(page, &info, &vendor, &deploy, &mut issues);
    check_writing(page, package, &deploy, &mut issues);
    issues
}

fn has_steps(deploy: &TopicText) -> bool {
    NUMBERED.is_match(&deploy.lower) || STEP.find_iter(&deploy.lower).count() >= STEP_BULLETS
}

fn check_parts(page: &MarkdownPage<'_>, info: &ServiceInfo, deploy: &TopicText, issues: &mut Vec<Issue>) {
    // The prerequisites have a section of their own, which a single section does not have.
    let needs = topic_text(page, SectionTopic::Needs).is_some()
        || has_any(&deploy.lower, &["prerequisite", "requirement", "before you begin", "before you start", "you need", "must have", "required"]);
    if page.section.is_none() && !needs && !info.sections(KnowledgeTopic::VendorPrerequisites).is_empty() {
        let message = "the prerequisites of the vendor's product are missing".to_owned();
        issues.push(page.issue("vendor-setup/prerequisites", deploy.at, message, "add them before the steps"));
    }
    let validates = if page.section.is_none() { page.text.to_lowercase() } else { deploy.lower.clone() };
    if !has_any(&validates, &["validat", "verify", "verif", "confirm that"]) {
        let message = "no steps validate the set-up".to_owned();
        issues.push(page.issue("vendor-setup/validation", deploy.at, message, "add steps that show that data arrives"));
    }
    if !has_word(&deploy.lower, "kibana") {
        let message = "the set-up has no steps in Kibana".to_owned();
        issues.push(page.issue("vendor-setup/kibana-steps", deploy.at, message, "add the steps in Kibana"));
    }
}

/// One link of the vendor is enough here; each missing one is an issue of another validator.
fn check_vendor_links(page: &MarkdownPage<'_>, info: &ServiceInfo, vendor: &[&DocumentSection], deploy: &TopicText, issues: &mut Vec<Issue>) {
    let mut known: Vec<String> = vendor.iter().flat_map(|section| links(&section.text())).filter_map(|link| link_key(&link.target)).collect();
    if known.is_empty() {
        known = info.links().iter().filter_map(|link| link_key(&link.target)).collect();
    }
    let has_link = page.links.iter().filter_map(|link| link_key(&link.target)).any(|key| known.contains(&key));
    if !known.is_empty() && !has_link && !links(page.text).iter().filter_map(|link| link_key(&link.target)).any(|key| known.contains(&key)) {
        let message = "no link leads to the vendor's documentation".to_owned();
        issues.push(page.issue("vendor-setup/vendor-links", deploy.at, message, "link the pages that the service information names"));
    }
}

fn check_writing(page: &MarkdownPage<'_>, package: &IntegrationPackage, deploy: &TopicText, issues: &mut Vec<Issue>) {
    let bullets = STEP.find_iter(&deploy.lower).count();
    if bullets >= STEP_BULLETS && bullets > NUMBERED.find_iter(&deploy.lower).count() {
        let message = format!("{bullets} steps are bullets");
        issues.push(page.issue("vendor-setup/bullets", deploy.at, message, "number the steps"));
    }
    if !names_product(&deploy.lower, package) {
        let message = format!("the set-up does not name {}", excerpt(&package.manifest.title));
        issues.push(page.issue("vendor-setup/product-name", deploy.at, message, "name the product in the steps"));
    }
}
