//! The hosts to which the nodes of a graph may send requests: none, unless the user allows them, because the author
//! of a graph file may be a stranger.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, Url};
use thiserror::Error;

use stategraph_llm::openai;

/// Maximum time to open a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time without data on a connection.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// The hosts to which the `http` nodes of a graph may send requests, with the HTTP client for them.
pub struct HostPolicy {
    allowed: Vec<HostPattern>,
    /// Client for all TLS hosts. It is shared, because reading the system's certificates takes long.
    tls_client: OnceLock<Client>,
}

/// One entry of the allowed hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum HostPattern {
    /// Every host.
    All,
    /// A host, at one port or at every port.
    Host {
        /// Host in lower case; an IPv6 address in brackets, as in URLs.
        name: String,
        port: Option<u16>,
    },
}

impl HostPattern {
    /// Parses an entry: `*`, `name` or `name:port`, in any letter case.
    fn parse(text: &str) -> Self {
        let text = text.trim().to_ascii_lowercase();
        if text == "*" {
            return Self::All;
        }
        let (name, port) = match text.rsplit_once(':').map(|(name, port)| (name, port.parse())) {
            // The colons of a bare IPv6 address do not separate a port.
            Some((name, Ok(port))) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
            _ => (text.as_str(), None),
        };
        let is_bare = name.parse::<std::net::Ipv6Addr>().is_ok();
        Self::Host { name: if is_bare { format!("[{name}]") } else { name.to_owned() }, port }
    }

    /// Returns true if the pattern allows the host and port of a URL.
    fn matches(&self, url: &Url) -> bool {
        match self {
            Self::All => true,
            Self::Host { name, port } => {
                url.host_str() == Some(name)
                    && port.is_none_or(|port| url.port_or_known_default() == Some(port))
            }
        }
    }
}

/// The reason why a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostPolicyError {
    /// The text is no URL of `http` or `https`.
    #[error("`{url}` is no address: {reason}")]
    BadUrl {
        /// URL that the graph computed.
        url: String,
        /// Defect of the URL.
        reason: String,
    },
    /// The host is not allowed.
    #[error("the graph wants to ask `{host}`, which was not allowed")]
    NotAllowed {
        /// The host, with its port unless that is the default.
        host: String,
    },
    /// The HTTP client cannot be created.
    #[error("cannot set up HTTP: {reason}")]
    NoClient {
        /// Cause.
        reason: String,
    },
}

impl HostPolicyError {
    /// Returns advice for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::BadUrl { .. } => "write it as https://host/path".to_owned(),
            Self::NotAllowed { host } => format!("if you trust this graph with it, allow HTTP to `{host}`"),
            Self::NoClient { .. } => "look at the system's certificates".to_owned(),
        }
    }
}

impl HostPolicy {
    /// Makes a policy that allows no host.
    pub fn deny_all() -> Self {
        Self { allowed: Vec::new(), tls_client: OnceLock::new() }
    }

    /// Makes a policy that allows these hosts: `name` at every port, `name:port` at that port alone, or `*`
    /// for all hosts.
    pub fn allow(hosts: impl IntoIterator<Item = String>) -> Self {
        let allowed = hosts.into_iter().map(|host| HostPattern::parse(&host)).collect();
        Self { allowed, ..Self::deny_all() }
    }

    /// Parses a URL and returns it with an HTTP client, if its host is allowed. Fails otherwise, and for
    /// schemes other than `http` and `https`.
    pub(super) fn admit(&self, url: &str) -> Result<(Url, Client), HostPolicyError> {
        let bad = |reason: String| HostPolicyError::BadUrl { url: url.to_owned(), reason };
        let parsed = Url::parse(url).map_err(|error| bad(error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(bad(format!("`{}` is not http or https", parsed.scheme())));
        }
        let name = parsed.host_str().ok_or_else(|| bad("it has no host".to_owned()))?;
        let host = parsed.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        if !self.allowed.iter().any(|allowed| allowed.matches(&parsed)) {
            return Err(HostPolicyError::NotAllowed { host });
        }
        let client = self.client(&parsed).map_err(|reason| HostPolicyError::NoClient { reason })?;
        Ok((parsed, client))
    }

    /// Returns the HTTP client for a URL: the shared one for https, a new one for http.
    fn client(&self, url: &Url) -> Result<Client, String> {
        if url.scheme() == "http" {
            return openai::client(url, CONNECT_TIMEOUT, Some(IDLE_TIMEOUT));
        }
        if let Some(client) = self.tls_client.get() {
            return Ok(client.clone());
        }
        let client = openai::client(url, CONNECT_TIMEOUT, Some(IDLE_TIMEOUT))?;
        Ok(self.tls_client.get_or_init(|| client).clone())
    }
}
