//! Names of the elements of HTML in texts of strangers. Reads no text.

/// Names of the HTML elements that style or arrange text in READMEs and code comments.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "a", "abbr", "b", "blockquote", "body", "br", "button", "center", "code", "dd", "del", "details", "div", "dl", "dt",
    "em", "font", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "html", "i", "img", "ins", "kbd", "li", "nav", "ol",
    "p", "picture", "pre", "s", "samp", "small", "source", "span", "strike", "strong", "sub", "summary", "sup", "table",
    "tbody", "td", "tfoot", "th", "thead", "title", "tr", "tt", "u", "ul", "var", "video",
];

/// Returns true for the name of an HTML element that styles or arranges text, in any letter case. Returns
/// false for elements of forms and pages, because texts use such names as placeholders: `<input>`, `<link>`,
/// `<section>`.
pub fn is_text_element(name: &str) -> bool {
    ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::is_text_element;

    #[test]
    fn elements_of_text_are_known_in_any_case_and_placeholders_are_none() {
        assert!(["b", "BR", "h3", "Table"].iter().all(|name| is_text_element(name)));
        assert!(!["input", "link", "hostname", ""].iter().any(|name| is_text_element(name)));
    }
}
