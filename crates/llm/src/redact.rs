//! Removes secrets from foreign texts, because an endpoint may echo the key it was sent in an answer, an error or a header. Serves keys of
//! model endpoints and secrets of graph files. Knows no endpoint and no file; never prints a secret.
//!
//! Finds a secret verbatim, with characters escaped as in URLs (`%2F`), JSON (`\/`, `\u002f`) or HTML (`&amp;`), in any mixture, and in
//! base64, also inside a longer text such as the `user:password` of Basic authentication.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::model::{ChatAnswer, Finish, Restart, TokenDemand, TokenSink};

/// Minimum length of a secret in bytes; shorter ones are not removed, because they could not be told from other text.
pub const SECRET_MIN: usize = 8;

/// A redactor that replaces secrets by `[secret: name]`. Clones share the secrets.
///
/// ```
/// use stategraph_llm::Redactor;
///
/// let redactor = Redactor::new().with("OPENAI_API_KEY", "sk-1234567890");
/// assert_eq!(redactor.text("the key is sk-1234567890."), "the key is [secret: OPENAI_API_KEY].");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    needles: Arc<Vec<Needle>>,
}

/// A form in which a secret is searched for: the secret itself, or a base64 text that contains it.
#[derive(Clone)]
struct Needle {
    name: Arc<str>,
    text: SecretString,
}

/// The result of matching a secret at one position of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecretMatch {
    /// No match.
    Nothing,
    /// The text ends within a possible secret.
    Beginning,
    /// A secret of this length, in bytes.
    Whole(usize),
}

impl Redactor {
    /// Makes a redactor without secrets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret under a name that may be shown. Ignores a secret shorter than [`SECRET_MIN`].
    #[must_use]
    pub fn with(mut self, name: &str, secret: &str) -> Self {
        if secret.len() >= SECRET_MIN {
            let needles = Arc::make_mut(&mut self.needles);
            let name: Arc<str> = name.into();
            let forms = std::iter::once(secret.to_owned()).chain(base64_forms(secret.as_bytes()));
            needles.extend(forms.map(|text| Needle { name: name.clone(), text: text.into() }));
        }
        self
    }

    /// Adds the secrets of another redactor to this one.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        Arc::make_mut(&mut self.needles).extend(other.needles.iter().cloned());
        self
    }

    /// Returns true if the redactor has no secret.
    pub fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// Returns the text with each secret replaced by `[secret: name]`.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = String::new();
        let rest = self.scan(text, &mut clean, RedactionScan::Whole);
        if clean.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(clean + rest) }
    }

    /// Replaces the secrets in all strings and keys of a JSON value, and each number whose digits contain a
    /// secret.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Number(number) => {
                if let Cow::Owned(clean) = self.text(&number.to_string()) {
                    *value = clean.into();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(entries) => {
                if entries.keys().any(|key| matches!(self.text(key), Cow::Owned(_))) {
                    let all = std::mem::take(entries).into_iter();
                    *entries = all.map(|(key, value)| (self.text(&key).into_owned(), value)).collect();
                }
                entries.values_mut().for_each(|value| self.value(value));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Replaces the secrets in all texts of an answer.
    pub(super) fn answer(&self, mut answer: ChatAnswer) -> ChatAnswer {
        if self.is_empty() {
            return answer;
        }
        let clean = |text: &mut String| *text = self.text(text).into_owned();
        clean(&mut answer.text);
        clean(&mut answer.model);
        for call in &mut answer.tool_calls {
            [&mut call.id, &mut call.name, &mut call.arguments].into_iter().for_each(clean);
        }
        if let Finish::Other(reason) = &mut answer.finish {
            clean(reason);
        }
        answer
    }

    /// Appends `text` to `clean`, with secrets replaced, and returns the rest that is not appended. Of a
    /// whole text, this is the text behind the last secret, so nothing is copied if there is no secret. Of a
    /// piece, it is the end that may be the beginning of a secret.
    fn scan<'t>(&self, text: &'t str, clean: &mut String, scan: RedactionScan) -> &'t str {
        let (mut from, mut at) = (0, 0);
        while !self.needles.is_empty() && at < text.len() {
            let mut found = SecretMatch::Nothing;
            let mut name = "";
            for needle in self.needles.iter() {
                match needle.at(&text[at..]) {
                    // Accepted only if no longer secret may still continue beyond the end of the text.
                    SecretMatch::Whole(length)
                        if (found != SecretMatch::Beginning || scan == RedactionScan::Whole)
                            && !matches!(found, SecretMatch::Whole(other) if other >= length) =>
                    {
                        (found, name) = (SecretMatch::Whole(length), &needle.name);
                    }
                    SecretMatch::Beginning if scan == RedactionScan::Piece => found = SecretMatch::Beginning,
                    _ => {}
                }
            }
            match found {
                SecretMatch::Whole(length) => {
                    clean.push_str(&text[from..at]);
                    clean.push_str("[secret: ");
                    clean.push_str(name);
                    clean.push(']');
                    at += length;
                    from = at;
                }
                SecretMatch::Beginning => {
                    clean.push_str(&text[from..at]);
                    return &text[at..];
                }
                SecretMatch::Nothing => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        if scan == RedactionScan::Piece {
            clean.push_str(&text[from..]);
            return "";
        }
        &text[from..]
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.needles.iter().map(|needle| &needle.name)).finish()
    }
}

