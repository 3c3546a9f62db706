//! Ruby: constants by their full names, looked up in the modules around the place. A module that several files open is no definition of one.

use std::collections::{BTreeSet, HashMap};

use super::{CodeFile, Collector, EdgeClass};

pub(super) fn collect(sources: &[&CodeFile], found: &mut Collector) {
    let mut constants: HashMap<String, BTreeSet<&str>> = HashMap::new();
    for source in sources {
        for definition in &source.names.defined {
            constants.entry(definition.path.join("::")).or_default().insert(source.path());
        }
    }
    for source in sources {
        for name in &source.names.names {
            let files = resolve(&constants, &name.at.scope, &name.path);
            if let [only] = files.iter().copied().collect::<Vec<_>>()[..] {
                found.add(source.path(), only, EdgeClass::Named, &name.at, &name.path.join("::"));
            }
        }
    }
}

/// Returns the files of the constant that a path means, else of the longest beginning that is one.
fn resolve<'a>(
    constants: &HashMap<String, BTreeSet<&'a str>>,
    scope: &[String],
    path: &[String],
) -> BTreeSet<&'a str> {
    let (outermost, path) = match path.split_first() {
        Some((first, rest)) if first == "::" => (0, rest),
        _ => (scope.len(), path),
    };
    // The first name decides where the others are looked up.
    let Some(first) = path.first() else { return BTreeSet::new() };
    for depth in (0..=outermost).rev() {
        let around = scope[..depth].join("::");
        let full = |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}::{name}") };
        if !constants.contains_key(&full(first)) {
            continue;
        }
        let longest =
            (1..=path.len()).rev().find_map(|count| constants.get(&full(&path[..count].join("::"))));
        return longest.cloned().unwrap_or_default();
    }
    BTreeSet::new()
}
