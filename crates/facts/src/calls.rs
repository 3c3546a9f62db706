//! Queries on the sites of a file (its calls, attributes and keywords) that several kinds of facts share:
//! arguments, method chains, imports, documentation.

use stategraph_repo::{ParsedFile, Site, SiteArgument, SiteKind, SymbolInfo};

use crate::text::{has_secret, help_text, visible};

/// Maximum number of calls of a method chain that are read.
const LINKS: usize = 60;
/// Maximum length of a default value, in bytes; a longer one is ignored.
const DEFAULT: usize = 120;

/// Returns the last segment of a qualified name: `std::env::var` → `var`. Segments end at `.`, `:` and `\`.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit(['.', ':', '\\']).next().unwrap_or(name)
}

/// Returns a qualified name without its last segment: `app.get` → `app`. Empty if the name has one segment.
pub(crate) fn receiver(name: &str) -> &str {
    name[..name.len() - last(name).len()].trim_end_matches(['.', ':', '\\'])
}

/// Returns the unnamed argument of a call or attribute at `index`, from 0; named arguments are not counted.
pub(crate) fn positional(site: &Site, index: usize) -> Option<&SiteArgument> {
    site.arguments.iter().filter(|argument| argument.name.is_none()).nth(index)
}

/// Returns the first argument of a call or attribute whose name is one of `names`.
pub(crate) fn find_named<'a>(site: &'a Site, names: &[&str]) -> Option<&'a SiteArgument> {
    let is_named =
        |argument: &&SiteArgument| argument.name.as_deref().is_some_and(|name| names.contains(&name));
    site.arguments.iter().find(is_named)
}

/// Returns the text of the unnamed argument of a call at `index`, from 0, if it is a string literal.
pub(crate) fn literal(site: &Site, index: usize) -> Option<&str> {
    positional(site, index).filter(|argument| argument.is_literal).map(|argument| argument.text.as_str())
}

/// Returns the text of the first argument of a call whose name is one of `names`, if it is a string
/// literal.
pub(crate) fn named_literal<'a>(site: &'a Site, names: &[&str]) -> Option<&'a str> {
    find_named(site, names).filter(|argument| argument.is_literal).map(|argument| argument.text.as_str())
}

/// Returns true if an attribute has this word as an argument without a value: `long` in `#[arg(long)]`.
pub(crate) fn has_word(site: &Site, word: &str) -> bool {
    site.arguments.iter().any(|argument| argument.name.is_none() && argument.text == word)
}

/// Returns the string literal that an attribute gives to `word` as to a function: `port` for the word
/// `long` in `#[arg(long("port"))]`.
pub(crate) fn called_literal<'a>(site: &'a Site, word: &str) -> Option<&'a str> {
    let unnamed = site.arguments.iter().filter(|argument| argument.name.is_none());
    unnamed.map(|argument| argument.text.as_str()).find_map(|text| {
        text.strip_prefix(word)?
            .trim_start()
            .strip_prefix("(\"")?
            .strip_suffix(')')?
            .trim_end()
            .strip_suffix('"')
    })
}

/// Returns the method calls chained to the result of the call at `index`, the nearest first: for `a()` in
/// `a().b().c()` those of `b` and `c`. Reads at most 60.
pub(crate) fn links(sites: &[Site], index: usize) -> Vec<&Site> {
    let before = sites[..index].iter().rev().take(LINKS);
    before.take_while(|site| site.kind == SiteKind::Call && site.name.starts_with('.')).collect()
}

/// Returns the index of the site with which a method chain begins: for `c` in `a().b().c()` that of `a()`.
pub(crate) fn root(sites: &[Site], index: usize) -> usize {
    let more = sites[index..].iter().take(LINKS).take_while(|site| site.name.starts_with('.')).count();
    (index + more).min(sites.len() - 1)
}

