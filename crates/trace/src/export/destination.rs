//! The address of a collector with its headers, checked once. A key travels over https or stays on this machine.

use std::fmt;

use percent_encoding::percent_decode_str;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use stategraph_base::is_loopback_host;

use super::settings::SettingsError;

/// Substrings of the names of headers that hold credentials.
const CREDENTIALS: [&str; 7] = ["auth", "key", "token", "secret", "cookie", "credential", "password"];

/// The validated address of a collector, with the headers to send. `Debug` prints no value of a header.
#[derive(Clone)]
pub struct Destination {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
}

impl Destination {
    /// Parses the address that the environment variable `variable` holds. Fails unless it is http(s) with a
    /// host and without a password.
    pub(super) fn parse(variable: &'static str, text: &str) -> Result<Self, SettingsError> {
        let bad = |reason: String| SettingsError::Endpoint { variable, reason };
        let url = Url::parse(text.trim()).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(bad("it should begin with http:// or https:// and name a host".to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("it holds a password; keys belong into LLM_TRACING_API_KEY".to_owned()));
        }
        Ok(Self { url, headers: HeaderMap::new() })
    }

    /// Appends `/v1/traces` to the path, for an address that names a whole collector.
    pub(super) fn with_traces_path(mut self) -> Self {
        let path = format!("{}/v1/traces", self.url.path().trim_end_matches('/'));
        self.url.set_path(&path);
        self
    }

    /// Adds the key as a bearer token in `Authorization`.
    pub(super) fn with_key(mut self, key: &str) -> Result<Self, SettingsError> {
        let value = secret_value(&format!("Bearer {}", key.trim())).ok_or(SettingsError::Key)?;
        self.headers.insert(AUTHORIZATION, value);
        Ok(self)
    }

    /// Adds headers of the form `name=value,name=value`; the values are percent-decoded.
    pub(super) fn with_headers(mut self, text: &str) -> Result<Self, SettingsError> {
        for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (name, value) = pair.split_once('=').ok_or(SettingsError::Headers)?;
            let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| SettingsError::Headers)?;
            let value = percent_decode_str(value.trim()).decode_utf8().map_err(|_| SettingsError::Headers)?;
            self.headers.insert(name, secret_value(&value).ok_or(SettingsError::Headers)?);
        }
        Ok(self)
    }

    /// Fails if a header with a credential would leave this machine unencrypted; otherwise returns the
    /// destination.
    pub(super) fn require_protection(self) -> Result<Self, SettingsError> {
        let is_protected = self.url.scheme() == "https" || self.url.host_str().is_some_and(is_loopback_host);
        let is_credential = |name: &HeaderName| CREDENTIALS.iter().any(|part| name.as_str().contains(part));
        match self.headers.keys().find(|name| is_credential(name)) {
            Some(name) if !is_protected => {
                Err(SettingsError::Unprotected { header: name.to_string(), endpoint: self.to_string() })
            }
            _ => Ok(self),
        }
    }

    /// Returns the address.
    pub fn url(&self) -> &Url {
        &self.url
    }
}

/// Makes a header value that `Debug` of the HTTP stack hides; `None` if the text is no valid value.
fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Displays the address without its query, which may hold a key.
impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.url.clone();
        shown.set_query(None);
        shown.set_fragment(None);
        fmt::Display::fmt(&shown, f)
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("Destination").field("url", &self.to_string()).field("headers", &names).finish()
    }
}
