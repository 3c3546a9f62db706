//! A question as search terms: keywords, identifiers, phrases. Reads no file.

use super::related::{is_frame_word, is_stop_word, related, same};
use super::stem::{derived, stem};

/// Longest question that is read, in characters.
const QUESTION_CHARS: usize = 2_000;
/// Most terms of one question.
const TERMS: usize = 24;
/// Fewest letters of a keyword (CTX-26).
const KEYWORD_LETTERS: usize = 3;
/// Weight of a word that belongs to the frame of a question.
const FRAME: f32 = 0.25;
/// Weight of an identifier that the question writes exactly.
const EXACT: f32 = 2.0;
/// Weights of a word that is written for a term, of a word derived from it, and of a word of nearly its meaning.
const SAME: f32 = 0.9;
const DERIVED: f32 = 0.85;
const RELATED: f32 = 0.5;

/// A question parsed into search terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ScopeQuestion {
    /// In lower case, in the order of the question, without duplicates (CTX-26).
    pub(super) keywords: Vec<String>,
    /// Terms of the search: one for each keyword, identifier and phrase.
    pub(super) terms: Vec<SearchTerm>,
    /// The kinds of files that it asks for besides code of the program.
    pub(super) aims: WantedFiles,
}

/// Flags for the kinds of files that a question asks for, set by words such as "test", "guide" or "example".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WantedFiles {
    /// Tests.
    pub(super) tests: bool,
    /// Documentation.
    pub(super) docs: bool,
    /// Examples.
    pub(super) examples: bool,
}

/// A word, an identifier or a phrase that is searched in files.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SearchTerm {
    /// As the question has it.
    pub(super) text: String,
    /// Its weight beside the other terms; 1 for a keyword.
    pub(super) weight: f32,
    /// The way to find it.
    pub(super) form: TermForm,
}

/// The form of a search term, which decides how text is compared with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TermForm {
    /// A word by the stems that mean it, each with its weight.
    Word(Vec<(String, f32)>),
    /// A whole identifier.
    Identifier,
    /// A text of several words.
    Phrase,
}

impl ScopeQuestion {
    /// Parses a question into keywords, terms and aims. Reads its first 2,000 characters.
    pub(super) fn of(question: &str) -> Self {
        let question: String = question.chars().take(QUESTION_CHARS).collect();
        let mut found = Self::default();
        let (phrases, rest) = take_quoted(&question);
        for phrase in &phrases {
            found.add_phrase(phrase);
        }
        for token in rest.split_whitespace() {
            found.add_identifiers(token, false);
        }
        let words: Vec<String> = keyword_texts(&question);
        for word in &words {
            found.add_keyword(word);
        }
        for word in short_names(&question) {
            found.add_word(&word);
        }
        found.join_neighbours(&question);
        found.weaken_pairs(&question);
        let asks = |stems: &[&str]| keyword_stems(&question).any(|it| stems.contains(&it.as_str()));
        found.aims = WantedFiles {
            tests: asks(&["test", "spec", "fixtur"]),
            docs: asks(&["doc", "documentation", "document", "readm", "guid", "manual"]),
            examples: asks(&["exampl", "demo", "sampl"]),
        };
        found
    }

    /// Returns true if there is nothing to search for.
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn add(&mut self, term: SearchTerm) {
        let is_known = self.terms.iter().any(|known| {
            known.text == term.text
                && std::mem::discriminant(&known.form) == std::mem::discriminant(&term.form)
        });
        if !is_known && self.terms.len() < TERMS {
            self.terms.push(term);
        }
    }

    fn add_phrase(&mut self, phrase: &str) {
        let phrase = phrase.trim();
        if phrase.split_whitespace().count() > 1 {
            self.add(SearchTerm { text: phrase.to_owned(), weight: EXACT, form: TermForm::Phrase });
        }
        phrase.split_whitespace().for_each(|token| self.add_identifiers(token, true));
    }

