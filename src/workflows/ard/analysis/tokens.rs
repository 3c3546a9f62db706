//! Splits a statement into tokens and tags their parts of speech. Closed lists decide for small words,
//! the table of `lexicon.rs` and the neighbours for the others.

use super::lexicon::{self, Tense, VerbForm, is_in};

/// Part of speech of a token. Marks are punctuation other than commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordClass {
    Article,
    Pronoun,
    Preposition,
    To,
    And,
    Or,
    But,
    Modal,
    Be,
    Do,
    Not,
    /// A relative pronoun after a noun, such as "that" or "which".
    Relative,
    /// A word such as "when", "if", "because" that begins a dependent clause.
    Subordinator,
    Number,
    Adjective,
    Adverb,
    Noun,
    Verb(Tense),
    Comma,
    Mark,
}

impl WordClass {
    /// Returns true for a class behind which another finite verb may stand: conjunctions and commas.
    fn begins_clause(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::But | Self::Comma | Self::Relative | Self::Subordinator)
    }
}

/// Word or punctuation mark of a statement with its part of speech. `tokens` makes it; the grammar in
/// `clauses.rs` reads it.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub text: &'a str,
    pub lower: String,
    /// Byte offset in the statement.
    pub at: usize,
    pub speech: WordClass,
    /// Verb that the word can be by its spelling, even if `speech` is another part of speech.
    pub verb: Option<VerbForm>,
}

impl Token<'_> {
    /// Returns the byte offset behind the token.
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Returns true if the word, in lower case, is in a list of words between spaces.
    pub(super) fn is(&self, words: &'static str) -> bool {
        is_in(words, &self.lower)
    }

    /// Returns the base form of the verb if the word can be a verb in this form: `store` of "stores"
    /// for `Tense::Third`.
    pub(super) fn as_verb(&self, form: Tense) -> Option<&str> {
        self.verb.as_ref().filter(|verb| verb.form == form).map(|verb| verb.base.as_str())
    }

    /// Returns true if the word is tagged as a verb or can be one of the product verbs ("store",
    /// "notify").
    pub(super) fn is_likely_verb(&self) -> bool {
        matches!(self.speech, WordClass::Verb(_))
            || self.verb.as_ref().is_some_and(|verb| lexicon::is_product_verb(&verb.base))
    }

    /// Returns true if the word can be one of the verbs that ideas use for the actions of software.
    pub(super) fn is_product_verb(&self) -> bool {
        self.verb.as_ref().is_some_and(|verb| lexicon::is_product_verb(&verb.base))
    }

    /// Returns true for a word that can be part of a noun phrase.
    pub(super) fn is_nominal(&self) -> bool {
        matches!(
            self.speech,
            WordClass::Article
                | WordClass::Number
                | WordClass::Adjective
                | WordClass::Noun
                | WordClass::Pronoun
        ) || matches!(self.speech, WordClass::Verb(Tense::Past | Tense::Ing))
    }

    /// Returns true for "and", "or", "but" and commas.
    pub(super) fn is_conjunction(&self) -> bool {
        matches!(self.speech, WordClass::And | WordClass::Or | WordClass::But | WordClass::Comma)
    }
}

const ARTICLES: &str = " a an the this these those each every any some all no another both either my our your his her \
 its their several many much few multiple various most more other such same enough which's what ";
const PRONOUNS: &str = " i we you he she it they them us me him someone everyone anyone nobody everybody anybody \
 something anything everything nothing itself themselves one there those this that these i'd we'd i'm we're they're \
 it's you're i've we've ";
const PREPOSITIONS: &str = " of in on at by for with from into over under between through during against via per \
 within without across about above below near onto upon behind beyond along among around as than like inside outside \
 towards toward except despite off out up down ";
const MODALS: &str = " can could may might must shall should will would needs-to cannot can't couldn't shouldn't \
 mustn't won't wouldn't ";
const BE: &str = " is are was were be been being am isn't aren't wasn't weren't it's they're ";
const DO: &str = " do does did don't doesn't didn't ";
const SUBORDINATORS: &str = " when if because while unless until whenever since although though whereas so after \
 before once ";
const RELATIVES: &str = " that which who whose whom where ";
const ADVERBS: &str = " also then how not-only only even just very too again automatically already always never often \
 usually sometimes once together later instantly easily quickly simply basically please additionally ideally \
 optionally finally directly instead maybe perhaps therefore however still now daily weekly monthly \
 nightly hourly online offline locally remotely separately manually anonymously afterwards ";
const ADJECTIVES: &str = " new old own free open public private daily weekly monthly yearly nightly hourly local \
 remote online offline simple small big large last next recent different existing available current single multiple \
 good best main common personal read-only ";

