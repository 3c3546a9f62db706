//! Secrets of graph files as whole commands: allowed, read, sent, and seen nowhere else; with a server that echoes all that it is sent.

use std::path::Path;

use serde_json::{Value, json};

use super::kit::{Done, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play, completion};

const TOKEN: &str = "tok/en+0123456789=x";

async fn graph(place: &Place, arguments: &[&str]) -> Done {
    with_token(place, arguments, TOKEN).await
}

async fn with_token(place: &Place, arguments: &[&str], token: &str) -> Done {
    let mut command = place.graph(arguments);
    command.env("SERVICE_TOKEN", token);
    done(command).await
}

/// A server that says again what it was sent, in every form.
async fn echo() -> FakeServer {
    FakeServer::answering(|_, asked| {
        let header = asked.headers.get("authorization").cloned().unwrap_or_default();
        let percent = header.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
        Play::json(
            200,
            &json!({ "header": header, "line": asked.line, "sent": asked.body, "percent": percent }),
        )
    })
    .await
}

/// Sends the token in its address, a header and its body, then waits, then sends it again.
fn sending(server: &FakeServer) -> String {
    let url = server.base_url();
    format!(
        "name: sending\nsecrets:\n  token: {{ env: SERVICE_TOKEN, about: of the service }}\n\
         state: {{ first: any, second: any, yes: boolean, n: {{ type: integer, default: 1 }} }}\nnodes:\n  \
         one:\n    http:\n      method: POST\n      url: \"{url}/a?key={{{{ secrets.token | urlencode }}}}\"\n      \
         headers: {{ authorization: \"Bearer {{{{ secrets.token }}}}\" }}\n      json: {{ key: secrets.token, n: state.n }}\n    \
         to: {{ first: result.body }}\n  \
         ask: {{ interrupt: {{ question: Retryability?, answer: {{ type: boolean }} }}, to: yes }}\n  \
         two:\n    http: {{ url: \"{url}/b\", headers: {{ authorization: \"{{{{ 'Basic ' ~ secrets.token }}}}\" }} }}\n    \
         to: {{ second: result.body }}\n\
         edges:\n  - {{ from: START, to: one }}\n  - {{ from: one, to: ask }}\n  - {{ from: ask, to: two }}\n  - {{ from: two, to: END }}\n"
    )
}

/// All bytes of all files below a folder, but the graph file itself.
fn bytes_below(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.path() {
            path if path.is_dir() => all.extend(bytes_below(&path)),
            path => all.extend(std::fs::read(path).unwrap()),
        }
    }
    all
}

/// The token is nowhere: not in what was printed, not on the disk.
fn unseen(place: &Place, runs: &[&Done]) {
    let encoded = "tok%2Fen%2B0123456789%3Dx";
    let stored = String::from_utf8_lossy(&bytes_below(place.path())).into_owned();
    let said: String = runs.iter().flat_map(|run| [run.out.as_str(), run.err.as_str()]).collect();
    for form in [TOKEN, encoded, &encoded.to_lowercase(), "0123456789"] {
        assert!(!said.contains(form), "{form} was printed: {said}");
        assert!(!stored.contains(form), "{form} is on the disk");
    }
}

#[tokio::test]
async fn a_secret_is_sent_and_seen_nowhere_else() {
    let server = echo().await;
    let place = Place::new();
    place.write("sending.yaml", sending(&server));
    let first = graph(&place, &["run", "sending.yaml", "--allow-http", "127.0.0.1", "--trust", "--json"])
        .await
        .exits(3);
    let asked = &server.requests()[0];
    assert!(asked.line.starts_with("POST /v1/a?key=tok%2Fen%2B0123456789%3Dx"), "{asked:?}");
    assert_eq!(
        (asked.headers["authorization"].as_str(), &asked.body["key"]),
        (&*format!("Bearer {TOKEN}"), &json!(TOKEN))
    );
    let thread = first.thread();
    let state: Value = serde_json::from_str(&graph(&place, &["state", &thread]).await.exits(0).out).unwrap();
    assert_eq!(state["first"]["header"], "Bearer [secret: token]");
    assert_eq!(state["first"]["sent"], json!({ "key": "[secret: token]", "n": 1 }));
    assert!(state["first"]["line"].as_str().unwrap().contains("key=[secret: token]"), "{state}");
    // It is asked for again on resume: another value is sent.
    let resume = ["resume", &thread, "--answer", "true", "--allow-http", "127.0.0.1", "--trust"];
    let mut absent = place.graph(resume);
    absent.env_remove("SERVICE_TOKEN");
    let absent = done(absent).await.exits(2);
    assert!(absent.err.contains("the environment variable SERVICE_TOKEN is not set"), "{}", absent.err);
    let other = with_token(&place, &resume, "another-0123456789").await.exits(0);
    assert_eq!(server.requests()[1].headers["authorization"], "Basic another-0123456789");
    let history = graph(&place, &["history", &thread, "--json"]).await.exits(0);
    let drawn = graph(&place, &["draw", "--thread", &thread, "--format", "json"]).await.exits(0);
    unseen(&place, &[&first, &absent, &other, &history, &drawn]);
}

