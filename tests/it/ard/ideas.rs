//! Judges the reading of ideas by expectations that were written by hand; see `tests/ideas`.

use std::collections::BTreeSet;

use serde::Deserialize;
use stategraph::workflows::ard::analysis::{IdeaAnalysis, propose, stem};

/// An idea with its expectations; the first lines of `tests/ideas/own.yaml` describe the fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    idea: String,
    #[serde(default = "designs")]
    designs: bool,
    #[serde(default)]
    requirements: Vec<Vec<String>>,
    #[serde(default)]
    quantities: Vec<String>,
    #[serde(default)]
    items: Vec<String>,
    #[serde(default)]
    exclusions: Vec<String>,
    #[serde(default)]
    constraints: Vec<String>,
    #[serde(default)]
    components: Vec<Vec<String>>,
    #[serde(default)]
    contradiction: bool,
}

fn designs() -> bool {
    true
}

fn words(text: &str) -> BTreeSet<String> {
    let split = |c: char| !c.is_alphanumeric();
    let mut words: BTreeSet<String> = text.split(split).filter(|word| !word.is_empty()).map(stem).collect();
    let hyphened = text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| word.contains('-'));
    words.extend(hyphened.map(str::to_lowercase));
    words
}

fn holds(words: &BTreeSet<String>, expected: &[String]) -> bool {
    expected.iter().all(|entry| {
        entry.split('|').any(|word| {
            let stem = stem(word);
            words.contains(&stem)
                || words.contains(&word.to_lowercase())
                || words.iter().any(|it| it.starts_with(&stem) && stem.len() > 4)
        })
    })
}

/// The counts of a set of ideas.
#[derive(Debug, Default)]
struct Score {
    expected: usize,
    found: usize,
    produced: usize,
    right: usize,
    faults: Vec<String>,
    misses: Vec<String>,
}

impl Score {
    fn recall(&self) -> usize {
        self.found * 100 / self.expected.max(1)
    }

    fn precision(&self) -> usize {
        self.right * 100 / self.produced.max(1)
    }
}

fn read(file: &str) -> Vec<Case> {
    let path = format!("{}/tests/ideas/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the file of ideas");
    serde_saphyr::from_str(&text).expect("ideas with expectations")
}

fn score(cases: &[Case]) -> Score {
    let mut score = Score::default();
    for case in cases {
        judge(case, &mut score);
    }
    score
}

fn judge(case: &Case, score: &mut Score) {
    let name = &case.name;
    let analysis = IdeaAnalysis::of(&case.idea);
    let components = propose(&analysis);
    let requirements: Vec<_> = analysis.requirements.iter().map(|it| (it, words(&it.text))).collect();
    if !case.designs {
        if !components.is_empty() {
            score.faults.push(format!("{name}: components from an idea that allows none"));
        }
        if analysis.questions.is_empty() {
            score.faults.push(format!("{name}: no questions"));
        }
        return;
    }
    for expected in &case.requirements {
        score.expected += 1;
        if requirements.iter().any(|(_, words)| holds(words, expected)) {
            score.found += 1;
        } else {
            score.misses.push(format!("{name}: missing {expected:?}"));
        }
    }
    for (requirement, words) in &requirements {
        score.produced += 1;
        if case.requirements.iter().any(|expected| holds(words, expected)) {
            score.right += 1;
        } else {
            score.misses.push(format!("{name}: not expected: {}", requirement.text));
        }
    }
    let mut listed: Vec<&str> = analysis.requirements.iter().map(|it| it.text.as_str()).collect();
    listed.extend(analysis.constraints.iter().map(|it| it.text.as_str()));
    listed.extend(analysis.quantities.iter().map(|it| it.text.as_str()));
    let all = listed.join("\n").to_lowercase();
    for lost in case.quantities.iter().chain(&case.items).filter(|it| !all.contains(&it.to_lowercase())) {
        score.faults.push(format!("{name}: `{lost}` is lost"));
    }
    let rules: Vec<&str> =
        analysis.constraints.iter().chain(&analysis.exclusions).map(|it| it.text.as_str()).collect();
    let kept = format!("{all}\n{}", rules.join("\n")).to_lowercase();
    for lost in case.constraints.iter().filter(|it| !kept.contains(&it.to_lowercase())) {
        score.faults.push(format!("{name}: constraint `{lost}` is lost"));
    }
    for exclusion in &case.exclusions {
        let expected = words(exclusion);
        let is_listed = analysis.exclusions.iter().any(|it| expected.is_subset(&words(&it.text)));
        if !is_listed {
            score.faults.push(format!("{name}: exclusion `{exclusion}` is lost"));
        }
        let built = components
            .iter()
            .find(|it| expected.is_subset(&stategraph::workflows::ard::analysis::stems(&it.name)));
        if let Some(built) = built.filter(|_| !case.contradiction) {
            score.faults.push(format!("{name}: excluded `{exclusion}` is built as {}", built.name));
        }
    }
    for exclusion in &analysis.exclusions {
        let found = words(&exclusion.text);
        if !case.exclusions.iter().any(|expected| words(expected).is_subset(&found)) {
            score
                .faults
                .push(format!("{name}: `{}` is excluded, although the idea asks for it", exclusion.text));
        }
    }
    for expected in &case.components {
        let names = |it: &str| holds(&stategraph::workflows::ard::analysis::stems(it), expected);
        if !components.iter().any(|it| names(&it.name)) {
            score.faults.push(format!("{name}: no component for {expected:?}"));
        }
    }
    if case.contradiction && analysis.contradictions().next().is_none() {
        score.faults.push(format!("{name}: the contradiction was not seen"));
    }
    if !case.contradiction && analysis.contradictions().next().is_some() {
        score.faults.push(format!("{name}: a contradiction that is none"));
    }
}

#[test]
fn own_ideas_are_read_as_a_person_reads_them() {
    check("own.yaml");
}

#[test]
fn ideas_of_others_that_joined_the_set_are_read_so_too() {
    check("held-1.yaml");
    check("held-2.yaml");
}

#[test]
fn ideas_that_the_rules_were_not_made_for_are_read_well_enough() {
    // Written by a reader who has not seen the code; nothing was changed for them.
    let score = score(&read("held-3.yaml"));
    let report = format!("recall {} %, precision {} %", score.recall(), score.precision());
    assert!(score.recall() >= 75 && score.precision() >= 85, "{report}");
}

fn check(file: &str) {
    let score = score(&read(file));
    let report = format!(
        "recall {} %, precision {} %\n{}\n{}",
        score.recall(),
        score.precision(),
        score.faults.join("\n"),
        score.misses.join("\n")
    );
    assert!(score.recall() >= 80 && score.precision() >= 90 && score.faults.is_empty(), "{report}");
}
