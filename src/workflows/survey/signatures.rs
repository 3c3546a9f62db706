//! Signatures of functions and members of types, shortened to one line.

use super::quoted::is_refused;
use super::view::Survey;
use crate::repo::{Language, SymbolInfo, SymbolKind};

/// Maximum length of a signature, in characters.
const SIGNATURE: usize = 110;
/// Maximum length of a list of members, in characters.
const MEMBERS: usize = 200;
/// Maximum length of a member's value that is shown, in characters.
const VALUE: usize = 16;

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

/// Removes modifiers, a comment at the end, and the white space that line breaks left inside
/// parentheses from a signature.
fn tidy(signature: &str) -> String {
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
fn without_modifier<'t>(text: &'t str, modifier: &str) -> Option<&'t str> {
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
    for c in arguments.chars() {
        let is_arrow = c == '>' && matches!(before, '=' | '-');
        before = c;
        match c {
            '>' if is_arrow => {}
            '(' | '[' | '{' | '<' => {
                // A pattern has no name.
                if depth == 0 && c == '{' && current.trim().is_empty() {
                    current.push_str("{…}");
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
        let has_default = text.replace("=>", "").contains('=');
        let text = text.split(['=', ':']).next().unwrap_or(text).trim();
        format!("{}{}", text.strip_prefix("mut ").unwrap_or(text), if has_default { "=…" } else { "" })
    };
    let shown: Vec<String> = names.iter().map(name).filter(|text| !text.is_empty()).take(8).collect();
    format!("{}{}", shown.join(", "), if names.len() > 8 { ", …" } else { "" })
}

/// Cuts a text to `most` characters at a space or comma and adds `…`; a shorter text stays as it is.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    format!("{}…", head.rsplit_once([' ', ',']).map_or(head.as_str(), |(head, _)| head))
}

/// Returns the number of listed fields or variants of a type, and their text: ``Fields: `a: u8; b: u8`
/// ``. The list ends at `MEMBERS` characters. `None` if there are none or the quoter refuses them.
pub(crate) fn members(survey: &Survey, path: &str, symbol: &SymbolInfo) -> Option<(usize, String)> {
    let mut shown = String::new();
    let mut last = String::new();
    let mut count = 0;
    // `__slots__` of Python names the fields, and is none.
    let is_member = |child: &&SymbolInfo| {
        matches!(child.kind, SymbolKind::Field | SymbolKind::Variant)
            && !matches!(child.name.as_str(), "__slots__" | "serialVersionUID")
    };
    let is_csharp = matches!(Language::of_path(path), Some(Language::CSharp));
    for child in symbol.children.iter().filter(is_member) {
        // A computed property holds nothing.
        if is_csharp && child.signature.contains("=>") {
            continue;
        }
        let mut text = member(&child.signature);
        if child.kind == SymbolKind::Variant && text == child.name && has_braces(survey, path, child) {
            text.push_str(" {…}");
        }
        if text == last || text.is_empty() {
            continue;
        }
        if shown.chars().count() + text.chars().count() > MEMBERS {
            shown.push_str("; …");
            break;
        }
        if !shown.is_empty() {
            shown.push_str("; ");
        }
        shown.push_str(&text);
        count += 1;
        last = text;
    }
    let is_enum = symbol.children.iter().any(|child| child.kind == SymbolKind::Variant);
    // In a class of Ruby only constants are declared.
    let is_ruby = matches!(Language::of_path(path), Some(Language::Ruby));
    let noun = match () {
        () if is_enum => "Variants",
        () if is_ruby => "Constants",
        () => "Fields",
    };
    let shown = Some(shown).filter(|shown| !shown.is_empty())?;
    Some((count, format!("{noun}: {}", survey.quoter.code(&shown)?)))
}

/// Returns true if the variant has named fields. Its line in the file is read, because its signature
/// ends before them.
fn has_braces(survey: &Survey, path: &str, variant: &SymbolInfo) -> bool {
    let Ok((_, text)) = survey.code.text(path) else { return false };
    let line = text.lines().nth(variant.line.saturating_sub(1)).unwrap_or_default();
    line.split_once(&variant.name).is_some_and(|(_, after)| after.trim_start().starts_with('{'))
}

/// Shortens the signature of a field or variant: without modifiers, Go tags and values of more than
/// `VALUE` characters. A type that is cut off becomes `name: …`.
fn member(signature: &str) -> String {
    let text = tidy(signature.trim_end_matches([',', ';']));
    let text = text.split('`').next().unwrap_or_default().trim();
    let text =
        ["final ", "const "].iter().fold(text, |text, word| without_modifier(text, word).unwrap_or(text));
    // `json: <J = T>() => J` has the default of a type.
    let is_outside = |at: &usize| depth(&text[..*at]) == 0;
    // A type of several lines is cut at a line or a brace.
    let count = |signs: [char; 3]| text.matches(signs).count();
    if count(['(', '[', '{']) > count([')', ']', '}'])
        && let Some((name, _)) = text.split_once(':')
        && !name.contains(['(', '[', '{'])
    {
        return format!("{name}: …");
    }
    match text.find(" = ").filter(is_outside) {
        // A value may be cut at a brace of its own.
        Some(at) if text[at + 3..].chars().count() > VALUE || depth(&text[at..]) != 0 => {
            text[..at].trim().to_owned()
        }
        _ => text.to_owned(),
    }
}

/// Returns the number of brackets `<([{` that a text opens and does not close; negative if it closes
/// more.
fn depth(text: &str) -> i32 {
    text.chars().fold(0, |depth, c| match c {
        '<' | '(' | '[' | '{' => depth + 1,
        '>' | ')' | ']' | '}' => depth - 1,
        _ => depth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "def dotenv_values(dotenv_path=…, stream=…, verbose=…)"
        );
        let long = "class ActionTarget<TInput>(string name, string description, IReadOnlyCollection<string> dependencies, Func<Task> act) : Target(name)";
        assert!(
            short_signature(long, "ActionTarget").ends_with("IReadOnlyCollection<string> dependencies,…")
        );
        assert_eq!(member("json: <J = T>() => Promise<J>;"), "json: <J = T>() => Promise<J>");
    }

    #[test]
    fn the_result_of_a_function_type_is_no_field_and_a_cut_value_is_left_out() {
        let shown = |path: &str, text: &str| {
            let files = crate::repo::MemoryFiles::new([(path, text)]);
            let code = crate::repo::CodeBase::new(std::sync::Arc::new(files));
            let facts = crate::facts::Facts::collect(&code);
            let survey = Survey::of(&code, &facts, 10);
            let outline = survey.code.get_outline(path).expect("an outline");
            members(&survey, path, &outline.symbols[0]).map(|(_, text)| text)
        };
        assert_eq!(shown("a.ts", "type Make = (name?: string) => { run: () => void };\n"), None);
        assert_eq!(
            shown("a.rs", "enum E { A { b: u8 }, C(u8), D }\n").as_deref(),
            Some("Variants: `A {…}; C(u8); D`")
        );
        assert_eq!(
            shown("a.rb", "class Lexer\n  LIMIT = 5\nend\n").as_deref(),
            Some("Constants: `LIMIT = 5`")
        );
        assert_eq!(
            shown("a.cs", "class A {\n    static int Most => 5;\n    static int Least = 1;\n}\n").as_deref(),
            Some("Fields: `static int Least = 1`")
        );
        assert_eq!(member("PATTERNS = [ '[\\r\\n]"), "PATTERNS");
        assert_eq!(member("onWatch?: (event: {"), "onWatch?: …");
    }

    #[test]
    fn slots_of_python_are_no_field() {
        let text = "class Row:\n    __slots__ = (\"a\",)\n    size: int = 1\n";
        let files = crate::repo::MemoryFiles::new([("row.py", text)]);
        let code = crate::repo::CodeBase::new(std::sync::Arc::new(files));
        let facts = crate::facts::Facts::collect(&code);
        let survey = Survey::of(&code, &facts, 10);
        let symbol = &survey.outlines["row.py"].symbols[0];
        assert_eq!(
            members(&survey, "row.py", symbol).map(|(_, text)| text).as_deref(),
            Some("Fields: `size: int = 1`")
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
