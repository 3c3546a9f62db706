//! Facts about the subcommands of programs, by the rules of well-known libraries. `nested` joins those of
//! several files.

mod cobra;
mod nested;

use std::collections::BTreeMap;

use stategraph_repo::{Language, ParsedFile, Site, SiteKind, SymbolInfo, SymbolKind};

use crate::calls::{
    definition, find_named, help, imports, is_minified, kebab, last, links, literal, literals, named_literal,
    positional, receiver, root_name,
};
use crate::dispatch::{of_main, of_script};
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};

pub(crate) use nested::nest;

/// Maximum number of sites before a command that are searched for a command around it.
const OUTER: usize = 2_000;
/// Maximum number of subcommands of one file.
const COMMANDS: usize = 500;

/// A subcommand found in a file: its name, its help text, its first and last line, and true if it is in
/// test code.
struct ParsedSubcommand {
    name: String,
    text: Option<String>,
    lines: (usize, usize),
    is_test: bool,
}

impl ParsedSubcommand {
    /// Makes a subcommand whose lines are those of the site that declares it.
    fn at(site: &Site, name: impl Into<String>, text: Option<String>) -> Self {
        Self { name: name.into(), text, lines: (site.line, site.line_end), is_test: site.is_test }
    }
}

/// Returns the subcommands that one file declares.
pub(crate) fn of_file(file: &ParsedFile) -> Vec<Fact> {
    if is_minified(file) {
        return Vec::new();
    }
    let found = match file.outline.language {
        Language::Rust => rust(file),
        Language::Python => python(file),
        Language::Go => go(file),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(file),
        Language::Java => java(file),
        Language::Php => php(file),
        Language::Ruby => ruby(file),
        Language::CSharp => csharp(file),
        Language::Bash => {
            of_script(file).into_iter().map(|(name, site)| ParsedSubcommand::at(site, name, None)).collect()
        }
        Language::C | Language::Cpp => {
            let at =
                |(name, line)| ParsedSubcommand { name, text: None, lines: (line, line), is_test: false };
            of_main(file).into_iter().map(at).collect()
        }
    };
    found.into_iter().take(COMMANDS).filter_map(|found| fact(&file.outline.path, found)).collect()
}

/// Makes the fact for a subcommand; `None` if its name is not valid.
fn fact(path: &str, found: ParsedSubcommand) -> Option<Fact> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | ' ');
    let is_name = found.name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && found.name.len() <= 60
        && found.name.chars().all(is_part);
    if !is_name {
        return None;
    }
    let source = SourceLines { path: path.to_owned(), start: found.lines.0, end: found.lines.1 };
    let value = FactValue::Subcommand { name: found.name, text: found.text };
    let mut fact = Fact::new(FactSubject::File(path.to_owned()), value, source, FactOrigin::Parsed);
    if found.is_test {
        fact.role = PathRole::Test;
    }
    Some(fact)
}

/// Returns the subcommands that a file declares with clap and similar: enums with `#[derive(Subcommand)]`,
/// and `Command::new("x")` in `.subcommand(…)`.
fn rust(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    let mut found = Vec::new();
    if !imports(file, &["clap", "structopt", "argh"]) && !file.text.contains("clap::") {
        return found;
    }
    for (index, site) in file.sites.iter().enumerate() {
        if site.kind == SiteKind::Attribute && site.name == "derive" {
            let derives = |word: &str| site.arguments.iter().any(|derived| last(&derived.text) == word);
            let symbol = definition(file, &site.within, &site.target);
            let Some(symbol) = symbol.filter(|symbol| symbol.kind == SymbolKind::Enum) else { continue };
            if derives("Subcommand") || derives("StructOpt") || derives("Parser") {
                variants(file, site, symbol, &mut found);
            }
        }
        if site.kind == SiteKind::Call && last(&site.name) == "subcommand" {
            let inner = file.sites[index + 1..].iter().take(site.inside).enumerate();
            let is_argument =
                |text: &str| positional(site, 0).is_some_and(|given| given.text.starts_with(text));
            let made = inner
                .filter(|(_, inner)| matches!(last(receiver(&inner.name)), "Command" | "App" | "SubCommand"));
            let mut made = made.filter(|(_, inner)| {
                matches!(last(&inner.name), "new" | "with_name") && is_argument(&inner.name)
            });
            // The receiver comes before the argument.
            let Some((at, command)) = made.next_back() else { continue };
            let links = links(file.sites, index + 1 + at);
            let about =
                links.iter().rev().find(|link| link.name == ".about").and_then(|link| literal(link, 0));
            found.extend(literal(command, 0).map(|name| ParsedSubcommand::at(command, name, help(about))));
        }
    }
    found
}

