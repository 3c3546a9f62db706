//! Rules that find keys, tokens and passwords in texts of strangers. They look at the text alone; secrets that are known by their value are
//! the work of `llm`'s redactor.

/// Beginnings of keys and tokens with the fewest characters that follow.
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

/// Parts of the names of secrets.
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

/// Fewest characters of a value that looks random.
const RANDOM_CHARS: usize = 16;
/// Least bits of information of each of its characters. Words of English have less than 3, random base64 of this length about 4.
const RANDOM_BITS: f64 = 3.4;

/// Returns true if a text has a key, a token, an address with a password, the beginning of a private key, or a value that looks random
/// behind a name such as `password`.
///
/// ```
/// use stategraph_base::has_secret;
///
/// assert!(has_secret("API_TOKEN=q8Zr1TvX0mLw93KdPa7c"));
/// assert!(!has_secret("API_TOKEN=$(cat token.txt)"));
/// ```
pub fn has_secret(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_token = |word: &str| {
        TOKENS.iter().any(|(start, more)| word.strip_prefix(start).is_some_and(|rest| rest.len() >= *more))
    };
    text.contains("PRIVATE KEY-----")
        || has_password_in_address(text)
        || text.split(|c| !is_part(c)).any(is_token)
        || has_random_value(text)
}

/// Returns true for `https://user:password@host`. A password that is a variable or a placeholder is none.
fn has_password_in_address(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let user = rest.split(['/', ' ', '"', '\'']).next().and_then(|host| host.rsplit_once('@'));
        user.and_then(|(user, _)| user.split_once(':')).is_some_and(|(_, password)| !is_placeholder(password))
    })
}

/// Maximum length of the rest of a name, in bytes. A bound keeps the time linear for texts that repeat names.
const NAME_REST: usize = 64;
/// Maximum length of a value that is looked at, in bytes.
const VALUE: usize = 256;

fn has_random_value(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    NAMES.iter().any(|name| {
        lower.match_indices(name).any(|(at, _)| {
            let rest = &text[at + name.len()..];
            // `API_TOKEN_V2: "…"`: the rest of the name, then a separator.
            let is_name =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'"' | b'\'');
            let length = rest.bytes().take(NAME_REST).take_while(is_name).count();
            if length == NAME_REST {
                return false;
            }
            let rest = &rest[length..];
            let value = rest.trim_start_matches([' ', '=', ':', '"', '\'', '>']);
            let end = value.bytes().take(VALUE).take_while(|byte| is_of_value(char::from(*byte))).count();
            let value = &value[..end];
            rest.len() > value.len() && rest.starts_with([' ', '=', ':']) && is_random(value)
        })
    })
}

fn is_of_value(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-' | '=' | '.' | '~')
}

fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.starts_with(['$', '<', '{', '%', '[', '*'])
        || ["password", "passwd", "pass", "secret", "token", "example", "xxx", "changeme"]
            .iter()
            .any(|word| lower.contains(word))
}

/// Returns true for a value with letters and digits in no order.
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

/// Returns the information of a character of a text, in bits.
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
    use super::has_secret;

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
        ] {
            assert!(!has_secret(text), "{text}");
        }
    }

    #[test]
    fn texts_that_repeat_names_take_linear_time() {
        // A quadratic search would take a minute for each.
        for word in ["token", "token=", "password", "secret: ", "token=a1B2"] {
            assert!(!has_secret(&word.repeat(100_000 / word.len())), "{word}");
        }
    }
}
