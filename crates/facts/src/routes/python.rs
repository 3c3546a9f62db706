//! Finds routes of Python servers: Flask, Quart, `FastAPI`, Starlette, Sanic, aiohttp, Litestar, Bottle,
//! Django, Tornado and others, by their imports.

use stategraph_repo::{ParsedFile, Site, SiteArgument, SiteKind};

use super::prefixes::{Prefixes, join};
use super::{METHODS, ParsedRoute, handler_of, method_of};
use crate::calls::{find_named, imports, last, literal, literals, named_literal, positional, receiver};

/// Frameworks whose routes are decorators on an object: `@app.get("/x")`.
const DECORATED: &[&str] =
    &["flask", "quart", "fastapi", "starlette", "sanic", "aiohttp", "bottle", "flask_restx", "blacksheep"];
/// Frameworks whose routes are decorators that stand alone: `@get("/x")`.
const ALONE: &[&str] = &["litestar", "bottle", "starlite"];

/// Adds to `found` the HTTP routes that a Python file declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let is_decorated =
        imports(file, DECORATED) || file.text.contains("APIRouter") || file.text.contains("Blueprint");
    let is_alone = imports(file, ALONE);
    // Bottle is one file, which many projects carry with them.
    let is_carried = file.sites.iter().any(|site| site.name == "Bottle" && !site.holder.is_empty())
        && file
            .outline
            .imports
            .iter()
            .any(|import| import.targets.iter().any(|it| last_module(it) == "bottle"));
    let is_decorated = is_decorated || is_carried;
    let is_starlette = imports(file, &["starlette", "fastapi"]);
    let is_django = imports(file, &["django.urls", "django.conf.urls"]);
    added(file, found);
    tornado(file, found);
    if !(is_decorated || is_alone || is_starlette || is_django) {
        return;
    }
    let group = |site: &'a Site| match last(&site.name) {
        "Blueprint" => named_literal(site, &["url_prefix"]),
        "APIRouter" => named_literal(site, &["prefix"]),
        _ => None,
    };
    let mut prefixes = Prefixes::of(file, group);
    for (index, site) in file.sites.iter().enumerate() {
        if is_starlette && site.kind == SiteKind::Call && last(&site.name) == "Mount" {
            let prefix = literal(site, 0).filter(|_| find_named(site, &["routes"]).is_some());
            if let Some(prefix) = prefix {
                prefixes.enclose((index + 1, index + site.inside + 1), &site.within, prefix);
            }
        }
    }
    for (index, site) in file.sites.iter().enumerate() {
        let word = last(&site.name);
        let from = receiver(&site.name);
        match site.kind {
            SiteKind::Attribute
                if !site.target.is_empty()
                    && (is_decorated && !from.is_empty() || is_alone && from.is_empty()) =>
            {
                let prefix = prefixes.find_group_path(from, index, &site.within).unwrap_or_default();
                collect_decorator(site, &prefix, found);
            }
            SiteKind::Call if is_decorated && word == "add_url_rule" => {
                let handler = find_named(site, &["view_func"]).or_else(|| positional(site, 2));
                let handler = handler.and_then(|handler| handler_of(&handler.text));
                push(site, literal(site, 0), &methods(site, &["GET"]), handler.as_deref(), found);
            }
            SiteKind::Call if is_starlette && matches!(word, "Route" | "APIRoute" | "WebSocketRoute") => {
                let handler = positional(site, 1).or_else(|| find_named(site, &["endpoint"]));
                let handler = handler.and_then(|handler| handler_of(&handler.text));
                let default = if word == "WebSocketRoute" { "WEBSOCKET" } else { "GET" };
                let path = literal(site, 0).or_else(|| named_literal(site, &["path"]));
                let path = path.map(|path| join(&prefixes.around(index), path));
                push(site, path.as_deref(), &methods(site, &[default]), handler.as_deref(), found);
            }
            SiteKind::Call if is_django && matches!(word, "path" | "re_path" | "url") && from.is_empty() => {
                django(site, found);
            }
            _ => {}
        }
    }
}

/// Returns the last segment in lower case of an import's target: `bottle` for `.bottle` and
/// `.bottle.Bottle`.
fn last_module(target: &str) -> &str {
    let mut parts = target.rsplit('.').filter(|part| part.starts_with(|c: char| c.is_lowercase()));
    parts.next().unwrap_or_default()
}

/// Adds the HTTP routes declared by a decorator: `@app.route("/x", methods=["GET"])`, `@router.get("/x")`.
fn collect_decorator<'a>(site: &'a Site, prefix: &str, found: &mut Vec<ParsedRoute<'a>>) {
    let Some(path) = literal(site, 0).or_else(|| named_literal(site, &["path", "rule"])) else { return };
    let methods = match last(&site.name) {
        "route" | "api_route" => methods(site, &["GET"]),
        "websocket" | "websocket_route" => vec!["WEBSOCKET".to_owned()],
        word if word.chars().all(char::is_lowercase) => match method_of(word) {
            Some(method) => vec![method],
            None => return,
        },
        _ => return,
    };
    // `@mock.get("https://…")` is no route, and a path of a router may be empty.
    let is_path = path.starts_with('/') || path.is_empty() && !prefix.is_empty();
    let path = if prefix.is_empty() { path.to_owned() } else { join(prefix, path) };
    push(site, Some(path.as_str()).filter(|_| is_path), &methods, Some(&site.target), found);
}

