//! Tests of evaluation, snapshots and modification.

mod comparison;
mod formats;
mod metrics;
mod modification;
mod output;
mod results;
mod snapshots;
