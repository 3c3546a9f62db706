//! Reads build features from manifests and build files: Cargo features, Python extras, options of `CMake`,
//! Meson and `configure`.

use super::{ParsedSetting, fact};
use crate::collect::Texts;
use crate::fact::{Fact, SettingForm, SourceLines};
use crate::text::purpose;

/// Maximum length of the list of things that a feature enables, in characters.
const LIST: usize = 200;

/// Returns the build options that all manifests and build files of a code base declare (Cargo features,
/// Python extras, `CMake`, Meson and Autoconf options).
pub(super) fn settings(texts: &Texts) -> Vec<Fact> {
    let mut found = Vec::new();
    for path in texts.paths() {
        let name = path.rsplit('/').next().unwrap_or(path);
        let read: fn(&str) -> Vec<(usize, ParsedSetting)> = match name {
            "Cargo.toml" => cargo,
            "pyproject.toml" => extras,
            "CMakeLists.txt" => cmake,
            "configure.ac" | "configure.in" => autoconf,
            "meson_options.txt" | "meson.options" => meson,
            _ if name.ends_with(".cmake") => cmake,
            _ => continue,
        };
        let Some(text) = texts.read(path) else { continue };
        let made = read(&text).into_iter().filter_map(|(line, setting)| {
            fact(setting, path, SourceLines { path: path.clone(), start: line, end: line })
        });
        found.extend(made.take(super::SETTINGS));
    }
    found
}

/// Returns the keys in the named tables of a TOML file. Each item is the line, the key, its value as
/// written, and the comment above or beside it.
fn table<'a>(text: &'a str, names: &[&str]) -> Vec<(usize, &'a str, String, Option<String>)> {
    let mut found: Vec<(usize, &str, String, Option<String>)> = Vec::new();
    let (mut is_inside, mut comment, mut open) = (false, String::new(), 0_usize);
    // Lines of a comment from a new remark on, such as `However: …` behind a line without an end.
    let mut is_aside = false;
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim();
        if open == 0 && bare.starts_with('[') {
            is_inside = names.contains(&bare.trim_matches(['[', ']']).trim());
            comment.clear();
            continue;
        }
        if !is_inside {
            continue;
        }
        if let Some(words) = bare.strip_prefix('#') {
            let words = words.trim_start_matches('#');
            is_aside = !comment.is_empty() && (is_aside || begins_remark(&comment, words));
            if !is_aside {
                comment.push_str(words);
            }
            continue;
        }
        let (code, beside) = split_comment(bare);
        if open == 0
            && let Some((key, value)) = code.split_once('=')
        {
            let over = Some(std::mem::take(&mut comment)).filter(|comment| !comment.trim().is_empty());
            found.push((
                index + 1,
                key.trim().trim_matches(['"', '\'']),
                value.trim().to_owned(),
                beside.map(str::to_owned).or(over),
            ));
            open = open_lists(0, value);
        } else if open > 0 {
            if let Some((_, _, value, _)) = found.last_mut().filter(|it| it.2.len() < LIST * 4) {
                value.push(' ');
                value.push_str(code);
            }
            open = open_lists(open, code);
        } else {
            comment.clear();
        }
    }
    // A comment over the first of several keys, none of which has another, is the heading of all.
    if let [first, rest @ ..] = &mut found[..]
        && !rest.is_empty()
        && rest.iter().all(|(.., comment)| comment.is_none())
    {
        first.3 = None;
    }
    found
}

/// Returns true if a comment line begins a new remark, such as `However: …`, although the sentence `before`
/// has no end.
fn begins_remark(before: &str, line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_start = first.starts_with(char::is_uppercase) && first.ends_with([',', ':']);
    (is_start || first == "See") && !before.trim_end().ends_with(['.', ',', ';', ':'])
}

/// Splits a line into its code and its comment; a `#` inside a string does not count.
fn split_comment(line: &str) -> (&str, Option<&str>) {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '#' => return (line[..at].trim_end(), Some(&line[at + 1..])),
            _ => {}
        }
    }
    (line, None)
}

