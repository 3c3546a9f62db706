//! Recognises hosts that are this machine.

use std::net::IpAddr;

/// Returns true if the host of a URL is this machine: `localhost`, or an address of the loopback network.
///
/// ```
/// use stategraph_base::is_loopback_host;
///
/// assert!(is_loopback_host("localhost") && is_loopback_host("[::1]") && is_loopback_host("127.0.0.9"));
/// assert!(!is_loopback_host("localhost.example.org"));
/// ```
pub fn is_loopback_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
