//! Writes the tables of variables and notes on settings that need care. Also has the functions for
//! variables that the other writers share. Values of secrets are never shown.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::package::{IntegrationPackage, PackageInput, PackagePlace, PackageVariable};

use super::corrections::right_description;
use super::foreign::{code, line, sentence};
use super::inputs::InputProfile;
use super::overview::join;
use super::page::SectionPage;

/// Maximum length of a default that a table shows, in characters.
const DEFAULT_CHARS: usize = 80;

/// Maximum number of choices that a description lists; with more, none are listed.
const OPTIONS: usize = 12;

/// A group of variables that one table shows, because the user sets them in one place of the form.
struct SettingGroup<'a> {
    title: String,
    variables: &'a [PackageVariable],
    place: PackagePlace,
}

/// Writes a heading (at `level`) and a table for each group of variables, then the notes on settings that
/// need care.
pub(super) fn write(page: &mut SectionPage<'_>, level: u8) {
    let package = page.package;
    let groups = collect_groups(package);
    for group in &groups {
        page.heading(level, &group.title);
        let rows: Vec<Vec<String>> = group.variables.iter().map(row).collect();
        let places = std::iter::once(group.place.clone())
            .filter(|place| place.line > 0)
            .chain(group.variables.iter().map(|variable| variable.place.clone()));
        page.table(&["Setting", "Variable", "Description", "Default", "Required", "Secret"], &rows, places);
    }
    write_notes(page, &groups, level);
}

/// Returns all variables of a package in the order of the form; of variables with the same name only the
/// first.
pub(super) fn variables(package: &IntegrationPackage) -> Vec<&PackageVariable> {
    let templates = &package.manifest.policy_templates;
    let own =
        package.manifest.variables.iter().chain(templates.iter().flat_map(|template| &template.variables));
    let inputs = templates.iter().flat_map(|template| &template.inputs).flat_map(|input| &input.variables);
    let streams =
        package.data_streams.iter().flat_map(|stream| &stream.inputs).flat_map(|input| &input.variables);
    let mut known = BTreeSet::new();
    own.chain(inputs).chain(streams).filter(|variable| known.insert(&variable.name)).collect()
}

/// Returns all variables of a package in the order of the form, each with the type of its input; `None` for
/// a variable that belongs to no input. A variable with the same name, title and input type is returned
/// once.
pub(super) fn variables_with_inputs(package: &IntegrationPackage) -> Vec<(&PackageVariable, Option<&str>)> {
    let templates = &package.manifest.policy_templates;
    let own = package.manifest.variables.iter().chain(templates.iter().flat_map(|it| &it.variables));
    let inputs = templates.iter().flat_map(|template| &template.inputs);
    let inputs = inputs.chain(package.data_streams.iter().flat_map(|stream| &stream.inputs));
    let of_inputs =
        inputs.flat_map(|input| input.variables.iter().map(|variable| (variable, Some(input.kind.as_str()))));
    let mut known = BTreeSet::new();
    own.map(|variable| (variable, None))
        .chain(of_inputs)
        .filter(|(variable, kind)| known.insert((&variable.name, &variable.title, *kind)))
        .collect()
}

/// Returns the name of an input with the data streams that it fills: "the TCP input of `log`".
pub(super) fn labelled(streams: &[&str], input: &PackageInput) -> String {
    format!("the {} input{}", input_name(&input.kind), of_streams(streams))
}

/// Returns the words " of `a` and `b`" for the names of data streams; empty for an empty list, which stands
/// for all.
pub(super) fn of_streams(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| code(name)).collect();
    if names.is_empty() { String::new() } else { format!(" of {}", join(&names)) }
}

/// A variable of listening inputs whose default address, such as `localhost`, only the host of the agent
/// reaches.
pub(super) struct LocalAddress<'a> {
    pub(super) variable: &'a PackageVariable,
    /// Names of the inputs with this default; empty if all listening inputs have it.
    pub(super) owners: Vec<String>,
}

