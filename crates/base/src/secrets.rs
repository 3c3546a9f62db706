//! Rules that find keys, tokens and passwords in texts of strangers. They look at the text alone; secrets that are known by their value are
//! the work of `llm`'s redactor.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// Fixed beginnings of keys and tokens of known services, each with the minimum number of bytes that follow
/// it.
const TOKENS: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 35),
    ("ya29.", 20),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghu_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("npm_", 36),
    ("pypi-", 40),
    ("sk-", 20),
    ("sk_live_", 20),
    ("rk_live_", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xapp-", 20),
    ("hf_", 30),
    ("SG.", 40),
    ("dop_v1_", 40),
    ("shpat_", 32),
    ("eyJ", 60),
];

/// Words that the name of a variable or field with a secret contains, in small letters.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "private_key",
    "bearer",
];

/// Minimum length of a value that may count as random, in bytes.
const RANDOM_CHARS: usize = 16;
/// Minimum entropy of a value that counts as random, in bits per byte. English words have less than 3, random
/// base64 of this length about 4.
const RANDOM_BITS: f64 = 3.4;

/// Returns true if a text contains a secret: a key or token of a known form, an address with a password, the
/// first line of a private key, or a value that looks random after a name such as `password`.
///
/// ```
/// use stategraph_base::has_secret;
///
/// assert!(has_secret("API_TOKEN=q8Zr1TvX0mLw93KdPa7c"));
/// assert!(!has_secret("API_TOKEN=$(cat token.txt)"));
/// ```
pub fn has_secret(text: &str) -> bool {
    find_key(text, 0).is_some() || !find_values(text).is_empty()
}

/// Returns the text with every secret value replaced by `[secret]`. Names, quotes and line breaks stay, so
/// that lines keep their numbers.
///
/// ```
/// use stategraph_base::redact_secrets;
///
/// assert_eq!(redact_secrets("API_TOKEN=q8Zr1TvX0mLw93KdPa7c\n"), "API_TOKEN=[secret]\n");
/// ```
pub fn redact_secrets(text: &str) -> Cow<'_, str> {
    let mut found = find_values(text);
    found.extend(find_key_bodies(text));
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|range| (range.start, Reverse(range.end)));
    let (mut redacted, mut at) = (String::with_capacity(text.len()), 0);
    for range in found.into_iter().filter(|range| !range.is_empty()) {
        // Two rules may find parts of one value.
        if range.start >= at {
            redacted.push_str(&text[at..range.start]);
            redacted.push_str("[secret]");
        }
        at = at.max(range.end);
    }
    redacted.push_str(&text[at..]);
    Cow::Owned(redacted)
}

/// Returns the byte ranges of tokens, passwords and random values, unsorted. They may overlap. Private keys
/// are not included; see `find_key_bodies`.
fn find_values(text: &str) -> Vec<Range<usize>> {
    let mut found = find_tokens(text);
    found.extend(find_passwords_in_addresses(text));
    found.extend(find_random_values(text));
    found
}

/// Returns the byte ranges of the words that begin like one of `TOKENS` and are long enough.
fn find_tokens(text: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    // Nearly all words are too short for any of them.
    let least = TOKENS.iter().map(|(start, more)| start.len() + more).min().unwrap_or(0);
    let is_token = |word: &str| {
        word.len() >= least
            && TOKENS
                .iter()
                .any(|(start, more)| word.strip_prefix(start).is_some_and(|rest| rest.len() >= *more))
    };
    let mut at = 0;
    let words = text.split(|c| !is_part(c)).map(|word| {
        let range = offset_of(text, word, &mut at);
        (word, range)
    });
    words.filter(|(word, _)| is_token(word)).map(|(_, range)| range).collect()
}

/// Returns the byte range of `word`, which starts at `at`. Moves `at` behind the word and the one separator
/// character after it: to the start of the next word of a split.
fn offset_of(text: &str, word: &str, at: &mut usize) -> Range<usize> {
    let start = *at;
    let end = start + word.len();
    *at = end + text[end..].chars().next().map_or(0, char::len_utf8);
    start..end
}

/// Returns the byte ranges of the passwords in addresses such as `https://user:password@host`. Skips
/// variables and placeholders (`$PASSWORD`, `<password>`).
fn find_passwords_in_addresses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let rest = &text[at + mark.len()..];
        let rest = rest.split("://").next().unwrap_or(rest);
        let host = rest.split(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'')).next();
        let user = host.and_then(|host| host.rsplit_once('@'));
        if let Some((name, password)) = user.and_then(|(user, _)| user.split_once(':'))
            && !is_placeholder(password)
        {
            let start = at + mark.len() + name.len() + 1;
            found.push(start..start + password.len());
        }
    }
    found
}

