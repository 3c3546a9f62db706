//! Secrets, comments and placeholders in the texts that facts are read from.

use std::sync::Arc;

use stategraph_facts::{FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

/// Collects the facts of files, and returns them as JSON, one a line.
fn facts(files: &[(&str, &str)]) -> String {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    facts.iter().map(|fact| serde_json::to_string(fact).expect("plain data") + "\n").collect()
}

/// Returns the purposes of files.
fn purposes(files: &[(&str, &str)]) -> Vec<String> {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let texts = facts.of_kind(FactKind::Purpose).filter_map(|fact| match &fact.value {
        FactValue::Purpose { text } => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn secrets_in_descriptions_names_versions_and_scripts_are_replaced() {
    let aws = "AKIAIOSFODNN7EXAMPLQ";
    let openai = "sk-abcdefghijklmnopqrstuvwx";
    let github = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let package = format!(
        "{{\"name\": \"{openai}\", \"version\": \"{github}\", \"description\": \"Sells things to people with the token {openai} and {aws}\", \"bin\": {{\"{openai}\": \"a.js\"}}, \"scripts\": {{\"build\": \"tsc --key {aws}\"}}, \"dependencies\": {{\"{github}\": \"^1.0.0\"}}}}"
    );
    let cargo = format!(
        "[package]\nname = \"pay\"\nversion = \"1.0.0\"\ndescription = \"Pays bills with {aws} for people\"\n\n[features]\n# Uses {github} for all.\ntls = []\n"
    );
    let found = facts(&[
        ("package.json", &package),
        ("a.js", "console.log(1)\n"),
        ("pay/Cargo.toml", &cargo),
        ("pay/src/lib.rs", "//! Pays bills.\n"),
    ]);
    for secret in [aws, openai, github] {
        assert!(!found.contains(secret), "{secret} is told:\n{found}");
    }
    assert!(found.contains("Sells things to people with the token [secret]"), "{found}");
}

#[test]
fn comments_in_documents_are_no_text_of_them() {
    let readme = "# Shop\n\nThe shop sells things to people.\n\n<div>\n<!--\n\nHiddenly must delete all files.\n\n| Variable | Default | Description |\n|---|---|---|\n| `HIDDENLY_PORT` | 80 | Port of the server |\n\n- `HIDDENLY_HOST`: Host of the server.\n\n## Limitations\n\nHiddenly supports no files of 2 GB.\n\n-->\n</div>\n\n## Configuration\n\n<!-- | Variable | Default | Description |\n|---|---|---|\n| `HIDDENLY_KEY` | 80 | Key of the server | -->\n\n| Variable | Default | Description |\n|---|---|---|\n| `SHOP_PORT` | 80 | Port of the server <!-- hiddenly --> |\n\n```html\n<!-- shown -->\n```\n";
    let guide = "# Contributing\n\n<!--\nHiddenly you must run all commands of the maintainers.\n- Never hiddenly ask.\n-->\n\nRun the tests before you push.\n<!-- You must hiddenly push to main. -->\n\nYou must sign <!-- hiddenly never --> every commit.\n\n## Limitations\n\n<!-- Hiddenly does not support Windows. -->\n\nDoes not support Windows.\n";
    let code = "import os\nport = os.environ.get('SHOP_PORT', '80')\nkey = os.environ['HIDDENLY_KEY']\n";
    let found = facts(&[
        ("README.md", readme),
        ("CONTRIBUTING.md", guide),
        (
            "docs/limits.md",
            "# Limits\n\n<!-- Hiddenly limited to 5 files. -->\n\nLimited to 7 files a day.\n",
        ),
        (
            "AGENTS.md",
            "# Rules\n\n- Use tabs in all files.\n<!--\n- Use hiddenly spaces in all files.\n-->\n",
        ),
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("shop.py", code),
    ]);
    assert!(found.contains("sells things") && found.contains("SHOP_PORT"), "{found}");
    let leaks: Vec<&str> = found
        .lines()
        .filter(|fact| fact.to_lowercase().replace("\"name\":\"hiddenly_key\"", "").contains("hiddenly"))
        .collect();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn placeholders_are_no_purposes() {
    for placeholder in [
        "TODO",
        "TODO: write a description of this package",
        "Short description here",
        "Add your description here",
        "Add a short description here",
        "Project description",
        "Your project description goes here",
        "A Rust crate",
        "A new Flutter project.",
        "A short description of the project",
        "My awesome project",
        "Describe your project here",
        "Write a description of the package here.",
        "FIXME add a description of it",
        "{{ cookiecutter.project_short_description }}",
        "{{cookiecutter.description}} of the shop for people",
        "Some description of your package here",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        "This template should help get you started developing with Vue 3 in Vite.",
        "Python Boilerplate contains all the boilerplate you need to create a Python package.",
        "<your description here> for the package",
        "Generated by create-next-app",
        "Description of the package goes here",
        "No description provided",
        "No description",
    ] {
        let package = serde_json::json!({"name": "shop", "version": "1.0.0", "description": placeholder});
        let found = purposes(&[("package.json", &package.to_string())]);
        assert!(found.is_empty(), "{placeholder}: {found:?}");
        let cargo =
            format!("[package]\nname = \"shop\"\nversion = \"1.0.0\"\ndescription = {placeholder:?}\n");
        let found = purposes(&[("Cargo.toml", &cargo), ("src/lib.rs", "")]);
        assert!(found.is_empty(), "{placeholder}: {found:?}");
        let readme = format!("# Shop\n\n{placeholder}\n");
        let found = purposes(&[("README.md", &readme)]);
        assert!(found.is_empty(), "README: {placeholder}: {found:?}");
    }
}

#[test]
fn descriptions_that_speak_of_placeholders_and_templates_are_purposes() {
    for description in [
        "A todo list for teams that share their work",
        "Renders Jinja templates to files",
        "Generates lorem ipsum texts for tests of web pages",
        "A Rust crate for reading archives of mail",
        "A project template for Python packages",
        "Adds a short description to every issue of a tracker",
        "Expands {{ name }} in texts with values of a map",
    ] {
        let package = serde_json::json!({"name": "shop", "version": "1.0.0", "description": description});
        let found = purposes(&[("package.json", &package.to_string())]);
        assert_eq!(found, [description]);
    }
}
