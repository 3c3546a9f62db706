//! Removes statements from a knowledge base that the files of the package contradict, because the knowledge
//! base is often older than the manifest. Also removes hints at places that are elsewhere in the document.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::document::{DocumentSection, FenceLine, FenceReader, ReadmeDocument};
use crate::package::{DataStream, IntegrationPackage, PackageVariable};

use super::overview::sentences;

/// Names, in lower case, of other products that receive the same data. Sections about their set-up are left
/// out.
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

/// Pattern of a version right behind the name of the Elastic Stack. A number elsewhere in the sentence is
/// about something else.
static STACK_VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:elastic stack|kibana|elasticsearch|the stack)\s+(?:versions?\s+)?v?(\d+(?:\.\d+){1,3})\b",
    )
    .expect("a valid pattern")
});

/// Pattern of words that make a sentence with a version a requirement. The manifest decides about
/// requirements.
static REQUIREMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:require[sd]?|needs?|needed|supports?|supported|at least|minimum|or (?:later|newer|higher|above))\b|\+")
        .expect("a valid pattern")
});

/// Pattern of a duration with its unit, such as `30 seconds` or `5m`.
static DURATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\d{1,6})[ -]?(seconds?|minutes?|hours?|days?|s|m|h|d)\b").expect("a valid pattern")
});

