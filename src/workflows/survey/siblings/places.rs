//! Finds the places that name nearly all members of a set: definitions, groups of lines outside of
//! definitions, and folders with a file for each member.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::names::{NameIndex, names};
use super::uses::{is_field_use, is_file_use, is_folder_use, is_marked, names_type};
use super::{MemberKind, NamingPlace, SiblingSet, needed};
use crate::facts::{PathRole, SourceLines, generated_line};
use crate::repo::{Language, SymbolInfo, SymbolKind};
use crate::workflows::survey::Survey;
use crate::workflows::survey::definitions::is_test;
use crate::workflows::survey::view::speaks_for_folder;

/// Maximum number of files that are read, their bytes together, and the size of one file in bytes.
const FILES: usize = 2_500;
const BYTES: usize = 16 << 20;
const FILE_BYTES: usize = 300_000;
/// Maximum length of a line that is read, in bytes; longer ones are data.
const LINE: usize = 1_500;
/// Maximum number of names of members that are collected from a file.
const HITS: usize = 60_000;
/// Maximum number of lines of a place for each member; `LINES_OF_PLACE` lines are added to the product.
const LINES_OF_MEMBER: usize = 9;
const LINES_OF_PLACE: usize = 10;
/// Maximum number of places that are collected for a set.
const PLACES: usize = 40;
/// Maximum number of lines that go through all variants of an enum.
const LOOPS: usize = 3;
/// Maximum number of places in tests that a set keeps.
const TESTS: usize = 2;
/// Minimum size of a set whose members may be written without the words that all of them share: `quit`
/// for `actionQuit`.
const SHORT: usize = 6;

/// Occurrence of a member's name in a file: the line number, the index of the member in its set, and
/// the name as written.
#[derive(Clone, Copy, Debug)]
struct NameHit<'t> {
    line: usize,
    member: usize,
    text: &'t str,
    /// True in a string, in a path, and behind a word such as `mod`: the name is no variable or field there.
    is_file: bool,
}

/// Fills `places` of all sets: reads the code base up to the limits above, without generated files.
pub(super) fn find(survey: &Survey, index: &mut NameIndex, sets: &mut [SiblingSet]) {
    of_paths(survey, index, sets);
    let mut left = BYTES;
    for path in survey.files.iter().filter(|path| is_read(path)).take(FILES) {
        if survey.sizes.get(path).is_some_and(|size| *size > FILE_BYTES as u64) {
            continue;
        }
        let Ok((_, text)) = survey.code.text(path) else { continue };
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        if generated_line(&text).is_none() {
            of_file(survey, index, sets, path, &text);
            add_loops(sets, path, &text);
        }
    }
    for set in sets {
        keep_best(set);
    }
}

/// Returns true for a path whose file people write and that may name members: not vendored, generated,
/// a changelog, a lock file, data or an HTML page of the documentation.
pub(in crate::workflows::survey) fn is_read(path: &str) -> bool {
    let role = PathRole::of(path);
    if matches!(role, PathRole::Vendored | PathRole::Generated) {
        return false;
    }
    if Language::of_path(path).is_some() {
        return true;
    }
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    let is_history =
        ["change", "history", "news", "release", "license", "copying", "authors", "contributors"]
            .iter()
            .any(|start| name.starts_with(start))
            && matches!(end, "" | "md" | "markdown" | "rst" | "txt" | "adoc" | "html");
    let is_locked = name.contains("lock") && !name.contains("block") || end == "sum";
    let is_data = matches!(end, "svg" | "csv" | "po" | "pot" | "snap" | "map" | "log" | "ipynb");
    // Tools make the pages of a documentation; templates of a program are written.
    let is_page = matches!(end, "html" | "htm") && role == PathRole::Docs;
    !(is_history || is_locked || is_data || is_page)
}

