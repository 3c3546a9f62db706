//! The architect's answer: its form and the rules it has to keep.

use serde_json::json;
use stategraph::workflows::ard::exchange::{
    Category, Component, ComponentKind, DesignDraft, DraftProblem, Review, is_pascal_case, mentions,
};

fn component(name: &str) -> Component {
    Component::new(name.to_owned(), ComponentKind::Subsystem, "Counts sheep.".to_owned())
}

fn draft(names: &[&str], rationale: &str) -> DesignDraft {
    DesignDraft::new(names.iter().map(|name| component(name)).collect(), rationale)
}

fn challenges(count: usize) -> Review {
    Review::from_challenges((0..count).map(|_| (Category::Ambiguity, "Why?".to_owned())))
}

#[test]
fn the_json_is_that_of_the_seed() {
    // ARD-30 to ARD-32
    let json = json!({
        "components": [{ "name": "OrderStore", "type": "DataStore", "purpose": "Keeps orders." }],
        "design_rationale": "",
    });
    let draft: DesignDraft = serde_json::from_value(json.clone()).expect("a draft");
    assert_eq!(serde_json::to_value(&draft).expect("plain data"), json);
    for kind in ComponentKind::ALL {
        assert_eq!(serde_json::to_value(kind).expect("a word"), json!(kind.as_str()));
        assert_eq!(kind.as_str().parse(), Ok(kind));
    }
}

#[test]
fn a_missing_or_foreign_field_is_rejected() {
    // ARD-17, ARD-33, ARD-34
    let whole = json!({ "name": "A", "type": "API", "purpose": "p" });
    for field in ["name", "type", "purpose"] {
        let mut part = whole.clone();
        part.as_object_mut().expect("a map").remove(field);
        let error =
            serde_json::from_value::<DesignDraft>(json!({ "components": [part], "design_rationale": "" }));
        assert!(error.expect_err("missing").to_string().contains(field));
    }
    for answer in [
        json!({ "design_rationale": "" }),
        json!({ "components": [whole] }),
        json!({ "components": [], "design_rationale": "", "remark": "hello" }),
        json!("Here is the design: …"),
    ] {
        assert!(serde_json::from_value::<DesignDraft>(answer.clone()).is_err(), "{answer}");
    }
}

#[test]
fn the_schema_says_the_same() {
    // ARD-17, ARD-32
    let schema = serde_json::to_value(schemars::schema_for!(DesignDraft)).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let with = |kind: &str| json!({ "components": [{ "name": "A", "type": kind, "purpose": "p" }], "design_rationale": "" });
    for kind in ComponentKind::ALL {
        assert!(validator.is_valid(&with(kind.as_str())), "{kind:?}");
    }
    let mut synonym = with("database");
    assert!(!validator.is_valid(&synonym));
    DesignDraft::normalise(&mut synonym);
    assert!(validator.is_valid(&synonym), "ARD-38: synonyms are mapped first");
    assert!(!validator.is_valid(&json!({ "design_rationale": "" })));
}

#[test]
fn synonyms_of_the_types_are_mapped_first() {
    // ARD-38
    for (word, kind) in [
        ("service", ComponentKind::Subsystem),
        ("Module", ComponentKind::Subsystem),
        ("database", ComponentKind::DataStore),
        ("Data Store", ComponentKind::DataStore),
        ("endpoint", ComponentKind::Api),
        ("api", ComponentKind::Api),
        ("ui", ComponentKind::UiComponent),
        ("UI_Component", ComponentKind::UiComponent),
        ("helper", ComponentKind::Utility),
        ("LLM", ComponentKind::Agent),
    ] {
        assert_eq!(serde_json::from_value::<ComponentKind>(json!(word)).expect(word), kind);
    }
    let error = serde_json::from_value::<ComponentKind>(json!("gizmo")).expect_err("unknown").to_string();
    assert!(error.contains("gizmo") && error.contains("UIComponent"), "{error}");
}

