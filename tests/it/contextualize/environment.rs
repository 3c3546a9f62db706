//! Settings of the environment and of `.env`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use stategraph::llm::Env;
use stategraph::trust::TrustStore;
use stategraph::workflows::contextualize::environment::{Environment, EnvironmentError, VariablePlace};
use stategraph::workflows::contextualize::input::{ContextCommand, ContextSettings, VARIABLES};
use stategraph::workflows::{OutputScope, trust_request};
use stategraph_testing::cases;

use super::kit::env;

/// A folder with a `.env`, if a text is given.
fn folder(text: impl AsRef<[u8]>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".env"), text).unwrap();
    folder
}

fn read_in(folder: &Path, variables: &[(&str, &str)]) -> Result<Environment, EnvironmentError> {
    Environment::read(folder, env(variables), &TrustStore::empty())
}

fn settings(text: &str, variables: &[(&str, &str)]) -> ContextSettings {
    let environment = read_in(folder(text).path(), variables);
    let environment = environment.unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(environment.notes, Vec::<String>::new(), "{text}");
    environment.layer.settings(ContextCommand::Generate)
}

fn error(text: &str, variables: &[(&str, &str)]) -> EnvironmentError {
    match read_in(folder(text).path(), variables) {
        Ok(_) => panic!("{text} is accepted"),
        Err(error) => error,
    }
}

#[test]
fn all_settings_come_from_the_environment_or_from_the_file() {
    // CTX-108, CTX-109, CTX-110
    let values = [
        ("LLM_PROVIDER", "anthropic"),
        ("MODEL_NAME", "claude-x"),
        ("MAX_TPM", "40000"),
        ("TPM_SAFETY_FACTOR", "0.5"),
        ("MAX_TOKENS_PER_CALL", "9000"),
        ("LLM_MAX_INPUT_TOKENS", "15000"),
        ("LLM_MAX_OUTPUT_TOKENS", "3000"),
        ("LLM_TIMEOUT", "12.5"),
        ("RETRY_MAX_ATTEMPTS", "5"),
        ("RETRY_INITIAL_WAIT", "0.25"),
        ("MAX_TOOL_OUTPUT_CHARS", "1234"),
        ("MAX_SCAN_FILES", "77"),
        ("MAX_FILE_SIZE", "5000000000"),
        ("OUTPUT_DIR", "docs/contexts"),
        ("IGNORED_DIRS", "vendor, third_party/,"),
    ];
    assert_eq!(values.map(|(name, _)| name), VARIABLES.each_ref().map(|variable| variable.name));
    let text = values.map(|(name, value)| format!("{name}={value}")).join("\n");
    for (settings, scope) in
        [(settings(&text, &[]), OutputScope::Folder), (settings("", &values), OutputScope::Anywhere)]
    {
        assert_eq!(settings.model, "anthropic/claude-x");
        let calls = settings.calls;
        assert_eq!((calls.tokens_per_minute, calls.effective_tokens_per_minute()), (40_000, 20_000));
        assert_eq!((calls.tokens_per_call, calls.max_input_tokens), (Some(9_000), 15_000));
        assert_eq!((calls.max_output_tokens, calls.attempts), (Some(3_000), 5));
        assert!((calls.timeout_s - 12.5).abs() < 1e-9 && (calls.initial_wait_s - 0.25).abs() < 1e-9);
        assert_eq!(settings.tool_output_chars, 1_234);
        assert_eq!((settings.scan.max_files, settings.scan.max_file_bytes), (77, 5_000_000_000));
        assert_eq!(settings.scan.ignored, ["vendor", "third_party"]);
        assert_eq!((settings.output_dir.to_str(), settings.output_scope), (Some("docs/contexts"), scope));
    }
}

