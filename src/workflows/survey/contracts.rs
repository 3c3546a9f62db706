//! Contracts of functions: the results, errors, conditions and limits that a doc comment states behind
//! its first sentence.

use super::phrases::cut_at_word;
use crate::facts::purpose;
use crate::repo::{Language, SymbolInfo};

/// Maximum number of lines of a doc comment that are read.
const LINES: usize = 80;
/// Maximum length of one part of a contract, in characters.
const PART: usize = 130;
/// Maximum length of a contract, in characters.
const WHOLE: usize = 300;
/// Minimum weight of a part that is shown.
const LEAST: f64 = 1.0;

/// Lower-case words of sentences that state a condition or a limit; they raise the weight of a part.
const CONDITIONS: &[&str] = &[
    "null",
    "none",
    "nil",
    "undefined",
    "default",
    "if",
    "unless",
    "when",
    "while",
    "until",
    "throws",
    "raises",
    "must",
    "only",
    "never",
    "always",
    "empty",
    "otherwise",
    "instead",
    "ignored",
    "before",
    "after",
    "first",
    "last",
    "not",
    "overrides",
    "override",
    "existing",
    "false",
    "optional",
    "except",
    "cannot",
    "already",
    "once",
    "order",
    "same",
    "least",
    "most",
    "unlike",
];

/// Tagged part (`@return …`, `Raises:` …) or plain sentences of a doc comment. `parts` makes them and
/// `contract` selects from them.
struct ContractPart {
    /// Such as "Returns " or "Throws `X`: ".
    lead: String,
    text: String,
    weight: f64,
}

/// Returns the parts of a function's doc comment about results, errors and conditions as one text, in
/// their order, joined by `; `. `None` if the function has no doc comment or no part has enough weight.
pub(super) fn contract(language: Language, text: &str, symbol: &SymbolInfo) -> Option<String> {
    let documentation = symbol.documentation(language, text)?;
    let mut shown = String::new();
    for part in parts(documentation.lines().take(LINES)) {
        let Some(text) = purpose(&part.text) else { continue };
        let text = cut_at_word(text.trim().trim_end_matches(['.', ';']), PART);
        // "true if it is greater, false otherwise" says what the name says.
        let is_plain = part.lead == "Returns " && text.starts_with("true ");
        let is_told = !is_plain && weight_of(&text) + part.weight >= LEAST;
        let length = shown.chars().count() + part.lead.chars().count() + text.chars().count();
        if !is_told || length > WHOLE || shown.contains(&text) {
            continue;
        }
        shown.extend([if shown.is_empty() { "" } else { "; " }, &part.lead, &text]);
    }
    Some(shown).filter(|shown| !shown.is_empty())
}

/// Returns 0.5 for each of `CONDITIONS` in the text, at most 1.5.
fn weight_of(text: &str) -> f64 {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let count = words.filter(|word| CONDITIONS.contains(&word.as_str())).take(3).count();
    #[allow(clippy::cast_precision_loss, reason = "at most three")]
    let weight = 0.5 * count as f64;
    weight
}

