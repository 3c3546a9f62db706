//! The configuration file: what it gives, and what each mistake in it says.

use std::{fmt::Write as _, num::NonZeroU32, path::Path, time::Duration};

use secrecy::ExposeSecret;
use stategraph::llm::openai::{LimitField, Structured};
use stategraph::llm::{Prices, Seconds};
use stategraph::workflows::ard::input::settings::{
    Buildability, DEFAULT_HISTORY_TOKENS, DEFAULT_MAX_ITERATIONS, DEFAULT_MODEL, DEFAULT_OUTPUT,
    DebateSettings, OnAmbiguity, OnBadDraft, Overrides, SeverityRule,
};
use stategraph::workflows::{ConfigError, MAX_CONFIG_BYTES, parse_providers};

const FULL: &str = r#"
architect_model: local/any-name
reviewer_model: offline
max_iterations: 10
output_path: ./output/spec.md
providers:
  local:
    base_url: "http://127.0.0.1:8080/v1"
    api_key_env: LOCAL_KEY
    headers: { X-Title: sesame-open }
    structured: json_object
    limit_field: max_completion_tokens
    max_tokens: 1500
    connect_timeout_s: 1
    first_token_timeout_s: 45
    idle_timeout_s: 2.5
    timeout_s: 30
    retry: { attempts: 5, base_s: 0.5, max_wait_s: 9 }
    requests_per_minute: 60
    burst: 3
    tokens_per_minute: 90000
    prices: { any-name: { input: 0.15, output: 1 }, "*": { input: 0, output: 0 } }
  openai: { requests_per_minute: 5 }
history_tokens: { local/any-name: 3000 }
minimum_rounds: 2
on_bad_draft: keep_previous
severity: critical_only
buildability: checked
on_ambiguity: ask
max_components: 6
max_challenges: 4
"#;

const LEAST: &str = "architect_model: a/b\nreviewer_model: c/d\nmax_iterations: 0\noutput_path: x.md\n";

fn parse(text: &str) -> Result<DebateSettings, ConfigError> {
    DebateSettings::parse(text, Path::new("config.yaml"), Overrides::default())
}

fn check(text: &str, expected: &str) {
    let error = parse(text).expect_err("a defect");
    assert_eq!(error.to_string(), expected);
    assert!(!error.hint().is_empty());
}

#[test]
fn a_full_file_gives_all_settings() {
    // ARD-18..22, ARD-25, ARD-54
    let settings = parse(FULL).expect("settings");
    assert_eq!(settings.architect_model, "local/any-name");
    assert_eq!(settings.reviewer_model, "offline");
    assert_eq!(settings.max_iterations, 10);
    assert_eq!(settings.output_path, Path::new("./output/spec.md"));
    let local = &settings.providers["local"];
    assert_eq!(local.base_url.as_deref(), Some("http://127.0.0.1:8080/v1"));
    assert_eq!(local.api_key_env.as_deref(), Some("LOCAL_KEY"));
    assert_eq!(local.headers["X-Title"].expose_secret(), "sesame-open");
    assert_eq!(local.structured, Some(Structured::JsonObject));
    assert_eq!(local.limit_field, Some(LimitField::MaxCompletionTokens));
    assert_eq!(local.max_tokens.map(NonZeroU32::get), Some(1500));
    let seconds = |seconds: f64| Some(Seconds::new(Duration::from_secs_f64(seconds)));
    assert_eq!(local.connect_timeout_s, seconds(1.0));
    assert_eq!((local.first_token_timeout_s, local.idle_timeout_s), (seconds(45.0), seconds(2.5)));
    assert_eq!(local.timeout_s, seconds(30.0));
    assert_eq!((local.retry.attempts, local.retry.base_s), (Some(5), seconds(0.5)));
    assert_eq!(local.retry.max_wait_s, seconds(9.0));
    let rates = [local.requests_per_minute, local.burst, local.tokens_per_minute];
    assert_eq!(rates.map(|rate| rate.map(NonZeroU32::get)), [Some(60), Some(3), Some(90_000)]);
    assert_eq!(local.prices["any-name"], Prices { input: 0.15, output: 1.0 });
    assert_eq!(local.prices["*"], Prices { input: 0.0, output: 0.0 });
    assert_eq!(settings.providers["openai"].base_url, None, "a provider that is built in needs no address");
    assert_eq!(
        (settings.history.limit_of("local/any-name"), settings.history.limit_of("x")),
        (3000, DEFAULT_HISTORY_TOKENS)
    );
    assert_eq!(settings.minimum_rounds, 2);
    assert_eq!(settings.on_bad_draft, OnBadDraft::KeepPrevious);
    assert_eq!(settings.severity, SeverityRule::CriticalOnly);
    assert_eq!(settings.buildability, Buildability::Checked);
    assert_eq!(settings.on_ambiguity, OnAmbiguity::Ask);
    assert_eq!((settings.max_components, settings.max_challenges), (Some(6), Some(4)));
}

