//! URLs of repositories on GitHub (CTX-124). Opens no connection.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const SCHEME: &str = "https://";
const HOST: &str = "github.com/";
/// Longest name of an owner at GitHub, in bytes.
const OWNER_MAX: usize = 39;
/// Longest name of a repository at GitHub, in bytes.
const REPO_MAX: usize = 100;

/// A repository on GitHub. Displays as `https://github.com/OWNER/REPO`.
///
/// ```
/// use stategraph::workflows::contextualize::source::GitHubUrl;
///
/// let url = GitHubUrl::parse("https://github.com/acme/shop.git/").unwrap();
/// assert_eq!(url.to_string(), "https://github.com/acme/shop");
/// assert!(GitHubUrl::parse("https://github.com/acme/shop/tree/main").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GitHubUrl {
    owner: String,
    repo: String,
}

impl GitHubUrl {
    /// Parses `https://github.com/OWNER/REPO`, with an optional `.git` and an optional slash at its end; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = strip_prefix_ignoring_case(text.trim(), SCHEME)?;
        let rest = strip_prefix_ignoring_case(rest, HOST)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (owner, repo) = rest.strip_suffix(".git").unwrap_or(rest).split_once('/')?;
        let is_owner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_repo = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let fits = (1..=OWNER_MAX).contains(&owner.len())
            && (1..=REPO_MAX).contains(&repo.len())
            && owner.bytes().all(is_owner)
            && repo.bytes().all(is_repo)
            && !owner.starts_with('-')
            && !matches!(repo, "." | "..");
        fits.then(|| Self { owner: owner.to_owned(), repo: repo.to_owned() })
    }

    /// Returns the name of the repository.
    pub fn repo(&self) -> &str {
        &self.repo
    }

    /// Returns the address of the repository on another server: `base/OWNER/REPO`.
    pub(super) fn below(&self, base: &str) -> String {
        format!("{}/{}/{}", base.trim_end_matches('/'), self.owner, self.repo)
    }
}

impl fmt::Display for GitHubUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{SCHEME}{HOST}{}/{}", self.owner, self.repo)
    }
}

impl Serialize for GitHubUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GitHubUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not the URL of a repository on GitHub"))
    }
}

/// Returns true for a URL with a user or a password before its host.
pub(super) fn has_credentials(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, rest)| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.contains('@')
    })
}

/// Returns true for a path that looks like a URL of another host, scheme or form.
pub(super) fn is_meant_as_url(path: &str) -> bool {
    path.contains("://")
        || path.contains("/git@")
        || path.contains("/github.com/")
        || path.starts_with("git@")
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}