#[test]
fn mapping_leaves_alone_what_it_does_not_understand() {
    for answer in
        [json!(null), json!([1]), json!({ "components": 1 }), json!({ "components": [1, {}, { "type": 7 }] })]
    {
        let mut mapped = answer.clone();
        DesignDraft::normalise(&mut mapped);
        assert_eq!(mapped, answer);
    }
}

#[test]
fn names_are_pascal_case() {
    // ARD-31, ARD-38
    for good in ["A", "OrderStore", "API", "Http2Client", "ÜberSicht", "订单系统"] {
        assert!(is_pascal_case(good), "{good}");
    }
    for bad in [
        "",
        "orderStore",
        "Order_Store",
        "Order Store",
        "Order-Store",
        "2Fast",
        "Order.",
        "ßtore",
        "A\u{301}",
    ] {
        assert!(!is_pascal_case(bad), "{bad:?}");
    }
}

#[test]
fn all_problems_are_told_at_once() {
    // ARD-34, ARD-38, ARD-39
    let mut broken = draft(&["One", "two", "One"], "too early");
    broken.components[0].purpose = "  ".to_owned();
    let problems = broken.check(None).expect_err("broken");
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "components[0].purpose of `One` is blank",
            "components[1].name `two` is not PascalCase: use letters and digits only, a capital first",
            "components[2].name `One` is taken by an earlier component",
            "`design_rationale` must be an empty string: there is no review to answer yet",
        ]
    );
    assert_eq!(draft(&[], "").check(None), Err(vec![DraftProblem::NoComponents]));
}

#[test]
fn the_rationale_is_empty_on_the_first_pass() {
    // ARD-36
    assert_eq!(draft(&["One"], "").check(None), Ok(()));
    assert_eq!(draft(&["One"], " \n").check(None), Ok(()));
    assert_eq!(draft(&["One"], "x").check(None), Err(vec![DraftProblem::RationaleTooEarly]));
}

#[test]
fn the_rationale_names_every_challenge_of_the_latest_review() {
    // ARD-37
    let latest = challenges(3);
    for good in [
        "1, 2 and 3",
        "#1 #2 #3",
        "Challenge 1: x.\nChallenge 2: y.\nChallenge 3: z.",
        "(1) [2] 3.",
        "3.2.1. 2, 1",
    ] {
        let checked = draft(&["One"], good).check(Some(&latest));
        assert_eq!(checked.is_ok(), good != "3.2.1. 2, 1", "{good}: {checked:?}");
    }
    for (text, missing) in [
        ("", vec![1, 2, 3]),
        ("1 and 2", vec![3]),
        ("12 and 3", vec![1, 2]),
        ("1.2, 3", vec![1, 2]),
        ("v1, 2nd, 3", vec![1, 2]),
        ("1 2 13", vec![3]),
    ] {
        let problems = draft(&["One"], text).check(Some(&latest));
        assert_eq!(problems, Err(vec![DraftProblem::RationaleSilent { missing }]), "{text}");
    }
    let told = DraftProblem::RationaleSilent { missing: vec![2, 3] }.to_string();
    assert_eq!(told, "`design_rationale` does not refer to challenges 2, 3 of the latest review by number");
}

#[test]
fn after_a_review_without_challenges_the_rationale_is_free() {
    // ARD-71: the debate has to last some rounds, though nothing is challenged
    for rationale in ["", "Made Shop more exact."] {
        assert_eq!(draft(&["One"], rationale).check(Some(&Review::from_challenges([]))), Ok(()));
    }
}

#[test]
fn a_name_is_mentioned_as_a_whole_word_only() {
    assert!(mentions("Asks OrderStore.", "OrderStore"));
    assert!(mentions("(`OrderStore`)", "OrderStore"));
    assert!(!mentions("Asks OrderStores", "OrderStore"));
    assert!(!mentions("Asks MyOrderStore", "OrderStore"));
    assert!(!mentions("Asks orderstore", "OrderStore"));
    assert!(!mentions("anything", ""));
}