/// Adds a subcommand for each variant of an enum that derives `Subcommand`.
fn variants(file: &ParsedFile, derive: &Site, symbol: &SymbolInfo, found: &mut Vec<ParsedSubcommand>) {
    let within = if derive.within.is_empty() {
        symbol.name.clone()
    } else {
        format!("{}.{}", derive.within, symbol.name)
    };
    for variant in symbol.children.iter().filter(|child| child.kind == SymbolKind::Variant) {
        let attributes = || {
            file.sites.iter().filter(|site| {
                site.kind == SiteKind::Attribute
                    && site.target == variant.name
                    && site.within == within
                    && matches!(site.name.as_str(), "command" | "clap" | "structopt")
            })
        };
        let has = |word: &str| attributes().any(|site| crate::calls::has_word(site, word));
        // Such a variant takes all other words, or has its subcommands in another enum.
        if has("external_subcommand") || has("flatten") || has("skip") {
            continue;
        }
        let name = attributes().find_map(|site| named_literal(site, &["name"]));
        let about = attributes().find_map(|site| named_literal(site, &["about"]));
        found.push(ParsedSubcommand {
            name: name.map_or_else(|| kebab(&variant.name), str::to_owned),
            text: help(about.or(variant.docstring.as_deref())),
            lines: (variant.line, variant.line_end),
            is_test: derive.is_test,
        });
    }
}

/// Returns the subcommands that a file declares with argparse (`subparsers.add_parser("x", help="…")`),
/// click and typer.
fn python(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    let is_click = imports(file, &["click", "rich_click", "asyncclick", "flask.cli", "typer"]);
    let is_typer = imports(file, &["typer"]);
    // The words before a subcommand, by the function around, the variable with its parser, and that with the parsers below it. A name means
    // another parser in another function.
    let mut words: BTreeMap<(&str, &str, bool), String> = BTreeMap::new();
    let found = file.sites.iter().filter_map(|site| match last(&site.name) {
        "add_subparsers" if site.kind == SiteKind::Call => {
            let around = words.get(&(&site.within, receiver(&site.name), true)).cloned().unwrap_or_default();
            if !site.holder.is_empty() {
                words.insert((&site.within, &site.holder, false), around);
            }
            None
        }
        "add_parser" if site.kind == SiteKind::Call && !receiver(&site.name).is_empty() => {
            let own = literal(site, 0)?;
            let own_scope = words.get(&(&site.within, receiver(&site.name), false));
            let around = own_scope.filter(|around| !around.is_empty());
            let name = around.map_or_else(|| own.to_owned(), |around| format!("{around} {own}"));
            if !site.holder.is_empty() {
                words.insert((&site.within, &site.holder, true), name.clone());
            }
            let said = named_literal(site, &["help"]).or_else(|| named_literal(site, &["description"]));
            Some(ParsedSubcommand::at(site, name, help(said)))
        }
        "command" | "group"
            if site.kind == SiteKind::Attribute && is_click && !receiver(&site.name).is_empty() =>
        {
            // A command of click itself is a program, not a subcommand of one.
            if receiver(&site.name) == "click" || site.target.is_empty() {
                return None;
            }
            let given = literal(site, 0).or_else(|| named_literal(site, &["name"]));
            if given.is_none()
                && positional(site, 0).is_some_and(|first| first.is_literal || first.text.contains(' '))
            {
                return None;
            }
            let name = given.map_or_else(|| command_of(&site.target, is_typer), str::to_owned);
            let docs = definition(file, &site.within, &site.target).and_then(|it| it.docstring.as_deref());
            let text = help(named_literal(site, &["help", "short_help"]).or(docs));
            Some(ParsedSubcommand::at(site, name, text))
        }
        _ => None,
    });
    found.collect()
}

