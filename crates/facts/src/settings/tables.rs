//! Tables of settings in code: `Setting("page_size", 100, "Rows on a page")`, `DEFAULTS = { port: 80 }`, `app.config["SIZE"]`.

use stategraph_repo::{Language, ParsedFile, Site, SiteKind};

use super::ParsedSetting;
use crate::calls::{
    default_of, find_named, help, imports, last, literal, named_literal, positional, receiver,
};
use crate::fact::SettingForm;

/// Fewest rows of a table.
const ROWS: usize = 3;

/// Ends of the names of types whose values are settings.
const ROW_TYPES: &[&str] =
    &["Setting", "ConfigOption", "ConfigItem", "ConfigSetting", "ConfigEntry", "ConfigVar"];

/// Returns the settings of the tables of one file.
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

/// `Setting("name", default, "help")`.
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

/// `app.config["SIZE"]` of Flask and `getattr(settings, "SIZE", 5)` of Django.
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
