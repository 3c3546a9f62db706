//! Documentation behind its first sentence: limits, exceptions, errors, defaults and parameters. Examples and links are left out.

use crate::facts::{visible, without_strong};
use stategraph_base::has_secret;

/// Maximum length of all paragraphs of one definition, in characters.
const CHARS: usize = 1_200;
/// Maximum length of one paragraph.
const PARAGRAPH: usize = 500;

/// Returns the paragraphs and list items of a documentation text after its first sentence, as plain text of
/// at most [`CHARS`] characters. Code blocks and sections of examples are left out.
pub(super) fn behind_first_sentence(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut size = 0;
    let all = paragraphs(text);
    // The last paragraph that is told; the first sentence stands for the first one.
    let mut told = None;
    for (at, paragraph) in all.iter().enumerate().filter(|(_, text)| text.len() <= 4 * PARAGRAPH) {
        let whole = clean(paragraph);
        let said = if at == 0 { behind(&whole) } else { whole.clone() };
        let said = match () {
            () if !goes_on(&said) => said,
            () if at == 0 => whole,
            () if told == Some(at - 1) => said,
            () if at == 1 => {
                let first = clean(&all[0]);
                let stop = if first.ends_with(['.', '!', '?', ':']) { "" } else { "." };
                format!("{first}{stop} {said}")
            }
            () => continue,
        };
        let length = said.chars().count();
        let letters = said.chars().filter(|c| c.is_alphabetic()).count();
        // A colon announces an example that is not quoted.
        let is_before_items = all.get(at + 1).is_some_and(|next| next.starts_with(['-', '*', '+']));
        let is_lead_in = said.ends_with(':') && !is_before_items;
        let is_remark = ["TODO", "FIXME"].iter().any(|word| said.contains(word))
            || ["Example:", "example of"].iter().any(|start| said.starts_with(start));
        if letters < 4 || is_lead_in || is_remark || length > PARAGRAPH || has_secret(&said) {
            continue;
        }
        if size + length > CHARS {
            break;
        }
        size += length;
        told = Some(at);
        found.push(said);
    }
    // The items that it announces did not fit.
    found.pop_if(|said| said.ends_with(':'));
    found
}

/// Headings of sections that show code, or that name other definitions.
const LEFT_OUT: [&str; 9] =
    ["example", "examples", "usage", "see also", "references", "seealso", "@example", "@see", ".. code"];

/// Splits a documentation text into paragraphs, list items and tags (`@param`), without code and examples.
fn paragraphs(text: &str) -> Vec<String> {
    let mut reader = ParagraphReader { all: vec![String::new()], ..ParagraphReader::default() };
    text.lines().for_each(|line| reader.read(line));
    let mut all = reader.all;
    all.retain(|text| !text.trim().is_empty());
    all
}

/// Reader of a documentation text line by line; collects its paragraphs.
#[derive(Default)]
struct ParagraphReader {
    /// The paragraphs; the last one is open, and is empty behind an empty line.
    all: Vec<String>,
    /// Code that is not read: between fences, indented, or below a line that ends in `::`.
    code: SkippedCode,
    /// True behind code, until a paragraph begins that does not explain it.
    is_behind_code: bool,
    /// Level of the heading of a section of examples; `None` outside of one.
    left_out: Option<usize>,
    /// A heading whose first paragraph has not begun.
    heading: String,
}

/// Kind of code block that the reader is in and skips.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum SkippedCode {
    #[default]
    None,
    Fenced,
    Indented,
    /// Of reST: it lasts while its lines are indented by more.
    Literal(usize),
}

