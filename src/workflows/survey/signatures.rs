//! Signatures of functions and values, shortened to one line.

use super::quoted::is_refused;

/// Maximum length of a signature, in characters.
const SIGNATURE: usize = 110;

/// Words at the beginning of a signature that are removed, because they say nothing about its use.
const MODIFIERS: &[&str] = &[
    "pub(crate) ",
    "pub(crate) ",
    "pub ",
    "public ",
    "private ",
    "protected ",
    "internal ",
    "export default ",
    "export ",
    "final ",
    "readonly ",
    "virtual ",
    "override ",
    "sealed ",
    "partial ",
    "extern ",
    "declare ",
    "inline ",
];

/// Returns a signature without its visibility, at most 110 characters. A longer one keeps the name, the
/// names of its arguments and a short result type, or is cut. A signature that must not be quoted stays
/// whole, so that the quoter refuses it.
pub(crate) fn short_signature(signature: &str, name: &str) -> String {
    let text = tidy(signature);
    if text.chars().count() <= SIGNATURE || is_refused(signature) {
        // A refused one stays whole, so that the quoter sees why.
        return text;
    }
    let text = without_long_generics(&text, name);
    if text.chars().count() <= SIGNATURE {
        return text;
    }
    let Some(open) = text.find(name).and_then(|at| text[at..].find('(').map(|open| at + open)) else {
        return cut(&text, SIGNATURE);
    };
    let close = closing(&text[open..]).map_or(text.len(), |close| open + close);
    let result = text.get(close + 1..).map(str::trim_end).filter(|result| result.len() <= 40);
    // Only where the name stands before the type.
    if !text[open..close].contains(": ") || text.starts_with("template") {
        return cut(&text, SIGNATURE);
    }
    let names = argument_names(&text[open + 1..]);
    cut(&format!("{}({names}){}", &text[..open], result.unwrap_or_default()), SIGNATURE)
}

/// Replaces the type parameters behind the name by `<…>` if they have parentheses or braces: those are not the arguments.
fn without_long_generics(text: &str, name: &str) -> String {
    let behind = text.find(name).map(|at| at + name.len());
    let Some(start) = behind.filter(|at| text[*at..].starts_with('<')) else { return text.to_owned() };
    let (mut depth, mut before) = (0_i32, ' ');
    for (at, c) in text[start..].char_indices() {
        let is_arrow = c == '>' && matches!(before, '=' | '-');
        before = c;
        depth += i32::from(c == '<') - i32::from(c == '>' && !is_arrow);
        if depth == 0 {
            let end = start + at + 1;
            let is_plain = !text[start..end].contains(['(', '{']);
            return if is_plain {
                text.to_owned()
            } else {
                format!("{}<…>{}", &text[..start], &text[end..])
            };
        }
    }
    // The end is cut off.
    format!("{}<…", &text[..start])
}

/// Removes modifiers, a comment at the end, and the white space that line breaks left inside
/// parentheses from a signature.
pub(super) fn tidy(signature: &str) -> String {
    let text = signature.split(" # ").next().unwrap_or(signature).trim();
    let text = without_modifiers(text.trim_end_matches(['{', ':', ';', '=']).trim());
    text.replace("( ", "(").replace(", )", ")").replace(" )", ")")
}

/// Removes all modifiers from the beginning of a text.
fn without_modifiers(mut text: &str) -> &str {
    while let Some(rest) = MODIFIERS.iter().find_map(|word| without_modifier(text, word)) {
        text = rest;
    }
    text
}

/// Removes one modifier from the beginning of a text. `None` if it does not begin with it, or if only
/// one word would be left: in Go, `final map` is a field with the name `final`.
pub(super) fn without_modifier<'t>(text: &'t str, modifier: &str) -> Option<&'t str> {
    text.strip_prefix(modifier).filter(|rest| rest.contains(' '))
}

/// Returns the definition of a value (`name = value`) without its visibility, cut to `most` characters.
/// A text that must not be quoted stays whole, so that the quoter refuses it.
pub(crate) fn short_value(text: &str, most: usize) -> String {
    let text = without_modifiers(text.trim().trim_end_matches(';'));
    if is_refused(text) { text.to_owned() } else { cut(text, most) }
}

