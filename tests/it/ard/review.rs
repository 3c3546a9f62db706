//! The reviewer's answer: its form and the rules it has to keep.

use serde_json::json;
use stategraph::workflows::ard::{
    exchange::{Category, Proposal, Review, ReviewProblem, ReviewStatus, Severity},
    input::settings::{OnAmbiguity, SeverityRule},
};

fn review(count: usize) -> Review {
    Review::from_challenges((0..count).map(|_| (Category::Consistency, "Who feeds OrderStore?".to_owned())))
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
    assert_eq!(review.check(OnAmbiguity::Revise), Ok(()));
    assert_eq!(serde_json::to_value(&review).expect("plain data"), json);
    let verified = json!({ "status": "verified", "challenges": [] });
    assert_eq!(serde_json::to_value(Review::from_challenges([])).expect("plain data"), verified);
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
    assert_eq!(
        torn.check(OnAmbiguity::Revise),
        Err(vec![ReviewProblem::VerifiedWithChallenges { count: 2 }])
    );
    let empty = Review { status: ReviewStatus::NeedsRevision, ..Review::from_challenges([]) };
    assert_eq!(empty.check(OnAmbiguity::Revise), Err(vec![ReviewProblem::RevisionWithoutChallenges]));
    assert_eq!(Review::from_challenges([]).check(OnAmbiguity::Revise), Ok(()));
}

#[test]
fn any_number_of_challenges_will_do() {
    // ARD-47
    for count in [1, 2, 1000] {
        assert_eq!(review(count).check(OnAmbiguity::Revise), Ok(()));
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
        assert_eq!(review.check(OnAmbiguity::Revise).is_ok(), fits, "{ids:?}");
    }
    let mut late = review(2);
    late.challenges[1].id = 4;
    let told = late.check(OnAmbiguity::Revise).expect_err("a gap")[0].to_string();
    assert_eq!(told, "challenge ids must run 1, 2, 3, …: expected 2, found 4");
}

#[test]
fn a_blank_description_is_rejected() {
    // ARD-44
    let mut blank = review(1);
    blank.challenges[0].description = " ".to_owned();
    assert_eq!(blank.check(OnAmbiguity::Revise), Err(vec![ReviewProblem::BlankDescription { id: 1 }]));
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
        let verdict = with(severities).status_under(SeverityRule::CriticalOnly);
        assert_eq!(verdict == ReviewStatus::Verified, passes, "{severities:?}");
        assert_eq!(with(severities).status_under(SeverityRule::Ignored), ReviewStatus::NeedsRevision);
    }
    assert_eq!(Review::from_challenges([]).status_under(SeverityRule::CriticalOnly), ReviewStatus::Verified);
}

#[test]
fn options_are_in_the_schema_only_when_asked_for() {
    // ARD-17, ARD-51, ARD-72
    let challenge = |extra: serde_json::Value| {
        let mut challenge = json!({ "id": 1, "category": "ambiguity", "description": "a" });
        challenge.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
        json!({ "status": "needs_revision", "challenges": [challenge] })
    };
    let plain = challenge(json!({}));
    let weighed = challenge(json!({ "severity": "minor" }));
    let optional = challenge(json!({ "options": [{ "text": "x", "recommended": true }] }));
    let placed = challenge(json!({ "aspect": "cost", "components": ["Shop"], "reopens": "R1.2" }));
    for (asking, asks) in [(OnAmbiguity::Revise, false), (OnAmbiguity::Ask, true)] {
        let schema = Review::answer_schema(asking);
        let validator = jsonschema::validator_for(schema.as_value()).expect("a valid schema");
        assert!(validator.is_valid(&plain) && validator.is_valid(&weighed) && validator.is_valid(&placed));
        assert_eq!(validator.is_valid(&optional), asks);
        assert_eq!(schema.as_value().to_string().contains("Proposal"), asks);
    }
}

#[test]
fn an_ambiguity_has_two_to_four_options_of_which_one_is_recommended() {
    // ARD-72, ENG-20
    let with = |category, options: &[(&str, bool)]| {
        let mut review = Review::from_challenges([(category, "What is Shop?".to_owned())]);
        let proposal = |(text, recommended): &(&str, bool)| Proposal {
            text: (*text).to_owned(),
            recommended: *recommended,
        };
        review.challenges[0].options = options.iter().map(proposal).collect();
        review.check(OnAmbiguity::Ask)
    };
    let many = [("a", true), ("b", false), ("c", false), ("d", false), ("e", false)];
    for (count, fits) in [(0, false), (1, false), (2, true), (3, true), (4, true), (5, false)] {
        assert_eq!(with(Category::Ambiguity, &many[..count]).is_ok(), fits, "{count} options");
    }
    let told = |problem: Result<(), Vec<ReviewProblem>>| problem.expect_err("a problem")[0].to_string();
    assert_eq!(told(with(Category::Ambiguity, &many[..1])), "challenge 1 needs 2 to 4 `options`, it has 1");
    for recommended in [[("a", false), ("b", false)], [("a", true), ("b", true)]] {
        let problem = with(Category::Ambiguity, &recommended);
        assert!(told(problem).starts_with("exactly one of the `options` of challenge 1"));
    }
    for same in [[("a", true), (" a", false)], [("a", true), (" ", false)]] {
        assert_eq!(with(Category::Ambiguity, &same), Err(vec![ReviewProblem::SameOptions { id: 1 }]));
    }
    let misplaced = with(Category::Consistency, &many[..2]);
    assert_eq!(misplaced, Err(vec![ReviewProblem::MisplacedOptions { id: 1 }]));
    assert_eq!(with(Category::Consistency, &[]), Ok(()));
}
