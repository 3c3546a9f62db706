//! Keys of the structures that a configuration is read into: fields with tags of Go, fields of Rust with serde. A structure that another one
//! holds has the words of that field before its keys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stategraph_repo::{FileOutline, Language, SymbolInfo, SymbolKind};

use super::{ParsedSetting, fact};
use crate::calls::{help, kebab};
use crate::collect::Texts;
use crate::fact::{Fact, PathRole, SettingForm, SourceLines};
use crate::projects::folder_of;
use crate::role::role_of;

/// Most keys of a tree.
const MOST: usize = 1_000;
/// Deepest structure inside others.
const DEPTH: usize = 4;
/// Most files of a folder that are searched for a call that reads a configuration.
const FILES: usize = 40;

/// Tags of Go that name keys of files. Those of JSON count last, because requests have them too.
const TAGS: &[&str] = &["yaml", "toml", "mapstructure", "koanf", "ini", "hcl", "json"];

/// Calls that read a configuration from a file, with what is read.
const READERS: &[&str] = &[
    "toml::",
    "serde_yaml",
    "serde_yml",
    "serde_json::from_reader",
    "serde_json::from_str",
    "ron::",
    "figment",
    "confy::",
    "Config::builder",
    "config::Config",
    "ReadConfig",
    "LoadConfig",
    "readConfig",
    "loadConfig",
    "ParseConfig",
    "parseConfig",
    "yaml.Unmarshal",
    "toml.Decode",
    "viper.Unmarshal",
];

/// A structure with its file.
#[derive(Clone, Copy)]
struct Structure<'a> {
    path: &'a str,
    language: Language,
    symbol: &'a SymbolInfo,
}

/// Structures by language and name.
type Known<'a> = BTreeMap<(&'static str, &'a str), Vec<Structure<'a>>>;

/// Returns the keys of all structures of configurations.
pub(super) fn settings(texts: &Texts, outlines: &[Arc<FileOutline>]) -> Vec<Fact> {
    let known = structures(outlines);
    let all = || known.values().flatten().copied();
    let mut reads: BTreeMap<&str, bool> = BTreeMap::new();
    let roots: Vec<Structure> = all()
        .filter(|it| is_configuration(&it.symbol.name) && is_deserialized(it))
        .filter(|it| {
            let is_plain = it.language == Language::Go && has_tag(it.symbol, &TAGS[..TAGS.len() - 1]);
            is_plain || *reads.entry(folder_of(it.path)).or_insert_with(|| reads_files(texts, it.path))
        })
        .collect();
    // A structure inside another one is no file of its own.
    let mut inner: BTreeSet<(&str, &str)> = BTreeSet::new();
    for root in &roots {
        for field in &root.symbol.children {
            if let Some(of) = named_type(&known, root, field).filter(|of| of.symbol.name != root.symbol.name)
            {
                inner.insert((of.path, &of.symbol.name));
            }
        }
    }
    let mut found = Vec::new();
    for root in roots.iter().filter(|root| !inner.contains(&(root.path, root.symbol.name.as_str()))) {
        keys(&known, root, "", DEPTH, &mut found);
    }
    found
}

fn structures(outlines: &[Arc<FileOutline>]) -> Known<'_> {
    let mut known = Known::new();
    let is_read = |it: &&Arc<FileOutline>| {
        matches!(it.language, Language::Go | Language::Rust) && matches!(role_of(&it.path), PathRole::Runtime)
    };
    for outline in outlines.iter().filter(is_read) {
        for symbol in outline.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Struct) {
            let structure = Structure { path: &outline.path, language: outline.language, symbol };
            known.entry((name_of(outline.language), &symbol.name)).or_default().push(structure);
        }
    }
    known
}

fn name_of(language: Language) -> &'static str {
    if language == Language::Go { "go" } else { "rust" }
}

/// Returns true for the names of structures that hold what a user configures.
fn is_configuration(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["config", "configuration", "settings", "configfile", "configs"].iter().any(|end| lower.ends_with(end))
}

fn is_deserialized(it: &Structure) -> bool {
    match it.language {
        Language::Rust => {
            it.symbol.decorators.iter().any(|it| it.contains("derive") && it.contains("Deserialize"))
        }
        _ => has_tag(it.symbol, TAGS) || matches!(it.symbol.name.as_str(), "config" | "Config"),
    }
}

fn has_tag(symbol: &SymbolInfo, tags: &[&str]) -> bool {
    symbol.children.iter().any(|field| tags.iter().any(|name| tag(&field.signature, name).is_some()))
}

/// Returns true if a file of the folder reads a configuration.
fn reads_files(texts: &Texts, path: &str) -> bool {
    let folder = folder_of(path);
    let is_beside =
        |other: &&String| folder_of(other) == folder && (other.ends_with(".go") || other.ends_with(".rs"));
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    texts
        .below(&prefix)
        .filter(is_beside)
        .take(FILES)
        .filter_map(|path| texts.read(path))
        .any(|text| READERS.iter().any(|call| text.contains(call)))
}