/// Returns the byte offset of the parenthesis that closes the first `(` of a text; `None` if it stays
/// open.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth <= 1 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the names of the arguments in a list such as `a: u8, b = 1)`: `a, b=…`. The text begins
/// behind the opening parenthesis; at most eight names are shown.
fn argument_names(arguments: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let (mut depth, mut current) = (0_i32, String::new());
    let mut before = ' ';
    let mut quote: Option<char> = None;
    for c in arguments.chars() {
        let is_default = current.replace("=>", "").contains('=');
        if quote.is_some() || is_default && matches!(c, '"' | '\'' | '`') {
            quote = if quote == Some(c) { None } else { quote.or(Some(c)) };
            if depth == 0 {
                current.push(c);
            }
            continue;
        }
        let is_arrow = c == '>' && matches!(before, '=' | '-');
        before = c;
        match c {
            '>' if is_arrow => {}
            '(' | '[' | '{' | '<' => {
                // A pattern has no name.
                if depth == 0 && c == '{' && current.trim().is_empty() {
                    current.push_str("{…}");
                }
                // The value of a call or a list is left out.
                if depth == 0 && is_default {
                    current.push('…');
                }
                depth += 1;
                continue;
            }
            ')' | ']' | '}' | '>' if depth > 0 => {
                depth -= 1;
                continue;
            }
            ')' => break,
            ',' if depth == 0 => {
                names.push(std::mem::take(&mut current));
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            current.push(c);
        }
    }
    names.push(current);
    let name = |text: &String| {
        let plain = text.replace("=>", "");
        let default = plain.rsplit_once('=').map(|(_, value)| value.trim()).map(|value| {
            let is_short = !value.is_empty() && value.len() <= DEFAULT && !value.contains('…');
            format!("={}", if is_short { value } else { "…" })
        });
        // A keyword of Ruby: `first:`, `second: nil`.
        if let Some((keyword, value)) = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()))
        {
            let is_literal = matches!(value, "true" | "false" | "nil" | "")
                || value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, ':' | '"' | '\''));
            if is_literal && default.is_none() && !value.starts_with("::") {
                return format!("{keyword}: {value}").trim_end().to_owned();
            }
        }
        let text = text.split(['=', ':']).next().unwrap_or(text).trim();
        format!("{}{}", text.strip_prefix("mut ").unwrap_or(text), default.unwrap_or_default())
    };
    let shown: Vec<String> = names.iter().map(name).filter(|text| !text.is_empty()).take(8).collect();
    format!("{}{}", shown.join(", "), if names.len() > 8 { ", …" } else { "" })
}

/// Maximum length of the default of an argument in a shortened list, in bytes.
const DEFAULT: usize = 8;
/// Maximum length of a list of the names of arguments, and of one as the signature has it, in characters.
const NAMES: usize = 100;
const ARGUMENTS: usize = 72;

/// Returns the arguments of a function as its signature has them, without its own object: `(interval: int = 1)`. A long list has the names
/// alone. `None` for a function without arguments, and if they do not fit or are cut off.
pub(crate) fn arguments(signature: &str, name: &str) -> Option<String> {
    if is_refused(signature) {
        return None;
    }
    let text = without_long_generics(&tidy(signature), name);
    let open = text
        .find(name)
        .and_then(|at| text[at + name.len()..].find('(').map(|open| at + name.len() + open))?;
    let close = open + closing(&text[open..])?;
    let inside = text[open + 1..close].split_whitespace().collect::<Vec<_>>().join(" ");
    let own = ["&mut self", "&self", "mut self", "self: &Self", "self", "cls", "this"];
    let rest = own.iter().find_map(|own| {
        let rest = inside.strip_prefix(own)?;
        rest.strip_prefix(',').or_else(|| rest.is_empty().then_some(rest))
    });
    let inside = rest.unwrap_or(&inside).trim().trim_end_matches(',');
    if inside.is_empty() || inside == "void" {
        return None;
    }
    if inside.chars().count() <= ARGUMENTS {
        return Some(format!("({inside})"));
    }
    // Only where the name stands before the type, or alone.
    let names = argument_names(&format!("{inside})"));
    let is_untyped = names.split(", ").all(|name| !name.split('=').next().unwrap_or(name).contains(' '));
    ((inside.contains(": ") || is_untyped) && names.chars().count() <= NAMES).then(|| format!("({names})"))
}

