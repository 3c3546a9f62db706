//! Arguments of the three commands, and the order in which the origins of settings go before each other.

use std::fs;
use std::path::Path;

use stategraph::workflows::contextualize::arguments::{
    ContextInput, GenerateRequest, api_key, read_generate, read_input, read_refine, read_scope,
};
use stategraph::workflows::contextualize::input::{
    ApprovalMode, ContextCommand, ContextFormat, ContextSettings, RunMode,
};
use stategraph::workflows::contextualize::source::RepositorySource;
use stategraph::workflows::{ArgValues, ArgumentKind, OutputScope, WorkflowError};

use super::kit::setting;

fn given(values: &[(&str, &str)]) -> ArgValues {
    values.iter().fold(ArgValues::nothing(), |given, (name, value)| given.with(name, *value))
}

fn input(
    folder: &Path,
    values: &[(&str, &str)],
    variables: &[(&str, &str)],
) -> Result<ContextInput, WorkflowError> {
    read_input(ContextCommand::Generate, &given(values), &setting(folder, variables))
}

fn settings(folder: &Path, values: &[(&str, &str)], variables: &[(&str, &str)]) -> ContextSettings {
    input(folder, values, variables).unwrap_or_else(|error| panic!("{values:?}: {error}")).settings
}

#[track_caller]
fn refusal<T>(result: Result<T, WorkflowError>) -> (String, String) {
    let error = result.err().expect("an error");
    (error.to_string(), error.hint().expect("every error has a hint").to_owned())
}

#[test]
fn the_commands_have_their_arguments() {
    // CTX-1, CTX-2, CTX-5
    assert_eq!(ContextCommand::ALL.map(ContextCommand::name), ["generate", "refine", "scope"]);
    let has = |command: ContextCommand, name: &str, letter: Option<char>| {
        let arguments = command.arguments();
        let found = arguments.iter().find(|argument| argument.name == name);
        let found = found.unwrap_or_else(|| panic!("{command:?} has no {name}"));
        let has_letter = match found.kind {
            ArgumentKind::Lettered(of, _) => Some(of),
            _ => None,
        };
        assert_eq!(has_letter, letter, "{name}");
    };
    for command in ContextCommand::ALL {
        has(command, "output", Some('o'));
        has(command, "mode", Some('m'));
        for name in ["provider", "model", "debug", "stream", "approve", "config", "max-tokens"] {
            has(command, name, None);
        }
    }
    has(ContextCommand::Generate, "summary", Some('s'));
    has(ContextCommand::Generate, "source", None);
    has(ContextCommand::Refine, "request", Some('r'));
    has(ContextCommand::Refine, "file", None);
    has(ContextCommand::Scope, "question", Some('q'));
    has(ContextCommand::Scope, "source", None);
    let names = |command: ContextCommand| command.arguments().iter().map(|it| it.name).collect::<Vec<_>>();
    for command in ContextCommand::ALL {
        let mut unique = names(command);
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names(command).len(), "{command:?}");
    }
}

#[test]
fn the_command_line_sets_what_it_names() {
    // CTX-2, CTX-5, CTX-8
    let folder = tempfile::tempdir().unwrap();
    let values = [
        ("mode", "agent"),
        ("provider", "openai"),
        ("model", "x"),
        ("output", "/tmp/a.md"),
        ("format", "agents-md"),
        ("max-tokens", "2000"),
        ("approve", "all"),
        ("stream", ""),
    ];
    let read = input(folder.path(), &values, &[]).unwrap();
    let settings = read.settings;
    assert_eq!((settings.mode, settings.format), (RunMode::Agent, ContextFormat::AgentsMd));
    assert_eq!((settings.model.as_str(), settings.approval), ("openai/x", ApprovalMode::All));
    assert_eq!(
        (settings.output.as_deref(), settings.output_scope),
        (Some(Path::new("/tmp/a.md")), OutputScope::Anywhere)
    );
    assert_eq!((settings.max_tokens, settings.agents_md_tokens()), (Some(2_000), 2_000));
    assert!(read.options.is_streaming && !read.options.is_debugging);
    let defaults = self::settings(folder.path(), &[], &[]);
    assert_eq!((defaults.mode, defaults.format), (RunMode::Pipeline, ContextFormat::Context));
    assert_eq!((defaults.approval, defaults.agents_md_tokens()), (ApprovalMode::Ask, 1_500));
    assert!(!settings.writes_to_stdout());
    assert!(self::settings(folder.path(), &[("output", "-")], &[]).writes_to_stdout());
    let text = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<ContextSettings>(&text).unwrap(), settings, "part of the state");
}

