//! The kind `http`: one request.

use schemars::JsonSchema;
use stategraph_yaml::YamlNode;

use super::super::expression::{DeclaredNames, Operand, Template};
use super::super::format::Entries;
use super::super::naming::join_quoted;
use super::super::read::Reader;
use super::parts::read_integer;
use stategraph_core::nearest;

/// Default of the maximum response size, in bytes: 1 MiB.
const DEFAULT_LIMIT: u32 = 1024 * 1024;

/// Maximum value of `limit` in a file: 64 MiB.
const LIMIT_MAX: u32 = 64 * 1024 * 1024;

/// Sends a request. The result is `{ status, body }`, where `body` is JSON if the answer says so and text otherwise; a status of 400
/// and more fails the node.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Http", deny_unknown_fields)]
pub struct HttpKind {
    /// Default: `GET`.
    pub method: Option<Method>,
    /// URL of the request.
    pub url: Template,
    /// Header lines.
    pub headers: Option<Entries<Template>>,
    /// Body of the request, as text.
    pub body: Option<Template>,
    /// Body of the request, as JSON; excludes `body`.
    pub json: Option<Operand>,
    /// The longest answer, in bytes. Default: 1 MiB.
    #[schemars(range(min = 1, max = 67_108_864))]
    pub limit: Option<u32>,
}

/// The body of an HTTP request, from the key `body` or `json`; not yet evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RequestBody<'a> {
    /// No body.
    Empty,
    /// A text.
    Text(&'a Template),
    /// A JSON value.
    Json(&'a Operand),
}

/// The methods of HTTP that a graph can use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "UPPERCASE")]
pub enum Method {
    /// Reads.
    #[default]
    Get,
    /// Creates or does.
    Post,
    /// Replaces.
    Put,
    /// Changes.
    Patch,
    /// Removes.
    Delete,
    /// Requests the headers of a resource only.
    Head,
}

impl Method {
    /// All methods, with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("GET", Self::Get),
        ("POST", Self::Post),
        ("PUT", Self::Put),
        ("PATCH", Self::Patch),
        ("DELETE", Self::Delete),
        ("HEAD", Self::Head),
    ];

    /// Returns the name of the method in HTTP.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, method)| *method == self).expect("the table holds all of them").0
    }
}

impl HttpKind {
    /// Returns the body of the HTTP request: from the key `body` or `json`, or none.
    pub fn request_body(&self) -> RequestBody<'_> {
        match (&self.body, &self.json) {
            (Some(text), _) => RequestBody::Text(text),
            (None, Some(value)) => RequestBody::Json(value),
            (None, None) => RequestBody::Empty,
        }
    }

    /// Returns the maximum size of the HTTP response, in bytes; 1 MiB unless set.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT) as usize
    }

    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`http`", tree)?;
        let before = reader.diagnostics.len();
        let names = &names.in_request();
        let method = object.take("method").and_then(|tree| read_method(reader, tree));
        let url = object
            .require("url")
            .and_then(|tree| reader.read_template("`url`", tree, names))
            .map(Template::without_nulls);
        let headers = object.take("headers").and_then(|tree| read_headers(reader, tree, names));
        let body_key = object.key_span("body");
        let body = object.take("body").and_then(|tree| reader.read_template("`body`", tree, names));
        let json = object.take("json").and_then(|tree| reader.read_operand("`json`", tree, names));
        let limit = object.take("limit").and_then(|tree| read_integer(reader, "`limit`", tree, 1, LIMIT_MAX));
        object.finish(reader);
        if body.is_some() && json.is_some() {
            reader.report(&body_key, "`http` has both `body` and `json`".to_owned(), "remove one of them");
        }
        if reader.diagnostics.len() > before {
            return None;
        }
        Some(Self { method, url: url?, headers, body, json, limit })
    }
}

fn read_method(reader: &mut Reader, tree: YamlNode) -> Option<Method> {
    let name = reader.read_name("`method`", tree)?;
    if let Some((_, method)) = Method::ALL.iter().find(|(known, _)| *known == name.value) {
        return Some(*method);
    }
    let known = Method::ALL.map(|(known, _)| known);
    let hint = match nearest(&name.value.to_uppercase(), known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the methods are {}", join_quoted(&known)),
    };
    reader.report(&name.span, format!("there is no method `{}`", name.value), hint);
    None
}

fn read_headers(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Entries<Template>> {
    let entries = reader.read_entries("`headers`", "header", tree)?;
    let count = entries.len();
    let read: Vec<_> = entries
        .into_iter()
        .filter_map(|(name, tree)| {
            let text = reader.read_template(&format!("the header `{}`", name.value), tree, names)?;
            Some((name, text.without_nulls()))
        })
        .collect();
    (read.len() == count).then_some(Entries(read))
}