/// Returns the first segment of the name with which the method chain of a call begins: `remote` for
/// `remote.command("add").option("x")`.
pub(crate) fn root_name<'a>(file: &ParsedFile<'a>, index: usize) -> &'a str {
    let name = file.sites[root(file.sites, index)].name.as_str();
    name.split('.').next().unwrap_or(name)
}

/// Returns true if the file imports one of the modules or something below it: `tokio` matches
/// `tokio::task`.
pub(crate) fn imports(file: &ParsedFile, modules: &[&str]) -> bool {
    let is_of = |target: &str| {
        let target = target.trim_start_matches('\\').trim_start_matches("::").trim_matches(['"', '<', '>']);
        modules.iter().any(|module| {
            let rest = target.strip_prefix(module);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':', '/', '\\', '-', '@']))
        })
    };
    file.outline.imports.iter().any(|import| import.targets.iter().any(|target| is_of(target)))
}

/// Returns the contents of all quoted strings in a source text: `{"-p", "--port"}` → `-p`, `--port`.
/// Escapes are not understood.
pub(crate) fn literals_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['"', '\'', '`']) {
        let quote = rest.as_bytes()[open] as char;
        let after = &rest[open + 1..];
        let Some(close) = after.find(quote) else { break };
        found.push(after[..close].to_owned());
        rest = &after[close + 1..];
    }
    found
}

/// Returns the string literals of an argument: its own text if it is one, otherwise those inside a list.
pub(crate) fn literals(argument: &SiteArgument) -> Vec<String> {
    if argument.is_literal { vec![argument.text.clone()] } else { literals_in(&argument.text) }
}

/// Returns a default value as a person would type it: `8080`, `true`, `Color::Auto`, a string without its
/// quotes. Returns `None` if the value is computed, is a name of a constant, or means "no value", such as
/// `None`.
pub(crate) fn default_of(argument: &SiteArgument) -> Option<String> {
    if argument.is_literal {
        return plain_default(&argument.text);
    }
    let text = argument.text.trim();
    // A closure of Rust has its value after its parameters.
    let text = match text.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
        Some((_, value)) => value.trim(),
        None => text,
    };
    let text = [".to_string()", ".to_owned()", ".into()", ".parse().unwrap()"]
        .iter()
        .fold(text, |text, end| text.strip_suffix(end).unwrap_or(text));
    let text = text.strip_prefix("String::from(").and_then(|it| it.strip_suffix(')')).unwrap_or(text);
    let quoted = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    if let Some(content) = quoted.filter(|content| !content.contains(['"', '\'', '\\', '{'])) {
        return plain_default(content);
    }
    let is_nothing =
        matches!(text, "None" | "nil" | "null" | "undefined" | "NULL" | "nullptr" | "..." | "Ellipsis" | "");
    let is_value =
        text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '+' | '*' | ' '));
    // `1 << 20`: numbers only, because `<` opens a list of types elsewhere.
    let is_shift = text.contains("<<")
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '<' | ' ' | '_' | '*'));
    let is_value = (is_value || is_shift) && is_known_value(text);
    let is_name = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'));
    (!is_nothing && is_value && is_name).then(|| plain_default(text)).flatten()
}

/// Returns true if the source text denotes a constant value: a number, a truth value, a member of a type such
/// as `Color::Auto`, or a product such as `5 * time.Second`. Names of constants and variables do not count.
fn is_known_value(text: &str) -> bool {
    let is_number = text.trim_start_matches(['-', '+', '.']).starts_with(|c: char| c.is_ascii_digit());
    let is_word = matches!(text.to_ascii_lowercase().as_str(), "true" | "false");
    let (of, member) = text.rsplit_once("::").or_else(|| text.rsplit_once('.')).unwrap_or(("", text));
    let of_type = of.rsplit([':', '.']).next().unwrap_or_default();
    // `lib.Preferences.Name` is a field of a variable.
    let is_deep = of.contains('.') && of.starts_with(char::is_lowercase);
    let is_type =
        !is_deep && of_type.starts_with(char::is_uppercase) && of_type.chars().any(char::is_lowercase);
    let lower = member.to_ascii_lowercase();
    let is_member = is_type && member.starts_with(char::is_uppercase) && !lower.contains("default");
    is_number || is_word || is_member
}

