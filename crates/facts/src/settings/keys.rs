//! Finds keys of configuration files that the code names: viper, the `config` crate, Spring's values,
//! pydantic's settings, C#'s configuration.

use stategraph_repo::{Language, ParsedFile, Site, SiteArgument, SiteKind, SymbolInfo, SymbolKind};

use super::ParsedSetting;
use crate::calls::{
    default_of, docs, find_named, help, imports, kebab, last, literal, named_literal, positional, receiver,
};
use crate::fact::{SettingForm, SourceLines};

/// Returns the configuration keys that calls and annotations of a file name, each with its site.
pub(super) fn settings<'a>(file: &ParsedFile<'a>) -> Vec<(&'a Site, ParsedSetting)> {
    let language = file.outline.language;
    let is_imported = match language {
        Language::Go => imports(file, &["github.com/spf13/viper"]),
        Language::Rust => imports(file, &["config"]),
        Language::Java | Language::CSharp => true,
        _ => false,
    };
    if !is_imported {
        return Vec::new();
    }
    let found = file.sites.iter().filter_map(|site| {
        let setting = match language {
            Language::Go => set_default(site, "SetDefault"),
            Language::Rust => set_default(site, "set_default"),
            Language::Java => java(file, site),
            _ => csharp(site),
        };
        Some((site, setting?))
    });
    found.collect()
}

/// Makes a setting for a key of a configuration file.
fn key(name: &str) -> ParsedSetting {
    ParsedSetting::new(SettingForm::Key, name)
}

/// Returns the configuration key declared by `viper.SetDefault("port", 80)`; `method` is the name of such a
/// function.
fn set_default(site: &Site, method: &str) -> Option<ParsedSetting> {
    let name = literal(site, 0).filter(|_| site.kind == SiteKind::Call && last(&site.name) == method)?;
    Some(key(name).default(positional(site, 1).and_then(default_of)))
}

/// Returns the configuration key read by `@Value("${server.port:80}")` or `@ConfigProperty(name = "port",
/// defaultValue = "80")`.
fn java(file: &ParsedFile, site: &Site) -> Option<ParsedSetting> {
    if site.kind != SiteKind::Attribute {
        return None;
    }
    match last(&site.name) {
        "Value" if imports(file, &["org.springframework", "io.micronaut"]) => {
            let written = literal(site, 0).or_else(|| named_literal(site, &["value"]))?;
            let inner = written.strip_prefix("${")?.strip_suffix('}')?;
            let (name, default) = match inner.split_once(':') {
                Some((name, default)) => {
                    (name, Some(default.to_owned()).filter(|it| !it.is_empty() && !it.contains("${")))
                }
                None => (inner, None),
            };
            Some(key(name).default(default).text(help(docs(file, &site.within, &site.target))).field(site))
        }
        "ConfigProperty" if imports(file, &["org.eclipse.microprofile.config"]) => {
            let name = named_literal(site, &["name"])?;
            Some(key(name).default(find_named(site, &["defaultValue"]).and_then(default_of)).field(site))
        }
        _ => None,
    }
}

/// Returns the configuration key read by `Configuration["Logging:Level"]` or
/// `configuration.GetConnectionString("Main")`.
fn csharp(site: &Site) -> Option<ParsedSetting> {
    if site.kind != SiteKind::Call {
        return None;
    }
    let is_configuration = |name: &str| {
        matches!(last(name).trim_start_matches('_'), "Configuration" | "configuration" | "config" | "Config")
    };
    let name = literal(site, 0).filter(|name| !name.contains(char::is_whitespace))?;
    let of_receiver = is_configuration(receiver(&site.name));
    match last(&site.name) {
        _ if is_configuration(&site.name) && !receiver(&site.name).is_empty() => Some(key(name)),
        "Configuration" | "configuration" | "_configuration" => Some(key(name)),
        "GetConnectionString" if of_receiver => Some(key(&format!("ConnectionStrings:{name}"))),
        "GetValue" | "GetSection" if of_receiver => {
            Some(key(name).default(positional(site, 1).and_then(default_of)))
        }
        _ => None,
    }
}

