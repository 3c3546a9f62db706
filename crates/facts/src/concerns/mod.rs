//! Facts about error handling, logging and concurrency ("concerns"), found by syntax: a call, an import, an
//! attribute or a keyword, never a word in a text or comment.
//!
//! `of_file` finds the uses of each construct in one file; `join` makes one fact per construct of all
//! files. Reading order: this file, then `errors`, `logging`, `concurrency`.

mod concurrency;
mod errors;
mod logging;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use stategraph_repo::{ParsedFile, SiteKind};

use crate::calls::{is_minified, last};
use crate::fact::{ConcernKind, Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::role::role_of;
use crate::text::visible;

/// Maximum number of source positions of one construct.
const SOURCES: usize = 5;
/// Maximum number of constructs of one concern; the most frequent ones are kept.
const CONSTRUCTS: usize = 100;
/// Maximum length of the name of a construct, in bytes.
const NAME: usize = 80;

/// One use of a construct for errors, logging or concurrency in a file, such as a call of `thread::spawn`.
struct ConcernUse {
    concern: ConcernKind,
    construct: String,
    lines: (usize, usize),
    /// True if it is the definition of an error type.
    is_definition: bool,
}

/// All uses, in one file, of one construct for errors, logging or concurrency. Stored in the cache; joined
/// over all files by `join`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConcernPlaces {
    concern: ConcernKind,
    construct: String,
    /// Number of uses in the file, by which constructs are ordered. It is not part of the fact, because
    /// macros and files of other languages hold further uses.
    count: usize,
    /// Positions of the first uses, at most 5.
    first: Vec<SourceLines>,
    is_definition: bool,
}

/// Returns the constructs for errors, logging and concurrency that a file of the program or its build uses,
/// each with its positions. Tests and minified files have none.
pub(crate) fn of_file(file: &ParsedFile) -> Vec<ConcernPlaces> {
    let path = &file.outline.path;
    if !matches!(role_of(path), PathRole::Runtime | PathRole::Build) || is_minified(file) {
        return Vec::new();
    }
    let mut uses = errors::types(file);
    uses.extend(errors::made_values(file));
    let log = logging::Libraries::of(file);
    for site in file.sites.iter().filter(|site| !site.is_test) {
        let language = file.outline.language;
        let found = errors::construct(language, site)
            .map(|construct| (ConcernKind::Errors, construct))
            .or_else(|| Some((ConcernKind::Logging, log.construct(language, site)?)))
            .or_else(|| Some((ConcernKind::Concurrency, concurrency::construct(file, site)?)));
        let Some((concern, construct)) = found else { continue };
        if construct.len() <= NAME && visible(&construct) == construct {
            // A keyword stands at the beginning of its block.
            let end = if site.kind == SiteKind::Keyword { site.line } else { site.line_end };
            uses.push(ConcernUse { concern, construct, lines: (site.line, end), is_definition: false });
        }
    }
    let mut found: BTreeMap<(ConcernKind, String, bool), Vec<SourceLines>> = BTreeMap::new();
    for ConcernUse { concern, construct, lines, is_definition } in uses {
        let source = SourceLines { path: path.clone(), start: lines.0, end: lines.1 };
        found.entry((concern, construct, is_definition)).or_default().push(source);
    }
    let places = |((concern, construct, is_definition), mut first): (_, Vec<SourceLines>)| {
        let count = first.len();
        first.truncate(SOURCES);
        ConcernPlaces { concern, construct, count, first, is_definition }
    };
    found.into_iter().map(places).collect()
}

/// The uses, in all files, of one construct for errors, logging or concurrency.
#[derive(Default)]
struct JoinedPlaces {
    count: usize,
    runtime: Vec<SourceLines>,
    other: Vec<SourceLines>,
    definitions: Vec<SourceLines>,
}

impl JoinedPlaces {
    /// Adds the uses in one file, at most as many positions as a fact may have.
    fn add(&mut self, part: ConcernPlaces) {
        let is_runtime = part.first.first().is_some_and(|it| role_of(&it.path) == PathRole::Runtime);
        let list = match (part.is_definition, is_runtime) {
            (true, _) => &mut self.definitions,
            (false, true) => &mut self.runtime,
            (false, false) => &mut self.other,
        };
        self.count += part.count;
        let room = SOURCES.saturating_sub(list.len());
        list.extend(part.first.into_iter().take(room));
    }

