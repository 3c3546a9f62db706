//! The real programs, from outside: what they print, write and return, how they are stopped and killed, and what then.

mod bad_input;
mod debate;
mod drawing;
mod graph_files;
mod graph_runs;
mod help;
mod ids;
mod kills;
mod kit;
mod looking;
mod models;
mod modes;
mod offline;
mod outputs;
mod phases;
mod questions;
mod signals;
mod stores;
mod strange_files;
mod stranger;
mod streams;
mod together;
mod trust;
