//! Parts of the workflow that can be used alone.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use stategraph::llm::Prompts;
use stategraph::readme::fix::fix_document;
use stategraph::readme::package::{IntegrationPackage, ServiceInfo};
use stategraph::workflows::sections::fetch::{FetchedPage, PageSource};
use stategraph::workflows::sections::input::SectionsSettings;
use stategraph::workflows::sections::services::PROMPTS;
use stategraph::workflows::sections::state::{SectionRun, SectionTask};
use stategraph::workflows::sections::{section_graph, section_registry};

use super::kit::{Place, SectionsModel, Writing, score, text, writes};

#[tokio::test]
async fn one_section_can_be_written_alone() {
    // SEC-19, SEC-24, SEC-161
    let place = Place::new();
    let model = SectionsModel::new(writes("Words"));
    let writing = Writing::with(&model);
    let task = SectionTask { title: "Setup".to_owned(), level: 2, ..SectionTask::default() };
    let judges = writing.settings.judges;
    let section = SectionRun { task, judges, max_iterations: 2, ..SectionRun::default() };
    let ended = section_graph(writing.resources(&place)).run(section).await.unwrap();
    assert_eq!(ended.state.result().text, "## Setup\n\nWords about setup.\n");
    assert_eq!(model.asked().iter().filter(|ask| ask.title != "Setup").count(), 0);
    assert_eq!(ended.state.result().iterations, 1);
    assert_eq!(model.about("critic", "Setup").len(), 1, "the loop has its judges");
}

/// Pages of which one is missing.
struct Pages;

impl PageSource for Pages {
    fn fetch<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<FetchedPage, String>> {
        let status = if url.contains("missing") { 404 } else { 200 };
        async move { Ok(FetchedPage { status, body: "<title>Guide</title>".to_owned() }) }.boxed()
    }
}

#[tokio::test]
async fn dead_links_are_part_of_the_feedback_and_links_are_checked_only_if_asked_for() {
    // SEC-72, SEC-122, SEC-123, SEC-185
    let place = Place::new();
    let script = |ask: &super::kit::Ask| match ask.label.as_str() {
        "generator" if ask.is_first() => super::kit::reads_service_info(&ask.title),
        "generator" if ask.task().contains("## Feedback to Address") => {
            text(format!("## {}\n\nRead the [guide](https://docs.acme-gate.io/guide).\n", ask.title))
        }
        "generator" => {
            text(format!("## {}\n\nRead the [guide](https://docs.acme-gate.io/missing).\n", ask.title))
        }
        _ => score(9, &[]),
    };
    let model = SectionsModel::new(script);
    let mut writing = Writing::with(&model);
    writing.run(&place).await.unwrap();
    assert_eq!(model.about("generator", "Setup").len(), 2, "without the switch no page is fetched");
    writing.settings.judges.urls = true;
    let model = SectionsModel::new(script);
    writing.model = Some(model.clone());
    let mut resources = writing.resources(&place);
    resources.pages = Some(Arc::new(Pages));
    let task = SectionTask { title: "Setup".to_owned(), level: 2, ..SectionTask::default() };
    let section =
        SectionRun { task, judges: writing.settings.judges, max_iterations: 3, ..SectionRun::default() };
    let ended = section_graph(resources).run(section).await.unwrap();
    let asked = model.about("generator", "Setup");
    let revision = asked.iter().find(|ask| ask.task().contains("## Feedback to Address")).unwrap();
    assert!(revision.task().contains("https://docs.acme-gate.io/missing"), "{}", revision.task());
    assert!(ended.state.result().text.contains("/guide)"));
}

#[test]
fn settings_are_built_step_by_step() {
    // SEC-73, SEC-74, SEC-75, SEC-189
    let settings = SectionsSettings::default();
    assert_eq!((settings.max_iterations, settings.parallel), (3, 4));
    assert!(settings.judges.critic && settings.judges.validators);
    assert!(!settings.judges.urls && !settings.judges.model_validators);
    let full = settings.with_model("openai/gpt-5").with_max_iterations(2).with_full_validation();
    assert!(full.judges.validators && full.judges.model_validators && !full.is_offline());
    assert_eq!(full.max_iterations, 2);
}

#[test]
fn a_registry_names_the_agents_that_graph_files_can_use() {
    // SEC-76, SEC-182
    let registry = section_registry();
    let names: Vec<_> = registry.nodes().map(|(name, _)| name.to_owned()).collect();
    for agent in ["generate", "criticise", "check_urls", "check", "check_by_model"] {
        assert!(names.contains(&format!("sections-section.{agent}")), "{agent} in {names:?}");
    }
}