/// Returns the number of TOML lists (`[`) that are still open after a line of code; `open` is their number
/// before it.
fn open_lists(open: usize, code: &str) -> usize {
    let (mut open, mut quote) = (open, None);
    for c in code.chars() {
        match (quote, c) {
            (Some(mark), _) if c == mark => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => open += 1,
            (None, ']') => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}

/// Returns the features in a `Cargo.toml`, each with its line. A default feature has the default `on`.
fn cargo(text: &str) -> Vec<(usize, ParsedSetting)> {
    let features = table(text, &["features"]);
    let default =
        features.iter().find(|(_, name, ..)| *name == "default").map(|it| it.2.clone()).unwrap_or_default();
    let defaults = crate::calls::literals_in(&default);
    let made = features.into_iter().map(|(line, name, value, comment)| {
        let list = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_list = list.len() <= LIST && list.starts_with('[') && list != "[]" && list != "[ ]";
        let said = comment.as_deref().and_then(purpose).or_else(|| is_list.then_some(list));
        let is_default = defaults.iter().any(|feature| feature == name);
        let on = is_default.then(|| "on".to_owned());
        (line, ParsedSetting::new(SettingForm::Feature, name).default(on).text(said))
    });
    made.collect()
}

/// Returns the extras in a `pyproject.toml`, each with its line.
fn extras(text: &str) -> Vec<(usize, ParsedSetting)> {
    let tables = table(text, &["project.optional-dependencies", "tool.poetry.extras"]);
    let made = tables.into_iter().map(|(line, name, _, comment)| {
        (line, ParsedSetting::new(SettingForm::Feature, name).text(comment.as_deref().and_then(purpose)))
    });
    made.collect()
}

/// Returns the calls of the functions or macros `words` (in any case) that begin a line of a build file:
/// each with its line from 1 and the text from there to the end of the file, without the word.
fn calls_of<'a>(text: &'a str, words: &'a [&str]) -> impl Iterator<Item = (usize, &'a str)> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').enumerate().map(move |(index, line)| {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        (index + 1, &text[start..], line.trim().is_empty())
    });
    // The call below an empty line has a line of its own.
    lines.filter(|(.., is_empty)| !is_empty).filter_map(|(line, rest, _)| {
        let is_word =
            |word: &&&str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let word = words.iter().find(is_word)?;
        Some((line, &rest[word.len()..]))
    })
}

/// Returns the build options of the form `option(NAME "help" ON)`, each with its line.
fn cmake(text: &str) -> Vec<(usize, ParsedSetting)> {
    let options = calls_of(text, &["option(", "cmake_dependent_option("]);
    options.filter_map(|(line, rest)| Some((line, cmake_option(rest)?))).take(super::SETTINGS).collect()
}

/// Parses the arguments of `option(` at the beginning of a text.
fn cmake_option(rest: &str) -> Option<ParsedSetting> {
    let rest = beginning(rest, LIST * 10);
    let (name, after) = rest.trim_start().split_once(char::is_whitespace)?;
    let after = after.trim_start();
    let (said, after) = match after.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => ("", after),
    };
    let value = after.split(')').next()?.split_whitespace().next();
    let default = match value {
        None => Some("OFF".to_owned()),
        Some(value) => Some(value.to_owned()).filter(|it| !it.contains(['$', '"'])),
    };
    Some(ParsedSetting::new(SettingForm::Feature, name).default(default).text(purpose(said)))
}

/// Returns the build options of the form `option('name', type : 'boolean', value : true, description :
/// 'help')`.
fn meson(text: &str) -> Vec<(usize, ParsedSetting)> {
    let made = calls_of(text, &["option("]).filter_map(|(line, rest)| {
        let whole = beginning(rest, LIST * 10);
        let whole = &whole[..whole.find(")\n").unwrap_or(whole.len())];
        let name = crate::calls::literals_in(whole).into_iter().next()?;
        let value = |key: &str| {
            let after = whole.split(key).nth(1)?.trim_start().strip_prefix(':')?.trim_start();
            match after.strip_prefix('\'') {
                Some(quoted) => quoted.split('\'').next(),
                None => after.split([',', ')', '\n']).next(),
            }
        };
        let default = value("value").map(|it| it.trim().to_owned());
        let default = default.filter(|it| !it.is_empty() && !it.contains(['[', '\'']));
        let text = value("description").and_then(purpose);
        Some((line, ParsedSetting::new(SettingForm::Feature, name).default(default).text(text)))
    });
    made.take(super::SETTINGS).collect()
}