/// Adds an HTTP route for each HTTP method in the list, if the path begins with `/`.
fn push<'a>(
    site: &'a Site,
    path: Option<&str>,
    methods: &[String],
    handler: Option<&str>,
    found: &mut Vec<ParsedRoute<'a>>,
) {
    let Some(path) = path.filter(|path| path.starts_with('/')) else { return };
    for method in methods {
        found.push(ParsedRoute {
            site,
            method: Some(method.clone()),
            path: path.to_owned(),
            handler: handler.map(str::to_owned),
        });
    }
}

/// Returns the HTTP methods in a call's argument `methods`, in upper case; `default` if there is none.
fn methods(site: &Site, default: &[&str]) -> Vec<String> {
    match find_named(site, &["methods"]) {
        Some(given) => literals(given)
            .iter()
            .map(|word| word.to_uppercase())
            .filter(|word| METHODS.contains(&word.as_str()))
            .collect(),
        None => default.iter().map(|word| (*word).to_owned()).collect(),
    }
}

/// Adds the HTTP routes declared by `path("articles/<int:year>/", views.year)`, which answers every method.
fn django<'a>(site: &'a Site, found: &mut Vec<ParsedRoute<'a>>) {
    let (Some(path), Some(view)) = (literal(site, 0), positional(site, 1)) else { return };
    if view.is_literal || view.text.starts_with("include(") {
        return;
    }
    let view = view.text.split(".as_view(").next().unwrap_or_default();
    found.push(ParsedRoute { site, method: None, path: path.to_owned(), handler: handler_of(view) });
}

/// Adds the HTTP routes that calls declare, with path and handler in any order: `app.add_route("/x", X)` of
/// Falcon, Sanic and others, `router.add_get("/x", x)` and `web.get("/x", x)` of aiohttp,
/// `api.add_resource(X, "/x")` of Flask, `config.add_route("name", "/x")` of Pyramid.
fn added<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let is_aiohttp = imports(file, &["aiohttp"]);
    for site in file.sites.iter().filter(|site| site.kind == SiteKind::Call) {
        let word = last(&site.name);
        let of_aiohttp = || {
            let word = word.strip_prefix("add_").or_else(|| site.name.strip_prefix("web."));
            word.filter(|_| is_aiohttp).and_then(method_of)
        };
        let method = match word {
            "add_route" | "add_resource" => None,
            _ => match of_aiohttp() {
                Some(method) => Some(method),
                None => continue,
            },
        };
        let plain: Vec<&SiteArgument> =
            site.arguments.iter().filter(|it| it.name.is_none()).take(5).collect();
        let method =
            method.or_else(|| plain.iter().filter(|it| it.is_literal).find_map(|it| method_of(&it.text)));
        let is_path = |it: &&&SiteArgument| it.is_literal && it.text.trim_start_matches('^').starts_with('/');
        let handler = plain.iter().find(|it| !it.is_literal);
        // Pyramid names its routes, and their views stand elsewhere.
        let is_named = handler.is_none() && plain.len() == 2 && imports(file, &["pyramid"]);
        if handler.is_none() && !is_named {
            continue;
        }
        let handler =
            handler.and_then(|it| handler_of(it.text.split(['(']).next()?.trim_end_matches(".as_view")));
        let handler = handler.filter(|_| !plain.iter().any(|it| !it.is_literal && is_factory(&it.text)));
        let named = find_named(site, &["methods"]).map(|_| methods(site, &[])).filter(|all| !all.is_empty());
        let methods = named.map_or_else(|| vec![method.clone()], |all| all.into_iter().map(Some).collect());
        for path in plain.iter().filter(is_path) {
            for method in &methods {
                let (path, handler) = (path.text.clone(), handler.clone());
                found.push(ParsedRoute { site, method: method.clone(), path, handler });
            }
        }
    }
}

/// Returns true for a call that creates a handler, such as `static("folder")`, but not for `View.as_view()`
/// and `View()`.
fn is_factory(text: &str) -> bool {
    text.split_once('(').is_some_and(|(name, _)| {
        !name.ends_with(".as_view") && !last(name).starts_with(|c: char| c.is_ascii_uppercase())
    })
}

/// Adds the HTTP routes declared with Tornado: `url(r"/x/(\d+)", XHandler)` and `URLSpec(…)`.
fn tornado<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    if !imports(file, &["tornado"]) {
        return;
    }
    for site in file.sites.iter().filter(|site| matches!(last(&site.name), "url" | "URLSpec")) {
        let path = literal(site, 0).filter(|path| path.starts_with('/'));
        let handler = positional(site, 1).and_then(|handler| handler_of(&handler.text));
        if let (Some(path), Some(_)) = (path, &handler) {
            found.push(ParsedRoute { site, method: None, path: path.to_owned(), handler });
        }
    }
}
