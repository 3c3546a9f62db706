//! Tool calls for models without native ones: as XML in their text (DOC-33, DOC-35). A layer around a model; code above it sees native
//! calls only, so that loop, budgets, trimming and journal know one form.
//!
//! Reading order: `parse` (text → calls), `write` (calls, results and offers → text), `layer`.

mod layer;
mod parse;
mod tag;
mod write;

pub use layer::{ToolPresentation, XmlTools};
pub use parse::{XmlAnswer, XmlCall, parse_calls};
pub use tag::blocks;
