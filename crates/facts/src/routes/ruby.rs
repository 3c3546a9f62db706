//! Finds routes of Rails and Sinatra.

use stategraph_repo::{ParsedFile, Site, SiteArgument, SiteKind, SymbolKind};

use super::prefixes::join;
use super::{ParsedRoute, handler_of, method_of};
use crate::calls::{definition, find_named, imports, literal, named_literal, positional};

/// Blocks of Rails that do not change the path of the routes inside.
const NEUTRAL: &[&str] = &[
    "constraints",
    "authenticate",
    "authenticated",
    "unauthenticated",
    "defaults",
    "controller",
    "with_options",
    "draw",
];
/// Minimum number of routes of a class that uses no known framework.
const MANY: usize = 3;
/// Maximum nesting depth of blocks.
const DEPTH: usize = 12;

/// Adds to `found` the HTTP routes that a Ruby file declares.
pub(super) fn collect<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let draw = file.sites.iter().position(|site| site.name.ends_with("routes.draw") || site.name == ".draw");
    if let Some(index) = draw.filter(|_| file.text.contains("routes.draw")) {
        let rails = Rails { sites: file.sites };
        rails.block(
            (index + 1, index + file.sites[index].inside + 1),
            &EnclosingRoute::default(),
            DEPTH,
            found,
        );
    } else if imports(file, &["sinatra"]) || file.text.contains("Sinatra::") || is_routed(file) {
        sinatra(file, found);
    }
}

/// Returns true if the body of a class declares at least three routes as in Sinatra. Grape, Hanami and
/// routers of a project's own do so.
fn is_routed(file: &ParsedFile) -> bool {
    let is_route = |site: &&Site| {
        let is_method = matches!(site.name.as_str(), "get" | "post" | "put" | "patch" | "delete" | "head");
        let is_path = literal(site, 0).is_some_and(|path| path.starts_with('/'));
        is_method
            && is_path
            && !site.within.is_empty()
            && is_class(file, &site.within)
            && has_block(file, site)
    };
    file.sites.iter().filter(is_route).take(MANY).count() == MANY
}

/// Returns true if the qualified name, joined by dots, is that of a class or module.
fn is_class(file: &ParsedFile, within: &str) -> bool {
    let (around, name) = within.rsplit_once('.').unwrap_or(("", within));
    definition(file, around, name).is_some_and(|it| matches!(it.kind, SymbolKind::Class | SymbolKind::Module))
}

/// Adds the HTTP routes declared as in Sinatra, by `get "/x" do`.
fn sinatra<'a>(file: &ParsedFile<'a>, found: &mut Vec<ParsedRoute<'a>>) {
    let mut open: Vec<(usize, String)> = Vec::new();
    for (index, site) in file.sites.iter().enumerate().filter(|(_, site)| site.kind == SiteKind::Call) {
        open.retain(|(end, _)| index < *end);
        let prefix = open.last().map(|(_, path)| path.clone()).unwrap_or_default();
        let Some(path) = literal(site, 0).filter(|path| path.starts_with(['/', '*'])) else { continue };
        if site.name == "namespace" && open.len() < DEPTH {
            open.push((index + site.inside + 1, join(&prefix, path)));
        }
        let has_block = has_block(file, site);
        let method = method_of(&site.name).filter(|_| site.name.chars().all(char::is_lowercase));
        if let (Some(method), true) = (method, has_block) {
            let path = if prefix.is_empty() { path.to_owned() } else { join(&prefix, path) };
            found.push(ParsedRoute { site, method: Some(method), path, handler: None });
        }
    }
}

/// Returns true if a call has a block, as a route has; a request in a test has none.
fn has_block(file: &ParsedFile, site: &Site) -> bool {
    let line = file.text.lines().nth(site.line - 1).unwrap_or_default();
    let code = line.trim_end();
    code.ends_with(" do")
        || code.contains(" do |")
        || code.contains(" { ")
        || code.ends_with('{')
        || code.ends_with('|')
}

/// The path prefix and the resource that enclose a route of Rails.
#[derive(Clone, Default)]
struct EnclosingRoute {
    /// Path prefix of the enclosing blocks.
    path: String,
    /// Path prefix of one element of the enclosing resource, such as `/users/:user_id`.
    member: String,
    /// True directly in a resource, where a plain word is a path nested in an element.
    is_resource: bool,
    /// True inside a `member` block.
    is_member: bool,
}

/// Reader of the HTTP routes in a Rails routes file; its methods add them to `found`.
struct Rails<'a> {
    sites: &'a [Site],
}

