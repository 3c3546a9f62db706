//! Fields and variants of types on one line, with those that a language declares elsewhere than in the body: embedded types of Go,
//! promoted parameters of constructors.

use super::signatures::{tidy, without_modifier};
use super::view::Survey;
use crate::repo::{Language, SymbolInfo, SymbolKind};

/// Maximum length of a list of members, in characters.
const MEMBERS: usize = 200;
/// Maximum length of a member's value that is shown, in characters.
const VALUE: usize = 16;
/// Maximum number of lines of a type or a constructor that are read.
const LINES: usize = 80;

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
            && !child.signature.contains("= property(")
    };
    let language = Language::of_path(path);
    let is_script = matches!(language, Some(Language::TypeScript | Language::Tsx));
    let alias = if is_script && symbol.kind == SymbolKind::Type {
        alias_fields(&text_of(survey, path, symbol))
    } else {
        AliasFields::All
    };
    if alias == AliasFields::None {
        return None;
    }
    let is_csharp = matches!(language, Some(Language::CSharp));
    // Enums of Java have fields beside their variants.
    let is_enum = symbol.children.iter().any(|child| child.kind == SymbolKind::Variant);
    // A computed property holds nothing.
    let is_computed = |child: &&SymbolInfo| {
        is_csharp && child.signature.split(" = ").next().is_some_and(|before| before.contains("=>"))
    };
    let has_computed = symbol.children.iter().filter(is_member).any(|child| is_computed(&child));
    let own = symbol.children.iter().filter(is_member).filter(|child| !is_computed(child));
    let own = own.filter(|child| !is_enum || child.kind == SymbolKind::Variant);
    let own = own.map(|child| {
        // Of several definitions under conditions none is the value.
        let is_one = symbol.children.iter().filter(|other| other.name == child.name).count() == 1;
        let text = if is_one { member(&child.signature) } else { child.name.clone() };
        let is_open =
            child.kind == SymbolKind::Variant && text == child.name && has_braces(survey, path, child);
        if is_open { format!("{text} {{…}}") } else { text }
    });
    let promoted = promoted(survey, path, symbol).into_iter().map(|parameter| member(&parameter));
    // An interface has no fields.
    let is_interface = matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Trait);
    let embedded = if is_interface { Vec::new() } else { embedded_types(survey, path, symbol) };
    for text in embedded.into_iter().chain(own).chain(promoted).chain(assigned(survey, path, symbol)) {
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
    if (alias == AliasFields::Some || has_computed) && !shown.is_empty() && !shown.ends_with('…') {
        shown.push_str("; …");
    }
    // In a class of Ruby only constants are declared.
    let is_ruby = language == Some(Language::Ruby);
    let noun = match () {
        () if is_enum => "Variants",
        () if is_ruby => "Constants",
        () if is_csharp => "Fields and properties",
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

/// Returns the text of a definition, at most `LINES` lines of it.
fn text_of(survey: &Survey, path: &str, symbol: &SymbolInfo) -> String {
    let text = survey.code.text(path).map(|(_, text)| text).unwrap_or_default();
    let count = (symbol.line_end + 1).saturating_sub(symbol.line).min(LINES);
    text.lines().skip(symbol.line.saturating_sub(1)).take(count).collect::<Vec<_>>().join("\n")
}

/// Returns the types that a struct or an interface of Go embeds, as written: `BackOff`, `*sync.Mutex`.
pub(crate) fn embedded_types(survey: &Survey, path: &str, symbol: &SymbolInfo) -> Vec<String> {
    if Language::of_path(path) != Some(Language::Go) || !symbol.kind.is_type() {
        return Vec::new();
    }
    let text = text_of(survey, path, symbol);
    let mut depth = 0_i32;
    let mut found = Vec::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default().split('`').next().unwrap_or_default().trim();
        let is_type = code.trim_start_matches('*').starts_with(char::is_alphabetic)
            && code.chars().all(|c| c.is_alphanumeric() || matches!(c, '*' | '.' | '_'));
        if depth == 1 && is_type {
            found.push(code.to_owned());
        }
        let count = |sign: char| i32::try_from(code.matches(sign).count()).unwrap_or_default();
        depth += count('{') - count('}');
    }
    found
}

/// Returns the parameters of a constructor that declare fields: those with an access modifier, of PHP and TypeScript.
fn promoted(survey: &Survey, path: &str, symbol: &SymbolInfo) -> Vec<String> {
    let name = match Language::of_path(path) {
        Some(Language::Php) => "__construct",
        Some(Language::TypeScript | Language::Tsx) => "constructor",
        _ => return Vec::new(),
    };
    let Some(constructor) = symbol.children.iter().find(|child| child.name == name) else {
        return Vec::new();
    };
    let text = text_of(survey, path, constructor);
    let Some(parameters) = text.split_once(name).and_then(|(_, rest)| rest.split_once('(')) else {
        return Vec::new();
    };
    let is_declared = |parameter: &String| {
        ["public ", "private ", "protected ", "readonly "].iter().any(|word| parameter.starts_with(word))
    };
    let lines = parameters.1.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    list_items(&lines.collect::<Vec<_>>().join(" ")).into_iter().filter(is_declared).collect()
}

/// Returns the attributes that the constructor of a Python class assigns: `self.jobs`, with its type if that is written.
fn assigned(survey: &Survey, path: &str, symbol: &SymbolInfo) -> Vec<String> {
    let is_class = Language::of_path(path) == Some(Language::Python) && symbol.kind == SymbolKind::Class;
    let constructor = symbol.children.iter().find(|child| is_class && child.name == "__init__");
    let Some(constructor) = constructor else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    for line in text_of(survey, path, constructor).lines() {
        let Some((target, _)) = line.trim_start().strip_prefix("self.").and_then(|rest| rest.split_once('='))
        else {
            continue;
        };
        let (name, kind) = target.split_once(':').unwrap_or((target, ""));
        let (name, kind) = (name.trim(), kind.trim());
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let text = if kind.is_empty() { format!("self.{name}") } else { format!("self.{name}: {kind}") };
        let is_known = symbol.children.iter().any(|child| child.name == name)
            || found.iter().any(|known| known.split(':').next() == Some(&format!("self.{name}")));
        if !is_known {
            found.push(text);
        }
    }
    found
}

/// Splits the text behind an opening parenthesis at its outer commas, up to the closing parenthesis.
fn list_items(text: &str) -> Vec<String> {
    let (mut depth, mut current, mut found) = (0_i32, String::new(), Vec::new());
    for c in text.chars() {
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => {
                found.push(std::mem::take(&mut current).trim().to_owned());
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        current.push(c);
    }
    found.push(current.trim().to_owned());
    found.retain(|item| !item.is_empty());
    found
}

/// Relation of the fields in the text of an alias of TypeScript to the values of the alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AliasFields {
    /// Each value has all of them and no other.
    All,
    /// Each value has them, and those of other types.
    Some,
    /// They are fields of alternatives, or of another type.
    None,
}

/// Reads the value of `type A = …`: one object, an intersection with objects, or something else.
fn alias_fields(text: &str) -> AliasFields {
    let Some((_, value)) = text.split_once(" =") else { return AliasFields::All };
    let value = value.trim().trim_end_matches(';').trim_end();
    let outside = outside_of_braces(value);
    let bare = outside.trim_start_matches(['|', '&', ' ']);
    match () {
        () if value.starts_with('{') && outside.trim().is_empty() => AliasFields::All,
        () if outside.contains('|') || outside.contains("=>") || outside.contains('?') => AliasFields::None,
        () if outside.contains('&') => AliasFields::Some,
        () if bare.is_empty() => AliasFields::All,
        () => AliasFields::None,
    }
}

/// Returns the parts of a text that stand in no braces.
fn outside_of_braces(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = text.chars().filter(|c| match c {
        '{' => {
            depth += 1;
            false
        }
        '}' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    outside.collect()
}

/// Shortens the signature of a field or variant: without modifiers, Go tags and values of more than
/// `VALUE` characters. A type that is cut off becomes `name: …`.
fn member(signature: &str) -> String {
    let text = tidy(signature.trim_end_matches([',', ';']));
    let text = text.split('`').next().unwrap_or_default().trim();
    let text = without_modifier(text, "final ").unwrap_or(text);
    // Of C it belongs to the type behind a pointer: `const char *name`.
    let text = without_modifier(text, "const ").filter(|rest| !rest.contains(['*', '&'])).unwrap_or(text);
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
            Some("Fields and properties: `static int Least = 1; …`")
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
    fn members_that_stand_outside_of_the_body_are_told() {
        let shown = |path: &str, text: &str| {
            let files = crate::repo::MemoryFiles::new([(path, text)]);
            let code = crate::repo::CodeBase::new(std::sync::Arc::new(files));
            let facts = crate::facts::Facts::collect(&code);
            let survey = Survey::of(&code, &facts, 10);
            let outline = survey.code.get_outline(path).expect("an outline");
            members(&survey, path, outline.symbols.last().expect("a type")).map(|(_, text)| text)
        };
        let go = "package a\n\ntype A struct {\n\tBackOff\n\t*sync.Mutex `json:\"x\"`\n\tctx Context\n}\n";
        assert_eq!(shown("a.go", go).as_deref(), Some("Fields: `BackOff; *sync.Mutex; ctx Context`"));
        let php = "<?php\nclass Route {\n    private int $seen = 0;\n    public function __construct(\n        public readonly string $method, // its verb\n        private array $data = [],\n        int $other,\n    ) {}\n}\n";
        assert_eq!(
            shown("a.php", php).as_deref(),
            Some("Fields: `int $seen = 0; string $method; array $data = []`")
        );
        let ts = "class A {\n  constructor(private readonly name: string, other: number) {}\n}\n";
        assert_eq!(shown("a.ts", ts).as_deref(), Some("Fields: `name: string`"));
        let python = "class A:\n    most: int = 5\n    next = property(get_next)\n\n    def __init__(self, name):\n        self.name = name\n        self.jobs: List[Job] = []\n        self.name = self.name or 1\n";
        assert_eq!(
            shown("a.py", python).as_deref(),
            Some("Fields: `most: int = 5; self.name; self.jobs: List[Job]`")
        );
        let java = "enum A {\n    ONE(1), TWO(2);\n    final int number;\n    A(int number) { this.number = number; }\n}\n";
        assert_eq!(shown("A.java", java).as_deref(), Some("Variants: `ONE(1); TWO(2)`"));
        assert_eq!(shown("a.ts", "type A = { a: 1 } | { b: 2 }\n"), None);
        assert_eq!(shown("a.ts", "type A<T> = T extends { a: infer V } ? V : never\n"), None);
        assert_eq!(shown("a.ts", "type A = { a: 1 }\n").as_deref(), Some("Fields: `a: 1`"));
        assert_eq!(shown("a.ts", "type A = B & { a: 1 }\n").as_deref(), Some("Fields: `a: 1; …`"));
    }
}
