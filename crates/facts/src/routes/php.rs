//! Finds routes of PHP servers: Laravel, Lumen, Slim and Symfony.

use stategraph_repo::{ParsedFile, Site, SiteArgument, SiteKind};

use super::prefixes::join;
use super::{ParsedRoute, handler_of, method_of};
use crate::calls::{find_named, imports, last, literal, literals, named_literal, positional, receiver, root};

/// Adds to `found` the HTTP routes that a PHP file declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    if imports(file, &["Symfony\\Component\\Routing"]) {
        symfony(file, found);
    }
    let path = &file.outline.path;
    // The files of this folder may name the facade without importing it.
    let is_folder =
        (path.starts_with("routes/") || path.contains("/routes/")) && file.text.contains("Route::");
    let is_laravel = is_folder || imports(file, &["Illuminate\\Support\\Facades\\Route"]);
    let is_slim = imports(file, &["Slim"]);
    if !is_laravel && !is_slim {
        return;
    }
    // Laravel puts this path before the routes of this file.
    let start = if is_laravel && path.ends_with("routes/api.php") { "/api" } else { "" };
    let mut open: Vec<(usize, String)> = Vec::new();
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        open.retain(|(end, _)| index < *end);
        let around = open.last().map_or(start, |(_, path)| path.as_str()).to_owned();
        let first = root(file.sites, index);
        let is_route = if is_laravel {
            file.sites[first].name.starts_with("Route::")
        } else {
            receiver(&site.name).starts_with('$')
        };
        if !is_route {
            continue;
        }
        // `Route::prefix("x")->middleware(…)->group(…)`.
        let chain = &file.sites[index..=first];
        let own = chain
            .iter()
            .rev()
            .filter(|link| last(&link.name) == "prefix")
            .filter_map(|link| literal(link, 0));
        let prefix = own.fold(around, |path, more| join(&path, more.trim_matches('/')));
        let word = last(&site.name);
        match word {
            "group" => {
                let grouped = if is_slim { literal(site, 0).map(str::to_owned) } else { array_prefix(site) };
                let path = grouped.map_or(prefix.clone(), |more| join(&prefix, &more));
                let starts = index + 1 + chain.len().saturating_sub(1);
                if open.len() < 50 && starts <= index + site.inside + 1 {
                    open.push((index + site.inside + 1, path));
                }
            }
            "match" | "map" => {
                let (Some(methods), Some(path)) = (positional(site, 0), literal(site, 1)) else { continue };
                for method in literals(methods).iter().filter_map(|word| method_of(word)) {
                    found.push(ParsedRoute {
                        site,
                        method: Some(method),
                        path: join_prefix(&prefix, path, is_slim),
                        handler: handler(site, 2),
                    });
                }
            }
            "any" | "get" | "post" | "put" | "delete" | "patch" | "options" => {
                let Some(path) = literal(site, 0).filter(|_| site.arguments.len() >= 2) else { continue };
                if is_slim && !path.starts_with(['/', '[', '{']) && !path.is_empty() {
                    continue;
                }
                found.push(ParsedRoute {
                    site,
                    method: method_of(word),
                    path: join_prefix(&prefix, path, is_slim),
                    handler: handler(site, 1),
                });
            }
            _ => {}
        }
    }
}

/// Joins the path prefix of a route group and the path of a route. For Slim, a path that begins with a
/// bracket is appended as it is.
fn join_prefix(prefix: &str, path: &str, is_slim: bool) -> String {
    if is_slim && path.starts_with(['[', '{']) {
        return format!("{prefix}{path}");
    }
    join(prefix, path)
}

/// Returns the handler of a route in the argument at `index`: `Users.show` for `[Users::class, 'show']`.
fn handler(site: &Site, index: usize) -> Option<String> {
    let given = positional(site, index)?;
    if given.is_literal {
        return handler_of(&given.text);
    }
    match given
        .text
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'))
        .and_then(|list| list.split_once(','))
    {
        Some((class, method)) => {
            let class = handler_of(class)?;
            Some(format!("{class}.{}", handler_of(method.trim().trim_matches(['"', '\'', ',']))?))
        }
        None => handler_of(&given.text),
    }
}

/// Returns the path prefix in the options of a route group: `x` in `Route::group(['prefix' => 'x'], …)`.
fn array_prefix(site: &Site) -> Option<String> {
    let list = positional(site, 0)?.text.strip_prefix('[')?;
    let (_, after) = list.split_once("'prefix'")?;
    let value = after.trim_start().strip_prefix("=>")?.trim_start().strip_prefix('\'')?;
    Some(value.split('\'').next()?.trim_matches('/').to_owned())
}

/// Returns the HTTP methods in a list `['GET']` or `[Request::METHOD_GET]`; other names are skipped.
fn symfony_methods(given: &SiteArgument) -> Vec<Option<String>> {
    let constants = given.text.split("::METHOD_").skip(1);
    let named =
        constants.map(|rest| rest.split(|c: char| !c.is_ascii_uppercase()).next().unwrap_or_default());
    let words: Vec<String> = literals(given).into_iter().chain(named.map(str::to_owned)).collect();
    words.iter().filter_map(|word| method_of(word)).map(Some).collect()
}

/// Adds the HTTP routes declared with Symfony's attributes: `#[Route('/x', methods: ['GET'])]` of a class
/// joined with those of its methods.
fn symfony<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let is_route = |site: &&Site| site.kind == SiteKind::Attribute && last(&site.name) == "Route";
    let path = |site: &'a Site| literal(site, 0).or_else(|| named_literal(site, &["path"]));
    for site in file.sites.iter().filter(is_route) {
        let is_method = crate::calls::definition(file, &site.within, &site.target)
            .is_some_and(|symbol| symbol.kind.is_callable())
            || file.outline.walk().any(|(around, symbol)| {
                symbol.kind.is_callable()
                    && symbol.name == site.target
                    && around.last() == Some(&last(&site.within))
            });
        let Some(own) = path(site).filter(|_| is_method) else { continue };
        let (outer, class) = site.within.rsplit_once('.').unwrap_or(("", &site.within));
        let of_class =
            file.sites.iter().filter(is_route).find(|other| other.target == class && other.within == outer);
        let prefix = match of_class {
            Some(route) => match path(route) {
                Some(prefix) => prefix,
                None if route
                    .arguments
                    .iter()
                    .all(|argument| matches!(argument.name.as_deref(), Some("name" | "methods"))) =>
                {
                    ""
                }
                None => continue,
            },
            None => "",
        };
        let joined = if prefix.is_empty() { own.to_owned() } else { join(prefix, own) };
        let handler = Some(format!("{class}.{}", site.target));
        let given = find_named(site, &["methods"]);
        let methods: Vec<Option<String>> = given.map_or_else(|| vec![None], symfony_methods);
        for method in methods {
            found.push(ParsedRoute { site, method, path: joined.clone(), handler: handler.clone() });
        }
    }
}