/// Adds to each set the folders that have a file for nearly every member, as patterns such as
/// `src/run/*.rs`.
fn of_paths(survey: &Survey, index: &mut NameIndex, sets: &mut [SiblingSet]) {
    let mut found: BTreeMap<(usize, u64, &str, &str), BTreeMap<usize, &str>> = BTreeMap::new();
    for path in survey.files.iter().filter(|path| is_read(path)) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, end) = name.split_once('.').unwrap_or((name, ""));
        for meaning in index.meanings(stem) {
            let key = (meaning.set, meaning.affix, folder, end);
            found.entry(key).or_default().entry(meaning.member).or_insert(path);
        }
    }
    let mut written: HashMap<&str, bool> = HashMap::new();
    for ((at, affix, folder, end), mut members) in found {
        let set = &mut sets[at];
        let least = needed(set.members.len());
        let is_short = index.is_short(at, affix) && set.members.len() < SHORT;
        if members.len() < least || is_short || set.places.len() >= PLACES {
            continue;
        }
        let pattern = pattern(folder, end);
        if set.source.path == pattern {
            continue;
        }
        members.retain(|_, path| *written.entry(*path).or_insert_with(|| is_written(survey, path)));
        if members.len() < least {
            continue;
        }
        let sample = members.values().next_back().map(|path| (*path).to_owned());
        set.places.push(NamingPlace {
            path: pattern,
            lines: (0, 0),
            within: None,
            sample,
            named: members.len(),
        });
    }
}

/// Returns the pattern of the files of a folder with an ending (without its dot): `src/run/*.rs`;
/// `src/run/*` for an empty ending.
pub(super) fn pattern(folder: &str, end: &str) -> String {
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    if end.is_empty() { format!("{folder}*") } else { format!("{folder}*.{end}") }
}

/// Returns true unless the head of a file says that it is generated. Large non-code files count as
/// written.
pub(super) fn is_written(survey: &Survey, path: &str) -> bool {
    let is_small = survey.sizes.get(path).is_some_and(|size| *size <= FILE_BYTES as u64);
    let is_text = is_small || Language::of_path(path).is_some();
    !(is_text && survey.code.text(path).is_ok_and(|(_, text)| generated_line(&text).is_some()))
}