/// Upper bound of the bytes that are read between a word of `NAMES` and the end of the variable's name. It
/// keeps the time linear for texts that repeat such words.
const NAME_REST: usize = 64;
/// Maximum length of a value that is examined, in bytes; the rest is ignored.
const VALUE: usize = 256;

/// Returns the byte ranges of the random-looking values that follow a name with a word of `NAMES`.
fn find_random_values(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let all = NAMES.iter().flat_map(|name| lower.match_indices(name).map(|(at, _)| at + name.len()));
    all.filter_map(|end| value_behind(text, end)).collect()
}

/// Returns the byte range of the random-looking value that follows a name, as `"…"` in `API_TOKEN_V2: "…"`.
/// `end` is the offset behind the word of `NAMES`, here behind `TOKEN`. Quotes may be escaped:
/// `"\"password\": \"…\""`. Returns `None` if no separator follows or the value does not look random.
fn value_behind(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = &text[end..];
    // `API_TOKEN_V2: "…"`: the rest of the name, then a separator.
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'"' | b'\'' | b'\\');
    let length = rest.bytes().take(NAME_REST).take_while(is_name).count();
    if length == NAME_REST {
        return None;
    }
    let rest = &rest[length..];
    let value = rest.trim_start_matches([' ', '=', ':', '"', '\'', '>', '\\']);
    let length = value.bytes().take(VALUE).take_while(|byte| is_of_value(char::from(*byte))).count();
    let start = text.len() - value.len();
    let value = &value[..length];
    let is_value = rest.len() > value.len() && rest.starts_with([' ', '=', ':']) && is_random(value);
    is_value.then_some(start..start + length)
}

/// End of the first line of a private key, and of its last line.
const KEY: &str = "PRIVATE KEY-----";
/// Maximum length of `-----BEGIN ` and the kind of key (`RSA `), in bytes.
const KEY_KIND: usize = 40;
/// Maximum length of the text after the first line that is searched for the body of a private key, in bytes.
const KEY_BYTES: usize = 16 << 10;
/// Minimum length of a base64 run that counts as part of a key, in bytes, if the key has its last line.
const KEY_PART: usize = 16;
/// The same minimum for a key without a last line: larger, because the text after it may be something else.
const KEY_LINE: usize = 40;

/// Returns the offset behind the next `-----BEGIN … PRIVATE KEY-----` at or after `from`; `None` if there is
/// none. `PRIVATE KEY-----` without `-----BEGIN` on the same line does not count: it occurs in code that
/// looks for keys.
fn find_key(text: &str, from: usize) -> Option<usize> {
    let mut found = text[from..].match_indices(KEY).map(|(at, _)| from + at);
    let begins = |at: &usize| {
        let start = (at.saturating_sub(KEY_KIND)..=*at).find(|at| text.is_char_boundary(*at)).unwrap_or(*at);
        let before = &text[start.max(from)..*at];
        before.rfind("-----BEGIN ").is_some_and(|begin| !before[begin..].contains('\n'))
    };
    found.find(begins).map(|at| at + KEY.len())
}