/// Returns the subcommand's name for a function: `run_all` → `run-all`. click drops endings such as
/// `_command`, typer does not.
fn command_of(function: &str, is_typer: bool) -> String {
    let name = function.trim_matches('_').to_lowercase().replace('_', "-");
    let bare = ["-command", "-cmd", "-group", "-grp"].iter().find_map(|end| name.strip_suffix(end));
    bare.filter(|_| !is_typer).map_or(name.clone(), str::to_owned)
}

/// Returns the subcommands that a file declares with cobra (`&cobra.Command{Use: "x [file]", Short: "…"}`),
/// urfave/cli and kingpin.
fn go(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    let is_cobra = imports(file, &["github.com/spf13/cobra"]);
    let is_cli = imports(file, &["github.com/urfave/cli", "gopkg.in/urfave/cli"]);
    let is_kingpin = imports(file, &["gopkg.in/alecthomas/kingpin", "github.com/alecthomas/kingpin"]);
    let calls = file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call);
    let found = calls.filter_map(|(index, site)| match site.name.as_str() {
        "cobra.Command" if is_cobra => {
            let name = named_literal(site, &["Use"])?.split_whitespace().next()?;
            let is_root =
                site.holder.to_lowercase().starts_with("root") || site.within.to_lowercase().contains("root");
            let is_shown = find_named(site, &["Short", "Long"]).is_some();
            (!is_root && is_shown).then(|| {
                ParsedSubcommand::at(
                    site,
                    name,
                    help(named_literal(site, &["Short"]).or_else(|| named_literal(site, &["Long"]))),
                )
            })
        }
        "cli.Command" if is_cli => {
            let is_root = |site: &Site| matches!(site.holder.as_str(), "app" | "cmd" | "root");
            let own = named_literal(site, &["Name"]).filter(|_| !is_root(site))?;
            let outer = file.sites[..index].iter().enumerate().skip(index.saturating_sub(OUTER)).filter(
                |(at, outer)| outer.name == site.name && at + outer.inside >= index && !is_root(outer),
            );
            let mut words: Vec<&str> = outer.filter_map(|(_, it)| named_literal(it, &["Name"])).collect();
            if words.is_empty() {
                words = words_before(file, site);
            }
            words.push(own);
            Some(ParsedSubcommand::at(site, words.join(" "), help(named_literal(site, &["Usage"]))))
        }
        name if is_kingpin && last(name) == "Command" && site.arguments.len() == 2 => {
            Some(ParsedSubcommand::at(site, literal(site, 0)?, help(literal(site, 1))))
        }
        _ => None,
    });
    found.collect()
}

/// Returns the names of the commands around a command of urfave/cli that list it by its variable, outermost
/// first: `Subcommands: []*cli.Command{&cmdAdd}`.
fn words_before<'a>(file: &'a ParsedFile, site: &Site) -> Vec<&'a str> {
    const DEPTH: usize = 4;
    let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
    let around = |holder: &str| {
        let mut all = file.sites.iter().filter(|it| {
            let list = find_named(it, &["Subcommands", "Commands"]).filter(|_| it.name == "cli.Command");
            list.is_some_and(|list| list.text.split(is_part).any(|word| word == holder))
        });
        all.next().filter(|_| !holder.is_empty() && all.next().is_none())
    };
    let mut found = Vec::new();
    let mut at = around(&site.holder);
    while let Some(outer) = at.filter(|_| found.len() < DEPTH) {
        found.extend(named_literal(outer, &["Name"]));
        at = around(&outer.holder);
    }
    found.reverse();
    found
}