impl ParagraphReader {
    fn read(&mut self, raw: &str) {
        let line = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        if self.reads_code(raw, line, indent) {
            self.is_behind_code = true;
            return;
        }
        let is_rule = line.len() >= 3 && line.chars().all(|c| "-=~^*".contains(c));
        if is_rule || line.is_empty() {
            self.all.push(String::new());
            return;
        }
        let is_heading = line.starts_with('#')
            || line.ends_with(':') && line.split(' ').count() <= 2 && !line.starts_with(':');
        if is_heading {
            self.begin_section(line, indent);
            return;
        }
        let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        if starts(&["@example", "@see", ">>>"]) {
            self.left_out = Some(0);
        } else if starts(&["@", ":param", ":return", ":raise"]) {
            self.left_out = None;
        }
        if starts(&["..", "|", "<"]) || self.left_out.is_some() {
            if line.ends_with("::") || line.starts_with("..") {
                self.code = SkippedCode::Literal(indent);
            }
            return;
        }
        if starts(&["- ", "* ", "+ ", "@", ":param", ":return", ":raise", ":type", ":rtype"]) {
            self.all.push(String::new());
        }
        if line.ends_with("::") {
            self.code = SkippedCode::Literal(indent);
        }
        self.add(line.trim_end_matches("::"));
    }

    /// Returns true if a line is skipped as code, or as the beginning or end of a code block. Updates the
    /// state of the reader.
    fn reads_code(&mut self, raw: &str, line: &str, indent: usize) -> bool {
        if line.starts_with("```") || line.starts_with("~~~") {
            self.code =
                if self.code == SkippedCode::Fenced { SkippedCode::None } else { SkippedCode::Fenced };
            self.all.push(String::new());
            return true;
        }
        match self.code {
            SkippedCode::Fenced => return true,
            SkippedCode::Literal(outer) if line.is_empty() || indent > outer => return true,
            SkippedCode::Indented if line.is_empty() => return true,
            _ => {}
        }
        // An indented block behind an empty line is code. Sections of Python are indented below their heading.
        let is_indented = raw.starts_with('\t') || indent >= 4;
        let begins = self.all.last().is_some_and(String::is_empty)
            && (self.heading.is_empty() || raw.starts_with('\t'));
        let is_code = is_indented && !line.is_empty() && (self.code == SkippedCode::Indented || begins);
        self.code = if is_code { SkippedCode::Indented } else { SkippedCode::None };
        if is_code {
            self.heading.clear();
        }
        is_code
    }

    fn begin_section(&mut self, line: &str, indent: usize) {
        let title = line.trim_start_matches('#').trim().trim_end_matches([':', ' ']);
        let level = line.len() - line.trim_start_matches('#').len();
        // A heading below that of examples is one of them.
        let is_inner = self.left_out.is_some_and(|left| left > 0 && level > left);
        if !is_inner {
            self.left_out = LEFT_OUT.contains(&title.to_lowercase().as_str()).then_some(level);
        }
        self.heading = if self.left_out.is_some() { String::new() } else { title.to_owned() };
        if line.ends_with("::") {
            self.code = SkippedCode::Literal(indent);
        }
        self.all.push(String::new());
    }

    /// Appends a line to the current paragraph. A new paragraph begins with its heading (`Errors: …`) if one
    /// is open; one that explains code above it is dropped.
    fn add(&mut self, line: &str) {
        let current = self.all.last_mut().expect("the reader begins with one");
        if !current.is_empty() {
            current.push(' ');
            current.push_str(line);
            return;
        }
        let explains = ["In this", "Here", "This ", "The above", "Then", "Output"];
        if self.is_behind_code && explains.iter().any(|start| line.starts_with(start)) {
            return;
        }
        self.is_behind_code = false;
        if self.heading.is_empty() {
            current.push_str(line);
        } else {
            let heading = std::mem::take(&mut self.heading);
            *current = format!("{heading}: {}", line.trim_start_matches(['-', '*', ' ']));
        }
    }
}

/// Returns a paragraph as plain text: links become their texts, references code spans, and tags words.
fn clean(paragraph: &str) -> String {
    let text = without_stress(&without_strong(&visible(paragraph)).replace("``", "`"));
    let text = tag(text.trim());
    let mut found = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['[', '{', ':']) {
        let (before, from) = rest.split_at(at);
        found.push_str(before);
        let (shown, after) = link(from)
            .or_else(|| inline_tag(from))
            .or_else(|| role(from))
            .unwrap_or((from[..1].to_owned(), &from[1..]));
        found.push_str(&shown);
        rest = after;
    }
    found.push_str(rest);
    found.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a paragraph without underscores that emphasise all of it: `_so it is._`. Underscores elsewhere may
