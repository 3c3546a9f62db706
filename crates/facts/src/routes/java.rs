//! Finds routes of Java servers: Spring, JAX-RS and Micronaut.

use stategraph_repo::{ParsedFile, Site, SiteKind};

use super::prefixes::join;
use super::{METHODS, ParsedRoute, method_of};
use crate::calls::{definition, find_named, imports, last, literals, positional};

/// Adds to `found` the HTTP routes that a Java file declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let is_spring = imports(file, &["org.springframework.web", "org.springframework.stereotype"]);
    let is_jax = imports(file, &["javax.ws.rs", "jakarta.ws.rs"]);
    let is_micronaut = imports(file, &["io.micronaut.http.annotation"]);
    if !(is_spring || is_jax || is_micronaut) {
        return;
    }
    for site in file.sites.iter().filter(|site| site.kind == SiteKind::Attribute && !site.within.is_empty()) {
        let word = last(&site.name);
        let methods = match word {
            "RequestMapping" if is_spring => Some(read_methods(site)),
            _ if is_spring => {
                word.strip_suffix("Mapping").and_then(|word| Some(vec![Some(method_of(word)?)]))
            }
            _ if is_jax && METHODS.contains(&word) => Some(vec![Some(word.to_owned())]),
            _ if is_micronaut => method_of(word).map(|method| vec![Some(method)]),
            _ => None,
        };
        // The mapping of a nested class is that of its methods.
        let is_type =
            definition(file, &site.within, &site.target).is_some_and(|symbol| symbol.kind.is_type());
        let Some(methods) = methods.filter(|_| !is_type) else { continue };
        let own = if is_jax { of_other(file, site, "Path") } else { paths(site) };
        let outer = class_paths(file, &site.within, is_spring);
        let (Some(own), Some(outer)) = (own, outer) else { continue };
        for prefix in &outer {
            for path in &own {
                let path = join(&join("", prefix.trim_start_matches('/')), path);
                let path = if path.len() > 1 && own[0].is_empty() {
                    path.trim_end_matches('/').to_owned()
                } else {
                    path
                };
                for method in &methods {
                    let handler = Some(format!("{}.{}", site.within, site.target));
                    found.push(ParsedRoute { site, method: method.clone(), path: path.clone(), handler });
                }
            }
        }
    }
}

/// Returns the URL paths in a mapping annotation such as `@GetMapping("/x")`, an empty one if none is
/// given; `None` if they are not literals.
fn paths(site: &Site) -> Option<Vec<String>> {
    let given = positional(site, 0).or_else(|| find_named(site, &["value", "path", "uri", "uris"]));
    match given {
        None => Some(vec![String::new()]),
        Some(given) => {
            let found = literals(given);
            let is_whole = given.is_literal || given.text.starts_with('{') && given.text.ends_with('}');
            (is_whole && !found.is_empty()).then_some(found)
        }
    }
}

/// Returns the URL paths in the annotation `name` on the method that `site` annotates, an empty path if the
/// method has no such annotation.
fn of_other(file: &ParsedFile, site: &Site, name: &str) -> Option<Vec<String>> {
    let is_same = |other: &&Site| {
        let is_near = other.line.abs_diff(site.line) < 20;
        is_near
            && other.kind == SiteKind::Attribute
            && last(&other.name) == name
            && other.target == site.target
            && other.within == site.within
    };
    match file.sites.iter().find(is_same) {
        Some(other) => paths(other),
        None => Some(vec![String::new()]),
    }
}

/// Returns the URL paths in the mapping annotation of a class, an empty one if there is none; `None` if the
/// class is a client, or if they are not literals.
fn class_paths(file: &ParsedFile, class: &str, is_spring: bool) -> Option<Vec<String>> {
    let (outer, name) = class.rsplit_once('.').unwrap_or(("", class));
    let of_class = || {
        file.sites.iter().filter(move |site| {
            site.kind == SiteKind::Attribute && site.target == name && site.within == outer
        })
    };
    let is_client = |site: &Site| {
        matches!(last(&site.name), "FeignClient" | "Client" | "RegisterRestClient" | "HttpExchange")
    };
    if of_class().any(is_client) {
        return None;
    }
    let is_path = |site: &&Site| matches!(last(&site.name), "RequestMapping" | "Path" | "Controller");
    match of_class().find(is_path) {
        // The argument of Spring's `@Controller` is a name.
        Some(site) if is_spring && last(&site.name) == "Controller" => of_class()
            .find(|site| last(&site.name) == "RequestMapping")
            .map_or(Some(vec![String::new()]), paths),
        Some(site) => paths(site),
        None => Some(vec![String::new()]),
    }
}

/// Returns the HTTP methods of `@RequestMapping(method = RequestMethod.GET)`; a single `None`, for all
/// methods, if none is given.
fn read_methods(site: &Site) -> Vec<Option<String>> {
    let Some(given) = find_named(site, &["method"]) else { return vec![None] };
    let words = given.text.split(|c: char| !c.is_ascii_uppercase());
    words.filter(|word| METHODS.contains(word)).map(|word| Some(word.to_owned())).collect()
}
