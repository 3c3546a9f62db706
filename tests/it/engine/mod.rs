//! The engine through its public door: a module per theme. What stores do is in `store`; here they only have to keep things.

mod kit;
pub(crate) mod stores;

mod building;
mod shapes;
mod state;

mod deferred;
mod subgraphs;
mod dispatch;
mod limits;
mod memory;
mod order;

mod failure;
mod finite;
mod interrupts;
mod once;
mod siblings;

mod checkpoints;
mod durability;
mod threads;
mod updates;
mod versions;

mod host;
mod spans;
mod stop;
mod streams;

mod random;
mod scale;
