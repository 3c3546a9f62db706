//! Facts about settings of users and operators: environment variables, command-line options, configuration
//! files, their keys, build features.
//!
//! Reading order: this file (the checks of every setting), `variables`, `helpers`, `flags` (a module a
//! language), `hand` (options without a library), `keys`, `tables`, `structures`, `kong`, `constants` and
//! `named` (names for literals), then settings outside code: `manifests`, `files`, `samples` and
//! `documented`.

pub(crate) mod constants;
mod documented;
mod files;
mod flags;
mod hand;
mod helpers;
mod keys;
mod known_names;
pub(crate) mod kong;
mod manifests;
mod named;
mod samples;
mod structures;
mod tables;
mod usage;
mod variables;

use std::collections::BTreeSet;
use std::sync::Arc;

use stategraph_repo::{FileOutline, Language, ParsedFile, Site, SiteKind};

use crate::calls::is_minified;
use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SettingForm, SourceLines};
use crate::role::role_of;
use crate::text::{has_secret, visible};

/// Maximum number of settings of one file.
const SETTINGS: usize = 2_000;
/// Maximum length of a setting's name, in bytes.
const NAME: usize = 100;
/// Words in names of settings whose values are secrets.
const SECRET_NAMES: &[&str] = &["KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// Scripts that Autotools copies into a project; they are not read.
const AUTOTOOLS: &[&str] = &[
    "configure",
    "install-sh",
    "missing",
    "depcomp",
    "compile",
    "test-driver",
    "ylwrap",
    "mkinstalldirs",
    "ltmain.sh",
    "config.guess",
    "config.sub",
    "mdate-sh",
    "py-compile",
    "config.rpath",
    "ar-lib",
    "libtool",
];

/// Last words of names whose values are no secrets even if a word of `SECRET_NAMES` precedes:
/// `PASSWORD_STORE_DIR`, `TOKEN_LIFETIME`.
const PLAIN_ENDS: &[&str] = &[
    "DIR",
    "DIRECTORY",
    "FOLDER",
    "LENGTH",
    "SIZE",
    "TIME",
    "TIMEOUT",
    "TTL",
    "LIFETIME",
    "UMASK",
    "MODE",
    "FORMAT",
    "SET",
    "SYMBOLS",
    "SELECTION",
    "SECONDS",
    "MINUTES",
    "HOURS",
    "DAYS",
    "COUNT",
    "ALGORITHM",
    "ENABLED",
];

/// A setting found in a file, before it becomes a fact.
#[derive(Debug)]
struct ParsedSetting {
    form: SettingForm,
    name: String,
    default: Option<String>,
    text: Option<String>,
    /// Field of a type that holds the value: the qualified name of the type, and the name of the field.
    field: Option<(String, String)>,
}

impl ParsedSetting {
    fn new(form: SettingForm, name: impl Into<String>) -> Self {
        Self { form, name: name.into(), default: None, text: None, field: None }
    }

    /// Returns this setting with its default value set.
    fn default(mut self, default: Option<String>) -> Self {
        self.default = default;
        self
    }

    /// Returns this setting with its help text set.
    fn text(mut self, text: Option<String>) -> Self {
        self.text = text;
        self
    }

    /// Sets the field to the one that the site's attribute belongs to, if there is one.
    fn field(mut self, site: &Site) -> Self {
        if !site.target.is_empty() {
            self.field = Some((site.within.clone(), site.target.clone()));
        }
        self
    }
}

/// Returns the settings (command-line options, environment variables, configuration keys) that one source
/// file reads or declares.
pub(crate) fn of_file(file: &ParsedFile) -> Vec<Fact> {
    let path = &file.outline.path;
    let name = path.rsplit('/').next().unwrap_or(path);
    // A script `configure` may be written by hand.
    let is_made = name != "configure" || file.text.contains("GNU Autoconf");
    if role_of(path) == PathRole::Vendored {
        return Vec::new();
    }
    let is_copied = file.outline.language == Language::Bash && AUTOTOOLS.contains(&name) && is_made;
    if is_minified(file) || is_copied {
        return Vec::new();
    }
    let mut found = variables::settings(file);
    let options = flags::settings(file);
    // A file that leaves its options to a library compares none itself.
    let by_hand = if options.is_empty() { hand::settings(file) } else { Vec::new() };
    found.extend(options);
    found.extend(keys::settings(file));
    found.extend(tables::settings(file));
    let mut facts = Vec::new();
    for (site, setting) in found.into_iter().take(SETTINGS) {
        let source = SourceLines { path: path.clone(), start: site.line, end: site.line_end };
        if let Some(mut made) = fact(setting, path, source) {
            if site.is_test {
                made.role = PathRole::Test;
            } else if is_build_file(name) {
                made.role = PathRole::Build;
            }
            facts.push(made);
        }
    }
    let fields = keys::fields(file).into_iter().chain(by_hand).chain(tables::of_ruby(file)).take(SETTINGS);
    facts.extend(fields.filter_map(|(source, setting)| fact(setting, path, source)));
    facts
}

/// Maximum number of environment variables of one test file.
const TEST_VARIABLES: usize = 50;

/// Returns the environment variables that a test file reads, because they switch tests on and off. A
/// variable that the file also sets, to try the product with it, is left out.
pub(crate) fn of_test(file: &ParsedFile) -> Vec<Fact> {
    if is_minified(file) {
        return Vec::new();
    }
    let path = &file.outline.path;
    // The tags of a structure in a test are made up too.
    let is_read = |site: &Site| site.kind != SiteKind::Attribute;
    let found = variables::settings(file)
        .into_iter()
        .filter(|(site, it)| it.form == SettingForm::Variable && is_read(site));
    let read = found.take(TEST_VARIABLES).filter(|(_, it)| !sets_variable(file.text, &it.name));
    let source = |site: &Site| SourceLines { path: path.clone(), start: site.line, end: site.line_end };
    let facts = read.filter_map(|(site, setting)| fact(setting, path, source(site)));
    facts
        .map(|mut made| {
            made.role = PathRole::Test;
            made
        })
        .collect()
}

/// Returns true if a text sets the environment variable: `os.environ["X"] = …`, `ENV["X"] = …`,
/// `process.env.X = …`, `os.Setenv("X", …)`, `monkeypatch.setenv("X", …)`.
fn sets_variable(text: &str, name: &str) -> bool {
    const CALLS: &[&str] =
        &["setenv(", "set_var(", "Setenv(", "SetEnvironmentVariable(", "putenv(", "stubEnv("];
    let calls = |quoted: &str| CALLS.iter().any(|call| text.contains(&format!("{call}{quoted}")));
    let is_assigned = |written: &str| {
        text.match_indices(written).any(|(at, _)| {
            let after = text[at + written.len()..].trim_start();
            let is_assignment =
                after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=~");
            is_assignment || after.starts_with("||=")
        })
    };
    let quoted = [format!("\"{name}\""), format!("'{name}'")];
    let keys = quoted.iter().flat_map(|key| ["environ", "ENV", "env"].map(|of| format!("{of}[{key}]")));
    quoted.iter().any(|quoted| calls(quoted))
        || keys.chain([format!("env.{name}")]).any(|written| is_assigned(&written))
}

/// Returns true for the name of a program that builds or tests a project: Ruby's build files, and
/// configuration files of JavaScript tools.
fn is_build_file(name: &str) -> bool {
    matches!(name, "Gemfile" | "Rakefile" | "extconf.rb")
        || [".rake", ".gemspec", ".config.js", ".config.ts", ".config.mjs", ".config.cjs"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// Returns the settings that manifests, example files, configuration structures and documents name. `names`
/// are the names of the project and its programs, in lower case.
pub(crate) fn of_data(texts: &Texts, outlines: &[Arc<FileOutline>], names: &BTreeSet<String>) -> Vec<Fact> {
    let mut found = manifests::settings(texts);
    found.extend(files::settings(texts));
    found.extend(samples::settings(texts, names));
    found.extend(structures::settings(texts, outlines));
    found.extend(named::settings(texts, outlines));
    found.extend(documented::settings(texts));
    found
}

/// Makes the fact for a setting; `None` if its name is not valid. The default of a secret is dropped.
fn fact(setting: ParsedSetting, path: &str, source: SourceLines) -> Option<Fact> {
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '?' | '@' | '/' | '+');
    let name = setting.name.trim();
    let is_name = name.len() <= NAME && name.chars().all(is_part) && name.chars().any(char::is_alphanumeric);
    if !is_name {
        return None;
    }
    let upper = name.to_uppercase();
    let end = upper.rsplit(['_', '-', '.']).next().unwrap_or_default();
    let is_secret = SECRET_NAMES.iter().any(|part| upper.contains(part)) && !PLAIN_ENDS.contains(&end);
    let is_placeholder = |value: &str| {
        let upper = value.to_uppercase();
        matches!(
            upper.as_str(),
            "SECRET" | "CHANGEME" | "CHANGE_ME" | "CHANGE-ME" | "TODO" | "YOUR_VALUE" | "XXX"
        )
    };
    let default =
        setting.default.filter(|default| !is_secret && !has_secret(default) && !is_placeholder(default));
    let value = FactValue::Setting {
        form: setting.form,
        name: name.to_owned(),
        default: default.map(|default| visible(&default)),
        text: setting.text.map(|text| visible(&text)),
    };
    let subject = match setting.field {
        Some((within, name)) => {
            let name = if within.is_empty() { name } else { format!("{within}.{name}") };
            FactSubject::Symbol { path: path.to_owned(), name: visible(&name) }
        }
        None => FactSubject::File(path.to_owned()),
    };
    Some(Fact::new(subject, value, source, FactOrigin::Parsed))
}
