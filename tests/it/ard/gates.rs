//! The gates: what each refuses, and how a debate with it ends.

use serde_json::{Value, json};
use stategraph::engine::Status;
use stategraph::workflows::ard::analysis::{IdeaAnalysis, propose};
use stategraph::workflows::ard::exchange::{
    Category, ChallengeAnswer, Component, ComponentKind, DesignDraft, Disposition, Review,
};
use stategraph::workflows::ard::gates::{GateFinding, GateInput, check};
use stategraph::workflows::ard::input::settings::{Drafting, OnAmbiguity, OnBadDraft};
use stategraph::workflows::ard::services::PROMPTS;
use stategraph::workflows::ard::state::{DebateStatus, Ending};

use super::kit::{Kit, challenged, draft, script, thread, verified};

const IDEA: &str = "Users upload photos. No billing. The system sends a weekly report by email.";

fn component(name: &str, purpose: &str) -> Component {
    Component::new(name.to_owned(), ComponentKind::Subsystem, purpose.to_owned())
}

fn of(components: &[(&str, &str)]) -> DesignDraft {
    let components = components.iter().map(|(name, purpose)| component(name, purpose)).collect();
    DesignDraft::new(components, "")
}

fn found(draft: &DesignDraft, earlier: &[DesignDraft]) -> Vec<GateFinding> {
    let prompts: String = PROMPTS.iter().map(|(_, text)| *text).collect();
    let analysis = IdeaAnalysis::of(IDEA);
    let (latest, clarifications) = (None, [].as_slice());
    check(&GateInput { draft, earlier, latest, clarifications, analysis: &analysis, prompts: &prompts })
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
        ("PhotoStore", "DataStore"),
        ("PhotoStore", "{{ purpose }} of photos"),
        ("PhotoStore", "Keeps photos MlacrEwOcSzBjIeYGZkFgLJNfUdKRDaComWadfBzTj8S9YxM."),
    ] {
        assert_eq!(found(&of(&[bad]), &[]), [GateFinding::Placeholder { name: name(bad.0) }], "{bad:?}");
    }
    let copied = found(&of(&[("PhotoStore", "Says what comes in, what is done and what goes out.")]), &[]);
    assert!(
        matches!(copied.as_slice(), [GateFinding::CopiedPrompt { words, .. }] if words == "says what comes in what is"),
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
    let debate = kit.done(&script([draft(&["VideoUploads"], 0), verified()])).await;
    assert_eq!((debate.ending(), debate.status), (Ending::NotJudged, DebateStatus::MaxIterationsReached));
    let spec = kit.spec();
    assert!(spec.contains("> **Not judged:** the idea contradicts itself"), "{spec}");
    assert!(
        spec.contains("- **Q1.** **Contradiction.** S1 says “10 MB”, S3 says “50 MB” of the same thing."),
        "{spec}"
    );
}

/// Checks a draft of JSON against an idea, and returns the challenges of the gates.
fn challenges(idea: &str, draft: Value) -> Vec<String> {
    let draft: DesignDraft = serde_json::from_value(draft).expect("a draft");
    let analysis = IdeaAnalysis::of(idea);
    let input = GateInput {
        draft: &draft,
        earlier: &[],
        latest: None,
        clarifications: &[],
        analysis: &analysis,
        prompts: "",
    };
    check(&input).iter().map(|finding| finding.challenge().description).collect()
}

fn of_parts(purpose: &str, parts: &Value) -> Value {
    let mut draft = json!({
        "components": [{ "name": "PhotoLibrary", "type": "Subsystem", "purpose": purpose }],
        "design_rationale": "",
    });
    draft.as_object_mut().expect("a map").extend(parts.as_object().expect("a map").clone());
    draft
}

const LIMITS: &str = "Users upload photos of up to 10 MB. Photos are deleted after 2 hours. The app exports albums as ZIP, PDF and HTML.";

#[test]
fn numbers_that_nobody_gave_are_found() {
    let none = json!({});
    for (purpose, is_found) in [
        ("Takes photos of up to 10 MB.", false),
        ("Takes photos of up to 0.01 GB and deletes them after 120 minutes.", false),
        ("Takes photos over HTTP/2 with SHA-256 sums, version 2.0.", false),
        ("Takes photos of up to 25 MB.", true),
        ("Deletes photos after 3 hours.", true),
        ("Deletes photos after 2 days.", true),
    ] {
        let told = challenges(LIMITS, of_parts(purpose, &none));
        assert_eq!(told.len(), usize::from(is_found), "{purpose}: {told:?}");
    }
    for named in [
        json!({ "assumptions": ["A photo has at most 25 MB."] }),
        json!({ "decisions": [{ "decision": "25 MB a photo", "reason": "Phones take such photos." }] }),
        json!({ "quality": [{ "quality": "size of a photo", "measure": "25 MB" }] }),
    ] {
        let told = challenges(LIMITS, of_parts("Takes photos of up to 25 MB.", &named));
        assert_eq!(told, [""; 0]);
    }
}

