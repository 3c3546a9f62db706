//! Finds command-line options of Java (picocli, `JCommander`, args4j, Commons CLI) and C#
//! (System.CommandLine, `CommandLineParser`, Spectre).

use stategraph_repo::{Language, ParsedFile, Site, SiteKind, SymbolKind};

use super::super::ParsedSetting;
use super::super::keys::default_in;
use super::{choose_option, flag};
use crate::calls::{
    default_of, definition, find_named, help, imports, last, links, literal, literals, named_literal,
    positional,
};

/// Adds to `found` the command-line options that a Java or C# file declares, each with its site.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    if file.outline.language == Language::Java { java(file, found) } else { csharp(file, found) }
}

/// Adds the command-line options that a Java file declares.
fn java<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_annotated = imports(
        file,
        &["picocli", "com.beust", "org.kohsuke.args4j", "io.airlift", "com.github.rvesse.airline"],
    );
    let is_commons = imports(file, &["org.apache.commons.cli"]);
    for (index, site) in file.sites.iter().enumerate() {
        let name = last(&site.name);
        if is_annotated && site.kind == SiteKind::Attribute && matches!(name, "Option" | "Parameter") {
            let names = find_named(site, &["names", "name"]).map(literals).unwrap_or_default();
            let aliases = find_named(site, &["aliases"]).map(literals).unwrap_or_default();
            let default = find_named(site, &["defaultValue"]).and_then(default_of);
            let default = default.or_else(|| of_field(file, site));
            let said = find_named(site, &["description", "usage"]).map(|it| literals(it).join(" "));
            let option = choose_option(names.into_iter().chain(aliases));
            found.extend(
                option.map(|option| (site, flag(option, default, help(said.as_deref())).field(site))),
            );
        } else if is_commons && site.kind == SiteKind::Call {
            found.extend(commons(file, index).map(|setting| (site, setting)));
        }
    }
}

/// Returns the initial value of an option's field. A constant of an enum is returned without its type, as
/// it is typed.
fn of_field(file: &ParsedFile, site: &Site) -> Option<String> {
    let field = definition(file, &site.within, &site.target).filter(|it| it.kind == SymbolKind::Field)?;
    let value = default_in(file, field)?;
    let declared = file.text.lines().nth(field.name_line.checked_sub(1)?)?;
    let of_type = value
        .split_once('.')
        .filter(|(of_type, _)| declared.contains(&format!("{of_type} {} =", field.name)));
    Some(of_type.map_or(value.clone(), |(_, constant)| constant.to_owned()))
}

/// Returns the command-line option declared with Commons CLI: `options.addOption("p", "port", true,
/// "help")` or `Option.builder("p").longOpt("port").desc("help")`.
fn commons(file: &ParsedFile, index: usize) -> Option<ParsedSetting> {
    let site = &file.sites[index];
    let links = links(file.sites, index);
    let link = |name: &str| links.iter().find(|link| link.name == name).and_then(|link| literal(link, 0));
    let long = |name: &str| format!("--{name}");
    let short = |name: &str| format!("-{name}");
    match site.name.as_str() {
        "Option.builder" => {
            let name = link(".longOpt").or_else(|| link(".option").filter(|_| false)).map(long);
            Some(flag(name.or_else(|| literal(site, 0).map(short))?, None, help(link(".desc"))))
        }
        _ if last(&site.name) == "addOption" && site.arguments.len() >= 3 => {
            let named = literal(site, 1).filter(|_| site.arguments.len() == 4);
            let said = literal(site, site.arguments.len() - 1);
            Some(flag(named.map(long).or_else(|| literal(site, 0).map(short))?, None, help(said)))
        }
        _ => None,
    }
}

/// Adds the command-line options that a C# file declares.
fn csharp<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_system = imports(file, &["System.CommandLine"]);
    let is_parser = imports(file, &["CommandLine"]);
    let is_spectre = imports(file, &["Spectre.Console"]);
    for site in file.sites {
        let name = last(&site.name);
        if is_system && site.kind == SiteKind::Call && name == "Option" {
            let names = find_named(site, &["name", "aliases", "alias"]).or_else(|| positional(site, 0));
            let said = named_literal(site, &["description"]).or_else(|| literal(site, 1));
            let option = names.and_then(|names| choose_option(literals(names)));
            found.extend(option.map(|option| (site, flag(option, None, help(said)))));
        } else if is_parser && site.kind == SiteKind::Attribute && name == "Option" {
            let default = find_named(site, &["Default"]).and_then(default_of);
            let long = site.arguments.iter().find(|argument| argument.name.is_none() && argument.is_literal);
            let long = long.map(|long| format!("--{}", long.text));
            found.extend(long.map(|long| {
                (site, flag(long, default, help(named_literal(site, &["HelpText"]))).field(site))
            }));
        } else if is_spectre && site.kind == SiteKind::Attribute && name == "CommandOption" {
            let same = |word: &str| {
                file.sites.iter().find(|other| {
                    other.target == site.target && other.within == site.within && other.name == word
                })
            };
            let default = same("DefaultValue").and_then(|site| default_of(positional(site, 0)?));
            let text = help(same("Description").and_then(|site| literal(site, 0)));
            let option = choose_option(literal(site, 0));
            found.extend(option.map(|option| (site, flag(option, default, text).field(site))));
        }
    }
}