/// belong to names, such as `_close`.
fn without_stress(text: &str) -> String {
    let marker = ["- ", "* ", "+ "].into_iter().find(|marker| text.starts_with(marker)).unwrap_or_default();
    let said = text[marker.len()..].trim();
    let end = said.trim_end_matches(['.', ':', ',']).len();
    let stressed = said[..end].strip_prefix('_').and_then(|inner| inner.strip_suffix('_'));
    let stressed =
        stressed.map(|inner| inner.strip_prefix('_').and_then(|it| it.strip_suffix('_')).unwrap_or(inner));
    match stressed.filter(|inner| inner.contains(' ') && !inner.contains('_')) {
        Some(inner) => format!("{marker}{inner}{}", &said[end..]),
        None => text.to_owned(),
    }
}

/// Converts a documentation tag to words: `@param {T} name text` and `:param T name: text` to `` `name`:
/// text``. Returns an empty text for tags that say nothing, and other text without its list mark.
fn tag(text: &str) -> String {
    let text = text.strip_prefix(['-', '*', '+']).map_or(text, str::trim_start);
    let named = [":param ", ":raises ", ":raise "].iter().find_map(|mark| text.strip_prefix(mark));
    if let Some((name, words)) = named.and_then(|rest| rest.split_once(':')) {
        let name = name.split_whitespace().last().unwrap_or(name);
        return format!("`{name}`: {}", words.trim());
    }
    if let Some((_, words)) = text.strip_prefix(":return").and_then(|rest| rest.split_once(':')) {
        return format!("Returns: {}", words.trim());
    }
    if text.starts_with(":type") || text.starts_with(":rtype") {
        return String::new();
    }
    let Some(rest) = text.strip_prefix('@') else { return text.to_owned() };
    let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let rest = rest.trim_start();
    // The type of a parameter in braces stands in the signature; a thrown one is the name.
    let braced = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
    if let (Some((thrown, words)), "throws" | "exception") = (braced, word) {
        return format!("Throws `{thrown}`: {}", words.trim_start_matches(['-', ' ']));
    }
    let rest = braced.map_or(rest, |(_, after)| after).trim();
    match word {
        "param" | "arg" | "property" | "throws" | "exception" | "tparam" => {
            // YARD writes `[Type] name words` and `name [Type] words`.
            let rest = behind_type(rest).unwrap_or(rest);
            let (name, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let words = behind_type(words.trim_start()).unwrap_or(words);
            // A tag without a name.
            if matches!(name, "the" | "a" | "an") {
                return rest.to_owned();
            }
            let words = words.trim_start_matches(['-', ' ']);
            let label = if matches!(word, "throws" | "exception") { "Throws " } else { "" };
            if words.is_empty() { String::new() } else { format!("{label}`{name}`: {words}") }
        }
        "return" | "returns" if !rest.is_empty() => match behind_type(rest) {
            Some("") => {
                format!("Returns: `{}`", rest.trim_end().trim_start_matches('[').trim_end_matches(']'))
            }
            Some(words) => format!("Returns: {words}"),
            None => format!("Returns: {rest}"),
        },
        "default" | "defaultValue" | "defaultvalue" if !rest.is_empty() => format!("Default: {rest}"),
        "deprecated" => format!("Deprecated: {rest}"),
        "remarks" | "note" | "description" => rest.to_owned(),
        _ => String::new(),
    }
}

/// Returns the text behind a type in square brackets: `name` of `[Array<[A, B]>, String] name`; `None`
/// without one.
fn behind_type(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in text.strip_prefix('[').map(|_| text)?.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let rest = &text[at + 1..];
            return (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start());
        }
    }
    None
}

/// Words that begin a sentence which goes on from the one before it.
const GOES_ON: [&str; 9] = ["Otherwise", "But", "However", "It", "This", "These", "They", "Then", "That"];

