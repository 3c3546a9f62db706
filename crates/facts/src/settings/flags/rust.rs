//! Finds command-line options of Rust programs: clap (derive and builder), structopt, argh, getopts and
//! pico-args.

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::super::{ParsedSetting, variables};
use super::{choose_option, flag};
use crate::calls::{
    called_literal, default_of, docs, find_named, has_word, help, imports, last, links, literal, literals,
    named_literal, positional,
};

const CLAP: &[&str] = &["clap", "structopt", "clap_derive"];

/// Adds to `found` the command-line options that a Rust file declares, each with its site.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_clap = imports(file, CLAP) || file.text.contains("clap::");
    for (index, site) in file.sites.iter().enumerate() {
        match site.kind {
            SiteKind::Attribute if is_clap && matches!(site.name.as_str(), "arg" | "clap" | "structopt") => {
                collect_attribute(file, site, found);
            }
            SiteKind::Attribute if site.name == "argh" => argh(file, site, found),
            SiteKind::Call
                if is_clap
                    && matches!(
                        site.name.as_str(),
                        "Arg::new" | "clap::Arg::new" | "Arg::with_name" | "clap::Arg::with_name"
                    ) =>
            {
                collect_builder(file, index, found);
            }
            SiteKind::Macro if is_clap && last(&site.name) == "arg" => {
                found.extend(of_macro(file, index).map(|setting| (site, setting)));
            }
            SiteKind::Call if imports(file, &["getopts"]) => {
                found.extend(getopts(site).map(|setting| (site, setting)));
            }
            SiteKind::Call if PICO.contains(&last(&site.name)) && imports(file, &["pico_args"]) => {
                let name = positional(site, 0).and_then(|names| choose_option(literals(names)));
                found.extend(name.map(|name| (site, flag(name, None, None))));
            }
            _ => {}
        }
    }
}

/// Returns the command-line option declared by `arg!(-p --port <PORT> "help").default_value("80")`.
fn of_macro(file: &ParsedFile, index: usize) -> Option<ParsedSetting> {
    let text = &positional(&file.sites[index], 0)?.text;
    let (names, rest) = text.split_once('"').unwrap_or((text, ""));
    let name = choose_option(names.split_whitespace())?;
    let around = index.checked_sub(1).map(|before| &file.sites[before]);
    let default = around.filter(|around| last(&around.name) == "default_value" && around.inside > 0);
    let default = default.and_then(|around| default_of(positional(around, 0)?));
    Some(flag(name, default, help(rest.split('"').next())))
}

/// Returns the command-line option declared by `opts.optopt("o", "output", "help", "FILE")`.
fn getopts(site: &Site) -> Option<ParsedSetting> {
    let is_option = matches!(
        last(&site.name),
        "optopt" | "optflag" | "optmulti" | "optflagopt" | "optflagmulti" | "reqopt"
    );
    let part = |index: usize| literal(site, index).filter(|text| is_option && !text.is_empty());
    let long = part(1).map(|long| format!("--{long}"));
    let name = long.or_else(|| part(0).map(|short| format!("-{short}")))?;
    Some(flag(name, None, help(literal(site, 2))))
}

/// Methods of pico-args that read an option.
const PICO: &[&str] = &[
    "contains",
    "value_from_str",
    "opt_value_from_str",
    "value_from_fn",
    "opt_value_from_fn",
    "values_from_str",
];

/// Returns the long name of a field without an explicit one, by the rule `rename_all` of its type; `None`
/// if the rule is unknown.
fn long_name(file: &ParsedFile, site: &Site) -> Option<String> {
    let kebab = crate::calls::kebab(&site.target);
    let of_type = site.within.rsplit('.').next().unwrap_or_default();
    let is_of_type = |other: &&Site| {
        other.kind == SiteKind::Attribute
            && other.target == of_type
            && find_named(other, &["rename_all"]).is_some()
    };
    match file.sites.iter().find(is_of_type).and_then(|site| named_literal(site, &["rename_all"])) {
        None | Some("kebab-case" | "kebab_case") => Some(kebab),
        Some("snake_case") => Some(kebab.replace('-', "_")),
        Some(_) => None,
    }
}

/// Adds the command-line option and the environment variable declared by a field with `#[arg(long, short,
/// env = "PORT", default_value_t = 80)]`.
fn collect_attribute<'a>(file: &ParsedFile<'a>, site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let is_field = site.target.starts_with(|c: char| c.is_lowercase() || c == '_') && !site.within.is_empty();
    if !is_field {
        return;
    }
    let is_long = has_word(site, "long") || has_word(site, "long()");
    let long =
        named_literal(site, &["long", "name"]).filter(|_| is_long || find_named(site, &["long"]).is_some());
    let long = long.or_else(|| called_literal(site, "long"));
    let long = long.map(str::to_owned).or_else(|| if is_long { long_name(file, site) } else { None });
    let short = find_named(site, &["short"]).map(|given| given.text.trim_matches('\'').to_owned());
    let short =
        short.or_else(|| has_word(site, "short").then(|| site.target.chars().next().map(String::from))?);
    let default = find_named(site, &["default_value", "default_value_t"]).and_then(default_of);
    let said = named_literal(site, &["help", "about"]).or_else(|| docs(file, &site.within, &site.target));
    let text = help(said);
    let upper = site.target.to_uppercase();
    if has_word(site, "env") {
        found.push((
            site,
            ParsedSetting::new(crate::fact::SettingForm::Variable, upper)
                .default(default.clone())
                .text(text.clone())
                .field(site),
        ));
    }
    found.extend(variables::of_option(site, find_named(site, &["env"]), default.as_ref(), text.as_ref()));
    let name = long.map(|long| format!("--{long}")).or_else(|| short.map(|short| format!("-{short}")));
    found.extend(name.map(|name| (site, flag(name, default, text).field(site))));
}

/// Adds the command-line option declared by a field with `#[argh(option, default = "80", description =
/// "…")]`.
fn argh<'a>(file: &ParsedFile<'a>, site: &'a Site, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    if !has_word(site, "option") && !has_word(site, "switch") {
        return;
    }
    let name =
        named_literal(site, &["long"]).map_or_else(|| crate::calls::kebab(&site.target), str::to_owned);
    let said = named_literal(site, &["description"]).or_else(|| docs(file, &site.within, &site.target));
    found.push((site, flag(format!("--{name}"), None, help(said)).field(site)));
}

/// Adds the command-line option and the environment variable declared by
/// `Arg::new("port").long("port").help("…")`.
fn collect_builder<'a>(file: &ParsedFile<'a>, index: usize, found: &mut Vec<(&'a Site, ParsedSetting)>) {
    let site = &file.sites[index];
    let links = links(file.sites, index);
    let link = |names: &[&str]| links.iter().rev().find(|link| names.contains(&&link.name[1..])).copied();
    let long = link(&["long"]).and_then(|link| literal(link, 0)).map(|long| format!("--{long}"));
    let short = link(&["short"]).and_then(|link| positional(link, 0));
    let short = short.map(|short| format!("-{}", short.text.trim_matches('\'')));
    let default = link(&["default_value"]).and_then(|link| default_of(positional(link, 0)?));
    let text =
        help(link(&["help", "about"]).or_else(|| link(&["long_help"])).and_then(|link| literal(link, 0)));
    let variable = link(&["env"]).and_then(|link| positional(link, 0)).filter(|it| it.is_literal);
    found.extend(variables::of_option(site, variable, default.as_ref(), text.as_ref()));
    found.extend(long.or(short).map(|name| (site, flag(name, default, text))));
}
