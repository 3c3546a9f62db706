//! Ruby: constants by their full names, looked up in the modules around the place. A module that several files open is no definition of one.

use std::collections::{BTreeSet, HashMap};

use super::types::{self, FoundDefinition, Scopes, TypeRules};
use super::{CodeFile, Collector, EdgeClass};

pub(super) fn collect(sources: &[&CodeFile], found: &mut Collector) {
    let mut constants: HashMap<String, BTreeSet<&str>> = HashMap::new();
    for source in sources {
        for definition in &source.names.defined {
            constants.entry(definition.path.join("::")).or_default().insert(source.path());
        }
    }
    types::collect(sources, &Classes::new(sources, &constants), &RULES, found);
    for source in sources {
        for name in &source.names.names {
            let files = resolve(&constants, &name.at.scope, &name.path);
            if let [only] = files.iter().copied().collect::<Vec<_>>()[..] {
                found.add(source.path(), only, EdgeClass::Named, &name.at, &name.path.join("::"));
            }
        }
    }
}

const RULES: TypeRules = TypeRules { has_implicit_own: true, ..TypeRules::of_written_names() };

/// Classes and modules of Ruby itself. A file that opens one of them at the outermost level does not define it.
const CORE: &[&str] = &[
    "Array",
    "BasicObject",
    "Class",
    "Comparable",
    "Complex",
    "Date",
    "DateTime",
    "Dir",
    "Enumerable",
    "Enumerator",
    "Exception",
    "FalseClass",
    "File",
    "Float",
    "Hash",
    "IO",
    "Integer",
    "Kernel",
    "Method",
    "Module",
    "Mutex",
    "NilClass",
    "Numeric",
    "Object",
    "Proc",
    "Process",
    "Random",
    "Range",
    "Rational",
    "Regexp",
    "Set",
    "StandardError",
    "String",
    "Struct",
    "Symbol",
    "Thread",
    "Time",
    "TrueClass",
];

/// Returns the files that define the constant `path`, written inside the modules `scope`; or else those of
/// its longest beginning that is a constant. The innermost module that has the first name decides.
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
        if depth == 0 && CORE.contains(&first.as_str()) {
            break;
        }
        let longest =
            (1..=path.len()).rev().find_map(|count| constants.get(&full(&path[..count].join("::"))));
        return longest.cloned().unwrap_or_default();
    }
    BTreeSet::new()
}

/// The lookup of classes by full names. A constant of the same name further in hides one further out.
struct Classes<'a> {
    constants: &'a HashMap<String, BTreeSet<&'a str>>,
    classes: HashMap<String, Vec<FoundDefinition>>,
}

impl<'a> Classes<'a> {
    fn new(sources: &[&CodeFile], constants: &'a HashMap<String, BTreeSet<&'a str>>) -> Self {
        let mut classes: HashMap<String, Vec<FoundDefinition>> = HashMap::new();
        for (file, source) in sources.iter().enumerate() {
            let parts = &source.names.types;
            for definition in &parts.types {
                let name = parts.word(definition.name);
                let full = name.replace('.', "::");
                classes.entry(full).or_default().push(FoundDefinition { file, name: name.to_owned() });
            }
        }
        Self { constants, classes }
    }
}

impl Scopes for Classes<'_> {
    fn find(&self, _: usize, scope: &str, path: &[&str]) -> Vec<FoundDefinition> {
        let (around, path) = match path.split_first() {
            Some((&"::", rest)) => ("", rest),
            _ => (scope, path),
        };
        let Some(first) = path.first() else { return Vec::new() };
        let scopes = std::iter::successors(Some(around), |at| {
            (!at.is_empty()).then(|| at.rsplit_once('.').map_or("", |(outer, _)| outer))
        });
        for around in scopes {
            let around = around.replace('.', "::");
            let full =
                |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}::{name}") };
            if around.is_empty() && CORE.contains(first) {
                break;
            }
            if self.constants.contains_key(&full(first)) {
                return self.classes.get(&full(&path.join("::"))).cloned().unwrap_or_default();
            }
        }
        Vec::new()
    }
}