/// Adds to each set the places in one file that name enough of its members. Comments, imports, long
/// lines and the definition of the set do not count; in other texts than code only names that are
/// marked as such do.
fn of_file(survey: &Survey, index: &mut NameIndex, sets: &mut [SiblingSet], path: &str, text: &str) {
    let is_code = Language::of_path(path).is_some();
    let imported = if is_code { imported_lines(path, text) } else { HashSet::new() };
    let is_rust = Language::of_path(path) == Some(Language::Rust);
    let is_of_tests = PathRole::of(path) == PathRole::Test;
    let read = |line: &'_ str| if is_code { without_prose(line) } else { line.to_owned() };
    let lines: Vec<(usize, String)> = text
        .lines()
        .enumerate()
        .filter(|(at, line)| line.len() <= LINE && !imported.contains(at) && !(is_code && is_comment(line)))
        .map(|(at, line)| (at, read(line)))
        .collect();
    let mut hits: HashMap<(usize, u64), Vec<NameHit>> = HashMap::new();
    let mut count = 0;
    for (at, line) in &lines {
        let first = line.find(char::is_alphanumeric).unwrap_or(0);
        for (start, name) in names(line) {
            if !is_code && !is_marked(line, first, (start, name)) {
                continue;
            }
            let is_field = !is_code || is_field_use(line, start, name);
            // `Instant::parse` of Java is a method.
            let is_path = is_rust || !line[start + name.len()..].starts_with("::");
            let is_file = !is_code || is_path && is_file_use(line, start, name);
            for meaning in index.meanings(name) {
                match sets[meaning.set].kind {
                    MemberKind::Field if !is_field => continue,
                    MemberKind::Folder if !is_folder_use(&line[start + name.len()..]) => continue,
                    // The type `Config` is not the option `--config`.
                    MemberKind::Option | MemberKind::Key
                        if name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase) =>
                    {
                        continue;
                    }
                    MemberKind::File | MemberKind::Case if !is_file && !is_symbol(line, start) => continue,
                    _ => {}
                }
                let hit = NameHit { line: *at + 1, member: meaning.member, text: name, is_file };
                hits.entry((meaning.set, meaning.affix)).or_default().push(hit);
                count += 1;
            }
        }
        if count > HITS {
            break;
        }
    }
    let mut outline = None;
    let mut groups: Vec<_> = hits.into_iter().collect();
    groups.sort_unstable_by_key(|(key, _)| *key);
    for ((at, affix), mut hits) in groups {
        let set = &mut sets[at];
        let is_bare = index.is_own(at, affix);
        let is_typed = matches!(set.kind, MemberKind::Variant | MemberKind::Field);
        let is_of_type = !(is_typed && is_bare) || names_type(text, &set.title);
        // Without the type such words are fields and variables.
        if !is_of_type {
            hits.retain(|hit| hit.is_file);
        }
        // A class, a constant or a module written otherwise is another thing: the function `fifo_cache` beside `FIFOCache`.
        let is_exact = match set.kind {
            MemberKind::Implementation | MemberKind::Constant => true,
            MemberKind::File => is_bare,
            _ => is_typed && is_bare && is_of_type,
        };
        if is_exact {
            let is_alias =
                |hit: &NameHit| set.aliases.iter().any(|(at, it)| *at == hit.member && it == hit.text);
            hits.retain(|hit| set.members[hit.member] == hit.text || is_alias(hit));
        }
        let least = match () {
            () if !is_of_type && set.kind == MemberKind::Field => continue,
            // Words that are written like a variant mean something else, unless there is one for each.
            () if !is_of_type => set.members.len(),
            // Names with other words in a test are its own.
            () if is_of_tests && is_typed && !is_bare && !names_type(text, &set.title) => continue,
            // A test of a few members names others by chance.
            () if is_of_tests => set.members.len(),
            // Names with other words may mean something else.
            () if !is_bare => (set.members.len() * 9).div_ceil(10),
            () => needed(set.members.len()),
        };
        let is_short = index.is_short(at, affix) && set.members.len() < SHORT;
        if hits.len() < least || set.places.len() >= PLACES || is_short {
            continue;
        }
        let source = &set.source;
        if source.path == path {
            hits.retain(|hit| !(source.start..=source.end).contains(&hit.line));
        }
        if distinct(&hits) < least {
            continue;
        }
        let outline = outline.get_or_insert_with(|| is_code.then(|| survey.code.get_outline(path)).flatten());
        let symbols = outline.as_ref().map_or(&[] as &[SymbolInfo], |outline| &outline.symbols);
        let most = set.members.len() * LINES_OF_MEMBER + LINES_OF_PLACE;
        let mut reader =
            PlaceReader { path, least, members: set.members.len(), most, is_bare, found: Vec::new() };
        let rest = reader.read(symbols, &hits, &mut Vec::new());
        // Names that are far from one another outside of a definition have nothing to do with one another.
        reader.most = set.members.len() * if is_code { 3 } else { LINES_OF_MEMBER } + LINES_OF_PLACE;
        reader.push_window(&rest);
        if is_of_tests {
            reader.found.truncate(1);
        }
        set.places.append(&mut reader.found);
    }
}

/// Returns true for a symbol of Ruby: `:name`.
fn is_symbol(line: &str, start: usize) -> bool {
    line[..start].ends_with(':') && !line[..start].ends_with("::")
}

