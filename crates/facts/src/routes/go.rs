//! Finds routes of Go servers: net/http, chi, gin, echo, fiber, gorilla and httprouter.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use stategraph_repo::{ParsedFile, Site, SiteArgument, SiteKind};

use super::prefixes::{Prefixes, join, path_of};
use super::wrapped::inner_handler;
use super::{ParsedRoute, handler_of, method_of};
use crate::calls::{imports, last, links, literals, positional, receiver};
use crate::settings::constants::constants;

/// Frameworks whose router methods are capitalised, as `Get`.
const CAPITALISED: &[&str] =
    &["github.com/go-chi/chi", "github.com/gofiber/fiber", "goji.io", "github.com/gorilla/pat"];
/// Frameworks whose router methods are in upper case, as `GET`.
const UPPER: &[&str] =
    &["github.com/gin-gonic/gin", "github.com/labstack/echo", "github.com/julienschmidt/httprouter"];

/// Adds to `found` the HTTP routes that a Go file declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
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
    let paths = Paths::of(file);
    let registrars = registrars(file, &paths);
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        let word = last(&site.name);
        let is_upper_word = word.chars().all(char::is_uppercase);
        let method = match word {
            "HandleFunc" | "Handle" | "Any" | "Method" | "MethodFunc" | "Add" => None,
            word if registrars.contains(word) => None,
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
        let Some((method, path, at)) = pattern(&paths, site, method) else { continue };
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
        // An own function may have methods behind the handler: `wrap(mux, path, handler, http.MethodGet)`.
        let handler = positional(site, at + 1).filter(|_| at > 0 || registrars.contains(word));
        let handler = handler
            .or(site.arguments.last())
            .and_then(|handler| handler_of(&handler.text).or_else(|| inner_handler(&handler.text)));
        let after = site.arguments.iter().skip(at + 2).filter_map(method_constant);
        let own: Vec<String> = if registrars.contains(word) { after.collect() } else { Vec::new() };
        // `r.HandleFunc("/x", h).Methods("GET")` of gorilla.
        let links = links(file.sites, index);
        let methods = links.iter().find(|link| link.name == ".Methods").map(|link| &link.arguments);
        let of_links = methods.map(|all| {
            let literal = all.iter().flat_map(literals).filter_map(|word| method_of(&word));
            literal.chain(all.iter().filter_map(method_constant)).collect::<Vec<_>>()
        });
        match of_links.or(Some(own).filter(|own| !own.is_empty())).filter(|_| method.is_none()) {
            Some(methods) => {
                for method in methods {
                    found.push(ParsedRoute {
                        site,
                        method: Some(method),
                        path: path.clone(),
                        handler: handler.clone(),
                    });
                }
            }
            None => found.push(ParsedRoute { site, method, path, handler }),
        }
    }
}

/// The string constants of a Go file, looked up when a route's path is given as a constant. The file is
/// searched at the first look-up.
struct Paths<'a> {
    text: &'a str,
    names: OnceCell<BTreeMap<&'a str, &'a str>>,
}

impl<'a> Paths<'a> {
    /// Prepares the look-up of a file's constants.
    fn of(file: &ParsedFile<'a>) -> Self {
        Self { text: file.text, names: OnceCell::new() }
    }

    /// Returns the text of an argument that is a string literal or the name of a string constant; `None`
    /// for any other argument.
    fn resolve<'b>(&'b self, argument: &'b SiteArgument) -> Option<&'b str> {
        if argument.is_literal {
            return Some(&argument.text);
        }
        self.names.get_or_init(|| constants(self.text)).get(argument.text.as_str()).copied()
    }
}

/// Returns the HTTP method that a constant names: `http.MethodGet` → `GET`.
fn method_constant(argument: &SiteArgument) -> Option<String> {
    argument.text.strip_prefix("http.Method").filter(|_| !argument.is_literal).and_then(method_of)
}

/// Returns the names of the file's functions that pass a path from their parameters to a router. Calls of
/// them declare routes.
fn registrars<'a>(file: &ParsedFile<'a>, paths: &Paths) -> BTreeSet<&'a str> {
    let hands_on = |site: &&Site| {
        let path = positional(site, 0).filter(|path| !path.is_literal && paths.resolve(path).is_none());
        let is_name = path.is_some_and(|path| path.text.chars().all(|c| c.is_alphanumeric() || c == '_'));
        matches!(last(&site.name), "HandleFunc" | "Handle") && site.kind == SiteKind::Call && is_name
    };
    let is_parameter = |site: &&Site| {
        let function = last(&site.within);
        let symbol = file.outline.walk().find(|(_, symbol)| {
            symbol.name.rsplit(['.', ')']).next() == Some(function) && symbol.kind.is_callable()
        });
        let path = positional(site, 0).map(|path| path.text.as_str()).unwrap_or_default();
        symbol.is_some_and(|(_, symbol)| {
            let list = symbol.signature.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            list.collect::<Vec<_>>().contains(&path)
        })
    };
    let found = file.sites.iter().filter(hands_on).take(20).filter(is_parameter);
    found.map(|site| last(&site.within)).filter(|name| !name.is_empty()).collect()
}

/// Returns the method and path of a call that declares a route, and the index of the path among the
/// arguments. The method may stand before the path, as in `"GET /x"`; `None` is every method.
fn pattern<'b>(
    paths: &'b Paths,
    site: &'b Site,
    method: Option<String>,
) -> Option<(Option<String>, &'b str, usize)> {
    let resolved = |index: usize| positional(site, index).and_then(|it| paths.resolve(it));
    // The router may be the first argument of an own function.
    let Some(first) = resolved(0) else {
        let path = resolved(1).filter(|path| path.starts_with('/') && site.arguments.len() > 2)?;
        let is_own = method.is_none() && matches!(last(&site.name), "HandleFunc" | "Handle")
            || last(&site.name).starts_with("Handle")
            || last(&site.name).starts_with("handle");
        return is_own.then_some((method, path, 1));
    };
    // `Method("GET", "/x", h)` of chi, `Handle("GET", "/x", h)` of gin, and `Add("GET", …)` of echo.
    if method.is_none()
        && let Some(named) = method_of(first)
    {
        return Some((Some(named), resolved(1)?, 1));
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
