//! Fetches the pages behind links (SEC-122). Off unless the user asks for it (SEC-123). A page on the
//! user's own network is never fetched: names are resolved here, at every redirect, and private addresses
//! are dropped.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::{StreamExt as _, stream};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use serde::{Deserialize, Serialize};

/// Time limit for one page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for all pages of a text together.
const ALL_TIMEOUT: Duration = Duration::from_mins(2);
/// Number of pages that are fetched at the same time.
const AT_ONCE: usize = 5;
/// Maximum number of redirects of one page.
const REDIRECTS: usize = 10;
/// Maximum number of bytes of a page that are read.
const READ_BYTES: usize = 64 * 1024;

/// The answer of a web server for one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedPage {
    /// Status code.
    pub status: u16,
    /// Beginning of the body, 64 KiB at most.
    pub body: String,
}

/// A source of the web pages behind links. The program fetches them from the network; tests return their
/// own.
pub trait PageSource: Send + Sync {
    /// Fetches the page behind a URL. The error is the reason why there is no answer.
    fn fetch<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<FetchedPage, String>>;
}

/// A page source that fetches from the public internet.
pub struct HttpPages {
    client: reqwest::Client,
}

impl HttpPages {
    /// Makes a source that follows up to ten redirects and fetches from no private address.
    pub fn new() -> Result<Self, reqwest::Error> {
        crate::llm::openai::install_tls();
        let client = reqwest::Client::builder()
            .timeout(PAGE_TIMEOUT)
            .redirect(reqwest::redirect::Policy::limited(REDIRECTS))
            .dns_resolver(std::sync::Arc::new(PublicAddresses))
            .no_proxy()
            .user_agent(concat!("stategraph/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client })
    }
}

impl PageSource for HttpPages {
    fn fetch<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<FetchedPage, String>> {
        async move {
            let address = reqwest::Url::parse(url).map_err(|error| error.to_string())?;
            // A literal address does not pass the resolver.
            if let Some(host) = address.host_str().map(|host| host.trim_matches(['[', ']']))
                && host.parse::<IpAddr>().is_ok_and(|address| !is_public(address))
            {
                return Err(format!("{host} is a private address"));
            }
            let answer = self.client.get(address).send().await.map_err(|error| describe(&error))?;
            let status = answer.status().as_u16();
            let (mut body, mut chunks) = (Vec::new(), answer.bytes_stream());
            while let Some(chunk) = chunks.next().await {
                body.extend_from_slice(&chunk.map_err(|error| describe(&error))?);
                if body.len() >= READ_BYTES {
                    body.truncate(READ_BYTES);
                    break;
                }
            }
            Ok(FetchedPage { status, body: String::from_utf8_lossy(&body).into_owned() })
        }
        .boxed()
    }
}

/// Returns the innermost cause of an error as text; it names the fault without the URL.
fn describe(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// A DNS resolver that drops private addresses, so that neither a link nor a redirect reaches a local
/// network.
struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(format!("{} has no public address", name.as_str()).into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        }
        .boxed()
    }
}

/// Returns true for an IP address of the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            let is_reserved = first == 0 || first >= 240 || is_shared || (first, second) == (198, 18);
            !(is_reserved
                || address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_multicast()
                || address.is_documentation()
                || address.is_broadcast())
        }
        IpAddr::V6(address) => match address.to_ipv4() {
            Some(inner) => is_public(IpAddr::V4(inner)),
            None => {
                !(address.is_loopback()
                    || address.is_unspecified()
                    || address.is_multicast()
                    || address.is_unique_local()
                    || address.is_unicast_link_local())
            }
        },
    }
}

/// Fetches the pages behind URLs, five at a time, within two minutes. Returns the page or the reason of its
/// failure for each URL; one that is not reached in time has that as the reason.
pub async fn fetch_all(
    source: &dyn PageSource,
    urls: Vec<String>,
) -> BTreeMap<String, Result<FetchedPage, String>> {
    let deadline = tokio::time::Instant::now() + ALL_TIMEOUT;
    let fetches = urls.into_iter().map(|url| async move {
        let page = tokio::time::timeout_at(deadline, source.fetch(&url)).await;
        let page = page.unwrap_or_else(|_| Err("the time of two minutes for all links is over".to_owned()));
        (url, page)
    });
    stream::iter(fetches).buffer_unordered(AT_ONCE).collect().await
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
mod tests {
    use super::*;

    // SEC-122
    #[test]
    fn private_addresses_are_not_public() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "::1",
            "fd00::1",
            "::ffff:10.0.0.1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[tokio::test]
    async fn a_literal_private_address_is_not_fetched() {
        let pages = HttpPages::new().unwrap();
        let refused = pages.fetch("http://127.0.0.1:9/").await;
        assert_eq!(refused, Err("127.0.0.1 is a private address".to_owned()));
    }
}
