//! The validator of completeness: data streams, set-up, validation, disclosure, reference, template tags (SEC-110 to SEC-112). It sees
//! whole documents only.

use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MarkdownPage, ProseKind, excerpt};
use super::topics::{
    has_any, has_kibana_steps, has_vendor_steps, has_word, is_about_validation, names_product, topic_text,
};
use crate::document::is_disclosure;
use crate::package::{DataStream, IntegrationPackage, SectionTopic};

/// Arguments of template tags that are placeholders for the name of a data stream.
#[rustfmt::skip]
const TAG_PLACEHOLDERS: &[&str] = &[
    "data_stream", "datastream", "data-stream", "data stream", "data_stream_name", "datastream_name", "data-stream-name",
    "data stream name", "datastreamname", "stream", "stream_name", "stream-name", "streamname", "dataset", "dataset_name",
    "name", "package", "package_name", "your_data_stream", "example", "placeholder", "todo", "tbd", "xxx", "...",
    "data_stream_1",
];

/// Input types that listen on the network.
const NETWORK_INPUTS: &[&str] =
    &["tcp", "udp", "syslog", "http_endpoint", "netflow", "cef", "lumberjack", "unix"];

static ADDS_INTEGRATION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?s)\badd(?:s|ed|ing)?\b[^.]{0,80}\bintegrations?\b|\bintegrations?\b[^.]{0,60}\b(?:is|be|been)?\s*add(?:ed|ing)?\b|\badd \*{0,2}[a-z]|\binstall(?:ing)?\b[^.]{0,40}\bintegration\b";
    Regex::new(pattern).expect("a valid pattern")
});

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    check_disclosure(page, &mut issues);
    if topic_text(page, SectionTopic::Reference).is_none() {
        let fix = "add a section \"Reference\" with the inputs, and the fields and a sample event of each data stream";
        issues.push(page.issue_of_text(
            "completeness/reference",
            "no section is a reference".to_owned(),
            fix,
        ));
    }
    let Some(package) = page.package else { return issues };
    check_streams(page, package, &mut issues);
    check_tags(page, package, &mut issues);
    check_set_up(page, package, &mut issues);
    check_validation(page, package, &mut issues);
    check_network(page, package, &mut issues);
    if let Some(troubleshooting) = topic_text(page, SectionTopic::Troubleshooting) {
        // The title of the section may be all that names the product.
        if !names_product(&troubleshooting.lower, package) {
            let message = format!("the troubleshooting does not name {}", excerpt(&package.manifest.title));
            let fix = "add symptoms and remedies of this product";
            issues.push(page.issue_of_section(
                "completeness/vendor-troubleshooting",
                &troubleshooting.title,
                message,
                fix,
            ));
        }
    }
    issues
}

fn check_disclosure(page: &MarkdownPage<'_>, issues: &mut Vec<Issue>) {
    let notes: Vec<usize> = (1..=page.lines.count())
        .map(|line| page.lines.range(line))
        .filter(|range| is_disclosure(&page.text[range.clone()]) && !page.is_hidden(range.start))
        .map(|range| range.start)
        .collect();
    let fix = "keep one note right below the title";
    let Some(first) = notes.first() else {
        let message = "no note says that the document was generated with the help of AI".to_owned();
        issues.push(page.issue_of_text(
            "completeness/disclosure",
            message,
            "add the note right below the title",
        ));
        return;
    };
    for again in &notes[1..] {
        let message = "the note about AI occurs a second time".to_owned();
        issues.push(page.issue("completeness/disclosure", *again, message, fix));
    }
    let blocks =
        || page.parts.prose.blocks.iter().map(|block| (block, page.parts.prose.source(block.range.start)));
    let title = blocks().find(|(block, _)| block.kind == ProseKind::Heading).map_or(0, |(_, at)| at);
    let is_between = |at: usize| at > title && page.lines.line(at) < page.lines.line(*first);
    if *first < title
        || blocks().any(|(_, at)| is_between(at) && page.lines.line(at) != page.lines.line(title))
    {
        let message = "the note about AI does not stand right below the title".to_owned();
        issues.push(page.issue("completeness/disclosure", *first, message, fix));
    }
}