/// Splits the lines of a doc comment into tagged parts and the sentences behind the first one. The
/// first sentence is dropped, because the summary shows it; reading stops at the first example.
fn parts<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<ContractPart> {
    let mut found: Vec<ContractPart> = Vec::new();
    let mut group = "";
    // True while a line goes on with the last part.
    let mut open = false;
    for line in lines {
        let bare = line.trim();
        let lower = bare.to_lowercase();
        if bare.starts_with("```")
            || bare.starts_with(">>>")
            || bare.starts_with("@example")
            || lower.starts_with("example")
        {
            break;
        }
        if bare.is_empty() || matches!(bare, "<p>" | "<summary>" | "</summary>") {
            open = false;
            continue;
        }
        let heading = lower.trim_start_matches('#').trim().trim_end_matches(':').to_owned();
        if bare.ends_with(':') || bare.starts_with('#') {
            let known =
                ["args", "arguments", "parameters", "returns", "raises", "yields", "errors", "panics"];
            if let Some(name) = known.into_iter().find(|name| *name == heading) {
                group = name;
                open = false;
                continue;
            }
        }
        if let Some(part) = tagged(bare).or_else(|| grouped(group, bare)) {
            found.push(part);
            open = true;
            continue;
        }
        if let Some(last) = found.last_mut().filter(|_| open) {
            last.text.extend([" ", bare]);
        } else {
            let (lead, weight) = match group {
                "errors" => ("Errors: ", 1.0),
                "panics" => ("Panics: ", 1.0),
                "returns" => ("Returns ", 0.5),
                _ => ("", 0.0),
            };
            found.push(ContractPart { lead: lead.to_owned(), text: bare.to_owned(), weight });
            open = true;
        }
    }
    // The first sentence is told with the name.
    if let Some(first) = found.first_mut().filter(|first| first.lead.is_empty()) {
        let end = [". ", "! "].iter().filter_map(|sign| first.text.find(sign)).min();
        first.text = end.map_or_else(String::new, |end| first.text[end + 2..].to_owned());
    }
    found
}

/// Parses a line that begins with a tag of Javadoc, `JSDoc`, YARD, Sphinx or C#: `@throws X if …` → lead
/// "Throws `X`: ". A line with an unknown `@` tag becomes an empty part that is never shown. `None` for
/// a line without a tag.
fn tagged(line: &str) -> Option<ContractPart> {
    let part = |lead: String, text: &str, weight: f64| {
        Some(ContractPart { lead, text: text.trim().to_owned(), weight })
    };
    let name = |name: &str| {
        name.rsplit(['.', ':']).next().unwrap_or(name).trim_matches(['{', '}', '[', ']']).to_owned()
    };
    if let Some(rest) = line.strip_prefix('<') {
        let (tag, text) = rest.split_once('>')?;
        let text = text.rsplit_once("</").map_or(text, |(text, _)| text);
        let named = tag.split('"').nth(1).unwrap_or_default();
        return match tag.split(' ').next()? {
            "param" => part(format!("`{}`: ", name(named)), text, 0.0),
            "returns" => part("Returns ".to_owned(), text, 0.5),
            "exception" => part(format!("Throws `{}`: ", name(named)), text, 1.0),
            _ => None,
        };
    }
    let (tag, rest) = if let Some(rest) = line.strip_prefix('@') {
        rest.split_once(' ')?
    } else {
        let (tag, text) = line.strip_prefix(':')?.split_once(':')?;
        let (kind, named) = tag.split_once(' ').unwrap_or((tag, ""));
        let named = named.rsplit(' ').next().unwrap_or_default();
        return match kind {
            "param" => part(format!("`{}`: ", name(named)), text, 0.0),
            "return" | "returns" => part("Returns ".to_owned(), text, 0.5),
            "raise" | "raises" => part(format!("Throws `{}`: ", name(named)), text, 1.0),
            _ => None,
        };
    };
    let rest = rest.trim();
    match tag {
        // `{Type} text` of JSDoc and `[Type] text` of YARD; a type alone says nothing.
        "return" | "returns" => {
            let is_type = rest.starts_with(['{', '[']) && !rest.starts_with("{@");
            let text = rest.split_once(['}', ']']).filter(|_| is_type).map_or(rest, |(_, text)| text);
            part("Returns ".to_owned(), text.trim_start_matches(['-', ' ']), 0.5)
        }
        "throws" | "exception" | "raise" => {
            let (class, text) = rest.split_once(' ')?;
            part(format!("Throws `{}`: ", name(class)), text.trim_start_matches(['-', ' ']), 1.0)
        }
        "param" => {
            let rest = rest
                .strip_prefix('{')
                .and_then(|rest| rest.split_once('}'))
                .map_or(rest, |(_, text)| text.trim());
            // `[Type] name` of YARD; `[name]` of JSDoc is optional.
            let is_type =
                |inside: &str| inside.starts_with(char::is_uppercase) || inside.contains(['<', ',', '#']);
            let typed = rest.strip_prefix('[').and_then(|rest| rest.split_once("] "));
            let rest = typed.filter(|(inside, _)| is_type(inside)).map_or(rest, |(_, text)| text.trim());
            let (named, text) = rest.split_once(' ')?;
            part(
                format!("`{}`: ", named.trim_start_matches(['$', '[']).trim_end_matches(']')),
                text.trim_start_matches(['-', ' ']),
                0.0,
            )
        }
        _ => Some(ContractPart { lead: String::new(), text: String::new(), weight: -9.0 }),
    }
}

