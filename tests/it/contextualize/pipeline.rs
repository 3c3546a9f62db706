//! The three commands by rules: no model, one result, nothing of the user lost.

use serde_json::json;
use stategraph::workflows::contextualize::{ContextualizeGenerate, ContextualizeRefine, ContextualizeScope};
use stategraph::workflows::{Acceptance, Workflow as _};

use super::runs::{QUESTION, Shop, generate, refine, run, scope};

const CONTEXT: &str = "contexts/repo/context.md";

#[tokio::test]
async fn a_description_by_rules_says_what_the_repository_says_and_who_wrote_it() {
    // CTX-1, CTX-13, CTX-112, CTX-116
    let shop = Shop::new();
    let ran = shop.run(&ContextualizeGenerate, &generate()).await;
    let text = shop.read(CONTEXT);
    for said in [
        "written_by: \"rules\"",
        "Sells bread over the counter.",
        "`cargo build --locked`",
        "`cargo test --all`",
    ] {
        assert!(text.contains(said), "{said} is missing in\n{text}");
    }
    assert_eq!(ran.report.acceptance, Acceptance::Accepted);
    assert_eq!(ran.report.outputs, [std::path::PathBuf::from(CONTEXT)]);
    assert_eq!(ran.state["spent"], json!({}), "no model was asked");
    assert!(ran.report.lines[0].ends_with("written by rules"), "{:?}", ran.report.lines);
}

#[test]
fn each_request_to_a_model_has_a_prompt_for_the_system_and_one_for_the_user() {
    // CTX-72
    let names: Vec<&str> = ContextualizeGenerate.prompts().iter().map(|(name, _)| *name).collect();
    for request in
        ["code_analysis", "context_generation", "refinement", "scope_exploration", "scope_generation"]
    {
        for role in ["system", "user"] {
            assert!(names.contains(&format!("{request}.{role}.md").as_str()), "{request}.{role}: {names:?}");
        }
    }
}