/// Pattern of a port number behind the word `port`.
static PORT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bport\s+[`*]*(\d{2,5})\b").expect("a valid pattern"));

/// Pattern of a sentence about a default of the integration or the agent, as opposed to one of the product.
static OWN_DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?is)\b(?:the integration|elastic agent|the agent|fleet)\b.*\bdefault\b|\bdefault\b.*\b(?:the integration|elastic agent|the agent|fleet)\b|\b(?:is|are) (?:polled|requested|fetched|collected) every\b")
        .expect("a valid pattern")
});

/// Pattern of a sentence about the time between requests.
static INTERVAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:interval|poll|request|fetch|collect|quer(?:y|ies))").expect("a valid pattern")
});

/// Pattern of a sentence that says that data is collected by default, without a step of the user.
static AUTOMATIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?is)\b(?:collect|enabl|turned on|ingest)[a-z]*\b.*\b(?:automatically|by default|out of the box|as soon as)\b|\b(?:automatically|by default|out of the box)\b.*\b(?:collect|enabl|turned on|ingest)")
        .expect("a valid pattern")
});

/// Pattern of a word such as `all`, which makes a sentence a statement about everything.
static ALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:all|every|everything|any|both)\b").expect("a valid pattern"));

/// Pattern of a word such as `not`, which may turn a sentence into its opposite.
static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:not|no|never|none|unless|except|off|disabled|without|only)\b|n't\b")
        .expect("a valid pattern")
});

/// Pattern of the default value that a description states: "default is 10".
static STATED_DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:the )?default(?: value)?(?: is|s to|:)\s+[`*]*([^\s`*;]+)")
        .expect("a valid pattern")
});

/// Pattern of a hint in parentheses at another place of the text: "(see the table below)".
static DIRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\s*\((?:see|refer to)\s[^()]{1,80}\b(?:above|below)\)").expect("a valid pattern")
});

/// Pattern of the quotation and list marks at the start of a line.
static LINE_MARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?").expect("a valid pattern")
});

/// Returns the sentences of a variable's description, without those that state a default other than the
/// real one.
pub(super) fn right_sentences(variable: &PackageVariable) -> Vec<&str> {
    let default = plain_default(variable).map(|default| leading_value(&default));
    let is_right = |sentence: &&str| {
        let stated = STATED_DEFAULT.captures(sentence).map(|found| leading_value(&found[1].replace(',', "")));
        match (stated, &default) {
            (Some(stated), Some(default)) => stated == *default || !is_value(&stated),
            _ => true,
        }
    };
    sentences(&variable.description).into_iter().filter(is_right).collect()
}

/// Returns the number at the start of a value (`30s` → `30`, because a text may say `30 seconds`); a value
/// that begins with no number is returned whole, in lower case.
fn leading_value(value: &str) -> String {
    let value = value.to_lowercase();
    let number: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let value = if number.is_empty() { value.as_str() } else { number.as_str() };
    value.trim_end_matches(['.', ',', ')']).to_owned()
}

/// Returns the description of a variable without the sentences that state a default other than the real
/// one.
pub(super) fn right_description(variable: &PackageVariable) -> Cow<'_, str> {
    let right = right_sentences(variable);
    if right.len() == sentences(&variable.description).len() {
        return Cow::Borrowed(&variable.description);
    }
    Cow::Owned(right.join("\n"))
}

/// Returns true if a word can be a default value: it begins with a digit, or is `true` or `false`. Words
/// such as `the` cannot.
fn is_value(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || matches!(word, "true" | "false")
}

/// The facts of a package that sentences of its knowledge base are checked against, collected once for each
/// section.
pub(super) struct ManifestCorrections {
    /// Title of the package, in lower case.
    title: String,
    /// Lowest supported versions of Kibana, one for each alternative of the range, such as `[8, 16, 0]`.
    versions: Vec<Vec<u64>>,
    /// Defaults of all variables that can be durations, in seconds.
    seconds: BTreeSet<u64>,
    ports: BTreeSet<String>,
    /// Names and titles of the data streams that are off by default, in lower case.
    off_streams: Vec<String>,
    is_partly_agentless: bool,
}

impl ManifestCorrections {
    pub(super) fn of(package: &IntegrationPackage) -> Self {
        let is_off =
            |stream: &&DataStream| !stream.inputs.is_empty() && stream.inputs.iter().all(|it| it.is_off);
        let off = package.data_streams.iter().filter(is_off).flat_map(|stream| [&stream.title, &stream.name]);
        let range = package.manifest.kibana_version.split("||");
        let (mut seconds, mut ports) = (BTreeSet::new(), BTreeSet::new());
        for variable in package.variables() {
            let Some(default) = plain_default(variable) else { continue };
            seconds.extend(times(&default));
            if variable.name.to_lowercase().ends_with("port") {
                ports.insert(default);
            }
        }
        let mut inputs = package.manifest.policy_templates.iter().flat_map(|template| &template.inputs);
        Self {
            title: package.title().to_lowercase(),
            versions: range.map(version_numbers).filter(|numbers| !numbers.is_empty()).collect(),
            seconds,
            ports,
            off_streams: off.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect(),
            is_partly_agentless: !package.agentless_templates().is_empty()
                || inputs.any(|input| !input.offers_agentless()),
        }
    }

    /// Returns the knowledge base without sections about other products that receive the data, without
    /// sentences that the package contradicts, and without hints at other places of the text.
    pub(super) fn apply(&self, document: ReadmeDocument) -> ReadmeDocument {
        ReadmeDocument { sections: self.sections(document.sections), ..document }
    }

    fn sections(&self, sections: Vec<DocumentSection>) -> Vec<DocumentSection> {
        let own = sections.into_iter().filter(|section| !self.is_about_other_product(&section.title));
        own.map(|section| DocumentSection {
            body: self.text(&section.body),
            children: self.sections(section.children),
            ..section
        })
        .collect()
    }

    /// Returns true if a heading is about the set-up of another product that receives the data, such as
    /// "Using Splunk". The product that the package itself is about does not count.
    fn is_about_other_product(&self, title: &str) -> bool {
        let title = title.to_lowercase();
        let is_about = |product: &&&str| {
            let using =
                ["using ", "with ", "for "].iter().any(|word| title.contains(&format!("{word}{product}")));
            using || title.contains(&format!("{product} instead")) || title.trim() == **product
        };
        OTHER_PRODUCTS.iter().filter(is_about).any(|product| !self.title.contains(product))
    }

    /// Returns the body of a section with its statements corrected, block by block, because a sentence may
    /// span lines. Code and tables stay.
    fn text(&self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let (mut fences, mut block) = (FenceReader::default(), String::new());
        for line in text.split_inclusive('\n') {
            let is_code = fences.read(line) != FenceLine::Outside;
            let words = line.trim_start();
            let is_apart = is_code || words.is_empty() || words.starts_with('|');
            let starts = LINE_MARK.find(line).is_some_and(|mark| !mark.as_str().trim().is_empty());
            if is_apart || starts {
                kept.push_str(&self.block(&std::mem::take(&mut block)));
            }
            if is_apart { kept.push_str(line) } else { block.push_str(line) }
        }
        kept + &self.block(&block)
    }

    fn block(&self, block: &str) -> String {
        let block = DIRECTION.replace_all(block, "");
        let start = LINE_MARK.find(&block).map_or(0, |mark| mark.end());
        let (mark, content) = block.split_at(start);
        let found = sentences(content);
        let (wrong, right): (Vec<&str>, Vec<&str>) =
            found.into_iter().partition(|sentence| self.contradict(sentence));
        // Half of an emphasis would be left.
        let is_cut = |sentence: &&str| ["**", "`"].iter().any(|mark| sentence.matches(mark).count() % 2 == 1);
        match () {
            () if wrong.is_empty() => block.into_owned(),
            () if right.is_empty() || wrong.iter().any(is_cut) => String::new(),
            () => format!("{mark}{}\n", right.join(" ")),
        }
    }

    /// Returns true if the sentence is about the integration and the facts of the package contradict it: an
    /// older version of the stack, a stream that is off, a wrong interval or port.
    fn contradict(&self, sentence: &str) -> bool {
        let stated = STACK_VERSION.captures(sentence).map(|found| version_numbers(&found[1]));
        if stated.is_some_and(|stated| self.is_too_old(&stated)) && REQUIREMENT.is_match(sentence) {
            return true;
        }
        let lower = sentence.to_lowercase();
        if !NEGATION.is_match(sentence) {
            let is_named = |name: &String| has_words(&lower, name);
            if AUTOMATIC.is_match(sentence) && self.off_streams.iter().any(is_named) {
                return true;
            }
            if lower.contains("agentless") && ALL.is_match(sentence) && self.is_partly_agentless {
                return true;
            }
        }
        if !OWN_DEFAULT.is_match(sentence) {
            return false;
        }
        let stated = DURATION.captures_iter(sentence).filter_map(|found| seconds_of(&found[1], &found[2]));
        let is_other_time = INTERVAL.is_match(sentence)
            && !self.seconds.is_empty()
            && stated.into_iter().any(|time| !self.seconds.contains(&time));
        let is_other_port = PORT
            .captures(sentence)
            .is_some_and(|found| !self.ports.is_empty() && !self.ports.contains(&found[1]));
        is_other_time || is_other_port
    }

    /// Returns true if a stated version of the Elastic Stack is below the range of the manifest. A number
    /// of four parts is an IP address and gives false.
    fn is_too_old(&self, stated: &[u64]) -> bool {
        let same = self.versions.iter().filter(|lowest| lowest.first() == stated.first());
        let is_below = |lowest: &Vec<u64>| stated < &lowest[..lowest.len().min(stated.len())];
        let lowest = self.versions.iter().map(|lowest| lowest[0]).min();
        stated.len() < 4
            && match same.clone().count() {
                0 => lowest.is_some_and(|lowest| stated[0] < lowest),
                _ => same.into_iter().all(is_below),
            }
    }
}

