//! Takes secrets out of texts of others: an endpoint may echo the key that it was sent, in its answer, an error or a header. One redactor
//! for keys of model endpoints and for the secrets of graph files. Knows no endpoint and no file; never prints a secret.
//!
//! A secret is found as it is, and where characters of it are written as URLs (`%2F`), JSON (`\/`, `\u002f`) or HTML (`&amp;`) write
//! them, in any mixture; and in base64, also in the middle of a longer text such as the `user:password` of Basic authentication.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::model::{Appetite, ChatAnswer, Finish, Restart, TokenSink};

/// The shortest secret that is taken out of texts, in bytes. A shorter one could not be told from other text.
pub const SECRET_MIN: usize = 8;

/// Finds secrets in texts and puts `[secret: name]` in their place. Clones share what they know.
#[derive(Clone, Default)]
pub struct Redactor {
    needles: Arc<Vec<Needle>>,
}

/// A form of a secret that is searched for.
#[derive(Clone)]
struct Needle {
    name: Arc<str>,
    text: SecretString,
}

/// What stands at a place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No secret.
    Nothing,
    /// The beginning of a secret, up to the end of the text.
    Beginning,
    /// A secret of so many bytes.
    Whole(usize),
}

impl Redactor {
    /// A redactor that knows no secret.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret under a name that may be shown. One that is shorter than [`SECRET_MIN`] is not searched for.
    #[must_use]
    pub fn with(mut self, name: &str, secret: &str) -> Self {
        if secret.len() >= SECRET_MIN {
            let needles = Arc::make_mut(&mut self.needles);
            let name: Arc<str> = name.into();
            let forms = std::iter::once(secret.to_owned()).chain(encoded(secret.as_bytes()));
            needles.extend(forms.map(|text| Needle { name: name.clone(), text: text.into() }));
        }
        self
    }

