//! Describes the version ranges of manifests in words.

use super::foreign::code;

/// Returns a version range such as `^8.16.0 || ^9.0.0` in words with the range itself in parentheses; only
/// the range, as code, if a part of it is not understood.
pub(super) fn describe_range(range: &str) -> String {
    let parts: Option<Vec<String>> = range.split("||").map(|part| describe_part(part.trim())).collect();
    match parts {
        Some(parts) => format!("{} ({})", parts.join(", or "), code(range)),
        None => code(range),
    }
}

/// Returns a version as plain text; as a code span if it has characters that versions do not have.
pub(super) fn describe_version(version: &str) -> String {
    let is_plain =
        version.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+'));
    if is_plain { version.to_owned() } else { code(version) }
}

fn describe_part(part: &str) -> Option<String> {
    let is_version = |text: &str| {
        let numbers: Vec<&str> = text.split('-').next().unwrap_or_default().split('.').collect();
        let is_number =
            |number: &&str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (1..=3).contains(&numbers.len())
            && numbers.iter().all(is_number)
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+'))
    };
    if let Some(version) = part.strip_prefix('^').map(str::trim).filter(|version| is_version(version)) {
        let major = version.split('.').next().unwrap_or_default();
        return (major != "0").then(|| format!("version {version} or a later {major}.x version"));
    }
    if let Some(version) = part.strip_prefix(">=").map(str::trim).filter(|version| is_version(version)) {
        return Some(format!("version {version} or later"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::describe_range;

    #[test]
    fn common_ranges_have_words_and_others_stay_as_written() {
        assert_eq!(
            describe_range("^8.16.0 || ^9.0.0"),
            "version 8.16.0 or a later 8.x version, or version 9.0.0 or a later 9.x version (`^8.16.0 || ^9.0.0`)"
        );
        assert_eq!(describe_range(">=8.13.0"), "version 8.13.0 or later (`>=8.13.0`)");
        for other in ["~8.1.0", "^8.1.0 <8.5.0", "*", "^0.1.0", "latest <script>"] {
            assert!(describe_range(other).starts_with('`'), "{other}");
        }
    }
}
