//! The validator of advanced settings: the document must explain options that weaken security, debug, use
//! TLS, hold secrets or have complex values (SEC-121).

use std::collections::BTreeMap;

use super::Issue;
use super::page::{MarkdownPage, excerpt};
use super::topics::{has_any, has_word};
use crate::package::{IntegrationPackage, PackageVariable, SectionTopic};

/// A class of options that a document must explain: its rule, the test for its variables, and the words of
/// an explanation.
struct OptionKind {
    rule: &'static str,
    applies: fn(&PackageVariable) -> bool,
    /// Words of which an explanation must have at least `least`.
    words: &'static [&'static str],
    least: usize,
    fault: &'static str,
    fix: &'static str,
}

const KINDS: &[OptionKind] = &[
    OptionKind {
        rule: "advanced-settings/security",
        applies: weakens_security,
        words: &[
            "warning",
            "caution",
            "not recommended",
            "risk",
            "only for testing",
            "test environment",
            "not for production",
            "in production",
            "do not disable",
            "never disable",
            "man-in-the-middle",
            "security implication",
            "less secure",
        ],
        least: 1,
        fault: "weakens security, and no text warns of it",
        fix: "warn that the option is for tests only",
    },
    OptionKind {
        rule: "advanced-settings/debug",
        applies: debugs,
        words: &[
            "warning",
            "caution",
            "only for",
            "temporar",
            "disable it",
            "turn it off",
            "sensitive",
            "disk space",
            "performance",
            "not recommended",
            "troubleshooting only",
            "in production",
            "should not be",
        ],
        least: 1,
        fault: "is for debugging, and no text warns of it",
        fix: "say that it writes sensitive data and is switched off after use",
    },
    OptionKind {
        rule: "advanced-settings/tls",
        applies: uses_tls,
        words: &[
            "certificate",
            "tls",
            "ssl",
            "certificate authorit",
            "private key",
            "verification",
            "cipher",
            "mutual",
        ],
        least: 2,
        fault: "configures TLS, and no text explains it",
        fix: "name the certificate, the key and the verification",
    },
    OptionKind {
        rule: "advanced-settings/sensitive",
        applies: is_sensitive,
        words: &[
            "secure",
            "encrypt",
            "secret",
            "credential",
            "rotate",
            "protect",
            "least privilege",
            "do not share",
            "confidential",
            "sensitive",
            "permission",
            "keep it safe",
        ],
        least: 1,
        fault: "holds a secret, and no text says how to treat it",
        fix: "say where it comes from, which rights it needs and how it is stored",
    },
    OptionKind {
        rule: "advanced-settings/complex",
        applies: is_complex,
        words: &["yaml", "example", "format", "syntax", "```"],
        least: 1,
        fault: "has a complex value, and no text explains it",
        fix: "show an example of its value",
    },
];

pub(super) fn check(page: &MarkdownPage<'_>) -> Vec<Issue> {
    let Some(package) = page.package else { return Vec::new() };
    // The other sections have no settings to explain.
    if page.section.is_some_and(|title| SectionTopic::of(title) != Some(SectionTopic::Deploy)) {
        return Vec::new();
    }
    let variables = variables(package);
    let mut issues = Vec::new();
    if variables.is_empty() {
        return issues;
    }
    let paragraphs = paragraphs(page);
    for kind in KINDS {
        let own: Vec<&&PackageVariable> =
            variables.values().filter(|variable| (kind.applies)(variable)).collect();
        let unexplained = own.iter().filter(|variable| !is_explained(kind, variable, &paragraphs));
        // One explanation serves all options of TLS and all secrets.
        let is_shared = own.len() > 1 && own.iter().any(|variable| is_explained(kind, variable, &paragraphs));
        if is_shared && matches!(kind.rule, "advanced-settings/tls" | "advanced-settings/sensitive") {
            continue;
        }
        let names: Vec<&str> = unexplained.map(|variable| excerpt(&variable.name)).take(10).collect();
        if !names.is_empty() {
            let message = format!("the option `{}` {}", names.join("`, `"), kind.fault);
            issues.push(page.issue_of_text(kind.rule, message, kind.fix));
        }
    }
    issues
}

