//! Finds environment variables by the calls that read them.

use std::collections::{BTreeMap, BTreeSet};

use stategraph_repo::{Language, ParsedFile, Site, SiteArgument, SiteKind};

use super::ParsedSetting;
use super::constants::constants;
use super::helpers::read_by_helper;
use super::known_names::{KnownNames, RELEASE};
use crate::calls::{default_of, find_named, imports, last, links, literals, positional, receiver, root};
use crate::fact::SettingForm;

/// Beginnings of variables that Cargo sets, which are no settings.
const OF_CARGO: &[&str] = &[
    "CARGO_PKG",
    "CARGO_CFG",
    "CARGO_MANIFEST",
    "CARGO_BIN_EXE",
    "CARGO_FEATURE",
    "CARGO_CRATE",
    "CARGO_PRIMARY",
    "CARGO_TARGET_TMPDIR",
    "OUT_DIR",
    "PROFILE",
    "OPT_LEVEL",
    "NUM_JOBS",
    "RUSTC",
    "DEP_",
];
/// Variables that Vite sets, which are no settings.
const OF_VITE: &[&str] = &["BASE_URL", "DEV", "PROD", "SSR", "MODE"];

/// Variables that come from the file `os-release`.
const RELEASES: &[&str] = &[
    "NAME",
    "VERSION",
    "ID",
    "ID_LIKE",
    "PRETTY_NAME",
    "VERSION_ID",
    "VERSION_CODENAME",
    "UBUNTU_CODENAME",
    "BUILD_ID",
    "VARIANT",
];

/// Variables that a shell sets itself, besides those that begin with its name.
const SHELL: &[&str] = &[
    "RANDOM",
    "OPTARG",
    "OPTIND",
    "LINENO",
    "SECONDS",
    "PIPESTATUS",
    "FUNCNAME",
    "REPLY",
    "UID",
    "EUID",
    "PPID",
    "IFS",
    "OSTYPE",
    "MACHTYPE",
    "HOSTTYPE",
    "HOSTNAME",
];

/// Methods of a Rust `Result` or `Option` whose argument is a default.
const UNWRAPS: &[&str] = &[".unwrap_or", ".unwrap_or_else", ".or_else"];

/// Returns the environment variables that a file reads, each with its site.
pub(super) fn settings<'a>(file: &ParsedFile<'a>) -> Vec<(&'a Site, ParsedSetting)> {
    let mut names: Option<BTreeMap<&str, &str>> = None;
    let known = KnownNames::of(file);
    let mut found = Vec::new();
    for (index, site) in file.sites.iter().enumerate() {
        match site.kind {
            SiteKind::Call | SiteKind::Macro => {
                let read = read(file, index, &known).or_else(|| read_by_helper(file, site));
                let Some((name, default)) = read else { continue };
                let mut resolve = |argument: &SiteArgument| {
                    if argument.is_literal {
                        return Some(argument.text.clone());
                    }
                    let names = names.get_or_insert_with(|| constants(file.text));
                    names.get(argument.text.trim_start_matches(['&', '*'])).map(|value| (*value).to_owned())
                };
                let language = file.outline.language;
                let is_own = |name: &String| {
                    is_variable(name) && !OF_SYSTEM.contains(&name.as_str()) && !is_of_request(language, name)
                };
                if let Some(name) = resolve(name).filter(is_own) {
                    found.push((site, variable(name, default)));
                }
            }
            SiteKind::Attribute if site.name == "tag" => found.extend(tag(file, site).map(|it| (site, it))),
            _ => {}
        }
    }
    if file.outline.language == Language::Bash {
        let more = relatives(file, &found);
        found.extend(more);
    }
    found
}

/// Minimum number of a script's variables with a default that share their first word; then other variables
/// with this word are settings, too.
const RELATIVES: usize = 3;