/// Splits a statement with single spaces into tokens and tags their parts of speech.
pub(super) fn tokens(statement: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    for piece in statement.split(' ') {
        push_piece(&mut tokens, piece, at);
        at += piece.len() + 1;
    }
    correct(&mut tokens);
    tokens
}

/// Appends the tokens of a piece between two spaces: marks before it, the word or the alternatives at
/// slashes, marks behind it. `at` is the byte offset of the piece.
fn push_piece<'a>(tokens: &mut Vec<Token<'a>>, piece: &'a str, at: usize) {
    let is_mark = |c: char| {
        !c.is_alphanumeric() && !matches!(c, '%' | '#' | '+' | '$' | '€' | '£' | '@' | '&' | '/' | '°')
    };
    // A mark inside a word belongs to it, as in "Node.js" and "user's".
    let body = piece.trim_matches(is_mark);
    let mut start = piece.len() - piece.trim_start_matches(is_mark).len();
    let is_negative = piece[..start].ends_with(['-', '−']) && body.starts_with(|c: char| c.is_ascii_digit());
    let sign = piece[..start].chars().next_back().filter(|_| is_negative).map_or(0, char::len_utf8);
    start -= sign;
    let body = &piece[start..start + sign + body.len()];
    let before = if body.is_empty() { "" } else { &piece[..start] };
    push_marks(tokens, before, at);
    if body.is_empty() {
        push_marks(tokens, piece, at);
        return;
    }
    if let Some(slash) = body.find('/').filter(|_| splits_at_slash(body)) {
        push_word(tokens, &body[..slash], at + start);
        tokens.push(Token {
            text: "/",
            lower: "/".into(),
            at: at + start + slash,
            speech: WordClass::Or,
            verb: None,
        });
        push_piece(tokens, &body[slash + 1..], at + start + slash + 1);
    } else {
        push_word(tokens, body, at + start);
    }
    push_marks(tokens, &piece[start + body.len()..], at + start + body.len());
}

/// Returns true if the parts beside each slash are words of three or more letters, as in "edit/delete"; false for `km/h`,
/// `a.rs/b` and "and/or".
fn splits_at_slash(word: &str) -> bool {
    let parts: Vec<_> = word.split('/').collect();
    parts.iter().all(|part| part.len() > 2 && part.chars().all(|c| c.is_alphabetic() || c == '-'))
        && word.to_lowercase() != "and/or"
}

/// Appends a token for each character of `marks`, at byte offset `at`.
fn push_marks<'a>(tokens: &mut Vec<Token<'a>>, marks: &'a str, at: usize) {
    for (offset, c) in marks.char_indices() {
        let speech = if c == ',' { WordClass::Comma } else { WordClass::Mark };
        let text = &marks[offset..offset + c.len_utf8()];
        tokens.push(Token { text, lower: text.to_owned(), at: at + offset, speech, verb: None });
    }
}

/// Appends the token of a word at byte offset `at`, with its part of speech.
fn push_word<'a>(tokens: &mut Vec<Token<'a>>, text: &'a str, at: usize) {
    let lower = text.to_lowercase().replace('’', "'");
    let is_first = tokens.iter().all(|token| matches!(token.speech, WordClass::Mark));
    let verb = lexicon::verb(&lower);
    let speech = find_speech(text, &lower, verb.as_ref(), is_first);
    tokens.push(Token { text, lower, at, speech, verb });
}

/// Returns the part of speech of a word without its neighbours: first by the closed lists, then as a
/// number or name, then by the table. `is_first` is true at the beginning of the statement, where a
/// capital marks no name.
fn find_speech(text: &str, lower: &str, verb: Option<&VerbForm>, is_first: bool) -> WordClass {
    let is = |list: &'static str| is_in(list, lower);
    match lower {
        "to" => return WordClass::To,
        "and" | "&" | "plus" => return WordClass::And,
        "or" | "and/or" => return WordClass::Or,
        "but" | "yet" => return WordClass::But,
        "not" => return WordClass::Not,
        _ if is(MODALS) => return WordClass::Modal,
        _ if is(BE) => return WordClass::Be,
        _ if is(DO) => return WordClass::Do,
        _ if is(SUBORDINATORS) => return WordClass::Subordinator,
        _ if is(RELATIVES) => return WordClass::Relative,
        _ if is(ARTICLES) => return WordClass::Article,
        _ if is(PRONOUNS) => return WordClass::Pronoun,
        _ if is(PREPOSITIONS) => return WordClass::Preposition,
        _ if is(ADVERBS) && !is(ADJECTIVES) => return WordClass::Adverb,
        _ if is(ADJECTIVES) => return WordClass::Adjective,
        _ => {}
    }
    if text
        .trim_start_matches(['-', '−'])
        .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£'))
    {
        return WordClass::Number;
    }
    if is_in(" one two three four five six seven eight nine ten twelve twenty hundred thousand ", lower) {
        return WordClass::Number;
    }
    let is_name = text.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit() || c == '.')
        || (!is_first && text.starts_with(char::is_uppercase));
    if is_name {
        return WordClass::Noun;
    }
    by_table(lower, verb)
}