    /// Adds the identifiers of a token without spaces: `a` and `b` of `a::b`, `max_depth` and `maxDepth` of
    /// `--max-depth`. A plain word is added only if it was quoted.
    fn add_identifiers(&mut self, token: &str, is_quoted: bool) {
        let token = token.trim_matches(|c: char| !is_name_char(c) && c != '-' && c != '/');
        let is_path = token.contains('/') || token.contains("::") || has_inner_dot(token);
        for part in token.trim_start_matches('-').split(|c: char| !is_name_char(c) && c != '-') {
            let part = part.trim_matches('-');
            let is_option = token.starts_with('-') || part.contains('-') && is_quoted;
            for name in if is_option { option_names(part) } else { vec![part.to_owned()] } {
                if is_quoted || is_path || is_option || is_written_as_name(&name) {
                    self.add_identifier(&name);
                }
            }
        }
    }

    fn add_identifier(&mut self, name: &str) {
        let is_name =
            name.len() > 1 && name.chars().all(is_name_char) && name.chars().any(char::is_alphabetic);
        let is_word = is_stop_word(&name.to_lowercase());
        if is_name && !is_word {
            self.add(SearchTerm { text: name.to_owned(), weight: EXACT, form: TermForm::Identifier });
        }
    }

    fn add_keyword(&mut self, word: &str) {
        self.keywords.push(word.to_owned());
        self.add_word(word);
    }

    fn add_word(&mut self, word: &str) {
        let base = stem(word);
        let mut forms = vec![(base.clone(), 1.0)];
        forms.extend(same(&base, stem).into_iter().map(|word| (stem(word), SAME)));
        forms.extend(derived(&base).into_iter().map(|form| (form, DERIVED)));
        forms.extend(related(&base, stem).into_iter().map(|word| (stem(word), RELATED)));
        let weight = if is_frame_word(word) { FRAME } else { 1.0 };
        self.add(SearchTerm { text: word.to_owned(), weight, form: TermForm::Word(forms) });
    }

    /// Lowers the weight of both words of a pair that says little about the subject, such as "command line".
    fn weaken_pairs(&mut self, question: &str) {
        let words: Vec<String> = words_of(question).collect();
        let weak = words.windows(2).filter(|pair| WEAK_PAIRS.contains(&(pair[0].as_str(), pair[1].as_str())));
        for word in weak.flatten() {
            let term =
                self.terms.iter_mut().find(|term| term.text == *word && term.form != TermForm::Identifier);
            if let Some(term) = term {
                term.weight = FRAME;
            }
        }
    }

    /// Makes each of two neighbouring words also match their compound: `filename` for "file name".
    fn join_neighbours(&mut self, question: &str) {
        let words: Vec<String> = words_of(question).collect();
        for pair in words.windows(2) {
            let joined = stem(&format!("{}{}", pair[0], pair[1]));
            for term in &mut self.terms {
                if let TermForm::Word(forms) = &mut term.form
                    && pair.contains(&term.text)
                    && !is_stop_word(&pair[0])
                    && !is_stop_word(&pair[1])
                {
                    forms.push((joined.clone(), 1.0));
                }
            }
        }
    }
}

/// Pairs of words that belong to the frame of a question.
const WEAK_PAIRS: &[(&str, &str)] = &[
    ("command", "line"),
    ("source", "code"),
    ("code", "base"),
    ("entry", "point"),
    ("data", "structure"),
    ("unit", "test"),
];

/// Returns the words of a text in lower case: runs of letters and digits. A camel-case name gives its parts
/// and the whole: `retry`, `policy` and `retrypolicy`.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
    runs.flat_map(|run| {
        let parts = split_humps(run);
        let whole = (parts.len() > 1).then(|| run.to_lowercase());
        parts.into_iter().map(str::to_lowercase).chain(whole).collect::<Vec<_>>()
    })
}

fn keyword_texts(question: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words_of(question) {
        let is_keyword = word.chars().count() >= KEYWORD_LETTERS && !is_stop_word(&word);
        if is_keyword && !found.contains(&word) && found.len() < TERMS {
            found.push(word);
        }
    }
    found
}

/// Words of two letters that name something in code.
const SHORT_NAMES: &[&str] = &["cd", "ci", "db", "fd", "id", "io", "ip", "js", "os", "tx", "ui", "vm", "ws"];

