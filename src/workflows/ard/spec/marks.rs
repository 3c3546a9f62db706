//! Inserts the numbers of the statements into the quoted idea, so that the `From` columns of the
//! document can be followed.

use crate::workflows::ard::analysis::IdeaAnalysis;

/// Inserts `**S1**` before the text of each statement in the quotation, in order. Only letters and
/// digits are compared; a statement that is not found gets no mark.
pub(super) fn number_statements(quotation: &str, analysis: &IdeaAnalysis) -> String {
    let letters: Vec<(usize, char)> = quotation.char_indices().filter(|(_, c)| c.is_alphanumeric()).collect();
    let mut places = Vec::new();
    let mut from = 0;
    for statement in &analysis.statements {
        let wanted: Vec<char> = statement.text.chars().filter(|c| c.is_alphanumeric()).collect();
        let fits = |at: &usize| {
            let rest = &letters[*at..];
            rest.len() >= wanted.len() && rest.iter().zip(&wanted).all(|((_, c), wanted)| c == wanted)
        };
        let Some(at) = (from..letters.len()).find(fits).filter(|_| !wanted.is_empty()) else { continue };
        places.push((letters[at].0, statement.number));
        from = at + wanted.len();
    }
    let mut marked = String::with_capacity(quotation.len() + places.len() * 8);
    let mut start = 0;
    for (place, number) in places {
        // A mark before the first letter would part it from an opening quote or bracket.
        let place = start + quotation[start..place].trim_end_matches(|c: char| !c.is_whitespace()).len();
        marked.push_str(&quotation[start..place]);
        marked.extend(["**S", &number.to_string(), "** "]);
        start = place;
    }
    marked.push_str(&quotation[start..]);
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_has_its_number_in_the_quotation() {
        let idea = "A shop sells \u{201c}tea\u{201d}. Guests order,\npay later. No accounts.";
        let quotation = "> A shop sells \u{201c}tea\u{201d}. Guests order,\n> pay later. No accounts.";
        let marked = number_statements(quotation, &IdeaAnalysis::of(idea));
        assert_eq!(
            marked,
            "> **S1** A shop sells \u{201c}tea\u{201d}. **S2** Guests order,\n> pay later. **S3** No accounts."
        );
    }
}