fn check_streams(page: &MarkdownPage<'_>, package: &IntegrationPackage, issues: &mut Vec<Issue>) {
    let lower = text_without_tags(page);
    for stream in &package.data_streams {
        if !is_named(&lower, stream) {
            let message = format!("the data stream `{}` is not named", excerpt(&stream.name));
            let fix = "name it where the collected data is listed";
            issues.push(page.issue_of_text("completeness/data-stream", message, fix));
        }
    }
}

/// Returns the visible text in lower case without template tags, because a tag names a data stream for the
/// build and not for the reader.
fn text_without_tags(page: &MarkdownPage<'_>) -> String {
    let source = page.visible();
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    for tag in &page.parts.tags {
        let end = source[tag.at..].find("}}").map_or(source.len(), |end| tag.at + end + 2);
        text.push_str(&source[done..tag.at]);
        done = end;
    }
    text.push_str(&source[done..]);
    text.to_lowercase()
}

fn is_named(lower: &str, stream: &DataStream) -> bool {
    let name = stream.name.to_lowercase();
    let title = stream.title.trim().to_lowercase();
    has_word(lower, &name)
        || has_word(lower, &name.replace('_', " "))
        || has_word(lower, &name.replace('_', "-"))
        || has_word(lower, &title)
        || (!stream.dataset.is_empty() && has_word(lower, &stream.dataset.to_lowercase()))
}

fn check_tags(page: &MarkdownPage<'_>, package: &IntegrationPackage, issues: &mut Vec<Issue>) {
    let is_stream = |name: &str| package.data_streams.iter().any(|stream| stream.name == name);
    for tag in page.parts.tags.iter().filter(|tag| !tag.argument.is_empty() && !is_stream(&tag.argument)) {
        let lower = tag.argument.to_lowercase();
        let shown = excerpt(&tag.argument);
        if TAG_PLACEHOLDERS.contains(&lower.as_str())
            || lower.contains(['<', '[', '.', '$'])
            || lower.starts_with("your")
        {
            let message =
                format!("the `{}` tag has the placeholder `{shown}` in place of a data stream", tag.name);
            issues.push(page.issue(
                "completeness/tag-placeholder",
                tag.at,
                message,
                "write the name of a data stream",
            ));
        } else {
            let message = format!(
                "the `{}` tag names the data stream `{shown}`, which the package does not have",
                tag.name
            );
            let fix = format!("use one of: {}", stream_names(package));
            issues.push(page.issue("completeness/unknown-stream", tag.at, message, &fix));
        }
    }
    let has_tag = |name: &str, stream: &DataStream| {
        // A tag without an argument stands for the only data stream.
        let is_only = package.data_streams.len() == 1;
        page.parts.tags.iter().any(|tag| {
            tag.name == name && (tag.argument == stream.name || (is_only && tag.argument.is_empty()))
        })
    };
    for stream in &package.data_streams {
        let name = excerpt(&stream.name);
        if !stream.fields.is_empty() && !has_tag("fields", stream) {
            let message = format!("the data stream `{name}` has no `fields` tag");
            let fix = format!("add `{{{{fields \"{name}\"}}}}` to the reference");
            issues.push(page.issue_of_text("completeness/missing-fields-tag", message, &fix));
        }
        if stream.sample_event.is_some() && !has_tag("event", stream) {
            let message = format!("the data stream `{name}` has a sample event and no `event` tag");
            let fix = format!("add `{{{{event \"{name}\"}}}}` to the reference");
            issues.push(page.issue_of_text("completeness/missing-event-tag", message, &fix));
        }
    }
}