/// Returns the words of two letters that are searched too, in lower case: those in capitals and those of
/// `SHORT_NAMES`.
fn short_names(question: &str) -> Vec<String> {
    let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() == 2);
    let is_name = |word: &&str| {
        word.chars().all(|c| c.is_ascii_uppercase()) || SHORT_NAMES.contains(&word.to_lowercase().as_str())
    };
    words.filter(is_name).map(str::to_lowercase).filter(|word| !is_stop_word(word)).collect()
}

fn keyword_stems(question: &str) -> impl Iterator<Item = String> {
    words_of(question).map(|word| stem(&word))
}

/// Returns the texts inside quotes or backticks, and the question without them. An unclosed quote stays in
/// the question.
fn take_quoted(question: &str) -> (Vec<String>, String) {
    let (mut quoted, mut rest) = (Vec::new(), String::new());
    let mut left = question;
    while let Some(at) = left.find(['`', '"', '“']) {
        let open = left[at..].chars().next().unwrap_or('"');
        let close = if open == '“' { '”' } else { open };
        let inside = &left[at + open.len_utf8()..];
        let Some(end) = inside.find(close) else { break };
        rest.push_str(&left[..at]);
        rest.push(' ');
        quoted.push(inside[..end].to_owned());
        left = &inside[end + close.len_utf8()..];
    }
    rest.push_str(left);
    (quoted, rest)
}

/// Splits a camel-case name: `retryPolicy` → `retry`, `Policy`; `HTTPServer` → `HTTP`, `Server`.
fn split_humps(run: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = run.char_indices().collect();
    let mut cuts = vec![0];
    for at in 1..chars.len() {
        let (before, here) = (chars[at - 1].1, chars[at].1);
        let next = chars.get(at + 1).map(|(_, next)| *next);
        let rises = here.is_uppercase() && !before.is_uppercase();
        let falls = here.is_uppercase() && before.is_uppercase() && next.is_some_and(char::is_lowercase);
        if rises || falls {
            cuts.push(chars[at].0);
        }
    }
    cuts.push(run.len());
    cuts.windows(2).map(|pair| &run[pair[0]..pair[1]]).collect()
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns true for snake case and camel case: an underscore inside, or a capital behind the first letter
/// beside lower-case letters.
fn is_written_as_name(token: &str) -> bool {
    let is_snake = token.trim_matches('_').contains('_');
    is_snake || split_humps(token).len() > 1 && token.chars().any(char::is_lowercase)
}

fn has_inner_dot(token: &str) -> bool {
    token.char_indices().any(|(at, c)| {
        c == '.' && token[..at].ends_with(is_name_char) && token[at + 1..].starts_with(is_name_char)
    })
}

/// Returns the names that code uses for a command line option, in snake and camel case: `max-depth` →
/// `max_depth`, `maxDepth`. Without a hyphen there is one.
fn option_names(option: &str) -> Vec<String> {
    let snake = option.replace('-', "_");
    let mut parts = option.split('-');
    let first = parts.next().unwrap_or_default().to_owned();
    let camel = parts.fold(first, |name, part| {
        let mut chars = part.chars();
        let capital: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
        name + &capital + chars.as_str()
    });
    if snake == camel { vec![snake] } else { vec![snake, camel] }
}

/// Words of a topic (CTX-114).
const TOPIC_WORDS: usize = 4;
/// Longest topic, in bytes.
const TOPIC_BYTES: usize = 60;

/// Returns the first four words of a question for a file name (CTX-114): ASCII letters and digits in lower
/// case, joined by hyphens, at most 60 bytes; `question` if there are none.
pub fn topic(question: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let words = question.split(|c: char| !is_part(c) && c != '\'' && c != '’').filter_map(|word| {
        let plain: String = word.chars().filter(|c| is_part(*c)).collect();
        (!plain.is_empty()).then(|| plain.to_ascii_lowercase())
    });
    let mut name = words.take(TOPIC_WORDS).collect::<Vec<_>>().join("-");
    name.truncate(TOPIC_BYTES);
    let name = name.trim_end_matches('-');
    if name.is_empty() { "question".to_owned() } else { name.to_owned() }
}
