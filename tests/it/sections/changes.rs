//! Changes on request, the question about the document, and runs that change nothing.

use stategraph::engine::Status;
use stategraph::workflows::sections::input::{DocumentApproval, SectionsTask};

use super::kit::{Place, SectionsModel, Writing, score, text, writes};

const DOCUMENT: &str =
    "# Acme Gate\n\nIntro.\n\n## Overview\n\nWhat it is.\n\n### Details\n\nMore.\n\n## Setup\n\nSteps.\n";

#[tokio::test]
async fn a_change_rewrites_the_sections_that_the_request_is_about_and_no_other_byte() {
    // SEC-9, SEC-22, SEC-85, SEC-145, SEC-146
    let place = Place::new();
    place.write("pkg/_dev/build/docs/README.md", DOCUMENT);
    let model = SectionsModel::new(|ask| match ask.label.as_str() {
        "modification_analysis" => {
            text(r#"{"scope":"specific","sections":["Details"],"confidence":0.9,"reasons":["it is named"]}"#)
        }
        "generator" if ask.is_first() => super::kit::reads_service_info(&ask.title),
        "generator" => text("## Overview\n\nWhat it is.\n\n### Details\n\nMuch more.\n"),
        _ => score(9, &[]),
    });
    let writing = Writing::with(&model).set(|to| to.task = SectionsTask::Modify("more details".to_owned()));
    writing.run(&place).await.unwrap();
    // A sub-section means the section around it.
    assert_eq!(model.about("generator", "Setup").len(), 0);
    assert!(model.about("generator", "Overview")[0].task().contains("more details"));
    let expected = DOCUMENT.replace("\nMore.\n", "\nMuch more.\n");
    assert!(place.document().starts_with(expected.trim_end()), "{}", place.document());
}

#[tokio::test]
async fn an_unclear_or_unreadable_analysis_means_all_sections() {
    // SEC-145
    for analysis in [r#"{"scope":"specific","sections":["Setup"],"confidence":0.5,"reasons":[]}"#, "no JSON"]
    {
        let place = Place::new();
        place.write("pkg/_dev/build/docs/README.md", DOCUMENT);
        let words = writes("Words");
        let model = SectionsModel::new(move |ask| {
            if ask.label == "modification_analysis" { text(analysis) } else { words(ask) }
        });
        let writing = Writing::with(&model).set(|to| to.task = SectionsTask::Modify("be better".to_owned()));
        let ended = writing.run(&place).await.unwrap();
        assert_eq!(ended.state.planned.len(), 2, "{analysis}");
    }
}

#[tokio::test]
async fn a_change_needs_a_document_with_sections() {
    // SEC-18
    let place = Place::new();
    let model = SectionsModel::new(writes("Words"));
    let writing = Writing::with(&model).set(|to| to.task = SectionsTask::Modify("more".to_owned()));
    let error = writing.run(&place).await.unwrap_err();
    assert!(format!("{error:?}").contains("has no `README.md`"), "{error:?}");
    place.write("pkg/_dev/build/docs/README.md", "Only words.\n");
    let error = writing.run(&place).await.unwrap_err();
    assert!(format!("{error:?}").contains("no sections to change"), "{error:?}");
}

#[tokio::test]
async fn a_person_accepts_asks_for_changes_or_cancels() {
    // SEC-7, SEC-142, SEC-143, SEC-147
    let place = Place::new();
    place.write("pkg/_dev/build/docs/README.md", DOCUMENT);
    let before = place.files();
    let words = writes("Words");
    let model = SectionsModel::new(move |ask| match ask.label.as_str() {
        "modification_analysis" => {
            text(r#"{"scope":"specific","sections":["Notes"],"confidence":1.0,"reasons":["it is named"]}"#)
        }
        "generator" if ask.task().contains("shorter notes") && !ask.is_first() => {
            text("## Notes\n\nShort.\n")
        }
        _ => words(ask),
    });
    let writing = Writing::with(&model).set(|to| to.approval = DocumentApproval::Asked);
    let asked = writing.run(&place).await.unwrap();
    assert!(matches!(asked.status, Status::Waiting(_)));
    assert_eq!(place.files(), before, "nothing is written before it is accepted");
    let again = writing.answer(&place, "shorter notes, please", &asked).await.unwrap();
    assert!(matches!(again.status, Status::Waiting(_)));
    let done = writing.answer(&place, "accept", &again).await.unwrap();
    assert!(matches!(done.status, Status::Done));
    let document = place.document();
    assert!(document.contains("## Notes\n\nShort.") && document.contains("Words about setup."), "{document}");
    let cancelling = Writing { store: std::sync::Arc::new(stategraph::store::MemoryStore::new()), ..writing };
    let before = place.files();
    let asked = cancelling.run(&place).await.unwrap();
    cancelling.answer(&place, "cancel", &asked).await.unwrap();
    assert_eq!(place.files(), before);
}

#[tokio::test]
async fn a_file_that_is_replaced_is_kept_beside_it() {
    // SEC-147, SEC-170
    let place = Place::new();
    place.write("pkg/_dev/build/docs/README.md", DOCUMENT);
    let model = SectionsModel::new(writes("Words"));
    Writing::with(&model).run(&place).await.unwrap();
    assert_eq!(place.read("pkg/_dev/build/docs/README.md.bak"), DOCUMENT);
}

#[tokio::test]
async fn critic_and_validators_judge_the_document_alone_and_change_nothing() {
    // SEC-12, SEC-13, SEC-26, SEC-161
    let place = Place::new();
    place.write("pkg/_dev/build/docs/README.md", DOCUMENT);
    let before = place.files();
    let model = SectionsModel::new(|ask| {
        assert_eq!(ask.label, "critic");
        score(4, &["too short"])
    });
    let critic = Writing::with(&model).set(|to| to.task = SectionsTask::Critic);
    let ended = critic.run(&place).await.unwrap();
    let verdict = ended.state.critic.unwrap();
    assert_eq!(
        (verdict.score, verdict.is_approved, verdict.feedback),
        (4, false, vec!["too short".to_owned()])
    );
    let silent = SectionsModel::new(|_| panic!("validators ask no model"));
    let validators = Writing::with(&silent).set(|to| to.task = SectionsTask::Validators);
    let ended = validators.run(&place).await.unwrap();
    let issues: Vec<_> = ended.state.validations.iter().flat_map(|it| &it.issues).collect();
    assert!(issues.iter().any(|issue| issue.rule == "structure/missing-section"), "{issues:?}");
    assert_eq!(place.files(), before);
}