/// Returns the variables of listening inputs whose default address is `localhost`, `127.0.0.1` or `::1`,
/// each name and default once.
pub(super) fn local_addresses<'a>(package: &'a IntegrationPackage) -> Vec<LocalAddress<'a>> {
    let is_address = |variable: &&PackageVariable| {
        let name = variable.name.to_lowercase();
        name.contains("listen_address") || name.ends_with("_host") || name == "host"
    };
    let is_local = |variable: &PackageVariable| {
        let default = variable.default.as_ref().and_then(Value::as_str).unwrap_or_default();
        matches!(default, "localhost" | "127.0.0.1" | "::1")
    };
    let mut inputs = package.inputs();
    inputs.retain(|(_, input)| InputProfile::of(&input.kind).class.is_listener());
    if inputs.is_empty() {
        return Vec::new();
    }
    let templates = package.manifest.policy_templates.iter().flat_map(|template| &template.variables);
    let own = package.manifest.variables.iter().chain(templates);
    let own = own.filter(is_address).filter(|variable| is_local(variable));
    let mut found: Vec<LocalAddress<'_>> =
        own.map(|variable| LocalAddress { variable, owners: Vec::new() }).collect();
    let of_input = |(streams, input): (Vec<&'_ str>, &'a PackageInput)| {
        let owner = labelled(&streams, input);
        input.variables.iter().filter(is_address).map(move |it| (owner.clone(), it)).collect::<Vec<_>>()
    };
    let all: Vec<(String, &PackageVariable)> = inputs.into_iter().flat_map(of_input).collect();
    for (owner, variable) in all.iter().filter(|(_, variable)| is_local(variable)) {
        let is_same =
            |other: &PackageVariable| other.name == variable.name && other.default == variable.default;
        let is_mixed = all.iter().any(|(_, other)| !is_same(other));
        let owner = is_mixed.then(|| owner.clone());
        match found.iter_mut().find(|known| is_same(known.variable)) {
            Some(known) => known.owners.extend(owner),
            None => found.push(LocalAddress { variable, owners: owner.into_iter().collect() }),
        }
    }
    found
}

fn collect_groups(package: &IntegrationPackage) -> Vec<SettingGroup<'_>> {
    let mut groups = Vec::new();
    let mut add = |title: String, variables, place: &PackagePlace| {
        groups.push(SettingGroup { title, variables, place: place.clone() });
    };
    let place = PackagePlace { path: crate::package::MANIFEST.to_owned(), line: 0 };
    add("Settings of the integration".to_owned(), package.manifest.variables.as_slice(), &place);
    for template in &package.manifest.policy_templates {
        let name = line(if template.title.is_empty() { &template.name } else { &template.title });
        add(format!("Settings of {name}"), template.variables.as_slice(), &template.place);
        for input in &template.inputs {
            let of = if package.manifest.policy_templates.len() > 1 && !name.is_empty() {
                format!(" of {name}")
            } else {
                String::new()
            };
            add(
                format!("Settings of the {} input{of}", input_name(&input.kind)),
                input.variables.as_slice(),
                &input.place,
            );
        }
    }
    // Streams often repeat the same settings: one table serves all of them.
    let mut streams: Vec<(Vec<String>, &str, &[PackageVariable], &PackagePlace)> = Vec::new();
    for stream in &package.data_streams {
        for input in &stream.inputs {
            let same = streams.iter_mut().find(|(_, kind, variables, _)| {
                *kind == input.kind && are_equal(variables, &input.variables)
            });
            match same {
                Some((names, ..)) => names.push(code(&stream.name)),
                None => streams.push((vec![code(&stream.name)], &input.kind, &input.variables, &input.place)),
            }
        }
    }
    for (names, kind, variables, place) in streams {
        let streams = match names.as_slice() {
            _ if package.data_streams.len() == 1 => String::new(),
            [one] => format!(" for the data stream {one}"),
            several => format!(" for the data streams {}", join(several)),
        };
        add(format!("Settings of the {} input{streams}", input_name(kind)), variables, place);
    }
    groups.retain(|group| !group.variables.is_empty());
    groups
}