/// Returns the variables of all inputs by name, without unused ones. Of equal names the last counts.
fn variables(package: &IntegrationPackage) -> BTreeMap<&str, &PackageVariable> {
    let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    let inputs = templates.chain(package.data_streams.iter().flat_map(|stream| &stream.inputs));
    let effective = inputs.flat_map(|input| &input.variables).filter(|variable| !variable.is_unused);
    effective.map(|variable| (variable.name.as_str(), variable)).collect()
}

/// Returns the text in lower case, cut into paragraphs and list items, each together with the quotes, code
/// or indented lines below it.
fn paragraphs(page: &MarkdownPage<'_>) -> Vec<String> {
    let lower = page.visible_with_code().to_lowercase().replace("\r\n", "\n");
    let mut pieces: Vec<String> = Vec::new();
    for piece in lower.split("\n\n") {
        match pieces.last_mut() {
            Some(last) if piece.starts_with(['>', '`', ' ']) && last.len() < 4_000 => {
                last.push('\n');
                last.push_str(piece);
            }
            _ => pieces.push(piece.to_owned()),
        }
    }
    pieces
}

fn is_explained(kind: &OptionKind, variable: &PackageVariable, paragraphs: &[String]) -> bool {
    let names = [
        variable.name.to_lowercase(),
        variable.title.trim().to_lowercase(),
        variable.name.to_lowercase().replace(['_', '.'], " "),
    ];
    let is_named = |text: &String| {
        names.iter().any(|name| !name.is_empty() && has_word(text, name))
            || topic_words(kind.rule).iter().any(|word| text.contains(word))
    };
    // The name of an option explains nothing about it.
    let count = |text: &String| {
        let mut rest = text.clone();
        names.iter().filter(|name| !name.is_empty()).for_each(|name| rest = rest.replace(name.as_str(), ""));
        kind.words.iter().filter(|word| rest.contains(*word)).count()
    };
    paragraphs.iter().any(|text| is_named(text) && count(text) >= kind.least)
}

/// Returns words that mention all options of a rule together; empty for a rule without such words.
fn topic_words(rule: &str) -> &'static [&'static str] {
    match rule {
        "advanced-settings/security" => &["verification", "insecure"],
        "advanced-settings/debug" => &["tracer", "tracing", "debug"],
        "advanced-settings/tls" => &["tls", "ssl"],
        "advanced-settings/sensitive" => &["api key", "password", "token", "secret", "credential"],
        _ => &[],
    }
}

fn weakens_security(variable: &PackageVariable) -> bool {
    let name = variable.name.to_lowercase();
    let default = variable.default.as_ref().map(ToString::to_string).unwrap_or_default();
    has_any(
        &name,
        &[
            "insecure",
            "skip_verify",
            "skip_ssl",
            "skip_tls",
            "disable_ssl",
            "disable_tls",
            "disable_verification",
            "verification_mode",
            "verify_ssl",
            "ssl_verify",
            "verify_tls",
            "allow_self_signed",
            "disable_auth",
            "trust_all",
            "no_verify",
        ],
    ) || default.contains("verification_mode: none")
}

fn debugs(variable: &PackageVariable) -> bool {
    let name = variable.name.to_lowercase();
    name.split(['.', '_', '-'])
        .any(|part| matches!(part, "debug" | "debugging" | "tracer" | "tracing" | "verbose"))
}

fn uses_tls(variable: &PackageVariable) -> bool {
    let name = variable.name.to_lowercase();
    name.split(['.', '_', '-']).any(|part| matches!(part, "ssl" | "tls" | "certificate" | "certificates"))
}

fn is_sensitive(variable: &PackageVariable) -> bool {
    let name = variable.name.to_lowercase();
    variable.is_secret
        || variable.kind == "password"
        || has_any(&name, &["password", "api_key", "apikey", "client_secret", "secret_key", "access_key"])
}

fn is_complex(variable: &PackageVariable) -> bool {
    variable.kind == "yaml" && !uses_tls(variable)
}