/// Returns more environment variables: those that a script only reads and that share their first word with
/// variables in `known`: `$APP_HOST` beside `${APP_PORT:-80}` and others.
fn relatives<'a>(
    file: &ParsedFile<'a>,
    known: &[(&'a Site, ParsedSetting)],
) -> Vec<(&'a Site, ParsedSetting)> {
    let first = |name: &str| name.split_once('_').map(|(first, _)| first.to_owned());
    let mut names: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (_, setting) in known {
        if let Some(word) = first(&setting.name) {
            names.entry(word).or_default().insert(&setting.name);
        }
    }
    let mut seen: BTreeSet<&str> = known.iter().map(|(_, setting)| setting.name.as_str()).collect();
    let mut found = Vec::new();
    for site in file.sites {
        let Some(name) = site.name.strip_prefix('$').filter(|name| is_upper(name)) else { continue };
        let is_relative =
            first(name).and_then(|word| names.get(&word)).is_some_and(|it| it.len() >= RELATIVES);
        if is_relative && seen.len() < super::SETTINGS && seen.insert(name) && is_only_read(file.text, name) {
            found.push((site, variable(name.to_owned(), None)));
        }
    }
    found
}

/// Returns true if the text reads the variable (`$X`, `${X`) wherever its name occurs, and never sets it.
fn is_only_read(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).all(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_other = before.ends_with(is_part) || after.starts_with(is_part);
        let is_set = ["=", ":="].iter().any(|sign| after.starts_with(sign));
        is_other || !is_set && (before.ends_with('$') || before.ends_with("${"))
    })
}

/// Variables that the system sets for every program, which are no settings.
const OF_SYSTEM: &[&str] = &[
    "PATH",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "KUBERNETES_SERVICE_HOST",
    "KUBERNETES_SERVICE_PORT",
    "PROCESSOR_ARCHITECTURE",
    "PROCESSOR_ARCHITEW6432",
    "MSYSTEM",
];

/// Beginnings of variables that a web server sets for each request, which are no settings.
const OF_REQUEST: &[&str] = &[
    "REQUEST_",
    "SCRIPT_",
    "REMOTE_ADDR",
    "REMOTE_HOST",
    "REMOTE_PORT",
    "QUERY_STRING",
    "DOCUMENT_ROOT",
    "PATH_INFO",
    "PHP_SELF",
    "HTTP_HOST",
    "HTTP_X_",
    "HTTP_USER_AGENT",
    "HTTP_REFERER",
    "HTTP_ACCEPT",
    "SERVER_NAME",
    "SERVER_SOFTWARE",
    "SERVER_PROTOCOL",
    "GATEWAY_INTERFACE",
    "ORIG_",
];

/// Returns true if a web server sets this variable for each request, in a language where such variables are
/// used.
fn is_of_request(language: Language, name: &str) -> bool {
    matches!(language, Language::Php | Language::Ruby | Language::Python)
        && OF_REQUEST.iter().any(|start| name.starts_with(start))
}

/// Makes a setting for an environment variable.
fn variable(name: String, default: Option<String>) -> ParsedSetting {
    ParsedSetting::new(SettingForm::Variable, name).default(default)
}

/// Returns true if the text can be the name of an environment variable.
pub(super) fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
}

