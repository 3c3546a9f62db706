//! Finds routes of JavaScript and TypeScript servers: Express, Koa's router, Hono, Fastify, Polka, Restify
//! and Nest.

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::prefixes::{Prefixes, join, path_of};
use super::wrapped::inner_handler;
use super::{ParsedRoute, handler_of, method_of};
use crate::calls::{find_named, imports, last, literal, literals, named_literal, positional, receiver, root};

/// Packages of the supported frameworks.
const FRAMEWORKS: &[&str] = &[
    "express",
    "hono",
    "@hono",
    "fastify",
    "koa-router",
    "@koa/router",
    "polka",
    "restify",
    "itty-router",
    "elysia",
    "find-my-way",
    "express-promise-router",
];

/// Functions and classes that create a router.
const MAKERS: &[&str] = &[
    "express",
    "Router",
    "Hono",
    "OpenAPIHono",
    "fastify",
    "Fastify",
    "KoaRouter",
    "polka",
    "createServer",
    "AutoRouter",
    "Elysia",
    "basePath",
    "PromiseRouter",
];

/// Adds to `found` the HTTP routes that a script declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    if imports(file, &["@nestjs/common"]) {
        nest(file, found);
    }
    let is_framework = imports(file, FRAMEWORKS);
    let group = |site: &'a Site| path_of(site, &["basePath"]);
    let prefixes = Prefixes::of(file, group);
    let mut routers: Vec<&str> = Vec::new();
    for site in file.sites.iter().filter(|site| MAKERS.contains(&last(&site.name)) && !site.holder.is_empty())
    {
        routers.push(&site.holder);
    }
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        let word = last(&site.name);
        let is_route =
            matches!(word, "get" | "post" | "put" | "delete" | "patch" | "options" | "head" | "all" | "del");
        if word == "route" && is_framework && find_named(site, &["url"]).is_some() {
            whole(site, found);
        }
        if !is_route || !(is_framework || answers(site)) {
            continue;
        }
        let first = &file.sites[root(file.sites, index)];
        let from = receiver(&first.name);
        let is_maker =
            MAKERS.contains(&last(&first.name)) || site.name.starts_with('.') && routers.contains(&from);
        if !is_maker && !routers.contains(&from) && !is_router(from) {
            continue;
        }
        let method =
            if word == "all" { None } else { method_of(if word == "del" { "delete" } else { word }) };
        let handler = site
            .arguments
            .iter()
            .rfind(|argument| argument.name.is_none())
            .and_then(|it| handler_of(&it.text).or_else(|| inner_handler(&it.text)));
        let prefix = prefixes.chain(file, index, &group).unwrap_or_default();
        // `app.route("/x").get(h).post(h)`.
        let of_chain = file.sites[index + 1..].iter().take(20).take_while(|_| site.name.starts_with('.'));
        let of_chain = of_chain
            .take(root(file.sites, index) - index)
            .find(|link| last(&link.name) == "route" && link.arguments.len() == 1);
        let path = match of_chain {
            Some(route) => literal(route, 0),
            None => literal(site, 0).filter(|_| positional(site, 1).is_some_and(|second| !second.is_literal)),
        };
        if let Some(path) = path.filter(|path| path.starts_with(['/', '*'])) {
            let path = if prefix.is_empty() { path.to_owned() } else { join(&prefix, path) };
            found.push(ParsedRoute { site, method, path, handler });
        }
    }
}

/// Returns true for a usual name of a variable that holds a router.
fn is_router(name: &str) -> bool {
    let bare = last(name);
    matches!(bare, "app" | "router" | "server" | "fastify" | "api" | "routes" | "instance")
        || bare.ends_with("Router")
        || bare.ends_with("App")
}

/// Returns true if a call, such as `app.get("/x", (req, res) => …)`, has a function with a request and a
/// response as an argument. Such a call is a route even in a file that gets its router as a parameter and
/// imports no framework.
fn answers(site: &Site) -> bool {
    site.arguments.iter().any(|argument| {
        let text = argument.text.trim_start_matches("async ").trim_start_matches("function");
        let list = text.trim_start().strip_prefix('(').unwrap_or_default();
        let list = list.split(')').next().unwrap_or_default();
        let names: Vec<&str> =
            list.split(',').map(|name| name.split(':').next().unwrap_or_default().trim()).collect();
        matches!(names[..], ["req" | "_req" | "request", "res" | "response" | "reply" | "_res", ..])
    })
}

/// Adds the HTTP routes declared by `fastify.route({ method: "GET", url: "/x", handler })`.
fn whole<'a>(site: &'a Site, found: &mut Vec<ParsedRoute<'a>>) {
    let Some(path) = named_literal(site, &["url"]).filter(|path| path.starts_with('/')) else { return };
    let handler = find_named(site, &["handler"]).and_then(|handler| handler_of(&handler.text));
    let methods = find_named(site, &["method"]).map(literals).unwrap_or_default();
    for method in methods.iter().filter_map(|word| method_of(word)) {
        found.push(ParsedRoute {
            site,
            method: Some(method),
            path: path.to_owned(),
            handler: handler.clone(),
        });
    }
}

/// Adds the HTTP routes declared with Nest: `@Controller("x")` of a class joined with `@Get(":id")` of its
/// methods.
fn nest<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let controllers: Vec<(&str, Option<&str>)> = file
        .sites
        .iter()
        .filter(|site| site.kind == SiteKind::Attribute && site.name == "Controller")
        .map(|site| {
            let path = literal(site, 0).or_else(|| named_literal(site, &["path"]));
            let path = path.or_else(|| {
                (site.arguments.is_empty() || find_named(site, &["version"]).is_some()).then_some("")
            });
            (site.target.as_str(), path)
        })
        .collect();
    for site in file.sites.iter().filter(|site| site.kind == SiteKind::Attribute) {
        let Some((_, Some(prefix))) = controllers.iter().find(|(class, _)| *class == site.within) else {
            continue;
        };
        let method = match site.name.as_str() {
            "All" => None,
            word => match method_of(word).filter(|_| word.starts_with(char::is_uppercase)) {
                Some(method) => Some(method),
                None => continue,
            },
        };
        let paths = match positional(site, 0) {
            None => vec![String::new()],
            Some(given) => literals(given),
        };
        for path in paths {
            let path = join(&join("", prefix), &path);
            found.push(ParsedRoute {
                site,
                method: method.clone(),
                path,
                handler: Some(format!("{}.{}", site.within, site.target)),
            });
        }
    }
}
