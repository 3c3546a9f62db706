//! The validator of accuracy: title, version and fields agree with the package (SEC-108, SEC-109).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::Issue;
use super::page::{MarkdownPage, excerpt};
use crate::package::{IntegrationPackage, SectionTopic};

/// First components of field names that the Elastic Common Schema (ECS) and Beats define.
#[rustfmt::skip]
const ECS_ROOTS: &[&str] = &[
    "agent", "as", "base", "client", "cloud", "code_signature", "container", "data_stream", "destination", "device", "dll",
    "dns", "ecs", "elf", "email", "entity", "error", "event", "faas", "file", "geo", "group", "hash", "host", "http", "input",
    "interface", "labels", "log", "macho", "message", "network", "observer", "orchestrator", "organization", "os", "package",
    "pe", "process", "registry", "related", "risk", "rule", "server", "service", "source", "span", "tags", "threat", "tls",
    "trace", "transaction", "url", "user", "user_agent", "vlan", "volume", "vulnerability", "x509", "beat", "metricset",
    "fileset", "gen_ai",
];

/// First components of names that are settings and not fields.
#[rustfmt::skip]
const SETTING_ROOTS: &[&str] = &[
    "ssl", "output", "xpack", "elasticsearch", "kibana", "filebeat", "metricbeat", "logging", "proxy", "setup", "processors",
    "queue", "fleet", "monitoring", "security", "request", "response", "auth", "state", "resource", "var", "vars", "net",
    "java", "index", "cluster", "action", "pipeline", "ingest", "tracer", "parsers", "multiline", "rate_limit", "oauth2",
    "www", "logs", "metrics", "traces", "python", "node",
];

/// Last components of names that are files or hosts and not fields.
#[rustfmt::skip]
const FILE_ENDS: &[&str] = &[
    "yml", "yaml", "json", "md", "log", "txt", "conf", "cfg", "config", "ini", "sh", "py", "exe", "zip", "gz", "tar", "tgz",
    "pem", "crt", "cer", "key", "xml", "csv", "html", "js", "ts", "go", "rs", "jar", "properties", "toml", "lock", "env", "d",
    "sys", "dll", "so", "msi", "deb", "rpm", "bat", "ps1", "sql", "db", "pcap", "evtx", "p12", "pfx", "jks", "tpl", "tmpl",
    "gif", "png", "svg", "com", "org", "net", "io", "co", "gov", "edu", "local", "internal", "app", "dev", "eu", "de", "uk",
    "us", "info", "cloud", "int", "mil", "arpa", "localhost", "example", "test", "ai", "me", "biz",
];

static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"v?(?P<V>\d+\.\d+(?:\.\d+)?(?:-[0-9a-z.]+)?)";
    let pattern = format!(
        r"(?i)\b(?:integration|package)(?:['’]s)?\s+(?:current\s+)?version(?:\s+is|\s+number)?\s*:?\s*{}\b|\bversion:?\s+{}\s+of\s+(?:the|this)\s+(?:[\w-]+\s+){{0,4}}(?:integration|package)\b|\b(?:integration|package)\s+{}\b",
        number.replace("<V>", "<a>"),
        number.replace("<V>", "<b>"),
        number.replace("<V>", "<c>"),
    );
    Regex::new(&pattern).expect("a valid pattern")
});

static FIELD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^@?[a-z_][a-z0-9_]*(?:\.[a-z0-9_]+)+$").expect("a valid pattern"));

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let Some(package) = page.package else { return Vec::new() };
    let mut issues: Vec<Issue> = check_title(page, package).into_iter().collect();
    check_versions(page, package, &mut issues);
    check_fields(page, package, &mut issues);
    issues
}

