//! The client against servers of other programs, most of them bad, and our server against the client.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
#![allow(clippy::needless_pass_by_value, reason = "values of tests are made where they are used")]

mod arbitrary;
mod bad_servers;
mod kit;
mod servers;
mod serving;
mod spans;