#[test]
fn without_variables_the_defaults_hold() {
    // CTX-10, CTX-23, CTX-24, CTX-73, CTX-85, CTX-86, CTX-110
    let folder = tempfile::tempdir().unwrap();
    let layer = read_in(folder.path(), &[("MAX_TPM", " "), ("HOME", "/root")]).unwrap().layer;
    let settings = layer.clone().settings(ContextCommand::Generate);
    assert_eq!(settings, ContextSettings::of(ContextCommand::Generate));
    assert!(settings.is_offline());
    assert_eq!((settings.scan.max_files, settings.scan.max_file_bytes), (200, 1_000_000));
    assert_eq!((settings.scan.depth, settings.scan.children, settings.scan.analysis_files), (6, 200, 20));
    assert_eq!(settings.output_dir, Path::new("contexts"));
    let exploration = settings.exploration;
    assert_eq!((exploration.rounds, exploration.files_per_prompt), (2, 12));
    assert_eq!((exploration.exploration_chars, exploration.synthesis_chars), (80_000, 120_000));
    assert_eq!((settings.calls.attempts, settings.tool_output_chars), (3, 6_000));
    assert!(
        (settings.calls.initial_wait_s - 2.0).abs() < 1e-9 && (settings.calls.timeout_s - 60.0).abs() < 1e-9
    );
    assert_eq!(settings.calls.effective_tokens_per_minute(), 25_500);
    let limits = |command| {
        let budget = ContextSettings::of(command).budget;
        (budget.tokens.unwrap(), budget.money.unwrap().in_dollars())
    };
    assert_eq!(limits(ContextCommand::Scope), (30_000, 2.0));
    assert_eq!(limits(ContextCommand::Generate), (50_000, 5.0));
}

#[test]
fn a_variable_of_the_environment_goes_before_one_of_the_file() {
    // CTX-111
    let settings = settings("MAX_TPM=1\nMAX_SCAN_FILES=2\n", &[("MAX_TPM", "3"), ("MAX_SCAN_FILES", "")]);
    assert_eq!((settings.calls.tokens_per_minute, settings.scan.max_files), (3, 2));
}

#[test]
fn a_bad_value_is_named_with_its_place() {
    // CTX-111
    let told = error("# limits\nMAX_TPM=many\nTPM_SAFETY_FACTOR=1.5\n", &[("MAX_SCAN_FILES", "-1")]);
    assert_eq!(
        told.to_string(),
        "the environment variable MAX_SCAN_FILES: expected a whole number above 0, found `-1`\n\
         .env:2: MAX_TPM: expected a whole number above 0, found `many`\n\
         .env:3: TPM_SAFETY_FACTOR: expected a number above 0, at most 1, found `1.5`"
    );
    assert_eq!(told.hint(), "correct it, or remove it with `unset MAX_SCAN_FILES`");
    let of_file = error("MAX_TPM=\"x\u{1b}[31m\"\n", &[]);
    assert!(of_file.to_string().ends_with("found `x\\u{1b}[31m`"), "{of_file}");
    assert!(of_file.hint().starts_with("correct the line"));
    for (name, bad) in [
        ("MAX_TPM", "0"),
        ("MAX_TPM", "4294967296"),
        ("TPM_SAFETY_FACTOR", "0"),
        ("TPM_SAFETY_FACTOR", "NaN"),
        ("RETRY_MAX_ATTEMPTS", "101"),
        ("RETRY_INITIAL_WAIT", "-0.5"),
        ("RETRY_INITIAL_WAIT", "inf"),
        ("LLM_TIMEOUT", "0"),
        ("MAX_FILE_SIZE", "1MB"),
        ("IGNORED_DIRS", "a/b"),
        ("MODEL_NAME", "two words"),
    ] {
        let defects = error("", &[(name, bad)]).defects;
        assert_eq!((defects.len(), defects[0].name), (1, name), "{bad}");
        assert_eq!(defects[0].place, VariablePlace::Environment);
    }
}

#[test]
fn a_bad_value_that_the_environment_overrides_is_no_error() {
    assert_eq!(settings("MAX_TPM=many\n", &[("MAX_TPM", "7")]).calls.tokens_per_minute, 7);
}

