//! The things that an idea leaves out, the words that leave nothing out, and sentences that the rules do not take apart.

use stategraph::workflows::ard::analysis::IdeaAnalysis;

/// Checks the exclusions of an idea, in lower case.
#[track_caller]
fn check(idea: &str, expected: &[&str]) {
    let analysis = IdeaAnalysis::of(idea);
    let found: Vec<String> = analysis.exclusions.iter().map(|it| it.text.to_lowercase()).collect();
    assert_eq!(found, expected, "{idea}");
}

#[test]
fn things_behind_not_and_without_are_left_out() {
    check("A website, not a shop.", &["shop"]);
    check("A website for a bakery, not a shop.", &["shop"]);
    check("A blog without comments", &["comments"]);
    check("A photo blog without comments and ads", &["comments", "ads"]);
    check("I want a blog without comments.", &["comments"]);
    check("Playlists without ads", &["ads"]);
    check("Recipes without videos.", &["videos"]);
}

#[test]
fn an_exclusion_in_a_list_ends_at_its_comma() {
    check("A ferry desk: residents have priority, no payments, trips are cancelled in storms", &["payments"]);
    check("A web shop. Customers have a basket, no accounts, payment at the door.", &["accounts"]);
    check("A web shop. No ads, tracking, accounts.", &["ads", "tracking", "accounts"]);
    check("A web shop. No ads, reports by mail or chat.", &["ads", "reports by mail", "chat"]);
    check("A help line. Members have no phone, no address.", &[]);
    check("A web shop. Customers order, no accounts, payment at the door.", &["accounts"]);
}

#[test]
fn words_about_people_cases_and_removals_leave_nothing_out() {
    check("A booking page. Guests check in without staff having to open the door.", &[]);
    check("A check-in page without staff having to open the door.", &[]);
    check("A booking page. Visitors without internet come without a slot and wait.", &[]);
    check("A booking page. Members without a phone can call the office.", &[]);
    check("A booking page. They come without a slot.", &[]);
    check("A list of bugs. Each bug is marked as fixed, not fixed.", &[]);
    check("A shop. All orders are deleted after a year, except the totals.", &[]);
    check("A puzzle book. Print it with and without solutions.", &[]);
}

#[test]
fn a_clause_whose_subject_is_not_found_is_told_in_the_words_of_the_idea() {
    for statement in [
        "A firing starts when all shelves are taken or on Friday at 18:00.",
        "A viewing ends once both doors are closed or at noon.",
    ] {
        let analysis = IdeaAnalysis::of(&format!("A board for a kiln. {statement}"));
        let texts: Vec<&str> = analysis.requirements.iter().map(|it| it.text.as_str()).collect();
        assert!(!texts.iter().any(|text| text.starts_with("The system are")), "{texts:?}");
        assert!(texts.contains(&statement), "{texts:?}");
    }
}
