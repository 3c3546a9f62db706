//! Endpoints that fail: what the user reads, and that the debate can be resumed once they work.

use serde_json::json;

use super::super::support::fake_server::{FakeServer, Play};
use super::bad_input::golden;
use super::debate::{CALLS, Debate, IDEA, undisturbed};
use super::kit::{Done, Place, done};

/// A debate against a server that always does this; its address is left out of the text.
async fn against(name: &str, play: Play) -> (Place, Done) {
    let server = FakeServer::playing(vec![play]).await;
    let place = Place::new();
    place.configure(&server.base_url());
    let mut told = done(place.ard(["run", "--idea", IDEA])).await.exits(2);
    told.err = without_waits(&told.err.replace(&server.base_url(), "http://SERVER/v1"));
    golden(name, &place, &told);
    (place, told)
}

/// The text without how long each wait is, which is left to chance.
fn without_waits(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("asking again in ").and_then(|rest| rest.split_once(": "))
    {
        Some((_, error)) => format!("asking again in SOME TIME: {error}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

// ENG-15, ENG-29; issue 2, "Bad input": each names the node and the step, says what came, and how to go on.
#[tokio::test]
async fn an_endpoint_that_answers_wrongly_is_told_with_what_it_said() {
    let unauthorised =
        json!({ "error": { "message": "Incorrect API key provided", "code": "invalid_api_key" } });
    against("endpoint_401", Play::json(401, &unauthorised)).await;
    against("endpoint_html", Play::body(200, "text/html", "<html><body>Sign in</body></html>")).await;
    against("endpoint_no_choices", Play::json(200, &json!({ "choices": [] }))).await;
    against("endpoint_not_json", Play::says("I would rather talk about the weather.")).await;
    let wrong = json!({ "components": [], "design_rationale": 7 }).to_string();
    against("endpoint_wrong_schema", Play::says(&wrong)).await;
}

// Retried first, so these take a while.
#[tokio::test]
async fn an_endpoint_that_breaks_is_asked_again_before_it_is_told() {
    let truncated = Play::body(200, "application/json", "{\"choices\": [{\"index\": 0, \"mess");
    let (down, broken) = tokio::join!(endpoint_down(), against("endpoint_truncated", truncated));
    drop((down, broken));
}

async fn endpoint_down() {
    let place = Place::new();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    place.configure(&format!("http://127.0.0.1:{port}/v1"));
    let mut told = done(place.ard(["run", "--idea", IDEA])).await.exits(2);
    told.err = without_waits(&told.err.replace(&port.to_string(), "PORT"));
    golden("endpoint_down", &place, &told);
}

// ARD-75: nothing is lost to an endpoint that fails in the middle.
#[tokio::test]
async fn a_debate_that_lost_its_endpoint_goes_on_when_it_is_back() {
    let (_, spec) = undisturbed().await;
    let place = Place::new();
    let refusing = FakeServer::playing(vec![Play::json(403, &json!({ "error": { "message": "no" } }))]).await;
    place.configure(&refusing.base_url());
    let told = done(place.ard(["run", "--idea", IDEA])).await.exits(2);
    let debate = Debate::answered().await;
    place.configure(&debate.base_url());
    done(place.shell(&told.command("to continue: "))).await.exits(0);
    assert_eq!(debate.counts(), [1; CALLS]);
    assert_eq!(place.read("spec.md"), spec);
}

// ENG-27
#[tokio::test]
async fn no_key_reaches_a_log_a_checkpoint_or_an_output() {
    const KEY: &str = "sk-this-is-a-secret-key";
    let debate = Debate::answered().await;
    let place = Place::new();
    place.configure(&debate.base_url());
    let config = place.read("config.yaml").replace("}\n", ", api_key_env: MY_KEY }\n");
    place.write("config.yaml", config);
    let mut run = place.ard(["run", "--idea", IDEA, "-vvv", "--json", "--record", "tape"]);
    run.env("MY_KEY", KEY)
        .env("STATEGRAPH_LOG", "trace,async_openai::client=trace,hyper=trace,reqwest::connect=trace");
    let Done { out, err, .. } = done(run).await.exits(0);
    let stored = std::fs::read_dir(place.at("checkpoints/threads")).unwrap();
    let stored: Vec<u8> = stored.flat_map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    let stored = String::from_utf8_lossy(&stored).into_owned();
    assert!(err.contains("model_call"), "the log is on: {err}");
    for text in [out, err, stored, place.read("spec.md"), place.read("tape")] {
        assert!(!text.contains(KEY), "{text}");
    }
}

#[tokio::test]
async fn a_log_filter_that_is_none_is_refused() {
    let place = Place::new();
    let mut run = place.ard(["run", "--idea", IDEA]);
    run.env("STATEGRAPH_LOG", "stategraph=loud");
    golden("bad_log_filter", &place, &done(run).await.exits(2));
}
