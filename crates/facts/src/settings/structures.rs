//! Finds configuration keys in the structures into which a configuration is read: Go fields with tags, Rust
//! fields with serde. The keys of a structure inside another are prefixed with the name of the field.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stategraph_repo::{FileOutline, Language, SymbolInfo, SymbolKind};

use super::{ParsedSetting, fact};
use crate::calls::{help, kebab};
use crate::collect::Texts;
use crate::fact::{Fact, PathRole, SettingForm, SourceLines};
use crate::projects::folder_of;
use crate::role::role_of;

/// Maximum number of keys of a code base.
const MOST: usize = 1_000;
/// Maximum number of structures of one name, because each look-up by name goes through all of them.
const NAMESAKES: usize = 100;
/// Maximum nesting depth of structures.
const DEPTH: usize = 4;
/// Maximum number of files of a folder that are searched for a call that reads a configuration.
const FILES: usize = 40;

/// Go tags that name keys of files. `json` is last, because structures of requests have it, too.
const TAGS: &[&str] = &["yaml", "toml", "mapstructure", "koanf", "ini", "hcl", "json"];

/// Calls that read a configuration from a file.
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

/// A structure (Go or Rust) with the path of its file.
#[derive(Clone, Copy)]
pub(super) struct Structure<'a> {
    pub(super) path: &'a str,
    pub(super) language: Language,
    pub(super) symbol: &'a SymbolInfo,
}

/// Structures by language (`go` or `rust`) and name.
pub(super) type StructuresByName<'a> = BTreeMap<(&'static str, &'a str), Vec<Structure<'a>>>;

/// Returns the keys of all structures that hold a whole configuration file.
pub(super) fn settings(texts: &Texts, outlines: &[Arc<FileOutline>]) -> Vec<Fact> {
    let known = structures(outlines);
    let all = || known.values().flatten().copied();
    let is_tagged = |it: &Structure| it.language == Language::Go && has_tag(it.symbol, TAGS);
    let tagged: BTreeSet<&str> = all().filter(is_tagged).map(|it| it.path).collect();
    let mut reads: BTreeMap<&str, FileReading> = BTreeMap::new();
    let roots: Vec<Structure> = all()
        .filter(|it| is_configuration(&it.symbol.name) && is_deserialized(it))
        // Beside a structure with tags one without is made by the program.
        .filter(|it| it.language == Language::Rust || has_tag(it.symbol, TAGS) || !tagged.contains(it.path))
        .filter(|it| {
            let read = reads.entry(folder_of(it.path)).or_insert_with(|| reading(texts, it.path));
            let is_plain = it.language == Language::Go && has_tag(it.symbol, &TAGS[..TAGS.len() - 1]);
            match read {
                FileReading::Part => false,
                FileReading::Whole => true,
                FileReading::Unknown => is_plain,
            }
        })
        .collect();
    let walks: Vec<KeyWalk> = roots
        .iter()
        .map(|root| {
            let mut walk = KeyWalk { texts, known: &known, inner: BTreeSet::new(), found: Vec::new() };
            walk.keys(root, "", DEPTH);
            walk
        })
        .collect();
    // A structure inside another one is no file of its own.
    let inner: BTreeSet<StructureKey> = walks
        .iter()
        .zip(&roots)
        .flat_map(|(walk, root)| walk.inner.iter().filter(|it| **it != root.place()))
        .copied()
        .collect();
    let inner = inner.into_iter().chain(held(&known, outlines)).collect::<BTreeSet<StructureKey>>();
    let whole = walks.into_iter().zip(&roots).filter(|(_, root)| !inner.contains(&root.place()));
    whole.flat_map(|(walk, _)| walk.found).take(MOST).collect()
}

/// Returns the structures that are the type of a field in another deserialized structure or enum. Such a
/// structure describes a section of a configuration file, not the whole file.
fn held<'a>(known: &StructuresByName<'a>, outlines: &'a [Arc<FileOutline>]) -> BTreeSet<StructureKey<'a>> {
    let mut found = BTreeSet::new();
    for outline in outlines.iter().filter(|it| matches!(it.language, Language::Go | Language::Rust)) {
        for symbol in
            outline.symbols.iter().filter(|it| matches!(it.kind, SymbolKind::Struct | SymbolKind::Enum))
        {
            let of = Structure { path: &outline.path, language: outline.language, symbol };
            let is_read = match of.language {
                Language::Go => has_tag(symbol, TAGS),
                _ => is_deserialized(&of),
            };
            if !is_read {
                continue;
            }
            for child in &symbol.children {
                // What follows the name of a field or of a variant is its type.
                let written = child.signature.get(child.name.len()..).unwrap_or_default();
                for place in named_places(known, &of, written.split('`').next().unwrap_or_default()) {
                    if place != of.place() {
                        found.insert(place);
                    }
                }
            }
        }
    }
    found
}

