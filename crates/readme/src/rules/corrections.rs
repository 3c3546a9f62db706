//! Corrections to what a knowledge base says: its statements about the integration are older than the manifest, and its text stands in another
//! order in the document. The rules leave out what the files of the package contradict.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::document::DocumentSection;
use crate::package::{DataStream, IntegrationPackage, PackageVariable};

use super::overview::sentences;

/// Products that get the same data. Their set-up is none of this integration.
const OTHER_PRODUCTS: &[&str] = &[
    "splunk",
    "qradar",
    "sumo logic",
    "datadog",
    "arcsight",
    "logrhythm",
    "graylog",
    "exabeam",
    "securonix",
    "microsoft sentinel",
    "azure sentinel",
    "google secops",
    "chronicle",
];

/// A version of the Elastic Stack.
static STACK_VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:elastic stack|kibana|elasticsearch|the stack)\b[^.;]*?\bv?(\d+\.\d+(?:\.\d+)?)\b")
        .expect("a valid pattern")
});

/// A time with its unit.
static DURATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\d{1,6})[ -]?(seconds?|minutes?|hours?|days?|s|m|h|d)\b").expect("a valid pattern")
});

/// The number of a port.
static PORT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bport\s+[`*]*(\d{2,5})\b").expect("a valid pattern"));

/// A default of the integration, not of the product.
static OWN_DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:the integration|elastic agent|the agent|fleet)\b.*\bdefault\b|\bdefault\b.*\b(?:the integration|elastic agent|the agent|fleet)\b|\b(?:is|are) (?:polled|requested|fetched|collected) every\b")
        .expect("a valid pattern")
});

/// A statement that something is collected without a step of the user.
static AUTOMATIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:collect|enabl|turned on|ingest)[a-z]*\b.*\b(?:automatically|by default|out of the box|as soon as)\b|\b(?:automatically|by default|out of the box)\b.*\b(?:collect|enabl|turned on|ingest)")
        .expect("a valid pattern")
});

/// A statement about everything.
static ALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:all|every|everything|any|both)\b").expect("a valid pattern"));

/// A default that a description names.
static STATED_DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:the )?default(?: value)?(?: is|s to|:)\s+[`*]*([^\s`*;]+)")
        .expect("a valid pattern")
});

/// A hint at a place in the old order, in parentheses.
static DIRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\s*\((?:see|refer to)\s[^()]{1,80}\b(?:above|below)\)").expect("a valid pattern")
});

/// Returns the sentences of a description that do not name another default than the setting has.
pub(super) fn right_sentences(variable: &PackageVariable) -> Vec<&str> {
    let default = plain_default(variable);
    let is_right = |sentence: &&str| {
        let stated = STATED_DEFAULT.captures(sentence);
        let stated = stated.as_ref().map(|found| found[1].trim_end_matches(['.', ',', ')']));
        match (stated, &default) {
            // Of `30 seconds` only the number is read, and the default is `30s`.
            (Some(stated), Some(default)) => {
                let stated = stated.replace(',', "").to_lowercase();
                default.to_lowercase().starts_with(&stated) || !is_value(&stated)
            }
            _ => true,
        }
    };
    sentences(&variable.description).into_iter().filter(is_right).collect()
}

/// Returns a description without the sentences that name another default than the setting has.
pub(super) fn right_description(variable: &PackageVariable) -> Cow<'_, str> {
    let right = right_sentences(variable);
    if right.len() == sentences(&variable.description).len() {
        return Cow::Borrowed(&variable.description);
    }
    Cow::Owned(right.join("\n"))
}

/// Returns true for a word that can be a value, such as a number or a duration; `empty` and `the` are none.
fn is_value(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || matches!(word, "true" | "false")
}

/// Returns true for a heading about another consumer of the data.
pub(super) fn is_about_other_product(title: &str, package: &IntegrationPackage) -> bool {
    let (title, own) = (title.to_lowercase(), package.title().to_lowercase());
    OTHER_PRODUCTS.iter().any(|product| title.contains(product) && !own.contains(product))
}

/// Returns a section of the knowledge base without the sub-sections about other products, without sentences that the package contradicts,
/// and without directions to places that are elsewhere in the document.
pub(super) fn correct(section: &DocumentSection, package: &IntegrationPackage) -> DocumentSection {
    let children = section.children.iter().filter(|child| !is_about_other_product(&child.title, package));
    DocumentSection {
        body: correct_text(&section.body, package),
        children: children.map(|child| correct(child, package)).collect(),
        ..section.clone()
    }
}

fn correct_text(text: &str, package: &IntegrationPackage) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start();
        let is_fence = words.starts_with("```") || words.starts_with("~~~");
        is_code ^= is_fence;
        if is_code || is_fence || words.starts_with('|') {
            kept.push_str(line);
            continue;
        }
        let line = DIRECTION.replace_all(line, "");
        // The mark of a list belongs to no sentence.
        let start = line.find(|c: char| c.is_alphabetic() || matches!(c, '`' | '[' | '*')).unwrap_or(0);
        let (mark, content) = line.split_at(start);
        let found = sentences(content);
        let right: Vec<&str> =
            found.iter().copied().filter(|sentence| !is_contradicted(sentence, package)).collect();
        match right.len() {
            count if count == found.len() => kept.push_str(&line),
            0 => {}
            _ => {
                kept.push_str(mark);
                kept.push_str(&right.join(" "));
                kept.push('\n');
            }
        }
    }
    kept
}

