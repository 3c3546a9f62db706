//! A scripted debate of three rounds over a model server: each answer follows from what is asked, so that a debate may be killed,
//! resumed and repeated, and every call can be told from the others and counted.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::kit::{Done, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play, RecordedRequest};

/// Text of the drafts of the three rounds.
const PARTS: [&str; 3] = ["FirstPart", "SecondPart", "ThirdPart"];

/// The calls of an undisturbed debate: three drafts, three reviews.
pub(super) const CALLS: usize = 6;

/// A model that the server does not know.
pub(super) const UNKNOWN: &str = "architcet";

/// The answer to a request for one.
pub(super) fn no_such_model() -> Play {
    let error =
        json!({ "message": format!("The model `{UNKNOWN}` does not exist"), "code": "model_not_found" });
    Play::json(404, &json!({ "error": error }))
}

/// The idea of the scripted debates.
pub(super) const IDEA: &str = "A box that counts what is put into it.";

/// A server that plays the debate.
pub(super) struct Debate {
    server: FakeServer,
    asked: watch::Receiver<usize>,
}

impl Debate {
    /// Each call is answered.
    pub(super) async fn answered() -> Self {
        Self::played(|_| None).await
    }

    /// The call with this number is never answered.
    pub(super) async fn silent_at(call: usize) -> Self {
        Self::played(move |asked| (asked == call).then(|| Play::default().silence())).await
    }

    /// Something else happens at the call with this number, as often as it is made.
    pub(super) async fn failing_at(call: usize, play: Play) -> Self {
        Self::played(move |asked| (asked == call).then(|| play.clone())).await
    }

    async fn played(instead: impl Fn(usize) -> Option<Play> + Send + Sync + 'static) -> Self {
        let (told, asked) = watch::channel(0);
        let told = Arc::new(told);
        let server = FakeServer::answering(move |_, request| {
            if request.body["model"] == UNKNOWN {
                return no_such_model();
            }
            let call = call(request);
            told.send_modify(|count| *count += 1);
            instead(call).unwrap_or_else(|| Play::says(&answer(call)))
        })
        .await;
        Self { server, asked }
    }

    /// Returns the URL of the server.
    pub(super) fn base_url(&self) -> String {
        self.server.base_url()
    }

    /// Waits until a call more than `seen` was made.
    pub(super) async fn asked_more_than(&mut self, seen: usize) {
        self.asked.wait_for(|count| *count > seen).await.unwrap();
    }

    /// Returns the number of requests for each call.
    pub(super) fn counts(&self) -> [usize; CALLS] {
        let mut counts = [0; CALLS];
        let asked = self.server.requests();
        let known = asked.iter().filter(|request| request.body["model"] != UNKNOWN);
        known.for_each(|request| counts[call(request)] += 1);
        counts
    }
}

/// Runs an undisturbed debate, and returns its output and its specification.
pub(super) async fn undisturbed() -> (Done, String) {
    let (place, debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let told = done(place.ard(["run", "--idea", IDEA])).await.exits(0);
    assert_eq!(debate.counts(), [1; CALLS]);
    (told, place.read("spec.md"))
}

/// The number of a call: 0 for the first draft, 1 for its review, and so on.
fn call(request: &RecordedRequest) -> usize {
    let said = request.body["messages"].to_string();
    let newest = |within: &str| PARTS.iter().rposition(|part| within.contains(part));
    match request.body["model"].as_str() {
        Some("architect") => 2 * newest(&said).map_or(0, |before| before + 1),
        Some("reviewer") => 2 * newest(&said).expect("a draft is reviewed") + 1,
        other => panic!("no model {other:?}"),
    }
}

fn answer(call: usize) -> String {
    let (round, last) = (call / 2, PARTS.len() - 1);
    let value: Value = if call.is_multiple_of(2) {
        let rationale = if round == 0 { "" } else { "Challenge 1 is addressed by another part." };
        let parts = PARTS[..=round].iter().map(
            |part| json!({ "name": part, "type": "Utility", "purpose": format!("Does what {part} does.") }),
        );
        json!({ "components": parts.collect::<Vec<_>>(), "design_rationale": rationale })
    } else if round == last {
        json!({ "status": "verified", "challenges": [] })
    } else {
        let challenge = json!({ "id": 1, "category": "completeness", "description": "A part is missing." });
        json!({ "status": "needs_revision", "challenges": [challenge] })
    };
    value.to_string()
}
