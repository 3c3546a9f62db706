//! The workflow `sections`.

mod batch;
mod by_hand;
mod changes;
mod kills;
mod kit;
mod loops;
mod runs;
mod tools;
mod units;