/// Returns the settings that are fields of a class which a library fills from the environment or a file:
/// pydantic's `BaseSettings`, Spring's `@ConfigurationProperties`.
pub(super) fn fields(file: &ParsedFile) -> Vec<(SourceLines, ParsedSetting)> {
    let is_pydantic = imports(file, &["pydantic_settings", "pydantic"]);
    let is_spring = imports(file, &["org.springframework.boot.context.properties"]);
    let mut found = Vec::new();
    if !is_pydantic && !is_spring {
        return found;
    }
    for (around, class) in file.outline.walk().filter(|(_, symbol)| symbol.kind == SymbolKind::Class) {
        let prefix =
            if is_pydantic { environment_prefix(file, class) } else { properties_prefix(file, &class.name) };
        let Some(prefix) = prefix else { continue };
        let fields = class.children.iter().filter(|child| child.kind == SymbolKind::Field);
        for field in fields
            .filter(|field| !field.signature.contains("ClassVar") && !field.signature.contains("static "))
        {
            if matches!(field.name.as_str(), "model_config" | "Config") || field.name.starts_with('_') {
                continue;
            }
            // A constant and a part that a framework puts in are no keys, and an object has its own.
            let declared = file.text.lines().nth(field.name_line.saturating_sub(1)).unwrap_or_default();
            let is_made =
                declared.contains("= new ") || declared.contains("final ") && declared.contains('=');
            let is_given = field
                .decorators
                .iter()
                .any(|it| ["@Value", "@Autowired", "@Inject"].iter().any(|given| it.starts_with(given)));
            if is_made || is_given {
                continue;
            }
            let setting = if is_pydantic {
                let name = format!("{prefix}{}", field.name).to_uppercase();
                ParsedSetting::new(SettingForm::Variable, name)
            } else {
                key(&format!("{prefix}.{}", kebab(&field.name)))
            };
            let text = help(field.docstring.as_deref());
            let default = default_in(file, field);
            let within = around.iter().copied().chain([class.name.as_str()]).collect::<Vec<_>>().join(".");
            let place =
                SourceLines { path: file.outline.path.clone(), start: field.line, end: field.line_end };
            let mut setting = setting.default(default).text(text);
            setting.field = Some((within, field.name.clone()));
            found.push((place, setting));
        }
    }
    found
}

/// Returns the prefix of the environment variables of a pydantic settings class, possibly empty; `None` for
/// another class.
fn environment_prefix(file: &ParsedFile, class: &SymbolInfo) -> Option<String> {
    let is_settings = class.signature.contains("(BaseSettings") || class.signature.contains(".BaseSettings");
    let is_inside = |site: &&Site| site.line >= class.line && site.line_end <= class.line_end;
    let is_config = |site: &&Site| last(&site.name) == "SettingsConfigDict";
    let config = file.sites.iter().filter(is_inside).find(is_config);
    let prefix = config.and_then(|site| named_literal(site, &["env_prefix"])).unwrap_or_default();
    is_settings.then(|| prefix.to_owned())
}

/// Returns the prefix in `@ConfigurationProperties(prefix = "shop")` of a class.
fn properties_prefix(file: &ParsedFile, class: &str) -> Option<String> {
    let is_of = |site: &&Site| {
        site.kind == SiteKind::Attribute
            && site.target == class
            && last(&site.name) == "ConfigurationProperties"
    };
    let site = file.sites.iter().find(is_of)?;
    literal(site, 0).or_else(|| named_literal(site, &["prefix", "value"])).map(str::to_owned)
}

/// Returns the plain default in the declaration of a field: `80` in `int port = 80;`.
pub(super) fn default_in(file: &ParsedFile, field: &SymbolInfo) -> Option<String> {
    let line = file.text.lines().nth(field.name_line.checked_sub(1)?)?;
    let (_, value) = line.split_once(" = ")?;
    let value = value.split(" #").next().unwrap_or(value).split("; //").next().unwrap_or(value);
    let value = value.trim().trim_end_matches(';');
    let text = value.to_owned();
    let is_literal = false;
    default_of(&SiteArgument { name: None, text, is_literal })
}