/// Returns true if two lists of variables differ only in facts that no table shows, such as their places.
fn are_equal(a: &[PackageVariable], b: &[PackageVariable]) -> bool {
    let facts = |it: &PackageVariable| (it.is_required, it.is_secret, it.is_shown, it.is_unused);
    let is_equal = |a: &PackageVariable, b: &PackageVariable| {
        a.name == b.name
            && a.title == b.title
            && a.description == b.description
            && a.kind == b.kind
            && a.default == b.default
            && a.options == b.options
            && a.switches == b.switches
            && facts(a) == facts(b)
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
}

/// Returns the name of an input type for people; the type as code if it has none. The result is Markdown.
pub(super) fn input_name(kind: &str) -> String {
    let name = InputProfile::of(kind).name;
    if name.is_empty() || name == "Metrics" { code(kind) } else { name.to_owned() }
}

fn row(variable: &PackageVariable) -> Vec<String> {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    vec![
        title(variable),
        code(&variable.name),
        description(variable),
        if variable.is_secret && variable.default.as_ref().is_some_and(is_set) {
            "preset".to_owned()
        } else {
            default(variable)
        },
        yes(variable.is_required),
        yes(variable.is_secret),
    ]
}

/// Returns the description of a variable as Markdown, corrected and with the choices, data streams and
/// switches that limit its effect. An unused variable gets the sentence that it has no effect.
pub(super) fn description(variable: &PackageVariable) -> String {
    // A description of an effect would be false.
    if variable.is_unused {
        return "It has no effect, because no configuration of the agent uses it.".to_owned();
    }
    let mut texts = vec![sentence(&right_description(variable))];
    let example = variable.default.as_ref().and_then(Value::as_str);
    if example.is_some_and(|it| !it.trim().is_empty() && is_only_comments(it)) {
        texts.push("The form has an example in comments.".to_owned());
    }
    texts.extend(options(variable));
    if !variable.unused_streams.is_empty() {
        let streams: Vec<String> = variable.unused_streams.iter().map(|stream| code(stream)).collect();
        let plural = if streams.len() == 1 { "data stream" } else { "data streams" };
        texts.push(format!("It has no effect on the {plural} {}.", join(&streams)));
    } else if !variable.switches.is_empty() {
        let switches: Vec<String> = variable
            .switches
            .iter()
            .map(|(switch, is_on)| format!("{} is {}", code(switch), if *is_on { "on" } else { "off" }))
            .collect();
        texts.push(format!("It has an effect only while {}.", join(&switches)));
    }
    texts.retain(|text| !text.is_empty());
    texts.join(" ")
}

/// Returns the sentence "Choices: …" for a variable whose form shows other texts than the values; `None` if
/// it does not, or for more than [`OPTIONS`] choices.
fn options(variable: &PackageVariable) -> Option<String> {
    let options = &variable.options;
    let is_named = options.iter().any(|option| !option.text.trim().is_empty() && option.text != option.value);
    if !is_named || options.len() > OPTIONS {
        return None;
    }
    let named: Vec<String> = options
        .iter()
        .map(|option| match line(&option.text) {
            text if text.is_empty() || option.text == option.value => code(&option.value),
            text => format!("{text} ({})", code(&option.value)),
        })
        .collect();
    Some(format!("Choices: {}.", join(&named)))
}

fn title(variable: &PackageVariable) -> String {
    line(if variable.title.is_empty() { &variable.name } else { &variable.title })
}

/// Returns the default of a variable as a code span; "see the form" if it is long, of several lines or
/// perhaps a secret. Empty for a variable that has no default or is secret.
pub(super) fn default(variable: &PackageVariable) -> String {
    if variable.is_secret {
        return String::new();
    }
    let text = match &variable.default {
        None => return String::new(),
        Some(Value::String(text)) if is_only_comments(text) => return String::new(),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Array(items)) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            let texts =
                items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            texts.collect::<Vec<_>>().join(", ")
        }
        Some(value) => value.to_string(),
    };
    if text.contains('\n') || text.chars().count() > DEFAULT_CHARS {
        return "see the form".to_owned();
    }
    // The name decides with the value: `password: x` is a secret even where the manifest does not say so.
    let named = format!("{}: {text}", variable.name);
    if stategraph_base::has_secret(&named) { "see the form".to_owned() } else { code(&text) }
}

/// Returns true if a default sets a value, that is, is not only comments in YAML.
fn is_set(default: &Value) -> bool {
    default.as_str().is_none_or(|text| !is_only_comments(text))
}