#[test]
fn the_command_line_goes_before_the_environment_the_file_and_the_configuration() {
    // CTX-108, CTX-111
    let folder = tempfile::tempdir().unwrap();
    let model = |values: &[(&str, &str)], variables: &[(&str, &str)]| {
        settings(folder.path(), values, variables).model
    };
    let environment = [("MODEL_NAME", "openai/of-env")];
    assert_eq!(model(&[], &[]), "offline");
    fs::write(
        folder.path().join("config.yaml"),
        "contextualize: { model: openai/of-config, max_tpm: 1, max_scan_files: 1, mode: agent, output_dir: .., \
         tpm_safety_factor: 0.5, ignored_dirs: \"a, b\", budget_tokens: 5, budget_dollars: 0.5 }\n",
    )
    .unwrap();
    assert_eq!(model(&[], &[]), "openai/of-config");
    fs::write(folder.path().join(".env"), "MODEL_NAME=openai/of-file\nMAX_TPM=2\n").unwrap();
    assert_eq!(model(&[], &[]), "openai/of-file");
    assert_eq!(model(&[], &environment), "openai/of-env");
    assert_eq!(model(&[("model", "openai/typed")], &environment), "openai/typed");
    assert_eq!(model(&[("model", "offline")], &environment), "offline");
    let all = settings(folder.path(), &[("mode", "pipeline")], &[]);
    assert_eq!((all.calls.tokens_per_minute, all.scan.max_files, all.mode), (2, 1, RunMode::Pipeline));
    assert_eq!(all.scan.ignored, ["a", "b"]);
    assert_eq!((all.budget.tokens, all.budget.money.unwrap().in_dollars()), (Some(5), 0.5));
    assert_eq!(all.output_scope, OutputScope::Folder, "a file that was found writes nothing outside");
    let named = settings(folder.path(), &[("config", "config.yaml")], &[]);
    assert_eq!(named.output_scope, OutputScope::Anywhere);
}

#[test]
fn a_wrong_configuration_is_named_with_its_place() {
    // CTX-111
    let folder = tempfile::tempdir().unwrap();
    let told = |text: &str| {
        fs::write(folder.path().join("config.yaml"), text).unwrap();
        refusal(input(folder.path(), &[], &[]))
    };
    let (message, hint) = told("contextualize:\n  max_tpm: many\n  modus: agent\n");
    assert!(
        message.contains("config.yaml:2:12: `contextualize.max_tpm` expected a whole number above 0"),
        "{message}"
    );
    assert!(message.contains("config.yaml:3:3: `contextualize.modus` is no setting"), "{message}");
    assert!(hint.starts_with("the settings of `contextualize` are: llm_provider, "), "{hint}");
    let (message, _) = told("contextualize: 5\n");
    assert!(message.contains("`contextualize` expected a map of settings"), "{message}");
}

#[test]
fn wrong_values_of_the_command_line_are_refused() {
    // CTX-7
    let folder = tempfile::tempdir().unwrap();
    for (name, value, message, hint) in [
        (
            "mode",
            "fast",
            "`--mode`: expected `pipeline` or `agent`, found `fast`",
            "write `pipeline` or `agent`",
        ),
        ("approve", "no", "`--approve`: expected `ask` or `all`, found `no`", "write `ask` or `all`"),
        ("format", "html", "expected `context` or `agents-md`", "agents-md"),
        ("max-tokens", "many", "takes a whole number", "--max-tokens 3"),
        ("max-tokens", "10", "the limit must be 200 or more", "leave `--max-tokens` out"),
        ("provider", "openai", "`--provider` was given without `--model`", "PROVIDER/MODEL"),
        ("config", "none.yaml", "cannot read the configuration", "--config"),
    ] {
        let (told, next) = refusal(input(folder.path(), &[(name, value)], &[]));
        assert!(told.contains(message) && next.contains(hint), "{told}\n{next}");
    }
    let large = [("format", "agents-md"), ("max-tokens", "4001")];
    assert!(refusal(input(folder.path(), &large, &[])).0.contains("at most 4000 tokens, not 4001"));
    let (told, hint) = refusal(input(folder.path(), &[], &[("MAX_TPM", "x")]));
    assert!(told.contains("MAX_TPM") && hint.contains("unset MAX_TPM"));
}

