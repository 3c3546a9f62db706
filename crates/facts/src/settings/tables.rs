//! Finds settings in tables in code: `Setting("page_size", 100, "Rows on a page")`, `DEFAULTS = { port: 80
//! }`, `app.config["SIZE"]`.

use stategraph_repo::{Language, ParsedFile, Site, SiteArgument, SiteKind, SymbolKind, Visibility};

use super::ParsedSetting;
use crate::calls::{
    default_of, find_named, help, imports, last, literal, named_literal, positional, receiver,
};
use crate::fact::{SettingForm, SourceLines};

/// Maximum number of keys of one table of defaults.
const KEYS: usize = 300;
/// Minimum number of rows of a table.
const ROWS: usize = 3;

/// Ends of the names of types of which each value is a setting.
const ROW_TYPES: &[&str] =
    &["Setting", "ConfigOption", "ConfigItem", "ConfigSetting", "ConfigEntry", "ConfigVar"];

/// Returns the settings in the tables of one file, and the keys of Flask's and Django's settings, each with
/// its site.
pub(super) fn settings<'a>(file: &ParsedFile<'a>) -> Vec<(&'a Site, ParsedSetting)> {
    let mut found: Vec<(&Site, ParsedSetting)> =
        file.sites.iter().filter_map(|site| Some((site, row(site)?))).collect();
    if found.len() < ROWS {
        found.clear();
    }
    if file.outline.language == Language::Python {
        found.extend(python(file));
    }
    found
}

/// Names of Ruby classes that hold a user's configuration.
const RUBY_TYPES: &[&str] = &["Configuration", "Configurator", "Config", "Settings", "DSL"];

/// Names of constants that hold the defaults of settings.
const DEFAULTS: &[&str] =
    &["DEFAULTS", "DEFAULT_CONFIG", "DEFAULT_OPTIONS", "DEFAULT_SETTINGS", "DEFAULT_CONFIGURATION"];

/// Returns the settings that a Ruby file declares itself: attributes of a configuration class, methods with
/// a parameter of a configuration DSL, and the first level of `DEFAULTS = { port: 80 }`.
pub(super) fn of_ruby(file: &ParsedFile) -> Vec<(SourceLines, ParsedSetting)> {
    let mut found = Vec::new();
    if file.outline.language != Language::Ruby {
        return found;
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let place = |start: usize| SourceLines::line(&file.outline.path, start);
    for (_, class) in file.outline.walk().filter(|(_, it)| it.kind == SymbolKind::Class) {
        if !RUBY_TYPES.contains(&class.name.rsplit("::").next().unwrap_or_default()) {
            continue;
        }
        let inside = class.line..class.line_end.min(lines.len());
        // The program makes such an object for each thing; no user sets it.
        if inside.clone().any(|at| needs_arguments(lines[at])) {
            continue;
        }
        for at in inside {
            let bare = lines[at].trim();
            let Some(names) =
                ["attr_accessor ", "attr_writer "].iter().find_map(|word| bare.strip_prefix(word))
            else {
                continue;
            };
            // One comment over several attributes is about none of them alone.
            let names: Vec<&str> =
                names.split(',').filter_map(|name| name.trim().strip_prefix(':')).collect();
            let said = comment_over(&lines, at).filter(|_| names.len() == 1);
            found.extend(names.iter().map(|name| {
                (place(at + 1), ParsedSetting::new(SettingForm::Key, *name).text(help(said.as_deref())))
            }));
        }
        let is_language = class.name.ends_with("DSL") || class.name.ends_with("Configurator");
        let methods = class.children.iter().filter(|it| is_language && it.kind.is_callable());
        for method in methods {
            let takes = method.signature.contains('(') && !method.signature.contains("()");
            let is_public = method.visibility == Visibility::Public
                && method.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
                && !matches!(method.name.as_str(), "initialize" | "set" | "get" | "load" | "method_missing");
            if let Some(said) = method.docstring.as_deref().filter(|_| takes && is_public) {
                let setting =
                    ParsedSetting::new(SettingForm::Key, method.name.as_str()).text(help(Some(said)));
                found.push((place(method.name_line), setting));
            }
        }
    }
    // Defaults elsewhere are those of the arguments of a method.
    let name = file.outline.path.rsplit('/').next().unwrap_or_default();
    if ["config", "setting", "option"].iter().any(|word| name.contains(word)) {
        found.extend(defaults(&lines).into_iter().map(|(at, setting)| (place(at + 1), setting)));
    }
    found
}

/// Returns the comment directly above the line `at`, at most ten lines of it.
fn comment_over(lines: &[&str], at: usize) -> Option<String> {
    let over =
        lines[..at].iter().rev().map(|line| line.trim()).take_while(|line| line.starts_with('#')).take(10);
    let mut all: Vec<&str> = over.map(|line| line.trim_start_matches(['#', ' '])).collect();
    all.reverse();
    Some(all.join(" ")).filter(|text| !text.is_empty())
}

/// Returns the first level of a constant such as `DEFAULTS = { port: 80 }`, each key with its line from 0.
fn defaults(lines: &[&str]) -> Vec<(usize, ParsedSetting)> {
    let mut found = Vec::new();
    let mut depth: Option<usize> = None;
    let indent = |line: &str| line.len() - line.trim_start().len();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim();
        let Some(of) = depth else {
            let is_start = bare
                .split_once('=')
                .is_some_and(|(name, value)| DEFAULTS.contains(&name.trim()) && value.trim() == "{");
            depth = is_start.then(|| indent(line));
            continue;
        };
        if bare.starts_with('}') && indent(line) <= of || found.len() >= KEYS {
            depth = None;
            continue;
        }
        // Deeper lines belong to the value of another key.
        if indent(line) != of + 2 {
            continue;
        }
        let pair =
            bare.strip_prefix(':').and_then(|rest| rest.split_once("=>")).or_else(|| bare.split_once(": "));
        let Some((name, value)) = pair else { continue };
        let name = name.trim().trim_matches(['"', '\'']);
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_name {
            let value = value.split(" #").next().unwrap_or(value).trim().trim_end_matches(',');
            let value = value.trim_end_matches(".freeze").to_owned();
            let argument = SiteArgument { name: None, text: value, is_literal: false };
            let setting = ParsedSetting::new(SettingForm::Key, name).default(default_of(&argument));
            found.push((at, setting.text(help(comment_over(lines, at).as_deref()))));
        }
    }
    found
}

