//! Sentences that are rules for contributors.

use super::*;

#[test]
fn sections_about_help_for_users_have_no_rules() {
    for (heading, expected) in [
        ("Help", true),
        ("Getting help", true),
        ("Questions?", true),
        ("Support", true),
        ("How to help", false),
        ("Supported versions", false),
        ("Pull requests", false),
    ] {
        assert_eq!(is_elsewhere(heading), expected, "{heading}");
    }
}

#[test]
fn a_request_names_what_contributors_do() {
    for (sentence, expected) in [
        ("If you would like to add a gift, please create a branch and a pull request.", true),
        ("Please run the tests and the linter before you send a patch.", true),
        ("Please see the list of open issues for all that is planned.", false),
        ("Please open an issue.", false),
        ("We are pleased by every pull request that people send us today.", false),
    ] {
        assert_eq!(request(sentence).is_some(), expected, "{sentence}");
    }
}

#[test]
fn only_sentences_that_command_or_forbid_are_rules() {
    for (sentence, expected) in [
        ("All new code must have tests.", true),
        ("Never edit `dist/` by hand.", true),
        ("Do not use `unwrap` outside tests.", true),
        ("Don't worry about the style of the code.", false),
        ("Why must I sign this?", false),
        ("This must-have feature is nice to see.", false),
        ("If you need help with a test, please don't be shy and ask!", false),
        ("You must do these things:", false),
        ("If a feature is in the standard library, do not add a package for it.", true),
        ("If you must use it, use `$()` instead of backticks.", false),
        ("Quoting: always quote variables of the shell.", true),
        ("Therefore we do not merge our own requests.", false),
        ("Use local variables to avoid scope pollution.", false),
        ("Tests run on Linux.", false),
        ("A pull request should also contain tests.", true),
        ("You should see the page now.", false),
        ("must be lower case here now", false),
    ] {
        assert_eq!(rule(sentence).is_some(), expected, "{sentence}");
    }
}
