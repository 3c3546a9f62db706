//! Finds routes of ASP.NET: attributes of controllers, and minimal APIs (`app.MapGet`).

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::prefixes::{Prefixes, join, path_of};
use super::{ParsedRoute, handler_of, method_of};
use crate::calls::{definition, imports, last, literal, named_literal, positional, receiver};

/// Adds to `found` the HTTP routes that a C# file declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let group = |site: &'a Site| path_of(site, &["MapGroup"]);
    let prefixes = Prefixes::of(file, group);
    let is_web = imports(file, &["Microsoft.AspNetCore"]);
    for (index, site) in file.sites.iter().enumerate() {
        let word = last(&site.name);
        match site.kind {
            SiteKind::Call => {
                let method = word.strip_prefix("Map").and_then(method_of);
                let (Some(method), Some(path), Some(handler)) =
                    (method, literal(site, 0), positional(site, 1))
                else {
                    continue;
                };
                if receiver(&site.name).is_empty() && !site.name.starts_with('.') {
                    continue;
                }
                let prefix = prefixes.chain(file, index, &group).unwrap_or_default();
                let path = join(&prefix, path);
                found.push(ParsedRoute {
                    site,
                    method: Some(method),
                    path,
                    handler: handler_of(&handler.text),
                });
            }
            SiteKind::Attribute => {
                let verb = word.strip_prefix("Http").and_then(method_of);
                let class = last(&site.within);
                if verb.is_some() && (is_web || class.ends_with("Controller")) {
                    controller(file, site, verb, found);
                }
            }
            _ => {}
        }
    }
}

/// Adds the HTTP route declared by a controller's method: `[Route("api/[controller]")]` of the class joined
/// with `[HttpGet("{id}")]` of the method. A controller without a path is routed elsewhere and skipped.
fn controller<'a>(
    file: &ParsedFile<'a>,
    site: &'a Site,
    method: Option<String>,
    found: &mut Vec<ParsedRoute<'a>>,
) {
    let (outer, class) = site.within.rsplit_once('.').unwrap_or(("", &site.within));
    let attribute = |within: &str, target: &str| {
        file.sites.iter().find(|other| {
            other.kind == SiteKind::Attribute
                && last(&other.name) == "Route"
                && other.within == within
                && other.target == target
        })
    };
    let template = |site: &'a Site| literal(site, 0).or_else(|| named_literal(site, &["template"]));
    let prefix = match attribute(outer, class) {
        Some(route) => match template(route) {
            Some(prefix) => Some(prefix),
            None => return,
        },
        None => None,
    };
    let near = attribute(&site.within, &site.target).filter(|other| other.line.abs_diff(site.line) < 10);
    let own = match (template(site), positional(site, 0)) {
        (Some(path), _) => Some(path),
        (None, Some(_)) => return,
        (None, None) => near.and_then(template),
    };
    let path = match (prefix, own) {
        (None, None) => return,
        (None, Some(own)) if !own.starts_with(['/', '~']) && !is_base(file, &site.within) => return,
        (_, Some(own)) if own.starts_with(['/', '~']) => own.trim_start_matches('~').to_owned(),
        (prefix, own) => {
            join(&join("", prefix.unwrap_or_default().trim_matches('/')), own.unwrap_or_default())
        }
    };
    found.push(ParsedRoute { site, method, path, handler: Some(format!("{class}.{}", site.target)) });
}

/// Returns true if a C# controller class has no base class, one of the framework, or only an interface. A
/// project's own base class may add a path that is unknown here.
fn is_base(file: &ParsedFile, class: &str) -> bool {
    let (within, name) = class.rsplit_once('.').unwrap_or(("", class));
    let signature = definition(file, within, name).map(|symbol| symbol.signature.as_str());
    let Some((_, bases)) = signature.and_then(|signature| signature.rsplit_once(" : ")) else { return true };
    let first = bases.split([',', '<', '(']).next().unwrap_or_default().trim();
    matches!(last(first), "Controller" | "ControllerBase" | "ODataController")
        || first.starts_with("EndpointBase")
        || first.starts_with('I') && first.chars().nth(1).is_some_and(char::is_uppercase)
}
