//! Finds command-line options of C and C++ programs: tables of `getopt_long`, `GLib` and popt, comparisons
//! with an option, CLI11, argparse, gflags.

use std::collections::BTreeSet;

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::super::ParsedSetting;
use super::super::usage::options;
use super::{choose_option, flag, short_options};
use crate::calls::{default_of, help, imports, last, links, literal, positional};

/// Functions that compare two strings.
const COMPARE: &[&str] = &["strcmp", "strncmp", "strcasecmp", "streq", "g_strcmp0"];

/// Adds to `found` the command-line options that a C or C++ file declares, each with its site.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_cli = imports(file, &["CLI"]);
    let is_argparse = imports(file, &["argparse"]);
    let is_gflags = imports(file, &["gflags", "absl"]);
    let mut compared = BTreeSet::new();
    let mut usage = None;
    let mut said = |name: &str| {
        let texts = usage.get_or_insert_with(|| options(file.text));
        help(texts.get(name).copied())
    };
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        let name = last(&site.name);
        if name == "getopt" {
            for option in short_options(literal(site, 2).unwrap_or_default()) {
                let text = said(&option);
                found.push((site, flag(option, None, text)));
            }
            continue;
        }
        let setting = match name {
            "option" if site.arguments.len() == 4 && literal(site, 0).is_some() => {
                long(site, None).map(|option| {
                    let text = said(&option.name);
                    option.text(text)
                })
            }
            "GOptionEntry" | "poptOption" if site.arguments.len() >= 6 => long(site, literal(site, 5)),
            "add_option" | "add_flag" if is_cli => {
                let said = site.arguments.iter().skip(1).find(|argument| argument.is_literal);
                choose_option(literal(site, 0))
                    .map(|name| flag(name, None, help(said.map(|it| it.text.as_str()))))
            }
            "add_argument" if is_argparse => {
                let links = links(file.sites, index);
                let link = |name: &str| {
                    links.iter().find(|link| link.name == name).and_then(|link| positional(link, 0))
                };
                let names =
                    site.arguments.iter().filter(|argument| argument.is_literal).map(|it| it.text.as_str());
                let text = help(link(".help").filter(|it| it.is_literal).map(|it| it.text.as_str()));
                choose_option(names).map(|name| flag(name, link(".default_value").and_then(default_of), text))
            }
            _ if is_gflags && name.starts_with("DEFINE_") && site.arguments.len() == 3 => {
                let option = positional(site, 0).map(|it| format!("--{}", it.text));
                option.map(|option| {
                    flag(option, positional(site, 1).and_then(default_of), help(literal(site, 2)))
                })
            }
            _ if COMPARE.contains(&name) => {
                let option = site
                    .arguments
                    .iter()
                    .find(|it| it.is_literal && it.text.starts_with("--") && it.text.len() > 3);
                // An option of one letter is one if the other text is an argument of the program.
                let is_argument = || {
                    let has_main = file.outline.symbols.iter().any(|symbol| symbol.name == "main");
                    has_main && site.arguments.iter().any(|it| !it.is_literal && it.text.contains("argv"))
                };
                let is_short = |text: &str| {
                    text.strip_prefix('-').is_some_and(|rest| {
                        rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !rest.is_empty()
                    })
                };
                let short = site.arguments.iter().find(|it| it.is_literal && is_short(&it.text));
                option
                    .or_else(|| short.filter(|_| is_argument()))
                    .filter(|option| compared.insert(option.text.as_str()))
                    .and_then(|it| choose_option([&it.text]))
                    .map(|name| {
                        let text = said(&name);
                        flag(name, None, text)
                    })
            }
            _ => None,
        };
        found.extend(setting.map(|setting| (site, setting)));
    }
}

/// Returns the command-line option declared by a table row (a braced initializer) whose first value is the
/// long name.
fn long(site: &Site, said: Option<&str>) -> Option<ParsedSetting> {
    let name = literal(site, 0).filter(|name| !name.is_empty())?;
    Some(flag(format!("--{name}"), None, help(said)))
}
