//! net/http, chi, gin, echo, fiber, gorilla and httprouter.

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::prefixes::{Prefixes, join, path_of};
use super::{Route, handler_of, method_of};
use crate::calls::{imports, last, links, literal, literals, positional, receiver};

/// Frameworks whose routers have methods such as `Get`.
const CAPITALISED: &[&str] =
    &["github.com/go-chi/chi", "github.com/gofiber/fiber", "goji.io", "github.com/gorilla/pat"];
/// Frameworks whose routers have methods such as `GET`.
const UPPER: &[&str] =
    &["github.com/gin-gonic/gin", "github.com/labstack/echo", "github.com/julienschmidt/httprouter"];

pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<Route<'a>>) {
    let is_capitalised = imports(file, CAPITALISED);
    let is_upper = imports(file, UPPER);
    let is_gin = imports(file, &["github.com/gin-gonic/gin"]);
    let is_http = is_capitalised || is_upper || imports(file, &["net/http", "github.com/gorilla/mux"]);
    if !is_http {
        return;
    }
    let group = |site: &'a Site| {
        let of_call = path_of(site, &["Route", "Group", "PathPrefix"]);
        // `r.Group(func(r chi.Router) {…})` has no path of its own.
        of_call.or_else(|| {
            (last(&site.name) == "Group" && positional(site, 0)?.text.starts_with("func(")).then_some("")
        })
    };
    let prefixes = Prefixes::of(file, group);
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        let word = last(&site.name);
        let is_upper_word = word.chars().all(char::is_uppercase);
        let method = match word {
            "HandleFunc" | "Handle" | "Any" | "Method" | "MethodFunc" | "Add" => None,
            _ if is_upper && is_upper_word || is_capitalised && !is_upper_word => {
                let Some(method) = method_of(word).filter(|_| word.starts_with(char::is_uppercase)) else {
                    continue;
                };
                Some(method)
            }
            _ => continue,
        };
        let from = receiver(&site.name);
        // `http.Get` asks a server.
        if from == "http" && method.is_some() || from.is_empty() && !site.name.starts_with('.') {
            continue;
        }
        let Some((method, path, at)) = pattern(site, method) else { continue };
        let is_root = !is_upper && !is_capitalised;
        let is_handled = positional(site, at + 1).is_some_and(|handler| !handler.is_literal);
        // gin puts a slash before a path without one.
        let is_path = path.starts_with('/') || path.is_empty() && !is_root || is_gin && is_upper_word;
        if !is_path || !is_handled {
            continue;
        }
        let path = prefixes.chain(file, index, &group).map_or_else(
            || if is_gin { join("", path) } else { path.to_owned() },
            |prefix| join(&prefix, path),
        );
        let handler = site.arguments.last().and_then(|handler| handler_of(&handler.text));
        // `r.HandleFunc("/x", h).Methods("GET")` of gorilla.
        let links = links(file.sites, index);
        let methods = links.iter().find(|link| link.name == ".Methods").map(|link| &link.arguments);
        match methods.filter(|_| method.is_none()) {
            Some(methods) => {
                for method in methods.iter().flat_map(literals).filter_map(|word| method_of(&word)) {
                    found.push(Route {
                        site,
                        method: Some(method),
                        path: path.clone(),
                        handler: handler.clone(),
                    });
                }
            }
            None => found.push(Route { site, method, path, handler }),
        }
    }
}

/// Returns the method, the path, and the index of the path among the arguments.
fn pattern(site: &Site, method: Option<String>) -> Option<(Option<String>, &str, usize)> {
    let first = literal(site, 0)?;
    // `Method("GET", "/x", h)` of chi, `Handle("GET", "/x", h)` of gin, and `Add("GET", …)` of echo.
    if method.is_none()
        && let Some(named) = method_of(first)
    {
        return Some((Some(named), literal(site, 1)?, 1));
    }
    if method.is_none() && matches!(last(&site.name), "Method" | "MethodFunc" | "Add") {
        return None;
    }
    // `"GET /x"` of net/http.
    if let Some((word, path)) = first.split_once(' ') {
        return Some((Some(method_of(word)?), path.trim(), 0));
    }
    Some((method, first, 0))
}
