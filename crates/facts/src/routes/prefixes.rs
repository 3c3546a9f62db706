//! Finds groups of routes and the path that precedes all routes of a group, given by nesting or by a
//! variable that holds the group.

use stategraph_repo::{ParsedFile, Site};

use crate::calls::{positional, receiver, root};

/// Maximum number of groups of one file.
const GROUPS: usize = 500;

/// A group of HTTP routes with a common path prefix, such as `r.Group("/api")`.
struct RouteGroup<'a> {
    /// Indices of its sites: the first, and the one after the last.
    sites: (usize, usize),
    /// Name by which routes are added to the group: a variable or a function parameter. `None` if
    /// everything inside belongs to it.
    name: Option<String>,
    within: &'a str,
    /// True if the name is a variable, which stays usable after the site.
    is_variable: bool,
    /// Path prefix, including those of the groups around it.
    path: String,
}

/// The groups of HTTP routes in a source file, from which the path prefix of a call that declares a route
/// is looked up.
#[derive(Default)]
pub(super) struct Prefixes<'a> {
    groups: Vec<RouteGroup<'a>>,
}

/// Joins two paths with exactly one slash between them; two empty ones give `/`.
pub(super) fn join(prefix: &str, path: &str) -> String {
    let prefix = prefix.trim_end_matches('/');
    match path {
        "" => {
            if prefix.is_empty() {
                "/".to_owned()
            } else {
                prefix.to_owned()
            }
        }
        path if path.starts_with('/') => format!("{prefix}{path}"),
        path => format!("{prefix}/{path}"),
    }
}

impl<'a> Prefixes<'a> {
    /// Collects the route groups that calls in a file create. `group` returns the path prefix of a call
    /// that creates a group, and `None` for any other call.
    pub(super) fn of(file: &ParsedFile<'a>, group: impl Fn(&'a Site) -> Option<&'a str>) -> Self {
        let mut all = Self::default();
        for (index, site) in file.sites.iter().enumerate() {
            if all.groups.len() >= GROUPS {
                break;
            }
            let is_held = !site.holder.is_empty();
            let closure = site.arguments.iter().find_map(|argument| parameter(&argument.text));
            if !is_held && (closure.is_none() || group(site).is_none()) {
                continue;
            }
            let is_known =
                |group: &RouteGroup| group.is_variable && group.name.as_ref() == Some(&site.holder);
            let path = match all.chain(file, index, &group) {
                Some(path) => path,
                // A variable that gets another value is no group from then on.
                None if is_held && all.groups.iter().any(is_known) => String::new(),
                None => continue,
            };
            let end = index + site.inside + 1;
            if let Some(name) = closure {
                all.groups.push(RouteGroup {
                    sites: (index + 1, end),
                    name: Some(name),
                    within: &site.within,
                    is_variable: false,
                    path: path.clone(),
                });
            }
            if is_held {
                let name = Some(site.holder.clone());
                all.groups.push(RouteGroup {
                    sites: (index, end),
                    name,
                    within: &site.within,
                    is_variable: true,
                    path,
                });
            }
        }
        all
    }

    /// Adds a route group without a name, to which all sites with an index in the range `sites` belong.
    pub(super) fn enclose(&mut self, sites: (usize, usize), within: &'a str, path: &str) {
        if self.groups.len() < GROUPS {
            let path = join(&self.around(sites.0), path);
            self.groups.push(RouteGroup { sites, name: None, within, is_variable: false, path });
        }
    }

    /// Returns the path prefix of the innermost route group without a name around the site at `index`;
    /// empty if there is none.
    pub(super) fn around(&self, index: usize) -> String {
        let is_around =
            |group: &&RouteGroup| group.name.is_none() && group.sites.0 <= index && index < group.sites.1;
        self.groups.iter().rev().find(is_around).map(|group| group.path.clone()).unwrap_or_default()
    }

    /// Returns the path prefix of the routes declared by a method chain: the prefix of the group on which
    /// the chain is called, joined with those of calls in the chain that create groups. `index` is the site
    /// of the chain's last call. `None` if no group takes part.
    pub(super) fn chain(
        &self,
        file: &ParsedFile<'a>,
        index: usize,
        group: &impl Fn(&'a Site) -> Option<&'a str>,
    ) -> Option<String> {
        let first = root(file.sites, index);
        let start = self.find_group_path(receiver(&file.sites[first].name), first, &file.sites[first].within);
        let mut path = start.clone().unwrap_or_default();
        let mut has_group = start.is_some();
        for site in file.sites[index..=first].iter().rev() {
            if let Some(more) = group(site) {
                path = if more.is_empty() || more == "/" { path } else { join(&path, more) };
                has_group = true;
            }
        }
        has_group.then_some(path)
    }

    /// Returns the path prefix of the route group that the variable or parameter `name` stands for at the
    /// site `index`; `None` if it is no group there.
    pub(super) fn find_group_path(&self, name: &str, index: usize, within: &str) -> Option<String> {
        let is_meant = |group: &&RouteGroup| {
            let is_inside = group.sites.0 <= index && index < group.sites.1;
            let is_before = group.is_variable
                && group.sites.1 <= index
                && (group.within == within || group.within.is_empty());
            group.name.as_deref() == Some(name) && (is_before || is_inside && !group.is_variable)
        };
        self.groups.iter().rev().find(is_meant).map(|group| group.path.clone())
    }
}

/// Returns the first parameter of a function given as an argument: `r` in `func(r chi.Router) {`, `app` in
/// `(app) => {`.
fn parameter(text: &str) -> Option<String> {
    let text = text.trim_start_matches("async ").trim_start_matches("static ");
    let list = ["func(", "function (", "function(", "fn (", "fn(", "("]
        .iter()
        .find_map(|start| text.strip_prefix(start))?;
    let first = list.split([',', ')']).next()?.trim();
    // In Go the type follows the name, in PHP it stands before it.
    let name = match first.split_once('$') {
        Some((_, name)) => format!("${name}"),
        None => first.split([' ', ':']).next()?.to_owned(),
    };
    (!name.is_empty() && !list.starts_with(')')).then_some(name)
}

/// Returns the first argument of a call of one of these methods, if it is a string literal.
pub(super) fn path_of<'a>(site: &'a Site, methods: &[&str]) -> Option<&'a str> {
    let is_group = methods.contains(&crate::calls::last(&site.name));
    positional(site, 0).filter(|first| is_group && first.is_literal).map(|first| first.text.as_str())
}