/// Parses an entry `name: text` in a group of Google's style. `group` is the lower-case heading above
/// it (`args`, `raises`, …). `None` in other groups, and if the line has no such name.
fn grouped(group: &str, line: &str) -> Option<ContractPart> {
    let (name, text) = line.split_once(':')?;
    let name = name.split([' ', '(']).next()?.trim_matches('`');
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '*'));
    let (lead, weight) = match group {
        "args" | "arguments" | "parameters" => (format!("`{name}`: "), 0.0),
        "raises" => (format!("Throws `{name}`: "), 1.0),
        _ => return None,
    };
    is_name.then(|| ContractPart { lead, text: text.trim().to_owned(), weight })
}

#[cfg(test)]
mod tests {
    use super::contract;
    use crate::repo::{Language, outline};

    #[test]
    fn results_errors_and_conditions_are_told_and_plain_words_are_not() {
        for (language, text, expected) in [
            (
                Language::Java,
                "class A {\n    /**\n     * Parses a text.\n     *\n     * @param text the text\n     * @return {@link A} when it parses, {@code null} otherwise\n     * @throws BadText if the text is empty\n     */\n    static A parse(String text) { return null; }\n}\n",
                Some("Returns A when it parses, null otherwise; Throws `BadText`: if the text is empty"),
            ),
            (
                Language::Python,
                "def load(path, override=False):\n    \"\"\"Loads a file. Later files win.\n\n    Existing values stay unless told otherwise.\n\n    Args:\n        path: the file\n        override: replaces values if they exist already\n    Raises:\n        ValueError: when a line has no sign\n    \"\"\"\n    return path\n",
                Some(
                    "Existing values stay unless told otherwise; `override`: replaces values if they exist already; \
                     Throws `ValueError`: when a line has no sign",
                ),
            ),
            (
                Language::Go,
                "package a\n\n// Load reads the files.\n//\n// It will not override a variable that exists already.\nfunc Load(names ...string) error { return nil }\n",
                Some("It will not override a variable that exists already"),
            ),
            (
                Language::Ruby,
                "# Adds a setting.\n#\n# @param [Mixed] default the value if none is given\n# @return [Symbol]\ndef setting(default)\n  default\nend\n",
                Some("`default`: the value if none is given"),
            ),
            (Language::Rust, "/// Returns the name.\n/// It is short.\nfn name() -> &str { \"a\" }\n", None),
            (
                Language::CSharp,
                "class A {\n    /// <summary>\n    /// Runs.\n    /// </summary>\n    /// <param name=\"most\">The number of runs. Defaults to 5 if not given.</param>\n    public void Run(int most) {}\n}\n",
                Some("`most`: The number of runs. Defaults to 5 if not given"),
            ),
        ] {
            let outline = outline(language, "a", text);
            let mut symbol = &outline.symbols[0];
            while let Some(inner) = symbol.children.iter().find(|child| child.kind.is_callable()) {
                symbol = inner;
            }
            assert_eq!(contract(language, text, symbol).as_deref(), expected, "{text}");
        }
    }
}