/// Returns the value of a tag of Go: `port` of `json:"port,omitempty"`.
fn tag<'a>(signature: &'a str, name: &str) -> Option<&'a str> {
    let (_, tags) = signature.split_once('`')?;
    let at = tags.find(&format!("{name}:\""))?;
    let is_start = at == 0 || tags[..at].ends_with(' ');
    let value = tags[at + name.len() + 2..].split('"').next()?;
    is_start.then_some(value)
}

/// Returns the only structure that the type of a field names, that of the same file or folder first.
fn named_type<'a>(known: &Known<'a>, of: &Structure, field: &SymbolInfo) -> Option<Structure<'a>> {
    let written = match of.language {
        Language::Rust => field.signature.split_once(':')?.1,
        _ => field.signature.split('`').next()?.trim().split_once(char::is_whitespace)?.1,
    };
    // The keys of a list and of a map are those of its user.
    let bare = written.trim().trim_start_matches('*');
    let bare = bare.strip_prefix("Option<").and_then(|it| it.strip_suffix('>')).unwrap_or(bare);
    let bare = bare.strip_prefix("Box<").and_then(|it| it.strip_suffix('>')).unwrap_or(bare);
    let name = bare.rsplit([':', '.']).next()?;
    let all = known.get(&(name_of(of.language), name))?;
    let same = all.iter().find(|it| it.path == of.path);
    let beside = || all.iter().find(|it| folder_of(it.path) == folder_of(of.path));
    same.or_else(beside).or_else(|| all.first().filter(|_| all.len() == 1)).copied()
}

fn keys(known: &Known, of: &Structure, prefix: &str, depth: usize, found: &mut Vec<Fact>) {
    for field in &of.symbol.children {
        if found.len() >= MOST || depth == 0 {
            return;
        }
        let Some(name) = key_of(of, field) else { continue };
        let inside = if name.is_empty() || prefix.is_empty() {
            format!("{prefix}{name}")
        } else {
            format!("{prefix}.{name}")
        };
        if field.kind == SymbolKind::Struct {
            keys(known, &Structure { symbol: field, ..*of }, &inside, depth - 1, found);
            continue;
        }
        let inner = named_type(known, of, field).filter(|inner| {
            inner.symbol.name != of.symbol.name && !inner.symbol.children.is_empty() && is_read(inner)
        });
        if let Some(inner) = inner {
            keys(known, &inner, &inside, depth - 1, found);
        } else if !name.is_empty() {
            let default = tag(&field.signature, "default").map(str::to_owned);
            let setting = ParsedSetting::new(SettingForm::Key, inside)
                .default(default.filter(|it| !it.is_empty()))
                .text(help(field.docstring.as_deref()));
            let source = SourceLines { path: of.path.to_owned(), start: field.line, end: field.line_end };
            found.extend(fact(setting, of.path, source));
        }
    }
}

/// Returns true if the keys of a structure are those of its fields.
fn is_read(it: &Structure) -> bool {
    it.language == Language::Go || is_deserialized(it)
}

/// Returns the key of a field; empty if its own fields stand in for it, `None` if no key sets it.
fn key_of(of: &Structure, field: &SymbolInfo) -> Option<String> {
    if of.language == Language::Rust { serde_key(of, field) } else { go_key(of, field) }
}

fn go_key(of: &Structure, field: &SymbolInfo) -> Option<String> {
    let found = TAGS.iter().find_map(|name| tag(&field.signature, name));
    let Some(value) = found else {
        let is_exported = field.name.starts_with(|c: char| c.is_ascii_uppercase());
        // Beside fields with tags one without is not read from a file.
        return (is_exported && !has_tag(of.symbol, TAGS)).then(|| field.name.clone());
    };
    let (name, rest) = value.split_once(',').unwrap_or((value, ""));
    match name {
        "-" => None,
        "" if rest.contains("inline") || rest.contains("squash") => Some(String::new()),
        "" => Some(field.name.clone()),
        name => Some(name.to_owned()),
    }
}

fn serde_key(of: &Structure, field: &SymbolInfo) -> Option<String> {
    let serde = |symbol: &SymbolInfo| -> String {
        symbol.decorators.iter().filter(|it| it.contains("serde(")).cloned().collect::<Vec<_>>().join(" ")
    };
    let own = serde(field);
    let value = |text: &str, key: &str| {
        let after = text.split_once(key)?.1.trim_start().strip_prefix('=')?.trim_start();
        after.strip_prefix('"')?.split('"').next().map(str::to_owned)
    };
    let words: Vec<&str> = own.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    if words.contains(&"skip") || words.contains(&"skip_deserializing") {
        return None;
    }
    if words.contains(&"flatten") {
        return Some(String::new());
    }
    let plain = field.name.trim_start_matches("r#");
    let cased = match value(&serde(of.symbol), "rename_all").as_deref() {
        None | Some("snake_case") => plain.to_owned(),
        Some("kebab-case") => kebab(plain),
        Some("lowercase") => plain.to_lowercase(),
        Some("UPPERCASE" | "SCREAMING_SNAKE_CASE") => plain.to_uppercase(),
        Some("camelCase") => camel(plain, false),
        Some("PascalCase") => camel(plain, true),
        Some(_) => return None,
    };
    Some(value(&own, "rename").unwrap_or(cased))
}

fn camel(name: &str, is_first_upper: bool) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = is_first_upper;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}
