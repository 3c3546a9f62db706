//! Help texts, versions, completion scripts, listings and the schema.

use super::kit::{Done, Place, done};

async fn help(place: &Place, program: &str, path: &[&str]) -> String {
    let line = [&[program][..], path, &["--help"]].concat().join(" ");
    let Done { out, err, .. } = done(place.shell(&line)).await.exits(0);
    assert_eq!(err, "", "{line}");
    out
}

fn names(help: &str, expected: &[&str]) {
    for flag in expected {
        assert!(help.contains(flag), "no {flag} in\n{help}");
    }
}

/// Options of every run.
const RUN: &[&str] = &[
    "--checkpoints",
    "--durability",
    "--step-limit",
    "--max-concurrency",
    "--break-before",
    "--break-after",
    "--overrides",
    "--record",
    "--replay",
    "--trust",
    "--json",
    "-q, --quiet",
    "-v, --verbose",
    "Exit codes",
];

// ENG-26
#[tokio::test]
async fn help_of_each_command_names_each_of_its_flags() {
    let place = Place::new();
    let debate = ["--idea <TEXT>", "--idea-file", "[-]", "--config", "--architect-model", "--reviewer-model"];
    let debate = [&debate[..], &["--max-iterations", "--output", "--thread"], RUN].concat();
    names(&help(&place, "graph", &["run", "ard"]).await, &debate);
    names(&help(&place, "ard", &["run"]).await, &debate);
    let resume = [&["[ID]", "--answer", "--config", "--output"][..], RUN].concat();
    names(&help(&place, "graph", &["resume"]).await, &resume);
    names(&help(&place, "ard", &["resume"]).await, &resume);
    names(&help(&place, "graph", &["history"]).await, &["[ID]", "--json", "--limit", "--checkpoints"]);
    names(&help(&place, "graph", &["state"]).await, &["<ID>", "--json", "--checkpoints"]);
    names(&help(&place, "graph", &["resume"]).await, &["graph continue THREAD"]);
    names(&help(&place, "graph", &["continue"]).await, &["<THREAD>", "graph resume THREAD"]);
    names(
        &help(&place, "graph", &["update"]).await,
        &["<THREAD>", "<JSON|@FILE>", "--as-node", "--checkpoints"],
    );
    names(&help(&place, "graph", &["fork"]).await, &["<CHECKPOINT>", "--set", "--checkpoints"]);
    names(&help(&place, "graph", &["copy"]).await, &["<THREAD>", "[NEW]", "--checkpoints"]);
    names(&help(&place, "graph", &["prune"]).await, &["<THREAD>", "--keep", "--delete", "--checkpoints"]);
    names(
        &help(&place, "graph", &["repair"]).await,
        &["[THREAD]", "--check", "--export", "--json", "--checkpoints"],
    );
    names(
        &help(&place, "graph", &["draw"]).await,
        &["--format", "--output", "mermaid", "dot", "ascii", "json"],
    );
    names(&help(&place, "graph", &["check"]).await, &["<FILE>..."]);
    names(&help(&place, "graph", &["list"]).await, &["--json"]);
    names(&help(&place, "graph", &["trust"]).await, &["[FILE]", "--list", "--revoke"]);
    names(
        &help(&place, "graph", &["mcp"]).await,
        &["--root", "--allow-graph", "--set", "--checkpoints", "tools"],
    );
    names(&help(&place, "graph", &["mcp", "tools"]).await, &["--mcp", "--json", "--trust"]);
    names(&help(&place, "graph", &["completions"]).await, &["bash", "zsh", "fish"]);
    let phases = [
        "[REPO]",
        "--resume",
        "--update",
        "-m, --model",
        "-k, --api-key",
        "--parallel",
        "--format",
        "--budgets",
        "--thread",
    ];
    names(&help(&place, "graph", &["run", "doc-phases"]).await, &[&phases[..], RUN].concat());
    let workflows = ["ard            An architect and a reviewer", "doc-phases     Explores a code base"];
    names(&help(&place, "graph", &["run"]).await, &workflows);
}

// ENG-25, ENG-26
#[tokio::test]
async fn the_programs_name_their_commands() {
    let place = Place::new();
    let all = [
        "list",
        "check",
        "schema",
        "draw",
        "run",
        "resume",
        "history",
        "continue",
        "state",
        "update",
        "fork",
        "copy",
        "prune",
        "replay",
        "trust",
        "completions",
        "man",
    ];
    names(&help(&place, "graph", &[]).await, &all);
    names(&help(&place, "ard", &[]).await, &["run", "resume", "completions", "man"]);
    let version = done(place.ard(["--version"])).await.exits(0);
    assert_eq!(version.out, format!("ard {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn a_program_without_arguments_shows_its_help_and_fails() {
    let place = Place::new();
    for program in ["ard", "graph"] {
        let Done { out, err, .. } = done(place.shell(program)).await.exits(2);
        assert_eq!(out, "");
        names(&err, &["Usage:", "Commands:", "Examples:"]);
    }
}

#[tokio::test]
async fn each_shell_gets_completions_that_know_the_flags() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        for program in ["ard", "graph"] {
            let script = done(place.shell(&format!("{program} completions {shell}"))).await.exits(0).out;
            names(&script, &["architect-model", "durability"]);
        }
    }
}

// Issue 2, point 7
#[tokio::test]
async fn list_names_workflows_and_the_graph_files_of_the_folder() {
    let place = Place::new();
    place.write("graphs/mine.yaml", "name: mine\nabout: Mine\nstate: ard\nnodes:\n  a: { uses: ard.architect }\nedges:\n  - { from: START, to: a }\n  - { from: a, to: END }\n");
    place.write("graphs/bad.yaml", "name: [");
    let plain = done(place.graph(["list"])).await.exits(0).out;
    let lines: Vec<Vec<&str>> =
        plain.lines().map(|line| line.splitn(2, "  ").map(str::trim).collect()).collect();
    assert_eq!(lines[0], ["ard", "An architect and a reviewer argue an idea into a specification"]);
    let names: Vec<&str> = lines[1..8].iter().map(|line| line[0]).collect();
    let group = ["contextualize-generate", "contextualize-refine", "contextualize-scope"];
    assert_eq!(names, [&["ard-review"][..], &group, &["doc-phases", "explore", "sections"]].concat());
    assert_eq!(lines[8], ["graphs/bad.yaml", "has defects: graph check graphs/bad.yaml"]);
    assert_eq!(lines[9], ["graphs/mine.yaml", "Mine"]);
    let json = done(place.graph(["list", "--json"])).await.exits(0).out;
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((first["kind"].as_str(), first["name"].as_str()), (Some("workflow"), Some("ard")));
}

#[tokio::test]
async fn schema_prints_a_json_schema() {
    let out = done(Place::new().graph(["schema"])).await.exits(0).out;
    let schema: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
}
