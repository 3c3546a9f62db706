//! The workflow `sections`.

mod batch;
mod changes;
mod kills;
mod kit;
mod loops;
mod runs;
mod tools;
mod units;