/// Returns true for a sentence about the integration that the manifest contradicts.
fn is_contradicted(sentence: &str, package: &IntegrationPackage) -> bool {
    let range = &package.manifest.kibana_version;
    let is_other_version = |version: &str| {
        let numbers = range.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        numbers.filter(|number| !number.is_empty()).all(|number| {
            let behind = number.strip_prefix(version);
            behind.is_none_or(|behind| !behind.is_empty() && !behind.starts_with('.'))
        })
    };
    if STACK_VERSION.captures(sentence).is_some_and(|found| !range.is_empty() && is_other_version(&found[1]))
    {
        return true;
    }
    let lower = sentence.to_lowercase();
    let is_off = |stream: &&DataStream| !stream.inputs.is_empty() && stream.inputs.iter().all(|it| it.is_off);
    let is_named = |stream: &DataStream| {
        let names = [&stream.title, &stream.name].map(|name| name.trim().to_lowercase());
        names.iter().any(|name| !name.is_empty() && has_words(&lower, name))
    };
    if AUTOMATIC.is_match(sentence) && package.data_streams.iter().filter(is_off).any(is_named) {
        return true;
    }
    if lower.contains("agentless") && ALL.is_match(sentence) && is_partly_agentless(package) {
        return true;
    }
    if !OWN_DEFAULT.is_match(sentence) {
        return false;
    }
    let defaults: Vec<String> = package.variables().filter_map(plain_default).collect();
    let seconds: Vec<u64> = defaults.iter().filter_map(|default| whole_seconds(default)).collect();
    let stated: Vec<u64> =
        DURATION.captures_iter(sentence).filter_map(|found| seconds_of(&found[1], &found[2])).collect();
    if !stated.is_empty() && !seconds.is_empty() && stated.iter().any(|time| !seconds.contains(time)) {
        return true;
    }
    let is_port = |variable: &&PackageVariable| variable.name.to_lowercase().ends_with("port");
    let ports: Vec<String> = package.variables().filter(is_port).filter_map(plain_default).collect();
    PORT.captures(sentence).is_some_and(|found| !ports.is_empty() && !ports.contains(&found[1].to_owned()))
}

/// Returns true if the text has these words as whole words.
fn has_words(text: &str, words: &str) -> bool {
    let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        is_edge(text[..at].chars().next_back()) && is_edge(text[at + words.len()..].chars().next())
    })
}

/// Returns true if the agentless deployment lacks an input or a part of the package.
fn is_partly_agentless(package: &IntegrationPackage) -> bool {
    let mut inputs = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
    let lacks = |modes: &[String]| !modes.is_empty() && modes.iter().all(|mode| mode != "agentless");
    !package.agentless_templates().is_empty() || inputs.any(|input| lacks(&input.deployment_modes))
}

