//! Recognizes parts of documents that say nothing about the product: legal terms, advertising, history,
//! announcements of something that is not shown, and installations.

use super::documents::sentences;
use crate::commands::is_installation;
use crate::purposes::tells_history;

/// Names, in lower case, of legal texts.
const LEGAL: &[&str] = &["terms of service", "terms of use", "terms and conditions", "privacy policy"];
/// Words, in lower case, with which a text leads to a legal text.
const AGREES: &[&str] = &["agree", "subject to", "our terms", "our privacy", "read the"];

/// Phrases, in lower case, of advertising.
const ADVERTISING: &[&str] = &[
    "tidelift",
    "enterprise support",
    "enterprise subscription",
    "commercial support",
    "professional support",
    "paid support",
    "priority support",
    "consulting services",
    "offer consulting",
    "hire me",
    "hire us",
    "available for hire",
    "become a sponsor",
    "our sponsors",
    "our backers",
    "become a backer",
    "consider sponsoring",
    "github sponsors",
    "opencollective.com",
    "open collective",
    "patreon",
    "ko-fi",
    "buy me a coffee",
];

/// Maximum number of letters of the text beside an installation that makes no topic.
const BESIDE: usize = 160;

/// Returns true if a paragraph or an item states legal terms or advertises.
pub(super) fn is_aside(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    has(LEGAL) && has(AGREES) || has(ADVERTISING)
}

/// Returns a text up to its first sentence about the history or the authors of the product; what follows goes on
/// with it.
pub(super) fn without_history(text: &str) -> &str {
    let history = sentences(text).into_iter().find(|sentence| tells_history(sentence));
    let start = history.map_or(text.len(), |sentence| sentence.as_ptr() as usize - text.as_ptr() as usize);
    text[..start].trim_end()
}

/// Returns true if all sentences of a text announce something: "Here is a list of all variables", "as you
/// can see in the example above", "There are several methods that close a till."
pub(super) fn only_announces(text: &[String]) -> bool {
    const STARTS: &[&str] =
        &["here is ", "here are ", "here's ", "the following", "following ", "below is ", "below are "];
    const PARTS: &[&str] = &[
        "example above",
        "examples above",
        "example below",
        "table below",
        "list below",
        "as shown above",
        "as shown below",
        "are listed below",
        "are described below",
        "as follows",
    ];
    // How many they are is not told.
    const MANY: &[&str] = &[
        "several ",
        "various ",
        "multiple ",
        "many ",
        "some ",
        "a few ",
        "a number of ",
        "different ",
        "a couple of ",
    ];
    let announces = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let counted = lower.strip_prefix("there are ").or(lower.strip_prefix("there're "));
        let is_count = counted.is_some_and(|rest| MANY.iter().any(|many| rest.starts_with(many)));
        // "There are several tills: …" names them.
        let names_none = !lower.trim_end_matches(':').contains([':', '(', '`']);
        if is_count && names_none {
            return true;
        }
        STARTS.iter().any(|start| lower.starts_with(start)) || PARTS.iter().any(|part| lower.contains(part))
    };
    !text.is_empty() && text.iter().flat_map(|line| sentences(line)).all(announces)
}

/// Returns true if a topic has nothing but an installation: all lines of its example install, and its text is
/// short.
pub(super) fn only_installs(text: &[String], example: &str) -> bool {
    let letters = text.iter().flat_map(|line| line.chars()).filter(|c| c.is_alphabetic()).count();
    let mut lines = example
        .lines()
        .map(|line| line.trim().trim_start_matches("$ "))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .peekable();
    letters <= BESIDE && lines.peek().is_some() && lines.all(is_installation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_advertising_say_nothing_about_the_product() {
        for (text, expected) in [
            ("By using shop.example you agree to the terms of service.", true),
            ("Available as part of the Tidelift Subscription.", true),
            ("The option `--terms` is the address of the terms of service.", false),
            ("Orders are kept for a year.", false),
        ] {
            assert_eq!(is_aside(text), expected, "{text}");
        }
    }

    #[test]
    fn history_and_what_follows_it_are_cut() {
        for (text, expected) in [
            ("The project was started and coded by Jane Doe. Soon after we used it, too.", ""),
            ("The shop sells things. It was created by Jane Doe in 2010.", "The shop sells things."),
            ("The shop sells things. It is fast.", "The shop sells things. It is fast."),
        ] {
            assert_eq!(without_history(text), expected, "{text}");
        }
    }

    #[test]
    fn announcements_and_installations_alone_are_no_topics() {
        let text = |lines: &[&str]| -> Vec<String> { lines.iter().map(|it| (*it).to_owned()).collect() };
        let announced =
            ["The shop is configured as you see in the example above.", "Here is a list of all variables"];
        assert!(only_announces(&text(&announced)));
        assert!(only_announces(&text(&["There are several methods that return information about a till."])));
        assert!(!only_announces(&text(&["There are several tills: a fast and a slow one."])));
        assert!(!only_announces(&text(&["The shop has one till.", "Here is a list of all variables"])));
        assert!(only_installs(&text(&["Run our script:"]), "bash <(curl -s https://shop.example/docker.sh)"));
        assert!(only_installs(&text(&["Run it:"]), "$ curl -sSf https://shop.example/install.sh | sh"));
        assert!(!only_installs(&text(&["Run it:"]), "docker run -p 80:80 shop/shop"));
        assert!(!only_installs(&text(&["Run it:"]), "npm install shop\nnpx shop serve"));
        assert!(!only_installs(&text(&["The shop sells many things of all kinds."; 6]), "npm install shop"));
    }
}
