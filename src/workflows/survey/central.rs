//! Ranks the files of the product by the imports that connect them, and counts the files that use their
//! definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::facts::{FactKind, FactSubject, FactValue, Facts, PathRole, TargetKind};
use crate::repo::{CodeBase, FileOutline, Language};

/// Source file of the product with its rank. `rank` makes it, and `count_references` adds `named_in`.
#[derive(Clone, Debug)]
pub(crate) struct CentralFile {
    pub(crate) path: String,
    /// Greater is more central; square roots of import counts plus a bonus of at most 3.
    pub(crate) score: f64,
    /// Number of other files that use a definition of this file, by the name of the definition. Names
    /// without such files have no entry.
    pub(crate) named_in: HashMap<String, usize>,
}

/// Import edges of a file: the files that import it (`users`), those that it imports (`needs`), and the
/// number of imports from tests and other files outside the product.
#[derive(Default)]
struct Degree<'a> {
    users: BTreeSet<&'a str>,
    needs: BTreeSet<&'a str>,
    tests: usize,
}

/// Returns the runtime source files of known languages with their scores, the most central first.
/// `files` are all walked paths; `facts` have the import edges.
pub(crate) fn rank(facts: &Facts, files: &[String]) -> Vec<CentralFile> {
    let mut degrees: HashMap<&str, Degree> = HashMap::new();
    for fact in facts.of_kind(FactKind::Edge) {
        let (FactSubject::File(from), FactValue::Edge { to, .. }) = (&fact.subject, &fact.value) else {
            continue;
        };
        if fact.role != PathRole::Runtime {
            degrees.entry(to).or_default().tests += 1;
            continue;
        }
        degrees.entry(to).or_default().users.insert(from);
        degrees.entry(from).or_default().needs.insert(to);
    }
    let bonus = bonuses(facts);
    let is_source = |path: &&String| {
        PathRole::of(path) == PathRole::Runtime && Language::of_path(path.as_str()).is_some()
    };
    let mut ranked: Vec<CentralFile> = files
        .iter()
        .filter(is_source)
        .map(|path| {
            let none = Degree::default();
            let degree = degrees.get(path.as_str()).unwrap_or(&none);
            let score = root(degree.users.len())
                + 0.7 * root(degree.needs.len())
                + 0.2 * root(degree.tests)
                + bonus.get(path.as_str()).copied().unwrap_or_default()
                - side_cost(path);
            CentralFile { path: path.clone(), score, named_in: HashMap::new() }
        })
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    ranked
}

/// Returns points per path for entries of programs and libraries, traces, routes and subcommands; at
/// most 3 for a path.
fn bonuses(facts: &Facts) -> HashMap<String, f64> {
    const MOST: f64 = 3.0;
    let mut found: HashMap<String, f64> = HashMap::new();
    let mut raise = |path: &str, points: f64| {
        let all = found.entry(path.to_owned()).or_default();
        *all = (*all + points).min(MOST);
    };
    for fact in facts.iter().filter(|fact| matches!(fact.role, PathRole::Runtime | PathRole::Build)) {
        match &fact.value {
            FactValue::Target { target: TargetKind::Program | TargetKind::Library, entry, .. } => {
                raise(entry, 1.5);
            }
            FactValue::Trace { steps } => steps.iter().for_each(|step| raise(&step.at.path, 0.8)),
            FactValue::Route { .. } | FactValue::Subcommand { .. } => raise(fact.subject.path(), 0.2),
            _ => {}
        }
    }
    found
}

/// Returns the points (2 or 0) that are subtracted for a path in a side folder such as `migrations`,
/// `i18n` or `deps`, or for a configuration or declaration file.
fn side_cost(path: &str) -> f64 {
    const SIDE: &[&str] = &[
        "migrations",
        "migration",
        "locale",
        "locales",
        "i18n",
        "lang",
        "fixtures",
        "stories",
        "mocks",
        "mock",
        "assets",
        "static",
        "public",
        "bundled",
        "external",
        "extern",
        "deps",
    ];
    let folders = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_side = folders.split('/').any(|part| SIDE.contains(&part));
    let is_config = path.contains(".config.") || path.ends_with(".d.ts") || path.contains(".test-d.");
    if is_side || is_config { 2.0 } else { 0.0 }
}

/// Returns the square root of a count, so that the weight of further references decreases.
#[allow(clippy::cast_precision_loss, reason = "counts of files are small")]
pub(crate) fn root(count: usize) -> f64 {
    (count as f64).sqrt()
}

/// Maximum number of files that are searched for names.
const SEARCHED: usize = 1_500;
/// Maximum number of bytes of these files together.
const SEARCHED_BYTES: usize = 24 << 20;

/// Sets `named_in` of every outlined central file: for each definition, the number of other files that
/// import its file and contain its name as a word. Names of up to two bytes are not counted. The search
/// ends after `SEARCHED` files or `SEARCHED_BYTES`.
pub(crate) fn count_references(
    code: &CodeBase,
    facts: &Facts,
    outlines: &BTreeMap<String, Arc<FileOutline>>,
    central: &mut [CentralFile],
) {
    let mut needs: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for fact in facts.of_kind(FactKind::Edge).filter(|fact| fact.role == PathRole::Runtime) {
        if let (FactSubject::File(from), FactValue::Edge { to, .. }) = (&fact.subject, &fact.value)
            && outlines.contains_key(to)
        {
            needs.entry(from).or_default().insert(to);
        }
    }
    let mut definers: HashMap<&str, Vec<&str>> = HashMap::new();
    for (path, outline) in outlines {
        let names: BTreeSet<&str> =
            outline.walk().map(|(_, symbol)| symbol.name.as_str()).filter(|name| name.len() > 2).collect();
        names.into_iter().for_each(|name| definers.entry(name).or_default().push(path));
    }
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let mut left = SEARCHED_BYTES;
    for (from, targets) in needs.into_iter().take(SEARCHED) {
        let Ok((_, text)) = code.text(from) else { continue };
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        let words: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for (name, path) in words
            .into_iter()
            .filter_map(|word| definers.get_key_value(word))
            .flat_map(|(name, paths)| paths.iter().map(move |path| (*name, *path)))
        {
            if targets.contains(path) && path != from {
                *counts.entry((path, name)).or_default() += 1;
            }
        }
    }
    for file in central {
        let Some((path, _)) = outlines.get_key_value(&file.path) else { continue };
        let of_file = outlines[path].walk().map(|(_, symbol)| symbol.name.as_str());
        file.named_in = of_file
            .filter_map(|name| Some((name.to_owned(), *counts.get(&(path.as_str(), name))?)))
            .collect();
    }
}
