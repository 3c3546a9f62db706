//! Finds command-line options of scripts: commander, cac, sade, yargs and oclif.

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::super::{ParsedSetting, variables};
use super::{choose_option, flag};
use crate::calls::{
    default_of, find_named, help, imports, kebab, last, links, literal, named_literal, positional, receiver,
};

const COMMANDER: &[&str] = &["commander", "cac", "sade", "@commander-js", "nest-commander"];

/// Adds to `found` the command-line options that a script declares, each with its site.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_commander = imports(file, COMMANDER);
    let is_yargs = imports(file, &["yargs"]);
    let is_oclif = imports(file, &["@oclif"]);
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        let name = last(&site.name);
        if matches!(name, "option" | "requiredOption") && (is_commander || is_yargs) {
            let is_dashed = literal(site, 0).is_some_and(|first| first.starts_with('-'));
            if is_dashed && is_commander {
                collect_dashed(site, found);
            } else if !is_dashed && is_yargs {
                yargs(site, found);
            }
        } else if is_commander && matches!(site.name.as_str(), "Option" | "commander.Option") {
            option(file, index, found);
        } else if is_oclif && matches!(receiver(&site.name), "Flags" | "flags") && !site.holder.is_empty() {
            let default = find_named(site, &["default"]).and_then(default_of);
            let text = help(named_literal(site, &["description", "summary"]));
            let name = kebab(site.holder.trim_matches(['"', '\'']));
            found.extend(variables::of_option(
                site,
                find_named(site, &["env"]),
                default.as_ref(),
                text.as_ref(),
            ));
            found.push((site, flag(format!("--{name}"), default, text)));
        }
    }
}

/// Adds the command-line option declared by `.option("-p, --port <n>", "help", 80)`.
fn collect_dashed<'a>(site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let Some(name) = choose_option(literal(site, 0)) else { return };
    let default = positional(site, 2).filter(|it| {
        it.is_literal || it.text.parse::<f64>().is_ok() || matches!(it.text.as_str(), "true" | "false")
    });
    let default = default.or_else(|| find_named(site, &["default"])).and_then(default_of);
    found.push((site, flag(name, default, help(literal(site, 1)))));
}

/// Adds the command-line option declared by `.option("port", { default: 80, describe: "help" })`.
fn yargs<'a>(site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let Some(name) = literal(site, 0) else { return };
    let dashes = if name.len() == 1 { "-" } else { "--" };
    let default = find_named(site, &["default"]).and_then(default_of);
    let text = help(named_literal(site, &["describe", "description", "desc"]));
    found.push((site, flag(format!("{dashes}{name}"), default, text)));
}

/// Adds the command-line option and the environment variable declared by `new Option("-p, --port <n>",
/// "help").default(80).env("PORT")`.
fn option<'a>(file: &ParsedFile<'a>, index: usize, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let site = &file.sites[index];
    let Some(name) = choose_option(literal(site, 0)) else { return };
    let links = links(file.sites, index);
    let link = |name: &str| links.iter().find(|link| link.name == name).and_then(|link| positional(link, 0));
    let default = link(".default").and_then(default_of);
    let text = help(literal(site, 1));
    found.extend(variables::of_option(site, link(".env"), default.as_ref(), text.as_ref()));
    found.push((site, flag(name, default, text)));
}