/// Returns the text of a string or symbol (`:users` → `users`); `None` if it is computed.
fn word(argument: &SiteArgument) -> Option<&str> {
    let text = if argument.is_literal { argument.text.as_str() } else { argument.text.strip_prefix(':')? };
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ':' | '*' | '.' | '(' | ')' | '@');
    text.chars().all(is_part).then_some(text)
}

impl<'a> Rails<'a> {
    /// Adds the HTTP routes declared by the calls in a range of sites.
    fn block(
        &self,
        range: (usize, usize),
        around: &EnclosingRoute,
        depth: usize,
        found: &mut Vec<ParsedRoute<'a>>,
    ) {
        let (mut at, end) = range;
        while at < end && depth > 0 {
            let site = &self.sites[at];
            let inside = (at + 1, at + site.inside + 1);
            if site.kind == SiteKind::Call && !site.name.contains('.') {
                self.one(site, inside, around, depth, found);
            }
            at = inside.1;
        }
    }

    /// Adds the HTTP routes declared by one call and by the block inside it.
    fn one(
        &self,
        site: &'a Site,
        inside: (usize, usize),
        around: &EnclosingRoute,
        depth: usize,
        found: &mut Vec<ParsedRoute<'a>>,
    ) {
        let first = positional(site, 0).and_then(word);
        let path = named_literal(site, &["path"]);
        let base = if around.is_resource { &around.member } else { &around.path };
        let nested = |path: String| EnclosingRoute { path, ..EnclosingRoute::default() };
        match site.name.as_str() {
            "namespace" => {
                let Some(name) = path.or(first) else { return };
                self.block(inside, &nested(join(base, name)), depth - 1, found);
            }
            "scope" => {
                let is_computed = find_named(site, &["path"]).is_some_and(|path| !path.is_literal)
                    || positional(site, 0).is_some_and(|first| word(first).is_none());
                if !is_computed {
                    let more = path.or(first).unwrap_or_default();
                    let joined = if more.is_empty() { base.clone() } else { join(base, more) };
                    self.block(inside, &nested(joined), depth - 1, found);
                }
            }
            "resources" | "resource" => self.resources(site, inside, around, depth, found),
            "member" => self.block(
                inside,
                &EnclosingRoute {
                    path: around.path.clone(),
                    member: around.member.clone(),
                    is_resource: false,
                    is_member: true,
                },
                depth - 1,
                found,
            ),
            "collection" => self.block(inside, &nested(around.path.clone()), depth - 1, found),
            name if NEUTRAL.contains(&name) => self.block(inside, around, depth - 1, found),
            "root" => {
                let to = named_literal(site, &["to"]).or_else(|| literal(site, 0));
                found.push(ParsedRoute {
                    site,
                    method: Some("GET".into()),
                    path: join(&around.path, ""),
                    handler: to.and_then(handler_of),
                });
            }
            "get" | "post" | "put" | "patch" | "delete" => {
                route(site, method_of(&site.name), around, found);
            }
            "match" => {
                let via = find_named(site, &["via"]).map(|via| via.text.clone()).unwrap_or_default();
                let words = via.split(|c: char| !c.is_alphabetic()).filter_map(method_of).collect::<Vec<_>>();
                for method in words {
                    route(site, Some(method), around, found);
                }
            }
            _ => {}
        }
    }

