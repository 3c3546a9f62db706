//! The real programs, from outside: what they print, write and return, how they are stopped and killed, and what then.

mod bad_input;
mod corrected;
mod debate;
mod drawing;
mod graph_files;
mod graph_runs;
mod help;
mod hostile;
mod ids;
mod kills;
mod kit;
mod looking;
mod models;
mod offline;
mod older;
mod phases;
mod questions;
mod repairs;
mod signals;
mod stores;
mod strange_files;
mod streams;
mod tapes;
mod together;
