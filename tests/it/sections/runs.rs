//! Documents by rules, of the packages in the tests of the crate, and READMEs of projects.

use std::path::Path;

use stategraph::workflows::sections::input::{SectionsProfile, SectionsTask};
use stategraph::workflows::sections::state::SectionOutcome;

use super::kit::{Place, SectionsModel, Writing, score, text};

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns a place whose package is one of the crate's tests.
fn place_of(package: &str) -> Place {
    let place = Place::new();
    std::fs::remove_dir_all(place.path().join("pkg")).unwrap();
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/readme/tests/packages");
    copy(&packages.join(package), &place.path().join("pkg"));
    place
}

#[tokio::test]
async fn rules_write_a_document_of_each_package_without_blocking_issues_and_say_so() {
    // SEC-1, SEC-21, SEC-23, SEC-46, SEC-52, SEC-101, SEC-102, SEC-157
    for package in ["borealis_firewall", "meridian_shield", "tidal_db"] {
        let place = place_of(package);
        let ended = Writing::by_rules().run(&place).await.unwrap();
        assert!(
            ended.state.current_sections().all(|(_, section)| !matches!(section.outcome, SectionOutcome::Failed(_))),
            "{package}"
        );
        let document = place.document();
        assert_eq!(document.matches("was written by rules").count(), 1, "{document}");
        assert!(!document.contains("with the help of AI"), "{document}");
        let blocking: Vec<_> = ended
            .state
            .validations
            .iter()
            .filter(|validation| ["structure", "placeholder"].contains(&validation.validator.as_str()))
            .flat_map(|validation| &validation.issues)
            .filter(|issue| issue.is_blocking())
            .collect();
        assert!(blocking.is_empty(), "{package}: {blocking:#?}");
    }
}

#[tokio::test]
async fn a_second_run_by_rules_writes_the_same_bytes() {
    // SEC-126
    let place = place_of("borealis_firewall");
    Writing::by_rules().run(&place).await.unwrap();
    let first = place.document();
    Writing::by_rules().run(&place).await.unwrap();
    assert_eq!(place.document(), first);
}

fn readme(place: &Place, text: &str) -> Writing {
    place.write("project/README.md", text);
    let writing = Writing::by_rules();
    writing.set(|to| to.profile = SectionsProfile::Readme)
}

#[tokio::test]
async fn rules_check_the_readme_of_a_project_and_honour_the_switches_of_markdownlint() {
    // SEC-100, SEC-104, SEC-105
    let place = Place::new();
    let faulty = "# Project\n\n### Deep\n\n```\ncode\n```\n\n[guide](docs/guide.md)\n";
    let writing = readme(&place, faulty);
    let rules = async |place: &Place| {
        let mut resources = writing.resources(place);
        resources.package_path = place.path().join("project/README.md");
        let run = stategraph::workflows::sections::state::SectionsRun::new(
            writing.settings.clone(),
            place.path().join("project/README.md"),
            stategraph::workflows::Timestamp::from_ms(0),
        );
        let ended = stategraph::workflows::sections::sections_graph(resources).run(run).await.unwrap();
        let issues = ended.state.validations.into_iter().flat_map(|it| it.issues);
        issues.map(|issue| (issue.rule, issue.line)).collect::<Vec<_>>()
    };
    let found = rules(&place).await;
    for expected in [("structure/level-jump", 3), ("structure/fence-language", 5), ("readme/missing-file", 9)] {
        assert!(found.contains(&(expected.0.to_owned(), expected.1)), "{expected:?} in {found:?}");
    }
    place.write("project/.markdownlint.json", "{ \"MD001\": false }");
    place.write("project/docs/guide.md", "# Guide\n");
    let found = rules(&place).await;
    assert!(!found.iter().any(|(rule, _)| rule == "structure/level-jump" || rule == "readme/missing-file"), "{found:?}");
    assert_eq!(place.read("project/README.md"), faulty, "rules change nothing");
}

#[tokio::test]
async fn a_model_mends_the_sections_of_a_readme_that_have_issues_and_no_other_byte() {
    let place = Place::new();
    let text_before = "# Project\n\nIntro.\n\n## Use\n\nTo learn more, [click here](https://a.example.org/x).\n\n## Licence\n\nMIT or Apache-2.0, as you like it, for everything that is in this folder.\n\nBoth are here.\n\nThat is all.\n";
    let _ = readme(&place, text_before);
    let model = SectionsModel::new(|ask| match ask.label.as_str() {
        "generator" => text("## Use\n\nRead the [guide](https://a.example.org/x).\n"),
        _ => score(9, &[]),
    });
    let writing = Writing::with(&model).set(|to| {
        to.profile = SectionsProfile::Readme;
        to.task = SectionsTask::Update;
    });
    let mut resources = writing.resources(&place);
    resources.package_path = place.path().join("project/README.md");
    let run = stategraph::workflows::sections::state::SectionsRun::new(
        writing.settings.clone(),
        place.path().join("project/README.md"),
        stategraph::workflows::Timestamp::from_ms(0),
    );
    stategraph::workflows::sections::sections_graph(resources).run(run).await.unwrap();
    let use_asked = model.about("generator", "Use");
    assert!(use_asked[0].task().contains("click here"), "{}", use_asked[0].task());
    assert!(model.about("generator", "Licence").is_empty());
    let expected = text_before.replace("To learn more, [click here]", "Read the [guide]");
    assert_eq!(place.read("project/README.md"), expected);
}
