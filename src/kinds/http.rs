//! `http`: one request to a host that was allowed. Bounded in size; redirects are results, not followed.

use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use serde_json::{Value, json};

use super::node::{permanent, too_large};
use super::services::Services;
use super::work::Place;
use crate::definition::Entries;
use crate::definition::expression::Scope;
use crate::definition::inline::{Exceeded, JsonState, weight_of_json};
use crate::definition::kind::{Body, HttpKind};
use crate::engine::{Cx, NodeError, NodeResult};
use crate::repo::cut;

/// Characters of an answer that an error shows.
const SHOWN: usize = 300;

/// What is sent, made from the state before anything is.
struct Prepared {
    url: Url,
    client: Client,
    method: reqwest::Method,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Option<Vec<u8>>,
}

pub(super) async fn result(
    kind: &HttpKind,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let prepared = prepared(kind, scope, cx)?;
    cx.once(&place.key("http"), sent(prepared, kind.limit(), scope.state())).await
}

fn prepared(kind: &HttpKind, scope: &Scope<'_>, cx: &Cx<Services>) -> NodeResult<Prepared> {
    let url = kind.url.render(scope).map_err(permanent)?;
    let (url, client) = cx.services().gate.pass(url.trim()).map_err(|error| {
        let hint = error.hint();
        NodeError::from(error).permanent().with_hint(hint)
    })?;
    let mut headers = Vec::new();
    for (name, value) in kind.headers.iter().flat_map(Entries::iter) {
        let value = value.render(scope).map_err(permanent)?;
        headers
            .push((header(name, name.parse::<HeaderName>())?, header(name, value.parse::<HeaderValue>())?));
    }
    let body = match kind.sent() {
        Body::Empty => None,
        Body::Text(text) => Some(text.render(scope).map_err(permanent)?.into_bytes()),
        Body::Json(value) => {
            let value = value.evaluate(scope).map_err(permanent)?;
            headers.insert(0, (CONTENT_TYPE, HeaderValue::from_static("application/json")));
            Some(value.to_string().into_bytes())
        }
    };
    let method = kind.method.unwrap_or_default().name().parse().expect("the names are HTTP's own");
    Ok(Prepared { url, client, method, headers, body })
}

fn header<T, E: std::fmt::Display>(name: &str, parsed: Result<T, E>) -> NodeResult<T> {
    parsed.map_err(|error| NodeError::msg(format!("the header `{name}` cannot be sent: {error}")).permanent())
}

async fn sent(prepared: Prepared, limit: usize, state: &JsonState) -> NodeResult<Value> {
    let Prepared { url, client, method, headers, body } = prepared;
    let host = url.host_str().unwrap_or_default().to_owned();
    let failed = |error: reqwest::Error| {
        NodeError::msg(format!("`{host}` did not answer: {}", crate::llm::openai::cause(&error)))
    };
    let mut request = client.request(method, url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(body) = body {
        request = request.body(body);
    }
    let response = request.send().await.map_err(failed)?;
    let status = response.status();
    let is_json = content_type(&response).contains("json");
    let text = text(response, limit).await?;
    // As JSON a short text may be a very large value.
    let (bytes, most) = (weight_of_json(&text), state.limits().value);
    if is_json && bytes > most {
        let exceeded = Exceeded::new(format!("the answer of `{host}`"), bytes, most, "value");
        return Err(too_large(&exceeded.to_string(), &exceeded));
    }
    if status.is_client_error() || status.is_server_error() {
        let error = NodeError::msg(format!("`{host}` answered {status}: {}", cut(text.trim(), SHOWN)));
        // What was refused will be refused again; a server that failed may recover.
        return Err(if status.is_client_error() { error.permanent() } else { error });
    }
    let parsed: Option<Value> = is_json.then(|| serde_json::from_str(&text).ok()).flatten();
    let body = parsed.unwrap_or_else(|| text.into());
    Ok(json!({ "status": status.as_u16(), "body": body }))
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

/// The answer, unless it is longer than allowed.
async fn text(response: Response, limit: usize) -> NodeResult<String> {
    let mut bytes = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| NodeError::msg(crate::llm::openai::cause(&error)))?;
        if bytes.len() + piece.len() > limit {
            let error = NodeError::msg(format!("the answer has more than {limit} bytes")).permanent();
            return Err(error.with_hint("raise `limit` of the node"));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