fn stream_names(package: &IntegrationPackage) -> String {
    let names: Vec<&str> = package.data_streams.iter().map(|stream| excerpt(&stream.name)).take(10).collect();
    names.join(", ")
}

fn check_set_up(page: &MarkdownPage<'_>, package: &IntegrationPackage, issues: &mut Vec<Issue>) {
    let deploy = topic_text(page, SectionTopic::Deploy);
    let section = deploy.as_ref().map_or("", |deploy| deploy.title.as_str());
    if deploy.is_none() {
        let fix = "add a section with the steps in the vendor's product and in Kibana";
        issues.push(page.issue_of_text(
            "completeness/setup-section",
            "no section describes the set-up".to_owned(),
            fix,
        ));
    }
    if !deploy.as_ref().is_some_and(has_vendor_steps) {
        let message = format!("the set-up has no steps for {}", excerpt(&package.manifest.title));
        let fix = "add numbered steps for the vendor's product";
        issues.push(page.issue_of_section("completeness/vendor-steps", section, message, fix));
    }
    if !deploy.as_ref().is_some_and(has_kibana_steps) {
        let message = "the set-up has no steps for Kibana".to_owned();
        issues.push(page.issue_of_section(
            "completeness/kibana-steps",
            section,
            message,
            "add numbered steps for Kibana",
        ));
    }
    let lower = deploy.as_ref().map_or("", |deploy| deploy.lower.as_str());
    let adds = ADDS_INTEGRATION.is_match(lower);
    if !adds || !has_word(lower, "fleet") {
        let missing = if adds { "Fleet" } else { "adding the integration" };
        let message = format!("the deployment does not name {missing}");
        let fix =
            "say that Elastic Agent is enrolled in Fleet and that the integration is added to its policy";
        issues.push(page.issue_of_section("completeness/agent-deployment", section, message, fix));
    }
}

fn check_validation(page: &MarkdownPage<'_>, package: &IntegrationPackage, issues: &mut Vec<Issue>) {
    let sections = page.parts.document.flatten();
    let Some(section) = sections.iter().find(|section| is_about_validation(&section.title.to_lowercase()))
    else {
        let fix = "add steps that show that data arrives";
        let message = "no part shows how to validate the set-up".to_owned();
        issues.push(page.issue_of_text("completeness/validation-steps", message, fix));
        return;
    };
    let text = page.visible()[page.range_of(section)].to_lowercase();
    let dashboard = package.manifest.dashboards == 0 || text.contains("dashboard");
    let wanted = [
        (
            "the status of the agent",
            text.contains("agent") && has_any(&text, &["status", "healthy", "health"]),
        ),
        ("Discover", has_word(&text, "discover")),
        ("the dataset filter", has_any(&text, &["dataset", "data stream"])),
        ("the dashboard", dashboard),
    ];
    let missing: Vec<&str> = wanted.iter().filter(|(_, has)| !has).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        let message = format!("the validation lacks {}", missing.join(", "));
        let fix = "check the agent's status, filter by dataset in Discover, and open a dashboard";
        issues.push(page.issue_of_section("completeness/validation-steps", &section.title, message, fix));
    }
}

fn check_network(page: &MarkdownPage<'_>, package: &IntegrationPackage, issues: &mut Vec<Issue>) {
    let Some(input) = package.input_kinds().into_iter().find(|kind| NETWORK_INPUTS.contains(kind)) else {
        return;
    };
    let lower = page.visible().to_lowercase();
    let words = [
        "firewall",
        "firewalls",
        "port",
        "ports",
        "network",
        "listen address",
        "listening address",
        "reachable",
    ];
    if !words.iter().any(|word| has_word(&lower, word)) {
        let message = format!(
            "the input `{}` listens on the network, and no word is about ports or firewalls",
            excerpt(input)
        );
        let fix = "say which ports must be open from the product to the agent";
        issues.push(page.issue_of_text("completeness/network-advice", message, fix));
    }
}