/// Adds the lines of a file outside of tests that go through all variants of an enum.
fn add_loops(sets: &mut [SiblingSet], path: &str, text: &str) {
    if Language::of_path(path).is_none() || PathRole::of(path) != PathRole::Runtime {
        return;
    }
    for set in sets.iter_mut().filter(|set| set.kind == MemberKind::Variant && set.loops.len() < LOOPS) {
        let name = set.title.rsplit(['.', ':']).next().unwrap_or(&set.title).to_owned();
        if !text.contains(&name) {
            continue;
        }
        let all = [
            format!("{name}.values()"),
            format!("{name}::iter()"),
            format!("{name}::ALL"),
            format!("{name}::VARIANTS"),
            format!("{name}::cases()"),
            format!("Object.values({name})"),
            format!("GetValues(typeof({name})"),
            format!("GetValues<{name}>"),
            format!(" in {name}:"),
        ];
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let has = |line: &str, part: &str| {
            line.match_indices(part).any(|(at, _)| {
                let (before, after) = (&line[..at], &line[at + part.len()..]);
                let is_open = part.starts_with(is_name) && before.ends_with(is_name);
                let goes_on = part.ends_with(is_name) && after.starts_with(is_name);
                !is_open && !goes_on
            })
        };
        // `if x in Colour:` asks for one member.
        let is_loop = |line: &str| {
            !is_comment(line)
                && all.iter().any(|all| has(line, all) && (!all.ends_with(':') || line.contains("for ")))
        };
        let found = text.lines().enumerate().filter(|(_, line)| is_loop(line));
        let places = found.map(|(at, _)| SourceLines { path: path.to_owned(), start: at + 1, end: at + 1 });
        set.loops.extend(places.take(LOOPS - set.loops.len()));
    }
}

/// Returns true for a line that begins with a comment sign.
fn is_comment(line: &str) -> bool {
    let bare = line.trim_start();
    ["//", "/*", "* ", "# "].iter().any(|start| bare.starts_with(start))
}

/// Replaces strings of several words by blanks and removes the comment at the end of a line of code,
/// because prose names members by chance. Byte offsets stay. Strings with `,`, `=` or `(` stay, because
/// they may be lists or queries.
fn without_prose(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '`', '/', '#']) {
        let (before, from) = rest.split_at(at);
        shown.push_str(before);
        let is_behind_blank = shown.is_empty() || shown.ends_with([' ', '\t']);
        if is_behind_blank && (from.starts_with("//") || from.starts_with("# ")) {
            return shown;
        }
        let Some(mark) = from.chars().next() else { break };
        let end = from[1..].find(mark).filter(|_| !matches!(mark, '/' | '#'));
        let length = end.map_or(1, |end| end + 2);
        let text = &from[..length];
        if text.contains(' ') && !text.contains([',', '=', '(']) {
            shown.extend(text.chars().map(|_| ' '));
        } else {
            shown.push_str(text);
        }
        rest = &from[length..];
    }
    shown.push_str(rest);
    shown
}

/// Returns the line indexes (from 0) of import statements, which name members without using them. Empty
/// for files such as `mod.rs` or `index.ts`, because their imports register the members.
fn imported_lines(path: &str, text: &str) -> HashSet<usize> {
    const STARTS: &[&str] =
        &["import ", "import(", "from ", "use ", "pub use ", "#include", "using ", "require"];
    let mut found = HashSet::new();
    if speaks_for_folder(path) {
        return found;
    }
    let mut depth = 0_usize;
    for (at, line) in text.lines().enumerate() {
        if depth > 0 || STARTS.iter().any(|start| line.starts_with(start)) {
            found.insert(at);
            let count = |signs: [char; 2]| line.chars().filter(|c| signs.contains(c)).count();
            depth = (depth + count(['{', '('])).saturating_sub(count(['}', ')']));
        }
    }
    found
}

/// Returns the number of different members among the hits.
fn distinct(hits: &[NameHit]) -> usize {
    hits.iter().map(|hit| hit.member).collect::<HashSet<_>>().len()
}

/// Reader that collects the places of one set in one file.
struct PlaceReader<'t> {
    path: &'t str,
    /// Minimum number of members that a place names, number of all, and maximum number of lines.
    least: usize,
    members: usize,
    most: usize,
    /// True if the names are the members as written, without other words around them.
    is_bare: bool,
    found: Vec<NamingPlace>,
}

