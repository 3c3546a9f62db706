//! The gates: what each refuses, and how a debate with it ends.

use serde_json::{Value, json};
use stategraph::workflows::ard::analysis::IdeaAnalysis;
use stategraph::workflows::ard::exchange::{Component, ComponentKind, DesignDraft};
use stategraph::workflows::ard::gates::{GateFinding, check};
use stategraph::workflows::ard::services::PROMPTS;
use stategraph::workflows::ard::state::{DebateStatus, Ending};

use super::kit::{Kit, challenged, draft, script, verified};

const IDEA: &str = "Users upload photos. No billing. The system sends a weekly report by email.";

fn component(name: &str, purpose: &str) -> Component {
    Component {
        name: name.to_owned(),
        kind: ComponentKind::Subsystem,
        purpose: purpose.to_owned(),
        covers: Vec::new(),
    }
}

fn of(components: &[(&str, &str)]) -> DesignDraft {
    let components = components.iter().map(|(name, purpose)| component(name, purpose)).collect();
    DesignDraft { components, design_rationale: String::new() }
}

fn found(draft: &DesignDraft, earlier: &[DesignDraft]) -> Vec<GateFinding> {
    let prompts: String = PROMPTS.iter().map(|(_, text)| *text).collect();
    check(draft, earlier, &IdeaAnalysis::of(IDEA), &prompts)
}

fn good() -> DesignDraft {
    of(&[
        ("PhotoLibrary", "Takes uploads of photos and keeps them in PhotoStore."),
        ("PhotoStore", "Keeps photos with their owner and date."),
        ("ReportMailer", "Sends a weekly report by email."),
        ("UI", "Shows photos and a form to upload them."),
    ])
}

#[test]
fn a_good_draft_passes_all_gates() {
    assert_eq!(found(&good(), &[]), []);
    assert_eq!(found(&good(), &[of(&[("PhotoLibrary", "Takes photos.")])]), []);
    // The author's own words, and words that an exclusion only touches, are no fault.
    let near = of(&[
        ("WeeklyReport", "The system sends a weekly report by email."),
        ("UploadForm", "Takes photos; shows no prices, because billing is out of scope."),
    ]);
    assert_eq!(found(&near, &[]), []);
}

#[test]
fn a_revision_that_repeats_a_draft_is_found() {
    let other = of(&[("PhotoLibrary", "Takes photos and resizes them.")]);
    // The rationale, case and white space make no difference.
    let mut again = good();
    again.design_rationale = "Challenge 1: done.".to_owned();
    again.components[0].purpose = again.components[0].purpose.to_uppercase().replace(' ', "  ");
    assert_eq!(found(&again, &[good()]), [GateFinding::Unchanged]);
    assert_eq!(found(&again, &[good(), other.clone()]), [GateFinding::Circle { round: 1 }]);
    assert_eq!(found(&again, &[other, good(), good()]), [GateFinding::Circle { round: 2 }]);
}

#[test]
fn placeholders_copies_and_excluded_things_are_found() {
    let name = |name: &str| name.to_owned();
    for bad in [
        ("A", "Does the work of photos."),
        ("Foo", "Takes photos."),
        ("PhotoStore", "TBD"),
        ("PhotoStore", "PhotoStore"),
        ("Photos", "photos photos photos"),
    ] {
        assert_eq!(found(&of(&[bad]), &[]), [GateFinding::Placeholder { name: name(bad.0) }], "{bad:?}");
    }
    let copied = found(&of(&[("PhotoStore", "what it does, in one or two sentences")]), &[]);
    assert!(
        matches!(copied.as_slice(), [GateFinding::CopiedPrompt { words, .. }] if words == "what it does in one or"),
        "{copied:?}"
    );
    let built = found(&of(&[("BillingService", "Charges users each month.")]), &[]);
    let finding = GateFinding::BuiltExclusion {
        name: name("BillingService"),
        exclusion: name("billing"),
        statement: 2,
    };
    assert_eq!(built, [finding]);
}

fn named(purpose: &str) -> Value {
    json!({ "components": [{ "name": "Shop", "type": "Subsystem", "purpose": purpose }], "design_rationale": "" })
}

#[tokio::test]
async fn a_model_that_calls_a_placeholder_verified_is_overruled() {
    let model = script([named("TBD"), verified(), draft(&["Shop"], 1), verified()]);
    let debate = Kit::new(5).done(&model).await;
    assert_eq!((debate.ending(), debate.challenge_history.len()), (Ending::Verified, 2));
    let first = &debate.challenge_history[0].challenges[0];
    assert_eq!(
        first.description,
        "Shop is a placeholder: give it a name and a purpose that say what it does."
    );
}

#[tokio::test]
async fn a_draft_that_comes_back_ends_the_debate_as_a_circle() {
    let answered = |purpose: &str| {
        let mut draft = named(purpose);
        draft["design_rationale"] = "Challenge 1: done. Challenge 2: done.".into();
        draft
    };
    let doubt = || challenged(&[("completeness", "Who bakes?")]);
    // Unchanged once is a challenge, unchanged twice a circle; the reviewer's verdict does not save it.
    let answers = [
        named("Sells bread."),
        doubt(),
        answered("Sells bread."),
        verified(),
        answered("Sells bread."),
        verified(),
    ];
    let answers = answers.into_iter().map(|answer| answer.to_string());
    let model = answers.fold(stategraph::llm::Scripted::new("test/model"), stategraph::llm::Scripted::answer);
    let kit = Kit::new(9);
    let debate = kit.done(&std::sync::Arc::new(model)).await;
    assert_eq!((debate.ending(), debate.status), (Ending::Circle, DebateStatus::MaxIterationsReached));
    let spec = kit.spec();
    assert!(
        spec.contains("ending: circle")
            && spec.contains("> **Not verified:** the architect repeated an earlier draft"),
        "{spec}"
    );
}

#[tokio::test]
async fn an_idea_that_contradicts_itself_is_never_verified() {
    let mut kit = Kit::new(5);
    kit.idea =
        "Uploads are limited to 10 MB. Users upload videos. An upload may have up to 50 MB.".to_owned();
    let debate = kit.done(&script([draft(&["Shop"], 0), verified()])).await;
    assert_eq!((debate.ending(), debate.status), (Ending::NotJudged, DebateStatus::MaxIterationsReached));
    let spec = kit.spec();
    assert!(spec.contains("> **Not judged:** the idea contradicts itself"), "{spec}");
    assert!(
        spec.contains("- **Q1.** **Contradiction.** S1 says “10 MB”, S3 says “50 MB” of the same thing."),
        "{spec}"
    );
}