/// Returns true for a constructor with at least two required parameters: `def initialize(provider, args)`.
fn needs_arguments(line: &str) -> bool {
    let list = line.trim().strip_prefix("def initialize(").and_then(|rest| rest.strip_suffix(')'));
    let needed = |list: &str| list.split(',').filter(|it| !it.contains(['=', ':', '*', '&'])).count();
    list.is_some_and(|list| needed(list) >= 2)
}

/// Returns the setting of a row `Setting("name", default, "help")`.
fn row(site: &Site) -> Option<ParsedSetting> {
    let name = last(&site.name);
    let is_row = site.kind == SiteKind::Call
        && !site.name.starts_with('.')
        && ROW_TYPES.iter().any(|of| name.ends_with(of))
        && name.starts_with(|c: char| c.is_ascii_uppercase());
    let key = literal(site, 0).or_else(|| named_literal(site, &["name", "key"])).filter(|_| is_row)?;
    let default = find_named(site, &["default", "default_value", "value"]);
    let mut texts = site.arguments.iter().skip(1).filter(|it| it.is_literal && it.text.contains(' '));
    let text = named_literal(site, &["help", "description", "text"]);
    let text = text.or_else(|| texts.next_back().map(|it| it.text.as_str()));
    let default =
        default.or_else(|| positional(site, 1).filter(|it| site.arguments.len() > 2 || !it.is_literal));
    let is_name = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    text.filter(|_| is_name).map(|text| {
        ParsedSetting::new(SettingForm::Key, key).default(default.and_then(default_of)).text(help(Some(text)))
    })
}

/// Returns the settings read by `app.config["SIZE"]` of Flask and `getattr(settings, "SIZE", 5)` of Django.
fn python<'a>(file: &ParsedFile<'a>) -> Vec<(&'a Site, ParsedSetting)> {
    let is_flask = imports(file, &["flask", "quart"]);
    let is_django = imports(file, &["django.conf"]);
    if !is_flask && !is_django {
        return Vec::new();
    }
    let is_upper = |name: &str| {
        name.len() > 2
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && name.starts_with(|c: char| c.is_ascii_uppercase())
    };
    let is_config = |name: &str| matches!(name, "app.config" | "current_app.config" | "self.app.config");
    let found = file.sites.iter().filter(|site| site.kind == SiteKind::Call).filter_map(|site| {
        let reads = is_flask
            && (is_config(&site.name)
                || is_config(receiver(&site.name)) && matches!(last(&site.name), "get" | "setdefault"));
        if reads {
            let name = literal(site, 0).filter(|name| is_upper(name))?;
            let default = positional(site, 1).and_then(default_of);
            return Some((site, ParsedSetting::new(SettingForm::Key, name).default(default)));
        }
        let of_settings = is_django
            && site.name == "getattr"
            && positional(site, 0)
                .is_some_and(|it| matches!(it.text.as_str(), "settings" | "django_settings"));
        let name = literal(site, 1).filter(|name| of_settings && is_upper(name))?;
        let default = positional(site, 2).and_then(default_of);
        Some((site, ParsedSetting::new(SettingForm::Key, name).default(default)))
    });
    found.collect()
}
