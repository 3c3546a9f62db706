//! The reviewer's answer: its form and the rules it has to keep.

use serde_json::json;
use stategraph::workflows::ard::{
    exchange::{Category, Review, ReviewProblem, ReviewStatus, Severity},
    input::settings::SeverityRule,
};

fn review(count: usize) -> Review {
    Review::of((0..count).map(|_| (Category::Consistency, "Who feeds OrderStore?".to_owned())))
}

#[test]
fn the_json_is_that_of_the_seed() {
    // ARD-43 to ARD-45
    let json = json!({
        "status": "needs_revision",
        "challenges": [
            { "id": 1, "category": "completeness", "description": "a" },
            { "id": 2, "category": "consistency", "description": "b" },
            { "id": 3, "category": "ambiguity", "description": "c" },
        ],
    });
    let review: Review = serde_json::from_value(json.clone()).expect("a review");
    assert_eq!(review.check(), Ok(()));
    assert_eq!(serde_json::to_value(&review).expect("plain data"), json);
    let verified = json!({ "status": "verified", "challenges": [] });
    assert_eq!(serde_json::to_value(Review::verified()).expect("plain data"), verified);
}

#[test]
fn what_is_outside_of_the_schema_is_rejected() {
    // ARD-17, ARD-44, ARD-45
    for answer in [
        json!({ "status": "approved", "challenges": [] }),
        json!({ "status": "verified" }),
        json!({ "challenges": [] }),
        json!({ "status": "verified", "challenges": [], "comment": "nice" }),
        json!({ "status": "needs_revision", "challenges": [{ "id": 1, "category": "style", "description": "a" }] }),
        json!({ "status": "needs_revision", "challenges": [{ "id": "1", "category": "ambiguity", "description": "a" }] }),
        json!({ "status": "needs_revision", "challenges": [{ "id": -1, "category": "ambiguity", "description": "a" }] }),
        json!({ "status": "needs_revision", "challenges": [{ "id": 1, "category": "ambiguity" }] }),
    ] {
        assert!(serde_json::from_value::<Review>(answer.clone()).is_err(), "{answer}");
    }
}

#[test]
fn status_and_challenges_have_to_agree() {
    // ARD-46
    let torn = Review { status: ReviewStatus::Verified, ..review(2) };
    assert_eq!(torn.check(), Err(vec![ReviewProblem::VerifiedWithChallenges { count: 2 }]));
    let empty = Review { status: ReviewStatus::NeedsRevision, challenges: Vec::new() };
    assert_eq!(empty.check(), Err(vec![ReviewProblem::RevisionWithoutChallenges]));
    assert_eq!(Review::verified().check(), Ok(()));
}

#[test]
fn any_number_of_challenges_will_do() {
    // ARD-47
    for count in [1, 2, 1000] {
        assert_eq!(review(count).check(), Ok(()));
    }
}

#[test]
fn ids_run_from_one() {
    // ARD-50
    for (ids, fits) in
        [([1, 2, 3], true), ([0, 1, 2], false), ([1, 3, 2], false), ([1, 1, 2], false), ([2, 3, 4], false)]
    {
        let mut review = review(3);
        for (challenge, id) in review.challenges.iter_mut().zip(ids) {
            challenge.id = id;
        }
        assert_eq!(review.check().is_ok(), fits, "{ids:?}");
    }
    let mut late = review(2);
    late.challenges[1].id = 4;
    let told = late.check().expect_err("a gap")[0].to_string();
    assert_eq!(told, "challenge ids must run 1, 2, 3, …: expected 2, found 4");
}

#[test]
fn a_blank_description_is_rejected() {
    // ARD-44
    let mut blank = review(1);
    blank.challenges[0].description = " ".to_owned();
    assert_eq!(blank.check(), Err(vec![ReviewProblem::BlankDescription { id: 1 }]));
}

#[test]
fn minor_challenges_pass_only_if_the_settings_say_so() {
    // ARD-51
    let with = |severities: [Option<Severity>; 2]| {
        let mut review = review(2);
        for (challenge, severity) in review.challenges.iter_mut().zip(severities) {
            challenge.severity = severity;
        }
        review
    };
    let (minor, critical) = (Some(Severity::Minor), Some(Severity::Critical));
    for (severities, passes) in [([minor, minor], true), ([minor, critical], false), ([minor, None], false)] {
        let verdict = with(severities).verdict(SeverityRule::CriticalOnly);
        assert_eq!(verdict == ReviewStatus::Verified, passes, "{severities:?}");
        assert_eq!(with(severities).verdict(SeverityRule::Ignored), ReviewStatus::NeedsRevision);
    }
    assert_eq!(Review::verified().verdict(SeverityRule::CriticalOnly), ReviewStatus::Verified);
}