/// Returns verb, adverb, adjective or noun, the most frequent one by the table of words. Unknown words
/// are nouns.
fn by_table(lower: &str, verb: Option<&VerbForm>) -> WordClass {
    let entry = lexicon::entry(lower).unwrap_or_default();
    let noun = lexicon::noun(lower);
    let noun_level = noun.as_ref().map(|noun| {
        let level = lexicon::entry(&noun.base).and_then(|entry| entry.noun);
        level.unwrap_or(if verb.is_some() { 0 } else { 5 })
    });
    if let Some(verb) = verb {
        let is_product = lexicon::is_product_verb(&verb.base);
        let wins = match verb.form {
            Tense::Past | Tense::Ing => true,
            Tense::Base | Tense::Third => {
                noun_level.is_none_or(|level| verb.level > level)
                    && entry.adjective.is_none_or(|level| verb.level > level || is_product)
            }
        };
        if wins {
            return WordClass::Verb(verb.form);
        }
    }
    if lower.ends_with("ly")
        && noun_level.is_none_or(|_| lexicon::entry(lower).is_none_or(|it| it.noun.is_none()))
    {
        return WordClass::Adverb;
    }
    if entry.adverb.is_some_and(|level| level > entry.noun.unwrap_or(0).max(entry.adjective.unwrap_or(0))) {
        return WordClass::Adverb;
    }
    let adjective_end = ["able", "ible", "ical", "ive", "ful", "less", "ous", "ary"];
    let is_adjective = entry.adjective.is_some_and(|level| entry.noun.is_none_or(|noun| level >= noun))
        || (lexicon::entry(lower).is_none() && adjective_end.iter().any(|end| lower.ends_with(end)));
    if is_adjective { WordClass::Adjective } else { WordClass::Noun }
}

