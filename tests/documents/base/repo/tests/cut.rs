//! Truncation: at a character, and said.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use proptest::prelude::*;
use stategraph_base::cut;

#[test]
fn a_text_at_its_limit_is_whole_and_one_beyond_is_cut() {
    // ENG-20, ENG-21
    let text = "äöü𝄞e";
    assert_eq!(cut(text, 6).to_string(), text);
    assert_eq!(cut(text, 5).to_string(), text);
    assert_eq!(cut(text, 4).to_string(), "äöü𝄞\n[cut: 1 of 5 characters left out]");
    assert_eq!(cut("", 0).to_string(), "");
    assert_eq!(cut("a", 0).to_string(), "\n[cut: 1 of 1 characters left out]");
}

proptest! {
    #[test]
    fn what_is_kept_and_what_is_said_to_be_left_out_add_up(text in ".*", limit in 0usize..40) {
        // ENG-21
        let cut = cut(&text, limit);
        prop_assert!(text.starts_with(cut.kept));
        prop_assert!(cut.kept.chars().count() <= limit);
        prop_assert_eq!(cut.kept.chars().count() + cut.left_out, text.chars().count());
        prop_assert_eq!(cut.total, text.chars().count());
    }
}
