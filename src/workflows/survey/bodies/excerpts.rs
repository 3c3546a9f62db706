//! Shortens statements for the texts of rules.

use super::statements::depth_of;

/// Returns true for a statement that leaves its block: `return`, `break`, `throw`, an exit of the
/// program, `Err(…)`.
pub(super) fn is_end(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "return", "continue", "break", "throw", "raise", "goto", "exit", "die", "panic!", "bail!", "fail",
        "abort", "yield",
    ];
    let first = text.split([' ', '(', ';']).next().unwrap_or_default();
    WORDS.contains(&first)
        || EXITS.iter().any(|exit| text.starts_with(exit))
        || text.starts_with("Err(")
        || text.starts_with("self.fail(")
}

const EXITS: &[&str] =
    &["os.Exit", "sys.exit", "process.exit", "std::process::exit", "process::exit", "System.exit"];

/// Cuts a statement to at most `most` characters. It ends with `…` if it was cut, opens a block, or
/// leaves a bracket open.
pub(super) fn part(text: &str, most: usize) -> String {
    let shown = cut(text, most);
    let is_open = depth_of(text.trim_end_matches(['{', ' ']), &['(', '[', '{'], &[')', ']', '}']) != 0;
    if (is_open || text.ends_with('{')) && !shown.ends_with('…') { format!("{shown}…") } else { shown }
}

/// Cuts a text to at most `most` characters, with `…` at the cut. A `;`, `,` or `{` at its end is
/// removed first.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = text.trim_end_matches([';', ',', '{', ' ']).trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    let at = head.rfind([' ', '(', ',']).filter(|at| *at > most / 2).map_or(head.len(), |at| at + 1);
    format!("{}…", head[..at].trim_end())
}

/// Shortens a condition to about `most` characters without losing what it compares: the inside of its longest brackets becomes `…`; if
/// that is not enough, only its first parts before `&&` or `||` are left.
pub(super) fn condition(text: &str, most: usize) -> String {
    let mut text = text.trim_end_matches([';', ',', '{', ' ']).trim().to_owned();
    while text.chars().count() > most {
        let Some((start, end)) = longest_brackets(&text) else { break };
        text.replace_range(start + 1..end, "…");
    }
    let joint = [" && ", " || ", " and ", " or "]
        .iter()
        .flat_map(|sign| text.match_indices(sign).map(|(at, sign)| at + sign.len()))
        .filter(|end| text[..*end].chars().count() <= most)
        .filter(|end| depth_of(&text[..*end], &['(', '[', '{'], &[')', ']', '}']) == 0)
        .max();
    match joint {
        _ if text.chars().count() <= most + most / 2 => text,
        Some(end) => format!("{}…", &text[..end]),
        None => without_middle(&text, most),
    }
}

/// Shortens a text to about `most` characters by its middle, so that a comparison at its end stays.
fn without_middle(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut tail = String::new();
    for word in words.iter().rev() {
        if tail.chars().count() + word.chars().count() > most / 3 {
            break;
        }
        tail = if tail.is_empty() { (*word).to_owned() } else { format!("{word} {tail}") };
    }
    let head = cut(text, most - most / 3);
    if tail.is_empty() { head } else { format!("{} {tail}", head.trim_end()) }
}

/// Returns the positions of the brackets around the longest text that is not shortened yet; `None` if nothing in brackets is longer than a
/// short name.
fn longest_brackets(text: &str) -> Option<(usize, usize)> {
    const SHORT: usize = 6;
    let mut open: Vec<usize> = Vec::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, c) in super::statements::outside(text) {
        match c {
            '(' | '[' => open.push(at),
            ')' | ']' => found.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    // Brackets around a whole condition hold what it compares.
    let is_of_call =
        |start: usize| text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '!');
    found.retain(|(start, end)| is_of_call(*start) && end - start > SHORT);
    found.into_iter().max_by_key(|(start, end)| end - start)
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn a_shortened_condition_keeps_its_comparison() {
        let long =
            "(int) preg_match_all('~' . self::VARIABLE_REGEX . '~x', $route, $matches, PREG_SET_ORDER) === 0";
        assert_eq!(condition(long, 52), "(int) preg_match_all(…) === 0");
        assert_eq!(condition("a > 1", 52), "a > 1");
        let joined =
            "is_colored_line_of_text && (first_of_all || second_of_all_lines) && third_condition_of_all";
        assert_eq!(condition(joined, 40), "is_colored_line_of_text && …");
    }
}
