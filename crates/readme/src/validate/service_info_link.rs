//! The validator of the vendor's links: each link of the knowledge base (`service_info.md`) must occur in
//! the document (SEC-120).

use std::collections::{BTreeMap, BTreeSet};

use super::page::{MarkdownPage, excerpt};
use super::{Issue, IssueSeverity};
use crate::document::links;
use crate::package::{KnowledgeTopic, SectionTopic, ServiceInfo};

/// A link of the knowledge base, with the severity of an issue if the document lacks it.
struct VendorLink {
    target: String,
    text: String,
    severity: IssueSeverity,
}

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let wanted = vendor_links(page);
    let present = page.link_keys();
    let missing = wanted.into_iter().filter(|(key, _)| !present.contains(key));
    missing
        .map(|(_, link)| {
            let message =
                format!("the link `{}` of the service information is missing", excerpt(&link.target));
            let fix = format!("link it where \"{}\" is described", excerpt(link.text.trim()));
            let mut issue = page.issue_of_text("service-info-link/missing-link", message, &fix);
            issue.severity = link.severity;
            issue
        })
        .collect()
}

/// Returns the share of the vendor's links that the text has, in percent; 100 if there are none.
pub(super) fn score(page: &MarkdownPage<'_>, _: &[Issue]) -> u8 {
    let wanted = vendor_links(page);
    if wanted.is_empty() {
        return 100;
    }
    let present = page.link_keys();
    let found = wanted.keys().filter(|key| present.contains(*key)).count();
    u8::try_from(found * 100 / wanted.len()).unwrap_or(100)
}

/// Returns the links of the knowledge base that the text must have, by their [`link_key`]. A single section
/// must have only the links of the subjects that belong to it.
fn vendor_links(page: &MarkdownPage<'_>) -> BTreeMap<String, VendorLink> {
    let mut wanted = BTreeMap::new();
    let Some(text) = page.package.and_then(|package| package.service_info.as_deref()) else { return wanted };
    let info = ServiceInfo::parse(text);
    let weighty =
        [KnowledgeTopic::VendorSetUp, KnowledgeTopic::DocumentationSites, KnowledgeTopic::VendorResources];
    let weighty: BTreeSet<String> = weighty
        .iter()
        .flat_map(|topic| info.sections(*topic))
        .flat_map(|section| links(&section.text()))
        .filter_map(|link| link_key(&link.target))
        .collect();
    let own = match page.section {
        None => info.links(),
        Some(title) => {
            let sections = SectionTopic::of(title).map_or_else(Vec::new, |topic| info.sections_for(topic));
            sections.into_iter().flat_map(|section| links(&section.text())).collect()
        }
    };
    for link in own.into_iter().filter(|link| !link.is_image) {
        let Some(key) = link_key(&link.target) else { continue };
        let severity = if weighty.contains(&key) { IssueSeverity::Major } else { IssueSeverity::Minor };
        wanted.entry(key).or_insert(VendorLink { target: link.target, text: link.text, severity });
    }
    wanted
}

/// Returns an address in a normalized form, so that two spellings of one page are equal: in lower case,
/// without scheme, `www.`, fragment and last slash. `None` for targets that are no public web address, and
/// for pages of Elastic.
pub(super) fn link_key(target: &str) -> Option<String> {
    let lower = target.trim().to_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"))?;
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let key = rest.split('#').next().unwrap_or_default().trim_end_matches('/');
    let host = key.split('/').next().unwrap_or_default();
    (!is_local(host) && host != "elastic.co" && !host.ends_with(".elastic.co")).then(|| key.to_owned())
}

/// Returns true for a web address that readers cannot open: in a private network, or with a name to fill
/// in.
pub(crate) fn is_local_target(target: &str) -> bool {
    let lower = target.trim().to_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    rest.is_some_and(|rest| is_local(rest.split('/').next().unwrap_or_default()))
}

fn is_local(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    name.starts_with("localhost")
        || !name.contains('.')
        || host.contains(['<', '{', '$', '%'])
        || [".local", ".internal", ".lan"].iter().any(|end| name.ends_with(end))
        || name.parse().is_ok_and(is_private)
}

/// Returns true for an IPv4 address that can be reached only inside one network.
fn is_private(address: std::net::Ipv4Addr) -> bool {
    address.is_private() || address.is_loopback() || address.is_link_local() || address.is_unspecified()
}
