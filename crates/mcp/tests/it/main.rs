//! The client against servers of other programs, most of them bad, and our server against the client.

mod arbitrary;
mod bad_servers;
mod kit;
mod servers;
mod serving;
mod spans;