/// Returns the text if it is fit to be shown as a default: not empty, short, on one line, without hidden
/// characters and secrets.
fn plain_default(text: &str) -> Option<String> {
    let is_plain =
        text.len() <= DEFAULT && !text.contains('\n') && visible(text) == text && !has_secret(text);
    (is_plain && !text.is_empty()).then(|| text.to_owned())
}

/// Returns a help text of an option or command as plain text, made safe to show; `None` without a usable
/// text.
pub(crate) fn help(text: Option<&str>) -> Option<String> {
    text.and_then(help_text)
}

/// Finds a definition in the outline of a file. `within` names the enclosing definitions, joined by dots
/// and empty for the top level; `name` is its own name.
pub(crate) fn definition<'a>(file: &'a ParsedFile, within: &str, name: &str) -> Option<&'a SymbolInfo> {
    let mut symbols = &file.outline.symbols;
    for part in within.split('.').filter(|part| !part.is_empty()) {
        symbols = &symbols.iter().find(|symbol| symbol.name == part && !symbol.children.is_empty())?.children;
    }
    symbols.iter().find(|symbol| symbol.name == name)
}

/// Returns the documentation comment of the definition `name` inside `within`.
pub(crate) fn docs<'a>(file: &'a ParsedFile, within: &str, name: &str) -> Option<&'a str> {
    definition(file, within, name)?.docstring.as_deref()
}

/// Converts an identifier to the form of a command-line option: `max_size`, `maxSize` and `MAXSize` become
/// `max-size`.
pub(crate) fn kebab(name: &str) -> String {
    let chars: Vec<char> = name.trim_start_matches("r#").trim_matches('_').chars().collect();
    let mut out = String::with_capacity(chars.len() + 4);
    for (index, c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| chars[index]);
        let is_next_lower = chars.get(index + 1).is_some_and(|next| next.is_lowercase());
        // An abbreviation is one word, and its last capital begins the next one.
        let is_start = c.is_uppercase()
            && before.is_some_and(|before| !before.is_uppercase() || is_next_lower)
            && !out.ends_with('-');
        if is_start {
            out.push('-');
        }
        if *c == '_' {
            out.push('-');
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Maximum average line length of hand-written text, in bytes.
const LINE: usize = 500;

/// Returns true for a minified file: `.min.` in its name, or very long lines on average.
pub(crate) fn is_minified(file: &ParsedFile) -> bool {
    file.outline.path.contains(".min.")
        || file.text.len() > LINE * 20 && file.text.len() / LINE > file.outline.line_count
}

#[cfg(test)]
mod tests {
    use stategraph_repo::SiteArgument;

    use super::{default_of, kebab};

    #[test]
    fn the_name_of_a_constant_is_no_default() {
        let of = |text: &str| default_of(&SiteArgument { name: None, text: text.into(), is_literal: false });
        for value in
            ["80", "-1", "1.5", "true", "False", "5 * time.Second", "Color::Auto", "Mode.FAST", "1 << 20"]
        {
            assert_eq!(of(value).as_deref(), Some(value));
        }
        for name in [
            "undefinedProxy",
            "DEFAULT_SORT_ORDER",
            "config.DefaultPort",
            "Config.DEFAULT_PORT",
            "lib.Preferences.Name",
            "port",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn names_become_options_word_by_word() {
        for (name, expected) in [
            ("max_size", "max-size"),
            ("maxSize", "max-size"),
            ("RunAll", "run-all"),
            ("HTTPServer", "http-server"),
            ("listHTTP", "list-http"),
            ("r#type", "type"),
            ("v2Only", "v2-only"),
        ] {
            assert_eq!(kebab(name), expected);
        }
    }
}
