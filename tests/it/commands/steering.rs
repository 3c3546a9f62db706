//! Steering of a debate: where its results go, what is kept, how it goes on with more rounds, another draft or a limit.

use serde_json::{Value, json};

use super::kit::{Done, IDEA, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

async fn ard(place: &Place, arguments: &[&str]) -> Done {
    done(place.ard(arguments)).await
}

/// A server whose reviewer challenges every draft; each draft differs.
async fn endless() -> FakeServer {
    FakeServer::answering(|number, request| {
        let asked = request.body["messages"].to_string();
        if asked.contains("You are the Reviewer") {
            let challenge = json!({ "id": 1, "category": "completeness", "description": "Who pays?" });
            return Play::says(&json!({ "status": "needs_revision", "challenges": [challenge] }).to_string());
        }
        let answer = json!([{ "challenge": 1, "disposition": "fixed", "text": "Said." }]);
        let answers = if asked.contains("<reviews>") { answer } else { json!([]) };
        let component = json!({ "name": "ListStore", "type": "DataStore", "purpose": format!("Keeps items, draft {number}.") });
        let draft = json!({ "components": [component], "design_rationale": "", "answers": answers });
        Play::says(&draft.to_string())
    })
    .await
}

#[tokio::test]
async fn a_file_that_a_person_wrote_is_kept_as_a_copy() {
    // ARD-60
    let place = Place::new();
    place.write("spec.md", "# Mine\n");
    let told = ard(&place, &["run", "--idea", IDEA]).await.exits(0);
    assert!(
        told.err.contains("spec.md was not written by this program, or was edited; its copy is spec.md.bak"),
        "{}",
        told.err
    );
    assert_eq!(place.read("spec.md.bak"), "# Mine\n");
    // The program's own file is replaced without a word; a second run gives the same bytes.
    let first = place.read("spec.md");
    let told = ard(&place, &["run", "--idea", IDEA]).await.exits(0);
    assert!(!told.err.contains("copy") && place.read("spec.md") == first, "{}", told.err);
    // An edited one is kept again, beside the first copy.
    place.write("spec.md", first.replace("## Overview", "## Summary"));
    ard(&place, &["run", "--idea", IDEA]).await.exits(0);
    assert_eq!(place.read("spec.md.bak"), "# Mine\n");
    assert!(place.read("spec.md.bak.1").contains("## Summary") && place.read("spec.md") == first);
    place.write("spec.md", "# Mine again\n");
    ard(&place, &["run", "--idea", IDEA, "--force"]).await.exits(0);
    assert!(!place.at("spec.md.bak.2").exists() && place.read("spec.md") == first);
}

#[tokio::test]
async fn the_document_goes_to_standard_output_alone() {
    let place = Place::new();
    ard(&place, &["run", "--idea", IDEA]).await.exits(0);
    let written = place.read("spec.md");
    std::fs::remove_file(place.at("spec.md")).unwrap();
    let told = ard(&place, &["run", "--idea", IDEA, "--output", "-"]).await.exits(0);
    assert_eq!(told.out, written);
    assert!(!place.at("spec.md").exists() && !place.at("-").exists());
}

#[tokio::test]
async fn the_idea_comes_from_standard_input() {
    // ARD-28
    let place = Place::new();
    place.write("idea.txt", IDEA);
    let by_file = done(place.shell("ard run --idea-file idea.txt --output -")).await.exits(0);
    let by_pipe = done(place.shell("ard run --idea-file - --output - <idea.txt")).await.exits(0);
    assert_eq!(by_file.out, by_pipe.out);
    let empty = done(place.shell("ard run --idea-file - </dev/null")).await.exits(2);
    assert!(empty.err.contains("the idea is empty"), "{}", empty.err);
}

#[tokio::test]
async fn the_whole_debate_is_written_as_json() {
    let place = Place::new();
    ard(&place, &["run", "--idea", IDEA, "--json-output", "out/debate.json"]).await.exits(0);
    let debate: Value = serde_json::from_str(&place.read("out/debate.json")).unwrap();
    assert_eq!(debate["idea"], IDEA);
    assert_eq!(
        (&debate["status"], &debate["ending"]),
        (&json!("max_iterations_reached"), &json!("not_judged"))
    );
    let components = debate["draft"]["components"].as_array().unwrap();
    assert!(components.iter().all(|it| it["covers"].is_array()) && !components.is_empty(), "{debate}");
    assert_eq!(debate["reviews"].as_array().unwrap().len(), 2);
    place.write("taken", "");
    let told = ard(&place, &["run", "--idea", IDEA, "--json-output", "taken/debate.json"]).await.exits(2);
    assert!(told.err.contains("taken/debate.json"), "{}", told.err);
}

#[tokio::test]
async fn a_resume_without_an_id_continues_the_newest_unfinished_thread() {
    let place = Place::new();
    let told = ard(&place, &["resume"]).await.exits(2);
    assert!(told.err.contains("is unfinished") && told.err.contains("hint:"), "{}", told.err);
    let stopped = ard(&place, &["run", "--idea", IDEA, "--step-limit", "1"]).await;
    ard(&place, &["run", "--idea", "A tin that counts what is put into it."]).await.exits(0);
    let told = ard(&place, &["resume"]).await.exits(0);
    assert!(
        told.err.contains(&format!("the newest unfinished thread is {} (ard)", stopped.thread())),
        "{}",
        told.err
    );
    assert!(place.read("spec.md").contains("Members add items"));
}

#[tokio::test]
async fn a_debate_at_its_limit_goes_on_with_more_rounds() {
    let (place, server) = (Place::new(), endless().await);
    place.configure(&server.base_url());
    let ended = ard(&place, &["run", "--idea", IDEA, "--max-iterations", "1"]).await.exits(1);
    let thread = ended.thread();
    assert!(place.read("spec.md").contains("ending: limit") && place.read("spec.md").contains("rounds: 2"));
    let told = ard(&place, &["resume", &thread, "--max-iterations", "1"]).await.exits(2);
    assert!(told.err.contains("the debate has ended after 1 of 1 revisions"), "{}", told.err);
    assert!(told.err.contains("--max-iterations 4"), "{}", told.err);
    ard(&place, &["resume", &thread, "--max-iterations", "3"]).await.exits(1);
    let spec = place.read("spec.md");
    assert!(spec.contains("rounds: 4"), "{spec}");
    assert!(spec.contains("1. **completeness**: Who pays?\n   - *Answer:* Said."), "nothing is lost: {spec}");
}

#[tokio::test]
async fn a_draft_of_the_user_is_reviewed_next() {
    let (place, server) = (Place::new(), endless().await);
    place.configure(&server.base_url());
    let thread = ard(&place, &["run", "--idea", IDEA, "--max-iterations", "0"]).await.exits(1).thread();
    let draft = |name: &str| json!({ "components": [{ "name": name, "type": "database", "purpose": "Keeps lists of families." }], "design_rationale": "" });
    place.write("draft.json", draft("FamilyLists").to_string());
    ard(&place, &["resume", &thread, "--draft", "draft.json"]).await.exits(1);
    let spec = place.read("spec.md");
    assert!(
        spec.contains("| **FamilyLists** | Keeps lists of families. |") && spec.contains("rounds: 2"),
        "{spec}"
    );
    let mut unknown = draft("FamilyLists");
    unknown["colour"] = "red".into();
    unknown["components"][0]["kind"] = 1.into();
    for (text, parts) in [
        (unknown.to_string(), vec!["draft.json is no draft", "'colour'", "/components/0", "'kind'"]),
        (draft("family lists").to_string(), vec!["is not PascalCase"]),
        ("{\"components\": [".to_owned(), vec!["EOF while parsing"]),
        (String::new(), vec!["EOF while parsing"]),
    ] {
        place.write("draft.json", text);
        let told = ard(&place, &["resume", &thread, "--draft", "draft.json"]).await.exits(2);
        for part in parts {
            assert!(told.err.contains(part), "{part} is not in {}", told.err);
        }
    }
    let told = ard(&place, &["resume", &thread, "--draft", "missing.json"]).await.exits(2);
    assert!(told.err.contains("cannot read the draft missing.json"), "{}", told.err);
}

#[tokio::test]
async fn a_limit_of_tokens_stops_a_debate_that_a_higher_one_continues() {
    let (place, server) = (Place::new(), endless().await);
    place.configure(&server.base_url());
    let told =
        ard(&place, &["run", "--idea", IDEA, "--max-iterations", "1", "--max-tokens", "1"]).await.exits(2);
    assert!(told.err.contains("the limit is 1 tokens (--max-tokens)"), "{}", told.err);
    assert!(told.err.contains("resume with a higher --max-tokens"), "{}", told.err);
    assert_eq!(server.requests().len(), 1, "the first request is always made");
    let command = told.command("to continue: ");
    assert!(command.contains("--max-tokens 1"), "{command}");
    ard(&place, &["resume", &told.thread(), "--max-tokens", "1000000"]).await.exits(1);
    assert_eq!(server.requests().len(), 4, "no answer is paid twice");
    let told = ard(&place, &["run", "--idea", IDEA, "--max-cost", "1"]).await.exits(2);
    assert!(told.err.contains("the prices of local/architect are not known"), "{}", told.err);
    assert_eq!(server.requests().len(), 4, "nothing is asked without a limit that holds");
    for wrong in ["much", "0", "-1", "inf"] {
        let told = ard(&place, &["run", "--idea", IDEA, &format!("--max-cost={wrong}")]).await.exits(2);
        assert!(told.err.contains("takes an amount of US dollars above 0"), "{}", told.err);
    }
}

#[tokio::test]
async fn a_limit_of_money_stops_a_debate_at_its_cost_and_not_before() {
    let (place, server) = (Place::new(), endless().await);
    let prices = ", prices: { \"*\": { input: 1000000, output: 0 } }";
    place.configure_with(&server.base_url(), prices);
    // An answer costs some dollars: the second request is made, a later one is not.
    let told = ard(&place, &["run", "--idea", IDEA, "--max-cost", "15"]).await.exits(2);
    assert!(told.err.contains("the limit is $15 (--max-cost)"), "{}", told.err);
    let asked = server.requests().len();
    assert!(asked >= 2, "the reviewer is asked although it has cost nothing yet: {asked}");
    ard(&place, &["resume", &told.thread(), "--max-cost", "1000"]).await.exits(1);
    // Rules cost nothing.
    let free = ard(
        &place,
        &[
            "run",
            "--idea",
            IDEA,
            "--max-cost",
            "1",
            "--architect-model",
            "offline",
            "--reviewer-model",
            "offline",
        ],
    );
    free.await.exits(0);
}

#[tokio::test]
async fn options_and_settings_that_cannot_both_hold_are_refused() {
    let place = Place::new();
    let told =
        ard(&place, &["run", "--idea", IDEA, "--output", "a.md", "--json-output", "a.md"]).await.exits(2);
    assert!(told.err.contains("name the same file") && told.err.contains("hint: "), "{}", told.err);
    place.write("config.yml", "architect_model: offline\n");
    let told = ard(&place, &["run", "--idea", IDEA]).await.exits(2);
    assert!(
        told.err.contains("config.yml is not read") && told.err.contains("--config config.yml"),
        "{}",
        told.err
    );
    let settings =
        "architect_model: offline\nreviewer_model: offline\noutput_path: spec.md\nmax_iterations: 1\n";
    place.write("config.yaml", format!("{settings}minimum_rounds: 5\n"));
    let told = ard(&place, &["run", "--idea", IDEA]).await.exits(2);
    assert!(told.err.contains("`minimum_rounds` is 5, but `max_iterations` 1 allows 2"), "{}", told.err);
    place.write("config.yaml", format!("{settings}history_tokens: {{ mistyped: 60 }}\n"));
    let told = ard(&place, &["run", "--idea", IDEA]).await.exits(0);
    assert!(told.err.contains("`history_tokens` has a limit for mistyped"), "{}", told.err);
    let told = ard(&place, &["run", "--idea", IDEA, "--architect-model", "offline/foo"]).await.exits(2);
    assert!(
        told.err.contains("write `offline` alone") && told.err.contains("`--architect-model`: "),
        "{}",
        told.err
    );
    let told = ard(&place, &["run", "--idea", IDEA, "--architect-model", "/"]).await.exits(2);
    assert!(told.err.contains("neither a provider"), "{}", told.err);
}

#[tokio::test]
async fn a_verified_debate_whose_user_corrects_a_sentence_is_judged_again() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ideas/debates/allotment-plots.json");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let answers =
        [written["answers"].as_array().unwrap().as_slice(), written["later"].as_array().unwrap()].concat();
    let (count, mut draft) = (answers.len(), written["answers"][6].clone());
    let server = FakeServer::answering(move |number, _| Play::says(&answers[number].to_string())).await;
    let place = Place::new();
    place.configure(&server.base_url());
    place.write("idea.md", written["idea"].as_str().unwrap());
    let thread =
        ard(&place, &["run", "--idea-file", "idea.md", "--max-iterations", "4"]).await.exits(0).thread();
    assert!(place.read("spec.md").contains("rounds: 4"));
    draft["decisions"][0]["reason"] = written["edited"].clone();
    place.write("draft.json", draft.to_string());
    ard(&place, &["resume", &thread, "--draft", "draft.json", "--max-iterations", "6"]).await.exits(0);
    let spec = place.read("spec.md");
    assert!(spec.contains("ending: verified") && spec.contains("rounds: 7"), "{spec}");
    assert!(spec.contains(written["edited"].as_str().unwrap()), "{spec}");
    assert_eq!(server.requests().len(), count);
}
