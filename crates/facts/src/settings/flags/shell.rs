//! Ruby (`OptionParser`, Thor), PHP (Symfony's console) and branches of a `case` in scripts.

use std::collections::BTreeSet;

use stategraph_repo::{Language, ParsedFile, Site, SiteKind};

use super::super::Setting;
use super::{flag, typed};
use crate::calls::{default_of, help, imports, kebab, last, literal, named, named_literal, positional};

pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<(&'a Site, Setting)>) {
    let mut branches = BTreeSet::new();
    // A completion names the options of another program.
    let is_completion = file.text.contains("COMPREPLY");
    for site in file.sites {
        let setting = match file.outline.language {
            Language::Ruby => ruby(file, site),
            Language::Php => php(file, site),
            _ if site.kind == SiteKind::Keyword && site.name == "case" && !is_completion => {
                branch(file, site).filter(|setting| branches.insert(setting.name.clone()))
            }
            _ => None,
        };
        found.extend(setting.map(|setting| (site, setting)));
    }
}

/// `opts.on("-p", "--port PORT", Integer, "help")`, `option :port, default: 80, desc: "help"`.
fn ruby(file: &ParsedFile, site: &Site) -> Option<Setting> {
    let is_parser = || imports(file, &["optparse", "optionparser"]) || file.text.contains("OptionParser");
    let given = || site.arguments.iter().filter(|argument| argument.name.is_none() && argument.is_literal);
    match last(&site.name) {
        "on" | "on_tail" | "on_head" if site.name.contains('.') && is_parser() => {
            let negated = given().map(|argument| argument.text.replace("--[no-]", "--"));
            let said: Vec<&str> =
                given().map(|it| it.text.as_str()).filter(|it| !it.starts_with('-')).collect();
            Some(flag(typed(negated)?, None, help(Some(said.join(" ").trim()).filter(|it| !it.is_empty()))))
        }
        "option" | "method_option" | "class_option"
            if imports(file, &["thor"]) || file.text.contains("< Thor") =>
        {
            let name = positional(site, 0)?.text.trim_start_matches(':').to_owned();
            let default = named(site, &["default"]).and_then(default_of);
            let text = help(named_literal(site, &["desc", "description"]));
            Some(flag(format!("--{}", kebab(&name)), default, text))
        }
        _ => None,
    }
}

/// `->addOption('port', 'p', InputOption::VALUE_REQUIRED, 'help', 80)`.
fn php(file: &ParsedFile, site: &Site) -> Option<Setting> {
    let name = last(&site.name);
    let is_option =
        matches!(name, "addOption" | "InputOption") && imports(file, &["Symfony\\Component\\Console"]);
    let option = literal(site, 0).or_else(|| named_literal(site, &["name"])).filter(|_| is_option)?;
    let said = literal(site, 3).or_else(|| named_literal(site, &["description"]));
    let default = positional(site, 4).or_else(|| named(site, &["default"])).and_then(default_of);
    Some(flag(format!("--{option}"), default, help(said)))
}

/// `-p | --port)`.
fn branch(file: &ParsedFile, site: &Site) -> Option<Setting> {
    // A function that reads its own arguments has no options of the program.
    let stem =
        file.outline.path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    let within = site.within.to_lowercase();
    let reads = ["main", "parse", "arg", "opt", "process", "cli"].iter().any(|word| within.contains(word));
    // Where the code has errors, the functions around a branch are not known.
    let is_lost = within.is_empty() && file.outline.gaps.syntax_errors > 0;
    if is_lost || !within.is_empty() && !reads && within != stem {
        return None;
    }
    let plain =
        site.arguments.iter().map(|argument| argument.text.trim_matches(['"', '\'']).trim_end_matches("=*"));
    let options: Vec<&str> = plain.filter(|text| !text.contains(['*', '[', '?', '$', '(', ' '])).collect();
    let is_option = |text: &&&str| text.starts_with('-') && !text.trim_start_matches('-').is_empty();
    let options: Vec<&&str> = options.iter().filter(is_option).collect();
    let is_word = |name: &String| name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic());
    typed(options).filter(is_word).map(|name| flag(name, None, None))
}