/// Returns the structures that a written type names, such as both in `map[string]Shop` and `Vec<Shop>`.
fn named_places<'a>(known: &StructuresByName<'a>, of: &Structure, written: &str) -> Vec<StructureKey<'a>> {
    let words = written.split(|c: char| !is_path_part(c)).filter(|word| !word.is_empty()).take(8);
    words.filter_map(|word| find_structure(known, of, word)).map(|it| it.place()).collect()
}

/// Returns true for a character of a qualified type name.
fn is_path_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ':' | '.')
}

/// The file and line of a structure, which identify it.
pub(super) type StructureKey<'a> = (&'a str, usize);

impl<'a> Structure<'a> {
    /// Returns the file and line of a structure, which identify it.
    pub(super) fn place(&self) -> StructureKey<'a> {
        (self.path, self.symbol.line)
    }
}

/// Indexes the structures at the top level of all Go and Rust files of the program.
pub(super) fn structures(outlines: &[Arc<FileOutline>]) -> StructuresByName<'_> {
    let mut known = StructuresByName::new();
    let is_read = |it: &&Arc<FileOutline>| {
        matches!(it.language, Language::Go | Language::Rust) && matches!(role_of(&it.path), PathRole::Runtime)
    };
    for outline in outlines.iter().filter(is_read) {
        for symbol in outline.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Struct) {
            let structure = Structure { path: &outline.path, language: outline.language, symbol };
            let same = known.entry((name_of(outline.language), &symbol.name)).or_default();
            if same.len() < NAMESAKES {
                same.push(structure);
            }
        }
    }
    known
}

/// Returns the language as it is used in the keys of `StructuresByName`.
fn name_of(language: Language) -> &'static str {
    if language == Language::Go { "go" } else { "rust" }
}

/// Returns true for a structure name that ends like `Config` or `Settings`.
fn is_configuration(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["config", "configuration", "settings", "configfile", "configs"].iter().any(|end| lower.ends_with(end))
}

/// Returns true if a structure is filled from a configuration file, as its attributes show: Rust's
/// `Deserialize`, or Go tags such as `yaml`.
fn is_deserialized(it: &Structure) -> bool {
    match it.language {
        Language::Rust => {
            it.symbol.decorators.iter().any(|it| it.contains("derive") && it.contains("Deserialize"))
        }
        _ => has_tag(it.symbol, TAGS) || matches!(it.symbol.name.as_str(), "config" | "Config"),
    }
}

/// Returns true if a field of the structure has one of these Go tags.
fn has_tag(symbol: &SymbolInfo, tags: &[&str]) -> bool {
    symbol.children.iter().any(|field| tags.iter().any(|name| tag(&field.signature, name).is_some()))
}

/// Way in which the code in a folder reads a configuration file: as a whole or only a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileReading {
    /// No known call is found.
    Unknown,
    /// A file is read as a whole into a structure.
    Whole,
    /// Only the part below a certain key is read.
    Part,
}

/// Calls that read only the part of a configuration below a key.
const PARTS: &[&str] = &[".UnmarshalKey(\"", ".Unmarshal(\"", ".UnmarshalWithConf(\""];

/// Returns the way in which the Go and Rust files in the folder of `path` read a configuration file: as a
/// whole or only a part of it.
fn reading(texts: &Texts, path: &str) -> FileReading {
    let folder = folder_of(path);
    let is_beside =
        |other: &&String| folder_of(other) == folder && (other.ends_with(".go") || other.ends_with(".rs"));
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    // A value that is only written is no configuration of this program.
    let only_writes = |text: &str| {
        [".Marshal(", ".MarshalIndent("].iter().any(|call| text.contains(call))
            && !["Unmarshal", "Decode"].iter().any(|call| text.contains(call))
    };
    if path.ends_with(".go") && texts.read(path).is_some_and(|text| only_writes(&text)) {
        return FileReading::Part;
    }
    let mut found = FileReading::Unknown;
    let files = texts.below(&prefix).filter(is_beside).take(FILES);
    for text in files.filter_map(|path| texts.read(path)) {
        let is_part = PARTS
            .iter()
            .any(|call| text.match_indices(call).any(|(at, _)| !text[at + call.len()..].starts_with('"')));
        if is_part {
            return FileReading::Part;
        }
        if READERS.iter().any(|call| text.contains(call)) {
            found = FileReading::Whole;
        }
    }
    found
}

/// Returns the value of a Go tag in the signature of a field: `port,omitempty` of ``Port int
/// `json:"port,omitempty"` ``.
pub(super) fn tag<'a>(signature: &'a str, name: &str) -> Option<&'a str> {
    let (_, tags) = signature.split_once('`')?;
    let at = tags.find(&format!("{name}:\""))?;
    let is_start = at == 0 || tags[..at].ends_with(' ');
    let value = tags[at + name.len() + 2..].split('"').next()?;
    is_start.then_some(value)
}

/// Returns the type of a field, as written.
pub(super) fn written_type(language: Language, field: &SymbolInfo) -> Option<&str> {
    match language {
        Language::Rust => Some(field.signature.split_once(':')?.1.trim()),
        _ => Some(field.signature.split('`').next()?.trim().split_once(char::is_whitespace)?.1.trim()),
    }
}

