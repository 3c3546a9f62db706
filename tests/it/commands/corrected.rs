//! A wrong model name is corrected where it was written, and the run goes on: nothing that was answered is asked again.

use serde_json::{Value, json};

use super::debate::{CALLS, Debate, IDEA, UNKNOWN, no_such_model};
use super::kit::{Done, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

/// The error of a model that the endpoint does not know: which, where, what to do.
#[track_caller]
fn is_told(told: &Done, base_url: &str) {
    let expected = [
        format!("model `local/{UNKNOWN}` at {base_url}: answered 404: The model `{UNKNOWN}` does not exist"),
        format!("hint: does the endpoint know `{UNKNOWN}`"),
        "A resumed run takes the configuration and the options of models anew".to_owned(),
        "to continue: ".to_owned(),
    ];
    for part in &expected {
        assert!(told.err.contains(part), "{part} is not in {}", told.err);
    }
}

fn settings_of(state: &Done) -> Value {
    serde_json::from_str::<Value>(&state.out).unwrap()["state"]["settings"].clone()
}

// ARD-75
#[tokio::test]
async fn a_debate_takes_the_corrected_model_of_the_configuration() {
    let (place, debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let right = place.read("config.yaml");
    place.write("config.yaml", right.replace("local/architect", &format!("local/{UNKNOWN}")));
    let told = done(place.ard(["run", "--idea", IDEA])).await.exits(2);
    is_told(&told, &debate.base_url());
    place.write("config.yaml", &right);
    done(place.ard(["resume", &told.thread()])).await.exits(0);
    assert_eq!(debate.counts(), [1; CALLS]);
    let spec = place.read("spec.md");
    assert!(spec.contains("status: verified") && spec.contains("local/architect"), "{spec}");
    assert!(!spec.contains(UNKNOWN), "{spec}");
    let state = done(place.graph(["state", &told.thread(), "--json"])).await.exits(0);
    assert_eq!(settings_of(&state)["architect_model"], "local/architect");
}

#[tokio::test]
async fn a_model_that_was_typed_is_replaced_by_typing_and_not_by_the_file() {
    let (place, debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let wrong = format!("local/{UNKNOWN}");
    let told = done(place.ard(["run", "--idea", IDEA, "--reviewer-model", &wrong])).await.exits(2);
    is_told(&told, &debate.base_url());
    let again = done(place.ard(["resume", &told.thread()])).await.exits(2);
    is_told(&again, &debate.base_url());
    let printed = told.command("to continue: ");
    assert!(printed.ends_with(&format!("--reviewer-model {wrong}")), "{printed}");
    done(place.shell(&printed.replace(&wrong, "local/reviewer"))).await.exits(0);
    assert_eq!(debate.counts(), [1; CALLS]);
    assert!(place.read("spec.md").contains("local/reviewer"));
    let state = done(place.graph(["state", &told.thread(), "--json"])).await.exits(0);
    assert_eq!(settings_of(&state)["reviewer_model"], "local/reviewer");
    assert_eq!(settings_of(&state)["typed_models"], json!(["reviewer"]));
}

/// A server with one model, which says `text` to everything.
async fn saying(text: &'static str) -> FakeServer {
    FakeServer::answering(
        move |_, asked| {
            if asked.body["model"] == UNKNOWN { no_such_model() } else { Play::says(text) }
        },
    )
    .await
}

fn provider(server: &FakeServer) -> String {
    format!("providers:\n  local: {{ base_url: \"{}\" }}\n", server.base_url())
}

// DOC-11
#[tokio::test]
async fn a_documentation_run_takes_another_model_and_keeps_it_for_its_session() {
    let (place, server) =
        (Place::new(), saying("<phase_complete>{\"findings_summary\": \"done\"}</phase_complete>").await);
    place.write("config.yaml", provider(&server));
    place.write("repo/src/main.rs", "//! The shop.\n\nfn main() {}\n");
    let wrong = format!("local/{UNKNOWN}");
    let told = done(place.graph(["run", "doc-phases", "repo", "-m", &wrong])).await.exits(2);
    is_told(&told, &server.base_url());
    let before = server.requests().len();
    let resumed = done(place.graph(["resume", &told.thread(), "-m", "local/right"])).await;
    assert!(matches!(resumed.code, Some(0 | 1)), "{}", resumed.err);
    assert!(resumed.err.contains("completed phases: "), "{}", resumed.err);
    let asked = server.requests();
    assert!(asked.len() > before);
    assert!(asked[before..].iter().all(|asked| asked.body["model"] == "right"));
}

const ONE_MODEL: &str = "name: ask\nstate:\n  answer: string\noutputs: [answer]\nnodes:\n  say:\n    model: { \
     NAMEprompt: Say hello., offline: \"'rules'\" }\n    to: answer\nedges:\n  - { from: START, to: say }\n  - { from: say, to: END }\n";

#[tokio::test]
async fn a_graph_file_takes_the_corrected_model_of_the_file_or_of_the_option() {
    let (place, server) = (Place::new(), saying("hello").await);
    place.write("config.yaml", provider(&server));
    let named = |name: &str| ONE_MODEL.replace("NAME", &format!("name: local/{name}, "));
    place.write("ask.yaml", named(UNKNOWN));
    let told = done(place.graph(["run", "ask.yaml"])).await.exits(2);
    is_told(&told, &server.base_url());
    place.write("ask.yaml", named("right"));
    let resumed = done(place.graph(["resume", &told.thread()])).await.exits(0);
    assert!(resumed.out.contains("\"answer\": \"hello\""), "{}", resumed.out);

    place.write("plain.yaml", ONE_MODEL.replace("NAME", ""));
    let wrong = format!("local/{UNKNOWN}");
    let told = done(place.graph(["run", "plain.yaml", "--model", &wrong])).await.exits(2);
    is_told(&told, &server.base_url());
    let resumed = done(place.graph(["resume", &told.thread(), "--model", "local/right"])).await.exits(0);
    assert!(resumed.out.contains("\"answer\": \"hello\""), "{}", resumed.out);
}

// ENG-15
#[tokio::test]
async fn an_endpoint_that_asks_for_an_hour_is_not_waited_for_and_the_error_says_when_to_resume() {
    let (place, debate) = (
        Place::new(),
        Debate::failing_at(0, Play::with_headers(429, &[("retry-after", "3600")], "slow down")).await,
    );
    place.configure(&debate.base_url());
    let told = done(place.ard(["run", "--idea", IDEA])).await.exits(2);
    assert_eq!(debate.counts()[0], 1, "asked once");
    assert!(told.err.contains("answered 429: slow down; it asks to wait 3600 s"), "{}", told.err);
    assert!(
        told.err.contains("hint: resume after ") && told.err.contains("`max_wait_s` in `retry`"),
        "{}",
        told.err
    );
    let healthy = Debate::answered().await;
    place.configure(&healthy.base_url());
    done(place.shell(&told.command("to continue: "))).await.exits(0);
}