/// Returns true if the text is a variable name without lower-case letters.
pub(super) fn is_upper(name: &str) -> bool {
    is_variable(name) && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// Returns the argument that names the environment variable which the site at `index` reads, and the
/// default value; `None` if it reads none.
fn read<'a>(
    file: &ParsedFile<'a>,
    index: usize,
    known: &KnownNames<'_>,
) -> Option<(&'a SiteArgument, Option<String>)> {
    let site = &file.sites[index];
    let first = || positional(site, 0);
    let fallback = || site.fallback.as_ref().and_then(default_of);
    let second = || {
        let default = find_named(site, &["default"]).or_else(|| positional(site, 1));
        default.and_then(default_of).or_else(fallback)
    };
    match file.outline.language {
        Language::Rust => rust(file, index),
        Language::Python => {
            let name = site.name.as_str();
            let is_environment =
                matches!(name, "os.environ" | "os.environ.get" | "os.getenv" | "_os.environ.get");
            if is_environment || known.environment.contains(name.strip_suffix(".get").unwrap_or(name)) {
                return Some((first()?, second()));
            }
            let is_reader = match receiver(name) {
                "" => matches!(name, "env" | "config"),
                "env" => true,
                _ => false,
            };
            let is_library =
                is_reader && imports(file, &["environ", "environs", "decouple", "starlette.config"]);
            is_library
                .then(|| Some((first().filter(|it| it.is_literal && is_upper(&it.text))?, second())))
                .flatten()
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let is_environment = matches!(site.name.as_str(), "process.env" | "Bun.env" | "Deno.env.get");
            let is_vite = site.name == "import.meta.env"
                && first().is_some_and(|it| !OF_VITE.contains(&it.text.as_str()));
            let is_service = last(&site.name) == "get"
                && receiver(&site.name).to_lowercase().ends_with("configservice")
                && imports(file, &["@nestjs/config"])
                && first().is_some_and(|it| is_upper(&it.text));
            // A bundler puts a value in the place of `process.env.basePath`.
            let is_field = |name: &str| {
                name.starts_with(|c: char| c.is_ascii_lowercase())
                    && name.contains(|c: char| c.is_ascii_uppercase())
                    && !name.contains('_')
            };
            let is_replaced = first().is_some_and(|it| it.is_literal && is_field(&it.text));
            ((is_environment || is_vite || is_service) && !is_replaced)
                .then(|| Some((first()?, second())))
                .flatten()
        }
        Language::Go => {
            let is_environment =
                matches!(site.name.as_str(), "os.Getenv" | "os.LookupEnv" | "syscall.Getenv");
            if site.name == "viper.BindEnv"
                || last(&site.name) == "BindEnv" && imports(file, &["github.com/spf13/viper"])
            {
                return Some((positional(site, 1)?, None));
            }
            is_environment.then(|| Some((first()?, None))).flatten()
        }
        Language::Java => java(file, index),
        Language::CSharp => {
            let is_environment = site.name.ends_with("Environment.GetEnvironmentVariable");
            is_environment.then(|| Some((first()?, fallback()))).flatten()
        }
        Language::C | Language::Cpp => {
            let is_environment = matches!(site.name.as_str(), "getenv" | "std::getenv" | "secure_getenv");
            is_environment.then(|| Some((first()?, None))).flatten()
        }
        Language::Ruby => {
            let is_fetch = site.name == "ENV.fetch";
            let is_environment =
                is_fetch || matches!(site.name.as_str(), "ENV" | "ENV.key?" | "ENV.has_key?");
            is_environment.then(|| Some((first()?, if is_fetch { second() } else { fallback() }))).flatten()
        }
        Language::Php => {
            let is_environment = matches!(site.name.as_str(), "getenv" | "$_ENV");
            let is_laravel =
                site.name == "env" && first().is_some_and(|it| it.is_literal && is_upper(&it.text));
            let default = || if is_laravel { second() } else { fallback() };
            (is_environment || is_laravel).then(|| Some((first()?, default()))).flatten()
        }
        Language::Bash => shell(file.text, &known.set, site),
    }
}

/// Returns the argument that names the environment variable which the Rust site at `index` reads, and the
/// default value; `None` if it reads none.
fn rust<'a>(file: &ParsedFile<'a>, index: usize) -> Option<(&'a SiteArgument, Option<String>)> {
    let site = &file.sites[index];
    let name = site.name.trim_start_matches("::");
    // What `env!` reads is set by a build script, because a build without it fails.
    let is_macro = site.kind == SiteKind::Macro && last(name) == "option_env";
    let is_call = matches!(
        name,
        "std::env::var" | "env::var" | "std::env::var_os" | "env::var_os" | "dotenvy::var" | "dotenv::var"
    ) || matches!(name, "var" | "var_os")
        && imports(file, &["std::env::var", "std::env::var_os"]);
    let argument = positional(site, 0).filter(|_| is_macro || is_call)?;
    if argument.is_literal && OF_CARGO.iter().any(|start| argument.text.starts_with(start)) {
        return None;
    }
    // What a later call makes of the value is no default of the variable, such as `false` after a comparison.
    let links = links(file.sites, index);
    let plain = links.iter().take_while(|link| {
        let is_same = [".ok", ".as_deref", ".as_ref", ".filter", ".parse", ".and_then", ".context"];
        UNWRAPS.contains(&link.name.as_str()) || is_same.contains(&link.name.as_str())
    });
    let default = plain.filter(|link| UNWRAPS.contains(&link.name.as_str()));
    let default = default.last().and_then(|link| default_of(positional(link, 0)?));
    Some((argument, default))
}

/// Returns the argument that names the environment variable which the Java site at `index` reads, and the
/// default value; `None` if it reads none.
fn java<'a>(file: &ParsedFile<'a>, index: usize) -> Option<(&'a SiteArgument, Option<String>)> {
    let site = &file.sites[index];
    if site.name == "System.getenv" {
        return Some((positional(site, 0)?, None));
    }
    let is_reader = matches!(site.name.as_str(), ".get" | ".getOrDefault" | ".containsKey");
    let map = &file.sites[root(file.sites, index)];
    let is_map = map.name == "System.getenv" && map.arguments.is_empty() && is_reader;
    is_map.then(|| Some((positional(site, 0)?, positional(site, 1).and_then(default_of)))).flatten()
}

