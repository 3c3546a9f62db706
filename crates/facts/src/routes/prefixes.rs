//! Groups of routes: the path that stands before those inside a group, or of a variable that holds one.

use stategraph_repo::{ParsedFile, Site};

use crate::calls::{positional, receiver, root};

/// Most groups of one file.
const GROUPS: usize = 500;

/// A group of routes.
struct Group<'a> {
    /// The first site in it and the one after the last.
    sites: (usize, usize),
    /// The name that stands for the group: a variable, or the parameter of its function. `None` if all inside belongs to it.
    name: Option<String>,
    within: &'a str,
    /// True if the name is known after the site too.
    is_variable: bool,
    /// With those of the groups around it.
    path: String,
}

/// The groups of a file.
#[derive(Default)]
pub(super) struct Prefixes<'a> {
    groups: Vec<Group<'a>>,
}

/// Joins two paths with one slash.
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
    /// Returns the groups that calls of a file make. `group` returns the path of a call that makes one.
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
            let is_known = |group: &Group| group.is_variable && group.name.as_ref() == Some(&site.holder);
            let path = match all.chain(file, index, &group) {
                Some(path) => path,
                // A variable that gets another value is no group from then on.
                None if is_held && all.groups.iter().any(is_known) => String::new(),
                None => continue,
            };
            let end = index + site.inside + 1;
            if let Some(name) = closure {
                all.groups.push(Group {
                    sites: (index + 1, end),
                    name: Some(name),
                    within: &site.within,
                    is_variable: false,
                    path: path.clone(),
                });
            }
            if is_held {
                let name = Some(site.holder.clone());
                all.groups.push(Group {
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

    /// Adds a group that holds for all sites in a range.
    pub(super) fn enclose(&mut self, sites: (usize, usize), within: &'a str, path: &str) {
        if self.groups.len() < GROUPS {
            let path = join(&self.around(sites.0), path);
            self.groups.push(Group { sites, name: None, within, is_variable: false, path });
        }
    }

    /// Returns the prefix of the innermost group around a site.
    pub(super) fn around(&self, index: usize) -> String {
        let is_around =
            |group: &&Group| group.name.is_none() && group.sites.0 <= index && index < group.sites.1;
        self.groups.iter().rev().find(is_around).map(|group| group.path.clone()).unwrap_or_default()
    }

    /// Returns the path of the groups in the chain that ends at `index`; `None` if it has none.
    pub(super) fn chain(
        &self,
        file: &ParsedFile<'a>,
        index: usize,
        group: &impl Fn(&'a Site) -> Option<&'a str>,
    ) -> Option<String> {
        let first = root(file.sites, index);
        let start = self.named(receiver(&file.sites[first].name), first, &file.sites[first].within);
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

    /// Returns the path of the group that a name stands for at a site.
    pub(super) fn named(&self, name: &str, index: usize, within: &str) -> Option<String> {
        let is_meant = |group: &&Group| {
            let is_inside = group.sites.0 <= index && index < group.sites.1;
            let is_before = group.is_variable
                && group.sites.1 <= index
                && (group.within == within || group.within.is_empty());
            group.name.as_deref() == Some(name) && (is_before || is_inside && !group.is_variable)
        };
        self.groups.iter().rev().find(is_meant).map(|group| group.path.clone())
    }
}

/// Returns the first parameter of a function that is an argument: `r` in `func(r chi.Router) {` and `(app) => {`.
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

/// Returns the first argument of a call of one of these methods, if it is a literal.
pub(super) fn path_of<'a>(site: &'a Site, methods: &[&str]) -> Option<&'a str> {
    let is_group = methods.contains(&crate::calls::last(&site.name));
    positional(site, 0).filter(|first| is_group && first.is_literal).map(|first| first.text.as_str())
}
