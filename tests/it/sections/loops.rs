//! The loop of a section: versions, judges, feedback, the best version.

use stategraph::workflows::sections::input::SectionsTask;
use stategraph::workflows::sections::state::SectionOutcome;

use super::kit::{Place, Says, SectionsModel, Writing, reads_service_info, score, text, writes};

#[tokio::test]
async fn an_approved_version_ends_the_loop_at_once() {
    // SEC-2, SEC-4, SEC-8, SEC-20, SEC-25, SEC-53, SEC-56, SEC-57, SEC-62, SEC-65, SEC-162, SEC-180, SEC-181, SEC-188
    let place = Place::new();
    let model = SectionsModel::new(writes("Words"));
    let ended = Writing::with(&model).run(&place).await.unwrap();
    assert!(ended.state.current_sections().all(|(_, section)| section.outcome == SectionOutcome::Approved));
    for title in ["Overview", "Setup", "Notes"] {
        assert_eq!(model.about("generator", title).len(), 2, "the call of the tool, and the text");
        assert_eq!(model.about("critic", title).len(), 1);
    }
    let document = place.document();
    let order: Vec<_> =
        ["## Overview", "## Setup", "## Notes"].iter().map(|at| document.find(at).unwrap()).collect();
    assert!(order.is_sorted(), "{document}");
    assert!(document.starts_with("# Acme Gate Integration for Elastic\n"), "{document}");
}

#[tokio::test]
async fn a_rejected_version_is_revised_with_the_feedback() {
    // SEC-63, SEC-66, SEC-68, SEC-69, SEC-54, SEC-85
    let place = Place::new();
    let model = SectionsModel::new(|ask| {
        let is_revision = ask.task().contains("## Feedback to Address");
        match (ask.label.as_str(), ask.title.as_str()) {
            ("generator", title) if ask.is_first() => reads_service_info(title),
            ("generator", title) if is_revision => text(format!("## {title}\n\nBetter words.\n")),
            ("generator", title) => text(format!("## {title}\n\nFirst words.\n")),
            ("critic", "Setup") if ask.last().contains("First words") => score(6, &["say which gate"]),
            ("critic", _) => score(7, &[]),
            (label, _) => panic!("{label}"),
        }
    });
    let ended = Writing::with(&model).run(&place).await.unwrap();
    let setup = model.about("generator", "Setup");
    let revision = setup.iter().find(|ask| ask.task().contains("## Feedback to Address")).unwrap();
    assert!(revision.task().contains("- critic: say which gate"), "{}", revision.task());
    assert!(revision.task().contains("First words."), "the version before is shown");
    let iterations: Vec<_> = ended.state.current_sections().map(|(_, section)| section.iterations).collect();
    assert_eq!(iterations, [1, 2, 1]);
    let document = place.document();
    assert!(document.contains("## Setup\n\nBetter words."), "{document}");
    assert!(document.contains("## Overview\n\nFirst words."), "{document}");
}

#[tokio::test]
async fn without_approval_the_best_version_wins_and_the_calls_are_bounded() {
    // SEC-55, SEC-58, SEC-61, SEC-67, SEC-77, SEC-81, SEC-158
    let place = Place::new();
    let model = SectionsModel::new(|ask| match ask.label.as_str() {
        "generator" if ask.is_first() => reads_service_info(&ask.title),
        // The second version is the longest; the third must not win because it is the last.
        "generator" if ask.task().contains("Version A") => text(format!(
            "## {}\n\n- one\n- two\n- three points of the gate\n\nVersion B has more words.\n",
            ask.title
        )),
        "generator" if ask.task().contains("Version B") => {
            text(format!("## {}\n\nFew. Version C.\n", ask.title))
        }
        "generator" => text(format!("## {}\n\nFew. Version A.\n", ask.title)),
        _ => score(3, &["no"]),
    });
    let writing = Writing::with(&model).set(|to| to.parallel = 1);
    let ended = writing.run(&place).await.unwrap();
    for (task, section) in ended.state.current_sections() {
        assert_eq!((&section.outcome, section.iterations), (&SectionOutcome::Best, 3));
        assert!(section.text.contains("Version B"), "{}", section.text);
        // Three versions of two answers, three verdicts.
        let calls = model.about("generator", &task.title).len() + model.about("critic", &task.title).len();
        assert_eq!(calls, 9);
    }
}

#[tokio::test]
async fn a_failed_section_keeps_its_earlier_text_and_loses_no_other() {
    // SEC-50, SEC-59, SEC-60
    let place = Place::new();
    place.write("pkg/_dev/build/docs/README.md", "# Old\n\n## Setup\n\nEarlier steps.\n");
    let words = writes("Words");
    let model = SectionsModel::new(move |ask| match ask.title.as_str() {
        "Setup" | "Notes" if ask.label == "generator" => Says::Fails,
        _ => words(ask),
    });
    let ended = Writing::with(&model).run(&place).await.unwrap();
    let document = place.document();
    assert!(document.contains("## Setup\n\nEarlier steps."), "{document}");
    assert!(document.contains("Words about overview."), "{document}");
    assert!(document.contains("## Notes\n\n<!-- NOT POPULATED -->"), "{document}");
    let notes = ended.state.notes.join("\n");
    assert!(notes.contains("`Setup` was not written and keeps its earlier text"), "{notes}");
    assert!(notes.contains("`Notes` was not written and has the marker"), "{notes}");
}

