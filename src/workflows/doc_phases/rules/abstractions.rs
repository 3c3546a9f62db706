//! The types that a code base turns on: those that its roots export and its code implements, counted where they are named.

use std::collections::BTreeMap;

use super::parts::{Part, is_side};
use super::plan::Plan;
use super::sight::implementation;
use super::words::{count, is_comment};
use crate::repo::{FileOutline, Visibility};
use crate::workflows::doc_phases::phase::SeenLine;

/// Lines that implement or extend a type.
const IMPLEMENTS: &str = r"(?-iu)^\s*(unsafe )?impl\b|^\s*(export |default |abstract |public |final )*(class|interface) \w+|^type \w+ (struct|interface)";
/// Searches for them: one in each of the largest components, as a search shows its first lines only.
const LOOKS: usize = 4;
/// Most types that are counted; each costs a search.
const COUNTED: usize = 8;
/// Most types whose definition is looked for, in one search.
const CANDIDATES: usize = 30;
/// What an export of a root counts.
const EXPORT: usize = 5;

/// The most used types with how often they are named, most first. A type that the code base does not define is none of its own.
pub(super) fn find(plan: &mut Plan, roots: &[&FileOutline], parts: &[Part]) -> Vec<String> {
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    for place in largest(parts) {
        let Some(found) = plan.grep(IMPLEMENTS, &place) else { continue };
        found.shown.iter().filter(|line| !is_side(&line.path)).for_each(|line| vote(line, &mut votes));
    }
    exported(roots).into_iter().for_each(|name| *votes.entry(name).or_insert(0) += EXPORT);
    if plan.waits() {
        return Vec::new();
    }
    let mut ranked: Vec<(String, usize)> = votes.into_iter().filter(|(name, _)| is_type(name)).collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let candidates: Vec<String> = ranked.into_iter().take(CANDIDATES).map(|(name, _)| name).collect();
    let mut counted: Vec<(usize, usize, String)> = Vec::new();
    for name in defined(plan, &candidates).into_iter().take(COUNTED) {
        if let Some(found) = plan.grep(&format!(r"(?-iu)\b{name}\b"), "") {
            counted.push((found.lines, found.files, name));
        }
    }
    counted.retain(|(lines, ..)| *lines > 1);
    counted.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    let said = |(lines, files, name): (usize, usize, String)| {
        format!("{name}: named in {} of {}", count(lines, "line"), count(files, "file"))
    };
    counted.into_iter().map(said).collect()
}

/// The places of the largest components.
fn largest(parts: &[Part]) -> Vec<String> {
    let mut sorted: Vec<&Part> = parts.iter().collect();
    sorted.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.id.cmp(&b.id)));
    sorted.into_iter().take(LOOKS).filter_map(|part| part.paths.first().cloned()).collect()
}

/// Those of the names that a line of the code base defines, in their order.
fn defined(plan: &mut Plan, names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let pattern =
        format!(r"(?-iu)\b(struct|enum|union|trait|class|interface|type)\s+({})\b", names.join("|"));
    let Some(found) = plan.grep(&pattern, "") else { return Vec::new() };
    let defines = |name: &&String| found.shown.iter().any(|line| defines(&line.text, name));
    names.iter().filter(defines).cloned().collect()
}

fn defines(line: &str, name: &str) -> bool {
    const WORDS: &[&str] = &["struct", "enum", "union", "trait", "class", "interface", "type"];
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    !is_comment(line) && words.windows(2).any(|pair| WORDS.contains(&pair[0]) && pair[1] == name)
}

/// What is implemented and for what; what is extended and by what.
fn vote(line: &SeenLine, votes: &mut BTreeMap<String, usize>) {
    let head = line.text.split('{').next().unwrap_or_default();
    let names = match implementation(head) {
        Some((what, of)) => vec![what, of],
        None => head.split(|c: char| !c.is_alphanumeric() && c != '_').collect(),
    };
    for name in names.into_iter().filter(|name| is_type(name)) {
        *votes.entry(name.to_owned()).or_insert(0) += 1;
    }
}

/// Public types of the roots, and what they pass on from inside.
fn exported(roots: &[&FileOutline]) -> Vec<String> {
    let mut names = Vec::new();
    for root in roots {
        let own = root
            .symbols
            .iter()
            .filter(|symbol| symbol.kind.is_type() && symbol.visibility == Visibility::Public);
        names.extend(own.map(|symbol| symbol.name.clone()));
        let passed = root.imports.iter().filter(|import| {
            import.text.starts_with("pub use")
                || import.text.starts_with("export")
                || root.path.ends_with("__init__.py")
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
        "Any",
        "Arc",
        "Array",
        "AsMut",
        "AsRef",
        "Base",
        "BTreeMap",
        "Binary",
        "Borrow",
        "Box",
        "Clone",
        "Context",
        "Copy",
        "Debug",
        "Default",
        "Deref",
        "DerefMut",
        "Display",
        "DoubleEndedIterator",
        "Drop",
        "Eq",
        "Error",
        "ExactSizeIterator",
        "Exception",
        "Extend",
        "False",
        "Fn",
        "FnMut",
        "FnOnce",
        "From",
        "FromIterator",
        "FromStr",
        "Future",
        "FusedIterator",
        "Hash",
        "HashMap",
        "Hasher",
        "Index",
        "IndexMut",
        "Into",
        "IntoIterator",
        "Item",
        "Iterator",
        "List",
        "Map",
        "None",
        "Object",
        "Option",
        "Ord",
        "Output",
        "PartialEq",
        "PartialOrd",
        "Pin",
        "Rc",
        "Read",
        "Result",
        "RuntimeError",
        "Self",
        "Send",
        "Set",
        "Sized",
        "Some",
        "String",
        "Sync",
        "ToOwned",
        "True",
        "TryFrom",
        "TryInto",
        "TypeError",
        "Unpin",
        "UnwindSafe",
        "ValueError",
        "Vec",
        "Write",
        "RefUnwindSafe",
    ];
    let mut chars = name.chars();
    chars.next().is_some_and(char::is_uppercase)
        && name.len() > 2
        && name.is_ascii()
        && name.chars().any(char::is_lowercase)
        && !COMMON.contains(&name)
}