/// Returns true if a text begins with a word that refers to the sentence before it, such as `Otherwise` or
/// `It`.
fn goes_on(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    GOES_ON.contains(&first)
}

/// Parses a link at the beginning of a text (`[text](target)`, `[text][target]`, or a code span in square
/// brackets). Returns its text and the rest.
fn link(from: &str) -> Option<(String, &str)> {
    let (name, after) = from.strip_prefix('[')?.split_once(']')?;
    let behind = |open, close| Some(after.strip_prefix(open)?.split_once(close)?.1);
    match behind('(', ')').or_else(|| behind('[', ']')) {
        Some(after) => Some((name.to_owned(), after)),
        None => name.starts_with('`').then(|| (name.to_owned(), after)),
    }
}

/// Parses `{@link X}` or `{@code x}` at the beginning of a text. Returns it as a code span, and the rest.
fn inline_tag(from: &str) -> Option<(String, &str)> {
    let (inner, after) = from.strip_prefix("{@")?.split_once('}')?;
    let (_, name) = inner.split_once(' ')?;
    Some((format!("`{}`", name.trim()), after))
}

/// Parses a reST role (``:class:`X` ``) at the beginning of a text. Returns its name as a code span, and the
/// rest.
fn role(from: &str) -> Option<(String, &str)> {
    let is_name = |name: &str| {
        !name.is_empty() && name.len() <= 12 && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
    };
    let (first, rest) = from.strip_prefix(':')?.split_once(':')?;
    // A domain stands before the role: `:py:class:`.
    let second = rest.split_once(':').filter(|(name, _)| is_name(name));
    let after = second.map_or(rest, |(_, after)| after);
    let is_role = is_name(first);
    let (shown, after) = after.strip_prefix('`').filter(|_| is_role)?.split_once('`')?;
    let shown = shown.split(" <").next().unwrap_or(shown).trim_start_matches('~');
    Some((format!("`{shown}`"), after))
}

/// Returns the text after the first sentence of a paragraph; empty if it has one sentence.
fn behind(text: &str) -> String {
    let end = text.match_indices(['.', '!', '?']).find(|(at, stop)| {
        let rest = &text[at + stop.len()..];
        let next = rest.trim_start().chars().next();
        rest.starts_with(' ')
            && next.is_some_and(|c| c.is_uppercase() || c == '`' || c == '[')
            && !text[..*at].ends_with("e.g")
            && !text[..*at].ends_with("i.e")
    });
    end.map_or_else(String::new, |(at, stop)| text[at + stop.len()..].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{behind_first_sentence, without_stress};

    #[test]
    fn a_sentence_that_goes_on_has_the_one_before_it() {
        assert_eq!(behind_first_sentence("Opens it. Otherwise, waits."), ["Opens it. Otherwise, waits."]);
        assert_eq!(behind_first_sentence("Opens it\n\nThis may fail."), ["Opens it. This may fail."]);
        assert_eq!(behind_first_sentence("Opens it. At once. It waits."), ["At once. It waits."]);
    }

    #[test]
    fn tags_have_their_types_before_or_behind_the_name() {
        let of = |tag: &str| behind_first_sentence(&format!("Opens.\n\n{tag}"));
        assert_eq!(of("@param [String, Tea::Shop] name what it is"), ["`name`: what it is"]);
        assert_eq!(of("@param name [Hash] what it is"), ["`name`: what it is"]);
        assert_eq!(of("@param [Shop] the shop around it"), ["the shop around it"]);
        assert_eq!(of("@return [Boolean]"), ["Returns: `Boolean`"]);
    }

    #[test]
    fn underscores_of_names_stay() {
        for name in [
            "Calls _close before exit_",
            "keep_alive_ is _set_",
            "_keep_alive is exit_",
            "__init__",
            "- _a_ b _c_",
        ] {
            assert_eq!(without_stress(name), name);
        }
        assert_eq!(without_stress("- _three is four._"), "- three is four.");
        assert_eq!(without_stress("__so it is__:"), "so it is:");
    }
}