impl PlaceReader<'_> {
    /// Adds the innermost definitions that name enough members, and returns the hits outside of them.
    /// `hits` are sorted by line; `around` has the names of the enclosing definitions.
    fn read<'h>(
        &mut self,
        symbols: &[SymbolInfo],
        hits: &[NameHit<'h>],
        around: &mut Vec<String>,
    ) -> Vec<NameHit<'h>> {
        let mut rest: Vec<NameHit> = Vec::new();
        let mut at = 0;
        for symbol in symbols {
            let start = at + hits[at..].partition_point(|hit| hit.line < symbol.line);
            let end = start + hits[start..].partition_point(|hit| hit.line <= symbol.line_end);
            rest.extend(&hits[at..start]);
            at = end;
            // The tests of a file name members for other reasons.
            if is_test(symbol) {
                continue;
            }
            let own = &hits[start..end];
            if own.len() < self.least || distinct(own) < self.least {
                rest.extend(own);
                continue;
            }
            let before = self.found.len();
            let name = match symbol.kind {
                SymbolKind::Impl => symbol.implementing_type().to_owned(),
                _ => symbol.name.clone(),
            };
            around.push(name);
            let outside = self.read(&symbol.children, own, around);
            if self.found.len() == before {
                self.push(own, Some(around.join(".")));
            } else {
                rest.extend(outside);
            }
            around.pop();
        }
        rest.extend(&hits[at..]);
        rest
    }

    /// Adds the shortest range of consecutive hits that has all members named by `hits`, if these are
    /// at least `least`.
    fn push_window(&mut self, hits: &[NameHit]) {
        if distinct(hits) < self.least {
            return;
        }
        let mut counts: HashMap<usize, usize> = HashMap::new();
        let mut best: Option<(usize, usize)> = None;
        let mut from = 0;
        let all = distinct(hits);
        for (to, hit) in hits.iter().enumerate() {
            *counts.entry(hit.member).or_default() += 1;
            while counts.len() == all {
                let length = hits[to].line - hits[from].line;
                if best.is_none_or(|(start, end)| length < hits[end].line - hits[start].line) {
                    best = Some((from, to));
                }
                if let Some(count) = counts.get_mut(&hits[from].member) {
                    *count -= 1;
                    if *count == 0 {
                        counts.remove(&hits[from].member);
                    }
                }
                from += 1;
            }
        }
        if let Some((from, to)) = best {
            self.push(&hits[from..=to], None);
        }
    }

    /// Adds a place from the first to the last hit, unless it is longer than `most` lines, or one line
    /// that names only some members.
    fn push(&mut self, hits: &[NameHit], within: Option<String>) {
        let (Some(first), Some(last)) = (hits.first(), hits.last()) else { return };
        // A sentence on one line may name some.
        let is_sentence = first.line == last.line && distinct(hits) < self.members;
        if last.line - first.line > self.most || is_sentence {
            return;
        }
        let sample = (!self.is_bare).then(|| last.text.to_owned());
        self.found.push(NamingPlace {
            path: self.path.to_owned(),
            lines: (first.line, last.line),
            within,
            sample,
            named: distinct(hits),
        });
    }
}

/// Sorts the places of a set by the number of named members, and drops places that overlap better ones,
/// further patterns of the same folder, and all but `TESTS` places in tests.
fn keep_best(set: &mut SiblingSet) {
    set.places.sort_by(|a, b| {
        b.named
            .cmp(&a.named)
            .then_with(|| (a.lines.1 - a.lines.0).cmp(&(b.lines.1 - b.lines.0)))
            .then_with(|| (&a.path, a.lines).cmp(&(&b.path, b.lines)))
    });
    let mut taken: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    set.places.retain(|place| {
        let lines = taken.entry(place.path.clone()).or_default();
        let is_new = lines.iter().all(|known| place.lines.0 > known.1 || known.0 > place.lines.1);
        if is_new {
            lines.push(place.lines);
        }
        is_new
    });
    let mut tests = 0;
    set.places.retain(|place| {
        let is_test = PathRole::of(&place.path) == PathRole::Test;
        tests += usize::from(is_test);
        !is_test || tests <= TESTS
    });
}