#[tokio::test]
async fn the_state_has_the_structure_and_the_metadata() {
    // CTX-10, CTX-11, CTX-18, CTX-58, CTX-66
    let shop = Shop::new();
    let deep = "repo/a/b/c/d/e/f/g.txt";
    shop.write(deep, "deep\n");
    shop.write("repo/.gitignore", "ignored\n");
    shop.write("repo/ignored/x.rs", "fn x() {}\n");
    (0..210).for_each(|number| shop.write(&format!("repo/many/{number:03}.txt"), "x\n"));
    let state = shop.run(&ContextualizeGenerate, &generate()).await.state;
    let scan = &state["scan"];
    assert_eq!(scan["total_files"], 217);
    assert_eq!(scan["total_directories"], 9);
    let files: Vec<&str> =
        scan["files"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    assert!(files.is_sorted() && files.contains(&"a/b/c/d/e/f/g.txt") && !files.contains(&"ignored/x.rs"));
    let child = |node: &serde_json::Value, name: &str| {
        let children = node["children"].as_array().unwrap();
        children.iter().find(|child| child["name"] == name).cloned().unwrap_or_else(|| panic!("no {name}"))
    };
    let many = child(&scan["tree"], "many");
    assert_eq!((many["children"].as_array().unwrap().len(), &many["truncated"]), (200, &json!(10)));
    let mut node = scan["tree"].clone();
    for name in ["a", "b", "c", "d", "e", "f"] {
        node = child(&node, name);
    }
    assert_eq!((&node["children"], &node["truncated"]), (&json!([]), &json!(1)), "level 7 is not shown");
    let main = child(&child(&scan["tree"], "src"), "main.rs");
    assert_eq!((&main["type"], &main["path"]), (&json!("file"), &json!("src/main.rs")));
    assert!(main["size"].as_u64().unwrap() > 0);
    let project = &state["project"];
    assert_eq!((&project["name"], &project["project_type"]), (&json!("shop"), &json!("rust")));
    assert_eq!(project["dependencies"], json!({ "serde": "1.0" }));
    assert_eq!(project["entry_points"], json!(["src/main.rs"]));
    assert!(project["readme_content"].as_str().unwrap().starts_with("# Shop"));
    assert!(project.as_object().unwrap().contains_key("key_files"));
}

#[tokio::test]
async fn a_repository_without_files_gives_a_short_valid_file() {
    // CTX-146
    let shop = Shop::new();
    std::fs::create_dir(shop.path().join("empty")).unwrap();
    let given = stategraph::workflows::ArgValues::nothing().with("source", "empty");
    let ran = shop.run(&ContextualizeGenerate, &given).await;
    let text = shop.read("contexts/empty/context.md");
    assert!(text.starts_with("---\n") && text.len() < 1_000, "{text}");
    assert_eq!(ran.report.acceptance, Acceptance::Accepted);
}

#[tokio::test]
async fn equal_repositories_give_equal_files() {
    // CTX-118
    let (one, other) = (Shop::new(), Shop::new());
    for shop in [&one, &other] {
        shop.run(&ContextualizeGenerate, &generate()).await;
        shop.run(&ContextualizeScope, &scope()).await;
    }
    let files = one.files("contexts/repo");
    assert_eq!((files.len(), &files), (2, &other.files("contexts/repo")));
    for file in files {
        let without_place = |shop: &Shop| shop.read(&file).replace(shop.path().to_str().unwrap(), "");
        let [a, b] = [&one, &other].map(|shop| {
            without_place(shop)
                .lines()
                .filter(|line| !line.starts_with("digest"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        assert_eq!(a, b);
    }
}

#[tokio::test]
async fn a_question_by_rules_names_the_places_and_the_users() {
    // CTX-21, CTX-113, CTX-119
    let shop = Shop::new();
    let ran = shop.run(&ContextualizeScope, &scope()).await;
    let [file] = shop.files("contexts/repo").try_into().unwrap();
    assert!(file.starts_with("contexts/repo/scope-"), "{file}");
    let text = shop.read(&file);
    assert!(text.contains("src/retry.rs:7-9") && text.contains("src/main.rs:7"), "{text}");
    assert_eq!(ran.state["spent"], json!({}));
    assert_eq!(ran.state["is_explored"], true);
}

#[tokio::test]
async fn a_change_by_rules_keeps_the_section_of_a_person_and_adds_the_places_of_the_request() {
    // CTX-32
    let shop = Shop::new();
    shop.run(&ContextualizeGenerate, &generate()).await;
    let edited = shop.read(CONTEXT).replace("user_summary: null", "user_summary: null\nteam: \"bread\"");
    shop.write(CONTEXT, &format!("{edited}\n## Our own rules\n\n---\n\nAsk the baker first.\n"));
    let ran = shop.run(&ContextualizeRefine, &refine("say more about the retries")).await;
    let text = shop.read(CONTEXT);
    for said in [
        "team: \"bread\"",
        "## Our own rules",
        "Ask the baker first.",
        "## On request: say more about the retries",
        "src/retry.rs:7-9",
    ] {
        assert!(text.contains(said), "{said} is missing in\n{text}");
    }
    assert!(ran.report.lines.iter().any(|line| line.contains("rules cannot carry out a request")));
    // Again, the section is replaced.
    shop.run(&ContextualizeRefine, &refine("say more about the retries")).await;
    let text = shop.read(CONTEXT);
    assert_eq!(text.matches("## On request:").count(), 1, "{text}");
    assert_eq!(text.matches("Ask the baker first.").count(), 1, "{text}");
}

#[tokio::test]
async fn an_agents_md_keeps_what_people_wrote_and_a_foreign_one_is_left_alone() {
    let shop = Shop::new();
    let given = || generate().with("format", "agents-md").with("output", "AGENTS.md");
    shop.run(&ContextualizeGenerate, &given()).await;
    let first = shop.read("AGENTS.md");
    assert!(first.contains("`cargo test --all`") && !first.starts_with("---"), "{first}");
    shop.write("AGENTS.md", &format!("{first}\nAsk the baker first.\n"));
    shop.run(&ContextualizeGenerate, &given()).await;
    assert!(shop.read("AGENTS.md").ends_with("Ask the baker first.\n"));
    shop.write("AGENTS.md", "# By hand\n");
    let error = run(&ContextualizeGenerate, &given(), &shop.setting()).await.unwrap_err();
    assert!(error.contains("written by hand"), "{error}");
    assert_eq!(shop.read("AGENTS.md"), "# By hand\n");
}

#[tokio::test]
async fn a_hyphen_as_the_output_is_standard_output() {
    let shop = Shop::new();
    let ran = shop.run(&ContextualizeGenerate, &generate().with("output", "-")).await;
    assert!(ran.report.document.unwrap().starts_with("---\n"));
    assert_eq!((ran.report.outputs.len(), shop.files("contexts/repo").len()), (0, 0));
}

#[test]
fn the_thread_is_that_of_the_repository_and_the_command() {
    // CTX-97
    let shop = Shop::new();
    let thread = |given| ContextualizeGenerate.prepare(&given, &shop.setting()).unwrap().thread;
    let one = thread(generate());
    assert_eq!(one, thread(generate().with("source", "repo/../repo").with("summary", "bread")));
    let question = ContextualizeScope.prepare(&scope(), &shop.setting()).unwrap().thread;
    assert_ne!(one, question);
    assert_ne!(
        question,
        ContextualizeScope.prepare(&scope().with("question", "What else?"), &shop.setting()).unwrap().thread
    );
}

#[tokio::test]
async fn a_second_run_does_not_read_what_the_first_one_wrote_into_the_repository() {
    // CTX-122
    let shop = Shop::new();
    let inside = shop.path().join("repo");
    let setting = || super::kit::setting(&inside, &[]);
    let given = || stategraph::workflows::ArgValues::nothing().with("source", ".");
    run(&ContextualizeGenerate, &given(), &setting()).await.unwrap();
    let first = shop.read("repo/contexts/repo/context.md");
    let asked = || given().with("question", QUESTION);
    run(&ContextualizeScope, &asked(), &setting()).await.unwrap();
    run(&ContextualizeGenerate, &given().with("output", "docs/context.md"), &setting()).await.unwrap();
    let ran = run(&ContextualizeGenerate, &given(), &setting()).await.unwrap();
    assert_eq!(
        ran.state["scan"]["files"].as_array().unwrap().len(),
        super::runs::FILES.len(),
        "{}",
        ran.state["scan"]["files"]
    );
    let second = shop.read("repo/contexts/repo/context.md");
    assert!(!second.contains("contexts/repo"), "{second}");
    assert!(first.contains("`cargo test --all`"), "{first}");
    let ran =
        run(&ContextualizeGenerate, &given().with("output", "docs/context.md"), &setting()).await.unwrap();
    assert_eq!(ran.state["scan"]["files"].as_array().unwrap().len(), super::runs::FILES.len() - 1);
}
