//! The live view of a run: a few lines below the printed ones, on a terminal only. It shows the running
//! nodes, the requests that wait for an answer, the usage so far, and the lines of the workflow. [`view`]
//! holds and renders the facts, [`requests`] collects those of model requests, [`area`] draws.

mod area;
mod requests;
mod view;

pub(super) use area::LiveArea;
pub(super) use requests::RequestLayer;