#[tokio::test]
async fn a_document_of_which_nothing_could_be_written_is_not_written() {
    let place = Place::new();
    let before = place.files();
    let model = SectionsModel::new(|_| Says::Fails);
    let error = Writing::with(&model).run(&place).await.unwrap_err();
    assert!(format!("{error:?}").contains("no section was written"), "{error:?}");
    assert_eq!(place.files(), before);
}

#[tokio::test]
async fn a_version_without_a_look_at_the_knowledge_base_is_rejected() {
    // SEC-5, SEC-29, SEC-32
    let place = Place::new();
    let model = SectionsModel::new(|ask| match ask.label.as_str() {
        "generator" => text(format!("## {}\n\nFrom memory.\n", ask.title)),
        _ => score(10, &[]),
    });
    let ended = Writing::with(&model).run(&place).await.unwrap();
    for (_, section) in ended.state.current_sections() {
        assert_eq!(section.outcome, SectionOutcome::Best);
        assert!(section.issues.iter().any(|issue| issue.rule == "generator/service-info-not-read"));
    }
    let reminded = model.about("generator", "Setup");
    assert!(reminded[1].last().contains("Call `get_service_info`"), "{}", reminded[1].last());
    // Without the file the generator goes on with other sources.
    let place = Place::new();
    std::fs::remove_file(place.path().join("pkg/docs/knowledge_base/service_info.md")).unwrap();
    let ended = Writing::with(&model).run(&place).await.unwrap();
    assert!(ended.state.current_sections().all(|(_, section)| section.outcome == SectionOutcome::Approved));
}

#[tokio::test]
async fn an_unreadable_critic_is_asked_once_more_and_does_not_approve() {
    // SEC-71
    let place = Place::new();
    for answer in ["fine, I think", "{\"score\": 11, \"feedback\": []}", ""] {
        let words = writes("Words");
        let model =
            SectionsModel::new(move |ask| if ask.label == "critic" { text(answer) } else { words(ask) });
        let writing = Writing::with(&model).set(|to| to.max_iterations = 1);
        let ended = writing.run(&place).await.unwrap();
        assert!(
            ended.state.current_sections().all(|(_, section)| section.outcome == SectionOutcome::Best),
            "{answer}"
        );
        assert_eq!(model.about("critic", "Setup").len(), 2, "{answer}");
    }
}

#[tokio::test]
async fn static_validators_send_a_version_back_with_line_and_suggestion() {
    // SEC-3, SEC-64, SEC-70
    let place = Place::new();
    let model = SectionsModel::new(|ask| {
        let is_revision = ask.task().contains("## Feedback to Address");
        match ask.label.as_str() {
            "generator" if ask.is_first() => reads_service_info(&ask.title),
            "generator" if is_revision => {
                text(format!("## {}\n\nThe guide says how to open Acme Gate.\n", ask.title))
            }
            "generator" => {
                text(format!("## {}\n\nTo read more, [click here](https://acme.example/guide).\n", ask.title))
            }
            _ => score(9, &[]),
        }
    });
    let writing = Writing::with(&model).set(|to| to.judges.validators = true);
    writing.run(&place).await.unwrap();
    let setup = model.about("generator", "Setup");
    let revision = setup.iter().find(|ask| ask.task().contains("## Feedback to Address")).unwrap();
    assert!(revision.task().contains("click here"), "{}", revision.task());
}

#[tokio::test]
async fn validators_of_a_model_are_asked_after_the_static_ones_and_may_be_unreadable() {
    // SEC-74, SEC-99
    let place = Place::new();
    let words = writes("The gate is open, and Acme Gate sends its log,");
    let model = SectionsModel::new(move |ask| match ask.label.as_str() {
        "validator" => text("no JSON"),
        _ => words(ask),
    });
    let writing = Writing::with(&model).set(|to| to.judges.model_validators = true);
    let ended = writing.run(&place).await.unwrap();
    assert!(!model.about("validator", "Setup").is_empty());
    assert!(ended.state.current_sections().all(|(_, section)| section.outcome == SectionOutcome::Approved));
}

#[tokio::test]
async fn a_preserved_block_that_a_version_drops_is_an_issue_and_is_never_lost() {
    // SEC-43, SEC-147
    let place = Place::new();
    let block = "<!-- PRESERVE START -->\nOur own words.\n<!-- PRESERVE END -->";
    place.write("pkg/_dev/build/docs/README.md", &format!("# Old\n\n## Setup\n\nSteps.\n\n{block}\n"));
    let before = place.files();
    let model = SectionsModel::new(writes("Words"));
    let error = Writing::with(&model).run(&place).await.unwrap_err();
    assert!(format!("{error:?}").contains("preserved block"), "{error:?}");
    assert_eq!(place.files(), before);
    let words = writes("Words");
    let kept = SectionsModel::new(move |ask| match ask.label.as_str() {
        "generator" if ask.title == "Setup" && !ask.is_first() => {
            text(format!("## Setup\n\nNew steps.\n\n{block}\n"))
        }
        _ => words(ask),
    });
    Writing::with(&kept).run(&place).await.unwrap();
    assert!(place.document().contains(block), "{}", place.document());
    let asked = kept.about("generator", "Setup");
    assert!(asked[0].task().contains("Our own words."), "the block is in the prompt");
}