/// Returns the structure that a written type means: the one in the named module; without a module, the one
/// in the same file, in the same folder, or the only one. `None` if it is ambiguous.
pub(super) fn find_structure<'a>(
    known: &StructuresByName<'a>,
    of: &Structure,
    written: &str,
) -> Option<Structure<'a>> {
    let mut parts = written.rsplit([':', '.']).filter(|part| !part.is_empty());
    let all = known.get(&(name_of(of.language), parts.next()?))?;
    let module = parts.next().filter(|module| !matches!(*module, "self" | "crate" | "super"));
    if let Some(module) = module {
        let is_of = |it: &&Structure| {
            let stem = it.path.trim_end_matches(".rs").trim_end_matches("/mod");
            let name = if it.language == Language::Rust { stem } else { folder_of(it.path) };
            name.rsplit('/').next() == Some(module)
        };
        let mut found = all.iter().filter(is_of);
        return found.next().filter(|_| found.next().is_none()).copied();
    }
    let same = all.iter().find(|it| it.path == of.path);
    let beside = || all.iter().find(|it| folder_of(it.path) == folder_of(of.path));
    same.or_else(beside).or_else(|| all.first().filter(|_| all.len() == 1)).copied()
}

/// State of the walk over the fields of a configuration structure and of the structures inside it: the keys
/// found so far.
struct KeyWalk<'k, 'a> {
    texts: &'k Texts<'k>,
    known: &'k StructuresByName<'a>,
    /// Structures that the fields met so far hold.
    inner: BTreeSet<StructureKey<'a>>,
    found: Vec<Fact>,
}

impl<'a> KeyWalk<'_, 'a> {
    /// Adds the configuration keys for the fields of a structure, with `prefix` before them.
    fn keys(&mut self, of: &Structure, prefix: &str, depth: usize) {
        for field in &of.symbol.children {
            if self.found.len() >= MOST || depth == 0 {
                return;
            }
            let Some(name) = self.key_of(of, field) else { continue };
            let inside = if name.is_empty() || prefix.is_empty() {
                format!("{prefix}{name}")
            } else {
                format!("{prefix}.{name}")
            };
            if field.kind == SymbolKind::Struct {
                self.keys(&Structure { symbol: field, ..*of }, &inside, depth - 1);
            } else if let Some(inner) = self.inner(of, field) {
                self.keys(&inner, &inside, depth - 1);
            } else if !name.is_empty() {
                let default = tag(&field.signature, "default").map(str::to_owned);
                let setting = ParsedSetting::new(SettingForm::Key, inside)
                    .default(default.filter(|it| !it.is_empty()))
                    .text(help(field.docstring.as_deref()));
                let source = SourceLines { path: of.path.to_owned(), start: field.line, end: field.line_end };
                self.found.extend(fact(setting, of.path, source));
            }
        }
    }

    /// Returns the key of a field; empty if the fields of its structure take its place, `None` if no key
    /// sets the field.
    fn key_of(&self, of: &Structure, field: &SymbolInfo) -> Option<String> {
        match (of.language, field.kind) {
            (Language::Rust, _) => serde_key(of, field),
            // The tags of a structure without a name stand behind it.
            (_, SymbolKind::Struct) => {
                let text = self.texts.read(of.path).unwrap_or_default();
                let last = text.lines().nth(field.line_end.saturating_sub(1)).unwrap_or_default();
                go_key(of, field, last)
            }
            _ => go_key(of, field, &field.signature),
        }
    }

    /// Returns the structure that is the type of a field. A structure in a list or map has no fixed path,
    /// so `None` is returned.
    fn inner(&mut self, of: &Structure, field: &SymbolInfo) -> Option<Structure<'a>> {
        let written = written_type(of.language, field)?;
        self.inner.extend(named_places(self.known, of, written));
        let bare = written.trim_start_matches('*');
        let bare = bare.strip_prefix("Option<").and_then(|it| it.strip_suffix('>')).unwrap_or(bare);
        let bare = bare.strip_prefix("Box<").and_then(|it| it.strip_suffix('>')).unwrap_or(bare);
        let found = find_structure(self.known, of, bare).filter(|_| bare.chars().all(is_path_part))?;
        let is_other = found.place() != of.place() && !found.symbol.children.is_empty();
        (is_other && is_read(&found)).then_some(found)
    }
}

/// Returns true if the keys of the structure are those of its fields.
fn is_read(it: &Structure) -> bool {
    it.language == Language::Go || is_deserialized(it)
}

/// Returns the key of a Go field by its tags; see `key_of` for the results.
fn go_key(of: &Structure, field: &SymbolInfo, written: &str) -> Option<String> {
    let found = TAGS.iter().find_map(|name| tag(written, name));
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

/// Returns the key of a Rust field by serde's attributes; see `key_of` for the results.
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

/// Converts a snake-case name to camel case: `max_size` → `maxSize`, or `MaxSize` if the first letter is
/// upper case.
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
