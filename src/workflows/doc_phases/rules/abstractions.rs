//! The types that a code base turns on: those that it defines and names most, counted over the whole of it.

use std::collections::BTreeMap;

use super::parts::is_side;
use super::plan::Plan;
use super::words::{count, is_comment};
use crate::repo::Language;
use crate::workflows::doc_phases::phase::{MatchCount, MatchedLine};

/// Pattern of type names in most languages: an upper-case letter first, and a lower-case one in it.
const NAMES: &str = r"(?-iu)\b[A-Z][A-Za-z0-9_]*[a-z][A-Za-z0-9_]*\b";
/// Pattern of type names in C.
const C_NAMES: &str = r"(?-iu)\b(?:struct|union|enum)\s+(\w\w+)|\b(\w+_t)\b";
/// Pattern of the modifiers that may precede a type definition.
const BEFORE: &str = r"(?:(?:pub(?:\([^)]*\))?|export|default|declare|abstract|public|private|protected|internal|static|final|sealed|partial|data|open|unsafe|auto|typedef|strictfp)\s+)*";
/// Words that begin the definition of a type.
const KEYWORDS: &str = "struct|enum|union|trait|class|interface|record|namespace|protocol";
/// Maximum of types whose definitions are searched: one search shows a hundred lines, and some types are
/// defined for each platform.
const CANDIDATES: usize = 24;
/// Maximum of public types among the candidates.
const OPEN: usize = 16;
/// Maximum of types that are returned.
const NAMED: usize = 10;
/// Type names that every standard library has. An alias of such a name does not count as a definition,
/// because most of the counted mentions mean other types.
const COMMON: &[&str] = &["Error", "Item", "Option", "Output", "Result", "String", "Target", "Vec"];

/// Returns the most used types of a code base with their frequency (`Shelf: named in 12 lines of 3 files`),
/// public ones first, then the most frequent; at most [`NAMED`]. Only types defined below the folder
/// `program` count. Empty while the answers of the searches are missing.
pub(super) fn find(plan: &mut Plan, program: &str, languages: &[(Language, usize)]) -> Vec<String> {
    let is_c = matches!(languages.first(), Some((Language::C, _)));
    let Some(tally) = plan.counts(if is_c { C_NAMES } else { NAMES }, "") else { return Vec::new() };
    let names: Vec<&str> = tally.iter().map(|one| one.text.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let (defined, open) = (plan.counts(&definitions(&names), program), plan.counts(&open(&names), program));
    let (Some(defined), Some(open)) = (defined, open) else { return Vec::new() };
    let is_among = |all: &[MatchCount], one: &MatchCount| all.iter().any(|other| other.text == one.text);
    let (first, then): (Vec<&MatchCount>, Vec<&MatchCount>) =
        tally.iter().filter(|one| is_among(defined, one)).partition(|one| is_among(open, one));
    let own: Vec<&MatchCount> = first.into_iter().take(OPEN).chain(then).take(CANDIDATES).collect();
    if own.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = own.iter().map(|one| one.text.as_str()).collect();
    let Some(found) = plan.grep(&definitions(&names), program) else { return Vec::new() };
    let mut ranks: BTreeMap<&str, bool> = BTreeMap::new();
    for line in found.shown.iter().filter(|line| !is_side(&line.path) && !is_comment(&line.text)) {
        if let Some(name) = names.iter().find(|name| defines(&line.text, name)) {
            *ranks.entry(name).or_default() |= is_public(line);
        }
    }
    let mut ranked: Vec<&MatchCount> =
        own.into_iter().filter(|one| one.lines > 1 && ranks.contains_key(one.text.as_str())).collect();
    ranked.sort_by_key(|one| (!ranks[one.text.as_str()], std::cmp::Reverse(one.lines), one.text.as_str()));
    let said = |one: &MatchCount| {
        format!("{}: named in {} of {}", one.text, count(one.lines, "line"), count(one.files, "file"))
    };
    ranked.into_iter().take(NAMED).map(said).collect()
}

/// Returns a pattern of the lines that define one of these types.
fn definitions(names: &[&str]) -> String {
    let names = names.join("|");
    let plain = format!(r"^\s*{BEFORE}(?:(?:{KEYWORDS})\s+)+({names})\b");
    // An indented alias belongs to an implementation, and speaks of another type in each.
    let alias = format!(r"^(?:(?:pub(?:\([^)]*\))?|export|declare)\s+)*type\s+({names})\b");
    let inner_alias = format!(r"^\s+(?:pub(?:\([^)]*\))?|export)\s+type\s+({names})\b");
    let go = format!(r"^\s+({names})\s+(?:struct|interface)\s*\{{");
    let script = format!(
        r"^(?:export\s+)?(?:function|(?:var|let|const))\s+({names})\s*(?:\(|=\s*(?:function|class)\b)"
    );
    let c = format!(r"^(?:\}}|typedef\b.*\b)\s*({names})\s*;");
    format!("(?-iu)(?:{plain}|{alias}|{inner_alias}|{go}|{script}|{c})")
}

/// Returns a pattern of the lines that define one of these types as public.
fn open(names: &[&str]) -> String {
    let names = names.join("|");
    format!(r"(?-iu)^\s*(?:pub|export|public)\s+{BEFORE}(?:(?:{KEYWORDS}|type)\s+)+({names})\b")
}

/// Returns true if a line, which defines some type, defines the type `name`. False for an alias of a common
/// name.
fn defines(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    // In Rust the visibility may have a scope in parentheses.
    let line = line.strip_prefix("pub(").and_then(|rest| Some(rest.split_once(')')?.1)).unwrap_or(line);
    let head = line.split(['{', '(', ':', '=', '<', ';']).next().unwrap_or(line);
    let is_alias = words(head).any(|word| word == "type");
    let in_typedef = line.starts_with(['}']) || line.starts_with("typedef");
    let named =
        if in_typedef { words(line).any(|word| word == name) } else { words(head).any(|word| word == name) };
    // `class A extends B` defines the first.
    let first = words(head).find(|word| word.chars().any(char::is_uppercase));
    named && !(is_alias && COMMON.contains(&name)) && (in_typedef || first.is_none_or(|first| first == name))
}

/// Returns true if the type that a line defines is public, by its keywords. True in languages without such
/// keywords.
fn is_public(line: &MatchedLine) -> bool {
    use Language::{CSharp, Java, Rust, Tsx, TypeScript};
    let head = line.text.trim_start();
    match Language::of_path(&line.path) {
        Some(Rust) => head.starts_with("pub "),
        Some(Java | CSharp) => words(head).any(|word| word == "public"),
        Some(TypeScript | Tsx) => head.starts_with("export") || line.path.ends_with(".d.ts"),
        _ => true,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
