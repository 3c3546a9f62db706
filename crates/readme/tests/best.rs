//! The better of two versions of a section: approval, blocking issues, then content and structure, then fewer issues.

use stategraph_readme::validate::best::{Iteration, is_better};

fn version(text: &str, is_approved: bool, blocking: usize, issues: usize) -> Iteration {
    Iteration { text: text.to_owned(), is_approved, blocking, issues }
}

/// Returns so many different words.
fn words(count: usize) -> String {
    let word = |n: usize| "abcdefghijklmnopqrstuvwxyz"[n % 26..=n % 26].repeat(n / 26 + 1);
    (0..count).map(|n| ["word", word(n).as_str(), " "].concat()).collect()
}

#[test]
fn an_approved_version_wins_and_a_later_worse_one_never_does() {
    // SEC-81
    let long = version(&words(400), false, 0, 0);
    let approved = version(&words(50), true, 0, 3);
    assert!(is_better(&approved, &long));
    assert!(!is_better(&long, &approved));
    let blocked = version(&words(400), false, 2, 2);
    let clean = version(&words(100), false, 1, 9);
    assert!(is_better(&clean, &blocked) && !is_better(&blocked, &clean));
}

#[test]
fn a_fifth_more_content_is_better_and_a_little_more_is_not() {
    // SEC-77, SEC-80
    let base = version(&words(100), false, 0, 0);
    assert!(is_better(&version(&words(140), false, 0, 5), &base));
    assert!(!is_better(&version(&words(105), false, 0, 0), &base));
    assert!(!is_better(&base, &base));
}

#[test]
fn structure_decides_between_texts_of_about_one_length() {
    // SEC-78, SEC-80
    let plain = version(&words(100), false, 0, 0);
    let listed = version(&format!("{}\n\n- alpha\n- beta\n", words(97)), false, 0, 0);
    assert!(is_better(&listed, &plain) && !is_better(&plain, &listed));
    let short = version("- alpha\n- beta\n- gamma\n", false, 0, 0);
    assert!(!is_better(&short, &plain));
}

#[test]
fn fewer_issues_decide_at_last() {
    // SEC-79
    let (few, many) = (version("Same text here.", false, 0, 1), version("Same text here.", false, 0, 4));
    assert!(is_better(&few, &many) && !is_better(&many, &few));
}

#[test]
fn repeated_text_and_filler_are_no_length() {
    // SEC-82
    let base = words(60);
    let repeated = format!("{base}\n\n{base}\n\n{base}");
    let filled = format!("{base}{}", "It is important to note that ".repeat(60));
    let markers = format!("{base}{}", "Information not available\n\n".repeat(60));
    let numbered: String =
        (0..90).flat_map(|n| [format!("Step {n}: check the log of host {n}."), " ".to_owned()]).collect();
    for padded in [repeated, filled, markers, format!("{base}{numbered}")] {
        assert!(!is_better(&version(&padded, false, 0, 0), &version(&base, false, 0, 0)), "{padded}");
    }
}
