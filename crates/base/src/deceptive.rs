//! Characters that make a text look other than it is.

/// Returns true for a character that hides text or changes the order in which text is shown: characters
/// without width, direction marks, embeddings, overrides, isolates, letters without a glyph, annotations,
/// tags. Returns false for control characters and for the variation selectors of emoji.
pub fn is_deceptive(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}')
        || matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::is_deceptive;

    #[test]
    fn letters_spaces_and_emoji_are_shown_and_marks_of_direction_are_not() {
        assert!(!"é ß 日本\t\n⚠\u{fe0f}".chars().any(is_deceptive));
        assert!("\u{202e}\u{200b}\u{2066}\u{e0041}\u{feff}".chars().all(is_deceptive));
    }
}