#[tokio::test]
async fn answers_in_a_fence_with_words_around_them_or_with_another_heading_are_cleaned() {
    // SEC-41, SEC-51
    let place = Place::new();
    let model = SectionsModel::new(|ask| match (ask.label.as_str(), ask.title.as_str()) {
        ("generator", title) if ask.is_first() => reads_service_info(title),
        ("generator", "Overview") => text("Here it is:\n\n```markdown\n## Overview\n\nIn a fence.\n```\n"),
        ("generator", "Setup") => text("No heading at all."),
        ("generator", _) => text("# Wrong title\n\nThe text.\n"),
        _ => score(8, &[]),
    });
    Writing::with(&model).run(&place).await.unwrap();
    let document = place.document();
    for part in ["## Overview\n\nIn a fence.\n", "## Setup\n\nNo heading at all.\n", "## Notes\n"] {
        assert!(document.contains(part), "{part} in {document}");
    }
    assert!(!document.contains("```markdown") && !document.contains("Here it is"), "{document}");
}

#[tokio::test]
async fn the_generator_alone_writes_each_section_once() {
    // SEC-14, SEC-26, SEC-161
    let place = Place::new();
    let words = writes("Words");
    let model = SectionsModel::new(move |ask| {
        assert_eq!(ask.label, "generator");
        words(ask)
    });
    let writing = Writing::with(&model).set(|to| to.task = SectionsTask::Generator);
    let ended = writing.run(&place).await.unwrap();
    assert!(ended.state.current_sections().all(|(_, section)| section.iterations == 1));
}

#[tokio::test]
async fn sections_in_parallel_give_the_bytes_of_sections_one_after_the_other() {
    // SEC-53, SEC-60, SEC-159
    let mut documents = Vec::new();
    for parallel in [1, 10] {
        let place = Place::new();
        let titles: Vec<_> = (0..10).map(|number| format!("## Part {number}\n\n")).collect();
        place.write("pkg/_dev/build/docs/README.template.md", &format!("# T\n\n{}", titles.concat()));
        let model = SectionsModel::new(|ask| match ask.label.as_str() {
            "generator" if ask.is_first() => reads_service_info(&ask.title),
            "generator" => text(format!("## {}\n\nOf {}: {}\n", ask.title, ask.title, ask.task().len())),
            _ if ask.title.ends_with('3') => score(2, &["again"]),
            _ => score(9, &[]),
        });
        let writing = Writing::with(&model).set(|to| to.parallel = parallel);
        writing.run(&place).await.unwrap();
        documents.push(place.document());
    }
    assert_eq!(documents[0], documents[1]);
}

#[tokio::test]
async fn snapshots_keep_each_iteration_if_a_folder_is_named() {
    // SEC-75, SEC-140, SEC-141, SEC-190
    let place = Place::new();
    let model = SectionsModel::new(writes("Words"));
    let writing = Writing::with(&model).set(|to| to.snapshots = Some("snaps".into()));
    writing.run(&place).await.unwrap();
    let runs: Vec<_> = std::fs::read_dir(place.path().join("snaps/pkg")).unwrap().collect();
    let run = runs[0].as_ref().unwrap().path();
    assert!(run.join("summary.json").is_file() && run.join("final.md").is_file());
    let names: Vec<_> = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let of_setup = names.iter().any(|name| name.to_string_lossy().starts_with("002_setup_iter1"));
    assert!(of_setup, "{names:?}");
}

#[tokio::test]
async fn a_run_follows_its_settings() {
    // SEC-21
    let place = Place::new();
    let model = SectionsModel::new(|ask| match ask.label.as_str() {
        "generator" if ask.is_first() => reads_service_info(&ask.title),
        "generator" => text(format!("## {}\n\nVersion {}.\n", ask.title, ask.task().len())),
        label => panic!("{label} is switched off"),
    });
    let writing = Writing::with(&model).set(|to| {
        to.judges.critic = false;
        to.judges.validators = true;
        to.max_iterations = 2;
        to.doc_file = "guide.md".to_owned();
    });
    let ended = writing.run(&place).await.unwrap();
    // The texts are no finished sections, so that the validators send them back until the limit.
    let iterations = ended.state.current_sections().map(|(_, section)| section.iterations).max();
    assert_eq!(iterations, Some(2));
    assert!(place.read("pkg/_dev/build/docs/guide.md").contains("Version"));
    assert!(!place.path().join("pkg/_dev/build/docs/README.md").exists());
}