/// Returns the numbers of the first version in a text: `^8.18.4` → `[8, 18, 4]`; empty without one.
fn version_numbers(text: &str) -> Vec<u64> {
    let start = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = start.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(start.len());
    start[..end].split('.').map_while(|number| number.parse().ok()).collect()
}

/// Returns true if the text contains `words` as whole words, with regard to case.
pub(super) fn has_words(text: &str, words: &str) -> bool {
    let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        is_edge(text[..at].chars().next_back()) && is_edge(text[at + words.len()..].chars().next())
    })
}

fn plain_default(variable: &PackageVariable) -> Option<String> {
    match variable.default.as_ref()? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns the durations that a default can mean, in seconds: `10m` → 600; a number alone as seconds and as
/// minutes; nothing for any other text.
fn times(default: &str) -> Vec<u64> {
    if let Ok(number) = default.parse::<u64>() {
        return vec![number, number.saturating_mul(60)];
    }
    let found = DURATION.captures(default).filter(|found| found[0].len() == default.len());
    found.and_then(|found| seconds_of(&found[1], &found[2])).into_iter().collect()
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
        package.manifest.variables = vec![
            variable("interval", json!("5m")),
            variable("listen_port", json!(9514)),
            variable("wait", json!(7)),
        ];
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
            assert_eq!(
                ManifestCorrections::of(&package()).text(&text),
                "1. Select **Save**.\n2. Go on.\n\n",
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_sentence_over_two_lines_is_one_and_half_an_emphasis_is_not_left() {
        let correct = |text: &str| ManifestCorrections::of(&package()).text(text);
        let wrong = "The integration polls Velluma every 10 minutes by default,\nand keeps the cursor.";
        assert_eq!(correct(&format!("Start.\n{wrong} Go on.\n\nEnd.\n")), "Start. Go on.\n\nEnd.\n");
        assert_eq!(correct(&format!("* {wrong} Keep it.\n* Next\n")), "* Keep it.\n* Next\n");
        assert_eq!(correct("**Important: Kibana 8.4 or later. Do not change it.**\n"), "");
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
            "In Kibana, set **Listen Address** to `0.0.0.0`.\n",
            "Elasticsearch needs TLS 1.2 or later.\n",
            "Kibana 8.19 or later is supported.\n",
            "Seat usage is not collected by default, so turn it on.\n",
            "The agentless deployment does not offer all inputs.\n",
            "The integration waits 45 seconds by default.\n",
            "The integration polls every 7 seconds by default.\n",
            "```x``` is code.\n",
        ] {
            assert_eq!(ManifestCorrections::of(&package()).text(right), right);
        }
        let text = "The quota (see the limits below). Wait (see [the page](x)).\n";
        assert_eq!(ManifestCorrections::of(&package()).text(text), "The quota. Wait (see [the page](x)).\n");
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
        for (wrong, default) in [
            ("The port. The default is 6516.", json!(6515)),
            ("The port. The default is 651.", json!(6515)),
            ("The port. The default is false.", json!(true)),
        ] {
            assert_eq!(told(wrong, default), "The port.", "{wrong}");
        }
        assert_eq!(told("The default is 30 seconds.", json!("30s")), "The default is 30 seconds.");
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
        let text = "# Set up\n\nText.\n\n## Using Splunk instead?\n\nGone.\n\n## Add a Splunk HEC destination\n\nKept.\n";
        let titles = |package: &IntegrationPackage, text: &str| {
            let document = ManifestCorrections::of(package).apply(parse_all(text));
            document.flatten().iter().map(|section| section.title.clone()).collect::<Vec<_>>()
        };
        assert_eq!(titles(&package(), text), ["Set up", "Add a Splunk HEC destination"]);
        let mut splunk = package();
        splunk.manifest.title = "Splunk".to_owned();
        assert_eq!(titles(&splunk, text).len(), 3);
    }
}
