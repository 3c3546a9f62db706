//! Endpoints that fail: what the user reads, and that the debate can be resumed once they work.

use serde_json::{Value, json};

use super::bad_input::golden;
use super::debate::{CALLS, Debate, IDEA, undisturbed};
use super::kit::{Done, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

/// Which call of the debate fails: the second review, so that three answers are there to be lost.
const FAILING: usize = 3;

/// Two requests at once and little patience, so that no test waits.
const HASTY: &str =
    ", retry: { attempts: 2, base_s: 0.01, max_wait_s: 0.02 }, first_token_timeout_s: 1, idle_timeout_s: 1";

/// A debate over a server that does this at one call: what the user reads is golden, the debate is kept as far as it came
/// (ARD-75), and the printed command goes on with it over a server that works.
async fn against(name: &str, arguments: &[&str], play: Play) {
    let server = Debate::failing_at(FAILING, play).await;
    let told = failed(name, arguments, &server.base_url()).await;
    let asked = server.counts();
    assert_eq!(asked[..FAILING], [1; FAILING], "{name}");
    goes_on(name, &told).await;
}

/// Runs into the failure.
async fn failed(name: &str, arguments: &[&str], base_url: &str) -> (Place, Done) {
    let place = Place::new();
    place.configure_with(base_url, HASTY);
    let told = done(place.ard(["run", "--idea", IDEA].iter().chain(arguments))).await.exits(2);
    let shown = Done {
        code: told.code,
        out: String::new(),
        err: without_waits(&told.err.replace(base_url, "http://SERVER/v1")),
    };
    golden(name, &place, &shown);
    assert!(shown.err.contains("\nhint: ") && shown.err.contains("\nto continue: "), "{name}: {}", shown.err);
    (place, told)
}

/// Checks that the answers so far are in the checkpoint, and that the run completes with a working server.
async fn goes_on(name: &str, (place, told): &(Place, Done)) {
    let state = done(place.graph(["state", &told.thread(), "--json"])).await.exits(0).out;
    let state: Value = serde_json::from_str(&state).unwrap();
    let state = &state["state"];
    assert_eq!((&state["status"], &state["iteration"]), (&json!("in_progress"), &json!(1)), "{name}");
    assert_eq!(state["challenge_history"].as_array().map(Vec::len), Some(1), "{name}");
    let healthy = Debate::answered().await;
    place.configure(&healthy.base_url());
    done(place.shell(&told.command("to continue: "))).await.exits(0);
    let mut rest = [0; CALLS];
    rest[FAILING..].fill(1);
    assert_eq!(healthy.counts(), rest, "{name}: what was answered is not asked again");
    assert!(place.read("spec.md").contains("status: verified"), "{name}");
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

fn error(message: &str) -> Value {
    json!({ "error": { "message": message } })
}

// ENG-15, ENG-29; issue 2, "Bad input": each names the node and the step, says what came, and how to go on.
#[tokio::test]
async fn an_endpoint_that_answers_wrongly_is_told_with_what_it_said() {
    let unauthorised =
        json!({ "error": { "message": "Incorrect API key provided", "code": "invalid_api_key" } });
    against("endpoint_401", &[], Play::json(401, &unauthorised)).await;
    against("endpoint_400", &[], Play::json(400, &error("the context is too long"))).await;
    against("endpoint_html", &[], Play::body(200, "text/html", "<html><body>Sign in</body></html>")).await;
    against("endpoint_no_choices", &[], Play::json(200, &json!({ "choices": [] }))).await;
    against("endpoint_error_in_200", &[], Play::json(200, &error("no such model is loaded"))).await;
    let truncated = Play::body(200, "application/json", "{\"choices\": [{\"index\": 0, \"mess");
    against("endpoint_truncated", &[], truncated).await;
}

// ENG-14, ARD-49: asked once more, then told with the raw text.
#[tokio::test]
async fn an_answer_of_the_wrong_schema_twice_is_told_with_its_raw_text() {
    against("endpoint_not_json", &[], Play::says("I would rather talk about the weather.")).await;
    let wrong = json!({ "status": "fine", "challenges": 7 }).to_string();
    against("endpoint_wrong_schema", &[], Play::says(&wrong)).await;
}

// ENG-15: what may pass is asked again first.
#[tokio::test]
async fn an_endpoint_in_trouble_is_asked_again_before_it_is_told() {
    let busy = Play::with_headers(429, &[("retry-after", "0")], &error("Rate limit reached").to_string());
    against("endpoint_429", &[], busy).await;
    against("endpoint_500", &[], Play::json(500, &error("out of memory"))).await;
    against("endpoint_503_html", &[], Play::body(503, "text/html", "<h1>Service Unavailable</h1>")).await;
    against("endpoint_reset", &[], Play::default().reset()).await;
    against("endpoint_slow", &[], Play::default().silence()).await;
}

// ENG-12, ENG-15: with `--json` answers are streamed.
#[tokio::test]
async fn a_stream_that_breaks_off_is_asked_again_before_it_is_told() {
    let begun = || Play::stream().piece("{\"status\": ");
    against("endpoint_stream_reset", &["--json"], begun().reset()).await;
    against("endpoint_stream_silent", &["--json"], begun().silence()).await;
    against("endpoint_stream_ended", &["--json"], begun()).await;
}

#[tokio::test]
async fn an_endpoint_that_is_down_is_told_with_its_address() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (place, told) = failed("endpoint_down", &[], &format!("http://127.0.0.1:{port}/v1")).await;
    let healthy = Debate::answered().await;
    place.configure(&healthy.base_url());
    done(place.shell(&told.command("to continue: "))).await.exits(0);
    assert_eq!(healthy.counts(), [1; CALLS]);
}

// ARD-75: nothing is lost to an endpoint that fails in the middle.
#[tokio::test]
async fn a_debate_that_lost_its_endpoint_ends_as_if_nothing_had_been() {
    let (_, spec) = undisturbed().await;
    let place = Place::new();
    let refusing = FakeServer::playing(vec![Play::json(403, &error("no"))]).await;
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
    let mut run = place.ard(["run", "--idea", IDEA, "-vvv", "--json", "--record", "tape", "--trust"]);
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