    /// Adds the secrets of another redactor.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        Arc::make_mut(&mut self.needles).extend(other.needles.iter().cloned());
        self
    }

    /// Returns whether it knows no secret.
    pub fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// Returns the text without secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = String::new();
        let rest = self.scan(text, &mut clean, Scan::Whole);
        if clean.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(clean + rest) }
    }

    /// Takes secrets out of all texts of a value: keys, and numbers that a secret looks like, too.
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

    /// Takes secrets out of an answer.
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

    /// Copies `text` to `clean` without secrets, and returns what was not copied: all that follows the last secret or, of a piece,
    /// what may be the beginning of one. Nothing is copied from a whole text that holds no secret.
    fn scan<'t>(&self, text: &'t str, clean: &mut String, scan: Scan) -> &'t str {
        let (mut from, mut at) = (0, 0);
        while !self.needles.is_empty() && at < text.len() {
            let mut found = Found::Nothing;
            let mut name = "";
            for needle in self.needles.iter() {
                match needle.at(&text[at..]) {
                    // A longer secret may still be under way, and it ends with the text.
                    Found::Whole(length)
                        if (found != Found::Beginning || scan == Scan::Whole)
                            && !matches!(found, Found::Whole(other) if other >= length) =>
                    {
                        (found, name) = (Found::Whole(length), &needle.name);
                    }
                    Found::Beginning if scan == Scan::Piece => found = Found::Beginning,
                    _ => {}
                }
            }
            match found {
                Found::Whole(length) => {
                    clean.push_str(&text[from..at]);
                    clean.push_str("[secret: ");
                    clean.push_str(name);
                    clean.push(']');
                    at += length;
                    from = at;
                }
                Found::Beginning => {
                    clean.push_str(&text[from..at]);
                    return &text[at..];
                }
                Found::Nothing => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        if scan == Scan::Piece {
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

/// How much of a text is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scan {
    Whole,
    /// More may follow.
    Piece,
}

/// The parts of base64 texts that hold a secret, wherever in the encoded text it begins, without the characters at the ends that also
/// hold bits of what stands before and after it.
fn encoded(secret: &[u8]) -> Vec<String> {
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
    /// What stands at the beginning of `text`. Each character of the secret may be written in any way, so the ends of all ways are
    /// followed at once.
    fn at(&self, text: &str) -> Found {
        let (first, wanted) = (text.as_bytes().first(), self.text.expose_secret().as_bytes().first());
        if first != wanted && !first.is_some_and(|first| b"%\\&+".contains(first)) {
            return Found::Nothing;
        }
        let mut ends = vec![0_usize];
        let mut ends_with_text = false;
        for wanted in self.text.expose_secret().chars() {
            let mut next = Vec::new();
            for end in ends {
                ways(wanted, &text.as_bytes()[end..], &mut |way| match way {
                    Way::Taken(length) => next.push(end + length),
                    Way::Begun => ends_with_text = true,
                });
            }
            if next.is_empty() {
                return if ends_with_text { Found::Beginning } else { Found::Nothing };
            }
            next.sort_unstable();
            next.dedup();
            ends = next;
        }
        ends.last().map_or(Found::Nothing, |end| Found::Whole(*end))
    }
}

/// How a character stands at the beginning of a text.
enum Way {
    /// In so many bytes.
    Taken(usize),
    /// In part: the text ends before it does.
    Begun,
}

/// Tells every way in which the text may begin with `wanted`.
fn ways(wanted: char, text: &[u8], tell: &mut dyn FnMut(Way)) {
    let mut plain = [0; 4];
    let plain = wanted.encode_utf8(&mut plain).as_bytes();
    let mut told = |form: &[u8]| match (text.starts_with(form), form.starts_with(text)) {
        (true, _) => tell(Way::Taken(form.len())),
        (_, true) => tell(Way::Begun),
        _ => {}
    };
    told(plain);
    let Some(first) = text.first() else { return };
    match first {
        b'%' => {
            // Digits of both cases: the text is read in upper case.
            let encoded = plain.iter().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
            let length = encoded.len().min(text.len());
            if text[..length].eq_ignore_ascii_case(&encoded.as_bytes()[..length]) {
                tell(if length == encoded.len() { Way::Taken(length) } else { Way::Begun });
            }
        }
        b'+' if wanted == ' ' => told(b"+"),
        b'\\' => escaped(wanted, plain, text, tell),
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

/// The ways with backslashes: as JSON writes it, and as JSON in JSON does, with more of them.
fn escaped(wanted: char, plain: &[u8], text: &[u8], tell: &mut dyn FnMut(Way)) {
    let slashes = text.iter().take_while(|byte| **byte == b'\\').count();
    if slashes == text.len() {
        return tell(Way::Begun);
    }
    if wanted == '\\' {
        // Every level of JSON doubles them.
        [2, 4].into_iter().filter(|count| slashes >= *count).for_each(|count| tell(Way::Taken(count)));
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
        tell(Way::Taken(slashes + short.len()));
    }
    let mut units = [0; 2];
    let units = wanted.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
    let units = units.collect::<Vec<_>>().concat();
    // The first backslash is among those that were counted.
    let unit = &units.as_bytes()[1..];
    let length = unit.len().min(rest.len());
    if rest[..length].eq_ignore_ascii_case(&unit[..length]) {
        tell(if length == unit.len() { Way::Taken(slashes + length) } else { Way::Begun });
    }
}

/// A sink that passes pieces on without secrets. The end of a piece that may be the beginning of a secret waits for the next one.
pub(super) struct RedactedSink<'a> {
    inner: &'a dyn TokenSink,
    redactor: &'a Redactor,
    held: Mutex<String>,
}

impl<'a> RedactedSink<'a> {
    pub(super) fn new(inner: &'a dyn TokenSink, redactor: &'a Redactor) -> Self {
        Self { inner, redactor, held: Mutex::default() }
    }

    /// Passes on what still waits: no more pieces follow.
    pub(super) fn finish(&self) {
        let rest = std::mem::take(&mut *self.held());
        if !rest.is_empty() {
            self.inner.token(&self.redactor.text(&rest));
        }
    }

    fn held(&self) -> MutexGuard<'_, String> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenSink for RedactedSink<'_> {
    fn appetite(&self) -> Appetite {
        self.inner.appetite()
    }

    fn begin(&self) {
        self.finish();
        self.inner.begin();
    }

    fn token(&self, text: &str) {
        if self.redactor.is_empty() {
            return self.inner.token(text);
        }
        let mut held = self.held();
        held.push_str(text);
        let mut clean = String::new();
        let rest = self.redactor.scan(&held, &mut clean, Scan::Piece).to_owned();
        *held = rest;
        drop(held);
        if !clean.is_empty() {
            self.inner.token(&clean);
        }
    }

    fn restart(&self) -> Restart {
        self.held().clear();
        self.inner.restart()
    }
}
