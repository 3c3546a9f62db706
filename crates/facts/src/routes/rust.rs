//! Finds routes of Rust servers: axum, actix-web, Rocket, poem and tide.

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::prefixes::{Prefixes, join};
use super::{ParsedRoute, handler_of, method_of};
use crate::calls::{find_named, imports, last, literal, literals, positional, root};

/// Adds to `found` the HTTP routes that a Rust file declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let is_axum =
        imports(file, &["axum", "poem", "axum_extra", "utoipa_axum"]) || file.text.contains("axum::");
    let is_actix = imports(file, &["actix_web"]) || file.text.contains("actix_web::");
    let is_rocket = imports(file, &["rocket"]) || file.text.contains("rocket::");
    let is_tide = imports(file, &["tide"]);
    if !(is_axum || is_actix || is_rocket || is_tide) {
        return;
    }
    let mut prefixes = Prefixes::default();
    for (index, site) in file.sites.iter().enumerate() {
        match (site.kind, last(&site.name)) {
            (SiteKind::Attribute, word) if is_actix || is_rocket => attribute(site, word, found),
            (SiteKind::Call, "nest") if is_axum => {
                if let Some(prefix) = literal(site, 0) {
                    prefixes.enclose(arguments(file.sites, index), &site.within, prefix);
                }
            }
            (SiteKind::Call, "service" | "route" | "configure") if is_actix && site.name.starts_with('.') => {
                let first = &file.sites[root(file.sites, index)];
                let scope = literal(first, 0).filter(|_| last(&first.name) == "scope");
                if let Some(scope) = scope {
                    prefixes.enclose(arguments(file.sites, index), &site.within, scope);
                }
            }
            _ => {}
        }
    }
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        match last(&site.name) {
            "route" | "at" if is_axum && site.arguments.len() == 2 => {
                let Some(path) = literal(site, 0).filter(|path| path.starts_with('/')) else { continue };
                let path = with(&prefixes.around(index), path);
                methods(file, index, |method, handler| {
                    found.push(ParsedRoute { site, method, path: path.clone(), handler });
                });
            }
            "route" if is_actix => actix(file, index, &prefixes, found),
            word if is_tide && site.name.starts_with('.') => {
                let at = &file.sites[root(file.sites, index)];
                let path = literal(at, 0).filter(|_| last(&at.name) == "at");
                if let (Some(path), Some(method)) = (path, method_of(word)) {
                    let handler = positional(site, 0).and_then(|handler| handler_of(&handler.text));
                    found.push(ParsedRoute { site, method: Some(method), path: path.to_owned(), handler });
                }
            }
            _ => {}
        }
    }
}

/// Joins the prefix and the path of a route; an empty prefix leaves the path unchanged.
fn with(prefix: &str, path: &str) -> String {
    if prefix.is_empty() { path.to_owned() } else { join(prefix, path) }
}

/// Returns the range of indices (the end excluded) of the sites inside the arguments of the call at
/// `index`, without those of its receiver.
fn arguments(sites: &[Site], index: usize) -> (usize, usize) {
    let end = index + sites[index].inside + 1;
    let start = match sites.get(index + 1).filter(|_| sites[index].name.starts_with('.')) {
        Some(receiver) => index + 2 + receiver.inside,
        None => index + 1,
    };
    (start.min(end), end)
}

/// Calls `found` with each HTTP method and handler in the arguments of the route call at `index`, as in
/// `.route("/x", get(a).post(b))`. The method is `None` for all methods (`any`), the handler if it is no
/// plain name.
fn methods(file: &ParsedFile, index: usize, mut found: impl FnMut(Option<String>, Option<String>)) {
    let (mut at, end) = arguments(file.sites, index);
    while at < end {
        let chain = &file.sites[at..=root(file.sites, at)];
        for link in chain.iter().rev() {
            let word = last(&link.name).trim_end_matches("_service");
            let handler = positional(link, 0).and_then(|handler| handler_of(&handler.text));
            match word {
                "any" => found(None, handler),
                "head" | "get" | "post" | "put" | "delete" | "patch" | "options" | "trace"
                    if !link.arguments.is_empty() =>
                {
                    found(method_of(word), handler);
                }
                _ => {}
            }
        }
        at += file.sites[at].inside + 1;
    }
}

/// Adds the HTTP routes declared by `.route("/x", web::get().to(h))` and
/// `web::resource("/x").route(web::get().to(h))`.
fn actix<'a>(file: &ParsedFile<'a>, index: usize, prefixes: &Prefixes<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let site = &file.sites[index];
    let first = root(file.sites, index);
    let resource = &file.sites[first];
    let is_resource = last(&resource.name) == "resource" && site.name.starts_with('.');
    let path = if is_resource { literal(resource, 0) } else { literal(site, 0) };
    let scope =
        literal(resource, 0).filter(|_| last(&resource.name) == "scope" && site.name.starts_with('.'));
    let Some(path) = path else { return };
    let (at, end) = arguments(file.sites, index);
    let prefix = with(&prefixes.around(index), scope.unwrap_or_default());
    let prefix = if scope.is_none() { prefixes.around(index) } else { prefix };
    for link in &file.sites[at..end] {
        let method =
            method_of(last(&link.name)).filter(|_| link.name.contains("::") && link.arguments.is_empty());
        let Some(method) = method else { continue };
        let to = file.sites[at..end].iter().find(|link| matches!(link.name.as_str(), ".to"));
        let handler = to.and_then(|to| positional(to, 0)).and_then(|handler| handler_of(&handler.text));
        found.push(ParsedRoute { site, method: Some(method), path: with(&prefix, path), handler });
        break;
    }
}

/// Adds the HTTP routes declared by an attribute `#[get("/x")]` of actix-web or Rocket.
fn attribute<'a>(site: &'a Site, word: &str, found: &mut Vec<ParsedRoute<'a>>) {
    if site.target.is_empty() {
        return;
    }
    let path = positional(site, 0).filter(|path| path.is_literal && path.text.starts_with('/'));
    let methods = match word {
        "route" => find_named(site, &["method"]).map(literals).unwrap_or_default(),
        word if word.chars().all(char::is_lowercase) => vec![word.to_owned()],
        _ => return,
    };
    let Some(path) = path else { return };
    for method in methods.iter().filter_map(|word| method_of(word)) {
        found.push(ParsedRoute {
            site,
            method: Some(method),
            path: path.text.clone(),
            handler: Some(site.target.clone()),
        });
    }
}