/// Cuts a text to `most` characters at a space or comma and adds `…`; a shorter text stays as it is.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    format!("{}…", head.rsplit_once([' ', ',']).map_or(head.as_str(), |(head, _)| head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shown_with_their_defaults() {
        let shown = |signature: &str, name: &str| arguments(signature, name).unwrap_or_default();
        assert_eq!(shown("def every(self, interval: int = 1) -> Job:", "every"), "(interval: int = 1)");
        assert_eq!(shown("pub fn build(&mut self) -> String", "build"), "");
        assert_eq!(
            shown("pub fn with<T: Into<(u8, u8)>>(&mut self, value: T) -> &mut Self", "with"),
            "(value: T)"
        );
        assert_eq!(shown("func (b *B) Next(a, b int) error", "Next"), "(a, b int)");
        let long = "export function on(event: string, listener: (value: number, before: number) => void, options: Options = {}): void";
        assert_eq!(shown(long, "on"), "(event, listener, options=…)");
        assert_eq!(shown("def f(a, b", "f"), "");
        let ruby = "def generate(data, default_value:, series_default: true, multiple_groups: false, group_index: nil, a: 1)";
        assert_eq!(
            shown(ruby, "generate"),
            "(data, default_value:, series_default: true, multiple_groups: false, group_index: nil, a: 1)"
        );
        let long = "def read(path_of_the_file, separator=\", \", wait=dict(a=1), parts=[], more=None, all_of_them=True)";
        assert_eq!(
            shown(long, "read"),
            "(path_of_the_file, separator=\", \", wait=…, parts=…, more=None, all_of_them=True)"
        );
    }

    #[test]
    fn the_texts_of_a_value_stay_as_they_are() {
        let value = "export const MARKS = [\"aaa\", \" # \", \" )\", \"( \"];";
        assert_eq!(short_value(value, 90), "const MARKS = [\"aaa\", \" # \", \" )\", \"( \"]");
        assert_eq!(short_value(value, 22), "const MARKS = [\"aaa\",…");
    }

    #[test]
    fn a_long_signature_keeps_its_names_and_its_result() {
        let long = "fn process(replacer: &Replacer, sources: &[Source], mut rest: usize, writer: Option<&mut Box<dyn Write>>,\n) -> Result<()>";
        assert_eq!(
            short_signature(long, "process"),
            "fn process(replacer, sources, rest, writer) -> Result<()>"
        );
        let long = "def dotenv_values(dotenv_path: Optional[StrPath] = None, stream: Optional[IO[str]] = None, verbose: bool = False)";
        assert_eq!(
            short_signature(long, "dotenv_values"),
            "def dotenv_values(dotenv_path=None, stream=None, verbose=False)"
        );
        let long = "function listenKeys<SomeStore extends { setKey: (key: string, value: any) => void }, Names>($store: SomeStore, keys: Names, listener: (value: SomeStore) => void): () => void";
        assert_eq!(
            short_signature(long, "listenKeys"),
            "function listenKeys<…>($store: SomeStore, keys: Names, listener: (value: SomeStore) => void): () => void"
        );
        let long = "function listenKeys<SomeStore extends { setKey: (key: string, value: any) => void, another: number, and: string";
        assert_eq!(short_signature(long, "listenKeys"), "function listenKeys<…");
        let long = "class ActionTarget<TInput>(string name, string description, IReadOnlyCollection<string> dependencies, Func<Task> act) : Target(name)";
        assert!(
            short_signature(long, "ActionTarget").ends_with("IReadOnlyCollection<string> dependencies,…")
        );
    }

    #[test]
    fn a_value_with_a_secret_stays_whole_so_that_the_quoter_refuses_it() {
        let address = "postgres://administrator_of_the_shop:Zk3vQ9xLw2pT7uu99aab@primary-database.example.org:5432/shop";
        let value = format!("ADDRESS = \"{address}\" # the address of the shop, for all services of it");
        let quoter = crate::workflows::survey::quoted::Quoter::default();
        assert_eq!(quoter.code(&short_value(&value, 60)), None);
        assert_eq!(quoter.code(&short_signature(&value, "ADDRESS")), None);
        assert!(quoter.refused() > 0);
    }
}