#[test]
fn the_options_are_off_unless_asked_for() {
    // ARD-35, ARD-41, ARD-51, ARD-70, ARD-71
    let settings = parse(LEAST).expect("settings");
    assert_eq!(settings.on_bad_draft, OnBadDraft::Error);
    assert_eq!(settings.severity, SeverityRule::Ignored);
    assert_eq!(settings.buildability, Buildability::Unchecked);
    assert_eq!(settings.on_ambiguity, OnAmbiguity::Revise);
    assert_eq!(settings.minimum_rounds, 0);
    assert_eq!((settings.max_components, settings.max_challenges), (None, None), "ARD-47");
    assert!(settings.providers.is_empty());
}

#[test]
fn without_a_file_the_rules_debate() {
    // ARD-23
    let settings = DebateSettings::without_file(Overrides::default());
    assert_eq!(
        (settings.architect_model.as_str(), settings.reviewer_model.as_str()),
        (DEFAULT_MODEL, DEFAULT_MODEL)
    );
    assert_eq!(settings.max_iterations, DEFAULT_MAX_ITERATIONS);
    assert_eq!(settings.output_path, Path::new(DEFAULT_OUTPUT));
}

#[test]
fn the_command_line_wins_over_the_file_and_stands_in_for_it() {
    let overrides = Overrides {
        architect_model: Some("offline".to_owned()),
        max_iterations: Some(3),
        output_path: Some("y.md".into()),
        ..Overrides::default()
    };
    let over = DebateSettings::parse(LEAST, Path::new("c"), overrides.clone()).expect("settings");
    assert_eq!((over.architect_model.as_str(), over.reviewer_model.as_str()), ("offline", "c/d"));
    assert_eq!((over.max_iterations, over.output_path.as_path()), (3, Path::new("y.md")));
    let instead = DebateSettings::parse("reviewer_model: c/d", Path::new("c"), overrides.clone());
    assert_eq!(instead.expect("the others were given").max_iterations, 3);
    assert_eq!(DebateSettings::without_file(overrides).max_iterations, 3);
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    // ARD-24
    let error = DebateSettings::read(Path::new("no/config.yaml"), Overrides::default()).expect_err("missing");
    assert_eq!(error.to_string(), "cannot read the configuration no/config.yaml");
    assert!(error.hint().contains("--config"));
}

#[test]
fn every_missing_key_is_named_at_once() {
    // ARD-24
    check(
        "max_iterations: 1\n",
        "config.yaml:1:1: `architect_model` is missing: expected a model name as text, such as `provider/model`\n\
         config.yaml:1:1: `reviewer_model` is missing: expected a model name as text, such as `provider/model`\n\
         config.yaml:1:1: `output_path` is missing: expected a file path as text",
    );
    let error = parse("").expect_err("an empty file lacks everything").to_string();
    assert_eq!(error.lines().count(), 4, "{error}");
}