/// Returns the byte ranges of the base64 lines between the first and the last line of each private key.
/// Without a last line, a key ends at the first line that has no base64.
fn find_key_bodies(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = find_key(text, at) {
        let limit = (start..=(start + KEY_BYTES).min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let body = &text[start..limit.unwrap_or(start)];
        let (body, least) = match body.find("-----END ") {
            Some(end) => (&body[..end], KEY_PART),
            None => (body, KEY_LINE),
        };
        at = start + body.len();
        for (number, line) in body.split_inclusive('\n').enumerate() {
            let offset = start + offset_in(body, line);
            let parts = base64_parts(line, least);
            // Without a last line the key ends at the first line that is none; the rest of the first line may be a quote.
            if parts.is_empty() && least == KEY_LINE && number > 0 {
                at = offset;
                break;
            }
            found.extend(parts.into_iter().map(|part| offset + part.start..offset + part.end));
        }
    }
    found
}

/// Returns the byte offset of `part` in `text`; `part` must be a slice of `text`.
fn offset_in(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// Returns the ranges of the runs of base64 characters in a line that have at least `least` bytes, relative
/// to the line.
fn base64_parts(line: &str, least: usize) -> Vec<Range<usize>> {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let parts = line.split(|c| !is_of_key(c)).filter(|part| part.len() >= least);
    parts.map(|part| offset_in(line, part)..offset_in(line, part) + part.len()).collect()
}

/// Returns true for a character that a secret value may contain: letters, digits and the marks of base64,
/// URLs and tokens.
fn is_of_value(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-' | '=' | '.' | '~')
}

/// Returns true if a value stands for a secret instead of being one: a variable (`$…`, `{…`), a mark (`<…`,
/// `*…`), or a text with a word such as `example`, `token` or `changeme`.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.starts_with(['$', '<', '{', '%', '[', '*'])
        || ["password", "passwd", "pass", "secret", "token", "example", "xxx", "changeme"]
            .iter()
            .any(|word| lower.contains(word))
}

/// Returns true for a value that looks random: long enough, with letters and digits, high entropy and few
/// separators. A path, a version or a placeholder does not.
fn is_random(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    // Paths, versions and names with hyphens are words.
    let is_word = value.contains("..") || value.matches(['/', '.', '-', '_']).count() * 5 > value.len();
    value.len() >= RANDOM_CHARS
        && is_mixed
        && !is_word
        && !is_placeholder(value)
        && bits(value) >= RANDOM_BITS
}

/// Returns the Shannon entropy of a text, in bits per byte.
#[allow(clippy::cast_precision_loss, reason = "the texts are short")]
fn bits(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = text.len() as f64;
    let part = |count: &usize| *count as f64 / all;
    counts.iter().filter(|count| **count > 0).map(|count| -part(count) * part(count).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::{has_secret, redact_secrets};

    #[test]
    fn secrets_are_found_by_their_form_or_by_their_name() {
        for text in [
            "curl -H 'token: ghp_abcdefghijklmnopqrstuvwxyz0123456789'",
            "git+https://me:hidden@host/x.git",
            "-----BEGIN RSA PRIVATE KEY-----",
            "Use the key sk-abcdefghijklmnopqrstuvwx to start.",
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzK8mQ2",
            "deploy --token 9f86d081884c7d659a2feaa0c55ad015",
            "\"dbPassword\": \"Zq3vT8nLw1Xk5Rb7\"",
            "\"\\\"dbPassword\\\": \\\"Zq3vT8nLw1Xk5Rb7\\\"\"",
            "Authorization: Bearer a8Kd02LmQz71xVt5PwRs",
        ] {
            assert!(has_secret(text), "{text}");
        }
    }

    #[test]
    fn names_placeholders_and_words_are_no_secrets() {
        for text in [
            "git+ssh://git@host/x.git",
            "postgres://user:$PASSWORD@localhost/db",
            "postgres://postgres:password@localhost:5432/app",
            "cargo test --features sk-learn, AKIA and ghp_short",
            "Returns the token of the session.",
            "TOKEN=$(gh auth token) ./deploy.sh",
            "export API_KEY=<your-api-key-1234567890>",
            "secret: the-name-of-a-kubernetes-secret-1",
            "password = settings.database.password2",
            "The secrets module is in src/secrets/mod.rs",
            "npm install token-types@4.2.1",
            "--token-file /run/secrets/token",
            "text.contains(\"PRIVATE KEY-----\")",
        ] {
            assert!(!has_secret(text), "{text}");
        }
    }

    #[test]
    fn values_are_replaced_and_the_text_around_them_stays() {
        let key = "AbC1".repeat(16);
        for (text, expected) in [
            (
                "url: https://me:hidden@host/x.git\n".to_owned(),
                "url: https://me:[secret]@host/x.git\n".to_owned(),
            ),
            (
                "\"dbPassword\": \"Zq3vT8nLw1Xk5Rb7\", 1".to_owned(),
                "\"dbPassword\": \"[secret]\", 1".to_owned(),
            ),
            ("a ghp_abcdefghijklmnopqrstuvwxyz0123456789 b".to_owned(), "a [secret] b".to_owned()),
            (
                format!(
                    "-----BEGIN PRIVATE KEY-----\n{key}\nAbCdEfGhIjKlMnOp==\n-----END PRIVATE KEY-----\nx\n"
                ),
                "-----BEGIN PRIVATE KEY-----\n[secret]\n[secret]\n-----END PRIVATE KEY-----\nx\n".to_owned(),
            ),
            (
                format!("k = \"-----BEGIN PRIVATE KEY-----\\n{key}\";\nlet next = 1;\n"),
                "k = \"-----BEGIN PRIVATE KEY-----\\[secret]\";\nlet next = 1;\n".to_owned(),
            ),
        ] {
            assert_eq!(redact_secrets(&text), expected);
        }
        for text in [
            "text.contains(\"PRIVATE KEY-----\")",
            "if line == \"-----BEGIN PRIVATE KEY-----\" {\n    read();\n}\n",
            "ä",
        ] {
            assert_eq!(redact_secrets(text), text);
        }
    }

    #[test]
    fn texts_that_repeat_names_take_linear_time() {
        // A quadratic search would take a minute for each.
        for word in ["token", "token=", "password", "secret: ", "token=a1B2", "://", "PRIVATE KEY-----"] {
            assert!(!has_secret(&word.repeat(100_000 / word.len())), "{word}");
        }
        let keys = "-----BEGIN PRIVATE KEY-----".repeat(4_000);
        assert_eq!(redact_secrets(&keys), keys);
    }
}