/// Returns the subcommands that a file declares with commander and cac
/// (`.command("x <file>").description("…")`) and yargs (`.command("x", "…")`).
fn script(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    let is_commander = imports(file, &["commander", "cac", "sade", "@commander-js"]);
    let is_yargs = imports(file, &["yargs"]);
    if !is_commander && !is_yargs {
        return Vec::new();
    }
    // The variables with groups of commands.
    let mut groups: BTreeMap<&str, &str> = BTreeMap::new();
    for (index, site) in file.sites.iter().enumerate() {
        let name = literal(site, 0).and_then(|it| it.split_whitespace().next());
        let Some(name) = name.filter(|_| last(&site.name) == "command") else { continue };
        let of_chain = links(file.sites, index).into_iter().map(|link| link.holder.as_str());
        let holder = std::iter::once(site.holder.as_str()).chain(of_chain).find(|holder| !holder.is_empty());
        groups.extend(holder.map(|holder| (holder, name)));
    }
    let found = file.sites.iter().enumerate().filter_map(|(index, site)| {
        let is_call = last(&site.name) == "command" && site.kind == SiteKind::Call && site.name != "command";
        let given = literal(site, 0).or_else(|| named_literal(site, &["command"])).filter(|_| is_call)?;
        let name = given.split_whitespace().next()?;
        let links = links(file.sites, index);
        let said = links
            .iter()
            .take_while(|link| link.name != ".command")
            .find(|link| matches!(link.name.as_str(), ".description" | ".describe"));
        let said = said
            .and_then(|link| literal(link, 0))
            .or_else(|| literal(site, 1))
            .or_else(|| named_literal(site, &["describe", "desc"]));
        // `const remote = program.command("remote")`, then `remote.command("add")`.
        let own = groups.get(root_name(file, index)).copied().filter(|_| is_commander);
        let name = own.map_or_else(|| name.to_owned(), |own| format!("{own} {name}"));
        Some(ParsedSubcommand::at(site, name, help(said)))
    });
    found.collect()
}

/// Returns the subcommands that a file declares with picocli: `@Command(name = "x", description = "…")`.
/// Commands that have subcommands, or that the file runs, are programs and left out.
fn java(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    if !imports(file, &["picocli"]) {
        return Vec::new();
    }
    let found =
        file.sites.iter().filter(|site| site.kind == SiteKind::Attribute && last(&site.name) == "Command");
    // A command with subcommands is the program, and so is the command that this file runs.
    let is_run = |class: &str| {
        let runs =
            file.sites.iter().filter(|site| last(&site.name) == "CommandLine" && site.kind == SiteKind::Call);
        runs.filter_map(|site| positional(site, 0)).any(|given| given.text.contains(class))
    };
    let found = found
        .filter(|site| find_named(site, &["subcommands"]).is_none() && !is_run(&site.target))
        .filter_map(|site| {
            let said = find_named(site, &["description", "header"]).map(|said| literals(said).join(" "));
            Some(ParsedSubcommand::at(site, named_literal(site, &["name"])?, help(said.as_deref())))
        });
    found.collect()
}