#[tokio::test]
async fn a_tool_writes_to_the_state_of_its_section() {
    // SEC-76, SEC-183
    let place = Place::new();
    let words = writes("Words");
    let model = SectionsModel::new(move |ask| match ask.label.as_str() {
        "generator" if ask.is_first() => super::kit::Says::Calls(vec![
            ("get_service_info".into(), serde_json::json!({ "readme_section": "Setup" })),
            (
                "write_file".into(),
                serde_json::json!({ "path": "_dev/build/docs/more.md", "content": "More." }),
            ),
        ]),
        _ => words(ask),
    });
    let writing = Writing::with(&model);
    let task = SectionTask { title: "Setup".to_owned(), level: 2, ..SectionTask::default() };
    let section = SectionRun { task, max_iterations: 1, ..SectionRun::default() };
    let ended = section_graph(writing.resources(&place)).run(section).await.unwrap();
    assert_eq!(ended.state.extra_files["_dev/build/docs/more.md"], "More.");
}

#[tokio::test]
async fn prompts_of_a_folder_replace_those_of_the_program() {
    // SEC-86, SEC-160, SEC-177
    let place = Place::new();
    place.write("over/style_rules.md", "## Critical rules\n\n- Write in verse.\n");
    let model = SectionsModel::new(writes("Words"));
    let writing = Writing::with(&model);
    let mut resources = writing.resources(&place);
    resources.prompts = Arc::new(Prompts::overridden(PROMPTS, &place.path().join("over")).unwrap());
    let task = SectionTask { title: "Setup".to_owned(), level: 2, ..SectionTask::default() };
    let section =
        SectionRun { task, judges: writing.settings.judges, max_iterations: 1, ..SectionRun::default() };
    section_graph(resources).run(section).await.unwrap();
    // One file has the rules of both.
    for label in ["generator", "critic"] {
        let system = &model.about(label, "Setup")[0].request.messages[0].content;
        assert!(system.contains("Write in verse."), "{label}: {system}");
        assert!(!system.contains("one action a step"), "{label}: {system}");
    }
}

#[test]
fn every_variable_of_a_prompt_is_supplied() {
    // SEC-85, SEC-176
    let prompts = Prompts::new(PROMPTS).unwrap();
    let generator = [
        "is_package",
        "package",
        "title",
        "heading",
        "parts",
        "template_instruction",
        "instructions",
        "rules",
        "existing",
        "request",
        "feedback",
        "previous",
        "preserved",
        "has_service_info",
        "facts",
    ];
    for (name, _) in PROMPTS {
        let known: &[&str] = match name.split('.').next().unwrap() {
            "modification_analysis" => &["request", "titles"],
            "critic" => &["is_package", "package", "title", "text", "rules", "approval"],
            "validator" => &["validator", "question", "package", "facts", "title", "text"],
            _ => &generator,
        };
        for variable in prompts.variables(name).unwrap() {
            let first = variable.split('.').next().unwrap();
            assert!(known.contains(&first), "{name} uses `{variable}`");
        }
    }
}

#[test]
fn the_parts_of_the_crate_work_without_a_workflow() {
    // SEC-27, SEC-168, SEC-187
    let place = Place::new();
    let package = IntegrationPackage::load(&place.package()).unwrap();
    assert_eq!((package.title(), package.data_streams.len()), ("Acme Gate", 1));
    let info = ServiceInfo::parse(package.service_info.as_deref().unwrap());
    assert!(info.for_section(Some("How do I deploy this integration?")).contains("Open the gate"));
    let fixed = fix_document("# Acme Gate\n\n## Reference\n\nText.\n", &package);
    assert!(fixed.text.contains("{{fields \"log\"}}"), "{}", fixed.text);
    assert_eq!(fix_document(&fixed.text, &package).text, fixed.text);
}

#[tokio::test]
async fn the_critic_by_rules_judges_style() {
    // SEC-83
    use stategraph::workflows::sections::input::SectionsProfile;
    use stategraph::workflows::sections::offline::criticise;
    let package = IntegrationPackage::default();
    let good = criticise("## Setup\n\nOpen the gate.\n", Some("Setup"), SectionsProfile::Package, &package);
    assert!(good.is_approved && good.score > 7, "{good:?}");
    let bad = "## Setup\n\n[Click here](https://docs.acme-gate.io/a). ![](a.png)\n";
    let bad = criticise(bad, Some("Setup"), SectionsProfile::Package, &package);
    assert!(!bad.is_approved && !bad.feedback.is_empty(), "{bad:?}");
}