    /// Adds the HTTP routes declared by `resources :users, only: [:index]`. The forms `new` and `edit` are
    /// added only if `only` names them, because an API has none.
    fn resources(
        &self,
        site: &'a Site,
        inside: (usize, usize),
        around: &EnclosingRoute,
        depth: usize,
        found: &mut Vec<ParsedRoute<'a>>,
    ) {
        let names: Vec<&str> =
            site.arguments.iter().filter(|it| it.name.is_none()).filter_map(word).collect();
        let is_odd = find_named(site, &["shallow", "concerns"]).is_some()
            || find_named(site, &["path"]).is_some_and(|path| !path.is_literal);
        if names.is_empty() || is_odd {
            return;
        }
        let listed = |key: &str| {
            let list = find_named(site, &[key])?;
            Some(
                list.text
                    .split(|c: char| !(c.is_alphabetic() || c == '_'))
                    .filter(|word| !word.is_empty() && *word != "i")
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            )
        };
        let (only, except) = (listed("only"), listed("except").unwrap_or_default());
        let is_one = site.name == "resource";
        let base = if around.is_resource { &around.member } else { &around.path };
        for name in names {
            let path = join(base, named_literal(site, &["path"]).unwrap_or(name));
            let param = find_named(site, &["param"]).and_then(word).unwrap_or("id");
            let element = if is_one { path.clone() } else { format!("{path}/:{param}") };
            let controller = named_literal(site, &["controller"]).map_or_else(
                || if is_one { None } else { Some(name.to_owned()) },
                |controller| Some(controller.to_owned()),
            );
            let actions = [
                ("index", "GET", &path, ""),
                ("create", "POST", &path, ""),
                ("new", "GET", &path, "/new"),
                ("show", "GET", &element, ""),
                ("edit", "GET", &element, "/edit"),
                ("update", "PATCH", &element, ""),
                ("destroy", "DELETE", &element, ""),
            ];
            for (action, method, path, end) in actions {
                let is_named = only.as_ref().is_some_and(|only| only.iter().any(|it| it == action));
                let is_form = matches!(action, "new" | "edit");
                let is_kept =
                    if only.is_some() { is_named } else { !is_form && !except.iter().any(|it| it == action) };
                if is_kept && !(is_one && action == "index") {
                    let handler = controller.as_ref().map(|controller| format!("{controller}#{action}"));
                    found.push(ParsedRoute {
                        site,
                        method: Some(method.to_owned()),
                        path: format!("{path}{end}"),
                        handler,
                    });
                }
            }
            let member = if is_one { path.clone() } else { format!("{path}/:{}_{param}", singular(name)) };
            let inner = EnclosingRoute { path: path.clone(), member, is_resource: true, is_member: false };
            self.members(inside, &inner, &element, depth, found);
        }
    }

    /// Adds the HTTP routes in the block of a Rails resource. A route in `member` has the element's own
    /// parameter (`:id`), a nested one that of the parent (`:user_id`).
    fn members(
        &self,
        range: (usize, usize),
        around: &EnclosingRoute,
        element: &str,
        depth: usize,
        found: &mut Vec<ParsedRoute<'a>>,
    ) {
        let (mut at, end) = range;
        while at < end && depth > 1 {
            let site = &self.sites[at];
            let inside = (at + 1, at + site.inside + 1);
            let on_member = find_named(site, &["on"]).is_some_and(|on| on.text == ":member");
            if site.kind == SiteKind::Call && !site.name.contains('.') {
                let inner = if site.name == "member" || on_member {
                    EnclosingRoute { member: element.to_owned(), ..around.clone() }
                } else {
                    around.clone()
                };
                self.one(site, inside, &inner, depth - 1, found);
            }
            at = inside.1;
        }
    }
}

/// Adds the HTTP routes declared by `get "/x", to: "c#a"`, `get "/x" => "c#a"` or `get :x`.
fn route<'a>(
    site: &'a Site,
    method: Option<String>,
    around: &EnclosingRoute,
    found: &mut Vec<ParsedRoute<'a>>,
) {
    let pair = site.arguments.first().filter(|first| {
        first.name.as_deref().is_some_and(|name| name.contains('/') || first.text.contains('#'))
    });
    let first = match (positional(site, 0), pair) {
        (Some(first), _) => word(first),
        (None, Some(pair)) => pair.name.as_deref(),
        (None, None) => None,
    };
    let Some(path) = first else { return };
    let on = find_named(site, &["on"]).map(|on| on.text.trim_start_matches(':').to_owned());
    let base = match on.as_deref() {
        Some("member") => &around.member,
        Some("collection") => &around.path,
        Some(_) => return,
        None if around.is_member => &around.member,
        None if around.is_resource => &around.member,
        None => &around.path,
    };
    if base.is_empty() && (on.is_some() || around.is_member) {
        return;
    }
    let to = named_literal(site, &["to", "action"])
        .or_else(|| pair.filter(|_| positional(site, 0).is_none()).map(|pair| pair.text.as_str()));
    let handler = to.and_then(handler_of).filter(|handler| handler.contains('#'));
    let is_all = find_named(site, &["via"]).is_some_and(|via| via.text == ":all");
    found.push(ParsedRoute {
        site,
        method: if is_all { None } else { method },
        path: join(base, path),
        handler,
    });
}

/// Returns the singular of a regular English plural.
fn singular(name: &str) -> String {
    match name {
        _ if name.ends_with("ies") => format!("{}y", &name[..name.len() - 3]),
        _ if name.ends_with("sses")
            || name.ends_with("xes")
            || name.ends_with("ches")
            || name.ends_with("shes") =>
        {
            name[..name.len() - 2].to_owned()
        }
        _ if name.ends_with('s') && !name.ends_with("ss") => name[..name.len() - 1].to_owned(),
        _ => name.to_owned(),
    }
}
