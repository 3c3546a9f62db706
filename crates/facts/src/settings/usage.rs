//! Reads the help of options from the usage text that a program prints: `"  --smart   Use smart
//! punctuation\n"`.

use std::collections::BTreeMap;

/// Maximum length of a line that is read, in bytes.
const LINE: usize = 300;
/// Minimum indentation, in columns, of a line that continues the help before it.
const DEEP: usize = 10;
/// Maximum number of lines of the help of one option.
const LINES: usize = 8;
/// Maximum number of options of one file.
const OPTIONS: usize = 500;

/// Returns the help text of each command-line option by its name, from lines of source code that print one
/// line of the usage text each. An option whose help continues on the next line is left out.
pub(super) fn options(text: &str) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_whole = line.len() <= LINE && !lines.peek().is_some_and(|next| goes_on(next));
        let Some((names, said)) = Some(line).filter(|_| is_whole).and_then(printed).and_then(option) else {
            continue;
        };
        for name in names.split([',', ' ', '|']).filter(|name| name.starts_with('-')) {
            let name = &name[..name.find(['=', '[', '<']).unwrap_or(name.len())];
            if found.len() < OPTIONS && name.len() > 1 {
                found.entry(name).or_insert(said);
            }
        }
    }
    found
}

/// Returns the help text of each command-line option by its name, from a usage text of many lines.
/// Continuation lines must be aligned with the help; otherwise the option is left out.
pub(super) fn options_of_text(text: &str) -> BTreeMap<&str, String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let is_text = line.len() <= LINE && !line.contains(['`', ';', '\t']) && line.starts_with("  -");
        let Some((names, said)) = Some(*line).filter(|_| is_text).and_then(option) else { continue };
        let column = line.len() - said.len();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let more: Vec<&str> = lines[at + 1..]
            .iter()
            .take(LINES)
            .take_while(|line| indent(line) > 2 && !line.trim_start().starts_with('-'))
            .copied()
            .collect();
        let is_aligned = more.iter().all(|line| indent(line) == column);
        let whole =
            std::iter::once(said).chain(more.iter().map(|line| line.trim())).collect::<Vec<_>>().join(" ");
        let whole = Some(whole).filter(|whole| is_aligned && !whole.contains('%'));
        for name in names.split([',', ' ']).filter(|name| name.starts_with('-')) {
            if found.len() < OPTIONS {
                // Two usages of one option disagree.
                found.entry(name).and_modify(|known| *known = None).or_insert_with(|| whole.clone());
            }
        }
    }
    found.into_iter().filter_map(|(name, said)| Some((name, said?))).collect()
}

/// Returns true if a line of a usage text is indented so far that it continues the help of the option above
/// it.
fn goes_on(line: &str) -> bool {
    let content =
        line.split_once('"').filter(|(before, _)| !before.contains('-')).map_or(line, |(_, content)| content);
    let bare = content.trim_start().trim_start_matches("\\t");
    content.len() - bare.len() >= DEEP && bare.starts_with(|c: char| c.is_alphanumeric() || c == '(')
}

/// Returns the text that a line of source code prints: the string literal in it, or the whole line inside a
/// multi-line string.
fn printed(line: &str) -> Option<&str> {
    let Some((before, rest)) = line.split_once('"') else {
        return Some(line.trim()).filter(|line| !line.ends_with('\\') && !line.contains(['`', '$', ';']));
    };
    if before.contains('-') {
        return None;
    }
    let (content, after) = rest.rsplit_once('"')?;
    let whole = content.strip_suffix("\\n");
    let is_whole = whole.is_some() || after.trim_start().starts_with(')');
    let content = whole.unwrap_or(content);
    (is_whole && !content.contains(['"', '%'])).then(|| content.trim())
}

/// Splits a usage line `-t, --to FORMAT   Writes this format` into the names and the help.
fn option(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("\\t").unwrap_or(line).trim_start();
    let ends = ["  ", "\t", "\\t"].iter().filter_map(|gap| line.find(gap));
    // `--name: its help` has a colon instead of columns.
    let colon = line.find(": ").filter(|at| line.starts_with("--") && *at < 30);
    let end = ends.min().into_iter().chain(colon).min()?;
    let (names, said) = line.split_at(end);
    let (names, said) = (names.trim_end(), said.strip_prefix(": ").unwrap_or(said));
    let said = said.trim_start_matches(|c: char| c.is_whitespace()).trim_start_matches("\\t").trim();
    let said = said.strip_prefix("- ").unwrap_or(said);
    let is_option = names.starts_with('-') && names.len() <= 60 && !names.contains([')', '(', ';', '$']);
    let is_said = said.starts_with(char::is_alphabetic) && said.contains(' ');
    (is_option && is_said && !said.contains("\\n")).then_some((names, said))
}

#[cfg(test)]
mod tests {
    use super::options;

    #[test]
    fn the_help_of_an_option_goes_on_below_its_first_word() {
        let text = "  -n  Number of runs.\n  -c  Number of workers. It cannot be\n      smaller than the level.\n  -cpus  Number of cores.\n   or less\n  -x a\n";
        let found: Vec<String> =
            super::options_of_text(text).into_iter().map(|(name, said)| format!("{name}: {said}")).collect();
        assert_eq!(
            found,
            ["-c: Number of workers. It cannot be smaller than the level.", "-n: Number of runs."]
        );
    }

    #[test]
    fn each_option_of_a_usage_has_its_help() {
        for (line, expected) in [
            (r#"  printf("  --smart          Use smart punctuation\n");"#, "--smart: Use smart punctuation"),
            (r#"  "  -t, --to FORMAT  Write a format\n""#, "--to: Write a format; -t: Write a format"),
            (
                "  -p, --port=PORT   Listen on this port",
                "--port: Listen on this port; -p: Listen on this port",
            ),
            (r#"  printf("  --to FORMAT  Write one of (html, ""#, ""),
            ("  --src DIR   Read this folder (with all\n              its files)", ""),
            (r#"  printf("--size : frame has its size\n");"#, "--size: frame has its size"),
            (r#"  printf("--fast: files are read faster \n");"#, "--fast: files are read faster"),
            (r#"  "  --loud    - Print all that is done.\n""#, "--loud: Print all that is done."),
            ("  --flag  value \\", ""),
            ("  -n|--no) x=1;  shift ;;", ""),
            ("- a  list of words", ""),
        ] {
            let found: Vec<String> =
                options(line).into_iter().map(|(name, said)| format!("{name}: {said}")).collect();
            assert_eq!(found.join("; "), expected, "{line}");
        }
    }
}
