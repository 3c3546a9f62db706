//! Measures the language of names and doc comments, crate by crate, so that it stays plain. CONTRIBUTING.md has the rules in words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::tidy::{none, root, shown, sources};

/// Upper bound of doc paragraphs that open with a question word, in percent. Comparable Rust projects have 0.3 to 5.7.
const OPENERS_PERCENT: f64 = 5.0;
/// Upper bound of impersonal subjects per 1,000 doc lines. Comparable projects have 0 to 3.3.
const IMPERSONAL_PER_MILLE: f64 = 5.0;
/// Upper bound of functions that are named by a bare participle, in percent. Comparable projects have 0 to 2.7.
const PARTICIPLES_PERCENT: f64 = 2.0;
/// Upper bound of type names that two or more files of the workspace define. Comparable projects have 0 to 5.
const DOUBLED_TYPES: usize = 10;

static OPENER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(What|Whether|Where|Who|Whose|Whom|How|Why|When)\b").unwrap());
static IMPERSONAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(whoever|whom|nobody|somebody|who|one that|what (?:is|was|it|they|has|stands))\b")
        .unwrap()
});
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe)\s+)*fn\s+(\w+)").unwrap()
});
static TYPE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait)\s+(\w+)").unwrap());

/// Participles that do not end in "ed".
const IRREGULAR: &[&str] = &[
    "become", "begun", "bound", "built", "chosen", "done", "drawn", "found", "given", "gone", "heard",
    "held", "kept", "known", "led", "left", "lost", "made", "met", "named", "said", "seen", "sent", "shown",
    "spoken", "taken", "thrown", "told", "torn", "written",
];
/// Verbs that end in "ed".
const VERBS: &[&str] = &["embed", "exceed", "feed", "need", "seed", "speed", "succeed"];

/// The counts of one crate.
#[derive(Default)]
struct Measure {
    paragraphs: usize,
    openers: Vec<String>,
    lines: usize,
    impersonal: Vec<String>,
    functions: usize,
    participles: Vec<String>,
}

/// The text of a source file up to its module of tests.
fn without_tests(text: &str) -> &str {
    text.find("\n#[cfg(test)]\nmod tests {").map_or(text, |end| &text[..end])
}

impl Measure {
    fn add(&mut self, path: &Path, text: &str) {
        let text = without_tests(text);
        let mut paragraph = String::new();
        let mut in_example = false;
        for line in text.lines().map(str::trim).chain([""]) {
            let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if let Some(doc) = doc.map(str::trim) {
                if doc.starts_with("```") {
                    in_example = !in_example;
                } else if !in_example {
                    self.lines += 1;
                    if !doc.is_empty() {
                        paragraph =
                            if paragraph.is_empty() { doc.to_owned() } else { format!("{paragraph} {doc}") };
                        continue;
                    }
                } else {
                    continue;
                }
            } else {
                in_example = false;
            }
            self.end_paragraph(path, &std::mem::take(&mut paragraph));
        }
        for name in FUNCTION.captures_iter(text).map(|captures| captures[1].to_owned()) {
            self.functions += 1;
            let regular = name.ends_with("ed") && !name.contains('_') && !VERBS.contains(&name.as_str());
            if regular || IRREGULAR.contains(&name.as_str()) {
                self.participles.push(format!("{}: fn {name}", shown(path)));
            }
        }
    }

    fn end_paragraph(&mut self, path: &Path, text: &str) {
        if text.is_empty() {
            return;
        }
        self.paragraphs += 1;
        let place = || format!("{}: {text}", shown(path));
        if OPENER.is_match(text) {
            self.openers.push(place());
        }
        self.impersonal.extend(IMPERSONAL.find_iter(text).map(|_| place()));
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of lines in a source tree")]
    fn check(&self, krate: &str) -> Vec<String> {
        let share = |part: &[String], whole: usize| part.len() as f64 / whole.max(1) as f64;
        [
            (
                "paragraphs that open with a question word, %",
                100.0 * share(&self.openers, self.paragraphs),
                OPENERS_PERCENT,
                &self.openers,
            ),
            (
                "impersonal subjects per 1,000 lines",
                1000.0 * share(&self.impersonal, self.lines),
                IMPERSONAL_PER_MILLE,
                &self.impersonal,
            ),
            (
                "functions named by a participle, %",
                100.0 * share(&self.participles, self.functions),
                PARTICIPLES_PERCENT,
                &self.participles,
            ),
        ]
        .into_iter()
        .filter(|(_, value, bound, _)| value > bound)
        .map(|(name, value, bound, places)| {
            format!("{krate}: {name}: {value:.1}, at most {bound}\n  {}", places.join("\n  "))
        })
        .collect()
    }
}

/// The source folders of the workspace's crates, by name.
fn crates() -> BTreeMap<String, PathBuf> {
    let mut crates = BTreeMap::from([("stategraph".to_owned(), root().join("src"))]);
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let entry = entry.unwrap();
        crates.insert(entry.file_name().into_string().unwrap(), entry.path().join("src"));
    }
    crates
}

/// The rules that stand in for models, which are about to be replaced as a whole.
fn is_left_out(path: &Path) -> bool {
    let path = shown(path);
    path.starts_with("src/workflows/ard/offline") || path.starts_with("src/workflows/doc_phases/rules")
}

#[test]
fn every_crate_speaks_plain_language() {
    let mut defects = Vec::new();
    for (name, folder) in crates() {
        let mut measure = Measure::default();
        for (path, text) in sources(folder.to_str().unwrap()) {
            if !is_left_out(&path) {
                measure.add(&path, &text);
            }
        }
        assert!(measure.lines > 0, "{name} has docs");
        defects.extend(measure.check(&name));
    }
    none("the language of these crates is not plain enough", &defects);
}

#[test]
fn a_type_name_means_one_thing() {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in crates().values() {
        for (path, text) in sources(folder.to_str().unwrap()) {
            for captures in TYPE.captures_iter(without_tests(&text)) {
                types.entry(captures[1].to_owned()).or_default().insert(shown(&path));
            }
        }
    }
    let doubled: Vec<_> = types.into_iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(
        doubled.len() <= DOUBLED_TYPES,
        "{} type names are defined in two or more files: {doubled:#?}",
        doubled.len()
    );
}
