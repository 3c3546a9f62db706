//! `ard review`: the rules, a model, the idea, wrong files.

use serde_json::json;
use stategraph_testing::fake_server::{FakeServer, Play};

use super::kit::{Place, done};

const SPECIFICATION: &str = "# Bike café\n\n\
    - **FR-1:** Visitors book a slot of 45 minutes.\n\
    - **FR-2:** A volunteer sees the bookings of the day, as FR-7 says.\n\
    - **FR-2:** Parts are counted. TBD: what happens below 5.\n\
    - **FR-3:** The page loads quickly. [See there](javascript:x) <b>\n\n\
    ```\nTODO in code\n```\n";

#[tokio::test]
async fn rules_find_what_is_exact_and_ask_the_rest() {
    let place = Place::new();
    place.write("mine.md", SPECIFICATION);
    let idea = "Visitors book a slot of 45 minutes, at most 3 bikes at a time. The website offers repairs of brakes, gears, wheels or lights.";
    let judged = done(place.ard(["review", "mine.md", "--idea", idea])).await.exits(1);
    let document = judged.out;
    for part in [
        "# Review of mine.md\n\n**Needs revision: 4 challenges.** Checked by rules alone",
        "Held against the idea.",
        "1. **completeness**: Line 5 is not written yet (“TBD”): FR-2: Parts are counted.",
        "2. **consistency**: FR-2 is defined more than once: lines 4, 5.",
        "3. **consistency**: Line 4 names FR-7, which is defined nowhere.",
        "the specification does not have “3 bikes”",
        "What does “quickly” mean in “FR-3: The page loads quickly.",
    ] {
        assert!(document.contains(part), "{part}: {document}");
    }
    assert!(!document.contains("TODO"), "{document}");
    // The same file gives the same bytes, and nothing else is written.
    assert_eq!(done(place.ard(["review", "mine.md", "--idea", idea])).await.exits(1).out, document);
    assert!(!place.path().join("spec.md").exists());
}

#[tokio::test]
async fn what_the_rules_do_not_object_to_is_not_judged() {
    let place = Place::new();
    place.write("mine.md", "# Notes\n\nUsers upload photos. The site shows them by date.\n");
    let judged = done(place.ard(["review", "mine.md"])).await.exits(0);
    assert!(
        judged.out.contains("**Not judged: the rules found nothing wrong, and rules cannot verify.**"),
        "{}",
        judged.out
    );
}

#[tokio::test]
async fn a_model_reads_the_specification_and_a_later_resume_asks_it_again_for_nothing() {
    let place = Place::new();
    place.write("mine.md", SPECIFICATION);
    let server = FakeServer::answering(|_, request| {
        let asked = request.body["messages"].to_string();
        assert!(asked.contains("FR-2 is defined more than once") && asked.contains("slot of 45 minutes"), "{asked}");
        let challenge = json!({ "id": 1, "category": "completeness", "severity": "critical", "aspect": "failure",
            "description": "FR-1 does not say what happens *if two* visitors take the last slot." });
        Play::says(&json!({ "status": "needs_revision", "challenges": [challenge], "notes": ["Who pays?"] }).to_string())
    })
    .await;
    place.configure(&server.base_url());
    let judged = done(place.ard(["review", "mine.md", "--thread", "mine"])).await.exits(1);
    for part in [
        "**Needs revision: 4 challenges.** Read by local/reviewer and checked by rules.",
        "4. **completeness** (critical, failure): FR-1 does not say what happens \\*if two\\* visitors",
        "## Notes\n\n- Who pays?",
    ] {
        assert!(judged.out.contains(part), "{part}: {}", judged.out);
    }
    let again = done(place.ard(["resume", "mine"])).await.exits(1);
    assert_eq!(again.out, judged.out);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_file_that_cannot_be_judged_is_named_with_the_next_step() {
    let place = Place::new();
    place.write("empty.md", " \n");
    std::fs::write(place.path().join("binary.md"), [0xff, 0xfe, 0]).unwrap();
    std::fs::write(place.path().join("huge.md"), "x".repeat(1 << 21)).unwrap();
    for (arguments, expected) in [
        (&["review"][..], "no specification was named"),
        (&["review", "nowhere.md"], "cannot read the specification nowhere.md"),
        (&["review", "empty.md"], "the specification empty.md is empty"),
        (&["review", "binary.md"], "cannot read the specification binary.md"),
        (&["review", "huge.md"], "cannot read the specification huge.md"),
        (&["review", "."], "cannot read the specification ."),
        (&["review", "empty.md", "--idea-file", "nowhere"], "empty"),
    ] {
        let refused = done(place.ard(arguments.iter().copied())).await.exits(2);
        assert!(
            refused.err.contains(expected) && refused.err.contains("hint: "),
            "{expected}: {}",
            refused.err
        );
    }
}
