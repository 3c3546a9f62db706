//! Error handling, logging and concurrency, by syntax: a call, an import, an attribute, a keyword. Never a word in a text or a comment.
//!
//! A file has one fact for each construct; `join` makes one of all files. Reading order: this file, then `errors`, `logging`, `concurrency`.

mod concurrency;
mod errors;
mod logging;

use std::collections::BTreeMap;

use stategraph_repo::{ParsedFile, SiteKind};

use crate::calls::is_minified;
use crate::fact::{ConcernKind, Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::role::role_of;
use crate::text::visible;

/// Most sources of one construct.
const SOURCES: usize = 5;
/// Most constructs of one concern; those with the most places are kept.
const CONSTRUCTS: usize = 100;
/// Longest name of a construct, in bytes.
const NAME: usize = 80;

/// A construct at a place.
struct ConcernUse {
    concern: ConcernKind,
    construct: String,
    lines: (usize, usize),
}

/// Returns the concerns of one file, without its tests.
pub(crate) fn of_file(file: &ParsedFile) -> Vec<Fact> {
    let path = &file.outline.path;
    if !matches!(role_of(path), PathRole::Runtime | PathRole::Build) || is_minified(file) {
        return Vec::new();
    }
    let mut uses = errors::types(file);
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
            uses.push(ConcernUse { concern, construct, lines: (site.line, end) });
        }
    }
    let mut found: BTreeMap<(ConcernKind, String), Vec<SourceLines>> = BTreeMap::new();
    for ConcernUse { concern, construct, lines } in uses {
        let source = SourceLines { path: path.clone(), start: lines.0, end: lines.1 };
        found.entry((concern, construct)).or_default().push(source);
    }
    found
        .into_iter()
        .map(|((concern, construct), sources)| fact(concern, construct, sources.len(), sources))
        .collect()
}

fn fact(concern: ConcernKind, construct: String, places: usize, mut sources: Vec<SourceLines>) -> Fact {
    sources.truncate(SOURCES);
    let first = sources[0].clone();
    let value = FactValue::Concern { concern, construct, places };
    let mut fact = Fact::new(FactSubject::Repository, value, first, FactOrigin::Parsed);
    fact.sources = sources;
    fact
}

/// Joins the concerns of all files to one fact for each construct, with the number of all its places and the first of them. Other facts
/// stay as they are.
pub(crate) fn join(parts: impl Iterator<Item = Fact>) -> Vec<Fact> {
    let mut other = Vec::new();
    let mut joined: BTreeMap<(ConcernKind, String), (usize, Vec<SourceLines>)> = BTreeMap::new();
    for part in parts {
        if let FactValue::Concern { concern, construct, places } = part.value {
            let entry = joined.entry((concern, construct)).or_default();
            entry.0 += places;
            let room = SOURCES.saturating_sub(entry.1.len());
            entry.1.extend(part.sources.into_iter().take(room));
        } else {
            other.push(part);
        }
    }
    let mut all: Vec<_> = joined.into_iter().collect();
    // The constructs with the most places come first, and equal ones by name.
    all.sort_by(|((one, name), (places, _)), ((other, next), (more, _))| {
        one.cmp(other).then(more.cmp(places)).then(name.cmp(next))
    });
    let mut count: BTreeMap<ConcernKind, usize> = BTreeMap::new();
    for ((concern, construct), (places, sources)) in all {
        let kept = count.entry(concern).or_default();
        *kept += 1;
        if *kept <= CONSTRUCTS {
            other.push(fact(concern, construct, places, sources));
        }
    }
    other
}