/// Returns the subcommands that a file declares with Symfony (`#[AsCommand(name: 'x', description: '…')]`,
/// `->setName('x')`) and Laravel (`$signature`).
fn php(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    let mut found = Vec::new();
    if imports(file, &["Symfony\\Component\\Console"]) {
        for (index, site) in file.sites.iter().enumerate() {
            let is_attribute = site.kind == SiteKind::Attribute && last(&site.name) == "AsCommand";
            let is_setter = site.kind == SiteKind::Call && last(&site.name) == "setName";
            let name = literal(site, 0)
                .or_else(|| named_literal(site, &["name"]))
                .filter(|_| is_attribute || is_setter);
            let Some(name) = name else { continue };
            let links = links(file.sites, index);
            let said =
                links.iter().find(|link| link.name == ".setDescription").and_then(|link| literal(link, 0));
            let said = said.or_else(|| literal(site, 1)).or_else(|| named_literal(site, &["description"]));
            found.push(ParsedSubcommand::at(site, name.split('|').next().unwrap_or(name), help(said)));
        }
    }
    if imports(file, &["Illuminate\\Console"]) {
        found.extend(laravel(file));
    }
    found
}

/// Returns the subcommand of a Laravel command class: its name is the first word of `$signature` (`mail:send` of
/// `'mail:send {user}'`), its help is `$description`.
fn laravel(file: &ParsedFile) -> Option<ParsedSubcommand> {
    let value = |key: &str| {
        let (index, line) = file.text.lines().enumerate().find(|(_, line)| {
            let declared = line.trim_start();
            (declared.starts_with("protected") || declared.starts_with("public")) && declared.contains(key)
        })?;
        let (_, value) = line.split_once('=')?;
        let value = value.trim();
        let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        // A quote after a backslash belongs to the text.
        let escaped = format!("\\{quote}");
        let value = value[1..].replace(&escaped, "\u{1}");
        Some((index + 1, value.split(quote).next()?.replace('\u{1}', &quote.to_string())))
    };
    let (line, signature) = value("$signature")?;
    let name = signature.split_whitespace().next()?.to_owned();
    let text = value("$description").and_then(|(_, said)| help(Some(&said)));
    Some(ParsedSubcommand { name, text, lines: (line, line), is_test: false })
}

/// Returns the subcommands that a file declares with Thor: `desc "x FILE", "…"` in a class.
fn ruby(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    if !imports(file, &["thor"]) && !file.text.contains("< Thor") {
        return Vec::new();
    }
    let found = file
        .sites
        .iter()
        .filter(|site| site.kind == SiteKind::Call && site.name == "desc" && site.arguments.len() == 2);
    found
        .filter_map(|site| {
            Some(ParsedSubcommand::at(
                site,
                literal(site, 0)?.split_whitespace().next()?,
                help(literal(site, 1)),
            ))
        })
        .collect()
}

/// Returns the subcommands that a file declares with System.CommandLine (`new Command("x", "…")`),
/// `CommandLineParser` (`[Verb("x", HelpText = "…")]`) and Spectre.
fn csharp(file: &ParsedFile) -> Vec<ParsedSubcommand> {
    let is_system = imports(file, &["System.CommandLine"]);
    let is_parser = imports(file, &["CommandLine"]);
    let is_spectre = imports(file, &["Spectre.Console"]);
    let found =
        file.sites.iter().enumerate().filter_map(|(index, site)| match (site.kind, last(&site.name)) {
            (SiteKind::Call, "Command") if is_system => {
                let name = literal(site, 0).or_else(|| named_literal(site, &["name"]))?;
                Some(ParsedSubcommand::at(
                    site,
                    name,
                    help(literal(site, 1).or_else(|| named_literal(site, &["description"]))),
                ))
            }
            (SiteKind::Attribute, "Verb") if is_parser => {
                Some(ParsedSubcommand::at(site, literal(site, 0)?, help(named_literal(site, &["HelpText"]))))
            }
            (SiteKind::Call, "AddCommand") if is_spectre => {
                let links = links(file.sites, index);
                let said = links
                    .iter()
                    .find(|link| link.name == ".WithDescription")
                    .and_then(|link| literal(link, 0));
                Some(ParsedSubcommand::at(site, literal(site, 0)?, help(said)))
            }
            _ => None,
        });
    found.collect()
}
