//! Ids as file names.

use std::collections::BTreeMap;

use proptest::prelude::*;
use stategraph_repo::Slug;
use stategraph_repo::limit::SLUG_BYTES;

#[test]
fn ids_that_are_file_names_stay_as_they_are_and_paths_stay_readable() {
    // ENG-17
    for (id, name) in [
        ("api", "api"),
        ("user_service", "user_service"),
        ("v1.2-rc", "v1.2-rc"),
        ("src/auth/login.rs", "src--auth--login.rs"),
    ] {
        assert_eq!(Slug::of(id).as_str(), name);
    }
}

#[test]
fn ids_that_look_alike_have_names_that_differ() {
    // DOC-97
    let ids = [
        "", " ", "-", ".", "..", "/", "a", "A", "ä", "a ", "a.", ".a", "a-", "-a", "a/b", "a//b", "a--b",
        "a-/b", "a/-b", "a---b", "a_b", "a b", "a\nb", "a\0b", "a\\b", "A/B", "con", "CON", "con.txt",
        "com1", "lpt9", "nul",
    ];
    let names: BTreeMap<Slug, &str> = ids.into_iter().map(|id| (Slug::of(id), id)).collect();
    assert_eq!(names.len(), ids.len());
}

#[test]
fn an_id_that_is_another_ids_name_has_a_name_of_its_own() {
    // DOC-97
    let name = Slug::of("Big Name");
    assert!(name.as_str().starts_with("big-name-"));
    assert_ne!(Slug::of(name.as_str()), name);
}

#[test]
fn an_id_as_long_as_a_name_may_be_is_its_name_and_a_longer_one_is_marked() {
    // ENG-20
    let id = |bytes| "x".repeat(bytes);
    assert_eq!(Slug::of(&id(SLUG_BYTES - 1)).as_str(), id(SLUG_BYTES - 1));
    assert_eq!(Slug::of(&id(SLUG_BYTES)).as_str(), id(SLUG_BYTES));
    let long = Slug::of(&id(SLUG_BYTES + 1));
    assert_eq!(long.as_str().len(), SLUG_BYTES);
    assert_ne!(long, Slug::of(&id(SLUG_BYTES + 2)));
}

proptest! {
    #[test]
    fn every_id_has_a_portable_name_and_two_ids_have_two(a in ".{0,150}|[aA/-]{0,6}", b in "[aA/-]{0,6}") {
        // ENG-17, DOC-97
        let name = Slug::of(&a);
        prop_assert!((1..=SLUG_BYTES).contains(&name.as_str().len()));
        prop_assert!(name.as_str().bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || b"._-".contains(&c)));
        prop_assert!(!name.as_str().starts_with(['.', '-']) && !name.as_str().ends_with('.'));
        prop_assert_eq!(a == b, name == Slug::of(&b));
        prop_assert_eq!(Slug::of(&a), name);
    }
}