/// Returns the build options of the form `AC_ARG_ENABLE([tests], AS_HELP_STRING([--enable-tests], [help]),
/// …)`.
fn autoconf(text: &str) -> Vec<(usize, ParsedSetting)> {
    let enable = calls_of(text, &["AC_ARG_ENABLE("]).map(|(line, rest)| (line, rest, "--enable-"));
    let with = calls_of(text, &["AC_ARG_WITH("]).map(|(line, rest)| (line, rest, "--with-"));
    let made = enable.chain(with).filter_map(|(line, rest, start)| {
        let rest = beginning(rest, LIST * 10);
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
        let (name, after) = rest.split_once(',')?;
        let name = name.trim().trim_matches(['[', ']']).trim();
        if name.is_empty() || !name.chars().all(is_part) {
            return None;
        }
        let help = ["AS_HELP_STRING(", "AC_HELP_STRING("].iter().find_map(|call| {
            let given = after.trim_start().trim_start_matches('[').strip_prefix(call)?;
            let (option, said) = given.split_once(',')?;
            let option = option.trim().trim_matches(['[', ']']);
            // In brackets a parenthesis is text.
            let is_bare = !said.trim_start().starts_with('[');
            let said = said.trim_start().trim_start_matches('[');
            let end = said.find(|c| matches!(c, '[' | ']') || is_bare && c == ')').unwrap_or(said.len());
            Some((option[..option.find(['=', '[', ' ']).unwrap_or(option.len())].to_owned(), &said[..end]))
        });
        // The help names the contrary of the default: `--disable-nls`.
        let option = help.as_ref().map(|(option, _)| option.clone()).filter(|option| {
            option.starts_with("--") && option.ends_with(name) && option.chars().all(is_part)
        });
        let option = option.unwrap_or_else(|| format!("{start}{name}"));
        // Autoconf writes brackets in texts so.
        let said = help.map(|(_, said)| said.replace("@<:@", "[").replace("@:>@", "]"));
        let said = said.map(|said| said.split_whitespace().collect::<Vec<_>>().join(" "));
        Some((line, ParsedSetting::new(SettingForm::Feature, option).text(said.as_deref().and_then(purpose))))
    });
    let mut found: Vec<_> = made.take(super::SETTINGS).collect();
    found.extend(own_macros(text).take(super::SETTINGS));
    found.sort_by_key(|(line, _)| *line);
    found
}

/// Returns the build options declared by a project's own macros around `AC_ARG_ENABLE`, such as
/// `SHOP_ARG_ENABLE(gifts, [help], yes)`.
fn own_macros(text: &str) -> impl Iterator<Item = (usize, ParsedSetting)> + '_ {
    let calls = calls_of(text, &[""]).filter_map(|(line, rest)| {
        let (name, inside) = beginning(rest, LIST * 10).split_once('(')?;
        let is_macro = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let form = ["_ARG_ENABLE", "_ARG_WITH"].into_iter().find(|end| is_macro && name.ends_with(end))?;
        (name != format!("AC{form}")).then_some((line, inside, form))
    });
    calls.filter_map(|(line, inside, form)| {
        let (name, after) = inside.split_once(',')?;
        let name = name.trim().trim_matches(['[', ']']).replace('_', "-");
        let said = after.trim_start().strip_prefix('[')?;
        let (said, after) = said.split_once(']')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let default =
            after.split([')', ',']).map(|it| it.trim().trim_matches(['[', ']'])).find(|it| !it.is_empty());
        let default = default.filter(|it| matches!(*it, "yes" | "no" | "auto")).map(str::to_owned);
        let start = if form == "_ARG_ENABLE" { "--enable" } else { "--with" };
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        is_name.then(|| {
            let setting = ParsedSetting::new(SettingForm::Feature, format!("{start}-{name}"));
            (line, setting.default(default).text(purpose(&said)))
        })
    })
}

/// Returns at most the first `bytes` bytes of a text, cut at a character.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