/// Corrects the parts of speech of all tokens by their neighbours: "sign" is a verb in "volunteers sign
/// up" and "a booking" has a noun.
fn correct(tokens: &mut [Token<'_>]) {
    // "Volunteers sign up": a third person before a base form is a plural noun.
    if let [first, second, ..] = tokens
        && first.speech == WordClass::Verb(Tense::Third)
        && (second.as_verb(Tense::Base).is_some() && second.is_likely_verb()
            || matches!(second.speech, WordClass::Be | WordClass::Modal | WordClass::Do)
            || super::clauses::is_person(&first.lower) && !first.is_product_verb())
        && lexicon::noun(&first.lower).is_some()
    {
        first.speech = WordClass::Noun;
    }
    // True after a verb until the next conjunction: a clause has one finite verb.
    let mut has_verb = false;
    for at in 0..tokens.len() {
        let before =
            tokens[..at].iter().rfind(|token| token.speech != WordClass::Adverb).map(|token| token.speech);
        let next = tokens.get(at + 1).map(|token| token.speech);
        // "A human reviews": an adjective before a verb is the noun of the subject.
        let is_head = before == Some(WordClass::Article)
            && tokens[at].speech == WordClass::Adjective
            && tokens.get(at + 1).is_some_and(|it| it.as_verb(Tense::Third).is_some() && it.is_likely_verb())
            && lexicon::entry(&tokens[at].lower).is_some_and(|entry| entry.noun.is_some());
        if is_head {
            tokens[at].speech = WordClass::Noun;
        }
        make_verb_of_subject(tokens, at);
        let is_plural_before = at > 0
            && (tokens[at - 1].speech == WordClass::Adverb
                || super::clauses::is_person(&tokens[at - 1].lower)
                || lexicon::noun(&tokens[at - 1].lower).is_some_and(|noun| noun.is_plural));
        let token = &mut tokens[at];
        match before {
            Some(WordClass::To | WordClass::Modal | WordClass::Do | WordClass::Not)
                if token.as_verb(Tense::Base).is_some()
                    && !matches!(
                        token.speech,
                        WordClass::Article | WordClass::Preposition | WordClass::Be
                    )
                    && token.text.chars().next().is_some_and(char::is_lowercase) =>
            {
                token.speech = WordClass::Verb(Tense::Base);
            }
            Some(WordClass::Article | WordClass::Number | WordClass::Preposition)
                if matches!(token.speech, WordClass::Verb(Tense::Base | Tense::Third)) =>
            {
                token.speech = WordClass::Noun;
            }
            // "a booking", "skips watering".
            Some(WordClass::Article | WordClass::Verb(_) | WordClass::Preposition | WordClass::Number)
                if token.speech == WordClass::Verb(Tense::Ing)
                    && !next.is_some_and(|next| {
                        matches!(
                            next,
                            WordClass::Noun
                                | WordClass::Adjective
                                | WordClass::Article
                                | WordClass::Number
                                | WordClass::Pronoun
                                | WordClass::Verb(_)
                        )
                    })
                    && !(before == Some(WordClass::Preposition) && next.is_some()) =>
            {
                token.speech = WordClass::Noun;
            }
            // "answers HTTP requests from".
            Some(WordClass::Noun)
                if has_verb
                    && matches!(token.speech, WordClass::Verb(Tense::Base | Tense::Third))
                    && lexicon::noun(&token.lower).is_some() =>
            {
                token.speech = WordClass::Noun;
            }
            // "overdue invoices", "create invoices".
            Some(WordClass::Adjective | WordClass::Verb(_))
                if matches!(token.speech, WordClass::Verb(Tense::Base | Tense::Third))
                    && lexicon::noun(&token.lower).is_some() =>
            {
                token.speech = WordClass::Noun;
            }
            // "a greenhouse monitor": a base form does not agree with a singular noun.
            Some(WordClass::Noun)
                if token.speech == WordClass::Verb(Tense::Base)
                    && lexicon::noun(&token.lower).is_some()
                    && !is_plural_before =>
            {
                token.speech = WordClass::Noun;
            }
            _ => {}
        }
        match tokens[at].speech {
            WordClass::Verb(Tense::Base | Tense::Third) => has_verb = true,
            class if class.begins_clause() => has_verb = false,
            _ => {}
        }
        let token = &mut tokens[at];
        // "like" and "as" stay prepositions, "this" before a noun an article, "no" an article.
        if token.is(" this that these those ") && matches!(next, Some(WordClass::Noun | WordClass::Adjective))
        {
            let is_after_noun = matches!(before, Some(WordClass::Noun));
            if !is_after_noun {
                token.speech = WordClass::Article;
            }
        }
    }
}

/// Tags the word at `at` as a verb if the pronoun before it begins a clause: "it stores invoices".
fn make_verb_of_subject(tokens: &mut [Token<'_>], at: usize) {
    let form = form_behind_subject(tokens, at);
    if let Some(form) = form
        && matches!(tokens[at].speech, WordClass::Noun | WordClass::Adjective)
        && tokens[at].as_verb(form).is_some()
    {
        tokens[at].speech = WordClass::Verb(form);
    }
}

/// Returns the form that a verb at `at` has after its pronoun: third person after "it", base form after
/// "they". `None` if no pronoun before it begins a clause.
fn form_behind_subject(tokens: &[Token<'_>], at: usize) -> Option<Tense> {
    let subject = tokens[..at].iter().rposition(|token| token.speech != WordClass::Adverb)?;
    let begins = subject.checked_sub(1).is_none_or(|before| {
        matches!(
            tokens[before].speech,
            WordClass::Mark
                | WordClass::Comma
                | WordClass::And
                | WordClass::Or
                | WordClass::But
                | WordClass::Subordinator
        )
    });
    let form = match &tokens[subject] {
        it if it.is(" it he she ") => Tense::Third,
        it if it.is(" they we i you ") => Tense::Base,
        _ => return None,
    };
    begins.then_some(form)
}

/// Returns the source text from the first to the last token, without commas, marks and conjunctions at
/// its ends. Quotation marks and parentheses at the ends stay. Empty if nothing is left.
pub(super) fn text<'a>(statement: &'a str, tokens: &[Token<'_>]) -> &'a str {
    let is_edge = |token: &&Token<'_>| {
        !matches!(token.speech, WordClass::Comma | WordClass::Mark) && !token.is_conjunction()
    };
    let closes =
        |token: &&Token<'_>| is_edge(token) || token.text == ")" || token.text == "\"" || token.text == "”";
    let opens =
        |token: &&Token<'_>| is_edge(token) || token.text == "(" || token.text == "\"" || token.text == "“";
    match (tokens.iter().find(opens), tokens.iter().rfind(closes)) {
        (Some(first), Some(last)) if first.at < last.end() => &statement[first.at..last.end()],
        _ => "",
    }
}

/// Returns true for function words of English, such as articles, pronouns and prepositions. The word is
/// in lower case.
pub(in super::super) fn is_small_word(lower: &str) -> bool {
    [ARTICLES, PRONOUNS, PREPOSITIONS, MODALS, BE, DO, SUBORDINATORS, RELATIVES]
        .iter()
        .any(|list| is_in(list, lower))
        || matches!(lower, "to" | "and" | "or" | "but" | "not")
}

/// Returns true if the word, in lower case, is in the lists or the table of English words.
pub(super) fn is_english(lower: &str) -> bool {
    is_small_word(lower) || is_in(ADVERBS, lower) || lexicon::is_known(lower)
}
