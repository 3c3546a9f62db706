//! Finds command-line options of Ruby (`OptionParser`, Thor), PHP (Symfony's console, getopt) and shell
//! scripts (branches of a `case`, `getopts`).

use std::collections::{BTreeMap, BTreeSet};

use stategraph_repo::{Language, ParsedFile, Site, SiteKind};

use super::super::ParsedSetting;
use super::super::usage::options;
use super::{choose_option, flag, short_options};
use crate::calls::{
    default_of, find_named, help, imports, kebab, last, literal, literals_in, named_literal, positional,
};
use crate::dispatch::readers;

/// Adds to `found` the command-line options that a Ruby, PHP or shell file declares, each with its site.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let mut branches = BTreeSet::new();
    let is_script = file.outline.language == Language::Bash;
    let readers = if is_script { readers(file) } else { BTreeSet::new() };
    let usage = if is_script { options(file.text) } else { BTreeMap::new() };
    let lines: Vec<&str> = if is_script { file.text.lines().collect() } else { Vec::new() };
    // A completion names the options of another program.
    let is_completion = file.text.contains("COMPREPLY");
    for site in file.sites {
        if file.outline.language == Language::Php {
            found.extend(list(file, site).into_iter().map(|setting| (site, setting)));
        }
        if is_script && site.name == "getopts" && !is_completion {
            let within = last(&site.within);
            if within.is_empty() || within == "main" || readers.contains(within) {
                for option in short_options(literal(site, 0).unwrap_or_default()) {
                    let text = help(usage.get(option.as_str()).copied());
                    found.push((site, flag(option, None, text)));
                }
            }
        }
        let setting = match file.outline.language {
            Language::Ruby => ruby(file, site),
            Language::Php => php(file, site),
            _ if site.kind == SiteKind::Keyword && site.name == "case" && !is_completion => {
                let option =
                    branch(file, &lines, site, &readers).filter(|it| branches.insert(it.name.clone()));
                option.map(|option| {
                    let text = help(usage.get(option.name.as_str()).copied());
                    option.text(text)
                })
            }
            _ => None,
        };
        found.extend(setting.map(|setting| (site, setting)));
    }
}

/// Returns the command-line option declared by `opts.on("-p", "--port PORT", Integer, "help")` or `option
/// :port, default: 80, desc: "help"`.
fn ruby(file: &ParsedFile, site: &Site) -> Option<ParsedSetting> {
    let is_parser = || imports(file, &["optparse", "optionparser"]) || file.text.contains("OptionParser");
    let given = || site.arguments.iter().filter(|argument| argument.name.is_none() && argument.is_literal);
    match last(&site.name) {
        "on" | "on_tail" | "on_head" if site.name.contains('.') && is_parser() => {
            let negated = given().map(|argument| argument.text.replace("--[no-]", "--"));
            let plain = given().map(|it| it.text.as_str()).filter(|it| !it.starts_with('-'));
            let plain: Vec<&str> = plain.collect();
            // `"port to use (default: #{DEFAULT})"` without the computed part.
            let computed = || {
                let texts = site.arguments.iter().filter(|it| !it.is_literal && it.name.is_none());
                let mut texts = texts.filter_map(|it| it.text.strip_prefix('"')?.split("#{").next());
                texts.find(|text| text.contains(' ')).map(|text| text.split(" (").next().unwrap_or(text))
            };
            let said = if plain.is_empty() { computed().into_iter().collect() } else { plain };
            Some(flag(
                choose_option(negated)?,
                None,
                help(Some(said.join(" ").trim()).filter(|it| !it.is_empty())),
            ))
        }
        "option" | "method_option" | "class_option"
            if imports(file, &["thor"]) || file.text.contains("< Thor") =>
        {
            let name = positional(site, 0)?.text.trim_start_matches(':').to_owned();
            let default = find_named(site, &["default"]).and_then(default_of);
            let text = help(named_literal(site, &["desc", "description"]));
            Some(flag(format!("--{}", kebab(&name)), default, text))
        }
        _ => None,
    }
}

