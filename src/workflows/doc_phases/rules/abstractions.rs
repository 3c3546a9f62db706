//! The types that a code base turns on: those that its roots export and its code implements, counted where they are named.

use std::collections::BTreeMap;

use super::plan::Plan;
use super::words::{count, quoted};
use crate::repo::{FileOutline, Visibility};
use crate::workflows::doc_phases::phase::{Operation, SeenLine};

/// Lines that implement or extend a type.
const IMPLEMENTS: &str = r"^\s*(unsafe )?impl\b|^\s*(export )?(abstract |public |final )*(class|interface|trait) \w+|^type \w+ (struct|interface)";
/// Most types that are counted; each costs a search.
const COUNTED: usize = 10;

/// The most used types with how often they are named, most first.
pub(super) fn find(plan: &mut Plan, roots: &[&FileOutline]) -> Vec<String> {
    let Some(implemented) = plan.grep(IMPLEMENTS) else { return Vec::new() };
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    let code = implemented.shown.iter().filter(|line| !super::parts::is_side(&line.path));
    code.for_each(|line| vote(line, &mut votes));
    exported(roots).into_iter().for_each(|name| *votes.entry(name).or_insert(0) += 3);
    let mut ranked: Vec<(String, usize)> = votes.into_iter().filter(|(name, _)| is_type(name)).collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    // Two searches stay, so that a budget that is cut small ends no phase on a refusal.
    let most = plan.round.budget.limit(Operation::Grep).map_or(COUNTED, |limit| limit.saturating_sub(2) as usize);
    let mut counted: Vec<(usize, usize, String)> = Vec::new();
    for (name, _) in ranked.into_iter().take(COUNTED.min(most)) {
        if let Some(found) = plan.grep(&format!(r"(?-i)\b{name}\b")) {
            counted.push((found.lines, found.files, name));
        }
    }
    counted.retain(|(lines, ..)| *lines > 1);
    counted.sort_by(|a, b| b.cmp(a));
    let said = |(lines, files, name): (usize, usize, String)| {
        format!("{} ({} in {})", quoted(name), count(lines, "line"), count(files, "file"))
    };
    counted.into_iter().map(said).collect()
}

/// The names in a line that implements or extends, each once.
fn vote(line: &SeenLine, votes: &mut BTreeMap<String, usize>) {
    let head = line.text.split('{').next().unwrap_or_default();
    let mut names: Vec<&str> = head.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    names.sort_unstable();
    names.dedup();
    for name in names.into_iter().filter(|name| is_type(name)) {
        *votes.entry(name.to_owned()).or_insert(0) += 1;
    }
}

/// Public types of the roots, and what they pass on from inside.
fn exported(roots: &[&FileOutline]) -> Vec<String> {
    let mut names = Vec::new();
    for root in roots {
        let own = root.symbols.iter().filter(|symbol| symbol.kind.is_type() && symbol.visibility == Visibility::Public);
        names.extend(own.map(|symbol| symbol.name.clone()));
        let passed = root.imports.iter().filter(|import| {
            import.text.starts_with("pub use") || import.text.starts_with("export") || root.path.ends_with("__init__.py")
        });
        let targets = passed.flat_map(|import| &import.targets);
        names.extend(targets.filter_map(|target| target.rsplit([':', '.', '/']).next()).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    names
}

/// `Graph`, `HTTPServer`; no generic parameter, no constant, nothing that every standard library has.
fn is_type(name: &str) -> bool {
    const COMMON: &[&str] = &[
        "Any", "Arc", "Array", "AsMut", "AsRef", "Base", "BTreeMap", "Binary", "Borrow", "Box", "Clone", "Context", "Copy", "Debug", "Default",
        "Deref", "DerefMut", "Display", "DoubleEndedIterator", "Drop", "Eq", "Error", "ExactSizeIterator", "Exception", "Extend", "Fn",
        "FnMut", "FnOnce", "From", "FromIterator", "FromStr", "Future", "FusedIterator", "Hash", "HashMap", "Hasher", "Index", "IndexMut",
        "Into", "IntoIterator", "Item", "Iterator", "List", "Map", "None", "Object", "Option", "Ord", "Output", "PartialEq", "PartialOrd",
        "Pin", "Rc", "Read", "Result", "RuntimeError", "Self", "Send", "Set", "Sized", "Some", "String", "Sync", "ToOwned", "TryFrom",
        "TryInto", "TypeError", "Unpin", "UnwindSafe", "ValueError", "Vec", "Write", "RefUnwindSafe",
    ];
    let mut chars = name.chars();
    chars.next().is_some_and(char::is_uppercase)
        && name.len() > 2
        && name.is_ascii()
        && name.chars().any(char::is_lowercase)
        && !COMMON.contains(&name)
}