/// Returns an issue if the text does not contain the title of the package. Of single sections only the
/// overview must contain it.
fn check_title(page: &MarkdownPage<'_>, package: &IntegrationPackage) -> Option<Issue> {
    let title = package.manifest.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_checked =
        page.section.is_none_or(|section| SectionTopic::of(section) == Some(SectionTopic::Overview));
    if title.is_empty() || !is_checked {
        return None;
    }
    let text = page.parts.prose.text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let message = format!("the title of the package, \"{}\", does not occur", excerpt(&title));
    (!text.contains(&title.to_lowercase()))
        .then(|| page.issue_of_text("accuracy/title", message, "name the product as the manifest does"))
}

fn check_versions(page: &MarkdownPage<'_>, package: &IntegrationPackage, issues: &mut Vec<Issue>) {
    let own = package.manifest.version.trim();
    if own.is_empty() {
        return;
    }
    for captures in VERSION.captures_iter(&page.parts.prose.text) {
        let Some(stated) = ["a", "b", "c"].iter().find_map(|name| captures.name(name)) else { continue };
        let behind = page.parts.prose.text[captures.get(0).map_or(0, |whole| whole.end())..].trim_start();
        // A lower bound is no statement about this version.
        let is_bound = behind.starts_with('+')
            || [
                "or later",
                "or higher",
                "or newer",
                "and later",
                "and above",
                "and higher",
                "or above",
                "and newer",
            ]
            .iter()
            .any(|bound| behind.get(..bound.len()).is_some_and(|start| start.eq_ignore_ascii_case(bound)));
        let is_same = own == stated.as_str()
            || own.strip_prefix(stated.as_str()).is_some_and(|rest| rest.starts_with('.'));
        if !is_bound && !is_same {
            let message = format!(
                "the text states version {}, the manifest {}",
                excerpt(stated.as_str()),
                excerpt(own)
            );
            issues.push(page.issue_in_prose(
                "accuracy/version",
                stated.start(),
                message,
                "state the version of the manifest or none",
            ));
        }
    }
}

/// Last components of names that are permissions and not fields.
const SCOPES: &[&str] = &["read", "write", "readonly", "manage", "admin", "all"];

fn check_fields(page: &MarkdownPage<'_>, package: &IntegrationPackage, issues: &mut Vec<Issue>) {
    let known = known_names(package);
    for span in &page.parts.code_spans {
        let name = span.text.trim();
        if !FIELD.is_match(name) || known.contains(name) {
            continue;
        }
        let mut parts = name.split('.');
        let root = parts.next().unwrap_or_default().trim_start_matches('@');
        let last = parts.next_back().unwrap_or_default();
        let is_version = last.chars().all(|c| c.is_ascii_digit());
        if ECS_ROOTS.contains(&root)
            || SETTING_ROOTS.contains(&root)
            || FILE_ENDS.contains(&last)
            || is_version
            || known.contains(root)
            // A scope of an API, such as `alerts.read`.
            || SCOPES.contains(&last)
            // The end of a field's name, behind a text that has its beginning.
            || known.iter().any(|field| field.strip_suffix(name).is_some_and(|start| start.ends_with('.')))
        {
            continue;
        }
        let message = format!("neither the package nor ECS defines the field `{}`", excerpt(name));
        let fix = "use a field of the package, or correct its name";
        issues.push(page.issue("accuracy/unknown-field", span.at, message, fix));
    }
}

/// Returns the names that a code span may have: fields and the groups above them, datasets, and variables.
fn known_names(package: &IntegrationPackage) -> BTreeSet<&str> {
    let mut known = BTreeSet::new();
    for stream in &package.data_streams {
        known.insert(stream.dataset.as_str());
        for field in &stream.fields {
            let name = field.name.as_str();
            known.insert(name);
            known.extend(
                name.match_indices('.').map(|(at, _)| &name[..at]).filter(|group| group.contains('.')),
            );
        }
    }
    let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    let inputs = templates.chain(package.data_streams.iter().flat_map(|stream| &stream.inputs));
    for variable in inputs.flat_map(|input| &input.variables) {
        known.insert(&variable.name);
        known.insert(variable.name.split('.').next().unwrap_or_default());
    }
    known
}