/// Returns the name and the default of the environment variable that a site in a shell script reads:
/// `${X:-default}` reads the environment if the script does not set `X` before. `set` holds the variables
/// that the script sets, with their first lines.
fn shell<'a>(
    text: &str,
    set: &BTreeMap<&str, usize>,
    site: &'a Site,
) -> Option<(&'a SiteArgument, Option<String>)> {
    let argument = (site.name == "$").then(|| positional(site, 0))??;
    let name = argument.text.as_str();
    // A script without an interpreter is part of others, which set its variables.
    if !text.starts_with("#!") {
        return None;
    }
    // `X=${X:-1}` takes a value from the environment, whatever the script sets later.
    let is_set = set.get(name).is_some_and(|line| *line < site.line || site.holder != name);
    // A script that reads the release of the system gets these from its file.
    let is_release = set.contains_key(RELEASE) && (RELEASES.contains(&name) || name.starts_with("DISTRIB_"));
    let given = positional(site, 1);
    let default =
        given.and_then(|given| if given.is_literal { default_of(given) } else { word(&given.text) });
    let is_shell = SHELL.contains(&name)
        || ["BASH", "ZSH_", "COMP_", "KSH_"].iter().any(|start| name.starts_with(start));
    // A script shows "N/A" for a value that another one did not find.
    let is_shown = default.as_deref() == Some("N/A");
    (is_upper(name) && !is_shell && !is_shown && name.len() >= 2 && !is_set && !is_release)
        .then_some((argument, default))
}

/// Variables that exist on every system, so that a default may contain them.
const SYSTEM: &[&str] =
    &["HOME", "USER", "PWD", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"];

/// Returns a word of a shell script as a default: `$HOME/.app`, `[:alnum:]`. `None` if it contains other
/// variables.
fn word(text: &str) -> Option<String> {
    let text = text.trim_matches('"');
    let is_part = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '/' | '.' | '-' | ':' | '[' | ']' | '@' | '+' | ',' | '~')
    };
    let mut parts = text.split('$');
    let is_plain = parts.next().is_some_and(|start| start.chars().all(is_part))
        && parts.all(|part| {
            let (name, rest) = match part.strip_prefix('{') {
                Some(inner) => inner.split_once('}').unwrap_or_default(),
                None => part.split_at(
                    part.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(part.len()),
                ),
            };
            SYSTEM.contains(&name) && rest.chars().all(is_part)
        });
    let argument = SiteArgument { name: None, text: text.to_owned(), is_literal: true };
    if is_plain { default_of(&argument) } else { None }
}

/// Returns the variable that the tags of a Go field name: `env:"PORT" envDefault:"80"`.
fn tag(file: &ParsedFile, site: &Site) -> Option<ParsedSetting> {
    let value = |keys: &[&str]| find_named(site, keys).map(|argument| argument.text.as_str());
    let name = value(&["env", "envconfig"])?.split(',').next()?.trim();
    let default =
        value(&["envDefault", "env-default", "default"]).filter(|it| !it.is_empty() && it.len() < 100);
    let text = value(&["env-description", "desc", "description", "help", "usage"]);
    // `env.ParseWithOptions(&config, env.Options{Prefix: "SHOP_"})` of the same file.
    let options = file.sites.iter().find(|it| it.name == "env.Options");
    let prefix = options.and_then(|it| find_named(it, &["Prefix"])).filter(|it| it.is_literal);
    let prefix = prefix.map_or("", |it| it.text.as_str());
    is_upper(name).then(|| {
        variable(format!("{prefix}{name}"), default.map(str::to_owned))
            .text(crate::calls::help(text))
            .field(site)
    })
}

/// Returns the environment variables that the argument of a command-line option names (`envvar="PORT"`),
/// with the default and help of that option.
pub(super) fn of_option<'a>(
    site: &'a Site,
    argument: Option<&SiteArgument>,
    default: Option<&String>,
    text: Option<&String>,
) -> Vec<(&'a Site, ParsedSetting)> {
    let names = argument.map(literals).unwrap_or_default();
    let upper = names.into_iter().filter(|name| is_upper(name));
    upper.map(|name| (site, variable(name, default.cloned()).text(text.cloned()).field(site))).collect()
}
