//! Macros in declarations of C and C++, hidden from the parser: `class SHOP_API Order {`, `SHOP_BEGIN_NAMESPACE`, `SHOP_EXPORT template`. The
//! grammars know no macros, and one of these costs them all that follows. Every hidden byte becomes a space, so that positions stay.

/// Number of bytes after a keyword within which the name of the type and its body must begin.
const REACH: usize = 300;
/// Maximum number of macros between a keyword and a name.
const MACROS: usize = 3;
/// Keywords that name a type.
const TYPES: &[&str] = &["class", "struct", "union", "enum"];
/// Keywords that begin a declaration. A macro alone before one of them is hidden.
const DECLARING: &[&str] = &[
    "template",
    "class",
    "struct",
    "union",
    "enum",
    "namespace",
    "using",
    "extern",
    "typedef",
    "inline",
    "static",
    "constexpr",
    "public",
    "private",
    "protected",
];

/// Words in the names of macros that stand for specifiers or attributes, such as `SHOP_API`.
const SPECIFIERS: &[&str] = &[
    "API",
    "EXPORT",
    "INLINE",
    "FORCEINLINE",
    "NOINLINE",
    "CONSTEXPR",
    "CONSTEVAL",
    "NORETURN",
    "NODISCARD",
    "DEPRECATED",
    "EXPLICIT",
];

/// Returns the bytes of a C or C++ text with the macros in its declarations replaced by spaces, of equal
/// length; `None` if it has none.
pub(super) fn without_macros(text: &str) -> Option<Vec<u8>> {
    let mut masked: Option<Vec<u8>> = None;
    let mut hide = |start: usize, end: usize| {
        masked.get_or_insert_with(|| text.as_bytes().to_vec())[start..end].fill(b' ');
    };
    // The line before is a directive that goes on; the statement before is complete.
    let (mut goes_on, mut is_complete) = (false, true);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let is_directive = goes_on || bare.starts_with('#');
        goes_on = is_directive && bare.ends_with('\\');
        if is_directive {
            is_complete = true;
            continue;
        }
        if bare.is_empty() || ["//", "/*", "*"].iter().any(|mark| bare.starts_with(mark)) {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let word = word_of(bare);
        let rest = bare[word.len()..].trim_start();
        let is_alone =
            is_macro(word) && is_complete && is_rest_empty(rest) && begins_declaration(&text[at..]);
        if is_alone || is_macro(word) && DECLARING.contains(&word_of(rest)) {
            hide(start + indent, start + indent + word.len());
        }
        if is_alone {
            continue;
        }
        for (place, word) in words(line).filter(|(_, word)| is_specifier(word)) {
            let after = &line[place + word.len()..];
            let next = after.trim_start();
            if next.len() < after.len() && next.starts_with(|c: char| c.is_ascii_alphabetic() || c == '~') {
                hide(start + place, start + place + word.len());
            }
        }
        for keyword in TYPES {
            for (place, _) in line.match_indices(keyword) {
                let end = place + keyword.len();
                let is_word = !line[..place].ends_with(is_part) && !line[end..].starts_with(is_part);
                if is_word && let Some(macros) = macros_before_name(&text[start + end..], keyword) {
                    hide(start + end, start + end + macros);
                }
            }
        }
        is_complete = bare.ends_with([';', '{', '}', ':']) || bare.ends_with("*/");
    }
    masked
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word_of(text: &str) -> &str {
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

/// Returns true for a word that is written like a macro: at least 3 upper-case letters, digits and `_`.
fn is_macro(word: &str) -> bool {
    const SHORTEST: usize = 3;
    let is_written_so = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    word.len() >= SHORTEST
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(is_written_so)
}

/// Returns true for a macro whose name says that it is a specifier or attribute: `SHOP_INLINE`.
fn is_specifier(word: &str) -> bool {
    is_macro(word)
        && word
            .split('_')
            .any(|part| SPECIFIERS.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// Returns the words of a line with their byte offsets.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    line.split(|c| !is_part(c)).filter_map(move |word| {
        let place = at;
        at += word.len() + line[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((place, word))
    })
}

fn is_rest_empty(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with("//")
}

/// Returns true if the first line of `rest` is empty, a comment, a directive or a declaration. A macro above
/// any other line may be its type and is kept.
fn begins_declaration(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim();
    line.is_empty()
        || ["//", "/*", "#"].iter().any(|mark| line.starts_with(mark))
        || DECLARING.contains(&word_of(line))
        || is_macro(word_of(line)) && is_rest_empty(&line[word_of(line).len()..])
}

/// Returns the number of bytes from the start of `rest`, the text after `keyword`, to the end of the macros
/// before the name of a type with a body or a base. `None` if there are no macros, or no such type.
fn macros_before_name(rest: &str, keyword: &str) -> Option<usize> {
    let mut reach = rest.len().min(REACH);
    while !rest.is_char_boundary(reach) {
        reach -= 1;
    }
    let rest = &rest[..reach];
    let mut left = rest.trim_start();
    let mut end = None;
    for _ in 0..MACROS {
        let word = word_of(left);
        if !is_macro(word) {
            break;
        }
        let after = &left[word.len()..];
        let after = match after.strip_prefix('(') {
            Some(inside) => &inside[inside.find(')')? + 1..],
            None => after,
        };
        let next = after.trim_start();
        let is_name =
            next.len() < after.len() && next.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !is_name || word_of(next) == "final" {
            break;
        }
        end = Some(rest.len() - after.len());
        left = next;
    }
    let end = end?;
    let after = left[word_of(left).len()..].trim_start();
    let has_base = after.starts_with(':') && !after.starts_with("::") && keyword != "enum";
    let is_definition = after.starts_with('{')
        || has_base && keyword != "union"
        || after.starts_with('<') && keyword != "enum"
        || word_of(after) == "final";
    is_definition.then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_before_names_and_between_declarations_are_hidden() {
        for (text, expected) in [
            ("class SHOP_API Order {", "class          Order {"),
            ("struct ALIGNED(8) SHOP_API Order : Base {", "struct                     Order : Base {"),
            ("struct SHOP_API hash<Order> {", "struct          hash<Order> {"),
            ("class LOCKABLE Order final {", "class          Order final {"),
            ("SHOP_BEGIN_NAMESPACE\n\nint a;", "                    \n\nint a;"),
            ("SHOP_BEGIN_NAMESPACE\nSHOP_BEGIN_EXPORT\n\n", "                    \n                 \n\n"),
            ("SHOP_NORETURN SHOP_API20 void end();", "                         void end();"),
            ("  SHOP_INLINE Order(int a) : a_(a) {}", "              Order(int a) : a_(a) {}"),
            ("int a;\nSHOP_EXPORT template <class T>\n", "int a;\n            template <class T>\n"),
        ] {
            let masked = without_macros(text).expect("a macro");
            assert_eq!(String::from_utf8(masked).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn names_and_types_in_capitals_stay() {
        for text in [
            "struct ORDER order;",
            "struct ORDER make(void) {",
            "enum STATE state : 4;",
            "class ORDER final {",
            "class ORDER {",
            "enum {\n  FIRST,\n  LAST\n};",
            "INT32\nmake(int a)\n{",
            "#define A \\\n  SHOP_EXPORT template\n",
            "TEST(Order, IsKept) {",
            "INT32 make(int a) {",
            "int a = API + 1;",
            "return\nLIMIT\n;",
        ] {
            assert_eq!(without_macros(text), None, "{text}");
        }
    }
}
