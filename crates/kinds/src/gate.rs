//! Which hosts the nodes of a graph may ask. None unless whoever runs the graph has said so: a graph file is somebody's text.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, Url};
use thiserror::Error;

use stategraph_llm::openai;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long nothing may come.
const IDLE: Duration = Duration::from_mins(1);

/// Hosts that may be asked.
pub struct Gate {
    allowed: Vec<Allowed>,
    /// The connections to all of them that want TLS: what it costs is to read the system's certificates.
    secure: OnceLock<Client>,
}

/// What may be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Allowed {
    All,
    /// A host, at one port or at every port.
    Host {
        /// In lower case; an IPv6 address in brackets, as addresses write it.
        name: String,
        port: Option<u16>,
    },
}

impl Allowed {
    fn parse(text: &str) -> Self {
        let text = text.trim().to_ascii_lowercase();
        if text == "*" {
            return Self::All;
        }
        let (name, port) = match text.rsplit_once(':').map(|(name, port)| (name, port.parse())) {
            // The colons of a bare IPv6 address are not followed by a port.
            Some((name, Ok(port))) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
            _ => (text.as_str(), None),
        };
        let is_bare = name.parse::<std::net::Ipv6Addr>().is_ok();
        Self::Host { name: if is_bare { format!("[{name}]") } else { name.to_owned() }, port }
    }

    fn lets_through(&self, url: &Url) -> bool {
        match self {
            Self::All => true,
            Self::Host { name, port } => {
                url.host_str() == Some(name)
                    && port.is_none_or(|port| url.port_or_known_default() == Some(port))
            }
        }
    }
}

/// Why a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GateError {
    /// The text is no address.
    #[error("`{url}` is no address: {reason}")]
    BadUrl {
        /// As the graph made it.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nobody allowed the host.
    #[error("the graph wants to ask `{host}`, which was not allowed")]
    NotAllowed {
        /// The host, with its port where that is unusual.
        host: String,
    },
    /// The connections cannot be set up.
    #[error("cannot set up HTTP: {reason}")]
    NoClient {
        /// Why.
        reason: String,
    },
}

impl GateError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::BadUrl { .. } => "write it as https://host/path".to_owned(),
            Self::NotAllowed { host } => format!("if you trust this graph with it: `--allow-http {host}`"),
            Self::NoClient { .. } => "look at the system's certificates".to_owned(),
        }
    }
}

impl Gate {
    /// No host.
    pub fn closed() -> Self {
        Self { allowed: Vec::new(), secure: OnceLock::new() }
    }

    /// Opens to these hosts: `name` at every port, `name:port` at that port alone, or `*` for all.
    pub fn open_to(hosts: impl IntoIterator<Item = String>) -> Self {
        let allowed = hosts.into_iter().map(|host| Allowed::parse(&host)).collect();
        Self { allowed, ..Self::closed() }
    }

    /// The address and the connections, if this gate lets it through.
    pub(super) fn pass(&self, url: &str) -> Result<(Url, Client), GateError> {
        let bad = |reason: String| GateError::BadUrl { url: url.to_owned(), reason };
        let parsed = Url::parse(url).map_err(|error| bad(error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(bad(format!("`{}` is not http or https", parsed.scheme())));
        }
        let name = parsed.host_str().ok_or_else(|| bad("it has no host".to_owned()))?;
        let host = parsed.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        if !self.allowed.iter().any(|allowed| allowed.lets_through(&parsed)) {
            return Err(GateError::NotAllowed { host });
        }
        let client = self.client(&parsed).map_err(|reason| GateError::NoClient { reason })?;
        Ok((parsed, client))
    }

    fn client(&self, url: &Url) -> Result<Client, String> {
        if url.scheme() == "http" {
            return openai::client(url, CONNECT, Some(IDLE));
        }
        if let Some(client) = self.secure.get() {
            return Ok(client.clone());
        }
        let client = openai::client(url, CONNECT, Some(IDLE))?;
        Ok(self.secure.get_or_init(|| client).clone())
    }
}