/// The completeness of a text that is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RedactionScan {
    /// No more text follows.
    Whole,
    /// More text may follow.
    Piece,
}

/// Returns the parts of base64 texts that a secret always produces, for each of the three alignments. The
/// characters at the ends are left out, because they also encode neighbouring bytes.
fn base64_forms(secret: &[u8]) -> Vec<String> {
    let mut forms: Vec<String> = (0..3)
        .flat_map(|before| {
            let bytes = [&vec![0; before], secret].concat();
            let (first, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
            [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
                .map(|text| text[first..end].to_owned())
        })
        .collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

impl Needle {
    /// Matches the secret at the beginning of `text`. Each character may be escaped differently, so all
    /// encodings are followed at once. Of several matches, the longest counts.
    fn at(&self, text: &str) -> SecretMatch {
        let (first, wanted) = (text.as_bytes().first(), self.text.expose_secret().as_bytes().first());
        if first != wanted && !first.is_some_and(|first| b"%\\&+".contains(first)) {
            return SecretMatch::Nothing;
        }
        let mut ends = vec![0_usize];
        let mut ends_with_text = false;
        for wanted in self.text.expose_secret().chars() {
            let mut next = Vec::new();
            for end in ends {
                each_encoding(wanted, &text.as_bytes()[end..], &mut |way| match way {
                    CharMatch::Taken(length) => next.push(end + length),
                    CharMatch::Begun => ends_with_text = true,
                });
            }
            if next.is_empty() {
                return if ends_with_text { SecretMatch::Beginning } else { SecretMatch::Nothing };
            }
            next.sort_unstable();
            next.dedup();
            ends = next;
        }
        ends.last().map_or(SecretMatch::Nothing, |end| SecretMatch::Whole(*end))
    }
}

/// A match of one character of a secret at the beginning of a text.
enum CharMatch {
    /// A match of this length, in bytes.
    Taken(usize),
    /// The text ends within a possible match.
    Begun,
}

/// Calls `tell` for every encoding in which `text` may begin with the character `wanted`: plain, as in URLs,
/// JSON or HTML.
fn each_encoding(wanted: char, text: &[u8], tell: &mut dyn FnMut(CharMatch)) {
    let mut plain = [0; 4];
    let plain = wanted.encode_utf8(&mut plain).as_bytes();
    let mut told = |form: &[u8]| match (text.starts_with(form), form.starts_with(text)) {
        (true, _) => tell(CharMatch::Taken(form.len())),
        (_, true) => tell(CharMatch::Begun),
        _ => {}
    };
    told(plain);
    let Some(first) = text.first() else { return };
    match first {
        b'%' => {
            // Upper-case digits suffice, because the text is compared in upper case.
            let encoded = plain.iter().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
            let length = encoded.len().min(text.len());
            if text[..length].eq_ignore_ascii_case(&encoded.as_bytes()[..length]) {
                tell(if length == encoded.len() { CharMatch::Taken(length) } else { CharMatch::Begun });
            }
        }
        b'+' if wanted == ' ' => told(b"+"),
        b'\\' => match_escape(wanted, plain, text, tell),
        b'&' => {
            let named = match wanted {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&apos;",
                _ => "",
            };
            let numbered = [format!("&#{};", u32::from(wanted)), format!("&#x{:x};", u32::from(wanted))];
            let forms = [named].into_iter().chain(numbered.iter().map(String::as_str));
            forms.filter(|form| !form.is_empty()).for_each(|form| told(form.as_bytes()));
        }
        _ => {}
    }
}

/// Calls `tell` for the encodings of `wanted` with backslashes, as in JSON and in JSON within JSON. `plain`
/// is the character in UTF-8; `text` begins with a backslash.
fn match_escape(wanted: char, plain: &[u8], text: &[u8], tell: &mut dyn FnMut(CharMatch)) {
    let slashes = text.iter().take_while(|byte| **byte == b'\\').count();
    if slashes == text.len() {
        return tell(CharMatch::Begun);
    }
    if wanted == '\\' {
        // Each level of JSON doubles the backslashes.
        [2, 4].into_iter().filter(|count| slashes >= *count).for_each(|count| tell(CharMatch::Taken(count)));
    }
    let rest = &text[slashes..];
    let short: &[u8] = match wanted {
        '"' | '/' | '\'' => plain,
        '\n' => b"n",
        '\t' => b"t",
        '\r' => b"r",
        _ => b"",
    };
    if !short.is_empty() && rest.starts_with(short) {
        tell(CharMatch::Taken(slashes + short.len()));
    }
    let mut units = [0; 2];
    let units = wanted.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
    let units = units.collect::<Vec<_>>().concat();
    // The first backslash is among those that were counted.
    let unit = &units.as_bytes()[1..];
    let length = unit.len().min(rest.len());
    if rest[..length].eq_ignore_ascii_case(&unit[..length]) {
        tell(if length == unit.len() { CharMatch::Taken(slashes + length) } else { CharMatch::Begun });
    }
}

/// A sink that passes tokens on with secrets replaced. It holds back the end of a piece that may begin a
/// secret until the next piece arrives.
pub(super) struct RedactedSink<'a> {
    inner: &'a dyn TokenSink,
    redactor: &'a Redactor,
    held: Mutex<String>,
}

impl<'a> RedactedSink<'a> {
    pub(super) fn new(inner: &'a dyn TokenSink, redactor: &'a Redactor) -> Self {
        Self { inner, redactor, held: Mutex::default() }
    }

    /// Passes on the text held back, at the end of an answer.
    pub(super) fn finish(&self) {
        let rest = std::mem::take(&mut *self.lock_held());
        if !rest.is_empty() {
            self.inner.token(&self.redactor.text(&rest));
        }
    }

    fn lock_held(&self) -> MutexGuard<'_, String> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenSink for RedactedSink<'_> {
    fn token_demand(&self) -> TokenDemand {
        self.inner.token_demand()
    }

    fn begin(&self) {
        self.finish();
        self.inner.begin();
    }

    fn token(&self, text: &str) {
        if self.redactor.is_empty() {
            return self.inner.token(text);
        }
        let mut held = self.lock_held();
        held.push_str(text);
        let mut clean = String::new();
        let rest = self.redactor.scan(&held, &mut clean, RedactionScan::Piece).to_owned();
        *held = rest;
        drop(held);
        if !clean.is_empty() {
            self.inner.token(&clean);
        }
    }

    fn restart(&self) -> Restart {
        self.lock_held().clear();
        self.inner.restart()
    }
}
