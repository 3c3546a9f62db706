//! Reads options and subcommands of kong, a Go library: the fields of structures with the tags `cmd`,
//! `help`, `env`, `embed` and `prefix`, from the program's structure inwards. Files of inner structures do
//! not import kong.

use std::collections::BTreeSet;
use std::sync::Arc;

use stategraph_repo::{FileOutline, Language, SymbolInfo, SymbolKind};

use super::structures::{Structure, StructuresByName, find_structure, structures, tag, written_type};
use super::{ParsedSetting, fact};
use crate::calls::{help, kebab};
use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SettingForm, SourceLines};

/// Maximum number of facts.
const MOST: usize = 2_000;
/// Maximum nesting depth of structures.
const DEPTH: usize = 6;

/// The options and subcommands that kong reads from the structures of a code base.
#[derive(Default)]
pub(crate) struct KongFacts {
    pub(crate) facts: Vec<Fact>,
    /// Files and lines of the fields that were read.
    fields: BTreeSet<(String, usize)>,
}

impl KongFacts {
    /// Returns true for a setting that was read from the same field without its prefix, by looking at one
    /// file only; it must be dropped.
    pub(crate) fn replaces(&self, fact: &Fact) -> bool {
        let is_setting = matches!(fact.value, FactValue::Setting { .. });
        let place = fact.sources.first().map(|it| (it.path.clone(), it.start));
        is_setting && !self.fields.is_empty() && place.is_some_and(|place| self.fields.contains(&place))
    }
}

/// Returns the options and subcommands of all programs of a code base that uses kong.
pub(crate) fn facts(texts: &Texts, outlines: &[Arc<FileOutline>]) -> KongFacts {
    let is_kong = |it: &&Arc<FileOutline>| {
        let mut targets = it.imports.iter().flat_map(|import| &import.targets);
        it.language == Language::Go && targets.any(|target| target.contains("github.com/alecthomas/kong"))
    };
    let mut found = KongFacts::default();
    if outlines.iter().find(is_kong).is_none() {
        return found;
    }
    let known = structures(outlines);
    let all = || known.values().flatten().filter(|it| it.language == Language::Go);
    let read = |of: &Structure, field: &SymbolInfo| tags_of(texts, of, field);
    let is_inner = |tags: &str| ["cmd", "embed"].iter().any(|name| tag(tags, name).is_some());
    let mut held = BTreeSet::new();
    for of in all() {
        for field in of.symbol.children.iter().filter(|field| field.kind != SymbolKind::Struct) {
            if is_inner(&read(of, field)) {
                held.extend(inner(&known, of, field).map(|it| it.place()));
            }
        }
    }
    let is_root = |of: &&Structure| {
        let has_commands = of.symbol.children.iter().any(|field| tag(&read(of, field), "cmd").is_some());
        has_commands && !held.contains(&of.place())
    };
    let mut walk = KongWalk { texts, known: &known, found: &mut found };
    for root in all().filter(is_root) {
        walk.fields(root, &KongScope::default(), DEPTH);
    }
    found
}

/// Returns the source text that contains the tags of a Go field. For an inline structure, they follow its
/// last line.
fn tags_of(texts: &Texts, of: &Structure, field: &SymbolInfo) -> String {
    if field.kind != SymbolKind::Struct {
        return field.signature.clone();
    }
    let text = texts.read(of.path).unwrap_or_default();
    text.lines().nth(field.line_end.saturating_sub(1)).unwrap_or_default().to_owned()
}

/// Returns the Go structure that is the type of a field.
fn inner<'a>(known: &StructuresByName<'a>, of: &Structure, field: &SymbolInfo) -> Option<Structure<'a>> {
    let written = written_type(of.language, field)?.trim_start_matches('*');
    find_structure(known, of, written).filter(|it| it.place() != of.place())
}

/// Subcommand words and prefixes that apply to a field.
#[derive(Clone, Default)]
struct KongScope {
    words: Vec<String>,
    prefix: String,
    variables: String,
}