/// Returns the command-line option declared by `->addOption('port', 'p', InputOption::VALUE_REQUIRED,
/// 'help', 80)`.
fn php(file: &ParsedFile, site: &Site) -> Option<ParsedSetting> {
    let name = last(&site.name);
    let is_option =
        matches!(name, "addOption" | "InputOption") && imports(file, &["Symfony\\Component\\Console"]);
    let option = literal(site, 0).or_else(|| named_literal(site, &["name"])).filter(|_| is_option)?;
    let said = literal(site, 3).or_else(|| named_literal(site, &["description"]));
    let default = positional(site, 4).or_else(|| find_named(site, &["default"])).and_then(default_of);
    Some(flag(format!("--{option}"), default, help(said)))
}

/// Returns the long command-line options declared by `getopt("hv", ["port:"])` and `(new
/// Parser)->parse($argv, "hv", ["port="])` (Sebastian Bergmann's parser).
fn list(file: &ParsedFile, site: &Site) -> Vec<ParsedSetting> {
    let at = match last(&site.name) {
        "getopt" => 1,
        "parse" if imports(file, &["SebastianBergmann\\CliParser"]) => 2,
        _ => return Vec::new(),
    };
    let is_list =
        positional(site, at).is_some_and(|it| it.text.starts_with('[') || it.text.starts_with("array("));
    if !is_list || site.kind != SiteKind::Call {
        return Vec::new();
    }
    // An argument is cut, but the lines of its call are not.
    let lines = file.text.lines().skip(site.line - 1).take(site.line_end - site.line + 1);
    let text = lines.take(200).collect::<Vec<_>>().join("\n");
    let Some((_, after)) = text.split_once(['[']).or_else(|| text.split_once("array(")) else {
        return Vec::new();
    };
    let names = literals_in(after.split([']', ')']).next().unwrap_or(after));
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let names = names.iter().map(|name| name.trim_end_matches(['=', ':']));
    let names = names.filter(|name| name.len() > 1 && name.chars().all(is_part));
    names.map(|name| flag(format!("--{name}"), None, None)).collect()
}

/// Returns the command-line option handled by a `case` branch `-p | --port)`, if the branch reads the
/// program's arguments. `readers` are the functions that get them.
fn branch(file: &ParsedFile, lines: &[&str], site: &Site, readers: &BTreeSet<&str>) -> Option<ParsedSetting> {
    // A function that reads its own arguments has no options of the program.
    let stem =
        file.outline.path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    let within = site.within.to_lowercase();
    let is_reader = readers.contains(last(&site.within));
    let reads = is_reader
        || ["main", "parse", "arg", "opt", "process", "cli"].iter().any(|word| within.contains(word));
    // `--build=*) ;;` takes an option and does nothing with it.
    let line = lines.get(site.line.saturating_sub(1)).copied().unwrap_or_default().trim_end();
    if line.strip_suffix(";;").is_some_and(|arm| arm.trim_end().ends_with(')')) {
        return None;
    }
    // Where the code has errors, the functions around a branch are not known.
    let is_lost = within.is_empty() && file.outline.gaps.syntax_errors > 0;
    if is_lost || !within.is_empty() && !reads && within != stem {
        return None;
    }
    let plain = site
        .arguments
        .iter()
        .filter(|it| it.name.is_none())
        .map(|argument| argument.text.trim_matches(['"', '\'']).trim_end_matches("=*"));
    let options: Vec<&str> = plain.filter(|text| !text.contains(['*', '[', '?', '$', '(', ' '])).collect();
    let is_option = |text: &&&str| text.starts_with('-') && !text.trim_start_matches('-').is_empty();
    let options: Vec<&&str> = options.iter().filter(is_option).collect();
    let is_word = |name: &String| name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic());
    choose_option(options).filter(is_word).map(|name| flag(name, None, None))
}