#[tokio::test]
async fn a_secret_of_a_file_that_the_user_has_not_allowed_is_not_read() {
    let server = echo().await;
    let place = Place::new();
    place.write("sending.yaml", sending(&server));
    let run = ["run", "sending.yaml", "--allow-http", "127.0.0.1"];
    let refused = graph(&place, &run).await.exits(2);
    for part in [
        "sending.yaml:3:",
        "SERVICE_TOKEN",
        "the secret `token`, sent to",
        "/v1/a?key=",
        "graph trust sending.yaml",
    ] {
        assert!(refused.err.contains(part), "{part}: {}", refused.err);
    }
    assert!(server.requests().is_empty());
    // Once allowed, it runs; and the approval is of this address.
    let home = tempfile::tempdir().unwrap();
    let at_home = async |arguments: &[&str]| {
        let mut command = place.graph(arguments);
        command.env("SERVICE_TOKEN", TOKEN).env("HOME", home.path());
        done(command).await
    };
    let allowed = at_home(&["trust", "sending.yaml"]).await.exits(0);
    assert!(allowed.out.contains("SERVICE_TOKEN") && allowed.out.contains("/v1/a?key="), "{}", allowed.out);
    at_home(&run).await.exits(3);
    assert_eq!(server.requests().len(), 1);
    place.write("sending.yaml", sending(&server).replace("/v1/a?", "/v1/c?"));
    at_home(&run).await.exits(2);
    assert_eq!(server.requests().len(), 1);
    // Looking at a file reads nothing.
    graph(&place, &["check", "sending.yaml"]).await.exits(0);
    graph(&place, &["draw", "sending.yaml"]).await.exits(0);
    unseen(&place, &[&refused]);
}

#[tokio::test]
async fn a_variable_that_cannot_be_a_secret_is_named_before_the_run_begins() {
    let server = echo().await;
    let place = Place::new();
    place.write("sending.yaml", sending(&server));
    let run = ["run", "sending.yaml", "--allow-http", "127.0.0.1", "--trust"];
    let absent = done(place.graph(run)).await.exits(2);
    let expected = "error: the secret `token`: the environment variable SERVICE_TOKEN is not set\n  at sending.yaml:3:17\n";
    assert!(absent.err.starts_with(expected), "{}", absent.err);
    assert!(absent.err.contains("hint: export SERVICE_TOKEN=… (of the service)"), "{}", absent.err);
    let short = with_token(&place, &run, "short").await.exits(2);
    assert!(short.err.contains("holds 5 bytes, and a secret has 8 or more"), "{}", short.err);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn errors_of_requests_show_no_secret() {
    let server =
        FakeServer::answering(|_, asked| Play::body(403, "text/plain", &format!("bad: {:?}", asked.headers)))
            .await;
    let place = Place::new();
    let allowed = ["run", "sending.yaml", "--trust", "--json", "--allow-http", "127.0.0.1"];
    place.write("sending.yaml", sending(&server));
    let echoed = graph(&place, &allowed).await.exits(2);
    assert!(echoed.err.contains("[secret: token]"), "{}", echoed.err);
    // As an address, as a host.
    place.write(
        "sending.yaml",
        sending(&server).replace(&format!("{}/a", server.base_url()), "{{ secrets.token }}"),
    );
    let address = graph(&place, &allowed).await.exits(2);
    assert!(
        address.err.contains("[secret: token]") && address.err.contains("is no address"),
        "{}",
        address.err
    );
    // In part, or changed: then it could not be recognised any more.
    for change in ["[:5]", " | upper", " | reverse"] {
        place.write(
            "sending.yaml",
            sending(&server)
                .replace("Bearer {{ secrets.token }}", &format!("{{{{ secrets.token{change} }}}}")),
        );
        let changed = graph(&place, &allowed).await.exits(2);
        unseen(&place, &[&changed]);
    }
    unseen(&place, &[&echoed, &address]);
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|asked| asked.headers.values().any(|value| value.contains("0123")))
            .count(),
        1
    );
}

#[tokio::test]
async fn the_secret_of_a_model_is_its_key_and_its_answers_do_not_show_it() {
    let server = FakeServer::answering(|_, asked| {
        let key = asked.headers.get("authorization").cloned().unwrap_or_default();
        Play::json(200, &completion(&format!("You sent {key}.")))
    })
    .await;
    let place = Place::new();
    place.write("config.yaml", format!("providers:\n  local: {{ base_url: \"{}\" }}\n", server.base_url()));
    place.write(
        "m.yaml",
        "name: m\nsecrets: { token: SERVICE_TOKEN }\nstate: { out: string }\nnodes:\n  \
         ask: { model: { name: local/m, api_key: \"{{ secrets.token }}\", prompt: p }, to: out }\n\
         edges:\n  - { from: START, to: ask }\n  - { from: ask, to: END }\n",
    );
    let run = ["run", "m.yaml", "--trust", "--json", "--record", "tape.jsonl"];
    let run = graph(&place, &run).await.exits(0);
    assert_eq!(server.requests()[0].headers["authorization"], format!("Bearer {TOKEN}"));
    assert!(run.out.contains("You sent Bearer [secret: "), "{}", run.out);
    unseen(&place, &[&run]);
    assert!(place.read("tape.jsonl").contains("[secret: "));
}