#[test]
fn the_forms_of_the_file_are_read() {
    // CTX-108
    let text = "\u{feff}# comment\r\n\r\n export MAX_TPM = '5' # five\r\nLLM_MAX_INPUT_TOKENS=6 # six\r\n\
                OUTPUT_DIR=\"a \\\"b\\\" #c\"\nIGNORED_DIRS='x,\ny'\nMAX_SCAN_FILES=8\nMAX_SCAN_FILES=9";
    let settings = settings(text, &[]);
    assert_eq!((settings.calls.tokens_per_minute, settings.calls.max_input_tokens), (5, 6));
    assert_eq!(settings.output_dir, Path::new("a \"b\" #c"));
    assert_eq!((settings.scan.ignored, settings.scan.max_files), (vec!["x".to_owned(), "y".to_owned()], 9));
    let after_lines = error("A='1\n2\n3'\nB=\"x\ny\"\nMAX_TPM=no\n", &[]);
    assert!(after_lines.to_string().starts_with(".env:6: MAX_TPM"), "{after_lines}");
}

#[test]
fn no_variable_of_the_user_is_put_into_a_value_of_the_file() {
    for text in ["MODEL_NAME=$SECRET\n", "MODEL_NAME=\"a/${SECRET}\"\n", "MODEL_NAME=\"$(id)\"\n"] {
        let told = error(text, &[("SECRET", "hidden")]).to_string();
        assert!(told.contains("expected a value without variables") && !told.contains("hidden"), "{told}");
    }
    assert_eq!(settings("OUTPUT_DIR='$x'\n", &[]).output_dir, Path::new("$x"));
}

#[test]
fn lines_that_are_no_variables_are_left_out_with_a_note() {
    let folder = folder("MAX_TPM=5\nnot a line\nX-Y=1\nQ=\"open\nMAX_SCAN_FILES=6\n");
    let read = read_in(folder.path(), &[]).unwrap();
    assert_eq!(read.notes, [".env:2 is left out: it is not NAME=VALUE"]);
    let settings = read.layer.settings(ContextCommand::Generate);
    assert_eq!((settings.calls.tokens_per_minute, settings.scan.max_files), (5, 6));
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_read_gives_a_note_and_never_waits() {
    let home = tempfile::tempdir().unwrap();
    let work = home.path().join("work");
    let note = |make: &dyn Fn(&Path)| {
        let _ = fs::remove_dir_all(&work);
        fs::create_dir(&work).unwrap();
        make(&work.join(".env"));
        let read = read_in(&work, &[]).unwrap();
        assert_eq!(read.layer, Environment::read(home.path(), env(&[]), &TrustStore::empty()).unwrap().layer);
        let [note] = &read.notes[..] else { panic!("{:?}", read.notes) };
        note.clone()
    };
    let pipe = note(&|path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    });
    assert_eq!(pipe, ".env is not read: it is a named pipe, not a regular file");
    assert_eq!(
        note(&|path| fs::create_dir(path).unwrap()),
        ".env is not read: it is a folder, not a regular file"
    );
    let large = note(&|path| fs::write(path, "MAX_TPM=5\n".repeat(1_000_000)).unwrap());
    assert_eq!(large, ".env is not read: it has more than 1048576 bytes");
    let binary = note(&|path| fs::write(path, b"MAX_TPM=5\nX=\xff\n").unwrap());
    assert_eq!(binary, ".env is not read: line 2 is not UTF-8 text");
    fs::write(home.path().join("outside.env"), "MAX_TPM=5\n").unwrap();
    let link = note(&|path| std::os::unix::fs::symlink("../outside.env", path).unwrap());
    assert_eq!(link, ".env is not read: it is a link that leads out of the working folder, or nowhere");
    let device = note(&|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap());
    assert_eq!(device, link);
}