#[test]
fn notes_say_what_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".env"), "OPENAI_API_KEY=sk-1\n").unwrap();
    let notes = |values: &[(&str, &str)], variables: &[(&str, &str)]| {
        input(folder.path(), values, variables).unwrap().notes
    };
    assert_eq!(notes(&[], &[]), Vec::<String>::new(), "rules need no key");
    assert!(notes(&[("model", "openai/x")], &[])[0].starts_with(".env:1: OPENAI_API_KEY is not used"));
    assert_eq!(notes(&[("api-key", "k")], &[]), ["the key is of no use: rules write, as no model was named"]);
    assert_eq!(
        notes(&[], &[("LLM_PROVIDER", "openai")]),
        ["the provider openai is not used, because no model is named: see MODEL_NAME"]
    );
    assert_eq!(api_key(&given(&[("api-key", "k")])).unwrap(), Some("k"));
}

#[test]
fn generate_takes_a_folder_or_a_url_and_perhaps_a_summary() {
    // CTX-3, CTX-5, CTX-7, CTX-103
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("app")).unwrap();
    let read = |values: &[(&str, &str)]| read_generate(&given(values), &setting(folder.path(), &[]));
    let local = RepositorySource::Folder(folder.path().join("app"));
    let request = GenerateRequest { source: local, summary: Some("A shop.".to_owned()) };
    assert_eq!(read(&[("source", "app"), ("summary", " A shop. ")]).unwrap(), request);
    let without = read(&[]).unwrap();
    assert_eq!((without.source, without.summary), (RepositorySource::Folder(folder.path().join(".")), None));
    let remote = read(&[("source", "https://github.com/acme/shop")]).unwrap().source;
    assert!(matches!(remote, RepositorySource::GitHub(_)));
    let (message, hint) = refusal(read(&[("source", "none")]));
    assert!(
        message.contains("no directory") && message.contains("none") && hint.contains("existing"),
        "{message}"
    );
    let long = "x".repeat(20_001);
    assert!(refusal(read(&[("source", "app"), ("summary", &long)])).0.contains("20001 characters"));
}

#[test]
fn scope_finds_the_repository_of_a_context_file() {
    // CTX-6
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("app")).unwrap();
    let read = |source: &str| {
        read_scope(&given(&[("source", source), ("question", " where? ")]), &setting(folder.path(), &[]))
    };
    let put = |text: &str| fs::write(folder.path().join("context.md"), text).unwrap();
    let plain = read("app").unwrap();
    assert_eq!((plain.question.as_str(), plain.source_context), ("where?", None));
    put(&format!("---\nsource_repo: {}\n---\n", folder.path().join("app").display()));
    let of_file = read("context.md").unwrap();
    assert_eq!(of_file.source, RepositorySource::Folder(folder.path().join("app")));
    assert_eq!(of_file.source_context.as_deref(), Some("context.md"));
    put("---\nsource_repo: https://github.com/acme/shop\n---\n");
    assert!(matches!(read("context.md").unwrap().source, RepositorySource::GitHub(_)));
    put("---\nsource_repo: /gone/app\n---\n");
    let (message, hint) = refusal(read("context.md"));
    assert!(
        message.contains("the repository of the context file is not there") && message.contains("/gone/app")
    );
    assert!(hint.contains("`source_repo`") && hint.contains("context.md"), "{hint}");
    put("---\nuser_summary: x\n---\n");
    assert!(refusal(read("context.md")).0.contains("has no `source_repo`"));
    put("# by hand\n");
    assert!(refusal(read("context.md")).0.contains("it has no front matter"));
    let question = read_scope(&given(&[("source", "app"), ("question", " ")]), &setting(folder.path(), &[]));
    assert!(refusal(question).0.contains("no question was given"));
}

#[test]
fn refine_takes_a_context_file_that_exists() {
    // CTX-5, CTX-104
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("context.md"), "---\nsource_repo: /x\n---\n# App\n").unwrap();
    let read = |values: &[(&str, &str)]| read_refine(&given(values), &setting(folder.path(), &[]));
    let request = read(&[("file", "context.md"), ("request", "shorter")]).unwrap();
    assert_eq!((request.request.as_str(), request.file.body.as_str()), ("shorter", "# App\n"));
    assert_eq!(request.path, folder.path().join("context.md"));
    assert!(refusal(read(&[("file", "none.md"), ("request", "x")])).0.contains("there is no such file"));
    assert!(refusal(read(&[("file", "."), ("request", "x")])).0.contains("a folder, not a regular file"));
    assert!(refusal(read(&[("file", "context.md")])).0.contains("no request was given"));
    assert!(refusal(read(&[("request", "x")])).0.contains("no context file was given"));
}