fn plain_default(variable: &PackageVariable) -> Option<String> {
    match variable.default.as_ref()? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the seconds of a default such as `10m`; `None` for any other text.
fn whole_seconds(default: &str) -> Option<u64> {
    let found = DURATION.captures(default)?;
    (found[0].len() == default.len()).then(|| seconds_of(&found[1], &found[2]))?
}

fn seconds_of(number: &str, unit: &str) -> Option<u64> {
    let factor = match unit.to_lowercase().chars().next()? {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        _ => 86_400,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse_all;
    use crate::package::{PackageInput, PolicyTemplate};
    use serde_json::json;

    fn package() -> IntegrationPackage {
        let variable = |name: &str, default: Value| PackageVariable {
            name: name.to_owned(),
            default: Some(default),
            ..PackageVariable::default()
        };
        let mut package = IntegrationPackage::default();
        package.manifest.title = "Velluma".to_owned();
        package.manifest.kibana_version = "^8.18.4 || ^9.0.4".to_owned();
        package.manifest.variables =
            vec![variable("interval", json!("5m")), variable("listen_port", json!(9514))];
        package.manifest.policy_templates = vec![PolicyTemplate {
            agentless: Some(true),
            inputs: vec![PackageInput {
                deployment_modes: vec!["default".to_owned()],
                ..PackageInput::default()
            }],
            ..PolicyTemplate::default()
        }];
        package.data_streams = [("seat", true), ("journal", false)]
            .map(|(name, is_off)| DataStream {
                name: name.to_owned(),
                inputs: vec![PackageInput { is_off, ..PackageInput::default() }],
                ..DataStream::default()
            })
            .to_vec();
        package
    }

    #[test]
    fn sentences_that_the_manifest_contradicts_are_left_out() {
        for wrong in [
            "Elastic Stack 8.13 or later.",
            "Kibana version 8.4.0 is needed.",
            "Elastic Stack 8.1 or later.",
            "The integration polls Velluma every 10 minutes by default.",
            "By default the integration requests events every 30s.",
            "Elastic Agent listens on port 514 by default.",
            "The journal is polled every 15 minutes; change **Interval** if you need it faster.",
            "Activity is polled every 5 minutes; visits every 2 minutes.",
            "The agentless deployment collects all three kinds of records.",
            "Seat usage is collected automatically as soon as the integration is installed.",
        ] {
            let text = format!("1. Select **Save**. {wrong}\n2. Go on.\n\n- {wrong}\n");
            assert_eq!(correct_text(&text, &package()), "1. Select **Save**.\n2. Go on.\n\n", "{wrong}");
        }
    }

    #[test]
    fn other_sentences_stay_as_they_are() {
        for right in [
            "Elastic Stack 8.18 or later.\n",
            "Velluma 8.13 or later.\n",
            "Entries of the journal are collected automatically.\n",
            "Seats of journals are seated automatically and enabled.\n",
            "The integration polls Velluma every 5 minutes by default.\n",
            "The console listens on port 443 by default.\n",
            "Velluma keeps events for 90 days by default.\n",
            "```\nElastic Stack 8.13\n```\n",
            "| Elastic Stack | 8.13 |\n",
            "Attach the policy below.  \nGo on\n",
            "   \n> text. More\n",
        ] {
            assert_eq!(correct_text(right, &package()), right);
        }
        let text = "The quota (see the limits below). Wait (see [the page](x)).\n";
        assert_eq!(correct_text(text, &package()), "The quota. Wait (see [the page](x)).\n");
    }

    #[test]
    fn a_default_of_a_description_is_that_of_the_setting() {
        let told = |description: &str, default: Value| {
            let variable = PackageVariable {
                description: description.to_owned(),
                default: Some(default),
                ..PackageVariable::default()
            };
            right_description(&variable).into_owned()
        };
        assert_eq!(told("The port. The default is 6516.", json!(6515)), "The port.");
        for right in [
            "The port. The default is 6515.",
            "The default is the port of the system.",
            "Default: `6515`.",
            "The default is 6,515 here.",
        ] {
            assert_eq!(told(right, json!(6515)), right);
        }
    }

    #[test]
    fn sections_about_other_consumers_are_left_out() {
        let document =
            parse_all("# Set up\n\nText.\n\n## Using Splunk instead?\n\nGone.\n\n## Keys\n\nKept.\n");
        let section = correct(&document.sections[0], &package());
        let titles: Vec<&str> = section.children.iter().map(|child| child.title.as_str()).collect();
        assert_eq!(titles, ["Keys"]);
        let mut splunk = package();
        splunk.manifest.title = "Splunk".to_owned();
        assert!(!is_about_other_product("Using Splunk", &splunk));
    }
}