#[test]
fn a_wrong_type_says_what_was_expected_and_what_was_found() {
    // ARD-24
    let with = |line: &str| {
        let key = line.split(':').next().expect("a key");
        let kept: Vec<_> = LEAST.lines().filter(|other| !other.starts_with(key)).collect();
        format!("{}\n{line}\n", kept.join("\n"))
    };
    for (line, told) in [
        (
            "max_iterations: -1",
            "4:17: `max_iterations` expected a whole number, 0 or more, found the number -1",
        ),
        (
            "max_iterations: ten",
            "4:17: `max_iterations` expected a whole number, 0 or more, found the text \"ten\"",
        ),
        (
            "max_iterations: 1.5",
            "4:17: `max_iterations` expected a whole number, 0 or more, found the number 1.5",
        ),
        (
            "max_iterations: 4294967296",
            "4:17: `max_iterations` expected a whole number, 0 or more, found the number 4294967296",
        ),
        ("output_path: [a]", "4:14: `output_path` expected a file path as text, found a list"),
        (
            "architect_model: 5",
            "4:18: `architect_model` expected a model name as text, such as `provider/model`, found the number 5",
        ),
        (
            "reviewer_model: ' '",
            "4:17: `reviewer_model` expected a model name as text, such as `provider/model`, found the text \" \"",
        ),
    ] {
        check(&with(line), &format!("config.yaml:{told}"));
    }
    for (line, told) in [
        ("severity: high", "5:11: `severity` expected `ignored` or `critical_only`, found the text \"high\""),
        (
            "history_tokens: 0",
            "5:17: `history_tokens` expected a whole number above 0, or a map from model names to such numbers, found the number 0",
        ),
        (
            "providers: yes please",
            "5:12: `providers` expected a map from provider names to their settings, found the text \"yes please\"",
        ),
        (
            "providers: { a: { base_url: ftp://x } }",
            "5:29: `providers.a.base_url` expected a URL with http:// or https://, found the text \"ftp://x\"",
        ),
        (
            "providers: { a: { base_url: http://x, headers: { k: 1 } } }",
            "5:50: `providers.a.headers.k` expected text, found a number",
        ),
        (
            "providers: { a: { base_url: http://x, timeout_s: 0 } }",
            "5:50: `providers.a.timeout_s` expected a number of seconds above 0, found the number 0",
        ),
        (
            "providers: { openai: { burst: 0 } }",
            "5:31: `providers.openai.burst` expected a whole number above 0, found the number 0",
        ),
        (
            "providers: { openai: { retry: { atempts: 3 } } }",
            "5:33: `providers.openai.retry.atempts` is no setting; did you mean `attempts`?",
        ),
        (
            "providers: { openai: { retry: 3 } }",
            "5:31: `providers.openai.retry` expected a map with `attempts`, `base_s` and `max_wait_s`, found the number 3",
        ),
        (
            "providers: { openai: { prices: { x: { input: -1, output: 1 } } } }",
            "5:46: `providers.openai.prices.x.input` expected dollars for a million tokens: a number, 0 or more, found the number -1",
        ),
        (
            "providers: { openai: { prices: { x: { input: 1 } } } }",
            "5:34: `providers.openai.prices.x.output` is missing: expected dollars for a million tokens: a number, 0 or more",
        ),
        (
            "providers: { a/b: { base_url: http://x } }",
            "5:14: `providers.a/b` expected a name without a slash, other than `offline`, found the name \"a/b\"",
        ),
        (
            "providers: { offline: { base_url: http://x } }",
            "5:14: `providers.offline` expected a name without a slash, other than `offline`, found the name \"offline\"",
        ),
        ("max_challenges: 0", "5:17: `max_challenges` expected a whole number above 0, found the number 0"),
        ("on_ambiguity: guess", "5:15: `on_ambiguity` expected `revise` or `ask`, found the text \"guess\""),
        ("providers: { a: 1 }", "5:14: `providers.a` expected a map with `base_url`, found the number 1"),
        (
            "providers: { a: { } }",
            "5:14: `providers.a.base_url` is missing: expected a URL with http:// or https://",
        ),
    ] {
        check(&format!("{LEAST}{line}\n"), &format!("config.yaml:{told}"));
    }
}