/// Returns true if a YAML text has only comments and blank lines.
fn is_only_comments(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

/// The reason why a setting needs care; settings with the same reason share a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingCare {
    Secret,
    Security,
    Debug,
    Tls,
    TimeZone,
    Processors,
    Yaml,
}

fn care(variable: &PackageVariable) -> Option<SettingCare> {
    let name = variable.name.to_lowercase();
    let description = variable.description.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if variable.is_secret => Some(SettingCare::Secret),
        () if has(&["tracer", "request_trace", "debug"]) => Some(SettingCare::Debug),
        () if has(&["insecure", "skip_verify", "disable_ssl", "disable_tls", "verification_none"])
            || ["compromise", "insecure", "weakens security"]
                .iter()
                .any(|words| description.contains(words)) =>
        {
            Some(SettingCare::Security)
        }
        () if has(&["ssl", "tls"]) && matches!(variable.kind.as_str(), "yaml" | "text" | "textarea" | "") => {
            Some(SettingCare::Tls)
        }
        () if has(&["tz_offset", "timezone", "time_zone"]) => Some(SettingCare::TimeZone),
        () if name == "processors" => Some(SettingCare::Processors),
        () if variable.kind == "yaml" => Some(SettingCare::Yaml),
        () => None,
    }
}

fn write_notes(page: &mut SectionPage<'_>, groups: &[SettingGroup<'_>], level: u8) {
    // Settings that need the same care share a note.
    let mut notes: Vec<(SettingCare, Vec<String>)> = Vec::new();
    let mut places = Vec::new();
    for (variable, _) in variables_with_inputs(page.package) {
        let Some(care) = care(variable).filter(|_| !variable.is_unused) else { continue };
        let label = format!("**{}** ({})", title(variable), code(&variable.name));
        places.push(variable.place.clone());
        match notes.iter_mut().find(|(known, _)| *known == care) {
            Some((_, labels)) if labels.contains(&label) => {}
            Some((_, labels)) => labels.push(label),
            None => notes.push((care, vec![label])),
        }
    }
    if notes.is_empty() || groups.is_empty() {
        return;
    }
    page.heading(level, "Settings that need care");
    let notes: Vec<String> = notes.iter().map(|(care, names)| note(*care, names)).collect();
    page.bullets(&notes, places);
}

/// The text of a note on settings that need care: it follows their names.
struct CareWords {
    /// Verb behind one name, and verb behind several names.
    verbs: [&'static str; 2],
    text: &'static str,
}

impl SettingCare {
    fn words(self) -> CareWords {
        let (verbs, text) = match self {
            Self::Secret => (
                ["is sensitive", "are sensitive"],
                ". Create credentials for this integration alone where the product allows it, keep them confidential, and never share them.",
            ),
            Self::Security => (
                ["affects security", "affect security"],
                ". Read the description before you change it, and keep the secure value in production.",
            ),
            Self::Debug => (
                ["is for debugging only", "are for debugging only"],
                ". Traces and debug logs cost performance, and they affect security because they can contain credentials and personal data. Turn them off afterwards.",
            ),
            Self::Tls => (
                ["configures", "configure"],
                " TLS, such as the certificate, the private key, the certificate authorities, and the verification mode. See [SSL/TLS settings](https://www.elastic.co/docs/reference/beats/filebeat/configuration-ssl).",
            ),
            Self::TimeZone => (
                ["must fit the source"; 2],
                ". A wrong time zone shifts the `@timestamp` of events whose times have no offset of their own.",
            ),
            Self::Processors => (
                ["takes", "take"],
                " a list of processors in YAML. The agent applies them to the events of the input before it sends them. See [Agent processors](https://www.elastic.co/docs/reference/fleet/agent-processors).",
            ),
            Self::Yaml => (
                ["takes", "take"],
                " YAML, in which the indentation has a meaning. Start from the default of the form if there is one.",
            ),
        };
        CareWords { verbs, text }
    }

    fn is_warning(self) -> bool {
        matches!(self, Self::Security | Self::Debug)
    }
}

fn note(care: SettingCare, labels: &[String]) -> String {
    let CareWords { verbs, text } = care.words();
    let warning = if care.is_warning() { "**Warning:** " } else { "" };
    format!("{warning}{} {}{text}", join(labels), verbs[usize::from(labels.len() > 1)])
}