#[test]
fn lost_numbers_broken_lists_and_wrong_traces_are_found() {
    let with = |parts: Value| challenges(LIMITS, of_parts("Takes photos and exports albums.", &parts));
    let requirement = |text: &str, from: &[u32]| json!({ "text": text, "from": from });
    let all = [
        requirement("Users upload photos of up to 10 MB.", &[1]),
        requirement("The system deletes photos after 2 hours.", &[2]),
        requirement("The system exports albums as ZIP, PDF and HTML.", &[3]),
    ];
    assert_eq!(with(json!({ "requirements": all })), [""; 0]);
    let mut lost = all.clone();
    lost[0]["text"] = "Users upload photos.".into();
    assert_eq!(
        with(json!({ "requirements": lost })),
        ["No requirement of statement 1 has its number “10 MB”."]
    );
    let mut broken = all.clone();
    broken[2]["text"] = "The system exports albums as ZIP and PDF.".into();
    let told = with(json!({ "requirements": broken }));
    assert_eq!(told, ["The draft leaves out a part of the list of statement 3: HTML."]);
    let told = with(json!({ "requirements": all[..2] }));
    assert!(told[0].starts_with("No component covers statement 3: “"), "{told:?}");
    let mut beyond = all.to_vec();
    beyond.push(requirement("Nothing else.", &[9]));
    let told = with(json!({ "requirements": beyond }));
    assert_eq!(told, ["The draft covers statement 9, but the idea has 3."]);
    let relation = json!([{ "from": "PhotoLibrary", "to": "Mailer", "label": "asks" }]);
    let told = with(json!({ "relations": relation }));
    assert_eq!(told, ["A relation names Mailer, which is neither a component nor an external system."]);
}

#[test]
fn a_draft_without_a_word_of_the_idea_is_found() {
    let off = of(&[("Systems", "Decision to be created by a team building it in one day.")]);
    assert_eq!(found(&off, &[]), [GateFinding::OffTopic]);
    assert_eq!(
        found(&of(&[("Mailer", "Mails what happened since the last run.")]), &[]),
        [GateFinding::OffTopic]
    );
    assert_eq!(
        found(&of(&[("Mailer", "Mails what happened, as a summary for each user, weekly.")]), &[]),
        []
    );
}

#[test]
fn an_answer_that_changes_nothing_is_found() {
    let review = Review::from_challenges([(Category::Completeness, "PhotoStore keeps what?".to_owned())]);
    let mut revised = good();
    revised.components[2].purpose = "Sends a weekly report by email to all users.".to_owned();
    let answer = |disposition| ChallengeAnswer { challenge: 1, disposition, text: "It is done.".to_owned() };
    let analysis = IdeaAnalysis::of(IDEA);
    let ignored = |draft: &DesignDraft| {
        let earlier = [good()];
        let (latest, clarifications) = (Some(&review), [].as_slice());
        check(&GateInput {
            draft,
            earlier: &earlier,
            latest,
            clarifications,
            analysis: &analysis,
            prompts: "",
        })
    };
    revised.answers = vec![answer(Disposition::Fixed)];
    let finding = GateFinding::IgnoredChallenge { challenge: 1, components: vec!["PhotoStore".to_owned()] };
    assert_eq!(ignored(&revised), [finding]);
    revised.answers = vec![answer(Disposition::Rejected)];
    assert_eq!(ignored(&revised), [], "a rejection needs no change");
    revised.answers = vec![answer(Disposition::Fixed)];
    revised.assumptions = vec!["A photo is kept until its owner removes it.".to_owned()];
    assert_eq!(ignored(&revised), [], "another part may be the answer");
}

#[tokio::test]
async fn duplicate_names_are_asked_again_once_and_then_merged() {
    // ARD-39
    let twice = json!({
        "components": [
            { "name": "Shop", "type": "Subsystem", "purpose": "Sells bread." },
            { "name": "Shop", "type": "Subsystem", "purpose": "Bakes bread." },
        ],
        "design_rationale": "",
    });
    let answers = [twice.clone(), twice, verified()].map(|answer| answer.to_string());
    let model = answers
        .into_iter()
        .fold(stategraph::llm::Scripted::new("test/model"), stategraph::llm::Scripted::answer);
    let kit = Kit::new(5);
    let debate = kit.done(&std::sync::Arc::new(model)).await;
    let draft = debate.current_draft.clone().expect("a draft");
    assert_eq!(draft.components.len(), 1);
    assert_eq!(draft.components[0].purpose, "Sells bread. Bakes bread.");
    assert_eq!(debate.architect.calls, 2);
    assert!(kit.spec().contains("- Round 1: The architect named Shop more than once"), "{}", kit.spec());
}

