//! Finds command-line options of Python programs: argparse, optparse, getopt, click, typer and absl.

use stategraph_repo::{ParsedFile, Site, SiteArgument, SiteKind};

use super::super::{ParsedSetting, variables};
use super::{choose_option, flag, short_options};
use crate::calls::{
    default_of, find_named, help, imports, kebab, last, literal, literals, named_literal, positional,
    receiver,
};

/// Adds to `found` the command-line options that a Python file declares, each with its site.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_click = imports(file, &["click", "rich_click", "asyncclick", "flask.cli"]);
    let is_typer = imports(file, &["typer"]);
    let is_absl = imports(file, &["absl", "tensorflow"]);
    for site in file.sites {
        let name = last(&site.name);
        // A function that decorates others calls `click.option(…)(function)`.
        let is_made = matches!(site.name.as_str(), "click.option" | "option") && site.kind == SiteKind::Call;
        let is_click_option = is_click && name == "option" && (site.kind == SiteKind::Attribute || is_made);
        if name == "add_argument" || name == "add_option" || is_click_option {
            let is_parser = !receiver(&site.name).is_empty() || site.name.starts_with('.');
            if is_click_option || is_parser && has_parser(file) {
                option(file, site, found);
            }
        } else if site.name == "getopt.getopt" || site.name == "getopt.gnu_getopt" {
            getopt(site, found);
        } else if is_typer && name == "Option" && site.kind == SiteKind::Call {
            typer(site, found);
        } else if is_absl && name.starts_with("DEFINE_") {
            let option = literal(site, 0).map(|option| format!("--{option}"));
            let default = positional(site, 1).and_then(default_of);
            found.extend(option.map(|option| (site, flag(option, default, help(literal(site, 2))))));
        }
    }
}

/// Returns true if the file imports an argument parser or mentions one.
fn has_parser(file: &ParsedFile) -> bool {
    imports(file, &["argparse", "optparse", "argh", "configargparse"])
        || ["ArgumentParser", "parser.add_argument", "OptionParser"]
            .iter()
            .any(|word| file.text.contains(word))
}

/// Returns the unnamed string arguments of a call that begin with `-`.
fn list_option_names(site: &Site) -> impl Iterator<Item = &str> {
    let literals = site.arguments.iter().filter(|argument| argument.name.is_none() && argument.is_literal);
    literals.map(|argument| argument.text.as_str()).filter(|text| text.starts_with('-'))
}

/// Returns the string that an argument is, or that the variable it names is set to at the top level.
fn said<'a>(file: &ParsedFile<'a>, argument: &'a SiteArgument) -> Option<&'a str> {
    if argument.is_literal {
        return Some(&argument.text);
    }
    let is_name = argument.text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let start = format!("{} = ", argument.text);
    let value = file.text.lines().find_map(|line| line.strip_prefix(start.as_str())).filter(|_| is_name)?;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].strip_suffix(quote).filter(|text| !text.contains(['"', '\'', '\\']))
}

/// Adds the command-line option declared by `add_argument` (argparse), `add_option` (optparse) or
/// `click.option`, and the variables that it names.
fn option<'a>(file: &ParsedFile<'a>, site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let Some(name) = choose_option(list_option_names(site)) else { return };
    // The default of a switch is that of its variable: `--quiet` with `dest="verbose"` and `store_false`.
    let is_switch = named_literal(site, &["action"]).is_some_and(|action| action.starts_with("store_"));
    let default = find_named(site, &["default"]).filter(|_| !is_switch).and_then(default_of);
    let text = help(find_named(site, &["help"]).and_then(|it| said(file, it)));
    found.extend(variables::of_option(
        site,
        find_named(site, &["envvar", "env_var"]),
        default.as_ref(),
        text.as_ref(),
    ));
    found.push((site, flag(name, default, text)));
}

/// Adds the command-line option declared by `port: int = typer.Option(80, "--port", help="…")`, also in an
/// annotation.
fn typer<'a>(site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    if site.holder.is_empty() {
        return;
    }
    let name = choose_option(list_option_names(site)).unwrap_or_else(|| format!("--{}", kebab(&site.holder)));
    let is_value = |argument: &&SiteArgument| !argument.text.starts_with('-');
    let default = site
        .fallback
        .as_ref()
        .or_else(|| positional(site, 0).filter(is_value))
        .or_else(|| find_named(site, &["default"]));
    let default = default.and_then(default_of);
    let text = help(named_literal(site, &["help"]));
    found.extend(variables::of_option(site, find_named(site, &["envvar"]), default.as_ref(), text.as_ref()));
    found.push((site, flag(name, default, text)));
}

/// Adds the command-line option declared by `getopt.getopt(argv, "hp:", ["help", "port="])`.
fn getopt<'a>(site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let long = positional(site, 2).map(literals).unwrap_or_default();
    let names = long.iter().map(|name| format!("--{}", name.trim_end_matches('=')));
    let names: Vec<String> = if long.is_empty() {
        short_options(literal(site, 1).unwrap_or_default()).collect()
    } else {
        names.collect()
    };
    found.extend(names.into_iter().map(|name| (site, flag(name, None, None))));
}