#[test]
fn limits_are_taken_from_zero_to_the_largest_number() {
    // ENG-20
    for (number, fits) in
        [("-1", false), ("0", true), ("1", true), ("4294967295", true), ("4294967296", false)]
    {
        let text = LEAST.replace("max_iterations: 0", &format!("max_iterations: {number}"));
        assert_eq!(parse(&text).is_ok(), fits, "{number}");
    }
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_name() {
    check(
        &format!("{LEAST}max_iteration: 3\n"),
        "config.yaml:5:1: `max_iteration` is no setting; did you mean `max_iterations`?",
    );
    check(
        &format!("{LEAST}providers:\n  a:\n    base_url: http://x\n    api_key: secret\n"),
        "config.yaml:8:5: `providers.a.api_key` is no setting; did you mean `api_key_env`?",
    );
    check(&format!("{LEAST}zzz: 1\n"), "config.yaml:5:1: `zzz` is no setting");
}

#[test]
fn a_duplicate_key_is_told_with_both_lines() {
    check(
        &format!("{LEAST}reviewer_model: e/f\n"),
        "config.yaml:5:1: `reviewer_model` is given twice, first in line 2",
    );
}

#[test]
fn what_is_no_map_of_settings_is_told_with_its_place() {
    check("- a\n- b\n", "config.yaml:1:1: `(the file)` expected a map of settings, found a list");
    let error = parse("architect_model: [a\nreviewer_model: b\n").expect_err("broken").to_string();
    assert!(error.starts_with("config.yaml:") && !error.contains('\n'), "{error}");
    let tab = parse("providers:\n\ta: 1\n").expect_err("a tab").to_string();
    assert!(tab.starts_with("config.yaml:2:"), "{tab}");
}

#[test]
fn a_bomb_of_aliases_is_refused() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let previous = format!("*a{}, ", level - 1).repeat(10);
        writeln!(text, "a{level}: &a{level} [{previous}x]").expect("a string takes it");
    }
    assert!(matches!(parse(&text), Err(ConfigError::Syntax { .. })));
}

#[test]
fn a_file_above_the_limit_is_refused() {
    // ENG-20
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.yaml");
    let limit = usize::try_from(MAX_CONFIG_BYTES).expect("fits");
    for (size, fits) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let text = format!("{LEAST}#{}\n", "x".repeat(size - LEAST.len() - 2));
        std::fs::write(&path, text).expect("written");
        let read = DebateSettings::read(&path, Overrides::default());
        assert_eq!(read.is_ok(), fits, "{size} bytes: {read:?}");
    }
}

#[test]
fn secrets_in_headers_are_neither_printed_nor_stored() {
    // ENG-27
    let settings = parse(FULL).expect("settings");
    let stored = serde_json::to_string(&settings).expect("plain data");
    for text in [format!("{settings:?}"), stored.clone()] {
        assert!(!text.contains("sesame"), "{text}");
    }
    assert!(!stored.contains("127.0.0.1"), "where models are is no part of a debate: {stored}");
    let wrong = FULL.replace("{ X-Title: sesame-open }", "{ X-Title: 5318008 }");
    assert!(!parse(&wrong).expect_err("a number").to_string().contains("5318008"));
}

#[test]
fn a_resumed_debate_takes_the_endpoints_and_nothing_else_from_the_file() {
    // ARD-75
    const TEXT: &str = "future: 1\nproviders: { a: { base_url: http://x } }\n";
    let path = Path::new("config.yaml");
    assert!(parse_providers(TEXT, path).expect("providers").contains_key("a"));
    let bad = "providers: { a: { } }\n";
    assert!(parse_providers(bad, path).is_err(), "what is taken is checked");
}
