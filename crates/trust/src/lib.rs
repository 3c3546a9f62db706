//! Trust in files that were found rather than named by the user. Such a file may come from a stranger, so it gets no capability (to send
//! a key elsewhere, to read an environment variable, to set a header, to write outside the working folder) before the user allows it, as
//! with direnv.
//!
//! Reading order: `capability` (the things that must be allowed), `request` (the capabilities that one file asks for, with their
//! places), `store` (the requests that the user has allowed), `error`. Reads no configuration and honours nothing itself: the reader of a
//! file collects a [`TrustRequest`] and calls [`TrustStore::check`] before it uses any part of it.
//!
//! ```
//! use stategraph_trust::{Capability, TrustRequest, TrustStore};
//!
//! let mut request = TrustRequest::of("config.yaml");
//! request.want(4, 5, Capability::ReadVariable { name: "TEAM_KEY".into(), purpose: "the key of `team`".into() });
//! let error = TrustStore::empty().check(&request).unwrap_err();
//! assert!(error.to_string().contains("config.yaml:4:5: read the environment variable TEAM_KEY"));
//! assert!(error.hint().contains("graph trust config.yaml"));
//! ```

mod capability;
mod error;
mod request;
mod store;

pub use capability::Capability;
pub use error::TrustError;
pub use request::{CapabilityRequest, TrustRequest};
pub use store::{TrustApproval, TrustStore};