/// State of a walk through the Go structures from which the library kong makes a program's options and
/// subcommands: what was found so far.
struct KongWalk<'k, 'a> {
    texts: &'k Texts<'k>,
    known: &'k StructuresByName<'a>,
    found: &'k mut KongFacts,
}

impl<'a> KongWalk<'_, 'a> {
    /// Adds the options and subcommands of the fields of a structure.
    fn fields(&mut self, of: &Structure<'a>, around: &KongScope, depth: usize) {
        for field in &of.symbol.children {
            if depth == 0 || self.found.facts.len() >= MOST {
                return;
            }
            let tags = tags_of(self.texts, of, field);
            self.found.fields.insert((of.path.to_owned(), field.line));
            let value = |name: &str| tag(&tags, name).unwrap_or_default();
            let name = match value("name") {
                "" => kebab(&field.name),
                name => name.to_owned(),
            };
            let prefix = format!("{}{}", around.prefix, value("prefix"));
            let variables = format!("{}{}", around.variables, value("envprefix"));
            let is_hidden = tag(&tags, "hidden").is_some() && tag(&tags, "cmd").is_none();
            if tag(&tags, "kong") == Some("-") || tag(&tags, "arg").is_some() || is_hidden {
                continue;
            }
            if tag(&tags, "cmd").is_some() {
                let mut words = around.words.clone();
                words.push(name);
                let text = help(Some(value("help")).filter(|it| !it.is_empty()));
                self.subcommand(of, field, words.join(" "), text);
                self.inside(of, field, &KongScope { words, ..KongScope::default() }, depth);
            } else if tag(&tags, "embed").is_some() {
                self.inside(of, field, &KongScope { words: around.words.clone(), prefix, variables }, depth);
            } else if tag(&tags, "help").is_some() {
                self.option(of, field, &tags, (format!("--{prefix}{name}"), variables));
            }
        }
    }

    /// Adds the options and subcommands of the structure that is the type of a field.
    fn inside(&mut self, of: &Structure<'a>, field: &'a SymbolInfo, around: &KongScope, depth: usize) {
        if field.kind == SymbolKind::Struct {
            self.fields(&Structure { symbol: field, ..*of }, around, depth - 1);
        } else if let Some(inner) = inner(self.known, of, field) {
            self.fields(&inner, around, depth - 1);
        }
    }

    /// Adds the subcommand that a structure field declares to kong.
    fn subcommand(&mut self, of: &Structure, field: &SymbolInfo, name: String, text: Option<String>) {
        let value = FactValue::Subcommand { name, text };
        let subject = FactSubject::File(of.path.to_owned());
        self.found.facts.push(Fact::new(
            subject,
            value,
            SourceLines::line(of.path, field.line),
            FactOrigin::Parsed,
        ));
    }

    /// Adds the command-line option that a structure field declares to kong, and its environment variable.
    /// `variables` is the prefix of that variable.
    fn option(
        &mut self,
        of: &Structure,
        field: &SymbolInfo,
        tags: &str,
        (name, variables): (String, String),
    ) {
        let source = SourceLines::line(of.path, field.line);
        // `${x}` is replaced when the program starts.
        let default =
            tag(tags, "default").filter(|it| !it.is_empty() && !it.contains("${")).map(str::to_owned);
        let text = help(tag(tags, "help").filter(|it| !it.contains("${")));
        let made = |form: SettingForm, name: String| {
            let mut setting = ParsedSetting::new(form, name).default(default.clone()).text(text.clone());
            setting.field = Some((of.symbol.name.clone(), field.name.clone()));
            fact(setting, of.path, source.clone())
        };
        self.found.facts.extend(made(SettingForm::Flag, name));
        let variable = tag(tags, "env").and_then(|it| it.split(',').next()).filter(|it| !it.is_empty());
        self.found
            .facts
            .extend(variable.and_then(|it| made(SettingForm::Variable, format!("{variables}{}", it.trim()))));
    }
}