#[test]
fn keys_of_the_file_are_used_once_it_is_trusted() {
    let folder = folder("A=1\nANTHROPIC_API_KEY=sk-of-the-file\nOPENAI_API_KEY=sk-other\n");
    let state = tempfile::tempdir().unwrap();
    let store = TrustStore::of_user(|name| {
        (name == "XDG_STATE_HOME").then(|| state.path().to_str().unwrap().to_owned())
    });
    let read = || {
        let user = env(&[("OPENAI_API_KEY", "sk-of-the-user")]);
        Environment::read(folder.path(), user, &store).unwrap()
    };
    let untrusted = read();
    assert_eq!(untrusted.env.var("ANTHROPIC_API_KEY"), None);
    let [note] = &untrusted.model_notes[..] else { panic!("{:?}", untrusted.model_notes) };
    assert!(note.starts_with(
        ".env:2: ANTHROPIC_API_KEY is not used, because the file is not trusted; `graph trust "
    ));
    let request = trust_request(&folder.path().join(".env")).unwrap();
    let wants: Vec<String> = request.wants().iter().map(|want| want.capability.to_string()).collect();
    assert_eq!(
        wants,
        [
            "send the requests to `anthropic`, with the key in ANTHROPIC_API_KEY, to https://api.anthropic.com/v1",
            "send the requests to `openai`, with the key in OPENAI_API_KEY, to https://api.openai.com/v1"
        ]
    );
    store.allow(&request).unwrap();
    let trusted = read();
    assert_eq!(trusted.env.var("ANTHROPIC_API_KEY").as_deref(), Some("sk-of-the-file"));
    assert_eq!(trusted.env.var("OPENAI_API_KEY").as_deref(), Some("sk-of-the-user"), "CTX-111");
    assert_eq!(trusted.env.var("A"), None, "no other variable of the file is one of the run");
    assert_eq!(trusted.model_notes, Vec::<String>::new());
}

#[test]
fn addresses_of_the_file_are_never_used() {
    let read = read_in(folder("OPENAI_BASE_URL=https://evil.example\nDATABASE_URL=x\n").path(), &[]).unwrap();
    let expected = ".env:1: OPENAI_BASE_URL is not used: addresses of models are set in config.yaml";
    assert_eq!(read.model_notes, [expected]);
}

#[test]
fn a_provider_goes_with_the_model_of_its_own_place() {
    // CTX-109
    let model = |text: &str, variables: &[(&str, &str)]| settings(text, variables).model;
    assert_eq!(model("LLM_PROVIDER=openai\nMODEL_NAME=x\n", &[]), "openai/x");
    assert_eq!(model("LLM_PROVIDER=openai\nMODEL_NAME=openai/x\n", &[]), "openai/x");
    assert_eq!(model("LLM_PROVIDER=openrouter\nMODEL_NAME=meta/x\n", &[]), "openrouter/meta/x");
    assert_eq!(model("MODEL_NAME=x\n", &[("LLM_PROVIDER", "openai")]), "openai/x");
    assert_eq!(model("LLM_PROVIDER=openai\n", &[("MODEL_NAME", "gemini-x")]), "gemini-x");
    assert_eq!(model("LLM_PROVIDER=offline\nMODEL_NAME=x\n", &[]), "offline");
    assert_eq!(model("LLM_PROVIDER=openai\n", &[]), "offline");
}

#[test]
fn a_large_file_of_quotes_takes_linear_time() {
    let started = std::time::Instant::now();
    for line in ["A=\"\n", "A='\n", "A=\"'\n", "A=\\\"\n", "A=\"\\\n", "=\"'\n", "A=\"x\"y\n"] {
        let _ = read_in(folder(line.repeat(1_000_000 / line.len())).path(), &[]);
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

proptest::proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn no_text_makes_the_parser_panic(text in "(([A-Z_]{1,3}|MAX_TPM)=|['\"\\\\$# \n]|\\PC){0,40}") {
        let _ = read_in(folder(text).path(), &[]);
    }
}

#[test]
fn the_environment_of_the_process_is_not_changed() {
    let read = read_in(folder("CTX_OF_THE_FILE=1\n").path(), &[]).unwrap();
    assert!(std::env::var("CTX_OF_THE_FILE").is_err());
    let env: Arc<dyn Env> = read.env;
    assert_eq!(env.var("CTX_OF_THE_FILE"), None);
}
