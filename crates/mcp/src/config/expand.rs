//! Replaces `${VARIABLE}` and `${VARIABLE:-default}` in a text. `$VARIABLE` stays as it is, as in the programs that share these files. A
//! variable that is not set and has no default is an error, because a server would take the literal text for its key.

/// Returns the names of the variables that a text refers to as `${NAME}`, in their order, repetitions
/// included.
pub(crate) fn variables(text: &str) -> Vec<String> {
    parts(text)
        .filter_map(
            |part| if let TextPiece::Variable { name, .. } = part { Some(name.to_owned()) } else { None },
        )
        .collect()
}

/// Replaces each `${NAME}` in a text by its value from `var`, else by its default. The error is the name of
/// a variable that is not set and has no default.
pub(crate) fn expand(text: &str, var: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            TextPiece::Text(text) => expanded.push_str(text),
            TextPiece::Variable { name, default } => match (var(name), default) {
                (Some(value), _) => expanded.push_str(&value),
                (None, Some(default)) => expanded.push_str(default),
                (None, None) => return Err(name.to_owned()),
            },
        }
    }
    Ok(expanded)
}

/// A piece of a configured text: literal text, or a reference `${NAME}` to a variable.
enum TextPiece<'a> {
    Text(&'a str),
    Variable { name: &'a str, default: Option<&'a str> },
}

/// Splits a text into literal text and references to variables.
fn parts(text: &str) -> impl Iterator<Item = TextPiece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((part, after)) = leading_variable(rest) {
            rest = after;
            return Some(part);
        }
        // The first character is no beginning of a variable, so the text reaches at least over it.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let end = rest[first..].find("${").map_or(rest.len(), |at| first + at);
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(TextPiece::Text(text))
    })
}

/// Parses the `${NAME}` or `${NAME:-default}` at the beginning of a text. Returns it with the rest of the
/// text; `None` if the text does not begin with a valid reference.
fn leading_variable(text: &str) -> Option<(TextPiece<'_>, &str)> {
    let (inside, after) = text.strip_prefix("${")?.split_once('}')?;
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit());
    is_name.then_some((TextPiece::Variable { name, default }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&str, &str>) {
        let var = |name: &str| (name == "A").then(|| "1".to_owned());
        let expanded = expand(text, &var);
        assert_eq!(expanded.as_deref().map_err(String::as_str), expect, "{text}");
    }

    #[test]
    fn variables_are_replaced_and_an_unset_one_is_an_error() {
        check("x${A}y${A}", Ok("x1y1"));
        check("${B:-two}", Ok("two"));
        check("${B:-}", Ok(""));
        check("${A:-two}", Ok("1"));
        check("${B}", Err("B"));
        // A value is not read again, so a variable cannot name another.
        check("$A ${} ${input:key} ${A", Ok("$A ${} ${input:key} ${A"));
        check("é${A}é", Ok("é1é"));
    }

    #[test]
    fn the_variables_of_a_text_are_listed() {
        assert_eq!(variables("${A} ${B:-x} $C ${d-e} ${_F1}"), ["A", "B", "_F1"]);
    }
}
