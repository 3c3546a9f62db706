//! Builds the transport to a server over streamable HTTP, with an HTTP client that follows no redirect and
//! with the headers of the user. Opens no connection.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use stategraph_llm::{is_local, openai};

/// Maximum time to open a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Builds the HTTP transport to the address of an MCP server, with these headers. Refuses headers and
/// passwords over plain HTTP, except to this machine. The error is the reason; it contains no header value.
pub(super) fn transport(
    address: &str,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let url =
        reqwest::Url::parse(address.trim()).map_err(|error| format!("its `url` is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("its `url` is no address of http or https".to_owned());
    }
    // A key travels over https or stays on this machine.
    let has_key = !headers.is_empty() || !url.username().is_empty() || url.password().is_some();
    if url.scheme() == "http" && has_key && !is_local(url.as_str()) {
        return Err("its headers would travel over http without encryption; use https".to_owned());
    }
    let headers = headers.iter().map(|(name, value)| header(name, value));
    let headers = headers.collect::<Result<HashMap<_, _>, String>>()?;
    let client = openai::client(&url, CONNECT_LIMIT, None)?;
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str()).custom_headers(headers);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Parses an HTTP header and marks its value as sensitive, so that it is not logged.
fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let shown = name.escape_debug();
    let header: HeaderName = name.parse().map_err(|_| format!("`{shown}` is no name of a header"))?;
    let mut value: HeaderValue =
        value.trim().parse().map_err(|_| format!("the value of the header `{shown}` has a bad character"))?;
    value.set_sensitive(true);
    Ok((header, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_key_leaves_this_machine_over_https_only() {
        let key = BTreeMap::from([("Authorization".to_owned(), "Bearer secret-token".to_owned())]);
        for (address, headers, is_good) in [
            ("http://tools.example/mcp", &key, false),
            ("http://user:word@tools.example/mcp", &BTreeMap::new(), false),
            ("https://tools.example/mcp", &key, true),
            ("http://127.0.0.1:9/mcp", &key, true),
            ("http://tools.example/mcp", &BTreeMap::new(), true),
            ("file:///etc/passwd", &BTreeMap::new(), false),
        ] {
            let made = transport(address, headers).map(|_| ());
            assert_eq!(made.is_ok(), is_good, "{address}: {made:?}");
            assert!(!format!("{made:?}").contains("secret-token"));
        }
    }
}
