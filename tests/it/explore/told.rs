//! Statements by rules that a reader beside the code found to be false, each with the code that led to it.

#![allow(clippy::format_collect, reason = "the texts of tests are short")]

use stategraph::workflows::explore::document::ScopeSection;
use stategraph::workflows::explore::exploration_graph;
use stategraph::workflows::explore::input::ExploreOutput;
use stategraph::workflows::explore::state::ExploreRun;

use super::kit::{Exploring, Place, TreeModel, call, finish, note};

const MANIFEST: &str = "[package]\nname = \"count\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dev-dependencies]\nproptest = \"1\"\n";

fn place(files: &[(&str, &str)]) -> Place {
    let place = Place::new(&[]);
    files.iter().for_each(|(path, text)| place.write(&format!("repo/{path}"), text));
    place
}

async fn document(place: &Place) -> ExploreRun {
    let exploring = Exploring::by_rules().set(|settings| settings.output = ExploreOutput::Document);
    exploration_graph(place.resources(&exploring)).run(place.run_state(&exploring)).await.unwrap().state
}

/// Returns the section of the files beside all scopes.
fn rest(run: &ExploreRun) -> &ScopeSection {
    run.sections.iter().find(|section| section.path.is_empty()).unwrap()
}

async fn told(place: &Place) -> String {
    let explored = Exploring::by_rules().run(place).await.unwrap();
    explored.notes().into_iter().map(|(topic, content, ..)| format!("{topic}: {content}\n")).collect()
}

#[tokio::test]
async fn a_class_with_many_methods_hides_no_class_behind_it() {
    let methods: String =
        (0..60).map(|at| format!("    def step_{at}(self):\n        return {at}\n\n")).collect();
    let text = format!(
        "try:\n    import redis\nexcept ImportError:\n    redis = None\n\n\nclass Queue:\n{methods}\n\nclass Storage:\n    kind = 1\n"
    );
    let place = place(&[("pyproject.toml", "[project]\nname = \"tasks\"\n"), ("tasks/storage.py", &text)]);
    let run = document(&place).await;
    let interface = &rest(&run).interface;
    assert!(interface.iter().any(|line| line.starts_with("`class Storage`")), "{interface:#?}");
    assert!(
        !interface.iter().any(|line| line.contains("redis")),
        "a missing module is no interface: {interface:#?}"
    );
}

#[tokio::test]
async fn hidden_definitions_and_imports_of_tests_are_not_told() {
    let code = "use log::info;\n\n/// Counts lines.\npub fn count(text: &str) -> usize {\n    info!(\"counting\");\n    text.lines().count()\n}\n\n\
                #[doc(hidden)]\npub fn boundary(at: usize) -> usize {\n    at + 1\n}\n\n#[cfg(test)]\nmod tests {\n    use proptest::prelude::*;\n\n    #[test]\n    fn counts() {}\n}\n";
    let place = place(&[("Cargo.toml", MANIFEST), ("src/lib.rs", code)]);
    let run = document(&place).await;
    let section = rest(&run);
    assert!(section.interface.iter().any(|line| line.contains("fn count")), "{:#?}", section.interface);
    assert!(!section.interface.iter().any(|line| line.contains("boundary")), "{:#?}", section.interface);
    assert_eq!(section.imports, ["`log` [src/lib.rs:1]"]);
}

#[tokio::test]
async fn marks_of_a_template_are_no_variants() {
    let template = "/// A language.\npub enum Kind {\n    {% for key, value in languages -%}\n        {{key}},\n    {% endfor %}\n}\n";
    let place = place(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", "/// A level.\npub enum Level {\n    Low,\n    High,\n}\n"),
        ("src/kind.tera.rs", template),
    ]);
    let told = told(&place).await;
    assert!(told.contains("Variants: `Low; High`") && told.contains("`enum Kind`"), "{told}");
    assert!(!told.contains("key"), "{told}");
}

#[tokio::test]
async fn a_folder_with_code_and_tests_is_not_named_as_left_out() {
    let place = place(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("shop/api.py", "def sell():\n    return 1\n"),
        ("shop/tests/units/test_api.py", "def test_sell():\n    assert True\n"),
        ("examples/one.py", "print(1)\n"),
    ]);
    let text = document(&place).await.document.unwrap();
    let (_, uncovered) = text.split_once("## Not covered").unwrap();
    assert!(
        uncovered.contains("- `shop/tests/`: tests") && uncovered.contains("- `examples/`: examples"),
        "{uncovered}"
    );
    assert!(!uncovered.contains("- `shop/`: tests"), "{uncovered}");
}

