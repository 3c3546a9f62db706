//! Finds command-line options of Go programs: flag, pflag, cobra, urfave/cli, kingpin, kong and go-flags.

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::super::usage::{options, options_of_text};
use super::super::{ParsedSetting, variables};
use super::flag;
use crate::calls::{
    default_of, find_named, help, imports, kebab, last, links, literal, named_literal, positional, receiver,
};

/// Types in the names of functions that declare an option, such as `String` in `StringVarP`.
const TYPES: &[&str] = &[
    "String",
    "Bool",
    "Int",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Uint",
    "Uint8",
    "Uint16",
    "Uint32",
    "Uint64",
    "Float32",
    "Float64",
    "Duration",
    "StringSlice",
    "StringArray",
    "StringToString",
    "IntSlice",
    "BoolSlice",
    "Count",
    "IP",
    "IPNet",
    "DurationSlice",
    "Text",
    "Func",
    "BoolFunc",
];

/// Structures of urfave/cli that declare an option.
const CLI: &[&str] = &[
    "StringFlag",
    "BoolFlag",
    "IntFlag",
    "Int64Flag",
    "UintFlag",
    "Uint64Flag",
    "DurationFlag",
    "StringSliceFlag",
    "Float64Flag",
    "PathFlag",
    "BoolTFlag",
    "IntSliceFlag",
    "TimestampFlag",
    "GenericFlag",
];

/// Adds to `found` the command-line options that a Go file declares, each with its site.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_pflag = imports(file, &["github.com/spf13"]);
    let is_standard = imports(file, &["flag"]);
    let is_cli =
        imports(file, &["github.com/urfave/cli", "gopkg.in/urfave/cli", "github.com/codegangsta/cli"]);
    let is_kingpin = imports(file, &["gopkg.in/alecthomas/kingpin", "github.com/alecthomas/kingpin"]);
    let is_kong = imports(file, &["github.com/alecthomas/kong"]);
    let first = found.len();
    for (index, site) in file.sites.iter().enumerate() {
        match site.kind {
            SiteKind::Attribute if site.name == "tag" => tag(site, is_kong, found),
            SiteKind::Call if is_cli && CLI.contains(&last(&site.name)) => cli(site, found),
            SiteKind::Call if is_kingpin && last(&site.name) == "Flag" => kingpin(file, index, found),
            SiteKind::Call if is_pflag || is_standard => {
                let dashes =
                    if is_pflag && receiver(&site.name) != "flag" || !is_standard { "--" } else { "-" };
                found.extend(read_flag(site, dashes).map(|setting| (site, setting)));
            }
            _ => {}
        }
    }
    if is_standard {
        add_usage(file.text, &mut found[first..]);
    }
}

/// Sets the help text of command-line options without one from the usage text that the program prints.
fn add_usage(text: &str, found: &mut [(&Site, ParsedSetting)]) {
    if found.iter().all(|(_, setting)| setting.text.is_some()) {
        return;
    }
    let said = options_of_text(text);
    // A usage that is put together line by line.
    let printed = options(text);
    for (_, setting) in found.iter_mut().filter(|(_, setting)| setting.text.is_none()) {
        let name = setting.name.as_str();
        // The package takes one dash for two, as usages write it.
        let by_lines = || printed.get(name).or_else(|| printed.get(format!("-{name}").as_str())).copied();
        setting.text = help(said.get(name).map(String::as_str).or_else(by_lines));
    }
}

/// Returns the command-line option declared by `flag.String("name", "default", "help")` or
/// `flags.StringVarP(&v, "name", "n", "default", "help")`. `dashes` is `-` or `--`.
fn read_flag(site: &Site, dashes: &str) -> Option<ParsedSetting> {
    if receiver(&site.name).is_empty() && !site.name.starts_with('.') {
        return None;
    }
    let whole = last(&site.name);
    let is_type = |name: &str| TYPES.contains(&name);
    let (bare, is_short) = match whole
        .strip_suffix('P')
        .filter(|bare| is_type(bare.strip_suffix("Var").unwrap_or(bare)) || *bare == "Var")
    {
        Some(bare) => (bare, true),
        None => (whole, false),
    };
    let is_plain_var = bare == "Var";
    let (of_type, is_var) = match bare.strip_suffix("Var") {
        Some(of_type) => (of_type, true),
        None => (bare, false),
    };
    if !is_plain_var && !is_type(of_type) {
        return None;
    }
    let at = usize::from(is_var);
    let name = literal(site, at)?;
    let rest = at + 1 + usize::from(is_short);
    let has_default = !is_plain_var && !matches!(of_type, "Count" | "Func" | "BoolFunc");
    let count = site.arguments.len();
    let expected = rest + usize::from(has_default) + 1 + usize::from(matches!(of_type, "Func" | "BoolFunc"));
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '?'))
        && !name.is_empty();
    if count != expected || !is_name {
        return None;
    }
    let default = if has_default { positional(site, rest).and_then(default_of) } else { None };
    let text = help(literal(site, rest + usize::from(has_default)));
    Some(flag(format!("{dashes}{name}"), default, text))
}

/// Adds the command-line option and the environment variable declared by `&cli.StringFlag{Name: "port, p",
/// Value: "80", Usage: "…", EnvVars: []string{"PORT"}}`.
fn cli<'a>(site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let Some(name) = named_literal(site, &["Name"]).and_then(|names| names.split(',').next()) else { return };
    let default = find_named(site, &["Value"]).and_then(default_of);
    let text = help(named_literal(site, &["Usage"]));
    let variables = find_named(site, &["EnvVars", "EnvVar", "Sources"]);
    found.extend(variables::of_option(site, variables, default.as_ref(), text.as_ref()));
    found.push((site, flag(format!("--{}", name.trim()), default, text)));
}

/// Adds the command-line option and the environment variable declared by `app.Flag("port",
/// "help").Default("80").Envar("PORT")`.
fn kingpin<'a>(file: &ParsedFile<'a>, index: usize, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let site = &file.sites[index];
    let Some(name) = literal(site, 0) else { return };
    let links = links(file.sites, index);
    let link = |name: &str| links.iter().find(|link| link.name == name).and_then(|link| positional(link, 0));
    let default = link(".Default").and_then(default_of);
    let text = help(literal(site, 1));
    found.extend(variables::of_option(site, link(".Envar"), default.as_ref(), text.as_ref()));
    found.push((site, flag(format!("--{name}"), default, text)));
}

/// Adds the command-line option that the tags of a field declare for kong or go-flags: `long:"port"
/// description:"…" default:"80"`.
fn tag<'a>(site: &'a Site, is_kong: bool, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let value = |key: &str| {
        find_named(site, &[key]).map(|argument| argument.text.as_str()).filter(|text| !text.is_empty())
    };
    let has = |key: &str| find_named(site, &[key]).is_some();
    let is_option = is_kong && !has("arg") && !has("cmd") && !has("embed") && (has("help") || has("name"));
    let long = value("long").filter(|_| has("description")).or_else(|| value("name").filter(|_| is_option));
    let long = long.map(str::to_owned).or_else(|| is_option.then(|| kebab(&site.target)));
    let text = help(value("description").or_else(|| value("help")));
    let default = value("default").map(str::to_owned);
    found.extend(long.map(|long| (site, flag(format!("--{long}"), default, text).field(site))));
}
