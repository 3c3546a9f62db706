//! Selects the links of a text to fetch, and judges the fetched pages (SEC-122). The caller fetches;
//! nothing here opens a connection.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::rule_table::ValidationRule;
use super::{Issue, IssueSource, ValidationStage};
use crate::document::{DocumentLink, links};

/// A link of a document whose page the caller is to fetch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkToCheck {
    /// Address with `http` or `https`, without its fragment.
    pub url: String,
    /// Line of its first occurrence, from 1.
    pub line: usize,
}

/// Names and endings of hosts that are not on the public Internet, or are reserved for examples.
#[rustfmt::skip]
const RESERVED_HOSTS: &[&str] = &[
    "example.com", "example.org", "example.net", "example", "test", "invalid", "localhost", "local", "internal", "intranet",
    "lan", "home", "corp", "home.arpa", "localdomain",
];

/// Pattern of placeholders in an address, such as `<host>` or `your-domain`.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)[<>{}\[\]$|*]|%7b|%3c|\.\.\.|…|\b(?:your|my)[-_.]?(?:company|domain|org|organization|host|server|instance|tenant|name|account|region|url|ip|site|subdomain|cluster|deployment|project|app)|//(?:your|my)[-_.]|\b(?:placeholder|changeme|replace[-_]?me|todo|tbd)\b|x{4,}|//(?:host|hostname|server|domain|ip|address|fqdn)(?:name)?(?:[:/]|$)";
    Regex::new(pattern).expect("a valid pattern")
});
static SOFT_404: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?is)<(?:title|h1)\b[^>]*>[^<]{0,80}?(?:\b404\b|\bnot\s+found\b|\b(?:page|site)\s+(?:you\s+[^<]{0,30})?(?:does\s?n[o'’]t|no\s+longer|cannot|can[’']t)\s|\bno\s+such\s+page\b)";
    Regex::new(pattern).expect("a valid pattern")
});

/// Returns the public `http` and `https` links of a text, each address once, in the order of the text.
/// Addresses with placeholders and hosts of private networks are left out.
pub fn checkable_links(text: &str) -> Vec<LinkToCheck> {
    let mut seen = BTreeSet::new();
    let candidates = links(text).into_iter().filter_map(|link| {
        let url = web_address(&link)?;
        let is_public = !PLACEHOLDER.is_match(url) && host(url).is_some_and(is_public_host);
        is_public.then(|| LinkToCheck { url: url.to_owned(), line: link.line })
    });
    candidates.filter(|link| seen.insert(link.url.clone())).collect()
}

/// Returns an issue for each link to an address with a placeholder or a reserved host, such as
/// `example.com`; each target once.
pub fn placeholder_links(text: &str) -> Vec<Issue> {
    let mut seen = BTreeSet::new();
    let found = links(text).into_iter().filter(|link| {
        web_address(link).is_some_and(|url| {
            PLACEHOLDER.is_match(url) || host(url).is_none_or(|host| is_reserved(&host.to_lowercase()))
        })
    });
    found
        .filter(|link| seen.insert(link.target.clone()))
        .map(|link| {
            let message = format!("`{}` is a placeholder and no page", link.target);
            url_issue(
                "urls/placeholder",
                link.line,
                message,
                "link a page that exists, or show the address as code",
            )
        })
        .collect()
}

/// Judges a fetched page by its HTTP status and the start of its body. Returns an issue for a page that
/// does not exist (404, 410, or a text "not found"), a minor one for any other failure (401, 429, 500 and
/// so on), and `None` for a good page.
pub fn judge_page(link: &LinkToCheck, status: u16, body_start: &str) -> Option<Issue> {
    let url = &link.url;
    match status {
        404 | 410 => {
            let message = format!("the server answers `{url}` with status {status}");
            Some(url_issue(
                "urls/dead-link",
                link.line,
                message,
                "remove the link or find the page's new address",
            ))
        }
        200..=299 if SOFT_404.is_match(body_start) => {
            let message = format!("the page at `{url}` says that it was not found");
            Some(url_issue(
                "urls/dead-link",
                link.line,
                message,
                "remove the link or find the page's new address",
            ))
        }
        200..=399 => None,
        _ => Some(judge_refusal(link, &format!("status {status}"))),
    }
}

/// Makes the minor issue of a link whose page could not be fetched, with the reason: a status, a timeout, a
/// refused connection.
pub fn judge_refusal(link: &LinkToCheck, reason: &str) -> Issue {
    let message = format!("`{}` could not be checked: {reason}", link.url);
    url_issue("urls/forbidden", link.line, message, "open the link in a browser")
}

fn url_issue(rule: &str, line: usize, message: String, suggestion: &str) -> Issue {
    let rule = ValidationRule::find(rule).expect("the table has the rules of addresses");
    Issue {
        rule: rule.id.to_owned(),
        markdownlint: None,
        severity: rule.severity,
        category: ValidationStage::Urls,
        section: String::new(),
        line,
        message,
        suggestion: suggestion.to_owned(),
        source: IssueSource::Static,
    }
}

/// Returns the address of a link without its fragment; `None` unless its scheme is `http` or `https`.
fn web_address(link: &DocumentLink) -> Option<&str> {
    let url = link.target.split('#').next().unwrap_or_default().trim();
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    (lower.starts_with("http://") || lower.starts_with("https://")).then_some(url)
}

/// Returns the host in an address; `None` for an address without one, and for one with a user name, because
/// fetching it would send the password.
fn host(url: &str) -> Option<&str> {
    let authority = url.split_once("://")?.1.split(['/', '?', '\\']).next()?;
    if authority.contains('@') {
        return None;
    }
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next()?,
        None => authority.split(':').next()?,
    };
    Some(host.trim_end_matches('.')).filter(|host| !host.is_empty())
}

/// Returns true if a host name or IP address can be on the public Internet. The caller must still check the
/// IP addresses that a name resolves to.
fn is_public_host(host: &str) -> bool {
    let host = host.to_lowercase();
    if let Ok(address) = host.parse::<IpAddr>() {
        return match address {
            IpAddr::V4(address) => is_public_v4(address),
            IpAddr::V6(address) => is_public_v6(address),
        };
    }
    // `2130706433`, `0x7f.1` and `127.1` are IPv4 addresses to many resolvers.
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.starts_with(|c: char| c.is_ascii_digit());
    host.contains('.') && !is_number && !is_reserved(&host)
}

fn is_reserved(host: &str) -> bool {
    RESERVED_HOSTS
        .iter()
        .any(|name| host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.')))
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_benchmark = a == 198 && (b == 18 || b == 19);
    let is_special = a == 0 || a >= 240 || (a == 192 && b == 0 && c == 0);
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || is_shared
        || is_benchmark
        || is_special)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(v4) = address.to_ipv4() {
        return is_public_v4(v4);
    }
    let first = address.segments()[0];
    // 2000::/3 is routed; of it 2001:db8::/32 is for documents, 2002::/16 holds IPv4 addresses.
    (first & 0xe000) == 0x2000
        && first != 0x2002
        && !(first == 0x2001 && matches!(address.segments()[1], 0x0db8 | 0))
}