#[tokio::test]
async fn many_folders_without_a_section_are_counted_and_a_test_beside_code_does_not_name_its_folder_as_left_out()
 {
    let mut files: Vec<(String, &str)> = vec![("package.json".to_owned(), "{\"name\": \"shop\"}")];
    for at in 0..60 {
        files.push((format!("src/p{at}/a.js"), "export function a() {\n  return 1;\n}\n"));
        files.push((format!("src/p{at}/__tests__/a.test.js"), "test(\"a\", () => {});\n"));
    }
    files.push(("src/p0/b.test.js".to_owned(), "test(\"b\", () => {});\n"));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let text = document(&place(&files)).await.document.unwrap();
    let (_, uncovered) = text.split_once("## Not covered").unwrap();
    assert!(uncovered.contains("- `src/p0/`: some files are tests\n"), "{uncovered}");
    assert!(uncovered.contains("- `src/p0/__tests__/`: tests\n"), "{uncovered}");
    assert!(uncovered.contains("- and 21 more\n") && uncovered.lines().count() < 50, "{uncovered}");
}

#[tokio::test]
async fn marks_of_emphasis_are_no_code_and_an_announced_list_leaves_no_colon() {
    let code = "/// Settings of a count.\n#[derive(serde::Deserialize)]\npub struct Config {\n    /// The columns. _This is ignored\n    /// in the library._ *Default:* none.\n    pub columns: Option<usize>,\n}\n\n\
                /// Given a line, returns a pair that tells:\n///\n/// 1. its kind\n/// 2. its length\npub fn judge(line: &str) -> (usize, usize) {\n    (1, line.len())\n}\n";
    let place = place(&[("Cargo.toml", MANIFEST), ("src/lib.rs", code)]);
    let told = told(&place).await;
    assert!(!told.contains("`_This`") && !told.contains("\\*Default"), "{told}");
    assert!(told.contains("Given a line, returns a pair that tells…") && !told.contains(":."), "{told}");
}

/// EXP-72: rules cite in brackets; the words that they quote may name files of users.
#[tokio::test]
async fn names_of_files_of_users_are_no_citations() {
    let code = "/// Reads the settings of `$base/count.toml`, or of count.toml in the folder of the user.\npub fn read() -> usize {\n    1\n}\n";
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", code)];
    let by_rules = Exploring::by_rules().run(&place(&files)).await.unwrap();
    assert!(by_rules.notes().iter().any(|note| note.1.contains("count.toml")), "{:?}", by_rules.notes());
    assert!(by_rules.agent("0").unknown_citations.is_empty(), "{:?}", by_rules.agent("0").unknown_citations);
    let model =
        TreeModel::new(|_| call([note("a", "See `$base/count.toml`, ~/a.toml, src/none.rs."), finish("x")]));
    let by_model = place(&files).explore(&model).await;
    assert_eq!(by_model.agent("0").unknown_citations, ["src/none.rs"]);
}

#[tokio::test]
async fn a_list_that_is_cut_tells_of_how_many() {
    let read: String = (10..30).map(|at| format!("PART_{at} = os.environ[\"SHOP_PART_{at}\"]\n")).collect();
    let place = place(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("shop/settings.py", &format!("import os\n\n{read}")),
        ("shop/few.py", "import os\n\nONE = os.environ[\"SHOP_ONE\"]\n"),
    ]);
    let told = told(&place).await;
    assert!(told.contains(" in `shop/settings.py` (8 of 20 found): "), "{told}");
    assert!(told.contains(" in `shop/few.py`: "), "{told}");
}

#[tokio::test]
async fn subcommands_of_a_website_are_none_of_the_program() {
    let command = |name: &str| {
        format!(
            "import click\n\n@click.group()\ndef cli():\n    pass\n\n@cli.command()\ndef {name}():\n    \"\"\"Does {name}.\"\"\"\n"
        )
    };
    let place = place(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("shop/cli.py", &command("sell")),
        ("website/cli.py", &command("deploy")),
    ]);
    let told = told(&place).await;
    assert!(told.contains("`sell`"), "{told}");
    assert!(!told.contains("Subcommands in `website/"), "{told}");
}