    /// Returns the positions of the uses, those in the program before those in its build.
    fn uses(&self) -> impl Iterator<Item = &SourceLines> {
        self.runtime.iter().chain(&self.other)
    }
}

/// Names of the languages' own error types. A code base that defines such a name in a module usually means
/// the language's own type elsewhere.
const STANDARD: &[&str] = &[
    "LoadError",
    "ArgumentError",
    "NameError",
    "TypeError",
    "RuntimeError",
    "StandardError",
    "IOError",
    "NotImplementedError",
    "SyntaxError",
    "TimeoutError",
    "KeyError",
    "IndexError",
    "RangeError",
    "Exception",
    "DomainException",
    "LogicException",
    "RuntimeException",
    "InvalidArgumentException",
    "ConnectionError",
    "PermissionError",
];

/// Returns the construct of a raised result of a static function: with the type of the function if that is a
/// type of errors, else the keyword alone. Other constructs stay as they are.
fn settle_factory(construct: String, types: &BTreeSet<String>) -> String {
    let Some(raised) = construct.strip_suffix(errors::FACTORY) else { return construct };
    let (word, name) = raised.split_once(' ').unwrap_or((raised, ""));
    let simple = last(name);
    let is_error = ["Error", "Exception"].iter().any(|end| simple.ends_with(end)) || types.contains(simple);
    if is_error { raised.to_owned() } else { word.to_owned() }
}

/// Joins the uses of all files into one fact per construct for errors, logging or concurrency, with its
/// first source positions. The most frequent constructs come first. Of an error type, the positions that
/// raise it precede its definition.
pub(crate) fn join(parts: impl Iterator<Item = ConcernPlaces>) -> Vec<Fact> {
    let mut joined: BTreeMap<(ConcernKind, String), JoinedPlaces> = BTreeMap::new();
    let parts: Vec<ConcernPlaces> = parts.collect();
    let types: BTreeSet<String> =
        parts.iter().filter(|part| part.is_definition).map(|part| part.construct.clone()).collect();
    for mut part in parts {
        part.construct = settle_factory(part.construct, &types);
        joined.entry((part.concern, part.construct.clone())).or_default().add(part);
    }
    let raised = |name: &str| -> Vec<SourceLines> {
        let words = ["raise ", "throw ", errors::MAKES];
        let words = words.map(|word| (ConcernKind::Errors, format!("{word}{name}")));
        words.iter().filter_map(|key| joined.get(key)).flat_map(JoinedPlaces::uses).cloned().collect()
    };
    let mut all: Vec<_> =
        joined.iter().filter(|((_, construct), _)| !construct.starts_with(errors::MAKES)).collect();
    // Equal ones by name.
    all.sort_by(|((one, name), places), ((other, next), more)| {
        one.cmp(other).then(more.count.cmp(&places.count)).then(name.cmp(next))
    });
    let mut count: BTreeMap<ConcernKind, usize> = BTreeMap::new();
    let mut facts = Vec::new();
    for ((concern, construct), places) in all {
        let kept = count.entry(*concern).or_default();
        *kept += 1;
        if *kept > CONSTRUCTS {
            continue;
        }
        let mut sources: Vec<SourceLines> = places.uses().cloned().collect();
        if !places.definitions.is_empty() {
            // Outside its module such a name means the one of the language.
            let is_ambiguous = STANDARD.contains(&construct.as_str());
            sources.extend(if is_ambiguous { Vec::new() } else { raised(construct) });
            sources.truncate(SOURCES - 1);
            sources.extend(places.definitions.iter().cloned());
        }
        sources.truncate(SOURCES);
        facts.extend(fact(*concern, construct, sources));
    }
    facts
}

/// Makes the fact for a construct with its source positions; `None` if there are none.
fn fact(concern: ConcernKind, construct: &str, sources: Vec<SourceLines>) -> Option<Fact> {
    let value = FactValue::Concern { concern, construct: construct.to_owned() };
    let mut fact = Fact::new(FactSubject::Repository, value, sources.first()?.clone(), FactOrigin::Parsed);
    fact.sources = sources;
    Some(fact)
}