#[tokio::test]
async fn a_draft_that_is_refused_twice_falls_back_if_the_settings_say_so() {
    // ARD-35, ARD-41
    let prose = || Value::String("I would rather talk about the weather.".to_owned());
    let mut kit = Kit::new(5).set(|settings| settings.on_bad_draft = OnBadDraft::FallBack);
    kit.idea = IDEA.to_owned();
    let debate = kit.done(&script([prose(), prose()])).await;
    assert_eq!((debate.ending(), debate.status), (Ending::Fallback, DebateStatus::MaxIterationsReached));
    let spec = kit.spec();
    assert!(spec.contains("ending: fallback") && spec.contains("was written by fixed rules"), "{spec}");
    let kit = Kit::new(5).set(|settings| settings.on_bad_draft = OnBadDraft::FallBack);
    let first = [draft(&["Shop"], 0), challenged(&[("completeness", "Who bakes?")])];
    let debate = kit.done(&script(first.into_iter().chain([prose(), prose()]))).await;
    assert_eq!(debate.ending(), Ending::Fallback);
    let spec = kit.spec();
    assert!(spec.contains("was refused twice") && spec.contains("1. [completeness] Who bakes?"), "{spec}");
    // A review that is refused twice ends the debate as well.
    let kit = Kit::new(5).set(|settings| settings.on_bad_draft = OnBadDraft::FallBack);
    let debate = kit.done(&script([draft(&["Shop"], 0), prose(), prose()])).await;
    assert_eq!((debate.ending(), debate.challenge_history.len()), (Ending::Fallback, 1));
    assert!(kit.spec().contains("gave no valid review"), "{}", kit.spec());
}

#[tokio::test]
async fn purposes_of_components_can_be_asked_for_one_by_one() {
    let purpose = |text: &str| json!({ "purpose": text });
    let mut kit = Kit::new(5).set(|settings| settings.drafting = Drafting::ByComponent);
    kit.idea = "Users upload photos. The system sends a weekly report by email.".to_owned();
    let by_rules = propose(&IdeaAnalysis::of(&kit.idea));
    let purposes = by_rules.iter().enumerate().map(|(at, it)| match at {
        0 => purpose("TBD"),
        _ => purpose(&format!("Turns what comes in for {} into what its users asked for.", it.name)),
    });
    let answers: Vec<Value> = purposes.chain([verified(), verified()]).collect();
    let debate = kit.done(&script(answers)).await;
    let draft = debate.current_draft.clone().expect("a draft");
    assert_eq!(draft.components.len(), by_rules.len());
    assert_eq!(draft.components[0], by_rules[0], "a placeholder leaves the sentence of the rules");
    assert!(draft.components[1].purpose.starts_with("Turns what comes in"));
    assert_eq!(debate.architect.calls as usize, by_rules.len());
    assert!(kit.spec().contains("written by rules, because the model's were refused"), "{}", kit.spec());
}

#[tokio::test]
async fn a_first_draft_without_any_purpose_of_the_model_is_refused() {
    let by_component = |on_bad_draft| {
        let mut kit = Kit::new(5).set(|settings| {
            settings.drafting = Drafting::ByComponent;
            settings.on_bad_draft = on_bad_draft;
        });
        kit.idea = "Users upload photos. The system sends a weekly report by email.".to_owned();
        kit
    };
    let kit = by_component(OnBadDraft::FallBack);
    let count = propose(&IdeaAnalysis::of(&kit.idea)).len();
    let placeholders = || (0..count).map(|_| json!({ "purpose": "TBD" }));
    let debate = kit.done(&script(placeholders())).await;
    assert_eq!(debate.ending(), Ending::Fallback);
    let spec = kit.spec();
    assert!(spec.contains("no purpose was accepted") && spec.contains("no challenge is open"), "{spec}");
    assert!(spec.contains("  written_by: rules\n") && !spec.contains("ARD Trace Log"), "{spec}");
    let kit = by_component(OnBadDraft::Error);
    let error = kit.run(&script(placeholders())).await.expect_err("refused");
    let told = format!("{error:?}");
    assert!(told.contains("no purpose was accepted") && told.contains("fall_back"), "{told}");
}

#[tokio::test]
async fn a_contradiction_is_asked_before_the_first_draft_if_the_user_is_asked() {
    // ARD-72
    let mut kit = Kit::new(5).set(|settings| settings.on_ambiguity = OnAmbiguity::Ask);
    kit.idea =
        "Uploads are limited to 10 MB. Users upload videos. An upload may have up to 50 MB.".to_owned();
    let model = script([draft(&["VideoUploads"], 0), verified()]);
    let outcome = kit.run(&model).await.expect("it waits");
    let Status::Waiting(questions) = outcome.status else { panic!("{:?}", outcome.status) };
    assert_eq!(model.requests().len(), 0, "no model is asked before");
    let options = questions[0].payload.to_string();
    assert!(
        options.contains("S1 holds: Uploads are limited to 10 MB.") && options.contains("S3 holds:"),
        "{options}"
    );
    let resumed = kit.graph(&model).resume(&thread()).answer(questions[0].id, &2).await;
    let debate = resumed.expect("it ends").state;
    assert_eq!(debate.ending(), Ending::Verified);
    assert!(
        kit.spec().contains("The author has decided:\n\n- S1 holds: Uploads are limited to 10 MB."),
        "{}",
        kit.spec()
    );
}
